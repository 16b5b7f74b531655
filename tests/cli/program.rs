//! Runs the binary, hermetically, and takes apart what it said.

#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStderr, ChildStdout, Command, Output, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{PATIENCE, Server, room, signal, wait_for};

/// No run lasts longer: one that hangs is killed, which fails its test.
const LIFETIME: Duration = Duration::from_secs(300);

/// The binary beside a server of its own.
pub(crate) struct Program {
    pub(crate) server: Server,
    home: TempDir,
}

/// What a run said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Program {
    pub(crate) fn start() -> Self {
        Self::at(Server::start())
    }

    pub(crate) fn at(server: Server) -> Self {
        let home = room();
        Self { server, home }
    }

    /// The binary with those arguments behind the server's socket.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = bare(self.home.path());
        command.arg("-s").arg(self.server.socket()).args(args);
        command
    }

    /// The binary at the server of a profile that this file has.
    pub(crate) fn command_of_profile(&self, profile: &str, file: &std::path::Path) -> Command {
        let mut command = bare(self.home.path());
        command
            .args(["--profile", profile])
            .arg("--config")
            .arg(file);
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Said {
        said(&mut self.command(args))
    }

    /// The same from another machine, whose journal knows nothing.
    pub(crate) fn run_elsewhere(&self, args: &[&str]) -> Said {
        let home = room();
        let mut command = bare(home.path());
        command.arg("-s").arg(self.server.socket()).args(args);
        said(&mut command)
    }

    pub(crate) fn run_with_input(&self, args: &[&str], input: &[u8]) -> Said {
        with_input(&mut self.command(args), input)
    }

    /// Offers one message with a byte-id frame.
    pub(crate) fn offer(&self, queue: &str, text: &str, after: &str) {
        self.run(&["offer", queue, text, "--in", after, "--form", "byte-id"])
            .done();
    }

    /// Starts it and leaves it running.
    pub(crate) fn begin(&self, args: &[&str]) -> Running {
        self.begin_reading(args, Stdio::null())
    }

    /// The same with an input that stays open as long as its other end.
    pub(crate) fn begin_reading(&self, args: &[&str], input: impl Into<Stdio>) -> Running {
        let mut command = self.command(args);
        command.stdin(input);
        begun(command)
    }

    /// The same as a job of its own, as a shell starts it: what nobody could continue is not stopped.
    pub(crate) fn begin_job(&self, args: &[&str]) -> Running {
        let mut command = self.command(args);
        command.stdin(Stdio::null()).process_group(0);
        begun(command)
    }
}

/// Starts a command and leaves it running.
pub(crate) fn begun(mut command: Command) -> Running {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let (mut child, lives) = spawned(&mut command);
    let out = BufReader::new(child.stdout.take().unwrap());
    let err = BufReader::new(child.stderr.take().unwrap());
    let complained = String::new();
    Running {
        child: Alive(child, lives),
        out,
        err,
        complained,
    }
}

/// The binary without a server.
pub(crate) fn local(args: &[&str]) -> Said {
    let home = room();
    said(bare(home.path()).args(args))
}

/// The same with something on standard input.
pub(crate) fn local_with_input(args: &[&str], input: &[u8]) -> Said {
    let home = room();
    with_input(bare(home.path()).args(args), input)
}

pub(crate) fn bare(home: &std::path::Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_delayscope"));
    for name in ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "HOME"] {
        command.env(name, home);
    }
    command.env("TZ", "UTC").env_remove("REDISCLI_AUTH");
    command.env_remove("DELAYSCOPE_SENTINEL_AUTH");
    command.env_remove("COLUMNS").env_remove("NO_COLOR");
    command.env_remove("DELAYSCOPE_CONFIG");
    command.env_remove("DELAYSCOPE_PROFILE");
    command
}

pub(crate) fn said(command: &mut Command) -> Said {
    command.stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let (child, _lives) = spawned(command);
    Said::from(child.wait_with_output().unwrap())
}

/// Starts it. It is killed after its lifetime, unless what comes with it was dropped.
fn spawned(command: &mut Command) -> (Child, Sender<()>) {
    let child = command.spawn().unwrap();
    let (lives, ended) = channel();
    let (pid, what) = (child.id(), format!("{command:?}"));
    std::thread::spawn(move || {
        if ended.recv_timeout(LIFETIME) == Err(RecvTimeoutError::Timeout) {
            let why = format!("killed, since it has not ended after {LIFETIME:?}");
            let _ = writeln!(std::io::stderr(), "{why}: {what}");
            signal(pid, "-KILL");
        }
    });
    (child, lives)
}

fn with_input(command: &mut Command, input: &[u8]) -> Said {
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let (mut child, _lives) = spawned(command);
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // Beside us, so that neither pipe fills up while we fill the other.
    let feeding = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    let _ = feeding.join();
    Said::from(output)
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Said {
    /// It ended with exit code 0.
    #[track_caller]
    pub(crate) fn done(self) -> Self {
        assert_eq!(self.code, 0, "{self:?}");
        self
    }

    /// It ended with exit code 1.
    #[track_caller]
    pub(crate) fn partly(self) -> Self {
        assert_eq!(self.code, 1, "{self:?}");
        self
    }

    /// It ended with exit code 2 and says this on standard error.
    #[track_caller]
    pub(crate) fn failed(self, why: &str) -> Self {
        assert_eq!(self.code, 2, "{self:?}");
        assert!(self.err.contains(why), "{why:?} is not in {self:?}");
        self
    }

    /// Its lines, each a JSON value.
    #[track_caller]
    pub(crate) fn json(&self) -> Vec<Value> {
        self.out.lines().map(parsed).collect()
    }
}

#[track_caller]
fn parsed(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"))
}

/// A process that does not outlive the test, also where this fails.
struct Alive(
    Child,
    #[expect(dead_code, reason = "its end is what tells")] Sender<()>,
);

impl Drop for Alive {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A run that goes on.
pub(crate) struct Running {
    child: Alive,
    out: BufReader<ChildStdout>,
    err: BufReader<ChildStderr>,
    /// What was read of its standard error.
    complained: String,
}

impl Running {
    /// The next line.
    pub(crate) fn next_line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        line
    }

    /// The next line, as JSON.
    pub(crate) fn next_json(&mut self) -> Value {
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        parsed(&line)
    }

    /// Whether it is stopped for a while.
    pub(crate) fn is_stopped(&self) -> bool {
        let id = self.child.0.id().to_string();
        let said = Command::new("ps")
            .args(["-o", "state=", "-p", &id])
            .output();
        said.unwrap().stdout.trim_ascii_start().starts_with(b"T")
    }

    /// Sends it a signal by its name, such as `INT`.
    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.0.id().to_string();
        let status = Command::new("kill").args(["-s", name, &id]).status();
        assert!(status.unwrap().success());
    }

    /// Waits until it has said this on standard error.
    pub(crate) fn error_has(&mut self, words: &str) {
        while !self.complained.contains(words) {
            let read = self.err.read_line(&mut self.complained).unwrap();
            assert!(read > 0, "{words:?} is not in {:?}", self.complained);
        }
    }

    /// The line of standard error that has these words, once it has said it.
    pub(crate) fn error_line(&mut self, words: &str) -> String {
        self.error_has(words);
        let line = self.complained.lines().find(|line| line.contains(words));
        line.unwrap().to_owned()
    }

    /// Nobody reads its output any more.
    pub(crate) fn close_output(self) -> Said {
        let Self {
            child,
            out,
            err,
            complained,
        } = self;
        drop(out);
        ended(child, String::new(), err, complained)
    }

    /// Waits until it has ended by itself, and reads the rest.
    pub(crate) fn ended(mut self) -> Said {
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).unwrap();
        ended(self.child, rest, self.err, self.complained)
    }
}

fn ended(mut child: Alive, out: String, mut rest: impl Read, mut err: String) -> Said {
    let mut status = None;
    wait_for(&format!("the program to end within {PATIENCE:?}"), || {
        status = child.0.try_wait().unwrap();
        status.is_some()
    });
    rest.read_to_string(&mut err).unwrap();
    let code = status.and_then(|s| s.code()).unwrap_or(-1);
    Said { code, out, err }
}

/// The names of an object's fields, in order.
pub(crate) fn names(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}
