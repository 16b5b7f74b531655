//! Consuming: what an application at the end of a queue does, or looking at what it would take.

use std::time::Duration;

use futures_util::{Stream, stream};
use tokio::sync::watch;

use crate::clock::{EpochMillis, instant, local_now};
use crate::payload::{self, Decoded};
use crate::queue::Queue;
use crate::store::sample;
use crate::store::take::Taker;
use crate::store::write::Writer;
use crate::store::{Store, StoreError};

/// The pauses after failures: the first and the longest.
const PAUSE: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(2));
/// "For ever" for one call; the next one follows.
const LONG: Duration = Duration::from_hours(1);

/// When a consumer stops by itself.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct ConsumeOptions {
    /// After so many elements; none is no limit.
    pub count: Option<u64>,
    /// When there was no element for so long; none is to wait for ever.
    pub timeout: Option<Duration>,
}

/// An element of target, read.
#[derive(Clone, Debug, PartialEq)]
pub struct Consumed {
    /// When it was taken (or seen), by the server's clock.
    pub at: EpochMillis,
    /// Its bytes.
    pub element: Vec<u8>,
    /// What they say.
    pub decoded: Decoded,
}

/// Takes elements from the queue's target, in the order that its consumers do. An element is
/// taken only when the stream is asked for it: who writes down each before asking for the next
/// has at most one on its way. An error is told once; asking on tries again, after a pause. The
/// end of the stream is what `options` say.
///
/// Dropping the stream while it waits may lose an element that is just on its way: so it is with
/// every client that takes with BLPOP.
pub fn consume(
    writer: &Writer,
    queue: &Queue,
    options: ConsumeOptions,
) -> impl Stream<Item = Result<Consumed, StoreError>> + Send + Unpin + use<> {
    consuming(writer, writer.taker(queue), options)
}

/// [`consume`], until `stop` says so: then the stream ends within a second, after the element that
/// was on its way. Nothing is lost, which dropping the stream cannot promise.
pub fn consume_until(
    writer: &Writer,
    queue: &Queue,
    options: ConsumeOptions,
    stop: watch::Receiver<bool>,
) -> impl Stream<Item = Result<Consumed, StoreError>> + Send + Unpin + use<> {
    consuming(writer, writer.taker(queue).until(stop), options)
}

fn consuming(
    writer: &Writer,
    taker: Taker,
    options: ConsumeOptions,
) -> impl Stream<Item = Result<Consumed, StoreError>> + Send + Unpin + use<> {
    let consumer = Consumer {
        store: writer.store().clone(),
        taker,
        left: options.count,
        timeout: options.timeout,
        waited: Duration::ZERO,
        pause: Duration::ZERO,
    };
    Box::pin(stream::unfold(consumer, |mut consumer| async move {
        let next = consumer.next().await?;
        Some((next, consumer))
    }))
}

/// The next `count` elements (at most 1,000) that a consumer would take. Nothing is taken.
pub async fn peek(store: &Store, queue: &Queue, count: usize) -> Result<Vec<Consumed>, StoreError> {
    let elements = sample::next_delivered(store, queue, count).await?;
    Ok(elements.into_iter().map(|e| consumed(store, e)).collect())
}

struct Consumer {
    store: Store,
    taker: Taker,
    left: Option<u64>,
    timeout: Option<Duration>,
    /// Since the last element.
    waited: Duration,
    /// Before the next attempt; zero after a success.
    pause: Duration,
}

impl Consumer {
    async fn next(&mut self) -> Option<Result<Consumed, StoreError>> {
        if self.left == Some(0) {
            return None;
        }
        let asked = instant();
        tokio::time::sleep(self.pause).await;
        loop {
            let spent = self.waited + instant().saturating_duration_since(asked);
            let within = self.timeout.map_or(LONG, |t| t.saturating_sub(spent));
            match self.taker.take(within).await {
                Ok(Some(element)) => {
                    self.left = self.left.map(|left| left - 1);
                    self.pause = Duration::ZERO;
                    self.waited = Duration::ZERO;
                    return Some(Ok(consumed(&self.store, element)));
                }
                Ok(None) if self.timeout.is_some() || self.taker.has_stopped() => return None,
                Ok(None) => {}
                Err(why) => {
                    self.pause = self.pause.saturating_mul(2).clamp(PAUSE.0, PAUSE.1);
                    self.waited += instant().saturating_duration_since(asked);
                    return Some(Err(why));
                }
            }
        }
    }
}

fn consumed(store: &Store, element: Vec<u8>) -> Consumed {
    Consumed {
        at: store.clock().map_or_else(local_now, |clock| clock.now()),
        decoded: payload::decode(&element),
        element,
    }
}
