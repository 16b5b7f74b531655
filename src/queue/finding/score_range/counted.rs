//! The number of entries of a kind at the head of timeouts.

use super::QueueFacts;
use crate::queue::exact::Group;
use crate::queue::{Exact, JudgedMember, text};

/// The entries of the last sample of which that holds.
fn sampled<'a>(seen: &QueueFacts<'a>, holds: impl Fn(f64) -> bool) -> Vec<&'a JudgedMember> {
    let all = seen.watch.sample().map_or(&[][..], |s| &s.next_due);
    let held = |one: &&JudgedMember| one.score.is_some_and(&holds);
    all.iter().filter(held).collect()
}

/// Entries of a kind, as far as anybody has counted.
pub(super) struct EntryCount<'a> {
    /// Their number.
    pub(super) count: u64,
    /// There may be more of them behind what was looked at.
    at_least: bool,
    /// The first of them.
    pub(super) bad: Vec<&'a JudgedMember>,
}

impl EntryCount<'_> {
    /// Them, in words: "5 entries are", "at least 100 entries are", or what `least` says for that.
    pub(super) fn words(&self, least: &str, one: &str, many: &str) -> String {
        let words = text::counted(self.count, one, many);
        if self.at_least {
            format!("{least} {words}")
        } else {
            words
        }
    }

    /// The figure that grows or shrinks, if it is known.
    pub(super) fn figure(&self) -> Option<u64> {
        (!self.at_least).then_some(self.count)
    }
}

/// Counts the entries of a kind at the head of timeouts, and collects the first of them: of a look
/// at all members, if there was one.
pub(super) fn known<'a>(
    seen: &QueueFacts<'a>,
    group: fn(&Exact) -> &Group,
    holds: impl Fn(f64) -> bool,
) -> EntryCount<'a> {
    let bad = sampled(seen, &holds);
    let count = u64::try_from(bad.len()).unwrap_or(u64::MAX).max(1);
    match seen.watch.exact().map(group) {
        Some(group) if group.count >= count => EntryCount {
            count: group.count,
            at_least: false,
            bad: group.first.iter().collect(),
        },
        _ => {
            // They sort first: behind another one, or the last one, there are no more of them.
            let waiting = seen.pulse.and_then(|pulse| pulse.waiting.get());
            let last = seen
                .watch
                .sample()
                .and_then(|sample| sample.next_due.last());
            let behind = last.is_some_and(|one| !one.score.is_some_and(holds));
            EntryCount {
                count,
                at_least: !behind && waiting > Some(count),
                bad,
            }
        }
    }
}
