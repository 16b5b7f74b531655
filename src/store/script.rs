//! The Lua scripts of `assets/lua`, one typed function each.
//!
//! A script's contract stands in its header; the types here say the same in Rust. What a script
//! answers is a number first: 0 for "a key is of another type, nothing was done", 1 for "done".
//!
//! A script goes out between two `TIME`s in one write, so that its answer says by the server's own
//! clock when it ended and for how long it kept the server. It is sent by its SHA-1; only a server
//! that does not know it (`NOSCRIPT`: nothing was run) gets the text. An answer that never comes is
//! an error and is **not** asked for again here: whether the script ran is unknown.

use std::sync::LazyLock;
use std::time::Duration;

use redis::{Pipeline, Value};

use super::error::StoreError;
use super::lane::Lane;
use super::link::wire;
use crate::clock::{ServerClock, instant};
use crate::queue::EntryId;

/// Pairs of due time and member that one offer takes: so that the arguments stay below 4,000.
pub(super) const MOST_OFFERED: usize = 1_900;

/// How long an answer may take. A script over a list of a million takes a second or two.
const LIMIT: Duration = Duration::from_secs(10);

/// One file of `assets/lua`.
pub(super) struct Script {
    pub(super) text: &'static str,
    pub(super) sha1: LazyLock<String>,
    /// What it does, as an infinitive.
    pub(super) attempt: &'static str,
    /// What its keys must be, in their order, when they are there.
    pub(super) wanted: &'static [&'static str],
}

macro_rules! script {
    ($file:literal, $attempt:literal, $wanted:expr) => {
        Script {
            text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/lua/", $file)),
            sha1: std::sync::LazyLock::new(|| {
                let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/lua/", $file));
                sha1_smol::Sha1::from(text).digest().to_string()
            }),
            attempt: $attempt,
            wanted: &$wanted,
        }
    };
}

pub(super) use script;

static OFFER: Script = script!("offer.lua", "offer entries", ["zset", "list"]);
static OFFER_ZSET_LIST: Script = script!("offer-zset-list.lua", "offer entries", ["zset"]);
static TRANSFER: Script = script!(
    "transfer.lua",
    "transfer what is due",
    ["list", "zset", "list"]
);
static TRANSFER_ZSET_LIST: Script = script!(
    "transfer-zset-list.lua",
    "transfer what is due",
    ["list", "zset"]
);

/// What a script did, and when, by the server's own clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timed<T> {
    /// What it did.
    pub done: T,
    /// When it ended, in µs since the epoch.
    pub ended_us: i64,
    /// For how long it kept the server.
    pub took: Duration,
}

/// What an offer did.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Added {
    /// Which of the entries were there already and were left alone: indices, from 0.
    pub refused: Vec<usize>,
    /// Whether one of them is the head now.
    pub head: Head,
}

/// Whether an offer changed the head of timeouts.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Head {
    /// Others are due earlier: nothing to announce. (A layout without channel: not looked at.)
    Behind,
    /// A new entry is the head, and its due time was published.
    Announced,
    /// A new entry is the head, but the server refused the PUBLISH, in these words.
    Unannounced(String),
}

/// An entry that a transfer moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    /// What people call it by.
    pub id: EntryId,
    /// The score that it had.
    pub score: f64,
}

/// What a transfer found and did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transferred {
    /// Not all that is due was looked at: there may be more.
    pub more: bool,
    /// Score of the first entry that falls due later; none when there is none, or `more`.
    pub next: Option<f64>,
    /// What was moved, in due order.
    pub moved: Vec<Moved>,
    /// Due members that are no frames: they were left where they are.
    pub skipped: Vec<EntryId>,
    /// Entries whose score is no time (below 0, or too large) and which are never due; at most
    /// 100 of each kind.
    pub never: Vec<Moved>,
}

/// `offer.lua`. `entries`: due time as text, frame.
pub(super) async fn offer(
    lane: &Lane,
    [timeouts, order]: [&[u8]; 2],
    channel: &[u8],
    entries: &[(String, Vec<u8>)],
) -> Result<Timed<Added>, StoreError> {
    let args = std::iter::once(channel).chain(pairs(entries));
    run(lane, &OFFER, &[timeouts, order], args, |answer| {
        let [head, refused] = answer;
        let head = match head {
            Value::Int(0) => Head::Behind,
            Value::Int(_) => Head::Announced,
            words => Head::Unannounced(text(words)?.to_owned()),
        };
        let refused = indices(refused)?;
        Some(Added { refused, head })
    })
    .await
}

/// `offer-zset-list.lua`. `entries`: score as text, message.
pub(super) async fn offer_zset_list(
    lane: &Lane,
    timeouts: &[u8],
    entries: &[(String, Vec<u8>)],
) -> Result<Timed<Added>, StoreError> {
    run(
        lane,
        &OFFER_ZSET_LIST,
        &[timeouts],
        pairs(entries),
        |[refused]| {
            let refused = indices(refused)?;
            let head = Head::Behind;
            Some(Added { refused, head })
        },
    )
    .await
}

/// `transfer.lua`: what has a score up to `now`, at most `n` entries, `known` unreadable ones
/// beside them.
pub(super) async fn transfer(
    lane: &Lane,
    [target, timeouts, order]: [&[u8]; 3],
    now: &str,
    n: usize,
    known: usize,
) -> Result<Timed<Transferred>, StoreError> {
    let (n, known) = (n.to_string(), known.to_string());
    let args = [now, &n, &known].map(str::as_bytes);
    let keys = [target, timeouts, order];
    run(lane, &TRANSFER, &keys, args, transferred).await
}

/// `transfer-zset-list.lua`: what has a score up to `now`, at most `n` entries, to the `end`
/// (`left` or `right`) of target; scores from `limit` on are never due.
pub(super) async fn transfer_zset_list(
    lane: &Lane,
    [target, timeouts]: [&[u8]; 2],
    [now, limit]: [&str; 2],
    n: usize,
    end: &str,
) -> Result<Timed<Transferred>, StoreError> {
    let n = n.to_string();
    let args = [now, &n, end, limit].map(str::as_bytes);
    let keys = [target, timeouts];
    run(lane, &TRANSFER_ZSET_LIST, &keys, args, transferred).await
}

fn pairs(entries: &[(String, Vec<u8>)]) -> impl Iterator<Item = &[u8]> {
    entries
        .iter()
        .flat_map(|(score, member)| [score.as_bytes(), member.as_slice()])
}

/// Runs a script; `read` makes of the `N` values after the verdict what the function returns.
pub(super) async fn run<'a, T, const N: usize>(
    lane: &Lane,
    script: &Script,
    keys: &[&[u8]],
    args: impl IntoIterator<Item = &'a [u8]>,
    read: impl FnOnce(&[Value; N]) -> Option<T>,
) -> Result<Timed<T>, StoreError> {
    let args: Vec<&[u8]> = args.into_iter().collect();
    let mut sent = send(lane, script, "EVALSHA", &script.sha1, keys, &args).await;
    if sent.as_ref().is_err_and(|e| e.code() == Some("NOSCRIPT")) {
        sent = send(lane, script, "EVAL", script.text, keys, &args).await;
    }
    let Timed {
        done: answer,
        ended_us,
        took,
    } = sent?;
    let strange = || lane.store().unexpected(script.attempt, &answer);
    let (verdict, rest) = list(&answer)
        .and_then(<[Value]>::split_first)
        .ok_or_else(strange)?;
    if *verdict == Value::Int(0) {
        return Err(wrong_type(lane, script, keys, rest).unwrap_or_else(strange));
    }
    let values = <&[Value; N]>::try_from(rest).ok();
    let done = values.and_then(read).ok_or_else(strange)?;
    Ok(Timed {
        done,
        ended_us,
        took,
    })
}

async fn send(
    lane: &Lane,
    script: &Script,
    verb: &str,
    which: &str,
    keys: &[&[u8]],
    args: &[&[u8]],
) -> Result<Timed<Value>, StoreError> {
    let mut pipeline = Pipeline::new();
    pipeline.cmd("TIME");
    pipeline.cmd(verb).arg(which).arg(keys.len());
    for part in keys.iter().chain(args) {
        pipeline.arg(*part);
    }
    pipeline.cmd("TIME");
    let asked = instant();
    let answers = lane.send(script.attempt, &pipeline, LIMIT).await?;
    let answered = instant();
    let store = lane.store();
    let Ok([before, answer, after]) = <[Value; 3]>::try_from(answers) else {
        return Err(store.unexpected(script.attempt, &Value::Nil));
    };
    let answer = store.accept(script.attempt, answer)?;
    let before = wire::read_time(&before, store.endpoint())?;
    let ended_us = wire::read_time(&after, store.endpoint())?;
    // A clock that was set back meanwhile makes it nothing.
    let took = Duration::from_micros(u64::try_from(ended_us - before).unwrap_or(0));
    store.cost_server_us(u64::try_from(took.as_micros()).unwrap_or(0));
    // The first TIME was answered at mid way of what was not spent in the script.
    let way = answered
        .saturating_duration_since(asked)
        .saturating_sub(took);
    store.observe(ServerClock::observed(before, asked, asked + way));
    Ok(Timed {
        done: answer,
        ended_us,
        took,
    })
}

fn wrong_type(lane: &Lane, script: &Script, keys: &[&[u8]], rest: &[Value]) -> Option<StoreError> {
    let key = index(rest.first()?)?;
    Some(StoreError::WrongType {
        server: lane.store().endpoint().to_string(),
        attempt: script.attempt,
        key: String::from_utf8_lossy(keys.get(key)?).into_owned(),
        kind: text(rest.get(1)?)?.to_owned(),
        wanted: script.wanted.get(key)?,
    })
}

fn transferred([more, next, moved, skipped, never]: &[Value; 5]) -> Option<Transferred> {
    let next = text(next)?;
    Some(Transferred {
        more: *more == Value::Int(1),
        next: if next.is_empty() {
            None
        } else {
            Some(next.parse().ok()?)
        },
        moved: scored(moved)?,
        skipped: list(skipped)?.iter().map(entry_id).collect::<Option<_>>()?,
        never: scored(never)?,
    })
}

fn scored(value: &Value) -> Option<Vec<Moved>> {
    let read = |pair: &[Value]| {
        let [id, score] = pair else { return None };
        Some(Moved {
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

pub(super) fn indices(value: &Value) -> Option<Vec<usize>> {
    list(value)?.iter().map(index).collect()
}

/// Lua counts from 1.
pub(super) fn index(value: &Value) -> Option<usize> {
    match value {
        Value::Int(i) => usize::try_from(i - 1).ok(),
        _ => None,
    }
}

pub(super) fn list(value: &Value) -> Option<&[Value]> {
    match value {
        Value::Array(values) => Some(values),
        _ => None,
    }
}

pub(super) fn text(value: &Value) -> Option<&str> {
    match value {
        Value::BulkString(bytes) => std::str::from_utf8(bytes).ok(),
        Value::SimpleString(text) => Some(text),
        _ => None,
    }
}
