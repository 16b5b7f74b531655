//! Keys that somebody writes to, also where what is written is taken at once and no look at the key
//! ever shows it.
//!
//! A key that was watched (WATCH) and written to makes the next EXEC fail, whatever has become of it
//! since. Since Redis 6.0 the server also tells of each write by the key's name ([`tracking`]): the watch
//! is ended when it does, and says whether that was in our database. Where it does not tell, which of
//! those that are watched it was is narrowed down ([`halves`]). Both cost the server next to nothing,
//! and need a connection of their own: an EXEC of somebody else would end the watch.

mod halves;
mod tracking;

use std::time::{Duration, Instant};

use redis::{Pipeline, PushInfo, Value};
use tokio::sync::Mutex;
use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::timeout;

use self::halves::WatchedKeys;
use self::tracking::ToldKeys;
use super::super::error::passes;
use super::wire::{self, Wire};
use super::{LIMIT, Store};
use crate::clock::instant;

/// A key that nobody has asked about for so long is not watched any more.
const FORGOTTEN: Duration = Duration::from_secs(300);
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
    /// Somebody has written to one of several keys of which it is one: which one is looked into.
    Doubted,
    /// It is watched for the first time: that will tell.
    Awaited,
    /// None, for so long as it was watched.
    Unseen(Duration),
}

impl Store {
    /// Returns the writes to `key` that were seen since it was asked about first. Where the server
    /// does not tell of them it is watched from one question to the next; where it does not let us
    /// watch, none are seen.
    pub async fn writes(&self, key: &[u8]) -> KeyWrites {
        let mut watch = self.inner.writes.0.lock().await;
        if !watch.is_refused && watch.is_open(self).await {
            // Without an answer nothing is known of this time, and the next one begins anew.
            if watch.look(self, key).await.is_none() {
                watch.lost();
            }
        }
        if watch.is_untold {
            watch.halves.of(key, instant())
        } else {
            watch.told.of(key, instant())
        }
    }

    /// Looks into what the server has told of since the last time; asks nothing where it has not, or
    /// while another question is under way. The sooner that happens after a write, the fewer others
    /// are there that it may have been.
    pub async fn hear_of_writes(&self) {
        let Ok(mut watch) = self.inner.writes.0.try_lock() else {
            return;
        };
        if watch.is_untold || watch.line.is_none() {
            return;
        }
        if watch.hear(self).await.is_none() {
            watch.lost();
        }
    }

    /// Returns the time since the last write to `key` that the server has told of, as long as it would
    /// tell of the next one: this asks it nothing, and tells of none while a question is under way.
    #[must_use]
    pub fn written_ago(&self, key: &[u8]) -> Option<Duration> {
        let watch = self.inner.writes.0.try_lock().ok()?;
        let hears = !watch.is_untold && watch.line.is_some();
        watch.told.written_ago(key, instant()).filter(|_| hears)
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
            let told = timeout(limit, wire::told(store.dialer(), says)).await;
            let Ok(Ok(told)) = told else {
                return false;
            };
            self.is_untold = told.is_none();
            let (wire, heard) = if told.is_some() {
                (told, Some(heard))
            } else {
                let opened = timeout(limit, store.dedicated()).await;
                (opened.ok().and_then(Result::ok), None)
            };
            // Over another one nothing is watched any more, also where nobody has said so.
            self.lost();
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

    /// Learns what has come since the last look, and looks at this key too from now on. None when
    /// there was no good answer.
    async fn look(&mut self, store: &Store, key: &[u8]) -> Option<()> {
        if self.is_untold {
            return self.look_at_halves(store, key).await;
        }
        self.told.ask(key, instant());
        self.hear(store).await
    }

    /// Hears of the writes that the server has told of, finds out whether they were in our database,
    /// and looks again at what it has told of or is asked about for the first time.
    async fn hear(&mut self, store: &Store) -> Option<()> {
        self.read_told()?;
        if self.told.is_over() {
            let answers = self.talk(store, &end()).await?;
            // What was written before this answer was told of before it.
            self.read_told()?;
            let end = answers.last()?;
            if let Value::ServerError(error) = end {
                let is_busy = error.details().is_some_and(|words| words.contains("BUSY"));
                self.is_refused = !is_busy;
                return None;
            }
            self.told.end(*end == Value::Nil, instant());
        }
        let is_silent = age(self.line.as_ref()?.used, instant()) >= SILENT;
        let unread = self.told.unread(is_silent, instant());
        let answers = self.of_each(store, "EXISTS", &unread).await?;
        for (key, answer) in unread.iter().zip(answers) {
            match answer {
                Value::Int(count) => self.told.read(key, Some(count > 0), instant()),
                // Another node has it for now: it is asked again.
                Value::ServerError(error) if passes(error.code()) => {}
                // We may not: that says nothing of the others.
                _ => self.told.read(key, None, instant()),
            }
        }
        // Not together with the reading: what was written before the server would tell of it would
        // end the watch, and nobody could say what it was.
        let unwatched = self.told.unwatched(instant());
        let answers = self.of_each(store, "WATCH", &unwatched).await?;
        for (key, answer) in unwatched.iter().zip(answers) {
            match answer {
                Value::ServerError(error) if passes(error.code()) => {}
                answer => self.told.watched(key, answer == Value::Okay),
            }
        }
        Some(())
    }

    /// Returns the answer to a command about each of these keys. One by one: in a cluster, those of
    /// several slots too.
    async fn of_each(
        &mut self,
        store: &Store,
        command: &str,
        keys: &[Vec<u8>],
    ) -> Option<Vec<Value>> {
        let mut asks = Pipeline::new();
        for key in keys {
            asks.cmd(command).arg(key);
        }
        if keys.is_empty() {
            return Some(Vec::new());
        }
        self.talk(store, &asks).await
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
            let answers = self.talk(store, &end()).await?;
            self.permitted(&answers)?;
            let is_written = answers.last() == Some(&Value::Nil);
            self.halves.end(is_written, instant());
        }
        let watched = match self.halves.since {
            None => self.halves.next(instant()),
            Some(_) if is_new && !self.halves.narrows => vec![key.to_vec()],
            Some(_) => return Some(()),
        };
        let answers = self.of_each(store, "WATCH", &watched).await?;
        self.permitted(&answers)?;
        self.halves.begin(watched, instant());
        Some(())
    }

    /// Tells whether the server did all of this; none where it refuses any: which of the keys that was
    /// matters to nobody, for all of them are watched together.
    fn permitted(&mut self, answers: &[Value]) -> Option<()> {
        let mut codes = answers.iter().filter_map(|answer| match answer {
            Value::ServerError(error) => Some(error.code()),
            _ => None,
        });
        self.is_refused |= codes.any(|code| code == "NOPERM" || code == "ERR");
        let is_error = |answer: &Value| matches!(answer, Value::ServerError(_));
        (!answers.iter().any(is_error)).then_some(())
    }

    async fn talk(&mut self, store: &Store, ask: &Pipeline) -> Option<Vec<Value>> {
        // Whoever waits no longer for the answer leaves a connection of which nobody knows what is
        // watched there.
        let mut line = self.line.take()?;
        line.used = instant();
        let sent = line.wire.send_packed_commands(ask, 0, ask.len());
        let answers = timeout(LIMIT, sent).await.ok()?.ok()?;
        self.line = Some(line);
        let shared = &store.inner.shared;
        shared.pay(ask, &answers);
        shared.pay_typical(ask.len());
        Some(answers)
    }
}

/// The commands that end a watch: the answer is nothing where a key of it was written to.
fn end() -> Pipeline {
    let mut ends = Pipeline::new();
    ends.cmd("MULTI").cmd("EXEC");
    ends
}

fn age(since: Instant, now: Instant) -> Duration {
    now.saturating_duration_since(since)
}
