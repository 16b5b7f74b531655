//! One script for some entries, and what it did to each.

use std::ops::Range;
use std::time::Duration;

use crate::ops::plan::work::Work;
use crate::queue::{Outcome, Queue};
use crate::store::StoreError;
use crate::store::change::{
    ChosenEntry, DeletedEntry, EditResult, End, Fate, ListPlace, TimedResult,
};
use crate::store::write::{Head, Writer};

/// The fate of an entry.
#[derive(Clone, Debug)]
pub(super) struct EntryFate {
    pub(super) outcome: Outcome,
    /// The reason, where it says more than the outcome's word.
    pub(super) reason: Option<String>,
    /// Its place in the order list, when it was deleted; of an element of target that left it or came
    /// back: its place there, where others come behind those that are next taken.
    pub(super) stood: Option<ListPlace>,
}

impl EntryFate {
    pub(super) const fn plain(outcome: Outcome) -> Self {
        Self {
            outcome,
            reason: None,
            stood: None,
        }
    }

    pub(super) fn because(outcome: Outcome, reason: &str) -> Self {
        Self {
            outcome,
            reason: Some(reason.to_owned()),
            stood: None,
        }
    }
}

/// The answer of a script.
pub(super) struct ScriptAnswer {
    /// The fate of each entry, in their order.
    pub(super) fated: Vec<EntryFate>,
    /// Time for which it kept the server, where that could be measured.
    pub(super) took: Option<Duration>,
    /// Second copies of these entries that left the order list with them.
    pub(super) copies: u64,
    /// The server's words when it refused to announce a new head.
    pub(super) unannounced: Option<String>,
}

impl ScriptAnswer {
    /// Turns `Undecodable`, which scripts that know no frames answer in a sense of their own, into
    /// a refusal for this reason.
    fn undecodable_because(&mut self, why: &str) {
        for fated in &mut self.fated {
            if fated.outcome == Outcome::Undecodable {
                *fated = EntryFate::because(Outcome::Refused, why);
            }
        }
    }
}

/// Runs the script for the entries in `range`. `drain`: the order list is aside, and this change's
/// doing.
pub(super) async fn run(
    work: &Work,
    writer: &Writer,
    queue: &Queue,
    range: Range<usize>,
    drain: bool,
) -> Result<ScriptAnswer, StoreError> {
    match work {
        Work::Delete(all) => {
            let timed = writer.delete(queue, &all[range]).await?;
            Ok(left(timed))
        }
        Work::Quarantine(all) => {
            let mut did = left(writer.quarantine(queue, &all[range]).await?);
            did.undecodable_because(KEPT_ALREADY);
            Ok(did)
        }
        Work::Restore(all) => {
            let timed = writer.restore(queue, &all[range]).await?;
            let mut did = changed(timed, KEPT_OTHERWISE);
            did.undecodable_because(WAITS_OTHERWISE);
            Ok(did)
        }
        Work::Deliver(all) => Ok(plain(
            writer.deliver(queue, &all[range], drain).await?,
            SCORE,
        )),
        Work::Requeue(all) => Ok(changed(writer.requeue(queue, &all[range]).await?, SCORE)),
        Work::Edit(all) => edit(writer, queue, &all[range]).await,
        Work::PutBack(all) => Ok(changed(
            writer.put_entries_back(queue, &all[range]).await?,
            WAITS,
        )),
        Work::TakeBack(all, _, end) => {
            let timed = writer.take_back_to(queue, &all[range], *end).await?;
            Ok(changed(timed, WAITS))
        }
        Work::WaitAgain(all) => Ok(changed(writer.wait_again(queue, &all[range]).await?, WAITS)),
        Work::DeliverStrays(all) => Ok(plain(
            writer.deliver_strays(queue, &all[range]).await?,
            WAITS,
        )),
        // They leave while the order list goes round, in whichever way the plan goes.
        Work::DropStrays(_) => {
            let why = "they leave as the order list is rebuilt".to_owned();
            Err(writer.impossible("delete what only the order list holds", why))
        }
        Work::OrderList(all) => Ok(plain(
            writer.in_order_list(queue, &all[range]).await?,
            SCORE,
        )),
        Work::Repair(deed) => {
            let timed = deed.run(writer, queue, range).await?;
            let mut did = plain(timed, deed.why_changed());
            if let Some(why) = deed.why_refused() {
                did.undecodable_because(why);
            }
            Ok(did)
        }
        Work::Discard(all, End::Head) => {
            Ok(plain(writer.discard(queue, &all[range]).await?, SCORE))
        }
        Work::Discard(all, End::Tail) => {
            let timed = writer.discard_newest(queue, &all[range]).await?;
            let mut places = Vec::new();
            let timed = timed.map(|told| {
                let (fates, stood) = told.into_iter().unzip();
                places = stood;
                fates
            });
            Ok(standing(plain(timed, SCORE), places))
        }
        Work::PutAmong(all) => {
            let places = all[range.clone()].iter();
            let places = places.map(|(_, place)| Some(place.clone())).collect();
            let timed = writer.put_elements_among(queue, &all[range]).await?;
            Ok(standing(plain(timed, SCORE), places))
        }
        Work::PutElements(all, End::Head) => {
            // Each batch comes before the one that was put back before it.
            let first: Vec<_> = all[range].iter().rev().cloned().collect();
            let timed = writer.put_elements_back(queue, &first).await?;
            Ok(plain(timed, SCORE))
        }
        Work::PutElements(all, End::Tail) => {
            let timed = writer.put_elements_behind(queue, &all[range]).await?;
            let places = vec![Some(ListPlace::Tail); timed.done.len()];
            Ok(standing(plain(timed, SCORE), places))
        }
        Work::Offer(all) => offer(writer, queue, all[range].to_vec()).await,
    }
}

/// The reasons for which an entry counts as changed.
pub(super) const SCORE: &str = "it has another due time now";
pub(super) const WAITS: &str = "it waits already";

pub(super) const TWIN: &str = "an entry with the new bytes waits already";

/// The same for what is in quarantine.
pub(super) const KEPT_OTHERWISE: &str = "it has another due time in quarantine now";
/// The reason for which it stays there.
pub(super) const WAITS_OTHERWISE: &str = "it waits already, with another due time";
/// The reason for which an entry does not go there.
pub(super) const KEPT_ALREADY: &str =
    "an equal one is in quarantine already, with another due time";

async fn edit(
    writer: &Writer,
    queue: &Queue,
    edits: &[(ChosenEntry, Vec<u8>)],
) -> Result<ScriptAnswer, StoreError> {
    let TimedResult { done, took, .. } = writer.edit(queue, edits).await?;
    let each = done.into_iter().zip(edits);
    let mut more = 0;
    let fated = each.map(|(edited, (chosen, _))| match edited.fate {
        Fate::Changed(score) if score.total_cmp(&chosen.score).is_eq() => {
            EntryFate::because(Outcome::Refused, TWIN)
        }
        fate => copied(fated(fate, SCORE), edited.copies, ONCE, &mut more),
    });
    Ok(ScriptAnswer {
        fated: fated.collect(),
        copies: more,
        took,
        unannounced: None,
    })
}

async fn offer(
    writer: &Writer,
    queue: &Queue,
    entries: Vec<(crate::clock::EpochMillis, Vec<u8>)>,
) -> Result<ScriptAnswer, StoreError> {
    let n = entries.len();
    let TimedResult { done, took, .. } = writer.offer(queue, entries).await?;
    let fated = (0..n).map(|i| {
        if done.refused.binary_search(&i).is_ok() {
            EntryFate::because(Outcome::Refused, WAITS)
        } else {
            EntryFate::plain(Outcome::Done)
        }
    });
    Ok(ScriptAnswer {
        fated: fated.collect(),
        copies: 0,
        took,
        unannounced: words(done.head),
    })
}

fn fated(fate: Fate, why_changed: &str) -> EntryFate {
    match fate {
        Fate::Done => EntryFate::plain(Outcome::Done),
        Fate::Gone => EntryFate::plain(Outcome::Gone),
        Fate::Changed(_) => EntryFate::because(Outcome::Changed, why_changed),
        Fate::NoFrame => EntryFate::plain(Outcome::Undecodable),
    }
}

/// The copies that the order list holds now.
const ONCE: &str = "it stands there once now";
const NOT: &str = "all of its copies were removed";

/// Adds the number of copies in which an entry stood in the order list; `more` counts those beyond
/// the first.
fn copied(fated: EntryFate, copies: u64, now: &str, more: &mut u64) -> EntryFate {
    if copies < 2 {
        return fated;
    }
    *more += copies - 1;
    let why = format!("it stood {copies} times in the order list: {now}");
    EntryFate {
        reason: Some(why),
        ..fated
    }
}

fn left(timed: TimedResult<Vec<DeletedEntry>>) -> ScriptAnswer {
    let mut more = 0;
    let fated = timed.done.into_iter().map(|deleted| EntryFate {
        stood: deleted.stood,
        ..copied(fated(deleted.fate, SCORE), deleted.copies, NOT, &mut more)
    });
    ScriptAnswer {
        fated: fated.collect(),
        copies: more,
        took: timed.took,
        unannounced: None,
    }
}

fn plain(timed: TimedResult<Vec<Fate>>, why_changed: &str) -> ScriptAnswer {
    let fates = timed.done.into_iter();
    ScriptAnswer {
        fated: fates.map(|fate| fated(fate, why_changed)).collect(),
        copies: 0,
        took: timed.took,
        unannounced: None,
    }
}

/// Takes note of where in target each stood, or came to stand.
fn standing(mut did: ScriptAnswer, places: Vec<Option<ListPlace>>) -> ScriptAnswer {
    for (fated, place) in did.fated.iter_mut().zip(places) {
        fated.stood = place;
    }
    did
}

fn changed(timed: TimedResult<EditResult>, why_changed: &str) -> ScriptAnswer {
    let fates = timed.done.fates.into_iter();
    ScriptAnswer {
        fated: fates.map(|fate| fated(fate, why_changed)).collect(),
        copies: 0,
        took: timed.took,
        unannounced: words(timed.done.head),
    }
}

fn words(head: Head) -> Option<String> {
    match head {
        Head::Unannounced(words) => Some(words),
        Head::Behind | Head::Announced => None,
    }
}
