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

use redis::aio::ConnectionLike;
use redis::{ErrorKind, RedisError, RedisResult, ServerErrorKind, Value};

use crate::queue::EntryId;

/// Pairs of due time and member that one offer takes: so that the arguments stay below 4,000.
pub(super) const MOST_OFFERED: usize = 1_900;

/// One file of `assets/lua`.
struct Script {
    text: &'static str,
    sha1: LazyLock<String>,
}

macro_rules! script {
    ($file:literal) => {
        Script {
            text: include_str!(concat!("../../assets/lua/", $file)),
            sha1: LazyLock::new(|| {
                let text = include_str!(concat!("../../assets/lua/", $file));
                sha1_smol::Sha1::from(text).digest().to_string()
            }),
        }
    };
}

static OFFER: Script = script!("offer.lua");
static OFFER_ZSET_LIST: Script = script!("offer-zset-list.lua");
static TRANSFER: Script = script!("transfer.lua");
static TRANSFER_ZSET_LIST: Script = script!("transfer-zset-list.lua");

/// What became of a script that the server ran.
#[derive(Debug)]
pub(super) enum Ran<T> {
    /// It did what it does.
    Done(T),
    /// Key number `key` (from 0) is a `kind`; nothing was done.
    WrongType {
        /// Index into the keys that were given.
        key: usize,
        /// What it is, in the words of TYPE.
        kind: String,
    },
}

/// A script's answer, and when the server gave it.
#[derive(Debug)]
pub(super) struct Timed<T> {
    /// What became of it.
    pub(super) ran: Ran<T>,
    /// When it ended, in µs of the server's clock.
    pub(super) ended_us: i64,
    /// For how long it kept the server.
    pub(super) took: Duration,
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
    con: &mut impl ConnectionLike,
    [timeouts, order]: [&[u8]; 2],
    channel: &[u8],
    entries: &[(String, Vec<u8>)],
) -> RedisResult<Timed<Added>> {
    let args = std::iter::once(channel).chain(pairs(entries));
    let timed = run(con, &OFFER, &[timeouts, order], args).await?;
    timed.read(|answer| {
        let head = match answer.next()? {
            Value::Int(0) => Head::Behind,
            Value::Int(_) => Head::Announced,
            words => Head::Unannounced(text(words)?),
        };
        let refused = indices(answer.next()?)?;
        Ok(Added { refused, head })
    })
}

/// `offer-zset-list.lua`. `entries`: score as text, message.
pub(super) async fn offer_zset_list(
    con: &mut impl ConnectionLike,
    timeouts: &[u8],
    entries: &[(String, Vec<u8>)],
) -> RedisResult<Timed<Added>> {
    let timed = run(con, &OFFER_ZSET_LIST, &[timeouts], pairs(entries)).await?;
    timed.read(|answer| {
        let refused = indices(answer.next()?)?;
        let head = Head::Behind;
        Ok(Added { refused, head })
    })
}

/// `transfer.lua`: what has a score up to `now`, at most `n` entries, `known` unreadable ones
/// beside them.
pub(super) async fn transfer(
    con: &mut impl ConnectionLike,
    [target, timeouts, order]: [&[u8]; 3],
    now: &str,
    n: usize,
    known: usize,
) -> RedisResult<Timed<Transferred>> {
    let (n, known) = (n.to_string(), known.to_string());
    let args = [now, &n, &known].map(str::as_bytes);
    let timed = run(con, &TRANSFER, &[target, timeouts, order], args).await?;
    timed.read(transferred)
}

/// `transfer-zset-list.lua`: what has a score up to `now`, at most `n` entries, to the `end`
/// (`left` or `right`) of target; scores from `limit` on are never due.
pub(super) async fn transfer_zset_list(
    con: &mut impl ConnectionLike,
    [target, timeouts]: [&[u8]; 2],
    [now, limit]: [&str; 2],
    n: usize,
    end: &str,
) -> RedisResult<Timed<Transferred>> {
    let n = n.to_string();
    let args = [now, &n, end, limit].map(str::as_bytes);
    let timed = run(con, &TRANSFER_ZSET_LIST, &[target, timeouts], args).await?;
    timed.read(transferred)
}

fn pairs(entries: &[(String, Vec<u8>)]) -> impl Iterator<Item = &[u8]> {
    entries
        .iter()
        .flat_map(|(score, member)| [score.as_bytes(), member.as_slice()])
}

/// The values of an answer after its first number, one after the other.
struct Answer(std::vec::IntoIter<Value>);

impl Answer {
    fn next(&mut self) -> RedisResult<Value> {
        self.0.next().ok_or_else(strange)
    }
}

/// An answer as it came.
struct Raw {
    verdict: i64,
    rest: Answer,
    ended_us: i64,
    took: Duration,
}

impl Raw {
    fn read<T>(mut self, done: impl FnOnce(&mut Answer) -> RedisResult<T>) -> RedisResult<Timed<T>> {
        let ran = if self.verdict == 1 {
            Ran::Done(done(&mut self.rest)?)
        } else {
            let key = index(&self.rest.next()?)?;
            let kind = text(self.rest.next()?)?;
            Ran::WrongType { key, kind }
        };
        Ok(Timed {
            ran,
            ended_us: self.ended_us,
            took: self.took,
        })
    }
}

async fn run<'a>(
    con: &mut impl ConnectionLike,
    script: &Script,
    keys: &[&[u8]],
    args: impl IntoIterator<Item = &'a [u8]>,
) -> RedisResult<Raw> {
    let args: Vec<&[u8]> = args.into_iter().collect();
    let by_hash = send(con, "EVALSHA", &script.sha1, keys, &args).await;
    match by_hash {
        Err(e) if e.kind() == ErrorKind::Server(ServerErrorKind::NoScript) => {
            send(con, "EVAL", script.text, keys, &args).await
        }
        other => other,
    }
}

async fn send(
    con: &mut impl ConnectionLike,
    verb: &str,
    script: &str,
    keys: &[&[u8]],
    args: &[&[u8]],
) -> RedisResult<Raw> {
    let mut pipe = redis::pipe();
    pipe.ignore_errors();
    pipe.cmd("TIME");
    pipe.cmd(verb).arg(script).arg(keys.len());
    for part in keys.iter().chain(args) {
        pipe.arg(*part);
    }
    pipe.cmd("TIME");
    let answers: Vec<RedisResult<Value>> = pipe.query_async(con).await?;
    let [before, answer, after] = <[_; 3]>::try_from(answers).map_err(|_| strange())?;
    let Value::Array(values) = answer? else {
        return Err(strange());
    };
    let (before, ended_us) = (micros(before?)?, micros(after?)?);
    let mut rest = Answer(values.into_iter());
    let Value::Int(verdict) = rest.next()? else {
        return Err(strange());
    };
    Ok(Raw {
        verdict,
        rest,
        ended_us,
        // A clock that was set back meanwhile makes it nothing.
        took: Duration::from_micros(u64::try_from(ended_us - before).unwrap_or(0)),
    })
}

fn transferred(answer: &mut Answer) -> RedisResult<Transferred> {
    let more = matches!(answer.next()?, Value::Int(1));
    let next = text(answer.next()?)?;
    Ok(Transferred {
        more,
        next: if next.is_empty() {
            None
        } else {
            Some(score(&next)?)
        },
        moved: scored(answer.next()?)?,
        skipped: list(answer.next()?)?
            .into_iter()
            .map(entry_id)
            .collect::<RedisResult<_>>()?,
        never: scored(answer.next()?)?,
    })
}

fn scored(value: Value) -> RedisResult<Vec<Moved>> {
    let mut values = list(value)?.into_iter();
    let mut all = Vec::with_capacity(values.len() / 2);
    while let (Some(id), Some(of)) = (values.next(), values.next()) {
        all.push(Moved {
            id: entry_id(id)?,
            score: score(&text(of)?)?,
        });
    }
    Ok(all)
}

/// 8 bytes are the frame's own id, 16 hex digits the start of a SHA-1.
fn entry_id(value: Value) -> RedisResult<EntryId> {
    let bytes = bytes(value)?;
    if let Ok(id) = <[u8; 8]>::try_from(bytes.as_slice()) {
        return Ok(EntryId(id));
    }
    std::str::from_utf8(&bytes)
        .ok()
        .filter(|digits| digits.len() == 16)
        .and_then(|digits| u64::from_str_radix(digits, 16).ok())
        .map(|id| EntryId(id.to_be_bytes()))
        .ok_or_else(strange)
}

fn micros(time: Value) -> RedisResult<i64> {
    let (s, us): (i64, i64) = redis::from_redis_value(time)?;
    Ok(s.saturating_mul(1_000_000).saturating_add(us))
}

fn indices(value: Value) -> RedisResult<Vec<usize>> {
    list(value)?.iter().map(index).collect()
}

/// Lua counts from 1.
fn index(value: &Value) -> RedisResult<usize> {
    match value {
        Value::Int(i) => usize::try_from(i - 1).map_err(|_| strange()),
        _ => Err(strange()),
    }
}

fn score(text: &str) -> RedisResult<f64> {
    text.parse().map_err(|_| strange())
}

fn list(value: Value) -> RedisResult<Vec<Value>> {
    match value {
        Value::Array(values) => Ok(values),
        _ => Err(strange()),
    }
}

fn bytes(value: Value) -> RedisResult<Vec<u8>> {
    match value {
        Value::BulkString(bytes) => Ok(bytes),
        _ => Err(strange()),
    }
}

fn text(value: Value) -> RedisResult<String> {
    String::from_utf8(bytes(value)?).map_err(|_| strange())
}

/// Our own scripts answer in no other way; another server in between might.
fn strange() -> RedisError {
    (
        ErrorKind::UnexpectedReturnType,
        "a script answered in a way that it never does",
    )
        .into()
}
