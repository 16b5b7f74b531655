//! MONITOR: a copy of each command that the server runs, on a connection of its own, and what that
//! costs the server.
//!
//! The server copies for as long as the connection stands. Whoever has a [`MonitorConnection`] has
//! the connection: it is closed when that is dropped, and by the system when the process ends,
//! however it ends.

use std::io;

use redis::{Pipeline, Value};
use tokio::io::AsyncReadExt as _;
use tokio::time::timeout;

use super::error::{StoreError, words};
use super::link::wire::{self, MonitorWire, time_us};
use super::link::{LIMIT, Store};
use crate::queue::look::Info;
use crate::queue::{Known, Optional};

/// Its name in CLIENT LIST.
const NAME: &str = "delayscope-trace";

/// Bytes that are read at once.
const CHUNK: usize = 64 << 10;

/// A connection to which the server copies the commands that it runs, from its opening on.
pub struct MonitorConnection {
    wire: MonitorWire,
}

/// The server's words about itself while it copies.
#[derive(Clone, Debug)]
pub struct MonitorCost {
    /// Its time, in µs since the epoch.
    pub at_us: i64,
    /// Commands that it has run since its start; or why it does not tell.
    pub commands: Known<u64>,
    /// Commands a second that it runs just now; or why it does not tell.
    pub commands_per_s: Known<u64>,
    /// Bytes that it holds for the connection that it copies to; or why that cannot be seen.
    pub buffer: Known<u64>,
    /// Clients that are subscribed to the channel which was asked about; or why that is not known: it
    /// counts its own, and others may be subscribed at a replica of it.
    pub listeners: Known<u64>,
}

impl MonitorConnection {
    /// Begins. Whoever calls this has told its price.
    pub async fn open(store: &Store) -> Result<Self, StoreError> {
        let limit = store.dialer().within(LIMIT);
        let opened = timeout(limit, wire::monitor(store.dialer(), NAME)).await;
        let wire = opened.map_err(|_| StoreError::TimedOut {
            server: store.endpoint().to_string(),
            attempt: "run MONITOR",
            after: limit,
        })??;
        Ok(Self { wire })
    }

    /// Appends the next bytes, lines that end in `\r\n`; 0 when the server has closed the
    /// connection. Nothing is lost when the future is dropped.
    pub async fn read(&mut self, into: &mut Vec<u8>) -> io::Result<usize> {
        if !self.wire.unread.is_empty() {
            let unread = std::mem::take(&mut self.wire.unread);
            into.extend_from_slice(&unread);
            return Ok(unread.len());
        }
        into.reserve(CHUNK);
        self.wire.stream.read_buf(into).await
    }

    /// Its number in CLIENT LIST; none when the server would not tell it.
    #[must_use]
    pub const fn id(&self) -> Option<u64> {
        self.wire.id
    }
}

/// Returns the cost to the server of copying to the connection with this number; without one, only
/// how busy it is. Beside it: who listens to that channel. In a cluster a node counts its own alone, so
/// none is asked; and where nobody listens at a server that has replicas, or does not say that it has none,
/// somebody may at one of them.
pub async fn cost(
    store: &Store,
    id: Option<u64>,
    channel: Option<&[u8]>,
) -> Result<MonitorCost, StoreError> {
    const ATTEMPT: &str = "tell what MONITOR costs it";
    let refused = [Optional::Info, Optional::ClientList].map(|command| store.why_refused(command));
    let mut ask = Pipeline::new();
    ask.cmd("TIME");
    if refused[0].is_none() {
        ask.cmd("INFO").arg("stats");
    }
    if let (Some(id), None) = (id, &refused[1]) {
        ask.cmd("CLIENT").arg("LIST");
        if lists_by_id(store) {
            ask.arg("ID").arg(id);
        }
    }
    let is_cluster = store.link().borrow().nodes.is_some();
    let channel = channel.filter(|_| !is_cluster && store.why_refused(Optional::NumSub).is_none());
    if let Some(channel) = channel {
        ask.cmd("PUBSUB").arg("NUMSUB").arg(channel);
        if refused[0].is_none() {
            ask.cmd("INFO").arg("replication");
        }
    }
    let mut replies = store.query(ATTEMPT, &ask, LIMIT).await?.into_iter();
    let mut next = || replies.next().unwrap_or_default();
    let time = store.accept(ATTEMPT, next())?;
    let at_us = time_us(&time).ok_or_else(|| store.unexpected(ATTEMPT, &time))?;
    let [info, clients] = refused;
    let may_info = info.is_none();
    let info = match info {
        None => text(next()).map(|text| info_of(&text)),
        Some(why) => Err(why),
    };
    let figure = |name: &str| match &info {
        Ok(info) => info.number(name).map_or_else(untold, Known::Is),
        Err(why) => Known::Unknown(why.as_str().into()),
    };
    let buffer = match (id, clients) {
        (None, _) => Known::Unknown("the server would not number the connection".into()),
        (_, Some(why)) => Known::Unknown(why.into()),
        (Some(id), None) => match text(next()) {
            Ok(list) => buffered(&list, id).map_or_else(unlisted, Known::Is),
            Err(why) => Known::Unknown(why.into()),
        },
    };
    let listeners = match channel.map(|_| next()) {
        Some(Value::Array(pair)) => match pair.last() {
            Some(Value::Int(0)) => heard_by_none(may_info.then(next)),
            Some(Value::Int(count)) => Known::Is(u64::try_from(*count).unwrap_or(0)),
            _ => uncounted(),
        },
        _ => uncounted(),
    };
    Ok(MonitorCost {
        at_us,
        listeners,
        commands: figure("total_commands_processed"),
        commands_per_s: figure("instantaneous_ops_per_sec"),
        buffer,
    })
}

/// Returns the number of clients that listen where none does at the server itself, which says this of its
/// replicas: none, where it has no replica at which some may.
fn heard_by_none(replication: Option<Value>) -> Known<u64> {
    let info = replication.and_then(|told| text(told).ok());
    let replicas = info.and_then(|info| info_of(&info).number("connected_slaves"));
    match replicas {
        Some(0) => Known::Is(0),
        Some(_) => Known::Unknown("clients may listen at a replica".into()),
        None => Known::Unknown("clients may listen at a replica, if it has one".into()),
    }
}

fn info_of(text: &str) -> Info {
    let mut info = Info::default();
    info.read(text);
    info
}

fn untold() -> Known<u64> {
    Known::Unknown("INFO does not tell it".into())
}

fn uncounted() -> Known<u64> {
    Known::Unknown("the server does not count who listens".into())
}

fn unlisted() -> Known<u64> {
    Known::Unknown("CLIENT LIST does not have the connection: is there a proxy between?".into())
}

/// Tells whether one client can be asked for: with thousands of them the whole list is long. Since
/// Redis 6.2.
fn lists_by_id(store: &Store) -> bool {
    let link = store.link();
    let facts = &link.borrow().facts;
    let version = facts.as_ref().map_or("", |facts| facts.version.as_str());
    let mut parts = version.split('.').map(|part| part.parse().unwrap_or(0));
    (parts.next(), parts.next()) >= (Some(6), Some(2))
}

fn text(value: Value) -> Result<String, String> {
    match value {
        Value::BulkString(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Value::VerbatimString { text, .. } => Ok(text),
        Value::ServerError(error) => Err(words(&error)),
        _ => Err("the answer was no text".to_owned()),
    }
}

/// The bytes that a server holds for the client with that number; none when CLIENT LIST does not
/// have it.
fn buffered(list: &str, id: u64) -> Option<u64> {
    let field = |line: &str, name: &str| {
        let mut pairs = line.split(' ').filter_map(|pair| pair.split_once('='));
        let (_, value) = pairs.find(|(its, _)| *its == name)?;
        value.parse::<u64>().ok()
    };
    let line = list.lines().find(|line| field(line, "id") == Some(id))?;
    // A small buffer of its own, and a list behind it.
    Some(field(line, "obl").unwrap_or(0) + field(line, "omem").unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_for_a_client_is_both_of_its_buffers() {
        let list = "id=3 addr=a:1 name= obl=0 oll=0 omem=0 cmd=get\n\
                    id=33 addr=a:2 name=x=y obl=16384 oll=2 omem=40960 cmd=monitor\n";
        assert_eq!(buffered(list, 33), Some(57_344));
        assert_eq!((buffered(list, 3), buffered(list, 4)), (Some(0), None));
    }
}
