//! Builds the Maven module of this folder against a Redisson release, once.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What to say when a tool is missing.
const HINT: &str =
    "the interop tests need a JDK (11 or later) and Maven: run `sh assets/setup.sh --ci`";

/// A log of earlier runs is begun anew when it is longer. In bytes.
const LONGEST_LOG: u64 = 4_000_000;

/// Where everything of this module that can be made again lies.
fn target() -> PathBuf {
    module().join("target")
}

fn module() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/interop")
}

/// A file for what one side says besides its answers, beside that release.
pub fn log_of(release: &str, who: &str) -> fs::File {
    let path = target().join(release).join(who).with_extension("log");
    if fs::metadata(&path).is_ok_and(|file| file.len() > LONGEST_LOG) {
        let _ = fs::remove_file(&path);
    }
    let mut file = fs::OpenOptions::new();
    file.create(true).append(true).open(path).unwrap()
}

/// The class path of the module, built against that release. One build at a time, also between
/// processes: Maven's local repository stands no two that download into it.
pub fn class_path(release: &str) -> String {
    let (module, all) = (module(), target());
    fs::create_dir_all(&all).unwrap();
    let lock = fs::File::create(all.join("lock")).unwrap();
    lock.lock().unwrap();
    let target = all.join(release);
    let stamp = target.join("stamp");
    let wanted = sources_hash(&module);
    if fs::read_to_string(&stamp).ok() != Some(wanted.clone()) || !is_whole(&target) {
        let _ = fs::remove_dir_all(&target);
        run(Command::new("mvn")
            .args(["-q", "-B", &format!("-Dredisson.version={release}")])
            .arg("process-classes")
            .current_dir(&module));
        fs::write(stamp, wanted).unwrap();
    }
    classes_and_libraries(&target)
}

/// A library that gives the program that it is loaded into another clock (see its source).
pub fn wrong_clock() -> PathBuf {
    let (source, library) = (module().join("src/wrong_clock.c"), target());
    fs::create_dir_all(&library).unwrap();
    let library = library.join(format!("wrong_clock-{}.so", std::process::id()));
    run(Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&library, &source]));
    library
}

/// Runs a tool; says what to install when there is none, and what it said when it fails.
fn run(command: &mut Command) {
    let tool = command.get_program().to_string_lossy().into_owned();
    let Output {
        status,
        stdout,
        stderr,
    } = command
        .output()
        .unwrap_or_else(|e| panic!("{tool}: {e}; {HINT}"));
    assert!(
        status.success(),
        "{command:?} failed ({HINT}):\n{}{}",
        String::from_utf8_lossy(&stdout),
        String::from_utf8_lossy(&stderr)
    );
}

/// Panics with the hint when there is no java to run.
pub fn need_java() {
    run(Command::new("java").arg("-version"));
}

fn classes_and_libraries(target: &Path) -> String {
    let libraries = fs::read_to_string(target.join("classpath.txt")).unwrap_or_default();
    format!("{}:{}", target.join("classes").display(), libraries.trim())
}

/// Whether all that the class path names is there: a local repository can be cleared.
fn is_whole(target: &Path) -> bool {
    let path = classes_and_libraries(target);
    path.len() > 1 && path.split(':').all(|part| Path::new(part).exists())
}

/// Changes with every source of the module.
fn sources_hash(module: &Path) -> String {
    let mut files = vec![module.join("pom.xml")];
    list(&module.join("src"), &mut files);
    files.sort();
    let mut hash = DefaultHasher::new();
    for file in files {
        fs::read(file).unwrap().hash(&mut hash);
    }
    format!("{:016x}", hash.finish())
}

fn list(dir: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            list(&path, files);
        } else {
            files.push(path);
        }
    }
}
