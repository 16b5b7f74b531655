//! Where the rows of queues stand, and which one the cursor is on.

use delayscope::queue::{Change, LinkState, Queue};
use delayscope::tui::effect::Effect;
use delayscope::tui::keys::Code;
use delayscope::tui::msg::Msg;
use delayscope::tui::queues::{self, Opening};
use delayscope::tui::refresh;

use crate::desk::{Desk, World, is_pulse, score};

#[test]
fn the_cursor_of_the_table_stays_on_its_queue_when_rows_change_places() {
    let mut desk = Desk::of(vec![
        World::new("alpha", 3, 600_000, 1000),
        World::new("beta", 3, 600_000, 1000),
        World::new("gamma", 3, 600_000, 1000),
    ]);
    desk.press(Code::Down);
    assert_eq!(selected(&desk), "beta");
    // Gamma becomes late, but the user is at the rows.
    for entry in &mut desk.world[2].entries {
        entry.1 = score(crate::desk::START.plus(-60_000));
    }
    desk.live(5_000, 0);
    assert_eq!(names(&desk), ["alpha", "beta", "gamma"]);
    desk.live(10_000, 0);
    assert_eq!(names(&desk), ["gamma", "alpha", "beta"]);
    assert_eq!(selected(&desk), "beta");
}

#[test]
fn the_queue_that_is_late_longest_is_selected_first() {
    let desk = Desk::of(vec![
        World::new("alpha", 3, 600_000, 1000),
        World::new("beta", 3, -20_000, 1000),
        World::new("gamma", 3, -300_000, 1000),
    ]);
    assert_eq!(names(&desk), ["gamma", "beta", "alpha"]);
    assert_eq!(selected(&desk), "gamma");
}

#[test]
fn a_key_on_the_rows_keeps_them_in_their_places_and_then_the_cursor_keeps_its_queue() {
    let mut desk = Desk::of(vec![
        World::new("alpha", 3, 600_000, 1000),
        World::new("beta", 3, 600_000, 1000),
    ]);
    desk.press(Code::Up);
    desk.world[1].entries[0].1 = score(crate::desk::START.plus(-60_000));
    desk.live(9_000, 0);
    assert_eq!(names(&desk), ["alpha", "beta"]);
    desk.live(10_000, 0);
    assert_eq!(names(&desk), ["beta", "alpha"]);
    assert_eq!(selected(&desk), "alpha");
}

#[test]
fn a_row_that_was_repaired_keeps_its_place_while_that_is_read() {
    let mut desk = Desk::of(vec![
        World::new("alpha", 3, -300_000, 1000),
        World::new("beta", 3, -60_000, 1000),
        World::new("gamma", 3, -50_000, 1000),
        World::new("well", 3, 600_000, 1000),
    ]);
    desk.live(15_000, 0);
    assert_eq!(names(&desk), ["alpha", "beta", "gamma", "well"]);
    assert!(desk.model.queues[0].worst().is_some(), "nobody transfers");
    let now = desk.now();
    let row = &mut desk.model.queues[0];
    row.watch.changed_by_us(Change::Transfer, now);
    desk.world[0].entries.clear();
    desk.live(15_000, 0);
    let row = desk.model.selected().unwrap();
    assert!(row.worst().is_none());
    assert_eq!(names(&desk)[0], "alpha");
    // From there the next one is the next that is wrong; then it steps back behind these.
    desk.press(Code::Down);
    assert_eq!(selected(&desk), "beta");
    desk.live(30_000, 0);
    assert_eq!(names(&desk), ["beta", "gamma", "alpha", "well"]);
    assert_eq!(selected(&desk), "beta");
}

#[test]
fn a_row_that_was_repaired_takes_no_place_of_one_that_is_as_bad_still() {
    let worlds = [("alpha", -300_000), ("beta", -60_000), ("gamma", -50_000)];
    let worlds = worlds.map(|(name, due)| World::new(name, 3, due, 1000));
    let mut desk = Desk::of(worlds.into());
    desk.live(15_000, 0);
    desk.press(Code::Down);
    assert_eq!(selected(&desk), "beta");
    desk.world[1].entries.clear();
    desk.live(15_000, 0);
    assert!(desk.model.selected().unwrap().worst().is_none());
    assert_eq!(names(&desk), ["alpha", "beta", "gamma"]);
}

#[test]
fn no_row_changes_its_place_below_a_menu() {
    let mut desk = Desk::of(vec![
        World::new("alpha", 3, 600_000, 1000),
        World::new("beta", 3, 600_000, 1000),
    ]);
    desk.live(15_000, 0);
    desk.char('R');
    assert!(desk.model.overlay.is_some());
    desk.world[1].entries[0].1 = score(crate::desk::START.plus(-60_000));
    desk.live(30_000, 0);
    assert_eq!(names(&desk), ["alpha", "beta"]);
    desk.press(Code::Esc);
    desk.live(9_000, 0);
    assert_eq!(names(&desk), ["alpha", "beta"]);
    desk.live(10_000, 0);
    assert_eq!(names(&desk), ["beta", "alpha"]);
}

#[test]
fn nobody_selects_another_queue_but_the_user_whatever_becomes_of_the_others() {
    let mut desk = Desk::of(vec![
        World::new("alpha", 3, 600_000, 1000),
        World::new("beta", 3, 600_000, 1000),
    ]);
    assert_eq!(selected(&desk), "alpha");
    desk.live(5_000, 0);
    desk.world[1].entries[0].1 = score(crate::desk::START.plus(-60_000));
    desk.live(20_000, 0);
    assert_eq!(names(&desk), ["beta", "alpha"]);
    assert_eq!(selected(&desk), "alpha");
}

#[test]
fn no_queue_is_selected_before_all_that_are_known_have_been_read() {
    let mut desk = Desk::waiting_for_server(vec![
        World::new("alpha", 3, 600_000, 1000),
        World::new("beta", 3, -60_000, 600_000),
    ]);
    assert!(desk.model.selected().is_none());
    desk.link(LinkState::Live);
    let asked = std::mem::take(&mut desk.open);
    assert!(!asked.iter().any(is_pulse), "{asked:?}");
    for effect in asked {
        desk.answer(&effect);
    }
    assert_eq!(selected(&desk), "beta");
    let survey = desk.open.iter().find_map(|effect| match effect {
        Effect::Refresh(refresh::Effect::LoadPulse { survey, .. }) => *survey,
        _ => None,
    });
    assert!(survey.is_some(), "its survey goes with its first pulse");
}

#[test]
fn while_queues_are_still_looked_for_the_first_of_those_that_were_read_is_selected_after_a_moment()
{
    let mut desk = Desk::waiting_for_server(vec![
        World::new("alpha", 3, 600_000, 1000),
        World::new("beta", 3, -60_000, 600_000),
    ]);
    desk.link(LinkState::Live);
    let is_search = |effect: &Effect| matches!(effect, Effect::Queues(_));
    for effect in std::mem::take(&mut desk.open) {
        if !is_search(&effect) {
            desk.answer(&effect);
        }
    }
    desk.tell(Msg::Queues(queues::Msg::Looked(10, 1_000_000)));
    desk.pass(250);
    assert!(desk.model.selected().is_none());
    desk.pass(60);
    assert_eq!(selected(&desk), "beta");
    desk.tell(Msg::Queues(queues::Msg::Found(Queue::redisson("aaa"))));
    assert_eq!(selected(&desk), "beta");
}

#[test]
fn a_key_before_that_is_meant_for_the_queue_in_front() {
    let mut desk = Desk::waiting_for_server(vec![
        World::new("alpha", 3, 600_000, 1000),
        World::new("beta", 3, -60_000, 600_000),
    ]);
    desk.link(LinkState::Live);
    desk.press(Code::Down);
    assert_eq!(selected(&desk), "beta");
    desk.answer_all();
    assert_eq!(selected(&desk), "beta");
}

#[test]
fn until_the_rules_have_looked_at_all_queues_no_row_changes_its_place() {
    let mut desk = Desk::waiting_for_server(vec![
        World::new("alpha", 3, -30_000, 600_000),
        World::new("beta", 3, -20_000, 600_000),
    ]);
    desk.world[1].clients = 0;
    desk.link(LinkState::Live);
    desk.answer_all();
    assert_eq!(names(&desk), ["alpha", "beta"]);
    assert!(matches!(desk.model.table.opening, Opening::Checking(_)));
    desk.live(900, 0);
    assert_eq!(names(&desk), ["alpha", "beta"]);
    desk.live(1_000, 0);
    assert_eq!(desk.model.table.opening, Opening::Over);
    assert_eq!(names(&desk), ["beta", "alpha"], "no client runs for it");
    assert_eq!(selected(&desk), "alpha");
}

#[test]
fn just_handed_over_is_not_late_enough_to_move_a_row() {
    let desk = Desk::of(vec![
        World::new("alpha", 3, 600_000, 1000),
        World::new("beta", 1, -1_500, 1000),
    ]);
    assert_eq!(names(&desk), ["alpha", "beta"]);
}

#[test]
fn a_queue_found_later_does_not_push_the_cursor_off_its_queue() {
    let mut desk = Desk::of(vec![
        World::new("beta", 3, 600_000, 1000),
        World::new("gamma", 3, 600_000, 1000),
    ]);
    desk.press(Code::Tab);
    desk.tell(Msg::Queues(queues::Msg::Found(Queue::redisson("alpha"))));
    assert_eq!(names(&desk), ["alpha", "beta", "gamma"]);
    assert_eq!(selected(&desk), "beta");
    // Right after a move of the cursor rows stay where they are: new ones come last.
    desk.press(Code::BackTab);
    desk.press(Code::Down);
    desk.tell(Msg::Queues(queues::Msg::Found(Queue::redisson("aaa"))));
    assert_eq!(names(&desk), ["alpha", "beta", "gamma", "aaa"]);
    assert_eq!(selected(&desk), "gamma");
}

fn names(desk: &Desk) -> Vec<String> {
    let rows = desk.model.queues.iter();
    rows.map(|row| row.queue.name.to_string()).collect()
}

fn selected(desk: &Desk) -> String {
    let queue: &Queue = &desk.model.selected().unwrap().queue;
    queue.name.to_string()
}
