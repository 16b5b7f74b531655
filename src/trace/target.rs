//! A list that consumers take from, as the log lets it be known, and who waits at which.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::command::ListEnd;

/// Elements of a list that are kept at most; the oldest are forgotten first.
const MOST_ELEMENTS: usize = 1 << 20;
/// Consumers that wait at most; when there are more, the log is not believed to show their end.
const MOST_WAITING: usize = 100_000;
/// A consumer that goes on so long after the end of its wait, in µs, had waited in vain.
const SOON: i64 = 150_000;

/// An element of a list.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Element {
    /// The message with this life.
    Of(u64),
    /// No delayed message.
    Other,
}

/// The elements of a list that were pushed since the log begins.
#[derive(Debug)]
pub struct Target {
    elements: VecDeque<Element>,
    /// It holds nothing else: it was empty at some time that the log shows.
    pub is_known: bool,
}

impl Target {
    /// A list without elements; known when the log begins with empty keys.
    #[must_use]
    pub fn new(is_known: bool) -> Self {
        Self {
            elements: VecDeque::new(),
            is_known,
        }
    }

    /// Puts an element at that end.
    pub fn push(&mut self, end: ListEnd, element: Element) {
        match end {
            ListEnd::Left => self.elements.push_front(element),
            ListEnd::Right => self.elements.push_back(element),
        }
        if self.elements.len() > MOST_ELEMENTS {
            self.pop(end.other());
            self.is_known = false;
        }
    }

    /// Takes one from that end; none when there is none.
    pub fn pop(&mut self, end: ListEnd) -> Option<Element> {
        match end {
            ListEnd::Left => self.elements.pop_front(),
            ListEnd::Right => self.elements.pop_back(),
        }
    }

    /// Takes the first element out that is of this life, from that end.
    pub fn remove(&mut self, from: ListEnd, life: u64) {
        let is_it = |element: &Element| *element == Element::Of(life);
        let at = match from {
            ListEnd::Left => self.elements.iter().position(is_it),
            ListEnd::Right => self.elements.iter().rposition(is_it),
        };
        if let Some(at) = at {
            self.elements.remove(at);
        }
    }

    /// The lives of its elements.
    #[must_use]
    pub fn lives(&self) -> impl DoubleEndedIterator<Item = u64> {
        self.elements.iter().filter_map(|element| element.life())
    }

    /// The number of elements that are known.
    #[must_use]
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// True when no element is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// Takes all out: the key is gone, and so what it holds is known.
    pub fn clear(&mut self) -> Vec<u64> {
        self.is_known = true;
        let all = self.elements.drain(..);
        all.filter_map(Element::life).collect()
    }
}

impl Element {
    /// The life that it is of.
    #[must_use]
    pub const fn life(self) -> Option<u64> {
        match self {
            Self::Of(life) => Some(life),
            Self::Other => None,
        }
    }
}

impl ListEnd {
    /// The other end.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}

/// A list, in a database.
pub type ListKey = (u32, Box<[u8]>);

/// A consumer that waits for an element.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct WaitingConsumer {
    /// Its address.
    pub by: Arc<[u8]>,
    /// The end that it takes from.
    pub end: ListEnd,
    /// The lists that it waits at.
    pub keys: Vec<ListKey>,
    /// The end of its wait, in µs since the epoch; none: it waits for ever.
    until_us: Option<i64>,
}

/// The consumers that wait for elements.
#[derive(Debug, Default)]
pub struct WaitingConsumers {
    /// Consumers that wait, by number.
    all: HashMap<u64, WaitingConsumer>,
    by_list: HashMap<ListKey, VecDeque<u64>>,
    by_client: HashMap<Arc<[u8]>, u64>,
    next: u64,
}

impl WaitingConsumers {
    /// A consumer began to wait at `at_us`, for so long; 0 for ever.
    pub fn begin(
        &mut self,
        by: &Arc<[u8]>,
        end: ListEnd,
        keys: Vec<ListKey>,
        at_us: i64,
        span_us: i64,
    ) {
        if self.all.len() >= MOST_WAITING {
            *self = Self::default();
        }
        let until_us = (span_us > 0).then(|| at_us.saturating_add(span_us));
        let number = self.next;
        self.next += 1;
        for key in &keys {
            let waits = self.by_list.entry(key.clone()).or_default();
            // Those whose time is over would pile up where nothing is ever pushed.
            while let Some(first) = waits.front()
                && self.all.get(first).is_none_or(|w| w.is_over(at_us))
            {
                let over = waits.pop_front();
                over.and_then(|over| self.all.remove(&over));
            }
            waits.push_back(number);
        }
        if is_one_client(by) {
            self.by_client.insert(by.clone(), number);
        }
        let by = by.clone();
        let waiting = WaitingConsumer {
            by,
            end,
            keys,
            until_us,
        };
        self.all.insert(number, waiting);
    }

    /// A client sends something, so it does not wait any more. The lists that it has waited at to
    /// the end of its time: they were empty.
    pub fn goes_on(&mut self, client: &[u8], at_us: i64) -> Vec<ListKey> {
        let number = self.by_client.remove(client);
        let Some(waiting) = number.and_then(|number| self.all.remove(&number)) else {
            return Vec::new();
        };
        let waited_all = |until: i64| (until..until + SOON).contains(&at_us);
        if waiting.until_us.is_some_and(waited_all) {
            return waiting.keys;
        }
        Vec::new()
    }

    /// The one who gets the next element of a list; it waits no more.
    pub fn serve(&mut self, list: &ListKey, at_us: i64) -> Option<WaitingConsumer> {
        let waits = self.by_list.get_mut(list)?;
        while let Some(number) = waits.pop_front() {
            let Some(waiting) = self.all.remove(&number) else {
                continue;
            };
            if self.by_client.get(&waiting.by) == Some(&number) {
                self.by_client.remove(&waiting.by);
            }
            if !waiting.is_over(at_us) {
                return Some(waiting);
            }
        }
        self.by_list.remove(list);
        None
    }
}

impl WaitingConsumer {
    fn is_over(&self, at_us: i64) -> bool {
        self.until_us.is_some_and(|until| until < at_us)
    }
}

/// True of an address that one connection has alone; that of a unix socket is the same for all.
pub(super) fn is_one_client(address: &[u8]) -> bool {
    !address.starts_with(b"unix:")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000;

    fn list() -> ListKey {
        (0, b"q"[..].into())
    }

    fn begin(waits: &mut WaitingConsumers, by: &str, at_us: i64, span_us: i64) {
        let by = Arc::from(by.as_bytes());
        waits.begin(&by, ListEnd::Left, vec![list()], at_us, span_us);
    }

    fn served(waits: &mut WaitingConsumers, at_us: i64) -> Option<String> {
        let waiting = waits.serve(&list(), at_us)?;
        Some(String::from_utf8_lossy(&waiting.by).into_owned())
    }

    #[test]
    fn who_has_waited_longest_gets_the_next_element_unless_its_time_is_over() {
        let mut waits = WaitingConsumers::default();
        begin(&mut waits, "a:1", 0, SECOND);
        begin(&mut waits, "b:1", 1, 0);
        begin(&mut waits, "c:1", 2, 0);
        assert_eq!(served(&mut waits, 2 * SECOND).unwrap(), "b:1");
        assert_eq!(served(&mut waits, 2 * SECOND).unwrap(), "c:1");
        assert_eq!(served(&mut waits, 2 * SECOND), None);
    }

    #[test]
    fn who_goes_on_waits_no_more_and_tells_that_the_list_was_empty_when_its_time_was_over() {
        let mut waits = WaitingConsumers::default();
        begin(&mut waits, "a:1", 0, SECOND);
        assert_eq!(waits.goes_on(b"a:1", SECOND + 20_000), [list()]);
        begin(&mut waits, "a:1", 0, SECOND);
        assert!(waits.goes_on(b"a:1", SECOND / 2).is_empty());
        assert_eq!(served(&mut waits, SECOND / 2), None);
    }

    #[test]
    fn clients_of_a_unix_socket_are_told_apart_by_nothing() {
        let mut waits = WaitingConsumers::default();
        begin(&mut waits, "unix:/s", 0, 0);
        begin(&mut waits, "unix:/s", 1, 0);
        assert!(waits.goes_on(b"unix:/s", 2).is_empty());
        assert!(served(&mut waits, 3).is_some());
        assert!(served(&mut waits, 3).is_some());
    }

    #[test]
    fn a_list_remembers_a_bounded_number_of_elements() {
        let mut target = Target::new(true);
        for life in 0..=MOST_ELEMENTS as u64 {
            target.push(ListEnd::Right, Element::Of(life));
        }
        assert_eq!((target.len(), target.is_known), (MOST_ELEMENTS, false));
        assert_eq!(target.pop(ListEnd::Left), Some(Element::Of(1)));
        target.remove(ListEnd::Right, 3);
        assert_eq!(target.lives().take(2).collect::<Vec<_>>(), [2, 4]);
    }
}
