//! What a change will cost, and which way is the cheapest.
//!
//! The figures are those of Redis 7.0 on a quiet machine, frames of 41 bytes; `cargo bench --bench
//! bulk` measures them. The first batch of a change tells its caller how far off they are.

mod figures;

use self::figures::Figures;
use crate::queue::plan::{Cost, Way};
use crate::queue::{Layout, Queue};
use crate::store::bulk::{facts, sample_list};
use crate::store::{Store, StoreError, read};

/// What a walk costs the server for each element that it passes, in µs.
pub(super) const STEP_US: f64 = 0.016;
/// What an entry costs that leaves the order list without a walk, script and round trip and all.
pub(super) const ENTRY_US: f64 = 2.0;
/// The same of one that is due and first in the order list, where a transaction moves it that
/// others have not disturbed.
const WATCHED_US: f64 = 1.2;
/// The same of one that is deleted or put back by itself, which looks for its neighbour too.
pub(super) const SINGLE_US: f64 = 12.0;
/// The same of one that is looked up by itself: delivered, or given another score or other bytes.
const CHANGED_US: f64 = 6.0;
/// The same of one that is taken back out of target.
const TAKEN_BACK_US: f64 = 9.0;
/// The same of an element of target that is deleted or put back.
const ELEMENT_US: f64 = 1.5;
/// What each element costs that is read.
pub(super) const READ_US: f64 = 0.9;
/// What two elements cost that change places.
const SWAP_US: f64 = 25.0;
/// What each element costs that is brought back, or dropped.
const BACK_US: f64 = 2.3;
/// What each element costs that goes round.
pub(super) const ROUND_US: f64 = 2.6;
/// What a chosen one costs more.
pub(super) const SWEPT_US: f64 = 7.0;

/// What the first script costs more, whose text the server has to read.
pub(super) const TEXT_US: f64 = 150.0;

/// With no more elements to pass for each entry, a script of Redisson takes at most 2 ms: in order.
const SHORT_WALK: f64 = 1_250.0;
/// So many entries make a batch at most, as long as they take no longer than [`BLOCK_US`].
pub(super) const BATCH: f64 = 500.0;
/// The same where what is due is delivered, or the order list goes round or comes back.
pub(super) const LARGE_BATCH: f64 = 1_000.0;
/// The same of swaps.
const SWAPS: f64 = 250.0;
/// How long a script shall keep the server at most, in µs, unless a single entry takes longer.
pub(super) const BLOCK_US: f64 = 10_000.0;

/// What is to be done with the chosen entries.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// They are transferred because they are due.
    Transfer,
    /// They are delivered one by one, whether they are due or not.
    Deliver,
    /// They are deleted.
    Delete,
    /// They stay in the order list: requeue, edit, or a change of something else.
    Stay,
    /// They come to the head of the order list: `repair --realign`.
    Realign,
    /// They go into quarantine.
    Quarantine,
    /// They are put back beside their neighbours.
    PutBack,
    /// The same out of quarantine.
    Restore,
    /// They come out of quarantine, to the tail of the order list.
    Append,
    /// They are taken out of target, and wait again.
    TakeBack,
    /// Elements of target are deleted.
    Discard,
    /// Elements of target are put back.
    PutElements,
}

/// What the estimate has to know of a change.
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    /// What is to be done.
    pub kind: Kind,
    /// With how many entries.
    pub count: u64,
    /// How many bytes one of them has, on the average.
    pub bytes: u64,
    /// All of them are due.
    pub due: bool,
    /// How many transfer clients are subscribed.
    pub clients: u64,
    /// Their smallest and largest score.
    pub scores: (f64, f64),
}

/// An element that was looked at.
#[derive(Clone, Debug)]
struct Sampled {
    place: u64,
    member: Vec<u8>,
    /// None: it does not wait.
    score: Option<f64>,
}

/// A look at a queue's order list: some of its elements, with where they stand and their scores.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// How long the order list is.
    pub length: u64,
    /// It has an expiry, which forbids setting it aside.
    pub expires: bool,
    /// From the head, page after page.
    elements: Vec<Sampled>,
}

impl Sample {
    /// Looks at 64 pages of 32 elements (fewer where elements are large). Of a layout without order
    /// list: nothing.
    pub async fn take(store: &Store, queue: &Queue) -> Result<Self, StoreError> {
        let facts = facts(store, queue).await?;
        let keys = queue.keys();
        let pages = match &keys.order {
            Some(order) => sample_list(store, order, facts.order).await?,
            None => Vec::new(),
        };
        let placed = pages
            .into_iter()
            .flat_map(|(first, page)| (first..).zip(page));
        let (stand_at, members): (Vec<u64>, Vec<_>) = placed.unzip();
        // All pages in one go: where others block the server, each answer is waited for.
        let scores = super::scores(store, &keys.timeouts, &members).await?;
        let each = stand_at.into_iter().zip(members).zip(scores);
        let each = each.map(|((place, member), score)| Sampled {
            place,
            member,
            score,
        });
        let mut elements: Vec<Sampled> = each.collect();
        elements.sort_by_key(|e| e.place);
        elements.dedup_by_key(|e| e.place);
        Ok(Self {
            length: facts.order,
            expires: facts.expires,
            elements,
        })
    }

    /// The same look at target, to be gone through from its head or from its tail: its elements
    /// leave in the order of their places.
    pub async fn of_target(
        store: &Store,
        queue: &Queue,
        from_head: bool,
    ) -> Result<Self, StoreError> {
        let target = queue.keys().target;
        let length = read::list_page(store, &target, 0, 1).await?.length;
        let place = |at: u64| {
            if from_head {
                at
            } else {
                length.saturating_sub(at + 1)
            }
        };
        let mut elements = Vec::new();
        for (first, members) in sample_list(store, &target, length).await? {
            elements.extend((first..).zip(members).map(|(at, member)| Sampled {
                place: place(at),
                member,
                #[expect(clippy::cast_precision_loss, reason = "an estimate")]
                score: Some(place(at) as f64),
            }));
        }
        elements.sort_by_key(|e| e.place);
        elements.dedup_by_key(|e| e.place);
        Ok(Self {
            length,
            expires: false,
            elements,
        })
    }

    /// How many entries that stay stand before one of the chosen when its turn comes, in due order,
    /// on the average: what the server walks past to take it out. `chosen` says which of the
    /// sampled ones (member, score) are. When none is, those with the nearest scores stand for
    /// them.
    #[must_use]
    pub fn walk(&self, ask: &Ask, chosen: impl Fn(&[u8], f64) -> bool) -> f64 {
        let is = |e: &Sampled| e.score.filter(|&score| chosen(&e.member, score));
        let scores: Vec<Option<f64>> = self.elements.iter().map(is).collect();
        let found: Vec<usize> = (0..scores.len()).filter(|&i| scores[i].is_some()).collect();
        if found.is_empty() {
            return self.places_near(ask.scores);
        }
        let weight = self.weight();
        // Of the chosen those remain that are due later, or at the same time, with greater bytes;
        // the others remain all.
        let turn = |i: usize| (scores[i], &self.elements[i].member);
        let remains = |i: usize, of: usize| scores[i].is_none() || turn(i) > turn(of);
        let mut sum = 0.0;
        let mut page = 0;
        let mut found_at = found.iter().copied().peekable();
        for at in 0..self.elements.len() {
            // The elements right before it are known each by itself.
            if at > 0 && self.elements[at - 1].place + 1 < self.elements[at].place {
                page = at;
            }
            if found_at.next_if_eq(&at).is_some() {
                let far = (0..page).filter(|&i| remains(i, at)).count();
                let near = (page..at).filter(|&i| remains(i, at)).count();
                sum += count(far) * weight + count(near);
            }
        }
        sum / count(found.len())
    }

    /// How many elements one that was looked at stands for.
    fn weight(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let length = self.length as f64;
        length / count(self.elements.len().max(1))
    }

    /// The mean place of those sampled whose scores are nearest.
    fn places_near(&self, (low, high): (f64, f64)) -> f64 {
        let away = |score: f64| (low - score).max(score - high).max(0.0);
        let mut near: Vec<(f64, u64)> = (self.elements.iter())
            .filter_map(|e| Some((away(e.score?), e.place)))
            .collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        // Without scores that they could be near to, all stand for them.
        let far = near.first().is_some_and(|n| n.0.is_infinite());
        let within = near.iter().take_while(|n| n.0 == 0.0).count().max(16);
        if !far {
            near.truncate(within);
        }
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let sum: f64 = near.iter().map(|n| n.1 as f64).sum();
        sum / count(near.len().max(1))
    }
}

#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn count(n: usize) -> f64 {
    n as f64
}

/// The way that a change should go, and what it costs the server, beginning with a walk of so many
/// entries. Of a `zset-list` queue always in order.
#[must_use]
pub fn choose(queue: &Queue, sample: &Sample, ask: &Ask, walk: f64) -> (Way, Cost) {
    let way = way(queue, sample, ask, walk);
    let figures = Figures::new(sample, ask, walk);
    (way, figures.cost(way, ask.kind))
}

fn way(queue: &Queue, sample: &Sample, ask: &Ask, walk: f64) -> Way {
    let figures = Figures::new(sample, ask, walk);
    let faster = |a: Way, b: Way| figures.takes_us(a, ask.kind) < figures.takes_us(b, ask.kind);
    if !matches!(queue.layout, Layout::Redisson) {
        return Way::InOrder;
    }
    match ask.kind {
        Kind::Realign => Way::Swap,
        Kind::Delete | Kind::Quarantine | Kind::PutBack | Kind::Restore
            if faster(Way::Sweep, Way::InOrder) =>
        {
            Way::Sweep
        }
        Kind::Delete
        | Kind::Quarantine
        | Kind::PutBack
        | Kind::Restore
        | Kind::Append
        | Kind::Stay
        | Kind::TakeBack
        | Kind::Discard
        | Kind::PutElements => Way::InOrder,
        // Few are done before the list has been read once.
        _ if walk <= SHORT_WALK || faster(Way::InOrder, Way::Swap) => Way::InOrder,
        _ if !ask.due => Way::Swap,
        _ if ask.clients == 0 && ask.count < sample.length / 15 => Way::Swap,
        _ if sample.expires => Way::Swap,
        Kind::Transfer | Kind::Deliver => Way::SetAside,
    }
}

#[cfg(test)]
mod tests;
