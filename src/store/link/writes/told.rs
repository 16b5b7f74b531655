//! Keys that were written to, as the server itself tells it: since Redis 6.0 a connection can be told
//! when a key that it has read is written to (CLIENT TRACKING), also one that is not there, and by its
//! name. Each reading is answered once, so that a key is read again after each write of which we were
//! told. A key of the same name in another database is told of in the same words: what was told is
//! looked into by watching that key.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use redis::{PushInfo, PushKind, Value};

use super::{FORGOTTEN, KeyWrites, age};

/// A key of which nothing was told for so long since it was read first is one that nobody is seen to
/// write to.
const AWAITED: Duration = Duration::from_secs(3);

/// The keys that are asked about, and what was told of them.
#[derive(Default)]
pub(super) struct ToldKeys(BTreeMap<Vec<u8>, ToldKey>);

/// A key that was asked about.
struct ToldKey {
    /// The last time.
    asked: Instant,
    /// The moment since which it is watched: the server will tell of the next write. None when it is
    /// still to be read.
    since: Option<Instant>,
    /// The time for which it was watched in vain, up to `since`.
    quiet: Duration,
    /// The last write that was told of.
    told: Option<Instant>,
    /// It was told of since this was asked last.
    is_news: bool,
}

impl ToldKeys {
    /// Takes note of a question.
    pub(super) fn ask(&mut self, key: &[u8], at: Instant) {
        let fresh = || ToldKey {
            asked: at,
            since: None,
            quiet: Duration::ZERO,
            told: None,
            is_news: false,
        };
        self.0.entry(key.to_vec()).or_insert_with(fresh).asked = at;
    }

    /// The server has said something at this moment; none when it was that it says no more.
    pub(super) fn hear(&mut self, said: &PushInfo, at: Instant) -> Option<()> {
        match (&said.kind, said.data.first()) {
            (PushKind::Disconnection, _) => return None,
            (PushKind::Invalidate, Some(Value::Array(keys))) => {
                for key in keys {
                    if let Value::BulkString(key) = key {
                        self.wrote(key, at);
                    }
                }
            }
            // All keys were deleted, of one database or of all: none of them is watched any more.
            (PushKind::Invalidate, _) => self.interrupted(at),
            _ => {}
        }
        Some(())
    }

    fn wrote(&mut self, key: &[u8], at: Instant) {
        if let Some(known) = self.0.get_mut(key) {
            (known.since, known.quiet) = (None, Duration::ZERO);
            (known.told, known.is_news) = (Some(at), true);
        }
    }

    /// Tells whether it was told of since this was asked last.
    pub(super) fn take_news_of(&mut self, key: &[u8]) -> bool {
        let known = self.0.get_mut(key);
        known.is_some_and(|known| std::mem::take(&mut known.is_news))
    }

    /// Tells whether the server has told of a write to it lately.
    pub(super) fn has_told_of(&self, key: &[u8], now: Instant) -> bool {
        let told = self.0.get(key).and_then(|known| known.told);
        told.is_some_and(|told| age(told, now) < FORGOTTEN)
    }

    /// The keys that are to be read now, so that the server tells of their next write. What nobody
    /// asks about any more is forgotten.
    pub(super) fn unread(&mut self, now: Instant) -> Vec<Vec<u8>> {
        self.0.retain(|_, key| age(key.asked, now) < FORGOTTEN);
        let unread = self.0.iter().filter(|(_, key)| key.since.is_none());
        unread.map(|(name, _)| name.clone()).collect()
    }

    /// These were read a moment ago.
    pub(super) fn read(&mut self, keys: &[Vec<u8>], now: Instant) {
        for key in keys {
            if let Some(key) = self.0.get_mut(key) {
                key.since.get_or_insert(now);
            }
        }
    }

    /// The connection is gone, and with it all that was watched.
    pub(super) fn interrupted(&mut self, now: Instant) {
        for key in self.0.values_mut() {
            key.quiet = key.quiet_for(now);
            key.since = None;
        }
    }

    /// The writes to a key that was not told of.
    pub(super) fn of(&self, key: &[u8], now: Instant) -> KeyWrites {
        let Some(key) = self.0.get(key) else {
            return KeyWrites::Unseen(Duration::ZERO);
        };
        let quiet = key.quiet_for(now);
        if key.since.is_some() && quiet < AWAITED {
            KeyWrites::Awaited
        } else {
            KeyWrites::Unseen(quiet)
        }
    }
}

impl ToldKey {
    fn quiet_for(&self, now: Instant) -> Duration {
        self.quiet + self.since.map_or(Duration::ZERO, |since| age(since, now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::instant;

    const S: Duration = Duration::from_secs(1);

    /// One key that is watched from now on.
    fn one_read(now: Instant) -> ToldKeys {
        let mut keys = ToldKeys::default();
        keys.ask(b"one", now);
        let unread = keys.unread(now);
        assert_eq!(unread, [b"one".to_vec()]);
        keys.read(&unread, now);
        assert!(keys.unread(now).is_empty());
        keys
    }

    fn said(data: Value) -> PushInfo {
        PushInfo {
            kind: PushKind::Invalidate,
            data: vec![data],
        }
    }

    fn written(key: &[u8]) -> PushInfo {
        said(Value::Array(vec![Value::BulkString(key.to_vec())]))
    }

    #[test]
    fn a_key_that_was_told_of_is_read_again_and_is_news_once() {
        let now = instant();
        let mut keys = one_read(now);
        assert_eq!(keys.of(b"one", now), KeyWrites::Awaited);
        assert!(!keys.has_told_of(b"one", now) && !keys.take_news_of(b"one"));
        keys.hear(&written(b"one"), now + S).unwrap();
        assert!(keys.take_news_of(b"one"));
        assert!(!keys.take_news_of(b"one"));
        assert!(keys.has_told_of(b"one", now + S * 2));
        assert_eq!(keys.unread(now + S), [b"one".to_vec()]);
    }

    #[test]
    fn what_was_told_of_long_ago_is_told_of_no_more() {
        let now = instant();
        let mut keys = one_read(now);
        keys.hear(&written(b"one"), now).unwrap();
        assert!(!keys.has_told_of(b"one", now + FORGOTTEN));
    }

    #[test]
    fn a_key_that_nobody_writes_to_is_unseen_for_as_long_as_it_was_watched() {
        let now = instant();
        let mut keys = one_read(now);
        assert_eq!(keys.of(b"one", now + S * 7), KeyWrites::Unseen(S * 7));
        // While there is no connection it is not watched.
        keys.interrupted(now + S * 7);
        assert_eq!(keys.of(b"one", now + S * 20), KeyWrites::Unseen(S * 7));
        let unread = keys.unread(now + S * 20);
        keys.read(&unread, now + S * 20);
        assert_eq!(keys.of(b"one", now + S * 21), KeyWrites::Unseen(S * 8));
    }

    #[test]
    fn what_nobody_asks_about_any_more_is_not_watched() {
        let mut keys = ToldKeys::default();
        let start = instant();
        keys.ask(b"old", start);
        keys.ask(b"new", start + FORGOTTEN);
        assert_eq!(keys.unread(start + FORGOTTEN), [b"new".to_vec()]);
    }

    #[test]
    fn who_deletes_all_keys_writes_to_none_of_them_and_all_are_read_again() {
        let now = instant();
        let mut keys = one_read(now);
        keys.hear(&said(Value::Nil), now + S * 4).unwrap();
        assert_eq!(keys.of(b"one", now + S * 9), KeyWrites::Unseen(S * 4));
        assert_eq!(keys.unread(now + S * 9), [b"one".to_vec()]);
    }

    #[test]
    fn where_the_server_says_no_more_that_is_no_silence() {
        let now = instant();
        let ends = PushInfo {
            kind: PushKind::Disconnection,
            data: Vec::new(),
        };
        assert_eq!(one_read(now).hear(&ends, now), None);
    }
}
