//! The queues that a desk's server has.

use delayscope::clock::EpochMillis;
use delayscope::payload;
use delayscope::queue::frame::{Form, encode};
use delayscope::queue::{
    EntryParts, Filter, JudgedMember, KeyFacts, Known, List, ListPage, ListRow, ListScore, Page,
    PageAsk, Pulse, Queue,
};
use delayscope::tui::tabs::Tab;

use super::START;

/// A queue as the server has it: members and scores in order.
#[derive(Clone)]
pub struct World {
    pub queue: Queue,
    pub entries: Vec<(Vec<u8>, f64)>,
    /// The order list; none: the members of timeouts, in the same order.
    pub order: Option<Vec<Vec<u8>>>,
    pub target: Vec<Vec<u8>>,
    /// What is in quarantine, with scores in order.
    pub quarantine: Vec<(Vec<u8>, f64)>,
    /// Clients subscribed to its channel.
    pub clients: u64,
    /// When its timeouts expire, if they do.
    pub expires: Option<EpochMillis>,
    /// How long a survey keeps the server, in µs.
    pub survey_us: u64,
}

impl World {
    /// A queue of `count` entries, the first due after `first_ms`, each `step_ms` later.
    pub fn new(name: &str, count: u64, first_ms: i64, step_ms: i64) -> Self {
        let entry = |i: u64| {
            let due = START.plus(first_ms + step_ms * i64::try_from(i).unwrap());
            (member(i), score(due))
        };
        Self {
            entries: (0..count).map(entry).collect(),
            ..Self::of(Queue::redisson(name))
        }
    }

    /// An empty queue.
    pub fn of(queue: Queue) -> Self {
        Self {
            queue,
            entries: Vec::new(),
            order: None,
            target: Vec::new(),
            quarantine: Vec::new(),
            clients: 1,
            expires: None,
            survey_us: 50,
        }
    }

    /// What a page of one of its lists says.
    pub fn list(&self, list: List, first: u64, count: u32) -> ListPage {
        let (first_at, count) = (usize::try_from(first).unwrap(), count as usize);
        let some = |all: &[Vec<u8>]| {
            let some = all.iter().skip(first_at).take(count).cloned();
            (all.len(), some.collect::<Vec<_>>())
        };
        let (len, elements) = match (list, &self.order) {
            (List::Target, _) => some(&self.target),
            (List::Quarantine, _) => {
                let all: Vec<_> = self.quarantine.iter().map(|(m, _)| m.clone()).collect();
                some(&all)
            }
            (List::Order, Some(order)) => some(order),
            (List::Order, None) => {
                let members = self.entries.iter().map(|(member, _)| member.clone());
                let some = members.skip(first_at).take(count).collect();
                (self.entries.len(), some)
            }
        };
        let score = |element: &Vec<u8>| match list {
            List::Target => ListScore::None,
            List::Order | List::Quarantine => {
                let all = match list {
                    List::Order => &self.entries,
                    _ => &self.quarantine,
                };
                let held = all.iter().find(|(member, _)| member == element);
                held.map_or(ListScore::Drift, |(_, score)| ListScore::Is(*score))
            }
        };
        let rows = elements.into_iter().map(|element| ListRow {
            score: score(&element),
            element,
        });
        ListPage {
            first,
            len: len as u64,
            rows: rows.collect(),
        }
    }

    /// As many as a filter looks through.
    pub fn length(&self, tab: Tab) -> u64 {
        let all = match tab {
            Tab::Delivered => self.target.len(),
            _ => self.entries.len(),
        };
        all as u64
    }

    /// What a filter matches at `at`: in timeouts, or in target.
    pub fn hits(&self, filter: &Filter, at: EpochMillis, tab: Tab) -> Vec<(Vec<u8>, Option<f64>)> {
        let row = |(m, s): &(Vec<u8>, f64)| (m.clone(), Some(*s));
        let all: Vec<(Vec<u8>, Option<f64>)> = match tab {
            Tab::Delivered => self.target.iter().map(|e| (e.clone(), None)).collect(),
            _ => self.entries.iter().map(row).collect(),
        };
        let matches = |(member, score): &(Vec<u8>, Option<f64>)| {
            let payload = score.map_or(&member[..], |_| self.queue.unwrap(member).unwrap().payload);
            let decoded = payload::decode(payload);
            let seen = EntryParts {
                id: self.queue.id(member),
                due: score.map(|score| self.queue.due(score)),
                codec: decoded.codec.name(),
                text: &decoded.text,
            };
            filter.matches(&seen, at)
        };
        all.into_iter().filter(matches).collect()
    }

    /// What a survey says of its keys at `at`.
    pub fn keys(&self, at: EpochMillis) -> Vec<KeyFacts> {
        let key = |expires: EpochMillis| KeyFacts {
            key: self.queue.keys().timeouts,
            wanted: "zset",
            kind: "zset".to_owned(),
            expires_in_ms: Some(expires.since(at)),
        };
        self.expires.map(key).into_iter().collect()
    }

    /// What a pulse of it says at `at`.
    pub fn pulse(&self, at: EpochMillis, page: Option<PageAsk>) -> Pulse {
        let now = score(at);
        let late = self.entries.partition_point(|(_, s)| *s <= now);
        let due = |(_, s): &(Vec<u8>, f64)| self.queue.due(*s);
        let at_place = |i: usize| self.entries.get(i).map_or(0, |(member, _)| member.len());
        let beside = if late > 0 { at_place(0) } else { 0 } + at_place(late);
        let rows = |ask: PageAsk| {
            let first = usize::try_from(ask.first).unwrap().min(self.entries.len());
            let end = (first + ask.count as usize).min(self.entries.len());
            Page {
                first: ask.first,
                rows: self.entries[first..end].to_vec(),
            }
        };
        Pulse {
            at,
            waiting: Known::Is(self.entries.len() as u64),
            late: Known::Is(late as u64),
            head: self.entries.first().map(due),
            oldest_late: (late > 0).then(|| due(&self.entries[0]).at()).flatten(),
            next: self.entries.get(late).map(due),
            order: Known::Is(self.list(List::Order, 0, 0).len),
            target: Known::Is(self.target.len() as u64),
            transfer_clients: Known::Is(self.clients),
            first: (self.entries.first())
                .map(|(member, score)| JudgedMember::new(&self.queue, member, Some(*score), 8)),
            told: None,
            beside_bytes: beside as u64,
            page: page.map(rows),
            server_us: 50,
            took_ms: 0,
        }
    }
}

/// The member of entry `i`.
pub fn member(i: u64) -> Vec<u8> {
    encode(
        Form::ByteId,
        i.to_be_bytes(),
        format!("entry {i}").as_bytes(),
    )
}

/// The score of a due time.
#[expect(clippy::cast_precision_loss, reason = "times are small enough")]
pub fn score(due: EpochMillis) -> f64 {
    due.get() as f64
}
