//! The servers behind one address: a master and its replicas, the sentinels that watch them, the
//! nodes of a cluster.

use std::sync::Arc;

use super::fleet::{ClusterNode, ClusterView, MovingSlot};
use super::look::{Info, ServerLook};
use super::sentinels::place;
use super::server::Link;
use super::text;

/// Shares of slots that are told one by one.
const MOST_SHARES: usize = 4;

/// A replica, as its master tells of it.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Follower {
    /// Host and port.
    pub address: String,
    /// Bytes of the replication stream that it has said to have.
    pub offset: u64,
    /// Seconds since it last said so.
    pub lag_s: u64,
    /// It is to be given, or being given, a copy of everything.
    pub copied: bool,
}

/// A server behind the address.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Node {
    /// Host and port, or the path of a unix socket.
    pub address: String,
    /// Its id in a cluster.
    pub id: Option<String>,
    /// Its part.
    pub role: Role,
    /// The master that a replica follows, or that a sentinel names.
    pub of: Option<String>,
    /// The slots that it owns: first and last of each share.
    pub slots: Vec<(u16, u16)>,
    /// Its slots that are on their way; the others are told by their addresses.
    pub moving: Vec<MovingSlot>,
    /// Its state.
    pub state: NodeState,
    /// The reason why we do not reach it ourselves; none: we do, or have not tried.
    pub why: Option<String>,
    /// We have heard it itself.
    pub heard: bool,
    /// Its product and version, such as `redis 7.0.15`.
    pub version: Option<String>,
    /// The lead of this machine's clock over its own, in ms.
    pub skew_ms: Option<i64>,
    /// Bytes of its master's replication stream that it has not said yet to have.
    pub lag_bytes: Option<u64>,
    /// Seconds since it last said so.
    pub lag_s: Option<u64>,
}

/// The part of a node.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Role {
    /// Takes writes.
    Master,
    /// Follows a master.
    Replica,
    /// Watches a master and its replicas.
    Sentinel,
}

impl Role {
    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Master => "master",
            Self::Replica => "replica",
            Self::Sentinel => "sentinel",
        }
    }
}

/// The state of a node.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum NodeState {
    /// It is there, and a replica follows.
    Ok,
    /// A replica is being given a copy of everything.
    Copying,
    /// A replica has lost its master.
    Cut,
    /// The other nodes say that it is dead.
    Failed,
    /// It does not answer.
    Silent,
}

impl NodeState {
    /// The words for it.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Copying => "copying",
            Self::Cut => "cut off",
            Self::Failed => "failed",
            Self::Silent => "no answer",
        }
    }
}

/// The replicas that a server tells of in `INFO replication`: the state of one that is copied to is
/// `wait_bgsave` or `send_bulk`.
#[must_use]
pub fn followers(info: &Info) -> Vec<Follower> {
    let all = info.0.iter();
    let all = all.filter_map(|(name, words)| {
        name.strip_prefix("slave")?.parse::<u32>().ok()?;
        let field = |wanted| {
            let mut fields = words.split(',').filter_map(|word| word.split_once('='));
            fields.find_map(|(name, value)| (name == wanted).then_some(value))
        };
        Some(Follower {
            address: place(field("ip")?, field("port")?.parse().ok()?),
            offset: field("offset")?.parse().ok()?,
            lag_s: field("lag").and_then(|lag| lag.parse().ok()).unwrap_or(0),
            copied: field("state").is_some_and(|state| state != "online"),
        })
    });
    all.collect()
}

/// All that a look tells of; `home` is where the link leads, as `link` knows it. Masters come first,
/// in the order of their slots, each with its replicas behind it, sentinels last.
#[must_use]
pub fn nodes(look: &ServerLook, link: &Link, home: &str) -> Vec<Node> {
    let mut nodes = if look.nodes.is_empty() {
        of_server(look, link, home)
    } else {
        of_cluster(look)
    };
    nodes.extend(look.sentinels.iter().map(|post| {
        let silent = post.master.is_none();
        Node {
            of: post.master.clone(),
            state: if silent {
                NodeState::Silent
            } else {
                NodeState::Ok
            },
            heard: !silent,
            ..Node::new(post.address.clone(), Role::Sentinel)
        }
    }));
    nodes
}

impl Node {
    fn new(address: String, role: Role) -> Self {
        Self {
            address,
            id: None,
            role,
            of: None,
            slots: Vec::new(),
            moving: Vec::new(),
            state: NodeState::Ok,
            why: None,
            heard: false,
            version: None,
            skew_ms: None,
            lag_bytes: None,
            lag_s: None,
        }
    }

    /// The number of slots that it owns.
    #[must_use]
    pub fn slot_count(&self) -> u64 {
        let shares = self.slots.iter();
        shares
            .map(|(first, last)| u64::from(last - first) + 1)
            .sum()
    }

    /// Its slots in words, those on their way last: `0-5460, 93 to 10.0.0.2:7000`.
    #[must_use]
    pub fn slot_words(&self) -> String {
        let share = |(first, last): &(u16, u16)| {
            if first == last {
                first.to_string()
            } else {
                format!("{first}-{last}")
            }
        };
        let mut words: Vec<String> = self.slots.iter().take(MOST_SHARES).map(share).collect();
        let more = self.slots.len().saturating_sub(MOST_SHARES);
        if more > 0 {
            words.push(format!("{more} more"));
        }
        words.extend(self.moving.iter().map(|moving| {
            let way = if moving.leaves { "to" } else { "from" };
            format!("{} {way} {}", moving.slot, moving.other)
        }));
        words.join(", ")
    }

    /// Says how far behind its master it is: `1.2 MB`, `1.2 MB, 14 s`; empty where that is not known.
    #[must_use]
    pub fn lag_words(&self) -> String {
        let bytes = self.lag_bytes.map(text::bytes);
        match (bytes, self.lag_s) {
            (Some(bytes), Some(s @ 3..)) => format!("{bytes}, {s} s"),
            (Some(bytes), _) => bytes,
            (None, _) => String::new(),
        }
    }

    /// The lead of our clock over its own; empty where that is not known.
    #[must_use]
    pub fn skew_words(&self) -> String {
        self.skew_ms
            .map_or_else(String::new, |ms| format!("{ms} ms"))
    }

    /// The same node, once the link to it tells of it.
    #[must_use]
    pub fn heard_by(mut self, link: &Link) -> Self {
        self.heard = true;
        self.skew_ms = link.clock.map(|clock| clock.skew_ms());
        let facts = link.facts.as_ref();
        self.version = facts.map(|facts| format!("{} {}", facts.product, facts.version));
        self
    }

    fn behind(mut self, follower: &Follower, offset: u64) -> Self {
        self.lag_bytes = Some(offset.saturating_sub(follower.offset));
        self.lag_s = Some(follower.lag_s);
        if follower.copied {
            self.state = NodeState::Copying;
        }
        self
    }
}

/// A server, and what follows it; or what it follows.
fn of_server(look: &ServerLook, link: &Link, home: &str) -> Vec<Node> {
    let info = look.info.get_ref().map(Arc::as_ref);
    let text = |name: &str| info.and_then(|info| info.text(name));
    let host = text("master_host").zip(text("master_port"));
    let host = host.and_then(|(host, port)| Some(place(host, port.parse().ok()?)));
    let Some(master) = host else {
        let mut nodes = vec![Node::new(home.to_owned(), Role::Master).heard_by(link)];
        nodes.extend(replicas(info, home));
        return nodes;
    };
    let mut here = Node::new(home.to_owned(), Role::Replica).heard_by(link);
    here.of = Some(master.clone());
    here.state = match text("master_link_status") {
        Some("down") if text("master_sync_in_progress") == Some("1") => NodeState::Copying,
        Some("down") => NodeState::Cut,
        _ => NodeState::Ok,
    };
    vec![Node::new(master, Role::Master), here]
}

fn replicas(info: Option<&Info>, master: &str) -> Vec<Node> {
    let Some(info) = info else { return Vec::new() };
    let offset = info.number("master_repl_offset").unwrap_or(0);
    let nodes = followers(info).into_iter().map(|follower| Node {
        of: Some(master.to_owned()),
        ..Node::new(follower.address.clone(), Role::Replica).behind(&follower, offset)
    });
    nodes.collect()
}

/// The nodes as the one says that was told the latest news.
fn of_cluster(look: &ServerLook) -> Vec<Node> {
    let newest = |view: &&Arc<ClusterView>| {
        let epochs = view.0.iter().map(|peer| peer.epoch);
        epochs.max().unwrap_or(0)
    };
    let Some(view) = look.views.iter().max_by_key(newest) else {
        return unseen(look);
    };
    let own = |id: &str| {
        let speakers = look.views.iter().filter_map(|view| view.speaker());
        speakers.into_iter().find(|peer| peer.id == id)
    };
    let mut masters: Vec<&ClusterNode> = view.0.iter().filter(|peer| peer.is_master).collect();
    masters.sort_by_key(|peer| {
        (
            peer.slots.first().copied().unwrap_or((u16::MAX, 0)),
            &peer.id,
        )
    });
    let mut nodes = Vec::new();
    for peer in masters {
        let said = own(&peer.id).unwrap_or(peer);
        let asked = look
            .nodes
            .iter()
            .find(|node| *node.address == *said.address);
        let mut node = of_peer(said, view, Role::Master);
        node.state = match (peer.failed, asked) {
            (_, Some(_)) => NodeState::Ok,
            (true, None) => NodeState::Failed,
            (false, None) if peer.slots.is_empty() => NodeState::Ok,
            (false, None) => NodeState::Silent,
        };
        if let Some(asked) = asked {
            node = node.heard_by(&asked.link);
        }
        let info = asked.and_then(|node| node.look.info.get_ref());
        let told = replicas(info.map(Arc::as_ref), &node.address);
        nodes.push(node);
        let of_it = |other: &&ClusterNode| other.of.as_deref() == Some(&*peer.id);
        for other in view.0.iter().filter(of_it) {
            let mut replica = of_peer(other, view, Role::Replica);
            let told = told.iter().find(|one| one.address == replica.address);
            replica.state = match (other.failed, told) {
                (true, _) => NodeState::Failed,
                (false, Some(told)) => told.state,
                (false, None) if info.is_some() => NodeState::Cut,
                (false, None) => NodeState::Ok,
            };
            if let Some(told) = told {
                (replica.lag_bytes, replica.lag_s) = (told.lag_bytes, told.lag_s);
            }
            nodes.push(replica);
        }
    }
    nodes
}

fn of_peer(peer: &ClusterNode, view: &ClusterView, role: Role) -> Node {
    let moving = peer.moving.iter().map(|moving| MovingSlot {
        other: view.address_of(&moving.other).to_owned(),
        ..moving.clone()
    });
    let of = peer.of.as_deref();
    Node {
        id: Some(peer.id.clone()),
        of: of.map(|id| view.address_of(id).to_owned()),
        slots: peer.slots.clone(),
        moving: moving.collect(),
        ..Node::new(peer.address.clone(), role)
    }
}

/// The masters of a cluster that does not let us see what it says of its nodes.
fn unseen(look: &ServerLook) -> Vec<Node> {
    let nodes = look.nodes.iter().flat_map(|node| {
        let master = Node {
            slots: node.slots.clone(),
            ..Node::new(node.address.to_string(), Role::Master).heard_by(&node.link)
        };
        let info = node.look.info.get_ref().map(Arc::as_ref);
        let replicas = replicas(info, &master.address);
        std::iter::once(master).chain(replicas)
    });
    nodes.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_master_tells_how_far_its_replicas_are() {
        let mut info = Info::default();
        info.read(
            "role:master\r\nslave0:ip=10.0.0.2,port=6379,state=online,offset=900,lag=0\r\n\
             slave1:ip=::1,port=6379,state=send_bulk,offset=0,lag=7\r\nslave_read_only:1\r\n\
             master_repl_offset:1000\r\n",
        );
        let nodes = replicas(Some(&info), "10.0.0.1:6379");
        let told: Vec<_> = nodes
            .iter()
            .map(|node| (&*node.address, node.lag_bytes, node.state))
            .collect();
        assert_eq!(
            told,
            [
                ("10.0.0.2:6379", Some(100), NodeState::Ok),
                ("[::1]:6379", Some(1_000), NodeState::Copying)
            ]
        );
    }
}
