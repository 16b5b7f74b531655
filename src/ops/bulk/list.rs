//! A list read whole, page after page, while others take from it and append to it: nothing that
//! stands in it all the while is missed.

use std::time::Duration;

use crate::store::{Store, StoreError, read};

/// Elements in the first page: each may have a MB.
const PAGE_FIRST: u32 = 8;
/// Elements in a page at most.
const PAGE_MOST: u32 = 1_000;
/// Bytes in a page at most, as long as elements are about as large as those before them.
const PAGE_BYTES: usize = 512 * 1024;
/// Elements of a page that are looked for in the next one, at most.
const OVERLAP: usize = 32;
/// The same where they are large: so many, and more as long as they have no more bytes.
const OVERLAP_LEAST: usize = 2;
const OVERLAP_BYTES: usize = 64 * 1024;
/// Places before which they are looked for: what was taken out of the list has moved them up.
const BACK: u64 = 2_000;

/// Reads a list from its head to its tail.
#[derive(Debug)]
pub(in crate::ops) struct ListReader {
    key: Vec<u8>,
    /// The place of the next element to be read.
    next: u64,
    size: u32,
    /// The last elements that were read.
    tail: Vec<Vec<u8>>,
}

/// A page of a list.
#[derive(Debug)]
pub(in crate::ops) struct ElementsPage {
    /// The place of its first element.
    pub(in crate::ops) first: u64,
    /// Its elements.
    pub(in crate::ops) elements: Vec<Vec<u8>>,
    /// The length of the list.
    pub(in crate::ops) length: u64,
    /// Time that it took the server.
    pub(in crate::ops) took: Duration,
}

/// The result of reading on.
#[derive(Debug)]
pub(in crate::ops) enum ListRead {
    /// A page.
    Page(ElementsPage),
    /// The end; asked again, it reads what was appended since.
    End,
    /// Another list than the one that was read up to now: it has to be read again.
    Lost,
}

impl ListReader {
    pub(in crate::ops) fn new(key: Vec<u8>) -> Self {
        Self {
            key,
            next: 0,
            size: PAGE_FIRST,
            tail: Vec::new(),
        }
    }

    /// Returns a reader of the same list that begins at its head.
    pub(in crate::ops) fn again(&self) -> Self {
        Self::new(self.key.clone())
    }

    /// The last element that was read.
    pub(in crate::ops) fn last(&self) -> Option<&[u8]> {
        self.tail.last().map(Vec::as_slice)
    }

    /// Elements that it has, as far as it was read.
    pub(in crate::ops) const fn length(&self) -> u64 {
        self.next
    }

    /// Reads on.
    pub(in crate::ops) async fn next(&mut self, store: &Store) -> Result<ListRead, StoreError> {
        let known = self.tail.len() as u64;
        let mut back = known;
        loop {
            let first = self.next.saturating_sub(back);
            let count = u32::try_from(self.next - first)
                .unwrap_or(0)
                .saturating_add(self.size);
            let page = read::list_page(store, &self.key, first, count).await?;
            let took = Duration::from_micros(page.server_us);
            if page.length == 0 {
                (self.next, self.tail) = (0, Vec::new());
                return Ok(ListRead::End);
            }
            let Some(new) = self.first_new(&page.elements) else {
                if back >= BACK || first == 0 {
                    return Ok(ListRead::Lost);
                }
                back = BACK;
                continue;
            };
            let mut elements = page.elements;
            elements.drain(..new);
            self.sized(&elements);
            let first = first + new as u64;
            self.next = first + elements.len() as u64;
            if elements.is_empty() {
                return Ok(ListRead::End);
            }
            let from = elements.len() - overlapping(&elements);
            self.tail = elements[from..].to_vec();
            return Ok(ListRead::Page(ElementsPage {
                first,
                elements,
                length: page.length,
                took,
            }));
        }
    }

    /// The first new element in a page that begins before the last known ones: behind the last of
    /// those that is still there.
    fn first_new(&mut self, elements: &[Vec<u8>]) -> Option<usize> {
        // Also where some of them stand there twice.
        if elements.starts_with(&self.tail) {
            return Some(self.tail.len());
        }
        let place = |known: &Vec<u8>| elements.iter().position(|element| element == known);
        let still = |at: usize| Some((at, place(&self.tail[at])?));
        let (known, at) = (0..self.tail.len()).rev().find_map(still)?;
        // What stood behind it has left.
        self.tail.truncate(known + 1);
        Some(at + 1)
    }

    fn sized(&mut self, elements: &[Vec<u8>]) {
        let bytes: usize = elements.iter().map(Vec::len).sum();
        self.size = if bytes > PAGE_BYTES {
            self.size / 4
        } else if bytes * 2 < PAGE_BYTES {
            self.size * 2
        } else {
            self.size
        }
        .clamp(1, PAGE_MOST);
    }
}

/// The number of the last of these elements that are read again with those that follow, to see
/// whether the places have shifted.
pub(in crate::ops) fn overlapping(elements: &[Vec<u8>]) -> usize {
    let mut bytes = 0;
    let fits = elements.iter().rev().take(OVERLAP).take_while(|element| {
        bytes += element.len();
        bytes <= OVERLAP_BYTES
    });
    fits.count().max(OVERLAP_LEAST.min(elements.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_large_is_not_read_again_and_again() {
        let of = |bytes: usize, count: usize| overlapping(&vec![vec![0; bytes]; count]);
        assert_eq!([of(41, 1_000), of(41, 3), of(41, 0)], [OVERLAP, 3, 0]);
        let large = [of(10_000, 100), of(1 << 20, 100), of(1 << 20, 1)];
        assert_eq!(large, [6, 2, 1]);
    }
}
