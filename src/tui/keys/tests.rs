//! The table and what is made of it.

use std::collections::HashSet;

use crate::config::{At, KeySetting};
use crate::tui::keys::*;
use crate::tui::{hints, look};

#[test]
fn no_key_is_bound_twice_in_one_place() {
    for place in KeyPlace::ALL {
        let mut seen = HashSet::new();
        for binding in BINDINGS.iter().filter(|b| b.places.contains(&place)) {
            for key in binding.keys {
                assert!(seen.insert(*key), "{key:?} twice in {place:?}");
            }
        }
    }
}

#[test]
fn every_action_has_one_row_and_every_key_stands_in_the_help() {
    let actions: HashSet<Action> = BINDINGS.iter().map(|b| b.action).collect();
    assert_eq!(actions.len(), BINDINGS.len());
    let shown = shown(&Keymap::default());
    for binding in BINDINGS {
        let rows = shown.iter().filter(|(_, words)| *words == binding.help);
        let keys: Vec<&str> = rows.flat_map(|(keys, _)| keys.split_whitespace()).collect();
        for key in binding.keys {
            let label = key.label(false);
            assert_eq!(keys.iter().filter(|k| **k == label).count(), 1, "{label}");
        }
    }
}

#[test]
fn a_sentence_has_the_keys_that_are_bound() {
    let words = "{requeue} lets it wait again, {back} gives it up: {\"orderId\":1}";
    let usual = Keymap::default().sentence(words, false);
    assert_eq!(
        usual,
        "r lets it wait again, Esc gives it up: {\"orderId\":1}"
    );
    let own = Keymap::new(&settings(&[("requeue", &["ctrl-q"])])).unwrap();
    let said = own.sentence(words, false);
    assert!(said.starts_with("^Q lets it wait again"), "{said}");
    let none = Keymap::new(&settings(&[("requeue", &[])])).unwrap();
    let said = none.sentence(words, false);
    assert!(said.starts_with(":requeue lets it wait again"), "{said}");
}

/// The rows of the help: keys and words.
fn shown(map: &Keymap) -> Vec<(String, &'static str)> {
    let rows = help(map, false, KeyPlace::Queues).into_iter();
    let rows = rows.flat_map(|(_, rows)| rows);
    rows.map(|row| (row.keys, row.words)).collect()
}

#[test]
fn what_the_help_says_of_several_is_said_of_each() {
    let said = |name| said(BINDINGS.iter().find(|b| b.name == name).unwrap());
    assert_eq!(said("zoom-out"), "out");
    assert_eq!(said("last"), "to the end");
    assert_eq!(said("tab-order"), "order list");
    assert_eq!(said("redraw"), "draw every cell again");
}

#[test]
fn a_hint_stands_only_where_its_keys_work() {
    for binding in BINDINGS {
        for (place, word) in binding.hints {
            assert!(binding.places.contains(place), "{word:?} in {place:?}");
        }
        assert!(!binding.keys.is_empty());
    }
}

/// All places but the panel of a change under way: what that has no use for goes to another one.
fn whole() -> impl Iterator<Item = KeyPlace> {
    let places = KeyPlace::ALL.into_iter();
    places.filter(|place| *place != KeyPlace::Bulk)
}

#[test]
fn leaving_works_everywhere() {
    let map = Keymap::default();
    for place in whole() {
        assert_eq!(map.resolve(place, Key::ctrl('c')), Some(Action::QuitNow));
        assert_eq!(map.resolve(place, Key::char('q')), Some(Action::Quit));
        assert_eq!(map.resolve(place, Key::of(Code::Esc)), Some(Action::Back));
    }
}

#[test]
fn tab_turns_an_entry_over_and_changes_the_pane_elsewhere() {
    let map = Keymap::default();
    let tab = Key::of(Code::Tab);
    assert_eq!(map.resolve(KeyPlace::Entry, tab), Some(Action::Face));
    assert_eq!(map.resolve(KeyPlace::Entries, tab), Some(Action::NextPane));
}

// --- The user's own keys --------------------------------------------------------------------------

/// The settings of a `[keys]` table with these lines, each at its line of `c.toml`.
fn settings(lines: &[(&str, &[&str])]) -> Vec<KeySetting> {
    let at = |line, column| At {
        file: "c.toml".into(),
        line,
        column,
    };
    let numbered = lines.iter().zip(1..);
    numbered
        .map(|((action, keys), line)| KeySetting {
            action: (*action).to_owned(),
            at: at(line, 1),
            keys: (keys.iter().zip(1..))
                .map(|(key, n)| ((*key).to_owned(), at(line, 10 * n)))
                .collect(),
        })
        .collect()
}

fn mapped(lines: &[(&str, &[&str])]) -> Result<Keymap, String> {
    Keymap::new(&settings(lines)).map_err(|why| why.to_string())
}

#[test]
fn every_action_has_a_name_of_its_own_that_can_be_written() {
    let names: HashSet<&str> = BINDINGS.iter().map(|row| row.name).collect();
    assert_eq!(names.len(), BINDINGS.len());
    for name in names {
        let plain = |c: char| c.is_ascii_lowercase() || c == '-';
        assert!(name.chars().all(plain), "{name}");
    }
}

/// People have these in their files: a name may come, none may go or change.
const PROMISED: &[&str] = &[
    "open",
    "turn",
    "back",
    "up",
    "down",
    "page-up",
    "page-down",
    "first",
    "last",
    "next-pane",
    "previous-pane",
    "tab-waiting",
    "tab-delivered",
    "tab-order",
    "tab-traffic",
    "tab-findings",
    "tab-changes",
    "bar-left",
    "bar-right",
    "zoom-in",
    "zoom-out",
    "zoom-reset",
    "log-height",
    "filter",
    "next-match",
    "previous-match",
    "sort",
    "jump",
    "mark",
    "mark-range",
    "mark-all",
    "offer",
    "worker",
    "confirm",
    "refuse",
    "submit",
    "editor",
    "freeze",
    "copy-payload",
    "copy-command",
    "refresh",
    "interval",
    "quit",
    "quit-now",
    "suspend",
    "redraw",
    "palette",
    "help",
];

#[test]
fn the_names_of_actions_stay() {
    for name in PROMISED {
        assert!(
            BINDINGS.iter().any(|row| row.name == *name),
            "{name} is gone"
        );
    }
}

#[test]
fn a_key_of_ones_own_takes_the_place_of_the_tables() {
    let map = mapped(&[("freeze", &["F"]), ("zoom-in", &["ctrl-up", "F5"])]).unwrap();
    assert_eq!(
        map.resolve(KeyPlace::Queues, Key::char('F')),
        Some(Action::Freeze)
    );
    assert_eq!(map.resolve(KeyPlace::Queues, Key::char('f')), None);
    assert_eq!(
        map.resolve(KeyPlace::Timeline, Key::of(Code::F(5))),
        Some(Action::ZoomIn)
    );
    assert_eq!(map.resolve(KeyPlace::Timeline, Key::char('+')), None);
    assert_eq!(map.label(Action::ZoomIn, true).unwrap(), "Ctrl-Up");
    assert_eq!(
        map.resolve(KeyPlace::Queues, Key::char('q')),
        Some(Action::Quit)
    );
}

#[test]
fn two_actions_can_change_their_keys() {
    let map = mapped(&[("sort", &["f"]), ("freeze", &["s"])]).unwrap();
    assert_eq!(
        map.resolve(KeyPlace::Entries, Key::char('f')),
        Some(Action::Sort)
    );
    assert_eq!(
        map.resolve(KeyPlace::Entries, Key::char('s')),
        Some(Action::Freeze)
    );
}

#[test]
fn one_key_can_do_two_things_where_they_never_meet() {
    let map = mapped(&[("turn", &["v"])]).unwrap();
    assert_eq!(
        map.resolve(KeyPlace::Entry, Key::char('v')),
        Some(Action::Face)
    );
    assert_eq!(
        map.resolve(KeyPlace::Entries, Key::char('v')),
        Some(Action::MarkRange)
    );
}

#[test]
fn a_key_of_ones_own_is_seen_in_the_help_and_the_hints() {
    let map = mapped(&[("freeze", &["F"]), ("up", &[]), ("sort", &[])]).unwrap();
    let rows: Vec<(String, &str)> = shown(&map);
    let keys = |words: &str| {
        let row = rows.iter().find(|(_, said)| *said == words);
        row.map(|(keys, _)| keys.as_str()).unwrap()
    };
    assert_eq!(keys("freeze the picture, go on"), "F");
    assert_eq!(keys("one row up, down"), "↓ j");
    assert_eq!(keys("another order of rows"), "—");
    let look = look::Look::default();
    let at = crate::clock::instant();
    let mut model = crate::tui::model::Model::new((200, 60), look, String::new(), false, at);
    model.keymap = map;
    let hints = hints::hints(&model);
    let key = |word: &str| {
        hints
            .iter()
            .find(|h| h.word == word)
            .map(|h| h.keys.as_str())
    };
    assert_eq!(key("freeze"), Some("F"));
    assert_eq!(key("sort"), None);
}

#[test]
fn ctrl_c_quits_whatever_is_written() {
    let quit = |lines: &[(&str, &[&str])]| {
        let map = mapped(lines).unwrap();
        whole().all(|place| map.resolve(place, Key::ctrl('c')) == Some(Action::QuitNow))
    };
    for lines in [
        &[("quit-now", &["X"][..])][..],
        &[("quit-now", &[])],
        &[("quit", &[])],
    ] {
        assert!(quit(lines));
    }
    assert_eq!(
        mapped(&[("freeze", &["ctrl-c"])]).unwrap_err(),
        "c.toml:1:10: \"ctrl-c\" always quits. Choose another key"
    );
}

#[test]
fn what_acts_in_a_form_only_is_no_character_to_be_typed() {
    assert_eq!(
        mapped(&[("submit", &["F5", "s"])]).unwrap_err(),
        "c.toml:1:20: \"s\" would be typed into the form. Choose one with ctrl- or alt-, or F1 to F12"
    );
    assert!(mapped(&[("submit", &["alt-s"])]).is_ok());
}

#[test]
fn a_yes_is_neither_enter_nor_a_key_that_asks() {
    let why = |lines| mapped(lines).unwrap_err();
    let error = why(&[("confirm", &["enter"])]);
    assert!(
        error.starts_with("c.toml:1:10: \"enter\" must not confirm"),
        "{error}"
    );
    let error = why(&[("confirm", &["w"])]);
    assert!(
        error.starts_with("c.toml:1:10: \"w\" must not confirm"),
        "{error}"
    );
    let error = why(&[("copy-payload", &[]), ("offer", &["y"])]);
    assert!(
        error.starts_with("c.toml:2:10: \"y\" must not confirm"),
        "{error}"
    );
    assert!(mapped(&[("confirm", &["Y", "j"])]).is_ok());
}

#[test]
fn what_is_wrong_with_keys_is_told_with_its_place() {
    for (lines, said) in [
        (
            &[("sort", &["S"][..]), ("freez", &["F"])][..],
            "c.toml:2:1: the action \"freez\" is unknown. Did you mean freeze?",
        ),
        (
            &[("explode", &["F"])],
            "c.toml:1:1: the action \"explode\" is unknown. There are open, confirm, refuse, ",
        ),
        (
            &[("freeze", &["F", "fine"])],
            "c.toml:1:20: \"fine\" is no key. Write a character, ",
        ),
        (
            &[("freeze", &["s"])],
            "c.toml:1:10: \"s\" does sort already. Choose another key, or give sort another one",
        ),
        (
            &[("sort", &["S"]), ("freeze", &["S"])],
            "c.toml:1:10: \"S\" does freeze already. Choose another key, or give freeze another one",
        ),
        (
            &[("quit", &[]), ("back", &[])],
            "c.toml:2:1: without a key for back or for quit there is no way out of a screen.",
        ),
    ] {
        let error = mapped(lines).unwrap_err();
        assert!(error.starts_with(said), "{error}");
    }
}

#[test]
fn the_example_shows_every_action_with_the_keys_of_the_table() {
    let example = include_str!("../../../assets/config.toml");
    let (_, rows) = example.split_once("\n[keys]\n").unwrap();
    let rows: Vec<(&str, Vec<Key>)> = rows
        .lines()
        .take_while(|line| !line.starts_with("#["))
        .filter_map(|line| line.strip_prefix('#')?.split_once(" = "))
        .filter(|(name, _)| !name.starts_with(' '))
        .map(|(name, keys)| {
            let keys = keys.trim_matches(['[', ']']).split(", ");
            let key = |text: &str| text.trim_matches('"').parse().unwrap();
            (name, keys.map(key).collect())
        })
        .collect();
    let table: Vec<(&str, Vec<Key>)> = BINDINGS
        .iter()
        .map(|row| (row.name, row.keys.to_vec()))
        .collect();
    let mut shown = rows.clone();
    shown.sort_by_key(|(name, _)| table.iter().position(|(known, _)| known == name));
    assert_eq!(shown, table);
}
