//! Which queue a key or a channel is a sign of.

use crate::queue::{QueueName, name};
use crate::store::read::Kind;

/// Where bulk changes and repairs keep entries of a queue; what follows is what follows
/// `redisson_delay_queue:` in the name of its order list.
const OWN_PREFIXES: [&[u8]; 2] = [b"delayscope:aside:", b"delayscope:quarantine:"];

/// The names that a queue with this key or channel may have: none when it is no sign of one, two
/// when it is `…:{X}`, which Redisson makes of the name `X` and of the name `{X}`.
pub(super) fn names(key: &[u8]) -> Vec<QueueName> {
    let prefixes = [
        name::TIMEOUTS_PREFIX,
        name::CHANNEL_PREFIX,
        name::ORDER_PREFIX,
    ];
    let rest = prefixes
        .iter()
        .chain(&OWN_PREFIXES)
        .find_map(|prefix| key.strip_prefix(*prefix));
    let Some(rest) = rest.filter(|rest| rest.contains(&b'{')) else {
        return Vec::new();
    };
    let inner = rest
        .strip_prefix(b"{")
        .and_then(|rest| rest.strip_suffix(b"}"))
        .filter(|inner| !inner.is_empty() && !inner.contains(&b'{'));
    inner
        .into_iter()
        .chain([rest])
        .map(QueueName::new)
        .collect()
}

/// Which of the names are meant, by what their targets are: those whose target is a list; when
/// none is, the first, which is how nearly everybody names a queue.
pub(super) fn likely(names: Vec<QueueName>, kinds: &[Kind]) -> Vec<QueueName> {
    let lists = names
        .iter()
        .zip(kinds)
        .filter(|(_, kind)| **kind == Kind::List)
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
    fn a_key_with_a_plain_tag_may_mean_two_names() {
        assert_eq!(text("redisson_delay_queue:{q}"), ["q", "{q}"]);
        assert_eq!(text("redisson_delay_queue_timeout:{a:b}"), ["a:b", "{a:b}"]);
        assert_eq!(text("delayscope:aside:{q}"), ["q", "{q}"]);
        assert_eq!(text("delayscope:quarantine:a{b}c"), ["a{b}c"]);
        assert_eq!(text("redisson_delay_queue_channel:a{b}c"), ["a{b}c"]);
        assert_eq!(text("redisson_delay_queue:{a}{b}"), ["{a}{b}"]);
    }

    #[test]
    fn other_keys_are_no_signs() {
        for key in [
            "redisson_delay_queue:",
            "redisson_delay_queue:x",
            "rediss",
            "orders",
            "",
        ] {
            assert_eq!(text(key), [""; 0], "{key}");
        }
    }

    #[test]
    fn the_name_whose_target_is_a_list_is_meant() {
        let both = || names(b"redisson_delay_queue:{q}");
        let meant = |kinds: [Kind; 2]| -> Vec<String> {
            likely(both(), &kinds)
                .iter()
                .map(QueueName::to_string)
                .collect()
        };
        assert_eq!(meant([Kind::Missing, Kind::Missing]), ["q"]);
        assert_eq!(meant([Kind::Missing, Kind::List]), ["{q}"]);
        assert_eq!(meant([Kind::List, Kind::Missing]), ["q"]);
        assert_eq!(meant([Kind::List, Kind::List]), ["q", "{q}"]);
    }
}
