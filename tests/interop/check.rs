//! What must be true of every delivery.

use std::collections::BTreeMap;

use delayscope::queue::Queue;

use crate::support::{Server, wait_for};

/// How two multisets differ.
#[derive(Debug, Default, Eq, PartialEq)]
pub struct Difference {
    /// Offered, not delivered.
    pub missing: Vec<String>,
    /// Delivered, not offered, or more often than it was.
    pub surplus: Vec<String>,
}

/// Whether `got` is exactly `offered`, each as often, in any order.
pub fn exactly(offered: &[String], got: &[String]) -> Result<(), Difference> {
    let mut balance: BTreeMap<&str, i64> = BTreeMap::new();
    for text in offered {
        *balance.entry(text).or_default() += 1;
    }
    for text in got {
        *balance.entry(text).or_default() -= 1;
    }
    let mut difference = Difference::default();
    for (text, n) in balance {
        let shown = text.chars().take(40).collect::<String>();
        for _ in 0..n.abs() {
            if n > 0 {
                difference.missing.push(shown.clone());
            } else {
                difference.surplus.push(shown.clone());
            }
        }
    }
    if difference == Difference::default() {
        Ok(())
    } else {
        Err(difference)
    }
}

/// Panics unless `got` is exactly `offered`.
pub fn assert_exactly(queue: &str, offered: &[String], got: &[String]) {
    if let Err(difference) = exactly(offered, got) {
        panic!(
            "{queue}: {} offered, {} delivered, {difference:#?}",
            offered.len(),
            got.len()
        );
    }
}

/// Panics unless nothing is left of the queue: no timeouts, no order list, no target.
pub fn assert_empty(server: &Server, queue: &str) {
    assert_eq!(depths(server, queue), [0, 0, 0], "{queue}: what is left");
}

/// How many members timeouts, order list and target have.
pub fn depths(server: &Server, queue: &str) -> [i64; 3] {
    let keys = Queue::redisson(queue).keys();
    let text = |key: Vec<u8>| String::from_utf8(key).unwrap();
    [
        server.int(&["ZCARD", &text(keys.timeouts)]),
        server.int(&["LLEN", &text(keys.order.unwrap())]),
        server.int(&["LLEN", &text(keys.target)]),
    ]
}

/// How many clients listen to the queue's channel.
pub fn transfer_clients(server: &Server, queue: &str) -> i64 {
    let channel = Queue::redisson(queue).keys().channel.unwrap();
    let answer = server.cmd_bytes(&[b"PUBSUB", b"NUMSUB", &channel]);
    let (_, count): (String, i64) = redis::from_redis_value(answer).unwrap();
    count
}

/// Waits until that many transfer clients listen.
pub fn wait_for_transfer_clients(server: &Server, queue: &str, count: i64) {
    wait_for("the transfer clients", || {
        transfer_clients(server, queue) == count
    });
}

/// How many commands the server has answered with a plain error.
pub fn errors(server: &Server) -> usize {
    let info: String = redis::from_redis_value(server.cmd(&["INFO", "errorstats"])).unwrap();
    let count = info
        .lines()
        .find_map(|line| line.strip_prefix("errorstat_ERR:count="));
    count.map_or(0, |count| count.parse().unwrap())
}
