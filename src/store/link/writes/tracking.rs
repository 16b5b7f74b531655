//! Keys that were written to, as the server itself tells it: since Redis 6.0 a connection can be told
//! when a key that it has read is written to (CLIENT TRACKING), also one that is not there, and by its
//! name. Each reading is answered once, so that a key is read again after each write of which we were
//! told.
//!
//! A key of the same name in another database is told of in the same words. So those that are not
//! there are watched as well (WATCH), which knows the database: the next write to one of them creates
//! it. All that was written before an EXEC is told of before its answer, so that where one of them was
//! told of, the answer is about that one; where it was several, each is watched by itself.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use redis::{PushInfo, PushKind, Value};

use super::{FORGOTTEN, KeyWrites, age};

/// A write is no sign any more after this: nobody is seen to write to that key.
const FRESH: Duration = Duration::from_secs(20);
/// A key that a watch has shown to be written to in our database is not watched for so long.
const CONFIRMED: Duration = Duration::from_secs(60);
/// The server is taken at its word about it for so long, unless another watch shows that it tells of
/// another database: of many such keys, it takes a while until each was watched again.
const BELIEVED: Duration = Duration::from_secs(600);
/// A key that is watched by itself in vain for so long is one of another database.
const CHECKED: Duration = Duration::from_secs(20);
/// Keys that are watched at most; of more of them, those that the server has told of.
const MOST_KEYS: usize = 512;

/// The keys that are asked about, and what was told of them.
#[derive(Default)]
pub(super) struct ToldKeys {
    keys: BTreeMap<Vec<u8>, ToldKey>,
    /// The end of the watch says nothing of any of them: all keys were deleted, or one that is still
    /// watched is forgotten.
    is_void: bool,
}

/// A key that was asked about.
struct ToldKey {
    /// The last time.
    asked: Instant,
    stage: KeyStage,
    /// The moment since which the server would tell of a write; none while it would not.
    since: Option<Instant>,
    /// The time for which it would have told, up to `since`.
    quiet: Duration,
    /// The last time that the server told of it.
    told: Option<Instant>,
    /// It was told of together with others: it is to be watched by itself.
    is_doubted: bool,
    /// The last time that a watch has shown that it was written to in our database.
    confirmed: Option<Instant>,
    /// The last write to it in our database.
    written: Option<Instant>,
}

/// The state of our look at a key.
#[derive(Clone, Copy, Eq, PartialEq)]
enum KeyStage {
    /// It is still to be read.
    Unread,
    /// The server does not let us look at it.
    Refused,
    /// It was there when it was read: the next write to it may as well take something away.
    Present,
    /// It was not there.
    Absent,
    /// It was not there, and is watched.
    Watched,
    /// It was watched, and the server has told of it.
    Told,
}

impl ToldKeys {
    /// Takes note of a question.
    pub(super) fn ask(&mut self, key: &[u8], at: Instant) {
        let fresh = || ToldKey {
            asked: at,
            stage: KeyStage::Unread,
            since: None,
            quiet: Duration::ZERO,
            told: None,
            is_doubted: false,
            confirmed: None,
            written: None,
        };
        self.keys.entry(key.to_vec()).or_insert_with(fresh).asked = at;
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
            // All keys were deleted, of one database or of all: it will tell of none of them.
            (PushKind::Invalidate, _) => self.is_void = true,
            _ => {}
        }
        Some(())
    }

    fn wrote(&mut self, key: &[u8], at: Instant) {
        let Some(key) = self.keys.get_mut(key) else {
            return;
        };
        (key.since, key.quiet, key.told) = (None, Duration::ZERO, Some(at));
        // Of one that is watched the end of the watch tells.
        if matches!(key.stage, KeyStage::Watched | KeyStage::Told) {
            key.stage = KeyStage::Told;
            return;
        }
        key.stage = KeyStage::Unread;
        if key.was_confirmed(at, BELIEVED) {
            key.written = Some(at);
        }
    }

    /// Tells whether the watch is to be ended now: it will say something.
    pub(super) fn is_over(&self) -> bool {
        self.is_void || self.keys.values().any(|key| key.stage == KeyStage::Told)
    }

    /// The watch was ended; something was written to a key of our database that was watched, or
    /// nothing was.
    pub(super) fn end(&mut self, is_written: bool, now: Instant) {
        if std::mem::take(&mut self.is_void) {
            self.interrupted(now);
            return;
        }
        let mut told: Vec<&mut ToldKey> = self.keys.values_mut().collect();
        told.retain(|key| key.stage == KeyStage::Told);
        match told.as_mut_slice() {
            [key] if is_written => {
                (key.confirmed, key.written) = (Some(now), key.told);
                key.is_doubted = false;
            }
            several => {
                for key in several {
                    key.is_doubted = is_written;
                    key.confirmed = key.confirmed.filter(|_| is_written);
                    if key.was_confirmed(now, BELIEVED) {
                        key.written = key.told;
                    }
                }
            }
        }
        for key in self.keys.values_mut() {
            key.stage = match key.stage {
                KeyStage::Told => KeyStage::Unread,
                KeyStage::Watched => KeyStage::Absent,
                stage => stage,
            };
        }
    }

    /// The keys that are to be read now, so that the server tells of their next write; without any,
    /// another one where `one` is wanted. What nobody asks about any more is forgotten.
    pub(super) fn unread(&mut self, one: bool, now: Instant) -> Vec<Vec<u8>> {
        let is_void = &mut self.is_void;
        self.keys.retain(|_, key| {
            let is_kept = age(key.asked, now) < FORGOTTEN;
            *is_void |= !is_kept && matches!(key.stage, KeyStage::Watched | KeyStage::Told);
            is_kept
        });
        let unread = |(_, key): &(&Vec<u8>, &ToldKey)| key.stage == KeyStage::Unread;
        let mut names: Vec<_> = self.keys.iter().filter(unread).collect();
        if names.is_empty() && one {
            names.extend(self.keys.first_key_value());
        }
        names.into_iter().map(|(name, _)| name.clone()).collect()
    }

    /// This one was read a moment ago; none when we may not, on this connection.
    pub(super) fn read(&mut self, key: &[u8], is_there: Option<bool>, now: Instant) {
        let key = self.keys.get_mut(key);
        let Some(key) = key.filter(|key| key.stage == KeyStage::Unread) else {
            return;
        };
        key.since = is_there.map(|_| now);
        key.stage = match is_there {
            None => KeyStage::Refused,
            Some(true) => KeyStage::Present,
            Some(false) => KeyStage::Absent,
        };
    }

    /// The keys that are to be watched as well from now on: those that are not there, or one of which
    /// it is in doubt.
    pub(super) fn unwatched(&mut self, now: Instant) -> Vec<Vec<u8>> {
        for key in self.keys.values_mut() {
            key.is_doubted = key.is_doubted_at(now);
        }
        let is_free = |(_, key): &(&Vec<u8>, &ToldKey)| {
            key.stage == KeyStage::Absent && !key.was_confirmed(now, CONFIRMED)
        };
        let watched = || {
            self.keys
                .values()
                .filter(|key| key.stage == KeyStage::Watched)
        };
        if watched().any(|key| key.is_doubted) {
            return Vec::new();
        }
        let mut free: Vec<_> = self.keys.iter().filter(is_free).collect();
        let doubted = free.iter().position(|(_, key)| key.is_doubted);
        if let Some(doubted) = doubted.filter(|_| watched().next().is_none()) {
            free = vec![free[doubted]];
        }
        if free.len() > MOST_KEYS {
            free.retain(|(_, key)| key.told.is_some());
        }
        free.into_iter().map(|(name, _)| name.clone()).collect()
    }

    /// This one is watched from now on, or we may not.
    pub(super) fn watched(&mut self, key: &[u8], may: bool) {
        let key = self.keys.get_mut(key);
        if let Some(key) = key.filter(|key| key.stage == KeyStage::Absent) {
            key.stage = if may {
                KeyStage::Watched
            } else {
                KeyStage::Refused
            };
        }
    }

    /// The connection is gone, and with it all that the server would tell.
    pub(super) fn interrupted(&mut self, now: Instant) {
        self.is_void = false;
        for key in self.keys.values_mut() {
            key.quiet = key.quiet_for(now);
            (key.since, key.stage) = (None, KeyStage::Unread);
            key.is_doubted = false;
        }
    }

    /// The time since the last write to it in our database.
    pub(super) fn written_ago(&self, key: &[u8], now: Instant) -> Option<Duration> {
        Some(age(self.keys.get(key)?.written?, now))
    }

    /// The writes to a key.
    pub(super) fn of(&self, key: &[u8], now: Instant) -> KeyWrites {
        let ago = self.written_ago(key, now).filter(|ago| *ago < FRESH);
        match (ago, self.keys.get(key)) {
            (Some(ago), _) => KeyWrites::Seen(ago),
            (None, Some(key)) if key.is_doubted_at(now) => KeyWrites::Doubted,
            (None, key) => KeyWrites::Unseen(key.map_or(Duration::ZERO, |key| key.quiet_for(now))),
        }
    }
}

impl ToldKey {
    fn was_confirmed(&self, now: Instant, within: Duration) -> bool {
        self.confirmed.is_some_and(|at| age(at, now) < within)
    }

    fn is_doubted_at(&self, now: Instant) -> bool {
        self.is_doubted && self.told.is_some_and(|told| age(told, now) < CHECKED)
    }

    fn quiet_for(&self, now: Instant) -> Duration {
        self.quiet + self.since.map_or(Duration::ZERO, |since| age(since, now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::instant;

    const S: Duration = Duration::from_secs(1);

    /// Reads what is to be read, none of which is there, and watches what is to be watched.
    fn look(keys: &mut ToldKeys, now: Instant) -> Vec<Vec<u8>> {
        for key in keys.unread(false, now) {
            keys.read(&key, Some(false), now);
        }
        let unwatched = keys.unwatched(now);
        for key in &unwatched {
            keys.watched(key, true);
        }
        unwatched
    }

    /// Keys that are watched from now on.
    fn watched(names: &[&[u8]], now: Instant) -> ToldKeys {
        let mut keys = ToldKeys::default();
        for name in names {
            keys.ask(name, now);
        }
        assert_eq!(look(&mut keys, now), names);
        assert!(!keys.is_over());
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
    fn one_key_that_was_told_of_while_something_was_written_here_is_the_one() {
        let now = instant();
        let mut keys = watched(&[b"one", b"two"], now);
        assert_eq!(keys.of(b"one", now + S), KeyWrites::Unseen(S));
        keys.hear(&written(b"one"), now + S).unwrap();
        assert!(keys.is_over());
        keys.end(true, now + S * 2);
        assert_eq!(keys.of(b"one", now + S * 3), KeyWrites::Seen(S * 2));
        assert_eq!(keys.written_ago(b"one", now + S * 3), Some(S * 2));
        assert_eq!(keys.of(b"two", now + S * 3), KeyWrites::Unseen(S * 3));
        // From now on the server is taken at its word, and the others are watched.
        assert_eq!(look(&mut keys, now + S * 3), [b"two".to_vec()]);
        keys.hear(&written(b"one"), now + S * 50).unwrap();
        assert!(!keys.is_over());
        assert_eq!(keys.of(b"one", now + S * 51), KeyWrites::Seen(S));
        // Not for ever: it may be another database by now.
        assert!(look(&mut keys, now + S * 51).is_empty());
        assert_eq!(look(&mut keys, now + S * 63), [b"one".to_vec()]);
        keys.hear(&written(b"one"), now + S * 64).unwrap();
        keys.end(false, now + S * 65);
        assert!(matches!(
            keys.of(b"one", now + S * 71),
            KeyWrites::Unseen(_)
        ));
    }

    #[test]
    fn what_is_told_of_while_nothing_was_written_here_was_written_elsewhere() {
        let now = instant();
        let mut keys = watched(&[b"one", b"two"], now);
        keys.hear(&written(b"one"), now + S).unwrap();
        keys.end(false, now + S);
        assert_eq!(keys.of(b"one", now + S), KeyWrites::Unseen(Duration::ZERO));
        assert_eq!(look(&mut keys, now + S), [b"one".to_vec(), b"two".to_vec()]);
    }

    #[test]
    fn of_several_that_were_told_of_at_once_each_is_watched_by_itself() {
        let now = instant();
        let mut keys = watched(&[b"one", b"two", b"well"], now);
        keys.hear(&written(b"one"), now + S).unwrap();
        keys.hear(&written(b"two"), now + S).unwrap();
        keys.end(true, now + S);
        assert_eq!(keys.of(b"one", now + S), KeyWrites::Doubted);
        assert_eq!(keys.of(b"two", now + S), KeyWrites::Doubted);
        assert!(matches!(keys.of(b"well", now + S), KeyWrites::Unseen(_)));
        assert_eq!(look(&mut keys, now + S), [b"one".to_vec()]);
        // What is told of another one says nothing then.
        keys.hear(&written(b"two"), now + S * 2).unwrap();
        assert!(!keys.is_over());
        keys.hear(&written(b"one"), now + S * 3).unwrap();
        keys.end(false, now + S * 3);
        assert!(matches!(keys.of(b"one", now + S * 3), KeyWrites::Unseen(_)));
        assert_eq!(look(&mut keys, now + S * 3), [b"two".to_vec()]);
        keys.hear(&written(b"two"), now + S * 4).unwrap();
        keys.end(true, now + S * 4);
        assert_eq!(
            keys.of(b"two", now + S * 4),
            KeyWrites::Seen(Duration::ZERO)
        );
        assert_eq!(look(&mut keys, now + S * 4).len(), 2);
    }

    #[test]
    fn a_doubt_ends_when_the_key_is_not_told_of_again() {
        let now = instant();
        let mut keys = watched(&[b"one", b"two"], now);
        keys.hear(&written(b"one"), now).unwrap();
        keys.hear(&written(b"two"), now).unwrap();
        keys.end(true, now);
        assert_eq!(look(&mut keys, now), [b"one".to_vec()]);
        assert_eq!(look(&mut keys, now + CHECKED), [b"two".to_vec()]);
        assert!(matches!(
            keys.of(b"one", now + CHECKED),
            KeyWrites::Unseen(_)
        ));
    }

    #[test]
    fn a_message_a_minute_is_seen_each_time() {
        let now = instant();
        let mut keys = watched(&[b"one"], now);
        for minute in 1..5 {
            let now = now + S * 60 * minute;
            keys.ask(b"one", now);
            look(&mut keys, now);
            keys.hear(&written(b"one"), now).unwrap();
            if keys.is_over() {
                keys.end(true, now);
            }
            let known = keys.of(b"one", now);
            assert_eq!(known, KeyWrites::Seen(Duration::ZERO), "{minute}");
        }
    }

    #[test]
    fn what_stands_there_is_not_watched_until_it_is_gone() {
        let now = instant();
        let mut keys = ToldKeys::default();
        keys.ask(b"one", now);
        assert_eq!(keys.unread(false, now), [b"one".to_vec()]);
        keys.read(b"one", Some(true), now);
        assert!(keys.unwatched(now).is_empty());
        // Taken away.
        keys.hear(&written(b"one"), now + S).unwrap();
        assert!(!keys.is_over());
        assert_eq!(look(&mut keys, now + S), [b"one".to_vec()]);
    }

    #[test]
    fn what_we_may_not_look_at_is_not_asked_for_again_on_this_connection_and_takes_nothing_from_others()
     {
        let now = instant();
        let mut keys = ToldKeys::default();
        keys.ask(b"no", now);
        keys.ask(b"yes", now);
        keys.read(b"no", None, now);
        assert_eq!(look(&mut keys, now), [b"yes".to_vec()]);
        assert_eq!(keys.of(b"no", now + S), KeyWrites::Unseen(Duration::ZERO));
        keys.interrupted(now + S);
        assert_eq!(keys.unread(false, now + S).len(), 2);
    }

    #[test]
    fn a_key_that_nobody_writes_to_is_unseen_for_as_long_as_it_was_looked_at() {
        let now = instant();
        let mut keys = watched(&[b"one"], now);
        assert_eq!(keys.of(b"one", now + S * 7), KeyWrites::Unseen(S * 7));
        // While there is no connection nothing is told.
        keys.interrupted(now + S * 7);
        assert_eq!(keys.of(b"one", now + S * 20), KeyWrites::Unseen(S * 7));
        look(&mut keys, now + S * 20);
        assert_eq!(keys.of(b"one", now + S * 21), KeyWrites::Unseen(S * 8));
    }

    #[test]
    fn what_nobody_asks_about_any_more_is_forgotten() {
        let mut keys = ToldKeys::default();
        let start = instant();
        keys.ask(b"old", start);
        keys.ask(b"new", start + FORGOTTEN);
        assert_eq!(keys.unread(false, start + FORGOTTEN), [b"new".to_vec()]);
    }

    #[test]
    fn a_key_that_is_forgotten_while_it_is_watched_makes_the_watch_say_nothing() {
        let start = instant();
        let mut keys = watched(&[b"old", b"one"], start);
        let now = start + FORGOTTEN;
        keys.ask(b"one", now);
        assert!(keys.unread(false, now).is_empty());
        // What was written in our database may have been the old one.
        keys.hear(&written(b"one"), now).unwrap();
        assert!(keys.is_over());
        keys.end(true, now);
        assert_eq!(keys.written_ago(b"one", now), None);
        assert_eq!(look(&mut keys, now), [b"one".to_vec()]);
    }

    #[test]
    fn who_deletes_all_keys_writes_to_none_of_them_and_all_are_read_again() {
        let now = instant();
        let mut keys = watched(&[b"one", b"two"], now);
        keys.hear(&said(Value::Nil), now + S * 4).unwrap();
        assert!(keys.is_over());
        keys.end(true, now + S * 4);
        assert_eq!(keys.of(b"one", now + S * 9), KeyWrites::Unseen(S * 4));
        assert_eq!(keys.unread(false, now + S * 9).len(), 2);
    }

    #[test]
    fn of_more_keys_than_can_be_watched_those_are_that_were_told_of() {
        let now = instant();
        let mut keys = ToldKeys::default();
        let names: Vec<Vec<u8>> = (0..=MOST_KEYS)
            .map(|n| n.to_string().into_bytes())
            .collect();
        for name in &names {
            keys.ask(name, now);
        }
        assert!(look(&mut keys, now).is_empty());
        keys.hear(&written(&names[7]), now + S).unwrap();
        assert!(!keys.is_over());
        assert_eq!(look(&mut keys, now + S), [names[7].clone()]);
    }

    #[test]
    fn where_the_server_says_no_more_that_is_no_silence() {
        let now = instant();
        let ends = PushInfo {
            kind: PushKind::Disconnection,
            data: Vec::new(),
        };
        assert_eq!(watched(&[b"one"], now).hear(&ends, now), None);
    }
}
