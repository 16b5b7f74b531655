//! Drift: timeouts and order list do not hold the same members. Found exactly, mended safely.
//!
//! Timeouts is read whole, then what is aside, then the order list: what is in timeouts all the
//! while and in neither list stands nowhere; what came meanwhile is looked up once more. Mending
//! checks each finding again in the script that acts on it.

mod cost;
mod mend;

use std::collections::{HashMap, VecDeque};

pub use self::cost::cost;
use self::mend::Mending;
use super::list::{ListPage, ListReader, Read};
use super::{Size, Step, scores};
use crate::queue::Queue;
use crate::store::bulk::{facts, scan_timeouts};
use crate::store::{Store, StoreError};

/// With how many elements a script of it begins, and the most it takes.
pub const SIZE: Size = Size::new(500, 1_000);

/// So many members of timeouts are asked for at a time.
const PAGE: u32 = 1_000;

/// So many findings are looked up once more in one step.
const LOOKED_AT: usize = 1_000;

/// One difference.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Difference {
    /// It waits but is not in the order list. Mended: at the tail of the order list.
    NotInOrder(Vec<u8>),
    /// It is in the order list but does not wait. Mended: out of the order list.
    OnlyInOrder(Vec<u8>),
    /// It stands in the order list so many times, instead of once. Mended: the first copy stays.
    TooOften(Vec<u8>, u64),
}

/// Looks for drift, then mends it.
#[derive(Debug)]
pub struct Drift {
    queue: Queue,
    /// The members of timeouts, and in how many places of the lists each was seen.
    seen: HashMap<Vec<u8>, Seen>,
    /// What stands in a list, but was not in timeouts when that was read.
    strangers: HashMap<Vec<u8>, u64>,
    /// Where the copies of what stands twice were, in the order list.
    copies: HashMap<Vec<u8>, Vec<u64>>,
    order: Option<ListReader>,
    aside: bool,
    waiting: u64,
    stage: Stage,
    found: Vec<Difference>,
    read: u64,
    of: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// In what is aside.
    aside: bool,
    /// So often in the order list.
    times: u64,
    /// Where there, the first time.
    first: u64,
}

#[derive(Debug)]
enum Stage {
    Timeouts(u64),
    Aside(ListReader),
    Order,
    /// These findings are looked up once more.
    Checking(VecDeque<Difference>),
    Mending(Mending),
}

impl Drift {
    /// Of that queue.
    #[must_use]
    pub fn new(queue: &Queue) -> Self {
        Self {
            queue: queue.clone(),
            seen: HashMap::new(),
            strangers: HashMap::new(),
            copies: HashMap::new(),
            order: None,
            aside: false,
            waiting: 0,
            stage: Stage::Timeouts(0),
            found: Vec::new(),
            read: 0,
            of: 0,
        }
    }

    /// What was found: fates are told by index into it.
    #[must_use]
    pub fn found(&self) -> &[Difference] {
        &self.found
    }

    /// Timeouts is missing altogether while the order list is not: it may be the last copy, so that
    /// somebody has to be asked.
    #[must_use]
    pub fn last_copy(&self) -> bool {
        self.waiting == 0 && !self.found.is_empty()
    }

    /// An order list is aside: it has to be brought back before anything is mended.
    #[must_use]
    pub const fn is_aside(&self) -> bool {
        self.aside
    }

    /// Reads a page of timeouts or of the order list; none: all was read, and
    /// [`found`](Self::found) is exact.
    pub async fn find(&mut self, store: &Store) -> Result<Option<Step>, StoreError> {
        let Some(order) = self.queue.keys().order else {
            return Ok(None);
        };
        match &mut self.stage {
            Stage::Timeouts(cursor) => {
                if *cursor == 0 {
                    let facts = facts(store, &self.queue).await?;
                    self.of = facts.waiting + facts.aside + facts.order;
                }
                let (next, rows) = scan_timeouts(store, &self.queue, *cursor, PAGE).await?;
                self.read += rows.len() as u64;
                for (member, _) in rows {
                    self.seen.entry(member).or_default();
                }
                *cursor = next;
                if next == 0 {
                    self.waiting = self.seen.len() as u64;
                    let aside = self.queue.keys().aside.unwrap_or_default();
                    self.stage = Stage::Aside(ListReader::new(aside));
                }
            }
            Stage::Aside(reader) => match reader.next(store).await? {
                Read::Page(page) => {
                    self.aside = true;
                    self.see(&page, false);
                }
                // It is being brought back: what was read of it is in the order list then, or in
                // neither, and looked up once more.
                Read::End | Read::Lost => {
                    self.order = Some(ListReader::new(order));
                    self.stage = Stage::Order;
                }
            },
            Stage::Order => return self.read_order(store).await,
            Stage::Checking(_) => return self.check(store).await,
            Stage::Mending(_) => return Ok(None),
        }
        Ok(Some(self.reading()))
    }

    async fn read_order(&mut self, store: &Store) -> Result<Option<Step>, StoreError> {
        let Some(reader) = &mut self.order else {
            return Ok(None);
        };
        match reader.next(store).await? {
            Read::Page(page) => self.see(&page, true),
            Read::Lost => {
                // From the beginning: nothing that was seen in it counts.
                *self = Self::new(&self.queue);
            }
            Read::End if facts(store, &self.queue).await?.aside > 0 && !self.aside => {
                // Somebody has set it aside meanwhile.
                *self = Self::new(&self.queue);
            }
            Read::End => {
                let (seen, strangers) = (&self.seen, &self.strangers);
                let lacks = seen.iter().filter(|(_, s)| s.times == 0 && !s.aside);
                let lacks = lacks.map(|(m, _)| Difference::NotInOrder(m.clone()));
                let often = seen.iter().filter(|(_, s)| s.times > 1);
                let often = often.map(|(m, s)| Difference::TooOften(m.clone(), s.times));
                let strange = strangers.keys().map(|m| Difference::OnlyInOrder(m.clone()));
                self.stage = Stage::Checking(lacks.chain(often).chain(strange).collect());
            }
        }
        Ok(Some(self.reading()))
    }

    /// Which of the findings still hold in timeouts.
    async fn check(&mut self, store: &Store) -> Result<Option<Step>, StoreError> {
        let Stage::Checking(open) = &mut self.stage else {
            return Ok(None);
        };
        let some: Vec<Difference> = open.iter().take(LOOKED_AT).cloned().collect();
        if some.is_empty() {
            self.seen = HashMap::new();
            self.strangers = HashMap::new();
            let copies = std::mem::take(&mut self.copies);
            self.stage = Stage::Mending(Mending::new(&self.found, &copies));
            return Ok(None);
        }
        let members: Vec<Vec<u8>> = some.iter().map(|d| d.member().to_vec()).collect();
        let has = scores(store, &self.queue.keys().timeouts, &members).await?;
        open.drain(..some.len());
        for (difference, has) in some.into_iter().zip(has) {
            let holds = match difference {
                Difference::NotInOrder(_) | Difference::TooOften(..) => has.is_some(),
                Difference::OnlyInOrder(_) => has.is_none(),
            };
            if holds {
                self.found.push(difference);
            }
        }
        Ok(Some(self.reading()))
    }

    fn see(&mut self, page: &ListPage, in_order: bool) {
        self.read += page.elements.len() as u64;
        for (place, element) in (page.first..).zip(&page.elements) {
            let Some(seen) = self.seen.get_mut(element) else {
                *self.strangers.entry(element.clone()).or_default() += 1;
                continue;
            };
            if !in_order {
                seen.aside = true;
                continue;
            }
            seen.times += 1;
            if seen.times == 1 {
                seen.first = place;
            } else {
                let copies = self.copies.entry(element.clone()).or_default();
                if copies.is_empty() {
                    copies.push(seen.first);
                }
                copies.push(place);
            }
        }
    }

    fn reading(&self) -> Step {
        Step {
            phase: "comparing timeouts with the order list",
            at: self.read.min(self.of),
            of: self.of,
            ..Step::default()
        }
    }
}

impl Difference {
    /// The entry's exact bytes.
    #[must_use]
    pub fn member(&self) -> &[u8] {
        match self {
            Self::NotInOrder(member) | Self::OnlyInOrder(member) | Self::TooOften(member, _) => {
                member
            }
        }
    }
}
