//! A Redisson client and our program at one queue, each led to the server by its own means: by
//! sentinels, or as a cluster tells; before and after another server has taken over.

use std::sync::Arc;
use std::time::Duration;

use crate::cluster::{Cluster, MASTERS, queue_at};
use crate::ours::{self, Due};
use crate::peer::{Answers, Client, Release, Side};
use crate::sentinel::{Group, NAME, info};
use crate::support::{Server, wait_for};

/// A planned failover of a master that sentinels watch.
pub fn by_sentinels(release: &'static Release) {
    let mut group = Group::start();
    let places = group.places();
    let theirs = format!("sentinel://{NAME}/{places}");
    let ours = format!("redis-sentinel://{places}/0?sentinelMasterId={NAME}");
    let master = std::mem::replace(&mut group.servers[0], Server::start());
    let side = Side::led(Arc::new(master), release, (&theirs, ours));
    plays(&side, "orders", || {
        let before = group.port_of_master();
        group.fail_over();
        wait_for("another master", || {
            group.port_of_master() != before && group.is_settled()
        });
    });
}

/// A failover of the node that has the queue, which is not the one that our program is given.
pub fn in_a_cluster(release: &'static Release) {
    let mut cluster = Cluster::start();
    let addresses = (0..MASTERS).map(|n| format!("127.0.0.1:{}", cluster.nodes[n].port()));
    let theirs = format!("cluster://{}", addresses.collect::<Vec<_>>().join(","));
    let ours = cluster.url(0);
    let queue = queue_at(2, 0).name.text().into_owned();
    let owner = std::mem::replace(&mut cluster.nodes[2], Server::start());
    let side = Side::led(Arc::new(owner), release, (&theirs, ours));
    plays(&side, &queue, || {
        cluster.fail_over(2 + MASTERS, false);
        wait_for("the replica to be the master", || {
            info(&cluster.nodes[2 + MASTERS], "replication").contains("role:master")
        });
    });
}

fn plays(side: &Side, queue: &str, fails_over: impl FnOnce()) {
    let client = side.client("led");
    client.work(queue, "string");
    let taken = client.consume(queue, "string");
    let clients = || ours::clients(side, queue);
    wait_for("its client to be counted", || clients() == 1);
    both_ways(side, queue, (&client, &taken), "before");
    fails_over();
    wait_for("its client to be counted at the new master", || {
        clients() == 1
    });
    // What it waited for at the former master may be answered when it has given that up: such an
    // element is nobody's. So it is asked until it takes again.
    wait_for("its consumer to take at the new master", || {
        let asked = PING.to_owned();
        ours::offer(
            side,
            queue,
            "text",
            &Due::In(0),
            std::slice::from_ref(&asked),
        );
        taken.took_within(ANSWER) == Some(asked)
    });
    both_ways(side, queue, (&client, &taken), "after");
}

/// The payload that asks a consumer whether it takes.
const PING: &str = "are you there";
/// The time in which one that takes has mostly answered.
const ANSWER: Duration = Duration::from_secs(5);

/// Our offer is transferred and taken by it; its own is read and delivered by us.
fn both_ways(side: &Side, queue: &str, (client, taken): (&Client<'_>, &Answers), when: &str) {
    // One that asked may be answered late.
    let took = || {
        let mut told = std::iter::from_fn(|| taken.took_at_last());
        told.find(|text| text != PING)
    };
    let ours = format!("from us {when}");
    ours::offer(
        side,
        queue,
        "text",
        &Due::In(500),
        std::slice::from_ref(&ours),
    );
    let shown = || ours::look(side, "show", queue);
    assert_eq!(took(), Some(ours), "{when}: {:?}", shown());
    let its = format!("from it {when}");
    client.offer(queue, "string", [(3_600_000, its.as_str())]);
    let waiting = ours::look(side, "entries", queue);
    assert_eq!(waiting.len(), 1, "{when}: {waiting:?}");
    ours::change(side, "deliver", queue, &["--all", "--yes"], "");
    assert_eq!(took(), Some(its), "{when}: {:?}", shown());
}
