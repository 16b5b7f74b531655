//! The entries that a client will move in one script, and how far it searches the order list for
//! them.

use crate::clock::EpochMillis;
use crate::queue::EntryId;
use crate::queue::frames::{Frames, JudgedMember, Place};

/// Entries in one transfer of a Redisson client, at most.
pub(super) const MOST_ENTRIES_IN_A_TRANSFER: usize = 100;
/// The time in ms in which all that falls due is transferred together: a tick of the client's
/// timer.
const TICK_MS: i64 = 100;

/// Entries that a client moves in one script.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ScriptBatch {
    /// Entries in the batch.
    pub(super) together: usize,
    /// Elements before each of them in the order list, on the average.
    pub(super) before: u64,
    /// True when that is more than a guess.
    pub(super) sure: bool,
    /// When it falls due; none where it is due already.
    pub(super) at: Option<EpochMillis>,
}

impl ScriptBatch {
    /// Elements that are passed in searching for all of them.
    #[expect(
        clippy::cast_precision_loss,
        reason = "an estimate for reading, of figures far below 2^52"
    )]
    pub(super) const fn steps(&self) -> f64 {
        self.together as f64 * self.before as f64
    }

    /// The same for so many entries that stand as far down, in one transfer after another.
    #[expect(
        clippy::cast_precision_loss,
        reason = "an estimate for reading, of figures far below 2^52"
    )]
    pub(super) const fn steps_of(&self, count: u64) -> f64 {
        count as f64 * self.before as f64
    }
}

/// Of the next transfers, which begin with what is late, the one that searches longest; none when
/// nobody knows where any of the entries stands.
pub(super) fn longest(
    next: &[&JudgedMember],
    late: u64,
    places: &[(EntryId, Place)],
    (sample, order): (&Frames, u64),
) -> Option<ScriptBatch> {
    let due = |one: &&JudgedMember| Some((one.id, one.due_at()?));
    let next: Vec<_> = next.iter().filter_map(due).collect();
    let offered_last = |id: EntryId| sample.newest.iter().any(|new| new.id == id);
    let batch = |some: &[(EntryId, EpochMillis)], together: usize, further: &[Place]| {
        let known = |(id, _): &(EntryId, _)| {
            let known = places.iter().find(|(its, _)| its == id);
            known.map(|(_, place)| *place)
        };
        let known = some.iter().filter_map(known);
        let known: Vec<Place> = known.chain(further.iter().copied()).collect();
        // What is not near the head is taken to be in the middle, or, if it was offered last, at
        // the end.
        let at_end = some.iter().filter(|(id, _)| offered_last(*id)).count() * 2;
        let far = if at_end > some.len() {
            order
        } else {
            order / 2
        };
        (!known.is_empty()).then(|| of(&known, together.min(MOST_ENTRIES_IN_A_TRANSFER), far))
    };
    // What was looked for further down than the next due ones is late too.
    let further = places
        .iter()
        .filter(|(id, _)| !sample.next_due.iter().any(|one| one.id == *id));
    let further: Vec<Place> = further.map(|(_, place)| *place).collect();
    let late = usize::try_from(late).unwrap_or(MOST_ENTRIES_IN_A_TRANSFER);
    let (now, then) = next.split_at(late.min(next.len()));
    let first = if late > 0 {
        batch(now, late, &further)
    } else {
        None
    };
    let bursts = (0..then.len()).filter_map(|from| {
        let end = then[from].1.plus(TICK_MS);
        let count = then[from..].partition_point(|(_, due)| *due <= end);
        let at = Some(then[from].1);
        batch(&then[from..from + count], count, &[]).map(|batch| ScriptBatch { at, ..batch })
    });
    let longer = |a: &ScriptBatch, b: &ScriptBatch| a.steps().total_cmp(&b.steps());
    first.into_iter().chain(bursts).max_by(longer)
}

/// Of entries at such places.
fn of(places: &[Place], together: usize, far: u64) -> ScriptBatch {
    let before = |place: &Place| match place {
        Place::At(before) => *before,
        Place::Beyond(most) => far.max(*most),
    };
    let sum: u64 = places.iter().map(before).sum();
    ScriptBatch {
        together,
        before: sum / (places.len() as u64).max(1),
        sure: places.iter().all(|place| matches!(place, Place::At(_))),
        at: None,
    }
}
