//! What real clients wrote with Jackson's binary relatives, Ion and protobuf, and what they packed:
//! which codec it is read as, and what it says.

use std::collections::BTreeMap;

use delayscope::clock::instant;
use delayscope::payload::{self, Codec};
use proptest::prelude::*;
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

/// A row's payload, damaged: bytes changed, cut off, doubled, or another row's put behind.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let payloads: Vec<Vec<u8>> = golden()
        .into_iter()
        .filter(|row| codec(&row.codec).is_some() || row.codec == "protobuf")
        .map(|row| row.payload)
        .collect();
    let one = prop::sample::select(payloads);
    let changes = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4);
    (
        one.clone(),
        one,
        changes,
        any::<prop::sample::Index>(),
        0..4,
    )
        .prop_map(|(mut bytes, other, changes, at, how)| {
            for (index, byte) in changes {
                if !bytes.is_empty() {
                    let place = index.index(bytes.len());
                    bytes[place] = byte;
                }
            }
            let at = at.index(bytes.len() + 1);
            match how {
                0 => bytes.truncate(at),
                1 => bytes.extend_from_within(at..),
                2 => bytes.splice(at..at, other).for_each(drop),
                _ => {}
            }
            bytes
        })
}

fn nodes(node: &payload::Node) -> usize {
    1 + node.children().into_iter().map(nodes).sum::<usize>()
}

proptest! {
    #[test]
    fn damaged_payloads_are_read_within_bounds_by_every_codec(bytes in damaged()) {
        for codec in Codec::ALL {
            if let Some(reading) = payload::read(&bytes, Some(codec)) {
                let size = reading.unpacked.as_ref().map_or(bytes.len(), Vec::len);
                prop_assert!(nodes(&reading.tree) <= 2 * size + 2, "{codec}: {:?}", reading.tree);
                prop_assert!(usize::try_from(reading.tree.span.end).unwrap() <= size);
            }
        }
    }
}

#[test]
fn a_megabyte_made_to_be_slow_is_read_in_no_time() {
    let nested = |open: &[u8]| open.repeat((1 << 20) / open.len());
    let hostile = [
        // Lengths that are texts, and texts that are lengths.
        [b"\xc3\xa0\x3f".repeat(150_000), vec![1; 2]]
            .concat()
            .repeat(2),
        nested(b"\x0a\xc3\xa0\x3f"),
        nested(b"\x81\xa1a"),
        nested(b"\xbf\x61a"),
        nested(b"\xc2\x9f"),
        nested(b":)\n\x03\xf8\xfa\x80a"),
        nested(b"'a.b'::["),
        nested(b"{a:"),
        nested(b"\x0b"),
        nested(b"\x28\xb5\x2f\xfd"),
    ];
    for bytes in hostile {
        for codec in Codec::ALL {
            let started = instant();
            let _ = payload::read(&bytes, Some(codec));
            // A debug build on a busy machine; what it must not be is quadratic.
            let took = started.elapsed();
            assert!(took.as_secs() < 5, "{codec}: {took:?} {:?}", &bytes[..8]);
        }
    }
}
