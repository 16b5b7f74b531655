//! The clients of a server, as far as they say something of delayed queues: who is subscribed, who
//! waits for an element of a list, who has taken one.

use std::collections::BTreeSet;

use crate::queue::frame::Era;
use crate::queue::{EntryId, Queue, text};

/// The commands that take elements from lists.
pub const TAKING: [&str; 11] = [
    "blpop",
    "brpop",
    "lpop",
    "rpop",
    "blmpop",
    "lmpop",
    "rpoplpush",
    "brpoplpush",
    "lmove",
    "blmove",
    "ltrim",
];

/// A client that is of interest.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Client {
    /// Its number.
    pub id: u64,
    /// The address that it comes from.
    pub addr: String,
    /// The name that it gave itself; often empty.
    pub name: String,
    /// The name of its library, if it has told it (Redis 7.2 or later); often empty.
    pub lib_name: String,
    /// The version of its library; often empty.
    pub lib_version: String,
    /// The database that it has selected.
    pub db: i64,
    /// The time for which it has been connected, in s.
    pub age_s: u64,
    /// The time for which it has said nothing, in s; of a blocked one, the time for which it has
    /// been waiting.
    pub idle_s: u64,
    /// Its last command.
    pub command: String,
    /// Channels that it is subscribed to, patterns not counted.
    pub channels: u64,
    /// It is blocked by a command that waits for an element of a list (which list, no server
    /// tells).
    pub blocked_on_list: bool,
}

impl Client {
    /// It has taken from a list with its last command, and does not wait for another element.
    #[must_use]
    pub fn took(&self) -> bool {
        !self.blocked_on_list && TAKING.contains(&self.command.as_str())
    }

    /// Names it in short: `10.0.3.7 (orders-7f, redisson 3.15.1)`. The address of one that comes by
    /// a unix socket is the server's own, which tells nobody from others.
    #[must_use]
    pub fn named(&self) -> String {
        let addr = text::printable(&self.addr);
        let is_local = addr.ends_with(":0");
        let host = match addr.rsplit_once(':') {
            _ if is_local => "local",
            Some((host, _)) => host,
            None => &*addr,
        };
        let library = format!("{} {}", self.lib_name, self.lib_version);
        let known = [self.name.as_str(), library.trim()].into_iter();
        let known: Vec<_> = known.filter(|word| !word.is_empty()).collect();
        if known.is_empty() {
            let without = if is_local {
                " client without a name"
            } else {
                ""
            };
            return format!("{host}{without}");
        }
        format!("{host} ({})", text::printable(&known.join(", ")))
    }

    /// Its name has the queue's in it: likely it is one of the queue's own. Of what is called in a
    /// letter or two, nearly all names have that.
    #[must_use]
    pub fn is_called_like(&self, queue: &Queue) -> bool {
        is_like(&self.name, queue)
    }

    /// Returns the era of its Redisson, as its library tells it.
    #[must_use]
    pub fn era(&self) -> Option<Era> {
        let is_redisson = self.lib_name.to_lowercase().contains("redisson");
        let mut parts = self.lib_version.split(['.', '-']).map(str::parse::<u32>);
        let version = [
            parts.next()?.ok()?,
            parts.next()?.ok()?,
            parts.next()?.ok()?,
        ];
        let era = if version > [3, 21, 0] {
            Era::Newer
        } else {
            Era::Older
        };
        is_redisson.then_some(era)
    }

    /// Names it for people: its address and name, its database, and since when it is connected.
    #[must_use]
    pub fn called(&self) -> String {
        let name = match self.name.as_str() {
            "" => String::new(),
            name => format!(" ({})", text::printable(name)),
        };
        let (addr, db, age) = (text::printable(&self.addr), self.db, seconds(self.age_s));
        format!("{addr}{name}, db {db}, connected for {age}")
    }

    /// Says what it does, and for how long it has been silent.
    #[must_use]
    pub fn does(&self) -> String {
        let (command, idle) = (self.command.to_uppercase(), seconds(self.idle_s));
        if self.blocked_on_list {
            return format!("waits for an element of some list, in {command} for {idle}");
        }
        if self.took() {
            return format!("took from a list last, by {command}, {idle} ago");
        }
        let channels = text::counted(self.channels, "channel", "channels");
        format!("listens to {channels}, silent for {idle}")
    }
}

/// Seconds in words, no finer than the server tells them.
fn seconds(n: u64) -> String {
    match n {
        0..60 => format!("{n} s"),
        _ => text::span(n.saturating_mul(1_000)),
    }
}

/// The beginning of the names of this program's connections.
const OURS: &str = "delayscope-";

/// The name of a stand-in worker of this program on the connection that is subscribed to this
/// channel: it counts as a transfer client, and is told from the queue's own by this.
#[must_use]
pub fn worker_name(channel: &[u8]) -> String {
    format!("{OURS}worker:{}", EntryId::of_bytes(channel))
}

/// The name of a client has that of the queue in it.
fn is_like(name: &str, queue: &Queue) -> bool {
    let queue = queue.name.text().to_lowercase();
    let queue = queue.trim_matches(['{', '}']);
    queue.chars().count() > 2 && name.to_lowercase().contains(queue)
}

/// The clients.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Clients {
    /// All of them, ourselves and all.
    pub total: u64,
    /// Clients that are subscribed to a channel, blocked on a list, or have taken from one with
    /// their last command; at most [`Clients::KEPT`].
    pub listed: Vec<Client>,
    /// The names of clients with their database, whatever they did last: an idle connection of
    /// Redisson says `PING` each half a minute, and nothing tells then that it took from a list
    /// before. At most [`Clients::KEPT`].
    pub names: BTreeSet<(i64, String)>,
    /// Number of clients that wait in a command which blocks, whatever for.
    pub blocked: u64,
    /// Number of clients that have sent a script which the server holds back: nothing else makes a
    /// script wait than `CLIENT PAUSE`, or a failover.
    pub held: u64,
}

impl Clients {
    /// The most clients that are listed.
    pub const KEPT: usize = 1_000;

    /// Clients that wait for an element of some list of this database.
    pub fn blocked_on_lists(&self, db: i64) -> impl Iterator<Item = &Client> {
        let there = move |client: &&Client| client.blocked_on_list && client.db == db;
        self.listed.iter().filter(there)
    }

    /// Clients of this database that have taken from some list with their last command, and do not
    /// wait for another element.
    pub fn took(&self, db: i64) -> impl Iterator<Item = &Client> {
        let took = move |client: &&Client| client.took() && client.db == db;
        self.listed.iter().filter(took)
    }

    /// Names of the clients of this database that are called like the queue and of which no
    /// connection listens to a channel: a program that only takes what others transfer is one.
    #[must_use]
    pub fn takers_by_name(&self, db: i64, queue: &Queue) -> Vec<&str> {
        let listens = |name: &str| self.subscribers().any(|one| one.name == name);
        let there = self.names.iter().filter(|(in_db, _)| *in_db == db);
        let names = there.map(|(_, name)| name.as_str());
        let names = names.filter(|name| !name.starts_with(OURS) && is_like(name, queue));
        names.filter(|name| !listens(name)).collect()
    }

    /// Counts the stand-in workers of this program, here or elsewhere, that are subscribed to that
    /// channel.
    #[must_use]
    pub fn stand_ins(&self, channel: &[u8]) -> u64 {
        let name = worker_name(channel);
        let ours = self.subscribers().filter(|client| client.name == name);
        u64::try_from(ours.count()).unwrap_or(u64::MAX)
    }

    /// Names the clients of that database that are subscribed to channels, in short: of many the
    /// first few of [`Clients::named_listeners`]; where some are called like the queue, only these,
    /// and the number of the others.
    #[must_use]
    pub fn subscribed(&self, db: i64, era: Option<Era>, queue: &Queue) -> Option<String> {
        /// Clients that are named.
        const CLIENTS_NAMED: usize = 4;
        let names = self.listener_names(db, era, queue);
        let likely = names.iter().filter(|(other, _)| !other).count();
        let shown = if likely == 0 {
            CLIENTS_NAMED
        } else {
            likely.min(CLIENTS_NAMED)
        };
        let more = match names.len().saturating_sub(shown) {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        let names: Vec<String> = names
            .into_iter()
            .take(shown)
            .map(|(_, name)| name)
            .collect();
        (!names.is_empty()).then(|| format!("{}{more}", names.join(", ")))
    }

    /// Names the clients of that database that are subscribed to channels: each once, ours left out,
    /// those that are called like the queue first. By the format that their library reads, as far as
    /// that is known.
    #[must_use]
    pub fn named_listeners(&self, db: i64, era: Option<Era>, queue: &Queue) -> Vec<String> {
        let names = self.listener_names(db, era, queue).into_iter();
        names.map(|(_, name)| name).collect()
    }

    /// The same, each with whether it is not called like the queue.
    fn listener_names(&self, db: i64, era: Option<Era>, queue: &Queue) -> Vec<(bool, String)> {
        let listeners = self.listeners(db, era);
        let mut names: Vec<(bool, String)> = listeners
            .map(|client| (!client.is_called_like(queue), client.named()))
            .collect();
        names.sort();
        names.dedup();
        names
    }

    /// The clients of that database that are subscribed to channels, ours left out, and whose
    /// library reads that format.
    pub fn listeners(&self, db: i64, era: Option<Era>) -> impl Iterator<Item = &Client> {
        let there = self.subscribers();
        there.filter(move |one| one.db == db && one.era() == era && !one.name.starts_with(OURS))
    }

    /// Clients that are subscribed to channels.
    pub fn subscribers(&self) -> impl Iterator<Item = &Client> {
        self.listed.iter().filter(|client| client.channels > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_the_clients_that_listen_those_called_like_the_queue_are_named() {
        let client = |name: &str| Client {
            name: name.to_owned(),
            addr: "10.0.0.1:5000".to_owned(),
            channels: 1,
            ..Client::default()
        };
        let names = ["a-1", "b-1", "c-1", "d-1", "e-1", "Mail-2", "mail-1"];
        let all = Clients {
            listed: names.map(client).to_vec(),
            ..Clients::default()
        };
        let told = all.subscribed(0, None, &Queue::redisson("{mail}")).unwrap();
        assert_eq!(told, "10.0.0.1 (Mail-2), 10.0.0.1 (mail-1) and 5 more");
        let told = all.subscribed(0, None, &Queue::redisson("zoo")).unwrap();
        assert!(told.ends_with("(c-1) and 3 more"), "{told}");
    }

    #[test]
    fn a_client_that_comes_by_a_unix_socket_has_no_address_of_its_own() {
        let mut client = Client {
            addr: "redis.sock:0".to_owned(),
            ..Client::default()
        };
        assert_eq!(client.named(), "local client without a name");
        client.name = "orders-7f".to_owned();
        client.lib_name = "redisson".to_owned();
        assert_eq!(client.named(), "local (orders-7f, redisson)");
        client.addr = "[::1]:5000".to_owned();
        assert_eq!(client.named(), "[::1] (orders-7f, redisson)");
    }
}
