//! A list that consumers take from, as the log lets it be known, and who waits at which.

use std::collections::hash_map::{Entry, RandomState};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::hash::BuildHasher as _;
use std::ops::Index;
use std::sync::Arc;

use super::command::ListEnd;

/// Bytes that a place among many places of one value takes, about.
const BYTES_OF_A_SHARED_PLACE: usize = 24;
/// Room for so many elements may be left before it is given back.
const SOME: usize = 1_000;
/// Room for so many elements more than a quarter is taken at once.
const SOME_MORE: usize = 4;
/// Bytes that a consumer takes beside those of the keys that it waits at, about.
const BYTES_OF_A_WAIT: usize = 400;
/// Bytes that a key takes beside its own where somebody waits at it, about.
const BYTES_OF_A_KEY: usize = 160;
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

/// An element in its place.
#[derive(Clone, Copy, Debug)]
struct PlacedElement {
    element: Element,
    /// The hash of its value.
    hash: u64,
}

/// The elements of a list that were pushed since the log begins.
#[derive(Debug)]
pub struct TracedList {
    /// The elements; none in the place of one that was taken out between others.
    places: VecDeque<Option<PlacedElement>>,
    /// The number of the first place; that of the next one is higher by one.
    first: i64,
    /// Places without an element.
    gaps: usize,
    /// Numbers of the places of messages, by the hashes of their values.
    by_value: HashMap<u64, ValuePlaces>,
    /// Places of values that have more than one.
    shared: usize,
    hasher: RandomState,
    /// Elements that were forgotten for want of memory: so many stand before all others at that end.
    forgotten: usize,
    /// The end at which the oldest elements are.
    oldest: ListEnd,
    /// It holds nothing else: it was empty at some time that the log shows.
    pub is_known: bool,
    /// The time at which it expires, in ms since the epoch.
    pub expires_ms: Option<i64>,
}

/// The places of one value: mostly it is one, which needs no room of its own.
#[derive(Debug)]
enum ValuePlaces {
    One(i64),
    Many(BTreeSet<i64>),
}

impl ValuePlaces {
    /// The places from that end, at most so many of those that `found` finds something at.
    fn find<T>(&self, from: ListEnd, most: usize, found: impl Fn(&i64) -> Option<T>) -> Vec<T> {
        match (self, from) {
            (Self::One(place), _) => found(place).into_iter().take(most).collect(),
            (Self::Many(all), ListEnd::Left) => all.iter().filter_map(found).take(most).collect(),
            (Self::Many(all), ListEnd::Right) => {
                all.iter().rev().filter_map(found).take(most).collect()
            }
        }
    }
}

impl TracedList {
    /// A list without elements; known when the log begins with empty keys.
    #[must_use]
    pub fn new(is_known: bool) -> Self {
        Self {
            places: VecDeque::new(),
            first: 0,
            gaps: 0,
            by_value: HashMap::new(),
            shared: 0,
            hasher: RandomState::new(),
            forgotten: 0,
            oldest: ListEnd::Left,
            is_known,
            expires_ms: None,
        }
    }

    /// Puts an element with this value at that end.
    pub fn push(&mut self, end: ListEnd, element: Element, value: &[u8]) {
        if self.is_known && self.is_empty() {
            // The key was gone, and the time of its expiry with it.
            self.expires_ms = None;
        }
        if self.forgotten > 0 && end == self.oldest {
            // They would stand amid the others: nothing is known of their places any more.
            (self.forgotten, self.is_known) = (0, false);
        }
        if self.forgotten == 0 && self.places.is_empty() {
            self.oldest = end.other();
        }
        let hash = self.hasher.hash_one(value);
        let placed = Some(PlacedElement { element, hash });
        // Not twice as much: while a large list moves to its new room, it has both.
        if self.places.len() == self.places.capacity() {
            self.places.reserve_exact(self.places.len() / 4 + SOME_MORE);
        }
        let place = match end {
            ListEnd::Left => {
                self.places.push_front(placed);
                self.first -= 1;
                self.first
            }
            ListEnd::Right => {
                self.places.push_back(placed);
                self.last()
            }
        };
        if element.life().is_some() {
            self.remember(hash, place);
        }
        self.tidy();
    }

    /// Takes one from that end; none when there is none.
    pub fn pop(&mut self, end: ListEnd) -> Option<Element> {
        if self.forgotten > 0 && (end == self.oldest || self.places.is_empty()) {
            self.forgotten -= 1;
            return Some(Element::Other);
        }
        let placed = self.take(end)?;
        self.shrink();
        Some(placed.element)
    }

    /// Forgets the oldest elements, an eighth of them, so that their room is free: how many there are is
    /// still known. The lives that they are of.
    pub fn forget_oldest(&mut self) -> Vec<u64> {
        let count = self.places.len() - self.gaps;
        let mut lives = Vec::new();
        for _ in 0..count.div_ceil(8) {
            let Some(placed) = self.take(self.oldest) else {
                break;
            };
            self.forgotten += 1;
            lives.extend(placed.element.life());
        }
        self.shrink();
        lives
    }

    /// Bytes that its elements take, about.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let of_places = self.places.capacity() * size_of::<Option<PlacedElement>>();
        // A map is full when seven eighths of its room are taken.
        let of_values = self.by_value.capacity() * (size_of::<(u64, ValuePlaces)>() + 1) * 8 / 7;
        of_places + of_values + self.shared * BYTES_OF_A_SHARED_PLACE
    }

    /// Takes an element that is still known from that end.
    fn take(&mut self, end: ListEnd) -> Option<PlacedElement> {
        let (place, placed) = match end {
            ListEnd::Left => {
                let place = self.first;
                self.first += i64::from(!self.places.is_empty());
                (place, self.places.pop_front())
            }
            ListEnd::Right => (self.last(), self.places.pop_back()),
        };
        let placed = placed.flatten();
        if let Some(placed) = placed {
            self.forget(placed.hash, place);
        }
        self.trim();
        placed
    }

    /// Gives room back when most of it is free: a target is full once, and nearly empty for hours.
    fn shrink(&mut self) {
        if self.places.capacity() / 4 > self.places.len() + SOME {
            self.places.shrink_to(self.places.len() * 2);
        }
        if self.by_value.capacity() / 4 > self.by_value.len() + SOME {
            self.by_value.shrink_to(self.by_value.len() * 2);
        }
    }

    /// Takes out those of the places with this value that `is_it` holds for, at most so many from that
    /// end.
    pub fn remove(
        &mut self,
        from: ListEnd,
        most: usize,
        value: &[u8],
        is_it: impl Fn(u64) -> bool,
    ) -> Vec<u64> {
        let hash = self.hasher.hash_one(value);
        let Some(places) = self.by_value.get(&hash) else {
            return Vec::new();
        };
        let life_at = |place: &i64| {
            let there = self.places.get(self.index(*place)?).copied()??;
            let life = there.element.life()?;
            is_it(life).then_some((*place, life))
        };
        let found = places.find(from, most, life_at);
        let mut lives = Vec::new();
        for (place, life) in found {
            let index = self.index(place);
            if let Some(gone) = index.and_then(|index| self.places.get_mut(index)) {
                *gone = None;
                self.gaps += 1;
                lives.push(life);
                self.forget(hash, place);
            }
            self.trim();
        }
        self.tidy();
        self.shrink();
        lives
    }

    /// The number of elements that the log has shown to be there.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len() - self.gaps + self.forgotten
    }

    /// True when there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes all out: the key is gone, and so what it holds is known.
    pub fn clear(&mut self) -> Vec<u64> {
        self.is_known = true;
        let all = std::mem::replace(self, Self::new(true)).places;
        all.into_iter()
            .flatten()
            .filter_map(|placed| placed.element.life())
            .collect()
    }

    /// The number of the last place.
    fn last(&self) -> i64 {
        self.first
            .saturating_add_unsigned(self.places.len() as u64)
            .saturating_sub(1)
    }

    /// A place has this value.
    fn remember(&mut self, hash: u64, place: i64) {
        match self.by_value.entry(hash) {
            Entry::Vacant(room) => {
                room.insert(ValuePlaces::One(place));
            }
            Entry::Occupied(mut places) => match places.get_mut() {
                ValuePlaces::One(other) => {
                    self.shared += 2;
                    let both = BTreeSet::from([*other, place]);
                    places.insert(ValuePlaces::Many(both));
                }
                ValuePlaces::Many(all) => {
                    self.shared += 1;
                    all.insert(place);
                }
            },
        }
    }

    /// A place has this value no more.
    fn forget(&mut self, hash: u64, place: i64) {
        let Entry::Occupied(mut places) = self.by_value.entry(hash) else {
            return;
        };
        let is_empty = match places.get_mut() {
            ValuePlaces::One(one) => *one == place,
            ValuePlaces::Many(all) => {
                self.shared -= usize::from(all.remove(&place));
                all.is_empty()
            }
        };
        if is_empty {
            places.remove();
        }
    }

    /// The index of a place; none of one that is gone.
    fn index(&self, place: i64) -> Option<usize> {
        usize::try_from(place.checked_sub(self.first)?).ok()
    }

    /// Takes the gaps at both ends away.
    fn trim(&mut self) {
        while self.places.front().is_some_and(Option::is_none) {
            self.places.pop_front();
            self.first += 1;
            self.gaps -= 1;
        }
        while self.places.back().is_some_and(Option::is_none) {
            self.places.pop_back();
            self.gaps -= 1;
        }
    }

    /// Gives room back that elements have left which are gone, when there is much of it.
    fn tidy(&mut self) {
        if self.gaps <= self.places.len() / 2 + SOME {
            return;
        }
        self.places.retain(Option::is_some);
        self.gaps = 0;
        self.by_value.clear();
        self.shared = 0;
        let places = std::mem::take(&mut self.places);
        for (place, placed) in (self.first..).zip(places.iter().flatten()) {
            if placed.element.life().is_some() {
                self.remember(placed.hash, place);
            }
        }
        self.places = places;
    }

    #[cfg(test)]
    fn lives(&self) -> Vec<u64> {
        let all = self.places.iter().flatten();
        all.filter_map(|placed| placed.element.life()).collect()
    }
}

/// The targets of a log.
#[derive(Debug, Default)]
pub struct TracedLists {
    all: Vec<TracedList>,
    bytes: usize,
}

impl TracedLists {
    /// Appends a list; its place.
    pub fn add(&mut self, list: TracedList) -> usize {
        self.bytes += list.bytes();
        self.all.push(list);
        self.all.len() - 1
    }

    /// The number of lists.
    #[must_use]
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// True when there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The lists in their order.
    pub fn iter(&self) -> impl Iterator<Item = &TracedList> {
        self.all.iter()
    }

    /// Changes the list at this place.
    pub fn change<T>(&mut self, at: usize, change: impl FnOnce(&mut TracedList) -> T) -> T {
        let list = &mut self.all[at];
        let before = list.bytes();
        let changed = change(list);
        self.bytes = self.bytes.saturating_sub(before) + list.bytes();
        changed
    }

    /// Bytes that the elements of all take, about.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Forgets the oldest elements of the list that takes the most; the lives that they are of. None
    /// where no list has any.
    pub fn forget_oldest(&mut self) -> Option<Vec<u64>> {
        let all = self.all.iter().enumerate();
        let has_some = all.filter(|(_, list)| list.places.len() > list.gaps);
        let (largest, _) = has_some.max_by_key(|(_, list)| list.bytes())?;
        Some(self.change(largest, TracedList::forget_oldest))
    }
}

impl Index<usize> for TracedLists {
    type Output = TracedList;

    fn index(&self, at: usize) -> &TracedList {
        &self.all[at]
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
    bytes: usize,
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
        if keys.is_empty() {
            return;
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
                let over = over.and_then(|over| self.all.remove(&over));
                self.bytes -= over.map_or(0, |over| over.bytes());
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
        self.bytes += waiting.bytes();
        self.all.insert(number, waiting);
    }

    /// Bytes that they take, about.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Forgets them all: where they are so many, the log is not believed to show their end.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// A client sends something, so it does not wait any more. The lists that it has waited at to
    /// the end of its time: they were empty.
    pub fn goes_on(&mut self, client: &[u8], at_us: i64) -> Vec<ListKey> {
        let number = self.by_client.remove(client);
        let Some(waiting) = number.and_then(|number| self.all.remove(&number)) else {
            return Vec::new();
        };
        self.bytes -= waiting.bytes();
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
            self.bytes -= waiting.bytes();
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
    fn bytes(&self) -> usize {
        let keys = self.keys.iter().map(|(_, key)| BYTES_OF_A_KEY + key.len());
        BYTES_OF_A_WAIT + self.by.len() + keys.sum::<usize>()
    }

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
    use proptest::prelude::*;

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
    fn elements_that_are_forgotten_free_their_room_and_are_still_counted_in_their_place() {
        const MANY_ELEMENTS: u64 = 80_000;
        for end in [ListEnd::Left, ListEnd::Right] {
            let mut target = TracedList::new(true);
            for life in 0..MANY_ELEMENTS {
                target.push(end, Element::Of(life), life.to_string().as_bytes());
            }
            let most = target.bytes();
            let mut forgotten = Vec::new();
            while target.bytes() > most / 4 {
                forgotten.append(&mut target.forget_oldest());
            }
            // The oldest ones, in their order.
            assert!(forgotten.iter().copied().eq(0..forgotten.len() as u64));
            assert_eq!(target.len() as u64, MANY_ELEMENTS);
            for _ in &forgotten {
                assert_eq!(target.pop(end.other()), Some(Element::Other));
            }
            let next = Element::Of(forgotten.len() as u64);
            assert_eq!(target.pop(end.other()), Some(next));
            assert!(target.is_known);
        }
    }

    #[test]
    fn what_is_put_before_elements_that_were_forgotten_makes_the_list_one_that_is_not_known() {
        let mut target = TracedList::new(true);
        for life in 0..8 {
            target.push(ListEnd::Right, Element::Of(life), b"x");
        }
        assert_eq!(target.forget_oldest(), [0]);
        target.push(ListEnd::Left, Element::Of(9), b"back");
        assert!(!target.is_known);
        assert_eq!(target.lives(), [9, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn a_list_gives_the_room_of_many_elements_back() {
        const MANY_ELEMENTS: u64 = 80_000;
        let any = |_| true;
        let full = || {
            let mut target = TracedList::new(true);
            for life in 0..=MANY_ELEMENTS {
                target.push(
                    ListEnd::Right,
                    Element::Of(life),
                    life.to_string().as_bytes(),
                );
            }
            target
        };
        let mut popped = full();
        let most = popped.bytes();
        for life in 0..MANY_ELEMENTS {
            assert_eq!(popped.pop(ListEnd::Left), Some(Element::Of(life)));
        }
        // From amid the others, and many come and go.
        let mut removed = full();
        for life in 1..MANY_ELEMENTS {
            let value = life.to_string();
            let gone = removed.remove(ListEnd::Left, 1, value.as_bytes(), any);
            assert_eq!(gone, [life]);
        }
        for life in 0..100_000 {
            removed.push(ListEnd::Right, Element::Of(life), b"x");
            assert_eq!(removed.remove(ListEnd::Left, 1, b"x", any), [life]);
        }
        assert_eq!(removed.lives(), [0, MANY_ELEMENTS]);
        for target in [popped, removed] {
            assert!(target.bytes() < most / 8, "{} of {most}", target.bytes());
        }
    }

    #[test]
    fn what_comes_and_goes_at_one_end_leaves_nothing_behind() {
        for end in [ListEnd::Left, ListEnd::Right] {
            let mut target = TracedList::new(true);
            target.push(end, Element::Of(0), b"stays");
            for life in 1..10_000 {
                target.push(end, Element::Of(life), life.to_string().as_bytes());
                assert_eq!(target.pop(end), Some(Element::Of(life)));
            }
            assert_eq!((target.places.len(), target.by_value.len()), (1, 1));
        }
    }

    proptest! {
        #[test]
        fn a_list_is_one_however_its_elements_come_and_go(
            steps in proptest::collection::vec((0..6_u8, 0..3_u64, 1..3_usize), 0..200),
        ) {
            let (mut target, mut list) = (TracedList::new(true), VecDeque::new());
            for (step, value, most) in steps {
                let bytes = value.to_string();
                let end = if step % 2 == 0 { ListEnd::Left } else { ListEnd::Right };
                match (step, end) {
                    (0 | 1, _) => {
                        target.push(end, Element::Of(value), bytes.as_bytes());
                        if end == ListEnd::Left { list.push_front(value) } else { list.push_back(value) }
                    }
                    (2 | 3, _) => {
                        let popped = if end == ListEnd::Left { list.pop_front() } else { list.pop_back() };
                        prop_assert_eq!(target.pop(end).and_then(Element::life), popped);
                    }
                    (5, _) => {
                        // None of them is of a life any more.
                        let forgotten = target.forget_oldest();
                        for _ in &forgotten {
                            if target.oldest == ListEnd::Left { list.pop_front() } else { list.pop_back() };
                        }
                        for _ in 0..target.forgotten {
                            target.pop(target.oldest);
                        }
                    }
                    _ => {
                        let end = if most == 1 { ListEnd::Right } else { ListEnd::Left };
                        let gone = target.remove(end, most, bytes.as_bytes(), |life| life == value);
                        for _ in &gone {
                            let is_it = |at: &u64| *at == value;
                            let at = if end == ListEnd::Left {
                                list.iter().position(is_it)
                            } else {
                                list.iter().rposition(is_it)
                            };
                            list.remove(at.unwrap());
                        }
                        prop_assert!(gone.len() == most || !list.contains(&value));
                    }
                }
                prop_assert_eq!(target.lives(), list.iter().copied().collect::<Vec<_>>());
                prop_assert_eq!(target.len(), list.len());
            }
        }
    }
}
