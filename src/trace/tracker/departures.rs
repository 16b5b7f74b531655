//! Messages that have left timeouts by a command of its own, and may be on their way to target: who
//! moves a message in two commands takes it out first, so that no other does, and pushes it next.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::super::figures::host;
use super::super::life::{Event, EventKind};

/// The span after which nobody is waited for who would push it, in µs.
const A_MOVE_US: i64 = 1_000_000;
/// The number of commands that stand for that span where a log has no times.
const COMMANDS_OF_A_MOVE: u64 = 1_000;
/// Messages that are waited for at most.
const MOST_DEPARTURES: usize = 10_000;

/// The messages that have left timeouts, and what is told of each unless it is pushed soon.
#[derive(Default)]
pub(super) struct Departures {
    all: HashMap<u64, Departure>,
    /// Numbers in the order of the departures.
    order: VecDeque<u64>,
    /// Numbers by target and payload.
    by_value: HashMap<(usize, Box<[u8]>), VecDeque<u64>>,
    next: u64,
    /// The number of those that may have been others.
    presumed: usize,
}

/// A message that has left timeouts.
pub(super) struct Departure {
    /// Its life.
    pub(super) life: u64,
    /// The event that is told of it when nobody pushes it.
    pub(super) event: Event,
    /// The target that it would be pushed to, and the value.
    pub(super) value: (usize, Box<[u8]>),
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
        let same = self.by_value.entry(departure.value.clone()).or_default();
        same.push_back(number);
        self.order.push_back(number);
        self.presumed += usize::from(departure.is_any());
        self.all.insert(number, departure);
    }

    /// The message that a client pushes to a target with this value, if it has left for there.
    pub(super) fn claim(
        &mut self,
        value: &(usize, Box<[u8]>),
        by: Option<&Arc<[u8]>>,
    ) -> Option<Departure> {
        let number = self.by_value.get(value)?.iter().copied().find(|number| {
            let departure = self.all.get(number);
            departure.is_some_and(|departure| departure.is_of_all || departure.is_by(by))
        })?;
        self.remove(number)
    }

    /// A message of which it is only presumed that this client took it, since it took one of those there.
    pub(super) fn presumed(&mut self, target: usize, by: Option<&Arc<[u8]>>) -> Option<Departure> {
        if self.presumed == 0 {
            return None;
        }
        let number = self.order.iter().rev().copied().find(|number| {
            self.all.get(number).is_some_and(|departure| {
                departure.is_any() && departure.value.0 == target && departure.is_by(by)
            })
        })?;
        self.remove(number)
    }

    /// The next message that nobody has pushed until then, in the order of their departures.
    pub(super) fn over(&mut self, at_us: Option<i64>, command: u64) -> Option<Departure> {
        loop {
            let first = self.order.front()?;
            let Some(departure) = self.all.get(first) else {
                self.order.pop_front();
                continue;
            };
            let is_over = match (departure.event.at_us, at_us) {
                (Some(left), Some(at)) => at.saturating_sub(left) > A_MOVE_US,
                _ => command.saturating_sub(departure.command) > COMMANDS_OF_A_MOVE,
            };
            if !is_over && self.all.len() <= MOST_DEPARTURES {
                return None;
            }
            let first = *first;
            return self.remove(first);
        }
    }

    /// The event of this life, if it is waited for: it is told before what happens next.
    pub(super) fn of_life(&mut self, life: u64, value: &(usize, Box<[u8]>)) -> Option<Departure> {
        let same = self.by_value.get(value)?.iter().copied();
        let number = same
            .into_iter()
            .find(|number| self.all.get(number).is_some_and(|one| one.life == life))?;
        self.remove(number)
    }

    /// True when none is waited for.
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    fn remove(&mut self, number: u64) -> Option<Departure> {
        let departure = self.all.remove(&number)?;
        self.presumed -= usize::from(departure.is_any());
        if let Some(same) = self.by_value.get_mut(&departure.value) {
            same.retain(|one| *one != number);
            if same.is_empty() {
                self.by_value.remove(&departure.value);
            }
        }
        if self.all.is_empty() {
            self.order.clear();
        }
        Some(departure)
    }
}

impl Departure {
    /// True when its command has not named it: it may have been another one.
    fn is_any(&self) -> bool {
        self.event.is_presumed && self.event.kind == EventKind::Polled
    }

    /// True when a connection of the same host has taken it out.
    fn is_by(&self, by: Option<&Arc<[u8]>>) -> bool {
        self.event.by.as_deref().map(host) == by.map(|by| host(by))
    }
}
