//! The elements that come into target and those that are taken out of it, as far as pulses and
//! samples tell: a consumer leaves no other trace.

use super::{Beat, QueueFacts, Watch};
use crate::clock::EpochMillis;
use crate::queue::frames::{DeliveredElement, Fingerprint, Frames};
use crate::queue::text;

/// Elements taken from target between samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TakenCount {
    /// Elements, and the ms in which they were taken.
    Exactly(u64, i64),
    /// More than a sample holds: at least so many in so many ms.
    AtLeast(u64, i64),
    /// Nobody can tell: too few samples, or all elements are alike.
    Unsure,
}

/// Samples older than this before the last one say nothing of now, in ms; the last but one always
/// counts.
const LATELY_MS: i64 = 45_000;

/// Elements taken since that moment (by the server's clock), as samples tell.
pub(super) fn taken(seen: &QueueFacts, since: EpochMillis) -> TakenCount {
    taken_of(seen.watch, since)
}

impl Watch {
    /// Elements that were taken from target in a second, by the samples of late; none where nobody
    /// can tell.
    #[must_use]
    pub fn taken_per_s(&self) -> Option<f64> {
        let (last, newest) = (self.frames.back()?, self.beats.back()?);
        let fresh = newest.at.since(last.at) <= LATELY_MS;
        match taken_of(self, EpochMillis::default()) {
            TakenCount::Exactly(n, ms) if fresh => Some(per_s(n, ms)),
            _ => None,
        }
    }
}

/// The same, of the memory alone.
pub(super) fn taken_of(watch: &Watch, since: EpochMillis) -> TakenCount {
    let samples: Vec<&Frames> = watch.frames.iter().map(AsRef::as_ref).collect();
    let Some(last) = samples.last() else {
        return TakenCount::Unsure;
    };
    let lately = samples.len().saturating_sub(2);
    let of_now = samples
        .iter()
        .enumerate()
        .filter(|(i, one)| one.at >= since && (*i >= lately || last.at.since(one.at) <= LATELY_MS));
    let of_now: Vec<&Frames> = of_now.map(|(_, one)| *one).collect();
    let mut all = TakenCount::Unsure;
    for pair in of_now.windows(2) {
        let ms = pair[1].at.since(pair[0].at);
        // What a change of ours took away meanwhile, nobody has consumed.
        if watch.is_taken_by_us(pair[0].at, pair[1].at) {
            continue;
        }
        let one = between(&pair[0].front, &pair[1].front, ms, &watch.redelivered);
        all = match (all, one) {
            (_, TakenCount::Unsure) => return TakenCount::Unsure,
            (TakenCount::Unsure, one) => one,
            (TakenCount::Exactly(n, ms), TakenCount::Exactly(m, more)) => {
                TakenCount::Exactly(n + m, ms + more)
            }
            (
                TakenCount::Exactly(n, ms) | TakenCount::AtLeast(n, ms),
                TakenCount::AtLeast(m, more),
            )
            | (TakenCount::AtLeast(n, ms), TakenCount::Exactly(m, more)) => {
                TakenCount::AtLeast(n + m, ms + more)
            }
        };
    }
    all
}

/// The time of the last sample, if an element was taken between that one and the one before it, and
/// not perhaps by a change of this program.
pub(super) fn taken_last(watch: &Watch) -> Option<EpochMillis> {
    let mut newest = watch.frames.iter().rev();
    let (last, before) = (newest.next()?, newest.next()?);
    if watch.is_taken_by_us(before.at, last.at) {
        return None;
    }
    let ms = last.at.since(before.at);
    match between(&before.front, &last.front, ms, &watch.redelivered) {
        TakenCount::Exactly(1.., _) | TakenCount::AtLeast(..) => Some(last.at),
        TakenCount::Exactly(0, _) | TakenCount::Unsure => None,
    }
}

/// Counts the elements that were next and are gone. Copies of what was `redelivered` are alike
/// without end: where all of the front is as it was, none was taken.
fn between(
    before: &[DeliveredElement],
    after: &[DeliveredElement],
    ms: i64,
    redelivered: &[Fingerprint],
) -> TakenCount {
    let (Some(first), true) = (after.first(), ms > 0) else {
        return TakenCount::Unsure;
    };
    let payloads = |front: &[DeliveredElement]| -> Vec<Fingerprint> {
        front.iter().map(|one| one.payload).collect()
    };
    let (was, is) = (payloads(before), payloads(after));
    let copies = was.iter().any(|payload| redelivered.contains(payload));
    if copies && is.starts_with(&was) {
        return TakenCount::Exactly(0, ms);
    }
    let mut places = before.iter().enumerate();
    let same = |(_, one): &(usize, &DeliveredElement)| one.payload == first.payload;
    match (places.find(same), places.find(same)) {
        (Some((gone, _)), None) => TakenCount::Exactly(count(gone), ms),
        (None, _) if !before.is_empty() => TakenCount::AtLeast(count(before.len()), ms),
        _ => TakenCount::Unsure,
    }
}

fn count(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

/// Target and the moment of each pulse of the last so many ms; none when it could not be read.
pub(super) fn lengths(seen: &QueueFacts, ms: i64) -> Option<Vec<(i64, u64)>> {
    let end = seen.watch.beats.back()?.at;
    let length = |beat: &Beat| Some((beat.at.since(end), beat.target?));
    seen.watch.last(ms).map(length).collect()
}

/// The rate a second.
#[expect(
    clippy::cast_precision_loss,
    reason = "a rate for reading, not for accounting"
)]
pub(super) fn per_s(n: u64, ms: i64) -> f64 {
    n as f64 * 1_000.0 / ms.max(1) as f64
}

/// A rate in words, such as `12/s`, `0.4/s` or `2,000/s`.
pub(super) fn rate(per_s: f64) -> String {
    format!("{}/s", text::rate(per_s))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::Queue;

    fn elements(texts: &[&str]) -> Vec<DeliveredElement> {
        let queue = Queue::redisson("q");
        let one = |text: &&str| DeliveredElement::new(&queue, text.as_bytes());
        texts.iter().map(one).collect()
    }

    #[test]
    fn what_was_next_and_is_gone_was_taken() {
        let before = elements(&["a", "b", "c"]);
        let after = |texts: &[&str]| between(&before, &elements(texts), 10, &[]);
        assert_eq!(after(&["a", "b", "c", "d"]), TakenCount::Exactly(0, 10));
        assert_eq!(after(&["c", "d"]), TakenCount::Exactly(2, 10));
        assert_eq!(after(&["e"]), TakenCount::AtLeast(3, 10));
        assert_eq!(after(&[]), TakenCount::Unsure);
        let alike = elements(&["x", "x"]);
        assert_eq!(between(&alike, &alike, 10, &[]), TakenCount::Unsure);
    }

    #[test]
    fn copies_that_are_delivered_again_do_not_hide_that_nothing_is_taken() {
        let front = elements(&["a", "b", "a", "b"]);
        let again = [front[0].payload, front[1].payload];
        let taken = |after: &[&str]| between(&front, &elements(after), 10, &again);
        assert_eq!(between(&front, &front, 10, &[]), TakenCount::Unsure);
        assert_eq!(
            taken(&["a", "b", "a", "b", "a"]),
            TakenCount::Exactly(0, 10)
        );
        // One was taken, or three: nobody can tell.
        assert_eq!(taken(&["b", "a", "b", "a"]), TakenCount::Unsure);
        let one = elements(&["a", "a"]);
        assert_eq!(between(&one, &one, 10, &again), TakenCount::Exactly(0, 10));
    }
}
