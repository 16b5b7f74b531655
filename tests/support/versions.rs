//! What has to be asked of a server in another way, or not at all, because of its age: tests run on
//! old and new ones, see `tests/servers.sh`.

use std::io::Write as _;

use super::{Server, Value};

impl Server {
    /// The version of Redis that it is, or says that it is like.
    pub fn version(&self) -> (u32, u32) {
        let info: String = redis::from_redis_value(self.cmd(&["INFO", "server"])).unwrap();
        let (_, version) = info.split_once("redis_version:").unwrap();
        let mut numbers = version.split('.').map(|number| number.parse().unwrap());
        (numbers.next().unwrap(), numbers.next().unwrap())
    }

    /// Whether it is of this version or a later one. Where it is not, the output of the test says
    /// that this is left out, also when the test passes.
    pub fn is_from(&self, version: (u32, u32), left_out: &str) -> bool {
        let own = self.version();
        if own < version {
            let thread = std::thread::current();
            let test = thread.name().unwrap_or("a test");
            // Not by a macro: what these print is shown of failed tests alone.
            let mut out = std::io::stderr().lock();
            let _ = writeln!(
                out,
                "LEFT OUT on Redis {}.{}: {test}: {left_out}",
                own.0, own.1
            );
        }
        own >= version
    }

    /// Whether it has such a command.
    pub fn knows(&self, command: &str) -> bool {
        let answer = self.cmd(&["COMMAND", "INFO", command]);
        matches!(answer, Value::Array(known) if matches!(known.as_slice(), [Value::Array(_)]))
    }

    /// A server on which nobody can run these commands. What it does not know is not missed.
    pub fn without(commands: &[&str]) -> Self {
        Self::without_with(commands, &[])
    }

    /// The same with more arguments.
    pub fn without_with(commands: &[&str], args: &[&str]) -> Self {
        let mut server = Self::start();
        let known = commands.iter().filter(|command| server.knows(command));
        let known: Vec<&str> = known.copied().collect();
        let renames = known.iter().flat_map(|it| ["--rename-command", it, ""]);
        let all: Vec<&str> = renames.chain(args.iter().copied()).collect();
        server.restart_with(&all);
        server
    }

    /// Gives a user, whose password is `pw`, all rights and these rules, nothing of what it had
    /// before; false where the server knows no users, which the output of the test says.
    pub fn set_user(&self, name: &str, rules: &[&str]) -> bool {
        if !self.is_from((6, 0), "it knows no users") {
            return false;
        }
        let all: &[&str] = if self.version() < (6, 2) {
            &["~*", "+@all"]
        } else {
            &["~*", "&*", "+@all"]
        };
        let words = ["ACL", "SETUSER", name, "reset", "on", ">pw"];
        self.cmd(&[&words[..], all, rules].concat());
        true
    }
}
