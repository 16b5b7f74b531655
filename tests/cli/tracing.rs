//! `trace`: logs that were recorded beside real Redisson clients, as people
//! have them.

mod live;
mod probe;

use std::collections::HashMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use delayscope::queue::{Form, frame};
use delayscope::trace::{Log, Record, Sender};
use serde_json::{Value, json};

use crate::program::{Program, bare, begun, local, local_with_input};
use crate::support::{Server, room, wait_for};

/// Versions of Redisson with the server that the log is of: 5.0, 7.0, 6.2, 7.0 and 8.2.
const VERSIONS: [&str; 5] = ["3.15.1", "3.21.0", "3.21.1", "3.52.0", "4.7.0"];

fn fixture(path: &str) -> PathBuf {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/trace");
    fixtures.join(path)
}

fn log(version: &str) -> Vec<u8> {
    std::fs::read(fixture(version).join("monitor.log")).unwrap()
}

/// The messages that a log tells of, and its summary.
fn messages(log: &[u8], args: &[&str]) -> (Vec<Value>, Value) {
    let args = [&["trace", "--from", "-", "--by", "message", "--json"], args].concat();
    let mut lines = local_with_input(&args, log).done().json();
    let summary = lines.pop().unwrap();
    assert_eq!(summary["event"], "summary");
    (lines, summary)
}

/// What the client itself logged: each message that it consumed, and when it had it.
fn delivered(version: &str) -> Vec<Value> {
    let log = std::fs::read_to_string(fixture(version).join("delivered.jsonl")).unwrap();
    let lines = log.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

/// The words of a value: its strings, and its numbers with a fraction.
fn words(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) if text != "com.acme.Order" => vec![text.clone()],
        Value::Number(number) if number.is_f64() => vec![number.to_string()],
        Value::Object(fields) => fields.values().flat_map(words).collect(),
        _ => Vec::new(),
    }
}

/// Every life of a recorded log is what the client logged.
fn assert_lives(version: &str, messages: &[Value]) {
    let fates = |fate: &str| -> Vec<&Value> {
        messages
            .iter()
            .filter(|life| life["fate"] == fate)
            .collect()
    };
    assert_eq!(messages.len(), 15, "{version}");
    for (fate, text) in [("polled", "100"), ("removed", "101"), ("waiting", "102")] {
        let lives = fates(fate);
        assert_eq!(lives.len(), 1, "{version} {fate}");
        let said = lives[0]["text"].as_str().unwrap();
        assert_eq!(said, format!("job-{text}"), "{version}");
    }
    let mut consumed = fates("consumed");
    consumed.sort_by_key(|life| life["consumed_ms"].as_i64());
    let delivered = delivered(version);
    assert_eq!(consumed.len(), delivered.len(), "{version}");
    let ms = |value: &Value| value.as_i64().unwrap();
    for (life, seen) in consumed.iter().zip(&delivered) {
        let says = life["text"].as_str().unwrap();
        let seen_words = match &seen["value"] {
            Value::Number(number) => vec![number.to_string()],
            value => words(value),
        };
        let mut said = seen_words.iter().map(|word| says.contains(word.as_str()));
        // Of an object of Kryo's not everything can be told without its class.
        let is_told_whole = ["json", "text"].contains(&life["codec"].as_str().unwrap());
        let is_it = if is_told_whole {
            said.all(|word| word)
        } else {
            said.any(|word| word)
        };
        assert!(is_it, "{version}: {says} {seen}");
        assert!(!seen_words.is_empty());
        for step in ["offered_by", "transferred_by", "consumed_by"] {
            assert!(
                life[step].as_str().unwrap().starts_with("127.0.0.1:"),
                "{life}"
            );
        }
        assert_eq!(life["transfers"], 1, "{life}");
        assert_eq!(life["deliveries"], 1, "{life}");
        let late = ms(&life["transferred_ms"]) - ms(&life["due_ms"]);
        assert!((0..400).contains(&late), "{life}");
        assert_eq!(ms(&life["late_ms"]), late, "{life}");
        // The client had it after the server gave it, and before long.
        let after = ms(&seen["t"]) - ms(&life["consumed_ms"]);
        assert!((0..1_000).contains(&after), "{version} {after} ms: {life}");
    }
}

#[test]
fn every_life_of_a_recorded_log_is_what_the_client_logged() {
    for version in VERSIONS {
        let (messages, summary) = messages(&log(version), &[]);
        assert_lives(version, &messages);
        assert_eq!(summary["messages"], 15);
        assert_eq!(summary["fates"]["consumed"], 12);
        assert_eq!(summary["late_ms"]["count"], 12);
        let histogram = summary["late_ms"]["histogram"].as_array().unwrap().iter();
        let counted: u64 = histogram.map(|one| one["count"].as_u64().unwrap()).sum();
        assert_eq!(counted, 12, "{summary}");
        let is_old = ["3.15.1", "3.21.0"].contains(&version);
        let format = if is_old { "old" } else { "new" };
        assert_eq!(
            summary["clients"][0]["formats"],
            json!([format]),
            "{version}"
        );
        assert_eq!(summary["nobody_asked"], 0);
        assert_eq!(summary["unreadable"], 0);
        assert_eq!(summary["transferred_again"], 0);
        // Twice a client that had offered was still there when that fell due. All others had left, and
        // found nothing but when they came.
        let races = ["3.15.1", "4.7.0"].contains(&version).then_some(1);
        assert_eq!(summary["events"]["in-vain"].as_u64(), races, "{version}");
        // One machine, one clock; what a busy one keeps back is not the clock's.
        let clock = summary["clients"][0]["clock_ms"].as_i64().unwrap();
        assert!((-50..=1).contains(&clock), "{version} {clock}");
    }
}

#[test]
fn logs_of_both_eras_of_frames_are_read_whether_scripts_are_sent_as_text_or_by_hash() {
    for (version, sent, form, codec) in [
        ("3.15.1", "EVAL", "double-id", "text"),
        ("3.21.0", "EVAL", "double-id", "json"),
        ("3.21.1", "EVAL", "byte-id", "kryo5"),
        ("3.52.0", "EVALSHA", "byte-id", "kryo5"),
        ("4.7.0", "EVALSHA", "byte-id", "json"),
    ] {
        let log = log(version);
        // The transfers of the log: what they do is seen, whatever they are called.
        let transfers = String::from_utf8_lossy(&log);
        let transfers = transfers.lines().filter(|line| line.ends_with("\"100\""));
        let mut words = transfers.filter_map(|line| line.split('"').nth(1));
        assert_eq!(words.next(), Some(sent), "{version}");
        let (messages, _) = messages(&log, &[]);
        assert_eq!(messages.len(), 15, "{version}");
        for life in messages {
            assert_eq!(life["form"], form, "{version}: {life}");
            assert_eq!(life["codec"], codec, "{version}: {life}");
        }
    }
}

#[test]
fn a_log_is_read_as_people_have_it() {
    for version in VERSIONS {
        assert_read_as_people_have_it(version);
    }
}

#[test]
fn messages_that_are_one_command_in_a_thousand_are_found() {
    let log = String::from_utf8(log("4.7.0")).unwrap();
    // Commands of others stand between scripts, never inside one.
    let mixed: Vec<String> = log
        .lines()
        .flat_map(|line| {
            let (at, _) = line.split_once(' ').unwrap_or(("1795409320.4", ""));
            let others = if line.contains("[0 lua]") { 0 } else { 1_000 };
            let other = format!("{at} [0 10.1.1.1:7] \"SET\" \"k\" \"\\x00v\"");
            let others = std::iter::repeat_n(other, others);
            others.chain([line.to_owned()]).collect::<Vec<_>>()
        })
        .collect();
    let (messages, _) = messages(mixed.join("\n").as_bytes(), &[]);
    assert_lives("4.7.0", &messages);
}

fn assert_read_as_people_have_it(version: &str) {
    let log = String::from_utf8(log(version)).unwrap();
    // Broken at the width of a terminal, but for the heads of records.
    let broken: Vec<String> = log
        .lines()
        .flat_map(|line| {
            let (head, rest) = line.split_at(line.find('"').unwrap_or(line.len()));
            let chunks = rest.as_bytes().chunks(97).map(String::from_utf8_lossy);
            let mut lines: Vec<String> = chunks.map(Into::into).collect();
            match lines.first_mut() {
                Some(first) => first.insert_str(0, head),
                None => lines.push(head.to_owned()),
            }
            lines
        })
        .collect();
    for (how, log) in [
        ("with Windows line ends", log.replace('\n', "\r\n")),
        ("on one line", log.replace('\n', " ")),
        ("without a gap", log.replace('\n', "")),
        (
            "cut at both ends",
            format!("\" \"cut\"\n{log}1795409335.1 [0 lua] \"zadd\" \"redis"),
        ),
        ("broken", broken.join("\n")),
    ] {
        let (messages, _) = messages(log.as_bytes(), &[]);
        println!("{version} {how}");
        assert_lives(version, &messages);
    }
}

#[test]
fn events_tell_the_same_in_the_order_in_which_they_happened() {
    let from = fixture("3.21.0").join("monitor.log");
    let from = from.to_str().unwrap();
    let events = local(&["trace", "orders", "--from", from, "--json"])
        .done()
        .json();
    let mut by_id: HashMap<String, Vec<String>> = HashMap::new();
    for event in &events[..events.len() - 1] {
        let word = |name: &str| event[name].as_str().unwrap().to_owned();
        assert_eq!(event["queue"], "orders");
        by_id.entry(word("id")).or_default().push(word("event"));
    }
    let told = |words: &[&str]| {
        let is_it = |its: &&Vec<String>| {
            let its = its.iter().map(String::as_str);
            its.filter(|word| *word != "announced")
                .eq(words.iter().copied())
        };
        by_id.values().filter(is_it).count()
    };
    assert_eq!(told(&["offered", "transferred", "consumed"]), 12);
    assert_eq!(told(&["offered", "polled"]), 1);
    assert_eq!(told(&["offered", "removed"]), 1);
    assert_eq!(told(&["offered"]), 1);
    let plain = local(&["trace", "--from", from, "--grep", "job-101"]).done();
    assert_eq!(plain.out.lines().count(), 3, "{}", plain.out);
    assert!(plain.out.contains("  removed "), "{}", plain.out);
    assert!(
        plain.err.contains("15 messages: 12 consumed"),
        "{}",
        plain.err
    );
}

#[test]
fn a_log_that_a_terminal_has_broken_at_its_width_is_joined_and_says_how_often() {
    let whole = String::from_utf8(log("3.52.0")).unwrap();
    let mut broken = Vec::new();
    let mut joints = 0;
    for line in whole.lines() {
        let parts = line.as_bytes().chunks(80);
        joints += parts.len() - 1;
        for part in parts {
            broken.extend_from_slice(part);
            broken.push(b'\n');
        }
    }
    let (messages, summary) = messages(&broken, &[]);
    assert_lives("3.52.0", &messages);
    assert_eq!(summary["unreadable"], 0);
    assert_eq!(summary["joined_lines"], joints);
    let said = local_with_input(&["trace", "--from", "-"], &broken).done();
    assert!(
        said.err.contains("joined to the one before"),
        "{}",
        said.err
    );
}

#[test]
fn a_record_that_is_too_long_is_left_out_and_told_and_the_others_are_not() {
    let value = "x".repeat(9 << 20);
    let too_long = format!("1795409000.5 [0 10.0.0.1:5] \"SET\" \"k\" \"{value}\"\n");
    let all = [too_long.as_bytes(), &log("3.52.0")].concat();
    let (messages, summary) = messages(&all, &[]);
    assert_lives("3.52.0", &messages);
    assert_eq!(
        (&summary["too_long"], &summary["unreadable"]),
        (&1.into(), &0.into())
    );
    let said = local_with_input(&["trace", "--from", "-"], &all).done();
    let told = "1 record was left out: longer than 8.3 MB";
    assert!(said.err.contains(told), "{}", said.err);
}

#[test]
fn an_append_only_file_is_read_whole_or_in_parts_with_its_snapshot_skipped() {
    // Redis 5.0 writes a snapshot before the commands, 7.0 and 8.2 in a file beside them.
    for (version, from) in [
        ("3.15.1", "appendonly.aof"),
        ("3.21.0", "appendonlydir"),
        ("4.7.0", "appendonlydir"),
        ("4.7.0", "appendonlydir/appendonly.aof.manifest"),
    ] {
        let from = fixture(version).join(from);
        let args = [
            "trace",
            "--from",
            from.to_str().unwrap(),
            "--by",
            "message",
            "--json",
        ];
        let mut messages = local(&args).done().json();
        let summary = messages.pop().unwrap();
        assert_eq!(summary["skipped_snapshot"], true);
        assert_eq!(summary["damaged_at_byte"], Value::Null);
        assert_eq!(messages.len(), 15, "{version}");
        assert_eq!(summary["fates"]["consumed"], 12, "{version}: {summary}");
        assert_eq!(summary["fates"]["polled"], 1);
        assert_eq!(summary["fates"]["removed"], 1);
        assert_eq!(summary["fates"]["waiting"], 1);
        let has_times = version != "3.15.1";
        assert_eq!(summary["from_ms"].is_i64(), has_times, "{version}");
    }
}

/// Every record of a log whose members are in frames with 8-byte lengths, as Windows' Redis and 32-bit
/// servers have them: with 4 bytes.
fn with_short_lengths(log: &[u8], mut put: impl FnMut(&Record, Vec<Vec<u8>>)) {
    let short = |word: &[u8]| match frame::decode(word) {
        Ok(frame) if frame.form == Form::ByteId => {
            let length = u32::try_from(frame.payload.len()).unwrap().to_le_bytes();
            [&[8][..], &frame.id, &length, frame.payload].concat()
        }
        _ => word.to_vec(),
    };
    let mut log = Log::new(log).unwrap();
    let mut record = Record::default();
    let mut shortened = 0;
    while log.read(&mut record).unwrap() {
        let words: Vec<_> = record.words(0).map(short).collect();
        shortened += usize::from(!record.words(0).eq(words.iter().map(Vec::as_slice)));
        put(&record, words);
    }
    assert!(shortened > 30, "{shortened}");
}

#[test]
fn logs_of_a_server_with_4_byte_lengths_tell_the_same_lives() {
    let mut monitored = String::new();
    with_short_lengths(&log("4.7.0"), |record, words| {
        let us = record.at_us.unwrap();
        let sender = match &record.sender {
            Sender::Client(address) => String::from_utf8_lossy(address).into_owned(),
            _ => "lua".to_owned(),
        };
        let (s, us) = (us / 1_000_000, us % 1_000_000);
        let mut line = vec![format!("{s}.{us:06} [{} {sender}]", record.db)];
        for word in words {
            let escaped = word.iter().map(|byte| format!("\\x{byte:02x}"));
            line.push(format!("\"{}\"", escaped.collect::<String>()));
        }
        monitored += &line.join(" ");
        monitored.push('\n');
    });
    let (lives, summary) = messages(monitored.as_bytes(), &[]);
    assert_lives("4.7.0", &lives);
    assert!(lives.iter().all(|life| life["form"] == "byte-id/4"));
    assert_eq!(summary["fates"]["consumed"], 12);

    let file = fixture("4.7.0").join("appendonlydir/appendonly.aof.2.incr.aof");
    let whole = std::fs::read(file).unwrap();
    let mut shortened = Vec::new();
    with_short_lengths(&whole, |record, words| {
        if let Some(us) = record.at_us {
            shortened.extend(format!("#TS:{}\r\n", us / 1_000_000).bytes());
        }
        shortened.extend(format!("*{}\r\n", words.len()).bytes());
        for word in words {
            shortened.extend(format!("${}\r\n", word.len()).bytes());
            shortened.extend(word);
            shortened.extend(b"\r\n");
        }
    });
    let told = |log: &[u8]| -> Vec<Value> {
        let mut lives = messages(log, &[]).0;
        for life in &mut lives {
            let fields = life.as_object_mut().unwrap();
            assert!(fields.remove("id").is_some() && fields.remove("form").is_some());
        }
        lives
    };
    assert_eq!(told(&shortened), told(&whole));
}

#[test]
fn that_no_redisson_client_asked_for_what_is_late_is_told_in_a_line_of_80_columns() {
    let log = "1700000000.000000 [0 10.0.0.1:5] \"ZADD\" \"redisson_delay_queue_timeout:{orders}\" \
               \"1700000001000\" \"x\"\n1700000009.000000 [0 10.0.0.1:5] \"PING\"\n";
    let trace = ["trace", "orders", "--from", "-", "--by", "message"];
    let said = local_with_input(&trace, log.as_bytes()).done();
    assert!(said.out.contains("(no Redisson client asked) "), "{said:?}");
    let words = "1 message is late, and no Redisson client asked since the due time";
    let line = said.err.lines().find(|line| line.contains(words));
    assert!(line.is_some_and(|line| line.len() <= 80), "{said:?}");
}

#[test]
fn the_line_of_a_life_says_who_had_set_its_timer_since_when_that_listens_and_when_somebody_asked() {
    let timeouts = "redisson_delay_queue_timeout:{orders}";
    let asks = |at: &str, now: &str| {
        format!(
            "{at} [0 10.0.0.2:5] \"EVAL\" \"zrangebyscore struct.unpack\" \"3\" \"orders\"\n\
             {at} [0 lua] \"zrangebyscore\" \"{timeouts}\" \"0\" \"{now}\" \"limit\" \"0\" \"100\"\n\
             {at} [0 lua] \"zrange\" \"{timeouts}\" \"0\" \"0\" \"WITHSCORES\"\n"
        )
    };
    let log = [
        "1700000000.010 [0 10.0.0.2:9] \"SUBSCRIBE\" \"redisson_delay_queue_channel:{orders}\"\n"
            .to_owned(),
        format!(
            "1700000000.100 [0 10.0.0.1:5] \"EVAL\" \"offer\" \"orders\"\n\
             1700000000.100 [0 lua] \"zadd\" \"{timeouts}\" \"1700000001000\" \"x\"\n\
             1700000000.100 [0 lua] \"publish\" \"redisson_delay_queue_channel:{{orders}}\" \
             \"1700000001000\"\n"
        ),
        asks("1700000000.200", "1700000000200"),
        asks("1700000001.003", "1700000001003"),
        "1700000005.000 [0 10.0.0.1:5] \"PING\"\n".to_owned(),
    ]
    .concat();
    let trace = ["trace", "orders", "--from", "-", "--by", "message"];
    let said = local_with_input(&trace, log.as_bytes()).done().out;
    let words = said.split_once("(timer set ").unwrap().1;
    let times = [
        "20.200 by 10.0.0.2:5, which listens since ",
        "20.010, first asked for ",
        "21.003)",
    ];
    let mut rest = words;
    for part in times {
        let at = rest.find(part);
        rest = &rest[at.unwrap_or_else(|| panic!("{part} is not in {said}"))..];
    }
}

/// An append-only file: lines of a time, or of a command.
fn append_only(lines: &[&str]) -> Vec<u8> {
    let word = |word: &str| format!("${}\r\n{word}\r\n", word.len());
    let file = lines.iter().map(|line| {
        if line.starts_with('#') {
            return format!("{line}\r\n");
        }
        let words: Vec<String> = line.split(' ').map(word).collect();
        format!("*{}\r\n{}", words.len(), words.concat())
    });
    file.collect::<String>().into_bytes()
}

#[test]
fn the_whole_seconds_of_an_append_only_file_are_not_told_as_milliseconds() {
    let file = append_only(&[
        "#TS:1700000000",
        "ZADD delay 1700000001.4 x",
        "#TS:1700000001",
        "RPUSH ready x",
        "ZREM delay x",
        "#TS:1700000003",
        "LPOP ready",
    ]);
    let trace = ["trace", "zset-list:delay,ready", "--from", "-"];
    let told = |args: &[&str]| local_with_input(&[&trace[..], args].concat(), &file).done();
    let all = told(&["--json"]).json();
    for line in &all {
        assert_eq!(line["precision_ms"], 1_000, "{line}");
    }
    let summary = &all[all.len() - 1];
    let histogram = json!([{"to_ms": 1_000, "count": 1}]);
    assert_eq!(summary["late_ms"]["histogram"], histogram, "{summary}");
    let said = told(&[]);
    let rows: Vec<&str> = said.out.lines().skip(1).collect();
    for row in &rows {
        let time = row.split("  ").next().unwrap();
        assert!(
            time.ends_with(|c: char| c.is_ascii_digit()) && !time.contains('.'),
            "{row}"
        );
    }
    assert!(
        rows[1].contains("400 ms early to 600 ms late"),
        "{}",
        rows[1]
    );
    assert!(
        rows[2].contains("after 1.0 s to 3.0 s in target"),
        "{}",
        rows[2]
    );
    assert!(
        said.err.contains("each up to 1.0 s more") && said.err.contains("each ±1.0 s"),
        "{}",
        said.err
    );
    let lives = told(&["--by", "message"]).out;
    assert!(
        lives.contains("-400 ms to 600 ms") && lives.contains("1.0 s to 3.0 s"),
        "{lives}"
    );
    // Those of MONITOR are exact.
    let (messages, summary) = messages(&log("4.7.0"), &[]);
    assert!(messages[0]["precision_ms"].is_null() && summary["precision_ms"].is_null());
}

#[test]
fn an_append_only_file_is_read_up_to_where_it_is_cut_or_damaged() {
    let whole = std::fs::read(fixture("3.15.1").join("appendonly.aof")).unwrap();
    let half = whole.len() - 200;
    let (_, summary) = messages(&whole[..half], &[]);
    assert!(summary["damaged_at_byte"].as_u64().unwrap() <= half as u64);
    let damaged = [&whole[..], b"\0\0\0\0garbage\r\n"].concat();
    let (lives, summary) = messages(&damaged, &[]);
    assert_eq!(lives.len(), 15);
    assert_eq!(summary["damaged_at_byte"], whole.len());
    let said = local_with_input(&["trace", "--from", "-"], &damaged).done();
    assert!(
        said.err.contains("is damaged from byte 4,440 on"),
        "{}",
        said.err
    );
}

#[test]
fn what_follows_a_damaged_part_of_an_append_only_file_is_told_and_presumed() {
    let home = room();
    let base = append_only(&["ZADD delay 1700000001 x", "ZADD delay 1700000002 y"]);
    let first = append_only(&["ZADD delay 1700000003 z", "ZREM delay gone"]);
    let last = append_only(&["RPUSH ready x", "ZREM delay x", "LPOP ready"]);
    let put = |name: &str, bytes: &[u8]| std::fs::write(home.path().join(name), bytes).unwrap();
    put(
        "a.aof.manifest",
        b"file a.1.base.aof seq 1 type b\nfile a.1.incr.aof seq 1 type i\n\
          file a.2.incr.aof seq 2 type i\n",
    );
    put("a.1.base.aof", &base);
    put("a.2.incr.aof", &last);
    let from = home.path().to_str().unwrap();
    let trace = ["trace", "zset-list:delay,ready", "--from", from];
    let told = |part: &[u8]| {
        put("a.1.incr.aof", part);
        let args = [&trace[..], &["--by", "message", "--json"]].concat();
        let mut lives = local(&args).done().json();
        let summary = lives.pop().unwrap();
        let fate = |life: &Value| {
            let word = |name: &str| life[name].as_str().unwrap().to_owned();
            (word("text"), word("fate"), life["presumed"] == true)
        };
        let fates = lives.iter().filter(|life| life["text"] != "gone").map(fate);
        (fates.collect::<Vec<_>>(), summary["damaged_amid"] == true)
    };
    let fates = |is_presumed: bool, messages: &[(&str, &str)]| {
        let all = messages.iter();
        all.map(|(text, fate)| ((*text).to_owned(), (*fate).to_owned(), is_presumed))
            .collect::<Vec<_>>()
    };
    let all = [("x", "consumed"), ("y", "late"), ("z", "late")];
    let all = all.map(|(text, fate)| (text, if fate == "late" { "waiting" } else { fate }));
    assert_eq!(told(&first), (fates(false, &all), false));
    let broken = [b"garbage\r\n", &first[..]].concat();
    assert_eq!(told(&broken), (fates(true, &all[..2]), true));
    let said = local(&trace).done().err;
    assert!(
        said.contains("a.1.incr.aof is damaged from byte 0 on"),
        "{said}"
    );
    assert!(said.contains("the parts behind that were read"), "{said}");
}

/// A server's append-only file: written by the server that the tests run on, as that version writes it.
struct AppendOnly {
    program: Program,
}

impl AppendOnly {
    /// With a snapshot before the commands, or not.
    fn begun(preamble: &str) -> Self {
        let args = ["--appendonly", "yes", "--aof-use-rdb-preamble", preamble];
        let program = Program::at(Server::start_with(&args));
        Self { program }
    }

    /// The file, or the folder of its parts.
    fn path(&self) -> PathBuf {
        let socket = self.program.server.socket();
        let parts = socket.with_file_name("appendonlydir");
        if parts.is_dir() {
            parts
        } else {
            socket.with_file_name("appendonly.aof")
        }
    }

    fn rewrite(&self) {
        let server = &self.program.server;
        server.cmd(&["BGREWRITEAOF"]);
        wait_for("the rewrite", || {
            let info: String =
                redis::from_redis_value(server.cmd(&["INFO", "persistence"])).unwrap();
            let is_done = |line: &str| line == "aof_rewrite_in_progress:0";
            let scheduled = info.contains("aof_rewrite_scheduled:0");
            scheduled && info.lines().any(|line| is_done(line.trim()))
        });
    }

    fn offer(&self, text: &str) {
        self.program.offer("orders", text, "0s");
    }

    fn transfer(&self) {
        let worker = ["worker", "orders", "--until-empty", "--yes"];
        self.program.run(&worker).done();
    }

    /// The fates of the messages that it tells of, by their texts, and the summary.
    fn read(&self) -> (Vec<(String, String)>, Value) {
        let from = self.path();
        let from = from.to_str().unwrap();
        let args = ["trace", "--from", from, "--by", "message", "--json"];
        let mut lives = local(&args).done().json();
        let summary = lives.pop().unwrap();
        let word = |life: &Value, name: &str| life[name].as_str().unwrap().to_owned();
        let fates = lives
            .iter()
            .map(|life| (word(life, "text"), word(life, "fate")));
        let mut fates: Vec<_> = fates.collect();
        fates.sort_unstable();
        (fates, summary)
    }

    /// The file that begins with this rewrite, or holds what came since.
    fn part(&self, end: &str) -> PathBuf {
        let path = self.path();
        if path.is_file() {
            return path;
        }
        let files = std::fs::read_dir(path).unwrap();
        let paths = files.map(|file| file.unwrap().path());
        let is_it = |path: &PathBuf| path.to_string_lossy().contains(end);
        paths.filter(is_it).max().unwrap()
    }
}

#[test]
fn an_append_only_file_of_this_server_is_read_up_to_where_it_is_cut_or_damaged() {
    for preamble in ["no", "yes"] {
        let log = AppendOnly::begun(preamble);
        log.offer("one");
        log.offer("two");
        log.rewrite();
        log.transfer();
        log.program.server.cmd(&["LPOP", "orders"]);
        log.offer("three");
        log.transfer();
        let (fates, summary) = log.read();
        let is = |text: &str, fate: &str| (text.to_owned(), fate.to_owned());
        let mut expected = vec![
            is("one", "consumed"),
            is("three", "delivered"),
            is("two", "delivered"),
        ];
        // What is in a snapshot is not told.
        if preamble == "yes" {
            expected.retain(|(text, _)| text == "three");
        }
        assert_eq!(fates, expected, "{preamble}: {summary}");
        let messages = expected.len();
        assert_eq!(summary["skipped_snapshot"], preamble == "yes");
        assert_eq!(summary["damaged_at_byte"], Value::Null);

        // Its last part, with an end that is cut, or damaged, and with a command amid others that is.
        let last = log.part(".incr.aof");
        let whole = std::fs::read(&last).unwrap();
        std::fs::write(&last, &whole[..whole.len() - 3]).unwrap();
        let (lives, summary) = log.read();
        assert_eq!(lives.len(), messages, "{preamble}");
        assert!(summary["damaged_at_byte"].is_u64(), "{summary}");
        std::fs::write(&last, [&whole[..], b"\0\0garbage\r\n"].concat()).unwrap();
        let (lives, summary) = log.read();
        assert_eq!(lives.len(), messages, "{preamble}");
        assert_eq!(summary["damaged_at_byte"], whole.len());
        let at = whole.windows(5).rposition(|word| word == b"three").unwrap();
        let broken = whole[..at].iter().rposition(|byte| *byte == b'*').unwrap();
        let damaged = [&whole[..broken], b"!", &whole[broken + 1..]].concat();
        std::fs::write(&last, damaged).unwrap();
        let (_, summary) = log.read();
        assert_eq!(summary["damaged_at_byte"], broken, "{preamble}");
        std::fs::write(&last, &whole).unwrap();

        // A snapshot whose end is missing tells nothing of where the commands begin.
        if preamble == "yes" {
            let base = log.part(".base.");
            let whole = std::fs::read(&base).unwrap();
            let end = whole
                .windows(9)
                .position(|bytes| bytes[0] == 0xff && bytes[1..] != [0xff; 8])
                .unwrap();
            std::fs::write(&base, &whole[..end]).unwrap();
            let said = local(&["trace", "--from", log.path().to_str().unwrap()]);
            assert!(said.err.contains("no whole snapshot"), "{}", said.err);
        }
    }
}

#[test]
fn a_plain_queue_that_is_named_is_told_and_what_others_push_is_not() {
    let from = fixture("plain.log");
    let from = from.to_str().unwrap();
    let queue = "zset-list:delay_queue,ready_queue";
    let args = ["trace", queue, "--from", from, "--by", "message", "--json"];
    let mut messages = local(&args).done().json();
    messages.pop();
    let fates: Vec<(&str, &str)> = messages
        .iter()
        .map(|life| {
            (
                life["text"].as_str().unwrap(),
                life["fate"].as_str().unwrap(),
            )
        })
        .collect();
    let expected = [
        (r#"{"order":1}"#, "consumed"),
        (r#"{"order":2}"#, "consumed"),
        (r#"{"order":3}"#, "waiting"),
        (r#"{"order":4}"#, "removed"),
    ];
    assert_eq!(fates, expected);
    let unnamed = local(&["trace", "--from", from]);
    assert_eq!(unnamed.code, 1);
    assert!(unnamed.err.contains("has to be named"), "{}", unnamed.err);
}

#[test]
fn what_is_asked_for_alone_is_printed() {
    let log = log("4.7.0");
    let count = |args: &[&str]| messages(&log, args).0.len();
    assert_eq!(count(&["--limit", "3"]), 3);
    assert_eq!(count(&["--grep", "job-10"]), 3);
    assert_eq!(count(&["--late-over", "0ms"]), 12);
    let (one, _) = messages(&log, &["--grep", "job-102", "--raw"]);
    let id = one[0]["id"].as_str().unwrap();
    assert_eq!(one[0]["payload_hex"], "226a6f622d31303222");
    assert_eq!(count(&["--id", &id[..10]]), 1);
}

#[test]
fn the_summary_says_how_many_there_were_beside_those_that_a_limit_shows() {
    let from = fixture("4.7.0").join("monitor.log");
    let from = from.to_str().unwrap();
    let limited = |args: &[&str]| {
        let args = [&["trace", "--from", from, "--limit", "2"], args].concat();
        let said = local(&args).done();
        let json = local(&[&args[..], &["--json"]].concat()).done().json();
        let summary = json.last().unwrap();
        assert_eq!(json.len(), 3);
        assert_eq!(summary["messages"], 15, "{args:?}");
        assert!(summary["ended_by_limit"].is_null());
        (said.err, summary["not_shown"].clone())
    };
    let (said, not_shown) = limited(&["--by", "message"]);
    assert!(said.contains("13 messages more"), "{said}");
    assert_eq!(not_shown, 13);
    let (_, not_shown) = limited(&["--by", "message", "--grep", "job-10"]);
    assert_eq!(not_shown, 1);
    let all = local(&["trace", "--from", from, "--json"]).done().json();
    let (said, not_shown) = limited(&[]);
    assert_eq!(not_shown, all.len() - 3);
    assert!(said.contains("events more would be shown"), "{said}");
    // What comes through a pipe ends with the last line: it may be live.
    let piped = ["trace", "--from", "-", "--limit", "2", "--json"];
    let summary = local_with_input(&piped, &log("4.7.0")).done().json().pop();
    assert_eq!(summary.unwrap()["ended_by_limit"], true);
}

#[test]
fn a_log_is_followed_as_it_grows_also_under_the_name_of_the_next_one() {
    let home = room();
    let path = home.path().join("monitor.log");
    let whole = String::from_utf8(log("4.7.0")).unwrap();
    // At the end of a line.
    let middle = whole.len() / 2;
    let middle = middle + whole[middle..].find('\n').unwrap() + 1;
    let (first, rest) = whole.split_at(middle);
    std::fs::write(&path, first).unwrap();
    let from = ["trace", "--from", path.to_str().unwrap(), "--by", "message"];
    let followed = ["trace", "--from", path.to_str().unwrap(), "--follow"];
    let mut command = bare(home.path());
    command.args(followed).arg("--json").stdin(Stdio::null());
    let mut following = begun(command);
    assert_eq!(following.next_json()["event"], "offered");
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .open(&path)
        .unwrap();
    file.write_all(rest.as_bytes()).unwrap();
    // The log is rotated, and the next one has a message of its own.
    std::fs::rename(&path, home.path().join("monitor.log.1")).unwrap();
    let next = whole.replace("job-", "jib-");
    std::fs::write(&path, next).unwrap();
    while following.next_json()["text"] != "jib-102" {}
    following.signal("INT");
    let said = following.ended();
    assert_eq!(said.code, 0, "{said:?}");
    let summary = said.json().pop().unwrap();
    assert_eq!(summary["event"], "summary");
    // Three messages of the next one have another text, and so are others.
    assert_eq!(summary["messages"], 18, "{summary}");
    // Without the flag it ends with the file.
    assert!(local(&from).done().out.contains("jib-102"));
    let parts = fixture("4.7.0/appendonlydir");
    let folder = ["trace", "--follow", "--from", parts.to_str().unwrap()];
    assert!(local(&folder).err.contains(".incr.aof"));
}

#[test]
fn clients_that_name_their_connections_in_the_log_are_named() {
    let whole = String::from_utf8(log("4.7.0")).unwrap();
    let (lives, _) = messages(whole.as_bytes(), &[]);
    let mover = lives
        .iter()
        .find_map(|life| life["transferred_by"].as_str());
    let mover = mover.unwrap();
    let first = whole.lines().find(|line| line.contains('[')).unwrap();
    let at = first.split_once(' ').unwrap().0;
    let named = format!("{at} [0 {mover}] \"CLIENT\" \"SETNAME\" \"mail-1\"\n{whole}");
    let said = local_with_input(&["trace", "--from", "-"], named.as_bytes()).done();
    assert!(
        said.out.contains(&format!("  mail-1 ({mover})  ")),
        "{}",
        said.out
    );
    assert!(
        said.err.contains("127.0.0.1 (mail-1): offered "),
        "{}",
        said.err
    );
    let (lives, summary) = messages(named.as_bytes(), &[]);
    let its = |life: &&Value| life["transferred_by"] == mover;
    let its: Vec<_> = lives.iter().filter(its).collect();
    assert!(!its.is_empty() && its.iter().all(|life| life["names"][mover] == "mail-1"));
    assert_eq!(summary["clients"][0]["names"][0], "mail-1");
}

#[test]
fn what_a_log_does_not_show_for_sure_is_marked() {
    let log = b"1700000000.1 [0 10.0.0.1:5] \"ZADD\" \"delay\" \"1700000009\" \"x\"\n\
        1700000000.2 [0 10.0.0.1:5] \"ZADD\" \"delay\" \"XX\" \"1700000008\" \"old\"\n\
        1700000000.3 [0 10.0.0.1:5] \"ZPOPMAX\" \"delay\"\n";
    let trace = ["trace", "zset-list:delay,ready", "--from", "-"];
    let said = |args: &[&str]| local_with_input(&[&trace[..], args].concat(), log).done();
    let events = said(&["--json"]).json();
    let marks: Vec<_> = events[..3]
        .iter()
        .map(|event| (event["event"].as_str().unwrap(), event["presumed"] == true))
        .collect();
    let expected = [("offered", false), ("requeued", true), ("polled", true)];
    assert_eq!(marks, expected);
    assert_eq!(said(&[]).out.matches("(presumed)").count(), 2);
    let lives = said(&["--by", "message"]).out;
    assert!(
        lives.contains("  polled?  ") && lives.contains("  waiting?  "),
        "{lives}"
    );
}

#[test]
fn lines_for_people_say_the_day_and_where_more_than_one_is_followed_the_queue() {
    let said = |args: &[&str]| {
        let args = [&["trace", "--from", "-"], args].concat();
        let told = local_with_input(&args, &log("3.52.0")).done();
        told.out.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let all = said(&[]);
    let columns = ["TIME", "EVENT", "QUEUE", "ID", "BY", "WHAT"];
    assert!(all[0].split_whitespace().eq(columns), "{}", all[0]);
    // The log is of another day, and its dues are of the same one.
    let cells: Vec<&str> = all[1].split_whitespace().collect();
    assert!(cells[0].starts_with("2026-11-2"), "{}", all[1]);
    assert_eq!(cells[2..4], ["offered", "orders"], "{}", all[1]);
    assert!(cells[6..].join(" ").starts_with("due "), "{}", all[1]);
    assert!(!cells[7].contains('-'), "{}", all[1]);
    let one = said(&["orders", "--by", "message"]);
    let columns = [
        "OFFERED", "DUE", "ID", "FATE", "LATE", "IN", "TARGET", "TEXT",
    ];
    assert!(one[0].split_whitespace().eq(columns), "{}", one[0]);
    // Each column stands below its title.
    let at = one[0].find("ID").unwrap();
    assert!(one[1..].iter().all(|line| line[..at].ends_with("  ")));
}

#[test]
fn a_pipe_with_a_path_is_read_once_and_from_its_beginning() {
    let room = room();
    let pipe = room.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let whole = log("4.7.0");
    let (written, to) = (whole.clone(), pipe.clone());
    let writing = std::thread::spawn(move || std::fs::write(to, written));
    let said = local(&["trace", "--from", pipe.to_str().unwrap(), "--json"]);
    writing.join().unwrap().unwrap();
    let through = local_with_input(&["trace", "--from", "-", "--json"], &whole);
    assert_eq!(said.done().json(), through.done().json());
}

#[test]
fn a_log_without_what_scripts_did_is_told_what_it_lacks() {
    let whole = String::from_utf8(log("4.7.0")).unwrap();
    let kept = whole.lines().filter(|line| !line.contains(" lua] "));
    let kept: Vec<&str> = kept.collect();
    let said = local_with_input(&["trace", "--from", "-"], kept.join("\n").as_bytes());
    assert_eq!(said.code, 1);
    let hint = "left no commands in the log, so nothing is told of them";
    assert!(said.err.contains(hint), "{}", said.err);
    assert_eq!(said.err.matches(hint).count(), 1);
    let said = local_with_input(&["trace", "--from", "-"], whole.as_bytes());
    assert!(!said.done().err.contains(hint));
}

#[test]
fn what_is_no_log_or_has_nothing_in_it_is_told() {
    let said = local_with_input(&["trace", "--from", "-"], b"hello\nworld\n");
    assert_eq!(said.code, 2);
    assert!(said.err.contains("as a log"), "{}", said.err);
    let said = local_with_input(&["trace", "--from", "-"], b"1.5 [0 a:1] \"PING\"\n");
    assert_eq!(said.code, 1);
    assert!(
        said.err.contains("none of the 1 command in -"),
        "{}",
        said.err
    );
    let said = local(&["trace", "--from", "/nowhere/at/all.log"]);
    assert_eq!(said.code, 2);
    assert!(
        said.err.contains("could not open /nowhere/at/all.log"),
        "{}",
        said.err
    );
    let said = local(&["trace", "--from", "/"]);
    assert!(said.err.contains("has no manifest"), "{}", said.err);
    let log = log("4.7.0");
    let said = local_with_input(&["trace", "--from", "-", "--id", "xyz"], &log);
    assert!(said.err.contains("is no id"), "{}", said.err);
    let said = local_with_input(&["trace", "--from", "-", "--grep", "absent"], &log);
    assert_eq!(said.code, 1);
    assert!(said.err.contains("none of the 15 messages"), "{}", said.err);
}
