use std::time::Duration;

use super::*;

/// A list of `length`, of which 1,000 elements were looked at; `score(place)`.
fn sample(length: u64, score: impl Fn(u64) -> f64) -> Sample {
    let places = (0..1_000).map(|i| i * length / 1_000);
    Sample {
        length,
        expires: false,
        elements: places
            .map(|place| Sampled {
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

fn ask(kind: Kind, count: u64) -> Ask {
    Ask {
        kind,
        count,
        bytes: 41,
        due: true,
        clients: 1,
        scores: (0.0, 1e6),
    }
}

fn chosen_way(sample: &Sample, ask: &Ask, chosen: impl Fn(&[u8], f64) -> bool) -> Way {
    let walk = sample.walk(ask, chosen);
    choose(&Queue::redisson("q"), sample, ask, walk).0
}

#[test]
fn what_stands_in_due_order_costs_no_walk() {
    let sample = sample(MILLION, in_order);
    let all = ask(Kind::Deliver, MILLION);
    assert!(sample.walk(&all, |_, _| true) < 1.0);
    assert_eq!(chosen_way(&sample, &all, |_, _| true), Way::InOrder);
    let half = ask(Kind::Deliver, MILLION / 2);
    let is = |_: &[u8], score: f64| score < 5e5;
    assert_eq!(chosen_way(&sample, &half, is), Way::InOrder);
}

#[test]
fn what_is_due_costs_half_where_it_stands_first() {
    let sample = sample(MILLION, in_order);
    let all = ask(Kind::Transfer, MILLION);
    let takes = |walk| choose(&Queue::redisson("q"), &sample, &all, walk).1.takes;
    assert!(takes(0.0) * 3 < takes(1.0) * 2);
    assert!(takes(0.0) >= Duration::from_secs(1));
}

#[test]
fn a_shuffled_backlog_walks_past_what_is_due_later() {
    let sample = sample(MILLION, shuffled);
    let all = sample.walk(&ask(Kind::Deliver, MILLION), |_, _| true);
    assert!((230e3..270e3).contains(&all), "{all}");
    let tenth = sample.walk(&ask(Kind::Deliver, MILLION / 10), |_, score| score < 1e5);
    assert!((430e3..520e3).contains(&tenth), "{tenth}");
}

#[test]
fn entries_that_are_due_at_one_moment_are_due_in_the_order_of_their_bytes() {
    let mut burst = sample(MILLION, |_| 5.0);
    let all = ask(Kind::Transfer, MILLION);
    assert!(burst.walk(&all, |_, _| true) < 1.0);
    for (i, element) in (0..).zip(&mut burst.elements) {
        element.member = (i * 7_919 % 1_009_u64).to_be_bytes().to_vec();
    }
    let walk = burst.walk(&all, |_, _| true);
    assert!((200e3..300e3).contains(&walk), "{walk}");
    assert_eq!(chosen_way(&burst, &all, |_, _| true), Way::SetAside);
}

#[test]
fn many_due_are_set_aside_and_few_are_swapped_when_nobody_else_transfers() {
    let sample = sample(MILLION, shuffled);
    let is = |_: &[u8], score: f64| score < 5e4;
    let few = ask(Kind::Deliver, MILLION / 20);
    assert_eq!(chosen_way(&sample, &few, is), Way::SetAside);
    let alone = Ask { clients: 0, ..few };
    assert_eq!(chosen_way(&sample, &alone, is), Way::Swap);
    let not_due = Ask { due: false, ..few };
    assert_eq!(chosen_way(&sample, &not_due, is), Way::Swap);
    let all = ask(Kind::Deliver, MILLION);
    assert_eq!(chosen_way(&sample, &all, |_, _| true), Way::SetAside);
    let expires = Sample {
        expires: true,
        ..sample
    };
    assert_eq!(chosen_way(&expires, &all, |_, _| true), Way::Swap);
}

#[test]
fn a_few_entries_are_not_worth_a_look_at_the_whole_list() {
    let sample = sample(MILLION, shuffled);
    let one = Ask {
        scores: (5e5, 5e5),
        ..ask(Kind::Deliver, 1)
    };
    let walk = sample.walk(&one, |_, _| false);
    assert!(walk > 0.0);
    let (way, cost) = choose(&Queue::redisson("q"), &sample, &one, walk);
    assert_eq!(way, Way::InOrder);
    assert!(cost.longest_block < Duration::from_millis(20), "{cost:?}");
    for kind in [Kind::Delete, Kind::PutBack] {
        assert_eq!(
            chosen_way(&sample, &ask(kind, 50), |_, _| false),
            Way::InOrder
        );
        assert_eq!(
            chosen_way(&sample, &ask(kind, 10_000), |_, _| false),
            Way::Sweep
        );
    }
}

#[test]
fn a_queue_without_order_list_goes_in_order() {
    let queue: Queue = "zset-list:a,b".parse().unwrap();
    for kind in [Kind::Deliver, Kind::Delete, Kind::Stay] {
        let (way, cost) = choose(&queue, &Sample::default(), &ask(kind, 5_000), 0.0);
        assert_eq!(way, Way::InOrder);
        assert!(cost.takes > Duration::ZERO);
    }
}

#[test]
fn an_empty_sample_makes_no_walk() {
    let empty = Sample::default();
    assert!(empty.walk(&ask(Kind::Deliver, 5), |_, _| true).abs() < 1e-9);
}

#[test]
fn what_does_not_wait_yet_is_looked_for_among_all_or_among_what_falls_due_then() {
    let sample = sample(MILLION, in_order);
    let none = |_: &[u8], _: f64| false;
    let spread = ask(Kind::PutBack, 1_000);
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
