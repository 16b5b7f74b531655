//! Keys that were written to, where the server tells only that some of those that we watch (WATCH)
//! was: which one is narrowed down by watching one half of them or the other until one of them is
//! written to. Of what is written to every few seconds, a single look at each would miss it in one of
//! the halvings more often than not.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::{FORGOTTEN, KeyWrites, age};

/// The time for which a write is believed at most.
const BELIEVED: Duration = Duration::from_secs(300);
/// A key must have been written to in so many windows: once, somebody may have cleared it away.
const SURE: u32 = 2;
/// The shortest time for which keys are watched, and what each of them adds to it.
const WINDOW: Duration = Duration::from_secs(1);
const EACH: Duration = Duration::from_millis(20);
/// The time after which a write is looked for again.
const RENEWED: Duration = Duration::from_secs(60);
/// A key that was watched in vain for so long is not written to any more.
const IN_VAIN: Duration = Duration::from_secs(40);
/// Windows in which a group that was written to may be quiet before it is given up.
const TRIES: u32 = 32;
/// Keys of the largest group of which each is told to be in doubt: who asks about one of these asks
/// again soon.
const FEW_KEYS: usize = 8;

/// The keys that are asked about, and which of them are written to.
#[derive(Default)]
pub(super) struct WatchedKeys {
    asked: BTreeMap<Vec<u8>, AskedKey>,
    /// When each was seen last to be written to, and in how many windows.
    written: BTreeMap<Vec<u8>, (Instant, u32)>,
    /// Groups in which some key was, or may have been, written to, the one that is watched next
    /// last.
    doubted: Vec<DoubtedGroup>,
    /// The keys that are watched.
    window: Vec<Vec<u8>>,
    /// The moment since which they are watched.
    pub(super) since: Option<Instant>,
    /// They are a part of the last of the doubted groups.
    pub(super) narrows: bool,
}

/// A group of keys of which some are written to.
struct DoubtedGroup {
    keys: Vec<Vec<u8>>,
    /// Some key of it was seen to be written to; else it is the other half of one where that is so.
    sure: bool,
    /// Windows in which nothing was written to what was watched of it.
    quiet: u32,
}

impl DoubtedGroup {
    /// The part of it that is watched next: its halves in turn, where it is sure that there is
    /// something to be found.
    fn part(&self) -> &[Vec<u8>] {
        let (first, second) = self.keys.split_at(self.keys.len() / 2);
        // Not strictly in turn: whoever writes at equal distances would be missed for ever.
        match self.quiet.count_ones() % 2 {
            _ if !self.sure || first.is_empty() => &self.keys,
            0 => first,
            _ => second,
        }
    }
}

/// A key that was asked about.
struct AskedKey {
    /// The last time.
    at: Instant,
    /// The time for which it was watched in vain since it, or another key beside it, was last
    /// written to.
    quiet: Duration,
    /// A window in which it was watched has ended.
    looked: bool,
}

impl WatchedKeys {
    /// Takes note of a question; true when it is the first one about that key.
    pub(super) fn ask(&mut self, key: &[u8], at: Instant) -> bool {
        if let Some(known) = self.asked.get_mut(key) {
            known.at = at;
            return false;
        }
        let quiet = Duration::ZERO;
        let looked = false;
        self.asked
            .insert(key.to_vec(), AskedKey { at, quiet, looked });
        true
    }

    /// The window has lasted long enough.
    pub(super) fn is_over(&self, now: Instant) -> bool {
        let keys = u32::try_from(self.window.len()).unwrap_or(u32::MAX);
        let lasts = WINDOW.max(EACH.saturating_mul(keys));
        self.since.is_some_and(|since| age(since, now) >= lasts)
    }

    /// The window has ended; some key of it was written to, or none.
    pub(super) fn end(&mut self, is_written: bool, now: Instant) {
        let window = std::mem::take(&mut self.window);
        let lasted = self
            .since
            .take()
            .map_or(Duration::ZERO, |since| age(since, now));
        for key in &window {
            if let Some(asked) = self.asked.get_mut(key) {
                asked.looked = true;
                asked.quiet = if is_written {
                    Duration::ZERO
                } else {
                    asked.quiet + lasted
                };
            }
        }
        if let Some(mut group) = self.doubted.pop_if(|_| self.narrows) {
            if is_written {
                group.keys.retain(|key| !window.contains(key));
                (group.sure, group.quiet) = (false, 0);
            } else {
                group.quiet += 1;
            }
            let most = if group.sure { TRIES } else { 1 };
            if group.quiet < most && !group.keys.is_empty() {
                self.doubted.push(group);
            } else if let [key] = group.keys.as_slice() {
                // Once, somebody may have cleared it away.
                self.written
                    .retain(|one, (_, times)| one != key || *times >= SURE);
            }
        }
        if !is_written {
            return;
        }
        let mut is_found = false;
        if let [key] = window.as_slice() {
            let (at, times) = self.written.entry(key.clone()).or_insert((now, 0));
            (*at, *times) = (now, *times + 1);
            is_found = *times >= SURE;
        }
        if !is_found {
            self.doubted.push(DoubtedGroup {
                keys: window,
                sure: true,
                quiet: 0,
            });
        }
    }

    /// The keys to be watched next: those of a group that is in doubt, else all that are asked about
    /// and were not seen to be written to a moment ago.
    pub(super) fn next(&mut self, now: Instant) -> Vec<Vec<u8>> {
        self.asked.retain(|_, asked| age(asked.at, now) < FORGOTTEN);
        let asked = &self.asked;
        let in_vain = |key: &Vec<u8>| asked.get(key).is_some_and(|asked| asked.quiet >= IN_VAIN);
        self.written
            .retain(|key, (at, _)| age(*at, now) < BELIEVED && !in_vain(key));
        let is_known = |key: &Vec<u8>| {
            let written = self.written.get(key);
            written.is_some_and(|(at, times)| *times >= SURE && age(*at, now) < RENEWED)
        };
        while let Some(group) = self.doubted.last_mut() {
            let is_open = |key: &Vec<u8>| self.asked.contains_key(key) && !is_known(key);
            group.keys.retain(is_open);
            if !group.keys.is_empty() {
                self.narrows = true;
                return group.part().to_vec();
            }
            self.doubted.pop();
        }
        self.narrows = false;
        let keys = self.asked.keys().filter(|key| !is_known(key));
        keys.cloned().collect()
    }

    /// These are watched from now on, beside what is watched already.
    pub(super) fn begin(&mut self, keys: Vec<Vec<u8>>, now: Instant) {
        self.since = self.since.or(Some(now));
        self.window.extend(keys);
    }

    /// The connection is gone, and with it all that was watched.
    pub(super) fn interrupted(&mut self) {
        self.window.clear();
        self.doubted.clear();
        self.written.retain(|_, (_, times)| *times >= SURE);
        (self.since, self.narrows) = (None, false);
    }

    /// The writes to it that were seen.
    pub(super) fn of(&self, key: &[u8], now: Instant) -> KeyWrites {
        match self.written.get(key) {
            Some((at, SURE..)) => return KeyWrites::Seen(age(*at, now)),
            Some((at, _)) => return KeyWrites::Once(age(*at, now)),
            None => {}
        }
        let has = |group: &DoubtedGroup| {
            group.keys.len() <= FEW_KEYS && group.keys.iter().any(|one| one == key)
        };
        if self.doubted.iter().any(has) {
            return KeyWrites::Doubted;
        }
        let asked = self.asked.get(key);
        let quiet = asked.map_or(Duration::ZERO, |asked| asked.quiet);
        // It is in the window, or will be when what is in doubt has been narrowed down.
        if asked.is_some_and(|asked| !asked.looked) && self.since.is_some() {
            return KeyWrites::Awaited;
        }
        KeyWrites::Unseen(quiet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::instant;

    /// Watches so many keys for so many windows of two seconds, in each of which `written` are
    /// written to; what is known of each then.
    fn watched(count: u8, written: &[u8], windows: u32) -> Vec<KeyWrites> {
        let mut keys = WatchedKeys::default();
        let start = instant();
        for key in 0..count {
            assert!(keys.ask(&[key], start));
        }
        for window in 0..windows {
            let now = start + Duration::from_secs(2) * window;
            let next = keys.next(now);
            let is_written = next.iter().any(|key| written.contains(&key[0]));
            keys.begin(next, now);
            assert!(!keys.is_over(now));
            let now = now + Duration::from_secs(2);
            assert!(keys.is_over(now));
            keys.end(is_written, now);
        }
        let end = start + Duration::from_secs(2) * windows;
        (0..count).map(|key| keys.of(&[key], end)).collect()
    }

    #[test]
    fn a_key_that_is_written_to_is_found_among_many_in_few_windows() {
        for (count, windows) in [(1, 2), (2, 5), (40, 16), (64, 16)] {
            for written in [0, count / 2, count - 1] {
                let known = watched(count, &[written], windows);
                let seen = |n: u8| matches!(known[usize::from(n)], KeyWrites::Seen(_));
                let all: Vec<u8> = (0..count).filter(|n| seen(*n)).collect();
                assert_eq!(all, [written], "of {count}");
            }
        }
    }

    #[test]
    fn all_that_are_written_to_are_found_and_the_others_are_not_doubted_in_the_end() {
        let known = watched(9, &[1, 2, 7], 28);
        for (key, known) in (0..).zip(known) {
            match key {
                1 | 2 | 7 => assert!(matches!(known, KeyWrites::Seen(_)), "{key}"),
                _ => assert!(
                    matches!(known, KeyWrites::Unseen(quiet) if !quiet.is_zero()),
                    "{key}"
                ),
            }
        }
    }

    #[test]
    fn while_it_is_narrowed_down_which_was_written_to_each_of_the_group_is_doubted() {
        let known = watched(4, &[3], 1);
        assert_eq!(known, [KeyWrites::Doubted; 4]);
        assert_eq!(
            watched(1, &[], 3),
            [KeyWrites::Unseen(Duration::from_secs(6))]
        );
    }

    #[test]
    fn what_was_written_to_once_was_cleared_away() {
        let mut keys = WatchedKeys::default();
        let mut now = instant();
        keys.ask(b"one", now);
        for quiet in 0..=TRIES {
            let next = keys.next(now);
            keys.begin(next, now);
            now += WINDOW;
            keys.end(quiet == 0, now);
            let doubted = matches!(
                keys.of(b"one", now),
                KeyWrites::Doubted | KeyWrites::Once(_)
            );
            assert_eq!(doubted, quiet < TRIES, "{quiet}");
        }
    }

    #[test]
    fn a_key_that_is_written_to_at_equal_distances_is_never_quiet_for_long() {
        // Of 34 keys one is written to each second, another each 15 s or 25 s.
        for every in [15, 25] {
            let mut keys = WatchedKeys::default();
            let start = instant();
            let (mut wrong, mut lost, mut found, mut now_s) = (0, 0, false, 0);
            while now_s < 900 {
                let now = start + Duration::from_secs(now_s);
                for key in 0..34_u8 {
                    keys.ask(&[key], now);
                }
                let next = keys.next(now);
                let often = next.contains(&vec![3]);
                let seldom = next.contains(&vec![20]) && (now_s + 2) / every > now_s / every;
                keys.begin(next, now);
                now_s += 2;
                keys.end(often || seldom, start + Duration::from_secs(now_s));
                let told = keys.of(&[20], start + Duration::from_secs(now_s));
                let quiet = matches!(told, KeyWrites::Unseen(ms) if ms >= Duration::from_secs(60));
                wrong += u32::from(quiet);
                let is_seen = matches!(told, KeyWrites::Seen(_));
                lost += u32::from(found && !is_seen);
                found |= is_seen;
            }
            assert_eq!((wrong, lost), (0, 0), "windows, each {every} s");
            let told = keys.of(&[3], start + Duration::from_secs(now_s));
            assert!(matches!(told, KeyWrites::Seen(_)));
        }
    }

    #[test]
    fn a_key_that_is_written_to_now_and_then_is_found_among_many_and_no_other_is() {
        const KEYS: u8 = 34;
        /// Windows of two seconds in two minutes.
        const WINDOWS: u32 = 60;
        let mut in_time = 0;
        for seed in 0..40_u8 {
            let mut keys = WatchedKeys::default();
            let mut now = instant();
            for key in 0..KEYS {
                keys.ask(&[key], now);
            }
            let written = seed % KEYS;
            let mut dice = u32::from(seed) * 7_919 + 1;
            for _ in 0..WINDOWS {
                let next = keys.next(now);
                // A message in five seconds, and one in three windows sees one.
                dice = dice.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let is_written = dice >> 16 < 0x5555 && next.contains(&vec![written]);
                keys.begin(next, now);
                now += WINDOW * 2;
                keys.end(is_written, now);
            }
            in_time += u32::from(matches!(keys.of(&[written], now), KeyWrites::Seen(_)));
            let other = (0..KEYS).filter(|key| *key != written);
            let seen = other.filter(|key| matches!(keys.of(&[*key], now), KeyWrites::Seen(_)));
            assert_eq!(seen.count(), 0, "{seed}");
        }
        assert!(in_time >= 30, "{in_time} of 40");
    }

    /// One key that is watched from now on.
    fn one_watched(now: Instant) -> WatchedKeys {
        let mut keys = WatchedKeys::default();
        keys.ask(b"one", now);
        let next = keys.next(now);
        keys.begin(next, now);
        keys
    }

    #[test]
    fn before_the_first_window_has_ended_nothing_is_known() {
        let now = instant();
        let mut keys = one_watched(now);
        assert_eq!(keys.of(b"one", now), KeyWrites::Awaited);
        keys.end(false, now + WINDOW);
        assert_eq!(keys.of(b"one", now), KeyWrites::Unseen(WINDOW));
        let next = keys.next(now + WINDOW);
        keys.begin(next, now + WINDOW);
        assert_eq!(keys.of(b"one", now), KeyWrites::Unseen(WINDOW));
    }

    #[test]
    fn a_key_that_nobody_writes_to_any_more_is_known_to_be_one_within_two_minutes() {
        // Among 20 keys, one of which is written to all the time, and alone.
        for others in [0, 20_u8] {
            let mut keys = WatchedKeys::default();
            let start = instant();
            let mut ends = None;
            for second in (0..400).step_by(2) {
                let now = start + Duration::from_secs(second);
                for key in 0..=others {
                    keys.ask(&[key], now);
                }
                let next = keys.next(now);
                let busy = others > 0 && next.contains(&vec![others]);
                let written = second < 60 && next.contains(&vec![0]);
                keys.begin(next, now);
                let end = now + Duration::from_secs(2);
                keys.end(busy || written, end);
                if !matches!(keys.of(&[0], end), KeyWrites::Seen(_)) {
                    ends = ends.or_else(|| (second > 60).then_some(second));
                }
            }
            let ends = ends.unwrap();
            assert!(ends - 60 <= 120, "{ends} s, {others} others");
        }
    }

    #[test]
    fn where_nothing_can_be_watched_nothing_is_awaited() {
        let now = instant();
        let mut keys = one_watched(now);
        keys.interrupted();
        assert_eq!(keys.of(b"one", now), KeyWrites::Unseen(Duration::ZERO));
    }

    #[test]
    fn what_nobody_asks_about_any_more_is_not_watched() {
        let mut keys = WatchedKeys::default();
        let start = instant();
        keys.ask(b"old", start);
        keys.ask(b"new", start + FORGOTTEN);
        assert_eq!(keys.next(start + FORGOTTEN), [b"new".to_vec()]);
    }
}
