//! A real SUBSCRIBE to one queue's channel, as a transfer client has it: it counts in NUMSUB, and
//! an offer is announced to it. Looking on is `watch`'s business, by a pattern that does not count.

use std::time::Duration;

use futures_util::{Stream, StreamExt, stream};
use redis::aio::{PubSubSink, PubSubStream};
use tokio::time::{sleep, timeout};

use super::error::{StoreError, plain};
use super::link::task::Backoff;
use super::link::{Store, wire};
use crate::queue::look::worker_name;

/// The longest wait for connecting, subscribing and a PING.
const LIMIT: Duration = Duration::from_secs(2);
/// After this long without a message a PING asks whether the connection is still one: a channel
/// may be silent for days, and a half-open connection is silent too.
const SILENCE: Duration = Duration::from_secs(5);

/// A message of a subscription.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard {
    /// The server has confirmed it: from here on nothing published is missed.
    Subscribed,
    /// Somebody published this.
    Message(Vec<u8>),
    /// It is gone, and is tried again after `retry_in`.
    Lost {
        /// The reason.
        why: StoreError,
        /// The wait until the next attempt.
        retry_in: Duration,
    },
}

/// Subscribes to `channel`, and again whenever the connection is lost. The stream never ends; the
/// connection is closed when it is dropped.
pub fn listen(store: &Store, channel: Vec<u8>) -> impl Stream<Item = Heard> + Send + use<> {
    listening(store, channel, None)
}

/// The same for a stand-in worker, which the server is told that it is.
pub fn listen_named(store: &Store, channel: Vec<u8>) -> impl Stream<Item = Heard> + Send + use<> {
    let name = worker_name(&channel);
    listening(store, channel, Some(name))
}

fn listening(
    store: &Store,
    channel: Vec<u8>,
    name: Option<String>,
) -> impl Stream<Item = Heard> + Send + use<> {
    let listening = ChannelListener {
        store: store.clone(),
        channel,
        name,
        open: None,
        backoff: Backoff::default(),
        pause: Duration::ZERO,
    };
    stream::unfold(listening, |mut listening| async move {
        Some((listening.next().await, listening))
    })
    .boxed()
}

struct ChannelListener {
    store: Store,
    channel: Vec<u8>,
    name: Option<String>,
    open: Option<(PubSubSink, PubSubStream)>,
    backoff: Backoff,
    /// Pause before the next attempt.
    pause: Duration,
}

impl ChannelListener {
    async fn next(&mut self) -> Heard {
        let outcome = match self.open.take() {
            Some(open) => self.hear(open).await,
            None => self.subscribe().await,
        };
        outcome.unwrap_or_else(|why| {
            let retry_in = self.backoff.lost();
            self.pause = retry_in;
            Heard::Lost { why, retry_in }
        })
    }

    async fn subscribe(&mut self) -> Result<Heard, StoreError> {
        sleep(self.pause).await;
        let endpoint = self.store.endpoint();
        let opening = async {
            let wire = wire::pubsub(self.store.dialer(), self.name.as_deref()).await?;
            let (mut sink, stream) = wire.split();
            let subscribed = sink.subscribe(&self.channel).await;
            subscribed.map_err(|e| wire::unheard(endpoint, &e))?;
            Ok::<_, StoreError>((sink, stream))
        };
        let limit = self.store.dialer().within(LIMIT);
        let opened = timeout(limit, opening).await;
        self.open = Some(opened.map_err(|_| self.timed_out(limit))??);
        self.backoff.whole();
        Ok(Heard::Subscribed)
    }

    async fn hear(
        &mut self,
        (mut sink, mut stream): (PubSubSink, PubSubStream),
    ) -> Result<Heard, StoreError> {
        loop {
            match timeout(SILENCE, stream.next()).await {
                Ok(Some(message)) => {
                    let heard = Heard::Message(message.get_payload_bytes().to_vec());
                    self.open = Some((sink, stream));
                    return Ok(heard);
                }
                Ok(None) => return Err(self.broken("the server closed it".to_owned())),
                Err(_) => match timeout(LIMIT, sink.ping::<redis::Value>()).await {
                    Ok(Ok(_)) => {}
                    Ok(Err(e)) => return Err(self.broken(plain(&e))),
                    Err(_) => return Err(self.timed_out(LIMIT)),
                },
            }
        }
    }

    fn server(&self) -> String {
        self.store.endpoint().to_string()
    }

    fn broken(&self, why: String) -> StoreError {
        StoreError::Broken {
            server: self.server(),
            attempt: "say what is published",
            why,
        }
    }

    fn timed_out(&self, after: Duration) -> StoreError {
        StoreError::TimedOut {
            server: self.server(),
            attempt: "say what is published",
            after,
        }
    }
}
