//! Messages that have left timeouts by a command of its own, and may be on their way to target: who
//! moves a message in two commands takes it out first, so that no other does, and pushes it next.

use std::collections::hash_map::RandomState;
use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasher as _;
use std::sync::Arc;

use super::super::figures::host;
use super::super::life::{Event, EventKind, TracedMessage};

/// The span after which nobody is waited for who would push it, in µs.
const A_MOVE_US: i64 = 1_000_000;
/// The number of commands that stand for that span where a log has no times.
const COMMANDS_OF_A_MOVE: u64 = 1_000;
/// Bytes that one takes beside those of its message, about.
const BYTES_OF_A_DEPARTURE: usize = 500;

/// The messages that have left timeouts, and what is told of each unless it is pushed soon.
#[derive(Default)]
pub(super) struct Departures {
    all: HashMap<u64, Departure>,
    /// Numbers in the order of the departures.
    order: VecDeque<u64>,
    /// Numbers by the hashes of target and payload: a payload may be large, and its message has it.
    by_value: HashMap<u64, VecDeque<u64>>,
    hasher: RandomState,
    next: u64,
    bytes: usize,
    /// The number of those that may have been others.
    presumed: usize,
}

/// A message that has left timeouts.
pub(super) struct Departure {
    /// Its life.
    pub(super) life: u64,
    /// The event that is told of it when nobody pushes it.
    pub(super) event: Event,
    /// The target that it would be pushed to.
    pub(super) target: usize,
    /// Whoever pushes it moves it; else only the client that took it out.
    pub(super) is_of_all: bool,
    /// Its life was presumed before.
    pub(super) was_presumed: bool,
    /// The log's commands up to it.
    pub(super) command: u64,
}

impl Departures {
    /// A message has left.
    pub(super) fn add(&mut self, departure: Departure) {
        let number = self.next;
        self.next += 1;
        let hash = self.hash(departure.target, departure.payload());
        self.by_value.entry(hash).or_default().push_back(number);
        self.bytes += departure.bytes();
        self.order.push_back(number);
        self.presumed += usize::from(departure.is_any());
        self.all.insert(number, departure);
    }

    /// The message that a client pushes to a target with this value, if it has left for there.
    pub(super) fn claim(
        &mut self,
        target: usize,
        value: &[u8],
        by: Option<&Arc<[u8]>>,
    ) -> Option<Departure> {
        let number = self.find(target, value, |departure| {
            departure.is_of_all || departure.is_by(by)
        })?;
        self.remove(number)
    }

    /// The number of the first one with this value for which that holds.
    fn find(&self, target: usize, value: &[u8], holds: impl Fn(&Departure) -> bool) -> Option<u64> {
        let same = self.by_value.get(&self.hash(target, value))?;
        same.iter().copied().find(|number| {
            let departure = self.all.get(number);
            departure
                .is_some_and(|one| (one.target, one.payload()) == (target, value) && holds(one))
        })
    }

    fn hash(&self, target: usize, value: &[u8]) -> u64 {
        self.hasher.hash_one((target, value))
    }

    /// A message of which it is only presumed that this client took it, since it took one of those there.
    pub(super) fn presumed(&mut self, target: usize, by: Option<&Arc<[u8]>>) -> Option<Departure> {
        if self.presumed == 0 {
            return None;
        }
        let number = self.order.iter().rev().copied().find(|number| {
            self.all.get(number).is_some_and(|departure| {
                departure.is_any() && departure.target == target && departure.is_by(by)
            })
        })?;
        self.remove(number)
    }

    /// The next message that nobody has pushed until then, in the order of their departures.
    pub(super) fn over(&mut self, at_us: Option<i64>, command: u64) -> Option<Departure> {
        let number = self.first()?;
        let first = self.all.get(&number)?;
        let is_over = match (first.event.at_us, at_us) {
            (Some(left), Some(at)) => at.saturating_sub(left) > A_MOVE_US,
            _ => command.saturating_sub(first.command) > COMMANDS_OF_A_MOVE,
        };
        if is_over { self.remove(number) } else { None }
    }

    /// The same for want of memory: it is waited for no longer.
    pub(super) fn oldest(&mut self) -> Option<Departure> {
        let number = self.first()?;
        self.remove(number)
    }

    /// The number of the first one that is still waited for.
    fn first(&mut self) -> Option<u64> {
        while let Some(first) = self.order.front() {
            if self.all.contains_key(first) {
                return Some(*first);
            }
            self.order.pop_front();
        }
        None
    }

    /// Bytes that they take, about.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The event of this life, if it is waited for: it is told before what happens next.
    pub(super) fn of_life(&mut self, life: u64, target: usize, value: &[u8]) -> Option<Departure> {
        let number = self.find(target, value, |departure| departure.life == life)?;
        self.remove(number)
    }

    /// True when none is waited for.
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    fn remove(&mut self, number: u64) -> Option<Departure> {
        let departure = self.all.remove(&number)?;
        self.presumed -= usize::from(departure.is_any());
        self.bytes -= departure.bytes();
        let hash = self.hash(departure.target, departure.payload());
        if let Some(same) = self.by_value.get_mut(&hash) {
            same.retain(|one| *one != number);
            if same.is_empty() {
                self.by_value.remove(&hash);
            }
        }
        if self.all.is_empty() {
            // Room for very many is given back.
            (self.all, self.by_value, self.order) = Default::default();
        }
        Some(departure)
    }
}

impl Departure {
    /// The value that it would be pushed as.
    fn payload(&self) -> &[u8] {
        let message = self.event.message.as_deref();
        message.map_or(&[], TracedMessage::payload)
    }

    /// Its message may have no life any more that would keep it.
    fn bytes(&self) -> usize {
        let message = self.event.message.as_deref();
        BYTES_OF_A_DEPARTURE + message.map_or(0, |message| message.member.len())
    }

    /// True when its command has not named it: it may have been another one.
    fn is_any(&self) -> bool {
        self.event.is_presumed && self.event.kind == EventKind::Polled
    }

    /// True when a connection of the same host has taken it out.
    fn is_by(&self, by: Option<&Arc<[u8]>>) -> bool {
        self.event.by.as_deref().map(host) == by.map(|by| host(by))
    }
}
