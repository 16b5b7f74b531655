//! Clients as evidence: which ones are concerned, and what the server tells of them.

use std::cmp::Reverse;

use super::QueueFacts;
use crate::queue::frame::Era;
use crate::queue::look::{Client, Clients};
use crate::queue::text;

/// Clients that are named.
const CLIENTS_NAMED: usize = 3;

/// The clients, as the last look at the server saw them; none when they cannot be seen.
pub(super) fn seen<'a>(seen: &QueueFacts<'a>) -> Option<&'a Clients> {
    let look = seen.server.last();
    look.and_then(|look| look.clients.get_ref())
        .map(AsRef::as_ref)
}

/// The clients that may be the consumer that hangs: they have taken from some list last, and have
/// been silent for at least so long. Who has taken since then has taken from another list.
pub(super) fn last_takers(seen: &QueueFacts, silent_ms: i64) -> Vec<String> {
    self::seen(seen).map_or_else(Vec::new, |all| {
        let silent = |client: &&Client| {
            let idle_ms = i64::try_from(client.idle_s).unwrap_or(i64::MAX / 1_000) * 1_000;
            // Idle times are told in whole seconds.
            idle_ms + 1_000 > silent_ms
        };
        lines(seen, all.took(seen.server.db).filter(silent))
    })
}

/// The clients that are called like the queue and listen to channels (to which, no server tells):
/// whether a connection of theirs waits for an element of a list, where elements stand in this
/// queue's.
pub(super) fn namesakes_that_take(seen: &QueueFacts) -> Vec<String> {
    let Some(all) = self::seen(seen) else {
        return Vec::new();
    };
    let db = seen.server.db;
    let waits = |name: &str| {
        if all.blocked_on_lists(db).any(|client| client.name == name) {
            "its connections that wait for elements wait for those of other lists"
        } else {
            "no connection of it waits for an element of any list"
        }
    };
    let line = |one: &Client| {
        let name = text::printable(&one.name);
        let channels = text::counted(one.channels, "channel", "channels");
        format!("{name} listens to {channels}, but {}", waits(&one.name))
    };
    let called_so = |client: &&Client| client.db == db && client.is_called_like(seen.queue);
    let mut lines: Vec<String> = all.subscribers().filter(called_so).map(line).collect();
    lines.sort();
    lines.dedup();
    let only_take = all.takers_by_name(db, seen.queue).into_iter();
    let only_take = only_take.map(|name| {
        let (name, waits) = (text::printable(name), waits(name));
        format!("{name} may be who takes its elements, and {waits}")
    });
    let mut lines: Vec<String> = only_take.chain(lines).collect();
    lines.truncate(CLIENTS_NAMED);
    lines
}

/// The clients that are called like the queue and listen to no channel: a program that only takes
/// its elements is one of them.
pub(super) fn takers_by_name(seen: &QueueFacts) -> Vec<String> {
    let names = self::seen(seen).map(|all| all.takers_by_name(seen.server.db, seen.queue));
    let names = names.unwrap_or_default().into_iter().take(CLIENTS_NAMED);
    names
        .map(|name| text::printable(name).into_owned())
        .collect()
}

/// The names of clients that are called like the queue and listen to channels, each once.
pub(super) fn namesakes(seen: &QueueFacts) -> Vec<String> {
    let Some(all) = self::seen(seen) else {
        return Vec::new();
    };
    let called_so = all
        .subscribers()
        .filter(|one| one.is_called_like(seen.queue));
    let mut names: Vec<String> = called_so
        .map(|one| text::printable(&one.name).into_owned())
        .collect();
    names.sort();
    names.dedup();
    names.truncate(CLIENTS_NAMED);
    names
}

/// The clients that are subscribed to channels: to which, no server tells.
pub(super) fn subscribers(seen: &QueueFacts) -> Vec<String> {
    self::seen(seen).map_or_else(Vec::new, |all| lines(seen, all.subscribers()))
}

/// The clients that may transfer here, by the format that their library reads; those that do not
/// tell it in a line of their own. They listen to channels; to which, no server tells.
pub(super) fn by_format(seen: &QueueFacts) -> Vec<String> {
    let Some(all) = self::seen(seen) else {
        return Vec::new();
    };
    let of = |era, what: &str| {
        Some(format!(
            "{what}: {}",
            all.subscribed(seen.server.db, era, seen.queue)?
        ))
    };
    let lines = [
        of(Some(Era::Older), "old format"),
        of(Some(Era::Newer), "new format"),
        of(None, "clients that listen on this server"),
    ];
    lines.into_iter().flatten().collect()
}

/// A line each of the first few that are called like the queue, and how many others there are;
/// where none is called so, of the most silent ones.
fn lines<'a>(seen: &QueueFacts, clients: impl Iterator<Item = &'a Client>) -> Vec<String> {
    let mut clients: Vec<&Client> = clients.collect();
    clients.sort_by_key(|client| (!client.is_called_like(seen.queue), Reverse(client.idle_s)));
    let line = |client: &&Client| format!("{}: {}", client.called(), client.does());
    let is_like = |client: &&&Client| client.is_called_like(seen.queue);
    let likely = clients.iter().filter(is_like).count();
    let shown = if likely == 0 {
        CLIENTS_NAMED
    } else {
        likely.min(CLIENTS_NAMED)
    };
    let mut lines: Vec<String> = clients.iter().take(shown).map(line).collect();
    match clients.len().saturating_sub(shown) {
        0 => {}
        more if likely == 0 => lines.push(format!("and {more} more like these")),
        more => lines.push(format!("and {more} more")),
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::super::tests::server_look;
    use super::*;
    use crate::queue::finding::Watch;
    use crate::queue::{Known, Queue, ServerLook, ServerWatch};

    #[test]
    fn those_that_are_called_like_the_queue_are_named_else_the_most_silent_three() {
        let told = |queue: &str| {
            let names = ["memberships-1", "mail-1", "cards-1", "shop-1", "Gift-2"];
            let client = |(idle_s, name): (u64, &str)| Client {
                addr: "10.0.0.1:5".to_owned(),
                name: name.to_owned(),
                channels: 1,
                idle_s: 90 - idle_s,
                ..Client::default()
            };
            let listed: Vec<Client> = (0..).zip(names).map(client).collect();
            let clients = Clients {
                total: 5,
                listed,
                ..Clients::default()
            };
            let mut server = ServerWatch::default();
            server.looked(ServerLook {
                clients: Known::Is(clients.into()),
                ..server_look(0, [false, true], 0)
            });
            subscribers(&QueueFacts {
                queue: &Queue::redisson(queue),
                pulse: None,
                survey: None,
                watch: &Watch::default(),
                server: &server,
            })
        };
        for gift in ["gift", "{gift}"] {
            let lines = told(gift);
            assert!(lines[0].contains("(Gift-2)"), "{lines:?}");
            assert_eq!(lines[1..], ["and 4 more"]);
        }
        // Nearly all names have an "a" in them.
        let lines = told("a");
        let names = ["memberships-1", "mail-1", "cards-1"];
        for (line, name) in lines.iter().zip(names) {
            assert!(line.contains(&format!("({name})")), "{lines:?}");
        }
        assert_eq!(lines[3..], ["and 2 more like these"]);
    }
}
