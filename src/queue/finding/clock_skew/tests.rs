use super::super::tests::{START, Scene, framed, pulse};
use super::*;
use crate::queue::frame::Form;

#[test]
fn this_machine_is_told_from_a_quarter_of_a_second_on_once_for_all_queues() {
    let severity = |skew_ms| {
        let mut scene = Scene::default().pulse(pulse(0, 5, None, 1));
        scene.server.skew_ms = Some(skew_ms);
        scene
            .found(ID)
            .map(|found| (found.severity, found.of_server))
    };
    assert_eq!(severity(249), None);
    assert_eq!(severity(-250), Some((Severity::Note, true)));
    assert_eq!(severity(1_000), Some((Severity::Warning, true)));
}

/// Entries 2 s apart, each leaving so many ms before it is due, seen each 500 ms.
fn leaving(ahead_ms: impl Fn(i64) -> i64) -> Scene {
    answered(ahead_ms, |_| 1)
}

/// The same on a server whose answer at that moment takes so many ms.
fn answered(ahead_ms: impl Fn(i64) -> i64, took_ms: impl Fn(i64) -> u64) -> Scene {
    let mut scene = Scene::default();
    scene.server.skew_ms = Some(0);
    let due = |n: i64| 2_000 + n * 2_000;
    for at in (0..16_000).step_by(500) {
        let first = (0..9).find(|n| at < due(*n) - ahead_ms(*n)).unwrap();
        let mut seen = pulse(at, 5, None, 1);
        let id = u8::try_from(first).unwrap();
        seen.first = Some(framed(Form::ByteId, id, Some(due(first))));
        seen.took_ms = took_ms(at);
        scene = scene.pulse(seen);
    }
    scene
}

fn ahead(scene: &Scene) -> Option<i64> {
    let found = scene.found(ID)?;
    found.evidence.figures["client_ahead_ms"].as_i64()
}

#[test]
fn a_client_that_is_ahead_or_behind_is_seen_by_when_entries_leave() {
    assert!((700..=1_300).contains(&ahead(&leaving(|_| 1_300)).unwrap()));
    let behind = ahead(&leaving(|_| -1_700)).unwrap();
    assert!((-1_700..=-1_000).contains(&behind), "{behind}");
}

#[test]
fn on_a_server_that_is_slow_to_answer_what_leaves_late_tells_nothing_of_clocks() {
    let late = |took_ms: fn(i64) -> u64| ahead(&answered(|_| -1_700, took_ms));
    // As scripts of another queue keep it, one after the other.
    assert_eq!(late(|at| at.unsigned_abs() / 500 * 83 % 250), None);
    // Far away, and with a hiccup now and then.
    assert!(late(|_| 180).is_some());
    assert!(late(|at| if at % 4_000 == 0 { 400 } else { 3 }).is_some());
    // It is late that is excused, not early.
    let early = answered(|_| 1_300, |at| at.unsigned_abs() / 500 * 83 % 250);
    assert!(ahead(&early).is_some());
}

#[test]
fn what_falls_due_while_another_queue_blocks_the_server_tells_nothing_of_clocks() {
    let mut scene = Scene::default();
    scene.server.skew_ms = Some(0);
    for n in 0..9_i64 {
        let due = 2_000 + n * 2_000;
        let id = u8::try_from(n).unwrap();
        for at in [due + 1_000, due + 1_500] {
            scene.watch.blocked_by = (n % 3 < 2).then(|| "stock".to_owned());
            let mut seen = pulse(at, 5, None, 1);
            seen.first = Some(framed(Form::ByteId, id, Some(due)));
            scene = scene.pulse(seen);
        }
    }
    assert!(
        scene.watch.leads.len() < DEPARTURES,
        "{:?}",
        scene.watch.leads
    );
    assert_eq!(ahead(&scene), None);
}

#[test]
fn what_leaves_late_after_a_backlog_tells_nothing_of_clocks() {
    let late = || leaving(|_| -1_700);
    assert!(ahead(&late()).is_some());
    let first = late().watch.beats[0].at;
    for explained in [true, false] {
        let mut scene = late();
        let told = [&mut scene.watch.changed, &mut scene.watch.explained];
        *told[usize::from(explained)] = Some(first);
        assert_eq!(ahead(&scene), None);
    }
    let mut many = late();
    many.watch.beats[0].late = Some(BUSY);
    assert_eq!(ahead(&many), None);
    let mut later = late();
    let beat = &mut later.watch.beats[0];
    let due = first.plus(-9_000);
    beat.first = beat.first.map(|(id, _)| (id, due));
    assert_eq!(ahead(&later), None);
}

/// An entry falls due each second; each `period_ms`, those leave that are late by `least_ms` or more.
fn transferred_each(period_ms: i64, least_ms: i64) -> Scene {
    let mut scene = Scene::default();
    scene.server.skew_ms = Some(0);
    for at in (0..100_000).step_by(1_000) {
        let at = at + 500;
        let last = at - at % period_ms - least_ms;
        let first_due = last.div_euclid(1_000) * 1_000 + 1_000;
        let late = (at - first_due).div_euclid(1_000) + 1;
        let mut seen = pulse(at, 20, (late > 0).then_some(at - first_due), 1);
        seen.late = crate::queue::Known::Is(u64::try_from(late).unwrap_or(0));
        seen.next = Some(crate::queue::Due::At(START.plus(at + 500)));
        let id = u8::try_from(first_due / 1_000 % 250).unwrap_or(0);
        seen.first = Some(framed(Form::ByteId, id, Some(first_due)));
        scene = scene.pulse(seen);
    }
    scene
}

#[test]
fn who_takes_all_that_is_due_at_long_intervals_has_no_wrong_clock() {
    assert_eq!(ahead(&transferred_each(9_000, 0)), None);
    // Behind by 8 s, one leaves each second while others stay that are less late.
    let behind = ahead(&transferred_each(1_000, 8_000)).unwrap();
    assert!((-9_000..=-7_000).contains(&behind), "{behind}");
}

#[test]
fn while_many_were_late_clients_merely_worked_them_off() {
    let late = |many: u64| {
        let mut scene = leaving(|_| -1_700);
        let beats = &mut scene.watch.beats;
        let then = beats.len() - 4;
        beats[then].late = Some(many);
        ahead(&scene)
    };
    assert_eq!(late(BUSY), None);
    assert!(late(BUSY - 1).is_some());
}

#[test]
fn entries_that_leave_in_time_or_are_cancelled_at_any_moment_tell_nothing() {
    assert_eq!(ahead(&leaving(|_| 0)), None);
    assert_eq!(ahead(&leaving(|_| -100)), None);
    // A tick sooner or later is no other span.
    assert!(ahead(&leaving(|n| 1_300 + n % 3 * 100)).is_some());
    // Cancelled by their owner, all at once or one by one.
    let mut scene = Scene::default();
    for at in 0..9_u8 {
        let mut seen = pulse(i64::from(at) * 40, 5, None, 1);
        seen.first = Some(framed(Form::ByteId, at, Some(60_000)));
        scene = scene.pulse(seen);
    }
    assert_eq!(ahead(&scene), None);
    assert_eq!(ahead(&leaving(|n| 300 + n * 7 % 5 * 350)), None);
}

#[test]
fn two_that_left_late_by_one_span_suggest_it_and_the_next_one_is_not_stuck() {
    // The third is due at 6 s and would leave at 14 s.
    let watched = |until: i64, ahead_ms: i64| {
        let mut scene = Scene::default();
        scene.server.skew_ms = Some(0);
        let due = |n: i64| 2_000 + n * 2_000;
        for at in (0..=until).step_by(500) {
            let first = (0..9).find(|n| at < due(*n) - ahead_ms).unwrap();
            let late = (at >= due(first)).then_some(at - due(first));
            let mut seen = pulse(at, 5, late, 1);
            let id = u8::try_from(first).unwrap();
            seen.first = Some(framed(Form::ByteId, id, Some(due(first))));
            scene = scene.pulse(seen);
        }
        scene
    };
    let early = |scene: &Scene| match scene.verdict(ID) {
        RuleVerdict::Early(open) => open.known_in_ms,
        _ => None,
    };
    assert_eq!(early(&watched(9_500, -8_000)), None, "none has left");
    assert_eq!(early(&watched(10_000, -8_000)), Some(8_000), "one has");
    assert_eq!(early(&watched(14_500, -8_000)), Some(4_000), "three have");
    assert!(ahead(&watched(18_500, -8_000)).is_some(), "five have");
    assert_eq!(early(&watched(14_500, -1_900)), None, "hardly late");
    // With the same head for three seconds, and late by more than six.
    let mut stands = watched(15_500, -8_000);
    let mut seen = pulse(19_000, 5, Some(11_000), 1);
    let head = |id| framed(Form::ByteId, id, Some(8_000));
    seen.first = Some(head(3));
    stands = stands.pulse(seen.clone());
    assert!(
        stands.found("stuck-client").is_some(),
        "later than all others"
    );
    seen.at = seen.at.plus(-3_500);
    let mut soon = watched(14_500, -8_000);
    for at in [15_000, 15_500] {
        seen.at = super::super::tests::START.plus(at);
        soon = soon.pulse(seen.clone());
    }
    assert_eq!(soon.found("stuck-client"), None);
}
