//! The private server: a redis-server (else a valkey-server) on a unix socket in a directory of
//! its own, with no port and nothing on disk.
//!
//! A shell stands between the program and the server, in a process group of its own, so that
//! Ctrl-C does not reach it. It makes the directory, and it waits for the end of its input: that
//! comes when the program ends, in whichever way, `kill -9` included. Then it kills the server and
//! removes the directory.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

use super::DemoError;
use crate::clock::instant;
use crate::queue::via::Via;
use crate::queue::{Address, Endpoint};

/// `$1` is where to make the directory; the rest is the server's command line. Tells the server's
/// process id and the directory. The word `keep` lets the server go on until somebody stops it.
const GUARD: &str = r#"
umask 077
dir=$(mktemp -d "$1/delayscope.XXXXXX") && cd "$dir" || exit
shift
trap '' HUP
"$@" --unixsocket "$dir/s" >log 2>&1 <&- &
server=$!
end() { kill -9 $server; wait $server; rm -rf "$dir"; exit; }
trap end TERM INT
echo "$server $dir"
exec >&- 2>&-
read -r word
[ "$word" = keep ] || end
wait $server
rm -rf "$dir"
"#;

/// The arguments that make the server private and forgetful. `unixsocketperm`: for this user alone.
const ARGUMENTS: &str = "--port 0 --unixsocketperm 700 --appendonly no --daemonize no";

/// A unix socket's path may have so many bytes (104 on macOS and the BSDs, with its end).
const LONGEST_SOCKET: usize = 100;
/// The path that the guard appends to the place of its directory.
const SOCKET_NAME: &str = "/delayscope.XXXXXX/s";

/// The longest wait for a server to listen.
const PATIENCE: Duration = Duration::from_secs(5);

/// A server that goes with this value.
pub(super) struct PrivateServer {
    guard: Child,
    /// Its end is the sign.
    alive: Option<ChildStdin>,
    pid: u32,
    dir: PathBuf,
}

impl PrivateServer {
    /// Starts it; it listens on return, after some 10 ms.
    pub(super) async fn start() -> Result<Self, DemoError> {
        let program = installed().ok_or(DemoError::NoServer)?;
        let failed = |why: String| DemoError::NotStarted {
            program: program.display().to_string(),
            why,
        };
        let to_start = program.clone();
        let started = tokio::task::spawn_blocking(move || start(&to_start)).await;
        match started {
            Ok(started) => started.map_err(failed),
            Err(ended) => Err(failed(ended.to_string())),
        }
    }

    /// Returns the endpoint to reach it by.
    pub(super) fn endpoint(&self) -> Endpoint {
        Endpoint {
            address: Address::Unix(self.socket()),
            db: 0,
            user: None,
            password: None,
            tls: None,
            via: Via::default(),
            profile: None,
        }
    }

    fn socket(&self) -> PathBuf {
        self.dir.join("s")
    }

    /// Lets it go on after this program, and returns its process id. Its directory goes with it.
    pub(super) fn keep(mut self) -> u32 {
        if let Some(mut alive) = self.alive.take() {
            // If the guard is gone, so is its hold on the server.
            let _ = alive.write_all(b"keep\n");
        }
        self.pid
    }
}

impl Drop for PrivateServer {
    fn drop(&mut self) {
        if self.alive.take().is_some() {
            // A few ms; whoever looks after this finds neither process nor directory.
            let _ = self.guard.wait();
        }
    }
}

/// The first server program on PATH.
fn installed() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names = ["redis-server", "valkey-server"];
    let mut candidates = names
        .iter()
        .flat_map(|name| std::env::split_paths(&path).map(move |dir| dir.join(name)));
    candidates.find(|program| program.is_file())
}

fn start(program: &Path) -> Result<PrivateServer, String> {
    let mut guard = Command::new("sh")
        .args(["-c", GUARD, "sh"])
        .arg(place())
        .arg(program)
        .args(ARGUMENTS.split(' '))
        .args(["--save", ""])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .map_err(|e| format!("sh: {e}"))?;
    let mut line = String::new();
    if let Some(told) = guard.stdout.take() {
        // Nothing told says enough.
        let _ = BufReader::new(told).read_line(&mut line);
    }
    let (pid, dir) = line
        .trim_end_matches('\n')
        .split_once(' ')
        .and_then(|(pid, dir)| Some((pid.parse().ok()?, PathBuf::from(dir))))
        .ok_or_else(|| format!("no directory could be made in {}", place().display()))?;
    let server = PrivateServer {
        alive: guard.stdin.take(),
        guard,
        pid,
        dir,
    };
    let began = instant();
    while UnixStream::connect(server.socket()).is_err() {
        if instant().saturating_duration_since(began) > PATIENCE {
            return Err(last_words(&server.dir.join("log")));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(server)
}

/// Returns the directory where temporary things go, unless that is too long for a socket's path.
fn place() -> PathBuf {
    let usual = std::env::temp_dir();
    if usual.as_os_str().len() + SOCKET_NAME.len() <= LONGEST_SOCKET {
        usual
    } else {
        PathBuf::from("/tmp")
    }
}

fn last_words(log: &Path) -> String {
    let log = std::fs::read_to_string(log).unwrap_or_default();
    let last = log.lines().rfind(|line| !line.trim().is_empty());
    last.unwrap_or("it does not listen, and says nothing")
        .to_owned()
}
