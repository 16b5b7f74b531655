//! A sorted set read whole, in no order, while others change it.

use redis::Value;

use super::super::error::StoreError;
use super::super::link::Store;
use super::pages::{executed, scored};
use super::transaction::Transaction;

/// Some members of a sorted set.
#[derive(Clone, Debug, Default)]
pub struct ScannedPage {
    /// The cursor to go on from; 0: that was all.
    pub next: u64,
    /// Members with their scores.
    pub rows: Vec<(Vec<u8>, f64)>,
    /// Its cost to the server, in µs by its own clock.
    pub server_us: u64,
}

/// About `count` members of timeouts, from `cursor` on (0: from the beginning). What is in it all
/// the while is brought at least once, whatever comes and goes.
pub async fn scan_members(
    store: &Store,
    timeouts: &[u8],
    cursor: u64,
    count: u32,
) -> Result<ScannedPage, StoreError> {
    const ATTEMPT: &str = "read all of timeouts";
    let (cursor, count) = (cursor.to_string(), count.to_string());
    let mut t = Transaction::default();
    let words = [timeouts, cursor.as_bytes(), b"COUNT", count.as_bytes()];
    t.add("ZSCAN", &words);
    let (mut values, server_us) = executed(store, ATTEMPT, t).await?;
    let page = store.accept(ATTEMPT, values.next().unwrap_or_default())?;
    let parts = match page {
        Value::Array(parts) => <[Value; 2]>::try_from(parts).map_err(Value::Array),
        other => Err(other),
    };
    let [next, rows] = parts.map_err(|other| store.unexpected(ATTEMPT, &other))?;
    let cursor = match &next {
        Value::BulkString(text) => str::from_utf8(text).ok().and_then(|t| t.parse().ok()),
        _ => None,
    };
    Ok(ScannedPage {
        next: cursor.ok_or_else(|| store.unexpected(ATTEMPT, &next))?,
        rows: scored(rows),
        server_us,
    })
}
