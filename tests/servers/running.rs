//! Offer, worker and consumer together, against a real server and what can happen to one.

mod backlog;
mod consumer;
mod demoted;
mod faults;
mod worker;

use delayscope::clock::EpochMillis;
use delayscope::ops::offer::offer;
use delayscope::ops::worker::{Batch, WorkerEvent, WorkerOptions, work};
use delayscope::queue::{Form, Queue};
use delayscope::store::write::Writer;
use delayscope::store::{Access, Store};
use futures_util::{Stream, StreamExt};

use crate::support::{PATIENCE, Server};

/// A moment long ago: whatever has this score is due.
const PAST: &str = "1600000000000";

/// A queue on a server, and what works on it.
struct Bench {
    server: Server,
    store: Store,
    writer: Writer,
    queue: Queue,
}

impl Bench {
    async fn new() -> Self {
        Self::with(Queue::redisson("orders")).await
    }

    async fn with(queue: Queue) -> Self {
        let server = Server::start();
        let store = Store::open(server.endpoint(), Access::ReadWrite);
        store.ready(PATIENCE).await.unwrap();
        let writer = store.writer().unwrap();
        Self {
            server,
            store,
            writer,
            queue,
        }
    }

    fn now(&self) -> EpochMillis {
        self.store.clock().unwrap().now()
    }

    async fn offer(&self, payload: &str, in_ms: i64) {
        let due = self.now().plus(in_ms);
        let payloads = [payload.as_bytes().to_vec()];
        let offered = offer(&self.writer, &self.queue, &payloads, due, Form::ByteId).await;
        assert_eq!(offered.unwrap().ids.len(), 1);
    }

    /// A worker, listening.
    async fn worker(&self) -> impl Stream<Item = WorkerEvent> + Unpin + use<> {
        let mut events = self.work(WorkerOptions::default());
        while next(&mut events).await != WorkerEvent::Listening {}
        events
    }

    fn work(&self, options: WorkerOptions) -> impl Stream<Item = WorkerEvent> + Unpin + use<> {
        let writer = self.store.writer().unwrap();
        work(&self.store, writer, self.queue.clone(), options)
    }

    /// Works until nothing is left; returns all it told.
    async fn work_off(&self) -> Vec<WorkerEvent> {
        let options = WorkerOptions {
            until_empty: true,
            ..WorkerOptions::default()
        };
        let told = self.work(options).collect::<Vec<_>>();
        let told = tokio::time::timeout(PATIENCE, told).await.unwrap();
        assert_eq!(told.last(), Some(&WorkerEvent::Done));
        told
    }

    fn target(&self) -> Vec<Vec<u8>> {
        let target = self.queue.keys().target;
        self.server
            .list(&["LRANGE", std::str::from_utf8(&target).unwrap(), "0", "-1"])
    }

    /// Nothing waits and nothing stands in the order list.
    fn nothing_left(&self) -> bool {
        let keys = self.queue.keys();
        let gone =
            |key: &[u8]| self.server.cmd_bytes(&[b"EXISTS", key]) == crate::support::Value::Int(0);
        gone(&keys.timeouts) && keys.order.is_none_or(|order| gone(&order))
    }
}

async fn next<T>(stream: &mut (impl Stream<Item = T> + Unpin)) -> T {
    let next = tokio::time::timeout(PATIENCE, stream.next()).await;
    next.expect("waited too long").expect("the stream ended")
}

/// The next batch; skips what else is told.
async fn next_batch(events: &mut (impl Stream<Item = WorkerEvent> + Unpin)) -> Batch {
    loop {
        if let WorkerEvent::Batch(batch) = next(events).await {
            return batch;
        }
    }
}

fn sorted(mut list: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    list.sort();
    list
}

fn numbered(count: u32) -> Vec<Vec<u8>> {
    (0..count)
        .map(|n| format!("m{n:05}").into_bytes())
        .collect()
}
