//! Further copies of the chosen leave the order list before the chosen themselves do.
//!
//! An entry leaves timeouts, or gets its new bytes, where its first copy stands. Whoever died before
//! the turn came to the next one would leave that in the order list alone, where `poll()` hands it
//! out and no change that is repeated finds it.

use super::{Stage, Sweep};
use crate::ops::bulk::Step;
use crate::ops::bulk::list::{ListReader, Read};
use crate::store::bulk::facts;
use crate::store::write::Writer;
use crate::store::{Store, StoreError};

/// Readings of the list at most, when others move too much in it meanwhile.
const READINGS: u32 = 3;
/// The words for it.
const PHASE: &str = "taking second copies out";

/// The search for further copies, and their removal.
#[derive(Debug)]
pub(super) struct Thinning {
    /// The reader of the list; none once all of it was read.
    reader: Option<ListReader>,
    /// The number of this reading, from 1.
    reading: u32,
    /// The place where each of the chosen stands first, by number; none: not met yet.
    firsts: Vec<Option<u64>>,
    /// Further copies, with the places of the first one and of each.
    copies: Vec<(Vec<u8>, [u64; 2])>,
}

impl Thinning {
    fn new(order: Vec<u8>, chosen: usize, reading: u32) -> Self {
        Self {
            reader: Some(ListReader::new(order)),
            reading,
            firsts: vec![None; chosen],
            copies: Vec::new(),
        }
    }
}

impl Sweep {
    /// Begins to look for further copies, where there may be any: the list holds each entry once
    /// where it is as long as timeouts.
    pub(super) async fn count(&mut self, store: &Store) -> Result<(), StoreError> {
        let seen = facts(store, &self.queue).await?;
        self.stage = match self.queue.keys().order {
            Some(order) if seen.order != seen.waiting => {
                Stage::Thinning(Thinning::new(order, self.brooms.len(), 1))
            }
            _ => Stage::Turning,
        };
        Ok(())
    }

    /// Reads on, or takes one copy out.
    pub(super) async fn thin(&mut self, writer: &Writer) -> Result<Step, StoreError> {
        let mut step = self.step(PHASE);
        let Stage::Thinning(thinning) = &mut self.stage else {
            return Ok(step);
        };
        if let Some(reader) = &mut thinning.reader {
            match reader.next(writer.store()).await? {
                Read::Page(page) => {
                    (step.took, step.of) = (Some(page.took), page.length);
                    step.at = page.first + page.elements.len() as u64;
                    for (place, element) in (page.first..).zip(page.elements) {
                        let Some(&i) = self.open.get(&element) else {
                            continue;
                        };
                        match thinning.firsts[i] {
                            None => thinning.firsts[i] = Some(place),
                            Some(first) => thinning.copies.push((element, [first, place])),
                        }
                    }
                }
                Read::Lost if thinning.reading < READINGS => {
                    let order = self.queue.keys().order.unwrap_or_default();
                    let (chosen, reading) = (self.brooms.len(), thinning.reading + 1);
                    *thinning = Thinning::new(order, chosen, reading);
                }
                Read::Lost | Read::End => thinning.reader = None,
            }
            return Ok(step);
        }
        // From the tail to the head, so that those to come stay where they are.
        let Some((member, places)) = thinning.copies.last() else {
            self.stage = Stage::Turning;
            return Ok(step);
        };
        match writer.drop_copy(&self.queue, *places, member).await {
            Ok(done) => {
                thinning.copies.pop();
                (step.took, step.wrote) = (done.took, true);
                step.copies = u64::from(done.done);
            }
            // A full server takes removals only, and another may not let us: they leave in their turn.
            Err(error) if !error.may_heal() && !error.outcome_unknown() => {
                self.stage = Stage::Turning;
            }
            Err(error) => return Err(error),
        }
        Ok(step)
    }
}
