//! Consuming: what an application at the end of a queue does, or looking at what it would take.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::{Stream, stream};
use tokio::sync::watch;

use crate::clock::{EpochMillis, instant, local_now};
use crate::ops::journal::host;
use crate::payload::{self, DecodedPayload};
use crate::queue::{ConsumerTag, Form, Queue};
use crate::store::sample;
use crate::store::take::Taker;
use crate::store::write::Writer;
use crate::store::{Store, StoreError};

/// The pauses after failures: the first and the longest.
const PAUSE: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(2));
/// "For ever" for one call; the next one follows.
const LONG: Duration = Duration::from_secs(60 * 60);

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
pub struct ConsumedElement {
    /// When it was taken (or seen), by the server's clock.
    pub at: EpochMillis,
    /// Its bytes.
    pub element: Vec<u8>,
    /// Its bytes, decoded.
    pub decoded: DecodedPayload,
}

/// Takes elements from the queue's target, in the order that its consumers do. An element is
/// taken only when the stream is asked for it, and held until it is asked for the next one or ends:
/// what is held still when the stream is dropped is put back by a repair. An error is told once; asking on tries again, after a pause. The end of
/// the stream is what `options` say.
pub fn consume(
    writer: &Writer,
    queue: &Queue,
    options: ConsumeOptions,
) -> impl Stream<Item = Result<ConsumedElement, StoreError>> + Send + Unpin + use<> {
    let consumer = Consumer::new(writer, queue, options);
    Box::pin(stream::unfold(
        Some(consumer),
        |consumer: Option<Consumer>| async move {
            let mut consumer = consumer?;
            if let Some(next) = consumer.next().await {
                return Some((next, Some(consumer)));
            }
            let why = consumer.end().await.err()?;
            Some((Err(why), None))
        },
    ))
}

/// The next `count` elements (at most 1,000) that a consumer would take. Nothing is taken.
pub async fn peek(
    store: &Store,
    queue: &Queue,
    count: usize,
) -> Result<Vec<ConsumedElement>, StoreError> {
    let store = &store.of(queue).await;
    let elements = sample::next_delivered(store, queue, count).await?;
    Ok(elements.into_iter().map(|e| consumed(store, e)).collect())
}

/// A consumer: takes elements from a target and holds each until it is handed on.
pub struct Consumer {
    store: Store,
    taker: Taker,
    left: Option<u64>,
    timeout: Option<Duration>,
    /// The time that has passed since the last element.
    waited: Duration,
    /// The pause before the next attempt; zero after a success.
    pause: Duration,
    /// The reason why nothing is taken from such a queue.
    refused: Option<StoreError>,
}

impl Consumer {
    /// Makes a consumer that has taken nothing yet.
    #[must_use]
    pub fn new(writer: &Writer, queue: &Queue, options: ConsumeOptions) -> Self {
        Self {
            store: writer.store().clone(),
            taker: writer.taker(queue, tag()),
            left: options.count,
            timeout: options.timeout,
            waited: Duration::ZERO,
            pause: Duration::ZERO,
            refused: writer.may_change("take elements", queue).err(),
        }
    }

    /// Takes no more from the moment on when `stop` says so: [`next`](Self::next) then comes to its
    /// end within a second.
    #[must_use]
    pub fn until(mut self, stop: watch::Receiver<bool>) -> Self {
        self.taker = self.taker.until(stop);
        self
    }

    /// The element before was handed on, and is held no more; takes the next one. None at the end
    /// that the options say. An error is told once; asking on tries again, after a pause.
    pub async fn next(&mut self) -> Option<Result<ConsumedElement, StoreError>> {
        if self.left == Some(0) {
            return None;
        }
        if let Some(why) = self.refused.take() {
            self.left = Some(0);
            return Some(Err(why));
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

    /// The element before was not handed on: it goes back to where the next consumer takes it.
    /// False when somebody else has put it back already.
    pub async fn put_back(&mut self) -> Result<bool, StoreError> {
        self.taker.put_back().await
    }

    /// Ends it: the element before was handed on, and is held no more.
    pub async fn end(&mut self) -> Result<(), StoreError> {
        self.taker.end().await
    }

    /// Tells whether an element that it took may be held still.
    #[must_use]
    pub const fn may_hold(&self) -> bool {
        self.taker.may_hold()
    }

    /// Counts the elements handed on that somebody else has put back before this consumer let go of
    /// them, because nothing was heard of this consumer for longer than its lease: they will be
    /// taken again.
    #[must_use]
    pub const fn returned(&self) -> u64 {
        self.taker.returned()
    }
}

/// Makes the tag that a new consumer is called by in what it holds.
fn tag() -> ConsumerTag {
    // Without random numbers the consumers of this process still differ.
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    ConsumerTag {
        host: host(),
        pid: std::process::id(),
        number: Form::ByteId.fresh_id().map_or(count, u64::from_le_bytes),
    }
}

fn consumed(store: &Store, element: Vec<u8>) -> ConsumedElement {
    ConsumedElement {
        at: store.clock().map_or_else(local_now, |clock| clock.now()),
        decoded: payload::decode(&element),
        element,
    }
}
