//! A failover amid a change: another server is the master now, and lacks the last of what was done.
//! That is found out entry by entry and done again, so that what is told is what the new master
//! holds.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::ChangeEvent;
use super::batch::EntryFate;
use super::brake::LOOK;
use super::ledger::{DoubtfulEntry, Teller};
use super::look::SeenEntry;
use super::refused::waits_for;
use super::run::{Halt, PartEnd, Run};
use crate::clock::{EpochMillis, instant};
use crate::ops::bulk::realign::due_until;
use crate::ops::journal::{ItemResult, ServerId};
use crate::ops::plan::work::Work;
use crate::queue::{EntryId, EntryResult, Outcome, text};
use crate::store::bulk::facts;
use crate::store::read::Replication;
use crate::store::{StoreError, read};

/// The longest wait for the replicas to have all that was done.
const CATCH_UP: Duration = Duration::from_secs(1);

/// The note about a replica that left and stayed away.
const GIVEN_UP: &str = "A replica went away and did not come back: until it is back it has nothing \
                        of what went on.";
/// The trouble that is told of a failover.
const TOOK_OVER: &str = "another server has the queue now (a failover, or its slot was moved): the \
                         entries that it may lack are looked up";
/// The reason for an unknown outcome.
const BY_WHOM: &str = "a failover came after it was done; it has left since, by this change or by \
                       others";
/// The same for what looks like others of its kind.
const ALIKE: &str = "a failover came after it was done, and equal elements cannot be told apart";

/// An attempt at entries of some work: which of them each item of the journal is.
struct Attempt {
    /// The first of its items.
    first: u64,
    /// The entry of the work that it is, and those that the following items are.
    entries: Vec<usize>,
}

impl Attempt {
    /// The entry that an item is; none: it is not one of this attempt.
    fn entry(&self, item: u64) -> Option<usize> {
        let at = usize::try_from(item.checked_sub(self.first)?).ok()?;
        self.entries.get(at).copied()
    }
}

impl Run {
    /// Tells whether trying again may help: of a server that was a master, and was to be written to,
    /// also that it takes no writes just now.
    pub(super) fn may_heal(&self, error: &StoreError) -> bool {
        error.may_heal() || (takes_no_writes(error) && self.ledger.is_kept())
    }

    /// Waits, after such an answer, until there is a master again that takes writes.
    pub(super) async fn replaced(&mut self, error: &StoreError) -> PartEnd {
        if !takes_no_writes(error) {
            return Ok(());
        }
        let store = self.writer.store().clone();
        let since = self.refused.since(instant());
        loop {
            self.progress(Some(waits_for(error).to_owned()), true);
            self.pause(LOOK).await;
            if self.is_stopped() {
                return Err(Halt::Stopped);
            }
            if let Ok(seen) = read::replication(&store).await {
                self.saw(&seen);
                // A master says nothing of whether it takes writes: the next one tells.
                if seen.is_master && !self.has_waited_long(since) {
                    self.refused.tried_again(instant());
                    return Ok(());
                }
            }
            if self.has_waited_long(since) {
                return Err(Halt::Failed(error.to_string()));
            }
        }
    }

    fn has_waited_long(&self, since: Instant) -> bool {
        instant().saturating_duration_since(since) > self.limits.patience
    }

    /// Learns what the server told of its replication behind the last script.
    pub(super) fn marked(&mut self) {
        match self.writer.take_replication() {
            Some(seen) => self.saw(&seen),
            None => self.ledger.missed(),
        }
    }

    /// Learns what a server tells of its replication. One that is not the master any more is left.
    pub(super) fn saw(&mut self, seen: &Replication) {
        let was_kept = self.ledger.is_kept();
        let teller = self.ledger.saw(seen, instant());
        if teller == Teller::Other {
            self.say(ChangeEvent::Trouble(TOOK_OVER.to_owned()));
            // Whether the list is aside there, nobody knows: it is set aside anew.
            self.aside = false;
        }
        if teller != Teller::Same {
            self.writer.leave();
        }
        if !was_kept && self.ledger.is_kept() {
            self.writer.ask_for_replication(true);
        }
    }

    /// The reason to wait when a replica has left: it may be the master by now, and then what is
    /// done here is lost.
    pub(super) fn missed(&mut self, seen: &Replication) -> Option<String> {
        let missed = self.ledger.misses(instant())?;
        let left = self.limits.patience.saturating_sub(missed);
        if left.is_zero() {
            self.ledger.give_up(seen.replicas.len());
            if !self.notes.iter().any(|note| note == GIVEN_UP) {
                self.notes.push(GIVEN_UP.to_owned());
            }
            return None;
        }
        let why = if seen.is_master {
            "a replica has left, and may be the master by now"
        } else {
            "this server has become a replica, and nobody leads to the master yet"
        };
        let left = left.as_secs() + 1;
        Some(format!("{why}: waiting {left} s at most to see"))
    }

    /// Does again what a failover has taken back of `work`, which has `ended` so, until all replicas
    /// have what was done. `first`: the item of the journal that its first entry is.
    pub(super) async fn outlast(&mut self, work: &Work, first: u64, mut ended: PartEnd) -> PartEnd {
        let mut attempts = Vec::new();
        loop {
            self.secured().await;
            if !self.ledger.doubts() {
                return ended;
            }
            if attempts.is_empty() {
                attempts.push(self.attempt(work, first, (0..work.len()).collect()));
            }
            let lost = match self.lost_of(work, &attempts).await {
                Ok(lost) => lost,
                Err(halt) => return ended.and(Err(halt)),
            };
            if lost.is_empty() {
                return ended;
            }
            let indices: Vec<usize> = lost.iter().map(|(i, _)| *i).collect();
            let again = work.some(&indices);
            self.taken_back(lost.iter().map(|(_, doubt)| doubt)).await?;
            if ended.is_err() {
                self.leave(&again, 0);
                return ended;
            }
            attempts.push(self.attempt(&again, self.intended, indices));
            ended = self.kind(&again).await;
        }
    }

    /// The attempt at these entries whose items begin with `first`.
    fn attempt(&self, work: &Work, first: u64, mut entries: Vec<usize>) -> Attempt {
        if self.goes_backwards(work) {
            entries.reverse();
        }
        Attempt { first, entries }
    }

    /// Counts what a failover has taken back of a transfer of everything due at `bound`: it is due
    /// there again.
    pub(super) async fn due_again(&mut self, bound: EpochMillis) -> Result<bool, Halt> {
        self.secured().await;
        if !self.ledger.doubts() {
            return Ok(false);
        }
        self.brought_back().await;
        let doubt = self.ledger.take_doubt().into_iter();
        let doubt: HashMap<EntryId, DoubtfulEntry> = doubt.map(|one| (one.id, one)).collect();
        let store = self.writer.store().clone();
        let due = loop {
            match due_until(&store, &self.queue, Some(bound)).await {
                Ok(due) => break due,
                Err(error) => self.again(error).await?,
            }
        };
        let ids = due.iter().map(|member| self.queue.id(member));
        let lost: Vec<DoubtfulEntry> = ids.filter_map(|id| doubt.get(&id).copied()).collect();
        self.taken_back(lost.iter()).await?;
        Ok(!lost.is_empty())
    }

    /// Says of a repair of the order list, which looks at the list itself, that it is to be done
    /// again.
    pub(super) async fn told_to_repeat(&mut self) {
        self.secured().await;
        if self.ledger.failovers() == 0 {
            return;
        }
        self.brought_back().await;
        for doubt in self.ledger.take_doubt() {
            self.tally.correct(doubt.outcome, Outcome::Unknown);
        }
        self.notes.push(
            "Another server became the master amid this repair: what it did may be taken back in \
             part. Repeat it; it finds out itself what is left to do."
                .to_owned(),
        );
    }

    /// Waits until all replicas have what was done, as long as that may help, and sees whether the
    /// server is the master still.
    pub(super) async fn secured(&mut self) {
        let store = self.writer.store().clone();
        let mut waited = false;
        while self.ledger.is_kept() {
            let seen = match read::replication(&store).await {
                Ok(seen) => seen,
                Err(error) if error.may_heal() => match self.heal(&error, 0).await {
                    Ok(()) => continue,
                    Err(_) => return self.unseen_end(),
                },
                Err(_) => return self.unseen_end(),
            };
            self.saw(&seen);
            if self.ledger.doubts() && seen.is_master {
                return;
            }
            if let Some(why) = self.missed(&seen) {
                if self.is_stopped() {
                    return self.unseen_end();
                }
                self.progress(Some(why), true);
                self.pause(LOOK).await;
                continue;
            }
            if waited {
                return;
            }
            waited = true;
            self.caught_up().await;
        }
    }

    /// Waits until all replicas have what was done; where that may take long, it is told.
    async fn caught_up(&mut self) {
        // Who has asked for it waits until they have it; of all replicas, until one that has gone is
        // given up.
        let store = self.writer.store().clone();
        while let Some(why) = self.unconfirmed().await {
            if self.is_stopped() {
                break;
            }
            self.progress(Some(why), true);
            self.pause(LOOK).await;
            if let Ok(seen) = read::replication(&store).await {
                self.saw(&seen);
                if self.ledger.doubts() {
                    return;
                }
                self.missed(&seen);
            }
        }
        let all = self.ledger.replicas();
        if let Ok(have) = self.writer.wait_for_replicas(all, CATCH_UP).await {
            if have < all as u64 {
                self.notes.push(format!(
                    "{have} of {all} replicas have all of it: a failover to another one would take \
                     the last of it back."
                ));
            } else if self.limits.confirm.is_some() {
                self.notes
                    .push(format!("{have} of {all} replicas have all of it."));
            }
            return;
        }
        // Who may not WAIT hears what the replicas say each second.
        let until = instant() + CATCH_UP + LOOK;
        while !self.ledger.is_everywhere() && instant() < until && !self.is_stopped() {
            self.pause(LOOK).await;
            match read::replication(&store).await {
                Ok(seen) => self.saw(&seen),
                Err(_) => return,
            }
        }
    }

    fn unseen_end(&mut self) {
        self.notes.push(
            "Whether another server became the master in the end, and lacks the last of it, was \
             not seen."
                .to_owned(),
        );
    }

    /// Finds the entries of `work` that the new master has as they were before: each with what was
    /// told of it.
    async fn lost_of(
        &mut self,
        work: &Work,
        attempts: &[Attempt],
    ) -> Result<Vec<(usize, DoubtfulEntry)>, Halt> {
        self.brought_back().await;
        let doubt = self.ledger.take_doubt();
        let entry = |item| attempts.iter().find_map(|attempt| attempt.entry(item));
        let of = |doubt: DoubtfulEntry| Some((entry(doubt.item)?, doubt));
        let mut there: Vec<_> = doubt.into_iter().filter_map(of).collect();
        there.sort_unstable_by_key(|(i, _)| *i);
        let indices: Vec<usize> = there.iter().map(|(i, _)| *i).collect();
        let some = work.some(&indices);
        let seen = if let Work::Repair(deed) = &some {
            let (store, queue) = (self.writer.store().clone(), self.queue.clone());
            let done = loop {
                match deed.done(&store, &queue, 0..deed.len()).await {
                    Ok(done) => break done,
                    Err(error) => self.again(error).await?,
                }
            };
            let seen = |done| {
                if done {
                    SeenEntry::Done
                } else {
                    SeenEntry::NotDone
                }
            };
            done.map(|done| done.into_iter().map(seen).collect())
        } else if work.may_be_repeated() {
            Some(self.states(&some, 0..some.len()).await?)
        } else {
            None
        };
        let Some(seen) = seen else {
            for (i, doubt) in there {
                self.corrected(work, i, doubt, EntryFate::because(Outcome::Unknown, ALIKE))
                    .await?;
            }
            return Ok(Vec::new());
        };
        let takes_back = matches!(work, Work::TakeBack(..));
        let mut states = seen.into_iter();
        let mut left = Vec::new();
        there.retain(|(i, doubt)| match states.next() {
            Some(SeenEntry::NotDone) => true,
            // It has its old bytes, beside others that came to have the new ones: the script says so.
            Some(SeenEntry::Stays(_)) if matches!(work, Work::Edit(_)) => true,
            // It comes out of target and is not in timeouts, where nobody takes it before its time.
            Some(SeenEntry::Stays(fated)) if takes_back && fated.outcome == Outcome::Gone => true,
            Some(SeenEntry::Stays(_)) if takes_back => {
                left.push((*i, *doubt));
                false
            }
            Some(SeenEntry::Left | SeenEntry::Passed) => {
                left.push((*i, *doubt));
                false
            }
            _ => false,
        });
        // What is delivered is what was asked for, whoever did it.
        left.retain(|(_, doubt)| doubt.outcome == Outcome::Done);
        if !left.is_empty() && !matches!(work, Work::Deliver(_)) {
            let delivered = self.newest_of_target().await?;
            for (i, doubt) in left {
                let fated = match work {
                    Work::Delete(_) => self.left(work, i, &delivered),
                    _ => EntryFate::because(Outcome::Unknown, BY_WHOM),
                };
                self.corrected(work, i, doubt, fated).await?;
            }
        }
        Ok(there)
    }

    /// Tells another outcome of an entry than before.
    async fn corrected(
        &mut self,
        work: &Work,
        i: usize,
        doubt: DoubtfulEntry,
        fated: EntryFate,
    ) -> PartEnd {
        self.tally.take_back(doubt.outcome);
        let id: EntryId = work.id(&self.queue, i);
        let happened = ItemResult {
            index: doubt.item,
            outcome: fated.outcome,
            stood: None,
        };
        let written = self.become_of(vec![happened]).await;
        self.results(vec![EntryResult {
            id,
            outcome: fated.outcome,
            reason: fated.reason,
        }]);
        written
    }

    /// Takes note of entries that the last script has found to be due and transferred, each with its
    /// item in the journal. One that it has found again had been taken back.
    pub(super) async fn found_due(&mut self, entries: Vec<(u64, EntryId)>) -> PartEnd {
        let ids = entries.iter().map(|(_, id)| *id);
        let again = self.ledger.found_again(ids);
        self.ledger.done(entries);
        if again.is_empty() {
            return Ok(());
        }
        self.taken_back(again.iter()).await
    }

    /// Writes down that these are as they were before.
    async fn taken_back<'a>(&mut self, lost: impl Iterator<Item = &'a DoubtfulEntry>) -> PartEnd {
        let (mut happened, mut count) = (Vec::new(), 0);
        for doubt in lost {
            self.tally.take_back(doubt.outcome);
            count += u64::from(doubt.outcome == Outcome::Done);
            happened.push(ItemResult {
                index: doubt.item,
                outcome: Outcome::Left,
                stood: None,
            });
        }
        self.taken_back += count;
        self.become_of(happened).await
    }

    /// Brings the order list back that is aside on the new master: the script that did so on the
    /// former one may be among what is lost.
    async fn brought_back(&mut self) {
        let store = self.writer.store().clone();
        if !self.was_aside {
            return;
        }
        // What cannot be read now is told by whoever looks at the queue next.
        if let Ok(there) = facts(&store, &self.queue).await
            && there.aside > 0
        {
            self.aside = true;
            self.restored().await;
        }
    }

    /// The server that it ends on, behind a failover: not even the replication ids lead there from
    /// where it began, when there were two.
    pub(super) fn moved_to(&self) -> Option<ServerId> {
        (self.ledger.failovers() > 0).then(|| ServerId::of(self.writer.store()))
    }

    /// A sentence about the failovers that it has outlasted.
    pub(super) fn outlasted(&self) -> Option<String> {
        let failovers = self.ledger.failovers();
        if failovers > 0 && self.taken_back == 0 {
            let why = "Another server took over the queue amid this change (a failover, or its slot \
                       was moved). What is told here is how it stands there.";
            return Some(why.to_owned());
        }
        let again = text::counted(self.taken_back, "entry was", "entries were");
        (failovers > 0).then(|| {
            format!(
                "Another server became the master amid this change (a failover): {again} not done \
                 there, though the former master had said so. What is told here is how it stands \
                 on the master of now."
            )
        })
    }
}

/// True of the answer of a server that is no master any more, or that lacks the replicas that its
/// writes are to have.
fn takes_no_writes(error: &StoreError) -> bool {
    matches!(error.code(), Some("READONLY" | "NOREPLICAS"))
}
