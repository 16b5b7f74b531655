//! What is read for the rules: samples of queues, looks at the server.

use std::sync::Arc;

use delayscope::queue::frames::Place;
use delayscope::queue::look::LookAsk;
use delayscope::queue::{Frames, JudgedMember, Known, LinkState, Queue, ServerLook};
use delayscope::tui::effect::Effect;
use delayscope::tui::msg::Msg;
use delayscope::tui::refresh;

use super::sample;
use crate::desk::{Desk, START, World};

/// A queue of which a sample has been taken, whose target then grows by one in three seconds and is
/// not seen to shrink; how often it is sampled meanwhile, and how often any other queue is.
fn sampled(desk: &mut Desk, name: &str, seconds: u64) -> [usize; 2] {
    let queue = Queue::redisson(name);
    let rows = &mut desk.model.queues;
    let row = rows.iter_mut().find(|row| row.queue == queue).unwrap();
    row.watch.frames.push_back(Arc::new(sample(START)));
    let mut counts = [0; 2];
    for _ in 0..seconds / 3 {
        let asked = desk.live(3_000, 1);
        for effect in asked {
            if let Effect::Refresh(refresh::Effect::LoadSurvey {
                queue: of,
                sample: Some(_),
                ..
            }) = effect
            {
                counts[usize::from(of != queue)] += 1;
            }
        }
        let world = desk.world.iter_mut().find(|world| world.queue == queue);
        world.unwrap().target.push(b"delivered".to_vec());
    }
    counts
}

#[test]
fn a_queue_that_nobody_seems_to_consume_is_sampled_at_once_in_sight_or_not() {
    let world = |i: usize| World::new(&format!("q{i:03}"), 3, 3_600_000, 1000);
    let mut desk = Desk::of((0..300).map(world).collect());
    desk.live(12_000, 1);
    let [of_it, _] = sampled(&mut desk, "q299", 30);
    assert!(of_it > 0);
    let out_of_sight = |effect: &Effect| matches!(effect, Effect::Refresh(refresh::Effect::LoadSurvey { queue, .. }) if *queue == Queue::redisson("q298"));
    assert!(!desk.live(12_000, 1).iter().any(out_of_sight));
}

/// Answers a look at the server.
fn answer(desk: &mut Desk, effect: &Effect) -> Option<LookAsk> {
    let Effect::Refresh(refresh::Effect::LookAtServer { generation, asked }) = *effect else {
        return None;
    };
    let look = ServerLook {
        at: desk.now(),
        info: Known::None,
        clients: Known::None,
        scripts: Known::None,
        server_us: 40,
        nodes: Vec::new(),
        views: Vec::new(),
        sentinels: Vec::new(),
    };
    desk.tell(Msg::Refresh(refresh::Msg::ServerLooked {
        generation,
        result: Ok(look),
    }));
    Some(asked)
}

/// The looks of so many seconds: at which second, and what they were to bring.
fn looks(desk: &mut Desk, seconds: u64) -> Vec<(u64, LookAsk)> {
    let mut taken = Vec::new();
    for second in 1..=seconds {
        for effect in desk.live(1_000, 1) {
            taken.extend(answer(desk, &effect).map(|asked| (second, asked)));
        }
    }
    taken
}

#[test]
fn the_server_is_looked_at_seldom_until_a_rule_waits_for_what_it_says() {
    let world = World::new("orders", 3, 3_600_000, 1000);
    let mut desk = Desk::waiting_for_server(vec![world]);
    let asked = desk.link(LinkState::Live);
    desk.answer_all();
    let first = asked.iter().find_map(|effect| answer(&mut desk, effect));
    assert_eq!(first, Some(LookAsk::Whole));
    let calm = looks(&mut desk, 45);
    assert!(calm.iter().all(|look| look.1 == LookAsk::Brief), "{calm:?}");
    assert_eq!(calm.len(), 2, "{calm:?}");
    // Whether target is consumed is told by what the server counts of each command.
    let mut pressing = Vec::new();
    for _ in 0..30 {
        desk.world[0].target.push(b"delivered".to_vec());
        pressing.extend(looks(&mut desk, 1));
    }
    let whole = pressing.iter().filter(|look| look.1 == LookAsk::Whole);
    assert!((2..=4).contains(&whole.count()), "{pressing:?}");
}

#[test]
fn while_transfers_of_a_queue_block_the_server_the_others_know_of_it() {
    let mut slow = World::new("shipping", 100, -60_000, 0);
    slow.order = Some(vec![b"x".to_vec(); 200_000]);
    let mut desk = Desk::of(vec![slow, World::new("mail", 3, 3_600_000, 1000)]);
    let shipping = desk.world[0].queue.clone();
    let due = desk.world[0].entries.iter();
    let due = due.map(|(member, score)| JudgedMember::new(&shipping, member, Some(*score), 8));
    let due: Vec<JudgedMember> = due.collect();
    let blocked_by = |desk: &Desk, by: &str| {
        let mut rows = desk.model.queues.iter();
        let row = rows.find(|row| row.queue == Queue::redisson(by)).unwrap();
        row.watch.blocked_by.clone()
    };
    desk.live(3_000, 1);
    assert_eq!(blocked_by(&desk, "mail"), None);
    let row = desk.model.queues.iter_mut();
    let row = { row }.find(|row| row.queue == shipping).unwrap();
    row.watch.frames.push_back(Arc::new(Frames {
        depth: Known::Is(vec![(due[0].id, Place::Beyond(1_000))]),
        next_due: due,
        ..sample(START)
    }));
    desk.live(5_000, 1);
    assert_eq!(blocked_by(&desk, "mail"), Some("shipping".to_owned()));
    assert_eq!(blocked_by(&desk, "shipping"), None);
    // All of it was transferred.
    desk.world[0].entries.clear();
    desk.live(20_000, 1);
    assert_eq!(blocked_by(&desk, "mail"), None);
}
