//! Timeouts and the lists compared, member by member, while others change them.
//!
//! Timeouts is read whole, then what is aside, then the order list. What differs is looked up once
//! more: it may have come or gone meanwhile. Who only wants to tell it asks to be
//! [`sure`](Compare::sure): then the lists are read a second time, and only what both readings and
//! what timeouts said between and after them agree on is a difference. (Who mends looks again in
//! the very script that acts.)

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use super::Difference;
use super::sightings::{MemberMark, Sightings};
use crate::ops::bulk::list::{ElementsPage, ListRead, ListReader};
use crate::ops::bulk::{BulkStep, scores};
use crate::queue::Queue;
use crate::store::bulk::facts;
use crate::store::read::scan_members;
use crate::store::{Store, StoreError};

/// Members in the first page of timeouts.
const FIRST_PAGE: u32 = 100;
/// Members in a page at most.
const MOST_PAGE: u32 = 1_000;
/// Bytes in a page at most, as long as members are about as large as those before them.
const PAGE_BYTES: usize = 512 * 1024;
/// Time for which a page keeps the server at most, as long as members cost about as much.
const PAGE_TAKES: Duration = Duration::from_millis(1);
/// Suspects that are looked up once more in one step.
const LOOKED_AT: usize = 1_000;

/// Somebody who looks at all that is read, beside the comparison.
pub trait ReadObserver: Send {
    /// Hears of a member that waits. Each is told once.
    fn waits(&mut self, _member: &[u8], _score: f64) {}
    /// Hears of an element of the order list, behind so many others.
    fn stands(&mut self, _place: u64, _element: &[u8]) {}
    /// Hears that all that was told counts no more: it is read again from the beginning.
    fn again(&mut self) {}
}

/// The observer of who wants none.
impl ReadObserver for () {}

/// One comparison.
#[derive(Debug)]
pub struct Compare {
    queue: Queue,
    /// True when what differs is looked for a second time in the lists.
    sure: bool,
    sightings: Sightings,
    suspects: Vec<Difference>,
    found: Vec<Difference>,
    stage: CompareStage,
    page: u32,
    /// The length of the order list when its reading began: what is appended beside that is newer
    /// than what was read of timeouts.
    until: Option<u64>,
    sizes: Sizes,
    read: u64,
    of: u64,
}

/// Counts of what was read.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Sizes {
    /// Entries that wait.
    pub waiting: u64,
    /// Elements of the order list.
    pub order: u64,
    /// True while an order list is aside.
    pub aside: bool,
    /// Members that may differ beyond those of which anything was kept.
    pub beyond: u64,
    /// Elements by which timeouts is longer than the order list, as the differences say.
    pub balance: i64,
}

#[derive(Debug)]
enum CompareStage {
    Timeouts(u64),
    /// The list that is aside is read, then the order list; true: for the second time.
    List(ComparedSide, ListReader, bool),
    /// Timeouts is read again for what stands in no list: only its mark was kept.
    Lacking(u64, HashSet<MemberMark>),
    /// Suspects are looked up in timeouts; true: for the last time.
    Checking(VecDeque<Difference>, bool),
    Ended,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum ComparedSide {
    Aside,
    Order,
}

impl Compare {
    /// A comparison for somebody who mends what is found.
    #[must_use]
    pub fn new(queue: &Queue) -> Self {
        Self {
            queue: queue.clone(),
            sure: false,
            sightings: Sightings::new(usize::MAX),
            suspects: Vec::new(),
            found: Vec::new(),
            stage: CompareStage::Timeouts(0),
            page: FIRST_PAGE,
            until: None,
            sizes: Sizes::default(),
            read: 0,
            of: 0,
        }
    }

    /// A comparison for somebody who only tells what is found; at most so many bytes of it are
    /// kept.
    #[must_use]
    pub fn sure(queue: &Queue, most: usize) -> Self {
        Self {
            sure: true,
            sightings: Sightings::new(most),
            ..Self::new(queue)
        }
    }

    /// The differences, once [`next`](Self::next) has ended.
    #[must_use]
    pub fn found(&self) -> &[Difference] {
        &self.found
    }

    /// The counts of what was read.
    #[must_use]
    pub const fn sizes(&self) -> Sizes {
        Sizes {
            beyond: self.sightings.beyond,
            ..self.sizes
        }
    }

    /// The differences, and the places of the copies of what stands twice.
    pub(super) fn into_found(self) -> (Vec<Difference>, HashMap<Vec<u8>, Vec<u64>>) {
        (self.found, self.sightings.into_copies())
    }

    /// Reads a page; none: all was read, and [`found`](Self::found) is exact.
    pub async fn next(
        &mut self,
        store: &Store,
        beside: &mut impl ReadObserver,
    ) -> Result<Option<BulkStep>, StoreError> {
        let took = match &mut self.stage {
            CompareStage::Timeouts(cursor) => {
                let cursor = *cursor;
                self.timeouts(store, cursor, beside).await?
            }
            CompareStage::List(..) => self.list(store, beside).await?,
            CompareStage::Lacking(..) => self.lacking(store).await?,
            CompareStage::Checking(..) => self.check(store).await?,
            CompareStage::Ended => return Ok(None),
        };
        Ok(Some(BulkStep {
            took: Some(took),
            phase: "comparing timeouts with the order list",
            at: self.read.min(self.of),
            of: self.of,
            ..BulkStep::default()
        }))
    }

    async fn timeouts(
        &mut self,
        store: &Store,
        cursor: u64,
        beside: &mut impl ReadObserver,
    ) -> Result<Duration, StoreError> {
        let keys = self.queue.keys();
        if cursor == 0 {
            let facts = facts(store, &self.queue).await?;
            self.of = facts.waiting + facts.aside + facts.order;
            self.sightings.expect(facts.waiting);
        }
        let page = scan_members(store, &keys.timeouts, cursor, self.page).await?;
        let took = Duration::from_micros(page.server_us);
        self.sized(&page.rows, took);
        self.read += page.rows.len() as u64;
        for (member, score) in &page.rows {
            if self.sightings.waits(member) {
                beside.waits(member, *score);
            }
        }
        self.stage = match (page.next, keys.aside) {
            (0, Some(aside)) => {
                CompareStage::List(ComparedSide::Aside, ListReader::new(aside), false)
            }
            (0, None) => CompareStage::Ended,
            (next, _) => CompareStage::Timeouts(next),
        };
        self.sizes.waiting = self.sightings.waiting();
        Ok(took)
    }

    async fn list(
        &mut self,
        store: &Store,
        beside: &mut impl ReadObserver,
    ) -> Result<Duration, StoreError> {
        let CompareStage::List(which, reader, second) = &mut self.stage else {
            return Ok(Duration::ZERO);
        };
        let (which, second) = (*which, *second);
        let through =
            which == ComparedSide::Order && self.until.is_some_and(|end| reader.length() >= end);
        let read = if through {
            ListRead::End
        } else {
            reader.next(store).await?
        };
        match (read, which) {
            (ListRead::Page(page), _) => {
                if which == ComparedSide::Order {
                    self.until.get_or_insert(page.length);
                }
                self.read += page.elements.len() as u64;
                self.sizes.aside |= which == ComparedSide::Aside;
                match (second, which) {
                    (true, _) => self.sightings.see_again(&page),
                    (false, ComparedSide::Aside) => self.sightings.aside(&page),
                    (false, ComparedSide::Order) => self.stand(&page, beside),
                }
                return Ok(page.took);
            }
            // It is being brought back: what was read of it is in the order list then, or in
            // neither, and looked up once more.
            (ListRead::End | ListRead::Lost, ComparedSide::Aside) => {
                let order = self.queue.keys().order.unwrap_or_default();
                self.stage =
                    CompareStage::List(ComparedSide::Order, ListReader::new(order), second);
                self.until = None;
            }
            // From the beginning: nothing that was seen in it counts.
            (ListRead::Lost, ComparedSide::Order) => self.begin_again(beside),
            (ListRead::End, ComparedSide::Order) => {
                let aside = facts(store, &self.queue).await?.aside > 0;
                if aside && !self.sizes.aside {
                    // Somebody has set it aside meanwhile.
                    self.begin_again(beside);
                } else if second {
                    self.compare_again();
                } else {
                    self.compare();
                }
            }
        }
        Ok(Duration::ZERO)
    }

    fn begin_again(&mut self, beside: &mut impl ReadObserver) {
        *self = Self {
            sure: self.sure,
            sightings: Sightings::new(self.sightings.most()),
            ..Self::new(&self.queue)
        };
        beside.again();
    }

    fn stand(&mut self, page: &ElementsPage, beside: &mut impl ReadObserver) {
        self.sizes.order += page.elements.len() as u64;
        for (place, element) in (page.first..).zip(&page.elements) {
            beside.stands(place, element);
        }
        self.sightings.stand(page);
    }

    /// Compares what was read once.
    fn compare(&mut self) {
        let (lacks, differ) = self.sightings.differ();
        self.suspects = differ;
        self.stage = if lacks.is_empty() {
            CompareStage::Checking(std::mem::take(&mut self.suspects).into(), !self.sure)
        } else {
            CompareStage::Lacking(0, lacks)
        };
    }

    async fn lacking(&mut self, store: &Store) -> Result<Duration, StoreError> {
        let (cursor, mut lacks) = match &mut self.stage {
            CompareStage::Lacking(cursor, lacks) => (*cursor, std::mem::take(lacks)),
            _ => return Ok(Duration::ZERO),
        };
        let timeouts = self.queue.keys().timeouts;
        let page = scan_members(store, &timeouts, cursor, self.page).await;
        let page = match page {
            Ok(page) => page,
            Err(error) => {
                self.stage = CompareStage::Lacking(cursor, lacks);
                return Err(error);
            }
        };
        let took = Duration::from_micros(page.server_us);
        self.sized(&page.rows, took);
        for (member, _) in page.rows {
            if lacks.remove(&self.sightings.mark(&member)) && self.sightings.keeps(&member) {
                self.suspects.push(Difference::NotInOrder(member));
            }
        }
        self.stage = if page.next == 0 || lacks.is_empty() {
            CompareStage::Checking(std::mem::take(&mut self.suspects).into(), !self.sure)
        } else {
            CompareStage::Lacking(page.next, lacks)
        };
        Ok(took)
    }

    /// Keeps the suspects of which timeouts still says the same.
    async fn check(&mut self, store: &Store) -> Result<Duration, StoreError> {
        let CompareStage::Checking(open, last) = &mut self.stage else {
            return Ok(Duration::ZERO);
        };
        let last = *last;
        let count = open.len().min(LOOKED_AT);
        let members = open.iter().take(count).map(|d| d.member().to_vec());
        let members: Vec<Vec<u8>> = members.collect();
        let has = scores(store, &self.queue.keys().timeouts, &members).await?;
        let some: Vec<Difference> = open.drain(..count).collect();
        let ended = open.is_empty();
        for (difference, has) in some.into_iter().zip(has) {
            if has.is_none() != matches!(difference, Difference::OnlyInOrder(_)) {
                continue;
            }
            if last {
                self.sizes.balance += self.sightings.weight(&difference);
                self.found.push(difference);
            } else {
                self.suspects.push(difference);
            }
        }
        if ended {
            self.checked(last);
        }
        Ok(Duration::ZERO)
    }

    fn checked(&mut self, last: bool) {
        if last || self.suspects.is_empty() {
            self.stage = CompareStage::Ended;
            return;
        }
        self.sightings.suspect(&self.suspects);
        self.of += self.sizes.order;
        let aside = self.queue.keys().aside.unwrap_or_default();
        self.stage = CompareStage::List(ComparedSide::Aside, ListReader::new(aside), true);
    }

    /// Keeps what both readings of the lists say.
    fn compare_again(&mut self) {
        let suspects = std::mem::take(&mut self.suspects).into_iter();
        let holds = suspects.filter_map(|difference| self.sightings.still(difference));
        self.stage = CompareStage::Checking(holds.collect(), true);
    }

    fn sized(&mut self, rows: &[(Vec<u8>, f64)], took: Duration) {
        let bytes: usize = rows.iter().map(|(member, _)| member.len()).sum();
        self.page = match () {
            () if bytes > PAGE_BYTES => self.page / 4,
            () if took > PAGE_TAKES => self.page / 2,
            () if bytes * 2 < PAGE_BYTES && took * 4 < PAGE_TAKES => self.page * 2,
            () => self.page,
        }
        .clamp(1, MOST_PAGE);
    }
}
