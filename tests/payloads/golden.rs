//! Every row that a real client wrote with a codec that has no marks of Java's own: which codec it
//! is read as, and what it says.

use std::collections::BTreeMap;

use delayscope::payload::{self, Codec};
use serde_json::{Map, Value, json};

use crate::rows::{Golden, golden};

/// The codec of a row, if it is one of those that are looked at here.
fn codec(name: &str) -> Option<Codec> {
    match name {
        "msgpack" | "cbor" | "cbor3" | "smile" | "smile3" | "ion" | "lz4" | "snappy"
        | "snappyv2" | "zstd" | "protobuf" => Codec::from_name(name),
        "lz4v2" => Some(Codec::Lz4),
        _ => None,
    }
}

#[test]
fn dump() {
    let mut seen = BTreeMap::<_, (usize, usize, usize)>::new();
    for row in golden() {
        let Some(codec) = codec(&row.codec) else {
            continue;
        };
        let read = payload::decode(&row.payload);
        let told = payload::decode_as(codec, &row.payload);
        let count = seen.entry(row.codec.clone()).or_default();
        count.0 += 1;
        let want = expected(&row.value);
        if read.codec != codec {
            println!(
                "CODEC {} is {} ({}) {}",
                row.label, read.codec, read.text, read.why
            );
        } else {
            count.1 += 1;
        }
        match told {
            Some(told) if told.value == want => count.2 += 1,
            Some(told) => println!("VALUE {} {} want {}", row.label, told.value, want),
            None => println!("NONE {}", row.label),
        }
    }
    println!("{seen:#?}");
    panic!();
}

fn expected(value: &Value) -> Value {
    match value {
        Value::Object(fields) if fields.contains_key("date") => {
            json!("2023-11-14T22:13:20.123Z")
        }
        Value::Object(fields) => {
            let mut said = Map::new();
            for (name, value) in fields {
                let name = if name == "class" { "@class" } else { name };
                said.insert(name.to_owned(), expected(value));
            }
            Value::Object(said)
        }
        Value::Array(values) => values.iter().map(expected).collect(),
        other => other.clone(),
    }
}
