//! What a plain queue is, without a server.

use std::collections::BTreeMap;

use delayscope::store::change::{ChosenEntry, Fate};

/// The queue without a server. Target is told from the end that consumers take from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plain {
    pub waiting: BTreeMap<Vec<u8>, f64>,
    pub target: Vec<Vec<u8>>,
}

impl Plain {
    pub fn by_score(&self) -> Vec<ChosenEntry> {
        let chosen = |(member, score): (&Vec<u8>, &f64)| ChosenEntry {
            member: member.clone(),
            score: *score,
        };
        let mut all: Vec<ChosenEntry> = self.waiting.iter().map(chosen).collect();
        all.sort_by(|a, b| a.score.total_cmp(&b.score));
        all
    }

    pub fn due(&self, now: u32, n: u8) -> Vec<ChosenEntry> {
        let mut due = self.by_score();
        due.retain(|chosen| chosen.score <= f64::from(now));
        due.truncate(n.into());
        due
    }

    pub fn deliver(&mut self, member: &[u8]) {
        self.waiting.remove(member);
        self.target.push(member.to_vec());
    }

    /// Takes the copy out of target that a consumer would take first.
    pub fn take_first(&mut self, element: &[u8]) -> bool {
        let at = self.target.iter().position(|other| other == element);
        at.map(|at| self.target.remove(at)).is_some()
    }

    pub fn fate_of(&self, chosen: &ChosenEntry) -> Fate {
        match self.waiting.get(&chosen.member) {
            None => Fate::Gone,
            Some(score) if score.total_cmp(&chosen.score).is_ne() => Fate::Changed(*score),
            Some(_) => Fate::Done,
        }
    }
}
