//! The row under the cursor stays the same entry while others come and go, in every tab that
//! shows entries and with a filter on.

use delayscope::tui::keys::{Code, Key};
use delayscope::tui::layout;
use delayscope::tui::model;
use delayscope::tui::msg;

use proptest::prelude::*;

use crate::desk::{Desk, START, World, member, score};
use crate::screens::wild::few;

/// What happens to a queue beside the entry under the cursor.
#[derive(Clone, Debug)]
enum Change {
    /// Some entries in a row, from that place on, have left.
    Left(usize, usize),
    /// One is offered, due after so many ms.
    Offered(i64),
    /// The user wants all of it read again.
    ReadAgain,
    /// The terminal is another.
    Resized(u16, u16),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        4 => (0usize..200, 1usize..9).prop_map(|(at, n)| Change::Left(at, n)),
        4 => (0i64..300_000).prop_map(Change::Offered),
        1 => Just(Change::ReadAgain),
        1 => (60u16..200, 24u16..60).prop_map(|(w, h)| Change::Resized(w, h)),
    ]
}

/// A queue of 120 entries, all of them in the order list, and 120 delivered elements.
fn desk() -> Desk {
    let world = World::new("orders", 120, 60_000, 1000);
    let members = || world.entries.iter().map(|(member, _)| member.clone());
    Desk::of(vec![World {
        order: Some(members().collect()),
        target: (0..120)
            .map(|i| format!("entry {i}").into_bytes())
            .collect(),
        ..world
    }])
}

fn happen(desk: &mut Desk, change: &Change, fresh: u64, held: &[u8]) {
    let world = &mut desk.world[0];
    match *change {
        Change::Left(at, n) => {
            let leaves = |i: usize, bytes: &[u8]| (at..at + n).contains(&i) && bytes != held;
            let keep = |list: &mut Vec<Vec<u8>>| {
                let mut i = 0..;
                list.retain(|bytes| !leaves(i.next().unwrap(), bytes));
            };
            let mut i = 0..;
            world
                .entries
                .retain(|(bytes, _)| !leaves(i.next().unwrap(), bytes));
            world.order.iter_mut().for_each(keep);
            keep(&mut world.target);
        }
        Change::Offered(ms) => {
            let due = score(START.plus(ms));
            let at = world.entries.partition_point(|(_, other)| *other <= due);
            world.entries.insert(at, (member(fresh), due));
            world
                .order
                .iter_mut()
                .for_each(|order| order.push(member(fresh)));
            world.target.push(format!("entry {fresh}").into_bytes());
        }
        Change::ReadAgain => {
            desk.key(Key::ctrl('r'));
        }
        Change::Resized(w, h) => {
            desk.tell(msg::Msg::Resized(w, h));
        }
    }
    desk.live(2_100, 1);
}

fn stands(desk: &mut Desk, down: usize, changes: &[Change]) -> Result<(), TestCaseError> {
    for _ in 0..down {
        desk.press(Code::Down);
        desk.answer_all();
    }
    let held = desk.under_cursor();
    prop_assert!(held.is_some());
    let held = held.unwrap();
    for (change, fresh) in changes.iter().zip(1_000..) {
        happen(desk, change, fresh, &held);
        let under = desk.under_cursor();
        prop_assert_eq!(under.as_ref(), Some(&held), "after {:?}", change);
        let (stand, rows) = (desk.model.stand(), desk.rows_in_sight());
        let seen = stand.top..stand.top + rows;
        prop_assert!(seen.contains(&stand.cursor), "{stand:?} of {rows}");
    }
    Ok(())
}

impl Desk {
    fn rows_in_sight(&self) -> u64 {
        layout::rows::entry_rows(&self.model) as u64
    }
}

proptest! {
    #![proptest_config(few(40))]

    #[test]
    fn the_cursor_stands_on_its_entry_in_each_tab(
        tab in prop::sample::select(vec!['1', '2', '3']),
        down in 1usize..60,
        changes in prop::collection::vec(change(), 1..12),
    ) {
        let mut desk = desk();
        desk.char(tab);
        desk.answer_all();
        stands(&mut desk, down, &changes)?;
    }

    #[test]
    fn the_cursor_stands_on_its_hit_in_each_tab(
        tab in prop::sample::select(vec!['1', '2', '3']),
        down in 1usize..60,
        changes in prop::collection::vec(change(), 1..12),
    ) {
        let mut desk = desk();
        desk.char(tab);
        desk.answer_all();
        desk.char('/');
        desk.type_in("entry");
        desk.press(Code::Enter);
        desk.answer_all();
        prop_assert!(desk.model.filtered.is_some());
        stands(&mut desk, down, &changes)?;
    }
}

#[test]
fn a_queue_that_is_sick_leaves_its_entries_rows_at_any_size() {
    let mut orders = World::new("orders", 120, 60_000, 1000);
    // Late, and nobody transfers it.
    orders.entries[0].1 = score(START.plus(-60_000));
    let others = (0..9).map(|i| World::new(&format!("other-{i}"), 3, 60_000, 1000));
    let mut desk = Desk::of(std::iter::once(orders).chain(others).collect());
    desk.live(20_000, 1);
    assert!(!desk.model.queues[0].findings.is_empty());
    for opened in [false, true] {
        if opened {
            desk.press(Code::Enter);
        }
        let queue = matches!(desk.model.screen, model::Screen::Queue);
        assert_eq!(queue, opened);
        for (w, h) in (40..200)
            .step_by(7)
            .flat_map(|w| (24..60).map(move |h| (w, h)))
        {
            desk.tell(msg::Msg::Resized(w, h));
            let rows = desk.rows_in_sight();
            assert!(rows >= 2, "{rows} rows at {w}×{h}, opened: {opened}");
        }
    }
}
