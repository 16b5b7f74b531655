//! What the scripts should do, on plain lists, and the dice that choose what they do it to.

use delayscope::queue::Queue;
use delayscope::store::change::{ChosenEntry, Fate};

use crate::support::Server;

/// Numbers that look random and are the same in each run.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(n).unwrap()).unwrap()
    }

    pub(super) fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// What the queue holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Model {
    /// Member and score, in no order.
    pub(super) waiting: Vec<(Vec<u8>, f64)>,
    pub(super) order: Vec<Vec<u8>>,
    pub(super) target: Vec<Vec<u8>>,
}

impl Model {
    pub(super) fn read(server: &Server, queue: &Queue) -> Self {
        let keys = queue.keys();
        let list = |key: &[u8]| -> Vec<Vec<u8>> {
            redis::from_redis_value(server.cmd_bytes(&[b"LRANGE", key, b"0", b"-1"])).unwrap()
        };
        let rows = server.cmd_bytes(&[b"ZRANGE", &keys.timeouts, b"0", b"-1", b"WITHSCORES"]);
        let rows: Vec<(Vec<u8>, f64)> = redis::from_redis_value(rows).unwrap();
        Self {
            waiting: rows,
            order: keys.order.map(|key| list(&key)).unwrap_or_default(),
            target: list(&keys.target),
        }
    }

    pub(super) fn score(&self, member: &[u8]) -> Option<f64> {
        let found = self.waiting.iter().find(|(m, _)| m == member);
        found.map(|(_, score)| *score)
    }

    /// What a script says of an entry that is not as chosen.
    pub(super) fn otherwise(&self, chosen: &ChosenEntry) -> Option<Fate> {
        match self.score(&chosen.member) {
            None => Some(Fate::Gone),
            #[expect(clippy::float_cmp, reason = "the same bits or another score")]
            Some(score) if score != chosen.score => Some(Fate::Changed(score)),
            Some(_) => None,
        }
    }

    pub(super) fn set(&mut self, member: &[u8], score: Option<f64>) {
        self.waiting.retain(|(m, _)| m != member);
        self.waiting
            .extend(score.map(|score| (member.to_vec(), score)));
    }

    /// As Redis sorts them: by score, then by bytes.
    pub(super) fn sorted(mut self) -> Self {
        self.waiting
            .sort_by(|a, b| a.1.total_cmp(&b.1).then_with(|| a.0.cmp(&b.0)));
        self
    }

    pub(super) fn head(&self) -> Option<(Vec<u8>, f64)> {
        self.clone().sorted().waiting.first().cloned()
    }
}

pub(super) fn take_first(list: &mut Vec<Vec<u8>>, element: &[u8]) -> Option<usize> {
    let at = list.iter().position(|e| e == element)?;
    list.remove(at);
    Some(at)
}

pub(super) fn take_last(list: &mut Vec<Vec<u8>>, element: &[u8]) -> Option<usize> {
    let at = list.iter().rposition(|e| e == element)?;
    list.remove(at);
    Some(at)
}
