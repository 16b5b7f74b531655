//! Clients as evidence: which ones are concerned, and what the server tells of them.

use std::cmp::Reverse;

use super::QueueFacts;
use crate::queue::frame::Era;
use crate::queue::look::{Client, Clients};

/// Clients that are named.
const FEW: usize = 3;

/// The clients, as the last look at the server saw them; none when they cannot be seen.
pub(super) fn seen<'a>(seen: &QueueFacts<'a>) -> Option<&'a Clients> {
    let look = seen.server.last();
    look.and_then(|look| look.clients.get_ref())
        .map(AsRef::as_ref)
}

/// The clients that have taken from some list last and do nothing now: one of them may be the
/// consumer that hangs.
pub(super) fn last_takers(seen: &QueueFacts) -> Vec<String> {
    self::seen(seen).map_or_else(Vec::new, |all| lines(all.took(seen.server.db)))
}

/// The clients that wait for an element of some list, where there are elements in this queue's: of
/// another.
pub(super) fn blocked_on_others(seen: &QueueFacts) -> Vec<String> {
    let all = self::seen(seen).map(|all| lines(all.blocked_on_lists(seen.server.db)));
    let mut lines = all.unwrap_or_default();
    if !lines.is_empty() {
        let head = "these wait for other lists (none of them takes from this one):";
        lines.insert(0, head.to_owned());
    }
    lines
}

/// The clients that are subscribed to channels: to which, no server tells.
pub(super) fn subscribers(seen: &QueueFacts) -> Vec<String> {
    self::seen(seen).map_or_else(Vec::new, |all| lines(all.subscribers()))
}

/// The clients that may transfer here, by the format that their library reads; those that do not
/// tell it in a line of their own. They listen to channels; to which, no server tells.
pub(super) fn by_format(seen: &QueueFacts) -> Vec<String> {
    let Some(all) = self::seen(seen) else {
        return Vec::new();
    };
    let of = |era, what: &str| Some(format!("{what}: {}", all.subscribed(seen.server.db, era)?));
    let lines = [
        of(Some(Era::Older), "old format"),
        of(Some(Era::Newer), "new format"),
        of(None, "clients that listen on this server"),
    ];
    lines.into_iter().flatten().collect()
}

/// A line each of the first few, the most silent ones first, and how many more there are.
fn lines<'a>(clients: impl Iterator<Item = &'a Client>) -> Vec<String> {
    let mut clients: Vec<&Client> = clients.collect();
    clients.sort_by_key(|client| Reverse(client.idle_s));
    let line = |client: &&Client| format!("{}: {}", client.called(), client.does());
    let mut lines: Vec<String> = clients.iter().take(FEW).map(line).collect();
    if clients.len() > FEW {
        lines.push(format!("and {} more like these", clients.len() - FEW));
    }
    lines
}
