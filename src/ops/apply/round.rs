//! The ways in which the order list goes round or is put into order: swap, sweep, put back.

use std::collections::HashSet;
use std::ops::Range;

use super::batch::{EntryFate, KEPT_ALREADY, KEPT_OTHERWISE, SCORE, TWIN, WAITS, WAITS_OTHERWISE};
use super::look::deleted_or_not;
use super::run::{Halt, ItemFate, PartEnd, Run};
use crate::ops::bulk::put_back::{self, PutBack};
use crate::ops::bulk::realign::{self, Realign};
use crate::ops::bulk::sweep::{self, Sweep};
use crate::ops::bulk::{self, BulkStep, Size};
use crate::ops::journal::Tries;
use crate::ops::plan::work::Work;
use crate::queue::{EntryId, Outcome, Queue};
use crate::store::StoreError;
use crate::store::change::{self, ChosenEntry, ListPlace};

/// The reason for which an entry that waits is not sorted.
const NOT_LISTED: &str = "it waits, but was not found in the order list";

/// Intents that are written at once.
const INTENTS: usize = 1_000;

/// A way that goes step by step.
pub(super) enum Stepper {
    Realign(Realign),
    Sweep(Box<Sweep>),
    PutBack(PutBack),
}

impl Stepper {
    async fn next(&mut self, run: &Run, n: usize) -> Result<Option<BulkStep>, StoreError> {
        match self {
            Self::Realign(realign) => realign.next(&run.writer, n).await,
            Self::Sweep(sweep) => sweep.next(&run.writer, n).await,
            Self::PutBack(put_back) => put_back.next(&run.writer, n).await,
        }
    }

    /// Begins to end: only what must be finished is still done. True when there is such a thing.
    fn stop(&mut self) -> bool {
        match self {
            Self::Realign(_) => return false,
            Self::Sweep(sweep) => sweep.stop(),
            Self::PutBack(put_back) => put_back.stop(),
        }
        true
    }

    /// Learns that another server has taken over; `ran_there`: the last script was run by that one.
    fn took_over(&mut self, ran_there: bool) {
        match self {
            Self::Realign(realign) => realign.took_over(ran_there),
            Self::Sweep(sweep) => sweep.took_over(),
            Self::PutBack(put_back) => put_back.took_over(),
        }
    }

    /// Sets the bytes that go round in a script at most, and the most of the chosen in it.
    fn within(&mut self, bytes: usize, chosen: usize) {
        match self {
            Self::Realign(_) => {}
            Self::Sweep(sweep) => sweep.within(bytes, chosen),
            Self::PutBack(put_back) => put_back.within(bytes, chosen),
        }
    }

    /// True when the time of the next script tells how many elements one may take.
    const fn is_sized(&self) -> bool {
        match self {
            Self::Sweep(sweep) => sweep.is_turning(),
            Self::Realign(_) | Self::PutBack(_) => true,
        }
    }

    const fn size(&self) -> Size {
        match self {
            Self::Realign(_) => realign::SIZE,
            Self::Sweep(_) => sweep::SIZE,
            Self::PutBack(_) => put_back::SIZE,
        }
    }
}

impl Run {
    /// Brings these to the head of the order list, in this order.
    pub(super) async fn head_first(&mut self, members: Vec<Vec<u8>>) -> PartEnd {
        let phase = self.phase;
        let mut stepper = Stepper::Realign(Realign::new(&self.queue, members));
        let ended = self.steps(&mut stepper, None).await;
        self.phase = phase;
        ended
    }

    /// Puts these into order: all there is to do. What a failover takes back of that is put into order
    /// again, until all replicas have it.
    pub(super) async fn realign(&mut self, members: Vec<Vec<u8>>) -> PartEnd {
        let ids = members.iter().map(|member| self.queue.id(member));
        let mut told = OpenEntries {
            first: None,
            entries: ids.map(OpenEntry::new).collect(),
            chosen: &[],
            why: FateReasons::changed(NOT_LISTED),
        };
        let mut stepper = Stepper::Realign(Realign::new(&self.queue, members));
        let ended = loop {
            let failovers = self.ledger.failovers();
            let ended = self.steps(&mut stepper, Some(&mut told)).await;
            self.secured().await;
            if ended.is_err() || self.ledger.failovers() == failovers {
                break ended;
            }
            stepper.took_over(false);
        };
        self.happened(told.left(self.without_result())).await?;
        ended
    }

    /// Deletes these while the order list goes round.
    pub(super) async fn sweep(&mut self, work: &Work, chosen: &[ChosenEntry]) -> PartEnd {
        let stepper = Stepper::Sweep(Box::new(Sweep::new(&self.queue, chosen.to_vec())));
        self.round(work, stepper, |i| i, FateReasons::changed(SCORE))
            .await
    }

    /// Sets these aside in quarantine while the order list goes round.
    pub(super) async fn sweep_away(&mut self, work: &Work, chosen: &[ChosenEntry]) -> PartEnd {
        let stepper = Stepper::Sweep(Box::new(Sweep::quarantining(&self.queue, chosen.to_vec())));
        let why = FateReasons {
            changed: SCORE,
            refused: KEPT_ALREADY,
        };
        self.round(work, stepper, |i| i, why).await
    }

    /// Gives these other bytes while the order list goes round.
    pub(super) async fn edit_around(
        &mut self,
        work: &Work,
        edits: &[(ChosenEntry, Vec<u8>)],
    ) -> PartEnd {
        let stepper = Stepper::Sweep(Box::new(Sweep::editing(&self.queue, edits.to_vec())));
        let why = FateReasons {
            changed: SCORE,
            refused: TWIN,
        };
        self.round(work, stepper, |i| i, why).await
    }

    /// Takes these out of the order list, where they do not wait, while it goes round.
    pub(super) async fn drop_strays(&mut self, work: &Work, members: &[Vec<u8>]) -> PartEnd {
        let stepper = Stepper::Sweep(Box::new(Sweep::strays(&self.queue, members.to_vec())));
        self.round(work, stepper, |i| i, FateReasons::changed("it waits now"))
            .await
    }

    /// Puts these back while the order list goes round. They stand with the last that was deleted
    /// first.
    pub(super) async fn put_back(
        &mut self,
        work: &Work,
        entries: &[(ChosenEntry, ListPlace)],
    ) -> PartEnd {
        let deleted = entries.iter().rev().cloned();
        let deleted = deleted.map(|(chosen, place)| (chosen, Some(place)));
        let put_back = PutBack::new(&self.queue, deleted.collect());
        self.backwards(work, put_back, FateReasons::changed(WAITS))
            .await
    }

    /// Puts back what is in quarantine in the same way.
    pub(super) async fn restore(
        &mut self,
        work: &Work,
        entries: &[(ChosenEntry, Option<ListPlace>)],
    ) -> PartEnd {
        let kept = entries.iter().rev().cloned();
        let put_back = PutBack::restoring(&self.queue, kept.collect());
        let why = FateReasons {
            changed: KEPT_OTHERWISE,
            refused: WAITS_OTHERWISE,
        };
        self.backwards(work, put_back, why).await
    }

    async fn backwards(&mut self, work: &Work, put_back: PutBack, why: FateReasons) -> PartEnd {
        let last = work.len().saturating_sub(1);
        let stepper = Stepper::PutBack(put_back);
        let ended = self.round(work, stepper, |i| last - i, why).await;
        // One of them may be the head of timeouts now.
        if let Err(error) = self.writer.kick(&self.queue).await {
            self.notes
                .push(format!("Nobody was told of them: {error}."));
        }
        ended
    }

    /// Writes all intents, since the list tells in which order its entries come, and goes round.
    /// `place`: which entry of `work` is the stepper's `i`-th.
    async fn round(
        &mut self,
        work: &Work,
        mut stepper: Stepper,
        place: impl Fn(usize) -> usize,
        why: FateReasons,
    ) -> PartEnd {
        let first = self.intended;
        let now = self.now();
        for i in (0..work.len()).step_by(INTENTS) {
            let some = i..work.len().min(i + INTENTS);
            let items = some.map(|i| work.item(&self.queue, now, place(i)));
            let items = items.collect();
            self.intend(items).await?;
        }
        let mut told = OpenEntries {
            first: Some(first),
            entries: (0..work.len())
                .map(|i| OpenEntry::new(work.id(&self.queue, place(i))))
                .collect(),
            chosen: match work {
                Work::Delete(chosen) | Work::Quarantine(chosen) => chosen,
                _ => &[],
            },
            why,
        };
        self.goes_round = true;
        let failovers = self.ledger.failovers();
        let mut ended = self.steps(&mut stepper, Some(&mut told)).await;
        if let Err(Halt::Stopped) = ended
            && stepper.stop()
        {
            ended = self.finish(&mut stepper, &mut told).await;
        }
        self.goes_round = false;
        let left = told.left(self.without_result());
        if self.ledger.failovers() > failovers && ended.is_ok() {
            // The list that went round was another one from then on: these were not met.
            let left = left.iter().filter_map(|fate| Some((fate.item?, fate.id)));
            self.ledger.put_in_doubt(left, self.without_result());
        }
        self.happened(left).await?;
        ended
    }

    /// Goes step by step, with brakes between them.
    async fn steps(
        &mut self,
        stepper: &mut Stepper,
        mut told: Option<&mut OpenEntries<'_>>,
    ) -> PartEnd {
        let mut size = self.pace.of(stepper.size(), self.elements);
        // The plan's figure is a bound, for what costs twice as much as is thought.
        stepper.within(self.pace.bytes(), self.elements.saturating_mul(2));
        let (mut wrote, mut beside) = (true, false);
        let mut failovers = self.ledger.failovers();
        loop {
            if wrote {
                self.hold().await?;
            } else if self.is_stopped() {
                return Err(Halt::Stopped);
            }
            if failovers != self.ledger.failovers() {
                failovers = self.ledger.failovers();
                stepper.took_over(false);
            }
            let sized = stepper.is_sized();
            let next = stepper.next(self, size.get()).await;
            self.marked();
            if failovers != self.ledger.failovers() {
                failovers = self.ledger.failovers();
                stepper.took_over(true);
            }
            match next {
                Ok(Some(step)) => {
                    wrote = step.wrote;
                    if wrote && sized {
                        size.took(step.took, self.limits.max_block);
                    }
                    self.step(step, told.as_deref_mut(), beside).await?;
                }
                Ok(None) => return Ok(()),
                Err(error) if self.may_heal(&error) => {
                    // What its script did, later steps come to see.
                    beside |= error.outcome_unknown();
                    self.heal(&error, 0).await?;
                }
                Err(error) => return Err(self.fails(error)),
            }
        }
    }

    /// Finishes what must be finished after a stop, without brakes, however long the server is
    /// away.
    async fn finish(&mut self, stepper: &mut Stepper, told: &mut OpenEntries<'_>) -> PartEnd {
        let mut size = stepper.size().beginning_with(self.elements);
        loop {
            let next = stepper.next(self, size.get()).await;
            self.marked();
            match next {
                Ok(Some(step)) => {
                    if step.wrote {
                        size.took(step.took, self.limits.max_block);
                    }
                    self.step(step, Some(told), true).await?;
                }
                Ok(None) => return Err(Halt::Stopped),
                Err(error) if self.may_heal(&error) => self.answers(0, false).await?,
                Err(error) => return Err(self.fails(error)),
            }
        }
    }

    /// Tells and writes down what a step did. `beside`: a script before it was never answered.
    async fn step(
        &mut self,
        step: BulkStep,
        told: Option<&mut OpenEntries<'_>>,
        beside: bool,
    ) -> PartEnd {
        self.phase = step.phase;
        self.copies += step.copies;
        if step.wrote {
            self.longest = self.longest.max(step.took.unwrap_or_default());
        }
        if let Some(told) = told {
            self.taken_back += u64::try_from(step.lost.len()).unwrap_or(0);
            for outcome in told.reopen(&step.lost) {
                self.tally.take_back(outcome);
            }
            let tried = told.items(&step.tries);
            if !tried.is_empty() {
                let how = if beside {
                    Tries::SomeBeside
                } else {
                    Tries::Some
                };
                self.trying(tried, how).await?;
            }
            let now = self.queue.score(self.now());
            let others = |fated| told.may_be_others(fated, now);
            let delivered = if step.fates.iter().any(others) {
                // What cannot be looked at stays unknown.
                self.newest_of_target().await.unwrap_or_default()
            } else {
                HashSet::new()
            };
            let each = step.fates.into_iter();
            let of = |fated| told.of(&self.queue, fated, now, &delivered);
            let fresh: Vec<_> = each.filter_map(of).collect();
            let went = match step.placed {
                None => fresh.len(),
                Some(placed) => {
                    let before = std::mem::replace(&mut self.placed, placed);
                    // What a reading has found in its place was brought there by others.
                    let brought = placed.saturating_sub(before);
                    if step.wrote { brought } else { 0 }
                }
            };
            self.meter.went(went, crate::clock::instant());
            self.happened(fresh).await?;
        }
        self.progress(None, false);
        Ok(())
    }
}

/// An entry that has a result in the end.
struct OpenEntry {
    id: EntryId,
    /// The outcome that was told; none: it has no result yet.
    told: Option<Outcome>,
}

impl OpenEntry {
    const fn new(id: EntryId) -> Self {
        Self { id, told: None }
    }

    const fn is_open(&self) -> bool {
        self.told.is_none()
    }
}

/// Entries, and which of them have no result yet.
struct OpenEntries<'a> {
    /// The item of the journal that the first entry is; none: they are not written down.
    first: Option<u64>,
    /// All of them.
    entries: Vec<OpenEntry>,
    /// The entries, where they are deleted.
    chosen: &'a [ChosenEntry],
    why: FateReasons,
}

/// The reasons for which entries of a way that goes round count as changed, and as refused.
#[derive(Clone, Copy)]
struct FateReasons {
    changed: &'static str,
    refused: &'static str,
}

impl FateReasons {
    /// The reasons of a way that refuses none.
    const fn changed(changed: &'static str) -> Self {
        Self {
            changed,
            refused: "",
        }
    }
}

impl OpenEntries<'_> {
    /// True when the script whose answer never came may have made it so, and so may others that
    /// transfer what is due. (Nobody transfers what is not due: only the script can have deleted
    /// that.) `now`: the score that says it.
    fn may_be_others(&self, fated: &bulk::NumberedFate, now: f64) -> bool {
        let chosen = self.chosen.get(fated.index);
        fated.unsure && chosen.is_none_or(|chosen| chosen.score <= now)
    }

    /// Makes a result of a fate. `delivered`: the hashes of what has come to target, for those that
    /// others may have transferred.
    fn of(
        &mut self,
        queue: &Queue,
        fated: bulk::NumberedFate,
        now: f64,
        delivered: &HashSet<[u8; 20]>,
    ) -> Option<ItemFate> {
        let i = fated.index;
        let id = self.entries.get(i).filter(|entry| entry.is_open())?.id;
        let outcome = match fated.fate {
            _ if self.may_be_others(&fated, now) => Outcome::Unknown,
            _ if fated.unsure => Outcome::Done,
            change::Fate::Done => Outcome::Done,
            change::Fate::Gone => Outcome::Gone,
            change::Fate::Changed(_) => Outcome::Changed,
            // Of what goes into quarantine or comes out of it, or is edited; nothing else that goes
            // round is refused.
            change::Fate::NoFrame => Outcome::Refused,
        };
        self.entries[i].told = Some(outcome);
        let stood = fated.stood;
        let fated = match (outcome, self.chosen.get(i)) {
            (Outcome::Unknown, Some(chosen)) => deleted_or_not(queue, &chosen.member, delivered),
            (Outcome::Changed, _) => EntryFate::because(outcome, self.why.changed),
            (Outcome::Refused, _) => EntryFate::because(outcome, self.why.refused),
            _ => EntryFate::plain(outcome),
        };
        Some(ItemFate {
            item: self.item(i),
            id,
            fated: EntryFate { stood, ..fated },
        })
    }

    /// The results of those that have none in the end.
    fn left(&self, outcome: Outcome) -> Vec<ItemFate> {
        let open = self.entries.iter().enumerate();
        let open = open.filter(|(_, entry)| entry.is_open());
        let left = |(i, entry): (usize, &OpenEntry)| ItemFate {
            item: self.item(i),
            id: entry.id,
            fated: EntryFate::plain(outcome),
        };
        open.map(left).collect()
    }

    /// Takes back what was told of these, and returns that.
    fn reopen(&mut self, lost: &[usize]) -> Vec<Outcome> {
        let mut told = Vec::new();
        for i in lost {
            let entry = self.entries.get_mut(*i);
            told.extend(entry.and_then(|entry| entry.told.take()));
        }
        told
    }

    /// The items of the journal that these entries are.
    fn items(&self, tries: &[usize]) -> Vec<Range<u64>> {
        let items = tries.iter().filter_map(|i| self.item(*i));
        items.map(|item| item..item + 1).collect()
    }

    fn item(&self, i: usize) -> Option<u64> {
        let i = u64::try_from(i).unwrap_or(u64::MAX);
        self.first.map(|first| first + i)
    }
}
