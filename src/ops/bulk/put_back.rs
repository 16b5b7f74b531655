//! Undo of a deletion of many: the order list goes round once, and each deleted entry stands behind
//! its old neighbour again; at the tail, where that is no longer there.

use std::collections::HashSet;

use super::neighbours::{Groups, groups};
use super::turn::ListTurn;
use super::{BulkStep, NumberedFate, Size, may_have_left, scores};
use crate::clock::local_now;
use crate::queue::Queue;
use crate::store::bulk::{
    AwayPlace, MOST_MOVED, MOST_PUT_BACK, ReturnFate, ReturnPlace, ReturnedEntry,
};
use crate::store::change::{ChosenEntry, Fate, ListPlace};
use crate::store::write::Writer;
use crate::store::{Store, StoreError};

/// Elements in the first script of it, and in any of them at most.
pub const SIZE: Size = Size::new(500, 1_000);

/// Elements beyond those that go round whose followers are put back too: what others take from the
/// head moves neighbours up between the look and the script, and what stands behind these elements
/// beyond goes along.
const BEYOND: usize = 256;

/// Puts deleted entries back.
#[derive(Debug)]
pub struct PutBack {
    queue: Queue,
    /// The place that they come from.
    from: AwayPlace,
    entries: Vec<ChosenEntry>,
    groups: Groups,
    /// Entries for which a script was sent whose answer never came.
    unsure: HashSet<usize>,
    /// Entries of the last such script: to be looked up before anything else.
    sent: Vec<usize>,
    turn: ListTurn,
    /// The most entries that a script puts back.
    most: usize,
    stage: PutBackStage,
    /// The elements and entries that the next script takes, once it was told what it tries.
    announced: Option<[usize; 2]>,
    /// The elements looked at for that, and how many of them go round.
    looked: Option<(usize, Vec<Vec<u8>>)>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum PutBackStage {
    /// Entries that stood before everything else are put back.
    Heads,
    /// The list goes round.
    Turning,
    /// Entries without neighbour are put back.
    Tails,
    Ended,
}

impl PutBack {
    /// Puts these back, given in the order in which they left, each with where it stood at that
    /// moment; none: nowhere.
    #[must_use]
    pub fn new(queue: &Queue, entries: Vec<(ChosenEntry, Option<ListPlace>)>) -> Self {
        Self {
            queue: queue.clone(),
            from: AwayPlace::Nowhere,
            groups: groups(&entries),
            entries: entries.into_iter().map(|entry| entry.0).collect(),
            unsure: HashSet::new(),
            sent: Vec::new(),
            turn: ListTurn::new(),
            most: MOST_PUT_BACK,
            stage: PutBackStage::Heads,
            announced: None,
            looked: None,
        }
    }

    /// The same with entries that are in quarantine.
    #[must_use]
    pub fn restoring(queue: &Queue, entries: Vec<(ChosenEntry, Option<ListPlace>)>) -> Self {
        Self {
            from: AwayPlace::Quarantined,
            ..Self::new(queue, entries)
        }
    }

    /// Sets the bytes that go round in a script at most, but for a single element, and the most
    /// entries that one puts back: they may stand in a row, after many scripts without any.
    pub fn within(&mut self, bytes: usize, most: usize) {
        self.turn.within(bytes);
        self.most = most.max(1);
    }

    /// Learns that another server has taken over: what has not gone round there does so again. What was
    /// put back before is told as it was.
    pub fn took_over(&mut self) {
        (self.announced, self.looked) = (None, None);
        self.turn.took_over();
        if self.turn.is_begun() {
            self.stage = PutBackStage::Turning;
        }
    }

    /// Puts no more back; what follows only brings the offer order back.
    pub fn stop(&mut self) {
        self.groups = Groups::default();
        (self.announced, self.looked) = (None, None);
        if self.stage != PutBackStage::Turning || !self.turn.is_begun() {
            self.stage = PutBackStage::Ended;
        }
    }

    /// Goes over the next `n` elements of the list, or puts up to `n` entries back. Fates: `Done`,
    /// or `Changed` for what waits already, with the score that it has. Whether timeouts has a new
    /// head has to be published by the caller in the end.
    pub async fn next(
        &mut self,
        writer: &Writer,
        n: usize,
    ) -> Result<Option<BulkStep>, StoreError> {
        if !self.sent.is_empty() {
            return self.look(writer.store()).await.map(Some);
        }
        let announced = self.announced.take();
        let sizes = announced.unwrap_or([
            n.clamp(1, MOST_MOVED),
            n.min(self.most).clamp(1, MOST_PUT_BACK),
        ]);
        let step = self.advance(writer, sizes, announced.is_some()).await;
        match &step {
            Ok(Some(step)) if !step.tries.is_empty() => self.announced = Some(sizes),
            _ => self.looked = None,
        }
        step
    }

    /// Makes the next step. `announced`: it was told which entries this one tries.
    async fn advance(
        &mut self,
        writer: &Writer,
        [n, most]: [usize; 2],
        announced: bool,
    ) -> Result<Option<BulkStep>, StoreError> {
        loop {
            match self.stage {
                PutBackStage::Heads if self.groups.heads.is_empty() => {
                    self.stage = PutBackStage::Turning;
                }
                PutBackStage::Heads => {
                    let last_first = self.groups.heads.iter().rev();
                    let some = self.fitting(last_first, most);
                    let from = self.groups.heads.len() - some;
                    let some = self.groups.heads[from..].to_vec();
                    if !announced {
                        return Ok(Some(self.trying(some)));
                    }
                    let step = self.put(writer, &some, &ReturnPlace::Head).await?;
                    self.groups.heads.truncate(from);
                    return Ok(Some(step));
                }
                PutBackStage::Turning => match self.turn(writer, [n, most], announced).await? {
                    Some(step) => return Ok(Some(step)),
                    None => self.turned(),
                },
                PutBackStage::Tails if self.groups.tails.is_empty() => {
                    self.stage = PutBackStage::Ended;
                }
                PutBackStage::Tails => {
                    let end = self.fitting(self.groups.tails.iter(), most);
                    let some = self.groups.tails[..end].to_vec();
                    if !announced {
                        return Ok(Some(self.trying(some)));
                    }
                    let step = self.put(writer, &some, &ReturnPlace::Tail).await?;
                    self.groups.tails.drain(..end);
                    return Ok(Some(step));
                }
                PutBackStage::Ended => return Ok(None),
            }
        }
    }

    /// Says which entries the next script tries.
    fn trying(&self, tries: Vec<usize>) -> BulkStep {
        BulkStep {
            tries,
            wrote: false,
            ..self.step(None, Vec::new())
        }
    }

    /// The number of the first of these that a script takes: at most `most`, and one at least.
    fn fitting<'a>(&self, numbers: impl Iterator<Item = &'a usize>, most: usize) -> usize {
        let mut bytes = 0;
        let fits = numbers.take(most).take_while(|i| {
            bytes += self.entries[**i].member.len();
            bytes <= self.turn.bytes()
        });
        fits.count().max(1)
    }

    fn never_answered(&mut self, numbers: &[usize]) {
        self.unsure.extend(numbers);
        self.sent = numbers.to_vec();
    }

    /// Goes on to the tail once the list has gone round: what is left has no neighbour there.
    fn turned(&mut self) {
        let mut left: Vec<Vec<usize>> = self.groups.behind.drain().map(|group| group.1).collect();
        left.sort_unstable();
        self.groups.tails.splice(0..0, left.into_iter().flatten());
        self.stage = PutBackStage::Tails;
    }

    async fn turn(
        &mut self,
        writer: &Writer,
        [n, most]: [usize; 2],
        announced: bool,
    ) -> Result<Option<BulkStep>, StoreError> {
        let looked = self.looked.take();
        let looked = match looked {
            Some(looked) => Some(looked),
            None => self.turn.look(writer.store(), &self.queue, n).await?,
        };
        let Some((n, page)) = looked else {
            return Ok(None);
        };
        let (went, neighbours) = self.slice(&page, n, most);
        let group = |element: &Vec<u8>| self.groups.behind.get(element).into_iter().flatten();
        if went == 0 {
            // More stand behind the first one than a script takes: the last of them first, while
            // it stays where it is.
            let group: Vec<usize> = group(&page[0]).copied().collect();
            let from = group.len() - self.fitting(group.iter().rev(), most);
            if !announced {
                self.looked = Some((n, page));
                return Ok(Some(self.trying(group[from..].to_vec())));
            }
            let to = ReturnPlace::Behind(&page[0]);
            let step = self.put(writer, &group[from..], &to).await?;
            if let Some(group) = self.groups.behind.get_mut(&page[0]) {
                group.truncate(from);
            }
            let back = step.fates.iter().filter(|f| f.fate == Fate::Done);
            self.turn.grew(back.count() as u64);
            return Ok(Some(step));
        }
        let tries: Vec<usize> = neighbours.iter().flat_map(|e| group(e)).copied().collect();
        if !announced && !tries.is_empty() {
            self.looked = Some((n, page));
            return Ok(Some(self.trying(tries)));
        }
        let neighbours: Vec<Vec<u8>> = neighbours.into_iter().cloned().collect();
        let step = self.go_round(writer, went, &page, &neighbours).await?;
        Ok(Some(step))
    }

    /// Lets `n` elements go round, and with them what stands behind these neighbours.
    async fn go_round(
        &mut self,
        writer: &Writer,
        n: usize,
        page: &[Vec<u8>],
        neighbours: &[Vec<u8>],
    ) -> Result<BulkStep, StoreError> {
        let mut numbers = Vec::new();
        let mut returning = Vec::new();
        for element in neighbours {
            for &i in self.groups.behind.get(element).into_iter().flatten() {
                numbers.push(i);
                returning.push(self.returning(i, ReturnPlace::Behind(element)));
            }
        }
        let done = match writer
            .put_back_around(&self.queue, n, &returning, self.from)
            .await
        {
            Ok(done) => done,
            Err(error) => {
                if error.outcome_unknown() {
                    self.never_answered(&numbers);
                    self.turn.unknown(n, page, None);
                }
                return Err(error);
            }
        };
        let (went, returned) = done.done;
        let mut fates = Vec::new();
        let mut settled = HashSet::new();
        for (&i, returned) in numbers.iter().zip(returned) {
            if let Some(fated) = self.fated(i, returned) {
                settled.insert(i);
                fates.push(fated);
            }
        }
        for element in neighbours {
            if let Some(group) = self.groups.behind.get_mut(element) {
                group.retain(|i| !settled.contains(i));
                if group.is_empty() {
                    self.groups.behind.remove(element);
                }
            }
        }
        self.turn.went(went, n, page);
        Ok(self.step(done.took, fates))
    }

    /// The number of `n` elements that may go round so that at most `most` entries go with them,
    /// and those of the page (with some beyond) that entries stand behind.
    fn slice<'a>(
        &self,
        page: &'a [Vec<u8>],
        mut n: usize,
        most: usize,
    ) -> (usize, Vec<&'a Vec<u8>>) {
        let (mut count, mut neighbours) = (0, Vec::new());
        let long = |i: &usize| self.entries[*i].member.len();
        let mut bytes = 0;
        let mut seen = HashSet::new();
        for (at, element) in page.iter().enumerate() {
            if at >= n + BEYOND {
                break;
            }
            let Some(group) = self.groups.behind.get(element) else {
                continue;
            };
            count += group.len();
            bytes += group.iter().map(long).sum::<usize>();
            if count > most || (bytes > self.turn.bytes() && count > 1) {
                n = n.min(at);
                break;
            }
            if seen.insert(element) {
                neighbours.push(element);
            }
        }
        (n, neighbours)
    }

    /// Puts entries back without letting anything go round.
    async fn put(
        &mut self,
        writer: &Writer,
        numbers: &[usize],
        to: &ReturnPlace<'_>,
    ) -> Result<BulkStep, StoreError> {
        let entries = numbers.iter().map(|&i| self.returning(i, to.clone()));
        let entries: Vec<_> = entries.collect();
        let done = match writer
            .put_back_around(&self.queue, 0, &entries, self.from)
            .await
        {
            Ok(done) => done,
            Err(error) => {
                if error.outcome_unknown() {
                    self.never_answered(numbers);
                }
                return Err(error);
            }
        };
        let each = numbers.iter().zip(done.done.1);
        let mut without = Vec::new();
        let mut fates = Vec::new();
        for (&i, returned) in each {
            match self.fated(i, returned) {
                Some(settled) => fates.push(settled),
                None => without.push(i),
            }
        }
        // The neighbour left just now.
        self.groups.tails.splice(0..0, without);
        Ok(self.step(done.took, fates))
    }

    fn returning<'a>(&'a self, i: usize, to: ReturnPlace<'a>) -> ReturnedEntry<'a> {
        ReturnedEntry {
            to,
            score: self.entries[i].score,
            member: &self.entries[i].member,
        }
    }

    fn fated(&self, index: usize, returned: ReturnFate) -> Option<NumberedFate> {
        let fate = match returned {
            ReturnFate::Done => Fate::Done,
            // The script whose answer never came has put it back.
            ReturnFate::Waits(score)
                if score.total_cmp(&self.entries[index].score).is_eq()
                    && self.unsure.contains(&index) =>
            {
                Fate::Done
            }
            ReturnFate::Gone if self.unsure.contains(&index) => {
                return Some(NumberedFate {
                    index,
                    fate: Fate::Gone,
                    stood: None,
                    unsure: true,
                });
            }
            ReturnFate::Gone => Fate::Gone,
            ReturnFate::Waits(_) if self.from == AwayPlace::Quarantined => Fate::NoFrame,
            ReturnFate::Waits(score) | ReturnFate::Changed(score) => Fate::Changed(score),
            ReturnFate::NoNeighbour => return None,
        };
        Some(NumberedFate {
            index,
            fate,
            stood: None,
            unsure: false,
        })
    }

    fn step(&self, took: Option<std::time::Duration>, fates: Vec<NumberedFate>) -> BulkStep {
        let (at, of) = self.turn.progress();
        BulkStep {
            took,
            wrote: true,
            phase: "putting entries back",
            at,
            of,
            fates,
            ..BulkStep::default()
        }
    }
}

impl PutBack {
    /// Finds out what a script did whose answer never came. What it was to put back, is due and
    /// does not wait may have been transferred: it is not put back once more. What is in quarantine
    /// still is.
    async fn look(&mut self, store: &Store) -> Result<BulkStep, StoreError> {
        let now = store.clock().map_or_else(local_now, |clock| clock.now());
        let members = self.sent.iter().map(|&i| self.entries[i].member.clone());
        let members: Vec<_> = members.collect();
        let keys = self.queue.keys();
        let has = scores(store, &keys.timeouts, &members).await?;
        let quarantined = self.from == AwayPlace::Quarantined;
        let kept = if quarantined {
            scores(store, &keys.quarantine, &members).await?
        } else {
            vec![None; members.len()]
        };
        let ran = has.iter().any(Option::is_some);
        let left = ran || may_have_left(store, &self.queue, now).await?;
        let now = self.queue.score(now);
        let (mut fates, mut known) = (Vec::new(), HashSet::new());
        let each = std::mem::take(&mut self.sent).into_iter().zip(has);
        for ((i, has), kept) in each.zip(kept) {
            let wanted = self.entries[i].score;
            let found = match has {
                _ if kept.is_some_and(|kept| kept.total_cmp(&wanted).is_eq()) => None,
                Some(other) => self.fated(i, ReturnFate::Waits(other)),
                None if quarantined || left && wanted <= now => Some(NumberedFate {
                    index: i,
                    fate: if ran { Fate::Done } else { Fate::Gone },
                    stood: None,
                    unsure: !ran,
                }),
                None => None,
            };
            known.extend(found.iter().map(|found| found.index));
            fates.extend(found);
        }
        let open = |numbers: &mut Vec<usize>| numbers.retain(|i| !known.contains(i));
        open(&mut self.groups.heads);
        open(&mut self.groups.tails);
        self.groups.behind.values_mut().for_each(open);
        self.groups.behind.retain(|_, group| !group.is_empty());
        Ok(BulkStep {
            wrote: false,
            ..self.step(None, fates)
        })
    }
}
