//! Changes beside real replicas: one that hangs, one that goes, one that is only being copied to.

use std::time::Duration;

use delayscope::ops::apply::{ChangeEvent, Limits, RunningChange, apply};
use delayscope::ops::plan::{ChangeRequest, EntryChoice};
use delayscope::queue::{Queue, Summary};

use crate::apply::bench::Bench;
use crate::support::{Server, Value, wait_for};

/// What a replica may be behind here: less than [`behind`] makes it.
const MOST: u64 = 50_000;

/// A queue whose entries are all due, on a server that has a replica.
async fn replicated(count: u64) -> (Bench, Server) {
    let master = Server::start_tcp(&[
        "--repl-diskless-sync",
        "yes",
        "--repl-diskless-sync-delay",
        "0",
    ]);
    let replica = replica_of(&master);
    let bench = Bench::on(master, &Queue::redisson("orders")).await;
    bench.fill(count, bench.server.now().plus(-900_000), 1);
    wait_for("the replica", || {
        told(&bench.server).contains("state=online")
    });
    caught_up(&bench.server);
    (bench, replica)
}

fn replica_of(master: &Server) -> Server {
    let port = master.port().to_string();
    Server::start_with(&["--replicaof", "127.0.0.1", &port])
}

fn told(server: &Server) -> String {
    let Value::BulkString(info) = server.cmd(&["INFO", "replication"]) else {
        panic!("INFO is text")
    };
    String::from_utf8(info).unwrap()
}

/// The replica has all that was written.
fn caught_up(server: &Server) {
    let mut both = redis::pipe();
    both.cmd("SET").arg("x").arg(1).ignore();
    both.cmd("WAIT").arg(1).arg(20_000);
    let [replicas]: [i64; 1] = both.query(&mut server.connection()).unwrap();
    assert_eq!(replicas, 1);
}

/// Writes more than a replica may be behind.
fn behind(server: &Server) {
    server.cmd(&["SET", "x", &"x".repeat(100_000)]);
}

async fn transfer(bench: &Bench, per_s: Option<f64>) -> RunningChange {
    let prepared = bench
        .plan(ChangeRequest::Transfer, EntryChoice::Due)
        .await
        .unwrap();
    let limits = Limits {
        per_s,
        max_lag: MOST,
        patience: Duration::from_millis(200),
        ..Limits::default()
    };
    apply(&bench.writer, &bench.journal, prepared, limits)
}

/// Hears a change to its end; of what it waits, `waits` is told.
async fn hear(applying: &mut RunningChange, mut waits: impl FnMut(&str)) -> Summary {
    loop {
        match applying.next().await.unwrap() {
            ChangeEvent::Progress(progress) => {
                if let Some(why) = progress.waits {
                    waits(&why);
                }
            }
            ChangeEvent::Ended(summary) => return summary,
            ChangeEvent::Failed(why) => panic!("{why}"),
            _ => {}
        }
    }
}

#[tokio::test]
async fn a_replica_that_hangs_is_waited_for_until_it_has_caught_up() {
    let (bench, replica) = replicated(300).await;
    replica.stop();
    behind(&bench.server);
    let before = bench.contents();
    let mut applying = transfer(&bench, None).await;
    let mut waited = 0;
    let summary = hear(&mut applying, |why| {
        let (lag, limit) = why
            .strip_prefix("a replica is ")
            .and_then(|rest| rest.split_once(" bytes behind, and shall not be more than "))
            .unwrap_or_else(|| panic!("{why}"));
        assert!(lag.parse::<u64>().unwrap() > MOST, "{why}");
        assert_eq!(limit, MOST.to_string());
        assert!(bench.contents() == before, "nothing is written meanwhile");
        waited += 1;
        if waited == 3 {
            replica.go_on();
        }
    })
    .await;
    assert!(waited >= 3 && summary.tally.all_done(), "{summary:?}");
    assert!(summary.notes.is_empty(), "{:?}", summary.notes);
    caught_up(&bench.server);
    assert_eq!(replica.int(&["LLEN", "orders"]), 300);
}

#[tokio::test]
async fn a_replica_that_falls_behind_meanwhile_is_waited_for_until_it_has_gone() {
    let (bench, mut replica) = replicated(900).await;
    let mut applying = transfer(&bench, Some(600.0)).await;
    while !matches!(applying.next().await, Some(ChangeEvent::Results(_))) {}
    replica.stop();
    behind(&bench.server);
    let mut stood = None;
    let summary = hear(&mut applying, |why| {
        if why.starts_with("a replica has left") {
            return;
        }
        assert!(why.contains("bytes behind"), "{why}");
        let delivered = bench.server.int(&["LLEN", "orders"]);
        assert!(delivered > 0 && delivered < 900, "{delivered}");
        if *stood.get_or_insert(delivered) == delivered {
            replica.kill();
        } else {
            panic!("{delivered} were delivered before it had gone");
        }
    })
    .await;
    assert!(stood.is_some() && summary.tally.all_done(), "{summary:?}");
    let said = |note: &String| note.starts_with("A replica went away and did not come back");
    assert_eq!(summary.notes.iter().filter(|n| said(n)).count(), 1);
    assert!(!told(&bench.server).contains("slave0"), "it has gone");
}

#[tokio::test]
async fn a_replica_that_is_being_copied_to_is_waited_for_and_called_so() {
    let (bench, replica) = replicated(50).await;
    drop(replica);
    behind(&bench.server);
    let delay = ["CONFIG", "SET", "repl-diskless-sync-delay"];
    bench.server.cmd(&[&delay[..], &["600"]].concat());
    let _new = replica_of(&bench.server);
    wait_for("the replica to ask for a copy", || {
        told(&bench.server).contains("state=wait_bgsave")
    });
    let mut applying = transfer(&bench, None).await;
    let mut waited = false;
    let summary = hear(&mut applying, |why| {
        // Once it has its copy, it tells only a second later how far it is.
        if waited && why.contains("bytes behind") {
            return;
        }
        assert_eq!(why, "a replica is being given a copy of everything");
        assert_eq!(bench.server.int(&["LLEN", "orders"]), 0);
        bench.server.cmd(&[&delay[..], &["0"]].concat());
        waited = true;
    })
    .await;
    assert!(waited && summary.tally.all_done(), "{summary:?}");
}
