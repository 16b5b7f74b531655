//! The scripts of the bulk ways: set aside, restore, swap, sweep, and what mends drift. Each is all
//! or nothing towards each entry, and may be repeated by anybody at any time.

use super::change::{Chosen, Place};
use super::error::StoreError;
pub use super::script::Timed;
use super::write::Writer;
use crate::queue::Queue;

/// How many elements of a list one script handles at most (`unpack` ends near 8,000).
pub const MOST_MOVED: usize = 2_000;

/// What came of setting an order list aside.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SetAside {
    /// It is aside now.
    Done,
    /// There is none.
    Nothing,
    /// One is aside already, by an interrupted or another change.
    AlreadyThere,
    /// It has an expiry, which must not be carried off.
    Expires,
}

/// Two places of the order list that change what stands there.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Swap {
    /// Indices from the head, when the list was read.
    pub places: [u32; 2],
    /// Bytes 1 to 8 of what stands at each (missing ones are 0).
    pub marks: [[u8; 8]; 2],
}

/// An element that a sweep takes out.
#[derive(Clone, Debug, PartialEq)]
pub struct Swept {
    /// Its index within the slice, when that was read.
    pub index: u32,
    /// It, exactly, with the score it must have.
    pub chosen: Chosen,
}

/// An element that goes back into the order list as it goes round.
#[derive(Clone, Debug, PartialEq)]
pub struct PutBack {
    /// The index, within the slice, of the element that it stands behind; none: before the first.
    pub behind: Option<u32>,
    /// Bytes 1 to 8 of that element.
    pub mark: [u8; 8],
    /// It, with its score.
    pub chosen: Chosen,
}

/// What mends drift.
#[derive(Clone, Debug, PartialEq)]
pub enum Mend {
    /// It waits but is not in the order list: to the tail.
    Append(Vec<u8>),
    /// It is in the order list (so many times too often) but does not wait.
    Remove(Vec<u8>),
}

impl Writer {
    /// Renames the order list to [`Keys::aside`](crate::queue::Keys::aside). O(1).
    pub async fn set_aside(&self, queue: &Queue) -> Result<Timed<SetAside>, StoreError> {
        let _ = queue;
        Err(self.impossible("set the order list aside", String::new()))
    }

    /// Brings the last `n` elements of a list that is aside back to the head of the order list,
    /// without those that do not wait any more. How many were taken, and which were dropped; none
    /// taken: nothing is aside any more.
    pub async fn bring_back(
        &self,
        queue: &Queue,
        n: usize,
    ) -> Result<Timed<(u64, u64)>, StoreError> {
        let _ = (queue, n);
        Err(self.impossible("bring the order list back", String::new()))
    }

    /// Lets pairs of elements of the order list change places; how many pairs did, and which did
    /// not (indices into `swaps`), because something else stands there.
    pub async fn swap(
        &self,
        queue: &Queue,
        swaps: &[Swap],
    ) -> Result<Timed<Vec<usize>>, StoreError> {
        let _ = (queue, swaps);
        Err(self.impossible("realign the order list", String::new()))
    }

    /// Lets the first `n` elements of the order list go round to its tail, without `swept`, which
    /// leave timeouts too, when they stand where they are expected with the score they had. Which
    /// of them left (indices into `swept`), each with where it stood.
    pub async fn sweep(
        &self,
        queue: &Queue,
        n: usize,
        swept: &[Swept],
    ) -> Result<Timed<Vec<(usize, Place)>>, StoreError> {
        let _ = (queue, n, swept);
        Err(self.impossible("sweep the order list", String::new()))
    }
}
