//! The mending of what was found: second copies leave first, since their places are known, then
//! what lacks is appended.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use super::{Difference, Drift, DriftStage};
use crate::ops::bulk::list::{ListRead, ListReader};
use crate::ops::bulk::{BulkStep, NumberedFate};
use crate::store::StoreError;
use crate::store::bulk::{AppendFate, MOST_APPENDED, ReadOrder};
use crate::store::change::Fate;
use crate::store::write::Writer;

/// Times in a row that the list may be another one than was read a moment before.
const AGAIN: u32 = 5;

/// Elements that scripts look through in all at most (about 2 s of the server) before they append.
const LOOKED_THROUGH: u64 = 128 << 20;
/// The longest list that a script looks through (1 ms of the server for each member): nothing bounds
/// that but the list. Of a longer one, or where more is lacking, that a member was in none of three
/// readings has to do.
const LOOKED_AT: u64 = 50_000;
/// Elements that one script looks through at most, for more than one member.
pub(super) const AT_ONCE: u64 = 50_000;

/// Tells whether each of so many members is looked for in the whole of a list that is so long, by
/// the script that appends it.
pub(super) const fn is_looked_for(lacking: u64, length: u64) -> bool {
    length <= LOOKED_AT && length.saturating_mul(lacking) <= LOOKED_THROUGH
}

/// The progress of mending.
#[derive(Debug)]
pub(super) enum MendProgress {
    /// Second copies that leave: number, places of the first and of the copy.
    Copies(Vec<(usize, [u64; 2])>),
    /// Members to be appended, by number; how often in a row the list was another one; and true once
    /// the list was read as often as it has to be.
    Appending(VecDeque<usize>, u32, bool),
    Ended,
}

impl MendProgress {
    pub(super) fn new(found: &[Difference], copies: &HashMap<Vec<u8>, Vec<u64>>) -> Self {
        let mut drops = Vec::new();
        for (i, difference) in found.iter().enumerate() {
            if let Difference::TooOften(member, _) = difference
                && let Some([first, others @ ..]) = copies.get(member).map(Vec::as_slice)
            {
                drops.extend(others.iter().map(|&copy| (i, [*first, copy])));
            }
        }
        // They are taken from the end: from the tail to the head, so that those to come stay
        // where they are.
        drops.sort_unstable_by_key(|(_, places)| places[1]);
        Self::Copies(drops)
    }
}

impl Drift {
    /// Counts the elements of an order list that is so long which are passed to take the second
    /// copies out, each from the nearer end: in all, and for a single one at most.
    #[must_use]
    pub fn passed(&self, length: u64) -> [u64; 2] {
        let DriftStage::Mending(MendProgress::Copies(drops)) = &self.stage else {
            return [0; 2];
        };
        let near = |place: u64| place.min(length.saturating_sub(place));
        let passed = drops.iter().map(|(_, [_, copy])| near(*copy));
        passed.fold([0; 2], |[sum, most], near| [sum + near, most.max(near)])
    }

    /// Mends up to `n` of what was found. Fates: `Done`, or `Gone`: it was no difference any more.
    /// (What was not where it had been is told `Gone` too; looking again finds it.) Refused while
    /// an order list is aside.
    pub async fn next(
        &mut self,
        writer: &Writer,
        n: usize,
    ) -> Result<Option<BulkStep>, StoreError> {
        if self.aside {
            let why = "part of its order list is missing; restore it first";
            return Err(writer.impossible("repair the order list", why.to_owned()));
        }
        loop {
            let DriftStage::Mending(mending) = &mut self.stage else {
                return Ok(None);
            };
            match mending {
                MendProgress::Copies(drops) => {
                    if let Some((i, places)) = drops.last().copied() {
                        return self.drop_copy(writer, i, places).await.map(Some);
                    }
                    let lacks = |d: &Difference| matches!(d, Difference::NotInOrder(_));
                    let lacks: VecDeque<_> = numbers(&self.found, lacks).into();
                    // It is read once more: others who swap may have moved an element from where it
                    // was still to be read to where it had been.
                    let order = self.queue.keys().order;
                    if let (Some(order), false) = (order, lacks.is_empty()) {
                        self.order = Some(ListReader::new(order));
                    }
                    *mending = MendProgress::Appending(lacks, 0, false);
                }
                MendProgress::Appending(open, ..) if open.is_empty() => {
                    *mending = MendProgress::Ended;
                }
                MendProgress::Appending(..) => return self.append(writer, n).await.map(Some),
                MendProgress::Ended => return Ok(None),
            }
        }
    }

    /// Mends no more.
    pub fn stop(&mut self) {
        self.stage = DriftStage::Mending(MendProgress::Ended);
    }

    async fn drop_copy(
        &mut self,
        writer: &Writer,
        index: usize,
        places: [u64; 2],
    ) -> Result<BulkStep, StoreError> {
        let member = self.found[index].member();
        let done = writer.drop_copy(&self.queue, places, member).await;
        if done.as_ref().is_err_and(StoreError::outcome_unknown) {
            self.unanswered.insert(index);
        }
        let done = done?;
        let mut last = true;
        if let DriftStage::Mending(MendProgress::Copies(drops)) = &mut self.stage {
            drops.pop();
            last = drops.iter().all(|drop| drop.0 != index);
        }
        let fate = if done.done { Fate::Done } else { Fate::Gone };
        let fates = last.then_some(fated(index, fate)).into_iter().collect();
        Ok(self.mended(done.took, true, fates))
    }

    /// Appends what lacks. The tail is read first: what others have appended is no difference any
    /// more, and the script looks at what comes after that.
    async fn append(&mut self, writer: &Writer, n: usize) -> Result<BulkStep, StoreError> {
        let (DriftStage::Mending(MendProgress::Appending(open, again, read)), Some(reader)) =
            (&mut self.stage, &mut self.order)
        else {
            return Ok(BulkStep::default());
        };
        match reader.next(writer.store()).await? {
            ListRead::Page(page) => {
                let there: HashSet<&[u8]> = page.elements.iter().map(Vec::as_slice).collect();
                let is_there = |i: &usize| there.contains(self.found[*i].member());
                let (gone, rest): (VecDeque<_>, _) =
                    std::mem::take(open).into_iter().partition(is_there);
                *open = rest;
                return Ok(self.mended(Some(page.took), false, all_gone(gone)));
            }
            ListRead::Lost => {
                let gone = std::mem::take(open);
                return Ok(self.mended(None, false, all_gone(gone)));
            }
            ListRead::End => {}
        }
        let seen = ReadOrder {
            aside: self.aside,
            last: reader.last().map(<[u8]>::to_vec),
        };
        let length = reader.length().max(1);
        let look = is_looked_for(open.len() as u64, length);
        if !look && !std::mem::replace(read, true) {
            *reader = ListReader::new(self.queue.keys().order.unwrap_or_default());
            return Ok(self.mended(None, false, Vec::new()));
        }
        let once = usize::try_from(AT_ONCE / length).unwrap_or(usize::MAX);
        let most = if look { n.min(once) } else { n };
        let most = most.clamp(1, MOST_APPENDED).min(open.len());
        let some: Vec<usize> = open.range(..most).copied().collect();
        let members: Vec<&[u8]> = some.iter().map(|&i| self.found[i].member()).collect();
        let done = writer.append(&self.queue, &seen, &members, look).await;
        if done.as_ref().is_err_and(StoreError::outcome_unknown) {
            self.unanswered.extend(&some);
        }
        let done = done?;
        let Some(appended) = done.done else {
            *again += 1;
            let gone = if *again < AGAIN {
                VecDeque::new()
            } else {
                std::mem::take(open)
            };
            return Ok(self.mended(done.took, false, all_gone(gone)));
        };
        *again = 0;
        open.drain(..most);
        let fates = some.into_iter().zip(appended).map(|(i, appended)| {
            let fate = match appended {
                AppendFate::Done => Fate::Done,
                AppendFate::Gone | AppendFate::There => Fate::Gone,
            };
            fated(i, fate)
        });
        let fates = fates.collect();
        Ok(self.mended(done.took, true, fates))
    }

    fn mended(
        &self,
        took: Option<Duration>,
        wrote: bool,
        mut fates: Vec<NumberedFate>,
    ) -> BulkStep {
        for fated in &mut fates {
            // The script without an answer may have done it.
            fated.unsure |= fated.fate == Fate::Gone && self.unanswered.contains(&fated.index);
        }
        BulkStep {
            took,
            wrote,
            phase: "repairing the order list",
            at: fates.last().map_or(0, |fated| fated.index as u64),
            of: self.found.len() as u64,
            fates,
            ..BulkStep::default()
        }
    }
}

fn numbers(found: &[Difference], wanted: impl Fn(&Difference) -> bool) -> Vec<usize> {
    let found = found.iter().enumerate();
    found.filter(|(_, d)| wanted(d)).map(|(i, _)| i).collect()
}

fn all_gone(numbers: VecDeque<usize>) -> Vec<NumberedFate> {
    numbers.into_iter().map(|i| fated(i, Fate::Gone)).collect()
}

const fn fated(index: usize, fate: Fate) -> NumberedFate {
    NumberedFate {
        index,
        fate,
        stood: None,
        unsure: false,
    }
}
