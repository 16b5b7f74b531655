//! Prompts, on a terminal of the test's own.

#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use std::io::{Read as _, Write as _};
use std::process::Command;

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use crate::program::Program;
use crate::support::wait_for;

/// The question whose answer is not shown.
const PASSWORD: &str = "Password: ";
/// The mode of a terminal that shows what is typed (`ECHO` of termios).
const ECHO: u32 = 0o10;

/// Runs the binary on a terminal, types `answer` when it asks, and returns what was shown and how
/// it ended.
pub(crate) fn answered(
    program: &Program,
    args: &[&str],
    question: &str,
    answer: &str,
) -> (String, u32) {
    answered_by(
        &program.command(args),
        question,
        format!("{answer}\n").as_bytes(),
    )
}

/// The same of any command; the answer is typed as it is.
pub(crate) fn answered_by(plain: &Command, question: &str, answer: &[u8]) -> (String, u32) {
    on_terminal(plain, Some((question, answer)))
}

/// Runs it on a terminal of 80 columns; `asked`: the question that is waited for, and what is then
/// typed. What was shown, and how it ended.
pub(crate) fn on_terminal(plain: &Command, asked: Option<(&str, &[u8])>) -> (String, u32) {
    let size = PtySize {
        rows: 24,
        cols: 80,
        pixel_width: 0,
        pixel_height: 0,
    };
    let pty = native_pty_system().openpty(size).unwrap();
    let mut command = CommandBuilder::new(plain.get_program());
    command.args(plain.get_args());
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        }
    }
    let mut child = pty.slave.spawn_command(command).unwrap();
    drop(pty.slave);
    let mut reader = pty.master.try_clone_reader().unwrap();
    let mut writer = pty.master.take_writer().unwrap();
    let mut shown = String::new();
    let mut bytes = [0; 4096];
    let mut asked = asked;
    while let Ok(count @ 1..) = reader.read(&mut bytes) {
        shown.push_str(&String::from_utf8_lossy(&bytes[..count]));
        if let Some((question, answer)) = asked.take_if(|(question, _)| shown.contains(*question)) {
            if question == PASSWORD {
                // The question is there a moment before the answer is hidden.
                wait_for("the terminal to hide what is typed", || {
                    let modes = pty.master.get_termios().unwrap();
                    modes.local_flags.bits() & ECHO == 0
                });
            }
            writer.write_all(answer).unwrap();
        }
    }
    assert_eq!(asked, None, "was not asked: {shown}");
    (shown, child.wait().unwrap().exit_code())
}

#[test]
fn consuming_asks_and_names_server_and_depth() {
    let program = Program::start();
    program.server.cmd(&["RPUSH", "orders", "one", "two"]);
    let args = ["consume", "orders", "--count", "1"];
    let (shown, code) = answered(&program, &args, "[y/N]", "n");
    assert!(
        shown.contains(program.server.socket().to_str().unwrap()),
        "{shown}"
    );
    assert!(shown.contains("2 are there"), "{shown}");
    assert_eq!(code, 1);
    assert_eq!(program.server.int(&["LLEN", "orders"]), 2);
    let (shown, code) = answered(&program, &args, "[y/N]", "y");
    assert!(shown.contains("one"), "{shown}");
    assert_eq!(code, 0);
    assert_eq!(program.server.int(&["LLEN", "orders"]), 1);
}

#[test]
fn working_asks_and_nothing_but_yes_is_yes() {
    let program = Program::start();
    program.offer("orders", "hello", "0");
    let args = ["worker", "orders", "--until-empty"];
    for answer in ["", "n", "what"] {
        let (shown, code) = answered(&program, &args, "[y/N]", answer);
        assert!(shown.contains("1 wait"), "{shown}");
        assert_eq!(code, 1);
        assert_eq!(program.server.int(&["EXISTS", "orders"]), 0);
    }
    assert_eq!(answered(&program, &args, "[y/N]", "yes").1, 0);
    assert_eq!(program.server.int(&["LLEN", "orders"]), 1);
}

#[test]
fn an_unknown_frame_form_is_asked_for() {
    let program = Program::start();
    let args = ["offer", "orders", "hello", "--in", "1h"];
    assert_eq!(answered(&program, &args, "Format [byte-id]:", "round").1, 2);
    assert_eq!(program.server.int(&["DBSIZE"]), 0);
    assert_eq!(
        answered(&program, &args, "Format [byte-id]:", "double-id").1,
        0
    );
    let entries = program.run(&["entries", "orders", "--json"]).done().json();
    assert_eq!(entries[0]["form"], "double-id");
}

#[test]
fn a_dumb_terminal_gets_the_queues_as_lines() {
    let program = Program::start();
    program.offer("orders", "hello", "1h");
    let mut plain = program.command(&[]);
    plain.env("TERM", "dumb");
    let (shown, code) = on_terminal(&plain, None);
    assert!(shown.contains("orders"), "{shown}");
    assert!(!shown.contains('\x1b'), "{shown:?}");
    assert_eq!(code, 0);
}

#[test]
fn a_protected_profile_wants_the_queues_name() {
    let program = Program::start();
    program.server.cmd(&["RPUSH", "orders", "one"]);
    let file = tempfile::NamedTempFile::new().unwrap();
    let url = program.server.url();
    let text = format!("[profiles.production]\nurl = \"{url}\"\nprotected = true\n");
    std::fs::write(file.path(), text).unwrap();
    let taken = |answer: &str| {
        let mut plain = program.command_of_profile("production", file.path());
        plain.args(["consume", "orders", "--count", "1"]);
        answered_by(&plain, "type the queue's name:", answer.as_bytes()).1
    };
    assert_eq!(taken("y\n"), 1);
    assert_eq!(program.server.int(&["LLEN", "orders"]), 1);
    assert_eq!(taken("orders\n"), 0);
    assert_eq!(program.server.int(&["LLEN", "orders"]), 0);
}

#[test]
fn a_password_is_asked_for_and_not_shown() {
    let program = Program::start();
    program
        .server
        .cmd(&["CONFIG", "SET", "requirepass", "open sesame"]);
    let args = ["--askpass", "queues"];
    let (shown, code) = answered(&program, &args, PASSWORD, "open sesame");
    assert_eq!(code, 1, "{shown}");
    assert!(shown.contains("no delayed queues in "), "{shown}");
    assert!(!shown.contains("sesame"), "{shown}");
    let (shown, code) = answered(&program, &args, PASSWORD, "wrong");
    assert_eq!(code, 2, "{shown}");
    assert!(!shown.contains("can be seen by others"), "{shown}");
}
