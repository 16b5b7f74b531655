//! Other clients of the queue at the same time: one that offers, cancels and transfers as Redisson
//! does, word for word.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use delayscope::queue::Queue;

use crate::kill::scenario::QUEUE;
use crate::kill::world::World;
use crate::redisson::Client;
use crate::support::Server;

/// Another client at work, until it is asked what it did.
pub struct Others {
    ended: Arc<AtomicBool>,
    working: JoinHandle<Did>,
}

/// What it did.
#[derive(Debug, Default)]
pub struct Did {
    offered: BTreeSet<String>,
    cancelled: BTreeSet<String>,
}

/// Whether a message is one of theirs.
pub fn is_theirs(name: &str) -> bool {
    name.starts_with("their")
}

impl Others {
    /// Begins; without transfers it offers only what is due later.
    pub fn begin(server: &Server, transfers: bool) -> Self {
        let ended = Arc::new(AtomicBool::new(false));
        let end = Arc::clone(&ended);
        let mut client = Client::new(server.connection(), &Queue::redisson(QUEUE));
        let now = server.now();
        let working = std::thread::spawn(move || {
            let mut did = Did::default();
            while !end.load(Ordering::Relaxed) {
                let name = did.next(1).remove(0);
                let n = did.offered.len();
                // Some are due at once, some in an hour, some a century from now.
                let due = now.plus([0, 3_600_000, 3_000_000_000_000][n % 3]);
                client
                    .offer(due, (1 << 40) + n as u64, name.as_bytes())
                    .unwrap();
                if transfers && n.is_multiple_of(5) {
                    client.transfer(now.plus(1), 100).unwrap();
                }
                // Other clients do not take the whole machine.
                std::thread::sleep(Duration::from_micros(500));
                if n.is_multiple_of(7) {
                    let name = format!("their {:06}", n - 3);
                    match client.remove(name.as_bytes()) {
                        Ok(true) => drop(did.cancelled.insert(name)),
                        Ok(false) => {}
                        // Redisson reads no frames of another form: such a one breaks it off.
                        Err(error) => assert!(error.to_string().contains("'unpack'"), "{error}"),
                    }
                }
            }
            did
        });
        Self { ended, working }
    }

    /// Ends it.
    pub fn end(self) -> Did {
        self.ended.store(true, Ordering::Relaxed);
        self.working.join().unwrap()
    }
}

impl Did {
    /// Names for the next messages that it offers.
    pub fn next(&mut self, count: usize) -> Vec<String> {
        let first = self.offered.len() + 1;
        let names = (first..first + count).map(|n| format!("their {n:06}"));
        let names: Vec<String> = names.collect();
        self.offered.extend(names.iter().cloned());
        names
    }

    /// Whether each message that it offered is in one place, and what it cancelled in none.
    pub fn check(&self, world: &World) -> Result<(), String> {
        self.check_beside(world, &BTreeSet::new())
    }

    /// The same where these were handed on, and are in no place any more, or are held still.
    pub fn check_beside(&self, world: &World, taken: &BTreeSet<String>) -> Result<(), String> {
        for name in &self.offered {
            let there = world.places.contains_key(name) || taken.contains(name);
            if there == self.cancelled.contains(name) {
                let how = if there { "was cancelled" } else { "is lost" };
                return Err(format!("{name:?} {how}: {:?}", world.places.get(name)));
            }
        }
        let theirs = world.places.keys().filter(|name| is_theirs(name));
        match { theirs }.find(|name| !self.offered.contains(*name)) {
            Some(name) => Err(format!("{name:?} was never offered")),
            None => Ok(()),
        }
    }
}
