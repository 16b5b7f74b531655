//! Queues of a million entries: made once in memory, loaded as often as needed.

use delayscope::queue::Queue;

use crate::support::{Server, frame};

/// Words of a command that load so many entries at once.
const CHUNK: usize = 10_000;

/// The entries of one queue.
pub struct Data {
    /// Due time and member, by due time.
    pub entries: Vec<(i64, Vec<u8>)>,
    /// The order list: indices of `entries`.
    pub order: Vec<usize>,
}

impl Data {
    /// `count` entries whose due times `due` tells, in the order of their offers.
    pub fn new(
        count: usize,
        due: impl Fn(usize) -> i64,
        payload: impl Fn(usize) -> String,
    ) -> Self {
        let entry = |n: usize| {
            let id = u64::try_from(n).unwrap() + 1;
            (due(n), frame(id, payload(n).as_bytes()))
        };
        let mut entries: Vec<(i64, Vec<u8>)> = (0..count).map(entry).collect();
        entries.sort();
        Self {
            entries,
            order: (0..count).collect(),
        }
    }

    /// The same entries, offered in an order that has nothing to do with their due times.
    pub fn shuffled(mut self) -> Self {
        let mut random = Random(7);
        for at in (1..self.order.len()).rev() {
            self.order.swap(at, random.below(at + 1));
        }
        self
    }

    /// Puts them all there; the server must be empty.
    pub fn load(&self, server: &Server, queue: &Queue) {
        let keys = queue.keys();
        let mut connection = server.connection();
        for chunk in self.entries.chunks(CHUNK) {
            let mut zadd = redis::cmd("ZADD");
            zadd.arg(&keys.timeouts);
            for (due, member) in chunk {
                zadd.arg(due).arg(member);
            }
            zadd.exec(&mut connection).unwrap();
        }
        for chunk in self.order.chunks(CHUNK) {
            let mut rpush = redis::cmd("RPUSH");
            rpush.arg(&keys.order);
            for &at in chunk {
                rpush.arg(&self.entries[at].1);
            }
            rpush.exec(&mut connection).unwrap();
        }
    }

    /// The payload of an entry: its member without the 17 bytes of the frame.
    pub fn payload(&self, at: usize) -> &[u8] {
        &self.entries[at].1[17..]
    }
}

/// What a list holds, read in slices.
pub fn list(server: &Server, key: &[u8]) -> Vec<Vec<u8>> {
    let mut connection = server.connection();
    let mut all = Vec::new();
    loop {
        let first = all.len();
        let slice: Vec<Vec<u8>> = redis::cmd("LRANGE")
            .arg(key)
            .arg(first)
            .arg(first + CHUNK - 1)
            .query(&mut connection)
            .unwrap();
        if slice.is_empty() {
            return all;
        }
        all.extend(slice);
    }
}

/// Members and scores of timeouts, the scores as the server prints them.
pub fn timeouts(server: &Server, queue: &Queue) -> Vec<(Vec<u8>, String)> {
    let mut connection = server.connection();
    let mut all = Vec::new();
    loop {
        let first = all.len();
        let slice: Vec<(Vec<u8>, String)> = redis::cmd("ZRANGE")
            .arg(queue.keys().timeouts)
            .arg(first)
            .arg(first + CHUNK - 1)
            .arg("WITHSCORES")
            .query(&mut connection)
            .unwrap();
        if slice.is_empty() {
            return all;
        }
        all.extend(slice);
    }
}

/// `SplitMix64`: the same numbers in every run.
pub struct Random(pub u64);

impl Random {
    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        usize::try_from(z % u64::try_from(bound).unwrap()).unwrap()
    }
}
