//! Records of what is done without a plan, which is written down all the same: offers, a worker's
//! run, a consumer's.

use super::journal::{
    Item, ItemResult, Journal, JournalError, JournalHead, JournalRecord, ServerId,
};
use super::plan::work::Work;
use crate::clock::{EpochMillis, local_now};
use crate::queue::{Change, EntryId, Outcome, Queue, State, Tally};
use crate::store::Store;

/// Bytes that a message takes in the journal beside its own.
const BYTES_BESIDE_A_MESSAGE: u64 = 48;

/// Something that is written down from its begin to its end, over any number of batches. One that
/// is dropped before [`end`](Self::end) stays in the journal as never ended.
#[derive(Debug)]
pub struct ActivityRecord {
    record: JournalRecord,
    queue: Queue,
    intended: u64,
    tally: Tally,
}

impl ActivityRecord {
    /// Begins. `planned`: how many entries, and `bytes`: how many bytes of them, as far as that is
    /// known; 0 where it is not.
    pub async fn begin(
        journal: &Journal,
        store: &Store,
        queue: &Queue,
        change: Change,
        [planned, bytes]: [u64; 2],
    ) -> Result<Self, JournalError> {
        let head = JournalHead {
            change,
            queue: queue.spec(),
            server: ServerId::told(store).await,
            planned,
            bound: None,
            undoes: None,
            bytes: planned
                .saturating_mul(BYTES_BESIDE_A_MESSAGE)
                .saturating_add(bytes),
        };
        Ok(Self {
            record: journal.begin(head).await?,
            queue: queue.clone(),
            intended: 0,
            tally: Tally::default(),
        })
    }

    /// Its id in the journal.
    #[must_use]
    pub fn id(&self) -> &str {
        self.record.id()
    }

    /// Counts `n` more entries that had this outcome: a worker's totals, which are all that is kept
    /// of it.
    pub const fn count(&mut self, outcome: Outcome, n: u64) {
        self.tally.add(outcome, n);
    }

    /// An element that was taken out of target, before it is handed on: it is nowhere else any
    /// more.
    pub async fn taken(&mut self, element: &[u8]) -> Result<(), JournalError> {
        let item = Item {
            id: EntryId::of_bytes(element),
            state: State::Delivered,
            score: None,
            member: Some(element.to_vec()),
            new_score: None,
            new_member: None,
            form: None,
            hash: None,
            to_quarantine: false,
        };
        self.intended += 1;
        self.tally.add(Outcome::Done, 1);
        self.record.done(vec![item]).await
    }

    /// The element that was taken last could not be handed on, and is in target again.
    pub async fn put_back(&mut self) -> Result<(), JournalError> {
        self.tally.correct(Outcome::Done, Outcome::Left);
        let happened = ItemResult {
            index: self.intended.saturating_sub(1),
            outcome: Outcome::Left,
            stood: None,
        };
        self.record.happened(vec![happened]).await
    }

    /// Members that are about to be offered; on disk when it returns. How it went is to be told
    /// next, by [`offered`](Self::offered).
    pub(super) async fn offering(
        &mut self,
        members: &[(EpochMillis, Vec<u8>)],
    ) -> Result<(), JournalError> {
        let work = Work::Offer(members.to_vec());
        let now = local_now();
        let items = (0..work.len()).map(|i| work.item(&self.queue, now, i));
        self.record.intend(items.collect()).await
    }

    /// Writes down what became of the members that were about to be offered.
    pub(super) async fn offered(
        &mut self,
        outcomes: impl Iterator<Item = Outcome>,
    ) -> Result<(), JournalError> {
        let mut happened = Vec::new();
        for outcome in outcomes {
            self.tally.add(outcome, 1);
            happened.push(ItemResult {
                index: self.intended,
                outcome,
                stood: None,
            });
            self.intended += 1;
        }
        self.record.happened(happened).await
    }

    /// It is over.
    pub async fn end(self) -> Result<(), JournalError> {
        self.record.end(self.tally).await
    }
}
