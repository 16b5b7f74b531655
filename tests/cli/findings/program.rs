//! The real program, looking at a server as people let it.

use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use delayscope::clock::instant;
use delayscope::queue::Queue;
use serde_json::Value;

use crate::findings::patient::Patient;
use crate::support::{PATIENCE, Server};

/// From one look at a running program to the next.
const PAUSE: Duration = Duration::from_millis(20);

/// The program with these words, with an empty home.
fn delayscope(server: &Server, words: &[&str]) -> Command {
    let home = env!("CARGO_TARGET_TMPDIR");
    let mut program = Command::new(env!("CARGO_BIN_EXE_delayscope"));
    program
        .args(["-u", &server.url()])
        .args(words)
        .env("XDG_STATE_HOME", home)
        .env("XDG_CONFIG_HOME", home)
        .stdin(Stdio::null());
    program
}

/// Waits for its end, while others go on.
async fn ended(mut child: Child, patience: Duration) -> Output {
    let end = instant() + patience;
    while child.try_wait().unwrap().is_none() {
        if instant() > end {
            let _ = child.kill();
        }
        tokio::time::sleep(PAUSE).await;
    }
    child.wait_with_output().unwrap()
}

/// `doctor --watch` at work.
pub(crate) struct Watching {
    child: Child,
    span: Duration,
}

impl Watching {
    /// Of that queue, else of all, for so many ms; `login`: a user and his password.
    pub(crate) fn start(
        server: &Server,
        queue: Option<&Queue>,
        login: Option<(&str, &str)>,
        ms: u64,
    ) -> Self {
        let spec = queue.map(|queue| String::from_utf8(queue.spec()).unwrap());
        let span = format!("{ms}ms");
        let mut words = vec!["doctor", "--watch", "--json", "--for", &span];
        words.extend(spec.as_deref());
        let mut program = delayscope(server, &words);
        if let Some((user, password)) = login {
            program.args(["--user", user]);
            program.env("REDISCLI_AUTH", password);
        }
        program.stdout(Stdio::piped()).stderr(Stdio::piped());
        Self {
            child: program.spawn().unwrap(),
            span: Duration::from_millis(ms),
        }
    }

    /// Waits for its end: nothing was a warning or worse.
    pub(crate) async fn was_well(self) {
        let output = ended(self.child, self.span + PATIENCE).await;
        let said = String::from_utf8_lossy(&output.stdout);
        let lines = said.lines().map(|line| serde_json::from_str(line).unwrap());
        let bad: Vec<Value> = lines
            .filter(|line: &Value| line["severity"] != "note")
            .collect();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            bad.is_empty() && output.status.success(),
            "{}: {bad:#?}\n{errors}",
            output.status
        );
    }
}

/// Any other command at work, until it is dropped.
pub(crate) struct Running(Child);

impl Running {
    pub(crate) fn start(server: &Server, words: &[&str]) -> Self {
        let mut program = delayscope(server, words);
        program.stdout(Stdio::null()).stderr(Stdio::null());
        Self(program.spawn().unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What `doctor` said.
pub(crate) struct Doctor {
    /// Of its first line: the rule,
    pub(crate) rule: Option<String>,
    /// how bad it is,
    pub(crate) severity: Option<String>,
    /// the headline,
    pub(crate) headline: String,
    /// that and its details,
    pub(crate) sentence: String,
    /// and the command that mends it.
    pub(crate) command: Option<String>,
    /// All that it said, and its exit code.
    all: (String, Option<i32>),
}

impl Doctor {
    /// Lets it look at the queue for so long.
    async fn looks(patient: &Patient, ms: u64) -> Self {
        Self::with(patient, &["--for", &format!("{ms}ms")]).await
    }

    /// Lets it look at the queue for as long as it thinks fit.
    pub(crate) async fn looks_by_itself(patient: &Patient) -> Self {
        Self::with(patient, &[]).await
    }

    async fn with(patient: &Patient, more: &[&str]) -> Self {
        let spec = String::from_utf8(patient.queue.spec()).unwrap();
        let words = [&["doctor", &spec, "--json"], more].concat();
        let mut program = delayscope(&patient.server, &words);
        program
            .env("XDG_STATE_HOME", patient.home())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let output = ended(program.spawn().unwrap(), PATIENCE * 2).await;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let lines = said.lines().map(|line| serde_json::from_str(line).unwrap());
        let lines: Vec<Value> = lines.collect();
        let untold: Vec<_> = lines.iter().flat_map(crate::json::evidence).collect();
        assert!(untold.is_empty(), "{untold:?}");
        let first = lines.first().unwrap_or(&Value::Null);
        let text = |name: &str| first[name].as_str().map(str::to_owned);
        let errors = String::from_utf8_lossy(&output.stderr);
        Self {
            rule: text("id"),
            severity: text("severity"),
            headline: text("headline").unwrap_or_default(),
            sentence: text("sentence").unwrap_or_default(),
            command: text("repair_command"),
            all: (format!("{said}{errors}"), output.status.code()),
        }
    }

    /// Lets it look for so long (else for as long as it thinks fit), again and again until that
    /// rule comes first; its exit code says whether that is more than a note.
    pub(crate) async fn until_first(
        patient: &Patient,
        rule: &str,
        ms: impl Into<Option<u64>>,
    ) -> Self {
        let (end, ms) = (instant() + PATIENCE, ms.into());
        loop {
            let said = match ms {
                Some(ms) => Self::looks(patient, ms).await,
                None => Self::looks_by_itself(patient).await,
            };
            // On a busy machine what it saw in that time may not decide it.
            let decided = said.severity.as_deref() != Some("undecided");
            if decided && said.rule.as_deref() == Some(rule) {
                let bad = said.severity.as_deref() != Some("note");
                assert_eq!(said.all.1, Some(i32::from(bad)), "{:?}", said.all);
                return said;
            }
            assert!(instant() < end, "not {rule} first: {:?}", said.all);
        }
    }

    /// Lets it look again and again until it ends with 0 (nothing is a warning) and says nothing of
    /// that rule.
    pub(crate) async fn until_well(patient: &Patient, rule: &str) {
        let end = instant() + PATIENCE;
        loop {
            let said = Self::looks(patient, 1_100).await;
            let of_rule = format!("\"id\":\"{rule}\"");
            if said.all.1 == Some(0) && !said.all.0.contains(&of_rule) {
                return;
            }
            assert!(instant() < end, "not mended: {:?}", said.all);
        }
    }
}

/// Runs the command that a finding names; a worker goes on until it is dropped.
pub(crate) async fn repair(patient: &Patient, command: &str) -> Option<Running> {
    let ours = env!("CARGO_BIN_EXE_delayscope");
    let rest = command.strip_prefix("delayscope ").expect(command);
    let home = env!("CARGO_TARGET_TMPDIR");
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &format!("exec {ours} {rest} --yes")])
        .env("XDG_STATE_HOME", patient.home())
        .env("XDG_CONFIG_HOME", home)
        .stdin(Stdio::null());
    if rest.contains(" worker ") {
        shell.stdout(Stdio::null()).stderr(Stdio::null());
        return Some(Running(shell.spawn().unwrap()));
    }
    shell.stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = ended(shell.spawn().unwrap(), PATIENCE).await;
    assert!(
        output.status.success(),
        "{command}: {} {}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    None
}
