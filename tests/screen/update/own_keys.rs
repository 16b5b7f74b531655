//! Keys that the user has given to other actions.

use delayscope::config::{At, KeySetting};
use delayscope::tui::effect::Effect;
use delayscope::tui::focus::place;
use delayscope::tui::hints::hints;
use delayscope::tui::keys::{BINDINGS, Code, Key, Keymap};
use delayscope::tui::model::{Overlay, Pane};

use crate::desk::{Desk, text_of};

fn with(action: &str, keys: &[&str]) -> Desk {
    let at = At {
        file: "config.toml".into(),
        line: 1,
        column: 1,
    };
    let setting = KeySetting {
        action: action.to_owned(),
        at: at.clone(),
        keys: keys
            .iter()
            .map(|key| ((*key).to_owned(), at.clone()))
            .collect(),
    };
    let mut desk = Desk::of_one(5);
    desk.model.keymap = Keymap::new(&[setting]).unwrap();
    desk
}

#[test]
fn a_key_of_ones_own_acts_and_the_tables_does_not() {
    let mut desk = with("freeze", &["F", "alt-f"]);
    desk.char('f');
    assert!(desk.model.frozen.is_none());
    desk.char('F');
    assert!(desk.model.frozen.is_some());
    desk.key(Key {
        alt: true,
        ..Key::char('f')
    });
    assert!(desk.model.frozen.is_none());
}

#[test]
fn a_function_key_can_be_given_away() {
    let mut desk = with("help", &["F1"]);
    desk.char('?');
    assert_eq!(desk.model.overlay, None);
    desk.press(Code::F(1));
    assert!(matches!(desk.model.overlay, Some(Overlay::Help { .. })));
}

#[test]
fn without_its_key_quit_is_left_to_esc_and_ctrl_c() {
    let mut desk = with("quit", &[]);
    assert_eq!(desk.char('q'), []);
    assert_eq!(desk.key(Key::ctrl('c')), [Effect::Quit]);
}

#[test]
fn every_action_can_be_given_any_free_key() {
    for row in BINDINGS {
        let mut desk = with(row.name, &["F9"]);
        let here = place(&desk.model);
        let means = desk.model.keymap.resolve(here, Key::of(Code::F(9)));
        assert_eq!(means, row.places.contains(&here).then_some(row.action));
        desk.press(Code::F(9));
    }
}

#[test]
fn the_hints_name_the_key_that_acts() {
    let desk = with("filter", &["F3"]);
    let filter = hints(&desk.model).into_iter().find(|h| h.word == "filter");
    assert_eq!(filter.unwrap().keys, "F3");
}

#[test]
fn the_jobs_of_the_help_name_the_keys_that_repair_and_copy_also_within_their_words() {
    let jobs = |desk: &mut Desk| {
        desk.char('?');
        text_of(&desk.model)
    };
    let picture = jobs(&mut Desk::of_one(5));
    assert!(picture.contains("R        Repair it:"), "{picture}");
    assert!(picture.contains("(y: its command)"), "{picture}");
    let picture = jobs(&mut with("repair", &["F9"]));
    assert!(picture.contains("F9       Repair it:"), "{picture}");
    let picture = jobs(&mut with("copy-payload", &["F8"]));
    assert!(picture.contains("(F8: its command)"), "{picture}");
}

#[test]
fn in_tab_5_the_hints_name_both_keys_that_copy() {
    let mut desk = Desk::of_one(5);
    desk.model.focus = Pane::Entries;
    desk.char('5');
    let copy = hints(&desk.model).into_iter().find(|h| h.word == "copy");
    assert_eq!(copy.unwrap().keys, "yY");
}
