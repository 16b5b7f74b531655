//! Keys that were written to, as the server itself tells it: since Redis 6.0 a connection can be told
//! when a key that it has read is written to (CLIENT TRACKING), also one that is not there, and by its
//! name. Each reading is answered once, so that a key is read again after each write of which we were
//! told.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use redis::{PushInfo, PushKind, Value};

use super::{BELIEVED, FORGOTTEN, KeyWrites, SURE, age};

/// A key that was watched in vain for so long is not written to any more: no write is missed.
const IN_VAIN: Duration = Duration::from_secs(20);
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
    /// The time for which it was watched in vain since the last write, up to `since`.
    quiet: Duration,
    /// The last write, and how many there were.
    written: Option<(Instant, u32)>,
    /// There was one since it was last asked about.
    is_news: bool,
}

impl ToldKeys {
    /// Takes note of a question.
    pub(super) fn ask(&mut self, key: &[u8], at: Instant) {
        let fresh = || ToldKey {
            asked: at,
            since: None,
            quiet: Duration::ZERO,
            written: None,
            is_news: false,
        };
        let known = self.0.entry(key.to_vec()).or_insert_with(fresh);
        (known.asked, known.is_news) = (at, false);
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
            // All keys of the database were deleted: none of them is watched any more.
            (PushKind::Invalidate, _) => self.interrupted(at),
            _ => {}
        }
        Some(())
    }

    fn wrote(&mut self, key: &[u8], at: Instant) {
        if let Some(known) = self.0.get_mut(key) {
            let times = known.written.map_or(0, |(_, times)| times);
            (known.since, known.quiet) = (None, Duration::ZERO);
            known.written = Some((at, times + 1));
            known.is_news = true;
        }
    }

    /// Tells whether it was written to since it was last asked about.
    pub(super) fn has_news_of(&self, key: &[u8]) -> bool {
        self.0.get(key).is_some_and(|known| known.is_news)
    }

    /// The keys that are to be read now, so that the server tells of their next write. What nobody
    /// asks about any more is forgotten.
    pub(super) fn unread(&mut self, now: Instant) -> Vec<Vec<u8>> {
        self.0.retain(|_, key| age(key.asked, now) < FORGOTTEN);
        for key in self.0.values_mut() {
            let quiet = key.quiet_for(now);
            // Once, somebody may have cleared it away.
            let is_over = |(at, _): &(Instant, u32)| age(*at, now) >= BELIEVED || quiet >= IN_VAIN;
            key.written = key.written.filter(|written| !is_over(written));
        }
        let unread = self.0.iter().filter(|(_, key)| key.since.is_none());
        unread.map(|(name, _)| name.clone()).collect()
    }

    /// These were read a moment ago.
    pub(super) fn read(&mut self, keys: &[Vec<u8>], now: Instant) {
        for key in keys {
            if let Some(key) = self.0.get_mut(key) {
                key.since = Some(now);
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

    /// The writes to that key.
    pub(super) fn of(&self, key: &[u8], now: Instant) -> KeyWrites {
        match self.0.get(key) {
            Some(ToldKey {
                written: Some((at, SURE..)),
                ..
            }) => KeyWrites::Seen(age(*at, now)),
            Some(ToldKey {
                written: Some((at, _)),
                ..
            }) => KeyWrites::Once(age(*at, now)),
            Some(key)
                if key.since.is_some_and(|since| age(since, now) < AWAITED)
                    && key.quiet.is_zero() =>
            {
                KeyWrites::Awaited
            }
            Some(key) => KeyWrites::Unseen(key.quiet_for(now)),
            None => KeyWrites::Unseen(Duration::ZERO),
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

    /// The server tells of a write to it, and it is read again.
    fn told(keys: &mut ToldKeys, at: Instant) {
        let one = Value::BulkString(b"one".to_vec());
        let said = PushInfo {
            kind: PushKind::Invalidate,
            data: vec![Value::Array(vec![one])],
        };
        keys.hear(&said, at).unwrap();
        let unread = keys.unread(at);
        keys.read(&unread, at);
    }

    #[test]
    fn a_key_is_read_again_after_each_write_and_the_second_one_makes_sure() {
        let now = instant();
        let mut keys = one_read(now);
        assert_eq!(keys.of(b"one", now), KeyWrites::Awaited);
        told(&mut keys, now + S);
        assert_eq!(keys.of(b"one", now + S), KeyWrites::Once(Duration::ZERO));
        told(&mut keys, now + S * 3);
        assert_eq!(keys.of(b"one", now + S * 5), KeyWrites::Seen(S * 2));
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
    fn what_is_watched_in_vain_is_not_written_to_any_more() {
        let now = instant();
        let mut keys = one_read(now);
        told(&mut keys, now + S);
        told(&mut keys, now + S * 2);
        let before = now + S + IN_VAIN;
        assert!(keys.unread(before).is_empty());
        assert!(matches!(keys.of(b"one", before), KeyWrites::Seen(_)));
        let later = before + S;
        assert!(keys.unread(later).is_empty());
        assert_eq!(keys.of(b"one", later), KeyWrites::Unseen(IN_VAIN));
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
        let flushed = PushInfo {
            kind: PushKind::Invalidate,
            data: vec![Value::Nil],
        };
        keys.hear(&flushed, now + S * 4).unwrap();
        assert_eq!(keys.of(b"one", now + S * 9), KeyWrites::Unseen(S * 4));
        assert_eq!(keys.unread(now + S * 9), [b"one".to_vec()]);
    }
}
