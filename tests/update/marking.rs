//! Marks.

use delayscope::queue::Bar;
use delayscope::tui::keys::Code;
use delayscope::tui::model::{Model, Pane};

use crate::desk::{Desk, World, member};

fn desk(count: u64) -> Desk {
    let mut desk = Desk::of_one(count);
    desk.model.focus = Pane::Entries;
    desk
}

/// The marked ones of the loaded rows, by their numbers.
fn marked(model: &Model) -> Vec<u64> {
    let rows = model.entries.rows.iter().filter(|row| model.marks.has(row));
    let number = |row: &delayscope::tui::model::EntryRow| {
        let all = 0..model.waiting() + 100;
        all.into_iter().find(|i| member(*i) == row.member).unwrap()
    };
    rows.map(number).collect()
}

fn count(desk: &Desk) -> (u64, bool) {
    desk.model.marks.count(desk.model.waiting())
}

#[test]
fn space_marks_and_goes_on() {
    let mut desk = desk(50);
    desk.char(' ');
    desk.char(' ');
    assert_eq!(marked(&desk.model), [0, 1]);
    assert_eq!(desk.under_cursor(), Some(member(2)));
    assert_eq!(count(&desk), (2, true));
    desk.press(Code::Up);
    desk.char(' ');
    assert_eq!(marked(&desk.model), [0]);
    assert_eq!(
        desk.model.marks.toggled[&member(0)].score,
        Some(desk.world[0].entries[0].1)
    );
}

#[test]
fn all_of_a_million_are_marked_by_a_word() {
    let mut desk = desk(1_000_000);
    desk.char('a');
    assert_eq!(count(&desk), (1_000_000, true));
    desk.char(' ');
    assert_eq!(count(&desk), (999_999, true));
    assert!(desk.model.marks.toggled.len() <= 1);
    desk.char('G');
    desk.answer_all();
    let rows = &desk.model.entries.rows;
    assert!(rows.iter().all(|row| desk.model.marks.has(row)));
    desk.char('a');
    assert_eq!(count(&desk), (1_000_000, true), "the one left out is back");
    desk.char('a');
    assert_eq!(count(&desk), (0, true));
}

#[test]
fn all_that_match_are_marked_also_when_the_filter_is_gone() {
    let mut desk = desk(10_000);
    desk.char('/');
    desk.type_in("\"entry 99\"");
    desk.press(Code::Enter);
    desk.answer_all();
    desk.char('a');
    assert_eq!(count(&desk), (111, true));
    desk.char(' ');
    assert_eq!(count(&desk), (110, true));
    desk.press(Code::Esc);
    desk.answer_all();
    assert!(desk.model.filtered.is_none());
    desk.char('@');
    desk.type_in("+17m30s");
    desk.press(Code::Enter);
    desk.answer_all();
    let seen = marked(&desk.model);
    assert!(
        !seen.is_empty() && seen.iter().all(|i| (990..1_000).contains(i)),
        "{seen:?}"
    );
    // Once the queue has changed it is an estimate.
    desk.world[0].entries.pop();
    desk.live(1_100, 0);
    assert_eq!(count(&desk), (110, false));
}

#[test]
fn a_range_marks_what_lies_between() {
    let mut desk = desk(200);
    desk.press(Code::Down);
    desk.char('v');
    for _ in 0..3 {
        desk.press(Code::Down);
    }
    desk.char('v');
    assert_eq!(marked(&desk.model), [1, 2, 3, 4]);
    assert_eq!(count(&desk), (4, true));
    // Upwards as well, and what is marked twice counts once.
    desk.press(Code::Down);
    desk.char('v');
    desk.press(Code::Up);
    desk.press(Code::Up);
    desk.char('v');
    assert_eq!(marked(&desk.model), [1, 2, 3, 4, 5]);
    assert_eq!(count(&desk), (5, true));
}

#[test]
fn a_range_over_rows_that_were_never_read_is_a_rule() {
    let mut desk = desk(100_000);
    desk.press(Code::Down);
    desk.char('v');
    desk.char('G');
    desk.answer_all();
    desk.press(Code::Up);
    desk.char('v');
    assert_eq!(count(&desk), (99_998, false));
    assert!(desk.model.marks.toggled.is_empty());
    let last = desk.model.entries.rows.last().unwrap();
    assert!(!desk.model.marks.has(last));
    desk.char('@');
    desk.type_in("+10h");
    desk.press(Code::Enter);
    desk.answer_all();
    let rows = &desk.model.entries.rows;
    assert!(rows.iter().all(|row| desk.model.marks.has(row)));
}

#[test]
fn a_bar_of_the_timeline_is_marked_as_a_whole() {
    let mut desk = desk(500);
    for _ in 0..8 {
        desk.press(Code::Right);
    }
    let from = desk.model.bar.unwrap();
    let to = from.plus(10_000);
    let survey = desk.model.queues[0].survey.as_mut().unwrap();
    survey.bars = vec![Bar {
        from,
        to,
        count: 10,
    }];
    desk.char('a');
    assert_eq!(count(&desk), (10, true));
    assert_eq!(marked(&desk.model), (10..20).collect::<Vec<_>>());
}

#[test]
fn what_has_left_the_queue_is_no_longer_marked() {
    let mut desk = desk(50);
    desk.char(' ');
    desk.char(' ');
    desk.world[0].entries.remove(0);
    desk.live(2_100, 0);
    assert_eq!(count(&desk), (1, true));
    assert_eq!(marked(&desk.model), [1]);
}

#[test]
fn marks_go_with_escape_and_with_another_queue() {
    let mut desk = Desk::of(vec![
        World::new("alpha", 30, 600_000, 1000),
        World::new("beta", 30, 600_000, 1000),
    ]);
    desk.model.focus = Pane::Entries;
    desk.char(' ');
    desk.press(Code::Esc);
    assert_eq!(count(&desk), (0, true));
    desk.char('a');
    desk.model.focus = Pane::Queues;
    desk.press(Code::Down);
    assert_eq!(count(&desk), (0, true));
}

#[test]
fn marks_in_a_list_are_for_that_list() {
    let mut world = World::new("orders", 20, 60_000, 1000);
    world.target = (0..9).map(|i| format!("done {i}").into_bytes()).collect();
    let mut desk = Desk::of(vec![world]);
    desk.char('2');
    desk.answer_all();
    desk.char('v');
    desk.press(Code::Down);
    desk.press(Code::Down);
    desk.char('v');
    assert_eq!(desk.model.marks.count(9), (3, true));
    assert!(desk.model.marks.toggled.contains_key(&b"done 2"[..]));
    desk.char('4');
    desk.char('2');
    assert_eq!(desk.model.marks.count(9), (3, true));
    desk.char('1');
    assert_eq!(count(&desk), (0, true));
}

#[test]
fn a_range_too_far_in_a_list_says_so_and_can_still_be_ended_nearer() {
    let mut desk = desk(2_000);
    desk.char('3');
    desk.live(3_000, 1);
    desk.char('v');
    desk.char('G');
    desk.live(3_000, 1);
    desk.char('v');
    assert!(
        desk.model
            .toast
            .as_ref()
            .unwrap()
            .text
            .starts_with("too far")
    );
    assert!(desk.model.marks.toggled.is_empty());
    desk.char('g');
    desk.live(3_000, 1);
    desk.press(Code::Down);
    desk.char('v');
    assert_eq!(desk.model.marks.toggled.len(), 2);
}

#[test]
fn a_filter_whose_marks_are_taken_away_marks_nothing_any_more() {
    let mut desk = crate::finding::filtered(50, "\"entry 12\"");
    desk.char('a');
    desk.char('/');
    desk.key(delayscope::tui::keys::Key::ctrl('u'));
    desk.type_in("\"entry 13\"");
    desk.press(Code::Enter);
    desk.answer_all();
    desk.char('a');
    assert_eq!(marked(&desk.model), [13]);
    desk.char('a');
    assert_eq!(marked(&desk.model), [] as [u64; 0]);
    assert_eq!(count(&desk).0, 1, "the one of the first filter");
}

#[test]
fn a_range_that_began_outside_of_what_a_filter_leaves_marks_nothing_hidden() {
    let mut desk = desk(50);
    desk.char('v');
    desk.char('/');
    desk.type_in("\"entry 2\"");
    desk.press(Code::Enter);
    desk.answer_all();
    desk.char('v');
    assert_eq!(count(&desk).0, 0);
    let toast = desk.model.toast.as_ref().unwrap();
    assert!(toast.text.contains("begin it again"), "{}", toast.text);
}
