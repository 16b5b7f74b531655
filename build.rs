//! Tells the program what it is built from, for `delayscope --version`: the target, and the commit
//! where one can be known. A crate from a registry has it in `.cargo_vcs_info.json`, a clone in Git;
//! whoever builds from neither can say it in `DELAYSCOPE_COMMIT`.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// The variable in which a builder names the commit.
const COMMIT: &str = "DELAYSCOPE_COMMIT";

/// Digits of a commit that are told.
const DIGITS: usize = 12;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={COMMIT}");
    let target = env::var("TARGET").unwrap_or_default();
    println!("cargo::rustc-env=DELAYSCOPE_TARGET={target}");
    let commit = commit().unwrap_or_else(|| "unknown".to_owned());
    println!("cargo::rustc-env={COMMIT}={commit}");
}

fn commit() -> Option<String> {
    if let Some(told) = env::var(COMMIT).ok().filter(|told| !told.is_empty()) {
        return Some(told.chars().take(DIGITS).collect());
    }
    let home = env::var_os("CARGO_MANIFEST_DIR")?;
    let home = Path::new(&home);
    if let Ok(info) = fs::read_to_string(home.join(".cargo_vcs_info.json")) {
        return of_package(&info);
    }
    // Who works on the program commits often: each commit would build everything anew.
    if env::var("PROFILE").is_ok_and(|profile| profile != "release") {
        return Some("unknown (a debug build)".to_owned());
    }
    // A copy within another repository is none of that repository's commits.
    if !git(home, &["rev-parse", "--show-prefix"])?.is_empty() {
        return None;
    }
    for file in ["HEAD", "logs/HEAD"] {
        let path = git(home, &["rev-parse", "--git-path", file])?;
        if home.join(&path).exists() {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    git(home, &["log", "-1", "--abbrev=12", "--format=%h of %cs"])
}

/// The commit that `cargo package` has noted.
fn of_package(info: &str) -> Option<String> {
    let (_, rest) = info.split_once("\"sha1\"")?;
    let digits = rest.split('"').nth(1)?;
    let is_commit = digits.len() > DIGITS && digits.chars().all(|c| c.is_ascii_hexdigit());
    is_commit.then(|| digits[..DIGITS].to_owned())
}

fn git(home: &Path, words: &[&str]) -> Option<String> {
    let out = Command::new("git").current_dir(home).args(words).output();
    let out = out.ok().filter(|out| out.status.success())?;
    Some(String::from_utf8(out.stdout).ok()?.trim().to_owned())
}
