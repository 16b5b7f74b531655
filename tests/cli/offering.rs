//! `offer`: what a message becomes, beside the queue's other entries and alone.

use crate::changing::with_orders;
use crate::program::{Program, Said};

fn offer(program: &Program, queue: &str, more: &[&str]) -> Said {
    let args = ["offer", queue, "--form", "byte-id", "--in", "1h", "--json"];
    program.run(&[&args[..], more].concat())
}

#[test]
fn an_offer_is_of_the_type_of_all_other_entries() {
    let program = with_orders();
    let offer = |queue: &str, more: &[&str]| offer(&program, queue, more);
    offer("longs", &["--codec", "kryo5", r#"["java.lang.Long",1]"#]).done();
    offer("longs", &["2"]).done();
    let entries = program
        .run(&["entries", "longs", "--json", "--raw"])
        .done()
        .json();
    let mut payloads: Vec<_> = entries
        .iter()
        .filter_map(|e| e["payload_hex"].as_str())
        .collect();
    payloads.sort_unstable();
    assert_eq!(payloads, ["0902", "0904"]);
    offer("longs", &["abc"]).failed("--codec kryo5");
    offer("longs", &["--codec", "kryo5", "abc"]).done();

    let order = r#"{"@class":"com.acme.Order","id":1}"#;
    offer("orders-typed", &["--codec", "json", order]).done();
    offer("orders-typed", &[order]).done();
    offer("orders-typed", &["abc"]).failed(
        "\"abc\" is not JSON, and this queue holds JSON objects. Send JSON, or add --codec json",
    );
    offer("orders-typed", &["7"]).failed("this is a number, and it holds an object");
    offer("orders-typed", &["--codec", "json", "abc"]).done();
}

#[test]
fn an_offer_to_a_queue_without_entries_is_of_the_type_that_is_asked_for() {
    let program = with_orders();
    let offer = |queue: &str, more: &[&str]| offer(&program, queue, more);
    for (codec, kind, typed, payload) in [
        ("kryo5", "Long", "1", "0902"),
        ("serialization", "Date", "2023-11-14T22:13:20.123Z", ""),
        (
            "json",
            "long",
            "42",
            "5b226a6176612e6c616e672e4c6f6e67222c34325d",
        ),
        ("marshalling", "java.lang.Boolean", "true", ""),
    ] {
        offer(codec, &["--codec", codec, "--type", kind, typed]).done();
        let entries = program.run(&["entries", codec, "--json", "--raw"]).done();
        let entry = entries.json().remove(0);
        assert_eq!(entry["codec"], codec);
        let hex = entry["payload_hex"].as_str().unwrap();
        assert!(payload.is_empty() || hex == payload, "{codec} {hex}");
        let said = entry["value"].to_string();
        assert_eq!(said.trim_matches('"'), typed, "{codec}");
    }
    // The type is asked for: that of all others does not matter.
    offer("kryo5", &["--type", "Integer", "7"]).done();
    offer("kryo5", &["--type", "Long", "abc"]).failed("no value of `java.lang.Long`");
    offer("fresh", &["--type", "Date", "1000"]).failed("`text` writes no value of");
    offer("fresh", &["--type", "BigDecimal", "1"]).failed("Choose one of String");
    let key = "redisson_delay_queue_timeout:{fresh}";
    assert_eq!(program.server.int(&["EXISTS", key]), 0);
}
