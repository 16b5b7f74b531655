//! The mouse in the real program, as a terminal reports it, and a screen that stands still.

use std::cell::RefCell;
use std::num::NonZeroU16;

use delayscope::queue::Queue;

use super::{ended, open, server, with_data};
use crate::support::{PATIENCE, Server};
use crate::terminal::{Shown, Terminal};

/// Where a text stands, as a terminal counts: from 1.
fn place(shown: &Shown, text: &str) -> (usize, usize) {
    let all = shown.text();
    let mut lines = all.lines().enumerate();
    let at = lines.find_map(|(y, line)| Some((line[..line.find(text)?].chars().count(), y)));
    let (x, y) = at.unwrap_or_else(|| panic!("no {text} on:\n{all}"));
    (x + 1, y + 1)
}

/// Presses and lets go the left button on a text.
fn click(terminal: &mut Terminal, text: &str) {
    terminal.wait_text(text);
    let (x, y) = place(&terminal.shown(), text);
    terminal.send(format!("\x1b[<0;{x};{y}M\x1b[<0;{x};{y}m").as_bytes());
}

#[test]
fn hints_tabs_rows_and_buttons_are_clicked() {
    let server = server(50);
    let mut terminal = open(&server);
    with_data(&terminal);
    click(&mut terminal, "? help");
    terminal.wait_text("Why is it late");
    // Beside the help, on the header.
    terminal.send(b"\x1b[<0;2;1M\x1b[<0;2;1m");
    terminal.wait("no help", PATIENCE, |s| {
        !s.text().contains("Why is it late")
    });
    click(&mut terminal, "2 delivered");
    terminal.wait_text("[2 delivered");
    click(&mut terminal, "1 waiting");
    terminal.wait_text("[1 waiting");
    click(&mut terminal, "entry 3");
    click(&mut terminal, "entry 3");
    terminal.wait_text("next view");
    click(&mut terminal, "hex ─");
    terminal.wait_text("[hex]");
    terminal.send(b"qw");
    terminal.wait_text("⇥ button");
    click(&mut terminal, "[›Esc");
    terminal.wait("no question", PATIENCE, |s| !s.text().contains("⇥ button"));
    terminal.send(b"q");
    ended(&mut terminal, 0);
}

#[test]
fn the_wheel_scrolls_and_a_head_sorts() {
    let server = server(300);
    let zeta = Queue::redisson("zeta");
    server.fill(&zeta, 400, server.now().plus(7_200_000), 10);
    let mut terminal = open(&server);
    with_data(&terminal);
    terminal.wait_text("zeta");
    click(&mut terminal, "waiting");
    terminal.wait_text("queues by waiting");
    terminal.wait("zeta on top", PATIENCE, |s| {
        place(s, "  zeta").1 < place(s, "orders ").1.max(5)
    });
    // The cursor stays on top, so the rows are those of another queue now.
    terminal.wait_text("entry 2");
    let (x, y) = place(&terminal.shown(), "entry 2");
    for _ in 0..4 {
        terminal.send(format!("\x1b[<65;{x};{y}M").as_bytes());
    }
    terminal.wait_text("entry 20");
    terminal.send(b"q");
    ended(&mut terminal, 0);
}

#[test]
fn whatever_is_open_a_resize_and_a_redraw_draw_it_again() {
    let server = server(50);
    let mut terminal = open(&server);
    with_data(&terminal);
    for (open, there) in [
        (&b"?"[..], "Why is it late"),
        (b"w", "⇥ button"),
        (b"o", "^S offer"),
        (b":", "complete"),
        (b"@14:", "@14:"),
        (b"/entry", "/entry"),
    ] {
        terminal.send(open);
        terminal.wait_text(there);
        for (cols, rows) in [(1, 1), (9, 3), (200, 60), (80, 24), (120, 40)] {
            terminal.resize(cols, rows);
        }
        terminal.wait(there, PATIENCE, |s| s.whole() && s.text().contains(there));
        let before = terminal.shown().bytes.len();
        terminal.send(b"\x0c");
        terminal.wait("all cells again", PATIENCE, |s| {
            s.whole() && s.bytes.len() > before + 4_000 && s.text().contains(there)
        });
        terminal.send(b"\x1b");
        terminal.wait("the panes", PATIENCE, |s| {
            !s.text().contains(there) && s.text().contains("Depth")
        });
    }
    terminal.send(b"q");
    ended(&mut terminal, 0);
}

/// Where each picture begins and ends, and what stands between.
fn pictures(bytes: &[u8]) -> Vec<&[u8]> {
    let (begin, end) = (b"\x1b[?2026h", b"\x1b[?2026l");
    let mut rest = bytes;
    let mut all = Vec::new();
    while let Some(at) = rest.windows(begin.len()).position(|w| w == begin) {
        rest = &rest[at + begin.len()..];
        let Some(to) = rest.windows(end.len()).position(|w| w == end) else {
            break;
        };
        all.push(&rest[..to]);
        rest = &rest[to + end.len()..];
    }
    all
}

#[test]
fn a_picture_is_written_at_once_and_only_where_it_differs() {
    let server = Server::start();
    let orders = Queue::redisson("orders");
    server.fill(&orders, 50, server.now().plus(60_000), 60_000);
    let terminal = open(&server);
    with_data(&terminal);
    // Taken between two pictures: the next one may come in pieces.
    let taken = RefCell::default();
    terminal.wait("some seconds", PATIENCE, |s| {
        let enough = s.whole() && pictures(&s.bytes).len() > 8;
        if enough {
            taken.replace(s.bytes.clone());
        }
        enough
    });
    let bytes: Vec<u8> = taken.into_inner();
    let pictures = pictures(&bytes);
    // What is all there is written within pictures: between two of them nothing is.
    let first = bytes.windows(8).position(|w| w == b"\x1b[?2026h");
    let drawn: usize = pictures.iter().map(|picture| picture.len() + 16).sum();
    let since = bytes.len() - first.unwrap_or(0);
    assert_eq!(drawn, since);
    // Countdowns go on; no cell that stands is written again.
    let size = |n| NonZeroU16::new(n).unwrap();
    let mut screen = vt100::Parser::new(size(40), size(120), 0);
    for (i, picture) in pictures.iter().enumerate() {
        let before = marks(&screen);
        screen.process(picture);
        let changed = marks(&screen)
            .iter()
            .zip(&before)
            .filter(|(now, then)| now != then)
            .count();
        let written = characters(picture);
        assert!(
            i == 0 || written <= changed,
            "picture {i}: {written} for {changed}"
        );
    }
}

/// What stands in each cell, and how.
fn marks(parser: &vt100::Parser) -> Vec<String> {
    let screen = parser.screen();
    let all = (0..40).flat_map(|y| (0..120).map(move |x| (y, x)));
    all.map(|(y, x)| format!("{:?}", screen.cell(y, x)))
        .collect()
}

/// Characters in what was written, without what moves and colours.
fn characters(picture: &[u8]) -> usize {
    let text = String::from_utf8_lossy(picture);
    let mut rest = text.chars();
    let mut count = 0;
    while let Some(c) = rest.next() {
        if c == '\x1b' {
            // `CSI … letter`: all that pictures are made of.
            rest.next();
            rest.by_ref().find(char::is_ascii_alphabetic);
        } else {
            count += usize::from(!c.is_control());
        }
    }
    count
}

#[test]
fn a_copy_reaches_the_terminals_clipboard() {
    let server = server(50);
    let mut terminal = open(&server);
    with_data(&terminal);
    terminal.send(b"y");
    terminal.wait_text("copied the payload");
    // OSC 52 with the text in base64: `entry `, and its number.
    let copied = b"\x1b]52;c;ZW50cnkg";
    let shown = terminal.shown();
    let found = shown.bytes.windows(copied.len()).any(|w| w == copied);
    drop(shown);
    assert!(found, "no copy among the bytes");
    terminal.send(b"q");
    ended(&mut terminal, 0);
}
