//! `assets/docs/json.md`, held to the program: each field that a command prints stands there with
//! its type, and each that stands there is printed.

use std::collections::BTreeSet;

use delayscope::queue::Queue;
use delayscope::queue::finding::RULES;
use serde_json::{Map, Value, json};

use crate::changing::with_orders;
use crate::cluster::{Cluster, MASTERS, queue_at};
use crate::doctor::sick;
use crate::program::{Program, bare, local, local_with_input, said};
use crate::support::{PATIENCE, double_frame, frame, room, wait_for};

const PAGE: &str = include_str!("../../assets/docs/json.md");

/// A name that is no text.
const ODD: &[u8] = b"o\xff";

// --- The page -------------------------------------------------------------------------------------

/// A field, as the page tells it.
#[derive(Clone, Debug)]
struct Field {
    /// Its name, behind those of the objects that it is in: `keys.order`, `histogram[].count`.
    path: String,
    /// What it may hold: `string`, `number or null`, `list of strings`.
    kind: String,
    /// It may be missing.
    is_sometimes: bool,
    /// It stands in the section's own table, not in one that this refers to.
    is_own: bool,
}

/// The rows of the table in a section whose head begins so, as cells.
fn rows<'a>(page: &'a str, section: &str, head: &str) -> Vec<Vec<&'a str>> {
    let title = format!("## {section}");
    let lines = page.lines().skip_while(|line| *line != title).skip(1);
    let lines = lines.take_while(|line| !line.starts_with("## "));
    let table = lines.skip_while(|line| !line.starts_with(head)).skip(2);
    let rows = table.take_while(|line| line.starts_with('|'));
    let cells = |row: &'a str| {
        let inside = row.strip_prefix('|')?.strip_suffix('|')?;
        Some(inside.split('|').map(str::trim).collect())
    };
    rows.map(|row| cells(row).unwrap_or_else(|| panic!("{row:?} is no row")))
        .collect()
}

/// `*name*`
fn italic(cell: &str) -> Option<&str> {
    cell.strip_prefix('*')?.strip_suffix('*')
}

/// The fields of a section, with those of the sections that it refers to.
fn fields(page: &str, section: &str) -> Vec<Field> {
    let others = |of: &str, before: &str| -> Vec<Field> {
        let other = |field: Field| Field {
            path: format!("{before}{}", field.path),
            is_own: false,
            ..field
        };
        fields(page, of).into_iter().map(other).collect()
    };
    let of_row = |row: Vec<&str>| {
        let [name, kind, _, when] = row[..] else {
            panic!("{row:?} has not four cells")
        };
        let path = name.trim_matches('`').to_owned();
        let own = |path, kind: &str| Field {
            path,
            kind: kind.to_owned(),
            is_sometimes: !when.is_empty(),
            is_own: true,
        };
        match (italic(name), italic(kind)) {
            (Some(of), _) => others(of, ""),
            (None, Some(of)) if path.ends_with("[]") => others(of, &format!("{path}.")),
            (None, Some(of)) => {
                let inside = others(of, &format!("{path}."));
                [vec![own(path, "object")], inside].concat()
            }
            (None, None) => vec![own(path, kind)],
        }
    };
    let all = rows(page, section, "| field |").into_iter();
    let all: Vec<Field> = all.flat_map(of_row).collect();
    assert!(!all.is_empty(), "the page has no fields of {section:?}");
    all
}

/// Whether a value is what the page says of it.
fn is_of(kind: &str, value: &Value) -> bool {
    let is_one = |one: &str| match value {
        Value::Null => one == "null",
        Value::Bool(_) => one == "boolean",
        Value::Number(_) => one == "number",
        Value::String(_) => one == "string",
        Value::Array(items) => match one {
            "list of strings" => items.iter().all(Value::is_string),
            "list of numbers" => items.iter().all(Value::is_number),
            _ => one == "list",
        },
        Value::Object(inside) => match one {
            "map of strings" => inside.values().all(Value::is_string),
            _ => ["object", "map of any"].contains(&one),
        },
    };
    kind == "any" || kind.split(" or ").any(is_one)
}

/// What was printed beside what the page says.
struct Check {
    fields: Vec<Field>,
    seen: BTreeSet<String>,
    wrong: BTreeSet<String>,
}

impl Check {
    fn object(&mut self, before: &str, object: &Map<String, Value>) {
        for (name, value) in object {
            self.field(&format!("{before}{name}"), value);
        }
    }

    fn field(&mut self, path: &str, value: &Value) {
        let Some(field) = self.fields.iter().find(|field| field.path == path) else {
            self.wrong.insert(format!("{path} is not on the page"));
            return;
        };
        let kind = field.kind.clone();
        self.seen.insert(path.to_owned());
        if !is_of(&kind, value) {
            self.wrong.insert(format!("{path} is no {kind}: {value}"));
        }
        let is = |what: &str| kind.split(" or ").any(|one| one == what);
        match value {
            Value::Object(inside) if is("object") => self.object(&format!("{path}."), inside),
            Value::Object(inside) if is("map of any") => {
                // Some of its names always stand for the same.
                for (name, value) in inside {
                    let path = format!("{path}.{name}");
                    if self.fields.iter().any(|field| field.path == path) {
                        self.field(&path, value);
                    }
                }
            }
            Value::Array(items) if is("list") => {
                for item in items.iter().filter_map(Value::as_object) {
                    self.object(&format!("{path}[]."), item);
                }
            }
            _ => {}
        }
    }
}

/// What is wrong with a section of the page, when this is what was printed. Of the sections that it
/// refers to, what may be missing is looked for there.
fn complaints(page: &str, section: &str, printed: &[Value]) -> Vec<String> {
    let mut check = Check {
        fields: fields(page, section),
        seen: BTreeSet::new(),
        wrong: BTreeSet::new(),
    };
    for line in printed {
        match line {
            Value::Object(object) => check.object("", object),
            _ => panic!("{line} is no object"),
        }
    }
    let asked_for = check.fields.iter();
    let asked_for = asked_for.filter(|field| field.is_own || !field.is_sometimes);
    let missing = asked_for.filter(|field| !check.seen.contains(&field.path));
    let missing = missing.map(|field| format!("{} is not printed", field.path));
    check.wrong.iter().cloned().chain(missing).collect()
}

const SMALL: &str = "\
## inner

| field | type | what it says | when |
|---|---|---|---|
| `a` | number or null | | |
| `b` | list of strings | | |
| `c` | string | | sometimes |

## outer

| field | type | what it says | when |
|---|---|---|---|
| *inner* | | | |
| `all` | list | | |
| `all[]` | *inner* | | |
| `one` | *inner* | | |
| `own` | boolean | | sometimes |
";

#[test]
fn what_is_missing_on_the_page_or_in_the_program_is_told() {
    let whole = json!({"a": 1, "b": ["x"], "all": [{"a": null, "b": []}],
        "one": {"a": 1, "b": []}, "own": true});
    let with = |name: &str, value: Value| {
        let mut line = whole.clone();
        line[name] = value;
        complaints(SMALL, "outer", &[line])
    };
    assert_eq!(with("a", json!(2)), [""; 0]);
    assert_eq!(with("d", json!(2)), ["d is not on the page"]);
    assert_eq!(with("a", json!("2")), ["a is no number or null: \"2\""]);
    assert_eq!(with("b", json!([1])), ["b is no list of strings: [1]"]);
    assert_eq!(
        with("all", json!([{"a": 1, "b": [], "e": 1}])),
        ["all[].e is not on the page"]
    );
    assert_eq!(
        with("all", json!([])),
        ["all[].a is not printed", "all[].b is not printed"]
    );
    let mut short = whole.clone();
    short["own"].take();
    assert_eq!(
        complaints(SMALL, "outer", &[short]),
        ["own is no boolean: null"]
    );
    let short =
        json!({"a": 1, "b": ["x"], "all": [{"a": null, "b": []}], "one": {"a": 1, "b": []}});
    assert_eq!(complaints(SMALL, "outer", &[short]), ["own is not printed"]);
    let inner = [json!({"a": 1}), json!({"b": [], "c": "x"})];
    assert_eq!(complaints(SMALL, "inner", &inner), [""; 0]);
}

// --- What the commands print ----------------------------------------------------------------------

/// The words that name the queue whose name is no text.
fn odd() -> [String; 2] {
    ["--queue-hex".to_owned(), hex::encode(ODD)]
}

/// What a command prints, whatever it ends with.
fn printed(program: &Program, words: &[&str]) -> Vec<Value> {
    let said = program.run(&[words, &["--json"]].concat());
    assert_ne!(said.code, 2, "{words:?}: {said:?}");
    said.json()
}

/// The same of the queue whose name is no text.
fn printed_of_odd(program: &Program, words: &[&str]) -> Vec<Value> {
    let odd = odd();
    // It stands where the name would.
    let [command, others @ ..] = words else {
        panic!("no command")
    };
    printed(program, &[&[*command, &odd[0], &odd[1]], others].concat())
}

/// `orders` with late entries, one whose name is no text, and `broken`, whose order list is none.
fn three() -> Program {
    let program = with_orders();
    let server = &program.server;
    server.put(&Queue::redisson(ODD), &frame(1, b"x"), "5");
    server.cmd(&["ZADD", "redisson_delay_queue_timeout:{broken}", "5", "x"]);
    server.cmd(&["SET", "redisson_delay_queue:{broken}", "text"]);
    program
}

fn a_queue() -> Vec<Value> {
    let program = three();
    let late = Queue::redisson("late");
    program.server.put(&late, &frame(1, b"x"), "5");
    let mut watch = program.begin(&["watch", "late", "--interval", "200ms", "--json"]);
    assert_eq!(watch.next_json()["lateness_ms"], Value::Null);
    program
        .server
        .cmd(&["DEL", "redisson_delay_queue_timeout:{late}"]);
    let left = std::iter::repeat_with(|| watch.next_json());
    let left = left.take(50).find(|line| line["lateness_ms"]["count"] == 1);
    let broken = printed(&program, &["watch", "broken", "--count", "1"]);
    let odd = printed_of_odd(&program, &["watch", "--count", "1"]);
    [broken, odd, vec![left.unwrap()]].concat()
}

/// What a command prints at a cluster of whose nodes one does not answer.
fn printed_without_a_node(words: &[&str]) -> Vec<Value> {
    let mut cluster = Cluster::start_with(&[
        "--cluster-require-full-coverage",
        "no",
        "--cluster-replica-no-failover",
        "yes",
    ]);
    let node = &cluster.nodes[0];
    node.fill(&queue_at(0, 0), 1, node.now().plus(-600_000), 1);
    cluster.nodes[2].kill();
    let home = room();
    let url = cluster.url(0);
    let said = said(bare(home.path()).args(["-u", &url, "--json"]).args(words));
    assert!(said.err.contains("does not answer"), "{said:?}");
    said.json()
}

fn queues() -> Vec<Value> {
    [
        printed(&three(), &["queues"]),
        printed_without_a_node(&["queues"]),
    ]
    .concat()
}

fn show() -> Vec<Value> {
    let program = three();
    let plain = "zset-list:delayed,ready";
    program.server.cmd(&["ZADD", "delayed", "5", "x"]);
    let queues = ["orders", "broken", plain];
    let named = queues.map(|queue| printed(&program, &["show", queue]));
    [named.concat(), printed_of_odd(&program, &["show"])].concat()
}

fn an_entry() -> Vec<Value> {
    let program = with_orders();
    let timeouts = "redisson_delay_queue_timeout:{orders}";
    program.server.cmd(&["ZADD", timeouts, "5", "no frame"]);
    let entries = printed(&program, &["entries", "orders", "--raw"]);
    assert_eq!(
        printed(&program, &["search", "orders", "1970", "--raw"]),
        [Value::Null; 0]
    );
    entries
}

fn doctor() -> Vec<Value> {
    let program = sick();
    let server = &program.server;
    server.put(&Queue::redisson(ODD), &frame(1, b"x"), "5");
    let once = printed(&program, &["doctor", "--for", "300ms"]);
    [
        once,
        printed(&program, &["doctor", "--watch", "--for", "1200ms"]),
        printed_without_a_node(&["doctor", "--for", "300ms"]),
    ]
    .concat()
}

/// A report of a queue that expires, with a late entry whose client comes while it looks.
fn report() -> Vec<Value> {
    let program = sick();
    let server = &program.server;
    let late = server.now().plus(-60_000).get().to_string();
    let orders = Queue::redisson("orders");
    server.put(&orders, &double_frame(5.0, b"another"), &late);
    program
        .run(&["delete", "orders", "--grep", "another", "--yes"])
        .done();
    let timeouts = "redisson_delay_queue_timeout:{orders}";
    server.cmd(&["PEXPIRE", timeouts, "3600000"]);
    server.cmd(&["CONFIG", "RESETSTAT"]);
    let report = program.begin(&["report", "orders", "--for", "8s", "--json"]);
    let pulses = || {
        let stats = format!("{:?}", server.cmd(&["INFO", "commandstats"]));
        let calls = stats.split("cmdstat_zcard:calls=").nth(1);
        let calls = calls.and_then(|rest| rest.split(',').next());
        calls.map_or(0, |calls| calls.parse::<u64>().unwrap_or(0))
    };
    // What was seen for three seconds is told when it has gone.
    wait_for("the rules to have looked", || pulses() >= 13);
    let mut connection = server.connection();
    let mut client = connection.as_pubsub();
    let channel = "redisson_delay_queue_channel:{orders}";
    client.subscribe(channel).unwrap_or_else(|e| panic!("{e}"));
    report.ended().done().json()
}

fn traffic() -> Vec<Value> {
    let program = Program::start();
    let server = &program.server;
    let odd = odd();
    let traffic = program.begin(&["traffic", &odd[0], &odd[1], "--count", "4", "--json"]);
    wait_for("the subscription", || {
        server.int(&["PUBSUB", "NUMPAT"]) == 1
    });
    let channel = Queue::redisson(ODD).keys().channel.unwrap_or_default();
    for message in [&b"1700000000123"[..], b"0", b"text", &[b'x'; 2_000]] {
        server.cmd_bytes(&[b"PUBLISH", &channel, message]);
    }
    traffic.ended().done().json()
}

fn decode() -> Vec<Value> {
    let monitor = r#"1763794800.1 [0 127.0.0.1:6] "RPUSH" "q" "\x04\x00" "plain""#;
    let words: [&[&str]; 4] = [
        &["decode", "plain", "--raw"],
        &["decode", monitor],
        &["decode", "--as", "hex", "no digits", "--raw"],
        &["decode", "--list"],
    ];
    let said = words.map(|words| local(&[words, &["--json"]].concat()).json());
    said.concat()
}

fn a_change() -> Vec<Value> {
    let program = with_orders();
    let dry = ["requeue", "orders", "--late", "--in", "1h", "--dry-run"];
    let changes: [&[&str]; 4] = [
        &dry,
        &["delete", "orders", "--late", "--yes"],
        &["kick", "orders"],
        &["undo", "--yes"],
    ];
    let mut all = changes.map(|words| printed(&program, words)).concat();
    let offer = ["offer", "x", "--in", "1h", "--form", "byte-id"];
    all.extend(printed_of_odd(&program, &offer));
    all
}

fn one_entry_of_a_change() -> Vec<Value> {
    let delete = ["delete", "orders", "--all", "--yes", "--each"];
    let mut lines = printed(&with_orders(), &delete);
    lines.pop();
    lines
}

fn worker() -> Vec<Value> {
    let program = Program::start();
    let server = &program.server;
    let queue = Queue::redisson(ODD);
    server.put(
        &queue,
        &frame(1, b"x"),
        &server.now().plus(1_500).get().to_string(),
    );
    printed_of_odd(&program, &["worker", "--until-empty", "--yes"])
}

fn consume() -> Vec<Value> {
    let program = Program::start();
    let target = Queue::redisson(ODD).keys().target;
    program
        .server
        .cmd_bytes(&[b"RPUSH", &target, b"text", b"\xff\xfe"]);
    printed_of_odd(&program, &["consume", "--count", "2", "--yes"])
}

/// A server whose journal has changes of two queues, one of them taken back.
fn changed() -> Program {
    let program = with_orders();
    program.run(&["delete", "orders", "--late", "--yes"]).done();
    program.run(&["undo", "--yes"]).done();
    program
        .server
        .put(&Queue::redisson(ODD), &frame(1, b"x"), "5");
    printed_of_odd(&program, &["delete", "--all", "--yes"]);
    program
}

fn journal() -> Vec<Value> {
    printed(&changed(), &["journal"])
}

fn an_entry_in_the_journal() -> Vec<Value> {
    let program = changed();
    let changes = printed(&program, &["journal"]);
    let ids = changes
        .iter()
        .filter_map(|change| change["journal_id"].as_str());
    let entries = ids.flat_map(|id| printed(&program, &["journal", id, "--raw"]).split_off(1));
    entries.collect()
}

fn journal_purge() -> Vec<Value> {
    printed(&changed(), &["journal", "purge", "--yes"])
}

/// A slot that is half moved, and a replica that is down.
fn nodes() -> Vec<Value> {
    let mut cluster = Cluster::start();
    cluster.begin_move(5, 0, 1);
    cluster.nodes[MASTERS].kill();
    let home = room();
    let url = cluster.url(0);
    let run = || said(bare(home.path()).args(["-u", &url, "nodes", "--json"])).done();
    run().json()
}

fn acl() -> Vec<Value> {
    local(&["acl", "--json"]).done().json()
}

/// A demo on a server that takes no more writes after a while.
fn demo() -> Vec<Value> {
    let program = Program::start();
    let words = [
        "demo",
        "--scenario",
        "orders,poison",
        "--prefix",
        "a:",
        "--json",
    ];
    let mut demo = program.begin(&words);
    let mut all = Vec::new();
    let end = delayscope::clock::instant() + PATIENCE;
    let mut until = |event: &str| {
        while !all.iter().any(|line: &Value| line["event"] == event) {
            assert!(delayscope::clock::instant() < end, "no {event}: {all:?}");
            all.push(demo.next_json());
        }
    };
    for event in ["started", "note", "offered", "consumed"] {
        until(event);
    }
    program.server.cmd(&["CONFIG", "SET", "maxmemory", "1"]);
    until("trouble");
    program.server.cmd(&["CONFIG", "SET", "maxmemory", "0"]);
    demo.signal("INT");
    demo.ended();
    all
}

/// What `trace` prints of a transfer that fails, and of one that two clients run.
fn traced(by: &str) -> Vec<Value> {
    const LOG: &str = r#"
1700000000.000000 [0 10.0.0.1:5] "EVAL" "offer" "4" "o\xff"
1700000000.000001 [0 lua] "zadd" "redisson_delay_queue_timeout:{o\xff}" "1700000000500" "\b12345678\x05\x00\x00\x00\x00\x00\x00\x00hello"
1700000000.000002 [0 lua] "publish" "redisson_delay_queue_channel:{o\xff}" "1700000000500"
1700000000.600000 [0 10.0.0.1:5] "EVAL" "zrangebyscore struct.unpack" "3" "o\xff"
1700000000.600001 [0 lua] "zrangebyscore" "redisson_delay_queue_timeout:{o\xff}" "0" "1700000000600" "limit" "0" "100"
1700000000.600002 [0 lua] "rpush" "o\xff" "hello"
1700000000.600003 [0 lua] "lrem" "redisson_delay_queue:{o\xff}" "1" "\b12345678\x05\x00\x00\x00\x00\x00\x00\x00hello"
1700000000.700000 [0 10.0.0.2:5] "LPOP" "o\xff"
1700000005.600000 [0 10.0.0.1:5] "EVAL" "zrangebyscore struct.unpack" "3" "o\xff"
1700000005.600001 [0 lua] "zrangebyscore" "redisson_delay_queue_timeout:{o\xff}" "0" "1700000005600" "limit" "0" "100"
1700000005.600002 [0 lua] "rpush" "o\xff" "hello"
1700000005.600003 [0 lua] "lrem" "redisson_delay_queue:{o\xff}" "1" "\b12345678\x05\x00\x00\x00\x00\x00\x00\x00hello"
1700000005.600004 [0 lua] "zrem" "redisson_delay_queue_timeout:{o\xff}" "\b12345678\x05\x00\x00\x00\x00\x00\x00\x00hello"
1700000005.600005 [0 lua] "zrange" "redisson_delay_queue_timeout:{o\xff}" "0" "0" "WITHSCORES"
1700000005.602000 [0 10.0.0.3:5] "EVAL" "zrangebyscore struct.unpack" "3" "o\xff"
1700000005.602001 [0 lua] "zrangebyscore" "redisson_delay_queue_timeout:{o\xff}" "0" "1700000005602" "limit" "0" "100"
1700000005.602002 [0 lua] "zrange" "redisson_delay_queue_timeout:{o\xff}" "0" "0" "WITHSCORES"
"#;
    let args = ["trace", "--from", "-", "--by", by, "--json", "--raw"];
    local_with_input(&args, LOG.as_bytes()).done().json()
}

/// What it prints of logs as they come: with the names of connections, with whole seconds, broken by
/// a terminal, with a record that is too long, and of the first messages only.
fn traced_otherwise(by: &str) -> Vec<Value> {
    let offer = |n: u32, at: &str| {
        format!(
            "{at} [0 10.0.0.1:5] \"ZADD\" \"redisson_delay_queue_timeout:{{o}}\" \"1700000000500\" \
             \"\\b1234567{n}\\x05\\x00\\x00\\x00\\x00\\x00\\x00\\x00hello\"\n"
        )
    };
    let mut log = "1700000000.1 [0 10.0.0.1:5] \"CLIENT\" \"SETNAME\" \"mail-1\"\n".to_owned();
    log += "1700000000.1 [0 10.0.0.1:5] \"CLIENT\" \"SETINFO\" \"LIB-NAME\" \"redisson\"\n";
    log += &offer(1, "1700000000.2");
    log += &offer(2, "1700000000.3").replacen(" [0 10", " [0\n 10", 1);
    log += "1700000000.35 [0 10.0.0.1:5] \"EVAL\" \"edit\" \"1\" \"o\"\n";
    log += &offer(3, "1700000000.35").replacen("10.0.0.1:5", "lua", 1);
    log += &offer(1, "1700000000.35")
        .replacen("10.0.0.1:5", "lua", 1)
        .replacen("ZADD", "ZREM", 1)
        .replacen("\"1700000000500\" ", "", 1);
    log += "1700000000.4 [0 10.0.0.1:5] \"SET\" \"";
    log += &"x".repeat(9_000_000);
    log += "\"\n1700000009.0 [0 10.0.0.1:5] \"PING\"\n";
    let home = room();
    let path = home.path().join("log");
    std::fs::write(&path, &log).unwrap();
    let member = b"\x0812345678\x05\0\0\0\0\0\0\0hello";
    let mut aof =
        b"#TS:1700000000\r\n*4\r\n$4\r\nZADD\r\n$32\r\nredisson_delay_queue_timeout:{o}\r\n\
                    $13\r\n1700000000500\r\n$22\r\n"
            .to_vec();
    aof.extend(member);
    aof.extend(b"\r\n");
    let traced = |input: &[u8], more: &[&str]| {
        let args = ["trace", "--from", "-", "--by", by, "--json"];
        local_with_input(&[&args, more].concat(), input)
            .done()
            .json()
    };
    let file = path.to_str().unwrap();
    let limited = [
        "trace", "--from", file, "--by", by, "--json", "--limit", "1",
    ];
    [
        traced(log.as_bytes(), &[]),
        traced(log.as_bytes(), &["--limit", "1"]),
        traced(&aof, &[]),
        local(&limited).done().json(),
    ]
    .concat()
}

/// Those of them that are the last line of a trace, or are not.
fn traced_at_the_end(by: &str, at_the_end: bool) -> Vec<Value> {
    let lines = traced_otherwise(by).into_iter();
    lines
        .filter(|line| (line["event"] == "summary") == at_the_end)
        .collect()
}

fn trace() -> Vec<Value> {
    let mut events = traced("event");
    events.pop();
    let words: Vec<_> = events.iter().map(|event| event["event"].clone()).collect();
    let once = ["offered", "announced", "transferred", "failed", "consumed"];
    assert_eq!(words, [&once[..], &["transferred", "in-vain"]].concat());
    events.extend(traced_at_the_end("event", false));
    events
}

fn a_life() -> Vec<Value> {
    let mut lives = traced("message");
    lives.pop();
    lives.extend(traced_at_the_end("message", false));
    lives
}

/// The figures of two clients of one socket, whose clocks are not the same.
fn two_clocks() -> Value {
    let mut log = String::new();
    for (second, ahead) in (1_700_000_000_u64..1_700_000_006).zip([0, 2].into_iter().cycle()) {
        let now = (second + ahead) * 1_000;
        for (by, words) in [
            (
                "unix:/s",
                "\"EVAL\" \"zrangebyscore struct.unpack\" \"3\" \"o\"".to_owned(),
            ),
            (
                "lua",
                format!(
                    "\"zrangebyscore\" \"redisson_delay_queue_timeout:{{o}}\" \"0\" \"{now}\" \
                     \"limit\" \"0\" \"100\""
                ),
            ),
            (
                "lua",
                "\"zrange\" \"redisson_delay_queue_timeout:{o}\" \"0\" \"0\" \"WITHSCORES\""
                    .to_owned(),
            ),
        ] {
            let line = format!("{second}.0 [0 {by}] {words}\n");
            log += &line;
        }
    }
    log += "1700000006.0 [0 unix:/s] \"ZADD\" \"redisson_delay_queue_timeout:{o}\" \"1700000000500\" \"x\"\n";
    let told = local_with_input(&["trace", "--from", "-", "--json"], log.as_bytes());
    let summary = told.done().json().pop().unwrap();
    assert_eq!(
        summary["clients"][0]["clocks_ms"],
        json!([2_000, 0]),
        "{summary}"
    );
    summary
}

/// The figures of an append-only file whose first part is damaged.
fn damaged_amid() -> Value {
    let home = room();
    let command =
        "*4\r\n$4\r\nZADD\r\n$32\r\nredisson_delay_queue_timeout:{o}\r\n$1\r\n5\r\n$1\r\nx\r\n";
    let put = |name: &str, text: &str| std::fs::write(home.path().join(name), text).unwrap();
    put(
        "a.manifest",
        "file a.1 seq 1 type i\nfile a.2 seq 2 type i\n",
    );
    put("a.1", &format!("{command}garbage\r\n"));
    put("a.2", command);
    let from = ["trace", "--json", "--from", home.path().to_str().unwrap()];
    local(&from).done().json().pop().unwrap()
}

fn a_trace_in_figures() -> Vec<Value> {
    let live = ["trace", "--for", "100ms", "--json"];
    let live = Program::start().run(&live).partly().json();
    let [events, lives] = ["event", "message"].map(|by| traced_at_the_end(by, true));
    let mut many = String::new();
    for n in 0..5_000 {
        let key = format!("redisson_delay_queue_timeout:{{o-{n}}}");
        let offer =
            format!("1700000000.1 [0 10.0.0.1:5] \"ZADD\" \"{key}\" \"1700000000500\" \"x\"\n");
        many += &offer;
    }
    let many = local_with_input(&["trace", "--from", "-", "--json"], many.as_bytes());
    let many = many.done().json().pop().unwrap();
    [
        traced("message").split_off(1),
        live,
        events,
        lives,
        vec![many, two_clocks(), damaged_amid()],
    ]
    .concat()
}

/// What `trace --probe` prints: of one that is taken, of one that is not, and of nothing else.
fn probed() -> Vec<Value> {
    let program = Program::start();
    program.server.cmd(&["RPUSH", "waits", "x"]);
    let args = ["trace", "--probe", "1", "--form", "byte-id", "--in", "0ms"];
    let more = ["--timeout", "0ms", "--yes", "--json"];
    let said = |queue: &[&str]| program.run(&[&args, queue, &more].concat()).partly().json();
    let odd = hex::encode(ODD);
    [said(&["waits"]), said(&["--queue-hex", &odd])].concat()
}

fn a_probe() -> Vec<Value> {
    probed()
        .into_iter()
        .filter(|line| line["event"] == "probe")
        .collect()
}

fn probes_in_figures() -> Vec<Value> {
    let summaries = probed().into_iter();
    summaries
        .filter(|line| line["event"] == "summary")
        .collect()
}

macro_rules! held {
    ($($claim:ident: $section:literal is $scene:ident;)*) => {
        $(#[test]
        fn $claim() {
            let printed = $scene();
            let wrong = complaints(PAGE, $section, &printed);
            assert!(wrong.is_empty(), "{}: {wrong:#?}\n{printed:#?}", $section);
        })*

        /// The sections that are held to the program.
        const HELD: &[&str] = &[$($section),*];
    };
}

held! {
    the_page_tells_what_watch_prints: "A queue" is a_queue;
    the_page_tells_what_queues_prints: "queues" is queues;
    the_page_tells_what_show_prints: "show" is show;
    the_page_tells_what_entries_prints: "An entry" is an_entry;
    the_page_tells_what_doctor_prints: "doctor" is doctor;
    the_page_tells_what_report_prints: "report" is report;
    the_page_tells_what_traffic_prints: "traffic" is traffic;
    the_page_tells_what_nodes_prints: "nodes" is nodes;
    the_page_tells_what_decode_prints: "decode" is decode;
    the_page_tells_what_trace_prints: "trace" is trace;
    the_page_tells_what_trace_prints_of_a_message: "A life" is a_life;
    the_page_tells_what_trace_prints_at_the_end: "A trace in figures" is a_trace_in_figures;
    the_page_tells_what_trace_prints_of_a_test_message: "A probe" is a_probe;
    the_page_tells_what_trace_prints_behind_test_messages: "Probes in figures" is probes_in_figures;
    the_page_tells_what_changes_print: "A change" is a_change;
    the_page_tells_what_changes_print_of_each_entry: "One entry of a change" is one_entry_of_a_change;
    the_page_tells_what_worker_prints: "worker" is worker;
    the_page_tells_what_consume_prints: "consume" is consume;
    the_page_tells_what_journal_prints: "journal" is journal;
    the_page_tells_what_journal_prints_of_an_entry: "An entry in the journal" is an_entry_in_the_journal;
    the_page_tells_what_journal_purge_prints: "journal purge" is journal_purge;
    the_page_tells_what_acl_prints: "acl" is acl;
    the_page_tells_what_demo_prints: "demo" is demo;
}

#[test]
fn every_section_of_the_page_is_held_to_the_program_and_every_command_has_one() {
    let sections = PAGE.lines().filter_map(|line| line.strip_prefix("## "));
    assert_eq!(sections.collect::<Vec<_>>(), HELD);
    let help = local(&["--help"]).done().out;
    assert!(help.contains("assets/docs/json.md"), "{help}");
    let commands = help.lines().skip_while(|line| *line != "Look:");
    let commands = commands.take_while(|line| *line != "Options:");
    let commands: Vec<&str> = commands
        .filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next())
        .collect();
    assert!(commands.len() > 20, "{commands:?}");
    let is_told = |command: &&str| {
        *command == "help" || HELD.contains(command) || PAGE.contains(&format!("`{command}`"))
    };
    let untold: Vec<_> = commands
        .into_iter()
        .filter(|command| !is_told(command))
        .collect();
    assert!(untold.is_empty(), "{untold:?}");
}

// --- The figures of findings ----------------------------------------------------------------------

/// What evidence may have beside the figures of its rule.
const OF_ALL: [&str; 6] = [
    "words",
    "commands",
    "due_ms",
    "exact",
    "looked_at",
    "examined_ms",
];

/// What is wrong with what the page says of the evidence of a finding, as `doctor` prints it.
pub(crate) fn evidence(finding: &Value) -> Vec<String> {
    let id = finding["id"].as_str().unwrap_or_default();
    let table = rows(PAGE, "doctor", "| id |");
    let Some(row) = table.iter().find(|row| row[0].trim_matches('`') == id) else {
        return vec![format!("the page has no figures of {id}")];
    };
    // Its figures are named by keys.
    if !row[1].starts_with('`') {
        return Vec::new();
    }
    let told: Vec<&str> = row[1]
        .split(", ")
        .map(|name| name.trim_matches('`'))
        .collect();
    let names = finding["evidence"]
        .as_object()
        .into_iter()
        .flat_map(Map::keys);
    // What is the server's is a node's in a cluster.
    let of_node = |name: &str| name == "node" && finding["of_server"] == true;
    let is_told = |name: &str| told.contains(&name) || OF_ALL.contains(&name) || of_node(name);
    let untold = names.filter(|name| !is_told(name));
    untold
        .map(|name| format!("the page lacks {name} of {id}"))
        .collect()
}

#[test]
fn the_page_tells_the_figures_of_every_rule() {
    let table = rows(PAGE, "doctor", "| id |");
    let told: Vec<&str> = table.iter().map(|row| row[0].trim_matches('`')).collect();
    let rules: Vec<&str> = RULES.iter().map(|rule| rule.id).collect();
    assert_eq!(told, rules);
    let sick = json!({"id": "drift", "evidence": {"waiting": 1, "words": [], "moon": "full"}});
    assert_eq!(evidence(&sick), ["the page lacks moon of drift"]);
}
