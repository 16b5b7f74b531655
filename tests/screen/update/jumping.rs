//! The jump to a time, and the order of the rows.

use delayscope::tui::effect::Effect;
use delayscope::tui::keys::Code;
use delayscope::tui::model::Pane;
use delayscope::tui::queues::QueueSort;
use delayscope::tui::timeline;

use crate::desk::{Desk, START, World, member, score};
use crate::update::filter::filtered;

#[test]
fn a_time_leads_to_the_first_entry_due_then() {
    let mut desk = Desk::of_one(10_000);
    desk.char('@');
    desk.type_in("+1h");
    let prompt = desk.model.prompt.as_ref().unwrap();
    assert_eq!(prompt.moment, Some(START.plus(3_600_000)));
    desk.press(Code::Enter);
    desk.answer_all();
    assert_eq!(desk.under_cursor(), Some(member(3_540)));
    assert_eq!(desk.model.timeline.bar, None, "beyond the zoom");
    desk.char('@');
    desk.type_in("+2m");
    desk.press(Code::Enter);
    desk.answer_all();
    assert_eq!(desk.under_cursor(), Some(member(60)));
    assert_eq!(desk.model.timeline.bar, Some(START.plus(120_000)));
}

#[test]
fn a_time_after_the_last_entry_says_so() {
    let mut desk = Desk::of_one(100);
    desk.char('@');
    desk.type_in("+7d");
    desk.press(Code::Enter);
    desk.answer_all();
    assert_eq!(desk.under_cursor(), Some(member(99)));
    assert!(desk.model.toast.unwrap().text.contains("nothing is due"));
}

#[test]
fn a_text_that_is_no_time_keeps_its_line() {
    let mut desk = Desk::of_one(100);
    desk.char('@');
    desk.type_in("soon");
    desk.press(Code::Enter);
    assert!(desk.model.prompt.unwrap().error.unwrap().contains("14:10"));
}

#[test]
fn among_hits_a_time_leads_to_the_first_hit_due_then() {
    let mut desk = filtered(10_000, "\"entry 99\"");
    desk.char('@');
    desk.type_in("+17m");
    let asked = desk.press(Code::Enter);
    assert!(
        !asked
            .iter()
            .any(|e| matches!(e, Effect::Timeline(timeline::Effect::FindRank { .. })))
    );
    assert_eq!(desk.under_cursor(), Some(member(990)));
}

#[test]
fn the_last_entries_stand_first_when_wanted() {
    let mut desk = Desk::of_one(10_000);
    desk.char('G');
    desk.model.focus = Pane::Entries;
    desk.char('s');
    desk.answer_all();
    assert_eq!(desk.under_cursor(), Some(member(9_999)));
    desk.press(Code::Down);
    assert_eq!(desk.under_cursor(), Some(member(9_998)));
    // It follows its entry, also when others come in before it.
    let due = START.plus(90_000_000);
    desk.world[0].entries.push((member(77_777), score(due)));
    desk.live(2_100, 0);
    assert_eq!(desk.under_cursor(), Some(member(9_998)));
    desk.char('G');
    desk.answer_all();
    assert_eq!(desk.under_cursor(), Some(member(0)));
    for _ in 0..3 {
        desk.press(Code::PageUp);
        desk.answer_all();
    }
    assert!(desk.under_cursor().is_some());
    desk.char('s');
    desk.answer_all();
    assert_eq!(desk.under_cursor(), Some(member(0)));
}

#[test]
fn queues_are_sorted_by_what_the_key_chooses() {
    let mut desk = Desk::of(vec![
        World::new("alpha", 3, 600_000, 1000),
        World::new("beta", 30, 700_000, 1000),
        World::new("gamma", 9, 60_000, 1000),
        World::new("delta", 1, -60_000, 1000),
    ]);
    let orders = [
        (QueueSort::Late, ["delta", "alpha", "beta", "gamma"]),
        (QueueSort::MostLate, ["delta", "alpha", "beta", "gamma"]),
        (QueueSort::Name, ["alpha", "beta", "delta", "gamma"]),
        (QueueSort::Waiting, ["beta", "gamma", "alpha", "delta"]),
        (QueueSort::Next, ["gamma", "alpha", "beta", "delta"]),
        (QueueSort::Target, ["alpha", "beta", "delta", "gamma"]),
    ];
    for (sort, names) in orders {
        assert_eq!(desk.model.table.sort, sort);
        let rows = desk.model.queues.iter();
        let shown: Vec<String> = rows.map(|row| row.queue.name.to_string()).collect();
        assert_eq!(shown, names, "{sort:?}");
        assert_eq!(desk.model.cursor, 0, "who looks at the top stays there");
        desk.char('s');
        desk.answer_all();
    }
}

#[test]
fn the_most_late_stand_first_and_a_hand_over_is_not_late() {
    let mut desk = Desk::of(vec![
        World::new("alpha", 1, -500, 1000),
        World::new("beta", 1_000, -90_000, 1),
        World::new("delta", 2, -200_000, 1),
        World::new("gamma", 3, 600_000, 1000),
    ]);
    // What is wrong is the same everywhere.
    for row in &mut desk.model.queues {
        row.findings.clear();
    }
    desk.char('s');
    while desk.model.table.sort != QueueSort::Late {
        desk.char('s');
    }
    let rows = desk.model.queues.iter();
    let shown: Vec<String> = rows.map(|row| row.queue.name.to_string()).collect();
    assert_eq!(shown, ["beta", "delta", "alpha", "gamma"]);
}

#[test]
fn further_down_the_cursor_goes_with_its_queue_when_the_order_changes() {
    let mut desk = Desk::of(vec![
        World::new("alpha", 3, 600_000, 1000),
        World::new("beta", 30, -90_000, 1000),
        World::new("gamma", 25, -600_000, 1000),
    ]);
    desk.press(Code::Down);
    let selected = |desk: &Desk| desk.model.selected().unwrap().queue.name.to_string();
    assert_eq!((selected(&desk).as_str(), desk.model.cursor), ("beta", 1));
    desk.char('s');
    assert_eq!(desk.model.table.sort, QueueSort::MostLate);
    assert_eq!((selected(&desk).as_str(), desk.model.cursor), ("beta", 0));
}
