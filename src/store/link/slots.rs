//! The map of a cluster: its nodes, and which of them owns which slot.

use std::collections::HashMap;
use std::sync::OnceLock;

use redis::Value;
use tokio::sync::{Notify, watch};

use crate::queue::slot::SLOTS;
use crate::queue::{Address, Nodes};

/// The map of a cluster, for everybody who connects to its nodes.
#[derive(Default)]
pub(in crate::store) struct Topology {
    pub(super) map: watch::Sender<SlotMap>,
    /// Told when the map may be wrong.
    pub(super) doubts: Notify,
    /// The name of the host by which we first got in: a certificate may bear it that is shown by nodes
    /// which are announced by their addresses alone.
    pub(super) seed: OnceLock<String>,
}

/// The nodes of a cluster, and their slots.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct SlotMap {
    nodes: Vec<Node>,
    /// The node that owns each slot, by its index; empty where there is no cluster.
    owners: Vec<Option<usize>>,
}

/// A node of a cluster.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Node {
    /// Its id in the cluster, which outlives its restarts; empty: not known yet.
    id: String,
    address: Address,
}

impl Topology {
    /// Tells whether this is a cluster.
    pub(super) fn is_known(&self) -> bool {
        !self.map.borrow().owners.is_empty()
    }

    /// The address of the node that owns a slot.
    pub(super) fn owner(&self, slot: u16) -> Option<Address> {
        self.map.borrow().owner(slot).cloned()
    }

    /// The addresses of the nodes that own slots, in the order of these.
    pub(super) fn masters(&self) -> Vec<Address> {
        let map = self.map.borrow();
        map.masters().map(|node| node.address.clone()).collect()
    }

    /// The same, each with its slots: first and last of each share, in order.
    pub(super) fn shares(&self) -> Vec<(Address, Vec<(u16, u16)>)> {
        let map = self.map.borrow();
        let mut shares: Vec<(Address, Vec<(u16, u16)>)> = Vec::new();
        for (slot, owner) in (0..SLOTS).zip(&map.owners) {
            let Some(node) = owner.and_then(|owner| map.nodes.get(owner)) else {
                continue;
            };
            let known = shares
                .iter_mut()
                .find(|(address, _)| *address == node.address);
            match known.map(|(_, slots)| slots) {
                Some(slots) => match slots.last_mut() {
                    Some((_, last)) if *last + 1 == slot => *last = slot,
                    _ => slots.push((slot, slot)),
                },
                None => shares.push((node.address.clone(), vec![(slot, slot)])),
            }
        }
        shares
    }

    /// The addresses of all nodes.
    pub(super) fn addresses(&self) -> Vec<Address> {
        let map = self.map.borrow();
        map.nodes.iter().map(|node| node.address.clone()).collect()
    }

    /// The ids of all nodes.
    pub(super) fn ids(&self) -> Vec<String> {
        let map = self.map.borrow();
        let ids = map.nodes.iter().map(|node| node.id.clone());
        ids.filter(|id| !id.is_empty()).collect()
    }

    /// Counts them by kind; none where there is no cluster.
    pub(super) fn nodes(&self) -> Option<Nodes> {
        let map = self.map.borrow();
        let masters = map.masters().count();
        let unowned = map.owners.iter().filter(|owner| owner.is_none()).count();
        // Not by `self`: who borrows a map twice waits for ever where somebody writes it between.
        map.is_known().then(|| Nodes {
            masters,
            away: 0,
            replicas: map.nodes.len() - masters,
            unowned,
        })
    }

    /// Has the map learned anew soon: it may be wrong.
    pub(super) fn doubt(&self) {
        if self.is_known() {
            self.doubts.notify_one();
        }
    }

    /// Learns from `MOVED 3999 10.0.0.7:6379` in the answers of the node at `asked` who owns a slot.
    pub(super) fn hear<'a>(&self, values: impl IntoIterator<Item = &'a Value>, asked: &Address) {
        for value in values {
            let Value::ServerError(error) = value else {
                continue;
            };
            match error.code() {
                "MOVED" => {
                    let told = error.details().and_then(|d| moved(d, asked));
                    let is_news = told.is_none_or(|(slot, owner)| {
                        self.map.send_if_modified(|map| map.give(slot, &owner))
                    });
                    // A queue whose keys lie in two slots is told so at each reading.
                    if is_news {
                        self.doubts.notify_one();
                    }
                }
                "CLUSTERDOWN" => self.doubt(),
                _ => {}
            }
        }
    }

    /// Waits until the owner of `slot` is another one than `owner`.
    pub(super) async fn changed(&self, slot: u16, owner: &Address) {
        let mut map = self.map.subscribe();
        let is_other = |map: &SlotMap| map.owner(slot).is_some_and(|now| now != owner);
        // It lives as long as `self`.
        let _ = map.wait_for(is_other).await;
    }

    /// Takes over what a node says.
    pub(super) fn adopt(&self, said: SlotMap) {
        self.map.send_if_modified(|map| {
            let is_new = *map != said;
            *map = said;
            is_new
        });
    }
}

impl SlotMap {
    /// Tells whether it is one of a cluster.
    pub(super) fn is_known(&self) -> bool {
        !self.owners.is_empty()
    }

    /// Reads the answer to CLUSTER SLOTS of the node at `asked`.
    pub(super) fn read(shares: &[Value], asked: &Address) -> Option<Self> {
        let mut map = Self {
            nodes: Vec::new(),
            owners: vec![None; usize::from(SLOTS)],
        };
        let mut places: HashMap<Address, usize> = HashMap::new();
        for share in shares {
            let Value::Array(parts) = share else {
                return None;
            };
            let [Value::Int(first), Value::Int(last), nodes @ ..] = &parts[..] else {
                return None;
            };
            let mut at = Vec::new();
            for node in nodes {
                let Some(node) = Node::read(node, asked) else {
                    continue;
                };
                let place = *places.entry(node.address.clone()).or_insert_with(|| {
                    map.nodes.push(node.clone());
                    map.nodes.len() - 1
                });
                at.push(place);
            }
            let first = usize::try_from(*first).ok()?;
            let last = usize::try_from(*last).ok()?;
            for owner in map.owners.get_mut(first..=last)? {
                *owner = at.first().copied();
            }
        }
        Some(map)
    }

    fn owner(&self, slot: u16) -> Option<&Address> {
        let owner = *self.owners.get(usize::from(slot))?;
        Some(&self.nodes.get(owner?)?.address)
    }

    /// The nodes that own slots, in the order of these.
    fn masters(&self) -> impl Iterator<Item = &Node> {
        let mut seen = vec![false; self.nodes.len()];
        let owners = self.owners.iter().flatten();
        let firsts = owners.filter(move |at| !std::mem::replace(&mut seen[**at], true));
        firsts.filter_map(|at| self.nodes.get(*at))
    }

    /// Gives a slot to another node; whether that is news. Nothing is known of other slots then.
    fn give(&mut self, slot: u16, owner: &Address) -> bool {
        if self.owner(slot) == Some(owner) {
            return false;
        }
        self.owners.resize(usize::from(SLOTS), None);
        let is_it = |node: &Node| node.address == *owner;
        let place = self.nodes.iter().position(is_it).unwrap_or_else(|| {
            self.nodes.push(Node {
                id: String::new(),
                address: owner.clone(),
            });
            self.nodes.len() - 1
        });
        if let Some(owner) = self.owners.get_mut(usize::from(slot)) {
            *owner = Some(place);
        }
        true
    }
}

impl Node {
    /// Reads host, port and id. A node that does not tell its host has that of the node asked.
    fn read(node: &Value, asked: &Address) -> Option<Self> {
        let Value::Array(parts) = node else {
            return None;
        };
        let [host, Value::Int(port), rest @ ..] = &parts[..] else {
            return None;
        };
        let id = match rest.first() {
            Some(Value::BulkString(id)) => String::from_utf8_lossy(id).into_owned(),
            _ => String::new(),
        };
        let host = match host {
            Value::BulkString(host) => String::from_utf8_lossy(host).into_owned(),
            _ => String::new(),
        };
        Some(Self {
            id,
            address: address(&host, u16::try_from(*port).ok()?, asked)?,
        })
    }
}

/// The address of a node that is named so by the node at `asked`.
fn address(host: &str, port: u16, asked: &Address) -> Option<Address> {
    let host = match (host, asked) {
        ("" | "?", Address::Tcp(asked, _)) => asked.clone(),
        // A unix socket is on this machine.
        ("" | "?", _) => "127.0.0.1".to_owned(),
        (host, _) => host.to_owned(),
    };
    (port != 0).then_some(Address::Tcp(host, port))
}

/// The slot of the first thing that another node was to be asked about.
pub(super) fn moved_away(values: &[Value]) -> Option<u16> {
    let slot = |value: &Value| match value {
        Value::ServerError(error) if error.code() == "MOVED" => {
            error.details()?.split(' ').next()?.parse().ok()
        }
        _ => None,
    };
    values.iter().find_map(slot)
}

/// Reads `3999 10.0.0.7:6379`, in which the host may be missing.
fn moved(details: &str, asked: &Address) -> Option<(u16, Address)> {
    let mut words = details.split(' ');
    let slot = words.next()?.parse().ok().filter(|slot| *slot < SLOTS)?;
    let (host, port) = words.next()?.rsplit_once(':')?;
    Some((slot, address(host, port.parse().ok()?, asked)?))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;

    fn asked() -> Address {
        Address::Tcp("10.0.0.1".to_owned(), 7000)
    }

    fn text(text: &str) -> Value {
        Value::BulkString(text.as_bytes().to_vec())
    }

    fn node(host: Value, port: i64, id: &str) -> Value {
        Value::Array(vec![
            host,
            Value::Int(port),
            text(id),
            Value::Array(Vec::new()),
        ])
    }

    fn share(first: i64, last: i64, nodes: Vec<Value>) -> Value {
        let bounds = [Value::Int(first), Value::Int(last)];
        Value::Array(bounds.into_iter().chain(nodes).collect())
    }

    #[test]
    fn the_first_node_of_a_share_owns_it_and_one_without_a_host_is_where_we_asked() {
        let shares = [
            share(
                0,
                99,
                vec![
                    node(Value::Nil, 7000, "a"),
                    node(text("10.0.0.2"), 7001, "b"),
                ],
            ),
            share(100, 16_383, vec![node(text("?"), 7002, "c")]),
        ];
        let map = SlotMap::read(&shares, &asked()).unwrap();
        assert_eq!(map.owner(99), Some(&asked()));
        let third = Address::Tcp("10.0.0.1".to_owned(), 7002);
        assert_eq!(map.owner(100), Some(&third));
        let masters: Vec<_> = map.masters().map(|node| node.id.as_str()).collect();
        assert_eq!(masters, ["a", "c"]);
        assert_eq!(map.nodes.len(), 3);
    }

    #[test]
    fn a_share_that_ends_beyond_the_last_slot_is_no_map() {
        let shares = [share(0, 16_384, vec![node(Value::Nil, 7000, "a")])];
        assert_eq!(SlotMap::read(&shares, &asked()), None);
    }

    #[test]
    fn moved_names_the_slot_and_its_owner_of_ipv6_and_without_a_host_too() {
        let tcp = |host: &str, port| Address::Tcp(host.to_owned(), port);
        assert_eq!(
            moved("3999 10.0.0.7:6379", &asked()),
            Some((3999, tcp("10.0.0.7", 6379)))
        );
        assert_eq!(moved("1 ::1:6379", &asked()), Some((1, tcp("::1", 6379))));
        assert_eq!(
            moved("12182 :19142", &asked()),
            Some((12_182, tcp("10.0.0.1", 19_142)))
        );
        for nonsense in ["", "x y:1", "16384 a:1", "1 a", "1 a:x", "1 a:0"] {
            assert_eq!(moved(nonsense, &asked()), None, "{nonsense}");
        }
    }

    #[test]
    fn the_nodes_are_counted_while_the_map_is_written() {
        let topology = Arc::new(Topology::default());
        let (ended, end) = channel();
        let writes = Arc::clone(&topology);
        std::thread::spawn(move || {
            let moved = |port: u16| Address::Tcp("10.0.0.1".to_owned(), port);
            // Until the last reader has ended.
            while Arc::strong_count(&writes) > 1 {
                for port in 1..=9 {
                    writes.map.send_if_modified(|map| map.give(7, &moved(port)));
                    std::thread::yield_now();
                }
            }
        });
        std::thread::spawn(move || {
            for _ in 0..500 {
                topology.nodes();
            }
            ended.send(())
        });
        let counted = end.recv_timeout(Duration::from_secs(60));
        assert_eq!(counted, Ok(()), "they wait for each other");
    }

    #[test]
    fn a_slot_that_was_given_away_is_its_new_owners_and_no_other_is() {
        let mut map = SlotMap::default();
        let owner = Address::Tcp("10.0.0.9".to_owned(), 1);
        assert!(map.give(7, &owner));
        assert!(!map.give(7, &owner));
        assert_eq!(map.owner(7), Some(&owner));
        assert_eq!(map.owner(8), None);
    }
}
