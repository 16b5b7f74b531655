//! Drift: found exactly, mended once.

use delayscope::clock::EpochMillis;
use delayscope::ops::bulk::drift::{Difference, Drift};
use delayscope::ops::bulk::sweep::Sweep;
use delayscope::queue::Queue;
use delayscope::store::bulk::{AppendFate, ReadOrder};
use delayscope::store::change::Fate;
use delayscope::store::{Access, Store};

use crate::bulk::world::{Dice, World, member};
use crate::support::{PATIENCE, Server};

async fn found(world: &World) -> Drift {
    let mut drift = Drift::new(&world.queue);
    while drift.find(world.writer.store()).await.unwrap().is_some() {}
    drift
}

async fn mended(world: &World, drift: &mut Drift, n: usize) -> Vec<(usize, Fate)> {
    let mut fates = Vec::new();
    while let Some(step) = drift.next(&world.writer, n).await.unwrap() {
        fates.extend(step.fates.into_iter().map(|f| (f.index, f.fate)));
    }
    fates
}

/// All differences: those that are mended, and what only the order list holds.
fn all(drift: &Drift) -> Vec<Difference> {
    let strays = drift.strays().iter().cloned();
    let mended = drift.found().iter().cloned();
    mended.chain(strays.map(Difference::OnlyInOrder)).collect()
}

/// What only the order list holds leaves it; how many did.
async fn dropped(world: &World, strays: &[Vec<u8>]) -> usize {
    let mut sweep = Sweep::strays(&world.queue, strays.to_vec());
    let mut done = 0;
    while let Some(step) = sweep.next(&world.writer, 50).await.unwrap() {
        done += step.fates.iter().filter(|f| f.fate == Fate::Done).count();
    }
    done
}

/// 3,000 entries with all kinds of drift in them.
async fn drifted(server: &Server) -> (World, Vec<Difference>) {
    let mut order: Vec<u64> = (1..=3_000).collect();
    Dice::new(8).shuffle(&mut order);
    let mut world = World::new(server, &order, |id| i64::try_from(id).unwrap()).await;
    let keys = world.queue.keys();
    let list = keys.order.unwrap();
    let mut wanted = Vec::new();
    for id in (1..=3_000).step_by(100) {
        let _: i64 = world.cmd("LREM", &[&list, b"1", &member(id)]);
        wanted.push(Difference::NotInOrder(member(id)));
        let _: i64 = world.cmd("ZREM", &[&keys.timeouts, &member(id + 1)]);
        world.owed.remove(&member(id + 1));
        wanted.push(Difference::OnlyInOrder(member(id + 1)));
    }
    for id in [50, 150] {
        let _: i64 = world.cmd("RPUSH", &[&list, &member(id)]);
        let at = member(order[1_500]);
        let _: i64 = world.cmd("LINSERT", &[&list, b"AFTER", &at, &member(id)]);
        wanted.push(Difference::TooOften(member(id), 3));
    }
    (world, wanted)
}

fn key(difference: &Difference) -> (Vec<u8>, u64) {
    match difference {
        Difference::NotInOrder(m) => (m.clone(), 0),
        Difference::OnlyInOrder(m) => (m.clone(), 1),
        Difference::TooOften(m, times) => (m.clone(), *times),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_difference_is_found_and_mended_and_nothing_else() {
    let server = Server::start();
    let (mut world, mut wanted) = drifted(&server).await;
    let mut drift = found(&world).await;
    let mut seen = all(&drift);
    seen.sort_by_key(key);
    wanted.sort_by_key(key);
    assert_eq!(seen, wanted);
    let fates = mended(&world, &mut drift, 50).await;
    let strays = drift.strays().to_vec();
    assert_eq!(fates.len() + strays.len(), wanted.len());
    assert!(
        fates.iter().all(|(_, fate)| *fate == Fate::Done),
        "{fates:?}"
    );
    // What may never have been delivered is left where it is.
    assert_eq!(all(&found(&world).await).len(), strays.len());
    assert_eq!(dropped(&world, &strays).await, strays.len());
    world.holds("after mending");
    assert_eq!(all(&found(&world).await), []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_who_mend_the_same_drift_at_once_mend_it_once() {
    let server = Server::start();
    for seed in 0..6 {
        let (mut world, wanted) = drifted(&server).await;
        let mut both = [found(&world).await, found(&world).await];
        let mut dice = Dice::new(seed);
        let (mut done, mut running) = (0, [true, true]);
        while running.contains(&true) {
            let who = dice.below(2);
            if !running[who] {
                continue;
            }
            match both[who]
                .next(&world.writer, 7 + dice.below(40))
                .await
                .unwrap()
            {
                Some(step) => {
                    done += step.fates.iter().filter(|f| f.fate == Fate::Done).count();
                }
                None => running[who] = false,
            }
        }
        let strays = both[0].strays().to_vec();
        assert_eq!(dropped(&world, &strays).await, strays.len(), "seed {seed}");
        world.holds(&format!("seed {seed}"));
        done += strays.len();
        assert!(done >= wanted.len() - 2, "{done} of {}", wanted.len());
        assert_eq!(all(&found(&world).await), []);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_aside_counts_as_order_list_and_forbids_mending() {
    let server = Server::start();
    let order: Vec<u64> = (1..=50).collect();
    let world = World::new(&server, &order, |id| i64::try_from(id).unwrap()).await;
    world.writer.set_aside(&world.queue).await.unwrap();
    let mut drift = found(&world).await;
    assert_eq!(drift.found(), []);
    assert!(drift.is_aside());
    let error = drift.next(&world.writer, 10).await.unwrap_err();
    assert!(error.to_string().contains("restore it first"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_others_swap_while_the_list_is_read_is_not_appended_again() {
    let server = Server::start();
    let order: Vec<u64> = (1..=9_000).collect();
    let mut world = World::new(&server, &order, |id| i64::try_from(id).unwrap()).await;
    let keys = world.queue.keys();
    let list = keys.order.unwrap();
    let mut drift = Drift::new(&world.queue);
    // Each page that was read gets an element from where nobody has read yet, as a realign would.
    let mut swapped = 0_u64;
    while let Some(step) = drift.find(world.writer.store()).await.unwrap() {
        let read = step.at.saturating_sub(9_000);
        if (1_000..7_000).contains(&read) {
            let (near, far) = (swapped, 8_900 - swapped);
            let [a, b] = [near, far].map(|i| world.order()[usize::try_from(i).unwrap()].clone());
            let [near, far] = [near, far].map(|i| i.to_string());
            let _: String = world.cmd("LSET", &[&list, near.as_bytes(), &b]);
            let _: String = world.cmd("LSET", &[&list, far.as_bytes(), &a]);
            swapped += 1;
        }
    }
    let lacks = |d: &&Difference| matches!(d, Difference::NotInOrder(_));
    assert!(drift.found().iter().filter(lacks).count() > 0, "{swapped}");
    mended(&world, &mut drift, 50).await;
    world.holds("after mending");
    assert_eq!(found(&world).await.found(), []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_long_list_no_script_looks_through_all_and_what_two_readings_missed_is_not_appended() {
    const LONG: u64 = 60_000;
    let server = Server::start();
    let queue = Queue::redisson("orders");
    let due = |n| EpochMillis::new(4_000_000_000_000 + i64::try_from(n).unwrap());
    server.fill_with(&queue, LONG, due);
    let list = queue.keys().order.unwrap();
    let at = |i: u64| -> Vec<u8> {
        let element = server.cmd_bytes(&[b"LINDEX", &list, i.to_string().as_bytes()]);
        redis::from_redis_value(element).unwrap()
    };
    let swap = |i: u64, j: u64| {
        for (place, element) in [(i, at(j)), (j, at(i))] {
            server.cmd_bytes(&[b"LSET", &list, place.to_string().as_bytes(), &element]);
        }
    };
    let store = Store::open(server.endpoint(), Access::ReadWrite);
    store.ready(PATIENCE).await.unwrap();
    let writer = store.writer().unwrap();
    let (read, between, unread) = (3, 100, LONG - 1_000);
    let wanderer = at(unread);
    let mut drift = Drift::new(&queue);
    let mut swapped = false;
    while let Some(step) = drift.find(&store).await.unwrap() {
        if !swapped && step.at > LONG + LONG / 2 {
            swap(between, unread);
            swapped = true;
        }
    }
    let lacks = Difference::NotInOrder(wanderer.clone());
    assert!(drift.found().contains(&lacks), "the first reading saw it");
    let mut fates = Vec::new();
    let mut swapped = false;
    while let Some(step) = drift.next(&writer, 50).await.unwrap() {
        // Its first page was read.
        if !swapped && !step.wrote {
            swap(read, between);
            swapped = true;
        }
        fates.extend(step.fates.into_iter().map(|fated| fated.fate));
    }
    // Nor did the second copy stand there that the swap had made it look like.
    assert_eq!(fates, [Fate::Gone, Fate::Gone]);
    let order = server.list(&["LRANGE", std::str::from_utf8(&list).unwrap(), "0", "-1"]);
    assert_eq!(order.len() as u64, LONG);
    assert_eq!(
        order.iter().filter(|element| **element == wanderer).count(),
        1
    );
    server.cmd_bytes(&[b"LREM", &list, b"1", &at(499)]);
    let (mut drift, mut appended) = (Drift::new(&queue), 0);
    while drift.find(&store).await.unwrap().is_some() {}
    while let Some(step) = drift.next(&writer, 50).await.unwrap() {
        appended += step
            .fates
            .iter()
            .filter(|fated| fated.fate == Fate::Done)
            .count();
    }
    assert_eq!(appended, 1);
    let stats = server.cmd(&["INFO", "commandstats"]);
    let stats: String = redis::from_redis_value(stats).unwrap();
    assert!(stats.contains("cmdstat_rpush"), "{stats}");
    assert!(!stats.contains("cmdstat_lpos"), "{stats}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_stands_anywhere_in_the_list_is_not_appended_again() {
    let server = Server::start();
    let order: Vec<u64> = (1..=5_000).collect();
    let world = World::new(&server, &order, |id| i64::try_from(id).unwrap()).await;
    let seen = ReadOrder {
        aside: false,
        last: Some(member(5_000)),
    };
    let deep = member(3);
    let deep = [&deep[..]];
    let append = world.writer.append(&world.queue, &seen, &deep, true);
    let done = append.await.unwrap().done;
    assert_eq!(done, Some(vec![AppendFate::There]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_frame_is_not_appended_to_the_order_list() {
    let server = Server::start();
    let mut world = World::new(&server, &[1, 2, 3], |id| i64::try_from(id).unwrap()).await;
    let keys = world.queue.keys();
    let order = keys.order.unwrap();
    let _: i64 = world.cmd("LREM", &[&order, b"1", &member(2)]);
    let _: i64 = world.cmd("ZADD", &[&keys.timeouts, b"4", b"not a frame"]);
    let mut drift = found(&world).await;
    assert_eq!(drift.found(), [Difference::NotInOrder(member(2))]);
    assert_eq!(drift.foreign(), 1);
    assert_eq!(mended(&world, &mut drift, 10).await, [(0, Fate::Done)]);
    let stands: Vec<Vec<u8>> = world.cmd("LRANGE", &[&order, b"0", b"-1"]);
    assert_eq!(stands, [member(1), member(3), member(2)]);
}
