//! Key names from a queue's name and back, hash tags, cluster slots.
//!
//! Redisson builds every key by one rule, unchanged from 2.7.0/3.2.0 to 4.7.0
//! (`RedissonObject.prefixName`): a name that contains `{` is appended as it is, any other is
//! wrapped in braces, so that all keys of a queue share a hash tag.

use std::borrow::Cow;
use std::fmt;

/// What every timeouts key starts with.
pub const TIMEOUTS_PREFIX: &[u8] = b"redisson_delay_queue_timeout:";
/// What every order-list key starts with.
pub const ORDER_PREFIX: &[u8] = b"redisson_delay_queue:";
/// What every channel starts with.
pub const CHANNEL_PREFIX: &[u8] = b"redisson_delay_queue_channel:";

/// A queue's name: bytes as Redis has them, which need not be UTF-8.
#[derive(Clone, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct QueueName(Vec<u8>);

impl QueueName {
    /// A name from raw bytes.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }

    /// The bytes, as they are in Redis.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// For people and JSON: the text, invalid UTF-8 replaced.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }
}

impl fmt::Debug for QueueName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.text())
    }
}

impl fmt::Display for QueueName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl From<&str> for QueueName {
    fn from(s: &str) -> Self {
        Self(s.as_bytes().to_vec())
    }
}

/// Where a queue lies in Redis.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct Keys {
    /// Sorted set by due time.
    pub timeouts: Vec<u8>,
    /// Redisson's second list, in offer order; a `zset-list` queue has none.
    pub order: Option<Vec<u8>>,
    /// The list that consumers take from.
    pub target: Vec<u8>,
    /// Where the due time of a new head is published; a `zset-list` queue has none.
    pub channel: Option<Vec<u8>>,
}

/// Where the Redisson queue `name` lies.
#[must_use]
pub fn redisson_keys(name: &QueueName) -> Keys {
    Keys {
        timeouts: prefixed(TIMEOUTS_PREFIX, name),
        order: Some(prefixed(ORDER_PREFIX, name)),
        target: name.as_bytes().to_vec(),
        channel: Some(prefixed(CHANNEL_PREFIX, name)),
    }
}

/// Redisson's `prefixName`; `prefix` ends with its colon.
fn prefixed(prefix: &[u8], name: &QueueName) -> Vec<u8> {
    let name = name.as_bytes();
    if name.contains(&b'{') {
        [prefix, name].concat()
    } else {
        [prefix, b"{", name, b"}"].concat()
    }
}
