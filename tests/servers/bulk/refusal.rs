//! A server that cannot do it: each script is refused whole, or brings back what it took.

use delayscope::ops::bulk::aside::OrderRestoration;
use delayscope::ops::bulk::drift::Drift;
use delayscope::ops::bulk::put_back::PutBack;
use delayscope::ops::bulk::realign::Realign;
use delayscope::ops::bulk::sweep::Sweep;
use delayscope::store::StoreError;
use delayscope::store::bulk::{
    AwayPlace, Broom, ReadOrder, ReturnPlace, ReturnedEntry, StrayFate, Swap,
};
use delayscope::store::change::ChosenEntry;
use delayscope::store::write::Writer;

use crate::bulk::world::{World, member};
use crate::support;
use crate::support::Server;

fn contents(server: &Server) -> Vec<(Vec<u8>, support::Value)> {
    let mut keys = server.list(&["KEYS", "*"]);
    keys.sort();
    let dump = |key: Vec<u8>| {
        let dump = server.cmd_bytes(&[b"DUMP", &key]);
        (key, dump)
    };
    keys.into_iter().map(dump).collect()
}

fn due(id: u64) -> i64 {
    i64::try_from(id).unwrap()
}

/// Each script once, on what would make it write: its name, and what it said. An order list is
/// aside for those that bring it back.
async fn each(writer: &Writer, aside: bool) -> Vec<(&'static str, StoreError)> {
    let queue = delayscope::queue::Queue::redisson("orders");
    let mark = |id| <[u8; 8]>::try_from(&member(id)[1..9]).unwrap();
    let swap = Swap {
        places: [0, 1],
        marks: [mark(1), mark(2)],
    };
    let returning = ReturnedEntry {
        to: ReturnPlace::Behind(&member(1)),
        score: 9.0,
        member: &member(9),
    };
    let order = ReadOrder { aside, last: None };
    let mut said = Vec::new();
    let mut tell = |name, result: Result<(), StoreError>| {
        if let Err(error) = result {
            said.push((name, error));
        }
    };
    if aside {
        tell(
            "bring back",
            writer
                .bring_back(&queue, 1, StrayFate::Told)
                .await
                .map(drop),
        );
        return said;
    }
    let set_aside = writer.set_aside(&queue).await;
    if set_aside.is_ok() {
        all_back(writer, &queue).await;
    }
    tell("set aside", set_aside.map(drop));
    tell("swap", writer.swap(&queue, &[swap]).await.map(drop));
    let chosen = [(&member(1)[..], Broom::Delete(1.0))];
    tell(
        "sweep",
        writer
            .sweep(&queue, 2, &chosen, AwayPlace::Nowhere)
            .await
            .map(drop),
    );
    let edits = [(&member(2)[..], Broom::Delete(2.0), &member(22)[..])];
    let edited = writer.edit_around(&queue, 2, &edits).await;
    tell("edit", edited.map(drop));
    let put = writer
        .put_back_around(&queue, 2, &[returning], AwayPlace::Nowhere)
        .await;
    tell("put back", put.map(drop));
    tell(
        "append",
        writer
            .append(&queue, &order, &[&member(4)], true)
            .await
            .map(drop),
    );
    tell(
        "drop copy",
        writer.drop_copy(&queue, [1, 3], &member(2)).await.map(drop),
    );
    for (name, result) in quarantined(writer, &queue).await {
        said.extend(result.err().map(|error| (name, error)));
    }
    said
}

/// Brings the order list back.
async fn all_back(writer: &Writer, queue: &delayscope::queue::Queue) {
    let some = || writer.bring_back(queue, 9, StrayFate::Counted);
    while some().await.unwrap().done.taken > 0 {}
}

/// The same of those that set an entry aside, and bring it back.
async fn quarantined(
    writer: &Writer,
    queue: &delayscope::queue::Queue,
) -> [(&'static str, Result<(), StoreError>); 2] {
    let to = AwayPlace::Quarantined;
    let chosen = [(&member(3)[..], Broom::Delete(3.0))];
    let back = ReturnedEntry {
        to: ReturnPlace::Tail,
        score: 3.0,
        member: &member(3),
    };
    let swept = writer.sweep(queue, 2, &chosen, to).await;
    let put = writer.put_back_around(queue, 2, &[back], to).await;
    [("sweep away", swept.map(drop)), ("restore", put.map(drop))]
}

/// 1, 2, 3 and a second copy of 2 in the order list; 4 in timeouts alone.
async fn world(server: &Server, aside: bool) -> World {
    let mut world = World::new(server, &[1, 2, 3], due).await;
    let keys = world.queue.keys();
    let order = keys.order.unwrap();
    let _: i64 = world.cmd("RPUSH", &[&order, &member(2)]);
    let _: i64 = world.cmd("ZADD", &[&keys.timeouts, b"4", &member(4)]);
    if aside {
        world.writer.set_aside(&world.queue).await.unwrap();
    }
    world
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_of_another_type_is_named_and_nothing_is_done() {
    let server = Server::start();
    for aside in [false, true] {
        let keys = world(&server, aside).await.queue.keys();
        let all = [
            keys.timeouts,
            keys.order.unwrap(),
            keys.aside.unwrap(),
            keys.quarantine,
        ];
        let concerned = if aside { &all[..3] } else { &all };
        for (k, wrong) in concerned.iter().enumerate() {
            let world = world(&server, aside).await;
            server.cmd_bytes(&[b"SET", wrong, b"in the way"]);
            let before = contents(&server);
            let said = each(&world.writer, aside).await;
            for (name, error) in &said {
                let StoreError::WrongType { key, .. } = error else {
                    panic!("{name}: {error:?}");
                };
                assert_eq!(key.as_bytes(), wrong, "{name}");
            }
            let concerned = match (aside, k) {
                (true, _) => 1,
                // Swap and drop copy know the order list alone; sweeps do not know what is aside.
                (false, 0) => 7,
                (false, 1) => 9,
                (false, 2) => 5,
                (false, _) => 2,
            };
            assert_eq!(said.len(), concerned, "{k} {said:?}");
            if said.len() == 9 || aside {
                assert!(contents(&server) == before);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replica_takes_none_of_it_and_a_full_server_only_what_needs_no_room() {
    let replica: [&[&str]; 2] = [
        &["REPLICAOF", "127.0.0.1", "1"],
        &["REPLICAOF", "NO", "ONE"],
    ];
    let full: [&[&str]; 2] = [
        &["CONFIG", "SET", "maxmemory", "1"],
        &["CONFIG", "SET", "maxmemory", "0"],
    ];
    let server = Server::start();
    for aside in [false, true] {
        let world = world(&server, aside).await;
        let before = contents(&server);
        server.cmd(replica[0]);
        let said = each(&world.writer, aside).await;
        server.cmd(replica[1]);
        let wanted = if aside { 1 } else { 9 };
        assert_eq!(said.len(), wanted, "{said:?}");
        assert!(
            said.iter().all(|(_, e)| e.code() == Some("READONLY")),
            "{said:?}"
        );
        assert!(contents(&server) == before);
    }
    let mut world = world(&server, false).await;
    server.cmd(full[0]);
    let said = each(&world.writer, false).await;
    server.cmd(full[1]);
    let names: Vec<_> = said.iter().map(|(name, _)| *name).collect();
    let refused = [
        "swap",
        "edit",
        "put back",
        "append",
        "drop copy",
        "sweep away",
        "restore",
    ];
    assert_eq!(names, refused);
    assert!(
        said.iter().all(|(_, e)| e.code() == Some("OOM")),
        "{said:?}"
    );
    // What is set aside comes back, and what is deleted is: the sweep took 1 and let 2 go round.
    assert_eq!(world.order(), [member(3), member(2), member(2)]);
    assert!(!world.timeouts().contains_key(&member(1)));
    assert!(world.aside().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_forgot_the_scripts_is_told_them_again() {
    let server = Server::start();
    let world = world(&server, false).await;
    for _ in 0..2 {
        server.cmd(&["SCRIPT", "FLUSH"]);
        assert!(each(&world.writer, false).await.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_queue_without_order_list_has_no_bulk_way() {
    let server = Server::start();
    let world = World::new(&server, &[1], due).await;
    let plain: delayscope::queue::Queue = "zset-list:delayed,ready".parse().unwrap();
    let writer = &world.writer;
    let chosen = ChosenEntry {
        member: b"x".to_vec(),
        score: 1.0,
    };
    let put = vec![(chosen.clone(), None)];
    assert!(OrderRestoration::new(&plain).next(writer, 1).await.is_err());
    let mut back = PutBack::new(&plain, put);
    let tries = back.next(writer, 1).await.unwrap().unwrap().tries;
    assert_eq!(tries, [0]);
    assert!(back.next(writer, 1).await.is_err());
    assert_eq!(
        Realign::new(&plain, vec![b"x".to_vec()])
            .next(writer, 1)
            .await,
        Ok(None)
    );
    let mut sweep = Sweep::new(&plain, vec![chosen]);
    while sweep.next(writer, 1).await.unwrap().is_some() {}
    assert_eq!(Drift::new(&plain).find(writer.store()).await, Ok(None));
}
