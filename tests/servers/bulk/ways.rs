//! Each way alone: what it does, to the last element.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use delayscope::ops::bulk::BulkStep;
use delayscope::ops::bulk::aside::{SIZE, all_wait, set_aside};
use delayscope::ops::bulk::put_back::PutBack;
use delayscope::ops::bulk::realign::{Realign, due_until};
use delayscope::ops::bulk::restore_order::RestoreOrder;
use delayscope::ops::bulk::sweep::Sweep;
use delayscope::queue::Queue;
use delayscope::store::bulk::{
    AllWait, AppendFate, ReadOrder, SetAside, StrayFate, Swap, is_known_to_wait,
};
use delayscope::store::change::{ChosenEntry, Fate, ListPlace};
use delayscope::store::write::Portion;

use crate::bulk::world::{Dice, World, member};
use crate::support::{Server, frame};

/// 1 to `n`, shuffled.
fn shuffled(n: u64, seed: u64) -> Vec<u64> {
    let mut ids: Vec<u64> = (1..=n).collect();
    Dice::new(seed).shuffle(&mut ids);
    ids
}

fn due_by_id(id: u64) -> i64 {
    i64::try_from(id).unwrap()
}

/// Drives a stepper to its end.
macro_rules! run {
    ($way:expr, $writer:expr, $n:expr) => {{
        let mut steps: Vec<BulkStep> = Vec::new();
        while let Some(step) = $way.next($writer, $n).await.unwrap() {
            steps.push(step);
        }
        steps
    }};
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn realigned_entries_stand_at_the_head_in_due_order_and_the_list_holds_what_it_held() {
    let server = Server::start();
    let order = shuffled(3_000, 1);
    let mut world = World::new(&server, &order, due_by_id).await;
    let before: BTreeSet<Vec<u8>> = world.order().into_iter().collect();
    let store = world.writer.store().clone();
    let until = delayscope::clock::EpochMillis::new(700);
    let chosen = due_until(&store, &world.queue, Some(until)).await.unwrap();
    assert_eq!(chosen, (1..=700).map(member).collect::<Vec<_>>());
    let mut way = Realign::new(&world.queue, chosen.clone());
    let steps = run!(way, &world.writer, 100);
    let after = world.order();
    assert_eq!(after[..700], chosen);
    assert_eq!(after.into_iter().collect::<BTreeSet<_>>(), before);
    let fates: Vec<_> = steps.iter().flat_map(|s| &s.fates).collect();
    assert_eq!(fates.len(), 700);
    assert!(fates.iter().all(|f| f.fate == Fate::Done && !f.unsure));
    assert!(steps.iter().filter(|s| s.wrote).count() <= 7);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_is_due_in_the_end_also_where_many_are_due_at_the_same_moment() {
    let server = Server::start();
    let mut world = World::new(&server, &shuffled(2_500, 2), |id| {
        if id < 200 { due_by_id(id) } else { 500 }
    })
    .await;
    let store = world.writer.store().clone();
    let all = due_until(&store, &world.queue, None).await.unwrap();
    assert_eq!(all.len(), 2_500);
    assert_eq!(all.into_iter().collect::<BTreeSet<_>>().len(), 2_500);
    world.holds("after reading");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_frame_stays_where_it_is_when_others_are_realigned() {
    let server = Server::start();
    let mut world = World::new(&server, &[9, 3], due_by_id).await;
    let foreign = b"no frame at all, and longer than a mark".to_vec();
    world.put(foreign.clone(), 5);
    for id in [7, 1, 2] {
        world.put(member(id), due_by_id(id));
    }
    let chosen = vec![member(1), member(2), foreign.clone(), member(3), member(8)];
    let mut way = Realign::new(&world.queue, chosen);
    let steps = run!(way, &world.writer, 2);
    let fates: Vec<Fate> = steps
        .iter()
        .flat_map(|s| &s.fates)
        .map(|f| f.fate)
        .collect();
    let wanted = [
        Fate::Done,
        Fate::Done,
        Fate::NoFrame,
        Fate::Done,
        Fate::Gone,
    ];
    assert_eq!(fates, wanted);
    let order = world.order();
    let head = [member(1), member(2), foreign, member(3)];
    assert_eq!(order[..4], head);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_order_list_comes_back_exactly_without_what_does_not_wait() {
    let server = Server::start();
    let order = shuffled(1_000, 3);
    let mut world = World::new(&server, &order, due_by_id).await;
    let queue = world.queue.clone();
    let done = set_aside(&world.writer, &queue).await.unwrap().done;
    assert_eq!(done, SetAside::Done);
    let again = set_aside(&world.writer, &queue).await.unwrap().done;
    assert_eq!(again, SetAside::AlreadyThere);
    for id in 1..=300 {
        let key = queue.keys().timeouts;
        let _: i64 = world.cmd("ZREM", &[&key, &member(id)]);
    }
    world.put(member(5_000), 5_000);
    let store = world.writer.store().clone();
    let found = RestoreOrder::find(&store, &queue).await.unwrap().unwrap();
    assert_eq!((found.aside, found.waiting), (1_000, 701));
    let mut way = RestoreOrder::new(&queue);
    let (mut looked, mut dropped) = (Vec::new(), Vec::new());
    loop {
        looked.extend(way.look(&store, 64).await.unwrap());
        let Some(step) = way.next(&world.writer, 64).await.unwrap() else {
            break;
        };
        dropped.extend(step.dropped);
    }
    looked.sort();
    dropped.sort();
    assert_eq!(looked, dropped);
    assert_eq!(dropped.len(), 300);
    let stays = order.iter().filter(|&&id| id > 300).map(|&id| member(id));
    let wanted: Vec<_> = stays.chain([member(5_000)]).collect();
    assert_eq!(world.order(), wanted);
    assert_eq!(RestoreOrder::find(&store, &queue).await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_order_list_is_read_to_its_end_for_what_does_not_wait() {
    let server = Server::start();
    let mut world = World::new(&server, &(1..=30).collect::<Vec<_>>(), due_by_id).await;
    let queue = world.queue.clone();
    let order = queue.keys().order.unwrap();
    // In portions, behind what was looked at.
    let read = async |at: (u64, &[u8]), n| {
        let page = world.writer.all_wait(&queue, at, n);
        page.await.unwrap().done
    };
    let so_far = AllWait::SoFar(20, member(20));
    assert_eq!(read((0, b""), 20).await, so_far);
    assert_eq!(read((20, &member(20)), 11).await, AllWait::Yes);
    assert_eq!(read((20, &member(19)), 11).await, AllWait::Lost);
    let bytes = Portion {
        entries: 30,
        bytes: 1,
    };
    let little = world.writer.all_wait(&queue, (0, b""), bytes);
    let AllWait::SoFar(8, _) = little.await.unwrap().done else {
        panic!("it ends with the first page");
    };
    let stray = member(31);
    server.cmd_bytes(&[b"RPUSH", &order, &stray]);
    assert_eq!(read((20, &member(20)), 11).await, AllWait::No);
    assert!(
        !all_wait(&world.writer, &queue, SIZE, |_, _| {})
            .await
            .unwrap()
    );
    world.put(stray, 1_000);
    assert!(
        all_wait(&world.writer, &queue, SIZE, |_, _| {})
            .await
            .unwrap()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_order_list_is_read_beside_timeouts_and_no_stray_in_it_is_overlooked() {
    let server = Server::start();
    let world = World::new(&server, &shuffled(9_000, 4), due_by_id).await;
    let (queue, store) = (world.queue.clone(), world.writer.store().clone());
    let keys = queue.keys();
    let order = keys.order.unwrap();
    assert!(is_known_to_wait(&store, &queue).await);
    server.cmd(&["CONFIG", "RESETSTAT"]);
    let waits = all_wait(&world.writer, &queue, SIZE, |_, _| {}).await;
    assert!(waits.unwrap());
    let stats: String = redis::from_redis_value(server.cmd(&["INFO", "commandstats"])).unwrap();
    assert!(!stats.contains("eval"), "{stats}");
    let places = [0, 8, 9, 4_500, 8_999];
    for (place, stray) in places.into_iter().zip(10_001..) {
        let place = i32::to_string(&place);
        let stands: Vec<u8> =
            redis::from_redis_value(server.cmd_bytes(&[b"LINDEX", &order, place.as_bytes()]))
                .unwrap();
        server.cmd_bytes(&[b"LINSERT", &order, b"BEFORE", &stands, &member(stray)]);
        assert!(!is_known_to_wait(&store, &queue).await, "{place}");
        let waits = all_wait(&world.writer, &queue, SIZE, |_, _| {}).await;
        assert!(!waits.unwrap(), "{place}");
        server.cmd_bytes(&[b"LREM", &order, b"1", &member(stray)]);
    }
    server.cmd_bytes(&[b"SET", b"in the way", b"x"]);
    server.cmd_bytes(&[b"RENAME", b"in the way", &keys.timeouts]);
    assert!(!is_known_to_wait(&store, &queue).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_stray_is_overlooked_while_others_take_from_the_list_and_offer() {
    let server = Server::start();
    let world = World::new(&server, &shuffled(20_000, 5), due_by_id).await;
    let (queue, store) = (world.queue.clone(), world.writer.store().clone());
    let keys = queue.keys();
    let order = keys.order.unwrap();
    let stray = member(50_001);
    server.cmd_bytes(&[b"RPUSH", &order, &stray]);
    let is_over = AtomicBool::new(false);
    let mut others = server.connection();
    let known = std::thread::scope(|scope| {
        // They poll some, and offer new ones.
        scope.spawn(|| {
            for id in 60_000_u64.. {
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                let (new, poll) = (
                    member(id),
                    "redis.call('ZREM', KEYS[1], redis.call('LPOP', KEYS[2]))",
                );
                let mut both = redis::pipe();
                both.atomic();
                if id < 70_000 {
                    both.cmd("EVAL").arg(poll).arg(2);
                    both.arg(&keys.timeouts).arg(&order).ignore();
                }
                both.cmd("ZADD")
                    .arg(&keys.timeouts)
                    .arg(id)
                    .arg(&new)
                    .ignore();
                both.cmd("RPUSH").arg(&order).arg(&new).ignore();
                both.exec(&mut others).unwrap();
            }
        });
        let looks = async {
            let mut known = 0;
            for _ in 0..20 {
                known += usize::from(is_known_to_wait(&store, &queue).await);
            }
            is_over.store(true, Ordering::Relaxed);
            known
        };
        tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(looks))
    });
    assert_eq!(known, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_order_list_with_an_expiry_is_not_carried_off() {
    let server = Server::start();
    let mut world = World::new(&server, &[1, 2, 3], due_by_id).await;
    let queue = world.queue.clone();
    let order = queue.keys().order.unwrap();
    let _: i64 = world.cmd("PEXPIRE", &[&order, b"1000000"]);
    let expires = set_aside(&world.writer, &queue).await.unwrap().done;
    assert_eq!(expires, SetAside::Expires);
    // A sweep keeps it too.
    let chosen = world.chosen([2]);
    let mut way = Sweep::new(&queue, chosen);
    run!(way, &world.writer, 1);
    let ttl: i64 = world.cmd("PTTL", &[&order]);
    assert!(ttl > 900_000, "{ttl}");
    let _: i64 = world.cmd("PERSIST", &[&order]);
    let timeouts = queue.keys().timeouts;
    let _: i64 = world.cmd("PEXPIRE", &[&timeouts, b"1000000"]);
    let expires = set_aside(&world.writer, &queue).await.unwrap().done;
    assert_eq!(expires, SetAside::Expires);
    let _: i64 = world.cmd("DEL", &[&order]);
    let nothing = set_aside(&world.writer, &queue).await.unwrap().done;
    assert_eq!(nothing, SetAside::Nothing);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sweep_deletes_exactly_the_chosen_and_put_back_all_is_as_before() {
    let server = Server::start();
    for (seed, n) in [(4, 37), (5, 500), (6, 2_000)] {
        let order = shuffled(2_000, seed);
        let mut world = World::new(&server, &order, due_by_id).await;
        let (timeouts, list) = (world.timeouts(), world.order());
        // A third of them, a long row of neighbours, and the very first and last.
        let mut ids: BTreeSet<u64> = (1..=2_000).step_by(3).collect();
        ids.extend(&order[300..900]);
        ids.extend([order[0], order[1], order[1_999]]);
        let chosen = world.chosen(ids.iter().copied());
        let mut way = Sweep::new(&world.queue, chosen.clone());
        let steps = run!(way, &world.writer, n);
        let fates: Vec<_> = steps.into_iter().flat_map(|s| s.fates).collect();
        assert_eq!(fates.len(), chosen.len());
        assert!(fates.iter().all(|f| f.fate == Fate::Done));
        let kept: Vec<_> = list
            .iter()
            .filter(|m| !ids.contains(&id_of(m)))
            .cloned()
            .collect();
        assert_eq!(world.order(), kept);
        assert_eq!(world.timeouts().len(), kept.len());
        let entries: Vec<(ChosenEntry, Option<ListPlace>)> = (fates.into_iter())
            .map(|f| (chosen[f.index].clone(), f.stood))
            .collect();
        let mut way = PutBack::new(&world.queue, entries);
        let steps = run!(way, &world.writer, n.min(100));
        let fates: Vec<_> = steps.iter().flat_map(|s| &s.fates).collect();
        assert_eq!(fates.len(), chosen.len());
        assert!(fates.iter().all(|f| f.fate == Fate::Done));
        assert!(
            world.order() == list,
            "seed {seed}: the order list is another"
        );
        assert_eq!(world.timeouts(), timeouts);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_script_of_a_sweep_takes_more_of_a_row_of_the_chosen_than_it_may() {
    let server = Server::start();
    let order = shuffled(2_000, 8);
    let mut world = World::new(&server, &order, due_by_id).await;
    let list = world.order();
    // Scripts that met none of them tell nothing of what they cost.
    let chosen = world.chosen(order[1_500..].iter().copied());
    let mut way = Sweep::new(&world.queue, chosen.clone());
    way.within(1 << 20, 20);
    let steps = run!(way, &world.writer, 500);
    let most = steps.iter().map(|step| step.fates.len()).max();
    assert_eq!(most, Some(20));
    let fates: Vec<_> = steps.into_iter().flat_map(|s| s.fates).collect();
    assert_eq!(fates.len(), chosen.len());
    let entries = fates.into_iter();
    let entries = entries.map(|f| (chosen[f.index].clone(), f.stood));
    let mut way = PutBack::new(&world.queue, entries.collect());
    way.within(1 << 20, 20);
    let steps = run!(way, &world.writer, 500);
    let most = steps.iter().map(|step| step.fates.len()).max();
    assert_eq!(most, Some(20));
    assert!(world.order() == list, "the order list is another");
}

fn id_of(member: &[u8]) -> u64 {
    u64::from_be_bytes(member[1..9].try_into().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_elements_come_back_a_few_at_a_time_whatever_came_before_them() {
    let server = Server::start();
    let mut world = World::new(&server, &(1..=20).collect::<Vec<_>>(), due_by_id).await;
    let large = |id: u64| frame(id, &vec![b'x'; 100_000]);
    for id in 21..=30 {
        world.put(large(id), 1_000);
    }
    for id in 31..=60 {
        world.put(member(id), 1_000);
    }
    let (queue, before) = (world.queue.clone(), world.order());
    set_aside(&world.writer, &queue).await.unwrap();
    let portion = Portion {
        entries: 1_000,
        bytes: 250_000,
    };
    let mut taken = Vec::new();
    loop {
        let back = world
            .writer
            .bring_back(&queue, portion, StrayFate::Counted)
            .await;
        let back = back.unwrap().done;
        if back.taken == 0 {
            break;
        }
        taken.push(back.taken);
    }
    // Of the small ones all that stand before the third large one.
    assert_eq!(taken, [32, 2, 2, 2, 22]);
    assert_eq!(world.order(), before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sweep_leaves_what_has_changed_and_finds_what_is_in_timeouts_alone() {
    let server = Server::start();
    let mut world = World::new(&server, &[5, 1, 4, 2, 3], due_by_id).await;
    let queue = world.queue.clone();
    let keys = queue.keys();
    let chosen = world.chosen([1, 2, 3, 4]);
    let order = keys.order.unwrap();
    let _: i64 = world.cmd("ZADD", &[&keys.timeouts, b"77.5", &member(1)]);
    let _: i64 = world.cmd("LREM", &[&order, b"1", &member(2)]);
    let _: i64 = world.cmd("ZREM", &[&keys.timeouts, &member(3)]);
    let _: i64 = world.cmd("LREM", &[&order, b"1", &member(3)]);
    let mut way = Sweep::new(&queue, chosen);
    let steps = run!(way, &world.writer, 2);
    let mut fates: Vec<_> = steps.into_iter().flat_map(|s| s.fates).collect();
    fates.sort_by_key(|f| f.index);
    let told: Vec<_> = fates.into_iter().map(|f| (f.fate, f.stood)).collect();
    let wanted = [
        (Fate::Changed(77.5), None),
        (Fate::Done, None),
        (Fate::Gone, None),
        (Fate::Done, Some(ListPlace::Behind(member(1)))),
    ];
    assert_eq!(told, wanted);
    assert_eq!(world.order(), [member(5), member(1)]);
    assert_eq!(world.timeouts().len(), 2);
}

/// What the order list of a queue holds alone.
fn strays(world: &mut World) -> Vec<Vec<u8>> {
    let timeouts = world.timeouts();
    let mut order = world.order();
    order.retain(|member| !timeouts.contains_key(member));
    order
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_changes_its_place_while_the_list_is_read_is_no_second_copy() {
    let server = Server::start();
    // Read before the 3rd and the 80th change places, the list holds one of them twice; then, at
    // its end, none.
    let mut world = World::new(&server, &(1..=100).collect::<Vec<_>>(), due_by_id).await;
    let order = world.queue.keys().order.unwrap();
    let edited = |m: &[u8]| [m, b" edited"].concat();
    let edits = world.chosen([3, 80]).into_iter().map(|c| {
        let new = edited(&c.member);
        (c, new)
    });
    let mut way = Sweep::editing(&world.queue, edits.collect());
    // A page of eight.
    way.next(&world.writer, 10).await.unwrap().unwrap();
    let _: String = world.cmd("LSET", &[&order, b"2", &member(80)]);
    let _: String = world.cmd("LSET", &[&order, b"79", &member(3)]);
    let steps = run!(way, &world.writer, 10);
    assert_eq!(steps.iter().map(|step| step.copies).sum::<u64>(), 0);
    let fates = steps.iter().flat_map(|s| &s.fates);
    assert_eq!(fates.filter(|f| f.fate == Fate::Done).count(), 2);
    let mut wanted: Vec<_> = (1..=100).map(member).collect();
    (wanted[2], wanted[79]) = (edited(&member(80)), edited(&member(3)));
    assert_eq!(world.order(), wanted);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_dies_amid_a_sweep_leaves_no_copy_alone_in_the_order_list() {
    type Way = fn(&Queue, Vec<ChosenEntry>) -> Sweep;
    let server = Server::start();
    let edit: Way = |queue, chosen| {
        let other = |chosen: ChosenEntry| {
            let new = [&chosen.member, &b"!"[..]].concat();
            (chosen, new)
        };
        Sweep::editing(queue, chosen.into_iter().map(other).collect())
    };
    // As many are missing there as stand there too often: it is as long as timeouts.
    for missing in [&[][..], &[5, 6, 8, 401]] {
        for way in [Sweep::new as Way, Sweep::quarantining, edit] {
            let mut world = World::new(&server, &shuffled(1_000, 8), due_by_id).await;
            let order = world.queue.keys().order.unwrap();
            // Far behind the first ones, one of them twice more, and one that stays.
            let amid = [&order[..], b"AFTER", &member(500)[..], &member(7)[..]];
            let _: i64 = world.cmd("LINSERT", &amid);
            for id in [400, 7, 999] {
                let _: i64 = world.cmd("RPUSH", &[&order, &member(id)]);
            }
            for id in missing {
                let _: i64 = world.cmd("LREM", &[&order, b"1", &member(*id)]);
            }
            let before = world.order();
            let chosen = world.chosen((1..=1_000).filter(|id| *id != 999));
            let mut way = way(&world.queue, chosen);
            let (mut copies, mut fates) = (0, 0);
            while let Some(step) = way.next(&world.writer, 100).await.unwrap() {
                assert_eq!(strays(&mut world), Vec::<Vec<u8>>::new());
                copies += step.copies;
                fates += step.fates.len();
            }
            assert_eq!((copies, fates), (3, 999));
            let stays = before.iter().filter(|m| **m == member(999)).count();
            assert_eq!(stays, 2, "two of what stays");
            let after = world.order();
            if world.timeouts().len() == 1_000 {
                // Edited: in the places of the last copies.
                let is_last = |at: &usize| {
                    before[*at] == member(999) || !before[at + 1..].contains(&before[*at])
                };
                let lasts = (0..before.len()).filter(is_last);
                let lasts: Vec<_> = lasts.map(|at| before[at].as_slice()).collect();
                let after = after.iter().map(|m| m.strip_suffix(b"!").unwrap_or(m));
                assert!(after.collect::<Vec<_>>() == lasts);
            } else {
                assert_eq!(after, [member(999), member(999)]);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sweep_that_is_stopped_brings_the_offer_order_back() {
    let server = Server::start();
    let order = shuffled(100, 7);
    let mut world = World::new(&server, &order, due_by_id).await;
    let chosen = world.chosen(1..=100);
    let mut way = Sweep::new(&world.queue, chosen);
    // It looks for second copies, says what the script will try, then it runs it.
    let mut told = BulkStep::default();
    while told.tries.is_empty() {
        assert!(!told.wrote);
        told = way.next(&world.writer, 30).await.unwrap().unwrap();
    }
    assert_eq!((told.tries.len(), told.wrote), (100, false));
    let first = way.next(&world.writer, 30).await.unwrap().unwrap();
    assert_eq!(first.fates.len(), 30);
    way.stop();
    let rest = run!(way, &world.writer, 30);
    assert!(rest.iter().all(|s| s.fates.is_empty()));
    let left: Vec<_> = order[30..].iter().map(|&id| member(id)).collect();
    assert_eq!(world.order(), left);
    assert_eq!(world.timeouts().len(), 70);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_waits_again_is_not_put_back_and_what_has_lost_its_neighbour_comes_last() {
    let server = Server::start();
    let mut world = World::new(&server, &[1, 2, 3, 4], due_by_id).await;
    let chosen = world.chosen([2, 3]);
    let mut way = Sweep::new(&world.queue, chosen.clone());
    let steps = run!(way, &world.writer, 10);
    let fates = steps.into_iter().flat_map(|s| s.fates);
    let entries: Vec<_> = fates.map(|f| (chosen[f.index].clone(), f.stood)).collect();
    let keys = world.queue.keys();
    let _: i64 = world.cmd("ZREM", &[&keys.timeouts, &member(1)]);
    let _: i64 = world.cmd("LREM", &[&keys.order.unwrap(), b"1", &member(1)]);
    world.put(member(3), 33);
    let mut way = PutBack::new(&world.queue, entries);
    let steps = run!(way, &world.writer, 10);
    let mut fates: Vec<_> = steps.into_iter().flat_map(|s| s.fates).collect();
    fates.sort_by_key(|f| f.index);
    let fates: Vec<Fate> = fates.into_iter().map(|f| f.fate).collect();
    assert_eq!(fates, [Fate::Done, Fate::Changed(33.0)]);
    assert_eq!(world.order(), [member(4), member(3), member(2)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn elements_that_have_moved_up_since_they_were_read_are_swapped_all_the_same() {
    let server = Server::start();
    let mut world = World::new(&server, &[1, 2, 3, 4, 5, 6, 7, 8], due_by_id).await;
    let queue = world.queue.clone();
    let order = queue.keys().order.unwrap();
    let _: i64 = world.cmd("LREM", &[&order, b"1", &member(1)]);
    let _: i64 = world.cmd("LREM", &[&order, b"1", &member(5)]);
    let mark = |id| member(id)[1..9].try_into().unwrap();
    let swaps = [[1, 7], [2, 4]].map(|places: [u32; 2]| Swap {
        places,
        marks: places.map(|place| mark(u64::from(place) + 1)),
    });
    let missed = world.writer.swap(&queue, &swaps).await.unwrap().done;
    // 2 and 8 have moved up, 5 is gone.
    assert_eq!(missed, [1]);
    assert_eq!(world.order(), [8, 3, 4, 6, 7, 2].map(member));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_appended_since_the_list_was_read_is_not_appended_again() {
    let server = Server::start();
    let mut world = World::new(&server, &[1, 2], due_by_id).await;
    let queue = world.queue.clone();
    let timeouts = queue.keys().timeouts;
    let _: i64 = world.cmd("ZADD", &[&timeouts, b"3", &member(3)]);
    let seen = ReadOrder {
        aside: false,
        last: Some(member(2)),
    };
    let both = [&member(3)[..], &member(4)];
    for wanted in [AppendFate::Done, AppendFate::There] {
        let done = world
            .writer
            .append(&queue, &seen, &both, false)
            .await
            .unwrap()
            .done;
        assert_eq!(done, Some(vec![wanted, AppendFate::Gone]));
        assert_eq!(world.order(), [1, 2, 3].map(member));
    }
    // Another list than the one that was read: nothing is done.
    for (aside, last) in [(true, Some(member(2))), (false, Some(member(9)))] {
        let seen = ReadOrder { aside, last };
        let done = world
            .writer
            .append(&queue, &seen, &both, false)
            .await
            .unwrap()
            .done;
        assert_eq!(done, None);
    }
}
