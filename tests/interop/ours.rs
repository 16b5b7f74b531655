//! Our side: the real program, as people run it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};

use serde_json::Value;

use crate::build;
use crate::peer::Side;
use crate::support::PATIENCE;

/// When an offer is due: the words of the command line.
pub enum Due {
    /// After so many ms.
    In(u64),
    /// At that time, in epoch ms.
    At(i64),
}

/// `delayscope` with the server of `side`, printing JSON; it leaves nothing in anybody's home.
fn delayscope(side: &Side, command: &str, queue: &str) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_delayscope"));
    program
        .args(["-u", &side.url])
        .args([command, queue, "--json"])
        .env("XDG_STATE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .env("XDG_CONFIG_HOME", env!("CARGO_TARGET_TMPDIR"))
        .stdin(Stdio::null());
    program
}

/// Offers each value, in the form that the Redisson of `side` reads.
pub fn offer(side: &Side, queue: &str, codec: &str, due: &Due, values: &[String]) {
    let typed: Vec<String> = values.iter().map(|text| typed(codec, text)).collect();
    offer_typed(side, queue, codec, due, &typed);
}

/// What is typed for a text: as it is; but what is JSON by itself, as a JSON string.
fn typed(codec: &str, text: &str) -> String {
    if codec == "json" && serde_json::from_str::<Value>(text).is_ok() {
        return Value::from(text).to_string();
    }
    text.to_owned()
}

/// Offers what is typed. Those that cannot be a line of standard input go one by one as an
/// argument. The ids of the entries.
pub fn offer_typed(
    side: &Side,
    queue: &str,
    codec: &str,
    due: &Due,
    typed: &[String],
) -> Vec<String> {
    let (lines, others): (Vec<&str>, Vec<&str>) = typed
        .iter()
        .map(String::as_str)
        .partition(|text| !text.is_empty() && !text.contains(['\n', '\r']));
    let form = side.release.form.word();
    let (flag, due) = match due {
        Due::In(ms) => ("--in", format!("{ms}ms")),
        Due::At(at) => ("--at", at.to_string()),
    };
    let mut ids = Vec::new();
    let mut offer = |text: &str, input: &str| {
        let words = [text, "--codec", codec, "--form", form, flag, &due, "--each"];
        ids.extend(change(side, "offer", queue, &words, input));
    };
    if !lines.is_empty() {
        offer("-", &(lines.join("\n") + "\n"));
    }
    for text in others {
        offer(text, "");
    }
    ids
}

/// Makes a change, with that on its standard input; the ids of the entries that it names.
pub fn change(side: &Side, command: &str, queue: &str, words: &[&str], input: &str) -> Vec<String> {
    let mut command = delayscope(side, command, queue);
    command.args(words);
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut program = command.spawn().unwrap();
    let mut pipe = program.stdin.take().unwrap();
    pipe.write_all(input.as_bytes()).unwrap();
    drop(pipe);
    let Output {
        status,
        stdout,
        stderr,
    } = program.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&stdout);
    assert!(
        status.success(),
        "{command:?}: {status}\n{told}{}",
        String::from_utf8_lossy(&stderr)
    );
    let lines = told
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let ids = lines.filter_map(|line| Some(line["id"].as_str()?.to_owned()));
    ids.collect()
}

/// The clients that transfer for that queue. Nothing is left of an empty one that nobody listens to:
/// there is no such queue then.
pub fn clients(side: &Side, queue: &str) -> u64 {
    let said = delayscope(side, "show", queue).output().unwrap();
    let why = String::from_utf8_lossy(&said.stderr);
    if why.contains("no queue") {
        return 0;
    }
    assert!(said.status.success(), "show: {why}");
    let shown: Value = serde_json::from_slice(&said.stdout).unwrap();
    shown["transfer_clients"].as_u64().unwrap()
}

/// What a look at that queue prints, a value a line.
pub fn look(side: &Side, command: &str, queue: &str) -> Vec<Value> {
    let said = delayscope(side, command, queue).output().unwrap();
    let told = String::from_utf8_lossy(&said.stdout);
    let why = String::from_utf8_lossy(&said.stderr);
    assert!(said.status.success(), "{command}: {told}{why}");
    let lines = told.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A running `delayscope worker`; ends when dropped.
pub struct Worker(Running);

impl Worker {
    /// Starts it on that queue, moving at most `batch` entries at once (else its own default).
    pub fn start(side: &Side, queue: &str, batch: Option<u32>) -> Self {
        let mut command = delayscope(side, "worker", queue);
        command.arg("--yes");
        if let Some(batch) = batch {
            command.args(["--batch", &batch.to_string()]);
        }
        Self(Running::start(side, &mut command))
    }

    /// Waits until it has said that it moved `least` entries, and ends it; how many it moved and
    /// how many it skipped, all told.
    pub fn end_after(self, least: u64) -> (u64, u64) {
        let mut told = (0, 0);
        let count = |told: &mut (u64, u64), line: &Value| {
            told.0 += line["moved"].as_u64().expect("moved");
            told.1 += line["skipped"].as_u64().expect("skipped");
        };
        while told.0 < least {
            let line = self.0.lines.recv_timeout(PATIENCE);
            count(&mut told, &line.expect("more to be moved"));
        }
        let rest = self.0.end();
        for line in &rest {
            count(&mut told, line);
        }
        told
    }
}

/// A running `delayscope consume`; ends when dropped.
pub struct Consumer(Running);

impl Consumer {
    /// Starts it on that queue.
    pub fn start(side: &Side, queue: &str) -> Self {
        let mut command = delayscope(side, "consume", queue);
        command.arg("--yes");
        Self(Running::start(side, &mut command))
    }

    /// The next element: when it came, in epoch ms of the server, and its text; none if nothing
    /// comes.
    pub fn took(&self) -> Option<(i64, String)> {
        let line = self.0.lines.recv_timeout(PATIENCE).ok()?;
        let at = line["at_ms"].as_i64().expect("at_ms");
        let text = match &line["value"] {
            Value::String(text) => text.clone(),
            Value::Null if line["codec"] == "unknown" => panic!("not decoded: {line}"),
            other => other.to_string(),
        };
        Some((at, text))
    }
}

/// A child that prints a line of JSON for each thing it does.
struct Running {
    process: Child,
    lines: Receiver<Value>,
}

impl Running {
    fn start(side: &Side, command: &mut Command) -> Self {
        command.stdout(Stdio::piped());
        command.stderr(build::log_of(side.release.version, "delayscope"));
        let mut process = command.spawn().unwrap();
        let lines = json_lines(process.stdout.take().unwrap());
        Self { process, lines }
    }

    /// Ends it; what it printed that nobody has read.
    fn end(mut self) -> Vec<Value> {
        let _ = self.process.kill();
        let _ = self.process.wait();
        self.lines.iter().collect()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn json_lines(output: ChildStdout) -> Receiver<Value> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            let value = serde_json::from_str(&line).unwrap_or_else(|e| panic!("{line:?}: {e}"));
            if sender.send(value).is_err() {
                return;
            }
        }
    });
    lines
}
