//! `offer`: what a message becomes beside the queue's other entries.

use crate::changing::with_orders;

#[test]
fn an_offer_is_of_the_type_of_all_other_entries() {
    let program = with_orders();
    let offer = |queue: &str, more: &[&str]| {
        let args = ["offer", queue, "--form", "byte-id", "--in", "1h", "--json"];
        program.run(&[&args[..], more].concat())
    };
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
    offer("orders-typed", &["abc"]).failed("all entries here are objects; --codec json offers");
    offer("orders-typed", &["7"]).failed("this is a number, and it holds an object");
    offer("orders-typed", &["--codec", "json", "abc"]).done();
}
