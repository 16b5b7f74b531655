//! A list that goes round once, slice by slice: how far it is, also after an answer that never
//! came.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::queue::Queue;
use crate::store::bulk::{MOST_MOVED, facts};
use crate::store::{Store, StoreError, read};

/// Elements that are looked at beyond those that go round: what others take from the head moves the
/// list up between the look and the script.
const BEYOND: usize = 256;

/// Elements that are looked at first, when it is not known yet how large they are.
const ELEMENTS_OF_FIRST_LOOK: usize = 100;
/// Bytes that go round in a script at most, and are looked at in one go, as long as elements are
/// about as large as those before them. A large element alone may be more.
const BYTES: usize = 1 << 20;

/// Elements that went round and are remembered: more are lost in no failover that was seen.
const MOST_PASSED: usize = 50_000;

/// The mark by which an element is known again.
fn mark(element: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    element.hash(&mut hasher);
    hasher.finish()
}

/// One turn of the order list.
#[derive(Debug)]
pub(super) struct ListTurn {
    /// Elements that are looked at in one go, at most.
    most: usize,
    /// Bytes that go round in a script, at most.
    bytes: usize,
    /// Elements that are still to go round; none: it has not begun.
    left: Option<u64>,
    /// All elements of the turn.
    of: u64,
    /// A script without an answer.
    sent: Option<Sent>,
    /// The last that stays of what such a script let go round, once that is known.
    behind: Option<Vec<u8>>,
    /// The marks of the last elements that went round.
    passed: VecDeque<u64>,
    /// Another server has taken over, and where its list stands was not looked at yet.
    is_taken_over: bool,
}

/// A script whose answer never came.
#[derive(Debug)]
struct Sent {
    /// Elements that were to go round.
    n: usize,
    /// The head of the list before it.
    head: Vec<u8>,
    /// The last that stays of those.
    last: Option<Vec<u8>>,
    /// The marks of those.
    marks: Vec<u64>,
}

impl ListTurn {
    pub(super) const fn new() -> Self {
        Self {
            most: ELEMENTS_OF_FIRST_LOOK,
            bytes: BYTES,
            left: None,
            of: 0,
            sent: None,
            behind: None,
            passed: VecDeque::new(),
            is_taken_over: false,
        }
    }

    /// Sets the bytes that go round in a script at most; never more than is usual.
    pub(super) fn within(&mut self, bytes: usize) {
        self.bytes = bytes.min(BYTES);
    }

    /// Bytes that go round in a script, at most.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) const fn is_begun(&self) -> bool {
        self.left.is_some()
    }

    /// Learns that another server has taken over, whose list may lack the last that went round here.
    pub(super) fn took_over(&mut self) {
        self.is_taken_over = self.is_begun();
    }

    /// Finds out how far the list of the server is that has taken over: what stands at its head and went
    /// round before has not done so there, nor has what went round since.
    async fn look_anew(&mut self, store: &Store, order: &[u8]) -> Result<(), StoreError> {
        let page = read::list_page(store, order, 0, 1).await?;
        if let Some(head) = page.elements.first().map(|head| mark(head))
            && let Some(place) = self.passed.iter().rposition(|passed| *passed == head)
        {
            // A script without an answer came behind those.
            self.sent = None;
            let lost = self.passed.drain(place..).count();
            if let Some(left) = &mut self.left {
                *left += lost as u64;
            }
            let tail = read::list_page(store, order, page.length.saturating_sub(1), 1).await?;
            self.behind = tail.elements.into_iter().next();
        }
        self.is_taken_over = false;
        Ok(())
    }

    /// Looks at what goes round next: how many elements, at most `n`, and these with some beyond;
    /// none when the turn is over.
    pub(super) async fn look(
        &mut self,
        store: &Store,
        queue: &Queue,
        n: usize,
    ) -> Result<Option<(usize, Vec<Vec<u8>>)>, StoreError> {
        let Some(order) = queue.keys().order else {
            return Ok(None);
        };
        if self.is_taken_over {
            self.look_anew(store, &order).await?;
        }
        let left = if let Some(left) = self.left {
            left
        } else {
            self.of = facts(store, queue).await?.order;
            *self.left.insert(self.of)
        };
        let n = n.min(usize::try_from(left).unwrap_or(usize::MAX));
        if n == 0 {
            return Ok(None);
        }
        let n = n.min(self.most);
        let count = u32::try_from((n + BEYOND).min(self.most.max(n + 1))).unwrap_or(u32::MAX);
        let page = read::list_page(store, &order, 0, count).await?.elements;
        if let Some(sent) = self.sent.take()
            && page.first() != Some(&sent.head)
        {
            // It did run: what stood at the head stands there no more.
            self.pass(sent.marks);
            self.goes_on(sent.n, sent.n);
            self.behind = sent.last;
            return Box::pin(self.look(store, queue, n)).await;
        }
        if page.is_empty() {
            self.left = Some(0);
            return Ok(None);
        }
        Ok(Some((self.sized(n, &page), page)))
    }

    /// The number of `n` elements that have no more bytes than may go round in a script; one at
    /// least.
    fn sized(&mut self, n: usize, page: &[Vec<u8>]) -> usize {
        let held: usize = page.iter().map(Vec::len).sum();
        let each = held.div_ceil(page.len().max(1)).max(1);
        self.most = (BYTES / each).clamp(1, MOST_MOVED + BEYOND);
        let mut bytes = 0;
        let fits = page.iter().take_while(|element| {
            bytes += element.len();
            bytes <= self.bytes
        });
        fits.count().clamp(1, n)
    }

    /// Counts elements that went round of those `asked`: fewer, when the list has no more. They were the
    /// first of that page.
    pub(super) fn went(&mut self, went: usize, asked: usize, page: &[Vec<u8>]) {
        self.pass(page.iter().take(went).map(|element| mark(element)));
        self.goes_on(went, asked);
    }

    /// Remembers the marks of elements that went round.
    fn pass(&mut self, marks: impl IntoIterator<Item = u64>) {
        self.passed.extend(marks);
        let more = self.passed.len().saturating_sub(MOST_PASSED);
        self.passed.drain(..more);
    }

    fn goes_on(&mut self, went: usize, asked: usize) {
        let left = self.left.unwrap_or(0).saturating_sub(went as u64);
        self.left = Some(if went < asked { 0 } else { left });
    }

    /// Counts elements that stand at the head now and did not when it began.
    pub(super) const fn grew(&mut self, more: u64) {
        self.of += more;
        if let Some(left) = &mut self.left {
            *left += more;
        }
    }

    /// Takes note that the script for `n` of these never answered; `last`: the last of them that
    /// was to stay.
    pub(super) fn unknown(&mut self, n: usize, page: &[Vec<u8>], last: Option<Vec<u8>>) {
        self.sent = page.first().map(|head| Sent {
            n,
            head: head.clone(),
            last,
            marks: page.iter().take(n).map(|element| mark(element)).collect(),
        });
    }

    /// The last that stays of what went round by a script whose answer never came, once that is
    /// known.
    pub(super) const fn behind(&mut self) -> Option<Vec<u8>> {
        self.behind.take()
    }

    /// Elements that went round, and all of them.
    pub(super) const fn progress(&self) -> (u64, u64) {
        let left = match self.left {
            Some(left) => left,
            None => self.of,
        };
        (self.of - left, self.of)
    }
}
