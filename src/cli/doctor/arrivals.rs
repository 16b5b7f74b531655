//! Queues that come while a doctor watches: looked for again and again at the pace of discovery,
//! and heard of when something is published on their channels.

use std::pin::Pin;
use std::time::Duration;

use futures_util::{Stream, StreamExt as _, future, stream};

use crate::clock::instant;
use crate::ops::discover::{DiscoveryEvent, discover};
use crate::queue::{Announcement, Queue, name};
use crate::store::Store;
use crate::store::watch::announcements;

/// The keys are not looked through again before so many times as long as that took the last time.
const RESTS: u32 = 20;
/// Nor before this.
const SHORTEST_WAIT: Duration = Duration::from_millis(200);

/// News of the queues that come.
pub(in crate::cli) enum Arrival {
    /// A queue; perhaps one that is known.
    Queue(Queue),
    /// All is looked through but what these nodes of the cluster have, which do not answer.
    Looked(Vec<String>),
}

/// The queues that come.
pub(in crate::cli) struct Arrivals(Pin<Box<dyn Stream<Item = Arrival> + Send>>);

impl Arrivals {
    /// On this server, whose keys are looked through so often.
    pub(super) fn new(store: &Store, each: Duration) -> Self {
        Self::after(each.max(SHORTEST_WAIT), store, each)
    }

    /// The same, and those that are there already.
    pub(in crate::cli) fn from_now(store: &Store, each: Duration) -> Self {
        Self::after(Duration::ZERO, store, each)
    }

    /// The first time after that rest.
    fn after(rest: Duration, store: &Store, each: Duration) -> Self {
        let each = each.max(SHORTEST_WAIT);
        let heard = announcements(store)
            .filter_map(|said| future::ready(queue_of(&said).map(Arrival::Queue)));
        let looked = stream::unfold((store.clone(), rest), move |(store, rest)| async move {
            tokio::time::sleep(rest).await;
            let begun = instant();
            let arrived = once(&store).await;
            let took = instant().saturating_duration_since(begun);
            Some((stream::iter(arrived), (store, each.max(took * RESTS))))
        });
        Self(Box::pin(stream::select(heard, looked.flatten())))
    }

    /// Of a watch that is about certain queues: none.
    pub(in crate::cli) fn none() -> Self {
        Self(Box::pin(stream::pending()))
    }

    /// The next one.
    pub(in crate::cli) async fn next(&mut self) -> Arrival {
        match self.0.next().await {
            Some(arrival) => arrival,
            None => future::pending().await,
        }
    }
}

/// The finds of one look. Nodes that do not answer are looked at the next time: until then
/// queues may come to the others.
async fn once(store: &Store) -> Vec<Arrival> {
    let mut found = std::pin::pin!(discover(store, Vec::new()));
    let mut arrived = Vec::new();
    while let Some(event) = found.next().await {
        match event {
            DiscoveryEvent::Queue(queue) => arrived.push(Arrival::Queue(queue)),
            DiscoveryEvent::Progress { .. } => {}
            DiscoveryEvent::Done { .. } => arrived.push(Arrival::Looked(Vec::new())),
            DiscoveryEvent::Away { nodes, .. } => {
                arrived.push(Arrival::Looked(nodes));
                break;
            }
            DiscoveryEvent::Failed(_) => break,
        }
    }
    arrived
}

/// The queue on whose channel it was said.
fn queue_of(said: &Announcement) -> Option<Queue> {
    let name = name::names_of_key(&said.channel).into_iter().next()?;
    Some(Queue::redisson(name.as_bytes()))
}
