//! A click does what the keys do: everything that looks as if it could be pressed can be.

use delayscope::tui::area;
use delayscope::tui::effect::Effect;
use delayscope::tui::entry::Face;
use delayscope::tui::focus;
use delayscope::tui::hints;
use delayscope::tui::hitmap::Target;
use delayscope::tui::keys::{Code, KeyPlace};
use delayscope::tui::layout;
use delayscope::tui::model::{Overlay, Pane, Screen};
use delayscope::tui::msg::Msg;
use delayscope::tui::queues::QueueSort;
use delayscope::tui::tabs::Tab;
use delayscope::tui::timeline;
use delayscope::tui::toast::{Toast, Tone};

use crate::desk::{Desk, World, cell_in, cell_of, drawn};

/// Two queues, one of them late and without anyone who would transfer.
fn two() -> Desk {
    let mut sick = World::new("sick", 30, -60_000, 1000);
    sick.clients = 0;
    let mut desk = Desk::of(vec![sick, World::new("well", 300, 60_000, 1000)]);
    desk.live(3_000, 5);
    desk
}

fn click(desk: &mut Desk, x: u16, y: u16) -> Vec<Effect> {
    desk.tell(Msg::Clicked(x, y))
}

/// Where that was drawn.
fn click_on(desk: &mut Desk, target: Target) -> Vec<Effect> {
    let cell = cell_of(&desk.model, target);
    let (x, y) = cell.unwrap_or_else(|| panic!("{target:?}"));
    click(desk, x, y)
}

/// Where a hint's word stands.
fn hint(desk: &Desk, word: &str) -> (u16, u16) {
    let hints = hints::hints(&desk.model);
    let hint = hints.iter().find(|hint| hint.word == word);
    let hint = hint.unwrap_or_else(|| panic!("no {word} among {hints:?}"));
    let first = Target::Key(hint.parts[0].0);
    let picture = drawn(&desk.model);
    let on = |(x, y): &(u16, u16)| picture.at(*x, *y) == Some(first);
    cells(desk).filter(on).last().unwrap()
}

/// All cells at which something stands, from the top.
fn cells(desk: &Desk) -> impl Iterator<Item = (u16, u16)> + use<> {
    let (w, h) = desk.model.size;
    (0..h).flat_map(move |y| (0..w).map(move |x| (x, y)))
}

#[test]
fn a_hint_that_is_clicked_does_what_its_key_does() {
    let mut desk = two();
    let (x, y) = hint(&desk, "open");
    click(&mut desk, x, y);
    assert!(matches!(desk.model.screen, Screen::Queue));
    let mut desk = two();
    let (x, y) = hint(&desk, "find queue");
    click(&mut desk, x, y);
    assert!(desk.model.prompt.is_some());
    let mut desk = two();
    let (x, y) = hint(&desk, "help");
    click(&mut desk, x, y);
    assert!(matches!(desk.model.overlay, Some(Overlay::Help { .. })));
}

#[test]
fn of_a_hint_of_two_keys_each_is_its_own() {
    let mut desk = Desk::of_one(100);
    desk.model.focus = Pane::Timeline;
    let (x, y) = hint(&desk, "bar");
    let left = x + 1 - u16::try_from("←→ bar".chars().count()).unwrap();
    click(&mut desk, left + 1, y);
    let first = desk.model.timeline.bar;
    click(&mut desk, left + 1, y);
    assert!(desk.model.timeline.bar > first);
    click(&mut desk, left, y);
    assert_eq!(desk.model.timeline.bar, first);
}

#[test]
fn every_hint_of_every_place_is_clicked_as_it_is_pressed() {
    let mut seen = Vec::new();
    for way in ["", "\t", "\t\t", "2", "3", "5", "o", "w", "?"] {
        let there = || {
            let mut desk = two();
            for c in way.chars() {
                match c {
                    '\t' => desk.press(Code::Tab),
                    c => desk.char(c),
                };
            }
            desk.model.toast = None;
            desk
        };
        seen.push(focus::place(&there().model));
        let (before, picture) = (there().model, drawn(&there().model));
        for hint in hints::hints(&before) {
            let key = hint.parts[0].0;
            let Some((x, y)) = cell_in(&picture, &before, Target::Key(key)) else {
                continue;
            };
            let (mut pressed, mut clicked) = (there(), there());
            let by_key = pressed.key(key);
            let by_mouse = click(&mut clicked, x, y);
            assert_eq!(by_key, by_mouse, "{} after {way:?}", hint.word);
            assert_eq!(
                focus::place(&pressed.model),
                focus::place(&clicked.model),
                "{} after {way:?}",
                hint.word
            );
        }
    }
    assert!(seen.contains(&KeyPlace::Form) && seen.contains(&KeyPlace::Dialog));
}

#[test]
fn the_head_of_a_column_sorts_the_queues_by_it() {
    let mut desk = two();
    for by in QueueSort::ALL {
        click_on(&mut desk, Target::Order(by));
        assert_eq!(desk.model.table.sort, by);
    }
    click_on(&mut desk, Target::Order(QueueSort::Waiting));
    assert_eq!(desk.model.queues[0].queue.name.as_bytes(), b"well");
}

#[test]
fn the_head_of_the_due_times_turns_the_order_of_the_entries() {
    let mut desk = Desk::of_one(100);
    let inner = layout::areas(&desk.model).entries.inner;
    click(&mut desk, inner.x + 6, inner.y);
    assert!(desk.model.last_first());
    desk.answer_all();
    click(&mut desk, inner.x + 6, inner.y);
    assert!(!desk.model.last_first());
}

#[test]
fn a_finding_of_the_pane_leads_to_its_queue() {
    let mut desk = two();
    desk.tell(Msg::Resized(200, 60));
    desk.press(Code::Down);
    click_on(&mut desk, Target::Finding(0));
    assert!(matches!(desk.model.screen, Screen::Queue));
    let selected = desk.model.selected().unwrap();
    assert_eq!(selected.queue.name.as_bytes(), b"sick");
}

#[test]
fn how_many_queues_are_sick_leads_to_the_findings() {
    let mut desk = two();
    click_on(&mut desk, Target::Sick);
    assert_eq!(desk.model.tab, Tab::Findings);
    assert_eq!(focus::place(&desk.model), KeyPlace::Findings);
}

#[test]
fn the_line_of_the_worst_finding_leads_to_all_of_them() {
    let mut desk = two();
    desk.tell(Msg::Resized(80, 24));
    let news = layout::areas(&desk.model).news;
    assert!(!news.is_empty());
    click(&mut desk, 30, news.y);
    assert_eq!(desk.model.tab, Tab::Findings);
}

#[test]
fn the_faces_in_the_title_of_an_entry_are_chosen_by_a_click() {
    let mut desk = Desk::of_one(3);
    desk.press(Code::Enter);
    for face in [Face::Hex, Face::Hex, Face::Text] {
        click_on(&mut desk, Target::Face(face));
        let Screen::Entry(view) = &desk.model.screen else {
            panic!("an entry");
        };
        assert_eq!(view.face, face);
    }
}

#[test]
fn a_click_beside_what_lies_over_the_screen_closes_it_and_does_nothing_else() {
    for open in ["?", "o", "w", ":", "@"] {
        let mut desk = two();
        desk.tell(Msg::Resized(200, 60));
        for c in open.chars() {
            desk.char(c);
        }
        let (focus, cursor) = (desk.model.focus, desk.model.cursor);
        let queues = area::table(layout::areas(&desk.model).queues);
        // The second queue's row, left of everything.
        let effects = click(&mut desk, 1, queues.y + 1);
        assert!(effects.is_empty(), "{open}");
        assert!(desk.model.overlay.is_none(), "{open}");
        assert!(desk.model.prompt.is_none(), "{open}");
        assert_eq!((desk.model.focus, desk.model.cursor), (focus, cursor));
    }
}

#[test]
fn a_click_within_the_help_leaves_it_open() {
    let mut desk = two();
    desk.char('?');
    click(&mut desk, 60, 20);
    assert!(desk.model.overlay.is_some());
}

#[test]
fn a_click_beside_the_line_of_a_filter_keeps_what_it_found() {
    let mut desk = Desk::of_one(100);
    desk.char('/');
    desk.type_in("entry 7");
    desk.answer_all();
    click(&mut desk, 10, 20);
    assert!(desk.model.prompt.is_none());
    assert!(desk.model.filtered.is_some());
}

#[test]
fn a_message_goes_when_it_is_clicked() {
    let mut desk = two();
    desk.char(',');
    assert!(desk.model.toast.is_some());
    let (_, h) = desk.model.size;
    assert!(click(&mut desk, 10, h - 2).is_empty());
    assert!(desk.model.toast.is_none());
}

#[test]
fn a_message_of_two_rows_goes_when_the_upper_one_is_clicked() {
    let mut desk = two();
    desk.tell(Msg::Resized(80, 24));
    let queue = desk.model.cursor;
    desk.model.toast = Some(Toast {
        text: "word ".repeat(30),
        tone: Tone::Warn,
        until: desk.model.instant,
    });
    click(&mut desk, 10, 22);
    assert!(desk.model.toast.is_none());
    assert_eq!(desk.model.cursor, queue);
}

#[test]
fn rows_of_every_tab_are_selected_by_a_click_and_opened_by_the_next() {
    for tab in [Tab::Delivered, Tab::Order] {
        let mut world = World::new("orders", 50, 60_000, 1000);
        world.target = (0..20)
            .map(|n| format!("delivered {n}").into_bytes())
            .collect();
        let mut desk = Desk::of(vec![world]);
        desk.model.screen = Screen::Queue;
        click_on(&mut desk, Target::Tab(tab));
        assert_eq!(desk.model.tab, tab);
        desk.live(2_000, 5);
        click_on(&mut desk, Target::Row(2));
        assert_eq!(desk.model.stand().cursor, 2, "{tab:?}");
        assert!(!matches!(desk.model.screen, Screen::Entry(_)));
        click_on(&mut desk, Target::Row(2));
        assert!(matches!(desk.model.screen, Screen::Entry(_)), "{tab:?}");
    }
}

#[test]
fn the_wheel_goes_from_finding_to_finding() {
    let sick = |name| {
        let mut world = World::new(name, 30, -60_000, 1000);
        world.clients = 0;
        world
    };
    let mut desk = Desk::of(vec![sick("one"), sick("two"), sick("three")]);
    desk.live(3_000, 5);
    desk.char('5');
    let inner = layout::areas(&desk.model).entries.inner;
    for row in 1..3 {
        desk.tell(Msg::Scrolled(inner.x + 5, inner.y, 1));
        assert_eq!(desk.model.stand().cursor, row);
    }
    desk.tell(Msg::Scrolled(inner.x + 5, inner.y, -1));
    assert_eq!(desk.model.stand().cursor, 1);
}

#[test]
fn dragging_over_the_timeline_takes_the_cursor_along_from_late_to_future() {
    let mut desk = two();
    click_on(&mut desk, Target::Late(3));
    assert_eq!(desk.model.timeline.late_class, Some(3));
    let mut drag = |bar| {
        let bar = Target::Bar(timeline::queries::bar_start(&desk.model, bar));
        let (x, y) = cell_of(&desk.model, bar).unwrap();
        desk.tell(Msg::Dragged(x, y));
        (desk.model.timeline.late_class, desk.model.timeline.bar)
    };
    let (class, first) = drag(4);
    assert_eq!(class, None);
    assert!(first.is_some() && drag(8).1 > first);
}
