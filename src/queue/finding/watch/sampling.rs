//! When it is time for another sample of the members, and what it shall bring. A sample costs the
//! server as much as a survey: where nothing is odd and nothing stands still, it is taken seldom.

use super::{Beat, LastingHead, Watch};
use crate::clock::EpochMillis;
use crate::queue::EntryId;
use crate::queue::frames::{Frames, FramesAsk, JudgedMember, Place};

/// A sample is taken again after this, in ms, where the last one showed nothing odd.
const SAMPLE_MS: i64 = 20_000;
/// A sample is taken again after this, in ms, when the queue looks as it did then.
const UNCHANGED_MS: i64 = 120_000;
/// A sample is taken again after the first of these, in ms, when target has grown within the
/// second: whether it is consumed is seen by what leaves its front.
const GROWS_MS: i64 = 10_000;
const GROWTH_MS: i64 = 30_000;
/// Elements by which target has grown at least: by fewer it may grow by chance.
pub(in crate::queue::finding) const LEAST_GROWTH: u64 = 5;
/// A sample is taken again after this, in ms, when it showed members of both eras or foreign ones: with
/// the second pulse after it, which comes a little less than two seconds later.
const ODD_MS: i64 = 1_800;
/// A sample is taken again after this, in ms, when it cost the server more than [`DEAR_US`].
const SELDOM_MS: i64 = 100_000;
const DEAR_US: u64 = 2_000;
/// A sample is taken again no sooner than after this, in ms, when another entry has come to a
/// standstill at the head.
pub(super) const AGAIN_MS: i64 = 1_000;
/// A sample that is wanted within this after the last one, in ms, is not left for the next survey.
const EARLY_MS: i64 = 10_000;
/// A sample that was asked for comes within this, in ms, or not at all.
const COMES_MS: i64 = 10_000;
/// An entry that heads timeouts although due for so long is no hand-over.
const STANDS_MS: i64 = 1_500;
/// Elements that have stood in target for so long are no hand-over, in ms.
pub(in crate::queue::finding) const LIES_MS: i64 = 3_000;
/// Samples so far apart tell whether anything is taken from target, in ms.
pub(in crate::queue::finding) const APART_MS: i64 = 6_000;
/// By so many more entries that wait, a burst will come.
const JUMP: u64 = 1_000;
/// Elements in target, or late entries, that are no hand-over.
pub(in crate::queue::finding) const BEYOND_HAND_OVER: u64 = 100;
/// Entries are looked for in an order list from so many elements on.
const LONG_LIST: u64 = 5_000;
/// An entry behind so many elements of it lies deep.
const DEEP: u64 = 1_000;
/// The time in ms before what lies deep falls due in which it is looked for more often.
const NEAR_MS: i64 = 120_000;
/// Until sizes are known, a sample begins with so many.
pub(super) const FEELER: usize = 10;

/// The next due entries lie far down in the order list: transfers walk there.
fn lies_deep(last: &Frames) -> bool {
    let is_deep = |place: &Place| match place {
        Place::At(behind) | Place::Beyond(behind) => *behind >= DEEP,
    };
    let places = last.depth.get_ref();
    places.is_some_and(|places| places.iter().any(|(_, place)| is_deep(place)))
}

/// Another sample as dear as the last one, which is so many ms old, would be too much: they may take a
/// thousandth of the server's time, and come no more often than each ten seconds.
fn is_dear(last: &Frames, age: i64) -> bool {
    age < rests_ms(last)
}

/// The time in ms after which a sample like the last one may be taken again.
fn rests_ms(last: &Frames) -> i64 {
    let rests = i64::try_from(last.server_us).unwrap_or(i64::MAX);
    rests.max(GROWS_MS)
}

/// The next due one of a sample falls due within [`NEAR_MS`].
fn is_near(last: &Frames, beat: &Beat) -> bool {
    let due = last.next_due.first().and_then(JudgedMember::due_at);
    due.is_some_and(|due| (0..NEAR_MS).contains(&due.since(beat.at)))
}

impl Watch {
    /// A sample has been asked for: until it comes none is wanted, or for ten seconds.
    pub fn asks_for_sample(&mut self) {
        let last = self.beats.back();
        self.asked = Some(last.map_or(EpochMillis::default(), |beat| beat.at));
    }

    /// The sample to be taken with the next survey, when it is time for one: there is something
    /// to look at, and the last one is old, or something stands still.
    #[must_use]
    pub fn wants_sample(&self, long: usize) -> Option<FramesAsk> {
        let Some(beat) = self.beats.back() else {
            let first = FramesAsk {
                count: FEELER,
                long,
                // Nobody knows yet how long the order list is.
                seek: true,
            };
            return self.asked.is_none().then_some(first);
        };
        let comes = |asked| beat.at.since(asked) < COMES_MS;
        if self.asked.is_some_and(comes) {
            return None;
        }
        let some = [beat.waiting, beat.order, beat.target];
        if some.iter().all(|count| matches!(count, Some(0) | None)) {
            return None;
        }
        // In a short list nothing is far down.
        let seek = beat.order.is_some_and(|order| order >= LONG_LIST);
        let ask = FramesAsk::of(self.largest, long, seek);
        let Some(last) = self.sample() else {
            let count = ask.count.min(FEELER);
            return Some(FramesAsk { count, ..ask });
        };
        let age = beat.at.since(last.at);
        let wanted = age >= self.rests(last, beat) || age < 0 || self.presses(last, ask.count, age);
        wanted.then_some(ask)
    }

    /// The time for which no other sample is wanted after the last one, in ms, unless something
    /// presses.
    fn rests(&self, last: &Frames, beat: &Beat) -> i64 {
        match () {
            // Somebody else may sort that list before it falls due, and the warning ends with that.
            () if last.server_us > DEAR_US && lies_deep(last) && is_near(last, beat) => {
                rests_ms(last).min(SELDOM_MS)
            }
            () if last.server_us > DEAR_US => SELDOM_MS,
            // Whoever mends it wants to see that.
            () if last.is_odd() => ODD_MS,
            () if self.has_open_twin() => ODD_MS,
            () if last.twin.is_none() && self.twins.are_doubted(last.at) => ODD_MS,
            // Another one may sort that list, which no figure shows.
            () if lies_deep(last) && is_near(last, beat) => GROWS_MS,
            () if lies_deep(last) => SAMPLE_MS,
            () if self.sampled.is_some_and(|then| then.shows(beat)) => UNCHANGED_MS,
            () if self.target_grows() => GROWS_MS,
            () => SAMPLE_MS,
        }
    }

    /// The last sample, so many ms old, does not tell what another one of `count` members would.
    fn presses(&self, last: &Frames, count: usize, age: i64) -> bool {
        let another = self.stands_still() && last.next_due.first().map(|one| one.id) != self.head();
        // The first one has only felt its way.
        let felt = last.asked < count.min(FEELER + 1);
        let backlog = self.backlog_presses(last, age);
        let cheap = last.server_us <= DEAR_US;
        let told = self.twin_presses() && cheap;
        let presses = another || felt || told || self.is_of_before(last) || backlog;
        let jumped = !is_dear(last, age) && self.has_jumped();
        presses && age >= AGAIN_MS || jumped || self.front_presses(age)
    }

    /// A change of ours has ended since the last sample. The figures of a pulse do not tell that: an
    /// order list that was sorted is as long as it was.
    fn is_of_before(&self, last: &Frames) -> bool {
        let ended = self.changed.filter(|_| !self.changing);
        let read = self.beats.back().map(|beat| beat.at);
        ended.is_some_and(|ended| ended >= last.at && Some(ended) <= read)
    }

    /// Much was offered since the last sample: where it stands tells whether it will be transferred
    /// quickly.
    fn has_jumped(&self) -> bool {
        let counts = self.sampled.zip(self.beats.back().copied());
        let counts = counts.and_then(|(then, now)| then.waiting.zip(now.waiting));
        counts.is_some_and(|(then, now)| now >= then.saturating_add(JUMP))
    }

    /// Much has fallen due since the last sample and is transferred slowly: where it stands in the
    /// order list tells why. The head moves on, so that nothing stands still.
    fn backlog_presses(&self, last: &Frames, age: i64) -> bool {
        let Some(beat) = self.beats.back() else {
            return false;
        };
        let is_new =
            |(_, due): (EntryId, EpochMillis)| due > last.at && beat.at.since(due) >= STANDS_MS;
        let much = beat.late.is_some_and(|late| late >= BEYOND_HAND_OVER);
        let cheap = last.server_us <= DEAR_US || !is_dear(last, age);
        much && cheap && beat.first.is_some_and(is_new)
    }

    /// Nobody seems to take what was delivered: two samples that are apart tell.
    fn front_presses(&self, age: i64) -> bool {
        let (Some(stands), Some(beat)) = (self.standing_target(), self.beats.back()) else {
            return false;
        };
        let mut of_now = self.frames.iter().filter(|one| one.at >= stands.sampled());
        let (first, last) = (of_now.next(), self.sample());
        match first.zip(last) {
            None => {
                let lies =
                    beat.at.since(stands.since) >= LIES_MS || stands.length >= BEYOND_HAND_OVER;
                lies && age >= AGAIN_MS
            }
            Some((first, last)) => {
                let apart = |at: EpochMillis| at.since(first.at) >= APART_MS;
                !apart(last.at) && apart(beat.at)
            }
        }
    }

    /// Target has more elements than half a minute ago.
    fn target_grows(&self) -> bool {
        let length = |beat: Option<&Beat>| beat.and_then(|beat| beat.target);
        let lengths = length(self.last(GROWTH_MS).next()).zip(length(self.beats.back()));
        lengths.is_some_and(|(before, now)| now >= before + LEAST_GROWTH)
    }

    /// The next sample cannot wait for the next survey: the last one has only felt its way, or
    /// something stands still.
    #[must_use]
    pub fn presses_for_sample(&self, long: usize) -> bool {
        let Some(beat) = self.beats.back() else {
            return false;
        };
        let ask = self.wants_sample(long);
        let Some(last) = self.sample() else {
            // None yet: it has been out of sight.
            let stands = self.standing_target();
            return ask.is_some() && stands.is_some_and(|stands| stands.length >= BEYOND_HAND_OVER);
        };
        let age = beat.at.since(last.at);
        let ask = ask.filter(|_| age >= 0);
        ask.is_some_and(|ask| age < EARLY_MS || self.presses(last, ask.count, age))
    }

    fn head(&self) -> Option<EntryId> {
        self.still.map(|still| still.id)
    }

    pub(super) fn stands_still(&self) -> bool {
        let stands = |still: LastingHead| still.until.since(still.due.max(still.since));
        self.still.is_some_and(|still| stands(still) >= STANDS_MS)
    }
}
