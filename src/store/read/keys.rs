//! Looking for keys and channels: slices of SCAN, TYPE, PUBSUB CHANNELS.

use redis::{Pipeline, Value};

use super::super::error::StoreError;
use super::super::link::wire::time_us;
use super::super::link::{LIMIT, Store};
use super::pages::strings;
use super::transaction::{goes_by, is_elsewhere};

/// A key's type.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum KeyType {
    /// There is no such key.
    Missing,
    /// A sorted set.
    Zset,
    /// A list.
    List,
    /// Something else, in the words of TYPE.
    Other(String),
    /// The server did not let us look.
    Unknown,
}

/// Tells what TYPE says, as a word; `?` when it said nothing.
pub(super) fn kind_word(value: &Value) -> String {
    match value {
        Value::SimpleString(word) => word.clone(),
        _ => "?".to_owned(),
    }
}

/// The attempt, as an infinitive.
const KINDS: &str = "look at the types of keys";

/// The types of `keys`, in one round trip. Fails where a node cannot tell them just now, or is not the
/// one to be asked: of keys that were not looked at nobody is to say that they are missing.
pub async fn kinds(store: &Store, keys: &[Vec<u8>]) -> Result<Vec<KeyType>, StoreError> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let mut replies = store.query(KINDS, &types(keys), LIMIT).await?;
    if let Some(not_now) = replies.iter_mut().find(|reply| goes_by(reply)) {
        store.accept(KINDS, std::mem::take(not_now))?;
    }
    Ok(replies.iter().map(kind).collect())
}

/// The same at this node alone, where a key whose slot is on its way to another one takes nothing from
/// the others: its type is unknown. None: another node has the slot.
pub async fn kinds_apart(
    store: &Store,
    keys: &[Vec<u8>],
) -> Result<Vec<Option<KeyType>>, StoreError> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let mut replies = store.exchange_here(KINDS, &types(keys), LIMIT).await?;
    let mut not_now = replies.iter_mut();
    if let Some(not_now) = not_now.find(|reply| goes_by(reply) && !is_elsewhere(reply)) {
        store.accept(KINDS, std::mem::take(not_now))?;
    }
    let is_moved =
        |reply: &Value| matches!(reply, Value::ServerError(error) if error.code() == "MOVED");
    let kind = |reply: &Value| (!is_moved(reply)).then(|| kind(reply));
    Ok(replies.iter().map(kind).collect())
}

fn types(keys: &[Vec<u8>]) -> Pipeline {
    let mut read = Pipeline::new();
    for key in keys {
        read.cmd("TYPE").arg(key);
    }
    read
}

fn kind(reply: &Value) -> KeyType {
    match kind_word(reply).as_str() {
        "none" => KeyType::Missing,
        "zset" => KeyType::Zset,
        "list" => KeyType::List,
        "?" => KeyType::Unknown,
        other => KeyType::Other(other.to_owned()),
    }
}

/// The channels with a subscriber that match `pattern`.
pub async fn channels(store: &Store, pattern: &[u8]) -> Result<Vec<Vec<u8>>, StoreError> {
    const ATTEMPT: &str = "list the channels";
    let mut read = Pipeline::new();
    read.cmd("PUBSUB").arg("CHANNELS").arg(pattern);
    let mut replies = store.query(ATTEMPT, &read, LIMIT).await?;
    let reply = store.accept(ATTEMPT, replies.pop().unwrap_or_default())?;
    Ok(strings(reply))
}

/// The keys that one slice of SCAN brought.
#[derive(Clone, Debug)]
pub struct Slice {
    /// The cursor to go on from; 0 at the end.
    pub cursor: u64,
    /// The keys that match.
    pub keys: Vec<Vec<u8>>,
    /// Cost of the slice to the server, in µs by its own clock.
    pub server_us: u64,
    /// Keys in the database.
    pub of: u64,
}

/// Looks through about `count` keys from `cursor` on for those that match `pattern` (MATCH alone:
/// SCAN's TYPE option came with 6.0).
pub async fn scan(
    store: &Store,
    cursor: u64,
    pattern: &[u8],
    count: u32,
) -> Result<Slice, StoreError> {
    const ATTEMPT: &str = "look through the keys";
    let mut read = Pipeline::new();
    read.cmd("DBSIZE").cmd("TIME");
    read.cmd("SCAN").arg(cursor).arg("MATCH").arg(pattern);
    read.arg("COUNT").arg(count).cmd("TIME");
    let replies = store.exchange(ATTEMPT, &read, LIMIT).await?;
    let mut replies = replies.into_iter();
    let mut next = || replies.next().unwrap_or_default();
    let (of, before, page, after) = (next(), next(), next(), next());
    let server_us = match (time_us(&before), time_us(&after)) {
        (Some(before), Some(after)) => u64::try_from(after - before).unwrap_or(0),
        _ => 0,
    };
    store.cost_server_us(server_us);
    let page = store.accept(ATTEMPT, page)?;
    let Value::Array(parts) = &page else {
        return Err(store.unexpected(ATTEMPT, &page));
    };
    let [Value::BulkString(cursor), keys] = parts.as_slice() else {
        return Err(store.unexpected(ATTEMPT, &page));
    };
    let cursor = std::str::from_utf8(cursor)
        .ok()
        .and_then(|c| c.parse().ok());
    Ok(Slice {
        cursor: cursor.ok_or_else(|| store.unexpected(ATTEMPT, &page))?,
        keys: strings(keys.clone()),
        server_us,
        of: match of {
            Value::Int(n) => u64::try_from(n).unwrap_or(0),
            _ => 0,
        },
    })
}
