//! The looks of a bulk change before and between its scripts.

use redis::Pipeline;

use super::super::error::StoreError;
use super::super::link::{LIMIT, Store};
use super::super::script::list;
use super::answers::{bytes, number};
use crate::queue::Queue;

/// The sizes of a queue, and what forbids a way.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct QueueSizes {
    /// Entries that wait.
    pub waiting: u64,
    /// The length of the order list.
    pub order: u64,
    /// The length of the one that is aside; 0: none is.
    pub aside: u64,
    /// The order list has an expiry.
    pub expires: bool,
}

/// Looks at the sizes of a queue, in one round trip. All 0 of a layout without order list.
pub async fn facts(store: &Store, queue: &Queue) -> Result<QueueSizes, StoreError> {
    const ATTEMPT: &str = "look at the sizes of a queue";
    let keys = queue.keys();
    let (Some(order), Some(aside)) = (keys.order, keys.aside) else {
        return Ok(QueueSizes::default());
    };
    let mut read = Pipeline::new();
    read.cmd("ZCARD").arg(&keys.timeouts);
    read.cmd("LLEN").arg(&order).cmd("LLEN").arg(&aside);
    read.cmd("PTTL").arg(&order);
    let mut numbers = Vec::new();
    let answers = store.query(ATTEMPT, &read, LIMIT).await?;
    for (answer, key) in answers
        .into_iter()
        .zip([&keys.timeouts, &order, &aside, &order])
    {
        numbers.push(number(&store.accept_of(ATTEMPT, key, answer)?));
    }
    let at = |i: usize| numbers.get(i).copied().flatten();
    Ok(QueueSizes {
        waiting: at(0).unwrap_or(0),
        order: at(1).unwrap_or(0),
        aside: at(2).unwrap_or(0),
        // Without one, PTTL answers with a number below 0.
        expires: at(3).is_some(),
    })
}

/// Pages of a list that are looked at.
const PAGES: u64 = 64;
/// Elements of each, about.
const A_PAGE: u64 = 32;
/// Bytes of them in all, about.
const SAMPLE_BYTES: u64 = 1024 * 1024;
/// The most bytes at once, as long as elements are about as large as those before them; and no more
/// is looked at once there are more.
const MOST_BYTES: u64 = 4 * SAMPLE_BYTES;
/// Pages in one go: others wait for them.
const AT_ONCE: u64 = 16;

/// Some elements of a list.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ListSample {
    /// The place of the first element of each page, and its elements. No element stands in two.
    pub pages: Vec<(u64, Vec<Vec<u8>>)>,
    /// Bytes of an element on the average.
    pub mean: u64,
    /// Bytes of the largest of them.
    pub most: u64,
}

/// Pages of the list `key` (the order list, or target), spread evenly over its `length`; all of a
/// short list.
pub async fn sample_list(store: &Store, key: &[u8], length: u64) -> Result<ListSample, StoreError> {
    let mut sample = ListSample::default();
    let (mut held, mut count) = (0, 0);
    // The first element tells how large they are.
    let mut ranges = if length > 0 { vec![(0, 0)] } else { Vec::new() };
    let mut open = std::collections::VecDeque::new();
    while !ranges.is_empty() {
        for (first, page) in read_pages(store, key, &ranges).await? {
            let bytes: u64 = page.iter().map(|element| element.len() as u64).sum();
            (held, count) = (held + bytes, count + page.len() as u64);
            let largest = page.iter().map(Vec::len).max().unwrap_or(0) as u64;
            sample.most = sample.most.max(largest);
            sample.pages.push((first, page));
        }
        sample.mean = held / count.max(1);
        if sample.pages.len() == 1 {
            open = spread(length, sample.mean);
        }
        if held > MOST_BYTES {
            break;
        }
        let a_page = open.front().map_or(1, |(first, last)| last + 1 - first);
        let pages = MOST_BYTES / (sample.mean * a_page).max(1);
        let pages = usize::try_from(pages.clamp(1, AT_ONCE)).unwrap_or(1);
        ranges = open.drain(..pages.min(open.len())).collect();
    }
    Ok(sample)
}

/// The first and the last place of each page of a list that is so long, without its head, and whose
/// elements have so many bytes.
fn spread(length: u64, each: u64) -> std::collections::VecDeque<(u64, u64)> {
    let size = (SAMPLE_BYTES / PAGES / each.max(1)).clamp(1, A_PAGE);
    let rest = length.saturating_sub(1);
    let pages = PAGES.min(rest.div_ceil(size));
    let page = |i: u64| {
        let first = 1 + i * rest / pages;
        let next = 1 + (i + 1) * rest / pages;
        (first, next.min(first + size) - 1)
    };
    (0..pages).map(page).collect()
}

/// Pages of a list: where each begins, and what stands there.
async fn read_pages(
    store: &Store,
    key: &[u8],
    ranges: &[(u64, u64)],
) -> Result<Vec<(u64, Vec<Vec<u8>>)>, StoreError> {
    const ATTEMPT: &str = "look at a sample of a list";
    let mut read = Pipeline::new();
    for (first, last) in ranges {
        read.cmd("LRANGE").arg(key).arg(first).arg(last);
    }
    let mut pages = Vec::with_capacity(ranges.len());
    let values = store.query(ATTEMPT, &read, LIMIT).await?;
    for ((first, _), page) in ranges.iter().zip(values) {
        let page = store.accept(ATTEMPT, page)?;
        let elements = list(&page).and_then(|page| page.iter().map(bytes).collect());
        pages.push((
            *first,
            elements.ok_or_else(|| store.unexpected(ATTEMPT, &page))?,
        ));
    }
    Ok(pages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_list_is_looked_at_whole_and_no_element_twice() {
        for length in [2, 11, 32, 33, 1_000, 2_000] {
            let places = spread(length, 41).into_iter();
            let places: Vec<u64> = places.flat_map(|(first, last)| first..=last).collect();
            assert_eq!(places, (1..length).collect::<Vec<_>>());
        }
        assert!(spread(1, 41).is_empty());
    }

    #[test]
    fn of_a_long_list_or_of_large_elements_a_part_is_looked_at() {
        let long = spread(1_000_000, 41);
        assert_eq!(long.len(), 64);
        assert!(long.iter().all(|(first, last)| last + 1 - first == 32));
        let large = spread(1_000, 1 << 20);
        assert_eq!(large.len(), 64);
        assert!(large.iter().all(|(first, last)| first == last));
    }
}
