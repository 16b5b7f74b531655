//! The mending of the order list: one that was left aside is brought back, drift is mended.

use std::collections::HashMap;

use super::batch::EntryFate;
use super::run::{Halt, ItemFate, PartEnd, Run};
use crate::clock::instant;
use crate::ops::bulk::Size;
use crate::ops::bulk::aside;
use crate::ops::bulk::drift::{self, Difference, Drift};
use crate::ops::bulk::restore_order::RestoreOrder;
use crate::ops::journal::{Item, ItemResult, JournalHead, Tries};
use crate::ops::plan::whole::{self, NAMED_STRAYS};
use crate::queue::{Change, EntryId, Outcome, State, Tally, redis_cli, text};
use crate::store::change;

/// Intents that are written at once.
const INTENTS: usize = 1_000;

/// An order list on its way back.
struct ReturningOrder {
    order: RestoreOrder,
    size: Size,
    /// Items that a script was to drop whose answer never came.
    unanswered: Vec<(u64, Vec<u8>)>,
}

impl Run {
    /// Brings back what somebody else has set aside; what does not wait any more is dropped, and
    /// written down before.
    pub(super) async fn restore_order(&mut self) -> PartEnd {
        let mut restoring = self.restoring();
        loop {
            self.hold().await?;
            if !self.restore_some(&mut restoring).await? {
                break;
            }
        }
        // Somebody else brought the others back at the same time.
        let others = self.planned.saturating_sub(self.tally.sum());
        self.tally.add(Outcome::Done, others);
        Ok(())
    }

    /// Does the same amid another change, before that sets the order list aside itself: as a change
    /// of its own, which can be undone.
    pub(super) async fn restore_left_aside(&mut self) -> PartEnd {
        let Some(journal) = self.journal.clone() else {
            return Ok(());
        };
        let store = self.writer.store().clone();
        let found = loop {
            match RestoreOrder::find(&store, &self.queue).await {
                Ok(Some(found)) => break found,
                Ok(None) => return Ok(()),
                Err(error) => self.again(error).await?,
            }
        };
        let record = journal.begin(JournalHead {
            change: Change::RestoreOrder,
            queue: self.queue.spec(),
            server: self.server.clone(),
            planned: found.aside,
            bound: None,
            undoes: None,
            bytes: whole::restored_bytes(&found),
        });
        let record = record.await?;
        let id = record.id().to_owned();
        let own = (self.phase, self.tally, self.planned, self.intended);
        let own_record = self.record.replace(record);
        (self.tally, self.planned, self.intended) = (Tally::default(), found.aside, 0);
        let mut restoring = self.restoring();
        let ended = loop {
            match self.restore_some(&mut restoring).await {
                Ok(true) => {}
                Ok(false) => break Ok(()),
                Err(halt) => break Err(halt),
            }
        };
        let restored = self.tally;
        let record = std::mem::replace(&mut self.record, own_record);
        (self.phase, self.tally, self.planned, self.intended) = own;
        let written = match record {
            Some(record) => record.end_on(restored, None).await,
            None => Ok(()),
        };
        let dropped = restored.get(Outcome::Gone);
        if dropped > 0 {
            let elements = text::counted(dropped, "element", "elements");
            self.notes.push(format!(
                "{elements} of the order list that an earlier change had not brought back did not \
                 wait any more, and stayed out of it. Should they never have been delivered, \
                 `{} undo {id}` puts them there again.",
                redis_cli::ours(store.endpoint())
            ));
        }
        ended?;
        Ok(written?)
    }

    fn restoring(&self) -> ReturningOrder {
        ReturningOrder {
            order: RestoreOrder::new(&self.queue),
            size: aside::SIZE.beginning_with(self.elements),
            unanswered: Vec::new(),
        }
    }

    /// Brings the next elements back; false: nothing is aside any more.
    async fn restore_some(&mut self, restoring: &mut ReturningOrder) -> Result<bool, Halt> {
        let store = self.writer.store().clone();
        let (restore, size) = (&mut restoring.order, &mut restoring.size);
        let dropped = match restore.look(&store, size.get()).await {
            Ok(dropped) => dropped,
            Err(error) if self.may_heal(&error) => {
                self.heal(&error, 0).await?;
                return Ok(true);
            }
            Err(error) => return Err(error.into()),
        };
        // The script without an answer has not dropped what is there still.
        let mut there = Vec::new();
        for member in &dropped {
            let is_it = |(_, unanswered): &(u64, Vec<u8>)| unanswered == member;
            let place = restoring.unanswered.iter().position(is_it);
            there.extend(place.map(|place| left(restoring.unanswered.swap_remove(place).0)));
        }
        self.become_of(there).await?;
        let first = self.intended;
        let intended = dropped.iter().cloned();
        let intended = intended.map(|member| self.order_only(member)).collect();
        self.intend(intended).await?;
        let looked_at = first..self.intended;
        self.trying(vec![looked_at.clone()], Tries::SomeBeside)
            .await?;
        let before = restore.taken();
        match restore.next(&self.writer, size.get()).await {
            Ok(Some(step)) => {
                self.phase = step.phase;
                self.longest = self.longest.max(step.took.unwrap_or_default());
                size.took(step.took, self.limits.max_block);
                let taken = step.at - before;
                self.meter
                    .went(usize::try_from(taken).unwrap_or(0), instant());
                let gone = u64::try_from(step.dropped.len()).unwrap_or(0);
                let rest = self.planned.saturating_sub(self.tally.sum());
                let done = taken.saturating_sub(gone).min(rest);
                self.tally.add(Outcome::Done, done);
                self.tally.add(Outcome::Gone, gone.min(rest - done));
                self.become_of(left_out(first, &dropped, &step.dropped))
                    .await?;
                self.left_unseen(&dropped, step.dropped).await?;
                self.progress(None, false);
                Ok(true)
            }
            Ok(None) => {
                self.become_of(looked_at.map(left).collect()).await?;
                Ok(false)
            }
            Err(error) if self.may_heal(&error) => {
                if error.outcome_unknown() {
                    restoring.unanswered.extend(looked_at.zip(dropped));
                } else {
                    self.become_of(looked_at.map(left).collect()).await?;
                }
                self.heal(&error, 0).await?;
                Ok(true)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Writes down what did not come back although it waited when that was looked at.
    async fn left_unseen(&mut self, seen: &[Vec<u8>], dropped: Vec<Vec<u8>>) -> PartEnd {
        let mut seen: Vec<&Vec<u8>> = seen.iter().collect();
        let is_unseen = |member: &Vec<u8>| {
            let place = seen.iter().position(|one| *one == member);
            place.map(|place| seen.swap_remove(place)).is_none()
        };
        let unseen = dropped.into_iter().filter(is_unseen);
        let unseen: Vec<Item> = unseen.map(|member| self.order_only(member)).collect();
        let Some(mut record) = self.record.clone().filter(|_| !unseen.is_empty()) else {
            return Ok(());
        };
        self.intended += u64::try_from(unseen.len()).unwrap_or(0);
        self.written(async move { record.done(unseen).await })
            .await?;
        Ok(())
    }

    fn order_only(&self, member: Vec<u8>) -> Item {
        Item {
            id: self.queue.id(&member),
            state: State::Order,
            score: None,
            member: Some(member),
            new_score: None,
            new_member: None,
            form: None,
            hash: None,
            to_quarantine: false,
        }
    }

    /// Mends what was found.
    pub(super) async fn drift(&mut self, mut drift: Box<Drift>) -> PartEnd {
        self.phase = "repairing the order list";
        self.left_alone(drift.strays().len());
        let first = self.intended;
        let items: Vec<Item> = drift
            .found()
            .iter()
            .map(|found| self.found(found))
            .collect();
        let mut open: Vec<Option<EntryId>> = items.iter().map(|item| Some(item.id)).collect();
        for some in items.chunks(INTENTS) {
            self.intend(some.to_vec()).await?;
        }
        // Its scripts find out for themselves which differences they come to.
        let all = first..self.intended;
        self.trying(vec![all], Tries::Some).await?;
        let ended = match self.asked_of_drift(&drift).await {
            Ok(()) => self.mend(&mut drift, first, &mut open).await,
            refused => refused,
        };
        let untold = self.without_result();
        let item = |i: usize| Some(first + u64::try_from(i).unwrap_or(0));
        let left = open.into_iter().enumerate().filter_map(|(i, id)| {
            Some(ItemFate {
                item: item(i),
                id: id?,
                fated: EntryFate::plain(untold),
            })
        });
        let left = left.collect();
        self.happened(left).await?;
        ended
    }

    /// Tells that what only the order list holds is left there; the first of them were told by
    /// name.
    fn left_alone(&mut self, strays: usize) {
        let unnamed = u64::try_from(strays.saturating_sub(NAMED_STRAYS)).unwrap_or(0);
        if unnamed > 0 {
            self.tally.add(Outcome::Refused, unnamed);
            let more = text::counted(unnamed, "entry", "entries");
            self.notes.push(format!(
                "{more} more that only the order list holds were left alone, and no line names them."
            ));
        }
    }

    async fn mend(
        &mut self,
        drift: &mut Drift,
        first: u64,
        open: &mut [Option<EntryId>],
    ) -> PartEnd {
        let mut size = drift::SIZE.beginning_with(self.elements);
        loop {
            self.hold().await?;
            let step = match drift.next(&self.writer, size.get()).await {
                Ok(Some(step)) => step,
                Ok(None) => return Ok(()),
                Err(error) if self.may_heal(&error) => {
                    self.heal(&error, 0).await?;
                    continue;
                }
                Err(error) => return Err(self.fails(error)),
            };
            // A page that was read says nothing of what a script may take.
            if step.wrote {
                self.longest = self.longest.max(step.took.unwrap_or_default());
                size.took(step.took, self.limits.max_block);
            }
            let mut fates = Vec::with_capacity(step.fates.len());
            for fated in step.fates {
                let Some(id) = open.get_mut(fated.index).and_then(Option::take) else {
                    continue;
                };
                let outcome = match fated.fate {
                    _ if fated.unsure => Outcome::Unknown,
                    change::Fate::Done => Outcome::Done,
                    change::Fate::Gone => Outcome::Gone,
                    change::Fate::Changed(_) => Outcome::Changed,
                    change::Fate::NoFrame => Outcome::Undecodable,
                };
                fates.push(ItemFate {
                    item: Some(first + u64::try_from(fated.index).unwrap_or(0)),
                    id,
                    fated: EntryFate::plain(outcome),
                });
            }
            self.happened(fates).await?;
            self.progress(None, false);
        }
    }

    /// A difference as the journal keeps it: what only timeouts holds has no score there, since
    /// that is not touched.
    fn found(&self, difference: &Difference) -> Item {
        match difference {
            Difference::NotInOrder(member) => Item {
                state: State::Waiting,
                ..self.order_only(member.clone())
            },
            Difference::OnlyInOrder(member) | Difference::TooOften(member, _) => {
                self.order_only(member.clone())
            }
        }
    }
}

/// The fate of an item that was not dropped.
const fn left(index: u64) -> ItemResult {
    ItemResult {
        index,
        outcome: Outcome::Left,
        stood: None,
    }
}

/// The fates of items, from `first` on, that were to be dropped: done are those that were.
fn left_out(first: u64, intended: &[Vec<u8>], dropped: &[Vec<u8>]) -> Vec<ItemResult> {
    let mut copies: HashMap<&[u8], usize> = HashMap::new();
    for member in dropped {
        *copies.entry(member).or_default() += 1;
    }
    let fate = |(index, member): (u64, &Vec<u8>)| {
        let copies = copies.get_mut(member.as_slice()).filter(|n| **n > 0);
        let Some(copies) = copies else {
            return left(index);
        };
        *copies -= 1;
        ItemResult {
            outcome: Outcome::Done,
            ..left(index)
        }
    };
    (first..).zip(intended).map(fate).collect()
}
