//! A payload that takes the place of another: it stays of the type that the other one is of.
//! Whoever edits a `long` types digits, and means a `long` again.

use chrono::DateTime;
use serde_json::{Map, Value};

use super::typed::{self, DATE, STRING, WrittenValue};
use super::{Codec, EncodeError, encode, jackson, json, spelled};

/// The class that Jackson wraps although it is a number.
const LONG: &str = "java.lang.Long";
/// The numbers that have a codec which writes their digits.
const AS_TEXT: [&str; 3] = ["java.lang.Integer", LONG, "java.lang.Double"];

/// The content of a payload, as far as that matters to the one in its place.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum PayloadContent {
    /// A text, or what is not known.
    Text,
    /// A value of this class of Java's.
    Scalar(&'static str),
    /// A JSON document.
    Json(Value),
    /// A value that no text is written as: of that class, if it is known.
    Other(Option<String>),
}

/// Tells what a payload of that codec holds.
#[must_use]
pub fn held(codec: Codec, payload: &[u8]) -> PayloadContent {
    match codec {
        _ if codec.is_json() => {
            let Ok(value) = serde_json::from_slice::<Value>(payload) else {
                return PayloadContent::Text;
            };
            match wrapped(&value) {
                Some((LONG, _)) => PayloadContent::Scalar(LONG),
                Some((DATE, _)) => PayloadContent::Scalar(DATE),
                _ => PayloadContent::Json(value),
            }
        }
        Codec::Kryo5 | Codec::Marshalling | Codec::Serialization => {
            let Some(text) = spelled(codec, payload) else {
                let read = super::read(payload, Some(codec)).filter(|read| read.codec == codec);
                let class = read.map(|read| read.tree.class.map(|class| class.to_string()));
                return class.map_or(PayloadContent::Text, PayloadContent::Other);
            };
            match typed::parse(&text) {
                Ok(WrittenValue::Scalar(_)) => typed::class(&text)
                    .filter(|class| *class != STRING)
                    .map_or(PayloadContent::Text, PayloadContent::Scalar),
                _ => PayloadContent::Text,
            }
        }
        _ => PayloadContent::Text,
    }
}

/// Tells what payloads of that codec all hold, as far as that matters to one more of them: of
/// documents only that they are objects, or lists.
#[must_use]
pub fn held_by_all(codec: Codec, payloads: &[&[u8]]) -> PayloadContent {
    let alike = payloads.iter().map(|payload| match held(codec, payload) {
        PayloadContent::Json(value) => match wrapped(&value).map_or(&value, |(_, inner)| inner) {
            Value::Object(_) => PayloadContent::Json(Value::Object(Map::new())),
            Value::Array(_) => PayloadContent::Json(Value::Array(Vec::new())),
            _ => PayloadContent::Text,
        },
        held => held,
    });
    let both = |one, other| match (one, other) {
        (PayloadContent::Other(one), PayloadContent::Other(other)) => {
            PayloadContent::Other(one.filter(|one| other.as_ref() == Some(one)))
        }
        (one, other) if one == other => one,
        _ => PayloadContent::Text,
    };
    alike.reduce(both).unwrap_or(PayloadContent::Text)
}

/// The payload of that codec that says `text` in the place of what is held: see
/// [`encode`](super::encode) for what can be typed. What says its class itself is of that.
pub fn encode_like(
    codec: Codec,
    held: &PayloadContent,
    text: &str,
) -> Result<Vec<u8>, EncodeError> {
    let says_class = || !matches!(typed::parse(text), Ok(WrittenValue::Plain));
    match held {
        PayloadContent::Text => encode(codec, text),
        PayloadContent::Scalar(_) | PayloadContent::Other(_) if says_class() => encode(codec, text),
        PayloadContent::Scalar(class) => encode_as(codec, class, text),
        PayloadContent::Json(before) => document(codec, before, text),
        PayloadContent::Other(class) => {
            let class = class.as_deref().unwrap_or("value of an unknown class");
            Err(EncodeError::Other(class.to_owned()))
        }
    }
}

/// The payload of that codec that says `text` as a value of a class of Java's.
pub fn encode_as(codec: Codec, class: &'static str, text: &str) -> Result<Vec<u8>, EncodeError> {
    if codec == Codec::Text && class == STRING {
        return encode(codec, text);
    }
    if codec == Codec::Text && !AS_TEXT.contains(&class) {
        return Err(EncodeError::NotOfCodec(codec, class.to_owned()));
    }
    if codec.is_json() && class == STRING {
        return Ok(json::string(text).into_bytes());
    }
    // What is typed may be a number or the digits of a string.
    let said = text.trim();
    let number = serde_json::from_str::<Value>(said).ok();
    let plain = [number, Some(Value::from(said))];
    let mut values = plain.into_iter().flatten().filter(|_| class != STRING);
    let fits = |value: &Value| typed::scalar(class, value).is_some();
    let value = match values.find(fits) {
        Some(value) => value,
        None if class == STRING => Value::from(text),
        None => return Err(EncodeError::NotOfClass(quoted(said), class.to_owned())),
    };
    if codec == Codec::Text {
        return encode(codec, said);
    }
    if !codec.is_json() {
        return encode(
            codec,
            &Value::from(vec![Value::from(class), value]).to_string(),
        );
    }
    Ok(of_json(codec, class, value).to_string().into_bytes())
}

/// A value of a class as Jackson writes it.
fn of_json(codec: Codec, class: &'static str, value: Value) -> Value {
    let pair = |value| Value::from(vec![Value::from(class), value]);
    match (codec, class) {
        (Codec::Json, LONG) => pair(value),
        (Codec::Json, DATE) => pair(milliseconds(value)),
        (Codec::TypedJson, DATE) => milliseconds(value),
        (Codec::Json3, DATE) => pair(match value.as_i64() {
            Some(ms) => super::time::date(ms).json(),
            None => value,
        }),
        _ => value,
    }
}

/// A date as Jackson 2 writes it.
fn milliseconds(value: Value) -> Value {
    let moment = value
        .as_str()
        .and_then(|text| DateTime::parse_from_rfc3339(text).ok());
    moment.map_or(value, |moment| Value::from(moment.timestamp_millis()))
}

/// The payload of a text that was typed in the place of a document: it must be of the same kind, and
/// gets the types that the document had.
fn document(codec: Codec, before: &Value, text: &str) -> Result<Vec<u8>, EncodeError> {
    let Ok(new) = serde_json::from_str::<Value>(text.trim()) else {
        return match before {
            Value::String(_) | Value::Null => encode(codec, text),
            _ => Err(EncodeError::NoJson(kind(before))),
        };
    };
    let typed = match codec {
        Codec::TypedJson => new.clone(),
        _ => like(before, new.clone()),
    };
    let was = wrapped(before).map_or(before, |(_, inner)| inner);
    let is = wrapped(&typed).map_or(&typed, |(_, inner)| inner);
    if kind(was) != kind(is) && !was.is_null() && !is.is_null() {
        return Err(EncodeError::Kind(kind(is), kind(was)));
    }
    if typed == new {
        return encode(codec, text);
    }
    Ok(typed.to_string().into_bytes())
}

/// The words for the kind of a value.
const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A value with the types that Jackson gave to the one in whose place it is.
fn like(before: &Value, new: Value) -> Value {
    match (wrapped(before), wrapped(&new).is_some()) {
        (Some((class, inner)), false) => {
            let new = if jackson::is_date(class) && inner.is_number() {
                milliseconds(new)
            } else {
                new
            };
            if kind(inner) != kind(&new) {
                return new;
            }
            return Value::from(vec![Value::from(class), within(inner, new)]);
        }
        (None, true) => return new,
        _ => {}
    }
    within(before, new)
}

/// A value, in which each one within has the types of the one in whose place it is.
fn within(before: &Value, new: Value) -> Value {
    match (before, new) {
        (Value::Object(before), Value::Object(new)) => {
            let mut typed = Map::new();
            if let Some(class) = before.get("@class").filter(|_| !new.contains_key("@class")) {
                typed.insert("@class".into(), class.clone());
            }
            for (name, value) in new {
                let value = match before.get(&name) {
                    Some(before) => like(before, value),
                    None => value,
                };
                typed.insert(name, value);
            }
            Value::Object(typed)
        }
        (Value::Array(before), Value::Array(new)) => {
            let class = |value| wrapped(value).map(|(class, _)| class);
            let first = before.first();
            let all = first.filter(|first| before.iter().all(|one| class(one) == class(first)));
            let typed = new.into_iter().enumerate().map(|(at, value)| {
                match before.get(at).or(all.filter(|all| class(all).is_some())) {
                    Some(before) => like(before, value),
                    None => value,
                }
            });
            Value::Array(typed.collect())
        }
        (_, new) => new,
    }
}

/// The class and the value of `["java.lang.Long",42]`.
fn wrapped(value: &Value) -> Option<(&str, &Value)> {
    match value.as_array()?.as_slice() {
        [Value::String(class), inner] if jackson::is_javas(class) => Some((class, inner)),
        _ => None,
    }
}

/// The beginning of what was typed, in quotes.
fn quoted(text: &str) -> String {
    format!("{:?}", super::line_within(text, 40))
}
