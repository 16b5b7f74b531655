//! A sample of a queue's members: the next due ones, the last offered, both ends of target; and
//! where entries stand in the order list.

use redis::Value;

use super::super::error::StoreError;
use super::super::link::Store;
use super::pages::{executed, scored, strings};
use super::transaction::{self, Transaction, error_words};
use crate::clock::EpochMillis;
use crate::queue::frames::FarEntry;
use crate::queue::{Keys, Known, Optional};

const ATTEMPT: &str = "read a sample of the entries";

/// Elements of either end of target that are read at most.
const ELEMENTS: usize = 25;

/// Elements of the order list that are looked through for an entry.
pub const MAXLEN: u64 = 1_000;

/// The rank of timeouts from which on some more are read: they wait still when those before them
/// have been transferred. Where the order list is in due order, that is their place in it too: far
/// enough from [`MAXLEN`] to be found, though a burst of one millisecond lies there in any order.
const AHEAD: usize = 500;
/// The count of those.
const FURTHER: usize = 3;

/// The members as they lie in Redis; all from one instant.
#[derive(Clone, Debug)]
pub struct RawFrames {
    /// The server's time of the read.
    pub at: EpochMillis,
    /// The first of timeouts, with their scores.
    pub next_due: Vec<(Vec<u8>, f64)>,
    /// A few of timeouts further down, from rank 500 on, with their scores.
    pub ahead: Vec<(Vec<u8>, f64)>,
    /// The last of timeouts with such scores as were asked for, the highest first.
    pub far: Vec<(Vec<u8>, f64)>,
    /// The tail of the order list, its last element last.
    pub newest: Vec<Vec<u8>>,
    /// The head of target.
    pub head: Vec<Vec<u8>>,
    /// The tail of target, its last element last.
    pub tail: Vec<Vec<u8>>,
    /// Cost of the read to the server, in µs by its own clock.
    pub server_us: u64,
}

/// Reads up to `count` members of each kind, of target fewer, and of those with scores between the
/// two of `far` a few of the highest. A key of another type has none.
pub async fn frames(
    store: &Store,
    keys: &Keys,
    count: usize,
    far: (f64, f64),
) -> Result<RawFrames, StoreError> {
    let last = (count.max(1) - 1).to_string();
    let tail = format!("-{}", count.max(1));
    // Of target a few tell enough.
    let few = count.clamp(1, ELEMENTS);
    let (front_last, back) = ((few - 1).to_string(), format!("-{few}"));
    let mut t = Transaction::default();
    let range: [&[u8]; 4] = [&keys.timeouts, b"0", last.as_bytes(), b"WITHSCORES"];
    t.add("ZRANGE", &range);
    t.add("LRANGE", &[&keys.target, b"0", front_last.as_bytes()]);
    t.add("LRANGE", &[&keys.target, back.as_bytes(), b"-1"]);
    let further = AHEAD + count.clamp(1, FURTHER) - 1;
    let (from, to) = (AHEAD.to_string(), further.to_string());
    let range: [&[u8]; 4] = [
        &keys.timeouts,
        from.as_bytes(),
        to.as_bytes(),
        b"WITHSCORES",
    ];
    t.add("ZRANGE", &range);
    let [above, below] = [far.0, far.1].map(|score| format!("({score}"));
    let most = count.clamp(1, FarEntry::READ).to_string();
    let range: [&[u8]; 7] = [
        &keys.timeouts,
        below.as_bytes(),
        above.as_bytes(),
        b"WITHSCORES",
        b"LIMIT",
        b"0",
        most.as_bytes(),
    ];
    t.add("ZREVRANGEBYSCORE", &range);
    if let Some(order) = &keys.order {
        t.add("LRANGE", &[order, tail.as_bytes(), b"-1"]);
    }
    let mut done = transaction::run(store, ATTEMPT, &[t]).await?;
    let Some(done) = done.pop() else {
        return Err(store.unexpected(ATTEMPT, &Value::Nil));
    };
    let mut values = done.values.into_iter();
    let mut next = || values.next().unwrap_or_default();
    Ok(RawFrames {
        at: done.at,
        next_due: scored(next()),
        head: strings(next()),
        tail: strings(next()),
        ahead: scored(next()),
        far: scored(next()),
        newest: strings(next()),
        server_us: done.server_us,
    })
}

/// Tells which of those `members` still wait in timeouts, how many elements stand in the order list
/// before each (none: not among the first [`MAXLEN`]), and what that cost the server, in µs.
pub async fn places(
    store: &Store,
    (timeouts, order): (&[u8], &[u8]),
    members: &[&[u8]],
) -> Result<(Known<Vec<(usize, Option<u64>)>>, u64), StoreError> {
    if let Some(why) = store.why_refused(Optional::Lpos) {
        return Ok((Known::Unknown(why.into()), 0));
    }
    let maxlen = MAXLEN.to_string();
    let mut t = Transaction::default();
    for member in members {
        t.add("LPOS", &[order, member, b"MAXLEN", maxlen.as_bytes()]);
        // What has been transferred since it was read stands nowhere.
        t.add("ZSCORE", &[timeouts, member]);
    }
    let (values, server_us) = executed(store, ATTEMPT, t).await?;
    let mut places = Vec::new();
    let mut values = values.into_iter();
    for member in 0..members.len() {
        let (Some(place), Some(waits)) = (values.next(), values.next()) else {
            break;
        };
        match place {
            Value::Int(_) | Value::Nil if matches!(waits, Value::Nil) => {}
            Value::Int(place) => places.push((member, u64::try_from(place).ok())),
            Value::Nil => places.push((member, None)),
            error => {
                let why = error_words(&error).unwrap_or_else(|| "no number".to_owned());
                // What the key is tells another rule; a command that is not there is not asked
                // again.
                if !why.starts_with("WRONGTYPE") {
                    store.refuse(Optional::Lpos, why.clone());
                }
                return Ok((Known::Unknown(why.into()), server_us));
            }
        }
    }
    Ok((Known::Is(places), server_us))
}
