//! What answers a question, and what does not.

use delayscope::queue::Change;
use delayscope::tui::change;
use delayscope::tui::dialog::Button;
use delayscope::tui::effect::Effect;
use delayscope::tui::keys::{Code, Key};
use delayscope::tui::refresh::update::time::wakes_at;

use super::flow::with_plan;
use super::{applied, desk, dialog, generation, plan, planned};

#[test]
fn enter_presses_the_button_that_has_the_focus_and_that_is_first_the_one_that_does_nothing() {
    let (mut desk, ..) = with_plan('x', Change::Delete, 2);
    let effects = desk.press(Code::Enter);
    assert!(effects.contains(&Effect::Change(change::Effect::DropPlan)) && !applied(&effects));
    assert!(dialog(&desk.model).is_none());
    for moved in [Code::Tab, Code::BackTab, Code::Left, Code::Right] {
        let (mut desk, generation, _) = with_plan('x', Change::Delete, 2);
        desk.press(moved);
        assert_eq!(dialog(&desk.model).unwrap().focus, Button::Yes, "{moved:?}");
        let effects = desk.press(Code::Enter);
        assert!(
            effects.contains(&Effect::Change(change::Effect::Apply(generation))),
            "{moved:?}"
        );
    }
    let (mut desk, ..) = with_plan('x', Change::Delete, 2);
    desk.press(Code::Tab);
    desk.press(Code::Tab);
    assert!(!applied(&desk.press(Code::Enter)), "back on the first one");
}

#[test]
fn the_enter_that_asked_answers_nothing_before_the_focus_was_moved() {
    let mut desk = desk();
    desk.char('R');
    desk.press(Code::Down);
    let generation = generation(&desk.press(Code::Enter));
    planned(&mut desk, generation, plan(Change::Drift, 2));
    assert!(!applied(&desk.press(Code::Enter)));
    assert!(dialog(&desk.model).is_some(), "pressed for too long");
    desk.press(Code::Tab);
    assert!(applied(&desk.press(Code::Enter)));
}

#[test]
fn only_y_is_yes_of_all_letters() {
    let (mut desk, generation, effects) = with_plan('x', Change::Delete, 2);
    assert!(!applied(&effects));
    for key in [Key::char('x'), Key::char(' '), Key::char('j')] {
        assert!(!applied(&desk.key(key)), "{key:?}");
        assert!(dialog(&desk.model).is_some(), "{key:?}");
    }
    // The Enter behind letters ends what was typed.
    desk.press(Code::Tab);
    desk.char('j');
    assert!(!applied(&desk.press(Code::Enter)));
    desk.pass(1_000);
    assert!(
        desk.char('y')
            .contains(&Effect::Change(change::Effect::Apply(generation)))
    );
    assert!(dialog(&desk.model).is_none());
}

#[test]
fn a_key_that_is_no_answer_is_told_so_where_the_answers_stand_and_for_a_moment() {
    let none = "is no answer";
    let keys = [
        (Key::of(Code::Up), none),
        (Key::char('z'), none),
        (Key::char('x'), "has asked this"),
    ];
    for (key, why) in keys {
        let (mut desk, ..) = with_plan('x', Change::Delete, 2);
        assert!(!applied(&desk.key(key)));
        let told = dialog(&desk.model).unwrap().told_at(desk.model.instant);
        let label = key.label(false);
        let words = format!("{label} {why}: press y to delete, Esc to cancel");
        assert_eq!(told, Some(&*words));
        assert!(wakes_at(&desk.model).is_some(), "so that it goes again");
        desk.pass(4_000);
        assert_eq!(
            dialog(&desk.model).unwrap().told_at(desk.model.instant),
            None
        );
    }
}

#[test]
fn an_answer_amid_other_keys_is_told_to_be_given_once_more() {
    let (mut desk, ..) = with_plan('x', Change::Delete, 2);
    desk.char('k');
    assert!(!applied(&desk.char('y')));
    let told = dialog(&desk.model).unwrap().told_at(desk.model.instant);
    let words = "y came amid other keys: wait a second, then press it again";
    assert_eq!(told, Some(words));
    desk.pass(1_100);
    assert!(applied(&desk.char('y')));
}
