//! `zset-list`, the plain queue: due members of a sorted set are pushed to a ready list.

use super::capabilities::Capabilities;
use super::{BadQueue, Layout, Push, Queue, Unit};
use crate::queue::name::{self, Keys, QueueName};

/// The prefix of its keys, when it is typed.
pub(super) const PREFIX: &[u8] = b"zset-list:";

/// The spelling behind that prefix.
pub(super) const SPELLING: &str = "TIMEOUTS,TARGET[,s|ms][,left|right]";

/// The parameters of a `zset-list` queue; its timeouts key is the queue's name.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct ZsetList {
    /// The ready list.
    pub target: Vec<u8>,
    /// The unit of a score.
    pub unit: Unit,
    /// The end of the ready list that a due entry is pushed to.
    pub push: Push,
}

impl Capabilities for ZsetList {
    fn word(&self) -> &'static str {
        "zset-list"
    }

    fn keys(&self, timeouts: &QueueName) -> Keys {
        Keys {
            timeouts: timeouts.as_bytes().to_vec(),
            order: None,
            aside: None,
            target: self.target.clone(),
            quarantine: name::plain_quarantine(timeouts),
            hold: name::plain_hold(&self.target),
            channel: None,
        }
    }

    fn spec(&self, timeouts: &QueueName) -> Vec<u8> {
        let unit: &[u8] = match self.unit {
            Unit::Seconds => b"s",
            Unit::Millis => b"ms",
        };
        let push: &[u8] = match self.push {
            Push::Left => b"left",
            Push::Right => b"right",
        };
        let parts = [timeouts.as_bytes(), &self.target, unit, push];
        [PREFIX, parts.join(&b","[..]).as_slice()].concat()
    }

    fn may_change(&self) -> bool {
        true
    }

    fn unit(&self) -> Unit {
        self.unit
    }

    fn push(&self) -> Push {
        self.push
    }
}

/// Reads a [`SPELLING`], which stood behind [`PREFIX`].
pub(super) fn read(keys: &[u8]) -> Result<Queue, BadQueue> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let lacks = || BadQueue::NoTarget(text(&[PREFIX, keys].concat()));
    let mut parts = keys.split(|byte| *byte == b',');
    let (Some(timeouts), Some(target)) = (parts.next(), parts.next()) else {
        return Err(lacks());
    };
    if timeouts.is_empty() || target.is_empty() {
        return Err(lacks());
    }
    if timeouts == target {
        return Err(BadQueue::OneKey(text(timeouts)));
    }
    let (mut unit, mut push) = (Unit::default(), Push::default());
    for word in parts {
        match word {
            b"s" => unit = Unit::Seconds,
            b"ms" => unit = Unit::Millis,
            b"left" => push = Push::Left,
            b"right" => push = Push::Right,
            _ => return Err(BadQueue::Word(text(word))),
        }
    }
    Ok(Queue {
        name: QueueName::new(timeouts),
        layout: Layout::ZsetList(ZsetList {
            target: target.into(),
            unit,
            push,
        }),
    })
}
