//! `transfer.lua`, `transfer-telling.lua`, and their forms for `zset-list`; `as-redisson.lua`.

use redis::{Cmd, Value};

use super::{Script, TimedResult, bytes, list, run, text};
use crate::queue::EntryId;
use crate::store::error::StoreError;
use crate::store::lane::Lane;
use crate::store::link::Store;
use crate::store::write::MOST_MOVED;

static TRANSFER: Script = script!(
    [guard, frame, rows, due, moving, "transfer.lua"],
    "transfer what is due",
    ["list", "zset", "list"]
);
static TRANSFER_ZSET_LIST: Script = script!(
    [guard, rows, "transfer-zset-list.lua"],
    "transfer what is due",
    ["list", "zset"]
);
static TELLING: Script = script!(
    [guard, frame, rows, due, moving, "transfer-telling.lua"],
    "transfer what is due",
    ["list", "zset", "list", "list"]
);
static TELLING_ZSET_LIST: Script = script!(
    [guard, rows, "transfer-telling-zset-list.lua"],
    "transfer what is due",
    ["list", "zset"]
);

static WATCHED: Script = script!(
    [guard, "transfer-watched.lua"],
    "transfer what is due",
    ["list", "zset", "list"]
);

static AS_REDISSON: Script = script!(
    ["as-redisson.lua"],
    "transfer what is due as Redisson does",
    ["list", "zset", "list"]
);

/// The part of what is due, or of an order list that is aside, that one script looks at.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Portion {
    /// Entries that it moves, at most.
    pub entries: usize,
    /// Bytes that it looks at, at most, but for a single entry.
    pub bytes: usize,
}

impl Portion {
    /// Bytes that keep the server for about 10 ms.
    const BYTES: usize = 1_000_000;

    /// Its arguments to a script.
    pub(in crate::store) fn args(self) -> [String; 2] {
        [self.entries.clamp(1, MOST_MOVED), self.bytes.max(1)].map(|n| n.to_string())
    }
}

impl From<usize> for Portion {
    /// A number of entries, as long as they are not large.
    fn from(entries: usize) -> Self {
        Self {
            entries,
            bytes: Self::BYTES,
        }
    }
}

/// An entry that a transfer moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovedEntry {
    /// The id that people call it by.
    pub id: EntryId,
    /// The score that it had.
    pub score: f64,
}

/// The place where a transfer goes on behind members that it has passed, since they are no frames.
/// The default is the beginning.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct DueCursor(Vec<u8>);

impl DueCursor {
    /// Nothing was passed before it.
    #[must_use]
    pub const fn is_beginning(&self) -> bool {
        self.0.is_empty()
    }

    /// One with this text.
    #[cfg(test)]
    pub(crate) fn at(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

/// The result of a transfer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TransferResult {
    /// Not all that is due was looked at: there may be more.
    pub more: bool,
    /// Score of the first entry that falls due later; none when there is none, or `more`.
    pub next: Option<f64>,
    /// Entries that were moved, in due order.
    pub moved: Vec<MovedEntry>,
    /// Due members looked at that are no frames: they were left where they are.
    pub skipped: Vec<EntryId>,
    /// Entries whose score is no time (below 0, or too large) and which are never due; at most
    /// 100 of each kind.
    pub never: Vec<MovedEntry>,
    /// The place where the next transfer goes on, behind what was skipped.
    pub cursor: DueCursor,
    /// Due members that stood before the place where this one began.
    pub ahead: usize,
}

/// `transfer.lua`: what has a score up to `now`, from `cursor` on.
pub(in crate::store) async fn transfer(
    lane: &Lane,
    [target, timeouts, order]: [&[u8]; 3],
    now: &str,
    portion: Portion,
    cursor: &DueCursor,
) -> Result<TimedResult<TransferResult>, StoreError> {
    let [n, bytes] = portion.args();
    let args = [now.as_bytes(), n.as_bytes(), &cursor.0, bytes.as_bytes()];
    let keys = [target, timeouts, order];
    run(lane, &TRANSFER, &keys, args, transferred).await
}

/// `transfer-zset-list.lua`: what has a score up to `now`, to the `end`
/// (`left` or `right`) of target; scores from `limit` on are never due.
pub(in crate::store) async fn transfer_zset_list(
    lane: &Lane,
    [target, timeouts]: [&[u8]; 2],
    [now, limit]: [&str; 2],
    portion: Portion,
    end: &str,
) -> Result<TimedResult<TransferResult>, StoreError> {
    let [n, bytes] = portion.args();
    let args = [now, &n, end, limit, &bytes].map(str::as_bytes);
    let keys = [target, timeouts];
    run(lane, &TRANSFER_ZSET_LIST, &keys, args, transferred).await
}

/// The answer of `transfer-telling.lua` and of its form for `zset-list`: whether there may be more,
/// what was moved (members with their scores), what was skipped, and where to go on.
pub(in crate::store) type TransferAnswer = (bool, Vec<(Vec<u8>, f64)>, Vec<Vec<u8>>, DueCursor);

/// `transfer-telling.lua`, with `transfer.lua`'s arguments and whether to drain the order list.
pub(in crate::store) async fn transfer_telling(
    lane: &Lane,
    keys: [&[u8]; 4],
    now: &str,
    (portion, cursor): (Portion, &DueCursor),
    drain: bool,
) -> Result<TimedResult<TransferAnswer>, StoreError> {
    let [n, bytes] = portion.args();
    let [now, n, bytes, drain] = [now, &n, &bytes, super::flag(drain)].map(str::as_bytes);
    let args = [now, n, &cursor.0, drain, bytes];
    run(lane, &TELLING, &keys, args, told).await
}

/// `transfer-telling-zset-list.lua`; `push`: `LPUSH` or `RPUSH`.
pub(in crate::store) async fn transfer_telling_zset_list(
    lane: &Lane,
    keys: [&[u8]; 2],
    now: &str,
    portion: Portion,
    push: &str,
) -> Result<TimedResult<TransferAnswer>, StoreError> {
    let [n, bytes] = portion.args();
    let args = [now, &n, push, &bytes].map(str::as_bytes);
    run(lane, &TELLING_ZSET_LIST, &keys, args, told).await
}

/// `as-redisson.lua`: the score of the head afterwards, none when nothing waits.
pub(in crate::store) async fn transfer_as_redisson(
    lane: &Lane,
    keys: [&[u8]; 3],
    [now, n, format]: [&str; 3],
) -> Result<TimedResult<Option<f64>>, StoreError> {
    let args = [now, n, format].map(str::as_bytes);
    let head = |[score]: &[Value; 1]| match text(score)? {
        "" => Some(None),
        score => Some(Some(score.parse().ok()?)),
    };
    run(lane, &AS_REDISSON, &keys, args, head).await
}

/// `transfer-watched.lua`, which a transaction runs: its text.
pub(in crate::store) fn watched() -> &'static str {
    WATCHED.text
}

/// Tells what `transfer-watched.lua` has answered: false when others stood there.
pub(in crate::store) fn end_of_watched(
    store: &Store,
    keys: &[Vec<u8>; 3],
    answer: &Value,
) -> Result<bool, StoreError> {
    let keys = keys.each_ref().map(Vec::as_slice);
    super::done(store, &WATCHED, &keys, answer)?;
    Ok(list(answer).and_then(<[Value]>::first) == Some(&Value::Int(1)))
}

/// Asks for what is due, in due order: `n` entries.
pub(in crate::store) fn what_is_due(timeouts: &[u8], now: &str, n: usize) -> Cmd {
    let mut cmd = redis::cmd("ZRANGEBYSCORE");
    cmd.arg(timeouts).arg("0").arg(now).arg("WITHSCORES");
    cmd.arg("LIMIT").arg(0).arg(n);
    cmd
}

/// Members with their scores.
fn due(answer: &Value) -> Option<Vec<(Vec<u8>, f64)>> {
    let pair = |pair: &[Value]| match pair {
        [member, score] => Some((bytes(member)?, text(score)?.parse().ok()?)),
        _ => None,
    };
    list(answer)?.chunks(2).map(pair).collect()
}

fn told([more, moved, skipped, cursor]: &[Value; 4]) -> Option<TransferAnswer> {
    let moved = due(moved)?;
    let skipped = list(skipped)?.iter().map(bytes).collect::<Option<_>>()?;
    let cursor = DueCursor(bytes(cursor)?);
    Some((*more == Value::Int(1), moved, skipped, cursor))
}

fn transferred(
    [more, next, moved, skipped, never, cursor, ahead]: &[Value; 7],
) -> Option<TransferResult> {
    let next = text(next)?;
    Some(TransferResult {
        more: *more == Value::Int(1),
        next: if next.is_empty() {
            None
        } else {
            Some(next.parse().ok()?)
        },
        moved: scored(moved)?,
        skipped: list(skipped)?.iter().map(entry_id).collect::<Option<_>>()?,
        never: scored(never)?,
        cursor: DueCursor(bytes(cursor)?),
        ahead: match ahead {
            Value::Int(ahead) => usize::try_from(*ahead).unwrap_or(0),
            _ => return None,
        },
    })
}

fn scored(value: &Value) -> Option<Vec<MovedEntry>> {
    let read = |pair: &[Value]| {
        let [id, score] = pair else { return None };
        Some(MovedEntry {
            id: entry_id(id)?,
            score: text(score)?.parse().ok()?,
        })
    };
    list(value)?.chunks(2).map(read).collect()
}

/// 8 bytes are the frame's own id, 16 hex digits the start of a SHA-1.
fn entry_id(value: &Value) -> Option<EntryId> {
    let Value::BulkString(bytes) = value else {
        return None;
    };
    if let Ok(id) = <[u8; 8]>::try_from(bytes.as_slice()) {
        return Some(EntryId(id));
    }
    let digits = text(value).filter(|digits| digits.len() == 16)?;
    let id = u64::from_str_radix(digits, 16).ok()?;
    Some(EntryId(id.to_be_bytes()))
}
