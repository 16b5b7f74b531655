use super::super::tests::{START, Scene, framed, pulse, sample, survey};
use super::*;
use crate::queue::finding::id;
use crate::queue::frame::Form;
use crate::queue::{Frames, Survey};

/// Returns the places at which the next due entries were found.
fn found_at(frames: &Frames, places: &[(usize, Place)]) -> Known<Vec<(EntryId, Place)>> {
    let found = |(n, place): &(usize, Place)| (frames.next_due[*n].id, *place);
    Known::Is(places.iter().map(found).collect())
}

/// A hundred entries that fall due together, found at that place.
fn burst_at(place: Place) -> Frames {
    let due = (0..100).map(|id| framed(Form::ByteId, id, Some(60_000)));
    let mut frames = sample(due.collect(), vec![framed(Form::ByteId, 200, None)]);
    frames.depth = found_at(&frames, &[(0, place), (34, place), (68, place)]);
    frames
}

/// The same in a list of so many.
fn burst(place: Place, order: u64) -> Scene {
    Scene::default()
        .pulse(pulse(0, order, None, 1))
        .sample(burst_at(place))
}

fn severity(place: Place, order: u64) -> Option<Severity> {
    burst(place, order).found(ID).map(|found| found.severity)
}

#[test]
fn the_longer_a_script_will_block_the_server_the_worse() {
    assert_eq!(severity(Place::At(900), 1_000_000), None);
    assert_eq!(severity(Place::Beyond(1_000), 10_000), None);
    assert_eq!(severity(Place::Beyond(1_000), 40_000), Some(Severity::Note));
    assert_eq!(
        severity(Place::Beyond(1_000), 100_000),
        Some(Severity::Warning)
    );
    assert_eq!(
        severity(Place::Beyond(1_000), 1_000_000),
        Some(Severity::Critical)
    );
}

#[test]
fn entries_that_fall_due_one_by_one_are_searched_for_one_by_one() {
    let mut scene = burst(Place::Beyond(1_000), 1_000_000);
    let due = (0..100).map(|id| framed(Form::ByteId, id, Some(60_000 + i64::from(id) * 1_000)));
    let mut frames = sample(due.collect(), Vec::new());
    frames.depth = found_at(&frames, &[(0, Place::Beyond(1_000))]);
    scene = scene.sample(frames);
    assert_eq!(scene.found(ID), None);
}

#[test]
fn a_backlog_far_down_is_transferred_by_hand_before_anybody_searches_for_it() {
    let step = |late, clients, rule| {
        let due = (0..100).map(|id| framed(Form::ByteId, id, Some(-120_000)));
        let mut frames = sample(due.collect(), Vec::new());
        frames.depth = found_at(&frames, &[(50, Place::Beyond(1_000))]);
        let mut scene = Scene::default();
        for (at, id) in (0..5_000).step_by(1_000).zip(0..) {
            let mut seen = pulse(at, 100_000, Some(120_000), clients);
            seen.late = Known::Is(late);
            seen.first = Some(framed(Form::ByteId, id, Some(-120_000)));
            scene = scene.pulse(seen);
        }
        scene.sample(frames).found(rule).unwrap().repair.step
    };
    let by_hand = Step::Change(ChangeRequest::Transfer);
    for (clients, rule) in [(0, "no-transfer-client"), (1, "falling-behind")] {
        assert_eq!(step(BACKLOG, clients, rule), by_hand);
        assert_eq!(step(BACKLOG - 1, clients, rule), Step::Worker);
    }
}

#[test]
fn where_much_is_late_already_slow_transfers_are_why_and_worse() {
    let found = |late, late_ms, clients| {
        let mut seen = pulse(0, 60_000, Some(late_ms), clients);
        seen.late = Known::Is(late);
        let scene = burst(Place::Beyond(1_000), 60_000).pulse(seen);
        scene.found(ID).unwrap()
    };
    let severity = |late, late_ms, clients| found(late, late_ms, clients).severity;
    assert_eq!(severity(54_900, 60_001, 1), Severity::Critical);
    assert_eq!(severity(BACKLOG, 10_001, 1), Severity::Warning);
    for (late, late_ms, clients) in [
        (BACKLOG - 1, 60_001, 1),
        (BACKLOG, 10_000, 1),
        (BACKLOG, 60_001, 0),
    ] {
        assert_eq!(severity(late, late_ms, clients), Severity::Note);
    }
    let details = found(54_900, 240_000, 1).details;
    assert!(
        details.starts_with("54,900 late, oldest 4:00."),
        "{details}"
    );
}

#[test]
fn whether_consumers_keep_up_is_not_asked_while_they_wait_for_the_server() {
    let early = |place| {
        let mut scene = Scene::default();
        for second in 0..12_i64 {
            let mut seen = pulse(second * 1_000, 60_000, Some(20_000 + second * 1_000), 1);
            seen.late = Known::Is(54_900);
            seen.target = Known::Is(100 + second.unsigned_abs() * 2);
            let mut frames = burst_at(place);
            frames.at = seen.at;
            scene = scene.pulse(seen).sample(frames);
        }
        let early = scene.all().early.into_iter();
        early.map(|(id, _)| id).collect::<Vec<_>>()
    };
    assert!(early(Place::At(3)).contains(&id::NOTHING_CONSUMED));
    assert!(early(Place::Beyond(1_000)).is_empty());
}

#[test]
fn a_server_that_cannot_search_lists_is_told_so() {
    let mut frames = sample(vec![framed(Form::ByteId, 1, Some(1))], Vec::new());
    frames.depth = Known::Unknown("ERR unknown command".into());
    let scene = Scene::default()
        .pulse(pulse(0, 9_000, None, 1))
        .sample(frames);
    assert_eq!(
        scene.verdict(ID),
        RuleVerdict::Blind("ERR unknown command".to_owned())
    );
}

#[test]
fn each_burst_is_judged_by_where_its_own_entries_stand() {
    // One entry each second that was offered last, then a burst of those offered first.
    let due = |id: u8| match id {
        0..10 => 1_000 * i64::from(id),
        _ => 60_000,
    };
    let entry = |id| framed(Form::ByteId, id, Some(due(id)));
    let newest = (0..10).map(|id| framed(Form::ByteId, id, None));
    let mut frames = sample((0..100).map(entry).collect(), newest.collect());
    let found = |frames: &Frames, burst| {
        let places = [(0, Place::Beyond(1_000)), (34, burst), (68, burst)];
        let mut frames = frames.clone();
        frames.depth = found_at(&frames, &places);
        let scene = Scene::default().pulse(pulse(-1_000, 300_000, None, 1));
        scene.sample(frames).found(ID)
    };
    assert_eq!(found(&frames, Place::At(50)), None);
    assert!(found(&frames, Place::Beyond(1_000)).is_some());
    // What was looked for further down is late, as the first ones are.
    frames.depth = Known::Is(vec![(EntryId::of_bytes(b"500"), Place::Beyond(1_000))]);
    let late = |late| {
        let mut seen = pulse(0, 300_000, Some(5_000), 1);
        seen.late = Known::Is(late);
        let scene = Scene::default().pulse(seen).sample(frames.clone());
        scene
            .found(ID)
            .map(|found| found.evidence.figures["together"].clone())
    };
    assert_eq!((late(0), late(600)), (None, Some(100.into())));
}

#[test]
fn what_the_order_list_lacks_is_mended_before_it_is_brought_into_order() {
    let ids = |order: u64, place| {
        let lacks = |ms| {
            let mut seen = pulse(ms, 300_000, None, 1);
            seen.order = Known::Is(order);
            seen.first = Some(framed(Form::ByteId, 0, Some(60_000)));
            seen
        };
        let mut scene = Scene::default().pulse(lacks(-1_000)).pulse(lacks(-500));
        scene = scene.sample(burst_at(place)).pulse(lacks(500));
        let told = scene.all().findings.into_iter();
        let told = told.filter(|found| [ID, id::DRIFT].contains(&found.id));
        told.map(|found| (found.id, found.severity, found.follows))
            .collect::<Vec<_>>()
    };
    let drifted = (id::DRIFT, Severity::Warning, None);
    let follows = (ID, Severity::Note, Some(id::DRIFT));
    let lost = ids(299_000, Place::Beyond(1_000));
    assert_eq!(lost, [drifted, follows]);
    let slow = (ID, Severity::Warning, None);
    assert_eq!(ids(299_999, Place::Beyond(1_000)), [slow, drifted]);
    assert_eq!(ids(299_000, Place::At(150_000)), [slow, drifted]);
}

/// A burst that has blocked the server for some seconds from then on, in s, and is over.
fn blocked(mut scene: Scene, from_s: i64) -> Scene {
    for s in from_s..from_s + 30 {
        let at = s * 1_000;
        let bursts = s < from_s + 8;
        let mut seen = pulse(at, 60_000, bursts.then_some(60_001), 1);
        let mut frames = if bursts {
            burst_at(Place::Beyond(1_000))
        } else {
            sample(Vec::new(), Vec::new())
        };
        seen.late = Known::Is(if bursts { 54_900 } else { 0 });
        frames.at = seen.at;
        scene = scene.pulse(seen).sample(frames);
        let found = scene.all().findings;
        let blocks = found
            .iter()
            .any(|f| f.id == ID && f.severity > Severity::Note);
        assert!(blocks || !bursts, "{found:?}");
    }
    scene
}

#[test]
fn what_has_blocked_the_server_again_is_told_in_between_and_the_next_time() {
    let once = blocked(Scene::default(), 0);
    let again = blocked(once, 360);
    let found = again.found(ID).unwrap();
    assert_eq!(found.severity, Severity::Warning, "nothing is cured");
    assert_eq!(
        found.sentence(),
        "Slow transfers may come back in about 5:31. None are slow now; the last burst took 8.0 s \
         and ended 0:21 ago. 2 bursts within an hour, 6:00 apart."
    );
    let words = &found.evidence.words;
    assert_eq!(words[0], "an earlier burst took 8.0 s and ended 6:21 ago");
    let third = again.pulse(pulse(600_000, 60_000, None, 1));
    let mut frames = burst_at(Place::Beyond(1_000));
    frames.at = frames.at.plus(600_000);
    let found = third.sample(frames).found(ID).unwrap();
    let words = &found.evidence.words;
    assert!(
        words
            .iter()
            .any(|words| words.starts_with("an earlier burst took 8.0 s and ended 3:52 ago")),
        "{words:?}"
    );
}

#[test]
fn who_comes_in_after_a_single_burst_is_told_of_it_for_ten_minutes() {
    let once = blocked(Scene::default(), 0);
    let found = once.found(ID).unwrap();
    assert_eq!(found.severity, Severity::Warning);
    assert_eq!(found.headline, "Slow transfers may come back.");
    let expected = "None are slow now; the last burst took 8.0 s and ended 0:21 ago.";
    assert_eq!(found.details, expected);
    let after = |ms| once.clone().pulse(pulse(ms, 60_000, None, 1)).found(ID);
    assert!(after(607_000).is_some());
    assert_eq!(after(608_000), None);
}

#[test]
fn a_burst_that_is_over_explains_no_lateness_of_now() {
    let mut scene = blocked(Scene::default(), 0);
    for s in 300..306 {
        let mut seen = pulse(s * 1_000, 60_000, Some(60_000), 1);
        seen.late = Known::Is(20_000 + u64::try_from(s).unwrap() * 10);
        let id = u8::try_from(s - 300).unwrap();
        seen.first = Some(framed(Form::ByteId, id, Some(s * 1_000 - 60_000)));
        let mut frames = burst_at(Place::At(3));
        frames.at = seen.at;
        scene = scene.pulse(seen).sample(frames);
    }
    let found: Vec<_> = scene.all().findings.iter().map(|found| found.id).collect();
    assert!(found.contains(&id::FALLING_BEHIND), "{found:?}");
}

#[test]
fn after_one_burst_the_next_is_told_as_soon_as_it_stands_in_timeouts() {
    let once = blocked(Scene::default(), 0);
    let at = START.plus(100_000);
    let once = once.pulse(pulse(100_000, 60_000, None, 1));
    let bar = |from: i64, count| Bar {
        from: at.plus(from),
        to: at.plus(from + 10_000),
        count,
    };
    let bars = |bars: Vec<Bar>| Survey {
        bars,
        ..survey(None)
    };
    let few = once.survey(bars(vec![bar(10_000, 900)]));
    assert!(few.found(ID).unwrap().ends.is_none(), "none comes yet");
    let told = few.survey(bars(vec![bar(10_000, 900), bar(310_000, 20_000)]));
    let found = told.found(ID).unwrap();
    assert_eq!(found.severity, Severity::Warning);
    assert_eq!(found.ends, Some(at.plus(310_000)));
    assert_eq!(
        found.headline,
        "Slow transfers may come in 5:10: 20,000 entries fall due."
    );
}

/// A survey with bars of so many ms from the start on, and with classes.
fn counts(bar_ms: i64, bars: &[u64], classes: [u64; 7]) -> Survey {
    let bar = |(n, count): (i64, &u64)| Bar {
        from: START.plus(n * bar_ms),
        to: START.plus((n + 1) * bar_ms),
        count: *count,
    };
    Survey {
        bars: (0..).zip(bars).map(bar).collect(),
        classes,
        ..survey(None)
    }
}

fn scene_before_a_burst(survey: Survey, at: i64) -> Scene {
    let mut frames = burst_at(Place::Beyond(1_000));
    let seen = pulse(at, 40_000, None, 1);
    frames.at = seen.at;
    Scene::default().pulse(seen).sample(frames).survey(survey)
}

/// A hundred entries that fall due in a minute, each behind 20,000 others, and that survey.
fn before_a_burst(survey: Survey, at: i64) -> Finding {
    scene_before_a_burst(survey, at).found(ID).unwrap()
}

#[test]
fn a_burst_that_keeps_the_server_for_a_second_is_a_warning_with_its_time() {
    let bars = [0, 0, 0, 0, 0, 0, 20_000, 7];
    let found = before_a_burst(counts(10_000, &bars, [0; 7]), 6_000);
    assert_eq!(found.severity, Severity::Warning);
    assert_eq!(found.ends, Some(START.plus(60_000)));
    assert_eq!(
        found.sentence(),
        "Slow transfers in 0:54: 20,000 entries block Redis. They lie about 20,000 deep in the order \
         list, which each transfer searches: about 200 transfers of 24 ms or more, \
         together 4.8 s or more."
    );
    // How much longer clients need than their scripts has been seen.
    let mut scene = scene_before_a_burst(counts(10_000, &bars, [0; 7]), 6_000);
    for (ms, much) in [(-60_000, true), (-48_000, false)] {
        scene.watch.bursts.saw(START.plus(ms), much, much);
    }
    let sentence = scene.found(ID).unwrap().sentence();
    let expected =
        "together 4.8 s or more, and longer with the pauses in between: the last burst took 0:12.";
    assert!(sentence.ends_with(expected), "{sentence}");
    assert_eq!(
        found.repair.sentence.to_string(),
        "Sort the order list now."
    );
    assert_eq!(
        found.repair.step,
        Step::Change(ChangeRequest::Realign(None))
    );
    assert!(!found.keeps_the_server());
    // So many transfers take less than a second.
    let few = [0, 0, 0, 0, 0, 0, 4_000];
    let found = before_a_burst(counts(10_000, &few, [0; 7]), 6_000);
    assert_eq!(found.severity, Severity::Note);
}

#[test]
fn where_bars_are_wide_a_burst_is_counted_by_the_class_that_it_falls_due_in() {
    let classes = [0, 20_004, 300, 0, 0, 0, 20_000];
    let found = before_a_burst(counts(3_600_000, &[20_304], classes), 0);
    assert_eq!(found.severity, Severity::Warning);
    assert_eq!(
        found.headline,
        "Slow transfers in 1:00: about 20,004 entries block Redis."
    );
}

#[test]
fn a_slow_transfer_of_few_entries_or_of_later_ones_is_a_note() {
    let severity = |survey, at| before_a_burst(survey, at).severity;
    let later = [0, 100, 0, 0, 0, 0, 20_000];
    assert_eq!(severity(counts(1, &[], later), 0), Severity::Note);
    let hour = 3_600_000;
    let all = [0, 0, 0, 0, 20_000, 0, 0];
    let mut survey = counts(1, &[], all);
    survey.at = START.plus(60_000 - hour - 1);
    assert_eq!(severity(survey.clone(), -hour + 60_000 - 1), Severity::Note);
    assert_eq!(severity(survey, -hour + 60_000), Severity::Warning);
}

#[test]
fn a_burst_that_is_over_in_a_moment_is_not_transferred_by_hand() {
    let found = |late, late_ms| {
        let mut seen = pulse(0, 40_000, Some(late_ms), 1);
        seen.late = Known::Is(late);
        let scene = burst(Place::Beyond(1_000), 40_000).pulse(seen);
        scene.found(ID).unwrap()
    };
    let begun = found(20_000, 3_000);
    assert_eq!(begun.severity, Severity::Warning);
    assert!(begun.keeps_the_server());
    assert!(
        begun.details.starts_with("20,000 late. "),
        "{}",
        begun.details
    );
    // A key that is pressed then begins nothing, up to the end of the burst.
    for (late, late_ms) in [(20_000, 3_000), (1_700, 45_000), (1_700, 60_000)] {
        let waits = found(late, late_ms).repair;
        assert_eq!(waits.step, Step::Outside);
        assert!(waits.sentence.to_string().starts_with("Wait: "));
    }
    let by_hand = Step::Change(ChangeRequest::Transfer);
    assert_eq!(found(20_000, 50_001).repair.step, by_hand);
    assert_eq!(found(1_700, 100_001).repair.step, by_hand);
    assert_eq!(found(200_000, 3_000).repair.step, by_hand);
}

#[test]
fn each_burst_is_counted_though_the_finding_stands_from_one_to_the_next() {
    let mut scene = Scene::default();
    for s in 0..720 {
        let at = s * 1_000;
        let bursts = s % 180 < 17;
        let mut seen = pulse(at, 40_000, bursts.then_some(60_001), 1);
        seen.late = Known::Is(if bursts { 20_000 } else { 0 });
        let mut frames = burst_at(Place::Beyond(1_000));
        frames.at = seen.at;
        scene = scene.pulse(seen).sample(frames);
        let found = scene.all().findings;
        assert!(found.iter().any(|found| found.id == ID), "{s}");
    }
    let words = scene.found(ID).unwrap().evidence.words;
    let told: Vec<_> = words.iter().filter(|w| w.contains("ago")).collect();
    assert_eq!(told.len(), TOLD);
    assert_eq!(told[0], "an earlier burst took 0:17 and ended 2:42 ago");
    let near = sample(Vec::new(), Vec::new());
    let after = scene.sample(near).found(ID).unwrap();
    assert_eq!(after.evidence.figures["times"], 4);
}

#[test]
fn between_bursts_there_is_nothing_to_sort_and_once_it_was_sorted_nothing_is_told() {
    let mut twice = blocked(blocked(Scene::default(), 0), 360);
    let advice = |scene: &Scene| scene.found(ID).unwrap().repair.sentence.to_string();
    assert!(advice(&twice).contains("nothing to sort yet"));
    twice.watch.bursts.sorted(START.plus(380_000));
    assert_eq!(twice.found(ID), None);
}

#[test]
fn who_sorts_the_list_before_each_burst_is_told_what_cures_it() {
    let bars = [0, 0, 0, 0, 0, 0, 20_000];
    let mut scene = scene_before_a_burst(counts(10_000, &bars, [0; 7]), 6_000);
    let advice = |scene: &Scene| scene.clone().found(ID).unwrap().repair.sentence.to_string();
    assert_eq!(advice(&scene), "Sort the order list now.");
    for (s, much, slow) in [(-900, true, true), (-890, false, false)] {
        scene.watch.bursts.saw(START.plus(s * 1_000), much, slow);
    }
    // A sort has helped since.
    scene.watch.bursts.sorted(START.plus(-720_000));
    for (s, much) in [(-700, true), (-699, false)] {
        scene.watch.bursts.saw(START.plus(s * 1_000), much, false);
    }
    let expected = "Sort the order list now, then find out who offers out of due order.";
    assert_eq!(advice(&scene), expected);
}

#[test]
fn what_is_left_of_a_burst_is_not_told_as_what_comes() {
    let mut scene = blocked(Scene::default(), 0);
    // The last sample was of the burst, of which a few entries are late still.
    for s in [360, 361, 362] {
        let mut seen = pulse(s * 1_000, 60_000, Some(60_001), 1);
        seen.late = Known::Is(54_900);
        let mut frames = burst_at(Place::Beyond(1_000));
        frames.at = seen.at;
        scene = scene.pulse(seen).sample(frames);
        assert_eq!(scene.found(ID).unwrap().headline, SLOW);
        scene.all();
    }
    for s in [363, 364, 365] {
        let mut seen = pulse(s * 1_000, 60_000, Some(1_000), 1);
        seen.late = Known::Is(20);
        let mut frames = burst_at(Place::Beyond(1_000));
        frames.at = seen.at;
        scene = scene.pulse(seen).sample(frames);
        let verdict = scene.verdict(ID);
        match verdict {
            RuleVerdict::Kept => {}
            RuleVerdict::Found(found) => {
                assert!(
                    found.headline.starts_with("Slow transfers may come back"),
                    "{found:?}"
                );
            }
            other => panic!("{other:?}"),
        }
        scene.all();
    }
}

#[test]
fn what_was_sorted_is_no_burst_to_be_warned_of() {
    let once = blocked(Scene::default(), 0);
    let told = |place| {
        let mut frames = burst_at(place);
        frames.at = START.plus(40_000);
        let survey = Survey {
            frames: Some(Box::new(frames)),
            ..counts(10_000, &[0, 0, 0, 0, 0, 0, 20_000], [0; 7])
        };
        let scene = once.clone().pulse(pulse(40_000, 60_000, None, 1));
        scene.survey(survey).found(ID).map(|found| found.severity)
    };
    assert_eq!(told(Place::Beyond(1_000)), Some(Severity::Warning));
    assert_eq!(told(Place::At(30)), None);
}

#[test]
fn only_bursts_at_equal_distances_tell_when_the_next_one_comes() {
    let told = |starts: &[i64], now: i64| {
        let burst = |s: &i64| SlowBurst {
            since: START.plus(s * 1_000),
            until: START.plus((s + 10) * 1_000),
            behind_sort: *s == 720,
            is_past: false,
        };
        let all: Vec<SlowBurst> = starts.iter().map(burst).collect();
        let all: Vec<&SlowBurst> = all.iter().collect();
        let next = next_by_the_clock(&all, START.plus(now * 1_000));
        next.map(|(every, next)| (every / 1_000, next.since(START) / 1_000))
    };
    assert_eq!(told(&[360, 180, 0], 400), Some((180, 540)));
    assert_eq!(told(&[362, 180, 0], 400), Some((181, 543)));
    assert_eq!(told(&[180, 0], 200), Some((180, 360)));
    assert_eq!(told(&[360, 180, 100], 400), None);
    assert_eq!(told(&[360, 180, 0], 541), None, "it did not come");
    assert_eq!(told(&[180], 200), None);
    // Between 360 and 720 somebody has sorted the list: a burst may have come that was not slow.
    assert_eq!(told(&[720, 360], 800), None);
    assert_eq!(told(&[900, 720, 360], 1_000), Some((180, 1_080)));
}

#[test]
fn a_sort_of_ours_is_remembered_until_the_next_burst() {
    let mut scene = blocked(Scene::default(), 0);
    scene.watch.bursts.sorted(START.plus(100_000));
    let again = blocked(scene, 360);
    let found = again.found(ID).unwrap();
    assert_eq!(found.headline, "Slow transfers may come back.");
    let expected = "2 bursts within an hour.";
    assert!(found.details.ends_with(expected), "{}", found.details);
}

#[test]
fn when_a_burst_begins_it_is_not_over_before_it_has_been_looked_at() {
    let told = |late, sampled_ms| {
        let mut seen = pulse(62_000, 60_000, Some(2_000), 1);
        seen.late = Known::Is(late);
        seen.first = Some(framed(Form::ByteId, 201, Some(60_000)));
        let mut frames = burst_at(Place::Beyond(1_000));
        frames.next_due.clear();
        frames.depth = Known::Is(Vec::new());
        frames.at = START.plus(sampled_ms);
        Scene::default().pulse(seen).sample(frames).verdict(ID)
    };
    assert_eq!(told(20_000, 50_000), RuleVerdict::Kept);
    assert_eq!(told(900, 50_000), RuleVerdict::Fine, "it is no burst");
    assert_eq!(told(20_000, 61_000), RuleVerdict::Fine, "it was looked at");
}
