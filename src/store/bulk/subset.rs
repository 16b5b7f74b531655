//! Timeouts and an order list read whole on a connection of their own: all that stands in the list
//! waits, or that is not known. It costs the server a fifth of a script that looks each element up.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

use redis::Pipeline;
use tokio::time::timeout;

use super::super::error::StoreError;
use super::super::link::socket::LinkStream;
use super::super::link::sole::{SoleWire, StringList};
use super::super::link::{LIMIT, Store};
use super::super::read::element_scores;
use super::facts;
use crate::queue::Queue;

/// Elements in the first page, since each may have a MB, and in any at most.
const PAGE_FIRST: usize = 8;
const PAGE_MOST: usize = 2_000;
/// Bytes in a page at most, as long as elements are about as large as those before them.
const PAGE_BYTES: usize = 512 << 10;
/// Members of timeouts that are remembered at most, 16 bytes of each.
const MEMBERS: usize = 8_000_000;
/// Elements that are looked up once more at most: what was offered meanwhile, or passed by since
/// others took what stood before it.
const LOOKED_UP: usize = 1_000;
/// The longest wait for all of it.
const LASTS: Duration = Duration::from_secs(60);

/// True when each element of the order list waits. False: that is not known, since one does not,
/// others take from the list meanwhile, the queue is too long, or the server does not let us read.
pub async fn is_known_to_wait(store: &Store, queue: &Queue) -> bool {
    let keys = queue.keys();
    let Some(order) = keys.order else {
        return false;
    };
    let known = async {
        let waiting = facts(store, queue).await?.waiting;
        all_waits(store, (&keys.timeouts, waiting), &order).await
    };
    matches!(timeout(LASTS, known).await, Ok(Ok(true)))
}

async fn all_waits(
    store: &Store,
    (timeouts, count): (&[u8], u64),
    order: &[u8],
) -> Result<bool, StoreError> {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    if count > MEMBERS {
        return Ok(false);
    }
    let mut wire = store.sole().await?;
    let marks = [RandomState::new(), RandomState::new()];
    // No two members have the same, as far as chance goes.
    let mark = |member: &[u8]| marks.each_ref().map(|mark| mark.hash_one(member));
    let mut waiting = HashSet::with_capacity(count);
    let members = WholeKey::Ranks(timeouts);
    let read = members.each(&mut wire, |member| {
        waiting.insert(mark(member));
        waiting.len() <= MEMBERS
    });
    if read.await.is_none() {
        return Ok(false);
    }
    let mut others = Vec::new();
    let elements = WholeKey::Elements(order);
    let read = elements.each(&mut wire, |element| {
        if !waiting.contains(&mark(element)) {
            others.push(element.to_vec());
        }
        others.len() <= LOOKED_UP
    });
    if read.await.is_none() {
        return Ok(false);
    }
    let scores = element_scores(store, timeouts, &others).await?;
    Ok(scores.iter().all(Option::is_some))
}

/// A key that is read whole, from its beginning to its end.
#[derive(Clone, Copy)]
enum WholeKey<'a> {
    /// A sorted set, by rank: what changes its place meanwhile may be missed.
    Ranks(&'a [u8]),
    /// A list: where others take from it meanwhile, that is seen.
    Elements(&'a [u8]),
}

impl WholeKey<'_> {
    /// Tells `each` of all, one by one, until that has enough; none: it had, or they cannot be read.
    async fn each(
        self,
        wire: &mut SoleWire<LinkStream>,
        mut each: impl FnMut(&[u8]) -> bool + Send,
    ) -> Option<()> {
        let (mut at, mut size) = (0, PAGE_FIRST);
        let mut page = self.page(wire, 0, size).await?;
        // Elements of the page that the one before it ended with.
        let mut known = 0;
        loop {
            let is_last = page.len() < size + known;
            at += page.len() - known;
            size = if page.bytes() > PAGE_BYTES {
                size / 4
            } else if page.bytes() * 2 < PAGE_BYTES {
                size * 2
            } else {
                size
            }
            .clamp(1, PAGE_MOST);
            let last = page.len().checked_sub(1).map(|at| page[at].to_vec());
            let mut tell = || page.iter().skip(known).all(&mut each);
            if is_last {
                return tell().then_some(());
            }
            // The server reads on meanwhile.
            let (next, goes_on) = match self {
                Self::Ranks(_) => {
                    tokio::join!(biased; self.page(wire, at, size), async { tell() })
                }
                Self::Elements(_) => {
                    tokio::join!(biased; self.page(wire, at - 1, size + 1), async { tell() })
                }
            };
            page = next.filter(|_| goes_on)?;
            if matches!(self, Self::Elements(_)) {
                if page.iter().next() != last.as_deref() {
                    return None;
                }
                known = 1;
            }
        }
    }

    /// Reads so many of them, from that place on.
    async fn page(
        self,
        wire: &mut SoleWire<LinkStream>,
        first: usize,
        count: usize,
    ) -> Option<StringList> {
        let (command, key) = match self {
            Self::Ranks(key) => ("ZRANGE", key),
            Self::Elements(key) => ("LRANGE", key),
        };
        let mut read = Pipeline::new();
        let last = first + count - 1;
        read.cmd(command).arg(key).arg(first).arg(last);
        let answer = timeout(LIMIT, wire.ask(&read)).await.ok()?.ok()?.pop()?;
        answer.strings()
    }
}
