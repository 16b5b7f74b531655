//! Every row that real clients wrote: is its codec named right, is its value the one that was
//! offered? The snapshot tells per codec and version, and which rows are not.

#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use std::collections::BTreeMap;
use std::fmt::Write as _;

use delayscope::payload::{self, Codec};
use serde_json::{Map, Value, json};

use crate::rows::{Golden, golden};

/// The codec that a name of the fixture means.
fn codec(name: &str) -> Option<Codec> {
    match name {
        "string" | "long" | "integer" | "double" => Some(Codec::Text),
        "lz4v2" => Some(Codec::Lz4),
        // Nothing is to be recognised.
        "bytes" => None,
        other => Codec::from_name(other),
    }
}

/// A value without what codecs may leave out or write otherwise: types, fields that are null, the
/// order of fields, dates as texts, bytes in base64.
fn plain(value: &Value) -> Value {
    match value {
        Value::Array(items) => match items.as_slice() {
            [Value::String(class), inner] if class.starts_with("java.") => {
                match (class.as_str(), inner) {
                    ("java.util.Date", Value::Number(ms)) => json!({"date": ms}),
                    _ => plain(inner),
                }
            }
            _ => Value::Array(items.iter().map(plain).collect()),
        },
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(name, value)| {
                !matches!(name.as_str(), "class" | "@class") && !value.is_null()
            });
            let mut kept: Vec<_> = kept
                .map(|(name, value)| (name.clone(), plain(value)))
                .collect();
            kept.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(Map::from_iter(kept))
        }
        Value::String(text) => match iso(text) {
            Some(ms) => json!({"date": ms}),
            None => value.clone(),
        },
        Value::Number(number) => {
            let float = number.as_f64().unwrap();
            let whole = number.as_i64().is_none() && float.fract() == 0.0 && float.abs() < 1e15;
            if whole {
                json!(float.to_string().parse::<i64>().unwrap())
            } else {
                value.clone()
            }
        }
        _ => value.clone(),
    }
}

/// The only date of the fixture.
fn iso(text: &str) -> Option<i64> {
    (text == "2023-11-14T22:13:20.123Z" || text == "2023-11-14T22:13:20.123+00:00")
        .then_some(1_700_000_000_123)
}

/// What a text codec was given is known as text only.
fn expected(row: &Golden, codec: Codec) -> Value {
    let text = String::from_utf8_lossy(&row.payload);
    match codec {
        Codec::Text => serde_json::from_str(&text).unwrap_or_else(|_| Value::from(text)),
        _ => row.value.clone(),
    }
}

#[derive(Default)]
struct Count {
    rows: u32,
    named: u32,
    equal: u32,
    misnamed: Vec<String>,
    unequal: Vec<String>,
}

#[test]
fn rows_of_real_clients_are_named_and_read_as_the_snapshot_says() {
    let mut counts: BTreeMap<(String, (u32, u32, u32)), Count> = BTreeMap::new();
    for row in golden() {
        let Some(codec) = codec(&row.codec) else {
            continue;
        };
        let count = counts.entry((row.codec.clone(), row.version)).or_default();
        count.rows += 1;
        let read = payload::decode(&row.payload);
        if read.codec == codec {
            count.named += 1;
        } else {
            count.misnamed.push(format!("{}={}", row.name, read.codec));
        }
        // An ambiguous payload is read as its codec's once that is known.
        let told = payload::decode_as(codec, &row.payload);
        let value = told.map_or(Value::Null, |told| told.value);
        let wanted = plain(&expected(&row, codec));
        if plain(&value) == wanted || plain(&read.value) == wanted {
            count.equal += 1;
        } else {
            count.unequal.push(row.name);
        }
    }
    insta::assert_snapshot!(table(&counts));
}

fn table(counts: &BTreeMap<(String, (u32, u32, u32)), Count>) -> String {
    let mut table = String::new();
    for ((codec, (a, b, c)), count) in counts {
        let version = format!("{a}.{b}.{c}");
        let Count {
            rows, named, equal, ..
        } = count;
        write!(
            table,
            "{codec:14}{version:8}{rows:3} rows {named:3} named {equal:3} equal"
        )
        .unwrap();
        for (what, missed) in [("named", &count.misnamed), ("unequal", &count.unequal)] {
            if !missed.is_empty() {
                write!(table, " | {what}: {}", missed.join(" ")).unwrap();
            }
        }
        table.push('\n');
    }
    table
}
