//! A moment of the past, and the strip that leads there.

use std::sync::Arc;

use delayscope::clock::EpochMillis;
use delayscope::tui::keys::Action;
use delayscope::tui::look::Look;
use delayscope::tui::model::{Model, Screen};
use delayscope::tui::msg::Msg;
use delayscope::tui::past::record::Snapshot;
use delayscope::tui::update::update;

use crate::screens::build::{evening, look};
use crate::screens::pictures::{LARGE, MIDDLE, SMALL, picture};

/// The evening's queues after ten minutes of watching: until the last five nothing was wrong.
fn watched(size: (u16, u16), look: Look) -> Model {
    let mut m = evening(size, look);
    let now = m.now;
    for row in &mut m.queues {
        let Some(pulse) = &row.pulse else { continue };
        for second in (0_i64..=600).rev() {
            let mut then = pulse.clone();
            then.at = EpochMillis::new(now.get() - second * 1_000);
            let findings = if second > 300 { &[][..] } else { &row.findings };
            Arc::make_mut(&mut row.record).keep(&Snapshot {
                pulse: &then,
                rates: [Some(120.0), Some(118.5), None],
                findings,
                survey: row.survey.as_ref(),
                apart_ms: 0,
            });
        }
    }
    m
}

/// The screen as it was a while ago.
pub(crate) fn looking_back(size: (u16, u16), look: Look, screen: Screen) -> Model {
    let mut m = watched(size, look);
    m.screen = screen;
    for _ in 0..20 {
        update(&mut m, Msg::Asked(Action::Earlier));
    }
    m
}

#[test]
fn a_moment_of_the_past_as_it_was_then() {
    for (name, size) in [("80x24", SMALL), ("120x40", MIDDLE), ("200x60", LARGE)] {
        let m = looking_back(size, look(), Screen::Dashboard);
        picture(&format!("past_{name}"), &m);
        let m = looking_back(size, look(), Screen::Queue);
        picture(&format!("past_queue_{name}"), &m);
    }
}

#[test]
fn the_strip_of_the_last_minutes_on_the_page_of_a_queue() {
    for (name, size) in [("80x30", (80, 30)), ("120x40", MIDDLE)] {
        let mut m = watched(size, look());
        m.screen = Screen::Queue;
        m.cursor = m
            .queues
            .iter()
            .position(|row| row.worst().is_some())
            .unwrap();
        picture(&format!("strip_{name}"), &m);
    }
}
