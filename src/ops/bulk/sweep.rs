//! Sweep: the order list goes round, slice by slice, and the chosen ones drop out of it and of
//! timeouts, or get other bytes in both; one that stands in it more than once with its last copy.
//!
//! After a full turn the list stands in its old order again, save that what was offered meanwhile
//! stands in the midst of it. A turn that ends early leaves it turned: every entry is in it, and
//! only `poll()` of other clients sees another order.

mod copies;

use std::collections::{HashMap, HashSet};

use self::copies::CopyCount;
use super::list::{ListRead, ListReader};
use super::turn::ListTurn;
use super::{BulkStep, NumberedFate, Size, scores};
use crate::queue::Queue;
use crate::store::bulk::{AwayPlace, Broom, ListRound, MOST_MOVED, SweepFate, TimedResult, facts};
use crate::store::change::{ChosenEntry, Fate, ListPlace};
use crate::store::write::Writer;
use crate::store::{Store, StoreError};

/// Elements in the first script of it, and in any of them at most.
pub const SIZE: Size = Size::new(500, 1_000);

/// Scores that are looked up in one step.
const LOOKED_AT: usize = 1_000;

/// A sweep.
#[derive(Debug)]
pub struct Sweep {
    queue: Queue,
    /// The place to which goes what leaves timeouts.
    to: AwayPlace,
    brooms: Vec<Broom>,
    /// The new bytes of each; none where they leave.
    news: Vec<Vec<u8>>,
    /// Entries without a fate yet, each with its number.
    open: HashMap<Vec<u8>, usize>,
    /// Entries for which a script was sent whose answer never came, and where they stood then.
    unsure: HashMap<usize, Option<ListPlace>>,
    /// Strays that were told already, and what was taken out of timeouts, a stray by that: there may
    /// be more copies of them.
    told: HashSet<usize>,
    /// Copies that the list holds of those that stand in it more than once, as far as is known.
    often: HashMap<usize, u64>,
    /// Copies beyond the first that have left since that was told.
    copies: u64,
    turn: ListTurn,
    /// The most of the chosen that leave in a script.
    most: usize,
    stage: SweepStage,
    /// The element that the next to go round stands behind, once some have.
    before: Option<Vec<u8>>,
    /// The elements looked at, and how many of them go round, once it was told what the script
    /// tries.
    looked: Option<(usize, Vec<Vec<u8>>)>,
    /// The number of entries standing nowhere that were told to be tried next.
    forgets: Option<usize>,
    stopped: bool,
}

#[derive(Debug)]
enum SweepStage {
    /// It is counted how often each of the chosen stands in the list.
    Counting(CopyCount),
    /// The list goes round.
    Turning,
    /// Entries that were not met are looked up: those still to be, and those that wait.
    Looking(Vec<Vec<u8>>, HashSet<Vec<u8>>),
    /// The list is read for those that wait, up to two times: others may let elements change places
    /// meanwhile, so that one reading misses what stands in it.
    Reading(ListReader, HashSet<Vec<u8>>, ReadingPass),
    /// Entries that are nowhere in it leave timeouts.
    Forgetting(Vec<Vec<u8>>),
    Ended,
}

/// One of the two readings of the list.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum ReadingPass {
    First,
    Second,
}

impl Sweep {
    /// Deletes these, given in any order.
    #[must_use]
    pub fn new(queue: &Queue, chosen: Vec<ChosenEntry>) -> Self {
        let brooms = |c: ChosenEntry| (c.member, Broom::Delete(c.score));
        Self::with(queue, chosen.into_iter().map(brooms))
    }

    /// Sets these aside in quarantine, given in any order.
    #[must_use]
    pub fn quarantining(queue: &Queue, chosen: Vec<ChosenEntry>) -> Self {
        Self {
            to: AwayPlace::Quarantined,
            ..Self::new(queue, chosen)
        }
    }

    /// Gives these other bytes, given in any order.
    #[must_use]
    pub fn editing(queue: &Queue, edits: Vec<(ChosenEntry, Vec<u8>)>) -> Self {
        let (chosen, news) = edits.into_iter().unzip();
        Self {
            news,
            ..Self::new(queue, chosen)
        }
    }

    /// Takes these out of the order list, where they do not wait, all copies of each.
    #[must_use]
    pub fn strays(queue: &Queue, members: impl IntoIterator<Item = Vec<u8>>) -> Self {
        Self {
            stage: SweepStage::Turning,
            ..Self::with(queue, members.into_iter().map(|m| (m, Broom::Stray)))
        }
    }

    fn with(queue: &Queue, items: impl Iterator<Item = (Vec<u8>, Broom)>) -> Self {
        let (members, brooms): (Vec<_>, Vec<_>) = items.unzip();
        let stage = match queue.keys().order {
            Some(order) => SweepStage::Counting(CopyCount::new(order, members.len())),
            None => SweepStage::Turning,
        };
        let numbered = members.into_iter().enumerate().map(|(i, m)| (m, i));
        Self {
            queue: queue.clone(),
            to: AwayPlace::Nowhere,
            brooms,
            news: Vec::new(),
            open: numbered.collect(),
            unsure: HashMap::new(),
            told: HashSet::new(),
            often: HashMap::new(),
            copies: 0,
            turn: ListTurn::new(),
            most: MOST_MOVED,
            stage,
            before: None,
            looked: None,
            forgets: None,
            stopped: false,
        }
    }

    /// Sets the bytes that go round in a script at most, but for a single element, and the most of
    /// the chosen that leave in one: they may stand in a row, after many scripts without any.
    pub fn within(&mut self, bytes: usize, most: usize) {
        self.turn.within(bytes);
        self.most = most.max(1);
    }

    /// True when the next step lets elements of the list go round.
    #[must_use]
    pub const fn is_turning(&self) -> bool {
        matches!(self.stage, SweepStage::Turning)
    }

    /// Learns that another server has taken over: what has not gone round there does so again. What was
    /// done to it before is told as it was.
    pub fn took_over(&mut self) {
        (self.looked, self.forgets) = (None, None);
        self.turn.took_over();
        if self.turn.is_begun() && !matches!(self.stage, SweepStage::Counting(_)) {
            self.stage = SweepStage::Turning;
        }
    }

    /// Deletes or edits no more; what follows only brings the offer order back.
    pub fn stop(&mut self) {
        self.stopped = true;
        if !self.turn.is_begun() || !matches!(self.stage, SweepStage::Turning) {
            self.stage = SweepStage::Ended;
        }
    }

    /// Goes over the next `n` elements of the list (at most [`MOST_MOVED`]). Each of the chosen
    /// gets a fate: `Done`, `Gone` (it does not wait any more), `Changed`, or, of an edit,
    /// `NoFrame`: its new bytes wait already.
    pub async fn next(
        &mut self,
        writer: &Writer,
        n: usize,
    ) -> Result<Option<BulkStep>, StoreError> {
        let n = n.clamp(1, MOST_MOVED);
        match &mut self.stage {
            SweepStage::Counting(_) => self.count(writer.store()).await.map(Some),
            SweepStage::Turning => self.turn(writer, n).await,
            SweepStage::Looking(..) => self.look(writer.store()).await.map(Some),
            SweepStage::Reading(..) => self.read(writer).await.map(Some),
            SweepStage::Forgetting(_) => self.forget(writer, n).await.map(Some),
            SweepStage::Ended => Ok(None),
        }
    }

    async fn turn(&mut self, writer: &Writer, n: usize) -> Result<Option<BulkStep>, StoreError> {
        let (n, page) = if let Some(looked) = self.looked.take() {
            looked
        } else {
            let Some((n, page)) = self.turn.look(writer.store(), &self.queue, n).await? else {
                return Ok(self.turned());
            };
            let n = self.up_to_most(n, &page);
            self.before = self.turn.behind().or_else(|| self.before.take());
            // Copies of what has left need not be written down once more, nor those of what stays.
            let among = self.copies_among(&page[..n.min(page.len())]);
            let tries = self.met(&page).into_iter().map(|(_, i)| i);
            let tries = tries.filter(|i| !matches!(self.broom(*i, &among), Broom::Thin(..)));
            let tries: Vec<usize> = tries.filter(|i| !self.told.contains(i)).collect();
            if !tries.is_empty() {
                self.looked = Some((n, page));
                let step = self.step(self.phase());
                return Ok(Some(BulkStep { tries, ..step }));
            }
            (n, page)
        };
        let met = self.met(&page);
        let slice = &page[..n.min(page.len())];
        let among = self.copies_among(slice);
        let brooms: Vec<Broom> = met.iter().map(|&(_, i)| self.broom(i, &among)).collect();
        let done = match self.script(writer, n, &met, brooms.iter().copied()).await {
            Ok(done) => done,
            Err(error) => {
                if error.outcome_unknown() {
                    let (places, last) = places(slice, &met, self.before.as_ref());
                    self.unsure.extend(places);
                    for (&(_, i), broom) in met.iter().zip(brooms) {
                        if matches!(broom, Broom::Thin(..)) {
                            // It stays in timeouts, and how many of its copies are left is not
                            // known.
                            self.unsure.remove(&i);
                            self.often.remove(&i);
                        }
                    }
                    self.turn.unknown(n, &page, last);
                }
                return Err(error);
            }
        };
        let met: Vec<(Vec<u8>, usize)> = met.iter().map(|&(m, i)| (m.to_vec(), i)).collect();
        self.turn.went(done.done.went, n, &page);
        let (at, of) = self.turn.progress();
        Ok(Some(BulkStep {
            took: done.took,
            wrote: true,
            phase: self.phase(),
            at,
            of,
            fates: self.took_out(done.done, &met),
            copies: std::mem::take(&mut self.copies),
            ..BulkStep::default()
        }))
    }

    /// Runs the script that lets `n` elements go round. `brooms`: what it does with those that were
    /// met.
    async fn script(
        &self,
        writer: &Writer,
        n: usize,
        met: &[(&[u8], usize)],
        brooms: impl Iterator<Item = Broom>,
    ) -> Result<TimedResult<ListRound>, StoreError> {
        let each = met.iter().zip(brooms);
        if self.news.is_empty() {
            let chosen: Vec<_> = each.map(|(&(m, _), broom)| (m, broom)).collect();
            return writer.sweep(&self.queue, n, &chosen, self.to).await;
        }
        let chosen: Vec<_> = each
            .map(|(&(m, i), broom)| match broom {
                Broom::Stray | Broom::Thin(..) => (m, broom, &[][..]),
                _ => (m, broom, self.news[i].as_slice()),
            })
            .collect();
        writer.edit_around(&self.queue, n, &chosen).await
    }

    /// Goes on to those that were not met once the list has gone round.
    fn turned(&mut self) -> Option<BulkStep> {
        if self.stopped {
            self.stage = SweepStage::Ended;
            return None;
        }
        self.often.clear();
        self.stage = self.looking();
        Some(self.step(LOOKING))
    }

    fn looking(&self) -> SweepStage {
        let untold = self.open.iter().filter(|(_, i)| !self.told.contains(i));
        let untold = untold.map(|(member, _)| member.clone());
        SweepStage::Looking(untold.collect(), HashSet::new())
    }

    /// The chosen among these elements, each once, with their numbers; after a stop, copies of what
    /// has left.
    fn met<'a>(&self, page: &'a [Vec<u8>]) -> Vec<(&'a [u8], usize)> {
        let mut seen = HashSet::new();
        let number = |element: &'a Vec<u8>| Some((element.as_slice(), *self.open.get(element)?));
        let mut met: Vec<_> = page.iter().filter_map(number).collect();
        met.retain(|(_, i)| (!self.stopped || self.told.contains(i)) && seen.insert(*i));
        met
    }

    /// The number of `n` elements among which there are no more of the chosen than leave in a
    /// script.
    fn up_to_most(&self, n: usize, page: &[Vec<u8>]) -> usize {
        let mut met = 0;
        let fits = page.iter().take(n).take_while(|element| {
            met += usize::from(self.open.contains_key(*element));
            met <= self.most
        });
        fits.count().max(1)
    }

    /// Takes note of what a script did with those that were met.
    fn took_out(&mut self, round: ListRound, met: &[(Vec<u8>, usize)]) -> Vec<NumberedFate> {
        let mut fates = Vec::new();
        for (at, swept) in round.swept {
            let Some((member, i)) = met.get(at) else {
                continue;
            };
            let (fate, stood) = match swept {
                SweepFate::Left(_) if !self.news.is_empty() => (Fate::Done, None),
                SweepFate::Left(behind) => {
                    let behind = behind.or_else(|| self.before.clone());
                    (
                        Fate::Done,
                        Some(behind.map_or(ListPlace::Head, ListPlace::Behind)),
                    )
                }
                SweepFate::Not => (Fate::Gone, None),
                SweepFate::Changed(score) => (Fate::Changed(score), None),
                SweepFate::Twin => (Fate::NoFrame, None),
                SweepFate::Copies(more) => {
                    self.copies += more;
                    if let Some(left) = self.often.get_mut(i) {
                        *left = left.saturating_sub(more);
                    }
                    continue;
                }
            };
            if self.brooms[*i] == Broom::Stray {
                if !self.told.insert(*i) {
                    self.copies += u64::from(fate == Fate::Done);
                    continue;
                }
            } else if fate == Fate::Done || fate == Fate::Gone && self.unsure.contains_key(i) {
                self.brooms[*i] = Broom::Stray;
                self.told.insert(*i);
            } else {
                self.open.remove(member);
            }
            fates.push(self.fated(*i, fate, stood));
        }
        self.before = round.last.or_else(|| self.before.take());
        fates
    }

    /// Finds the fates of those that were not met: gone, changed, or they still wait.
    async fn look(&mut self, store: &Store) -> Result<BulkStep, StoreError> {
        let mut step = self.step(LOOKING);
        let SweepStage::Looking(rest, waiting) = &mut self.stage else {
            return Ok(step);
        };
        let some = rest.split_off(rest.len().saturating_sub(LOOKED_AT));
        let both = async {
            let keys = self.queue.keys();
            let has = scores(store, &keys.timeouts, &some).await?;
            let kept = match self.to {
                AwayPlace::Quarantined => scores(store, &keys.quarantine, &some).await?,
                AwayPlace::Nowhere if !self.news.is_empty() => {
                    let new = |m| self.open.get(m).map(|i| self.news[*i].clone());
                    let new: Vec<_> = some.iter().map(|m| new(m).unwrap_or_default()).collect();
                    scores(store, &keys.timeouts, &new).await?
                }
                AwayPlace::Nowhere => vec![None; some.len()],
            };
            Ok((has, kept))
        };
        let (has, kept) = match both.await {
            Ok(both) => both,
            Err(error) => {
                rest.extend(some);
                return Err(error);
            }
        };
        let over = rest.is_empty();
        let mut waiting = std::mem::take(waiting);
        for ((member, has), kept) in some.into_iter().zip(has).zip(kept) {
            let Some(&i) = self.open.get(&member) else {
                continue;
            };
            if has.is_none() && self.is_done(i, kept) {
                self.open.remove(&member);
                let stood = self.unsure.remove(&i).flatten();
                let stood = stood.filter(|_| self.news.is_empty());
                step.fates.push(self.fated(i, Fate::Done, stood));
                continue;
            }
            let fate = match (self.brooms[i], has) {
                (Broom::Delete(wanted) | Broom::Forget(wanted), Some(other))
                    if wanted.total_cmp(&other).is_eq() =>
                {
                    waiting.insert(member);
                    continue;
                }
                (Broom::Stray, _) if self.told.contains(&i) => continue,
                (Broom::Stray, _) | (_, None) => Fate::Gone,
                (_, Some(other)) => Fate::Changed(other),
            };
            self.open.remove(&member);
            step.fates.push(self.fated(i, fate, None));
        }
        self.stage = match (&mut self.stage, self.queue.keys().order) {
            (SweepStage::Looking(rest, _), _) if !over => {
                SweepStage::Looking(std::mem::take(rest), waiting)
            }
            (_, Some(order)) if !waiting.is_empty() => {
                SweepStage::Reading(ListReader::new(order), waiting, ReadingPass::First)
            }
            _ => SweepStage::Ended,
        };
        Ok(step)
    }

    /// Reads which of those that wait are in the list all the same: others have moved much in it.
    async fn read(&mut self, writer: &Writer) -> Result<BulkStep, StoreError> {
        let mut step = self.step(LOOKING);
        let SweepStage::Reading(reader, waiting, reading) = &mut self.stage else {
            return Ok(step);
        };
        match reader.next(writer.store()).await? {
            ListRead::Page(page) => {
                (step.took, step.of) = (Some(page.took), page.length);
                step.at = page.first + page.elements.len() as u64;
                for element in &page.elements {
                    waiting.remove(element);
                }
            }
            ListRead::Lost => self.stage = self.looking(),
            ListRead::End if *reading == ReadingPass::First && !waiting.is_empty() => {
                (*reader, *reading) = (reader.again(), ReadingPass::Second);
            }
            // What is not in the list may be in one that is aside: there it must not stay behind
            // with its old bytes. An edit is refused while one is.
            ListRead::End if !self.news.is_empty() => {
                let seen = facts(writer.store(), &self.queue).await?;
                if seen.aside > 0 {
                    writer.edit_around(&self.queue, 0, &[]).await?;
                    self.stage = self.looking();
                } else if seen.order <= reader.length() {
                    self.stage = SweepStage::Forgetting(waiting.drain().collect());
                }
            }
            ListRead::End => self.stage = SweepStage::Forgetting(waiting.drain().collect()),
        }
        Ok(step)
    }

    async fn forget(&mut self, writer: &Writer, n: usize) -> Result<BulkStep, StoreError> {
        let mut step = self.step(self.phase());
        let SweepStage::Forgetting(nowhere) = &self.stage else {
            return Ok(step);
        };
        let told = self.forgets.take();
        let n = told.unwrap_or(n);
        let number = |m: &Vec<u8>| Some((m.clone(), *self.open.get(m)?));
        let some: Vec<_> = nowhere.iter().take(n).filter_map(number).collect();
        if told.is_none() && !some.is_empty() {
            self.forgets = Some(n);
            step.tries = some.iter().map(|(_, i)| *i).collect();
            return Ok(step);
        }
        if some.is_empty() {
            if self.open.values().all(|i| self.told.contains(i)) {
                self.stage = SweepStage::Ended;
            } else {
                // They are in the list: once more round.
                (self.turn, self.before) = (ListTurn::new(), None);
                self.stage = SweepStage::Turning;
            }
            return Ok(step);
        }
        let forget = |broom| match broom {
            Broom::Delete(score) => Broom::Forget(score),
            other => other,
        };
        let met: Vec<_> = some.iter().map(|(m, i)| (&m[..], *i)).collect();
        let brooms = some.iter().map(|(_, i)| forget(self.brooms[*i]));
        let done = match self.script(writer, 0, &met, brooms).await {
            Ok(done) => done,
            Err(error) => {
                if error.outcome_unknown() {
                    self.unsure.extend(some.iter().map(|(_, i)| (*i, None)));
                    self.stage = self.looking();
                }
                return Err(error);
            }
        };
        (step.took, step.wrote) = (done.took, true);
        step.fates = self.took_out(done.done, &some);
        for fated in &mut step.fates {
            // It stood nowhere.
            fated.stood = None;
        }
        if let SweepStage::Forgetting(nowhere) = &mut self.stage {
            nowhere.drain(..n.min(nowhere.len()));
        }
        Ok(step)
    }

    /// True when a script whose answer never came has changed this entry. `kept`: its score in
    /// quarantine, or that of its new bytes, which others may have given another one since.
    fn is_done(&self, i: usize, kept: Option<f64>) -> bool {
        let (Broom::Delete(wanted) | Broom::Forget(wanted)) = self.brooms[i] else {
            return false;
        };
        let is = |score: f64| !self.news.is_empty() || score.total_cmp(&wanted).is_eq();
        self.unsure.contains_key(&i) && kept.is_some_and(is)
    }

    fn fated(&self, index: usize, fate: Fate, stood: Option<ListPlace>) -> NumberedFate {
        // An entry that was edited is seen by its new bytes.
        let is_unsure = fate == Fate::Gone && self.news.is_empty();
        let unsure = self.unsure.get(&index).filter(|_| is_unsure);
        NumberedFate {
            index,
            fate,
            stood: stood.or_else(|| unsure.cloned().flatten()),
            unsure: unsure.is_some(),
        }
    }

    fn step(&self, phase: &'static str) -> BulkStep {
        let (at, of) = self.turn.progress();
        BulkStep {
            phase,
            at,
            of,
            ..BulkStep::default()
        }
    }

    const fn phase(&self) -> &'static str {
        if self.stopped {
            "bringing the offer order back"
        } else {
            "rebuilding the order list"
        }
    }
}

/// The words for it after the list has gone round.
const LOOKING: &str = "finding the rest";

/// Numbers, and where each of them stood.
type Places = Vec<(usize, Option<ListPlace>)>;

/// The places of those that were met, each behind the last before it that stays; and the last of
/// all that stays.
fn places(
    slice: &[Vec<u8>],
    met: &[(&[u8], usize)],
    before: Option<&Vec<u8>>,
) -> (Places, Option<Vec<u8>>) {
    let numbers: HashMap<&[u8], usize> = met.iter().copied().collect();
    let mut behind = before;
    let mut places = Vec::new();
    for element in slice {
        match numbers.get(element.as_slice()) {
            Some(&i) => {
                let place = behind.map_or(ListPlace::Head, |b| ListPlace::Behind(b.clone()));
                places.push((i, Some(place)));
            }
            None => behind = Some(element),
        }
    }
    (places, behind.cloned())
}
