//! What is written in the place of another payload stays of its type.

#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use delayscope::payload::{
    self, Codec, EncodeError, PayloadContent, encode, encode_as, encode_like, held, held_by_all,
};
use serde_json::{Value, json};

use crate::rows::{golden, rows, unhex};

/// The payload that `text` becomes in the place of another.
fn again(codec: Codec, before: &[u8], text: &str) -> Result<String, EncodeError> {
    let bytes = encode_like(codec, &held(codec, before), text)?;
    Ok(payload::spelled(codec, &bytes).unwrap())
}

#[test]
fn digits_in_the_place_of_a_long_are_a_long() {
    for codec in [Codec::Kryo5, Codec::Marshalling, Codec::Serialization] {
        for (before, typed, after) in [
            (
                r#"["java.lang.Long",42]"#,
                "123",
                r#"["java.lang.Long",123]"#,
            ),
            (
                r#"["java.lang.Integer",42]"#,
                " 7\n",
                r#"["java.lang.Integer",7]"#,
            ),
            (
                r#"["java.lang.Double",1.5]"#,
                "2",
                r#"["java.lang.Double",2.0]"#,
            ),
            (
                r#"["java.lang.Double",1.5]"#,
                "NaN",
                r#"["java.lang.Double","NaN"]"#,
            ),
            (
                r#"["java.lang.Boolean",true]"#,
                "false",
                r#"["java.lang.Boolean",false]"#,
            ),
            (
                r#"["java.lang.Character","x"]"#,
                "5",
                r#"["java.lang.Character","5"]"#,
            ),
            (
                r#"["java.util.Date",0]"#,
                "2023-11-14T22:13:20.123Z",
                r#"["java.util.Date","2023-11-14T22:13:20.123Z"]"#,
            ),
            // A class that is said is meant, and a string stays one whatever it looks like.
            (
                r#"["java.lang.Long",42]"#,
                r#"["java.lang.Integer",1]"#,
                r#"["java.lang.Integer",1]"#,
            ),
            (
                r#"["java.lang.Long",42]"#,
                r#"["java.lang.String","x"]"#,
                "x",
            ),
            ("hello", "123", "123"),
        ] {
            let before = encode(codec, before).unwrap();
            assert_eq!(
                again(codec, &before, typed),
                Ok(after.to_owned()),
                "{codec} {typed}"
            );
        }
    }
}

#[test]
fn what_is_not_of_the_type_is_refused_and_said() {
    let long = encode(Codec::Kryo5, r#"["java.lang.Long",42]"#).unwrap();
    for typed in ["abc", "1.5", "", "9223372036854775808"] {
        let why = again(Codec::Kryo5, &long, typed).unwrap_err();
        assert!(why.to_string().contains("java.lang.Long"), "{typed}: {why}");
    }
    let order = golden();
    let order = order
        .iter()
        .find(|row| row.codec == "kryo5" && row.name == "pojo_order")
        .unwrap();
    let why = again(Codec::Kryo5, &order.payload, "cancelled").unwrap_err();
    assert!(why.to_string().contains("com.acme.Order"), "{why}");
    assert!(again(Codec::Kryo5, &order.payload, r#"["java.lang.String","x"]"#).is_ok());
    for (before, typed) in [
        (r#"{"id":1}"#, "hello"),
        (r#"{"id":1}"#, "1"),
        (r#""hello""#, "1"),
        ("1", r#""one""#),
        ("[1]", "{}"),
    ] {
        let why = again(Codec::TypedJson, before.as_bytes(), typed);
        assert!(why.is_err(), "{typed} in the place of {before}: {why:?}");
    }
}

#[test]
fn a_type_that_is_asked_for_is_written() {
    for (codec, class, typed, written) in [
        (Codec::Json, "Long", "5", r#"["java.lang.Long",5]"#),
        (Codec::Json, "Integer", "5", "5"),
        (Codec::Json, "String", "5", r#""5""#),
        (
            Codec::Json,
            "Date",
            "1970-01-01T00:00:01Z",
            r#"["java.util.Date",1000]"#,
        ),
        (
            Codec::Json3,
            "Date",
            "1000",
            r#"["java.util.Date","1970-01-01T00:00:01.000Z"]"#,
        ),
        (Codec::TypedJson, "date", "1970-01-01T00:00:01Z", "1000"),
        (Codec::Text, "Long", "5", "5"),
        (Codec::Text, "Double", " 2.5\n", "2.5"),
        (Codec::Text, "String", " 5\n", " 5\n"),
    ] {
        let class = payload::class_named(class).unwrap();
        let bytes = encode_as(codec, class, typed).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), written);
    }
    let class = payload::class_named("java.lang.Long").unwrap();
    assert_eq!(
        encode_as(Codec::Kryo5, class, "5"),
        encode(Codec::Kryo5, r#"["java.lang.Long",5]"#)
    );
    assert_eq!(payload::class_named("BigDecimal"), None);
}

#[test]
fn a_type_that_no_codec_of_texts_writes_is_refused() {
    let as_text =
        |class, typed| encode_as(Codec::Text, payload::class_named(class).unwrap(), typed);
    for class in ["Date", "Boolean", "Character", "Float", "Short", "Byte"] {
        let why = as_text(class, "1").unwrap_err();
        assert!(matches!(why, EncodeError::NotOfCodec(..)), "{class} {why}");
        assert!(
            why.to_string()
                .contains("only String, Integer, Long and Double")
        );
    }
    for (class, typed) in [("Long", "abc"), ("Integer", "2147483648"), ("Long", "")] {
        let why = as_text(class, typed).unwrap_err();
        assert!(matches!(why, EncodeError::NotOfClass(..)), "{class} {why}");
    }
}

#[test]
fn what_is_said_of_a_document_of_jacksons_becomes_that_document_again() {
    let mut all = 0;
    let of_redisson = golden()
        .into_iter()
        .map(|row| (row.codec, row.label, row.payload));
    let of_values = rows(include_str!("../../fixtures/java-values.tsv"))
        .map(|row| (row[1].to_owned(), row[2].to_owned(), unhex(row[4])));
    for (codec, label, payload) in of_redisson.chain(of_values) {
        let codec = match codec.as_str() {
            "json" => Codec::Json,
            "typed-json" => Codec::TypedJson,
            _ => continue,
        };
        let Some(read) = payload::decode_as(codec, &payload) else {
            continue;
        };
        let said = read.value.to_string();
        let bytes = encode_like(codec, &held(codec, &payload), &said)
            .unwrap_or_else(|why| panic!("{label}: {said}: {why}"));
        // A lone surrogate is no character to us.
        let Ok(before) = serde_json::from_slice::<Value>(&payload) else {
            continue;
        };
        let after: Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(after, before, "{label}: {said}");
        all += 1;
    }
    assert!(all > 300, "{all}");
}

#[test]
fn a_document_keeps_the_types_of_what_stood_there() {
    let before =
        br#"{"@class":"com.acme.Order","id":["java.lang.Long",7],"at":["java.util.Date",0],
        "ids":["java.util.ArrayList",[["java.lang.Long",1]]],"note":"x"}"#;
    let typed = r#"{"id":8,"at":"1970-01-01T00:00:01Z","ids":[2,3],"note":"y","more":true}"#;
    let after = r#"{"@class":"com.acme.Order","id":["java.lang.Long",8],"at":["java.util.Date",1000],"ids":["java.util.ArrayList",[["java.lang.Long",2],["java.lang.Long",3]]],"note":"y","more":true}"#;
    let bytes = encode_like(Codec::Json, &held(Codec::Json, before), typed).unwrap();
    assert_eq!(String::from_utf8(bytes).unwrap(), after);
    assert_eq!(held(Codec::Kryo5, b"\xff\xff"), PayloadContent::Text);
}

#[test]
fn one_more_of_many_is_of_the_type_that_all_of_them_are_of() {
    let all = |codec, payloads: &[&[u8]]| held_by_all(codec, payloads);
    let order = br#"{"@class":"com.acme.Order","id":7}"#.as_slice();
    let mail = br#"{"@class":"com.acme.Mail"}"#.as_slice();
    let objects = PayloadContent::Json(json!({}));
    assert_eq!(all(Codec::Json, &[order, mail]), objects);
    assert_eq!(
        all(Codec::Json, &[order, b"\"text\""]),
        PayloadContent::Text
    );
    let list = br#"["java.util.ArrayList",[1]]"#.as_slice();
    assert_eq!(all(Codec::Json, &[list]), PayloadContent::Json(json!([])));
    assert_eq!(all(Codec::Json, &[]), PayloadContent::Text);
    for refused in ["abc", "7", "[1]"] {
        assert!(encode_like(Codec::Json, &objects, refused).is_err());
    }
    let typed = r#"{"@class":"com.acme.Order","id":8}"#;
    let bytes = encode_like(Codec::Json, &objects, typed);
    assert_eq!(bytes.as_deref(), Ok(typed.as_bytes()));

    let of_class = |name: &str| {
        let mut rows = rows(include_str!("../../fixtures/jdk-classes.tsv"));
        let row = rows.find(|row| row[0] == "serialization" && row[1] == name);
        unhex(row.unwrap()[3])
    };
    let (one, other) = (of_class("ex1"), of_class("putfields"));
    let held = |payloads: &[&[u8]]| all(Codec::Serialization, payloads);
    let class = PayloadContent::Other(Some("com.acme.Gen$Ex1".to_owned()));
    assert_eq!(held(&[&one, &one]), class);
    assert_eq!(held(&[&one, &other]), PayloadContent::Other(None));
    assert!(encode_like(Codec::Serialization, &class, "abc").is_err());
    let text = encode(Codec::Serialization, "abc").unwrap();
    assert_eq!(held(&[&one, &text]), PayloadContent::Text);
}
