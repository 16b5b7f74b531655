//! The progress of something: one line on standard error that is written over and over.

use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

use super::say;
use crate::clock::instant;
use crate::queue::text;

/// Work that is over sooner says nothing of how far it is.
const QUIET: Duration = Duration::from_millis(300);

/// The line, if standard error is a terminal that can write one over.
pub(super) struct Meter {
    since: Option<Instant>,
    shown: bool,
}

impl Meter {
    pub(super) fn new() -> Self {
        let dumb = std::env::var_os("TERM").is_none_or(|name| name == "dumb");
        Self {
            since: (io::stderr().is_terminal() && !dumb).then(instant),
            shown: false,
        }
    }

    /// Shows `line` in place of the one before, cut to the terminal's width.
    pub(super) fn show(&mut self, line: &str) {
        let passed = |since| instant().saturating_duration_since(since);
        if self.since.is_some_and(|since| passed(since) >= QUIET) {
            let line = text::printable(line);
            say::over(&text::cut(&line, columns().saturating_sub(1)));
            self.shown = true;
        }
    }

    /// Takes the line away, so that something else can be written in its place.
    pub(super) fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            say::over("");
        }
    }
}

/// Columns of the terminal that standard error goes to; one that does not say has 80.
pub(super) fn columns() -> usize {
    let size = terminal_size::terminal_size_of(io::stderr());
    size.map_or(80, |(width, _)| usize::from(width.0))
}
