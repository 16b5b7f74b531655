//! The real program, run to its end or killed on the way.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use delayscope::clock::instant;
use serde_json::Value;

use crate::kill::proxy::Proxy;
use crate::support::{PATIENCE, Server, room};

/// The program and the home of its journal, which is gone with it.
pub struct Program {
    home: tempfile::TempDir,
    url: String,
}

/// What one run of it said.
pub struct Said {
    /// What was typed and how it ended, for failures.
    pub told: String,
    /// Its exit code; none when it was killed.
    pub code: Option<i32>,
    /// The lines that it printed.
    pub lines: Vec<Value>,
}

impl Program {
    /// On that server.
    pub fn new(server: &Server) -> Self {
        Self {
            home: room(),
            url: server.url(),
        }
    }

    /// Runs it to its end.
    pub fn run(&self, words: &[&str], input: &str) -> Said {
        self.end(words, self.start(&self.url, words, input))
    }

    /// The same without anything to read or to ask: a change, with `--yes`.
    pub fn change(&self, words: &[&str]) -> Said {
        self.run(&[words, &["--yes"]].concat(), "")
    }

    /// Runs it through `proxy`; kills it there, or after that time, whichever comes first.
    pub fn kill(
        &self,
        words: &[&str],
        input: &str,
        proxy: &Proxy,
        after: Duration,
    ) -> Result<Said, String> {
        let began = instant();
        let mut child = self.start(&proxy.url(), words, input);
        // Longer than anything takes: then it hangs, and is killed all the same.
        while began.elapsed() < after.min(PATIENCE) {
            if proxy.reached() || child.try_wait().unwrap().is_some() {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        // SIGKILL. It may have ended already.
        let _ = child.kill();
        let hung = began.elapsed() >= PATIENCE;
        let said = self.end(words, child);
        proxy.drain();
        if hung {
            let [scripts, bytes] = proxy.passed();
            let passed = format!("{scripts} scripts and {bytes} bytes passed");
            return Err(format!(
                "neither the point nor the end came; {passed}: {}",
                said.told
            ));
        }
        Ok(said)
    }

    /// Runs it through `proxy` to its end.
    pub fn run_through(&self, words: &[&str], input: &str, proxy: &Proxy) -> Said {
        self.end(words, self.start(&proxy.url(), words, input))
    }

    /// Starts it through `proxy`.
    pub fn begin(&self, words: &[&str], proxy: &Proxy) -> Child {
        self.start(&proxy.url(), words, "")
    }

    /// Starts it.
    pub fn begin_straight(&self, words: &[&str]) -> Child {
        self.start(&self.url, words, "")
    }

    /// Runs a command as it was printed, with an answer to what it asks.
    pub fn as_printed(&self, command: &str) -> Said {
        let words: Vec<&str> = command.split(' ').collect();
        assert_eq!(words[0], "delayscope", "{command}");
        let words = [&words[1..], &["--yes"]].concat();
        self.end(&words, self.spawn(&words, ""))
    }

    fn start(&self, url: &str, words: &[&str], input: &str) -> Child {
        self.spawn(&[&["-u", url], words].concat(), input)
    }

    fn spawn(&self, words: &[&str], input: &str) -> Child {
        let mut child = Command::new(env!("CARGO_BIN_EXE_delayscope"))
            .args(words)
            .arg("--json")
            .env("XDG_STATE_HOME", self.home.path())
            .env("XDG_CONFIG_HOME", self.home.path())
            .stdin(Stdio::piped())
            .stdout(self.file("out"))
            .stderr(self.file("err"))
            .spawn()
            .unwrap();
        // Fails only when it has ended already, which its exit code tells better.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child
    }

    /// Waits for its end; what it said.
    pub fn end(&self, words: &[&str], child: Child) -> Said {
        let Output { status, .. } = child.wait_with_output().unwrap();
        let out = std::fs::read_to_string(self.path("out")).unwrap();
        let err = std::fs::read_to_string(self.path("err")).unwrap();
        let shown: String = out.lines().rev().take(3).collect::<Vec<_>>().join("\n");
        // A line that was being written when it died is no JSON.
        let lines = out
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok());
        Said {
            told: format!("delayscope {}: {status}\n{shown}\n{err}", words.join(" ")),
            code: status.code(),
            lines: lines.collect(),
        }
    }

    fn file(&self, name: &str) -> std::fs::File {
        std::fs::File::create(self.path(name)).unwrap()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }
}

impl Said {
    /// The last line: a change's summary.
    pub fn summary(&self) -> &Value {
        self.lines
            .last()
            .unwrap_or_else(|| panic!("no summary: {}", self.told))
    }

    /// A number of the summary.
    pub fn count(&self, field: &str) -> u64 {
        self.summary()[field]
            .as_u64()
            .unwrap_or_else(|| panic!("no {field}: {}", self.told))
    }
}
