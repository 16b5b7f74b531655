//! What the findings say once a change of ours is over.

use std::sync::Arc;

use delayscope::queue::change::ChangeRequest;
use delayscope::queue::change_event::ChangeEvent;
use delayscope::queue::{Change, Exact, Tally};
use delayscope::tui::change;
use delayscope::tui::effect::Effect;
use delayscope::tui::findings::calm::calm;
use delayscope::tui::model::Pane;
use delayscope::tui::msg::Msg;
use delayscope::tui::refresh;

use super::{desk, ended, generation, orders, plan, planned};
use crate::desk::{Desk, World};
use crate::update::sample;

/// A change of the queue that is over before any pulse has seen it; in tab 5, on its finding.
fn at_once(desk: &mut Desk, change: Change) {
    desk.char('R');
    let generation = generation(&desk.char('R'));
    planned(desk, generation, plan(change, 2));
    desk.pass(1_000);
    desk.char('y');
    desk.tell(Msg::Change(change::Msg::Applied(
        generation,
        ended(change, Tally::default()),
    )));
}

#[test]
fn what_a_look_at_all_entries_had_found_is_over_with_its_repair_however_quick_that_was() {
    let mut desk = desk();
    let mut exact = Exact::new(&orders(), desk.now());
    exact.waiting = 10;
    let drift = exact.drift.as_mut().unwrap();
    (drift.lacking.count, drift.twice.count) = (1, 1);
    desk.model.queues[0].watch.examined(exact);
    desk.live(1_000, 1);
    desk.char('5');
    desk.model.focus = Pane::Entries;
    let drifts = |desk: &Desk| {
        let found = desk.model.queues[0].findings.iter();
        { found }.any(|found| found.id == "drift")
    };
    assert!(drifts(&desk));
    let findings = desk.model.queues[0].findings.clone();
    let first = delayscope::queue::finding::Step::Change(ChangeRequest::Drift);
    assert_eq!(findings[0].repair.step, first);
    at_once(&mut desk, Change::Drift);
    desk.live(1_000, 1);
    assert!(!drifts(&desk));
}

#[test]
fn while_a_change_is_under_way_the_other_queues_know_of_it() {
    let worlds = ["orders", "mail"].map(|name| World::new(name, 5, -4_500, 1_000));
    let mut desk = Desk::of(worlds.into());
    let generation = generation(&desk.char('t'));
    let mine = desk.model.selected().unwrap().queue.clone();
    let mut transfer = plan(Change::Transfer, 2);
    transfer.queue = mine.clone();
    planned(&mut desk, generation, transfer);
    let beside = |desk: &Desk, of_mine: bool| {
        let mut rows = desk.model.queues.iter();
        let row = rows.find(|row| (row.queue == mine) == of_mine).unwrap();
        row.watch.beside.clone()
    };
    assert_eq!(beside(&desk, false), None);
    desk.char('y');
    desk.live(3_000, 1);
    let told = format!("transfer of {}", mine.name.text());
    assert_eq!(
        (beside(&desk, true), beside(&desk, false)),
        (None, Some(told))
    );
    desk.tell(Msg::Change(change::Msg::Applied(
        generation,
        ChangeEvent::Failed("x".to_owned()),
    )));
    desk.live(3_000, 1);
    assert_eq!(beside(&desk, false), None);
}

#[test]
fn nothing_is_called_fixed_before_its_queue_was_read_again_after_a_change_of_ours() {
    let mut desk = desk();
    desk.model.server.long = 8;
    desk.live(12_000, 1);
    let told = |desk: &Desk| {
        let row = &desk.model.queues[0];
        let ids = |all: &[delayscope::queue::Finding]| -> Vec<&str> {
            all.iter().map(|f| f.id).collect()
        };
        (ids(&row.findings), ids(&row.gone))
    };
    let (before, _) = told(&desk);
    assert!(before.contains(&"stuck-client"), "{before:?}");
    // What was late is gone with our transfer; only the pulse has been read since.
    desk.world[0].entries.retain(|(_, score)| *score > 1e15);
    let now = desk.now();
    let row = &mut desk.model.queues[0];
    row.watch.changed_by_us(Change::Transfer, now);
    let pulse = desk.world[0].pulse(now.plus(100), None);
    let row = &mut desk.model.queues[0];
    row.watch.saw(&pulse);
    row.pulse = Some(pulse);
    let server = desk.model.server.clone();
    desk.model.queues[0].diagnose(&server);
    let (still, gone) = told(&desk);
    assert!(still.contains(&"stuck-client"), "{still:?}");
    assert!(!gone.contains(&"stuck-client"), "{gone:?}");
    desk.live(12_000, 1);
    let (after, _) = told(&desk);
    assert!(!after.contains(&"stuck-client"), "{after:?}");
}

/// The lines of what is not known yet.
fn open(desk: &Desk) -> Vec<String> {
    calm(&desk.model).open
}

#[test]
fn after_a_repair_it_is_watched_whether_what_is_late_gets_fewer() {
    let mut desk = Desk::of(vec![World::new("orders", 400, -300_000, 1_000)]);
    desk.live(3_000, 1);
    let at = desk.now();
    let watch = &mut desk.model.queues[0].watch;
    watch.changed_by_us(Change::Repack, at);
    desk.live(2_000, 1);
    let first = open(&desk).remove(0);
    assert!(first.starts_with("repaired (rewrite, "), "{first}");
    assert!(first.ends_with("late, do they get fewer?"), "{first}");
    for _ in 0..6 {
        desk.world[0].entries.drain(..20);
        desk.live(1_000, 1);
    }
    let falling = open(&desk).remove(0);
    assert!(falling.ends_with("late and falling"), "{falling}");
    desk.live(14_000, 1);
    let stands = open(&desk).remove(0);
    assert!(stands.starts_with("not cured (rewrite, "), "{stands}");
    assert!(stands.contains(": next → "), "{stands}");
    desk.world[0].entries.clear();
    desk.live(2_000, 1);
    assert!(!open(&desk).iter().any(|line| line.contains("rewrite")));
}

/// The looks at members that were asked for.
fn samples(asked: &[Effect]) -> usize {
    let with_sample = |effect: &&Effect| {
        let Effect::Refresh(asked) = effect else {
            return false;
        };
        matches!(
            asked,
            refresh::Effect::LoadSurvey {
                sample: Some(_),
                ..
            }
        )
    };
    asked.iter().filter(with_sample).count()
}

#[test]
fn where_entries_stand_in_the_order_list_is_looked_at_again_as_soon_as_it_was_sorted() {
    let mut desk = Desk::of(vec![World::new("orders", 10, 3_600_000, 1_000)]);
    desk.live(12_000, 1);
    let at = desk.now();
    let row = &mut desk.model.queues[0];
    row.watch.frames.push_back(Arc::new(sample(at)));
    assert_eq!(samples(&desk.live(4_000, 1)), 0);
    let at = desk.now();
    desk.model.queues[0]
        .watch
        .changed_by_us(Change::Realign, at);
    assert_eq!(samples(&desk.live(3_000, 1)), 1);
}
