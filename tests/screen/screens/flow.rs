//! The line that tells the flow of a queue.

use delayscope::queue::Change;
use delayscope::tui::flow::flow;
use delayscope::tui::model::{Model, Screen};
use delayscope::tui::tabs::Tab;
use ratatui::style::Color;

use crate::desk::{Desk, START, World, score};
use crate::screens::build::{announced, evening, look};
use crate::screens::pictures::{LARGE, draw};

/// The line below the header.
fn line(m: &Model) -> String {
    let picture = draw(m);
    let symbols = (0..m.size.0).map(|x| picture[(x, 1)].symbol());
    symbols.collect::<String>().trim().to_owned()
}

/// The screen of a queue of so many entries, due from that moment on each second.
fn desk(world: World) -> Desk {
    let mut desk = Desk::of(vec![world]);
    desk.model.screen = Screen::Queue;
    desk
}

fn abandoned() -> World {
    World {
        clients: 0,
        ..World::new("orders", 5, -60_000, 1000)
    }
}

#[test]
fn before_there_are_two_readings_no_rate_is_told() {
    let desk = desk(abandoned());
    let told = "offered … → timeouts 5 → transferred … → target 0 → taken …";
    assert_eq!(line(&desk.model), told);
}

#[test]
fn where_late_entries_stand_still_the_arrow_to_target_is_broken() {
    let mut desk = desk(abandoned());
    desk.live(12_000, 1);
    let told = "offered 0/s → timeouts 5 → transferred 0/s ✖ → target 0 → taken 0/s";
    assert_eq!(line(&desk.model), told);
    // It is as red as what is late, and all else is not.
    let picture = draw(&desk.model);
    let red = |symbol: &str| {
        let cells = (0..desk.model.size.0).map(|x| &picture[(x, 1)]);
        let mut of_it = cells.filter(|cell| cell.symbol() == symbol);
        of_it.clone().count() > 0 && of_it.all(|cell| cell.fg == Color::Red)
    };
    assert_eq!([red("✖"), red("f")], [true, false]);
    // Offers go on.
    for second in 0..12 {
        let due = START.plus(3_600_000 + second);
        let member = format!("later {second}").into_bytes();
        desk.world[0].entries.push((member, score(due)));
        desk.live(1_000, 1);
    }
    let told = "offered 1.0/s → timeouts 17 → transferred 0/s ✖ → target 0 → taken 0/s";
    assert_eq!(line(&desk.model), told);
    desk.model.size = (80, 24);
    assert_eq!(line(&desk.model), told);
}

#[test]
fn what_leaves_timeouts_is_transferred_and_what_does_not_stay_in_target_is_taken() {
    let mut desk = desk(World::new("orders", 60, 1_000, 1_000));
    for _ in 0..15 {
        desk.live(1_000, 1);
        let now = score(desk.now());
        desk.world[0].entries.retain(|(_, due)| *due > now);
    }
    desk.live(500, 1);
    let told = line(&desk.model);
    let [before, after] = ["offered 0/s → timeouts 4", "target 0 → taken ~1."];
    assert!(told.starts_with(before), "{told}");
    assert!(told.contains("transferred ~1."), "{told}");
    assert!(told.contains(after), "{told}");
    assert!(!told.contains('✖'), "{told}");
}

#[test]
fn deleted_entries_belie_the_sum_and_no_offers_are_told() {
    let mut desk = desk(World::new("orders", 60, 3_600_000, 1_000));
    desk.live(12_000, 1);
    desk.world[0].entries.truncate(30);
    desk.live(3_000, 1);
    let told = flow(&desk.model).unwrap();
    assert_eq!(told.offered, None);
    assert!(told.transferred.unwrap().per_s < 0.01);
}

#[test]
fn what_we_have_moved_ourselves_is_no_flow() {
    let mut desk = desk(World::new("orders", 60, 3_600_000, 1_000));
    desk.world[0].target = vec![b"copy".to_vec(); 200];
    desk.live(12_000, 1);
    desk.world[0].target.truncate(10);
    let now = desk.now();
    desk.model.queues[0]
        .watch
        .changed_by_us(Change::Delete, now);
    desk.live(3_000, 1);
    assert_eq!(flow(&desk.model).unwrap().taken, None);
    desk.live(12_000, 1);
    assert!(flow(&desk.model).unwrap().taken.is_some());
}

#[test]
fn where_more_is_published_in_a_minute_than_is_kept_it_is_told_as_about_so_much() {
    let told = |count: i64, each_ms: i64| {
        let mut m = evening(LARGE, look());
        m.tab = Tab::Traffic;
        let all = (0..count).map(|n| announced("orders", -n * each_ms, b"1"));
        m.traffic.heard = all.collect::<Vec<_>>().into_iter().rev().collect();
        let picture = draw(&m);
        let row = |y| (0..m.size.0).map(move |x| (x, y));
        let rows = (0..m.size.1).map(|y| row(y).map(|at| picture[at].symbol()).collect());
        let mut rows = rows.collect::<Vec<String>>().into_iter();
        let row = rows.find(|row| row.contains("published/min")).unwrap();
        let (before, _) = row.split_once(" published/min").unwrap();
        before.rsplit(' ').next().unwrap().to_owned()
    };
    assert_eq!(told(100, 10), "100");
    // A thousand are kept: those of the last ten seconds.
    assert_eq!(told(1_000, 10), "~6,006");
    assert_eq!(told(1_000, 100), "600");
}
