//! No key is dead: what hands expect is done, and what does nothing says why.

use delayscope::tui::change;
use delayscope::tui::effect::Effect;
use delayscope::tui::filter;
use delayscope::tui::hints;
use delayscope::tui::keys::{BINDINGS, Binding, Code, Key};
use delayscope::tui::model::{Overlay, Pane, Screen};
use delayscope::tui::prompt::PromptKind;
use delayscope::tui::server::{self, Switch};
use delayscope::tui::tabs::Tab;
use delayscope::tui::view;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::desk::{Desk, World, member};

/// A queue with 34 late entries and a well one, on the dashboard.
fn two() -> Desk {
    Desk::of(vec![
        World::new("orders", 300, -33_500, 1_000),
        World::new("invoices", 30, 60_000, 1_000),
    ])
}

fn toast(desk: &Desk) -> &str {
    desk.model.toast.as_ref().map_or("", |toast| &toast.text)
}

/// The lines that the commands could become.
fn choices(desk: &Desk) -> Vec<&str> {
    let prompt = desk.model.prompt.as_ref().unwrap();
    prompt.choices.iter().map(|c| c.line.as_str()).collect()
}

/// The places of the keys: panes, and the tabs, which their keys open.
fn places() -> Vec<(Pane, Option<char>)> {
    let panes = [Pane::Queues, Pane::Timeline, Pane::Traffic].map(|pane| (pane, None));
    let tabs = ('1'..='8').map(|tab| (Pane::Entries, Some(tab)));
    let all: Vec<_> = panes.into_iter().chain(tabs).collect();
    assert_eq!(all.len(), 3 + Tab::ALL.len());
    all
}

#[test]
fn every_key_that_hands_expect_acts_or_is_answered_in_one_line() {
    let plain = "hl[]89yYv nNEC".chars().map(Key::char);
    let with_ctrl = "dufb".chars().map(Key::ctrl);
    let functions = [1, 5].map(|n| Key::of(Code::F(n)));
    let keys: Vec<Key> = plain.chain(with_ctrl).chain(functions).collect();
    let (mut dead, mut paged) = (Vec::new(), Vec::new());
    for (pane, tab) in places() {
        for key in &keys {
            let mut desk = two();
            desk.model.focus = pane;
            if let Some(tab) = tab {
                desk.model.screen = Screen::Queue;
                desk.char(tab);
            }
            desk.live(1_000, 1);
            let acts = desk.acts(*key);
            // Nothing is further up than the first row, nor further down where no rows are.
            let page = "dufb".chars().any(|c| *key == Key::ctrl(c));
            if page && acts && !paged.contains(&(pane, tab)) {
                paged.push((pane, tab));
            }
            let same_tab = tab.is_some_and(|tab| *key == Key::char(tab));
            if !acts && !page && !same_tab {
                dead.push(format!("{} in {pane:?} {tab:?}", key.label(true)));
            }
        }
    }
    assert!(dead.is_empty(), "these do nothing: {dead:#?}");
    let lists = [
        (Pane::Queues, None),
        (Pane::Timeline, None),
        (Pane::Entries, Some('1')),
        (Pane::Entries, Some('3')),
    ];
    assert_eq!(paged, lists);
}

#[test]
fn what_a_key_answers_names_the_keys_that_are_bound_and_no_place_for_one() {
    let mut told = 0;
    for (pane, tab) in places() {
        for key in BINDINGS.iter().flat_map(|row| row.keys) {
            let mut desk = two();
            desk.model.focus = pane;
            if let Some(tab) = tab {
                desk.model.screen = Screen::Queue;
                desk.char(tab);
            }
            desk.key(*key);
            let said = toast(&desk);
            let is_raw = |row: &Binding| said.contains(&format!("{{{}}}", row.name));
            assert!(!BINDINGS.iter().any(is_raw), "{}: {said}", key.label(true));
            told += usize::from(said.starts_with("choose entries first: 1 lists them"));
        }
    }
    assert!(told > 0, "no key was answered with a key");
}

#[test]
fn a_key_that_finds_nothing_to_do_is_told_from_one_that_acts() {
    let mut desk = two();
    desk.model.focus = Pane::Queues;
    assert!(!desk.acts(Key::of(Code::Up)), "the first row is the top");
    assert!(desk.acts(Key::of(Code::Down)));
    assert!(desk.acts(Key::of(Code::Up)));
    assert!(!desk.acts(Key::of(Code::Up)));
}

#[test]
fn a_key_of_another_place_says_where_it_works() {
    let mut desk = two();
    desk.char('v');
    assert!(
        toast(&desk).starts_with("v (mark range) works in"),
        "{}",
        toast(&desk)
    );
    desk.char('y');
    let copies = "y (copy payload) works in";
    assert!(toast(&desk).starts_with(copies), "{}", toast(&desk));
    desk.char('9');
    assert_eq!(toast(&desk), "the tabs are 1 to 8");
    desk.char('ß');
    assert_eq!(toast(&desk), "ß does nothing here: ? lists the keys");
}

#[test]
fn a_message_goes_with_the_next_key_or_after_two_seconds() {
    let mut desk = two();
    desk.char('9');
    desk.press(Code::Down);
    assert_eq!(desk.model.toast, None);
    desk.char('8');
    desk.pass(2_100);
    assert_eq!(desk.model.toast, None);
}

#[test]
fn a_slash_on_the_queues_finds_a_queue_and_enter_opens_the_first() {
    let mut desk = two();
    desk.model.focus = Pane::Queues;
    desk.char('/');
    desk.type_in("inv");
    assert_eq!(choices(&desk)[0], "queue invoices");
    desk.press(Code::Enter);
    assert!(matches!(desk.model.screen, Screen::Queue));
    assert_eq!(desk.model.selected().unwrap().queue.name.text(), "invoices");
    desk.char('/');
    let kind = desk.model.prompt.as_ref().map(|prompt| prompt.kind);
    assert_eq!(kind, Some(PromptKind::Filter));
}

#[test]
fn a_filter_that_is_the_name_of_another_queue_leads_to_that_queue_by_tab() {
    let mut desk = two();
    (desk.model.focus, desk.model.screen) = (Pane::Entries, Screen::Queue);
    desk.char('/');
    desk.type_in("invo");
    let hint = "finds the queue of that name";
    let bottom = |desk: &Desk| {
        let (w, h) = desk.model.size;
        let mut picture = Buffer::empty(Rect::new(0, 0, w, h));
        view::render(&desk.model, picture.area, &mut picture);
        let row = (0..w).map(|x| picture[(x, h - 1)].symbol());
        row.collect::<String>()
    };
    desk.model.size = (120, 40);
    assert!(bottom(&desk).contains(hint), "{}", bottom(&desk));
    desk.press(Code::Tab);
    assert!(desk.model.filtered.is_none());
    assert_eq!(choices(&desk)[0], "queue invoices");
    desk.press(Code::Enter);
    assert_eq!(desk.model.selected().unwrap().queue.name.text(), "invoices");
    // The open queue's own name finds nothing else.
    desk.char('/');
    desk.type_in("invo");
    assert!(!bottom(&desk).contains(hint));
    desk.press(Code::Tab);
    let kind = desk.model.prompt.as_ref().map(|prompt| prompt.kind);
    assert_eq!(kind, Some(PromptKind::Filter));
}

#[test]
fn a_queues_name_stands_before_commands_that_only_contain_it() {
    let mut desk = two();
    desk.char(':');
    desk.type_in("ord");
    assert_eq!(choices(&desk)[0], "queue orders");
    assert!(choices(&desk).contains(&"tab-order"));
}

#[test]
fn commands_begin_with_what_people_come_for_and_what_works_here() {
    let mut desk = two();
    desk.model.focus = Pane::Queues;
    desk.char(':');
    assert_eq!(choices(&desk)[..2], ["transfer", "requeue"]);
    let prompt = desk.model.prompt.as_ref().unwrap();
    let disabled: Vec<bool> = prompt
        .choices
        .iter()
        .map(|c| c.disabled.is_some())
        .collect();
    assert!(disabled.is_sorted());
    let quit = prompt.choices.iter().find(|choice| choice.line == "quit");
    assert_eq!(quit.unwrap().keys, "q");
}

#[test]
fn what_is_late_is_requeued_in_four_keys() {
    for pane in [Pane::Queues, Pane::Timeline] {
        let mut desk = two();
        desk.model.focus = pane;
        desk.char('r');
        let Some(Overlay::Requeue(form)) = &desk.model.overlay else {
            panic!("{:?}: {}", desk.model.overlay, toast(&desk));
        };
        assert!(form.is_late());
        assert_eq!(form.count, (34, true));
        let asked = desk.key(Key::ctrl('s'));
        let planned = |e: &Effect| matches!(e, Effect::Change(change::Effect::Plan(_)));
        assert!(asked.iter().any(planned), "{asked:?}");
    }
    let mut well = Desk::of(vec![
        World::new("alpha", 3, 60_000, 1_000),
        World::new("beta", 3, 60_000, 1_000),
    ]);
    well.model.focus = Pane::Queues;
    well.char('r');
    assert!(
        toast(&well).starts_with("nothing is late"),
        "{}",
        toast(&well)
    );
}

#[test]
fn another_server_is_gone_to_by_its_address_and_offered_again() {
    let mut desk = two();
    desk.char(':');
    desk.type_in("server other:6380/2");
    let asked = desk.press(Code::Enter);
    let to = asked.iter().find_map(|effect| match effect {
        Effect::Server(server::Effect::FindWay { to, .. }) => Some(to.clone()),
        _ => None,
    });
    assert_eq!(to, Some(Switch::Address("other:6380/2".to_owned())));
    desk.char(':');
    desk.type_in("server ");
    assert_eq!(choices(&desk)[0], "server other:6380/2");
    desk.press(Code::Esc);
    desk.char(':');
    desk.type_in("server redis://:secret@other:6380");
    desk.press(Code::Enter);
    let error = desk
        .model
        .prompt
        .as_ref()
        .and_then(|prompt| prompt.error.clone());
    let disabled = format!("{error:?} {}", toast(&desk));
    assert!(
        disabled.contains("put the password into a profile"),
        "{disabled}"
    );
}

#[test]
fn find_looks_through_all_queues_until_one_has_a_match_and_goes_on_from_there() {
    let hidden = |name: &str| {
        let mut world = World::new(name, 30, 600_000, 1_000);
        world.entries[20].0 = member(4_711);
        world
    };
    let mut desk = Desk::of(vec![
        World::new("alpha", 30, 600_000, 1_000),
        hidden("beta"),
        hidden("gamma"),
    ]);
    for name in ["beta", "gamma"] {
        // The screen stays as it is while one queue after another is looked through.
        desk.char(':');
        desk.type_in("find 4711");
        let at = |desk: &Desk| (desk.model.cursor, format!("{:?}", desk.model.screen));
        let before = at(&desk);
        let asked = desk.press(Code::Enter);
        let searches = |effect: &Effect| matches!(effect, Effect::Filter(_));
        assert!(asked.iter().any(searches), "{asked:?}");
        assert_eq!(at(&desk), before);
        desk.live(1_000, 1);
        assert_eq!(desk.model.selected().unwrap().queue.name.text(), name);
        assert_eq!(desk.model.entry().unwrap().member, member(4_711));
        assert!(matches!(desk.model.screen, Screen::Queue));
    }
    desk.char(':');
    desk.type_in("find nowhere");
    desk.press(Code::Enter);
    desk.live(1_500, 1);
    let said = toast(&desk);
    assert_eq!(said, "nothing that waits matches nowhere in 3 queues");
    // What was in sight still is.
    let filter = desk.model.filtered.as_ref().map(|f| f.filter.text());
    assert_eq!(filter, Some("4711"));
    assert_eq!(desk.model.entry().unwrap().member, member(4_711));
}

#[test]
fn what_is_found_while_something_else_is_done_takes_no_screen_away_and_esc_ends_the_search() {
    let begun = || {
        let mut beta = World::new("beta", 30, 600_000, 1_000);
        beta.entries[20].0 = member(4_711);
        let alpha = World::new("alpha", 30, 600_000, 1_000);
        let mut desk = Desk::of(vec![alpha, beta]);
        desk.char(':');
        desk.type_in("find 4711");
        desk.press(Code::Enter);
        desk
    };
    let mut desk = begun();
    desk.char('j');
    let at = desk.model.cursor;
    desk.live(1_000, 1);
    assert_eq!(desk.model.cursor, at);
    assert!(matches!(desk.model.screen, Screen::Dashboard));
    assert_eq!(toast(&desk), "found in beta; :find 4711 goes there");
    desk.char(':');
    desk.type_in("find 4711");
    desk.press(Code::Enter);
    desk.live(1_000, 1);
    assert_eq!(desk.model.selected().unwrap().queue.name.text(), "beta");
    let mut desk = begun();
    let asked = desk.press(Code::Esc);
    let ends = Effect::Filter(filter::Effect::EndSearch);
    assert!(asked.contains(&ends), "{asked:?}");
    assert_eq!(toast(&desk), "stopped: nothing matches 4711 in 0 queues");
    desk.live(1_000, 1);
    assert_eq!(desk.model.cursor, 0);
}

#[test]
fn the_way_out_is_hinted_everywhere() {
    let mut desk = two();
    for pane in [Pane::Queues, Pane::Timeline, Pane::Entries, Pane::Traffic] {
        desk.model.focus = pane;
        let hints = hints::hints(&desk.model);
        let [.., out, help] = &hints[..] else {
            panic!("{hints:?}");
        };
        assert_eq!((out.keys.as_str(), out.word), ("q", "quit"));
        assert_eq!(help.word, "help");
        assert!(out.stays && help.stays);
    }
}
