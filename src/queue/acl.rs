//! The rights that an ACL user needs for reading and for each change: exactly what the program
//! sends, and what its scripts do. A test runs everything under these rules.

use std::collections::BTreeSet;

use super::change::Change;
use super::layout::Queue;
use super::name::{CHANNEL_PREFIX, names_for_taken};
use super::redis_cli;

/// Commands of every look at queues, named ones or all.
const READ: &[&str] = &[
    "client|list",
    "client|setname",
    "client|tracking",
    "exec",
    "exists",
    "hlen",
    "info",
    "llen",
    "lpos",
    "lrange",
    "multi",
    "ping",
    "psubscribe",
    "pttl",
    "pubsub|numsub",
    "script|exists",
    "time",
    "type",
    "watch",
    "zcard",
    "zcount",
    "zrange",
    "zrangebyscore",
    "zrank",
    "zrevrangebyscore",
    "zscan",
    "zscore",
];
/// Commands that find queues which nobody named.
const FIND: &[&str] = &["dbsize", "pubsub|channels", "scan"];
/// Commands that lead to the nodes of a cluster.
const CLUSTER: &[&str] = &["cluster|info", "cluster|nodes", "cluster|slots"];
/// Commands at sentinels.
const SENTINEL: &[&str] = &[
    "ping",
    "sentinel|get-master-addr-by-name",
    "sentinel|masters",
    "sentinel|sentinels",
    "subscribe",
];

/// Where the queues are, for whose rights are asked.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum QueueSite {
    /// In database 0 of a server.
    Db0,
    /// In another one.
    OtherDb,
    /// In a cluster.
    Cluster,
}

/// Rights of a user: commands, keys and channels.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Rules {
    /// Commands, with `|` before a subcommand; in order.
    pub commands: BTreeSet<&'static str>,
    /// Patterns of keys.
    pub keys: Vec<Vec<u8>>,
    /// Patterns of channels.
    pub channels: Vec<Vec<u8>>,
}

impl Rules {
    /// The rights for reading, and beside it for these changes: of those queues, or of all when
    /// there are none.
    #[must_use]
    pub fn of(changes: &[Change], queues: &[Queue], place: QueueSite) -> Self {
        let mut commands: BTreeSet<_> = READ.iter().copied().collect();
        match place {
            QueueSite::Db0 => {}
            QueueSite::OtherDb => drop(commands.insert("select")),
            QueueSite::Cluster => commands.extend(CLUSTER),
        }
        if queues.is_empty() {
            commands.extend(FIND);
        }
        commands.extend(changes.iter().copied().flat_map(Change::rights));
        let renames = changes.contains(&Change::RenameTaken) || changes.contains(&Change::Undo);
        let (mut keys, mut channels) = (Vec::new(), Vec::new());
        for queue in queues {
            // Whether there is another one with the same keys.
            let twin = queue.twin();
            keys.extend(twin.map(|twin| pattern(twin.as_bytes())));
            let of_queue = queue.keys();
            let of_queue = [
                Some(of_queue.timeouts),
                of_queue.order,
                of_queue.aside,
                Some(of_queue.target),
                Some(of_queue.quarantine),
                Some(of_queue.hold.held),
                Some(of_queue.hold.leases),
                Some(of_queue.hold.intake),
            ];
            keys.extend(of_queue.iter().flatten().map(|key| pattern(key)));
            if renames {
                keys.extend(patterns_for_taken(queue));
            }
        }
        if queues.is_empty() {
            // Targets have any name.
            keys.push(b"*".to_vec());
        }
        if queues.is_empty() || queues.iter().any(|queue| queue.keys().channel.is_some()) {
            // PSUBSCRIBE is allowed for a pattern that stands here as it is, and no narrower one.
            channels.push([CHANNEL_PREFIX, b"*"].concat());
        }
        Self {
            commands,
            keys,
            channels,
        }
    }

    /// The rights that are needed at sentinels: to ask where the master is, and to hear of another.
    #[must_use]
    pub fn of_sentinels() -> Self {
        Self {
            commands: SENTINEL.iter().copied().collect(),
            keys: Vec::new(),
            channels: vec![b"+switch-master".to_vec()],
        }
    }

    /// The command that gives a user these rights and no others, as redis-cli reads it. A password
    /// that the user has stays; one that has none cannot log in.
    #[must_use]
    pub fn set_user(&self, name: &str) -> String {
        let words = self.words(name);
        let words: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
        redis_cli::command(&words)
    }

    /// The same, word by word.
    #[must_use]
    pub fn words(&self, name: &str) -> Vec<Vec<u8>> {
        let start = ["ACL", "SETUSER", name, "on"];
        let none = ["resetkeys", "resetchannels", "-@all"];
        let words = start
            .into_iter()
            .chain(none)
            .map(|word| word.as_bytes().to_vec());
        let commands = self.commands.iter();
        let commands = commands.map(|command| format!("+{command}").into_bytes());
        let keys = self.keys.iter().map(|key| [b"~", key.as_slice()].concat());
        let channels = self.channels.iter();
        let channels = channels.map(|channel| [b"&", channel.as_slice()].concat());
        words.chain(keys).chain(channels).chain(commands).collect()
    }
}

/// The patterns of the names that what has taken keys of a queue gets.
fn patterns_for_taken(queue: &Queue) -> Vec<Vec<u8>> {
    let keys = queue.keys();
    let keys = [Some(keys.timeouts), keys.order, Some(keys.target)];
    let names = keys.iter().flatten().flat_map(|key| names_for_taken(key));
    names.map(|name| pattern(&name)).collect()
}

/// The pattern that this key alone matches (or, of a name with blanks, which no pattern of an ACL
/// may hold, keys that have any byte in their place).
fn pattern(key: &[u8]) -> Vec<u8> {
    let mut pattern = Vec::with_capacity(key.len());
    for byte in key {
        match byte {
            b'*' | b'?' | b'[' | b']' | b'\\' => pattern.extend([b'\\', *byte]),
            b'\0' => pattern.push(b'?'),
            byte if byte.is_ascii_whitespace() || *byte == b'\x0b' => pattern.push(b'?'),
            byte => pattern.push(*byte),
        }
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_queue_opens_its_own_keys_only() {
        let rules = Rules::of(&[], &[Queue::redisson("orders")], QueueSite::Db0);
        // The twin is looked at, since it would share the other keys.
        let keys = [
            "{orders}",
            "redisson_delay_queue_timeout:{orders}",
            "redisson_delay_queue:{orders}",
        ];
        let more = [
            "delayscope:aside:{orders}",
            "orders",
            "delayscope:quarantine:{orders}",
            "delayscope:held:{orders}",
            "delayscope:lease:{orders}",
            "delayscope:intake:{orders}",
        ];
        let expected = keys
            .into_iter()
            .chain(more)
            .map(|key| key.as_bytes().to_vec());
        assert_eq!(rules.keys, expected.collect::<Vec<_>>());
        assert!(!rules.commands.contains("scan"));
        let plain: Queue = "zset-list:delay,ready".parse().unwrap();
        let rules = Rules::of(&[], &[plain], QueueSite::Db0);
        let keys = [
            "delay",
            "ready",
            "delayscope:zset-list-quarantine:{delay}",
            "delayscope:zset-list-held:{ready}",
            "delayscope:zset-list-lease:{ready}",
            "delayscope:zset-list-intake:{ready}",
        ];
        assert_eq!(rules.keys, keys.map(|key| key.as_bytes().to_vec()));
        assert!(rules.channels.is_empty());
    }

    #[test]
    fn reading_allows_no_write() {
        let rules = Rules::of(&[], &[], QueueSite::OtherDb);
        let writes = [
            "zadd", "lpush", "rpush", "zrem", "lrem", "publish", "eval", "evalsha",
        ];
        assert!(writes.iter().all(|write| !rules.commands.contains(write)));
    }

    #[test]
    fn what_means_something_in_a_pattern_is_escaped() {
        assert_eq!(pattern(b"a*b?c[d]\\"), b"a\\*b\\?c\\[d\\]\\\\");
        assert_eq!(pattern(b"two words\n"), b"two?words?");
    }

    #[test]
    fn the_rule_is_one_line_that_redis_cli_reads() {
        let rules = Rules {
            commands: ["time", "client|list"].into_iter().collect(),
            keys: vec![b"{q}".to_vec()],
            channels: vec![b"c:*".to_vec()],
        };
        assert_eq!(
            rules.set_user("watcher"),
            "ACL SETUSER watcher on resetkeys resetchannels \"-@all\" \"~{q}\" \"&c:*\" \
             \"+client|list\" +time"
                .replace("\"-@all\"", "-@all")
        );
    }
}
