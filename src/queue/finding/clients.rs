//! Clients as evidence: which ones are concerned, and what the server tells of them.

use std::cmp::Reverse;

use super::Seen;
use crate::queue::look::{Client, Clients};
use crate::queue::text;

/// So many are named.
const FEW: usize = 3;

/// The clients, as the last look at the server saw them; none when it cannot be seen.
pub(super) fn seen<'a>(seen: &Seen<'a>) -> Option<&'a Clients> {
    let look = seen.server.last();
    look.and_then(|look| look.clients.get_ref())
        .map(AsRef::as_ref)
}

/// Those that have taken from some list last and do nothing now: one of them may be the consumer that
/// hangs. Those that have been silent for longest come first.
pub(super) fn last_takers(seen: &Seen) -> Vec<String> {
    let Some(all) = self::seen(seen) else {
        return Vec::new();
    };
    lines(all.took(seen.server.db), |client| {
        let (command, ago) = (client.command.to_uppercase(), since(client.idle_s));
        format!("took from a list last, by {command}, {ago} ago")
    })
}

/// Those that wait for an element of some list.
pub(super) fn blocked(seen: &Seen) -> Vec<String> {
    let Some(all) = self::seen(seen) else {
        return Vec::new();
    };
    lines(all.blocked_on_lists(seen.server.db), |client| {
        let (command, waits) = (client.command.to_uppercase(), since(client.idle_s));
        format!("waits for some other list, in {command} for {waits}")
    })
}

/// Those that are subscribed to channels.
pub(super) fn subscribers(seen: &Seen) -> Vec<String> {
    let Some(all) = self::seen(seen) else {
        return Vec::new();
    };
    lines(all.subscribers(), |client| {
        let channels = text::counted(client.channels, "channel", "channels");
        let silent = since(client.idle_s);
        format!("listens to {channels} (which, no server tells), silent for {silent}")
    })
}

/// A line each of the first few, the most silent ones first, and how many more there are.
fn lines<'a>(
    clients: impl Iterator<Item = &'a Client>,
    does: impl Fn(&Client) -> String,
) -> Vec<String> {
    let mut clients: Vec<&Client> = clients.collect();
    clients.sort_by_key(|client| Reverse(client.idle_s));
    let line = |client: &&Client| format!("{}: {}", called(client), does(client));
    let mut lines: Vec<String> = clients.iter().take(FEW).map(line).collect();
    if clients.len() > FEW {
        lines.push(format!("and {} more like these", clients.len() - FEW));
    }
    lines
}

/// What a client is called: its address and name, its database, and since when it is connected.
fn called(client: &Client) -> String {
    let name = match client.name.as_str() {
        "" => String::new(),
        name => format!(" ({})", text::printable(name)),
    };
    let (addr, db, age) = (&client.addr, client.db, since(client.age_s));
    format!("{addr}{name}, db {db}, connected for {age}")
}

/// So many seconds in words: no finer than the server tells them.
fn since(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        _ => text::span(seconds.saturating_mul(1_000)),
    }
}
