//! Everything that is due: the script chooses, and what it moved is written down before the next
//! one starts.

use std::collections::HashSet;

use super::pace::{MOST_TOLD, MOST_WATCHED};
use super::run::{Halt, PartEnd, Run};
use super::watched::is_large;
use crate::clock::EpochMillis;
use crate::ops::bulk::realign::due_until;
use crate::ops::journal::Item;
use crate::ops::plan::work::form_and_hash;
use crate::queue::plan::Way;
use crate::queue::{EntryId, EntryResult, Outcome, State, text};
use crate::store::change::{ChosenEntry, DeliveredEntries};
use crate::store::write::{DueCursor, Portion};
use crate::store::{StoreError, read};

/// Batches without a watch after somebody else has touched the queue, since others are at it most
/// likely: so many scripts tell what they moved before it is watched again.
const TELL: u32 = 16;

/// Picoseconds that it takes the server to read a byte of a member.
const READ_PS: u64 = 700;

/// The sentence's end for entries that left timeouts when a transaction may have moved them.
pub(super) const LEFT: &str = "they have left timeouts, by this change or by others";

/// A sentence that the fate of so many entries is not known one by one.
pub(super) fn unseen(count: u64, why: &str) -> Option<String> {
    (count > 0).then(|| format!("{count} unknown: the answer to the transfer never came; {why}."))
}

fn by_number(unnamed: u64) -> Option<String> {
    let more = text::counted(unnamed, "entry is", "entries are");
    (unnamed > 0).then(|| format!("{more} refused that no line names: a score is below 0."))
}

impl Run {
    /// Transfers everything due at `bound`: as many as were counted, and no more. Beside what was
    /// refused by name, `unnamed` are by number. The largest member that is known of has so many
    /// bytes.
    pub(super) async fn due(&mut self, bound: EpochMillis, unnamed: u64, largest: u64) -> PartEnd {
        self.phase = "transferring";
        self.tally.add(Outcome::Refused, unnamed);
        self.notes.extend(by_number(unnamed));
        if self.tally.sum() >= self.planned {
            return Ok(());
        }
        self.asked_of_transfer().await?;
        self.look_before().await;
        self.look_at_later(bound).await;
        let way = match self.way() {
            Way::SetAside if !self.set_aside().await? => Way::Swap,
            way => way,
        };
        if way == Way::Swap {
            let store = self.writer.store().clone();
            let members = loop {
                match due_until(&store, &self.queue, Some(bound)).await {
                    Ok(members) => break members,
                    Err(error) => self.again(error).await?,
                }
            };
            self.head_first(members).await?;
        }
        loop {
            let ended = self.transfer(bound, largest).await;
            self.restored().await;
            let again = self.due_again(bound).await;
            ended?;
            if !again? {
                break;
            }
        }
        // Others transfer too: what is not there any more has gone.
        let gone = self.planned.saturating_sub(self.tally.sum());
        if gone > 0
            && let Some(why) = self.lost(gone).await
        {
            self.tally.add(Outcome::Unknown, gone);
            return Err(Halt::Failed(why));
        }
        let gone = self.came(gone, LEFT);
        self.tally.add(Outcome::Gone, gone);
        Ok(())
    }

    /// Transfers batch after batch. Where some are large, the `largest` has so many bytes, the
    /// queue is not watched: what is read then has no bound but its number.
    async fn transfer(&mut self, bound: EpochMillis, largest: u64) -> PartEnd {
        let (large, most) = (is_large(largest), self.beside_those_that_stay(largest));
        let (mut known, mut cursor) = (HashSet::new(), DueCursor::default());
        let (mut tell, mut lost) = (0_u32, 0);
        loop {
            if tell == 0 && known.is_empty() && !large {
                self.pace.by_number(MOST_WATCHED);
                self.watched(bound).await?;
                tell = TELL;
            }
            self.pace.by_number(most);
            tell = tell.saturating_sub(1);
            let rest = self.planned.saturating_sub(self.tally.sum());
            let n = usize::try_from(rest).unwrap_or(usize::MAX);
            let n = n.min(self.pace.size());
            if n == 0 {
                return Ok(());
            }
            self.hold().await?;
            self.untold(lost, n).await?;
            let queue = self.queue.clone();
            let portion = Portion {
                entries: n,
                bytes: self.pace.bytes(),
            };
            let sent = self
                .writer
                .transfer_telling(&queue, bound, portion, &cursor, self.aside);
            let sent = sent.await;
            self.marked();
            let delivered = match sent {
                Ok(timed) => {
                    let (moved, skipped) = (timed.done.moved.len(), timed.done.skipped.len());
                    self.looked(moved + skipped, moved, timed.took);
                    timed.done
                }
                Err(error) if self.may_heal(&error) => {
                    let asked = u64::try_from(n).unwrap_or(u64::MAX);
                    let (missing, healed) = self.recover(bound, asked, 0, &error).await;
                    lost += missing;
                    let why =
                        "they have left timeouts, and the journal knows them by their bound only";
                    self.notes.extend(unseen(missing, why));
                    healed?;
                    continue;
                }
                Err(error) => {
                    if error.outcome_unknown() {
                        self.halfway(u64::try_from(n).unwrap_or(u64::MAX));
                    }
                    return Err(error.into());
                }
            };
            let (more, any) = (delivered.more, !delivered.moved.is_empty());
            cursor.clone_from(&delivered.cursor);
            self.moved(delivered, &mut known).await?;
            if any {
                self.overtaken(bound).await?;
            }
            self.progress(None, false);
            if !more {
                return Ok(());
            }
        }
    }

    /// The entries that a script moves at most where others stay that are so large. The table in
    /// which the server finds members shrinks while they leave: with each that leaves it moves one
    /// that stays, and reads it whole.
    fn beside_those_that_stay(&self, largest: u64) -> usize {
        let each = largest.saturating_mul(READ_PS) / 1_000;
        let most = self.limits.max_block.as_nanos() / u128::from(each.max(1));
        usize::try_from(most).map_or(MOST_TOLD, |most| most.clamp(1, MOST_TOLD))
    }

    /// Writes down and tells what a script moved, and what it met for the first time that is no
    /// frame.
    async fn moved(
        &mut self,
        delivered: DeliveredEntries,
        known: &mut HashSet<EntryId>,
    ) -> PartEnd {
        let queue = self.queue.clone();
        let item = |ChosenEntry { member, score }: ChosenEntry| {
            let (form, hash) = form_and_hash(&queue, &member);
            Item {
                id: queue.id(&member),
                state: State::Late,
                score: Some(score),
                member: None,
                new_score: None,
                new_member: None,
                form,
                hash,
                to_quarantine: false,
            }
        };
        let items: Vec<Item> = delivered.moved.into_iter().map(item).collect();
        let mut results: Vec<EntryResult> = items
            .iter()
            .map(|item| EntryResult {
                id: item.id,
                outcome: Outcome::Done,
                reason: None,
            })
            .collect();
        let moved = results.len();
        let strange = delivered.skipped.iter().map(|member| queue.id(member));
        for id in strange.filter(|id| known.insert(*id)) {
            results.push(EntryResult {
                id,
                outcome: Outcome::Undecodable,
                reason: None,
            });
        }
        let ids = items.iter().map(|item| item.id);
        let done: Vec<_> = (self.intended..).zip(ids).collect();
        self.intended += u64::try_from(moved).unwrap_or(0);
        let written = match self.record.clone() {
            Some(mut record) if moved > 0 => {
                self.written(async move { record.done(items).await }).await
            }
            _ => Ok(()),
        };
        self.found_due(done).await?;
        self.results(results);
        if written.is_err() {
            self.notes.push(format!(
                "{} transferred that the journal does not know of: an undo leaves them in target.",
                text::counted(moved as u64, "entry was", "entries were")
            ));
        }
        Ok(written?)
    }

    /// Notes that a script that was to move so many has ended in the middle: they may be in target,
    /// in timeouts, or in both.
    pub(super) fn halfway(&mut self, count: u64) {
        let rest = self.planned.saturating_sub(self.tally.sum());
        self.tally.add(Outcome::Unknown, count.min(rest));
    }

    /// Waits until the server is back and has read all of `sent` bytes, and counts what has left when
    /// it may have been this.
    pub(super) async fn recover(
        &mut self,
        bound: EpochMillis,
        asked: u64,
        sent: usize,
        error: &StoreError,
    ) -> (u64, PartEnd) {
        let healed = self.heal(error, sent).await;
        if !error.outcome_unknown() {
            return (0, healed);
        }
        let rest = self.planned.saturating_sub(self.tally.sum());
        let (missing, ended) = match healed {
            Ok(()) => match self.still_due(bound).await {
                Ok(still) => (rest.saturating_sub(still), Ok(())),
                Err(halt) => (rest, Err(halt)),
            },
            halt => (rest, halt),
        };
        // With the data that is gone it is all of them that nobody has transferred.
        if missing > 0
            && ended.is_ok()
            && let Some(why) = self.lost(missing).await
        {
            self.tally.add(Outcome::Unknown, missing);
            return (missing, Err(Halt::Failed(why)));
        }
        let missing = missing.min(asked);
        self.tally.add(Outcome::Unknown, missing);
        (missing, ended)
    }

    /// Counts the due entries that were not met yet.
    pub(super) async fn still_due(&mut self, bound: EpochMillis) -> Result<u64, Halt> {
        let (timeouts, bound) = (self.queue.keys().timeouts, self.queue.score(bound));
        let store = self.writer.store().clone();
        let still = loop {
            match read::count_between(&store, &timeouts, 0.0, bound).await {
                Ok(still) => break still,
                Err(error) => self.again(error).await?,
            }
        };
        Ok(still.saturating_sub(self.tally.get(Outcome::Undecodable)))
    }
}
