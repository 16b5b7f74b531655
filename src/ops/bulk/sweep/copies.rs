//! The count of how often each of the chosen stands in the order list, made before that goes round.
//!
//! An entry leaves timeouts, or gets its new bytes, with the last of its copies: those before it
//! leave the order list alone. Else whoever died before the turn came to a copy would leave that in
//! the order list alone, where `poll()` hands it out and no change that is repeated finds it. The
//! list is read for that even where it is as long as timeouts: a copy too many hides an entry that
//! it lacks. Others may let elements change places meanwhile, so that one that stands in it once is
//! met twice: what is found to stand in it more than once is looked for again.

use std::collections::HashMap;

use super::{Sweep, SweepStage};
use crate::ops::bulk::BulkStep;
use crate::ops::bulk::list::{ListRead, ListReader};
use crate::store::bulk::Broom;
use crate::store::{Store, StoreError};

/// Readings of the list at most, when others move too much in it meanwhile.
const READINGS: u32 = 3;
/// The words for it.
const PHASE: &str = "finding second copies";

/// The count of copies.
#[derive(Debug)]
pub(super) struct CopyCount {
    order: Vec<u8>,
    reader: ListReader,
    /// The number of this reading, from 1.
    reading: u32,
    /// Number of times that each of the chosen was met, by its number.
    met: Vec<u64>,
    /// Number of times that those were met that a reading before met more than once.
    before: Option<HashMap<usize, u64>>,
}

impl CopyCount {
    pub(super) fn new(order: Vec<u8>, chosen: usize) -> Self {
        Self {
            reader: ListReader::new(order.clone()),
            order,
            reading: 1,
            met: vec![0; chosen],
            before: None,
        }
    }

    fn again(&self, before: Option<HashMap<usize, u64>>) -> Self {
        Self {
            reading: self.reading + 1,
            before,
            ..Self::new(self.order.clone(), self.met.len())
        }
    }

    /// Returns how often those stand in the list that stand in it more than once, in this reading and
    /// in the one before, where there was one.
    fn often(&self) -> HashMap<usize, u64> {
        let met = self.met.iter().copied().enumerate();
        let at_most = |i| match &self.before {
            Some(before) => before.get(&i).copied().unwrap_or(0),
            None => u64::MAX,
        };
        let both = met.map(|(i, times)| (i, times.min(at_most(i))));
        both.filter(|(_, times)| *times > 1).collect()
    }
}

impl Sweep {
    /// Reads on.
    pub(super) async fn count(&mut self, store: &Store) -> Result<BulkStep, StoreError> {
        let mut step = self.step(PHASE);
        let SweepStage::Counting(counting) = &mut self.stage else {
            return Ok(step);
        };
        match counting.reader.next(store).await? {
            ListRead::Page(page) => {
                (step.took, step.of) = (Some(page.took), page.length);
                step.at = page.first + page.elements.len() as u64;
                for element in &page.elements {
                    if let Some(&i) = self.open.get(element) {
                        counting.met[i] += 1;
                    }
                }
            }
            ListRead::Lost if counting.reading < READINGS => {
                *counting = counting.again(counting.before.clone());
            }
            // What is not known leaves with its first copy, and the others in their turn.
            ListRead::Lost => self.stage = SweepStage::Turning,
            ListRead::End => {
                let often = counting.often();
                if counting.before.is_none() && !often.is_empty() {
                    *counting = counting.again(Some(often));
                } else {
                    self.often = often;
                    self.stage = SweepStage::Turning;
                }
            }
        }
        Ok(step)
    }

    /// The copies among these elements, by number, of what stands in the list more than once.
    pub(super) fn copies_among(&self, elements: &[Vec<u8>]) -> HashMap<usize, u64> {
        let mut among = HashMap::new();
        if !self.often.is_empty() {
            for i in elements.iter().filter_map(|element| self.open.get(element)) {
                if self.often.contains_key(i) {
                    *among.entry(*i).or_insert(0) += 1;
                }
            }
        }
        among
    }

    /// The broom for one of the chosen, of which so many copies go round now: it stays in timeouts
    /// as long as others stand behind these.
    pub(super) fn broom(&self, i: usize, among: &HashMap<usize, u64>) -> Broom {
        let all = self.often.get(&i).copied().unwrap_or(1);
        let here = among.get(&i).copied().unwrap_or(0).max(1);
        match self.brooms[i] {
            Broom::Delete(score) if self.unsure.contains_key(&i) => Broom::DeleteAgain(score),
            Broom::Delete(score) if all > here => Broom::Thin(score, here),
            broom => broom,
        }
    }
}
