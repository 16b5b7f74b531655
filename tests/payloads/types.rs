//! The types of the JDK, and classes of every kind, in the codecs that keep Java's types.

#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use delayscope::payload::{Codec, decode_as};
use serde_json::Value;

use super::rows::{rows, unhex};

/// The rows whose value a codec is told to say in full.
fn told(codecs: &[&str]) -> Vec<(String, Codec, Value, Vec<u8>)> {
    rows(include_str!("../fixtures/java-types.tsv"))
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
