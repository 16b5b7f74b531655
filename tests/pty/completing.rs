//! Completion in real shells: what a Tab makes of what was typed.

use std::path::Path;
use std::process::Command;

use crate::support::{PATIENCE, Server, frame, room};
use crate::terminal::Terminal;
use crate::{PROGRAM, SIZE};

/// A shell in a terminal, for a user whose program has seen the queue `orders`.
fn shell(program: &[&str], home: &Path) -> Terminal {
    let server = Server::start();
    let orders = delayscope::queue::Queue::redisson("orders");
    let due = server.now().plus(3_600_000).get().to_string();
    server.put(&orders, &frame(1, b"hello"), &due);
    let looked = Command::new(PROGRAM)
        .args(["-s", server.socket().to_str().unwrap(), "queues"])
        .env("XDG_STATE_HOME", home)
        .env("XDG_CONFIG_HOME", home)
        .output()
        .unwrap();
    assert!(looked.status.success(), "{looked:?}");

    let folder = Path::new(PROGRAM).parent().unwrap().display();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap());
    let home = home.to_str().unwrap();
    let env = [
        ("PATH", path.as_str()),
        ("XDG_STATE_HOME", home),
        ("HOME", home),
    ];
    Terminal::start(program, SIZE, &env)
}

/// Types a command and a Tab, waits for what it becomes, and leaves it.
fn completes(terminal: &mut Terminal, typed: &str, becomes: &str) {
    // What comes before the prompt the terminal echoes itself, and the shell draws beside it.
    terminal.wait("an empty prompt", PATIENCE, |shown| {
        let (row, column) = shown.screen().cursor_position();
        let line = shown.screen().rows(0, SIZE.0).nth(row.into());
        column == 2 && line.is_some_and(|line| line.trim_end() == "$")
    });
    terminal.send(format!("{typed}\t").as_bytes());
    let what = format!("{becomes:?} for {typed:?}");
    terminal.wait(&what, PATIENCE, |shown| {
        let (row, column) = shown.screen().cursor_position();
        let line = shown.screen().rows(0, SIZE.0).nth(row.into());
        // The cursor stands behind what was completed, with its space.
        line.is_some_and(|line| {
            let before: String = line.chars().take(column.into()).collect();
            format!("{before:<width$}", width = column.into()).ends_with(becomes)
        })
    });
    terminal.send(b"\x15");
}

fn completes_all(terminal: &mut Terminal) {
    completes(terminal, "delayscope transf", "$ delayscope transfer ");
    completes(terminal, "delayscope show or", "$ delayscope show orders ");
    completes(
        terminal,
        "delayscope transfer orders --max-bl",
        "$ delayscope transfer orders --max-block ",
    );
    completes(
        terminal,
        "delayscope --theme li",
        "$ delayscope --theme light ",
    );
}

#[test]
fn bash_completes_commands_flags_values_and_queues_at_a_tab() {
    let home = room();
    let mut bash = shell(&["bash", "--norc", "--noprofile"], home.path());
    bash.wait_text("$ ");
    bash.send(b"source <(delayscope completions bash); echo re\"\"ady\r");
    bash.wait_text("ready");
    completes_all(&mut bash);
}

#[test]
fn zsh_completes_from_a_folder_of_functions_as_packages_have_it_from_the_first_tab() {
    // `assets/setup.sh --ci` installs it; who only tests need not have it.
    if Command::new("zsh").arg("--version").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "there is no zsh");
        return;
    }
    let home = room();
    let functions = home.path().join("functions");
    std::fs::create_dir(&functions).unwrap();
    let script = Command::new(PROGRAM).args(["completions", "zsh"]).output();
    std::fs::write(functions.join("_delayscope"), script.unwrap().stdout).unwrap();
    let mut zsh = shell(&["zsh", "-f"], home.path());
    zsh.send(b"PS1='$ ' fpath=(~/functions $fpath); autoload -Uz compinit; compinit -u -D; echo re\"\"ady\r");
    zsh.wait_text("ready");
    completes_all(&mut zsh);
}
