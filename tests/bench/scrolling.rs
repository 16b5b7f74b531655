//! How fast a million entries scroll, from the key to the picture that shows the rows, through a
//! pseudo-terminal on the real program with a private server; and that no row is left out.
//!
//! `cargo bench --bench scrolling [-- end-to-end | jumps]`. Each figure stands beside its limit;
//! one that is over it fails the run.

#![expect(clippy::unwrap_used, reason = "a benchmark that fails shall say where")]

#[expect(dead_code, reason = "shared; a part of it is used here")]
mod common;
#[expect(dead_code, reason = "each program uses a part of it")]
#[path = "../support/mod.rs"]
mod support;
#[path = "../support/terminal.rs"]
mod terminal;

use std::cell::RefCell;
use std::ops::RangeInclusive;
use std::process::ExitCode;
use std::time::Duration;

use common::{Limit, asked_for, head, row, spread};
use delayscope::clock::instant;
use delayscope::queue::Queue;
use support::{PATIENCE, Server};
use terminal::{Shown, Terminal};

const PROGRAM: &str = env!("CARGO_BIN_EXE_delayscope");
const HOUR_MS: i64 = 3_600_000;
const ENTRIES: u64 = 1_000_000;
/// The most that an answer may take, in ms.
const LIMIT: f64 = 50.0;

const PAGE_DOWN: &[u8] = b"\x1b[6~";
const PAGE_UP: &[u8] = b"\x1b[5~";

fn main() -> ExitCode {
    if !asked_for() {
        return ExitCode::SUCCESS;
    }
    let server = Server::start();
    // An entry's number is its place: the first is `entry 1`.
    let first = server.now().plus(HOUR_MS);
    server.fill(&Queue::redisson("orders"), ENTRIES, first, 10);
    head("from key to rows, 1 M entries (ms)", &["p50", "p99", "max"]);
    let mut ok = !wanted("end-to-end") || from_end_to_end(&server);
    for size in [(80, 24), (120, 40), (200, 60)] {
        ok &= !wanted("jumps") || jumps(&server, size);
    }
    if ok {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Whether this part was asked for by name, or none was.
fn wanted(part: &str) -> bool {
    let args = std::env::args().skip(1);
    let names: Vec<String> = args.filter(|arg| !arg.starts_with('-')).collect();
    names.is_empty() || names.iter().any(|name| name == part)
}

fn open(server: &Server, size: (u16, u16)) -> Terminal {
    let url = server.url();
    let terminal = Terminal::start(&[PROGRAM, &url, "--queue", "orders"], size, &[]);
    terminal.wait("the first rows", PATIENCE, |s| rows(s).is_some());
    terminal
}

/// What stands in the title of the entries' pane alone.
const TITLE: &str = "1 waiting";

/// The numbers of the entries in sight, when the picture is whole: each row of their pane has
/// one, in order.
fn rows(shown: &Shown) -> Option<RangeInclusive<u64>> {
    if !shown.whole() {
        return None;
    }
    let text = shown.text();
    let below = text
        .lines()
        .skip_while(|line| !line.contains(TITLE))
        .skip(1);
    let ends = |line: &&str| line.starts_with("──") || line.starts_with(['╰', '└']);
    let inside: Vec<&str> = below.take_while(|line| !ends(line)).collect();
    let payloads = inside.iter().filter_map(|line| line.split("entry ").nth(1));
    let there: Vec<u64> = payloads
        .filter_map(|rest| number(rest.split(' ').next()?))
        .collect();
    let (from, to) = (*there.first()?, *there.last()?);
    // In a box, the heads of the columns take a line.
    let full = there.len() + 1 >= inside.len();
    (full && there.into_iter().eq(from..=to)).then_some(from..=to)
}

/// A number as the screen writes it, thousands apart.
fn number(text: &str) -> Option<u64> {
    let end = text.find(|c: char| c != ',' && !c.is_ascii_digit());
    text[..end.unwrap_or(text.len())]
        .replace(',', "")
        .parse()
        .ok()
}

/// Presses a key; the rows that it brings, and how long they took.
fn press(
    terminal: &mut Terminal,
    key: &[u8],
    is_there: impl Fn(&RangeInclusive<u64>) -> bool,
) -> (RangeInclusive<u64>, Duration) {
    let pressed = instant();
    terminal.send(key);
    let now = RefCell::new(None);
    let shown = terminal.wait("the rows", PATIENCE, |s| {
        now.replace(rows(s).filter(|rows| is_there(rows)));
        now.borrow().is_some()
    });
    (now.into_inner().unwrap_or(0..=0), shown - pressed)
}

/// From the first entry to the last, page by page; every entry is seen.
fn from_end_to_end(server: &Server) -> bool {
    let mut terminal = open(server, (200, 60));
    let mut took = Vec::new();
    let mut seen = press(&mut terminal, b"g", |_| true).0;
    assert_eq!(*seen.start(), 1);
    while *seen.end() < ENTRIES {
        let last = *seen.end();
        let (now, span) = press(&mut terminal, PAGE_DOWN, |rows| *rows.end() > last);
        assert!(*now.start() <= last + 1, "{now:?} after {seen:?}");
        took.push(span);
        seen = now;
    }
    let what = format!("end to end, {} page keys, 200×60", took.len());
    told(&what, &took)
}

/// Every way to other rows, each taken again and again.
fn jumps(server: &Server, size: (u16, u16)) -> bool {
    let mut terminal = open(server, size);
    let name = |key: &str| format!("{key}, {}×{}", size.0, size.1);
    let mut ends = [Vec::new(), Vec::new()];
    for _ in 0..100 {
        let (_, span) = press(&mut terminal, b"G", |rows| *rows.end() == ENTRIES);
        ends[0].push(span);
        let (_, span) = press(&mut terminal, b"g", |rows| *rows.start() == 1);
        ends[1].push(span);
    }
    let [last, first] = ends;
    let mut ok = told(&name("G"), &last) & told(&name("g"), &first);
    // Two thirds down the entries have the width of the screen.
    let wheel_down = format!("\x1b[<65;20;{}M", size.1 * 2 / 3);
    let downwards = [
        ("page down", PAGE_DOWN),
        ("wheel down", wheel_down.as_bytes()),
    ];
    for (what, key) in downwards {
        let mut took = Vec::new();
        let mut seen = press(&mut terminal, b"g", |rows| *rows.start() == 1).0;
        for _ in 0..500 {
            let (now, span) = press(&mut terminal, key, |rows| rows.end() > seen.end());
            took.push(span);
            seen = now;
        }
        ok &= told(&name(what), &took);
    }
    let mut seen = press(&mut terminal, b"G", |rows| *rows.end() == ENTRIES).0;
    let mut took = Vec::new();
    for _ in 0..500 {
        let (now, span) = press(&mut terminal, PAGE_UP, |rows| rows.start() < seen.start());
        took.push(span);
        seen = now;
    }
    ok &= told(&name("page up"), &took);
    ok &= told(&name("@"), &times(&mut terminal));
    ok && told(&name("drag"), &drags(&mut terminal))
}

/// To a time and to another one, as often as it takes; each is some hundred thousands away.
fn times(terminal: &mut Terminal) -> Vec<Duration> {
    let mut took = Vec::new();
    for i in 0..50 {
        let (time, far) = [("+90m", false), ("+135m", true)][i % 2];
        terminal.send(format!("@{time}").as_bytes());
        terminal.wait_text(time);
        let is_there = |rows: &RangeInclusive<u64>| {
            let from = *rows.start();
            (if far {
                300_000..700_000
            } else {
                100_000..300_000
            })
            .contains(&from)
        };
        took.push(press(terminal, b"\r", is_there).1);
    }
    took
}

/// Down the scrollbar and up again, row by row.
fn drags(terminal: &mut Terminal) -> Vec<Duration> {
    let mut took = Vec::new();
    let mut seen = press(terminal, b"g", |rows| *rows.start() == 1).0;
    let (x, top) = thumb(&terminal.shown()).unwrap();
    let rows = u16::try_from(seen.end() - seen.start()).unwrap();
    terminal.send(format!("\x1b[<0;{x};{top}M").as_bytes());
    for _ in 0..5 {
        for y in (1..=rows).chain((0..rows).rev()) {
            let to = format!("\x1b[<32;{x};{}M", top + y);
            let (now, span) = press(terminal, to.as_bytes(), |rows| *rows != seen);
            took.push(span);
            seen = now;
            assert_eq!(*seen.start() == 1, y == 0);
            assert_eq!(*seen.end() == ENTRIES, y == rows);
        }
    }
    terminal.send(format!("\x1b[<0;{x};{top}m").as_bytes());
    took
}

/// Where the thumb of the entries' scrollbar is, column and row from 1.
fn thumb(shown: &Shown) -> Option<(u16, u16)> {
    let screen = shown.screen();
    let (rows, columns) = screen.size();
    let line = |row| screen.contents_between(row, 0, row, columns.get());
    let title = (0..rows.get()).find(|row| line(*row).contains(TITLE))?;
    let below = (title..rows.get()).flat_map(|y| (0..columns.get()).map(move |x| (x, y)));
    let is_thumb = |(x, y): &(u16, u16)| screen.cell(*y, *x).is_some_and(|c| c.contents() == "▐");
    below
        .into_iter()
        .find(is_thumb)
        .map(|(x, y)| (x + 1, y + 1))
}

/// Prints how long the answers took. Nearly all of them are held to the limit: the longest one of
/// many thousands is as long as this machine lets a process wait.
fn told(what: &str, took: &[Duration]) -> bool {
    let mut took: Vec<f64> = took
        .iter()
        .map(|span| span.as_secs_f64() * 1000.0)
        .collect();
    let figures = spread(&mut took);
    row(what, &figures, Limit::Most(1, LIMIT));
    figures[1] <= LIMIT
}
