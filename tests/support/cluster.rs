//! A cluster of three masters with a replica each.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

use delayscope::queue::slot::{SLOTS, slot};
use delayscope::queue::{Address, Endpoint, Queue};

use crate::support::ports::Ports;
use crate::support::{Server, Value, behind_tls, wait_for};

/// The masters at the start are the first three of the nodes; the replica of each stands three
/// places behind it.
pub const MASTERS: usize = 3;

/// The time after which a node that does not answer counts as dead.
pub const NODE_TIMEOUT: Duration = Duration::from_secs(1);

/// A cluster.
pub struct Cluster {
    pub nodes: Vec<Server>,
    is_behind_tls: bool,
    /// Given back when all nodes have ended.
    _ports: Ports,
}

impl Cluster {
    /// All of it, whole.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// The same, with more arguments for each of its servers.
    pub fn start_with(args: &[&str]) -> Self {
        Self::start_of(MASTERS, args, None)
    }

    /// A cluster of one master that owns every slot, and its replica, which is the second node.
    pub fn start_of_one_shard() -> Self {
        Self::start_of(1, &[], None)
    }

    /// The whole one behind TLS: `files` are arguments that name certificate, key and who signs.
    pub fn start_behind_tls(files: &[&str]) -> Self {
        Self::start_of(MASTERS, &[], Some(files))
    }

    fn start_of(masters: usize, args: &[&str], tls_files: Option<&[&str]>) -> Self {
        let ports = Ports::free();
        let timeout = NODE_TIMEOUT.as_millis().to_string();
        let args = [
            &[
                "--cluster-enabled",
                "yes",
                "--cluster-config-file",
                "nodes.conf",
                "--cluster-node-timeout",
                &timeout,
                "--repl-diskless-sync",
                "yes",
                "--repl-diskless-sync-delay",
                "0",
                // A replica is not told among the nodes of a slot before it has got something.
                "--repl-ping-replica-period",
                "1",
            ],
            args,
        ]
        .concat();
        let of_nodes = &ports.of_nodes[..2 * masters];
        let nodes = of_nodes.iter().enumerate().map(|(n, port)| {
            // Told so, they need not meet, which takes seconds.
            let known = known_to(n, of_nodes);
            let mut behind = tls_files.map_or_else(Vec::new, |files| behind_tls(files, *port));
            if tls_files.is_some() {
                behind.extend(["--tls-cluster", "yes"].map(str::to_owned));
            }
            let behind = behind.iter().map(String::as_str);
            let args: Vec<&str> = args.iter().copied().chain(behind).collect();
            Server::start_in(&args, *port, ("nodes.conf", &known))
        });
        let cluster = Self {
            nodes: nodes.collect(),
            is_behind_tls: tls_files.is_some(),
            _ports: ports,
        };
        wait_for("a whole cluster", || cluster.is_whole());
        cluster
    }

    /// How the program reaches it by that node.
    pub fn endpoint(&self, n: usize) -> Endpoint {
        self.nodes[n].tcp_endpoint()
    }

    /// The same as a URL.
    pub fn url(&self, n: usize) -> String {
        format!("redis://127.0.0.1:{}", self.nodes[n].port())
    }

    /// The address of a node.
    pub fn address(&self, n: usize) -> Address {
        Address::Tcp("127.0.0.1".to_owned(), self.nodes[n].port())
    }

    /// All nodes are up, agree, and every replica follows its master.
    pub fn is_whole(&self) -> bool {
        self.nodes.iter().all(|node| {
            let follows = text(node, &["INFO", "replication"]);
            text(node, &["CLUSTER", "INFO"]).contains("cluster_state:ok")
                // Who asks without TLS is not told the ports of those behind it.
                && (self.is_behind_tls || ports_of(&shares(node)).len() == self.nodes.len())
                && (follows.contains("role:master") && follows.contains("state=online")
                    || follows.contains("master_link_status:up"))
        })
    }

    /// The node that owns a slot, as all that are up agree; none: they do not.
    pub fn owner_of(&self, slot: u16) -> Option<usize> {
        let up = self.nodes.iter().filter(|node| node.is_up());
        let mut told = up.map(|node| owner_as_told_by(node, slot));
        let first = told.next()??;
        told.all(|other| other == Some(first))
            .then(|| self.nodes.iter().position(|node| node.has_port(first)))?
    }

    /// The node that owns a queue.
    pub fn owner(&self, queue: &Queue) -> Option<usize> {
        self.owner_of(slot_of(queue))
    }

    /// Makes a replica the master in an orderly manner; `TAKEOVER`: without asking anybody.
    pub fn fail_over(&self, replica: usize, takes_over: bool) {
        let words = ["CLUSTER", "FAILOVER", "TAKEOVER"];
        let words = if takes_over { &words[..] } else { &words[..2] };
        self.nodes[replica].cmd(words);
    }

    /// Takes a replica away from its master, which goes on; it finds no way back to it.
    pub fn cut_off(&self, master: usize, replica: usize) {
        // The master has no password, and refuses whoever brings one.
        self.nodes[replica].cmd(&["CONFIG", "SET", "masterauth", "none"]);
        self.nodes[master].cmd(&["CLIENT", "KILL", "TYPE", "slave"]);
    }

    /// Begins to move a slot, as `redis-cli --cluster reshard` does it.
    pub fn begin_move(&self, slot: u16, from: usize, to: usize) {
        let number = slot.to_string();
        let setslot = |at: usize, what: &str, of: usize| {
            self.nodes[at].cmd(&["CLUSTER", "SETSLOT", &number, what, &self.id(of)]);
        };
        setslot(to, "IMPORTING", from);
        setslot(from, "MIGRATING", to);
    }

    /// Moves the next of its keys; false: there is none left.
    pub fn move_a_key(&self, slot: u16, from: usize, to: usize) -> bool {
        let asked = ["CLUSTER", "GETKEYSINSLOT", &slot.to_string(), "1"];
        let Some(key) = self.nodes[from].list(&asked).pop() else {
            return false;
        };
        self.move_key(&key, from, to);
        true
    }

    /// Moves that key.
    pub fn move_key(&self, key: &[u8], from: usize, to: usize) {
        let port = self.nodes[to].port().to_string();
        let words: [&[u8]; 7] = [
            b"MIGRATE",
            b"127.0.0.1",
            port.as_bytes(),
            key,
            b"0",
            b"5000",
            b"REPLACE",
        ];
        self.nodes[from].cmd_bytes(&words);
    }

    /// Gives the slot away.
    pub fn end_move(&self, slot: u16, from: usize, to: usize) {
        let number = slot.to_string();
        let others = (0..self.nodes.len()).filter(|n| *n != from && *n != to);
        for node in [to, from].into_iter().chain(others) {
            let node = &self.nodes[node];
            let is_master =
                node.is_up() && text(node, &["INFO", "replication"]).contains("role:master");
            if is_master {
                node.cmd(&["CLUSTER", "SETSLOT", &number, "NODE", &self.id(to)]);
            }
        }
    }

    /// Makes a node believe that another one owns a slot.
    pub fn mistake(&self, node: usize, slot: u16, owner: usize) {
        let words = ["CLUSTER", "SETSLOT", &slot.to_string(), "NODE"];
        self.nodes[node].cmd(&[&words[..], &[&self.id(owner)]].concat());
    }

    /// Makes the first node believe, for as long as it takes the slot for one on its way to itself, that
    /// the second owns one that the third owns: what the owner says of it is not heard then. (Where the
    /// node that is believed to own it were a later one, the owner would hear of it and give it away.)
    pub fn mistake_for_long(&self, slot: u16) {
        let number = slot.to_string();
        self.nodes[0].cmd(&["CLUSTER", "SETSLOT", &number, "IMPORTING", &self.id(2)]);
        self.mistake(0, slot, 1);
    }

    /// Nothing is on its way any more, as a node believes.
    pub fn settle(&self, node: usize, slot: u16) {
        self.nodes[node].cmd(&["CLUSTER", "SETSLOT", &slot.to_string(), "STABLE"]);
    }

    fn id(&self, n: usize) -> String {
        text(&self.nodes[n], &["CLUSTER", "MYID"])
    }
}

/// A queue whose keys are, at the start, at that master; each `number` is another one.
pub fn queue_at(master: usize, number: usize) -> Queue {
    let mut queues = (0..).map(|n| Queue::redisson(format!("orders-{number}-{n}")));
    let found =
        queues.find(|queue| usize::from(slot_of(queue)) * MASTERS / usize::from(SLOTS) == master);
    found.expect("one of them")
}

/// The slot of a queue.
pub fn slot_of(queue: &Queue) -> u16 {
    slot(&queue.keys().timeouts)
}

fn text(node: &Server, words: &[&str]) -> String {
    redis::from_redis_value(node.cmd(words)).unwrap()
}

/// First slot, last slot, and the ports of the nodes that have them.
fn shares(node: &Server) -> Vec<(u16, u16, Vec<u16>)> {
    let Value::Array(shares) = node.cmd(&["CLUSTER", "SLOTS"]) else {
        panic!("shares of slots");
    };
    let share = |share: Value| {
        let Value::Array(parts) = share else {
            panic!("a share");
        };
        let number = |value: &Value| match value {
            Value::Int(n) => u16::try_from(*n).unwrap(),
            other => panic!("{other:?}"),
        };
        let port = |node: &Value| match node {
            Value::Array(parts) => number(&parts[1]),
            other => panic!("{other:?}"),
        };
        let places = parts[2..].iter().map(port).collect();
        (number(&parts[0]), number(&parts[1]), places)
    };
    shares.into_iter().map(share).collect()
}

fn ports_of(shares: &[(u16, u16, Vec<u16>)]) -> BTreeSet<u16> {
    shares
        .iter()
        .flat_map(|(_, _, ports)| ports)
        .copied()
        .collect()
}

fn owner_as_told_by(node: &Server, slot: u16) -> Option<u16> {
    let mut shares = shares(node).into_iter();
    let share = shares.find(|(first, last, _)| (first..=last).contains(&&slot))?;
    share.2.first().copied()
}

fn id(n: usize) -> String {
    format!("{:040x}", n + 1)
}

/// What node `n` knows of all of them, as it keeps it on its disk.
fn known_to(n: usize, ports: &[u16]) -> String {
    let mut known = String::new();
    let masters = ports.len() / 2;
    let share = usize::from(SLOTS).div_ceil(masters);
    for (other, port) in ports.iter().enumerate() {
        let myself = if other == n { "myself," } else { "" };
        let place = format!("{} 127.0.0.1:{port}@{}", id(other), port + 10_000);
        let told = if other < masters {
            let last = ((other + 1) * share).min(usize::from(SLOTS)) - 1;
            let epoch = other + 1;
            format!(
                "{myself}master - 0 0 {epoch} connected {}-{last}",
                other * share
            )
        } else {
            let master = other - masters;
            let epoch = master + 1;
            format!("{myself}slave {} 0 0 {epoch} connected", id(master))
        };
        // Writing into a String cannot fail.
        let _ = writeln!(known, "{place} {told}");
    }
    let _ = writeln!(known, "vars currentEpoch {masters} lastVoteEpoch 0");
    known
}
