use std::sync::Arc;

use super::super::Step;
use super::super::tests::{START, Scene, framed, pulse, sample, server_look};
use super::*;
use crate::queue::change::ChangeRequest;
use crate::queue::frame::Form;
use crate::queue::look::{Client, Clients};
use crate::queue::{Announcement, JudgedMember, ServerLook};

/// Pulses each second over so many ms, the head late by that at the end.
fn standing(ms: i64, late_ms: i64, clients: u64) -> Scene {
    let head = framed(Form::ByteId, 1, Some(ms - late_ms));
    let seconds = (0..=ms / 1_000).map(|second| second * 1_000);
    let at = |scene: Scene, at: i64| {
        let mut seen = pulse(at, 5, Some(1), clients);
        seen.first = Some(head.clone());
        scene.pulse(seen)
    };
    seconds.fold(Scene::default(), at)
}

#[test]
fn it_takes_three_seconds_of_the_same_head_and_six_of_lateness() {
    assert!(standing(3_000, 6_001, 1).found(ID).is_some());
    assert!(standing(2_000, 60_000, 1).found(ID).is_none());
    assert!(standing(3_000, 6_000, 1).found(ID).is_none());
    // That is another rule's.
    assert!(standing(3_000, 60_000, 0).found(ID).is_none());
}

#[test]
fn where_subscribers_cannot_be_counted_what_stands_is_told_all_the_same() {
    let mut scene = standing(3_000, 60_000, 1);
    let mut seen = pulse(4_000, 5, Some(1), 1);
    seen.transfer_clients = Known::Unknown("NOPERM".into());
    assert_eq!(
        Scene::default().pulse(seen.clone()).verdict(ID),
        RuleVerdict::Blind("NOPERM".to_owned())
    );
    seen.first = Some(framed(Form::ByteId, 1, Some(-57_000)));
    scene = scene.pulse(seen);
    let found = scene.found(ID).unwrap();
    assert_eq!(found.repair.step, Step::Worker);
    assert!(found.sentence().contains("who listens cannot be seen"));
}

#[test]
fn a_head_that_changes_or_an_outage_begins_anew() {
    let mut moved = standing(3_000, 60_000, 1);
    let mut seen = pulse(3_500, 5, Some(1), 1);
    seen.first = Some(framed(Form::ByteId, 2, Some(-50_000)));
    moved = moved.pulse(seen);
    assert!(moved.found(ID).is_none());
    let mut away = standing(3_000, 60_000, 1);
    away.watch.interrupted();
    assert!(away.found(ID).is_none());
}

fn step(scene: &Scene) -> Step {
    scene.found(ID).unwrap().repair.step
}

fn kick(scene: &mut Scene, ms: i64) {
    scene
        .watch
        .announced(&Announcement::new(START.plus(ms), Vec::new(), b"0"));
}

#[test]
fn a_kick_is_tried_first_and_what_it_did_not_help_is_concluded() {
    let mut scene = standing(4_000, 10_000, 1);
    assert_eq!(step(&scene), Step::Change(ChangeRequest::Kick));
    kick(&mut scene, 3_000);
    assert_eq!(step(&scene), Step::Change(ChangeRequest::Kick));
    kick(&mut scene, 2_000);
    assert_eq!(step(&scene), Step::Worker);
    assert!(
        scene
            .found(ID)
            .unwrap()
            .sentence()
            .contains("clock is behind")
    );
}

#[test]
fn what_a_kick_has_moved_once_and_stands_again_is_not_kicked_for_ever() {
    let mut scene = standing(4_000, 10_000, 1);
    kick(&mut scene, 4_100);
    // That one goes, and the next one stands as it did.
    let next = |mut scene: Scene, from: i64, due: i64| {
        for at in [from, from + 2_000, from + 4_000] {
            let mut seen = pulse(at, 4, Some(at - due), 1);
            seen.first = Some(framed(Form::ByteId, 2, Some(due)));
            scene = scene.pulse(seen);
        }
        scene
    };
    let again = next(scene.clone(), 4_200, 4_000);
    assert!(again.found(ID).is_none(), "not late enough yet");
    let again = next(scene, 10_200, 4_000);
    let found = again.found(ID).unwrap();
    assert_eq!(found.repair.step, Step::Worker);
    assert!(
        found.sentence().contains("the next one stands"),
        "{}",
        found.sentence()
    );
    // A kick of long before, when nothing stood, has moved nothing.
    let mut well = Scene::default().pulse(pulse(0, 4, None, 1));
    kick(&mut well, 100);
    assert_eq!(
        step(&next(well, 10_200, 4_000)),
        Step::Change(ChangeRequest::Kick)
    );
}

#[test]
fn a_kick_before_the_first_look_is_not_told_to_be_tried_again() {
    // Late by 60 s when first seen, kicked 40 s before that; then, when none was due.
    for (kicked_ms, words) in [
        (-40_000, "Waking them has not helped"),
        (-57_000, "woken a moment ago"),
    ] {
        let mut scene = standing(4_000, 60_000, 1);
        scene.watch.kicked_before = Some(START.plus(kicked_ms));
        let found = scene.found(ID).unwrap();
        assert_eq!(found.repair.step, Step::Worker, "{found:?}");
        assert!(found.sentence().contains(words), "{}", found.sentence());
        let ago = text::age(4_000 - kicked_ms);
        let told = format!("the clients were woken {ago} ago");
        assert!(found.evidence.words.contains(&told), "{found:?}");
    }
    // Of one that is long ago, or that has had no time to help, nothing is concluded.
    for kicked_ms in [-300_000, 2_500] {
        let mut scene = standing(4_000, 600_000, 1);
        scene.watch.kicked_before = Some(START.plus(kicked_ms));
        assert_eq!(step(&scene), Step::Change(ChangeRequest::Kick));
    }
}

#[test]
fn scripts_that_fail_are_told_with_their_number() {
    let mut scene = standing(4_000, 10_000, 1)
        .look(server_look(0, [false, true], 3))
        .look(server_look(10_000, [false, true], 5));
    // They may be those of another queue.
    assert_eq!(step(&scene), Step::Change(ChangeRequest::Kick));
    kick(&mut scene, 1_000);
    let found = scene.found(ID).unwrap();
    assert_eq!(found.evidence.figures["failed_scripts"], 2);
    assert_eq!(found.repair.step, Step::Change(ChangeRequest::Transfer));
}

#[test]
fn those_who_have_selected_another_database_are_seen_through() {
    let look = |db| {
        let client = Client {
            channels: 1,
            db,
            ..Client::default()
        };
        let clients = Clients {
            total: 1,
            listed: vec![client],
            ..Clients::default()
        };
        ServerLook {
            clients: Known::Is(Arc::new(clients)),
            ..server_look(0, [false, true], 0)
        }
    };
    let here = standing(4_000, 10_000, 1).look(look(0));
    assert_eq!(step(&here), Step::Change(ChangeRequest::Kick));
    let there = standing(4_000, 10_000, 1).look(look(3));
    assert!(
        there
            .found(ID)
            .unwrap()
            .sentence()
            .contains("another database")
    );
}

#[test]
fn what_is_explained_by_a_poison_entry_is_not_told_twice() {
    let poison = |due| -> JudgedMember { framed(Form::DoubleId, 1, due) };
    let mut scene = standing(4_000, 10_000, 1).look(server_look(0, [false, true], 0));
    assert!(scene.all().findings.iter().any(|found| found.id == ID));
    let mut scene = scene.sample(sample(vec![poison(Some(-6_000))], Vec::new()));
    let mut seen = pulse(5_000, 5, Some(1), 1);
    seen.first = Some(poison(Some(-6_000)));
    scene = scene.pulse(seen.clone());
    seen.at = START.plus(9_000);
    scene = scene.pulse(seen);
    assert!(scene.found(ID).is_some());
    let ids: Vec<_> = scene.all().findings.iter().map(|found| found.id).collect();
    assert!(ids.contains(&"poison") && !ids.contains(&ID), "{ids:?}");
}

#[test]
fn a_server_that_is_paused_is_told_from_clients_that_do_nothing() {
    let look = |ms, held| {
        let clients = Clients {
            held,
            ..Clients::default()
        };
        ServerLook {
            clients: Known::Is(Arc::new(clients)),
            ..server_look(ms, [false, true], 0)
        }
    };
    let step = |look| step(&standing(4_000, 10_000, 1).look(look));
    assert_eq!(step(look(-1_000, 1)), Step::Outside);
    assert_eq!(step(look(-1_000, 0)), Step::Change(ChangeRequest::Kick));
    // Of before: it may have ended.
    assert_eq!(step(look(-2_001, 1)), Step::Change(ChangeRequest::Kick));
}
