//! Entries get the due time that they were meant to have: seconds for milliseconds, scores that are
//! no due times.

use std::sync::Arc;

use crate::clock::EpochMillis;
use crate::ops::entries::{EntryPlace, Selection};
use crate::ops::plan::choose::choose;
use crate::ops::plan::make::{PlanContext, PlannedWork};
use crate::ops::plan::work::Work;
use crate::ops::plan::{ChangeError, EntryChoice, LookObserver};
use crate::queue::layout::NEVER_MS;
use crate::queue::{Due, Entry};
use crate::store::change::ChosenEntry;

/// The moment before which seconds lie that are read as milliseconds: 1973.
const BEFORE: EpochMillis = EpochMillis::new(100_000_000_000);

/// Lets what is due too long ago to be meant so wait until it was meant to be due.
pub(super) async fn in_unit(
    making: &PlanContext<'_>,
    tell: &impl LookObserver,
) -> Result<PlannedWork, ChangeError> {
    let queue = making.queue;
    let selection = Selection {
        from: EntryPlace::Waiting,
        due_before: Some(BEFORE),
        ..Selection::default()
    };
    let which = EntryChoice::Selected(selection);
    let waiting = choose(making.store, queue, which, tell).await?.waiting;
    let meant = waiting.into_iter().filter_map(|chosen: ChosenEntry| {
        let Due::At(due) = queue.due(chosen.score) else {
            return None;
        };
        let score = queue.score(queue.meant_in_seconds(due, making.now)?);
        Some((chosen, score))
    });
    let mut made = PlannedWork::default();
    made.work(Work::Requeue(meant.collect()));
    Ok(made)
}

const FAR: &str = "What overflowed was most likely never meant to fall due: it will wait 100 years. \
                   Look at it afterwards, and requeue or delete it.";

/// Lets what has a score that is no due time wait until it has one.
pub(super) async fn of_bad_score(
    making: &PlanContext<'_>,
    tell: &impl LookObserver,
) -> Result<PlannedWork, ChangeError> {
    let (queue, now) = (making.queue.clone(), making.now);
    let of = queue.clone();
    let bad = move |entry: &Entry| {
        let score = entry.score.unwrap_or_default();
        of.meant(score, now).is_some()
    };
    let which = EntryChoice::Where(EntryPlace::Waiting, Arc::new(bad));
    let found = choose(making.store, making.queue, which, tell).await?;
    let meant = found.waiting.into_iter().filter_map(|chosen: ChosenEntry| {
        let due = queue.meant(chosen.score, now)?;
        Some((chosen, due))
    });
    let meant: Vec<(ChosenEntry, EpochMillis)> = meant.collect();
    let far = meant.iter().any(|(_, due)| *due == now.plus(NEVER_MS));
    let scored = meant.into_iter().map(|(chosen, due)| {
        let score = queue.score(due);
        (chosen, score)
    });
    let mut made = PlannedWork::default();
    made.warnings.extend(far.then(|| FAR.to_owned()));
    made.work(Work::Requeue(scored.collect()));
    Ok(made)
}
