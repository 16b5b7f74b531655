//! The ways to change many entries of one queue without hurting its server.
//!
//! Redisson takes each delivered entry out of the order list by `LREM 1`, which walks from the
//! head past every entry that falls due later. What is far down a long list costs milliseconds, so
//! the work is to make the walk short. [`EstimateBasis`](estimate::EstimateBasis) picks the way from a
//! [`OrderSample`](estimate::OrderSample); the ways themselves are steppers: each call of `next`
//! is **one** script (or one bounded read), so that its caller can brake, pause, stop and journal
//! between any two. `None` says that it has ended.
//!
//! How a change drives each of them:
//!
//! * **in order**: no stepper; batches of [`store::change`](crate::store::change).
//! * **swap**: [`Realign`](realign::Realign) over the chosen in due order until `None`, then in
//!   order. For `repair --realign` it is all there is. May be left at any step. Told that another
//!   server [`took_over`](realign::Realign::took_over), it begins anew with what that one has.
//! * **set aside**: [`set_aside`](aside::set_aside); when it says `Done`, batches of
//!   `transfer_telling`/`deliver` with `drain`; then **always**, also after an error, a pause or a
//!   stop, [`OrderRestoration`](aside::OrderRestoration) until `None`. (`Expires`: swap instead; `Nothing`: in
//!   order; `AlreadyThere`: bring that one back first, then begin again.)
//! * **sweep** (delete, quarantine, edit): the intents of **all** chosen first, since a sweep meets
//!   them in the order of the list; then [`Sweep`](sweep::Sweep) until `None`. Each of the chosen
//!   gets exactly one fate. Told to [`stop`](sweep::Sweep::stop), it does no more of that and only
//!   lets the rest of the list go round, so that the offer order is back at `None`; the others keep
//!   no fate.
//! * **put back** (undo of a deletion or a quarantine of many): [`PutBack`](put_back::PutBack) the
//!   same way.
//! * **restore order**: [`RestoreOrder`](restore_order::RestoreOrder): `look` tells what the next
//!   step would drop, to be journalled, `next` does it.
//! * **drift**: [`Drift::find`](drift::Drift::find), step by step, then
//!   [`Drift::next`](drift::Drift::next) mends; each finding is checked once more in the very
//!   script that acts on it.
//!
//! A step that reads what the next script meets says which entries that tries
//! ([`BulkStep::tries`]): after a death only what the last script tried is in doubt.
//!
//! An error that leaves the outcome unknown may be followed by another `next` once the server
//! answers again: each stepper finds out for itself what its last script did. A death between any
//! two steps leaves nothing to mend but a list that is aside.

pub mod aside;
pub mod drift;
pub mod estimate;
pub(in crate::ops) mod list;
mod neighbours;
pub mod put_back;
pub mod realign;
pub mod restore_order;
mod swap;
pub mod sweep;
mod turn;

use std::time::Duration;

use crate::clock::EpochMillis;
use crate::queue::{Known, Queue};
use crate::store::change::{Fate, ListPlace};
use crate::store::read::{self, GlanceAsk};
use crate::store::{Store, StoreError};

/// The result of one step of a way.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BulkStep {
    /// Time for which its script kept the server, where that could be measured; of a step that only
    /// read: the read.
    pub took: Option<Duration>,
    /// True when it ran a script that writes: brakes count it. A step that only read is no reason
    /// to wait.
    pub wrote: bool,
    /// The words for what is being done.
    pub phase: &'static str,
    /// Elements of the list that this phase has come to.
    pub at: u64,
    /// All elements of this phase, about.
    pub of: u64,
    /// Fates of entries: each of those given at the start has one in the end.
    pub fates: Vec<NumberedFate>,
    /// Entries, of those given at the start, that the script of the next step tries, of ways that
    /// change entries: to be written down before it.
    pub tries: Vec<usize>,
    /// Copies beyond the first that left the order list with what was taken out of it.
    pub copies: u64,
    /// Elements that left the order list because they do not wait any more, when that is told.
    pub dropped: Vec<Vec<u8>>,
    /// The number of entries that stand in their places by now; none of ways that tell the fate of each
    /// entry as soon as something is done to it.
    pub placed: Option<usize>,
    /// Entries that had been brought to their places, and stand elsewhere at the server that has taken
    /// over since.
    pub lost: Vec<usize>,
}

/// The fate of one entry.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberedFate {
    /// Its number among those given at the start.
    pub index: usize,
    /// The script's word for it.
    pub fate: Fate,
    /// Its place in the order list, where it was deleted and stood there.
    pub stood: Option<ListPlace>,
    /// True when the answer of the script that may have done it never came, and what was seen
    /// afterwards does not tell who did.
    pub unsure: bool,
}

/// The number of elements that the next script takes: halved when one kept the server for too long,
/// grown by a quarter when one took less than half of that.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    now: usize,
    most: usize,
}

impl Size {
    /// Begins with `first`, and never goes beyond `most`.
    #[must_use]
    pub const fn new(first: usize, most: usize) -> Self {
        Self { now: first, most }
    }

    /// The same, beginning with `first` where that is less.
    #[must_use]
    pub fn beginning_with(self, first: usize) -> Self {
        Self {
            now: self.now.min(first).max(1),
            most: self.most,
        }
    }

    /// The number of elements.
    #[must_use]
    pub const fn get(self) -> usize {
        self.now
    }

    /// Learns that a script with that many took so long; it shall not be longer than `max_block`.
    /// One that could not be measured changes nothing.
    pub fn took(&mut self, took: Option<Duration>, max_block: Duration) {
        let Some(took) = took else { return };
        if took > max_block {
            self.now /= 2;
        } else if took * 2 < max_block {
            self.now += self.now.div_ceil(4);
        }
        self.now = self.now.clamp(1, self.most);
    }
}

/// Scores looked up in one go: each costs the server a microsecond or two.
const LOOKED_UP: usize = 250;
/// Bytes of their members that are sent in one go, but for a single one.
const LOOKED_UP_BYTES: usize = 1 << 20;
/// The same of small ones where scripts of others keep the server, with what is sent beside each:
/// it reads no more of a client in a round, and in the next one it may be busy again.
const ROUND_BYTES: usize = 14 << 10;
const BESIDE: usize = 100;
/// Times as much that is read in one go there: what it answers with has no such bound.
const KEPT: u32 = 16;

/// Returns how many times as much as is usual is read in one go: more where the end of somebody's
/// script is waited for each time.
pub(super) fn at_once(store: &Store) -> u32 {
    if store.is_kept_by_others() { KEPT } else { 1 }
}

/// Counts the members with these lengths that are looked up in one go, from the first one on.
pub(super) fn looked_up_at_once(store: &Store, lengths: impl Iterator<Item = usize>) -> usize {
    let is_kept = store.is_kept_by_others();
    let (mut bytes, mut small) = (0, 0);
    let fits = lengths.take(LOOKED_UP).take_while(|length| {
        bytes += length;
        // A large one is read in one go.
        if *length < ROUND_BYTES {
            small += length + BESIDE;
        }
        bytes <= LOOKED_UP_BYTES && (small <= ROUND_BYTES || !is_kept)
    });
    fits.count().max(1)
}

/// Reads the scores of `members` in timeouts, in their order; none for one that does not wait.
async fn scores(
    store: &Store,
    timeouts: &[u8],
    members: &[Vec<u8>],
) -> Result<Vec<Option<f64>>, StoreError> {
    let mut all = Vec::with_capacity(members.len());
    while all.len() < members.len() {
        let rest = &members[all.len()..];
        let n = looked_up_at_once(store, rest.iter().map(Vec::len));
        let some = &rest[..n.min(rest.len())];
        all.extend(read::element_scores(store, timeouts, some).await?);
    }
    Ok(all)
}

/// Counts the transfer clients that are subscribed, as far as that can be seen.
pub(super) async fn clients(
    store: &Store,
    queue: &Queue,
    now: EpochMillis,
) -> Result<u64, StoreError> {
    let ask = GlanceAsk {
        keys: queue.keys(),
        now: queue.score(now),
        page: None,
    };
    let mut moves = store.moves();
    let asks = [ask];
    let glance = loop {
        match read::glance(store, &asks).await?.pop() {
            // The link to the queue goes along with it.
            Some(Err(why)) if why.code() == Some("MOVED") && moves.soon().await => {}
            glance => break glance.transpose()?,
        }
    };
    Ok(match glance.map(|glance| glance.subscribers) {
        Some(Known::Is(clients)) => clients,
        // It may be any number: what is unknown is taken for a live one.
        Some(Known::Unknown(_)) => 1,
        _ => 0,
    })
}

/// True when somebody may have transferred what is due since a script whose answer never came has
/// put it into timeouts: then it must not be put there once more.
pub(super) async fn may_have_left(
    store: &Store,
    queue: &Queue,
    now: EpochMillis,
) -> Result<bool, StoreError> {
    // Nobody can see who moves the entries of a queue that has no channel.
    let unseen = queue.keys().channel.is_none();
    Ok(unseen || clients(store, queue, now).await? > 0)
}
