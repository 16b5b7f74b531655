//! `u`: what it takes back, and what it says where it cannot.

use delayscope::queue::change_event::ChangeEvent;
use delayscope::queue::{Change, Outcome, Plan, Tally};
use delayscope::tui::change::{self, ChangeStage};
use delayscope::tui::effect::Effect;
use delayscope::tui::hints;

use delayscope::tui::journal::ChangeLine;
use delayscope::tui::msg::Msg;

use super::{applied, desk, dialog, ended, generation, orders, plan, planned, toast};
use crate::desk::Desk;

#[test]
fn u_asks_for_the_newest_change_of_the_selected_queue_to_be_taken_back() {
    let mut desk = desk();
    let effects = desk.char('u');
    let newest = |e: &Effect| matches!(e, Effect::Change(change::Effect::PlanUndo { id: None, queue, .. }) if *queue == orders());
    assert!(effects.iter().any(newest));
    let generation = generation(&effects);
    let effects = planned(&mut desk, generation, plan(Change::Undo, 1));
    assert!(!applied(&effects), "it may be of somebody else");
    assert!(applied(&desk.char('y')));
    assert!(matches!(
        desk.model.changing.one.as_ref().unwrap().stage,
        ChangeStage::Running(_)
    ));
}

/// A desk where an entry was deleted a moment ago, which the journal calls `abc`.
fn deleted() -> Desk {
    let mut desk = desk();
    let generation = generation(&desk.char('x'));
    planned(&mut desk, generation, plan(Change::Delete, 1));
    desk.char('y');
    let mut tally = Tally::default();
    tally.add(Outcome::Done, 1);
    let ChangeEvent::Ended(mut summary) = ended(Change::Delete, tally) else {
        panic!();
    };
    summary.journal_id = Some("abc".to_owned());
    desk.tell(Msg::Change(change::Msg::Applied(
        generation,
        ChangeEvent::Ended(summary),
    )));
    desk
}

/// A plan to take that change of the journal back.
fn of(id: &str) -> Plan {
    Plan {
        undoes: Some(id.to_owned()),
        ..plan(Change::Undo, 1)
    }
}

#[test]
fn what_was_taken_back_is_named_and_counted_as_what_it_is() {
    let told = |undone, planned_for, outcomes: &[(Outcome, u64)]| {
        let mut desk = desk();
        let generation = generation(&desk.char('u'));
        let plan = Plan {
            undone: Some(undone),
            ..plan(Change::Undo, planned_for)
        };
        planned(&mut desk, generation, plan);
        desk.char('y');
        let mut tally = Tally::default();
        for (outcome, n) in outcomes {
            tally.add(*outcome, *n);
        }
        desk.tell(Msg::Change(change::Msg::Applied(
            generation,
            ended(Change::Undo, tally),
        )));
        toast(&desk).to_owned()
    };
    let done = |n| [(Outcome::Done, n)];
    let persist = told(Change::Persist, 2, &done(2));
    assert_eq!(persist, "undone: remove expiry, 2 keys");
    let renamed = told(Change::RenameTaken, 1, &done(1));
    assert_eq!(renamed, "undone: rename key, 1 key");
    assert_eq!(
        told(Change::Delete, 3, &done(3)),
        "undone: delete, 3 entries"
    );
    let partly = told(Change::Delete, 3, &[(Outcome::Done, 2), (Outcome::Gone, 1)]);
    assert_eq!(partly, "delete: 2 of 3 undone, 1 moved on");
}

#[test]
fn what_was_done_last_from_this_screen_is_taken_back_unasked_within_a_minute() {
    for (after_ms, id, unasked) in [
        (5_000, "abc", true),
        (59_000, "abc", true),
        (61_000, "abc", false),
        // Somebody else has done something since.
        (5_000, "def", false),
    ] {
        let mut desk = deleted();
        desk.pass(after_ms);
        let asked = generation(&desk.char('u'));
        let effects = planned(&mut desk, asked, of(id));
        assert_eq!(applied(&effects), unasked, "{after_ms} {id}");
        assert_eq!(dialog(&desk.model).is_none(), unasked, "{after_ms} {id}");
    }
}

#[test]
fn what_cannot_be_taken_back_offers_no_undo_and_says_so() {
    let line = |change, undone| ChangeLine {
        at: delayscope::clock::EpochMillis::new(0),
        queue: "orders".to_owned(),
        text: "done".to_owned(),
        id: Some("abc".to_owned()),
        change: Some(change),
        undone,
        doubtful: false,
    };
    for (line, can) in [
        (line(Change::Delete, false), true),
        (line(Change::Delete, true), false),
        (line(Change::Realign, false), false),
    ] {
        let mut desk = desk();
        desk.model.changes.push(line);
        desk.char('6');
        let hints = hints::hints(&desk.model);
        let undo = hints.iter().find(|hint| hint.word == "undo").unwrap();
        assert_eq!(undo.enabled, can);
        let effects = desk.char('u');
        let asks = |e: &Effect| matches!(e, Effect::Change(change::Effect::PlanUndo { .. }));
        assert_eq!(effects.iter().any(asks), can);
        assert_eq!(desk.model.toast.is_none(), can);
    }
}
