//! A few members of a queue, and what the server remembers of its clients: enough to tell in
//! which form and codec they write. Bounded, whatever the queue holds.

use redis::{Pipeline, Value};

use super::error::StoreError;
use super::link::{LIMIT, Store};
use crate::queue::Queue;

/// Members of each kind that a sample holds.
const SAMPLE: isize = 20;

/// A few members of a queue.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Sample {
    /// The last offered, newest first (from the order list; none in a layout without one).
    pub newest: Vec<Vec<u8>>,
    /// The next due, in due order.
    pub next_due: Vec<Vec<u8>>,
    /// Elements of target, the last delivered first.
    pub delivered: Vec<Vec<u8>>,
}

/// Looks at up to 20 members of each kind. A key of another type counts as empty.
pub async fn sample(store: &Store, queue: &Queue) -> Result<Sample, StoreError> {
    const ATTEMPT: &str = "show a few entries";
    let keys = queue.keys();
    let mut pipeline = Pipeline::new();
    let order = keys.order.as_deref().unwrap_or(&keys.timeouts);
    pipeline.cmd("LRANGE").arg(order).arg(-SAMPLE).arg(-1);
    pipeline
        .cmd("ZRANGE")
        .arg(&keys.timeouts)
        .arg(0)
        .arg(SAMPLE - 1);
    let [from, to] = if queue.comes_at_head() {
        [0, SAMPLE - 1]
    } else {
        [-SAMPLE, -1]
    };
    pipeline.cmd("LRANGE").arg(&keys.target).arg(from).arg(to);
    let values = store.query(ATTEMPT, &pipeline, LIMIT).await?;
    let mut lists = Vec::new();
    for value in values {
        lists.push(match value {
            Value::ServerError(e) if e.code() == "WRONGTYPE" => Vec::new(),
            value => members(store.accept(ATTEMPT, value)?),
        });
    }
    let Ok([mut newest, next_due, mut delivered]) = <[_; 3]>::try_from(lists) else {
        return Err(store.unexpected(ATTEMPT, &Value::Nil));
    };
    newest.reverse();
    if !queue.comes_at_head() {
        delivered.reverse();
    }
    Ok(Sample {
        newest,
        next_due,
        delivered,
    })
}

/// The next `count` elements of target (at most 1,000), in the order that consumers take them.
pub async fn next_delivered(
    store: &Store,
    queue: &Queue,
    count: usize,
) -> Result<Vec<Vec<u8>>, StoreError> {
    const ATTEMPT: &str = "show the target";
    let last = i64::try_from(count.clamp(1, 1_000)).unwrap_or(1_000);
    let left = queue.comes_at_head();
    let [from, to] = if left { [-last, -1] } else { [0, last - 1] };
    let mut pipeline = Pipeline::new();
    let target = queue.keys().target;
    pipeline.cmd("LRANGE").arg(target).arg(from).arg(to);
    let mut values = store.query(ATTEMPT, &pipeline, LIMIT).await?;
    let mut elements = members(store.accept(ATTEMPT, values.pop().unwrap_or_default())?);
    if left {
        elements.reverse();
    }
    elements.truncate(count);
    Ok(elements)
}

/// Tells which of these scripts (by SHA-1) the server has run since its start; none when it does
/// not say.
pub async fn known_scripts(store: &Store, sha1s: &[&str]) -> Result<Option<Vec<bool>>, StoreError> {
    const ATTEMPT: &str = "say which scripts it knows";
    let mut pipeline = Pipeline::new();
    pipeline.cmd("SCRIPT").arg("EXISTS").arg(sha1s);
    let mut values = store.query(ATTEMPT, &pipeline, LIMIT).await?;
    Ok(match values.pop() {
        Some(Value::Array(known)) => Some(known.iter().map(|k| *k == Value::Int(1)).collect()),
        _ => None,
    })
}

fn members(value: Value) -> Vec<Vec<u8>> {
    let Value::Array(values) = value else {
        return Vec::new();
    };
    let bytes = |value| match value {
        Value::BulkString(bytes) => Some(bytes),
        _ => None,
    };
    values.into_iter().filter_map(bytes).collect()
}
