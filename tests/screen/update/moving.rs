//! The cursors.

use delayscope::queue::{Bar, PageAsk, Zoom};
use delayscope::tui::effect::Effect;
use delayscope::tui::filter;
use delayscope::tui::keys::Code;
use delayscope::tui::model::{Pane, Screen};
use delayscope::tui::msg::Msg;

use crate::desk::{Desk, World, member, page_of};

#[test]
fn the_cursor_follows_its_entry_when_those_before_it_leave() {
    let mut desk = Desk::of_one(200);
    for _ in 0..10 {
        desk.press(Code::Down);
    }
    let row = desk.screen_row();
    assert_eq!(desk.under_cursor(), Some(member(10)));
    desk.world[0].entries.drain(..4);
    desk.live(1100, 0);
    assert_eq!(desk.under_cursor(), Some(member(10)));
    assert_eq!(desk.model.entries.cursor, 6);
    assert_eq!(desk.screen_row(), row.min(6));
}

#[test]
fn where_the_entries_have_no_keys_the_cursor_stays_on_the_head() {
    let mut desk = Desk::of_one(50);
    desk.model.focus = Pane::Timeline;
    desk.world[0].entries.drain(..3);
    desk.live(1100, 0);
    assert_eq!(desk.model.entries.cursor, 0);
    assert_eq!(desk.under_cursor(), Some(member(3)));
}

#[test]
fn when_its_entry_is_gone_the_cursor_stands_on_the_next_one_after_a_moment() {
    let mut desk = Desk::of_one(50);
    for _ in 0..5 {
        desk.press(Code::Down);
    }
    desk.world[0].entries.drain(2..6);
    desk.live(1100, 0);
    assert_eq!(desk.under_cursor(), Some(member(5)), "its row stays");
    assert_eq!(desk.model.entries.cursor, 2);
    desk.live(2100, 0);
    assert_eq!(desk.under_cursor(), Some(member(6)));
    assert_eq!(desk.model.entries.cursor, 2);
}

#[test]
fn an_entry_that_moved_far_is_found_again_by_its_due_time() {
    let mut desk = Desk::of_one(100_000);
    desk.press(Code::End);
    desk.live(50, 0);
    for _ in 0..1000 {
        desk.press(Code::PageUp);
    }
    desk.live(50, 0);
    let under = desk.under_cursor().unwrap();
    let row = desk.screen_row();
    desk.world[0].entries.drain(..20_000);
    desk.live(2100, 0);
    assert_eq!(desk.under_cursor(), Some(under));
    assert_eq!(desk.screen_row(), row);
}

#[test]
fn end_reaches_the_last_of_a_million_with_one_page() {
    let mut desk = Desk::of_one(1_000_000);
    let asked = desk.char('G');
    let page = page_of(&asked).unwrap();
    assert!(page.first + u64::from(page.count) >= 1_000_000);
    assert!(page.count < 200, "a page, not the queue: {page:?}");
    desk.answer_all();
    assert_eq!(desk.under_cursor(), Some(member(999_999)));
    desk.char('g');
    desk.answer_all();
    assert_eq!(desk.under_cursor(), Some(member(0)));
}

#[test]
fn page_down_shows_what_follows_and_every_entry_once() {
    let mut desk = Desk::of_one(300);
    let mut seen = vec![desk.model.entries.top];
    for _ in 0..20 {
        desk.press(Code::PageDown);
        desk.answer_all();
        seen.push(desk.model.entries.top);
    }
    let step = seen[1] - seen[0];
    assert!(step > 5);
    assert!(seen.windows(2).all(|w| w[1] - w[0] <= step));
    assert_eq!(desk.model.entries.cursor, 299);
}

#[test]
fn the_rows_stay_until_the_new_ones_arrive() {
    let mut desk = Desk::of_one(10_000);
    desk.press(Code::End);
    assert!(!desk.model.entries.rows.is_empty());
    assert_eq!(desk.model.entries.cursor, 9_999);
    assert_eq!(desk.model.entry(), None);
}

#[test]
fn the_next_page_is_there_before_it_is_needed() {
    let mut desk = Desk::of_one(10_000);
    desk.live(1100, 0);
    desk.press(Code::PageDown);
    let entries = &desk.model.entries;
    let end = entries.first + entries.rows.len() as u64;
    assert!(entries.top + 15 <= end, "{} of {end}", entries.top);
    assert!(desk.model.entry().is_some());
}

#[test]
fn enter_on_a_bar_lists_its_entries() {
    let mut desk = Desk::of_one(500);
    // Bars of 10 s, START is on an edge, the first entry due after 60 s: bar 9 begins with
    // entry 30.
    for _ in 0..10 {
        desk.press(Code::Right);
    }
    assert_eq!(desk.model.focus, Pane::Timeline);
    let asked = desk.press(Code::Enter);
    assert!(
        matches!(asked[..], [Effect::Filter(filter::Effect::Search { .. })]),
        "{asked:?}"
    );
    desk.answer_all();
    assert_eq!(desk.model.focus, Pane::Entries);
    assert_eq!(desk.under_cursor(), Some(member(30)));
    assert_eq!(desk.screen_row(), 0);
}

#[test]
fn enter_on_an_empty_bar_says_so_and_goes_nowhere() {
    let mut desk = Desk::of_one(5);
    desk.press(Code::Right);
    let from = desk.model.timeline.bar.unwrap();
    let survey = desk.model.queues[0].survey.as_mut().unwrap();
    let to = from.plus(10_000);
    survey.bars = vec![Bar { from, to, count: 0 }];
    assert_eq!(desk.press(Code::Enter), []);
    assert_eq!(desk.model.focus, Pane::Timeline);
    assert!(desk.model.toast.unwrap().text.contains("nothing"));
}

#[test]
fn the_bar_cursor_stays_within_the_bars_and_goes_with_time() {
    let mut desk = Desk::of_one(5);
    desk.press(Code::Right);
    let first = desk.model.timeline.bar.unwrap();
    desk.press(Code::Left);
    assert_eq!(desk.model.timeline.bar, Some(first));
    for _ in 0..100 {
        desk.press(Code::Right);
    }
    assert_eq!(desk.model.timeline.bar, Some(first.plus(59 * 10_000)));
    for _ in 0..100 {
        desk.press(Code::Left);
    }
    desk.live(25_000, 0);
    assert_eq!(desk.model.timeline.bar, Some(first.plus(20_000)));
}

#[test]
fn zoom_goes_from_a_minute_to_all_and_back_to_ten_minutes() {
    let mut desk = Desk::of_one(5);
    desk.char('+');
    desk.char('+');
    assert_eq!(desk.model.timeline.zoom, Zoom::Minute);
    for _ in 0..9 {
        desk.char('-');
    }
    assert_eq!(desk.model.timeline.zoom, Zoom::All);
    desk.char('0');
    assert_eq!(desk.model.timeline.zoom, Zoom::TenMinutes);
}

#[test]
fn a_click_selects_and_the_wheel_scrolls() {
    let mut desk = Desk::of_one(1000);
    let (x, y) = (10, 30);
    desk.tell(Msg::Clicked(x, y));
    assert_eq!(desk.model.focus, Pane::Entries);
    let clicked = desk.model.entries.cursor;
    assert!(clicked > 0);
    desk.tell(Msg::Scrolled(x, y, 1));
    assert_eq!(desk.model.entries.top, 3);
    assert_eq!(desk.model.entries.cursor, clicked);
    desk.tell(Msg::Clicked(x, y));
    desk.tell(Msg::Clicked(x, y));
    assert!(matches!(desk.model.screen, Screen::Entry(_)));
}

#[test]
fn any_size_keeps_the_cursors_in_sight() {
    let mut desk = Desk::of_one(1000);
    desk.press(Code::End);
    desk.answer_all();
    for (columns, rows) in [(80, 24), (1, 1), (0, 0), (200, 60), (40, 8), (120, 40)] {
        desk.tell(Msg::Resized(columns, rows));
        desk.answer_all();
        let entries = &desk.model.entries;
        assert_eq!(entries.cursor, 999);
        assert!(entries.top <= 999);
    }
    assert_eq!(desk.under_cursor(), Some(member(999)));
}

#[test]
fn another_queue_shows_none_of_the_rows_of_the_one_before() {
    let mut desk = Desk::of(vec![
        World::new("alpha", 30, 60_000, 1000),
        World::new("beta", 30, 60_000, 1000),
    ]);
    let asked = desk.press(Code::Down);
    assert!(desk.model.entries.rows.is_empty());
    let page = page_of(&asked);
    assert!(matches!(page, Some(PageAsk { first: 0, .. })), "{asked:?}");
    desk.answer_all();
    assert!(!desk.model.entries.rows.is_empty());
}

#[test]
fn a_key_for_a_row_that_is_still_being_read_acts_when_it_is_there() {
    let mut desk = Desk::of_one(100_000);
    desk.press(Code::End);
    desk.press(Code::Enter);
    assert_eq!(desk.model.toast, None);
    assert!(matches!(desk.model.screen, Screen::Queue));
    desk.answer_all();
    let Screen::Entry(entry) = &desk.model.screen else {
        panic!("it did not open");
    };
    assert_eq!(entry.row.member, member(99_999));
}

#[test]
fn a_mark_for_a_row_that_is_still_being_read_is_set_when_it_is_there() {
    let mut desk = Desk::of_one(100_000);
    desk.press(Code::End);
    desk.char(' ');
    desk.answer_all();
    assert!(desk.model.marks.toggled.contains_key(&member(99_999)));
}

#[test]
fn who_moves_on_no_longer_waits_for_the_row_to_open() {
    let mut desk = Desk::of_one(100_000);
    desk.press(Code::End);
    desk.press(Code::Enter);
    desk.press(Code::Up);
    desk.answer_all();
    assert!(matches!(desk.model.screen, Screen::Queue));
}
