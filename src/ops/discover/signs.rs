//! The queue that a key or a channel is a sign of.

use crate::queue::{QueueName, name};
use crate::store::read::KeyType;

/// The names that a queue with this key or channel may have; see [`name::names_of_key`]. Where bulk
/// changes and repairs keep entries of a queue follows what follows `redisson_delay_queue:` in the
/// name of its order list.
pub(super) fn names(key: &[u8]) -> Vec<QueueName> {
    if let Some(name) = name::name_of_hold_key(key) {
        return vec![name];
    }
    let own = name::KEPT_PREFIXES
        .iter()
        .find_map(|prefix| key.strip_prefix(*prefix));
    match own {
        Some(rest) => name::names_of_key(&[name::ORDER_PREFIX, rest].concat()),
        None => name::names_of_key(key),
    }
}

/// Chooses those of the names that are meant, by what their targets are: those whose target is a
/// list; when none is, the first, which is how nearly everybody names a queue.
pub(super) fn likely(names: Vec<QueueName>, kinds: &[KeyType]) -> Vec<QueueName> {
    let lists = names
        .iter()
        .zip(kinds)
        .filter(|(_, kind)| **kind == KeyType::List)
        .map(|(name, _)| name.clone());
    let lists: Vec<QueueName> = lists.collect();
    if lists.is_empty() {
        names.into_iter().take(1).collect()
    } else {
        lists
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(key: &str) -> Vec<String> {
        names(key.as_bytes())
            .iter()
            .map(QueueName::to_string)
            .collect()
    }

    #[test]
    fn what_bulk_changes_and_repairs_keep_is_a_sign_too() {
        for prefix in [
            "redisson_delay_queue",
            "delayscope:aside",
            "delayscope:quarantine",
        ] {
            assert_eq!(text(&format!("{prefix}:{{q}}")), ["q", "{q}"]);
            assert_eq!(text(&format!("{prefix}:a{{b}}c")), ["a{b}c"]);
            assert_eq!(text(&format!("{prefix}:q")), [""; 0]);
        }
    }

    #[test]
    fn what_consumers_hold_is_a_sign_of_the_one_queue_whose_target_it_was_in() {
        assert_eq!(text("delayscope:held:{q}"), ["q"]);
        assert_eq!(text("delayscope:intake:={q}"), ["{q}"]);
        assert_eq!(text("delayscope:zset-list-held:{q}"), [""; 0]);
    }

    #[test]
    fn the_name_whose_target_is_a_list_is_meant() {
        let both = || names(b"redisson_delay_queue:{q}");
        let meant = |kinds: [KeyType; 2]| -> Vec<String> {
            likely(both(), &kinds)
                .iter()
                .map(QueueName::to_string)
                .collect()
        };
        assert_eq!(meant([KeyType::Missing, KeyType::Missing]), ["q"]);
        assert_eq!(meant([KeyType::Missing, KeyType::List]), ["{q}"]);
        assert_eq!(meant([KeyType::List, KeyType::Missing]), ["q"]);
        assert_eq!(meant([KeyType::List, KeyType::List]), ["q", "{q}"]);
    }
}
