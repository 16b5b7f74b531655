//! The configuration file, by the program as it is run.

#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::program::{Program, Said, bare};
use crate::support::Server;

/// A home with a configuration file.
struct Home(TempDir);

impl Home {
    fn with(text: &str) -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        fs::create_dir(home.0.path().join("delayscope")).unwrap();
        fs::write(home.file(), text).unwrap();
        home.mode(0o600);
        home
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("delayscope").join("config.toml")
    }

    fn mode(&self, mode: u32) {
        fs::set_permissions(self.file(), fs::Permissions::from_mode(mode)).unwrap();
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = bare(self.0.path());
        command.args(args);
        command
    }

    fn run(&self, args: &[&str]) -> Said {
        said(&mut self.command(args))
    }
}

fn said(command: &mut Command) -> Said {
    Said::from(command.output().unwrap())
}

fn profile(server: &Server, more: &str) -> String {
    format!("[profiles.here]\nurl = \"{}\"\n{more}\n", server.url())
}

#[test]
fn a_mistake_in_the_file_is_told_with_file_line_and_column_and_ends_everything() {
    let home = Home::with("interval = \"1s\"\nthem = \"dark\"\n");
    for command in [&["queues"][..], &["decode", "00"], &["demo"], &[]] {
        let said = home.run(command);
        let place = format!("delayscope: {}:2:1: ", home.file().display());
        let told = format!("{place}the key \"them\" is unknown. Did you mean theme?\n");
        assert_eq!((said.code, said.err), (2, told), "{command:?}");
    }
}

#[test]
fn a_file_that_is_not_there_says_nothing_unless_it_was_named() {
    let home = Home::with("");
    fs::remove_file(home.file()).unwrap();
    assert_eq!(home.run(&["decode", "61"]).done().err, "");
    let named = home.run(&["decode", "61", "--config", "/nowhere/c.toml"]);
    named.failed("could not read the configuration file /nowhere/c.toml: No such file");
    let mut nowhere = home.command(&["decode", "61"]);
    nowhere
        .env_remove("XDG_CONFIG_HOME")
        .env("HOME", "/dev/null");
    assert_eq!(said(&mut nowhere).done().err, "");
    let mut by_name = home.command(&["decode", "61"]);
    by_name.env("DELAYSCOPE_CONFIG", "/nowhere/env.toml");
    said(&mut by_name).failed("/nowhere/env.toml");
    by_name.arg("--config").arg("/dev/null");
    said(&mut by_name).done();
}

#[test]
fn a_profile_leads_to_its_server_and_its_queues() {
    let program = Program::start();
    program.offer("orders", "hello", "1h");
    program.offer("emails", "hello", "1h");
    let home = Home::with(&profile(&program.server, "queues = [\"orders\"]"));
    let names = |command: &mut Command| -> Vec<String> {
        let queues = said(command).done().json();
        let name = |queue: &serde_json::Value| queue["queue"].as_str().unwrap().to_owned();
        queues.iter().map(name).collect()
    };
    let args = ["queues", "--json", "--profile", "here"];
    assert_eq!(names(&mut home.command(&args)), ["orders"]);
    let mut by_env = home.command(&args[..2]);
    assert_eq!(names(by_env.env("DELAYSCOPE_PROFILE", "here")), ["orders"]);
    let other = home.command(&["queues", "--json", "--profile", "here", "--queue", "emails"]);
    assert_eq!(names(&mut { other }), ["emails"]);
}

#[test]
fn a_read_only_profile_refuses_every_change() {
    let program = Program::start();
    let home = Home::with(&profile(&program.server, "read_only = true"));
    let offer = ["offer", "orders", "x", "--in", "1h", "--form", "byte-id"];
    home.run(&[&offer[..], &["--profile", "here"]].concat())
        .failed("read-only");
    assert_eq!(program.server.int(&["DBSIZE"]), 0);
}

#[test]
fn no_demo_plays_where_it_is_protected() {
    let program = Program::start();
    let home = Home::with(&profile(&program.server, "protected = true"));
    home.run(&["demo", "--profile", "here"])
        .failed("it writes, and profile here is protected.");
    assert_eq!(program.server.int(&["DBSIZE"]), 0);
}

#[test]
fn the_password_comes_from_the_command_and_stands_on_no_command_line() {
    let mut server = Server::start_with(&["--requirepass", "se cret"]);
    server.log_in(None, Some("se cret"));
    let place = format!("unix://{}", server.socket().display());
    let home = Home::with("");
    let key = home.0.path().join("key");
    fs::write(&key, "se cret\nuser: somebody\n").unwrap();
    let lines = home.0.path().join("lines");
    // What is seen of the child and of us while the password is on its way.
    let command = format!(
        "cat {0}; tr '\\\\0' ' ' < /proc/$$/cmdline > {1}; tr '\\\\0' ' ' < /proc/$PPID/cmdline >> {1}; \
         env >> {1}",
        key.display(),
        lines.display()
    );
    let text = format!("[profiles.p]\nurl = \"{place}\"\npassword_command = \"{command}\"\n");
    fs::write(home.file(), text).unwrap();
    home.run(&["queues", "--profile", "p"]).partly();
    let seen = fs::read_to_string(&lines).unwrap();
    assert!(seen.contains("--profile p"), "{seen}");
    assert!(!seen.contains("se cret"), "{seen}");
}

#[test]
fn a_password_command_that_fails_is_told_with_its_end() {
    let text = "[profiles.p]\nurl = \"redis://h\"\n\
                password_command = \"echo secret; echo locked >&2; exit 2\"\n";
    let said = Home::with(text).run(&["queues", "--profile", "p"]);
    let told = "delayscope: the password_command of profile p, \"echo secret; echo locked >&2; \
                exit 2\", ended with exit status: 2: locked.\n";
    assert_eq!((said.code, said.err.as_str()), (2, told));
}

#[test]
fn a_password_that_others_can_read_is_warned_of() {
    let home = Home::with("[profiles.p]\nurl = \"redis://:secret@h\"\n");
    assert_eq!(home.run(&["decode", "61"]).done().err, "");
    home.mode(0o644);
    let said = home.run(&["decode", "61"]).done();
    let file = home.file().display().to_string();
    let told = format!(
        "delayscope: warning: {file} can be read by others and holds the password of profile p. \
         Use password_command, or chmod 600 {file}.\n"
    );
    assert_eq!(said.err, told);
    // Who else can read a file does not matter when it holds no password.
    fs::write(home.file(), "[profiles.p]\nurl = \"redis://h\"\n").unwrap();
    assert_eq!(home.run(&["decode", "61"]).done().err, "");
}

#[test]
fn the_example_can_be_copied_as_it_is() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/config.toml");
    let home = Home::with(&fs::read_to_string(example).unwrap());
    assert_eq!(home.run(&["decode", "61"]).done().err, "");
}

#[test]
fn a_mistake_among_the_keys_is_told_by_every_command() {
    let home = Home::with("[keys]\nfreeze = [\"F\", \"s\"]\n");
    for command in [&["decode", "61"][..], &["queues"], &["demo"]] {
        let said = home.run(command);
        let told = format!(
            "delayscope: {}:2:16: \"s\" does sort already. Choose another key, or give sort \
             another one.\n",
            home.file().display()
        );
        assert_eq!((said.code, said.err), (2, told), "{command:?}");
    }
}
