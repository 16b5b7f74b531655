//! Where one message is: in timeouts, in target, or in neither.

use redis::Value;

use super::super::error::StoreError;
use super::super::link::Store;
use super::frames::MAXLEN;
use super::transaction::{self, Transaction};
use crate::clock::EpochMillis;
use crate::queue::Queue;

const ATTEMPT: &str = "tell where a message is";

/// Where a message is, in one instant.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Whereabouts {
    /// The server's time.
    pub at: EpochMillis,
    /// It is in timeouts.
    pub waits: bool,
    /// An element with its payload is in target; none when it is not among the newest [`MAXLEN`]
    /// and there are more.
    pub is_delivered: Option<bool>,
}

/// Finds the member, and its payload among the newest elements of target. Needs Redis 6.0.6.
pub async fn whereabouts(
    store: &Store,
    queue: &Queue,
    member: &[u8],
    payload: &[u8],
) -> Result<Whereabouts, StoreError> {
    let keys = queue.keys();
    let rank: &[u8] = if queue.comes_at_head() { b"1" } else { b"-1" };
    let most = MAXLEN.to_string();
    let mut t = Transaction::default();
    t.add("ZSCORE", &[&keys.timeouts, member]);
    let find = [
        &keys.target,
        payload,
        b"RANK",
        rank,
        b"MAXLEN",
        most.as_bytes(),
    ];
    t.add("LPOS", &find);
    t.add("LLEN", &[&keys.target]);
    let mut done = transaction::run(store, ATTEMPT, &[t]).await?;
    let done = done
        .pop()
        .ok_or_else(|| store.unexpected(ATTEMPT, &Value::Nil))?;
    let mut values = done
        .values
        .into_iter()
        .map(|value| store.accept(ATTEMPT, value));
    let mut next = || values.next().unwrap_or(Ok(Value::Nil));
    let (due, place, length) = (next()?, next()?, next()?);
    let is_long =
        matches!(length, Value::Int(length) if length > i64::try_from(MAXLEN).unwrap_or(0));
    Ok(Whereabouts {
        at: done.at,
        waits: !matches!(due, Value::Nil),
        is_delivered: match place {
            Value::Int(_) => Some(true),
            _ if is_long => None,
            _ => Some(false),
        },
    })
}
