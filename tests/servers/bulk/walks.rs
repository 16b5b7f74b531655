//! Random walks: each way, one script at a time, with what other clients do between any two of
//! them, and a death now and then.

use delayscope::clock::EpochMillis;
use delayscope::ops::bulk::aside::{OrderRestoration, set_aside};
use delayscope::ops::bulk::put_back::PutBack;
use delayscope::ops::bulk::realign::{Realign, due_until};
use delayscope::ops::bulk::sweep::Sweep;
use delayscope::store::change::{ChosenEntry, Fate, ListPlace};
use delayscope::store::write::DueCursor;

use crate::bulk::world::{Dice, World};
use crate::support::Server;

/// So many entries; half of them are due.
const ENTRIES: u64 = 60;
const NOW: i64 = 1_000;

async fn world(server: &Server, dice: &mut Dice) -> World {
    let mut order: Vec<u64> = (1..=ENTRIES).collect();
    dice.shuffle(&mut order);
    // Ties: only every third moment is one.
    let due = |id| i64::try_from(id / 3 * 3 * 2_000 / ENTRIES).unwrap();
    World::new(server, &order, due).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_order_list_that_is_aside_comes_back_in_offer_order_whatever_others_do() {
    let server = Server::start();
    for seed in 0..25 {
        let mut dice = Dice::new(seed);
        let mut world = world(&server, &mut dice).await;
        let mut offered = world.order();
        let queue = world.queue.clone();
        set_aside(&world.writer, &queue).await.unwrap();
        let now = EpochMillis::new(NOW);
        for _ in 0..dice.below(30) {
            // Our own transfer, and others.
            if dice.below(2) == 0 {
                let n = 1 + dice.below(4);
                world
                    .writer
                    .transfer(&queue, now, n, &DueCursor::default())
                    .await
                    .unwrap();
            } else {
                world.others(&mut dice, NOW);
            }
            world.holds(&format!("aside, seed {seed}"));
            remember(&mut offered, world.order());
        }
        // It dies, and two bring the list back at once.
        let mut both = [OrderRestoration::new(&queue), OrderRestoration::new(&queue)];
        while both[dice.below(2)]
            .next(&world.writer, 1 + dice.below(9))
            .await
            .unwrap()
            .is_some()
        {
            world.holds(&format!("coming back, seed {seed}"));
            if dice.below(3) == 0 {
                world.others(&mut dice, NOW);
                remember(&mut offered, world.order());
            }
        }
        assert_eq!(world.aside(), Vec::<Vec<u8>>::new());
        world.holds(&format!("back, seed {seed}"));
        let timeouts = world.timeouts();
        offered.retain(|m| timeouts.contains_key(m));
        assert!(world.order() == offered, "seed {seed}: another order");
    }
}

/// Takes note of offers in the order in which they were made.
fn remember(offered: &mut Vec<Vec<u8>>, order: Vec<Vec<u8>>) {
    for member in order {
        if !offered.contains(&member) {
            offered.push(member);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_realignment_loses_and_doubles_nothing_whatever_others_do() {
    let server = Server::start();
    for seed in 0..25 {
        let mut dice = Dice::new(seed);
        let mut world = world(&server, &mut dice).await;
        let queue = world.queue.clone();
        let store = world.writer.store().clone();
        let until = Some(EpochMillis::new(NOW));
        let chosen = due_until(&store, &queue, until).await.unwrap();
        let count = chosen.len();
        let mut way = Realign::new(&queue, chosen);
        let mut fates = 0;
        let dies = dice.below(3) == 0;
        while let Some(step) = way.next(&world.writer, 1 + dice.below(6)).await.unwrap() {
            fates += step.fates.len();
            if dice.below(2) == 0 {
                world.others(&mut dice, NOW / 2);
            }
            world.holds(&format!("realigning, seed {seed}"));
            if dies && dice.below(12) == 0 {
                break;
            }
        }
        if !dies {
            assert_eq!(fates, count, "seed {seed}");
        }
        // Once more, with nobody beside: it is exact.
        let chosen = due_until(&store, &queue, until).await.unwrap();
        let mut way = Realign::new(&queue, chosen.clone());
        while way.next(&world.writer, 10).await.unwrap().is_some() {}
        assert_eq!(world.order()[..chosen.len()], chosen, "seed {seed}");
        world.holds(&format!("realigned, seed {seed}"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sweep_and_its_undo_lose_and_double_nothing_whatever_others_do() {
    let server = Server::start();
    for seed in 0..25 {
        let mut dice = Dice::new(seed);
        let mut world = world(&server, &mut dice).await;
        let queue = world.queue.clone();
        let ids: Vec<u64> = (1..=ENTRIES).filter(|_| dice.below(3) == 0).collect();
        let chosen: Vec<ChosenEntry> = world.chosen(ids);
        let mut deleted: Vec<(ChosenEntry, Option<ListPlace>)> = Vec::new();
        let mut told = 0;
        let mut way = Sweep::new(&queue, chosen.clone());
        let dies = dice.below(3) == 0;
        while let Some(step) = way.next(&world.writer, 1 + dice.below(9)).await.unwrap() {
            told += step.fates.len();
            for fated in step.fates {
                if fated.fate == Fate::Done {
                    let chosen = chosen[fated.index].clone();
                    world.owed.remove(&chosen.member);
                    deleted.push((chosen, fated.stood));
                }
            }
            if dice.below(2) == 0 {
                world.others(&mut dice, NOW);
            }
            world.holds(&format!("sweeping, seed {seed}"));
            if dies && dice.below(12) == 0 {
                break;
            }
        }
        if !dies {
            assert_eq!(told, chosen.len(), "seed {seed}");
            let timeouts = world.timeouts();
            let waits = chosen.iter().any(|c| timeouts.contains_key(&c.member));
            assert!(!waits, "seed {seed}: one of the chosen is left");
        }
        let mut way = PutBack::new(&queue, deleted.clone());
        let mut back = 0;
        while let Some(step) = way.next(&world.writer, 1 + dice.below(9)).await.unwrap() {
            for fated in step.fates {
                assert_eq!(fated.fate, Fate::Done, "seed {seed}");
                world.owed.insert(deleted[fated.index].0.member.clone());
                back += 1;
            }
            world.holds(&format!("putting back, seed {seed}"));
            if dice.below(2) == 0 {
                world.others(&mut dice, NOW);
            }
        }
        assert_eq!(back, deleted.len(), "seed {seed}");
        world.holds(&format!("put back, seed {seed}"));
    }
}
