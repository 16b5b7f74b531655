//! `assets/setup.sh` on machines that lack something, each a directory of fake commands that is the
//! whole PATH: what it runs there is written to a log, and read here.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/setup.sh");

/// A machine: everything it has is a file in `bin`.
struct Machine {
    dir: TempDir,
}

impl Machine {
    /// One with `cc`, the common tools, and the package manager of that name.
    fn with(manager: &str) -> Self {
        let machine = Self::bare();
        machine.command("cc", "");
        let install = r#"
for package in "$@"; do
    case " $(cat "$FAKE/absent" 2>/dev/null) " in *" $package "*) exit 100 ;; esac
done
for package in "$@"; do
    case $package in
        redis-server | valkey-server) new=$package ;;
        redis | valkey) new=$package-server ;;
        gcc | build-base) new=cc ;;
        maven) new=mvn ;;
        zsh) new=zsh ;;
        *pip) new=python3 ;;
        *jdk*) new=javac ;;
        *) continue ;;
    esac
    printf '#!/bin/sh\necho "javac 17.0.9"\n' > "$FAKE/bin/$new"
    /bin/chmod +x "$FAKE/bin/$new"
done"#;
        machine.command(manager, install);
        machine
    }

    /// One with nothing but the tools that every machine has; its user is root.
    fn bare() -> Self {
        let machine = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        fs::create_dir(machine.bin()).unwrap();
        for tool in ["cat", "env", "true"] {
            symlink(real(tool), machine.bin().join(tool)).unwrap();
        }
        machine.quiet_command("id", "echo 0");
        machine
    }

    fn of_a_user(self) -> Self {
        self.quiet_command("id", "echo 1000");
        self
    }

    fn without(self, command: &str) -> Self {
        fs::remove_file(self.bin().join(command)).unwrap();
        self
    }

    /// Packages that the manager cannot install.
    fn absent(self, packages: &str) -> Self {
        fs::write(self.dir.path().join("absent"), packages).unwrap();
        self
    }

    fn bin(&self) -> PathBuf {
        self.dir.path().join("bin")
    }

    /// A command that logs its name and arguments before it does what `script` says.
    fn command(&self, name: &str, script: &str) {
        self.quiet_command(
            name,
            &format!("echo \"{name} $*\" >> \"$FAKE/log\"\n{script}"),
        );
    }

    fn quiet_command(&self, name: &str, script: &str) {
        let path = self.bin().join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn setup(&self, arguments: &[&str]) -> Output {
        Command::new("/bin/sh")
            .arg(SCRIPT)
            .args(arguments)
            .env_clear()
            .env("PATH", self.bin())
            .env("FAKE", self.dir.path())
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    /// What was run, a line each, in order.
    fn log(&self) -> Vec<String> {
        let log = fs::read_to_string(self.dir.path().join("log")).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }

    fn has(&self, command: &str) -> bool {
        self.bin().join(command).exists()
    }
}

fn real(tool: &str) -> PathBuf {
    ["/bin", "/usr/bin"]
        .iter()
        .map(|dir| Path::new(dir).join(tool))
        .find(|path| path.exists())
        .unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The lines of the log that begin so.
fn lines<'a>(log: &'a [String], start: &str) -> Vec<&'a str> {
    log.iter()
        .map(String::as_str)
        .filter(|line| line.starts_with(start))
        .collect()
}

#[test]
fn with_nothing_missing_it_says_nothing_and_runs_nothing() {
    for server in ["redis-server", "valkey-server"] {
        let machine = Machine::with("apt-get");
        machine.command(server, "");
        let output = machine.setup(&[]);
        assert!(output.status.success());
        assert_eq!((output.stdout.len(), stderr(&output).as_str()), (0, ""));
        assert_eq!(machine.log(), Vec::<String>::new());
    }
}

#[test]
fn apt_is_updated_first_and_asks_nothing() {
    let machine = Machine::with("apt-get").without("cc");
    let output = machine.setup(&[]);
    assert!(output.status.success(), "{}", stderr(&output));
    let log = machine.log();
    let apt = lines(&log, "apt-get");
    assert!(apt[0].ends_with(" update"), "{apt:?}");
    assert!(apt[1].contains("install -y") && apt[1].ends_with(" redis-server"));
    assert!(apt[2].ends_with(" gcc libc6-dev"), "{apt:?}");
    assert_eq!(apt.len(), 3);
}

#[test]
fn a_second_run_changes_nothing() {
    let machine = Machine::with("apt-get").without("cc");
    machine.setup(&["--ci"]);
    let after_first = machine.log();
    let output = machine.setup(&["--ci"]);
    assert!(output.status.success());
    assert_eq!(stderr(&output), "");
    assert_eq!(machine.log(), after_first);
}

#[test]
fn every_package_manager_installs_redis() {
    let installs = [
        ("dnf", "dnf install -y redis"),
        ("apk", "apk add --no-cache redis"),
        ("pacman", "pacman -S --noconfirm --needed redis"),
    ];
    for (manager, install) in installs {
        let machine = Machine::with(manager);
        let output = machine.setup(&[]);
        assert!(output.status.success(), "{manager}: {}", stderr(&output));
        assert_eq!(machine.log().last().map(String::as_str), Some(install));
        assert!(machine.has("redis-server"));
    }
}

#[test]
fn where_redis_is_no_package_valkey_is_taken() {
    for manager in ["apt-get", "dnf", "apk", "pacman"] {
        let machine = Machine::with(manager).absent("redis redis-server");
        let output = machine.setup(&[]);
        assert!(output.status.success(), "{manager}: {}", stderr(&output));
        assert!(machine.has("valkey-server"), "{manager}");
    }
}

#[test]
fn a_package_that_nobody_has_is_an_error_with_the_command_to_try() {
    let machine = Machine::with("dnf").absent("redis valkey");
    let output = machine.setup(&[]);
    assert_eq!(output.status.code(), Some(1));
    let said = stderr(&output);
    assert!(
        said.contains("{ dnf install -y redis || dnf install -y valkey; }"),
        "{said}"
    );
}

#[test]
fn a_user_goes_through_sudo_which_must_not_ask_without_a_terminal() {
    let machine = Machine::with("apk").of_a_user();
    machine.command("sudo", "shift; exec \"$@\"");
    let output = machine.setup(&[]);
    assert!(output.status.success(), "{}", stderr(&output));
    let log = machine.log();
    assert_eq!(lines(&log, "sudo -n apk add --no-cache redis").len(), 1);
    assert!(machine.has("redis-server"));
}

#[test]
fn without_root_and_sudo_it_prints_the_command_and_installs_nothing() {
    let refusing = Machine::with("apt-get").of_a_user().without("cc");
    refusing.command("sudo", "exit 1");
    for machine in [Machine::with("apt-get").of_a_user().without("cc"), refusing] {
        let output = machine.setup(&[]);
        assert_eq!(output.status.code(), Some(1));
        let said = stderr(&output);
        let command = said.lines().last().unwrap().trim();
        assert!(command.contains("apt-get") && command.contains(" update && { "));
        assert!(command.ends_with("gcc libc6-dev"), "{said}");
        assert_eq!(lines(&machine.log(), "apt-get"), Vec::<&str>::new());

        // The command is exact: run by hand, it leaves nothing to do.
        let by_hand = Command::new("/bin/sh")
            .args(["-c", command])
            .env_clear()
            .env("PATH", machine.bin())
            .env("FAKE", machine.dir.path())
            .status()
            .unwrap();
        assert!(by_hand.success());
        assert!(machine.setup(&[]).status.success());
    }
}

#[test]
fn homebrew_is_never_run_as_root() {
    let machine = Machine::with("brew");
    let output = machine.setup(&[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("brew install redis"));
    assert_eq!(machine.log(), Vec::<String>::new());

    let machine = machine.of_a_user();
    assert!(machine.setup(&[]).status.success());
    assert_eq!(machine.log(), ["brew install redis"]);
}

#[test]
fn an_unknown_package_manager_gets_a_list_of_what_to_install() {
    let output = Machine::bare().setup(&["--ci", "--servers"]);
    assert_eq!(output.status.code(), Some(1));
    let said = stderr(&output);
    for needed in [
        "redis-server",
        "valkey-server",
        "C compiler",
        "JDK",
        "Maven",
        "zsh",
        "python3 -m pip",
    ] {
        assert!(said.contains(needed), "{needed}: {said}");
    }
}

#[test]
fn a_service_that_came_with_the_installation_is_stopped_and_disabled() {
    let machine = Machine::with("apt-get");
    // Nothing runs before; afterwards there is a service to stop.
    machine.command("systemctl", "case $1 in is-*) exit 3 ;; esac");
    machine.command("service", "case $2 in status) exit 3 ;; esac");
    let output = machine.setup(&[]);
    assert!(output.status.success(), "{}", stderr(&output));
    let log = machine.log();
    let at = |line: &str| log.iter().position(|l| l == line);
    let installed = log
        .iter()
        .position(|l| l.ends_with("redis-server"))
        .unwrap();
    assert!(at("systemctl stop redis-server") > Some(installed));
    assert!(at("systemctl disable redis-server") > at("systemctl stop redis-server"));
    assert!(at("service redis-server stop") > Some(installed));
}

#[test]
fn openrc_services_are_retired_too() {
    let machine = Machine::with("apk");
    machine.command("rc-service", "case $2 in status) exit 1 ;; esac");
    machine.command("rc-update", "");
    assert!(machine.setup(&[]).status.success());
    let log = machine.log();
    assert_eq!(lines(&log, "rc-service redis stop").len(), 1);
    assert!(log.contains(&"rc-update del redis".to_owned()));
}

#[test]
fn a_service_that_ran_before_is_left_alone() {
    let machine = Machine::with("dnf");
    machine.command(
        "systemctl",
        "case $*  in 'is-'*' redis') exit 0 ;; *) exit 3 ;; esac",
    );
    assert!(machine.setup(&[]).status.success());
    let log = machine.log();
    assert!(!log.contains(&"systemctl stop redis".to_owned()), "{log:?}");
    assert!(log.contains(&"systemctl stop valkey".to_owned()));
}

#[test]
fn a_machine_that_lacks_only_the_compiler_keeps_its_services() {
    let machine = Machine::with("dnf").without("cc");
    machine.command("redis-server", "");
    machine.command("systemctl", "");
    assert!(machine.setup(&[]).status.success());
    assert_eq!(machine.log(), ["dnf install -y gcc"]);
}

#[test]
fn ci_adds_a_jdk_of_11_or_later_maven_and_zsh() {
    let machine = Machine::with("apt-get");
    machine.command("redis-server", "");
    machine.quiet_command("javac", "echo 'javac 1.8.0_292' >&2");
    let output = machine.setup(&["--ci"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let log = machine.log();
    assert!(log[1].ends_with(" default-jdk-headless"), "{log:?}");
    assert!(log[2].ends_with(" maven"), "{log:?}");
    assert!(log[3].ends_with(" zsh"), "{log:?}");
    assert_eq!(log.len(), 4);
}

#[test]
fn servers_adds_pip_where_there_is_none() {
    let machine = Machine::with("apt-get");
    machine.command("redis-server", "");
    assert!(machine.setup(&[]).status.success());
    assert_eq!(machine.log(), Vec::<String>::new());
    machine.quiet_command("python3", "echo 'No module named pip' >&2; exit 1");
    let output = machine.setup(&["--servers"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let log = machine.log();
    assert!(log[1].ends_with(" python3-pip"), "{log:?}");
    assert!(machine.setup(&["--servers"]).status.success());
    assert_eq!(machine.log(), log);
}

#[test]
fn help_and_unknown_flags_install_nothing() {
    let machine = Machine::with("apt-get");
    let help = machine.setup(&["--help"]);
    assert!(help.status.success());
    assert!(String::from_utf8_lossy(&help.stdout).contains("--ci"));
    let unknown = machine.setup(&["--all"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(stderr(&unknown).contains("--all"));
    assert_eq!(machine.log(), Vec::<String>::new());
}
