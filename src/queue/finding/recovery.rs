//! The time after a mending, in which a queue still looks ill: clients whose transfer failed try
//! again within 5 s, and what was late meanwhile leaves late.

use super::{Beat, Diagnosis, Finding, Severity, Watch};
use crate::clock::EpochMillis;
use crate::queue::finding::id;
use crate::queue::{Change, text};

/// A client whose transfer has failed tries again within 5 s; some more for its way, in ms.
const RETRIES_MS: i64 = 6_000;

/// A repair is watched for so long, in ms.
const AFTERMATH_MS: i64 = 300_000;
/// The late ones of now are compared with those of so long before, in ms, and of no less than that.
const COMPARED_MS: i64 = 10_000;
const TELLS_MS: i64 = 3_000;

/// Nobody is there to transfer: whoever comes then has only just begun.
fn alone(found: &Finding) -> bool {
    found.severity == Severity::Critical && found.id == id::NO_TRANSFER_CLIENT
}

/// It tells why entries are late. That nothing moved does not: how late that has made them is seen.
fn explains(found: &Finding) -> bool {
    found.stops_transfers() || alone(found) || found.id == id::FALLING_BEHIND
}

/// Takes note of what the rules said at that moment.
pub(super) fn note(watch: &mut Watch, said: &Diagnosis, at: EpochMillis) {
    if said
        .findings
        .iter()
        .any(|found| found.stops_transfers() || alone(found))
    {
        watch.stopped = Some(at);
    }
    if said.findings.iter().any(explains) {
        watch.explained = Some(at);
    }
}

/// The moment from which on clients can be judged by what they do, if something stopped their
/// transfers before.
pub(super) fn until(watch: &Watch) -> Option<EpochMillis> {
    watch.stopped.map(|stopped| stopped.plus(RETRIES_MS))
}

/// Our last change of the queue, and how long before that moment, in ms; none where it is longer
/// ago than `within_ms`.
pub(super) fn ours(watch: &Watch, at: EpochMillis, within_ms: i64) -> Option<(Change, i64)> {
    let (change, then) = watch.ours?;
    let ago = at.since(then).max(0);
    (ago < within_ms).then_some((change, ago))
}

/// The end of our last change that may have repaired something.
pub(super) fn repaired(watch: &Watch) -> Option<EpochMillis> {
    let adds = [Change::Offer, Change::Duplicate];
    let ours = watch.ours.filter(|(change, _)| !adds.contains(change));
    ours.map(|(_, at)| at).max(watch.kicked)
}

/// The same, when it brought elements to target: in words, and how long ago.
pub(super) fn we_delivered(
    watch: &Watch,
    at: EpochMillis,
    within_ms: i64,
) -> Option<(String, i64)> {
    let (change, ago) = ours(watch, at, within_ms)?;
    let brings = [Change::Transfer, Change::Deliver, Change::Undo].contains(&change);
    let ago_words = text::age(ago);
    brings.then(|| (format!("your \"{}\" {ago_words} ago", change.label()), ago))
}

/// The state of a queue after a change of ours that may have mended it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Aftermath {
    /// The change.
    pub change: Change,
    /// The time for which it has been over, in ms.
    pub ago_ms: i64,
    /// Entries that are still late.
    pub late: u64,
    /// Fewer of them than a moment ago; none while that cannot be told.
    pub falling: Option<bool>,
}

impl Watch {
    /// Returns how it goes since our last change of the queue; none where none was of late, where
    /// it has nothing to do with what is late, or where nothing is late any more, or was not in the
    /// meantime: what is late then is another batch.
    #[must_use]
    pub fn aftermath(&self) -> Option<Aftermath> {
        let last = self.beats.back()?;
        let (change, ago_ms) = ours(self, last.at, AFTERMATH_MS)?;
        let adds = [
            Change::Offer,
            Change::Duplicate,
            Change::Undo,
            Change::Worker,
            Change::Consume,
        ];
        let late = last.late.filter(|late| *late > 0)?;
        let then = last.at.plus(-ago_ms);
        if held(self, last, then) {
            return None;
        }
        let since = last.at.plus(-ago_ms.min(COMPARED_MS));
        let mut after = self.beats.iter().filter(|beat| beat.at > since);
        let first = after
            .next()
            .filter(|first| last.at.since(first.at) >= TELLS_MS);
        (!adds.contains(&change)).then_some(Aftermath {
            change,
            ago_ms,
            late,
            falling: first.and_then(|first| Some(first.late? > late)),
        })
    }
}

/// All that was late at that moment has left since then.
fn held(watch: &Watch, last: &Beat, then: EpochMillis) -> bool {
    let newer = watch.beats.iter().filter(|beat| beat.at > then);
    let none_late = newer.into_iter().any(|beat| beat.late == Some(0));
    none_late || last.first.is_some_and(|(_, due)| due > then)
}

/// Returns the time from that moment on until clients can be judged by what they do, in ms; none
/// when they can.
pub(super) fn left_ms(watch: &Watch, at: EpochMillis) -> Option<i64> {
    until(watch).map(|end| end.since(at)).filter(|ms| *ms > 0)
}

#[cfg(test)]
mod tests {
    use super::super::RuleVerdict;
    use super::super::tests::{Scene, framed, judged, pulse, sample, server_look};
    use super::*;
    use crate::queue::frame::Form;

    /// Something that is no frame heads timeouts for some seconds; then it has gone, at 5 s, and
    /// the next one heads them, due long ago.
    fn mended() -> Scene {
        let foreign = || judged(b"no frame", Some(-60_000));
        let newest: Vec<_> = (3..9).map(|id| framed(Form::ByteId, id, None)).collect();
        let mut scene = Scene::default()
            .sample(sample(vec![foreign()], newest.clone()))
            .look(server_look(0, [false, true], 0));
        for at in (0..5_000).step_by(1_000) {
            let mut seen = pulse(at, 9, Some(at + 60_000), 1);
            seen.first = Some(foreign());
            scene = scene.pulse(seen);
            let said = scene.all();
            assert_eq!(said.findings[0].id, id::FOREIGN_MEMBER, "{at}");
        }
        let good = framed(Form::ByteId, 1, Some(-50_000));
        scene = scene.sample(sample(vec![good], newest));
        stands(scene, 5_000, 8_000)
    }

    fn stands(mut scene: Scene, from: i64, to: i64) -> Scene {
        for at in (from..=to).step_by(1_000) {
            let mut seen = pulse(at, 8, Some(at + 50_000), 1);
            seen.first = Some(framed(Form::ByteId, 1, Some(-50_000)));
            scene = scene.pulse(seen);
            scene.all();
        }
        scene
    }

    #[test]
    fn until_its_clients_try_again_a_queue_that_was_mended_is_not_told_to_be_stuck() {
        let scene = mended();
        let RuleVerdict::Early(open) = scene.verdict(id::STUCK_CLIENT) else {
            panic!("{:?}", scene.verdict(id::STUCK_CLIENT));
        };
        assert!(open.words().contains("(2 s)"), "{}", open.words());
        let scene = stands(scene, 9_000, 9_000);
        assert!(scene.found(id::STUCK_CLIENT).is_none());
        let scene = stands(scene, 10_000, 10_000);
        assert!(scene.found(id::STUCK_CLIENT).is_some());
    }

    #[test]
    fn a_client_that_has_come_at_last_is_given_the_same_time() {
        let mut scene = Scene::default();
        let beat = |at: i64, clients| {
            let mut seen = pulse(at, 8, Some(at + 50_000), clients);
            seen.first = Some(framed(Form::ByteId, 1, Some(-50_000)));
            seen
        };
        for at in (0..=5_000).step_by(1_000) {
            scene = scene.pulse(beat(at, 0));
            scene.all();
        }
        for at in (6_000..=11_000).step_by(1_000) {
            scene = scene.pulse(beat(at, 1));
            let found = scene.found(id::STUCK_CLIENT).is_some();
            assert_eq!(found, at == 11_000, "{at}");
        }
    }

    #[test]
    fn how_quickly_they_transfer_counts_from_then_on() {
        let mut scene = mended();
        for (at, id) in (9_000..=13_000).step_by(1_000).zip(2..) {
            let mut seen = pulse(at, 8, Some(at + 40_000), 1);
            seen.first = Some(framed(Form::ByteId, id, Some(-40_000)));
            scene = scene.pulse(seen);
            let found = scene.found(id::FALLING_BEHIND).is_some();
            assert_eq!(found, at == 13_000, "{at}");
        }
    }

    #[test]
    fn a_batch_that_falls_due_after_a_cure_is_not_told_to_be_uncured() {
        // At 0 s the order list was sorted; so many are late at 2 s, and 18,200 at 60 s, of which the
        // first was due at that second.
        let after = |late: u64, first_due: i64| {
            let mut watch = Watch::default();
            watch.changed_by_us(Change::Realign, super::super::tests::START);
            for (at, late) in [(2_000, late), (60_000, 18_200), (64_000, 18_100)] {
                let mut seen = pulse(at, 40_000, (late > 0).then_some(1), 1);
                seen.late = crate::queue::Known::Is(late);
                seen.first = Some(framed(Form::ByteId, 1, Some(first_due)));
                watch.saw(&seen);
            }
            watch.aftermath().map(|after| after.late)
        };
        assert_eq!(after(0, -5_000), None);
        assert_eq!(after(12_000, 58_000), None);
        assert_eq!(after(12_000, -5_000), Some(18_100));
    }
}
