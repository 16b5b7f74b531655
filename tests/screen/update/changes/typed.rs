//! What is typed behind an answer, or pasted where nothing is typed, is no command.

use delayscope::queue::Change;
use delayscope::tui::change;
use delayscope::tui::effect::Effect;
use delayscope::tui::keys::{Code, Key};
use delayscope::tui::msg::Msg;
use delayscope::tui::refresh;

use super::{applied, asked, desk, dialog, generation, plan, planned, toast};
use crate::desk::Desk;

const IGNORED: &str = "was the answer: what is typed behind it is ignored";

/// A desk that asks about the deletion of so many entries.
fn asking(count: u64) -> Desk {
    let mut desk = desk();
    let generation = generation(&desk.char('x'));
    planned(&mut desk, generation, plan(Change::Delete, count));
    assert!(dialog(&desk.model).is_some());
    desk
}

/// Types that, a key every so many ms; what it asks for.
fn type_in(desk: &mut Desk, text: &str, ms: u64) -> Vec<Effect> {
    let mut effects = Vec::new();
    for c in text.chars() {
        desk.pass(ms);
        effects.extend(match c {
            '\n' => desk.press(Code::Enter),
            c => desk.char(c),
        });
    }
    effects
}

fn begins_something(effects: &[Effect]) -> bool {
    let quiet = |effect: &Effect| {
        matches!(
            effect,
            Effect::Change(change::Effect::Apply(_) | change::Effect::DropPlan)
                | Effect::Refresh(
                    refresh::Effect::LoadPulse { .. } | refresh::Effect::LoadSurvey { .. }
                )
        )
    };
    !effects.iter().all(quiet)
}

#[test]
fn a_name_that_begins_with_an_answer_answers_once_and_does_nothing_else() {
    for (name, yes) in [("yard-txpw\n", true), ("no-txpw\n", false)] {
        let mut desk = asking(2);
        desk.pass(1_000);
        let effects = type_in(&mut desk, name, 240);
        assert_eq!(applied(&effects), yes, "{name:?}");
        assert!(!begins_something(&effects), "{name:?}: {effects:?}");
        assert!(desk.model.overlay.is_none(), "{name:?}");
        assert!(desk.model.prompt.is_none(), "{name:?}");
        assert_eq!(toast(&desk), format!("{} {IGNORED}", &name[..1]));
    }
}

#[test]
fn what_is_typed_on_behind_a_name_that_was_asked_for_does_nothing_either() {
    let mut desk = asking(5_000);
    let effects = type_in(&mut desk, "orders\n\nx", 100);
    assert!(applied(&effects));
    assert!(!begins_something(&effects), "{effects:?}");
    assert_eq!(toast(&desk), format!("⏎ {IGNORED}"));
}

#[test]
fn it_is_said_once_and_after_what_the_answer_has_led_to() {
    let mut desk = asking(2);
    desk.char('n');
    desk.char('o');
    let said = desk.model.toast.clone().unwrap();
    desk.pass(200);
    desk.char('p');
    assert_eq!(desk.model.toast, Some(said), "not said anew");
    let mut desk = asking(2);
    desk.char('n');
    desk.model.toast = Some(delayscope::tui::toast::Toast {
        text: "42 deleted".to_owned(),
        tone: delayscope::tui::toast::Tone::Good,
        until: desk.model.instant + std::time::Duration::from_secs(3),
    });
    desk.char('o');
    desk.char('p');
    assert_eq!(toast(&desk), "42 deleted");
    desk.pass(3_000);
    assert_eq!(toast(&desk), format!("n {IGNORED}"));
    assert!(desk.model.later.is_empty());
}

#[test]
fn whoever_pauses_or_takes_an_arrow_goes_on_with_commands() {
    let mut desk = asking(2);
    desk.char('n');
    desk.pass(250);
    assert!(asked(&desk.char('x')).is_some());
    let mut desk = asking(2);
    desk.char('n');
    let before = desk.under_cursor();
    desk.press(Code::Down);
    assert_ne!(desk.under_cursor(), before);
    assert!(asked(&desk.char('x')).is_some());
    // A blank pauses a change, and marks.
    let mut desk = asking(2);
    desk.char('n');
    desk.char(' ');
    assert!(!desk.model.marks.is_empty());
    // Esc is no letter: nobody types on behind it.
    let mut desk = asking(2);
    desk.press(Code::Esc);
    assert!(asked(&desk.char('x')).is_some());
    let mut desk = asking(2);
    desk.char('n');
    assert!(desk.key(Key::ctrl('c')).contains(&Effect::Quit));
}

#[test]
fn pasted_text_is_no_command_and_no_answer_and_that_is_said() {
    let pasted = |desk: &mut Desk| desk.tell(Msg::Pasted("yx\n".to_owned()));
    let mut idle = desk();
    assert_eq!(pasted(&mut idle), []);
    assert_eq!(
        toast(&idle),
        "pasted text is ignored: nothing is typed here"
    );
    let mut desk = asking(2);
    assert_eq!(pasted(&mut desk), []);
    let asked = dialog(&desk.model).unwrap();
    let told = asked.told_at(desk.model.instant).unwrap();
    assert!(
        told.starts_with("pasted text is no answer: press y"),
        "{told}"
    );
    // A menu takes letters, and a paste is none.
    let mut desk = super::desk();
    desk.char('R');
    let menu = desk.model.overlay.clone();
    assert_eq!(pasted(&mut desk), []);
    assert_eq!(desk.model.overlay, menu);
    assert!(toast(&desk).starts_with("pasted text is ignored"));
}
