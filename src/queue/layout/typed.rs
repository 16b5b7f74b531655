//! A queue as people type it.

use std::str::FromStr;

use super::{Queue, redisson, zset_list};

/// A reader of the rest of a queue's spelling, behind its prefix.
type Reader = fn(&[u8]) -> Result<Queue, BadQueue>;

/// The layouts whose queues are typed behind a prefix, each with what stands behind that.
const PREFIXED: &[(&[u8], &str, Reader)] =
    &[(zset_list::PREFIX, zset_list::SPELLING, zset_list::read)];

/// The spellings of queues that are not called by a bare name, in a row.
#[must_use]
pub fn spellings() -> String {
    let spelled = |(prefix, rest, _): &(&[u8], &str, Reader)| {
        let prefix = String::from_utf8_lossy(prefix);
        format!("{prefix}{rest}")
    };
    let all: Vec<String> = PREFIXED.iter().map(spelled).collect();
    all.join(", ")
}

/// A Redisson queue's name would be read as something else: it is typed behind
/// [`redisson::PREFIX`].
pub(super) fn looks_prefixed(name: &[u8]) -> bool {
    let mut rest = name;
    while let Some(inner) = rest.strip_prefix(redisson::PREFIX) {
        rest = inner;
    }
    PREFIXED.iter().any(|(prefix, ..)| rest.starts_with(prefix))
}

impl Queue {
    /// A queue as it is given on the command line: `NAME`, or
    /// `zset-list:TIMEOUTS,TARGET[,s|ms][,left|right]`. Keys are bytes, which need not be UTF-8.
    pub fn typed(typed: &[u8]) -> Result<Self, BadQueue> {
        for (prefix, _, read) in PREFIXED {
            if let Some(rest) = typed.strip_prefix(*prefix) {
                return read(rest);
            }
        }
        if typed.is_empty() {
            return Err(BadQueue::Empty);
        }
        let name = typed
            .strip_prefix(redisson::PREFIX)
            .filter(|name| looks_prefixed(name));
        Ok(Self::redisson(name.unwrap_or(typed)))
    }
}

/// [`Queue::typed`], of text.
impl FromStr for Queue {
    type Err = BadQueue;

    fn from_str(s: &str) -> Result<Self, BadQueue> {
        Self::typed(s.as_bytes())
    }
}

/// The reason why a text does not name a queue.
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
