//! Java's scalars as JSON values.

use std::fmt::Debug;
use std::str::FromStr;

use serde_json::{Number, Value};

/// A `double`, in the shortest form that reads back the same. JSON has no `NaN` and no infinity:
/// they are strings, as Java prints them.
pub(super) fn double(value: f64) -> Value {
    floating(value, value)
}

/// A `float`, in the shortest form that reads back as the same `float`.
pub(super) fn float(value: f32) -> Value {
    floating(f64::from(value), value)
}

fn floating(wide: f64, shortest: impl Debug) -> Value {
    if wide.is_nan() {
        return Value::from("NaN");
    }
    if wide.is_infinite() {
        return Value::from(if wide > 0.0 { "Infinity" } else { "-Infinity" });
    }
    Number::from_str(&format!("{shortest:?}")).map_or_else(|_| Value::from(wide), Value::Number)
}

/// A `char`: a string of one UTF-16 unit.
pub(super) fn char(unit: u16) -> Value {
    Value::from(String::from_utf16_lossy(&[unit]))
}
