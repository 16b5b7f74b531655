//! The header says of which profile the server is.

use delayscope::config::{LabelColour, Profile};
use delayscope::tui::look::Look;
use delayscope::tui::model::Model;
use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};

use crate::screens::build::{evening, look, protected};
use crate::screens::pictures::draw;

fn production(size: (u16, u16), look: Look, label: Option<&str>) -> Model {
    let mut m = evening(size, look);
    m.site.profile = Some(Profile {
        label: label.map(ToOwned::to_owned),
        label_colour: Some(LabelColour::Own(9)),
        ..protected("production")
    });
    m
}

fn header(buf: &Buffer) -> String {
    (0..buf.area.width).map(|x| buf[(x, 0)].symbol()).collect()
}

/// The column where `text`, which is ASCII, stands in the header.
#[expect(clippy::unwrap_used, reason = "a failure here is a failed test")]
fn column(buf: &Buffer, text: &str) -> u16 {
    let all: Vec<char> = header(buf).chars().collect();
    let text: Vec<char> = text.chars().collect();
    let at = all.windows(text.len()).position(|w| w == text);
    u16::try_from(at.unwrap()).unwrap()
}

#[test]
fn a_label_stands_in_its_colour_at_every_size() {
    for size in [(80, 24), (120, 40), (200, 60)] {
        let buf = draw(&production(size, look(), Some("PRODUCTION")));
        let x = column(&buf, "PRODUCTION");
        assert_eq!(buf[(x, 0)].fg, Color::Indexed(9));
        let own = draw(&production(size, look(), None));
        column(&own, "profile production");
    }
}

#[test]
fn without_colours_a_label_is_bold() {
    let look = Look {
        no_color: true,
        ..look()
    };
    let buf = draw(&production((120, 40), look, Some("PRODUCTION")));
    let cell = &buf[(column(&buf, "PRODUCTION"), 0)];
    assert_eq!(cell.fg, Color::Reset);
    assert!(cell.modifier.contains(Modifier::BOLD));
}

#[test]
fn a_long_or_hostile_label_leaves_the_link_in_sight() {
    let label = format!("\x1b[2J{}", "long ".repeat(40));
    let header = header(&draw(&production((80, 24), look(), Some(&label))));
    assert!(header.contains("● live"), "{header}");
    assert!(header.contains('…'), "{header}");
    assert!(!header.contains('\x1b'), "{header}");
}
