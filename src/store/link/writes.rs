//! Keys that somebody writes to, also where what is written is taken at once and no look at the key
//! ever shows it.
//!
//! A key that was watched (WATCH) and written to makes the next EXEC fail, whatever has become of it
//! since; which of several it was is narrowed down ([`halves`]). Since Redis 6.0 the server also tells
//! of each write by the key's name ([`told`]): there only keys that it has told of are watched. Both
//! cost the server next to nothing, and need a connection of their own: an EXEC of somebody else would
//! end the watch.

mod halves;
mod told;

use std::time::{Duration, Instant};

use redis::{Pipeline, PushInfo, Value};
use tokio::sync::Mutex;
use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::timeout;

use self::halves::WatchedKeys;
use self::told::ToldKeys;
use super::wire::{self, Wire};
use super::{LIMIT, Store};
use crate::clock::instant;

/// A key that nobody has asked about for so long is not watched any more.
const FORGOTTEN: Duration = Duration::from_secs(300);
/// A key that the server tells of and that was watched in vain for so long is one of another database.
const CHECKED: Duration = Duration::from_secs(20);
/// A connection over which nothing was asked for so long may have died.
const SILENT: Duration = Duration::from_secs(30);
/// Where there is no connection, the next one is tried after this.
const AGAIN: Duration = Duration::from_secs(10);
/// The longest wait for one: who reads waits too.
const OPENS: Duration = Duration::from_secs(1);

/// The writes to a key that were seen.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum KeyWrites {
    /// Somebody writes to it again and again; the last time so long ago.
    Seen(Duration),
    /// Somebody has written to it once, so long ago.
    Once(Duration),
    /// Somebody has written to one of several keys of which it is one.
    Doubted,
    /// It is watched for the first time: that will tell.
    Awaited,
    /// None, for so long as it was watched.
    Unseen(Duration),
}

impl Store {
    /// Returns the writes to `key` that were seen since it was asked about first: it is watched from
    /// one question to the next. Where the server does not let us watch, none are seen.
    pub async fn writes(&self, key: &[u8]) -> KeyWrites {
        let mut watch = self.inner.writes.0.lock().await;
        if !watch.is_refused && watch.is_open(self).await {
            // Without an answer nothing is known of this time, and the next one begins anew.
            if watch.look(self, key).await.is_none() {
                watch.lost();
            }
        }
        let now = instant();
        if !watch.is_watched(key) {
            return watch.told.of(key, now);
        }
        match watch.halves.of(key, now) {
            // The server has told of it, and it was not watched for long.
            KeyWrites::Unseen(quiet) if !watch.is_untold && quiet < CHECKED => KeyWrites::Doubted,
            known => known,
        }
    }

    /// Tells whether the server has told of a write to `key` since this was asked last: asking costs
    /// the server nothing, and says nothing while another question is under way.
    #[must_use]
    pub fn was_told_of(&self, key: &[u8]) -> bool {
        let Ok(mut watch) = self.inner.writes.0.try_lock() else {
            return false;
        };
        if watch.is_untold || watch.line.is_none() {
            return false;
        }
        if watch.read_told().is_none() {
            watch.lost();
        }
        let is_news = watch.told.take_news_of(key);
        is_news && watch.halves.quiet_of(key) < CHECKED
    }
}

/// The watch over those keys of a server that were asked about.
#[derive(Default)]
pub(super) struct WriteWatch(Mutex<WatchState>);

#[derive(Default)]
struct WatchState {
    told: ToldKeys,
    halves: WatchedKeys,
    line: Option<Line>,
    /// The server does not tell of writes by name over this connection.
    is_untold: bool,
    /// The server does not let us watch.
    is_refused: bool,
    /// The moment from which on a connection may be tried again.
    retry_at: Option<Instant>,
}

/// A connection over which writes are learned.
struct Line {
    wire: Wire,
    /// The server says which keys were written to, and when we heard of it; none where it does not.
    heard: Option<UnboundedReceiver<(Instant, PushInfo)>>,
    /// The last time that it was asked something: of one that has died, nothing else tells.
    used: Instant,
}

impl WatchState {
    /// Tells whether there is a connection; opens one where that was not tried lately.
    async fn is_open(&mut self, store: &Store) -> bool {
        let now = instant();
        if self.line.is_none() && self.retry_at.is_none_or(|at| at <= now) {
            self.retry_at = Some(now + AGAIN);
            let limit = store.dialer().within(OPENS);
            let (says, heard) = unbounded_channel();
            let says = move |info| says.send((instant(), info));
            let Ok(told) = timeout(limit, wire::told(store.dialer(), says)).await else {
                return false;
            };
            self.is_untold = told.is_none();
            let (wire, heard) = if told.is_some() {
                (told, Some(heard))
            } else {
                let opened = timeout(limit, store.dedicated()).await;
                (opened.ok().and_then(Result::ok), None)
            };
            let used = instant();
            self.line = wire.map(|wire| Line { wire, heard, used });
        }
        self.line.is_some()
    }

    /// Forgets the connection, and with it what is watched over it.
    fn lost(&mut self) {
        self.line = None;
        self.told.interrupted(instant());
        self.halves.interrupted();
    }

    /// Tells whether a key is looked into by watching it: each of them, where nothing is told.
    fn is_watched(&self, key: &[u8]) -> bool {
        self.is_untold || self.told.has_told_of(key, instant())
    }

    /// Learns what has come since the last look, and looks at this key too from now on. None when
    /// there was no good answer.
    async fn look(&mut self, store: &Store, key: &[u8]) -> Option<()> {
        if !self.is_untold {
            self.hear(store, key).await?;
        }
        if self.is_watched(key) {
            self.look_at_halves(store, key).await?;
        }
        Some(())
    }

    /// Hears of the writes that the server has told of, and reads again what it has told of or is
    /// asked about for the first time.
    async fn hear(&mut self, store: &Store, key: &[u8]) -> Option<()> {
        self.read_told()?;
        self.told.ask(key, instant());
        let mut unread = self.told.unread(instant());
        if unread.is_empty() {
            if age(self.line.as_ref()?.used, instant()) < SILENT {
                return Some(());
            }
            unread.push(key.to_vec());
        }
        let mut reads = Pipeline::new();
        for key in &unread {
            reads.cmd("EXISTS").arg(key);
        }
        self.talk(store, &reads).await?;
        self.told.read(&unread, instant());
        Some(())
    }

    /// Takes in what the server has told of so far. None when it says no more.
    fn read_told(&mut self) -> Option<()> {
        let heard = self.line.as_mut()?.heard.as_mut()?;
        loop {
            match heard.try_recv() {
                Ok((at, info)) => self.told.hear(&info, at)?,
                Err(TryRecvError::Empty) => return Some(()),
                Err(TryRecvError::Disconnected) => return None,
            }
        }
    }

    /// Ends the window when it is time for that, and begins the next one; a new key joins it.
    async fn look_at_halves(&mut self, store: &Store, key: &[u8]) -> Option<()> {
        let is_new = self.halves.ask(key, instant());
        if self.halves.is_over(instant()) {
            let mut ends = Pipeline::new();
            ends.cmd("MULTI").cmd("EXEC");
            let answers = self.talk(store, &ends).await?;
            let is_written = answers.last() == Some(&Value::Nil);
            self.halves.end(is_written, instant());
        }
        let watched = match self.halves.since {
            None => self.halves.next(instant()),
            Some(_) if is_new && !self.halves.narrows => vec![key.to_vec()],
            Some(_) => return Some(()),
        };
        let mut watch = Pipeline::new();
        for key in &watched {
            // One by one: in a cluster, those of several slots too.
            watch.cmd("WATCH").arg(key);
        }
        if !watched.is_empty() {
            self.talk(store, &watch).await?;
        }
        self.halves.begin(watched, instant());
        Some(())
    }

    async fn talk(&mut self, store: &Store, ask: &Pipeline) -> Option<Vec<Value>> {
        let line = self.line.as_mut()?;
        line.used = instant();
        let sent = line.wire.send_packed_commands(ask, 0, ask.len());
        let answers = timeout(LIMIT, sent).await.ok()?.ok()?;
        let shared = &store.inner.shared;
        shared.pay(ask, &answers);
        shared.pay_typical(ask.len());
        let codes = answers.iter().filter_map(|answer| match answer {
            Value::ServerError(error) => Some(error.code().to_owned()),
            _ => None,
        });
        let codes: Vec<String> = codes.collect();
        self.is_refused |= codes.iter().any(|code| code == "NOPERM" || code == "ERR");
        codes.is_empty().then_some(answers)
    }
}

fn age(since: Instant, now: Instant) -> Duration {
    now.saturating_duration_since(since)
}
