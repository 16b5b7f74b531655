use std::time::Duration;

use super::*;
use crate::queue::plan::{Cost, Way};

/// A list of `length`, of which 1,000 elements were looked at; `score(place)`.
fn sample(length: u64, score: impl Fn(u64) -> f64) -> OrderSample {
    let places = (0..1_000).map(|i| i * length / 1_000);
    OrderSample {
        length,
        expires: false,
        bytes: [41, 41],
        elements: places
            .map(|place| SampledElement {
                place,
                member: place.to_be_bytes().to_vec(),
                score: Some(score(place)),
            })
            .collect(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn in_order(place: u64) -> f64 {
    place as f64
}

/// Each place once, in no order.
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn shuffled(place: u64) -> f64 {
    (place * 7_919 % 1_000_003) as f64
}

const MILLION: u64 = 1_000_000;

fn ask(kind: WorkKind, count: u64) -> Ask {
    Ask {
        kind,
        count,
        bytes: [41, 41],
        due: true,
        clients: 1,
        scores: (0.0, 1e6),
    }
}

fn chosen_way(sample: &OrderSample, ask: &Ask, chosen: impl Fn(&[u8], f64) -> bool) -> Way {
    let walk = sample.walk(ask, chosen);
    choose(sample, ask, walk).0
}

/// With scripts of at most 10 ms.
fn choose(sample: &OrderSample, ask: &Ask, walk: Walk) -> (Way, Cost) {
    EstimateBasis::new(&Queue::redisson("q"), sample, ask, walk).choose(MAX_BLOCK)
}

const MAX_BLOCK: Duration = Duration::from_millis(10);

#[test]
fn what_stands_in_due_order_costs_no_walk() {
    let sample = sample(MILLION, in_order);
    let all = ask(WorkKind::Deliver, MILLION);
    assert!(sample.walk(&all, |_, _| true).turn < 1.0);
    assert_eq!(chosen_way(&sample, &all, |_, _| true), Way::InOrder);
    let half = ask(WorkKind::Deliver, MILLION / 2);
    let is = |_: &[u8], score: f64| score < 5e5;
    assert_eq!(chosen_way(&sample, &half, is), Way::InOrder);
}

#[test]
fn what_is_due_costs_half_where_it_stands_first() {
    let sample = sample(MILLION, in_order);
    let all = ask(WorkKind::Transfer, MILLION);
    let takes = |turn| {
        let walk = Walk {
            turn,
            ..Walk::default()
        };
        choose(&sample, &all, walk).1.takes
    };
    assert!(takes(0.0) * 3 < takes(1.0) * 2);
    assert!(takes(0.0) >= Duration::from_secs(1));
}

#[test]
fn a_shuffled_backlog_walks_past_what_is_due_later() {
    let sample = sample(MILLION, shuffled);
    let all = sample
        .walk(&ask(WorkKind::Deliver, MILLION), |_, _| true)
        .turn;
    assert!((230e3..270e3).contains(&all), "{all}");
    let tenth = sample
        .walk(&ask(WorkKind::Deliver, MILLION / 10), |_, score| {
            score < 1e5
        })
        .turn;
    assert!((430e3..520e3).contains(&tenth), "{tenth}");
}

#[test]
fn entries_that_are_due_at_one_moment_are_due_in_the_order_of_their_bytes() {
    let mut burst = sample(MILLION, |_| 5.0);
    let all = ask(WorkKind::Transfer, MILLION);
    assert!(burst.walk(&all, |_, _| true).turn < 1.0);
    for (i, element) in (0..).zip(&mut burst.elements) {
        element.member = (i * 7_919 % 1_009_u64).to_be_bytes().to_vec();
    }
    let walk = burst.walk(&all, |_, _| true).turn;
    assert!((200e3..300e3).contains(&walk), "{walk}");
    assert_eq!(chosen_way(&burst, &all, |_, _| true), Way::SetAside);
}

#[test]
fn many_due_are_set_aside_and_few_are_swapped_when_nobody_else_transfers() {
    let sample = sample(MILLION, shuffled);
    let is = |_: &[u8], score: f64| score < 5e4;
    let few = ask(WorkKind::Deliver, MILLION / 20);
    assert_eq!(chosen_way(&sample, &few, is), Way::SetAside);
    let alone = Ask { clients: 0, ..few };
    assert_eq!(chosen_way(&sample, &alone, is), Way::Swap);
    let not_due = Ask { due: false, ..few };
    assert_eq!(chosen_way(&sample, &not_due, is), Way::Swap);
    let all = ask(WorkKind::Deliver, MILLION);
    assert_eq!(chosen_way(&sample, &all, |_, _| true), Way::SetAside);
    let expires = OrderSample {
        expires: true,
        ..sample
    };
    assert_eq!(chosen_way(&expires, &all, |_, _| true), Way::Swap);
}

#[test]
fn a_few_entries_are_not_worth_a_look_at_the_whole_list_unless_their_walk_is_too_long() {
    let of = |length| {
        let sample = sample(length, shuffled);
        let one = Ask {
            scores: (5e5, 5e5),
            ..ask(WorkKind::Deliver, 1)
        };
        let walk = sample.walk(&one, |_, _| false);
        assert!(walk.turn > 0.0);
        choose(&sample, &one, walk)
    };
    let (way, cost) = of(MILLION / 10);
    assert_eq!(way, Way::InOrder);
    assert!(cost.longest_block <= MAX_BLOCK, "{cost:?}");
    let (way, cost) = of(MILLION);
    assert_eq!(way, Way::Swap);
    assert!(cost.longest_block <= MAX_BLOCK, "{cost:?}");
    let middling = sample(MILLION / 10, shuffled);
    for kind in [WorkKind::Delete, WorkKind::PutBack, WorkKind::Quarantine] {
        let way = |count| chosen_way(&middling, &ask(kind, count), |_, _| false);
        assert_eq!(way(5), Way::InOrder, "{kind:?}");
        assert_eq!(way(5_000), Way::Sweep, "{kind:?}");
    }
}

#[test]
fn no_kind_of_change_keeps_a_server_for_longer_than_it_may_without_saying_so() {
    let sample = sample(MILLION, shuffled);
    let kinds = [
        (WorkKind::Transfer, true),
        (WorkKind::Deliver, true),
        (WorkKind::Delete, true),
        (WorkKind::Quarantine, true),
        (WorkKind::Edit, true),
        (WorkKind::PutBack, true),
        (WorkKind::Restore, true),
        (WorkKind::Stay, true),
        (WorkKind::Realign, true),
        (WorkKind::Append, true),
        (WorkKind::PutElements, true),
        (WorkKind::GiveBack, true),
        // These are walked to, and there is no other way.
        (WorkKind::TakeBack, false),
        (WorkKind::Discard, false),
        (WorkKind::Replace, false),
    ];
    for (kind, keeps) in kinds {
        for count in [1, 100, 100_000] {
            let ask = ask(kind, count);
            let walk = sample.walk(&ask, |_, _| false);
            for ms in [2, 10] {
                let max_block = Duration::from_millis(ms);
                let reckoned = EstimateBasis::new(&Queue::redisson("q"), &sample, &ask, walk);
                let (way, cost) = reckoned.choose(max_block);
                let told = format!("{kind:?} of {count} {way:?}: {cost:?}");
                assert_eq!(cost.longest_block <= max_block, keeps, "{told}");
                assert_eq!(cost.single() <= max_block, keeps, "{told}");
                assert_eq!(reckoned.why_long(max_block).is_none(), keeps, "{told}");
                let first = cost.entries_within(max_block);
                assert!(first == 1 || cost.entry * u32::try_from(first).unwrap() <= max_block);
            }
        }
    }
}

#[test]
fn bytes_count_as_well_as_entries() {
    let mut large = sample(100, in_order);
    large.bytes = [1 << 20, 1 << 20];
    for kind in [
        WorkKind::Transfer,
        WorkKind::Delete,
        WorkKind::Edit,
        WorkKind::Stay,
    ] {
        let ask = Ask {
            bytes: [1 << 20, 1 << 20],
            ..ask(kind, 100)
        };
        let walk = large.walk(&ask, |_, _| true);
        let (_, cost) = choose(&large, &ask, walk);
        assert!(cost.entries_within(MAX_BLOCK) <= 1, "{kind:?} {cost:?}");
        assert!(
            cost.takes >= Duration::from_millis(400),
            "{kind:?} {cost:?}"
        );
    }
}

#[test]
fn a_queue_without_order_list_goes_in_order() {
    let queue: Queue = "zset-list:a,b".parse().unwrap();
    for kind in [WorkKind::Deliver, WorkKind::Delete, WorkKind::Stay] {
        let ask = ask(kind, 5_000);
        let reckoned = EstimateBasis::new(&queue, &OrderSample::default(), &ask, Walk::default());
        let (way, cost) = reckoned.choose(MAX_BLOCK);
        assert_eq!(way, Way::InOrder);
        assert!(cost.takes > Duration::ZERO);
    }
}

#[test]
fn an_empty_sample_makes_no_walk() {
    let empty = OrderSample::default();
    let walk = empty.walk(&ask(WorkKind::Deliver, 5), |_, _| true);
    assert_eq!(walk, Walk::default());
}

#[test]
fn what_does_not_wait_yet_is_looked_for_among_all_or_among_what_falls_due_then() {
    let sample = sample(MILLION, in_order);
    let none = |_: &[u8], _: f64| false;
    let spread = ask(WorkKind::PutBack, 1_000);
    assert_eq!(chosen_way(&sample, &spread, none), Way::Sweep);
    let unknown = Ask {
        scores: (f64::INFINITY, f64::NEG_INFINITY),
        ..spread
    };
    assert_eq!(chosen_way(&sample, &unknown, none), Way::Sweep);
    let at_the_head = Ask {
        scores: (0.0, 20_000.0),
        ..spread
    };
    assert_eq!(chosen_way(&sample, &at_the_head, none), Way::InOrder);
}
