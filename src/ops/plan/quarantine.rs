//! Quarantine: what goes there when nobody chooses, and what there is to know before.

use std::sync::Arc;

use super::choose::FoundEntries;
use super::make::{PlanContext, PlannedWork};
use super::work::Work;
use super::{ChangeError, EntryChoice};
use crate::ops::entries::EntryPlace;
use crate::queue::change::ChangeRequest;
use crate::queue::{Queue, text};
use crate::store::change::{ChosenEntry, ListPlace};
use crate::store::{StoreError, read};

/// Entries looked up at once.
const LOOKED_UP: usize = 250;

/// The choice of entries when nobody makes one.
pub(super) fn all(queue: &Queue, what: &ChangeRequest) -> Result<EntryChoice, ChangeError> {
    if *what == ChangeRequest::Restore {
        return Ok(EntryChoice::Where(
            EntryPlace::Quarantined,
            Arc::new(|_| true),
        ));
    }
    if !queue.has_frames() {
        return Err(ChangeError::Senseless(format!(
            "any member of a {} queue can be transferred: choose those for quarantine",
            queue.layout.word()
        )));
    }
    let its = queue.clone();
    let is_strange = move |entry: &crate::queue::Entry| its.unwrap(&entry.member).is_err();
    Ok(EntryChoice::Where(
        EntryPlace::Waiting,
        Arc::new(is_strange),
    ))
}

const SET_ASIDE: &str = "it is in quarantine: restore it first";
const NOT_SET_ASIDE: &str = "it is not in quarantine";

impl PlanContext<'_> {
    /// Refuses what is not in its place: only a restoration is about what is in quarantine, and
    /// about nothing else.
    pub(super) fn check_quarantine(
        &self,
        made: &mut PlannedWork,
        what: &ChangeRequest,
        found: &mut FoundEntries,
    ) {
        let (others, why) = match what {
            ChangeRequest::Restore => (&mut found.waiting, NOT_SET_ASIDE),
            _ => (&mut found.quarantined, SET_ASIDE),
        };
        for chosen in others.drain(..) {
            made.refuse(self.queue.id(&chosen.member), why);
        }
    }

    /// Plans to set entries aside in quarantine. One that has an equal member there already, with
    /// another due time, stays where it is.
    pub(super) async fn quarantine(
        &self,
        made: &mut PlannedWork,
        waiting: Vec<ChosenEntry>,
    ) -> Result<(), StoreError> {
        let there = self.scores(&self.queue.keys().quarantine, &waiting).await?;
        let other = |(chosen, has): &(&ChosenEntry, Option<f64>)| {
            has.is_some_and(|has| has.total_cmp(&chosen.score).is_ne())
        };
        let twice = waiting.iter().zip(there).filter(other).count();
        if twice > 0 {
            made.warnings.push(format!(
                "{} waiting: an equal entry is in quarantine already, with another due time.",
                text::counted(twice as u64, "of them stays", "of them stay")
            ));
        }
        made.work(Work::Quarantine(waiting));
        Ok(())
    }

    /// Plans to take entries out of quarantine: to the tail of the order list, as if they were
    /// offered now. What is no frame stays out of that: it would break off whoever walks it, and
    /// nobody can remove it by its payload.
    pub(super) fn restore(&self, made: &mut PlannedWork, kept: Vec<ChosenEntry>) {
        let strange = |chosen: &&ChosenEntry| self.queue.unwrap(&chosen.member).is_err();
        let n = kept.iter().filter(strange).count();
        if n > 0 {
            made.warnings.push(format!(
                "{} no frame: it breaks every transfer again once it is due.",
                text::counted(n as u64, "of them is", "of them are")
            ));
        }
        let places = kept.into_iter().map(|chosen| {
            let framed = self.queue.unwrap(&chosen.member).is_ok();
            (chosen, framed.then_some(ListPlace::Tail))
        });
        made.work(Work::Restore(places.collect()));
    }

    /// Reads the scores that they have in this sorted set.
    async fn scores(
        &self,
        key: &[u8],
        all: &[ChosenEntry],
    ) -> Result<Vec<Option<f64>>, StoreError> {
        let mut scores = Vec::with_capacity(all.len());
        for some in all.chunks(LOOKED_UP) {
            let members: Vec<_> = some.iter().map(|chosen| chosen.member.clone()).collect();
            scores.extend(read::element_scores(self.store, key, &members).await?);
        }
        Ok(scores)
    }
}
