//! Links to the nodes of a cluster, beside the one that was opened: to a node, for what is asked of
//! it now; and to wherever a slot is, for what takes longer than that node may own it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::{join_all, try_join_all};

use super::dial::{AddressSource, ClusterPlace};
use super::shared::SharedLink;
use super::slots::Topology;
use super::{Access, Inner, Store};
use crate::clock::instant;
use crate::queue::slot::slot;
use crate::queue::{Address, Endpoint, LinkState, Queue};
use crate::store::error::StoreError;

/// A link that nobody has used for so long is closed.
const IDLE: Duration = Duration::from_secs(60);

/// The links beside the one that was opened.
#[derive(Default)]
pub(super) struct Sites(Mutex<SiteLinks>);

#[derive(Default)]
struct SiteLinks {
    nodes: HashMap<Address, SiteLink>,
    slots: HashMap<u16, SiteLink>,
}

/// One of them, and when it was asked for last.
struct SiteLink {
    inner: Arc<Inner>,
    used: Instant,
}

impl SiteLink {
    fn is_idle(&self) -> bool {
        let age = instant().saturating_duration_since(self.used);
        age >= IDLE && Arc::strong_count(&self.inner) == 1
    }
}

impl Sites {
    fn links(&self) -> MutexGuard<'_, SiteLinks> {
        // Nothing panics while it holds the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The links to nodes.
    pub(super) fn open_links(&self) -> Vec<Arc<SharedLink>> {
        let links = self.links();
        let nodes = links.nodes.values();
        nodes.map(|link| Arc::clone(&link.inner.shared)).collect()
    }

    /// Counts the nodes that were answering and do not.
    pub(super) fn away(&self) -> usize {
        let links = self.links();
        let is_away = |link: &&SiteLink| {
            let link = link.inner.shared.link.borrow();
            matches!(link.state, LinkState::Lost { .. } | LinkState::Hung { .. })
        };
        links.nodes.values().filter(is_away).count()
    }

    /// Closes what nobody uses, and links to nodes that own nothing any more.
    pub(super) fn tidy(&self, topology: &Topology) {
        let masters = topology.masters();
        let mut links = self.links();
        let is_needed = |address: &Address, link: &SiteLink| {
            Arc::strong_count(&link.inner) > 1 || (masters.contains(address) && !link.is_idle())
        };
        links.nodes.retain(|address, link| is_needed(address, link));
        links.slots.retain(|_, link| !link.is_idle());
    }
}

impl Store {
    /// The link to ask about a queue now: that to the node that owns it, once that has been tried;
    /// this one, where there is no cluster.
    pub async fn of(&self, queue: &Queue) -> Self {
        self.at_key(&queue.keys().timeouts).await
    }

    /// The same for a key.
    pub async fn at_key(&self, key: &[u8]) -> Self {
        let Some(topology) = self.topology() else {
            return self.clone();
        };
        let store = match topology.owner(slot(key)) {
            Some(owner) => self.at_node(topology, owner),
            // It says itself that nobody owns the slot.
            None => self.at_slot(topology, slot(key)),
        };
        store.inner.shared.tried().await;
        store
    }

    /// The link that goes along with a queue to whichever node owns it, for all that may take
    /// longer; this one, where there is no cluster.
    #[must_use]
    pub fn along_with(&self, queue: &Queue) -> Self {
        match self.topology() {
            Some(topology) => self.at_slot(topology, slot(&queue.keys().timeouts)),
            None => self.clone(),
        }
    }

    /// The slot, which queues have in common that one writer may change; none where
    /// there is no cluster.
    #[must_use]
    pub fn slot_of(&self, queue: &Queue) -> Option<u16> {
        self.topology().map(|_| slot(&queue.keys().timeouts))
    }

    /// The links to all nodes that own slots, each once it has been tried; this one alone, where
    /// there is no cluster.
    pub async fn masters(&self) -> Vec<Self> {
        let Some(topology) = self.topology() else {
            return vec![self.clone()];
        };
        let masters: Vec<Self> = topology
            .masters()
            .into_iter()
            .map(|address| self.at_node(topology, address))
            .collect();
        join_all(masters.iter().map(|store| store.inner.shared.tried())).await;
        masters
    }

    /// The same each with the slots that it owns: first and last of each share, in order; none where
    /// there is no cluster.
    pub(in crate::store) async fn nodes(&self) -> Vec<(Self, Vec<(u16, u16)>)> {
        let Some(topology) = self.topology() else {
            return Vec::new();
        };
        let shares = topology.shares().into_iter();
        let nodes: Vec<_> = shares
            .map(|(address, slots)| (self.at_node(topology, address), slots))
            .collect();
        join_all(nodes.iter().map(|(node, _)| node.inner.shared.tried())).await;
        nodes
    }

    /// Groups the questions about several queues by the nodes that own these: a link, and the
    /// places of its queues in `queues`.
    pub(in crate::store) async fn shares<K: AsRef<[u8]>>(
        &self,
        keys: impl Iterator<Item = K>,
    ) -> Vec<(Self, Vec<usize>)> {
        let Some(topology) = self.topology() else {
            return vec![(self.clone(), keys.enumerate().map(|(at, _)| at).collect())];
        };
        let mut shares: Vec<(Option<Address>, Vec<usize>)> = Vec::new();
        for (at, key) in keys.enumerate() {
            let owner = topology.owner(slot(key.as_ref()));
            match shares.iter_mut().find(|(node, _)| *node == owner) {
                Some((_, places)) => places.push(at),
                None => shares.push((owner, vec![at])),
            }
        }
        let stores = shares.into_iter().map(|(owner, places)| {
            // Who asks this one about a slot that nobody owns is told so.
            let store = owner.map_or_else(|| self.clone(), |owner| self.at_node(topology, owner));
            (store, places)
        });
        let stores: Vec<_> = stores.collect();
        join_all(stores.iter().map(|(store, _)| store.inner.shared.tried())).await;
        stores
    }

    /// Asks about several things, each at the node that has its `key`, all nodes at once; the answers
    /// in the order of what was asked. Fails when one of the nodes does.
    pub async fn by_node<I: Clone, T>(
        &self,
        items: &[I],
        key: impl Fn(&I) -> Vec<u8>,
        ask: impl AsyncFn(Self, Vec<I>) -> Result<Vec<T>, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let mut moves = self.moves();
        loop {
            let shares = self.shares(items.iter().map(&key)).await;
            let asked = shares.into_iter().map(async |(store, places)| {
                let share = places.iter().map(|at| items[*at].clone()).collect();
                let answers = ask(store, share).await?;
                Ok::<_, StoreError>((places, answers))
            });
            match try_join_all(asked).await {
                Ok(told) => return Ok(in_places(items.len(), told)),
                // Of a share some lies at another node: by the map of now it goes to that one.
                Err(error) if error.code() == Some("MOVED") && moves.soon().await => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The same, where a node that fails or hangs takes nothing from the others: an answer for each of
    /// the items.
    pub async fn by_node_apart<I: Clone, T>(
        &self,
        items: &[I],
        key: impl Fn(&I) -> Vec<u8>,
        ask: impl AsyncFn(Self, Vec<I>) -> Result<Vec<T>, StoreError>,
    ) -> Vec<Result<T, StoreError>> {
        let shares = self.shares(items.iter().map(key)).await;
        let is_alone = shares.len() < 2;
        let asked = shares.into_iter().map(async |(store, places)| {
            let share = places.iter().map(|at| items[*at].clone()).collect();
            // Nobody waits for one that hangs: its own link does.
            let hangs = store.hangs().filter(|_| !is_alone);
            let told = match hangs {
                Some(error) => Err(error),
                None => ask(store, share).await,
            };
            let answers = match told {
                Ok(told) => told.into_iter().map(Ok).collect(),
                Err(error) => places.iter().map(|_| Err(error.clone())).collect(),
            };
            (places, answers)
        });
        in_places(items.len(), join_all(asked).await)
    }

    /// Says why nothing is to be asked of it now: it hangs.
    fn hangs(&self) -> Option<StoreError> {
        let link = self.inner.shared.link.borrow();
        match link.state {
            LinkState::Hung { since } => Some(StoreError::TimedOut {
                server: self.endpoint().to_string(),
                attempt: "tell of its queues",
                after: Duration::from_secs(instant().saturating_duration_since(since).as_secs()),
            }),
            _ => None,
        }
    }

    /// The ids of a cluster's nodes; none where there is no cluster.
    #[must_use]
    pub fn node_ids(&self) -> Vec<String> {
        let topology = self.dialer().topology();
        topology.map_or_else(Vec::new, Topology::ids)
    }

    /// The map, of the link that was opened, to a cluster.
    fn topology(&self) -> Option<&Arc<Topology>> {
        self.dialer().home_of().filter(|map| map.is_known())
    }

    fn at_node(&self, topology: &Arc<Topology>, address: Address) -> Self {
        let mut links = self.inner.shared.sites.links();
        let link = links.nodes.entry(address).or_insert_with_key(|address| {
            let endpoint = Endpoint {
                address: address.clone(),
                ..self.endpoint().clone()
            };
            open(endpoint, topology, ClusterPlace::Node, self.access())
        });
        self.beside(link)
    }

    fn at_slot(&self, topology: &Arc<Topology>, slot: u16) -> Self {
        let mut links = self.inner.shared.sites.links();
        let link = links.slots.entry(slot).or_insert_with(|| {
            let endpoint = self.endpoint().clone();
            open(endpoint, topology, ClusterPlace::Slot(slot), self.access())
        });
        self.beside(link)
    }

    /// The link to the node that owns a slot by the map of now, whichever node this one is to; none
    /// where there is no cluster.
    pub(super) fn at_owner(&self, slot: u16) -> Option<Self> {
        let home = Self {
            inner: Arc::clone(self.home.as_ref().unwrap_or(&self.inner)),
            home: None,
            patience: self.patience,
        };
        let topology = home.topology()?;
        Some(home.at_node(topology, topology.owner(slot)?))
    }

    /// A handle to another link, which keeps this one up too: it follows the map.
    fn beside(&self, link: &mut SiteLink) -> Self {
        link.used = instant();
        Self {
            inner: Arc::clone(&link.inner),
            home: Some(Arc::clone(&self.inner)),
            patience: self.patience,
        }
    }
}

/// Puts what was told of each share back to the places of its items.
fn in_places<T>(count: usize, told: Vec<(Vec<usize>, Vec<T>)>) -> Vec<T> {
    let mut answers: Vec<Option<T>> = (0..count).map(|_| None).collect();
    for (places, told) in told {
        for (at, one) in places.into_iter().zip(told) {
            answers[at] = Some(one);
        }
    }
    answers.into_iter().flatten().collect()
}

fn open(
    endpoint: Endpoint,
    topology: &Arc<Topology>,
    site: ClusterPlace,
    access: Access,
) -> SiteLink {
    let way = AddressSource::Nodes(Arc::clone(topology), site);
    SiteLink {
        inner: Arc::new(Inner::open(endpoint, way, access)),
        used: instant(),
    }
}
