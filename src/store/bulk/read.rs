//! What a bulk change looks at before and between its scripts.

use redis::Pipeline;

use super::super::error::StoreError;
use super::super::link::{LIMIT, Store};
use super::super::script::list;
use super::answers::{bytes, number};
use crate::queue::Queue;

/// The sizes of a queue, and what forbids a way.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Facts {
    /// How many entries wait.
    pub waiting: u64,
    /// How long the order list is.
    pub order: u64,
    /// How long the one is that is aside; 0: none is.
    pub aside: u64,
    /// The order list has an expiry.
    pub expires: bool,
}

/// Looks at the sizes of a queue, in one round trip. All 0 of a layout without order list.
pub async fn facts(store: &Store, queue: &Queue) -> Result<Facts, StoreError> {
    const ATTEMPT: &str = "look at the sizes of a queue";
    let keys = queue.keys();
    let (Some(order), Some(aside)) = (keys.order, keys.aside) else {
        return Ok(Facts::default());
    };
    let mut read = Pipeline::new();
    read.cmd("ZCARD").arg(&keys.timeouts);
    read.cmd("LLEN").arg(&order).cmd("LLEN").arg(aside);
    read.cmd("PTTL").arg(order);
    let mut numbers = Vec::new();
    for value in store.query(ATTEMPT, &read, LIMIT).await? {
        numbers.push(number(&store.accept(ATTEMPT, value)?));
    }
    let at = |i: usize| numbers.get(i).copied().flatten();
    Ok(Facts {
        waiting: at(0).unwrap_or(0),
        order: at(1).unwrap_or(0),
        aside: at(2).unwrap_or(0),
        // Without one, PTTL answers with a number below 0.
        expires: at(3).is_some(),
    })
}

/// So many pages of a list are looked at.
const PAGES: u64 = 64;
/// So many elements of each, about.
const A_PAGE: u64 = 32;
/// So many bytes of them in all, about.
const SAMPLE_BYTES: u64 = 1024 * 1024;

/// Pages of the list `key` (the order list, or target), spread evenly over its `length`: the place
/// of the first element of each, and its elements.
pub async fn sample_list(
    store: &Store,
    key: &[u8],
    length: u64,
) -> Result<Vec<(u64, Vec<Vec<u8>>)>, StoreError> {
    const ATTEMPT: &str = "look at a sample of a list";
    if length == 0 {
        return Ok(Vec::new());
    }
    let mut size = A_PAGE.min(length);
    let mut pages = Vec::new();
    // The first page tells how large elements are.
    for range in [0..1, 1..PAGES] {
        let mut read = Pipeline::new();
        let firsts: Vec<u64> = range.map(|i| i * length / PAGES).collect();
        for first in &firsts {
            read.cmd("LRANGE").arg(key).arg(first).arg(first + size - 1);
        }
        for (first, page) in firsts
            .into_iter()
            .zip(store.query(ATTEMPT, &read, LIMIT).await?)
        {
            let page = store.accept(ATTEMPT, page)?;
            let elements = list(&page).and_then(|page| page.iter().map(bytes).collect());
            let elements: Vec<Vec<u8>> =
                elements.ok_or_else(|| store.unexpected(ATTEMPT, &page))?;
            pages.push((first, elements));
        }
        let held: usize = pages.iter().flat_map(|(_, page)| page).map(Vec::len).sum();
        let each = held as u64 / size.max(1);
        size = size.min(SAMPLE_BYTES / PAGES / each.max(1)).max(1);
    }
    Ok(pages)
}
