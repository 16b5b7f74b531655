//! Pages of entries by rank in timeouts.

use redis::{Pipeline, Value};

use super::super::error::StoreError;
use super::super::link::{LIMIT, Store};
use super::transaction::{self, Transaction, TransactionAnswers};

const ATTEMPT: &str = "read entries";

/// A page of timeouts.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// Members with their scores, in the order of timeouts.
    pub rows: Vec<(Vec<u8>, f64)>,
    /// The rank that the member given as landmark has now; none when it is gone.
    pub landmark: Option<u64>,
    /// Its cost to the server, in µs by its own clock.
    pub server_us: u64,
}

/// Reads `count` members of a sorted set from rank `first` on and, in the same instant, the rank
/// of `landmark`.
pub async fn rows(
    store: &Store,
    timeouts: &[u8],
    first: u64,
    count: u32,
    landmark: Option<&[u8]>,
) -> Result<Rows, StoreError> {
    let (start, stop) = range(first, count);
    let mut t = Transaction::default();
    let page = [timeouts, start.as_bytes(), stop.as_bytes(), b"WITHSCORES"];
    t.add("ZRANGE", &page);
    if let Some(member) = landmark {
        t.add("ZRANK", &[timeouts, member]);
    }
    let (mut values, server_us) = executed(store, ATTEMPT, t).await?;
    let page = store.accept(ATTEMPT, values.next().unwrap_or_default())?;
    Ok(Rows {
        rows: scored(page),
        landmark: match values.next() {
            Some(Value::Int(rank)) => u64::try_from(rank).ok(),
            _ => None,
        },
        server_us,
    })
}

/// Reads `count` members of a sorted set from the first with a score of `lowest` or above on. Their
/// places are told by the rank of that first one, which is from the same instant.
pub async fn rows_from(
    store: &Store,
    timeouts: &[u8],
    lowest: f64,
    count: u32,
) -> Result<(u64, Rows), StoreError> {
    let (lowest, count) = (lowest.to_string(), count.to_string());
    let below = format!("({lowest}");
    let mut t = Transaction::default();
    t.add("ZCOUNT", &[timeouts, b"-inf", below.as_bytes()]);
    let range = [timeouts, lowest.as_bytes(), b"+inf"];
    let limit: [&[u8]; 4] = [b"WITHSCORES", b"LIMIT", b"0", count.as_bytes()];
    t.add("ZRANGEBYSCORE", &[&range[..], &limit[..]].concat());
    let (mut values, server_us) = executed(store, ATTEMPT, t).await?;
    let first = counted(store, values.next().unwrap_or_default())?;
    let page = store.accept(ATTEMPT, values.next().unwrap_or_default())?;
    let rows = Rows {
        rows: scored(page),
        landmark: None,
        server_us,
    };
    Ok((first, rows))
}

/// The first and the last place of a page, in words.
pub(super) fn range(first: u64, count: u32) -> (String, String) {
    let last = first.saturating_add(u64::from(count)).saturating_sub(1);
    (first.to_string(), last.to_string())
}

/// The answers to the commands of a transaction, and what they cost the server, in µs.
pub(super) async fn executed(
    store: &Store,
    attempt: &'static str,
    commands: Transaction,
) -> Result<(std::vec::IntoIter<Value>, u64), StoreError> {
    let mut done = transaction::run(store, attempt, &[commands]).await?;
    match done.pop() {
        Some(TransactionAnswers {
            values, server_us, ..
        }) => Ok((values.into_iter(), server_us)),
        None => Err(store.unexpected(attempt, &Value::Nil)),
    }
}

/// Counts the members that score below `limit`, or up to and with it when `inclusive`.
pub async fn rank_of_score(
    store: &Store,
    timeouts: &[u8],
    limit: f64,
    inclusive: bool,
) -> Result<u64, StoreError> {
    let bound = if inclusive {
        limit.to_string()
    } else {
        format!("({limit}")
    };
    let mut read = Pipeline::new();
    read.cmd("ZCOUNT").arg(timeouts).arg("-inf").arg(bound);
    number(store, &read).await
}

/// The answer of a command that counts.
async fn number(store: &Store, read: &Pipeline) -> Result<u64, StoreError> {
    let mut replies = store.query(ATTEMPT, read, LIMIT).await?;
    counted(store, replies.pop().unwrap_or_default())
}

pub(super) fn counted(store: &Store, value: Value) -> Result<u64, StoreError> {
    match store.accept(ATTEMPT, value)? {
        Value::Int(n) => Ok(u64::try_from(n).unwrap_or(0)),
        other => Err(store.unexpected(ATTEMPT, &other)),
    }
}

/// The highest score above the first of `between` and below the second; none when there is none.
/// Redis tells no score without its member, so that comes over the wire too.
pub async fn highest(
    store: &Store,
    timeouts: &[u8],
    between: (f64, f64),
) -> Result<Option<f64>, StoreError> {
    let [above, below] = [between.0, between.1].map(|score| format!("({score}"));
    let mut read = Pipeline::new();
    read.cmd("ZREVRANGEBYSCORE")
        .arg(timeouts)
        .arg(below)
        .arg(above);
    read.arg("WITHSCORES").arg("LIMIT").arg(0).arg(1);
    let mut replies = store.query(ATTEMPT, &read, LIMIT).await?;
    match replies.pop().unwrap_or_default() {
        // A key of another type has no scores; the survey says what it is.
        Value::ServerError(error) if error.code() == "WRONGTYPE" => Ok(None),
        reply => Ok(scored(store.accept(ATTEMPT, reply)?).pop().map(|row| row.1)),
    }
}

/// Counts the members of a sorted set with scores from `lowest` to `highest`, both included.
pub async fn count_between(
    store: &Store,
    timeouts: &[u8],
    lowest: f64,
    highest: f64,
) -> Result<u64, StoreError> {
    let mut read = Pipeline::new();
    let (lowest, highest) = (lowest.to_string(), highest.to_string());
    read.cmd("ZCOUNT").arg(timeouts).arg(lowest).arg(highest);
    number(store, &read).await
}

/// Members with scores from a `WITHSCORES` reply; empty when it is something else.
pub(super) fn scored(value: Value) -> Vec<(Vec<u8>, f64)> {
    let Value::Array(flat) = value else {
        return Vec::new();
    };
    let mut rows = Vec::with_capacity(flat.len() / 2);
    let mut flat = flat.into_iter();
    while let (Some(Value::BulkString(member)), Some(text)) = (flat.next(), flat.next()) {
        rows.push((member, score(&text).unwrap_or(f64::NAN)));
    }
    rows
}

/// A score from its text, exactly; infinities too.
pub(super) fn score(value: &Value) -> Option<f64> {
    match value {
        Value::BulkString(text) => std::str::from_utf8(text).ok()?.parse().ok(),
        Value::Double(score) => Some(*score),
        _ => None,
    }
}

/// The strings of a list reply.
pub(super) fn strings(value: Value) -> Vec<Vec<u8>> {
    let Value::Array(values) = value else {
        return Vec::new();
    };
    values
        .into_iter()
        .filter_map(|value| match value {
            Value::BulkString(bytes) => Some(bytes),
            _ => None,
        })
        .collect()
}
