//! What is said of a payload as JSON: nothing of it is lost, and nothing of it can be taken for a
//! mark of ours.

#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use allocation_counter::measure;
use delayscope::payload::{
    self, Codec, Effort, Habit, Name, Shape, TreeField, TreeNode, decode_as, whole,
};
use serde_json::{Value, json};

use super::fuzz::vectors;
use crate::rows::unhex;

/// `new HashMap<>(Map.of(1, "int", "1", "str"))`, as Java writes it.
const ALIKE: &str = "aced0005737200116a6176612e7574696c2e486173684d61700507dac1c31660d103000246000a6c6f616446\
    6163746f724900097468726573686f6c6478703f4000000000000377080000000400000002737200116a6176\
    612e6c616e672e496e746567657212e2a0a4f781873802000149000576616c7565787200106a6176612e6c61\
    6e672e4e756d62657286ac951d0b94e08b020000787000000001740003696e747400013174000373747278";

fn said(codec: Codec, payload: &[u8]) -> Value {
    decode_as(codec, payload).unwrap().value
}

#[test]
fn keys_that_print_alike_are_both_said() {
    let alike = unhex(ALIKE);
    let both = json!({"@entries": [[1, "int"], ["1", "str"]]});
    assert_eq!(said(Codec::Serialization, &alike), both);
    for word in ["str", "int"] {
        assert!(whole(&alike).1.contains(word), "{word}");
    }
    let twice = json!({"@entries": [["a", 1], ["a", 2]]});
    assert_eq!(said(Codec::MsgPack, b"\x82\xa1a\x01\xa1a\x02"), twice);
    assert_eq!(said(Codec::Cbor, b"\xa2\x61a\x01\x61a\x02"), twice);
    assert_eq!(said(Codec::TypedJson, br#"{"a":1,"a":2}"#), twice);
    assert_eq!(payload::decode(br#"{"a":1,"a":2}"#).text, twice.to_string());
    // A text and a number whose texts differ are keys as they ever were.
    assert_eq!(
        said(Codec::MsgPack, b"\x82\xa1a\x01\x07\x02"),
        json!({"a": 1, "7": 2})
    );
}

#[test]
fn an_object_with_a_field_twice_keeps_its_class() {
    let typed = br#"{"@class":"com.acme.Order","id":1,"id":2}"#;
    let both = json!({"@class": "com.acme.Order", "@entries": [["id", 1], ["id", 2]]});
    assert_eq!(said(Codec::Json, typed), both);
}

#[test]
fn a_key_of_the_data_is_never_taken_for_a_mark() {
    // {"bytes": "00ff"} as a text, and the bytes 00 ff.
    assert_eq!(
        said(Codec::MsgPack, b"\x81\xa5bytes\xa400ff"),
        json!({"@bytes": "00ff"})
    );
    assert_eq!(
        said(Codec::MsgPack, b"\xc4\x02\x00\xff"),
        json!({"bytes": "00ff"})
    );
    assert_eq!(
        said(Codec::MsgPack, b"\x81\xa6@bytes\xa1x"),
        json!({"@@bytes": "x"})
    );
    // Beside other keys, or of a number, it is no mark.
    assert_eq!(
        said(Codec::MsgPack, b"\x81\xa5bytes\x07"),
        json!({"bytes": 7})
    );
    for (key, said_key) in [
        ("@fields", "@@fields"),
        ("@@same", "@@@same"),
        ("@entries", "@@entries"),
        ("@id", "@id"),
        ("class", "class"),
    ] {
        let length = u8::try_from(key.len()).unwrap();
        let map = [&[0x81, 0xa0 | length], key.as_bytes(), &[7]].concat();
        assert_eq!(said(Codec::MsgPack, &map), json!({said_key: 7}), "{key}");
    }
    // JSON has no bytes: there it is as it was written.
    assert_eq!(
        said(Codec::TypedJson, br#"{"bytes":"00ff"}"#),
        json!({"bytes": "00ff"})
    );
}

#[test]
fn what_jackson_wrapped_with_its_type_is_said_without_it_and_the_tree_tells_the_type() {
    for (typed, value) in [
        (r#"["java.lang.Long",2]"#, json!(2)),
        (r#"["java.math.BigDecimal",1.5]"#, json!(1.5)),
        (
            r#"["java.util.ArrayList",["a",["java.lang.Long",5]]]"#,
            json!(["a", 5]),
        ),
        (
            r#"["java.util.Date",1700000000123]"#,
            json!("2023-11-14T22:13:20.123Z"),
        ),
        (
            r#"{"@class":"java.util.HashMap","n":["java.lang.Long",7]}"#,
            json!({"n": 7}),
        ),
        (
            r#"{"@class":"com.acme.Order","at":["java.util.Date",0]}"#,
            json!({"@class": "com.acme.Order", "at": "1970-01-01T00:00:00.000Z"}),
        ),
    ] {
        assert_eq!(payload::decode(typed.as_bytes()).value, value, "{typed}");
    }
    let tree = payload::read(br#"["java.lang.Long",2]"#, None)
        .unwrap()
        .tree;
    assert_eq!(tree.class.as_deref(), Some("java.lang.Long"));
}

#[test]
fn what_only_looks_like_a_wrapper_loses_nothing() {
    for list in [
        r#"["www.example.com","b.example.com"]"#,
        r#"["com.acme.State","NEW"]"#,
        r#"["file.txt",["x.txt",1]]"#,
    ] {
        let value: Value = serde_json::from_str(list).unwrap();
        assert_eq!(payload::decode(list.as_bytes()).value, value);
    }
    let twice = r#"["com.acme.Box",{"@class":"com.acme.Order","id":1}]"#;
    let text = payload::decode(twice.as_bytes()).text;
    assert!(text.contains("Box") && text.contains("Order"), "{text}");
}

#[test]
fn an_object_whose_class_is_in_no_package_is_ions() {
    for ion in [
        "Order::{id:42,at:'java.util.Date'::0}",
        "'Order'::{id:42,at:'java.util.Date'::0}",
    ] {
        let read = payload::decode(ion.as_bytes());
        let order = json!({"@class": "Order", "id": 42, "at": "1970-01-01T00:00:00.000Z"});
        assert_eq!((read.codec, read.value), (Codec::Ion, order), "{ion}");
    }
    for text in ["std::{a,b}", "Order::new()", "a b::{c:1}", "Order:: {id}"] {
        assert_eq!(
            payload::decode(text.as_bytes()).codec,
            Codec::Text,
            "{text}"
        );
    }
}

#[test]
fn a_long_name_for_which_there_is_no_room_is_not_copied_again_and_again() {
    let name: Name = "n".repeat(60_000).into();
    let object = || {
        let node = TreeNode::new(Shape::Null);
        let name = name.clone();
        TreeNode::new(Shape::Object(vec![TreeField { name, node }]))
    };
    let list = TreeNode::new(Shape::List((0..2_000).map(|_| object()).collect()));
    let memory = measure(|| drop(list.json()));
    assert!(memory.bytes_total < 16 << 20, "{memory:?}");
}

#[test]
fn what_is_read_with_little_effort_says_what_it_says_with_all_or_is_not_read() {
    let habits = [None, Some(Codec::Kryo), Some(Codec::Snappy)].map(Habit::of);
    let little = Effort::of(2_000, 1 << 10);
    let (mut effort, mut read) = (little, 0);
    for (payload, habit) in vectors().iter().zip(habits.into_iter().cycle()).step_by(5) {
        let before = effort.left();
        if let Some(decoded) = habit.decode_within(payload, &mut effort) {
            assert!(decoded == habit.decode(payload), "{payload:02x?}");
            read += 1;
        }
        assert!(effort.left() <= before);
        if effort.is_spent() {
            assert_eq!(habit.decode_within(payload, &mut effort), None);
            effort = little;
        }
    }
    assert!(read > 500, "{read}");
    let long = format!("[{}1]", "1,".repeat(20_000));
    let mut enough = Effort::of(30_000, 0);
    let mut habit = |payload: &str| Habit::default().decode_within(payload.as_bytes(), &mut enough);
    assert!(habit(&long).is_none());
    assert!(habit("[1,2]").is_some(), "others are still read");
}
