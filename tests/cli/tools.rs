//! What makes the program at home on a machine: its manual, completions and version.

use std::process::Command;

use crate::program::{Program, local};

/// What a real bash completes `words` to, for a user whose home that program has.
fn completed(program: &Program, words: &[&str]) -> Vec<String> {
    let script = format!(
        "source <(delayscope completions bash); COMP_WORDS=({}); COMP_CWORD={}; COMP_TYPE=9; \
         _clap_complete_delayscope delayscope {}; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        words.join(" "),
        words.len() - 1,
        words.last().unwrap()
    );
    // The home and the binary's folder are those of the program.
    let typed = program.command(&[]);
    let binary = std::path::Path::new(typed.get_program());
    let path = std::env::var("PATH").unwrap();
    let folder = binary.parent().unwrap().display().to_string();
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", &script]);
    for (name, value) in typed.get_envs() {
        if let Some(value) = value {
            bash.env(name, value);
        }
    }
    let out = bash
        .env("PATH", format!("{folder}:{path}"))
        .output()
        .unwrap();
    assert!(out.status.success(), "{out:?}");
    let text = String::from_utf8(out.stdout).unwrap();
    text.lines().map(|line| line.trim().to_owned()).collect()
}

#[test]
fn bash_completes_commands_flags_and_the_queues_seen_last_time() {
    let program = Program::start();
    assert_eq!(completed(&program, &["delayscope", "transf"]), ["transfer"]);
    let flags = completed(&program, &["delayscope", "transfer", "--max-b"]);
    assert_eq!(flags, ["--max-block"]);
    let themes = completed(&program, &["delayscope", "--theme", "l"]);
    assert_eq!(themes, ["light"]);

    assert_eq!(completed(&program, &["delayscope", "show", "ord"]), [""]);
    program.offer("orders", "hello", "1h");
    program.run(&["queues"]).done();
    assert_eq!(
        completed(&program, &["delayscope", "show", "ord"]),
        ["orders"]
    );
}

#[test]
fn each_shell_is_told_how_to_complete() {
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let said = local(&["completions", shell]);
        assert_eq!(said.code, 0, "{said:?}");
        assert!(said.out.contains("delayscope"), "{said:?}");
    }
    assert!(local(&["completions", "tcsh"]).err.contains("powershell"));
}

#[test]
fn the_manual_is_for_the_program_and_for_each_command() {
    assert!(local(&["man"]).out.contains(".TH delayscope 1"));
    let transfer = local(&["man", "transfer"]);
    assert_eq!(transfer.code, 0, "{transfer:?}");
    assert!(
        transfer.out.contains("delayscope\\-transfer"),
        "{transfer:?}"
    );
    let mistyped = local(&["man", "transfr"]);
    assert!(
        mistyped.code == 2 && mistyped.err.contains("did you mean transfer?"),
        "{mistyped:?}"
    );
}

#[test]
fn the_long_version_says_what_was_built() {
    assert_eq!(local(&["-V"]).out.lines().count(), 1);
    let long = local(&["--version"]).out;
    for word in ["commit", "target", "features"] {
        assert!(long.contains(word), "{long}");
    }
}
