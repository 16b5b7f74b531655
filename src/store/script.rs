//! The Lua scripts of `assets/lua`, one typed function each.
//!
//! A script's contract stands in its header; the types here say the same in Rust. What a script
//! answers is a number first: 0 for "a key is of another type, nothing was done", 1 for "done".
//!
//! A script goes out between two `TIME`s in one write, so that its answer says by the server's own
//! clock when it ended and for how long it kept the server. It is sent by its SHA-1; only a server
//! that does not know it (`NOSCRIPT`: nothing was run) gets the text.
//!
//! **Its own answer alone says what became of it** ([`settled`]). A `TIME` that a server refuses,
//! because somebody else's script keeps it just then, loses a figure and nothing else. An answer
//! that never comes is an error and is not asked for again here: whether the script ran is unknown.
//! For what a script refuses to do it *returns* an error, before its first write; an error that a
//! command of it *raises* leaves a part done, for all that is known.

use std::sync::LazyLock;
use std::time::Duration;

use redis::{Pipeline, Value};
use sha1::{Digest as _, Sha1};

use super::error::{StoreError, ended_halfway, words};
use super::lane::{BUSY, Lane};
use super::link::{Retries, Store, wire};
use crate::clock::{ServerClock, instant, local_now};

/// The longest wait for an answer. A script over a list of a million takes a second or two.
const LIMIT: Duration = Duration::from_secs(10);

/// A script of `assets/lua`.
pub(super) struct Script {
    pub(super) text: &'static str,
    pub(super) sha1: LazyLock<String>,
    /// Its work, as an infinitive.
    pub(super) attempt: &'static str,
    /// The types of its keys, in their order, when they are there.
    pub(super) wanted: &'static [&'static str],
}

/// A file of `assets/lua`, or one of the parts that scripts share: functions, each of which says in
/// its own header what it does.
macro_rules! lua {
    (guard) => {
        $crate::store::script::lua!("parts/guard.lua")
    };
    (place) => {
        $crate::store::script::lua!("parts/place.lua")
    };
    (standing) => {
        $crate::store::script::lua!("parts/standing.lua")
    };
    (waiting) => {
        $crate::store::script::lua!("parts/waiting.lua")
    };
    (copies) => {
        $crate::store::script::lua!("parts/copies.lua")
    };
    (chosen) => {
        $crate::store::script::lua!("parts/chosen.lua")
    };
    (aside) => {
        $crate::store::script::lua!("parts/aside.lua")
    };
    (round) => {
        $crate::store::script::lua!("parts/round.lua")
    };
    (frame) => {
        $crate::store::script::lua!("parts/frame.lua")
    };
    (rows) => {
        $crate::store::script::lua!("parts/rows.lua")
    };
    (due) => {
        $crate::store::script::lua!("parts/due.lua")
    };
    (moving) => {
        $crate::store::script::lua!("parts/move.lua")
    };
    (announce) => {
        $crate::store::script::lua!("parts/announce.lua")
    };
    ($file:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/lua/", $file))
    };
}

/// A script: what it is made of, in the order in which Lua reads it; what it does; what its keys
/// must be.
macro_rules! script {
    ([$($part:tt),+], $attempt:literal, $wanted:expr) => {
        Script {
            text: concat!($($crate::store::script::lua!($part)),+),
            sha1: std::sync::LazyLock::new(|| $crate::store::script::sha1(concat!($($crate::store::script::lua!($part)),+))),
            attempt: $attempt,
            wanted: &$wanted,
        }
    };
}

pub(super) use {lua, script};

mod change;
mod hold;
mod offer;
mod transfer;

pub use change::{Fate, ListPlace};
pub(super) use change::{
    delete, deliver, deliver_stray, deliver_zset_list, discard, edit, fates, fates_and_places,
    head_and_fates, order_list, push_back, put_among, put_back, requeue, take_back,
};
pub(super) use hold::{give_back, renew, take};
pub use offer::{Head, OfferResult};
pub(super) use offer::{MOST_OFFERED, offer, offer_zset_list};
pub use transfer::{DueCursor, MovedEntry, Portion, TransferResult};
pub(super) use transfer::{
    end_of_watched, transfer, transfer_as_redisson, transfer_telling, transfer_telling_zset_list,
    transfer_zset_list, watched, what_is_due,
};

/// The result of a script, and its time, by the server's own clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimedResult<T> {
    /// The result.
    pub done: T,
    /// The moment when it ended, in µs since the epoch.
    pub ended_us: i64,
    /// The time for which it kept the server. None: that could not be measured, because another
    /// script kept the server just before or after it.
    pub took: Option<Duration>,
}

impl<T> TimedResult<T> {
    /// The same moment with something else done.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> TimedResult<U> {
        TimedResult {
            done: f(self.done),
            ended_us: self.ended_us,
            took: self.took,
        }
    }
}

/// Runs a script; `read` makes of the `N` values after the verdict what the function returns.
pub(super) async fn run<'a, T, const N: usize>(
    lane: &Lane,
    script: &Script,
    keys: &[&[u8]],
    args: impl IntoIterator<Item = &'a [u8]>,
    read: impl FnOnce(&[Value; N]) -> Option<T>,
) -> Result<TimedResult<T>, StoreError> {
    let args: Vec<&[u8]> = args.into_iter().collect();
    let parts = [keys, &args];
    let bytes = parts
        .iter()
        .flat_map(|part| part.iter())
        .map(|arg| arg.len());
    let mut again = Retries::within(BUSY).sending(bytes.sum());
    let mut how = ("EVALSHA", script.sha1.as_str());
    let sent = loop {
        match send(lane, script, how.0, how.1, parts).await {
            Err(e) if e.code() == Some("NOSCRIPT") && how.0 == "EVALSHA" => {
                how = ("EVAL", script.text);
            }
            // It was not run.
            Err(e) if e.code() == Some("BUSY") && again.soon().await => {}
            sent => break sent?,
        }
    };
    let answer = &sent.done;
    let rest = done(lane.store(), script, keys, answer)?;
    let strange = || lane.store().unexpected(script.attempt, answer);
    let values = <&[Value; N]>::try_from(rest).ok();
    let done = values.and_then(read).ok_or_else(strange)?;
    Ok(sent.map(|_| done))
}

/// The values that a script answers with behind its verdict.
fn done<'a>(
    store: &Store,
    script: &Script,
    keys: &[&[u8]],
    answer: &'a Value,
) -> Result<&'a [Value], StoreError> {
    let strange = || store.unexpected(script.attempt, answer);
    let (verdict, rest) = list(answer)
        .and_then(<[Value]>::split_first)
        .ok_or_else(strange)?;
    if *verdict == Value::Int(0) {
        return Err(wrong_type(store, script, keys, rest).unwrap_or_else(strange));
    }
    Ok(rest)
}

async fn send(
    lane: &Lane,
    script: &Script,
    verb: &str,
    which: &str,
    [keys, args]: [&[&[u8]]; 2],
) -> Result<TimedResult<Value>, StoreError> {
    let mut pipeline = Pipeline::new();
    pipeline.cmd("TIME");
    pipeline.cmd(verb).arg(which).arg(keys.len());
    for part in keys.iter().chain(args) {
        pipeline.arg(*part);
    }
    pipeline.cmd("TIME");
    let beside = lane.add_replication(&mut pipeline);
    let asked = instant();
    let mut answers = lane.send(script.attempt, &pipeline, LIMIT).await?;
    let answered = instant();
    if beside {
        lane.tell_replication(answers.pop().as_ref());
    }
    let store = lane.store();
    let Ok([before, answer, after]) = <[Value; 3]>::try_from(answers) else {
        return Err(store.unexpected(script.attempt, &Value::Nil));
    };
    let done = settled(store, script.attempt, answer)?;
    let timed = timed(store, done, [&before, &after]);
    if let Some(before) = wire::time_us(&before) {
        // It was answered at mid way of what was not spent in the script.
        let way = answered
            .saturating_duration_since(asked)
            .saturating_sub(timed.took.unwrap_or_default());
        store.observe(ServerClock::observed(before, asked, asked + way));
    }
    Ok(timed)
}

/// Tells what became of a script, which nothing but its own answer says: its value, or why it is
/// proven that nothing was done, or that a part of it may be.
pub(super) fn settled(
    store: &Store,
    attempt: &'static str,
    answer: Value,
) -> Result<Value, StoreError> {
    match answer {
        Value::ServerError(error) if ended_halfway(&error) => Err(StoreError::Halfway {
            server: store.endpoint().to_string(),
            attempt,
            words: words(&error),
        }),
        answer => store.accept(attempt, answer),
    }
}

/// Tells what was done between these two answers to TIME, as far as they are such.
pub(super) fn timed<T>(store: &Store, done: T, [before, after]: [&Value; 2]) -> TimedResult<T> {
    let [before, after] = [before, after].map(wire::time_us);
    // A clock that was set back meanwhile makes it nothing.
    let span = |before: i64| Some(u64::try_from(after? - before).unwrap_or(0));
    let took = before.and_then(span).map(Duration::from_micros);
    store.cost_server_us(took.map_or(0, |took| took.as_micros().try_into().unwrap_or(0)));
    let now = || store.clock().map_or_else(local_now, |clock| clock.now());
    TimedResult {
        done,
        ended_us: after.unwrap_or_else(|| now().get().saturating_mul(1_000)),
        took,
    }
}

fn wrong_type(
    store: &Store,
    script: &Script,
    keys: &[&[u8]],
    rest: &[Value],
) -> Option<StoreError> {
    let key = index(rest.first()?)?;
    Some(StoreError::WrongType {
        server: store.endpoint().to_string(),
        attempt: script.attempt,
        key: String::from_utf8_lossy(keys.get(key)?).into_owned(),
        kind: text(rest.get(1)?)?.to_owned(),
        wanted: script.wanted.get(key)?,
    })
}

/// Tells what EVALSHA calls a script by.
pub(super) fn sha1(text: &str) -> String {
    format!("{:x}", Sha1::digest(text))
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

fn bytes(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::BulkString(bytes) => Some(bytes.clone()),
        _ => None,
    }
}

/// Tells what a script takes for yes and no.
pub(super) const fn flag(yes: bool) -> &'static str {
    if yes { "1" } else { "0" }
}

pub(super) fn text(value: &Value) -> Option<&str> {
    match value {
        Value::BulkString(bytes) => std::str::from_utf8(bytes).ok(),
        Value::SimpleString(text) => Some(text),
        _ => None,
    }
}
