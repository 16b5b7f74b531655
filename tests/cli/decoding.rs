//! `decode`, which needs no server.

use serde_json::{Value, json};

use crate::program::{local, local_with_input, names};

const GOLDEN: &str = include_str!("../fixtures/redisson-golden.tsv");

#[test]
fn a_frame_is_taken_apart() {
    let frame = "08a1b2c3d4e5f60718050000000000000068656c6c6f";
    let said = local(&["decode", frame, "--json", "--raw"]).done();
    assert_eq!(
        said.json(),
        [json!({
            "form": "byte-id", "id": "a1b2c3d4e5f60718", "codec": "text", "value": "hello",
            "text": "hello", "error": null, "payload_hex": "68656c6c6f"
        })]
    );
    let plain = local(&["decode", frame]).done().out;
    assert!(plain.contains("id      a1b2c3d4e5f60718\n"), "{plain}");
    assert!(plain.contains("text    hello\n"), "{plain}");
    assert!(
        plain.contains("why     plain UTF-8 text (exact)\n"),
        "{plain}"
    );
    let packed = local(&["decode", "00000006600368656c6cef"]).done().out;
    assert!(packed.contains("codec   lz4\n"), "{packed}");
    assert!(packed.contains(", around kryo5 (exact)\n"), "{packed}");
}

#[test]
fn every_golden_frame_gives_its_payload_back() {
    let rows: Vec<Vec<&str>> = GOLDEN
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split('\t').collect())
        .collect();
    let frames: Vec<&str> = rows.iter().map(|row| row[4]).collect();
    let frames = frames.join("\n");
    let args = ["decode", "-", "--as", "hex", "--json", "--raw"];
    let decoded = local_with_input(&args, frames.as_bytes()).done().json();
    assert_eq!(decoded.len(), rows.len());
    for (row, decoded) in rows.iter().zip(&decoded) {
        let old = row[0] < "3.21.1";
        let form = if old { "double-id" } else { "byte-id" };
        assert_eq!(decoded["form"], form, "{row:?}");
        assert_eq!(decoded["payload_hex"], row[5], "{row:?}");
        assert_eq!(decoded["error"], Value::Null);
        if ["kryo5", "marshalling", "serialization"].contains(&row[1]) && row[2].starts_with("str")
        {
            let value: Value = serde_json::from_str(row[3]).unwrap();
            assert_eq!(decoded["value"], value, "{row:?}");
        }
    }
}

#[test]
fn bytes_may_be_written_in_five_ways() {
    let cases = [
        ("hex", "68690a"),
        ("base64", "aGkK"),
        ("escaped", "\"hi\\n\""),
        ("escaped", "h\\x69\\x0a"),
        ("auto", "hi\\n"),
        ("auto", "2) \"hi\\n\""),
    ];
    for (encoding, text) in cases {
        let said = local(&["decode", text, "--as", encoding, "--json", "--raw"]).done();
        assert_eq!(said.json()[0]["payload_hex"], "68690a", "{encoding} {text}");
    }
    let said = local(&["decode", "hi\\n", "--as", "text", "--json", "--raw"]).done();
    assert_eq!(said.json()[0]["payload_hex"], "68695c6e");
}

#[test]
fn each_line_has_its_answer_also_those_that_are_wrong() {
    let said = local_with_input(&["decode", "-", "--as", "hex", "--json"], b"6869\nxx\n\n");
    let lines = said.partly().json();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0]["text"], "hi");
    assert_eq!(lines[1]["codec"], Value::Null);
    assert!(lines[1]["error"].as_str().unwrap().starts_with("not hex"));
    assert_eq!(lines[2]["text"], "");
    assert_eq!(names(&lines[0]), names(&lines[1]));
}

#[test]
fn lines_may_come_from_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("lines");
    std::fs::write(&path, "plain\n{\"a\":1}\n").unwrap();
    let said = local(&["decode", "--file", path.to_str().unwrap(), "--json"]).done();
    assert_eq!(said.json()[0]["text"], "plain");
    assert_eq!(said.json()[1]["value"], json!({"a": 1}));
}

#[test]
fn the_codecs_are_listed_by_name() {
    let list = local(&["decode", "--list"]).done().out;
    for name in [
        "text",
        "json",
        "typed-json",
        "kryo5",
        "marshalling",
        "serialization",
        "unknown",
    ] {
        assert!(list.lines().any(|line| line == name), "{name}: {list}");
    }
    let first = &local(&["decode", "--list", "--json"]).done().json()[0];
    assert_eq!(*first, json!({"codec": "text"}));
}

/// An offer as MONITOR prints it: the client's script, and what that sends.
const MONITOR: &str = r#"OK
1763794800.123456 [0 127.0.0.1:5] "EVAL" "return 1" "2" "k" "q" "1763794805123" "{\"@class\":\"com.acme.Order\",\"id\":1}"
1763794800.123457 [0 lua] "zadd" "redisson_delay_queue_timeout:{q}" "1763794805123" "\b\xa1\xb2\xc3\xd4\xe5\xf6\a\x18\x05\x00\x00\x00\x00\x00\x00\x00hello"
1763794801.000001 [0 127.0.0.1:5] "PING"
1763794802.000001 [0 127.0.0.1:6] "RPUSH" "q" "\x04\x00" "plain"
"#;

#[test]
fn the_lines_of_monitor_say_what_was_sent_and_where_it_stood() {
    let lines = local_with_input(&["decode", "-", "--json"], MONITOR.as_bytes());
    let lines = lines.done().json();
    let said: Vec<_> = lines
        .iter()
        .map(|line| (&line["command"], &line["argument"], &line["text"]))
        .collect();
    let (eval, zadd, rpush) = (json!("EVAL"), json!("zadd"), json!("RPUSH"));
    let at = [json!(2), json!(3), json!(6)];
    let [order, hello, plain] =
        [r#"{"@class":"com.acme.Order","id":1}"#, "hello", "plain"].map(Value::from);
    assert_eq!(said[1], (&eval, &at[2], &order));
    assert_eq!(said[2], (&zadd, &at[1], &hello));
    assert_eq!((said[3].0, said[3].1), (&rpush, &at[0]));
    assert_eq!(said[4], (&rpush, &at[1], &plain));
    assert_eq!((said.len(), lines[0]["text"].as_str()), (5, Some("OK")));
    assert_eq!(lines[2]["id"], "a1b2c3d4e5f60718");
    // One line is told as one payload is, and says so when there is none in it.
    let line = MONITOR.lines().nth(2).unwrap();
    let one = local(&["decode", line]).done().out;
    assert!(
        one.starts_with("from    zadd, argument 3\nid      a1b2c3d4e5f60718\n"),
        "{one}"
    );
    let ping = local(&["decode", MONITOR.lines().nth(3).unwrap()])
        .partly()
        .out;
    assert!(ping.contains("no argument of PING looks like"), "{ping}");
    let table = local_with_input(&["decode", "-"], MONITOR.as_bytes())
        .done()
        .out;
    assert!(table.contains("RPUSH[3] plain"), "{table}");
}

#[test]
fn several_lines_of_redis_cli_may_be_one_argument() {
    let list = "1) \"\\x03hell\\xef\"\n2) \"17\"";
    let said = local(&["decode", list, "--json"]).done().json();
    assert_eq!(
        (&said[0]["text"], &said[1]["text"]),
        (&json!("hello"), &json!("17"))
    );
    // Any other text of several lines is one payload.
    let text = local(&["decode", "1) buy milk\n2) sleep", "--json"])
        .done()
        .json();
    assert_eq!(text[0]["text"], "1) buy milk\\n2) sleep");
}
