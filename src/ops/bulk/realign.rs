//! Swap: chosen entries change places with what stands at the head of the order list, so that
//! taking them out of it costs no walk. Nothing ever leaves the list.

use std::collections::{HashMap, HashSet};

use super::list::{ElementsPage, ListRead, ListReader};
use super::swap::{ChosenPlace, FreePlace, PlannedSwap, in_place, mark, plan};
use super::{BulkStep, NumberedFate, Size, scores};
use crate::clock::EpochMillis;
use crate::queue::Queue;
use crate::store::bulk::{MOST_SWAPPED, Swap};
use crate::store::change::Fate;
use crate::store::write::Writer;
use crate::store::{Store, StoreError, read};

/// Swaps in the first script of it, and in any of them at most.
pub const SIZE: Size = Size::new(100, 250);

/// Readings of the list at most, when others have moved too much in it meanwhile.
const ROUNDS: u32 = 5;

/// Members asked for at a time.
const PAGE: u32 = 1_000;

/// Brings chosen entries to the head of the order list.
#[derive(Debug)]
pub struct Realign {
    queue: Queue,
    /// The number of entries given.
    given: usize,
    /// The chosen entries that have no fate yet, each with its number.
    open: HashMap<Vec<u8>, usize>,
    no_frames: Vec<usize>,
    /// True, by number, of each chosen entry that stands in its place, as far as is known.
    placed: Vec<bool>,
    /// The number of these.
    in_place: usize,
    /// The entries that the last script has brought there.
    brought: Vec<usize>,
    /// Another server has taken over, and its list was not read yet.
    is_taken_over: bool,
    stage: RealignStage,
    rounds: u32,
}

#[derive(Debug)]
enum RealignStage {
    Reading(ListReading),
    Swapping(SwapProgress),
    Ended,
}

/// The list, as far as it was read.
#[derive(Debug)]
struct ListReading {
    list: ListReader,
    slots: Vec<FreePlace>,
    stands: Vec<ChosenPlace>,
    /// True, by number, of each chosen entry that stands in it. A second copy is nobody's concern
    /// here.
    stood: Vec<bool>,
}

/// The swaps to be made, and how far they were.
#[derive(Debug)]
struct SwapProgress {
    swaps: Vec<PlannedSwap>,
    next: usize,
    missed: Vec<usize>,
    stood: Vec<bool>,
}

/// The members with scores from 0 to that of `until`, in due order: what `repair --realign`
/// chooses. None: all that have a due time. What others take out meanwhile may be missing.
pub async fn due_until(
    store: &Store,
    queue: &Queue,
    until: Option<EpochMillis>,
) -> Result<Vec<Vec<u8>>, StoreError> {
    let timeouts = queue.keys().timeouts;
    let limit = until.map_or(f64::INFINITY, |until| queue.score(until));
    let mut members: Vec<Vec<u8>> = Vec::new();
    let mut lowest = 0.0;
    let mut count = PAGE;
    loop {
        let (_, page) = read::rows_from(store, &timeouts, lowest, count).await?;
        let Some(last) = page.rows.last().map(|row| row.1) else {
            return Ok(members);
        };
        let full = page.rows.len() == count as usize;
        // By score, never by rank: ranks move when others take. Those of the last score come
        // again, with the rest of it; when one score fills a page, with a larger one.
        let same = page.rows[0].1.total_cmp(&last).is_eq();
        if full && same {
            count = count.saturating_mul(2);
            continue;
        }
        let take = |row: &(Vec<u8>, f64)| row.1 <= limit && (!full || row.1 < last);
        members.extend(page.rows.into_iter().filter(take).map(|row| row.0));
        if !full || last > limit {
            return Ok(members);
        }
        (lowest, count) = (last, PAGE);
    }
}

impl Realign {
    /// Brings these to the head, in this order.
    #[must_use]
    pub fn new(queue: &Queue, chosen: Vec<Vec<u8>>) -> Self {
        let given = chosen.len();
        let mut no_frames = Vec::new();
        let mut open = HashMap::with_capacity(given);
        for (i, member) in chosen.into_iter().enumerate() {
            if queue.unwrap(&member).is_ok() {
                open.insert(member, i);
            } else {
                no_frames.push(i);
            }
        }
        Self {
            stage: RealignStage::begin(queue, given),
            queue: queue.clone(),
            given,
            open,
            no_frames,
            placed: vec![false; given],
            in_place: 0,
            brought: Vec::new(),
            is_taken_over: false,
            rounds: 1,
        }
    }

    /// Learns that another server has taken over, which may lack the last of what was done: its list is
    /// read, and what stood in its place before and does not there is told ([`BulkStep::lost`]) and
    /// brought there again. `ran_there`: the last script was run by that server already. May come at
    /// the end too.
    pub fn took_over(&mut self, ran_there: bool) {
        if ran_there {
            self.in_place -= self.brought.len();
            for entry in self.brought.drain(..) {
                self.placed[entry] = false;
            }
        }
        self.is_taken_over = true;
        self.rounds = 1;
        self.stage = RealignStage::begin(&self.queue, self.given);
    }

    /// Reads a page of the list, or lets up to `n` pairs change places. In the end each entry has a
    /// fate: `Done` stands where it shall, `Gone` waits no longer, `Changed` waits, but is not in
    /// the list, `NoFrame` was left where it is; `unsure`: others moved so much in the list that it may stand elsewhere.
    pub async fn next(
        &mut self,
        writer: &Writer,
        n: usize,
    ) -> Result<Option<BulkStep>, StoreError> {
        self.brought.clear();
        match &self.stage {
            RealignStage::Reading(_) => self.read(writer.store()).await,
            RealignStage::Swapping(_) => self.swap(writer, n).await,
            RealignStage::Ended => Ok(None),
        }
    }

    async fn read(&mut self, store: &Store) -> Result<Option<BulkStep>, StoreError> {
        let RealignStage::Reading(reading) = &mut self.stage else {
            return Ok(None);
        };
        let mut step = BulkStep {
            phase: "reading the order list",
            placed: Some(self.in_place),
            ..BulkStep::default()
        };
        match reading.list.next(store).await? {
            ListRead::Page(page) => {
                (step.took, step.at) = (Some(page.took), page.first + page.elements.len() as u64);
                step.of = page.length.max(step.at);
                reading.take(&page, &self.queue, &self.open);
            }
            ListRead::Lost => self.stage = RealignStage::begin(&self.queue, self.given),
            ListRead::End => {
                reading.stands.sort_unstable_by_key(|entry| entry.chosen);
                let mut placed = vec![false; self.given];
                let stand = in_place(&reading.stands, &reading.slots);
                self.in_place = stand.len();
                self.brought.clear();
                for entry in stand {
                    placed[entry] = true;
                }
                step.placed = Some(self.in_place);
                if std::mem::take(&mut self.is_taken_over) {
                    let stand = reading.stands.iter().map(|entry| entry.chosen);
                    step.lost = stand.filter(|i| self.placed[*i] && !placed[*i]).collect();
                }
                self.placed = placed;
                self.stage = RealignStage::Swapping(SwapProgress {
                    swaps: plan(&reading.stands, &reading.slots),
                    next: 0,
                    missed: Vec::new(),
                    stood: std::mem::take(&mut reading.stood),
                });
            }
        }
        Ok(Some(step))
    }

    async fn swap(&mut self, writer: &Writer, n: usize) -> Result<Option<BulkStep>, StoreError> {
        let RealignStage::Swapping(swapping) = &mut self.stage else {
            return Ok(None);
        };
        let first = swapping.next;
        let end = swapping.swaps.len().min(first + n.clamp(1, MOST_SWAPPED));
        let mut step = BulkStep {
            phase: "swapping to the head",
            at: end as u64,
            of: swapping.swaps.len() as u64,
            placed: Some(self.in_place),
            ..BulkStep::default()
        };
        if first == end {
            step.fates = self.settle(writer.store()).await?;
            return Ok(Some(step));
        }
        let some: Vec<Swap> = swapping.swaps[first..end].iter().map(|s| s.swap).collect();
        let done = match writer.swap(&self.queue, &some).await {
            Ok(done) => done,
            Err(error) => {
                if error.outcome_unknown() {
                    // Whatever it did is a permutation: only a new reading tells which.
                    self.stage = RealignStage::begin(&self.queue, self.given);
                }
                return Err(error);
            }
        };
        (step.took, step.wrote) = (done.took, true);
        let missed: HashSet<usize> = done.done.into_iter().collect();
        self.brought.clear();
        for (i, planned) in swapping.swaps[first..end].iter().enumerate() {
            if missed.contains(&i) {
                swapping.missed.push(planned.chosen);
                continue;
            }
            for entry in [Some(planned.chosen), planned.beside].into_iter().flatten() {
                if !std::mem::replace(&mut self.placed[entry], true) {
                    self.brought.push(entry);
                }
            }
        }
        self.in_place += self.brought.len();
        step.placed = Some(self.in_place);
        swapping.next = end;
        if swapping.missed.len() * 5 > end && swapping.missed.len() > 10 && self.rounds < ROUNDS {
            self.rounds += 1;
            self.stage = RealignStage::begin(&self.queue, self.given);
        }
        Ok(Some(step))
    }

    /// Finds the fate of each entry once all swaps were tried. Those that were missed but still
    /// wait are tried once more, with another reading.
    async fn settle(&mut self, store: &Store) -> Result<Vec<NumberedFate>, StoreError> {
        let RealignStage::Swapping(swapping) = &self.stage else {
            return Ok(Vec::new());
        };
        let missed: HashSet<usize> = swapping.missed.iter().copied().collect();
        let is_asked = |i: &usize| missed.contains(i) || !swapping.stood[*i];
        let asked = self.open.iter().filter(|(_, i)| is_asked(i));
        let (members, numbers): (Vec<Vec<u8>>, Vec<usize>) =
            asked.map(|(member, &i)| (member.clone(), i)).unzip();
        let has = scores(store, &self.queue.keys().timeouts, &members).await?;
        let has: HashMap<usize, Option<f64>> = numbers.into_iter().zip(has).collect();
        let waits = |i: &usize| has.get(i).is_some_and(Option::is_some);
        if missed.iter().any(waits) && self.rounds < ROUNDS {
            self.rounds += 1;
            self.stage = RealignStage::begin(&self.queue, self.given);
            return Ok(Vec::new());
        }
        let told = |index, fate, unsure| NumberedFate {
            index,
            fate,
            stood: None,
            unsure,
        };
        let mut fates: Vec<NumberedFate> = (self.open.values())
            .map(|&i| match has.get(&i) {
                Some(None) => told(i, Fate::Gone, false),
                Some(Some(has)) if !swapping.stood[i] => told(i, Fate::Changed(*has), false),
                _ => told(i, Fate::Done, missed.contains(&i)),
            })
            .collect();
        let no_frames = self.no_frames.iter();
        fates.extend(no_frames.map(|&i| told(i, Fate::NoFrame, false)));
        fates.sort_unstable_by_key(|fated| fated.index);
        self.stage = RealignStage::Ended;
        Ok(fates)
    }
}

impl RealignStage {
    fn begin(queue: &Queue, given: usize) -> Self {
        match queue.keys().order {
            Some(order) => Self::Reading(ListReading {
                list: ListReader::new(order),
                slots: Vec::new(),
                stands: Vec::new(),
                stood: vec![false; given],
            }),
            None => Self::Ended,
        }
    }
}

impl ListReading {
    fn take(&mut self, page: &ElementsPage, queue: &Queue, open: &HashMap<Vec<u8>, usize>) {
        for (i, element) in page.elements.iter().enumerate() {
            let chosen = open.get(element).copied().filter(|&i| !self.stood[i]);
            if chosen.is_none() && self.slots.len() >= open.len() {
                continue;
            }
            let place = u32::try_from(page.first + i as u64);
            let (Ok(place), Some(mark)) = (place, mark(element)) else {
                continue;
            };
            // What is no frame stays where it is.
            if self.slots.len() < open.len() && queue.unwrap(element).is_ok() {
                self.slots.push(FreePlace {
                    place,
                    mark,
                    chosen,
                });
            }
            if let Some(chosen) = chosen {
                self.stood[chosen] = true;
                self.stands.push(ChosenPlace {
                    chosen,
                    place,
                    mark,
                });
            }
        }
    }
}
