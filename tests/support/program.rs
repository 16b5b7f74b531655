//! The real program, as people run it, with a journal of its own.

use std::process::{Command, Stdio};
use std::time::Duration;

use delayscope::clock::instant;
use serde_json::Value;

use crate::support::{Server, room};

/// What one run of it did.
pub struct Run {
    /// From its start to its end, seen from outside.
    pub took: Duration,
    /// The last line that it printed: the summary.
    pub summary: Value,
}

/// A home for its journal, gone with it.
pub struct Program<'a> {
    server: &'a Server,
    home: tempfile::TempDir,
}

impl<'a> Program<'a> {
    /// On that server.
    pub fn new(server: &'a Server) -> Self {
        let home = room();
        Self { server, home }
    }

    /// Runs a change to its end; panics unless everything planned was done.
    pub fn change(&self, words: &[&str]) -> Run {
        self.run(words, &[0])
    }

    /// Runs a change to its end; panics unless it ends with one of these exit codes.
    pub fn run(&self, words: &[&str], codes: &[i32]) -> Run {
        let began = instant();
        let output = Command::new(env!("CARGO_BIN_EXE_delayscope"))
            .args(["-u", &self.server.url()])
            .args(words)
            .args(["--yes", "--json"])
            .env("XDG_STATE_HOME", self.home.path())
            .env("XDG_CONFIG_HOME", self.home.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let took = began.elapsed();
        let said = String::from_utf8_lossy(&output.stdout);
        let last = said.lines().last().unwrap_or_default();
        assert!(
            output
                .status
                .code()
                .is_some_and(|code| codes.contains(&code)),
            "{words:?}: {}\n{last}\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
        let summary = serde_json::from_str(last).unwrap_or_else(|e| panic!("{last:?}: {e}"));
        Run { took, summary }
    }
}

impl Run {
    /// From its first script to its last, as it says itself.
    pub fn own(&self) -> Duration {
        Duration::from_millis(self.summary["elapsed_ms"].as_u64().expect("elapsed_ms"))
    }
}
