//! The types of the JDK, and classes of every kind, in the codecs that keep Java's types.

#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use delayscope::payload::{self, Codec, EncodeError, decode_as, encode, spelled};
use serde_json::{Value, json};

use crate::rows::{rows, unhex};

/// The rows whose value a codec is told to say in full.
fn told(codecs: &[&str]) -> Vec<(String, Codec, Value, Vec<u8>)> {
    rows(include_str!("../../fixtures/java-types.tsv"))
        .filter(|row| codecs.contains(&row[1]) && row[3] != "?")
        .map(|row| {
            let [version, codec, name, value, hex] = row[..] else {
                panic!("not five columns: {row:?}")
            };
            let label = format!("{version} {codec} {name}");
            let value = serde_json::from_str(value).unwrap();
            (label, Codec::from_name(codec).unwrap(), value, unhex(hex))
        })
        .collect()
}

/// A value of the fixtures as it is typed: dates have their milliseconds in an object there.
fn plain(value: &str) -> Value {
    let value: Value = serde_json::from_str(value).unwrap();
    value.get("date").unwrap_or(&value).clone()
}

#[test]
fn scalars_are_written_as_the_codecs_libraries_write_them() {
    let scalars = rows(include_str!("../../fixtures/java-scalars.tsv"));
    let golden = rows(include_str!("../../fixtures/redisson-golden.tsv"));
    let golden = golden.map(|row| vec![row[1], row[2], row[3], row[5]]);
    let mut written = 0;
    for row in scalars.chain(golden) {
        let [codec, name, value, hex] = row[..] else {
            panic!("not four columns: {row:?}")
        };
        let kind = name.split('_').next().unwrap();
        let class = match kind {
            "byte" => "lang.Byte",
            "short" => "lang.Short",
            "char" => "lang.Character",
            "float" => "lang.Float",
            "int" => "lang.Integer",
            "long" => "lang.Long",
            "double" => "lang.Double",
            "bool" => "lang.Boolean",
            "null" => "lang.String",
            "date" => "util.Date",
            _ => continue,
        };
        let codec = match codec {
            "kryo5" => Codec::Kryo5,
            "marshalling" => Codec::Marshalling,
            "serialization" => Codec::Serialization,
            _ => continue,
        };
        let text = format!("[\"java.{class}\",{}]", plain(value));
        let bytes = encode(codec, &text).unwrap();
        assert_eq!(bytes, unhex(hex), "{codec} {name} {text}");
        let said = spelled(codec, &bytes).unwrap();
        assert_eq!(encode(codec, &said), Ok(bytes), "{said}");
        written += 1;
    }
    assert!(written > 100, "{written}");
}

/// What Kryo does not keep: the names of constants and fields, nanoseconds of a time stamp, the
/// offset of a zoned time.
const LOST_IN_KRYO: [&str; 9] = [
    "enum",
    "enum_body",
    "enumset",
    "enummap",
    "timestamp",
    "zoned",
    "address",
    "addresses",
    "shared",
];

#[test]
fn types_of_the_jdk_are_said_as_what_they_mean() {
    let mut wrong = Vec::new();
    let mut right = 0;
    let is_lost = |label: &str, codec| {
        let name = label.rsplit(' ').next().unwrap();
        codec == Codec::Kryo5 && LOST_IN_KRYO.contains(&name)
    };
    for (label, codec, value, payload) in told(&["serialization", "marshalling", "kryo5"]) {
        let read = decode_as(codec, &payload).map(|read| read.value);
        if read.as_ref() == Some(&value) {
            right += 1;
        } else if read.is_none() || !is_lost(&label, codec) {
            let read = read.map_or_else(|| "nothing".to_owned(), |read| read.to_string());
            wrong.push(format!("{label}: {value} was read as {read}"));
        }
    }
    assert!(wrong.is_empty(), "{right} right\n{}", wrong.join("\n"));
    assert!(right > 150, "{right}");
}

#[test]
fn classes_of_the_jdk_and_below_it_are_said_as_what_they_mean_with_their_own_names() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for row in rows(include_str!("../../fixtures/jdk-classes.tsv")) {
        let [codec, name, value, hex] = row[..] else {
            panic!("not four columns: {row:?}")
        };
        let value: Value = serde_json::from_str(value).unwrap();
        let payload = unhex(hex);
        let read = payload::decode(&payload);
        let tree = payload::read(&payload, None).map(|read| read.tree);
        let class = tree.and_then(|tree| tree.class).unwrap_or_default();
        let is_ours = name.starts_with("my") || name.starts_with("plain");
        let is_right = read.value == value && (!is_ours || class.starts_with("com.acme."));
        if read.codec.name() != codec || !is_right {
            wrong.push(format!(
                "{codec} {name}: {value} was read as {} {class}",
                read.value
            ));
        }
        seen += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 250, "{seen}");
}

#[test]
fn what_a_class_wrote_itself_is_said_and_the_values_after_it_too() {
    let written = |name: &str| {
        let mut rows = rows(include_str!("../../fixtures/jdk-classes.tsv"));
        let row = rows
            .find(|row| row[0] == "serialization" && row[1] == name)
            .unwrap();
        payload::decode(&unhex(row[3])).value
    };
    let odd = json!({
        "@class": "com.acme.Gen$NoDefault",
        "@written": ["custom", {"bytes": "0000002a"}, "obj", ["q"]],
    });
    assert_eq!(written("nodefault"), odd);
    assert_eq!(written("holder_nodefault")["after"], "after");
    let last = json!({"@class": "com.acme.Gen$NoDefaultObj", "@written": ["obj"]});
    assert_eq!(written("list_nodefault"), json!([odd, "z", last, "y"]));
    assert_eq!(written("late")["b"], "bee");
}

#[test]
fn a_string_that_looks_like_a_scalar_is_written_as_one_whose_class_is_said() {
    let looks = r#"["java.lang.Long",1]"#;
    let escaped = Value::from(vec!["java.lang.String", looks]).to_string();
    for codec in [Codec::Kryo5, Codec::Marshalling, Codec::Serialization] {
        let bytes = encode(codec, &escaped).unwrap();
        let read = decode_as(codec, &bytes).map(|read| read.value);
        assert_eq!(read, Some(Value::from(looks)), "{codec}");
        assert_eq!(spelled(codec, &bytes), Some(escaped.clone()), "{codec}");
        // The escape itself as a string.
        let twice = Value::from(vec!["java.lang.String", &escaped]).to_string();
        let bytes = encode(codec, &twice).unwrap();
        assert_eq!(spelled(codec, &bytes), Some(twice), "{codec}");
    }
}

#[test]
fn a_date_is_typed_as_it_is_said_or_in_epoch_milliseconds() {
    for codec in [Codec::Kryo5, Codec::Marshalling, Codec::Serialization] {
        for (ms, said) in [
            (1_700_000_000_123_i64, "2023-11-14T22:13:20.123Z"),
            (0, "1970-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
        ] {
            let typed = format!("[\"java.util.Date\",\"{said}\"]");
            let bytes = encode(codec, &typed).unwrap();
            let number = encode(codec, &format!("[\"java.util.Date\",{ms}]"));
            assert_eq!(number.as_ref(), Ok(&bytes), "{codec} {said}");
            let read = decode_as(codec, &bytes).map(|read| read.value);
            assert_eq!(read, Some(Value::from(said)), "{codec}");
            assert_eq!(spelled(codec, &bytes), Some(typed), "{codec}");
        }
    }
}

#[test]
fn a_value_that_would_arrive_as_a_string_is_refused() {
    for codec in [Codec::Kryo5, Codec::Marshalling, Codec::Serialization] {
        for typed in [
            r#"["java.util.UUID","7f8fbd2c-1e9c-4b8e-9e0a-0d7b1f1f7a61"]"#,
            r#"["java.math.BigDecimal",1.5]"#,
            r#"["java.lang.Long","42"]"#,
            r#"["java.lang.Integer",2147483648]"#,
            r#"["java.lang.Character","ab"]"#,
            r#"["java.lang.Double","one"]"#,
            r#"["java.lang.String",42]"#,
            r#"["java.util.Date","yesterday"]"#,
        ] {
            let refused = encode(codec, typed);
            assert!(
                matches!(
                    refused,
                    Err(EncodeError::NoClass(_) | EncodeError::NotOfClass(..))
                ),
                "{codec} {typed}: {refused:?}"
            );
        }
        // What was written so by somebody else can be edited all the same.
        let list = Value::from(vec!["java.lang.String", r#"["java.util.List",[1]]"#]).to_string();
        let bytes = encode(codec, &list).unwrap();
        assert_eq!(spelled(codec, &bytes), Some(list), "{codec}");
        for plain in [
            r#"["java",1]"#,
            r#"["com.acme.A",1]"#,
            r#"["java.lang.Long",1,2]"#,
        ] {
            let bytes = encode(codec, plain).unwrap();
            let read = decode_as(codec, &bytes).map(|read| read.value);
            assert_eq!(read, Some(Value::from(plain)), "{codec}");
        }
    }
}
