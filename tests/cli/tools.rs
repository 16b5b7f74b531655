//! What makes the program at home on a machine: its manual, completions and version.

use std::path::Path;
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
        let script = local(&["completions", shell]).done().out;
        insta::assert_snapshot!(format!("completions_{shell}"), script);
    }
    assert!(local(&["completions", "tcsh"]).err.contains("powershell"));
}

/// A page of the manual, without what is said of the build.
fn page(words: &[&str]) -> String {
    let page = local(words).done().out;
    let page = page.split(".SH VERSION").next().unwrap();
    page.replace(env!("CARGO_PKG_VERSION"), "VERSION")
}

#[test]
fn the_manual_is_for_the_program_and_for_each_command() {
    insta::assert_snapshot!("man", page(&["man"]));
    insta::assert_snapshot!("man_transfer", page(&["man", "transfer"]));
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
    let told = |word: &str| {
        let line = long.lines().find(|line| line.starts_with(word));
        line.unwrap_or_else(|| panic!("{word} in {long}"))
            .trim_start_matches(word)
            .trim()
            .to_owned()
    };
    let screen = if cfg!(feature = "tui") { "tui" } else { "none" };
    assert_eq!(told("features"), screen);
    assert!(
        told("target").contains(std::env::consts::ARCH) && told("target").contains("linux"),
        "{long}"
    );
    assert!(!told("commit").is_empty(), "{long}");
}

/// What the build script says of the commit, in `folder`, for a release unless that is changed.
fn commit_told(folder: &Path, change: &[(&str, &str)]) -> String {
    let script = folder.join("build-script");
    if !script.exists() {
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/build.rs");
        let built = Command::new(rustc)
            .args(["--edition=2024", "-o", script.to_str().unwrap(), source])
            .status()
            .unwrap();
        assert!(built.success());
    }
    let out = Command::new(&script)
        .env_remove("DELAYSCOPE_COMMIT")
        .env("CARGO_MANIFEST_DIR", folder)
        .env("PROFILE", "release")
        .env("TARGET", "x86_64-unknown-linux-musl")
        .envs(change.iter().copied())
        .output()
        .unwrap();
    let said = String::from_utf8(out.stdout).unwrap();
    assert!(
        said.contains("cargo::rustc-env=DELAYSCOPE_TARGET=x86_64-unknown-linux-musl\n"),
        "{said}"
    );
    let commit = said.lines().find_map(|line| {
        line.strip_prefix("cargo::rustc-env=DELAYSCOPE_COMMIT=")
            .map(str::to_owned)
    });
    commit.unwrap_or_else(|| panic!("{said}"))
}

#[test]
fn the_commit_is_that_of_the_clone_or_of_the_package_and_never_that_of_another_repository() {
    let room = crate::support::room();
    let told = |change: &[(&str, &str)]| commit_told(room.path(), change);
    assert_eq!(told(&[]), "unknown");
    assert_eq!(
        told(&[("DELAYSCOPE_COMMIT", "0123456789abcdef0123")]),
        "0123456789ab"
    );

    let git = |words: &[&str]| {
        let who = ["-c", "user.name=x", "-c", "user.email=x@example.org"];
        let out = Command::new("git")
            .current_dir(room.path())
            .args(who)
            .args(words)
            .output()
            .unwrap();
        assert!(out.status.success(), "{words:?}: {out:?}");
        String::from_utf8(out.stdout).unwrap().trim().to_owned()
    };
    git(&["init", "-q"]);
    git(&["commit", "-q", "--allow-empty", "-m", "one"]);
    let head = git(&["rev-parse", "HEAD"]);
    let of_clone = told(&[]);
    assert_eq!(of_clone.split(' ').next(), Some(&head[..12]), "{of_clone}");
    // Each commit would build all tests anew.
    assert_eq!(told(&[("PROFILE", "debug")]), "unknown (a debug build)");

    let copy = room.path().join("vendor");
    std::fs::create_dir(&copy).unwrap();
    assert_eq!(commit_told(&copy, &[]), "unknown");
    let info = r#"{ "git": { "sha1": "fedcba9876543210fedcba9876543210fedcba98" } }"#;
    std::fs::write(copy.join(".cargo_vcs_info.json"), info).unwrap();
    assert_eq!(commit_told(&copy, &[]), "fedcba987654");
    std::fs::write(copy.join(".cargo_vcs_info.json"), "{\"sha1\": \"\nx=y\"}").unwrap();
    assert_eq!(commit_told(&copy, &[]), "unknown");
}
