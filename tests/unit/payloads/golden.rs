//! What real clients wrote with Jackson's binary relatives, Ion and protobuf, and what they packed:
//! which codec it is read as, and what it says.

#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use std::collections::BTreeMap;

use delayscope::payload::{self, Codec};
use serde_json::{Map, Value, json};

use crate::rows::{Golden, golden};

/// The codec of a row, if it is one of Jackson's relatives or of the packed ones.
fn codec(name: &str) -> Option<Codec> {
    match name {
        "msgpack" | "cbor" | "cbor3" | "smile" | "smile3" | "ion" | "lz4" | "snappy"
        | "snappyv2" | "zstd" => Codec::from_name(name),
        "lz4v2" => Some(Codec::Lz4),
        _ => None,
    }
}

/// What is read as another codec, since the bytes are the same.
fn is_ambiguous(row: &Golden, claim: Codec) -> bool {
    let is_scalar = !row.value.is_object() && !row.value.is_array();
    match (&*row.codec, claim) {
        // A first byte of `60` to `7b` is a letter, one of `20` to `7e` a sign.
        ("cbor" | "cbor3" | "msgpack", Codec::Text) => row
            .payload
            .iter()
            .all(|byte| *byte >= b' ' && *byte != 0x7f),
        // A small number in one byte: any byte is one to some codec.
        ("cbor3" | "msgpack", Codec::Unknown) => row.payload.len() == 1,
        // Only objects have types to be without.
        ("cbor3", Codec::Cbor) | ("smile3", Codec::Smile) => {
            is_scalar || row.value.get("date").is_some() || row.value.get("bytes").is_some()
        }
        // Ion's texts without escapes of its own are JSON's, its numbers and words anybody's.
        ("ion", Codec::Json) => serde_json::from_slice::<String>(&row.payload).is_ok(),
        ("ion", Codec::Text) => is_scalar && !row.value.is_string() && !row.value.is_f64(),
        _ => false,
    }
}

/// The Java value as what we say of it. Nulls are not written by Jackson without being told.
fn said(row: &Golden, value: &Value) -> Value {
    match value {
        Value::Object(fields) => match fields.get("date").and_then(Value::as_i64) {
            Some(ms) => json!(date(ms)),
            None => object(row, fields),
        },
        Value::Array(values) => values.iter().map(|value| said(row, value)).collect(),
        other => other.clone(),
    }
}

fn object(row: &Golden, fields: &Map<String, Value>) -> Value {
    let is_bare = row.codec.ends_with('3');
    let mut said_fields = Map::new();
    for (name, value) in fields {
        let name = if name == "class" { "@class" } else { name };
        if (name != "@class" || !is_bare) && (is_bare || !value.is_null()) {
            said_fields.insert(name.to_owned(), said(row, value));
        }
    }
    Value::Object(said_fields)
}

fn date(ms: i64) -> String {
    let moment = chrono::DateTime::from_timestamp_millis(ms).unwrap();
    moment.to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}

#[test]
fn every_row_of_jacksons_relatives_says_its_value_and_is_named_where_it_can_be_told() {
    let mut named = BTreeMap::<_, (u32, u32)>::new();
    for row in golden() {
        let is_packed = matches!(codec(&row.codec), Some(codec) if is_packing(codec));
        let Some(codec) = codec(&row.codec).filter(|_| !is_packed) else {
            continue;
        };
        let told = payload::decode_as(codec, &row.payload).map(|read| read.value);
        assert_eq!(told, Some(said(&row, &row.value)), "{}", row.label);
        let read = payload::decode(&row.payload);
        let (is, all) = named.entry(row.codec.clone()).or_default();
        *is += u32::from(read.codec == codec);
        *all += 1;
        let is_right = read.codec == codec || is_ambiguous(&row, read.codec);
        assert!(is_right, "{}: {read:?}", row.label);
    }
    println!("{named:#?}");
    assert_eq!(named.len(), 6);
}

fn is_packing(codec: Codec) -> bool {
    matches!(
        codec,
        Codec::Lz4 | Codec::Snappy | Codec::SnappyV2 | Codec::Zstd
    )
}

#[test]
fn what_was_packed_is_what_the_codec_inside_says() {
    let mut read = BTreeMap::<_, u32>::new();
    for row in golden() {
        let Some(codec) = codec(&row.codec).filter(|codec| is_packing(*codec)) else {
            continue;
        };
        let Some(reading) = payload::read(&row.payload, None) else {
            assert!(
                row.value.is_object() || row.value.is_array(),
                "{}",
                row.label
            );
            continue;
        };
        assert_eq!(reading.codec, codec, "{}", row.label);
        let bytes = reading.unpacked.unwrap();
        let inside = payload::decode(&bytes);
        assert_eq!(reading.inner, Some(inside.codec), "{}", row.label);
        assert_eq!(payload::decode(&row.payload).value, inside.value);
        *read.entry(row.codec.clone()).or_default() += 1;
    }
    assert!(read.values().all(|count| *count > 35), "{read:?}");
}

#[test]
fn protobuf_says_the_fields_of_an_order_by_their_numbers() {
    let mut seen = 0;
    for row in golden().iter().filter(|row| row.codec == "protobuf") {
        let read = payload::decode(&row.payload);
        let expected = match (&*row.name, &row.value) {
            // Protostuff writes nothing of a date, and of a list its size only.
            ("date", _) => continue,
            ("pojo_order", _) => {
                json!({"1": 42, "2": "Zoë", "3": 19.99, "4": ["new", "vip"], "5": 1_700_000_000_123_i64})
            }
            ("pojo_nulls", _) => json!({"1": -1, "3": 0.0}),
            (_, text @ Value::String(_)) => text.clone(),
            (_, number @ Value::Number(_)) => json!({"1": number}),
            (_, Value::Bool(is)) => json!({"1": u8::from(*is)}),
            _ => read.value.clone(),
        };
        assert_eq!(read.codec, Codec::Protobuf, "{}", row.label);
        assert_eq!(read.value, expected, "{}", row.label);
        seen += 1;
    }
    assert!(seen > 40, "{seen}");
}
