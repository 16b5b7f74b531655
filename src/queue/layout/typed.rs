//! A queue as people type it, and back.

use std::str::FromStr;

use super::{Layout, Push, Queue, Unit, ZsetList};
use crate::queue::name::QueueName;

/// Before the keys of a `zset-list` queue.
const PLAIN: &[u8] = b"zset-list:";
/// Before the name of a Redisson queue that begins like the keys of another one.
const REDISSON: &[u8] = b"redisson:";

/// Whether a Redisson queue's name would be read as something else: it gets [`REDISSON`] in front.
fn looks_plain(name: &[u8]) -> bool {
    let mut rest = name;
    while let Some(inner) = rest.strip_prefix(REDISSON) {
        rest = inner;
    }
    rest.starts_with(PLAIN)
}

impl Queue {
    /// A queue as it is given on the command line: `NAME`, or
    /// `zset-list:TIMEOUTS,TARGET[,s|ms][,left|right]`. Keys are bytes, which need not be UTF-8.
    pub fn typed(typed: &[u8]) -> Result<Self, BadQueue> {
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        let Some(spec) = typed.strip_prefix(PLAIN) else {
            let name = typed
                .strip_prefix(REDISSON)
                .filter(|name| looks_plain(name));
            return if typed.is_empty() {
                Err(BadQueue::Empty)
            } else {
                Ok(Self::redisson(name.unwrap_or(typed)))
            };
        };
        let mut parts = spec.split(|byte| *byte == b',');
        let (Some(timeouts), Some(target)) = (parts.next(), parts.next()) else {
            return Err(BadQueue::NoTarget(text(typed)));
        };
        if timeouts.is_empty() || target.is_empty() {
            return Err(BadQueue::NoTarget(text(typed)));
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
        let zset_list = ZsetList {
            target: target.into(),
            unit,
            push,
        };
        Ok(Self {
            name: QueueName::new(timeouts),
            layout: Layout::ZsetList(zset_list),
        })
    }

    /// The queue as [`Queue::typed`] reads it.
    #[must_use]
    pub fn spec(&self) -> Vec<u8> {
        let Layout::ZsetList(z) = &self.layout else {
            let name = self.name.as_bytes();
            let before: &[u8] = if looks_plain(name) { REDISSON } else { b"" };
            return [before, name].concat();
        };
        let unit: &[u8] = match z.unit {
            Unit::Seconds => b"s",
            Unit::Millis => b"ms",
        };
        let push: &[u8] = match z.push {
            Push::Left => b"left",
            Push::Right => b"right",
        };
        let parts = [self.name.as_bytes(), &z.target, unit, push];
        [PLAIN, parts.join(&b","[..]).as_slice()].concat()
    }
}

/// [`Queue::typed`], of text.
impl FromStr for Queue {
    type Err = BadQueue;

    fn from_str(s: &str) -> Result<Self, BadQueue> {
        Self::typed(s.as_bytes())
    }
}

/// Why a text does not name a queue.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum BadQueue {
    /// Nothing was given.
    #[error("a queue needs a name")]
    Empty,
    /// `zset-list:` without its two keys.
    #[error("{0:?} lacks a key: write zset-list:TIMEOUTS,TARGET[,s|ms][,left|right]")]
    NoTarget(String),
    /// `zset-list:` with the same key twice.
    #[error("{0:?} cannot be both the sorted set of timeouts and the target list")]
    OneKey(String),
    /// A word that is neither a unit nor an end.
    #[error("{0:?} is neither a unit (s, ms) nor an end of the target (left, right)")]
    Word(String),
}
