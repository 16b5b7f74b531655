//! Tests of what is remembered from read to read.

use super::super::tests::{START, framed, pulse, sample, survey};
use super::sampling::FEELER;
use super::*;
use crate::queue::frame::Form;
use crate::queue::frames::{Place, SAMPLE_BYTES, SAMPLED};
use crate::queue::{ToldWrites, Twin};

fn watching(pulses: &[Pulse], frames: Option<Frames>) -> Watch {
    let mut watch = Watch::default();
    if let Some(frames) = frames {
        let mut survey = survey(None);
        survey.frames = Some(Box::new(frames));
        watch.surveyed(&survey);
    }
    for pulse in pulses {
        watch.saw(pulse);
    }
    watch
}

#[test]
fn a_first_sample_feels_its_way_and_large_members_make_it_small() {
    assert_eq!(
        watching(&[pulse(0, 0, None, 1)], None).wants_sample(8),
        None
    );
    let some = pulse(0, 9, None, 1);
    let count = |watch: &Watch| watch.wants_sample(8).map(|ask| ask.count);
    assert_eq!(
        count(&watching(std::slice::from_ref(&some), None)),
        Some(FEELER)
    );
    let mut large = some;
    let mut first = framed(Form::ByteId, 1, Some(5));
    first.bytes = 20_000;
    large.first = Some(first);
    let asked = count(&watching(&[large], None)).unwrap();
    assert!(asked as u64 * 20_000 * 4 <= SAMPLE_BYTES);
}

#[test]
fn a_sample_is_taken_again_after_twenty_seconds_or_when_another_head_stands_still() {
    let old = || sample(vec![framed(Form::ByteId, 1, Some(0))], Vec::new());
    let asked = |pulses: &[Pulse]| {
        let watch = watching(pulses, Some(old()));
        watch.wants_sample(8).map(|ask| ask.count)
    };
    let at = |ms, id| {
        let mut pulse = pulse(ms, 9, None, 1);
        pulse.first = Some(framed(Form::ByteId, id, Some(0)));
        pulse
    };
    assert_eq!(asked(&[at(19_999, 1)]), None);
    // Nothing has changed since.
    let mut still = watching(&[at(0, 1)], Some(old()));
    still.sampled = still.beats.back().copied();
    still.saw(&at(119_999, 1));
    assert_eq!(still.wants_sample(8), None);
    still.saw(&at(120_000, 1));
    assert!(still.wants_sample(8).is_some());
    assert_eq!(asked(&[at(20_000, 1)]), Some(SAMPLED));
    assert_eq!(asked(&[at(2_000, 1), at(4_000, 1)]), None);
    assert_eq!(asked(&[at(2_000, 2), at(3_000, 2)]), None);
    assert_eq!(asked(&[at(2_000, 2), at(4_000, 2)]), Some(SAMPLED));
}

#[test]
fn a_burst_that_has_fallen_due_since_the_last_sample_is_sampled_though_its_head_moves_on() {
    // Of so many late entries, at that moment; the first of them due at 5 s, each second another one.
    let at = |ms, late| {
        let mut pulse = pulse(ms, 20_000, None, 1);
        pulse.late = Known::Is(late);
        let id = u8::try_from(ms / 1_000).unwrap();
        pulse.first = Some(framed(Form::ByteId, id, Some(5_000)));
        pulse
    };
    let presses = |pulses: &[Pulse], sampled: i64| {
        let mut old = sample(vec![framed(Form::ByteId, 1, Some(9_000_000))], Vec::new());
        old.at = START.plus(sampled);
        watching(pulses, Some(old)).presses_for_sample(8)
    };
    assert!(presses(&[at(6_000, 12_000), at(7_000, 11_900)], -8_000));
    // A moment is a hand-over, a few are no burst, and of what was late already a sample has told.
    assert!(!presses(&[at(6_000, 12_000)], -8_000));
    assert!(!presses(&[at(6_000, 90), at(7_000, 80)], -8_000));
    assert!(!presses(&[at(17_000, 11_000), at(18_000, 10_900)], 6_000));
}

#[test]
fn a_write_to_the_twin_that_the_server_tells_of_is_sampled_without_delay_until_it_is_known() {
    let twin = |written: bool, own: bool| Twin {
        name: "{q}".into(),
        stands: false,
        written_ago_ms: written.then_some(0),
        own: own.then_some(true),
        own_ago_ms: own.then_some(0),
    };
    let at = |ms, written_ms: Option<i64>| Pulse {
        told: written_ms.map(|ms| {
            let twin = Some(START.plus(ms));
            Box::new(ToldWrites { twin, own: None })
        }),
        ..pulse(ms, 9, None, 1)
    };
    let presses = |known: Option<Twin>, pulses: &[Pulse]| {
        let mut last = sample(Vec::new(), Vec::new());
        last.twin = known;
        watching(pulses, Some(last)).presses_for_sample(8)
    };
    assert!(!presses(None, &[at(5_000, None)]));
    assert!(presses(None, &[at(5_000, Some(4_900))]));
    // It stays told of until the next sample.
    assert!(presses(None, &[at(1_000, Some(900)), at(5_000, None)]));
    assert!(
        !presses(None, &[at(5_000, Some(-10))]),
        "that one has told of it"
    );
    let known = Some(twin(true, true));
    assert!(!presses(known, &[at(5_000, Some(4_900))]));
    assert!(presses(Some(twin(true, false)), &[at(5_000, Some(4_900))]));
}

#[test]
fn after_a_change_of_ours_that_no_figure_shows_the_members_are_sampled_again() {
    let at = |ms| pulse(ms, 40_000, None, 1);
    let mut watch = watching(&[at(0), at(4_000)], Some(sample(Vec::new(), Vec::new())));
    assert!(!watch.presses_for_sample(8));
    // While it goes on there is nothing to be told yet.
    watch.changing = true;
    watch.saw(&at(5_000));
    assert!(!watch.presses_for_sample(8));
    watch.changing = false;
    watch.changed_by_us(Change::Realign, START.plus(5_500));
    assert!(!watch.presses_for_sample(8), "it has not been read since");
    watch.saw(&at(6_000));
    assert!(watch.presses_for_sample(8) && watch.wants_sample(8).is_some());
    let mut survey = survey(None);
    let mut frames = sample(Vec::new(), Vec::new());
    frames.at = START.plus(6_200);
    survey.frames = Some(Box::new(frames));
    watch.surveyed(&survey);
    watch.saw(&at(8_000));
    assert!(!watch.presses_for_sample(8));
}

#[test]
fn whether_somebody_else_has_sorted_a_list_is_looked_at_within_half_a_minute() {
    let wants = |place| {
        let mut frames = sample(Vec::new(), Vec::new());
        frames.depth = Known::Is(vec![(EntryId([1; 8]), place)]);
        let mut watch = watching(&[pulse(0, 40_000, None, 1)], None);
        let mut survey = survey(None);
        survey.frames = Some(Box::new(frames));
        watch.surveyed(&survey);
        watch.saw(&pulse(25_000, 40_000, None, 1));
        watch.wants_sample(8).is_some()
    };
    assert!(wants(Place::At(20_000)) && wants(Place::Beyond(5_000)));
    assert!(!wants(Place::At(3)), "nothing about it has changed");
}

#[test]
fn what_lies_deep_and_falls_due_soon_is_looked_for_again_as_somebody_else_may_sort_it() {
    let wants = |due_ms, server_us, ms| {
        let next = framed(Form::ByteId, 1, Some(due_ms));
        let mut frames = sample(vec![next.clone()], Vec::new());
        frames.depth = Known::Is(vec![(next.id, Place::At(40_000))]);
        frames.server_us = server_us;
        let mut watch = watching(&[pulse(0, 100_000, None, 1)], None);
        let mut survey = survey(None);
        survey.frames = Some(Box::new(frames));
        watch.surveyed(&survey);
        watch.saw(&pulse(ms, 100_000, None, 1));
        watch.wants_sample(8).is_some()
    };
    assert!(wants(60_000, 5_000, 10_000));
    assert!(!wants(60_000, 5_000, 9_999));
    assert!(!wants(60_000, 15_000, 14_999), "a thousandth of its time");
    assert!(!wants(600_000, 5_000, 30_000), "not so soon");
}

#[test]
fn where_thousands_were_offered_they_are_sampled_within_ten_seconds_also_where_that_is_dear() {
    let wants = |waiting, ms| {
        let mut frames = sample(Vec::new(), Vec::new());
        frames.server_us = 5_000;
        let mut watch = watching(&[pulse(0, 100_000, None, 1)], None);
        let mut survey = survey(None);
        survey.frames = Some(Box::new(frames));
        watch.surveyed(&survey);
        watch.saw(&pulse(ms, waiting, None, 1));
        watch.wants_sample(8).is_some()
    };
    assert!(wants(101_000, 10_000));
    assert!(!wants(101_000, 9_999));
    assert!(!wants(100_999, 90_000));
}

#[test]
fn a_target_that_grows_is_sampled_more_often_and_at_once_when_nobody_seems_to_take() {
    let at = |ms, target| Pulse {
        target: Known::Is(target),
        ..pulse(ms, 9, None, 1)
    };
    let mut watch = watching(&[at(0, 0)], Some(sample(Vec::new(), Vec::new())));
    let mut when = Vec::new();
    for second in 1..=40 {
        // It comes faster than it is seen to go, if it goes at all.
        watch.saw(&at(second * 1_000, second.unsigned_abs()));
        if watch.wants_sample(8).is_some() {
            let mut frames = sample(Vec::new(), Vec::new());
            frames.at = START.plus(second * 1_000);
            let mut survey = survey(None);
            survey.frames = Some(Box::new(frames));
            let pressed = watch.presses_for_sample(8);
            watch.surveyed(&survey);
            when.push((second, pressed));
        }
    }
    let pressed = [(4, true), (10, true)];
    let others = [(20, false), (30, false), (40, false)];
    assert_eq!(when, [&pressed[..], &others].concat());
    // What comes and goes is no reason.
    let mut watch = watching(&[at(0, 5)], Some(sample(Vec::new(), Vec::new())));
    for second in 1..20 {
        watch.saw(&at(second * 1_000, 5 + second.unsigned_abs() % 3));
        assert_eq!(watch.wants_sample(8), None, "{second}");
    }
}

#[test]
fn many_that_wait_out_of_sight_are_sampled_without_delay() {
    let at = |ms, target| Pulse {
        target: Known::Is(target),
        ..pulse(ms, 9, None, 1)
    };
    let pressed =
        |target| watching(&[at(0, target), at(2_000, target + 1)], None).presses_for_sample(8);
    assert_eq!([99, 98].map(pressed), [true, false]);
    assert!(!watching(&[at(0, 500), at(2_000, 499)], None).presses_for_sample(8));
}

#[test]
fn lists_that_differ_in_one_look_only_do_not_differ() {
    let differ = |orders: &[u64]| {
        let pulses: Vec<_> = (0..)
            .zip(orders)
            .map(|(n, order)| Pulse {
                order: Known::Is(*order),
                ..pulse(n * 1_000, 5, None, 1)
            })
            .collect();
        watching(&pulses, None).differ()
    };
    assert!(differ(&[5, 4, 3]) && differ(&[6, 7]));
    for chance in [&[4][..], &[5, 4], &[4, 6], &[4, 4, 5], &[4, 5, 4]] {
        assert!(!differ(chance), "{chance:?}");
    }
}

#[test]
fn a_clock_that_is_set_back_begins_anew() {
    let mut watch = watching(
        &[pulse(60_000, 5, None, 0), pulse(70_000, 5, None, 0)],
        None,
    );
    assert_eq!(watch.watched_ms(), 10_000);
    watch.saw(&pulse(0, 5, None, 0));
    assert_eq!((watch.watched_ms(), watch.beats.len()), (0, 1));
}

#[test]
fn pulses_that_come_faster_than_twice_a_second_are_thinned() {
    let many: Vec<_> = (0..100).map(|i| pulse(i * 100, 5, None, 1)).collect();
    let watch = watching(&many, None);
    assert!(watch.beats.len() <= 30, "{}", watch.beats.len());
    assert_eq!(watch.watched_ms(), 9_900);
}

#[test]
fn what_our_worker_moves_counts_once_each_alone_in_bulk_and_beside_others() {
    let queue = Queue::redisson("orders");
    let mut watch = Watch {
        own_workers: 1,
        ..Watch::default()
    };
    let see = |watch: &mut Watch, ms, clients, head: Option<(u8, i64)>| {
        let mut pulse = pulse(ms, u64::from(head.is_some()), None, clients);
        pulse.first = head.map(|(id, due)| framed(Form::ByteId, id, Some(due)));
        watch.saw_lateness(&queue, &pulse);
    };
    let at = |ms| START.plus(ms);
    let count = |watch: &Watch| watch.lateness.recent().map_or(0, |late| late.count);
    see(&mut watch, 0, 1, Some((1, 500)));
    watch.worker_moved(at(600), &[100, 0, 0]);
    see(&mut watch, 1_000, 1, None);
    assert_eq!(count(&watch), 3);
    // In bulk it tells none: the head that pulses see is one of them.
    watch.worker_moved(at(1_100), &[]);
    see(&mut watch, 2_000, 1, Some((2, 2_500)));
    see(&mut watch, 3_000, 1, None);
    assert_eq!(count(&watch), 4);
    // Pulses see what leaves beside others, whoever moved it.
    watch.worker_moved(at(3_100), &[7]);
    assert_eq!(count(&watch), 5);
    see(&mut watch, 4_000, 2, Some((3, 4_050)));
    watch.worker_moved(at(4_100), &[50]);
    see(&mut watch, 5_000, 2, None);
    assert_eq!(count(&watch), 6);
}
