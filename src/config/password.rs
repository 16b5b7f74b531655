//! A password from the command that knows it. It is read from the command's output, so that it
//! never stands on a command line, in the environment of a child, or in a file.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::clock::instant;
use crate::queue::text;

/// The longest that a command may take: somebody may have to touch a key, nobody should wait for a
/// server that is gone.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// The time between two looks whether it has ended.
const LOOK: Duration = Duration::from_millis(5);

/// The longest password, in bytes, and the most that is read of a complaint.
const MOST_PASSWORD_BYTES: u64 = 64 * 1024;

/// The reason why there is no password: the command that was run, and how it ended. Never what it printed
/// to its output.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the password_command of profile {profile}, {command:?}, {how}")]
pub struct NoPassword {
    /// The profile whose password it is.
    pub profile: String,
    /// The command, as it stands in the file.
    pub command: String,
    /// The end of the command.
    pub how: PasswordFailure,
}

/// The end of a command that gave no password.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum PasswordFailure {
    /// The shell could not be started.
    NotRun(String),
    /// It failed: its status, and the last line that it complained with.
    Failed(String, Option<String>),
    /// It did not end in time, in seconds.
    TooLong(u64),
    /// Nothing came out, or an empty line.
    Empty,
    /// The first line is no UTF-8.
    NotText,
}

impl fmt::Display for PasswordFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRun(why) => write!(f, "could not be run: {why}"),
            Self::Failed(status, None) => write!(f, "ended with {status}"),
            Self::Failed(status, Some(said)) => write!(f, "ended with {status}: {said}"),
            Self::TooLong(s) => write!(f, "took longer than {s} s. It gets no input to wait for"),
            Self::Empty => f.write_str("printed no password. It is to print it as its first line"),
            Self::NotText => f.write_str("printed a password that is no UTF-8"),
        }
    }
}

/// Runs `command` by the shell; the first line that it prints. It gets no input.
pub(super) fn ask(profile: &str, command: &str, patience: Duration) -> Result<String, NoPassword> {
    run(command, patience).map_err(|how| NoPassword {
        profile: profile.to_owned(),
        command: command.to_owned(),
        how,
    })
}

fn run(command: &str, patience: Duration) -> Result<String, PasswordFailure> {
    let until = instant() + patience;
    let mut child = Command::new("sh")
        .args(["-c", command])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| PasswordFailure::NotRun(error.to_string()))?;
    let line = heard(child.stdout.take(), |out| {
        let mut line = Vec::new();
        out.take(MOST_PASSWORD_BYTES)
            .read_until(b'\n', &mut line)
            .map(|_| line)
    });
    let complaint = heard(child.stderr.take(), |err| {
        let mut said = Vec::new();
        err.take(MOST_PASSWORD_BYTES)
            .read_to_end(&mut said)
            .map(|_| said)
    });
    let too_long = || PasswordFailure::TooLong(patience.as_secs());
    let status = ended(&mut child, until).ok_or_else(too_long)?;
    if !status.success() {
        // Whoever holds standard error open beyond the command has nothing to say about it.
        let said = complaint.recv_timeout(Duration::from_millis(200)).ok();
        return Err(PasswordFailure::Failed(
            status.to_string(),
            said.as_deref().and_then(last_line),
        ));
    }
    let left = until.saturating_duration_since(instant());
    let line = line.recv_timeout(left).map_err(|_| too_long())?;
    let line = String::from_utf8(line).map_err(|_| PasswordFailure::NotText)?;
    match line.trim_end_matches(['\n', '\r']) {
        "" => Err(PasswordFailure::Empty),
        password => Ok(password.to_owned()),
    }
}

/// Tells what `take` makes of a pipe, as soon as it is there. The rest is read too, and dropped: a
/// command that cannot print all that it has to say would fail.
fn heard<R, F>(pipe: Option<R>, take: F) -> Receiver<Vec<u8>>
where
    R: Read + Send + 'static,
    F: FnOnce(&mut BufReader<R>) -> io::Result<Vec<u8>> + Send + 'static,
{
    let (tx, rx) = channel();
    if let Some(pipe) = pipe {
        thread::spawn(move || {
            let mut pipe = BufReader::new(pipe);
            // A pipe that breaks has said nothing; and nobody may wait for it any more.
            let _ = tx.send(take(&mut pipe).unwrap_or_default());
            let _ = io::copy(&mut pipe, &mut io::sink());
        });
    }
    rx
}

/// Waits for the end of the command and returns its status; none when it had not ended by `until`,
/// and was killed.
fn ended(child: &mut Child, until: Instant) -> Option<ExitStatus> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if instant() < until => thread::sleep(LOOK),
            Ok(None) | Err(_) => {
                // It may have ended by itself just now.
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        }
    }
}

/// The last line of a complaint that is not empty, safe to show.
fn last_line(said: &[u8]) -> Option<String> {
    let said = String::from_utf8_lossy(said);
    let last = said.lines().rev().map(str::trim).find(|l| !l.is_empty())?;
    Some(text::cut(&text::printable(last), 200).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(command: &str) -> Result<String, String> {
        ask("production", command, PATIENCE).map_err(|why| why.to_string())
    }

    #[test]
    fn the_first_line_is_the_password() {
        assert_eq!(asked("echo secret").unwrap(), "secret");
        assert_eq!(asked("printf 'a b\\r\\nuser: x\\n'").unwrap(), "a b");
        assert_eq!(asked("printf secret").unwrap(), "secret");
    }

    #[test]
    fn what_follows_the_first_line_is_taken_off_the_command_however_long() {
        let long = "echo secret; head -c 300000 /dev/zero && echo warned >&2";
        assert_eq!(asked(long).unwrap(), "secret");
    }

    #[test]
    fn what_stays_behind_does_not_keep_us() {
        assert_eq!(asked("sleep 20 & echo secret").unwrap(), "secret");
    }

    #[test]
    fn a_command_without_a_password_is_named_with_its_end_and_never_its_output() {
        let of = "the password_command of profile production, ";
        for (command, how) in [
            (
                "echo secret; echo no key >&2; exit 3",
                "ended with exit status: 3: no key",
            ),
            ("echo secret; exit 1", "ended with exit status: 1"),
            ("kill -9 $$", "ended with signal: 9 (SIGKILL)"),
            (
                "true",
                "printed no password. It is to print it as its first line",
            ),
            (
                "echo; echo secret",
                "printed no password. It is to print it as its first line",
            ),
            ("printf '\\377\\n'", "printed a password that is no UTF-8"),
        ] {
            assert_eq!(
                asked(command).unwrap_err(),
                format!("{of}{command:?}, {how}")
            );
        }
    }

    #[test]
    fn a_command_that_hangs_is_given_up() {
        let why = ask("p", "exec sleep 60", Duration::from_millis(50)).unwrap_err();
        assert_eq!(why.how, PasswordFailure::TooLong(0));
    }

    #[test]
    fn a_command_gets_no_input() {
        assert_eq!(asked("cat; echo secret").unwrap(), "secret");
    }
}
