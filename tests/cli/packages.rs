//! What is shipped: the script that makes packages, what they hold, and that they run where nothing
//! else is installed.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::support::room;

const HOME: &str = env!("CARGO_MANIFEST_DIR");
const VERSION: &str = env!("CARGO_PKG_VERSION");
const SCRIPT: &str = include_str!("../../assets/dist/make.sh");
const WORKFLOW: &str = include_str!("../../.github/workflows/release.yml");

/// The script with those words, making its packages below `target`.
fn make(target: &Path, words: &[&str]) -> Output {
    Command::new("sh")
        .arg(format!("{HOME}/assets/dist/make.sh"))
        .args(words)
        .env("CARGO_TARGET_DIR", target)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What a command prints; panics unless it succeeds.
fn told(command: &mut Command) -> String {
    let out = command.stdin(Stdio::null()).output().unwrap();
    assert!(out.status.success(), "{command:?}: {out:?}");
    text(&out.stdout)
}

fn has(command: &str) -> bool {
    let asked = Command::new("sh")
        .args(["-c", &format!("command -v {command}")])
        .output();
    asked.unwrap().status.success()
}

/// The commands of the program that have a page in the manual.
fn commands() -> BTreeSet<String> {
    let described = delayscope::args::Args::described();
    let shown = described
        .get_subcommands()
        .filter(|command| !command.is_hide_set());
    shown.map(|command| command.get_name().to_owned()).collect()
}

// --- What the script, the recipes and the workflow say ---------------------------------------------

/// The paths that begin with `before` in a text.
fn paths<'a>(text: &'a str, before: &'a str) -> impl Iterator<Item = &'a str> {
    text.match_indices(before).map(move |(at, _)| {
        let rest = &text[at + before.len()..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"._-/".contains(c));
        rest[..end.unwrap_or(rest.len())].trim_end_matches(['.', '/'])
    })
}

#[test]
fn the_recipes_name_only_files_that_there_are() {
    let recipe = |name: &str| fs::read_to_string(format!("{HOME}/assets/dist/{name}")).unwrap();
    let mut named = Vec::new();
    named.extend(paths(SCRIPT, "$home/").map(str::to_owned));
    named.extend(paths(SCRIPT, "$home\"/").map(str::to_owned));
    named.extend(paths(SCRIPT, "$here/").map(|path| format!("assets/dist/{path}")));
    let flake = recipe("flake.nix");
    named.extend(paths(&flake, "../../").map(str::to_owned));
    let formula = recipe("delayscope.rb");
    named.extend(paths(&formula, "\"assets/").map(|path| format!("assets/{path}")));
    named.extend(paths(WORKFLOW, "sh assets/").map(|path| format!("assets/{path}")));
    assert!(named.len() >= 15, "{named:#?}");
    for path in named {
        // `..` in the script is the way from its folder to the top.
        assert!(Path::new(HOME).join(&path).exists(), "there is no {path}");
    }
}

#[test]
fn the_formula_has_the_sum_of_its_source_and_the_version_of_the_crate() {
    let room = room();
    let source = room.path().join("source.tar.gz");
    fs::write(&source, "a source").unwrap();
    let url = "https://example.org/delayscope-1.tar.gz";
    let out = make(room.path(), &["formula", url, source.to_str().unwrap()]);
    assert!(out.status.success(), "{out:?}");
    let formula = text(&out.stdout);
    let sum = told(Command::new("sha256sum").arg(&source));
    let sum = sum.split(' ').next().unwrap();
    for line in [
        format!("  url \"{url}\""),
        format!("  version \"{VERSION}\""),
        format!("  sha256 \"{sum}\""),
    ] {
        assert!(formula.lines().any(|has| has == line), "{line}: {formula}");
    }
    let rest: Vec<&str> = formula.lines().filter(|line| line.contains('@')).collect();
    assert!(rest.len() == 1 && rest[0].starts_with('#'), "{rest:?}");
    let nothing = make(room.path(), &["formula", url, "/nowhere"]);
    assert!(!nothing.status.success());
    assert!(text(&nothing.stderr).contains("there is no /nowhere"));
}

#[test]
fn the_script_refuses_what_it_does_not_know_or_cannot_run() {
    let room = room();
    let refused = |words: &[&str]| {
        let out = make(room.path(), words);
        assert!(!out.status.success(), "{words:?}");
        text(&out.stderr)
    };
    assert!(refused(&["msi"]).contains("what is msi?"));
    let other = refused(&["--target", "riscv64gc-unknown-linux-gnu", "binary"]);
    assert!(other.contains("is not of this machine"), "{other}");
    assert!(refused(&["--binary", "/nowhere", "deb"]).contains("--binary needs a program"));
    assert!(refused(&["sums"]).contains("nothing in"));
}

#[test]
fn the_release_is_made_by_the_same_script() {
    let calls: Vec<&str> = WORKFLOW
        .lines()
        .filter_map(|line| line.split_once("sh assets/dist/make.sh"))
        .map(|(_, words)| words.trim())
        .collect();
    assert!(calls.len() >= 2, "{calls:?}");
    let known = told(Command::new("sh").args([&format!("{HOME}/assets/dist/make.sh"), "--help"]));
    for call in calls {
        for word in call.split(' ').filter(|word| {
            let is_word = |c: char| c.is_ascii_lowercase() || c == '-';
            !word.is_empty() && word.chars().all(is_word)
        }) {
            assert!(known.contains(word), "{word} in {call:?}");
        }
    }
    for needed in ["ubuntu-24.04-arm", "attest-build-provenance", "SHA256SUMS"] {
        assert!(WORKFLOW.contains(needed), "{needed}");
    }
    let manifest = fs::read_to_string(format!("{HOME}/Cargo.toml")).unwrap();
    let oldest = manifest
        .lines()
        .find_map(|line| line.strip_prefix("rust-version = \""));
    let oldest = oldest.unwrap().trim_end_matches('"');
    // The oldest toolchain is tried there, and the README names the same.
    assert!(WORKFLOW.contains(&format!("cargo +{oldest} check")));
    let readme = fs::read_to_string(format!("{HOME}/README.md")).unwrap();
    assert!(readme.contains(&format!("A Rust toolchain ({oldest} or later)")));
}

#[test]
fn the_crate_holds_what_a_build_and_a_reader_need_and_nothing_else() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let list = ["package", "--list", "--allow-dirty", "--offline"];
    let packed = told(Command::new(cargo).current_dir(HOME).args(list));
    let packed: BTreeSet<&str> = packed.lines().collect();
    let may = |path: &&str| {
        let below = [
            "src/",
            "assets/lua/",
            "assets/prometheus/",
            "assets/grafana/",
        ];
        let of_cargo = [".cargo_vcs_info.json", "Cargo.toml.orig"];
        below.iter().any(|folder| path.starts_with(folder))
            || of_cargo.contains(path)
            || ["build.rs", "Cargo.lock", "Cargo.toml", "CHANGELOG.md"].contains(path)
            || ["LICENSE-APACHE", "LICENSE-MIT", "README.md"].contains(path)
            || ["assets/config.toml", "assets/docs/json.md"].contains(path)
            || Path::new(path).extension().is_some_and(|end| end == "svg")
    };
    let strangers: Vec<&&str> = packed.iter().filter(|path| !may(path)).collect();
    assert!(strangers.is_empty(), "{strangers:?}");
    let kept = told(
        Command::new("git")
            .current_dir(HOME)
            .args(["ls-files", "src", "assets/lua"]),
    );
    let lacking: Vec<&str> = kept.lines().filter(|path| !packed.contains(path)).collect();
    assert!(lacking.is_empty(), "{lacking:?}");
    for needed in [
        "build.rs",
        "Cargo.lock",
        "README.md",
        "assets/config.toml",
        "LICENSE-MIT",
    ] {
        assert!(packed.contains(needed), "{needed}");
    }
}

/// A small program that does what the tested one does.
fn stand_in(room: &Path) -> PathBuf {
    let program = room.join("delayscope");
    let script = format!(
        "#!/bin/sh\nexec '{}' \"$@\"\n",
        env!("CARGO_BIN_EXE_delayscope")
    );
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program
}

#[test]
fn an_archive_and_a_debian_package_hold_manual_completions_licences_and_what_monitors() {
    let room = room();
    let program = stand_in(room.path());
    let mut what = vec!["--binary", program.to_str().unwrap(), "archive"];
    what.extend(has("dpkg-deb").then_some("deb"));
    what.push("sums");
    let out = make(room.path(), &what);
    assert!(out.status.success(), "{out:?}");
    let made = room.path().join("packages");
    told(
        Command::new("sha256sum")
            .current_dir(&made)
            .args(["-c", "SHA256SUMS"]),
    );

    let files = |ends: &str| -> Vec<PathBuf> {
        let all = fs::read_dir(&made).unwrap().map(|one| one.unwrap().path());
        all.filter(|path| path.to_str().unwrap().ends_with(ends))
            .collect()
    };
    let archive = files(".tar.gz").pop().unwrap();
    let mut lists = vec![told(Command::new("tar").arg("-tzf").arg(archive))];
    if let Some(deb) = files(".deb").pop() {
        lists.push(told(Command::new("dpkg-deb").arg("-c").arg(&deb)));
        let field = |name| told(Command::new("dpkg-deb").arg("-f").arg(&deb).arg(name));
        assert_eq!(field("Version").trim(), VERSION);
        assert_eq!(field("Recommends").trim(), "redis-server | valkey-server");
    }
    let pages = commands().into_iter().filter(|name| name != "help");
    let pages: Vec<String> = pages
        .map(|name| format!("man1/delayscope-{name}.1.gz"))
        .collect();
    assert!(pages.len() > 20, "{pages:?}");
    for list in lists {
        let ends = |end: &str| list.lines().any(|line| line.ends_with(end));
        for end in [
            "bin/delayscope",
            "man1/delayscope.1.gz",
            "bash-completion/completions/delayscope",
            "/_delayscope",
            "vendor_completions.d/delayscope.fish",
            "doc/delayscope/json.md",
            "prometheus/rules.yaml",
            "grafana/dashboard.json",
        ] {
            assert!(ends(end), "{end}: {list}");
        }
        assert!(
            ends("LICENSE-MIT") && ends("LICENSE-APACHE") || ends("copyright"),
            "{list}"
        );
        for page in &pages {
            assert!(ends(page), "{page}: {list}");
        }
    }
}

// --- What was made --------------------------------------------------------------------------------

/// The folder of what `make.sh` has made.
fn made() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR");
    let target = target.map_or_else(|| Path::new(HOME).join("target"), PathBuf::from);
    target.join("packages")
}

/// The file there whose name ends so.
fn package(ends: &str) -> PathBuf {
    let all = fs::read_dir(made()).expect("sh assets/dist/make.sh has made nothing");
    let mut all = all.map(|one| one.unwrap().path());
    let fits = |path: &PathBuf| path.to_str().unwrap().ends_with(ends);
    all.find(fits)
        .unwrap_or_else(|| panic!("no {ends} in {}", made().display()))
}

/// Copies a program of this machine to its place in `root`, with the libraries that it asks for.
fn bring(root: &Path, program: &Path, place: &str) {
    let libraries = Command::new("ldd").arg(program).output().unwrap();
    let libraries = text(&libraries.stdout);
    let words = libraries
        .split_whitespace()
        .filter(|word| word.starts_with('/'));
    let copies = words.map(|word| (PathBuf::from(word), word.to_owned()));
    for (from, to) in copies.chain([(program.to_owned(), place.to_owned())]) {
        let to = root.join(to.trim_start_matches('/'));
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        if !to.exists() {
            fs::copy(from, to).unwrap();
        }
    }
}

/// A command inside `root`, by a user that may do nothing else.
fn inside(root: &Path, words: &[&str]) -> Command {
    let mut command = Command::new("chroot");
    command.arg("--userspec=65532:65532").arg(root).args(words);
    command
        .env_clear()
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .env("HOME", "/tmp");
    command
}

/// The program of a package runs in `root`, where nothing else is.
fn runs(root: &Path) {
    let tmp = root.join("tmp");
    fs::create_dir_all(&tmp).unwrap();
    fs::set_permissions(&tmp, fs::Permissions::from_mode(0o1777)).unwrap();
    let version = told(&mut inside(root, &["/usr/bin/delayscope", "--version"]));
    assert!(
        version.starts_with(&format!("delayscope {VERSION}\n")),
        "{version}"
    );
    assert!(!version.contains("a debug build"), "{version}");
    let payload = r#"{"orderId":472861}"#;
    let decoded = told(&mut inside(
        root,
        &["/usr/bin/delayscope", "decode", payload],
    ));
    assert!(decoded.contains("472861"), "{decoded}");
    let man = told(&mut inside(
        root,
        &["/usr/bin/delayscope", "man", "transfer"],
    ));
    assert!(man.contains(".TH delayscope-transfer"), "{man}");
    // A name is looked up by what is there, and nobody listens.
    fs::create_dir_all(root.join("etc")).unwrap();
    fs::write(root.join("etc/hosts"), "127.0.0.1 redis.test\n").unwrap();
    let words = [
        "/usr/bin/delayscope",
        "-h",
        "redis.test",
        "-p",
        "1",
        "queues",
    ];
    let away = inside(root, &words).stdin(Stdio::null()).output().unwrap();
    let why = text(&away.stderr);
    assert!(
        away.status.code() == Some(2) && why.contains("refused"),
        "{why}"
    );
}

/// The demo runs in `root`, on the server that is brought there.
fn plays_the_demo(root: &Path) {
    let which = told(Command::new("sh").args(["-c", "command -v redis-server"]));
    let server = fs::canonicalize(which.trim()).unwrap();
    bring(root, &server, "/usr/bin/redis-server");
    // What every system has, and the demo needs besides: a shell that ends the server with it.
    for tool in ["/bin/sh", "/bin/mktemp", "/bin/rm"] {
        bring(root, Path::new(tool), tool);
    }
    fs::create_dir_all(root.join("dev")).unwrap();
    fs::write(root.join("dev/null"), "").unwrap();
    let all = fs::Permissions::from_mode(0o666);
    fs::set_permissions(root.join("dev/null"), all).unwrap();
    let mut demo = inside(root, &["/usr/bin/delayscope", "demo"]);
    let mut demo = demo
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(demo.stdout.take().unwrap()).lines();
    let socket = lines.find_map(|line| line.unwrap().strip_prefix("socket ").map(str::to_owned));
    let socket = socket.expect("the demo names its socket");
    let queues = told(&mut inside(
        root,
        &["/usr/bin/delayscope", "-s", socket.trim(), "queues"],
    ));
    assert!(queues.contains("invoices"), "{queues}");
    let id = nix::unistd::Pid::from_raw(demo.id().try_into().unwrap());
    nix::sys::signal::kill(id, nix::sys::signal::Signal::SIGINT).unwrap();
    drop(lines);
    assert!(demo.wait().unwrap().code().is_some());
}

/// What a package depends on: the C library of this machine, as a program asks for it.
fn with_its_libraries(root: &Path) {
    let program = root.join("usr/bin/delayscope");
    bring(root, &program, "/usr/bin/delayscope");
}

#[test]
#[ignore = "needs what is shipped, and root: sh assets/dist/make.sh, then: cargo test --test cli packages:: -- --ignored"]
fn the_portable_program_is_small_and_starts_with_a_c_library_of_2012() {
    let unpacked = room();
    told(
        Command::new("tar")
            .arg("-xzf")
            .arg(package(".tar.gz"))
            .arg("-C")
            .arg(unpacked.path()),
    );
    let folder = fs::read_dir(unpacked.path())
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let program = folder.join("bin/delayscope");
    let bytes = fs::metadata(&program).unwrap().len();
    assert!(bytes <= 12 << 20, "{bytes} bytes");
    let symbols = told(Command::new("objdump").arg("-T").arg(&program));
    let versions = symbols.split("GLIBC_2.").skip(1).map(|rest| {
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next().unwrap();
        digits.parse::<u32>().unwrap()
    });
    assert!(
        versions.max().is_none_or(|newest| newest <= 17),
        "{symbols}"
    );
    told(
        Command::new("sha256sum")
            .current_dir(made())
            .args(["-c", "SHA256SUMS"]),
    );

    let root = folder.join("root");
    fs::create_dir_all(root.join("usr/bin")).unwrap();
    fs::copy(&program, root.join("usr/bin/delayscope")).unwrap();
    with_its_libraries(&root);
    runs(&root);
    plays_the_demo(&root);
}

#[test]
#[ignore = "needs what is shipped, and root: sh assets/dist/make.sh, then: cargo test --test cli packages:: -- --ignored"]
fn a_debian_package_runs_in_an_empty_root() {
    let root = room();
    let deb = package(".deb");
    told(
        Command::new("dpkg-deb")
            .arg("-x")
            .arg(&deb)
            .arg(root.path()),
    );
    with_its_libraries(root.path());
    runs(root.path());
    plays_the_demo(root.path());
}

#[test]
#[ignore = "needs what is shipped, and root: sh assets/dist/make.sh, then: cargo test --test cli packages:: -- --ignored"]
fn an_rpm_runs_in_an_empty_root_and_leaves_nothing_when_it_is_erased() {
    let root = room();
    let rpm = package(".rpm");
    let asked = told(Command::new("rpm").args(["-qp", "--recommends"]).arg(&rpm));
    assert_eq!(asked.trim(), "redis");
    let rpm_there = |words: &[&str]| {
        let mut command = Command::new("rpm");
        command.arg("--root").arg(root.path()).args(words);
        command
    };
    let install = ["-i", "--nodeps", "--ignorearch", rpm.to_str().unwrap()];
    told(&mut rpm_there(&install));
    assert!(
        root.path()
            .join("usr/share/man/man1/delayscope-doctor.1.gz")
            .exists()
    );
    with_its_libraries(root.path());
    runs(root.path());
    plays_the_demo(root.path());
    told(&mut rpm_there(&["-e", "--nodeps", "delayscope"]));
    assert!(!root.path().join("usr/bin/delayscope").exists());
}

#[test]
#[ignore = "needs what is shipped, and root: sh assets/dist/make.sh, then: cargo test --test cli packages:: -- --ignored"]
fn the_layer_of_the_container_holds_all_that_its_program_needs() {
    let context = made().join("image");
    let recipe = fs::read_to_string(context.join("Containerfile")).unwrap();
    let root = room();
    let mut copied = 0;
    for line in recipe.lines().filter_map(|line| line.strip_prefix("COPY ")) {
        let words: Vec<&str> = line
            .split(' ')
            .filter(|word| !word.starts_with("--"))
            .collect();
        let to = root.path().join(words[1].trim_start_matches('/'));
        fs::create_dir_all(&to).unwrap();
        let from = context.join(words[0]).join(".");
        told(Command::new("cp").arg("-a").arg(from).arg(to));
        copied += 1;
    }
    assert_eq!(copied, 2, "{recipe}");
    assert!(recipe.contains("FROM scratch\n") && recipe.contains("USER 65532:65532\n"));
    runs(root.path());
}
