//! What a queue is, without a server: timeouts, order list, the list that is aside, target; and
//! what the commands of other clients do to them.

use std::collections::BTreeMap;

use delayscope::queue::frame;
use delayscope::store::change::{ChosenEntry, Fate};

/// The queue.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// Timeouts.
    pub waiting: BTreeMap<Vec<u8>, f64>,
    /// The order list.
    pub order: Vec<Vec<u8>>,
    /// The list that is set aside; none is like an empty one.
    pub aside: Vec<Vec<u8>>,
    /// Target.
    pub target: Vec<Vec<u8>>,
    /// Quarantine.
    pub quarantine: BTreeMap<Vec<u8>, f64>,
}

/// The payload of a frame; none of what is no frame.
pub fn payload(member: &[u8]) -> Option<Vec<u8>> {
    Some(frame::decode(member).ok()?.payload.to_vec())
}

/// Takes the first copy out.
pub fn take(list: &mut Vec<Vec<u8>>, element: &[u8]) -> bool {
    let at = list.iter().position(|other| other == element);
    at.map(|at| list.remove(at)).is_some()
}

/// What becomes of a chosen one.
pub fn fate_of(waiting: &BTreeMap<Vec<u8>, f64>, chosen: &ChosenEntry) -> Fate {
    match waiting.get(&chosen.member) {
        None => Fate::Gone,
        Some(score) if score.total_cmp(&chosen.score).is_ne() => Fate::Changed(*score),
        Some(_) => Fate::Done,
    }
}

pub fn sorted(list: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut list = list.to_vec();
    list.sort();
    list
}

impl Model {
    /// Members by score, then by their bytes, as Redis has them.
    pub fn by_score(&self) -> Vec<(Vec<u8>, f64)> {
        let mut all: Vec<_> = self.waiting.iter().map(|(m, s)| (m.clone(), *s)).collect();
        all.sort_by(|(a, x), (b, y)| x.total_cmp(y).then_with(|| a.cmp(b)));
        all
    }

    /// The first `n` that are due.
    pub fn due(&self, now: f64, n: usize) -> Vec<(Vec<u8>, f64)> {
        let mut due = self.by_score();
        due.retain(|(_, score)| (0.0..=now).contains(score));
        due.truncate(n);
        due
    }

    /// `offer` of Redisson.
    pub fn offer(&mut self, member: Vec<u8>, score: f64) {
        self.waiting.insert(member.clone(), score);
        self.order.push(member);
    }

    /// Its transfer, which breaks off at what is no frame, and then has half done what it did.
    pub fn their_transfer(&mut self, now: f64, n: usize) {
        let due = self.due(now, n);
        for (member, _) in &due {
            let Some(payload) = payload(member) else {
                return;
            };
            self.target.push(payload);
            take(&mut self.order, member);
        }
        for (member, _) in &due {
            self.waiting.remove(member);
        }
    }

    /// Its `poll`.
    pub fn poll(&mut self) {
        if !self.order.is_empty() {
            let member = self.order.remove(0);
            self.waiting.remove(&member);
        }
    }

    /// Its `remove`, which breaks off at what is no frame.
    pub fn remove(&mut self, wanted: &[u8]) {
        for at in 0..self.order.len() {
            let Some(payload) = payload(&self.order[at]) else {
                return;
            };
            if payload == wanted {
                let member = self.order[at].clone();
                self.waiting.remove(&member);
                take(&mut self.order, &member);
                return;
            }
        }
    }

    /// Moves frames to target as ours do, which leave everything as it is where none is to be moved.
    pub fn deliver(&mut self, members: &[Vec<u8>], drain: bool) {
        if members.is_empty() {
            return;
        }
        let payloads = members.iter().map(|member| payload(member).unwrap());
        self.target.extend(payloads);
        if drain && self.order.len() > 64 && !self.aside.is_empty() {
            self.aside.append(&mut self.order);
        }
        for member in members {
            take(&mut self.order, member);
            self.waiting.remove(member);
        }
    }
}
