//! A queue under change, the clients beside it, and what must hold of it at every instant.

use std::collections::{BTreeMap, BTreeSet};

use delayscope::queue::Queue;
use delayscope::store::change::ChosenEntry;
use delayscope::store::write::Writer;
use delayscope::store::{Access, Store};
use redis::Connection;

use crate::support::{PATIENCE, Server, frame};

/// What Redisson does to deliver what is due, in its own order.
const TRANSFER: &str = "
local due = redis.call('zrangebyscore', KEYS[2], 0, ARGV[1], 'limit', 0, ARGV[2])
for _, member in ipairs(due) do
  local _, payload = struct.unpack('Bc0Lc0', member)
  redis.call('rpush', KEYS[1], payload)
  redis.call('lrem', KEYS[3], 1, member)
end
if #due > 0 then redis.call('zrem', KEYS[2], unpack(due)) end
return #due";

/// A small generator of its own: a seed is enough to repeat a run.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap() % n.max(1)
    }

    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }
}

/// A queue on a server, with a connection that does what others do.
pub(crate) struct World {
    pub(crate) queue: Queue,
    pub(crate) writer: Writer,
    wire: Connection,
    next_id: u64,
    /// Everything that was ever offered and was not taken out on purpose.
    pub(crate) owed: BTreeSet<Vec<u8>>,
}

impl World {
    /// `count` entries, ids from 1 on, due at `due(id)`, offered in this order.
    pub(crate) async fn new(server: &Server, order: &[u64], due: impl Fn(u64) -> i64) -> Self {
        server.cmd(&["FLUSHALL"]);
        let store = Store::open(server.endpoint(), Access::ReadWrite);
        store.ready(PATIENCE).await.unwrap();
        let mut world = Self {
            queue: Queue::redisson("orders"),
            writer: store.writer().unwrap(),
            wire: server.connection(),
            next_id: 1_000_000,
            owed: BTreeSet::new(),
        };
        for &id in order {
            world.put(member(id), due(id));
        }
        world
    }

    pub(crate) fn cmd<T: redis::FromRedisValue>(&mut self, name: &str, args: &[&[u8]]) -> T {
        let mut cmd = redis::cmd(name);
        for arg in args {
            cmd.arg(*arg);
        }
        cmd.query(&mut self.wire).unwrap()
    }

    /// An offer of these bytes.
    pub(crate) fn put(&mut self, member: Vec<u8>, due: i64) {
        let keys = self.queue.keys();
        let due = due.to_string();
        let _: i64 = self.cmd("ZADD", &[&keys.timeouts, due.as_bytes(), &member]);
        let _: i64 = self.cmd("RPUSH", &[&keys.order.unwrap(), &member]);
        self.owed.insert(member);
    }

    /// The order list, from its head.
    pub(crate) fn order(&mut self) -> Vec<Vec<u8>> {
        let key = self.queue.keys().order.unwrap();
        self.cmd("LRANGE", &[&key, b"0", b"-1"])
    }

    /// What is aside, from its head.
    pub(crate) fn aside(&mut self) -> Vec<Vec<u8>> {
        let key = self.queue.keys().aside.unwrap();
        self.cmd("LRANGE", &[&key, b"0", b"-1"])
    }

    /// Timeouts, with the scores as they are printed.
    pub(crate) fn timeouts(&mut self) -> BTreeMap<Vec<u8>, String> {
        let key = self.queue.keys().timeouts;
        let all: Vec<(Vec<u8>, String)> = self.cmd("ZRANGE", &[&key, b"0", b"-1", b"WITHSCORES"]);
        all.into_iter().collect()
    }

    /// What was delivered.
    pub(crate) fn target(&mut self) -> Vec<Vec<u8>> {
        let key = self.queue.keys().target;
        self.cmd("LRANGE", &[&key, b"0", b"-1"])
    }

    /// What timeouts holds of these ids, chosen as it is now.
    pub(crate) fn chosen(&mut self, ids: impl IntoIterator<Item = u64>) -> Vec<ChosenEntry> {
        let timeouts = self.timeouts();
        let chosen = |id| {
            let member = member(id);
            let score = timeouts.get(&member)?.parse().unwrap();
            Some(ChosenEntry { member, score })
        };
        ids.into_iter().filter_map(chosen).collect()
    }

    /// Another client does something: offers, transfers what is due at `now`, removes, polls.
    pub(crate) fn others(&mut self, dice: &mut Dice, now: i64) {
        let keys = self.queue.keys();
        let order = keys.order.clone().unwrap();
        match dice.below(6) {
            0 | 1 => {
                self.next_id += 1;
                let due = i64::try_from(dice.below(2_000)).unwrap();
                self.put(member(self.next_id), due);
            }
            2 | 3 => {
                let limit = (1 + dice.below(3)).to_string();
                let _: i64 = redis::cmd("EVAL")
                    .arg(TRANSFER)
                    .arg(3)
                    .arg(&keys.target)
                    .arg(&keys.timeouts)
                    .arg(&order)
                    .arg(now)
                    .arg(limit)
                    .query(&mut self.wire)
                    .unwrap();
            }
            4 => {
                // remove(): found by what stands in the order list.
                let list = self.order();
                if !list.is_empty() {
                    let member = list[dice.below(list.len())].clone();
                    let _: i64 = self.cmd("ZREM", &[&keys.timeouts, &member]);
                    let _: i64 = self.cmd("LREM", &[&order, b"1", &member]);
                    self.owed.remove(&member);
                }
            }
            _ => {
                let popped: Option<Vec<u8>> = self.cmd("LPOP", &[&order]);
                if let Some(member) = popped {
                    let _: i64 = self.cmd("ZREM", &[&keys.timeouts, &member]);
                    self.owed.remove(&member);
                }
            }
        }
    }

    /// Each owed entry waits or was delivered, once; nothing stands in the order list that does not
    /// wait, nothing twice, and what waits is missing from it only while it is aside.
    pub(crate) fn holds(&mut self, told: &str) {
        let (timeouts, order, aside) = (self.timeouts(), self.order(), self.aside());
        let mut delivered = self.target();
        delivered.sort();
        let mut owed: Vec<Vec<u8>> = self.owed.iter().map(|m| payload(m).to_vec()).collect();
        owed.sort();
        let mut there = delivered;
        there.extend(timeouts.keys().map(|m| payload(m).to_vec()));
        there.sort();
        assert!(
            there == owed,
            "{told}: an entry is in none or in two places"
        );
        let set: BTreeSet<&Vec<u8>> = order.iter().collect();
        assert_eq!(set.len(), order.len(), "{told}: twice in the order list");
        for member in &set {
            assert!(
                timeouts.contains_key(*member),
                "{told}: only in the order list"
            );
        }
        let hidden: BTreeSet<&Vec<u8>> = aside.iter().collect();
        for member in timeouts.keys() {
            let there = set.contains(member) || hidden.contains(member);
            assert!(there, "{told}: not in the order list");
        }
    }
}

/// The member with that id.
pub(crate) fn member(id: u64) -> Vec<u8> {
    frame(id, &payload_of(id))
}

fn payload_of(id: u64) -> Vec<u8> {
    format!("entry {id}").into_bytes()
}

fn payload(member: &[u8]) -> &[u8] {
    &member[17..]
}
