//! Everything that a scenario needs: its queue, the means to offer, transfer and consume, and to
//! know when it is over.

use std::time::Duration;

use futures_util::StreamExt as _;
use tokio::sync::{broadcast, watch};

use super::DemoEvent;
use crate::clock::{EpochMillis, local_now};
use crate::ops::consumer::{ConsumeOptions, ConsumedElement, Consumer};
use crate::ops::offer::offer_each;
use crate::ops::worker::{WorkerEvent, WorkerOptions, work};
use crate::queue::{Form, Queue};
use crate::store::StoreError;
use crate::store::write::Writer;

/// The time that a scenario waits after something failed.
const AFTER_TROUBLE: Duration = Duration::from_secs(1);

/// A message and when it is due.
pub(super) type DemoMessage = (EpochMillis, Vec<u8>);

/// One scenario's place in the demo.
#[derive(Clone)]
pub(super) struct Stage {
    pub(super) writer: Writer,
    pub(super) queue: Queue,
    pub(super) events: broadcast::Sender<DemoEvent>,
    pub(super) stopped: watch::Receiver<bool>,
    pub(super) faster: u32,
    /// The form of the frames that those who offer here write.
    pub(super) form: Form,
}

impl Stage {
    /// The server's time.
    pub(super) fn now(&self) -> EpochMillis {
        let clock = self.writer.store().clock();
        clock.map_or_else(local_now, |clock| clock.now())
    }

    /// The moment `ms` from now, sooner in a demo that plays faster.
    pub(super) fn after(&self, ms: i64) -> EpochMillis {
        self.now().plus(ms / i64::from(self.faster))
    }

    /// A span, shorter in a demo that plays faster.
    pub(super) fn span(&self, ms: u64) -> Duration {
        Duration::from_millis(ms) / self.faster
    }

    /// Offers messages as a Redisson client does.
    pub(super) async fn offer(&self, messages: &[DemoMessage]) -> Result<(), StoreError> {
        let each = messages.iter().map(|(due, payload)| (*due, &payload[..]));
        let offered = offer_each(&self.writer, &self.queue, each, self.form).await?;
        if let Some(due) = messages.iter().map(|(due, _)| *due).min() {
            self.tell(DemoEvent::Offered {
                queue: self.queue.clone(),
                count: offered.ids.len(),
                due,
            });
        }
        match offered.stopped {
            Some(stopped) => Err(stopped.why),
            None => Ok(()),
        }
    }

    /// The same for a scenario that goes on whatever happens.
    pub(super) async fn offer_or_tell(&self, messages: &[DemoMessage]) {
        if let Err(why) = self.offer(messages).await {
            self.trouble(why);
            self.pause(AFTER_TROUBLE).await;
        }
    }

    /// Waits so long; false when the demo ends meanwhile.
    pub(super) async fn pause(&self, span: Duration) -> bool {
        tokio::select! {
            () = self.over() => false,
            () = tokio::time::sleep(span) => true,
        }
    }

    /// Waits for the end of the demo.
    pub(super) async fn over(&self) {
        // An error says that the demo was dropped: that is its end too.
        let _ = self.stopped.clone().wait_for(|stopped| *stopped).await;
    }

    /// A transfer client, until the demo ends.
    pub(super) async fn work(self) {
        let store = self.writer.store();
        // It plays the queue's own client.
        let options = WorkerOptions {
            named: false,
            ..WorkerOptions::default()
        };
        let mut events = work(store, self.writer.clone(), self.queue.clone(), options);
        loop {
            tokio::select! {
                () = self.over() => return,
                event = events.next() => match event {
                    Some(WorkerEvent::Trouble { why, .. } | WorkerEvent::Deaf { why, .. }) => {
                        self.trouble(why);
                    }
                    Some(_) => {}
                    None => return,
                },
            }
        }
    }

    /// A consumer that needs so long for each message, until the demo ends.
    pub(super) async fn consume(self, each: Duration) {
        let mut consumer = Consumer::new(&self.writer, &self.queue, ConsumeOptions::default());
        loop {
            tokio::select! {
                () = self.over() => break,
                element = consumer.next() => match element {
                    Some(element) => {
                        self.consumed(element);
                    }
                    None => break,
                },
            }
            if !self.pause(each).await {
                break;
            }
        }
        self.leave(consumer).await;
    }

    /// A consumer ends, and holds nothing any more.
    pub(super) async fn leave(&self, mut consumer: Consumer) {
        if let Err(why) = consumer.end().await {
            self.trouble(why);
        }
    }

    /// Tells of an element that was taken, and returns what it says.
    pub(super) fn consumed(&self, element: Result<ConsumedElement, StoreError>) -> Option<String> {
        match element {
            Ok(ConsumedElement { at, decoded, .. }) => {
                self.tell(DemoEvent::Consumed {
                    queue: self.queue.clone(),
                    at,
                    text: decoded.text.clone(),
                });
                Some(decoded.text)
            }
            Err(why) => {
                self.trouble(why);
                None
            }
        }
    }

    pub(super) fn trouble(&self, why: StoreError) {
        self.tell(DemoEvent::Trouble {
            queue: self.queue.clone(),
            why,
        });
    }

    /// Says what the scenario is about, or what has changed.
    pub(super) fn note(&self, text: &str) {
        self.tell(DemoEvent::Note {
            queue: self.queue.clone(),
            text: text.to_owned(),
        });
    }

    /// Nobody need listen.
    fn tell(&self, event: DemoEvent) {
        let _ = self.events.send(event);
    }
}
