//! Finding the delayed queues of a server: first those that were named, then those seen here
//! last time, then those with a live channel, then all others by looking through the keys.
//!
//! Looking through the keys is paced by the server's own clock: slices of at most about 1 ms, a
//! quarter of the server's time in the first 3 s and for the first million keys (which are looked
//! through in less than 4 s by that), a twentieth afterwards.

mod pace;
mod signs;

use std::collections::{BTreeSet, HashSet};
use std::time::Duration;

use futures_util::{Stream, stream};
use tokio::sync::mpsc;

use self::pace::ScanPace;
use crate::clock::instant;
use crate::ops::memory::Memory;
use crate::ops::panics::caught_in;
use crate::queue::{Address, LinkState, Optional, Queue, QueueName, name};
use crate::store::read::{self, KeyType};
use crate::store::{Store, StoreError};

/// Matches keys that begin with `rediss` or `delays`, and next to nothing else; two patterns
/// would take two passes.
const PATTERN: &[u8] = b"[rd]e[dl][ia][sy]s*";
/// Keys that are looked at in one round trip.
const TOGETHER: usize = 100;
/// The wait before it begins again.
const AGAIN: Duration = Duration::from_millis(200);
/// The wait before nodes that do not answer are tried again: one without a connection costs nothing.
const AWAY_AGAIN: Duration = Duration::from_millis(500);
/// The least such wait, as a multiple of the time that the last try took: nodes that hang, or break
/// off each time, are to get a rest.
const RESTS: u32 = 3;
/// The time after which progress is told again.
const PROGRESS: Duration = Duration::from_millis(100);

/// Something that discovery has to tell.
#[derive(Clone, Debug, PartialEq)]
pub enum DiscoveryEvent {
    /// A queue; each is told once.
    Queue(Queue),
    /// The progress of looking through the keys.
    Progress {
        /// Keys looked at, estimated from the cursor of SCAN.
        looked: u64,
        /// Keys there are.
        keys: u64,
    },
    /// Looking broke off. Nothing comes after it.
    Failed(StoreError),
    /// All is looked through, or the server does not let us look (see the link's refusals).
    Done {
        /// Keys looked at.
        looked: u64,
    },
    /// All is looked through but what nodes of the cluster have that do not answer. These are tried
    /// again, and nothing else is: it is told again when they are others, and
    /// [`Done`](Self::Done) once all have answered.
    Away {
        /// Keys looked at.
        looked: u64,
        /// These nodes.
        nodes: Vec<String>,
        /// One of them loads its data or runs a long script: it will answer without anybody's doing.
        passing: bool,
    },
}

/// Finds queues: `named` at once, without waiting for the server; then the others. Waits while the
/// server is away and begins again when it is back; ends after [`DiscoveryEvent::Done`], which waits
/// for the nodes of a cluster that do not answer. Remembers what it found for the next time, in the
/// user's state directory.
pub fn discover(
    store: &Store,
    named: Vec<Queue>,
) -> impl Stream<Item = DiscoveryEvent> + Send + 'static {
    discover_with(store, named, Memory::of_user())
}

/// [`discover`] with another memory than the user's own.
pub fn discover_with(
    store: &Store,
    named: Vec<Queue>,
    memory: Memory,
) -> impl Stream<Item = DiscoveryEvent> + Send + 'static {
    let (tell, told) = mpsc::channel(64);
    let mut search = Search {
        store: store.clone(),
        memory,
        tell: tell.clone(),
        known: HashSet::new(),
        signs: HashSet::new(),
        unsure: BTreeSet::new(),
    };
    tokio::spawn(async move {
        let store = search.store.clone();
        tokio::select! {
            done = caught_in(&store, "look for queues", search.run(named)) => {
                if let Err(why) = done {
                    let _ = tell.send(DiscoveryEvent::Failed(why)).await;
                }
            }
            () = tell.closed() => {}
        }
    });
    stream::unfold(told, |mut told| async {
        told.recv().await.map(|found| (found, told))
    })
}

/// The reason why a search does not go on.
enum ScanStop {
    /// Nobody listens any more.
    Unheard,
    /// The server did not answer, or not as it should.
    Store(StoreError),
}

impl From<StoreError> for ScanStop {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// The end of a look through the keys of a node.
enum NodeLook {
    /// All of them, so many.
    Whole(u64),
    /// The node does not let us look.
    Refused,
}

/// Tells whether the server will not let us look later either.
fn for_good(error: &StoreError) -> bool {
    match error {
        StoreError::Refused { .. } => !error.passing(),
        StoreError::Unexpected { .. } => true,
        _ => false,
    }
}

/// The nodes of which there is nothing more to ask.
#[derive(Default)]
struct SeenNodes {
    /// The nodes whose channels are known.
    heard: HashSet<Address>,
    /// The nodes whose keys are looked through.
    whole: HashSet<Address>,
    /// Keys of these nodes.
    keys: u64,
}

/// The nodes that do not answer.
#[derive(Debug, Default, Eq, PartialEq)]
struct AwayNodes {
    nodes: BTreeSet<String>,
    passing: bool,
}

impl AwayNodes {
    fn add(&mut self, node: &Store, passing: bool) {
        self.nodes.insert(node.endpoint().address.to_string());
        self.passing |= passing;
    }
}

struct Search {
    store: Store,
    memory: Memory,
    tell: mpsc::Sender<DiscoveryEvent>,
    /// The queues that have been told.
    known: HashSet<Queue>,
    /// The names that have been seen on the server, and so are worth remembering.
    signs: HashSet<QueueName>,
    /// Signs of which nobody could say yet what they are signs of.
    unsure: BTreeSet<Vec<u8>>,
}

impl Search {
    async fn run(&mut self, named: Vec<Queue>) -> Result<(), ScanStop> {
        for queue in named {
            self.found(queue).await?;
        }
        let remembered = self.memory.recall(self.store.endpoint());
        loop {
            self.wait_until_live().await;
            match self.look(&remembered).await {
                Err(ScanStop::Store(error)) if for_good(&error) && !self.away() => {
                    return self.tell(DiscoveryEvent::Done { looked: 0 }).await;
                }
                // The server went away, or is busy; all over again when it is back.
                Err(ScanStop::Store(_)) => tokio::time::sleep(AGAIN).await,
                done => return done,
            }
        }
    }

    async fn wait_until_live(&self) {
        let mut link = self.store.link();
        // An error means that the link has ended, and this search ends with it.
        let live = link.wait_for(|link| matches!(link.state, LinkState::Live));
        if live.await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    fn away(&self) -> bool {
        !matches!(self.store.link().borrow().state, LinkState::Live)
    }

    /// Everything that needs the server, once; what nodes have that do not answer, when they do.
    async fn look(&mut self, remembered: &[QueueName]) -> Result<(), ScanStop> {
        for name in self.still_there(remembered).await? {
            self.sign(name).await?;
        }
        let (mut seen, mut told) = (SeenNodes::default(), None);
        loop {
            let began = instant();
            let Some(away) = self.look_at_others(&mut seen).await? else {
                return self.tell(DiscoveryEvent::Done { looked: seen.keys }).await;
            };
            if away.nodes.is_empty() {
                let names = self.signs.iter().cloned().collect();
                self.memory.keep(self.store.endpoint(), names);
                return self.tell(DiscoveryEvent::Done { looked: seen.keys }).await;
            }
            if told.as_ref() != Some(&away) {
                self.tell(DiscoveryEvent::Away {
                    looked: seen.keys,
                    nodes: away.nodes.iter().cloned().collect(),
                    passing: away.passing,
                })
                .await?;
                told = Some(away);
            }
            let took = instant().saturating_duration_since(began);
            tokio::time::sleep(AWAY_AGAIN.max(took * RESTS)).await;
        }
    }

    /// Looks at all nodes that were not seen yet; which of them do not answer. None: they do not let
    /// us look.
    async fn look_at_others(
        &mut self,
        seen: &mut SeenNodes,
    ) -> Result<Option<AwayNodes>, ScanStop> {
        let mut away = AwayNodes::default();
        let nodes = self.store.masters().await;
        let of_cluster = nodes.len() > 1;
        if self.store.why_refused(Optional::Channels).is_none() {
            let pattern = [name::CHANNEL_PREFIX, b"*"].concat();
            // A node knows of those that subscribe there.
            for node in &nodes {
                if seen.heard.contains(&node.endpoint().address) {
                    continue;
                }
                match read::channels(node, &pattern).await {
                    Ok(channels) => self.signs_in(&channels).await?,
                    Err(error) if for_good(&error) => {}
                    Err(error) if of_cluster && error.may_heal() => {
                        away.add(node, error.passing());
                        continue;
                    }
                    Err(error) => return Err(error.into()),
                }
                seen.heard.insert(node.endpoint().address.clone());
            }
        }
        let unseen = |node: &&Store| !seen.whole.contains(&node.endpoint().address);
        let unseen: Vec<&Store> = nodes.iter().filter(unseen).collect();
        let mut left = unseen.len();
        for node in unseen {
            left -= 1;
            match self.look_through(node, seen.keys, left).await {
                Ok(NodeLook::Whole(keys)) => seen.keys += keys,
                Ok(NodeLook::Refused) => return Ok(None),
                // The others can be looked through all the same.
                Err(ScanStop::Store(error)) if of_cluster && error.may_heal() => {
                    away.add(node, error.passing());
                    continue;
                }
                Err(stop) => return Err(stop),
            }
            seen.whole.insert(node.endpoint().address.clone());
        }
        let unsure: Vec<Vec<u8>> = std::mem::take(&mut self.unsure).into_iter().collect();
        self.signs_in(&unsure).await?;
        for key in &self.unsure {
            if let Some(name) = signs::names(key).first() {
                away.add(&self.store.at_key(name.as_bytes()).await, false);
            }
        }
        Ok(Some(away))
    }

    /// Looks through all keys of a node, at the pace; `before` were looked through at others, and so
    /// many nodes are `left`.
    async fn look_through(
        &mut self,
        node: &Store,
        before: u64,
        left: usize,
    ) -> Result<NodeLook, ScanStop> {
        let mut pace = ScanPace::new(instant());
        let (mut cursor, mut looked) = (0, 0);
        let mut told = instant();
        loop {
            let slice = match read::scan(node, cursor, PATTERN, pace.count()).await {
                Ok(slice) => slice,
                Err(error) if for_good(&error) => return Ok(NodeLook::Refused),
                Err(error) => return Err(error.into()),
            };
            self.signs_in(&slice.keys).await?;
            cursor = slice.cursor;
            if cursor == 0 {
                return Ok(NodeLook::Whole(slice.of));
            }
            looked = pace::looked(cursor, slice.of).max(looked);
            let now = instant();
            if now.saturating_duration_since(told) >= PROGRESS {
                told = now;
                // The others may have about as many.
                let keys = before + slice.of * (1 + left as u64);
                let looked = before + looked;
                self.tell(DiscoveryEvent::Progress { looked, keys }).await?;
            }
            if let Some(until) = pace.paid(slice.server_us, looked, now) {
                tokio::time::sleep_until(until.into()).await;
            }
        }
    }

    /// The types of keys; none of one whose node does not answer, while others do.
    async fn kinds(&self, keys: &[Vec<u8>]) -> Result<Vec<Option<KeyType>>, StoreError> {
        let ask = async |node: Store, keys: Vec<Vec<u8>>| read::kinds_apart(&node, &keys).await;
        let told = self.store.by_node_apart(keys, Vec::clone, ask).await;
        let others = self.store.masters().await.len() > 1;
        let kind = |kind: Result<Option<KeyType>, StoreError>| match kind {
            Err(error) if others && error.may_heal() => Ok(None),
            kind => kind,
        };
        told.into_iter().map(kind).collect()
    }

    /// Finds those of the remembered queues that have a key still.
    async fn still_there(&self, names: &[QueueName]) -> Result<Vec<QueueName>, StoreError> {
        let mut there = Vec::new();
        for some in names.chunks(TOGETHER / 2) {
            let keys: Vec<Vec<u8>> = some
                .iter()
                .map(name::redisson_keys)
                .flat_map(|keys| [keys.timeouts, keys.order.unwrap_or_default()])
                .collect();
            let kinds = self.kinds(&keys).await?;
            let alive = some.iter().zip(kinds.chunks(2));
            there.extend(
                alive
                    // Those of a node that is away are found when that is looked through.
                    .filter(|(_, kinds)| {
                        let mut known = kinds.iter().flatten();
                        known.any(|kind| *kind != KeyType::Missing)
                    })
                    .map(|(name, _)| name.clone()),
            );
        }
        Ok(there)
    }

    /// Tells the queues that these keys or channels are signs of. Those that may be signs of one or
    /// another are put aside where the node does not answer that could tell: a wrong name would be told,
    /// and remembered.
    async fn signs_in(&mut self, keys: &[Vec<u8>]) -> Result<(), ScanStop> {
        let mut fresh = false;
        for some in keys.chunks(TOGETHER) {
            let candidates: Vec<(&Vec<u8>, Vec<QueueName>)> = some
                .iter()
                .map(|key| (key, signs::names(key)))
                .filter(|(_, names)| !names.iter().any(|name| self.signs.contains(name)))
                .collect();
            let targets: Vec<Vec<u8>> = candidates
                .iter()
                .flat_map(|(_, names)| names)
                .map(|name| name.as_bytes().to_vec())
                .collect();
            let kinds = self.kinds(&targets).await?;
            let mut kinds = kinds.into_iter();
            for (key, names) in candidates {
                let known: Vec<Option<KeyType>> = kinds.by_ref().take(names.len()).collect();
                let kinds: Vec<KeyType> = known.iter().flatten().cloned().collect();
                if names.len() > 1 && kinds.len() < names.len() {
                    self.unsure.insert(key.clone());
                    continue;
                }
                for name in signs::likely(names, &kinds) {
                    fresh = true;
                    self.sign(name).await?;
                }
            }
        }
        if fresh {
            // Not complete yet: what was remembered and not yet seen again stays.
            let mut names = self.memory.recall(self.store.endpoint());
            names.extend(self.signs.iter().cloned());
            self.memory.keep(self.store.endpoint(), names);
        }
        Ok(())
    }

    async fn sign(&mut self, name: QueueName) -> Result<(), ScanStop> {
        self.signs.insert(name.clone());
        self.found(Queue::redisson(name.as_bytes().to_vec())).await
    }

    async fn found(&mut self, queue: Queue) -> Result<(), ScanStop> {
        if self.known.insert(queue.clone()) {
            self.tell(DiscoveryEvent::Queue(queue)).await?;
        }
        Ok(())
    }

    async fn tell(&self, found: DiscoveryEvent) -> Result<(), ScanStop> {
        self.tell.send(found).await.map_err(|_| ScanStop::Unheard)
    }
}
