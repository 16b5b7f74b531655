//! The result of a slow look at the server: `INFO`, the clients, the scripts it remembers. One look
//! serves all queues.

mod client;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::fleet::{ClusterView, SentinelAnswer};
use super::frame::Era;
use super::known::Known;
use super::layout::Queue;
use super::server::{Facts, Link};
use super::slot::slot;
use crate::clock::EpochMillis;
pub use client::{Client, Clients, TAKING, worker_name};

/// A look is taken again after this, in ms, when the rules wait for what it says.
const PRESSING_MS: i64 = 10_000;
/// A look is taken again after this, in ms, when all is well.
const CALM_MS: i64 = 20_000;
/// A look is taken again after this, in ms, when it cost the server more than [`DEAR_US`].
const SELDOM_MS: i64 = 100_000;
const DEAR_US: u64 = 2_000;

/// The extent of a look.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum LookAsk {
    /// All but what the server counts of each command, which costs as much as all else: enough
    /// while all is well.
    Brief,
    /// All, with what the server counts of each command.
    Whole,
}

/// One look. It costs nobody but the server: at most every 10 s.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerLook {
    /// The server's time of the look.
    pub at: EpochMillis,
    /// The fields of `INFO` (memory, stats, persistence, replication, cluster, errorstats,
    /// commandstats unless it was brief), by their names; or why it is refused.
    pub info: Known<Arc<Info>>,
    /// Clients; or why `CLIENT LIST` is refused.
    pub clients: Known<Arc<Clients>>,
    /// The scripts of Redisson that the server has run since its start or the last `SCRIPT FLUSH`;
    /// or why `SCRIPT EXISTS` is refused.
    pub scripts: Known<Scripts>,
    /// Cost of the look to the server, in µs by its own clock.
    pub server_us: u64,
    /// The same of each node of a cluster that owns slots and has answered.
    pub nodes: Vec<NodeLook>,
    /// All nodes of the cluster, once as each of these tells of them.
    pub views: Vec<Arc<ClusterView>>,
    /// The sentinels that lead to the server, each with its last answer.
    pub sentinels: Vec<SentinelAnswer>,
}

/// A look at a node of a cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeLook {
    /// Its address.
    pub address: Arc<str>,
    /// The slots that it owns: first and last of each share, in order.
    pub slots: Vec<(u16, u16)>,
    /// The link to it.
    pub link: Link,
    /// Its words about itself.
    pub look: ServerLook,
}

/// The fields of `INFO`.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Info(pub BTreeMap<String, String>);

impl Info {
    /// Reads what `INFO` says; more may be read into the same fields.
    pub fn read(&mut self, text: &str) {
        let fields = text
            .lines()
            .filter_map(|line| line.trim_end().split_once(':'));
        let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
        self.0.extend(fields);
    }

    /// A field in words; none when the server has none of that name.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// A field that is a number.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<u64> {
        self.text(name)?.parse().ok()
    }

    /// A part of a field such as `cmdstat_eval:calls=5,usec=120`: `part("cmdstat_eval", "calls")`.
    #[must_use]
    pub fn part(&self, name: &str, part: &str) -> Option<u64> {
        let parts = self.text(name)?.split(',');
        let mut pairs = parts.filter_map(|pair| pair.split_once('='));
        pairs.find(|(name, _)| *name == part)?.1.parse().ok()
    }

    /// Counts the answers of the server that were an error of that code, such as `OOM`, since its
    /// start (Redis ≥ 6.2; none before).
    #[must_use]
    pub fn errors(&self, code: &str) -> Option<u64> {
        // Codes that never came are not told, but those servers that tell any tell this field.
        self.number("total_error_replies")?;
        Some(
            self.part(&format!("errorstat_{code}"), "count")
                .unwrap_or(0),
        )
    }

    /// Leaves so many errors of that code out of its count: our own.
    pub fn without(&mut self, code: &str, own: u64) {
        let name = format!("errorstat_{code}");
        if let Some(count) = self.part(&name, "count") {
            let others = count.saturating_sub(own);
            self.0.insert(name, format!("count={others}"));
        }
    }

    /// Counts the failed calls of the commands that run scripts since the start (Redis ≥ 6.2); none
    /// after a brief look.
    #[must_use]
    pub fn failed_scripts(&self) -> Option<u64> {
        self.number("total_error_replies")?;
        // Commands that nobody has called are not told; those that look are always there.
        let told = self.0.range("cmdstat_".to_owned()..).next()?;
        told.0.starts_with("cmdstat_").then_some(())?;
        let failed = ["cmdstat_eval", "cmdstat_evalsha"];
        let failed = failed.map(|name| self.part(name, "failed_calls").unwrap_or(0));
        Some(failed.iter().sum())
    }
}

/// The scripts of Redisson that the server remembers, by era.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Scripts {
    /// The transfer of the older and of the newer era.
    pub transfer: [bool; 2],
    /// The offer of the older and of the newer era.
    pub offer: [bool; 2],
}

impl Scripts {
    /// Clients of that era have transferred.
    #[must_use]
    pub const fn transferred(self, era: Era) -> bool {
        match era {
            Era::Older => self.transfer[0],
            Era::Newer => self.transfer[1],
        }
    }
}

/// The last looks, and what else is the same for all queues; in a cluster for those of each node.
#[derive(Clone, Debug)]
pub struct ServerWatch {
    looks: VecDeque<Arc<ServerLook>>,
    nodes: Vec<NodeWatch>,
    /// The address of the node of a cluster that it is of; none: it is of where the link leads.
    pub node: Option<Arc<str>>,
    /// The lead of this machine's clock over the server's, in ms; none before the first answer.
    pub skew_ms: Option<i64>,
    /// The database that the queues are in.
    pub db: i64,
    /// Number of bytes of the server's `unsigned long`: see [`Facts::long_bytes`].
    pub long: usize,
}

/// The last looks at a node of a cluster.
#[derive(Clone, Debug)]
struct NodeWatch {
    address: Arc<str>,
    slots: Vec<(u16, u16)>,
    watch: ServerWatch,
}

impl Default for ServerWatch {
    fn default() -> Self {
        Self {
            looks: VecDeque::new(),
            nodes: Vec::new(),
            node: None,
            skew_ms: None,
            db: 0,
            long: 8,
        }
    }
}

impl ServerWatch {
    /// Looks kept.
    const KEPT: usize = 8;

    /// Takes over what the link tells: its clock, and what the server is.
    pub fn linked(&mut self, link: &Link) {
        self.skew_ms = link.clock.map(|clock| clock.skew_ms());
        self.long = link.facts.as_ref().map_or(8, Facts::long_bytes);
    }

    /// A look has been taken. One after a restart of the server, which counts anew, begins anew.
    pub fn looked(&mut self, mut look: ServerLook) {
        for node in std::mem::take(&mut look.nodes) {
            self.looked_at_node(node);
        }
        let replies = |look: &ServerLook| look.info.get_ref()?.number("total_commands_processed");
        let restarted = self.last().and_then(replies) > replies(&look);
        if restarted {
            self.looks.clear();
        }
        self.looks.push_back(Arc::new(look));
        if self.looks.len() > Self::KEPT {
            self.looks.pop_front();
        }
    }

    /// The same of a node; what it owns now no other one does.
    fn looked_at_node(&mut self, node: NodeLook) {
        let known = self
            .nodes
            .iter()
            .position(|one| one.address == node.address);
        let mut here = match known {
            Some(at) => self.nodes.swap_remove(at),
            None => NodeWatch {
                watch: Self {
                    node: Some(Arc::clone(&node.address)),
                    ..Self::default()
                },
                address: node.address,
                slots: Vec::new(),
            },
        };
        here.slots = node.slots;
        here.watch.db = self.db;
        here.watch.linked(&node.link);
        here.watch.looked(node.look);
        let is_taken = |share: &(u16, u16)| here.slots.contains(share);
        for other in &mut self.nodes {
            other.slots.retain(|share| !is_taken(share));
        }
        self.nodes.push(here);
    }

    /// The last looks: at the server, or at each node of a cluster, with its address.
    pub fn last_looks(&self) -> impl Iterator<Item = (Option<&str>, &ServerLook)> {
        let alone = self.nodes.is_empty().then_some(self);
        let nodes = self.nodes.iter().map(|node| &node.watch);
        let each = alone.into_iter().chain(nodes);
        each.filter_map(|watch| Some((watch.node.as_deref(), &**watch.looks.back()?)))
    }

    /// Returns the same for this queue: in a cluster what the node that owns it says.
    #[must_use]
    pub fn of(&self, queue: &Queue) -> &Self {
        if self.nodes.is_empty() {
            return self;
        }
        let slot = slot(&queue.keys().timeouts);
        let owns = |node: &&NodeWatch| {
            let mut slots = node.slots.iter();
            slots.any(|(first, last)| (*first..=*last).contains(&slot))
        };
        let owner = self.nodes.iter().find(owns);
        owner.map_or(self, |node| &node.watch)
    }

    /// The last look.
    #[must_use]
    pub fn last(&self) -> Option<&ServerLook> {
        self.looks.back().map(AsRef::as_ref)
    }

    /// The time for which no other look shall be taken after the last one, in ms; `pressing`: the
    /// rules of some queue wait for one
    /// ([`Watch::presses_for_look`](super::finding::Watch::presses_for_look)).
    #[must_use]
    pub fn rests(&self, pressing: bool) -> i64 {
        match self.last() {
            Some(last) if last.server_us > DEAR_US => SELDOM_MS,
            Some(_) if !pressing => CALM_MS,
            // One that failed may not the next time.
            _ => PRESSING_MS,
        }
    }

    /// The extent of the next look.
    #[must_use]
    pub fn asks(&self, pressing: bool) -> LookAsk {
        if pressing || self.last().is_none() {
            LookAsk::Whole
        } else {
            LookAsk::Brief
        }
    }

    /// `INFO` of the last look.
    #[must_use]
    pub fn info(&self) -> Option<&Info> {
        Some(self.last()?.info.get_ref()?.as_ref())
    }

    /// The time for which it has been so at each look up to the last one, in ms; none: it is not
    /// so.
    pub fn lasts(&self, is_so: impl Fn(&ServerLook) -> bool) -> Option<i64> {
        let last = self.last()?;
        let looks = self.looks.iter().rev();
        let first = looks.take_while(|look| is_so(look)).last()?;
        Some(last.at.since(first.at))
    }

    /// The last look that is so many ms older than the last one, or more.
    #[must_use]
    pub fn before(&self, ms: i64) -> Option<&ServerLook> {
        let last = self.last()?;
        let mut looks = self.looks.iter().rev();
        let found = looks.find(|look| last.at.since(look.at) >= ms)?;
        Some(found.as_ref())
    }

    /// Returns how much a count has grown since the look `within_ms` or less ago (or the first one
    /// since then), and over how many ms; none before there are two looks that tell it.
    pub fn grew(&self, within_ms: i64, count: impl Fn(&Info) -> Option<u64>) -> Option<(u64, i64)> {
        let last = self.last()?;
        let of = |look: &ServerLook| count(look.info.get_ref()?);
        let mut looks = self.looks.iter();
        let tells = |look: &&Arc<ServerLook>| {
            last.at.since(look.at) <= within_ms && of(look.as_ref()).is_some()
        };
        let first = looks.find(tells)?;
        let span = last.at.since(first.at);
        (span > 0).then_some(())?;
        Some((of(last)?.saturating_sub(of(first)?), span))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(ms: i64, info: &str) -> ServerLook {
        let mut read = Info::default();
        read.read(info);
        ServerLook {
            at: EpochMillis::new(ms),
            info: Known::Is(read.into()),
            clients: Known::None,
            scripts: Known::None,
            server_us: 40,
            nodes: Vec::new(),
            views: Vec::new(),
            sentinels: Vec::new(),
        }
    }

    #[test]
    fn a_queue_of_a_cluster_is_judged_by_what_its_own_node_says() {
        let node = |address: &str, slots, info: &str| NodeLook {
            address: address.into(),
            slots: vec![slots],
            link: Link::default(),
            look: taken(0, info),
        };
        let queue = Queue::redisson("foo");
        let memory = |server: &ServerWatch| server.of(&queue).info()?.number("used_memory");
        let mut server = ServerWatch::default();
        server.looked(taken(0, "used_memory:1"));
        assert_eq!(memory(&server), Some(1), "no cluster");
        // Slot 12182.
        let nodes = vec![
            node("a", (0, 12_181), "used_memory:2"),
            node("b", (12_182, 16_383), "used_memory:3"),
        ];
        server.looked(ServerLook {
            nodes,
            ..taken(1, "used_memory:1")
        });
        assert_eq!(memory(&server), Some(3));
        // Its replica has taken over.
        let nodes = vec![node("c", (12_182, 16_383), "used_memory:4")];
        server.looked(ServerLook {
            nodes,
            ..taken(2, "used_memory:1")
        });
        assert_eq!(memory(&server), Some(4));
    }

    #[test]
    fn looks_are_rare_and_brief_while_no_rule_waits_for_them() {
        let mut server = ServerWatch::default();
        assert_eq!(server.asks(false), LookAsk::Whole, "the first one");
        server.looked(taken(0, "used_memory:1"));
        assert_eq!(
            (server.rests(false), server.asks(false)),
            (20_000, LookAsk::Brief)
        );
        assert_eq!(
            (server.rests(true), server.asks(true)),
            (10_000, LookAsk::Whole)
        );
        server.looked(ServerLook {
            server_us: 3_000,
            ..taken(20_000, "used_memory:1")
        });
        assert_eq!(
            [true, false].map(|pressing| server.rests(pressing)),
            [100_000; 2]
        );
    }

    #[test]
    fn what_a_brief_look_does_not_tell_is_counted_from_whole_one_to_whole_one() {
        let mut server = ServerWatch::default();
        let failed =
            |n: u64| format!("total_error_replies:{n}\ncmdstat_eval:calls=9,failed_calls={n}\n");
        server.looked(taken(0, &failed(3)));
        server.looked(taken(10_000, "total_error_replies:5\n"));
        let errors = |info: &Info| info.number("total_error_replies");
        assert_eq!(server.grew(30_000, errors), Some((2, 10_000)));
        assert_eq!(server.grew(30_000, Info::failed_scripts), None);
        server.looked(taken(20_000, &failed(7)));
        assert_eq!(server.grew(30_000, Info::failed_scripts), Some((4, 20_000)));
        assert_eq!(server.grew(15_000, Info::failed_scripts), None);
    }
}
