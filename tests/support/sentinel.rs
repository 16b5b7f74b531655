//! A master, two replicas, and three sentinels that watch them under the name `mymaster`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::{Child, Command};
use std::time::Duration;

use delayscope::queue::{Address, Endpoint, Sentinels};

use crate::support::ports::Ports;
use crate::support::{Server, Value, behind_tls, guarded, room, server_binary, signal, wait_for};

/// The name under which the master is watched.
pub const NAME: &str = "mymaster";

/// The time after which a master that does not answer counts as dead.
pub const DOWN_AFTER: Duration = Duration::from_secs(1);

/// The time that a failover may take.
pub const FAILOVER_TIMEOUT: Duration = Duration::from_secs(5);

/// Replication that begins at once.
pub const AT_ONCE: [&str; 4] = [
    "--repl-diskless-sync",
    "yes",
    "--repl-diskless-sync-delay",
    "0",
];

/// A master that sentinels watch.
pub struct Group {
    /// The first is the master at the start.
    pub servers: Vec<Server>,
    pub sentinels: Vec<Sentinel>,
    /// Given back when all have ended.
    _ports: Ports,
}

/// One sentinel.
pub struct Sentinel {
    pub port: u16,
    password: Option<String>,
    guard: Child,
    pid: u32,
    dir: tempfile::TempDir,
}

impl Group {
    /// All of it, and each knows the others.
    pub fn start() -> Self {
        Self::start_with(None)
    }

    /// The same with sentinels that want a password.
    pub fn start_with(password: Option<&str>) -> Self {
        Self::start_as(password, None)
    }

    /// The same with servers and sentinels behind TLS: `files` are arguments that name certificate,
    /// key and who signs.
    pub fn start_behind_tls(files: &[&str]) -> Self {
        Self::start_as(None, Some(files))
    }

    fn start_as(password: Option<&str>, tls_files: Option<&[&str]>) -> Self {
        let held = Ports::free();
        let [first, second, third, ports @ ..] = held.of_nodes;
        let start = |port: u16, args: &[&str]| {
            let behind = tls_files.map_or_else(Vec::new, |files| behind_tls(files, port));
            let behind = behind.iter().map(String::as_str);
            let args: Vec<&str> = AT_ONCE.iter().chain(args).copied().chain(behind).collect();
            Server::start_tcp_at(&args, port)
        };
        let master = start(first, &[]);
        let port = master.port().to_string();
        let mut servers = vec![master];
        servers.extend([second, third].map(|at| start(at, &["--replicaof", "127.0.0.1", &port])));
        wait_for("two replicas", || {
            info(&servers[0], "replication")
                .matches("state=online")
                .count()
                == 2
        });
        let sentinels = (0..3).map(|n| Sentinel::start(n, ports, &servers, (password, tls_files)));
        let group = Self {
            sentinels: sentinels.collect(),
            servers,
            _ports: held,
        };
        wait_for("sentinels that agree", || {
            group.sentinels.iter().all(Sentinel::is_ready)
        });
        group
    }

    /// How the program reaches the master.
    pub fn endpoint(&self) -> Endpoint {
        let places = self.sentinels.iter();
        let places = places.map(|one| ("127.0.0.1".to_owned(), one.port));
        let sentinels = Sentinels {
            places: places.collect(),
            name: Some(NAME.to_owned()),
            user: None,
            password: None,
        };
        self.servers[0].endpoint_at(Address::Sentinel(sentinels), 0)
    }

    /// `127.0.0.1:1,127.0.0.1:2,…`, as a URL has them.
    pub fn places(&self) -> String {
        let places = self.sentinels.iter();
        let places: Vec<String> = places
            .map(|one| format!("127.0.0.1:{}", one.port))
            .collect();
        places.join(",")
    }

    /// The port of the server that the first sentinel names.
    pub fn port_of_master(&self) -> u16 {
        let asked = ["SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME];
        let told: [String; 2] = redis::from_redis_value(self.sentinels[0].cmd(&asked)).unwrap();
        told[1].parse().unwrap()
    }

    /// The same by its place in `servers`.
    pub fn master(&self) -> usize {
        let port = self.port_of_master();
        let master = self.servers.iter().position(|server| server.has_port(port));
        master.expect("one of them")
    }

    /// All sentinels agree on the master, and none of them is amid a failover.
    pub fn is_settled(&self) -> bool {
        let port = self.port_of_master().to_string();
        self.sentinels.iter().all(|sentinel| {
            let told = sentinel.cmd(&["SENTINEL", "MASTER", NAME]);
            let told: BTreeMap<String, String> = redis::from_redis_value(told).unwrap();
            told["port"] == port && told["flags"] == "master" && told["num-slaves"] == "2"
        })
    }

    /// The last sentinel believes that a replica is the master.
    pub fn mistake(&self) {
        self.teach(1);
    }

    /// The last sentinel believes that the first server is the master.
    pub fn correct(&self) {
        self.teach(0);
    }

    fn teach(&self, master: usize) {
        let port = self.servers[master].port().to_string();
        let sentinel = &self.sentinels[2];
        sentinel.cmd(&["SENTINEL", "REMOVE", NAME]);
        sentinel.cmd(&["SENTINEL", "MONITOR", NAME, "127.0.0.1", &port, "2"]);
    }

    /// One of the replicas is made the master, in an orderly manner: the old one stays, and takes
    /// writes until it is told.
    pub fn fail_over(&self) {
        self.sentinels[0].cmd(&["SENTINEL", "FAILOVER", NAME]);
    }
}

impl Sentinel {
    /// The sentinel number `n` at `ports[n]`, which knows the others and the replicas: to find each
    /// other takes sentinels seconds.
    fn start(
        n: usize,
        ports: [u16; 3],
        servers: &[Server],
        (password, tls_files): (Option<&str>, Option<&[&str]>),
    ) -> Self {
        let dir = room();
        let [master, replicas @ ..] = servers else {
            panic!("a master is watched")
        };
        let id = |n: usize| format!("{:040x}", n + 1);
        let mut config = format!(
            "port {}\nbind 127.0.0.1\nunixsocket s\nsentinel myid {}\nsentinel monitor {NAME} 127.0.0.1 {} 2\n\
             sentinel down-after-milliseconds {NAME} {}\nsentinel failover-timeout {NAME} {}\n\
             sentinel parallel-syncs {NAME} 2\n",
            ports[n],
            id(n),
            master.port(),
            DOWN_AFTER.as_millis(),
            FAILOVER_TIMEOUT.as_millis(),
        );
        for replica in replicas {
            // Writing into a String cannot fail.
            let _ = writeln!(
                config,
                "sentinel known-replica {NAME} 127.0.0.1 {}",
                replica.port()
            );
        }
        for (other, port) in ports.iter().enumerate().filter(|(other, _)| *other != n) {
            let id = id(other);
            let _ = writeln!(
                config,
                "sentinel known-sentinel {NAME} 127.0.0.1 {port} {id}"
            );
        }
        if let Some(password) = password {
            let _ = writeln!(config, "requirepass {password}");
        }
        if let Some(files) = tls_files {
            let behind = behind_tls(files, ports[n]);
            for option in behind.chunks(2) {
                let _ = writeln!(
                    config,
                    "{} {}",
                    option[0].trim_start_matches("--"),
                    option[1]
                );
            }
        }
        std::fs::write(dir.path().join("sentinel.conf"), config).unwrap();
        let mut program = Command::new(server_binary());
        program.args(["sentinel.conf", "--sentinel"]);
        let (guard, pid) = guarded(&program, dir.path());
        let sentinel = Self {
            port: ports[n],
            password: password.map(str::to_owned),
            guard,
            pid,
            dir,
        };
        wait_for("a sentinel that listens", || sentinel.connection().is_ok());
        sentinel
    }

    fn connection(&self) -> redis::RedisResult<redis::Connection> {
        use redis::IntoConnectionInfo as _;
        // Also where its port wants TLS.
        let login = redis::RedisConnectionInfo::default().set_skip_set_lib_name();
        let login = match &self.password {
            Some(word) => login.set_password(word.clone()),
            None => login,
        };
        let socket = redis::ConnectionAddr::Unix(self.dir.path().join("s"));
        let info = socket.into_connection_info()?.set_redis_settings(login);
        redis::Client::open(info)?.get_connection()
    }

    /// Sends one command; panics when it is refused.
    pub fn cmd(&self, words: &[&str]) -> Value {
        let mut cmd = redis::Cmd::new();
        for word in words {
            cmd.arg(*word);
        }
        let answer = cmd.query(&mut self.connection().unwrap());
        answer.unwrap_or_else(|why| panic!("{words:?}: {why}"))
    }

    /// Knows a master that is there, with both replicas, and the other two sentinels.
    fn is_ready(&self) -> bool {
        let mut cmd = redis::cmd("INFO");
        let told: String = cmd
            .arg("sentinel")
            .query(&mut self.connection().unwrap())
            .unwrap();
        told.contains("status=ok") && told.contains("slaves=2,sentinels=3")
    }

    /// SIGSTOP: it keeps its connections and answers nothing.
    pub fn stop(&self) {
        signal(self.pid, "-STOP");
    }
}

impl Drop for Sentinel {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        let _ = self.guard.wait();
    }
}

/// A section of what a server tells of itself.
pub fn info(server: &Server, section: &str) -> String {
    redis::from_redis_value(server.cmd(&["INFO", section])).unwrap()
}
