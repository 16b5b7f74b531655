//! The estimate of what a change will cost, and which way is the cheapest.
//!
//! The figures are those of Redis 7.0 on a quiet machine, frames of 41 bytes; `cargo bench --bench
//! bulk` measures them. How many
//! entries the first script of a change takes follows from the same figures, so that a plan and
//! what happens cannot differ; each script then tells how far off they are.

mod figures;

use std::cmp::Ordering;

pub use self::figures::EstimateBasis;
use crate::queue::Queue;
use crate::store::bulk::{facts, sample_list};
use crate::store::{Store, StoreError, read};

/// The time that a walk costs the server for each element that it passes, in µs.
pub(super) const STEP_US: f64 = 0.018;
/// The time for an entry that leaves the order list without a walk, script and round trip and all.
pub(super) const ENTRY_US: f64 = 2.0;
/// The same of one that is deleted or put back by itself, which looks for its neighbour too.
pub(super) const SINGLE_US: f64 = 12.0;
/// The time for each element that is read.
pub(super) const READ_US: f64 = 0.9;
/// The time for each element that goes round.
pub(super) const ROUND_US: f64 = 2.6;
/// Time on top of that for a chosen one, its lines of the journal included.
pub(super) const SWEPT_US: f64 = 12.0;

/// The additional time for the first script, whose text the server has to read.
pub(super) const TEXT_US: f64 = 150.0;

/// Entries in a batch at most, as long as they take no longer than a script may.
pub(super) const BATCH: f64 = 500.0;
/// The same where what is due is delivered, or the order list goes round or comes back.
pub(super) const LARGE_BATCH: f64 = 1_000.0;

/// The kind of work that is to be done with the chosen entries.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum WorkKind {
    /// They are transferred because they are due.
    Transfer,
    /// They are delivered one by one, whether they are due or not.
    Deliver,
    /// They are deleted.
    Delete,
    /// They stay in the order list: requeue, or a change of something else.
    Stay,
    /// They get other bytes, in their places of the order list.
    Edit,
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
    /// The same, the newest of equal ones, and where each stands is told.
    DiscardNewest,
    /// Elements of target are put back.
    PutElements,
    /// The same, each into its place.
    PutAmong,
    /// Elements that a dead consumer holds are put back.
    GiveBack,
    /// Elements of target get other bytes, in their places.
    Replace,
    /// A repair of the order list is taken back.
    OrderList,
}

/// The facts that the estimate has to know of a change.
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    /// The kind of work that is to be done.
    pub kind: WorkKind,
    /// Number of entries that are to be changed.
    pub count: u64,
    /// Bytes of one of them: on the average, and of the largest.
    pub bytes: [u64; 2],
    /// All of them are due.
    pub due: bool,
    /// Number of transfer clients that are subscribed.
    pub clients: u64,
    /// Their smallest and largest score.
    pub scores: (f64, f64),
}

/// An element that was looked at.
#[derive(Clone, Debug)]
struct SampledElement {
    place: u64,
    member: Vec<u8>,
    /// Its score in timeouts; none: it does not wait.
    score: Option<f64>,
}

/// A look at a queue's order list: some of its elements, with where they stand and their scores.
#[derive(Clone, Debug, Default)]
pub struct OrderSample {
    /// Length of the order list.
    pub length: u64,
    /// It has an expiry, which forbids setting it aside.
    pub expires: bool,
    /// Bytes of an element: on the average, and of the largest that was seen.
    bytes: [u64; 2],
    /// From the head, page after page.
    elements: Vec<SampledElement>,
}

/// The number of elements that a script passes to find an entry.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Walk {
    /// From the head, when its turn comes in due order, on the average: those that stay.
    pub turn: f64,
    /// From the head, on the average.
    pub head: f64,
    /// From the nearer end, on the average.
    pub near: f64,
    /// At most: the same three.
    pub most: [f64; 3],
}

impl OrderSample {
    /// Looks at 64 pages of 32 elements (fewer where elements are large). Of a layout without order
    /// list: nothing.
    pub async fn take(store: &Store, queue: &Queue) -> Result<Self, StoreError> {
        let facts = facts(store, queue).await?;
        let keys = queue.keys();
        let Some(order) = &keys.order else {
            return Ok(Self::default());
        };
        let mut sample = Self {
            length: facts.order,
            expires: facts.expires,
            ..Self::default()
        };
        let (stand_at, members) = sample.look(store, order).await?;
        // All pages in one go: where others block the server, each answer is waited for.
        let scores = super::scores(store, &keys.timeouts, &members).await?;
        let each = stand_at.into_iter().zip(members).zip(scores);
        sample.elements = each
            .map(|((place, member), score)| SampledElement {
                place,
                member,
                score,
            })
            .collect();
        Ok(sample.sorted())
    }

    /// The same look at target, to be gone through from its head or from its tail: its elements
    /// leave in the order of their places.
    pub async fn of_target(
        store: &Store,
        queue: &Queue,
        from_head: bool,
    ) -> Result<Self, StoreError> {
        let target = queue.keys().target;
        let length = read::list_page(store, &target, 0, 0).await?.length;
        let place = |at: u64| {
            if from_head {
                at
            } else {
                length.saturating_sub(at + 1)
            }
        };
        let mut sample = Self {
            length,
            ..Self::default()
        };
        let (stand_at, members) = sample.look(store, &target).await?;
        let each = stand_at.into_iter().zip(members);
        sample.elements = each
            .map(|(at, member)| SampledElement {
                place: place(at),
                member,
                #[expect(clippy::cast_precision_loss, reason = "an estimate")]
                score: Some(place(at) as f64),
            })
            .collect();
        Ok(sample.sorted())
    }

    /// Elements of this list with their places. Takes note of how large they are; of large ones
    /// that is all.
    async fn look(
        &mut self,
        store: &Store,
        key: &[u8],
    ) -> Result<(Vec<u64>, Vec<Vec<u8>>), StoreError> {
        let sampled = sample_list(store, key, self.length).await?;
        self.bytes = [sampled.mean, sampled.most];
        let placed = sampled.pages.into_iter();
        let placed = placed.flat_map(|(first, page)| (first..).zip(page));
        Ok(placed
            .filter(|(_, member)| member.len() <= LOOKED_UP)
            .unzip())
    }

    fn sorted(mut self) -> Self {
        self.elements.sort_by_key(|e| e.place);
        self.elements.dedup_by_key(|e| e.place);
        self
    }

    /// Estimates how many elements a script passes to find one of the chosen. `chosen` says which
    /// of the sampled ones (member, score) are. When none is, those with the nearest scores stand
    /// for them.
    #[must_use]
    pub fn walk(&self, ask: &Ask, chosen: impl Fn(&[u8], f64) -> bool) -> Walk {
        let is = |e: &SampledElement| e.score.filter(|&score| chosen(&e.member, score));
        let scores: Vec<Option<f64>> = self.elements.iter().map(is).collect();
        let found: Vec<usize> = (0..scores.len()).filter(|&i| scores[i].is_some()).collect();
        let mut steps = Steps::default();
        if found.is_empty() {
            for place in self.places_near(ask.scores) {
                steps.add(self, place, place);
            }
            return steps.walk(self, ask);
        }
        let weight = self.weight();
        // Of the chosen those remain that are due later, or at the same time, with greater bytes;
        // the others remain all.
        let mut by_turn = found.clone();
        by_turn.sort_by(|&a, &b| {
            let turn = |i: usize| (scores[i], &self.elements[i].member);
            turn(a).partial_cmp(&turn(b)).unwrap_or(Ordering::Equal)
        });
        let mut turns = vec![None; scores.len()];
        for (turn, &i) in by_turn.iter().enumerate() {
            turns[i] = Some(turn);
        }
        let remains = |i: usize, turn: usize| turns[i].is_none_or(|other| other > turn);
        // Of the elements before the page: how many were not chosen, and the turns of the others.
        let (mut others, mut before) = (0, Vec::new());
        let mut page = 0;
        for (at, turn) in turns.iter().enumerate() {
            // The elements right before it are known each by itself.
            if at > 0 && self.elements[at - 1].place + 1 < self.elements[at].place {
                for turn in &turns[page..at] {
                    match turn {
                        None => others += 1,
                        Some(turn) => before.insert(before.partition_point(|t| t < turn), *turn),
                    }
                }
                page = at;
            }
            if let Some(turn) = *turn {
                let far = others + before.len() - before.partition_point(|other| *other <= turn);
                let near = (page..at).filter(|&i| remains(i, turn)).count();
                let stay = count(far) * weight + count(near);
                steps.add(self, stay, float(self.elements[at].place));
            }
        }
        steps.walk(self, ask)
    }

    /// Returns how many elements one that was looked at stands for.
    fn weight(&self) -> f64 {
        float(self.length) / count(self.elements.len().max(1))
    }

    /// The places of those sampled whose scores are nearest.
    fn places_near(&self, (low, high): (f64, f64)) -> Vec<f64> {
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
        if near.is_empty() && self.length > 0 {
            // Nothing could be looked at: they may stand anywhere.
            return vec![float(self.length)];
        }
        near.into_iter().map(|(_, place)| float(place)).collect()
    }
}

/// The walks to what stands for the chosen.
#[derive(Default)]
struct Steps {
    count: usize,
    sums: [f64; 3],
    most: [f64; 3],
}

impl Steps {
    /// Adds an element that `stay` elements stand before when its turn comes, at this place.
    fn add(&mut self, sample: &OrderSample, stay: f64, place: f64) {
        let near = place.min((float(sample.length) - place).max(0.0));
        self.count += 1;
        for (i, steps) in [stay, place, near].into_iter().enumerate() {
            self.sums[i] += steps;
            self.most[i] = self.most[i].max(steps);
        }
    }

    fn walk(self, sample: &OrderSample, ask: &Ask) -> Walk {
        if self.count == 0 {
            return Walk::default();
        }
        let [turn, head, near] = self.sums.map(|sum| sum / count(self.count));
        // What was not looked at stands further off: between two pages, and the further the
        // fewer were looked at.
        let all = self.count as u64 >= ask.count.min(sample.length);
        let (more, gap) = if all {
            (1.0, 0.0)
        } else {
            let gap = float(sample.length) / count(sample.elements.len().max(1)) * 16.0;
            (1.0 + 1.0 / count(self.count), gap)
        };
        // Without a walk on the average there is hardly one at most: they stand in a row.
        let most = |most: f64, mean: f64, end: f64| {
            if mean < 1.0 && most < 32.0 {
                most
            } else {
                (most * more + gap).min(end)
            }
        };
        let length = float(sample.length);
        Walk {
            turn,
            head,
            near,
            most: [
                most(self.most[0], turn, length),
                most(self.most[1], head, length),
                most(self.most[2], near, length / 2.0),
            ],
        }
    }
}

/// Larger elements are not looked up in timeouts: they stand for nothing but their bytes.
const LOOKED_UP: usize = 64 * 1024;

#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn count(n: usize) -> f64 {
    n as f64
}

#[expect(clippy::cast_precision_loss, reason = "an estimate")]
const fn float(n: u64) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests;
