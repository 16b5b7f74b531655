//! Drift: timeouts and order list do not hold the same members. Found exactly, mended safely.
//!
//! [`Compare`] finds it. Mending checks each finding again in the script that acts on it.

mod compare;
mod cost;
mod mend;
mod sightings;

pub use self::compare::{Compare, ReadObserver, Sizes};
pub use self::cost::cost;
use std::collections::HashSet;

use self::mend::MendProgress;
use super::list::ListReader;
use super::{BulkStep, Size};
use crate::queue::Queue;
use crate::store::{Store, StoreError};

/// Elements in the first script of it, and in any of them at most.
pub const SIZE: Size = Size::new(500, 1_000);

/// One difference.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Difference {
    /// A member that waits but is not in the order list. Mended: it comes to the tail of the order
    /// list.
    NotInOrder(Vec<u8>),
    /// A member that is in the order list but does not wait. It may never have been delivered, so
    /// nothing is done about it here: people have to say what becomes of it.
    OnlyInOrder(Vec<u8>),
    /// A member that stands in the order list so many times, instead of once. Mended: the first
    /// copy stays.
    TooOften(Vec<u8>, u64),
}

/// Looks for drift, then mends it.
#[derive(Debug)]
pub struct Drift {
    queue: Queue,
    order: Option<ListReader>,
    aside: bool,
    waiting: u64,
    stage: DriftStage,
    found: Vec<Difference>,
    strays: Vec<Vec<u8>>,
    foreign: u64,
    /// Differences, by their places in `found`, that a script tried to mend whose answer never came.
    unanswered: HashSet<usize>,
}

#[derive(Debug)]
enum DriftStage {
    Comparing(Box<Compare>),
    Mending(MendProgress),
}

impl Drift {
    /// Looks at that queue.
    #[must_use]
    pub fn new(queue: &Queue) -> Self {
        Self {
            queue: queue.clone(),
            order: None,
            aside: false,
            waiting: 0,
            stage: DriftStage::Comparing(Box::new(Compare::new(queue))),
            found: Vec::new(),
            strays: Vec::new(),
            foreign: 0,
            unanswered: HashSet::new(),
        }
    }

    /// The differences that are mended: fates are told by index into them.
    #[must_use]
    pub fn found(&self) -> &[Difference] {
        &self.found
    }

    /// Members that only the order list holds: nothing is done about them.
    #[must_use]
    pub fn strays(&self) -> &[Vec<u8>] {
        &self.strays
    }

    /// Members that are no frames and wait without being in the order list. They are not found: no
    /// client's `size()` or `remove()` could read them there, and what ought to be done with them
    /// is to set them aside.
    #[must_use]
    pub const fn foreign(&self) -> u64 {
        self.foreign
    }

    /// True when timeouts is missing altogether while the order list is not: it may be the last
    /// copy, so that somebody has to be asked.
    #[must_use]
    pub fn last_copy(&self) -> bool {
        self.waiting == 0 && !self.strays.is_empty()
    }

    /// True while an order list is aside: it has to be brought back before anything is mended.
    #[must_use]
    pub const fn is_aside(&self) -> bool {
        self.aside
    }

    /// Reads a page of timeouts or of the order list; none: all was read, and
    /// [`found`](Self::found) is exact.
    pub async fn find(&mut self, store: &Store) -> Result<Option<BulkStep>, StoreError> {
        let DriftStage::Comparing(compare) = &mut self.stage else {
            return Ok(None);
        };
        if self.queue.keys().order.is_none() {
            return Ok(None);
        }
        if let Some(step) = compare.next(store, &mut ()).await? {
            return Ok(Some(step));
        }
        let sizes = compare.sizes();
        (self.waiting, self.aside) = (sizes.waiting, sizes.aside);
        let done = std::mem::replace(compare, Box::new(Compare::new(&self.queue)));
        let (mut found, copies) = done.into_found();
        let (mut foreign, mut strays) = (0, Vec::new());
        found.retain(|difference| match difference {
            Difference::NotInOrder(member) => {
                let is_frame = self.queue.unwrap(member).is_ok();
                foreign += u64::from(!is_frame);
                is_frame
            }
            Difference::OnlyInOrder(member) => {
                strays.push(member.clone());
                false
            }
            Difference::TooOften(..) => true,
        });
        (self.foreign, self.strays) = (foreign, strays);
        self.stage = DriftStage::Mending(MendProgress::new(&found, &copies));
        self.found = found;
        Ok(None)
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
