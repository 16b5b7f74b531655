//! Announcements: what is published on the channels of delayed queues, as a stream.

use std::time::Duration;

use futures_util::{Stream, StreamExt, stream};
use redis::aio::{PubSubSink, PubSubStream};
use redis::{Msg, RedisError};
use tokio::time::{sleep, timeout};

use super::error::{passes, plain};
use super::link::task::Backoff;
use super::link::{Store, wire};
use crate::clock::local_now;
use crate::queue::{Announcement, LinkState, Optional, name};

/// The longest wait for connecting, subscribing or an answer to PING.
const LIMIT: Duration = Duration::from_secs(3);
/// A subscription that has been silent for so long is asked whether it still lives: behind a
/// dead network no end of the connection arrives.
const SILENT: Duration = Duration::from_secs(10);
/// Subscriptions in a row that were lost although the server answers all else: then that is told,
/// in these words, among the refusals of the link.
const TOLD: u32 = 3;
const LOST: &str = "the connection for it is lost each time, as by a proxy that passes no \
                    subscriptions; it is tried again";

/// Every message on a delayed queue's channel, on a connection of its own. Connects again by
/// itself; what was published meanwhile is lost, as always with channels. Ends when the server
/// refuses PSUBSCRIBE, which is then recorded among the refusals of the link.
///
/// Where many come in a second they are read ten times in it, and their times say when they were
/// read.
///
/// A pattern and not SUBSCRIBE: we must not be counted as a transfer client.
pub fn announcements(store: &Store) -> impl Stream<Item = Announcement> + Send + 'static {
    let watch = WatchTask {
        store: store.clone(),
        subscription: None,
        backoff: Backoff::default(),
        wait: Duration::ZERO,
        lost: 0,
    };
    stream::unfold(watch, |mut watch| async {
        watch.next().await.map(|message| (message, watch))
    })
}

struct WatchTask {
    store: Store,
    subscription: Option<(PubSubSink, PubSubStream)>,
    backoff: Backoff,
    /// Pause before the next attempt.
    wait: Duration,
    /// Subscriptions that were lost since the last one of which anything was heard.
    lost: u32,
}

/// The reason why there is no subscription.
enum Failure {
    /// The server will not have it.
    Refused(String),
    /// There is no connection; another attempt may succeed.
    Away,
}

impl WatchTask {
    async fn next(&mut self) -> Option<Announcement> {
        loop {
            let Some((sink, messages)) = &mut self.subscription else {
                if self.subscribe().await {
                    continue;
                }
                return None;
            };
            match timeout(SILENT, messages.next()).await {
                Ok(Some(message)) => {
                    self.stays();
                    return Some(self.announcement(&message));
                }
                Ok(None) => self.lost(),
                Err(_) => {
                    // A refusal to answer is an answer too.
                    let answer = timeout(LIMIT, sink.ping::<redis::Value>()).await.ok();
                    if answer.is_none_or(|outcome| outcome.is_err_and(|e| gone(&e))) {
                        self.lost();
                    } else {
                        self.stays();
                    }
                }
            }
        }
    }

    /// Subscribes, waiting first when the attempt before failed; false when refused for good.
    async fn subscribe(&mut self) -> bool {
        sleep(std::mem::take(&mut self.wait)).await;
        match self.attempt().await {
            Ok(subscription) => {
                self.subscription = Some(subscription);
                self.backoff.whole();
                if self.lost < TOLD {
                    self.store.allow(Optional::PSubscribe);
                }
            }
            Err(Failure::Away) => self.lost(),
            Err(Failure::Refused(words)) => {
                self.store.refuse(Optional::PSubscribe, words);
                return false;
            }
        }
        true
    }

    fn lost(&mut self) {
        self.subscription = None;
        self.wait = self.backoff.lost();
        let is_live = matches!(self.store.link().borrow().state, LinkState::Live);
        if is_live {
            self.lost = self.lost.saturating_add(1);
            if self.lost == TOLD {
                self.store.refuse(Optional::PSubscribe, LOST.to_owned());
            }
        }
    }

    /// Something was heard of the subscription.
    fn stays(&mut self) {
        if std::mem::take(&mut self.lost) >= TOLD {
            self.store.allow(Optional::PSubscribe);
        }
    }

    async fn attempt(&self) -> Result<(PubSubSink, PubSubStream), Failure> {
        let dialer = self.store.dialer();
        let limit = dialer.within(LIMIT);
        let connection = timeout(limit, wire::paced_pubsub(dialer)).await.ok();
        let Some(Ok(pubsub)) = connection else {
            return Err(Failure::Away);
        };
        let (mut sink, messages) = pubsub.split();
        let pattern = [name::CHANNEL_PREFIX, b"*"].concat();
        // Where nothing was said yet, this is the first that goes through a command.
        match timeout(limit, sink.psubscribe(pattern)).await.ok() {
            Some(Ok(())) => Ok((sink, messages)),
            // NOPERM, or an unknown command. What is refused for now may be allowed later.
            Some(Err(error)) if !gone(&error) && !for_now(&error) => {
                Err(Failure::Refused(plain(&error)))
            }
            _ => Err(Failure::Away),
        }
    }

    fn announcement(&self, message: &Msg) -> Announcement {
        let now = self.store.clock().map(|clock| clock.now());
        Announcement::new(
            now.unwrap_or_else(local_now),
            message.get_channel().unwrap_or_default(),
            message.get_payload_bytes(),
        )
    }
}

/// A login may come later, and a busy server have time again.
fn for_now(error: &RedisError) -> bool {
    let code = error.code().unwrap_or_default();
    code == "NOAUTH" || passes(code)
}

fn gone(error: &RedisError) -> bool {
    error.is_unrecoverable_error() || error.is_io_error() || error.is_timeout()
}
