//! Key names from a queue's name and back, hash tags, cluster slots.
//!
//! Redisson builds every key by one rule, unchanged from 2.7.0/3.2.0 to 4.7.0
//! (`RedissonObject.prefixName`): a name that contains `{` is appended as it is, any other is
//! wrapped in braces, so that all keys of a queue share a hash tag.

use std::borrow::Cow;
use std::fmt;

/// The beginning of every timeouts key.
pub const TIMEOUTS_PREFIX: &[u8] = b"redisson_delay_queue_timeout:";
/// The beginning of every order-list key.
pub const ORDER_PREFIX: &[u8] = b"redisson_delay_queue:";
/// The beginning of every channel.
pub const CHANNEL_PREFIX: &[u8] = b"redisson_delay_queue_channel:";
/// The beginning of the name of an order list that delayscope has set aside; then follows what
/// follows [`ORDER_PREFIX`] in its own, so that both lie in one slot.
pub const ASIDE_PREFIX: &[u8] = b"delayscope:aside:";
/// The beginning of the name of the sorted set that delayscope keeps quarantined entries of a
/// Redisson queue in; then as behind [`ASIDE_PREFIX`].
pub const QUARANTINE_PREFIX: &[u8] = b"delayscope:quarantine:";
/// The same of a `zset-list` queue; then follows its timeouts key by the same rule. It is another
/// prefix, since the one above is a sign of a Redisson queue of that name.
const PLAIN_QUARANTINE_PREFIX: &[u8] = b"delayscope:zset-list-quarantine:";
/// The beginnings of the keys that our consumers of a Redisson queue keep what they have
/// taken in: what is held, the leases on it, and the intake.
pub const HOLD_PREFIXES: [&[u8]; 3] = [
    b"delayscope:held:",
    b"delayscope:lease:",
    b"delayscope:intake:",
];
/// The same of a `zset-list` queue, by its target.
const PLAIN_HOLD_PREFIXES: [&[u8]; 3] = [
    b"delayscope:zset-list-held:",
    b"delayscope:zset-list-lease:",
    b"delayscope:zset-list-intake:",
];
/// The beginnings of the keys that delayscope keeps for a Redisson queue under the name of its
/// order list: where one of them is, there is the queue. (They stand in [`Keys::own`] too; what
/// consumers hold goes by [`name_of_hold_key`].)
pub const KEPT_PREFIXES: [&[u8]; 2] = [ASIDE_PREFIX, QUARANTINE_PREFIX];

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

/// The keys of a queue in Redis.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct Keys {
    /// Sorted set by due time.
    pub timeouts: Vec<u8>,
    /// Redisson's second list, in offer order; a `zset-list` queue has none.
    pub order: Option<Vec<u8>>,
    /// The key of the order list during a change that sets it aside; none without an order list.
    pub aside: Option<Vec<u8>>,
    /// The list that consumers take from.
    pub target: Vec<u8>,
    /// The sorted set of quarantined entries, each with the score that it had in timeouts; mostly
    /// not there.
    pub quarantine: Vec<u8>,
    /// Keys of what our own consumers have taken and not yet handed on; mostly not there.
    pub hold: HoldKeys,
    /// The channel on which the due time of a new head is published; a `zset-list` queue has none.
    pub channel: Option<Vec<u8>>,
}

/// The keys in which our own consumers of a target keep what they have taken and not yet handed on.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct HoldKeys {
    /// A hash: each element that a consumer holds, by a field that says who took it and when.
    pub held: Vec<u8>,
    /// A sorted set: each of these fields, with the moment until which its consumer lives, in ms.
    pub leases: Vec<u8>,
    /// A list: elements that the server moved here for a consumer that waited for one.
    pub intake: Vec<u8>,
}

impl Keys {
    /// The keys that are this queue's alone, also those that delayscope keeps for it: where one of
    /// them is, there is the queue. (Target may be somebody else's.)
    #[must_use]
    pub fn own(&self) -> Vec<Vec<u8>> {
        let all = [Some(&self.timeouts), self.order.as_ref()];
        let kept = [self.aside.as_ref(), Some(&self.quarantine)];
        let held = [Some(&self.hold.held), Some(&self.hold.intake)];
        all.into_iter()
            .chain(kept)
            .chain(held)
            .flatten()
            .cloned()
            .collect()
    }
}

/// Returns the keys of the Redisson queue `name`.
#[must_use]
pub fn redisson_keys(name: &QueueName) -> Keys {
    Keys {
        timeouts: prefixed(TIMEOUTS_PREFIX, name),
        order: Some(prefixed(ORDER_PREFIX, name)),
        aside: Some(prefixed(ASIDE_PREFIX, name)),
        target: name.as_bytes().to_vec(),
        quarantine: prefixed(QUARANTINE_PREFIX, name),
        hold: hold_keys(HOLD_PREFIXES, name.as_bytes()),
        channel: Some(prefixed(CHANNEL_PREFIX, name)),
    }
}

/// Returns the key of the quarantined entries of the `zset-list` queue with these timeouts: in the
/// same slot.
#[must_use]
pub fn plain_quarantine(timeouts: &QueueName) -> Vec<u8> {
    prefixed(PLAIN_QUARANTINE_PREFIX, timeouts)
}

/// Returns the keys in which our consumers of the target of a `zset-list` queue keep what they have
/// taken.
#[must_use]
pub fn plain_hold(target: &[u8]) -> HoldKeys {
    hold_keys(PLAIN_HOLD_PREFIXES, target)
}

/// Keys in the slot of `target`. Unlike the other keys they are not shared by a name and the same
/// in braces, whose targets are two: what was taken from one must not go back to the other.
fn hold_keys(prefixes: [&[u8]; 3], target: &[u8]) -> HoldKeys {
    let [held, leases, intake] = prefixes.map(|prefix| {
        if target.contains(&b'{') {
            [prefix, AS_IT_IS, target].concat()
        } else {
            [prefix, b"{", target, b"}"].concat()
        }
    });
    HoldKeys {
        held,
        leases,
        intake,
    }
}

/// The mark before a target that is not wrapped in braces.
const AS_IT_IS: &[u8] = b"=";

/// The Redisson queue that this key of [`HoldKeys`] belongs to; none of any other key.
#[must_use]
pub fn name_of_hold_key(key: &[u8]) -> Option<QueueName> {
    let rest = HOLD_PREFIXES
        .iter()
        .find_map(|prefix| key.strip_prefix(*prefix))?;
    let (name, wrapped) = match rest.strip_prefix(AS_IT_IS) {
        Some(name) => (name, false),
        None => (rest.strip_prefix(b"{")?.strip_suffix(b"}")?, true),
    };
    (!name.is_empty() && name.contains(&b'{') != wrapped).then(|| QueueName::new(name))
}

/// The queues that a timeouts key, order-list key or channel may belong to; none when no queue has
/// such a key.
///
/// There can be two, since `orders` and `{orders}` have the same keys: which of them is meant is
/// told by the targets. The plain name comes first.
#[must_use]
pub fn names_of_key(key: &[u8]) -> Vec<QueueName> {
    let rest = [TIMEOUTS_PREFIX, ORDER_PREFIX, CHANNEL_PREFIX]
        .into_iter()
        .find_map(|prefix| key.strip_prefix(prefix));
    let Some(rest) = rest.filter(|rest| rest.contains(&b'{')) else {
        return Vec::new();
    };
    let wrapped = rest
        .strip_prefix(b"{")
        .and_then(|inner| inner.strip_suffix(b"}"))
        .filter(|inner| !inner.is_empty() && !inner.contains(&b'{'));
    wrapped
        .into_iter()
        .chain([rest])
        .map(QueueName::new)
        .collect()
}

/// A name for what has taken `key`, for it to be renamed to: in the same slot of a cluster (but for
/// names with odd braces, whose queues have no slot in common either), and no
/// key of any queue.
#[must_use]
pub fn out_of_the_way(key: &[u8]) -> Vec<u8> {
    named(b"taken:", key)
}

/// The names of which the first free one is given to what has taken `key`: that of
/// [`out_of_the_way`] first, then eight like it.
#[must_use]
pub fn names_for_taken(key: &[u8]) -> Vec<Vec<u8>> {
    let more = (b'2'..=b'9').map(|n| named(&[b't', b'a', b'k', b'e', b'n', n, b':'], key));
    std::iter::once(out_of_the_way(key)).chain(more).collect()
}

/// `key` behind `prefix`, in the slot of `key`.
fn named(prefix: &[u8], key: &[u8]) -> Vec<u8> {
    if hash_tag(key) == key {
        [prefix, b"{", key, b"}"].concat()
    } else {
        [prefix, key].concat()
    }
}

/// Number of slots of a Redis Cluster.
const SLOTS: u16 = 16_384;

/// The Redis Cluster slot of a key or channel: 0 to 16,383.
#[must_use]
pub fn slot(key: &[u8]) -> u16 {
    crc16(hash_tag(key)) % SLOTS
}

/// Tells whether a Redis Cluster refuses scripts on this queue, because its name has braces that
/// put its keys into different slots.
#[must_use]
pub fn cross_slot(keys: &Keys) -> bool {
    let target = slot(&keys.target);
    [
        Some(&keys.timeouts),
        keys.order.as_ref(),
        keys.channel.as_ref(),
    ]
    .into_iter()
    .flatten()
    .any(|key| slot(key) != target)
}

/// The part of a key that is hashed: what stands between its first `{` and the next `}`, unless
/// that is nothing; else all of it.
fn hash_tag(key: &[u8]) -> &[u8] {
    let between = || {
        let open = key.iter().position(|&b| b == b'{')?;
        let inner = &key[open + 1..];
        let close = inner.iter().position(|&b| b == b'}')?;
        Some(&inner[..close])
    };
    between().filter(|tag| !tag.is_empty()).unwrap_or(key)
}

/// CRC-16/XMODEM, as in the Redis Cluster specification.
fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |mut crc: u16, &byte| {
        crc ^= u16::from(byte) << 8;
        for _ in 0..8 {
            let carry = crc & 0x8000 != 0;
            crc <<= 1;
            if carry {
                crc ^= 0x1021;
            }
        }
        crc
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn names(key: &str) -> Vec<String> {
        names_of_key(key.as_bytes())
            .iter()
            .map(|name| name.text().into_owned())
            .collect()
    }

    #[test]
    fn a_plain_name_is_wrapped_in_braces_and_one_with_an_open_brace_is_not() {
        for (name, tagged) in [
            ("orders", "{orders}"),
            ("{orders}", "{orders}"),
            ("a{b}c", "a{b}c"),
            ("a:b", "{a:b}"),
            ("a}b", "{a}b}"),
            ("a{b", "a{b"),
            ("订单", "{订单}"),
        ] {
            let keys = redisson_keys(&name.into());
            let key = |prefix: &str| format!("{prefix}:{tagged}").into_bytes();
            assert_eq!(keys.timeouts, key("redisson_delay_queue_timeout"));
            assert_eq!(keys.order, Some(key("redisson_delay_queue")));
            assert_eq!(keys.channel, Some(key("redisson_delay_queue_channel")));
            assert_eq!(keys.target, name.as_bytes());
        }
    }

    #[test]
    fn a_key_with_one_pair_of_braces_around_may_belong_to_two_queues() {
        for key in [
            "redisson_delay_queue_timeout:{orders}",
            "redisson_delay_queue:{orders}",
            "redisson_delay_queue_channel:{orders}",
        ] {
            assert_eq!(names(key), ["orders", "{orders}"]);
        }
        assert_eq!(names("redisson_delay_queue:{a}b}"), ["a}b", "{a}b}"]);
    }

    #[test]
    fn any_other_key_belongs_to_one_queue_or_none() {
        assert_eq!(names("redisson_delay_queue:a{b}c"), ["a{b}c"]);
        assert_eq!(names("redisson_delay_queue:{a}{b}"), ["{a}{b}"]);
        assert_eq!(names("redisson_delay_queue:{a"), ["{a"]);
        assert_eq!(names("redisson_delay_queue:{}"), ["{}"]);
        for foreign in [
            "redisson_delay_queue:orders",
            "redisson_delay_queue:",
            "redisson_delay_queue",
            "xredisson_delay_queue:{orders}",
            "{orders}",
            "",
        ] {
            assert_eq!(names(foreign), Vec::<String>::new(), "{foreign}");
        }
    }

    #[test]
    fn what_consumers_hold_is_kept_by_the_name_of_the_target_and_in_its_slot() {
        for (name, rest) in [
            ("orders", "{orders}"),
            ("{orders}", "={orders}"),
            ("a{b}c", "=a{b}c"),
            ("a}b", "{a}b}"),
        ] {
            let hold = redisson_keys(&name.into()).hold;
            assert_eq!(hold.held, format!("delayscope:held:{rest}").into_bytes());
            for key in [&hold.held, &hold.leases, &hold.intake] {
                assert_eq!(name_of_hold_key(key), Some(name.into()));
                if name != "a}b" {
                    assert_eq!(slot(key), slot(name.as_bytes()));
                }
            }
        }
        for foreign in [
            "delayscope:held:q",
            "delayscope:held:={",
            "delayscope:held:{}",
            "held",
        ] {
            let named = name_of_hold_key(foreign.as_bytes());
            assert_eq!(named, (foreign == "delayscope:held:={").then(|| "{".into()));
        }
    }

    #[test]
    fn slots_are_those_of_redis_cluster() {
        assert_eq!(crc16(b"123456789"), 0x31c3);
        assert_eq!(slot(b"foo"), 12_182);
        assert_eq!(slot(b"{foo}.bar"), 12_182);
        assert_eq!(slot(b"x{foo}{bar}"), 12_182);
        assert_eq!(slot(b""), 0);
        assert_ne!(slot(b"{}foo"), slot(b"foo"));
        assert_eq!(hash_tag(b"a{b"), b"a{b");
        assert_eq!(hash_tag(b"a}{b}"), b"b");
        assert_eq!(hash_tag(b"a{{b}}"), b"{b");
    }

    #[test]
    fn only_names_with_odd_braces_put_their_keys_into_different_slots() {
        for fine in ["q", "{q}", "a{b}c", "{a}{b}", "a:b"] {
            assert!(!cross_slot(&redisson_keys(&fine.into())), "{fine}");
        }
        for odd in ["a{b", "{a", "a}b", "x}", "{}q", "q{}", "}{"] {
            assert!(cross_slot(&redisson_keys(&odd.into())), "{odd}");
        }
    }
}
