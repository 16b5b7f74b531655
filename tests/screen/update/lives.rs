//! The lives of messages.

use delayscope::tui::keys::Code;
use delayscope::tui::model::Overlay;
use delayscope::tui::view;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::desk::{Desk, World};

/// The rows of the picture.
fn rows(desk: &Desk) -> Vec<String> {
    let (columns, rows) = desk.model.size;
    let area = Rect::new(0, 0, columns, rows);
    let mut buf = Buffer::empty(area);
    view::render(&desk.model, area, &mut buf);
    let row = |y| (0..columns).map(|x| buf[(x, y)].symbol()).collect();
    (0..rows).map(row).collect()
}

/// The lane of the message with that text.
fn lane(desk: &Desk, text: &str) -> String {
    let rows = rows(desk);
    let row = rows
        .iter()
        .find(|row| row.contains(text) && row.contains("seen "));
    row.unwrap_or_else(|| panic!("{text}: {rows:#?}")).clone()
}

/// Three messages, due after 2, 4 and 6 s.
fn three() -> Desk {
    Desk::of(vec![World::new("orders", 3, 2_000, 2_000)])
}

#[test]
fn the_life_of_a_message_goes_on_as_refreshes_see_it() {
    let mut desk = three();
    desk.live(1_000, 1);
    desk.char('T');
    assert!(
        lane(&desk, "entry 0").contains(" in "),
        "{:#?}",
        rows(&desk)
    );
    desk.live(2_500, 1);
    assert!(lane(&desk, "entry 0").contains("late "));
    // It is transferred, and then taken.
    desk.world[0].entries.remove(0);
    desk.world[0].target.push(b"entry 0".to_vec());
    desk.live(1_500, 1);
    let seen = lane(&desk, "entry 0");
    assert!(
        seen.contains("transferred +") && seen.contains("in target, or taken"),
        "{seen}"
    );
    desk.world[0].target.clear();
    desk.live(1_500, 1);
    assert!(lane(&desk, "entry 0").contains("taken +"));
    let still = lane(&desk, "entry 2");
    assert!(!still.contains("transferred"), "{still}");
    desk.press(Code::Esc);
    assert!(desk.model.overlay.is_none());
}

#[test]
fn what_leaves_before_it_is_due_was_not_transferred_in_its_time() {
    let mut desk = three();
    desk.live(500, 1);
    desk.world[0].entries.remove(0);
    desk.live(1_200, 1);
    desk.char('T');
    assert!(lane(&desk, "entry 0").contains("left before"));
}

#[test]
fn what_the_screen_cannot_know_is_said_with_the_command_that_does() {
    let mut desk = three();
    desk.model.size = (80, 24);
    desk.char('T');
    let rows = rows(&desk).concat();
    assert!(rows.contains("cannot be seen so"), "{rows}");
    assert!(rows.contains("delayscope trace orders"), "{rows}");
    assert!(matches!(desk.model.overlay, Some(Overlay::Lives { .. })));
    desk.char('T');
    assert!(desk.model.overlay.is_none());
}

#[test]
fn the_lives_of_another_queue_are_its_own() {
    let mut desk = Desk::of(vec![
        World::new("orders", 3, 60_000, 1_000),
        World::new("zeta", 1, 90_000, 1_000),
    ]);
    desk.live(1_000, 1);
    assert_eq!(desk.model.lives.all.len(), 3);
    desk.press(Code::Down);
    desk.live(2_000, 1);
    assert_eq!(desk.model.lives.all.len(), 1);
}

#[test]
fn how_late_messages_leave_is_on_the_page_of_the_queue_with_its_error() {
    for size in [(80, 24), (120, 40), (200, 60)] {
        let mut desk = three();
        desk.model.size = size;
        desk.live(1_000, 1);
        assert!(!rows(&desk).concat().contains("p95"), "{size:?}");
        desk.live(2_500, 1);
        desk.world[0].entries.remove(0);
        desk.live(1_500, 1);
        let page = rows(&desk).concat();
        let late = desk.model.queues[0].watch.lateness.recent().unwrap();
        assert_eq!(late.count, 1);
        assert!(
            late.p50.least > 0 && late.p50.most >= late.p50.least + 900,
            "{late:?}"
        );
        assert!(
            page.contains("p50 ") && page.contains(", p95 "),
            "{size:?} {page}"
        );
        assert!(page.contains('±'), "{size:?} {page}");
    }
}

/// The picture while the opened entry is not in timeouts any more.
fn gone(desk: &mut Desk) -> String {
    for _ in 0..3 {
        desk.live(1_100, 1);
    }
    rows(desk).concat()
}

#[test]
fn an_opened_entry_that_is_gone_says_where_to_as_far_as_it_was_seen() {
    let mut desk = three();
    desk.live(1_000, 1);
    desk.press(Code::Enter);
    desk.press(Code::Enter);
    desk.live(1_500, 1);
    desk.world[0].entries.remove(0);
    desk.world[0].target.push(b"entry 0".to_vec());
    let there = gone(&mut desk);
    assert!(there.contains("in target or taken"), "{there}");
    // Nothing of it is late any more.
    assert!(!there.contains("late 0:"), "{there}");
    desk.world[0].target.clear();
    let taken = gone(&mut desk);
    assert!(taken.contains(", taken "), "{taken}");
    let mut early = three();
    early.live(500, 1);
    early.press(Code::Enter);
    early.press(Code::Enter);
    early.world[0].entries.remove(0);
    early.live(600, 1);
    early.live(600, 1);
    let early = rows(&early).concat();
    assert!(early.contains("before it was due: polled"), "{early}");
}
