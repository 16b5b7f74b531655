//! Lines that are typed: every key is theirs, and what was entered comes back.

use delayscope::tui::effect::Effect;
use delayscope::tui::keys::{Code, Key};
use delayscope::tui::msg::Msg;
use delayscope::tui::prompt::{self, PromptKind};

use crate::desk::Desk;

impl Desk {
    /// Types a text.
    pub(crate) fn type_text(&mut self, text: &str) {
        for c in text.chars() {
            self.char(c);
        }
    }

    /// What stands in the line.
    pub(crate) fn line(&self) -> String {
        let prompt = self.model.prompt.as_ref();
        prompt.map(|p| p.field.text()).unwrap_or_default()
    }
}

#[test]
fn what_is_typed_is_no_key() {
    let mut desk = Desk::of_one(5);
    desk.char('/');
    desk.type_text("q?:f");
    assert_eq!(desk.line(), "q?:f");
    assert!(desk.model.overlay.is_none() && desk.model.frozen.is_none());
    desk.press(Code::Esc);
    assert!(desk.model.prompt.is_none());
}

#[test]
fn control_c_ends_the_program_from_within_a_line() {
    let mut desk = Desk::of_one(5);
    desk.char('/');
    assert_eq!(desk.key(Key::ctrl('c')), [Effect::Quit]);
}

#[test]
fn a_pasted_line_end_does_not_press_enter() {
    let mut desk = Desk::of_one(5);
    desk.char(':');
    assert_eq!(desk.tell(Msg::Pasted("quit\r\nx\n".to_owned())), []);
    assert_eq!(desk.line(), "quit x");
}

#[test]
fn what_is_pasted_outside_of_a_line_is_nothing() {
    let mut desk = Desk::of_one(5);
    assert_eq!(desk.tell(Msg::Pasted(":quit\n".to_owned())), []);
    assert!(desk.model.prompt.is_none());
}

#[test]
fn up_brings_back_what_was_entered_and_down_what_was_being_typed() {
    let mut desk = Desk::of_one(5);
    for text in ["late", "order", "late"] {
        desk.char('/');
        desk.key(Key::ctrl('u'));
        desk.type_text(text);
        let asked = desk.press(Code::Enter);
        let kept = Effect::Prompt(prompt::Effect::Remember(
            PromptKind::Filter,
            text.to_owned(),
        ));
        assert!(asked.contains(&kept), "{asked:?}");
    }
    desk.char('/');
    desk.key(Key::ctrl('u'));
    desk.type_text("new");
    let mut seen = Vec::new();
    for code in [
        Code::Up,
        Code::Up,
        Code::Up,
        Code::Down,
        Code::Down,
        Code::Down,
    ] {
        desk.press(code);
        seen.push(desk.line());
    }
    assert_eq!(seen, ["late", "order", "order", "late", "new", "new"]);
}

#[test]
fn each_kind_of_line_has_its_own_history() {
    let mut desk = Desk::of_one(5);
    desk.char('/');
    desk.type_text("late");
    desk.press(Code::Enter);
    desk.char('@');
    desk.press(Code::Up);
    assert_eq!(desk.line(), "");
}

#[test]
fn an_edited_line_of_the_history_is_a_new_one() {
    let mut desk = Desk::of_one(5);
    desk.char('/');
    desk.type_text("late");
    desk.press(Code::Enter);
    desk.char('/');
    desk.key(Key::ctrl('u'));
    desk.press(Code::Up);
    desk.char('!');
    desk.press(Code::Up);
    assert_eq!(desk.line(), "late");
    desk.press(Code::Down);
    assert_eq!(desk.line(), "late!");
}
