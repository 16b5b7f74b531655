//! `doctor --watch --exec`: a command of the user's, run for each finding that begins, gets worse or
//! ends.

use std::process::Stdio;
use std::time::Duration;

use anyhow::Context as _;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::super::say;

/// Findings that wait for the command to end at most.
const WAITING: usize = 256;
/// The time for which the last ones are waited for when the watch ends.
const PATIENCE: Duration = Duration::from_secs(5);

/// The command, and the findings that wait for it: it runs for one after the other.
pub(super) struct Hook {
    findings: mpsc::Sender<String>,
    runs: JoinHandle<()>,
}

impl Hook {
    /// Of a command whose words are separated by blanks; no shell reads it.
    pub(super) fn new(command: &str, limit: Duration) -> anyhow::Result<Self> {
        let mut words = command.split_whitespace().map(str::to_owned);
        let program = words.next().context("--exec names no command")?;
        let words: Vec<String> = words.collect();
        let (findings, mut waiting) = mpsc::channel::<String>(WAITING);
        let runs = tokio::spawn(async move {
            while let Some(finding) = waiting.recv().await {
                if let Err(why) = run(&program, &words, &finding, limit).await {
                    say::note(&format!("the command of --exec, {program:?}, {why}"));
                }
            }
        });
        Ok(Self { findings, runs })
    }

    /// Has the command run for this finding, in JSON, when its turn comes.
    pub(super) fn tell(&self, finding: String) {
        if self.findings.try_send(finding).is_err() {
            say::note(&format!(
                "the command of --exec is too slow: {WAITING} findings wait for it, and one was left out"
            ));
        }
    }

    /// Waits a while for those that are left.
    pub(super) async fn end(self) {
        drop(self.findings);
        let mut runs = self.runs;
        if timeout(PATIENCE, &mut runs).await.is_err() {
            say::note("the command of --exec has not ended, and is ended with the watch");
            runs.abort();
            // What it was running is killed with it.
            let _ = runs.await;
        }
    }
}

/// A command and what it has started, killed when nobody waits for it any more.
struct Group(Option<Pid>);

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            let _ = killpg(group, Signal::SIGKILL);
        }
    }
}

/// Runs it with the finding as its standard input. Its complaints are ours; what it prints would mix
/// with what we print, and is dropped.
async fn run(
    program: &str,
    words: &[String],
    finding: &str,
    limit: Duration,
) -> Result<(), String> {
    let mut child = Command::new(program)
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
        .map_err(|why| format!("could not be run: {why}"))?;
    let id = child.id().and_then(|id| i32::try_from(id).ok());
    let mut group = Group(id.map(Pid::from_raw));
    let ended = timeout(limit, async {
        if let Some(mut input) = child.stdin.take() {
            // Who does not read it may know all the same.
            let _ = input.write_all(finding.as_bytes()).await;
            let _ = input.write_all(b"\n").await;
        }
        child.wait().await
    });
    match ended.await {
        Ok(Ok(status)) => {
            group.0 = None;
            if status.success() {
                Ok(())
            } else {
                Err(format!("ended with {status}"))
            }
        }
        Ok(Err(why)) => Err(format!("could not be waited for: {why}")),
        Err(_) => Err(format!(
            "took longer than {}, and was killed",
            super::words(limit)
        )),
    }
}
