//! Where the rows of queues stand, and which one the cursor is on.

use delayscope::queue::{Queue, Severity};
use delayscope::tui::keys::Code;
use delayscope::tui::msg::Msg;
use delayscope::tui::queues::{self, QueueRow};

use crate::desk::{Desk, World, score};

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
fn before_the_first_key_the_cursor_is_on_the_queue_that_is_late_longest() {
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
fn who_has_only_read_the_help_has_not_moved_the_cursor_yet() {
    let mut desk = Desk::of(vec![
        World::new("alpha", 3, 600_000, 1000),
        World::new("beta", 3, 600_000, 1000),
    ]);
    desk.char('?');
    desk.press(Code::Down);
    desk.press(Code::Esc);
    desk.world[1].entries[0].1 = score(crate::desk::START.plus(-60_000));
    desk.live(20_000, 0);
    assert_eq!(names(&desk), ["beta", "alpha"]);
    assert_eq!(selected(&desk), "beta");
}

#[test]
fn until_it_is_moved_the_cursor_goes_to_a_queue_of_which_there_is_only_a_note_to_say() {
    let noted = |moved: bool| {
        let mut desk = Desk::of(vec![
            World::new("alpha", 3, 600_000, 1000),
            World::new("beta", 3, 600_000, 1000),
        ]);
        desk.live(2_000, 0);
        if moved {
            desk.press(Code::Up);
        }
        // Nobody transfers, and nothing is late yet.
        desk.world[1].clients = 0;
        desk.live(15_000, 0);
        let beta = desk
            .model
            .queues
            .iter()
            .find(|row| row.queue.name.text() == "beta");
        let worst = beta.and_then(QueueRow::worst);
        assert_eq!(worst, Some(Severity::Note));
        selected(&desk)
    };
    assert_eq!(noted(false), "beta");
    assert_eq!(noted(true), "alpha");
}

#[test]
fn untouched_the_cursor_goes_to_the_worst_but_does_not_leave_what_is_sick_and_long_in_sight() {
    let mut desk = Desk::of(vec![
        World::new("alpha", 3, 600_000, 1000),
        World::new("beta", 3, 600_000, 1000),
    ]);
    let late = |desk: &mut Desk, queue: usize, ms: i64| {
        desk.world[queue].entries[0].1 = score(crate::desk::START.plus(-ms));
        desk.live(15_000, 0);
    };
    late(&mut desk, 1, 60_000);
    assert_eq!(names(&desk), ["beta", "alpha"]);
    assert_eq!(selected(&desk), "beta");
    late(&mut desk, 0, 600_000);
    assert_eq!(names(&desk), ["alpha", "beta"]);
    assert_eq!(selected(&desk), "beta");
}

#[test]
fn untouched_the_cursor_does_not_leave_what_was_sick_and_long_in_sight_when_it_is_well_again() {
    let mut desk = Desk::of(vec![
        World::new("alpha", 3, 600_000, 1000),
        World::new("beta", 3, -60_000, 600_000),
    ]);
    desk.live(15_000, 0);
    assert_eq!(names(&desk), ["beta", "alpha"]);
    assert_eq!(selected(&desk), "beta");
    desk.world[1].entries[0].1 = score(crate::desk::START.plus(900_000));
    desk.live(15_000, 0);
    assert_eq!(names(&desk), ["alpha", "beta"]);
    assert_eq!(selected(&desk), "beta");
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
