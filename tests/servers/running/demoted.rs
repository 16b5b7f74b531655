//! A planned failover behind a proxy: connections stay at the former master, which is a replica now.

use delayscope::ops::consumer::{ConsumeOptions, consume};
use delayscope::ops::worker::{WorkerOptions, work};
use delayscope::queue::look::LookAsk;
use delayscope::queue::{Address, Era, LinkState, Queue};
use delayscope::store::{Access, Store, read};

use futures_util::StreamExt as _;

use crate::gate::{Gate, replica_of};
use crate::running::{PAST, next, next_batch};
use crate::sentinel::{AT_ONCE, info};
use crate::support::{PATIENCE, Server, frame, wait_for};

/// A master and its replica, and what leads to the master of now.
struct Pair {
    master: Server,
    replica: Server,
    gate: Gate,
    queue: Queue,
}

impl Pair {
    fn start() -> Self {
        let master = Server::start_tcp(&AT_ONCE);
        let replica = replica_of(&master);
        wait_for("a replica", || {
            info(&replica, "replication").contains("master_link_status:up")
        });
        let gate = Gate::to(&master);
        Self {
            master,
            replica,
            gate,
            queue: Queue::redisson("orders"),
        }
    }

    async fn store(&self) -> Store {
        let behind = Address::Unix(self.gate.path.clone());
        let store = Store::open(self.master.endpoint_at(behind, 0), Access::ReadWrite);
        store.ready(PATIENCE).await.unwrap();
        store
    }

    /// The replica has all that was written.
    fn even(&self) {
        let mut both = redis::pipe();
        both.cmd("SET").arg("x").arg(1).ignore();
        both.cmd("WAIT").arg(1).arg(20_000);
        let [replicas]: [i64; 1] = both.query(&mut self.master.connection()).unwrap();
        assert_eq!(replicas, 1);
    }

    /// The two change places; no connection is closed.
    fn change_places(&self) {
        self.turn_round();
        self.gate.lead_to(&self.replica);
    }

    /// The same, before what leads there knows of it.
    fn turn_round(&self) {
        self.even();
        let port = self.replica.port().to_string();
        self.replica.cmd(&["REPLICAOF", "NO", "ONE"]);
        self.master.cmd(&["REPLICAOF", "127.0.0.1", &port]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_goes_to_the_new_master() {
    let pair = Pair::start();
    let store = pair.store().await;
    let writer = store.writer().unwrap();
    let mut events = work(&store, writer, pair.queue.clone(), WorkerOptions::default());
    pair.master.put(&pair.queue, &frame(1, b"before"), PAST);
    assert_eq!(next_batch(&mut events).await.moved, 1);
    pair.change_places();
    pair.replica.put(&pair.queue, &frame(2, b"after"), PAST);
    // Heard at the former master still, which gets all that the new one does.
    pair.replica
        .cmd(&["PUBLISH", "redisson_delay_queue_channel:{orders}", "0"]);
    assert_eq!(next_batch(&mut events).await.moved, 1);
    let target = pair.replica.list(&["LRANGE", "orders", "0", "-1"]);
    assert_eq!(target, [&b"before"[..], b"after"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_consumer_goes_to_the_new_master() {
    let pair = Pair::start();
    let store = pair.store().await;
    let writer = store.writer().unwrap();
    let mut taken = consume(&writer, &pair.queue, ConsumeOptions::default());
    pair.master.cmd(&["RPUSH", "orders", "before"]);
    assert_eq!(next(&mut taken).await.unwrap().decoded.text, "before");
    pair.change_places();
    pair.replica.cmd(&["RPUSH", "orders", "after"]);
    // What went wrong on the way is told, and it goes on.
    let mut taken = taken.filter_map(async |one| one.ok()).boxed();
    assert_eq!(next(&mut taken).await.decoded.text, "after");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_only_looks_sees_the_new_master() {
    let pair = Pair::start();
    let store = pair.store().await;
    read::look(&store, LookAsk::Brief).await.unwrap();
    pair.turn_round();
    // It is left, and new connections lead there again.
    read::look(&store, LookAsk::Brief).await.unwrap();
    pair.gate.lead_to(&pair.replica);
    let end = tokio::time::timeout(PATIENCE, async {
        // Looks fail while it goes over.
        while !read::replication(&store)
            .await
            .is_ok_and(|seen| seen.is_master)
        {
            let _ = read::look(&store, LookAsk::Brief).await;
            tokio::task::yield_now().await;
        }
    });
    end.await.expect("the new master");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replica_that_nothing_leads_away_from_is_left_once_and_still_read() {
    let pair = Pair::start();
    pair.master.put(&pair.queue, &frame(1, b"due"), PAST);
    pair.even();
    let replica = pair.replica.endpoint();
    let store = Store::open(replica, Access::ReadWrite);
    store.ready(PATIENCE).await.unwrap();
    let connections = || {
        let told = info(&pair.replica, "stats");
        let (_, rest) = told.split_once("total_connections_received:").unwrap();
        rest.lines().next().unwrap().parse::<u64>().unwrap()
    };
    let (before, mut refused) = (connections(), 0);
    let writer = store.writer().unwrap();
    while refused < 20 {
        let now = store.clock().unwrap().now();
        let told = writer.transfer_as_redisson(&pair.queue, Era::Newer, now, 1);
        let why = told.await.unwrap_err();
        // The first one ends all connections; the next come before the link is up again.
        refused += u64::from(why.code() == Some("READONLY"));
    }
    let looks = async {
        // What is under way when it is left breaks; then it is up for good.
        while read::look(&store, LookAsk::Brief).await.is_err() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, looks).await.expect("a look");
    assert!(matches!(store.link().borrow().state, LinkState::Live));
    // Each ask of our own is one, the others are the program's.
    assert!(connections() - before < 6, "{}", connections() - before);
}
