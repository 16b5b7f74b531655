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
const LEAST: Duration = Duration::from_millis(200);

/// The queues that come; perhaps some that are known.
pub(in crate::cli) struct Arrivals(Pin<Box<dyn Stream<Item = Queue> + Send>>);

impl Arrivals {
    /// On this server, whose keys are looked through so often.
    pub(super) fn new(store: &Store, each: Duration) -> Self {
        Self::after(each.max(LEAST), store, each)
    }

    /// The same, and those that are there already.
    pub(in crate::cli) fn from_now(store: &Store, each: Duration) -> Self {
        Self::after(Duration::ZERO, store, each)
    }

    /// The first time after that rest.
    fn after(rest: Duration, store: &Store, each: Duration) -> Self {
        let each = each.max(LEAST);
        let heard = announcements(store).filter_map(|said| future::ready(queue_of(&said)));
        let looked = stream::unfold((store.clone(), rest), move |(store, rest)| async move {
            tokio::time::sleep(rest).await;
            let begun = instant();
            let found = discover(&store, Vec::new());
            let queues: Vec<Queue> = found
                .filter_map(|found| {
                    future::ready(match found {
                        DiscoveryEvent::Queue(queue) => Some(queue),
                        DiscoveryEvent::Progress { .. }
                        | DiscoveryEvent::Done { .. }
                        | DiscoveryEvent::Away { .. }
                        | DiscoveryEvent::Failed(_) => None,
                    })
                })
                .collect()
                .await;
            let took = instant().saturating_duration_since(begun);
            Some((stream::iter(queues), (store, each.max(took * RESTS))))
        });
        Self(Box::pin(stream::select(heard, looked.flatten())))
    }

    /// Of a watch that is about certain queues: none.
    pub(in crate::cli) fn none() -> Self {
        Self(Box::pin(stream::pending()))
    }

    /// The next one.
    pub(in crate::cli) async fn next(&mut self) -> Queue {
        match self.0.next().await {
            Some(queue) => queue,
            None => future::pending().await,
        }
    }
}

/// The queue on whose channel it was said.
fn queue_of(said: &Announcement) -> Option<Queue> {
    let name = name::names_of_key(&said.channel).into_iter().next()?;
    Some(Queue::redisson(name.as_bytes()))
}
