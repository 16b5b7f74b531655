//! Lines that are typed, the commands in their box, and the messages at the bottom.

use delayscope::tui::hitmap::Target;
use delayscope::tui::keys::{Code, Key};
use delayscope::tui::look::Look;
use delayscope::tui::model::Model;
use delayscope::tui::msg::Msg;
use delayscope::tui::toast::{Toast, Tone};
use delayscope::tui::update::update;
use ratatui::buffer::Buffer;

use crate::desk::drawn;
use crate::screens::build::{evening, look};
use crate::screens::pictures::{draw, picture};

/// A model into which this was typed.
pub(crate) fn typed(size: (u16, u16), look: Look, text: &str) -> Model {
    let mut m = evening(size, look);
    for c in text.chars() {
        update(&mut m, Msg::KeyPressed(Key::char(c)));
    }
    m
}

fn lines(buf: &Buffer) -> Vec<String> {
    let line = |y| (0..buf.area.width).map(|x| buf[(x, y)].symbol()).collect();
    (0..buf.area.height).map(line).collect()
}

#[test]
fn the_commands_at_three_sizes() {
    for (name, size) in [
        ("palette_80x24", (80, 24)),
        ("palette_120x40", (120, 40)),
        ("palette_200x60", (200, 60)),
    ] {
        picture(name, &typed(size, look(), ":zo"));
    }
    let mut all = typed((80, 24), look(), ":");
    update(&mut all, Msg::KeyPressed(Key::of(Code::Down)));
    picture("palette_all_80x24", &all);
    let no_color = Look {
        no_color: true,
        ..look()
    };
    picture(
        "palette_queues_no_color",
        &typed((80, 24), no_color, ":queue e"),
    );
}

#[test]
fn the_chosen_command_is_always_in_sight() {
    let mut m = typed((80, 24), look(), ":");
    for _ in 0..60 {
        update(&mut m, Msg::KeyPressed(Key::of(Code::Down)));
        let prompt = m.prompt.as_ref().unwrap();
        let line = &prompt.choices[prompt.chosen.unwrap()].line;
        let marked = lines(&draw(&m)).into_iter().find(|row| row.contains("│▌"));
        let marked = marked.unwrap_or_default();
        assert!(marked.contains(&format!("│▌ {line}")), "{line}: {marked}");
    }
}

#[test]
fn a_line_that_is_too_long_shows_where_it_is_typed() {
    for sign in ["/", ":"] {
        let mut m = typed((80, 24), look(), sign);
        update(&mut m, Msg::Pasted("abcdefghij".repeat(20)));
        update(&mut m, Msg::Pasted("END".to_owned()));
        let all = lines(&draw(&m)).join("\n");
        assert!(all.contains("jEND"), "{all}");
    }
}

#[test]
fn what_is_typed_never_commands_the_terminal() {
    let evil = "\u{1b}]0;owned\u{7}\u{202e}\t\u{9b}";
    for sign in ["/", ":", "@", ":queue "] {
        let mut m = typed((80, 24), look(), sign);
        update(&mut m, Msg::Pasted(evil.to_owned()));
        update(&mut m, Msg::KeyPressed(Key::of(Code::Enter)));
        for cell in &draw(&m).content {
            assert!(!cell.symbol().chars().any(char::is_control));
        }
    }
}

#[test]
fn a_message_hides_no_line_that_is_being_typed() {
    for (size, sign) in [
        ((80, 24), "/"),
        ((80, 24), ":"),
        ((20, 6), ":"),
        ((30, 3), "@"),
    ] {
        let mut m = typed(size, look(), sign);
        update(&mut m, Msg::Pasted("12:34".to_owned()));
        m.toast = Some(Toast {
            text: "something went wrong and this is told in very many words ".repeat(4),
            tone: Tone::Error,
            until: m.instant,
        });
        let all = lines(&draw(&m)).join("\n");
        assert!(all.contains("12:34"), "{size:?}: {all}");
    }
}

#[test]
fn a_long_message_has_two_lines_and_more_is_cut_where_it_can_be_seen() {
    let mut m = evening((80, 24), look());
    m.toast = Some(Toast {
        text: format!("{}end", "word ".repeat(20)),
        tone: Tone::Error,
        until: m.instant,
    });
    picture("toast_two_lines", &m);
    let rows = lines(&draw(&m));
    assert!(rows[22].contains("end"), "{rows:?}");
    assert!(rows[23].contains("q quit"), "the hints stay: {rows:?}");
    if let Some(toast) = &mut m.toast {
        toast.text = "word ".repeat(80);
    }
    assert!(lines(&draw(&m))[22].contains('…'));
}

#[test]
fn a_box_of_commands_stays_within_any_terminal() {
    for w in (0..60).chain([99, 100, 130]) {
        for h in (w % 3..30).step_by(3) {
            let m = typed((w, h), look(), ":e");
            let picture = drawn(&m);
            let mut places = picture.places();
            if let Some((outer, _)) = places.find(|(_, target)| *target == Target::Palette) {
                assert!(outer.right() <= w && outer.y + outer.h < h);
            }
        }
    }
}
