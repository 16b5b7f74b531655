//! The mouse: scrollbars, and what is copied.

use delayscope::queue::Queue;
use delayscope::queue::frame::{Form, encode};
use delayscope::tui::area::Area;
use delayscope::tui::cursor::ScrollArea;
use delayscope::tui::cursor::scrollbar::Rail;
use delayscope::tui::effect::Effect;
use delayscope::tui::hitmap::Target;
use delayscope::tui::keys::Code;
use delayscope::tui::model::Pane;
use delayscope::tui::msg::Msg;

use crate::desk::{Desk, START, World, drawn, is_pulse, member, page_of, score};

const MILLION: u64 = 1_000_000;

/// The scrollbars, each with its cells.
fn rails(desk: &Desk) -> Vec<(Area, ScrollArea, Rail)> {
    let picture = drawn(&desk.model);
    let rails = picture.places().filter_map(|(area, target)| match target {
        Target::Rail(what, rail) => Some((area, what, rail)),
        _ => None,
    });
    rails.collect()
}

/// That of the entries.
fn rail(desk: &Desk) -> (Area, Rail) {
    let entries = ScrollArea::Pane(Pane::Entries);
    let mut rails = rails(desk).into_iter();
    let (area, _, rail) = rails.find(|(_, what, _)| *what == entries).unwrap();
    (area, rail)
}

/// Takes the thumb of the entries and moves it to row `to` of its rail.
fn drag(desk: &mut Desk, to: u16) {
    let (Area { x, y, .. }, rail) = rail(desk);
    desk.tell(Msg::Clicked(x, y + rail.above()));
    desk.tell(Msg::Dragged(x, y + to));
    desk.tell(Msg::Released(x, y + to));
}

#[test]
fn dragging_the_scrollbar_goes_through_a_million_entries_from_end_to_end() {
    let mut desk = Desk::of_one(MILLION);
    let height = rail(&desk).0.h;
    drag(&mut desk, height - 1);
    desk.answer_all();
    assert_eq!(desk.model.entries.top + u64::from(height), MILLION);
    assert_eq!(desk.under_cursor(), Some(member(desk.model.entries.cursor)));
    drag(&mut desk, height / 2);
    desk.answer_all();
    let middle = desk.model.entries.top;
    assert!((400_000..600_000).contains(&middle), "{middle}");
    drag(&mut desk, 0);
    assert_eq!(desk.model.entries.top, 0);
}

#[test]
fn while_an_answer_is_under_way_only_the_newest_place_is_asked_for_next() {
    let mut desk = Desk::of_one(MILLION);
    let (Area { x, y, h, .. }, _) = rail(&desk);
    desk.tell(Msg::Clicked(x, y));
    let mut asked = Vec::new();
    for row in 1..h {
        asked.extend(desk.tell(Msg::Dragged(x, y + row)));
    }
    assert_eq!(asked.iter().filter(|e| is_pulse(e)).count(), 1);
    let open = std::mem::take(&mut desk.open);
    let next: Vec<Effect> = open.iter().flat_map(|e| desk.answer(e)).collect();
    let page = page_of(&next).unwrap();
    assert!(page.first + u64::from(page.count) >= MILLION);
}

#[test]
fn taking_a_thumb_without_moving_it_moves_nothing() {
    let mut desk = Desk::of_one(MILLION);
    desk.press(Code::PageDown);
    desk.answer_all();
    let top = desk.model.entries.top;
    assert!(top > 0);
    let (_, at) = rail(&desk);
    drag(&mut desk, at.above());
    assert_eq!(desk.model.entries.top, top);
}

#[test]
fn a_scrollbar_stands_only_where_something_is_out_of_sight() {
    let desk = Desk::of_one(3);
    assert!(rails(&desk).is_empty());
}

#[test]
fn a_payload_is_copied_as_the_text_that_it_is() {
    let mut desk = Desk::of_one(3);
    let effects = desk.char('y');
    assert!(
        effects.contains(&Effect::Copy("entry 0".into())),
        "{effects:?}"
    );
    let toast = desk.model.toast.as_ref().unwrap();
    assert_eq!(toast.text, "copied the payload, 7 bytes: entry 0");
}

#[test]
fn an_entry_is_copied_as_a_command_that_finds_it_byte_for_byte() {
    let mut desk = Desk::of_one(3);
    let effects = desk.char('Y');
    let Some(Effect::Copy(line)) = effects.first() else {
        panic!("{effects:?}");
    };
    assert!(line.contains("ZSCORE \"redisson_delay_queue_timeout:{orders}\" \"\\x08"));
    assert!(line.ends_with("| redis-cli"), "{line}");
}

#[test]
fn a_payload_too_large_for_a_terminal_says_what_prints_it() {
    let queue = Queue::redisson("orders");
    let large = encode(Form::ByteId, [7; 8], &vec![b'x'; 200_000]);
    let mut world = World::of(queue);
    world.entries = vec![(large, score(START.plus(60_000)))];
    let mut desk = Desk::of(vec![world]);
    assert_eq!(desk.char('y'), []);
    let toast = desk.model.toast.as_ref().unwrap();
    assert!(
        toast.text.contains("--id 0707070707070707 --raw"),
        "{}",
        toast.text
    );
}
