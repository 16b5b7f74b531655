//! A private Redis server for each test, and what tests do to it by hand.
//!
//! The server listens on a unix socket in a temporary directory (and on a TCP port when asked),
//! keeps nothing on disk, and is killed when the test ends, also when the test process itself is
//! killed: a shell stands between the two and waits for the end of its input.

#![expect(
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "shared by test crates that each use a part of it; a failure here is a failed test"
)]

pub mod ports;
mod versions;

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use delayscope::clock::{EpochMillis, instant};
use delayscope::queue::{Address, Endpoint, Queue};
use ports::Ports;
pub use redis::Value;

/// Starts the server, tells its process id, and kills it when its own input ends.
const GUARD: &str = r#""$@" >server.log 2>&1 <&- & p=$!; echo $p; read _; kill -9 $p 2>/dev/null; kill -CONT $p 2>/dev/null; wait $p"#;

/// The arguments of a server that speaks TLS at that port, and there nothing else; to other servers
/// too. `files`: those that name its certificate, its key and who signs.
pub fn behind_tls(files: &[&str], port: u16) -> Vec<String> {
    let port = port.to_string();
    let speaks = [
        "--port",
        "0",
        "--tls-port",
        &port,
        "--tls-replication",
        "yes",
    ];
    let all = files.iter().chain(&speaks);
    all.map(|&word| word.to_owned()).collect()
}

/// How long anything may take before a test fails.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A private server.
pub struct Server {
    dir: tempfile::TempDir,
    args: Vec<String>,
    port: Option<u16>,
    /// Given back when it has ended, unless they are another's.
    _ports: Option<Ports>,
    guard: Option<Child>,
    pid: u32,
    password: Option<String>,
    user: Option<String>,
}

impl Server {
    /// A server on a unix socket.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// The same with more arguments of redis-server.
    pub fn start_with(args: &[&str]) -> Self {
        Self::start_at(args, None)
    }

    /// A server on a unix socket and on a free TCP port of 127.0.0.1.
    pub fn start_tcp(args: &[&str]) -> Self {
        let ports = Ports::free();
        let mut server = Self::prepared(args, Some(ports.of_nodes[0]), Some(ports));
        server.restart();
        server
    }

    /// The same on that port.
    pub fn start_tcp_at(args: &[&str], port: u16) -> Self {
        Self::start_at(args, Some(port))
    }

    fn start_at(args: &[&str], port: Option<u16>) -> Self {
        let mut server = Self::prepared(args, port, None);
        server.restart();
        server
    }

    /// The same on that port, with a file in its directory.
    pub fn start_in(args: &[&str], port: u16, (name, contents): (&str, &str)) -> Self {
        let mut server = Self::prepared(args, Some(port), None);
        std::fs::write(server.dir.path().join(name), contents).unwrap();
        server.restart();
        server
    }

    fn prepared(args: &[&str], port: Option<u16>, ports: Option<Ports>) -> Self {
        Self {
            dir: room(),
            args: args.iter().map(|&arg| arg.to_owned()).collect(),
            port,
            _ports: ports,
            guard: None,
            pid: 0,
            password: None,
            user: None,
        }
    }

    /// Starts it on the same socket and port again, empty; kills it first if it runs.
    pub fn restart(&mut self) {
        self.restart_with(&[]);
    }

    /// The same with more arguments, from now on.
    pub fn restart_with(&mut self, more: &[&str]) {
        self.kill();
        self.args.extend(more.iter().map(|&arg| arg.to_owned()));
        let _ = std::fs::remove_file(self.socket());
        let mut server = Command::new(server_binary());
        server
            .args(["--port", &self.port.unwrap_or(0).to_string()])
            .args(["--bind", "127.0.0.1"])
            .arg("--unixsocket")
            .arg(self.socket())
            .args(["--save", "", "--appendonly", "no"])
            .args(&self.args);
        let (guard, pid) = guarded(&server, self.dir.path());
        (self.guard, self.pid) = (Some(guard), pid);
        let end = instant() + PATIENCE;
        while !self.is_up() {
            assert!(
                instant() < end,
                "the server does not listen: {}",
                self.log()
            );
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// The lines that it has written.
    fn log(&self) -> String {
        std::fs::read_to_string(self.dir.path().join("server.log")).unwrap_or_default()
    }

    /// The unix socket.
    pub fn socket(&self) -> PathBuf {
        self.dir.path().join("s")
    }

    /// The TCP port, of a server started with one.
    pub fn port(&self) -> u16 {
        self.port.expect("started with start_tcp")
    }

    /// Tells whether it listens on that TCP port.
    pub fn has_port(&self, port: u16) -> bool {
        self.port == Some(port)
    }

    /// Tells whether it listens.
    pub fn is_up(&self) -> bool {
        UnixStream::connect(self.socket()).is_ok()
    }

    /// From now on `endpoint` and `cmd` log in with these.
    pub fn log_in(&mut self, user: Option<&str>, password: Option<&str>) {
        self.user = user.map(str::to_owned);
        self.password = password.map(str::to_owned);
    }

    /// How the program reaches it: the unix socket, db 0.
    pub fn endpoint(&self) -> Endpoint {
        self.endpoint_at(Address::Unix(self.socket()), 0)
    }

    /// The same through TCP.
    pub fn tcp_endpoint(&self) -> Endpoint {
        self.endpoint_at(Address::Tcp("127.0.0.1".to_owned(), self.port()), 0)
    }

    /// The same at that address and db.
    pub fn endpoint_at(&self, address: Address, db: i64) -> Endpoint {
        Endpoint {
            address,
            db,
            user: self.user.clone(),
            password: self.password.clone(),
            tls: None,
            via: delayscope::queue::via::Via::default(),
            profile: None,
        }
    }

    /// A URL of the unix socket, as the command line takes it.
    pub fn url(&self) -> String {
        format!("unix://{}", self.socket().display())
    }

    /// A blocking connection of the test's own, to db 0.
    pub fn connection(&self) -> redis::Connection {
        self.connection_to(0)
    }

    /// A blocking connection of the test's own.
    pub fn connection_to(&self, db: i64) -> redis::Connection {
        use redis::IntoConnectionInfo;
        let mut settings = redis::RedisConnectionInfo::default().set_db(db);
        if let Some(user) = &self.user {
            settings = settings.set_username(user);
        }
        if let Some(password) = &self.password {
            settings = settings.set_password(password);
        }
        let info = redis::ConnectionAddr::Unix(self.socket())
            .into_connection_info()
            .unwrap()
            .set_redis_settings(settings.set_skip_set_lib_name());
        let connection = redis::Client::open(info)
            .unwrap()
            .get_connection()
            .expect("the test's own connection");
        connection.set_read_timeout(Some(PATIENCE)).unwrap();
        connection
    }

    /// Sends one command, words as text; panics when the server refuses it.
    pub fn cmd(&self, words: &[&str]) -> Value {
        let bytes: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
        self.cmd_bytes(&bytes)
    }

    /// The same with raw bytes.
    pub fn cmd_bytes(&self, words: &[&[u8]]) -> Value {
        let mut cmd = redis::Cmd::new();
        for word in words {
            cmd.arg(*word);
        }
        cmd.query(&mut self.connection())
            .unwrap_or_else(|e| panic!("{:?}: {e}", String::from_utf8_lossy(words[0])))
    }

    /// One command whose answer is a number.
    pub fn int(&self, words: &[&str]) -> i64 {
        redis::from_redis_value(self.cmd(words)).expect("a number")
    }

    /// One command whose answer is a list of strings.
    pub fn list(&self, words: &[&str]) -> Vec<Vec<u8>> {
        redis::from_redis_value(self.cmd(words)).expect("a list of strings")
    }

    /// The server's time.
    pub fn now(&self) -> EpochMillis {
        let parts: Vec<i64> = redis::from_redis_value(self.cmd(&["TIME"])).unwrap();
        EpochMillis::new(parts[0] * 1000 + parts[1] / 1000)
    }

    /// The bytes that its own account says it uses.
    pub fn used_memory(&self) -> u64 {
        let info: String = redis::from_redis_value(self.cmd(&["INFO", "memory"])).unwrap();
        let used = info
            .lines()
            .find_map(|line| line.strip_prefix("used_memory:"));
        used.unwrap().trim().parse().unwrap()
    }

    /// Kills it with SIGKILL and waits until it is gone.
    pub fn kill(&mut self) {
        if let Some(mut guard) = self.guard.take() {
            drop(guard.stdin.take());
            let _ = guard.wait();
        }
    }

    /// SIGSTOP: it keeps its connections and answers nothing.
    pub fn stop(&self) {
        self.signal("-STOP");
    }

    /// SIGCONT: it goes on.
    pub fn go_on(&self) {
        self.signal("-CONT");
    }

    /// Lets the server's main thread go before all other programs of the machine, so that what its
    /// scripts take is their own time. `false`: only root may.
    pub fn goes_first(&self) -> bool {
        let mut renice = Command::new("renice");
        renice.args(["-n", "-20", "-p", &self.pid.to_string()]);
        let quiet = renice.stdout(Stdio::null()).stderr(Stdio::null());
        quiet.status().is_ok_and(|status| status.success())
    }

    fn signal(&self, name: &str) {
        signal(self.pid, name);
    }

    /// Everything the server is told from now on, as MONITOR shows it.
    pub fn monitor(&self) -> Monitor {
        let mut stream = UnixStream::connect(self.socket()).unwrap();
        stream.write_all(b"MONITOR\r\n").unwrap();
        let mut ok = [0; 5];
        stream.read_exact(&mut ok).unwrap();
        assert_eq!(&ok, b"+OK\r\n", "MONITOR");
        let lines = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&lines);
        std::thread::spawn(move || {
            for line in BufReader::new(stream).lines() {
                let Ok(line) = line else { return };
                seen.lock().unwrap().push(line);
            }
        });
        Monitor { lines }
    }

    /// Puts a member into timeouts and order list at once, as an offer does.
    pub fn put(&self, queue: &Queue, member: &[u8], score: &str) {
        let keys = queue.keys();
        let mut put = redis::pipe();
        put.atomic().zadd(&keys.timeouts, member, score);
        if let Some(order) = keys.order {
            put.rpush(&order, member);
        }
        put.exec(&mut self.connection()).unwrap();
    }

    /// Adds `count` members to timeouts that are no frames, each with the score that `score` says.
    pub fn put_strange(&self, queue: &Queue, count: u64, score: impl Fn(u64) -> i64) {
        let mut zadd = redis::cmd("ZADD");
        zadd.arg(&queue.keys().timeouts);
        for n in 0..count {
            let noise = (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes();
            zadd.arg(score(n)).arg([&noise[..], &noise].concat());
        }
        zadd.exec(&mut self.connection()).unwrap();
    }

    /// Fills a queue with `count` framed entries, ids 1 to `count`, payload `entry N`, the first
    /// due at `first` and each `step_ms` after the one before.
    pub fn fill(&self, queue: &Queue, count: u64, first: EpochMillis, step_ms: i64) {
        let due = |n: u64| first.plus(step_ms * i64::try_from(n - 1).unwrap());
        self.fill_with(queue, count, due);
    }

    /// The same, due as `due` says of each id; the order list has them by their ids.
    pub fn fill_with(&self, queue: &Queue, count: u64, due: impl Fn(u64) -> EpochMillis) {
        let keys = queue.keys();
        let mut connection = self.connection();
        let all: Vec<u64> = (1..=count).collect();
        for chunk in all.chunks(10_000) {
            let mut zadd = redis::cmd("ZADD");
            zadd.arg(&keys.timeouts);
            let mut rpush = redis::cmd("RPUSH");
            rpush.arg(&keys.order);
            for &n in chunk {
                let member = frame(n, format!("entry {n}").as_bytes());
                zadd.arg(due(n).get()).arg(&member);
                rpush.arg(member);
            }
            zadd.exec(&mut connection).unwrap();
            if keys.order.is_some() {
                rpush.exec(&mut connection).unwrap();
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Starts `program` in `dir` behind a guard, which kills it when its own input ends; the guard, and
/// the id of the program's process.
pub fn guarded(program: &Command, dir: &Path) -> (Child, u32) {
    let mut guard = Command::new("sh")
        .args(["-c", GUARD, "sh"])
        .arg(program.get_program())
        .args(program.get_args())
        .current_dir(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .expect("sh");
    let mut line = String::new();
    let told = guard.stdout.take().unwrap();
    BufReader::new(told).read_line(&mut line).unwrap();
    let pid = line.trim().parse();
    (guard, pid.expect("the guard tells the server's id"))
}

/// Sends a signal, such as `-STOP`, to a process.
pub fn signal(pid: u32, name: &str) {
    let status = Command::new("kill").args([name, &pid.to_string()]).status();
    assert!(status.unwrap().success(), "kill {name}");
}

/// What the server was told while the monitor ran.
pub struct Monitor {
    lines: Arc<Mutex<Vec<String>>>,
}

impl Monitor {
    /// All lines up to now, such as `1700000000.123456 [0 unix:/…] "TIME"`.
    pub fn lines(&self, server: &Server) -> Vec<String> {
        let mark = format!("mark-{:?}", instant());
        server.cmd(&["ECHO", &mark]);
        let quoted = mark.replace('"', "\\\"");
        wait_for("MONITOR to catch up", || {
            self.lines
                .lock()
                .unwrap()
                .iter()
                .any(|l| l.contains(&quoted))
        });
        let mut lines = self.lines.lock().unwrap().clone();
        lines.retain(|line| !line.contains("\"ECHO\""));
        lines
    }

    /// The commands alone, as lists of words still quoted the way MONITOR quotes them.
    pub fn commands(&self, server: &Server) -> Vec<Vec<String>> {
        self.lines(server)
            .iter()
            .map(|line| words_of(line))
            .collect()
    }
}

fn words_of(line: &str) -> Vec<String> {
    let Some((_, rest)) = line.split_once("] ") else {
        return Vec::new();
    };
    let rest = rest.trim().trim_start_matches('"').trim_end_matches('"');
    rest.split("\" \"").map(str::to_owned).collect()
}

/// A frame of the form `byte-id`, built by hand: `08`, the id big-endian, the length, the payload.
pub fn frame(id: u64, payload: &[u8]) -> Vec<u8> {
    let length = u64::try_from(payload.len()).unwrap();
    [&[8][..], &id.to_be_bytes(), &length.to_le_bytes(), payload].concat()
}

/// A frame of the form `double-id`: the id's bytes as they are, the length, the payload.
pub fn double_frame(id: f64, payload: &[u8]) -> Vec<u8> {
    let length = u64::try_from(payload.len()).unwrap();
    [&id.to_le_bytes()[..], &length.to_le_bytes(), payload].concat()
}

/// A directory for a server or a journal, which waits for its disk at every line: in memory where
/// there is such a place. No program can be started from it.
pub fn room() -> tempfile::TempDir {
    let in_memory = tempfile::tempdir_in("/dev/shm");
    in_memory.or_else(|_| tempfile::tempdir()).unwrap()
}

/// The server program that tests run on: the installed one, or what `DELAYSCOPE_TEST_SERVER` names,
/// such as one of `tests/servers.sh`.
pub fn server_binary() -> PathBuf {
    if let Some(named) = std::env::var_os("DELAYSCOPE_TEST_SERVER").filter(|it| !it.is_empty()) {
        return named.into();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    ["redis-server", "valkey-server"]
        .iter()
        .flat_map(|name| std::env::split_paths(&path).map(move |dir| dir.join(name)))
        .find(|file| file.is_file())
        .expect("these tests need a Redis server: run `sh assets/setup.sh`")
}

/// Waits until `condition` holds; panics when it does not within [`PATIENCE`].
pub fn wait_for(what: &str, mut condition: impl FnMut() -> bool) {
    let end = instant() + PATIENCE;
    while !condition() {
        assert!(instant() < end, "waited too long for {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The same in a runtime: other tasks go on while it waits.
pub async fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let end = instant() + PATIENCE;
    while !condition() {
        assert!(instant() < end, "waited too long for {what}");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}
