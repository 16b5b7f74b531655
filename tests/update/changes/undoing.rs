//! `u`: what it takes back, and what it says where it cannot.

use delayscope::queue::Change;
use delayscope::tui::effect::Effect;
use delayscope::tui::model::ChangeLine;
use delayscope::tui::model::change::Stage;

use super::{applied, desk, generation, orders, plan, planned};

#[test]
fn u_asks_for_the_newest_change_of_the_selected_queue_to_be_taken_back() {
    let mut desk = desk();
    let effects = desk.char('u');
    let newest =
        |e: &Effect| matches!(e, Effect::PlanUndo { id: None, queue, .. } if *queue == orders());
    assert!(effects.iter().any(newest));
    let generation = generation(&effects);
    assert!(applied(&planned(
        &mut desk,
        generation,
        plan(Change::Undo, 1)
    )));
    assert!(matches!(
        desk.model.changing.one.as_ref().unwrap().stage,
        Stage::Running(_)
    ));
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
        let hints = delayscope::tui::keys::hints(&desk.model);
        let undo = hints.iter().find(|hint| hint.word == "undo").unwrap();
        assert_eq!(undo.enabled, can);
        let effects = desk.char('u');
        let asks = |e: &Effect| matches!(e, Effect::PlanUndo { .. });
        assert_eq!(effects.iter().any(asks), can);
        assert_eq!(desk.model.toast.is_none(), can);
    }
}
