//! The panel of a change under way, the tab of the changes, and a change that is looked at.

#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use std::time::Duration;

use delayscope::queue::change_event::Order;
use delayscope::queue::plan::{Progress, Way};
use delayscope::queue::{Change, EntryId, EntryResult, Outcome, Plan, Queue, Tally};
use delayscope::tui::change::{ChangeInProgress, ChangeStage, UnfinishedChange};
use delayscope::tui::journal::{ChangeView, OwnChange, PastChange};
use delayscope::tui::model::{Model, Overlay, Pane, Screen};
use delayscope::tui::tabs::Tab;

use crate::screens::build::{NOW, evening, look};
use crate::screens::pictures::{LARGE, MIDDLE, SMALL, draw, picture};

fn plan(change: Change, planned: u64) -> Plan {
    let command = "redis-cli ZREM 'redisson_delay_queue_timeout:{orders}' \
                   '\\x08abcdefgh\\x3f\\x00\\x00\\x00\\x00\\x00\\x00\\x00{\"orderId\":1}'";
    let (orders, server) = (Queue::redisson("orders"), "prod-1:6379/0".to_owned());
    Plan {
        planned,
        way: Way::Sweep,
        commands: vec![command.to_owned()],
        ..Plan::new(change, &orders, server, NOW)
    }
}

fn tally(done: u64, gone: u64) -> Tally {
    let mut tally = Tally::default();
    tally.add(Outcome::Done, done);
    tally.add(Outcome::Gone, gone);
    tally
}

/// A deletion of 10,000 entries that is at 62 %.
pub(crate) fn under_way(size: (u16, u16), order: Order, waits: Option<&str>) -> Model {
    let mut m = evening(size, look());
    m.focus = Pane::Entries;
    let since = m.instant.checked_sub(Duration::from_secs(20)).unwrap();
    let mut running = ChangeInProgress::new(plan(Change::Delete, 10_000), since);
    running.journal_id = Some("0trm3a6d6a".to_owned());
    running.order = order;
    running.progress = Some(Progress {
        phase: "deleting",
        tally: tally(6_198, 2),
        planned: 10_000,
        back: None,
        per_s: 38_412.4,
        left: Some(Duration::from_secs(12)),
        longest_block: Duration::from_micros(6_240),
        waits: waits.map(str::to_owned),
    });
    m.changing.one = Some(UnfinishedChange {
        generation: 7,
        change: Change::Delete,
        called: Change::Delete.word(),
        queue: Queue::redisson("orders"),
        marks: None,
        asked_for: None,
        asked_by: None,
        since,
        stage: ChangeStage::Running(Box::new(running)),
    });
    m
}

/// What the journal tells of this evening and of another day.
fn past(m: &mut Model) {
    let change = |id: &str, ms, change, planned, ended, undone| PastChange {
        under_way: false,
        id: id.to_owned(),
        at: NOW.plus(ms),
        change,
        queue: "orders".to_owned(),
        server: "prod-1:6379/0".to_owned(),
        planned,
        ended,
        undone,
    };
    m.changes.read(vec![
        change("a", -29_000, Change::Undo, 3, Some(tally(3, 0)), false),
        change("b", -60_000, Change::Delete, 3, Some(tally(3, 0)), true),
        change(
            "c",
            -90_000,
            Change::Requeue,
            10_000,
            Some(tally(9_998, 2)),
            false,
        ),
        change("d", -90_000_000, Change::Transfer, 1_000_000, None, false),
    ]);
}

pub(crate) fn looked_at(size: (u16, u16)) -> Model {
    let mut m = evening(size, look());
    m.tab = Tab::Changes;
    let not_done = |n: u8, outcome, reason: &str| EntryResult {
        id: EntryId([n; 8]),
        outcome,
        reason: (!reason.is_empty()).then(|| reason.to_owned()),
    };
    let own = OwnChange {
        plan: plan(Change::Delete, 10_000),
        journal_id: Some("0trm3a6d6a".to_owned()),
        tally: tally(9_998, 2),
        took: Some((Duration::from_millis(2_640), Duration::from_micros(6_240))),
        notes: vec!["The order list went round once.".to_owned()],
        not_done: vec![
            not_done(0x3f, Outcome::Gone, ""),
            not_done(0x9a, Outcome::Changed, "it has another due time now"),
        ],
    };
    m.changes.over(NOW.plus(-5_000), own.clone());
    let line = m.changes.lines[0].clone();
    m.overlay = Some(Overlay::Change(Box::new(ChangeView {
        line,
        own: Some(own),
        asked: None,
        explained: None,
        scroll: 0,
    })));
    m
}

#[test]
fn a_change_under_way_at_three_sizes() {
    picture("bulk_80x24", &under_way(SMALL, Order::Go, None));
    picture("bulk_120x40", &under_way(MIDDLE, Order::Go, None));
    picture("bulk_200x60", &under_way(LARGE, Order::Go, None));
}

#[test]
fn a_change_that_waits_or_is_paused_says_why() {
    let full = "target holds 20,000 elements";
    picture("bulk_waits_80x24", &under_way(SMALL, Order::Go, Some(full)));
    let paused = under_way(MIDDLE, Order::Pause, Some("paused"));
    picture("bulk_paused_120x40", &paused);
    let mut elsewhere = under_way(SMALL, Order::Stop, None);
    elsewhere.changing.panel_left = Some(7);
    picture("bulk_stopping_80x24", &elsewhere);
}

/// The entries are over, and a third of the order list is back.
fn coming_back(size: (u16, u16), order: Order) -> Model {
    let mut m = under_way(size, order, None);
    if let Some(UnfinishedChange {
        stage: ChangeStage::Running(running),
        ..
    }) = &mut m.changing.one
        && let Some(progress) = &mut running.progress
    {
        progress.phase = "bringing the order list back";
        progress.back = Some((330_000, 1_000_000));
        progress.left = Some(Duration::from_secs(2));
    }
    m
}

#[test]
fn while_the_order_list_is_brought_back_the_bar_is_that_of_the_list() {
    picture("bulk_back_80x24", &coming_back(SMALL, Order::Go));
    for order in [Order::Go, Order::Pause, Order::Stop] {
        let shown = text(&coming_back(MIDDLE, order));
        for words in [
            "bringing the order list back",
            " 33 %    330,000 of 1,000,000  ETA 2 s",
            "│ longest script 6.2 ms",
            " 6,198 deleted · 2 moved on",
        ] {
            assert!(shown.contains(words), "{order:?}: {words} in {shown}");
        }
    }
}

#[test]
fn a_small_terminal_tells_of_it_in_the_header() {
    picture("bulk_38x9", &under_way((38, 9), Order::Go, None));
}

#[test]
fn in_plain_ascii_the_bar_is_one_too() {
    let mut m = under_way(SMALL, Order::Go, None);
    m.look.ascii = true;
    let text = text(&m);
    assert!(text.contains("=====>---"), "{text}");
}

fn text(m: &Model) -> String {
    let buf = draw(m);
    buf.content
        .iter()
        .map(ratatui::buffer::Cell::symbol)
        .collect()
}

#[test]
fn the_changes_of_the_journal() {
    for (name, size) in [("80x24", SMALL), ("120x40", MIDDLE), ("200x60", LARGE)] {
        let mut m = evening(size, look());
        m.tab = Tab::Changes;
        m.focus = Pane::Entries;
        past(&mut m);
        picture(&format!("journal_{name}"), &m);
    }
    let mut m = evening(SMALL, look());
    m.screen = Screen::Queue;
    m.tab = Tab::Changes;
    m.changes.trouble = Some("permission denied".to_owned());
    picture("journal_unread_80x24", &m);
}

#[test]
fn a_change_that_is_looked_at() {
    picture("change_80x24", &looked_at(SMALL));
    picture("change_120x40", &looked_at(MIDDLE));
    picture("change_200x60", &looked_at(LARGE));
}
