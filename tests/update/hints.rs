//! Every hint at the bottom does something where it stands, or says why it cannot.

use delayscope::tui::keys::{self, BINDINGS, Place};
use delayscope::tui::model::{Pane, Screen, Tab};
use delayscope::tui::msg::Msg;

use crate::desk::{Desk, World};

/// A desk in each place that has hints: with queues and entries, and with none.
fn desks() -> Vec<Desk> {
    let worlds: [fn() -> Vec<World>; 3] = [
        || {
            vec![
                World::new("alpha", 300, -5_000, 1000),
                World::new("beta", 30, 60_000, 1000),
            ]
        },
        || vec![World::new("empty", 0, 0, 0), World::new("void", 0, 0, 0)],
        Vec::new,
    ];
    let mut desks = Vec::new();
    for world in worlds {
        let here = || Desk::of(world());
        for focus in [Pane::Queues, Pane::Timeline, Pane::Traffic] {
            let mut desk = here();
            desk.model.focus = focus;
            desks.push(desk);
        }
        for tab in Tab::ALL {
            let mut desk = here();
            (desk.model.tab, desk.model.focus) = (tab, Pane::Entries);
            desk.model.screen = Screen::Queue;
            desks.push(desk);
        }
        let mut help = here();
        help.tell(Msg::Resized(60, 12));
        help.char('?');
        desks.push(help);
    }
    let mut entry = Desk::of_one(30);
    entry.press(delayscope::tui::keys::Code::Enter);
    desks.push(entry);
    desks
}

/// All that a user could see of it.
fn seen(desk: &Desk) -> String {
    format!("{:?}", desk.model)
}

#[test]
fn every_hint_does_something_or_says_why_not() {
    let mut places = Vec::new();
    for at in 0..desks().len() {
        let place = keys::place(&desks()[at].model);
        places.push(place);
        let rows = BINDINGS.iter();
        for row in rows.filter(|row| row.hints.iter().any(|(p, _)| *p == place)) {
            let mut any = false;
            // The first row has none above it: a key may have nothing left to do at one end.
            let pair = BINDINGS
                .iter()
                .filter(|b| hint(b, place) == hint(row, place));
            for key in pair.flat_map(|b| b.keys) {
                let mut desk = desks().remove(at);
                let before = seen(&desk);
                let asked = desk.key(*key);
                any |= !asked.is_empty() || seen(&desk) != before;
            }
            assert!(any, "{} does nothing in {place:?} (desk {at})", row.name);
        }
    }
    for place in Place::ALL {
        let has_hints = BINDINGS.iter().any(|row| hint(row, place).is_some());
        let seen = places.contains(&place) || place == Place::Dialog;
        assert!(seen || !has_hints, "{place:?} was not looked at");
    }
}

fn hint(row: &keys::Binding, place: Place) -> Option<&'static str> {
    let found = row.hints.iter().find(|(at, _)| *at == place);
    found.map(|(_, word)| *word)
}

#[test]
fn help_is_the_last_hint_wherever_it_is_one() {
    for desk in desks() {
        let hints = keys::hints(&desk.model);
        if let Some(at) = hints.iter().position(|hint| hint.word == "help") {
            assert_eq!(at + 1, hints.len());
        }
    }
}
