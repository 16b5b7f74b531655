//! What other clients send, to the real queue and to the model.

use delayscope::clock::EpochMillis;
use delayscope::queue::Queue;
use proptest::sample::Index;
use redis::{Connection, Pipeline};

use crate::interleaved::model::{Model, take};
use crate::interleaved::steps::Theirs;
use crate::redisson::Client;
use crate::support::{Server, frame};

type Elements = Vec<Vec<u8>>;
type Scored = Vec<(Vec<u8>, f64)>;

/// Other clients.
pub struct They {
    redisson: Client,
    connection: Connection,
    queue: Queue,
    offered: u64,
}

impl They {
    /// On that queue.
    pub fn new(server: &Server, queue: &Queue) -> Self {
        Self {
            redisson: Client::new(server.connection(), queue),
            connection: server.connection(),
            queue: queue.clone(),
            offered: 0,
        }
    }

    /// The queue as it really is, all of it read at once.
    pub fn real(&mut self) -> Model {
        let keys = self.queue.keys();
        let mut all = redis::pipe();
        all.atomic();
        all.cmd("ZRANGE")
            .arg(&keys.timeouts)
            .arg(0)
            .arg(-1)
            .arg("WITHSCORES");
        for list in [&keys.order, &keys.aside, &Some(keys.target)] {
            all.cmd("LRANGE").arg(list).arg(0).arg(-1);
        }
        all.cmd("ZRANGE")
            .arg(keys.quarantine)
            .arg(0)
            .arg(-1)
            .arg("WITHSCORES");
        let (waiting, order, aside, target, quarantine): (
            Scored,
            Elements,
            Elements,
            Elements,
            Scored,
        ) = all.query(&mut self.connection).unwrap();
        Model {
            waiting: waiting.into_iter().collect(),
            order,
            aside,
            target,
            quarantine: quarantine.into_iter().collect(),
        }
    }

    pub fn act(&mut self, model: &mut Model, theirs: &Theirs) {
        match theirs {
            Theirs::Offer(due, count) => self.offer(model, *due, *count),
            Theirs::Transfer(now, n) => {
                let clock = EpochMillis::new(i64::from(*now));
                // It fails where something is no frame, and the model says how far it came.
                let _ = self.redisson.transfer(clock, usize::from(*n));
                model.their_transfer(f64::from(*now), usize::from(*n));
            }
            Theirs::Poll => {
                let _ = self.redisson.poll();
                model.poll();
            }
            Theirs::Remove(n) => {
                let payload = name(u64::from(*n));
                let _ = self.redisson.remove(&payload);
                model.remove(&payload);
            }
            Theirs::Consume => {
                self.send(|keys, pipe| {
                    pipe.cmd("LPOP").arg(keys.target);
                });
                if !model.target.is_empty() {
                    model.target.remove(0);
                }
            }
            Theirs::Foreign(due) => {
                self.offered += 1;
                let member = format!("foreign {}", self.offered).into_bytes();
                self.send(|keys, pipe| {
                    pipe.cmd("ZADD").arg(keys.timeouts).arg(due).arg(&member);
                    pipe.cmd("RPUSH").arg(keys.order).arg(&member);
                });
                model.offer(member, f64::from(*due));
            }
            Theirs::Zrem(which) | Theirs::Lrem(which) | Theirs::Copy(which) => {
                self.by_hand(model, theirs, *which, 0);
            }
            Theirs::Rescore(which, due) => self.by_hand(model, theirs, *which, *due),
        }
    }

    fn offer(&mut self, model: &mut Model, due: u32, count: u8) {
        for n in 0..u32::from(count) {
            self.offered += 1;
            let (id, payload, due) = (self.offered, name(self.offered % 5), due + n);
            let clock = EpochMillis::new(i64::from(due));
            self.redisson.offer(clock, id, &payload).unwrap();
            model.offer(frame(id, &payload), f64::from(due));
        }
    }

    /// What somebody does to one of those that wait.
    fn by_hand(&mut self, model: &mut Model, what: &Theirs, which: Index, due: u32) {
        if model.waiting.is_empty() {
            return;
        }
        let all: Vec<Vec<u8>> = model.waiting.keys().cloned().collect();
        let member = which.get(&all);
        self.send(|keys, pipe| {
            match what {
                Theirs::Zrem(_) => pipe.cmd("ZREM").arg(keys.timeouts),
                Theirs::Lrem(_) => pipe.cmd("LREM").arg(keys.order).arg(1),
                Theirs::Copy(_) => pipe.cmd("RPUSH").arg(keys.order),
                _ => pipe.cmd("ZADD").arg(keys.timeouts).arg("XX").arg(due),
            };
            pipe.arg(member);
        });
        match what {
            Theirs::Zrem(_) => drop(model.waiting.remove(member)),
            Theirs::Lrem(_) => drop(take(&mut model.order, member)),
            Theirs::Copy(_) => model.order.push(member.clone()),
            _ => drop(model.waiting.insert(member.clone(), f64::from(due))),
        }
    }

    fn send(&mut self, words: impl FnOnce(delayscope::queue::Keys, &mut Pipeline)) {
        let mut pipe = redis::pipe();
        words(self.queue.keys(), &mut pipe);
        pipe.exec(&mut self.connection).unwrap();
    }
}

/// One of a few payloads: equal ones are interchangeable.
fn name(n: u64) -> Vec<u8> {
    format!("payload {n}").into_bytes()
}
