//! Servers as others see them: the nodes of a cluster each other, sentinels their master.

/// All nodes of a cluster, as one of them tells of them (`CLUSTER NODES`).
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ClusterView(pub Vec<ClusterNode>);

/// A node of a cluster, as one of them says.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ClusterNode {
    /// Its id in the cluster.
    pub id: String,
    /// Host and port; the host may be missing.
    pub address: String,
    /// It is who says this.
    pub is_speaker: bool,
    /// It is a master.
    pub is_master: bool,
    /// The id of its master, of a replica.
    pub of: Option<String>,
    /// It is dead, as most masters say, or may be, as the speaker says.
    pub failed: bool,
    /// Of two that claim a slot the higher one is right.
    pub epoch: u64,
    /// The slots that it owns: first and last of each share.
    pub slots: Vec<(u16, u16)>,
    /// The slots that are on their way; only the speaker tells its own.
    pub moving: Vec<MovingSlot>,
}

/// A slot on its way from one node to another.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct MovingSlot {
    /// The slot.
    pub slot: u16,
    /// It leaves the node that says so; else it comes to it.
    pub leaves: bool,
    /// The id of the other node.
    pub other: String,
}

/// A sentinel, and its answer about the master.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct SentinelAnswer {
    /// The place of the sentinel.
    pub address: String,
    /// Where the master is; none: it does not answer.
    pub master: Option<String>,
    /// The replicas that it knows, alive or not.
    pub replicas: u64,
}

impl ClusterView {
    /// Reads `CLUSTER NODES`, as the node at `asked` says it.
    #[must_use]
    pub fn read(text: &str, asked: &str) -> Self {
        Self(text.lines().filter_map(|line| peer(line, asked)).collect())
    }

    /// The node that gave this answer.
    #[must_use]
    pub fn speaker(&self) -> Option<&ClusterNode> {
        self.0.iter().find(|peer| peer.is_speaker)
    }

    /// The owner of a slot.
    #[must_use]
    pub fn owner(&self, slot: u16) -> Option<&ClusterNode> {
        let owns = |peer: &&ClusterNode| {
            let mut slots = peer.slots.iter();
            slots.any(|(first, last)| (*first..=*last).contains(&slot))
        };
        self.0.iter().find(owns)
    }

    /// The address of a node; its id where that is not known.
    #[must_use]
    pub fn address_of<'a>(&'a self, id: &'a str) -> &'a str {
        let known = self.0.iter().find(|peer| peer.id == id);
        known.map_or(id, |peer| &peer.address)
    }
}

/// Reads `ID HOST:PORT@BUS,NAME FLAGS MASTER PING PONG EPOCH LINK SLOT…`.
fn peer(line: &str, asked: &str) -> Option<ClusterNode> {
    let mut words = line.split_ascii_whitespace();
    let id = words.next()?;
    let at = words.next()?.split(['@', ',']).next()?;
    let flags: Vec<&str> = words.next()?.split(',').collect();
    let master = words.next()?;
    let epoch = words.nth(2)?.parse().ok()?;
    words.next()?;
    // Who is on its way into the cluster, or out of it, is none of it.
    if flags.contains(&"noaddr") || flags.contains(&"handshake") {
        return None;
    }
    let is_speaker = flags.contains(&"myself");
    let mut peer = ClusterNode {
        id: id.to_owned(),
        address: address(at, is_speaker, asked),
        is_speaker,
        is_master: flags.contains(&"master"),
        of: (master != "-").then(|| master.to_owned()),
        failed: flags.contains(&"fail") || flags.contains(&"fail?"),
        epoch,
        slots: Vec::new(),
        moving: Vec::new(),
    };
    for word in words {
        match word
            .strip_prefix('[')
            .and_then(|word| word.strip_suffix(']'))
        {
            Some(inner) => peer.moving.extend(moving(inner)),
            None => peer.slots.extend(share(word)),
        }
    }
    Some(peer)
}

/// An address without a host is where we asked: of the speaker, and of others on its machine.
fn address(at: &str, is_speaker: bool, asked: &str) -> String {
    if is_speaker {
        return asked.to_owned();
    }
    match (at.rsplit_once(':'), asked.rsplit_once(':')) {
        (Some(("", port)), Some((host, _))) => format!("{host}:{port}"),
        (Some((host, port)), _) if host.contains(':') && !host.starts_with('[') => {
            format!("[{host}]:{port}")
        }
        _ => at.to_owned(),
    }
}

/// Reads `93->-ID`, `93-<-ID`.
fn moving(words: &str) -> Option<MovingSlot> {
    let leaving = words.split_once("->-").map(|(slot, id)| (slot, true, id));
    let coming = words.split_once("-<-").map(|(slot, id)| (slot, false, id));
    let (slot, leaves, other) = leaving.or(coming)?;
    Some(MovingSlot {
        slot: slot.parse().ok()?,
        leaves,
        other: other.to_owned(),
    })
}

/// Reads `0-5460`, `7`.
fn share(words: &str) -> Option<(u16, u16)> {
    let (first, last) = words.split_once('-').unwrap_or((words, words));
    Some((first.parse().ok()?, last.parse().ok()?))
}

/// The sentence for queues of which nothing is known, since their nodes do not answer.
#[must_use]
pub fn away(nodes: &[String]) -> String {
    let (nodes, do_not, their) = match nodes {
        [one] => (one.clone(), "does not", "its"),
        all => (all.join(", "), "do not", "their"),
    };
    format!("{nodes} {do_not} answer: {their} queues are not known")
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODES: &str = "\
a 10.0.0.1:7000@17000,host myself,master - 0 0 4 connected 0-99 101 [93->-b] [200-<-b]
b 10.0.0.2:7000@17000 master,fail? - 1 1 2 disconnected 100
c :7001@17001 slave a 0 1 4 connected
d :0@0 master,noaddr - 0 1 9 disconnected
";

    #[test]
    fn a_node_tells_of_all_nodes_and_of_its_own_slots_that_are_on_their_way() {
        let view = ClusterView::read(NODES, "10.9.9.9:1");
        let told: Vec<_> = view.0.iter().map(|peer| &*peer.address).collect();
        assert_eq!(told, ["10.9.9.9:1", "10.0.0.2:7000", "10.9.9.9:7001"]);
        let here = view.speaker().unwrap();
        assert_eq!((here.epoch, &here.slots), (4, &vec![(0, 99), (101, 101)]));
        let moving = |slot, leaves| MovingSlot {
            slot,
            leaves,
            other: "b".to_owned(),
        };
        assert_eq!(here.moving, [moving(93, true), moving(200, false)]);
        assert_eq!(view.owner(100).map(|peer| peer.failed), Some(true));
        assert_eq!(view.owner(102), None);
        assert_eq!(view.0[2].of.as_deref(), Some("a"));
        assert_eq!(view.address_of("b"), "10.0.0.2:7000");
    }
}
