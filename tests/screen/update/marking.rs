//! Marks.

use delayscope::queue::Bar;
use delayscope::tui::change;
use delayscope::tui::change::plan::MarkedEntries;
use delayscope::tui::effect::Effect;
use delayscope::tui::entries;
use delayscope::tui::keys;

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
    let rows = model
        .entries
        .rows
        .iter()
        .filter(|row| model.marks.has(row, 0));
    let number = |row: &entries::EntryRow| {
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
    assert!(rows.iter().all(|row| desk.model.marks.has(row, 0)));
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
    assert!(!desk.model.marks.has(last, 0));
    desk.char('@');
    desk.type_in("+10h");
    desk.press(Code::Enter);
    desk.answer_all();
    let rows = &desk.model.entries.rows;
    assert!(rows.iter().all(|row| desk.model.marks.has(row, 0)));
}

#[test]
fn a_bar_of_the_timeline_is_marked_as_a_whole() {
    let mut desk = desk(500);
    for _ in 0..8 {
        desk.press(Code::Right);
    }
    let from = desk.model.timeline.bar.unwrap();
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
    let mut desk = crate::update::filter::filtered(50, "\"entry 12\"");
    desk.char('a');
    desk.char('/');
    desk.key(keys::Key::ctrl('u'));
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

/// A queue that has delivered elements which say that, in the tab that shows them.
fn delivered(says: &[&str]) -> Desk {
    let mut world = World::new("orders", 20, 60_000, 1000);
    world.target = says.iter().map(|says| says.as_bytes().to_vec()).collect();
    let mut desk = Desk::of(vec![world]);
    desk.char('2');
    desk.answer_all();
    desk
}

/// The places of the marked rows of target, as they are drawn.
fn places(desk: &Desk) -> Vec<u64> {
    let window = &desk.model.lists.delivered;
    let rows = (window.first..).zip(&window.rows);
    let marked = rows.filter(|(place, element)| desk.model.marks.has(&element.row, *place));
    marked.map(|(place, _)| place).collect()
}

/// What a key wants to be planned.
fn planned(effects: &[Effect]) -> MarkedEntries {
    let plan = effects.iter().find_map(|effect| match effect {
        Effect::Change(change::Effect::Plan(plan)) => Some(plan.which.clone()),
        _ => None,
    });
    plan.unwrap()
}

#[test]
fn of_equal_elements_those_are_marked_that_were() {
    let mut desk = delivered(&["a", "b", "a", "c", "a"]);
    desk.char(' ');
    desk.press(Code::Down);
    desk.char(' ');
    assert_eq!(places(&desk), [0, 2]);
    assert_eq!(desk.model.marks.count(5), (2, true));
    let toast = desk.model.toast.as_ref().unwrap();
    assert!(
        toast
            .text
            .starts_with("2 of 3 equal ones in sight are marked"),
        "{}",
        toast.text
    );
    desk.press(Code::Up);
    desk.char(' ');
    assert_eq!(
        (places(&desk), desk.model.marks.count(5)),
        (vec![0], (1, true))
    );
}

#[test]
fn a_copy_that_is_left_out_of_all_leaves_the_others_marked_and_the_question_has_the_footers_number()
{
    let mut desk = delivered(&["a", "b", "a", "c", "a"]);
    desk.char('a');
    desk.char(' ');
    assert_eq!(places(&desk), [1, 2, 3, 4]);
    assert_eq!(desk.model.marks.count(5), (4, true));
    let MarkedEntries::Marks(marks) = planned(&desk.char('x')) else {
        panic!("about the marks");
    };
    assert_eq!(marks.toggled[&b"a"[..]].copies(), 1);
}

#[test]
fn marks_on_equal_elements_go_with_the_list_when_it_moves() {
    let mut desk = delivered(&["x", "a", "b", "a", "c"]);
    for _ in 0..3 {
        desk.press(Code::Down);
    }
    desk.char(' ');
    assert_eq!(places(&desk), [3]);
    desk.world[0].target.remove(0);
    desk.live(2_100, 0);
    assert_eq!(
        (places(&desk), desk.model.marks.count(4)),
        (vec![2], (1, true))
    );
    // The other copy is taken; then the marked one.
    desk.world[0].target.remove(0);
    desk.live(2_100, 0);
    assert_eq!(
        (places(&desk), desk.model.marks.count(3)),
        (vec![1], (1, true))
    );
    desk.world[0].target.drain(..2);
    desk.live(2_100, 0);
    assert_eq!(
        (places(&desk), desk.model.marks.count(1)),
        (vec![], (0, true))
    );
}

#[test]
fn marks_on_equal_elements_stay_as_many_with_a_filter_and_without_it() {
    let mut desk = delivered(&["x", "a", "b", "a", "a1"]);
    desk.char('/');
    desk.type_in("a");
    desk.press(Code::Enter);
    desk.answer_all();
    desk.press(Code::Down);
    desk.char(' ');
    let rows = (desk.model.entries.first..).zip(&desk.model.entries.rows);
    let marked = rows.filter(|(place, row)| desk.model.marks.has(row, *place));
    assert_eq!(marked.map(|(place, _)| place).collect::<Vec<_>>(), [1]);
    desk.press(Code::Esc);
    desk.live(2_100, 0);
    assert_eq!(places(&desk).len(), 1);
    assert_eq!(desk.model.marks.count(5), (1, true));
}

#[test]
fn one_of_each_of_the_marked_ones_is_kept_by_a_command() {
    let mut desk = delivered(&["a", "b", "a"]);
    desk.char('a');
    desk.char(':');
    desk.type_in("keep-one");
    let effects = desk.press(Code::Enter);
    assert!(matches!(planned(&effects), MarkedEntries::ButOne(_)));
}

#[test]
fn a_member_that_stands_twice_in_the_order_list_is_one_entry_with_one_mark() {
    let mut world = World::new("orders", 3, 60_000, 1000);
    world.order = Some([0, 1, 0, 2].map(member).to_vec());
    let mut desk = Desk::of(vec![world]);
    desk.char('3');
    desk.live(100, 0);
    desk.char(' ');
    assert_eq!(desk.model.marks.count(4), (1, true));
    let toast = desk.model.toast.as_ref().unwrap();
    assert!(
        toast.text.contains("2 times in sight: one entry"),
        "{}",
        toast.text
    );
    desk.char('a');
    assert_eq!(
        desk.model.marks.count(4),
        (4, false),
        "copies are no entries"
    );
}
