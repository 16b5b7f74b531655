//! The server under inspection: where it is, how the link to it does, what it is and refuses.
//! Filled by `store`, shown by `tui` and `cli`.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use super::sentinels::{Sentinels, place, places};
use super::via::Via;
use crate::clock::ServerClock;

/// The address of a server, its database and the login. Its `Debug` and `Display` never show the
/// password.
#[derive(Clone, Eq, PartialEq)]
pub struct Endpoint {
    /// The address at which it listens.
    pub address: Address,
    /// The database number.
    pub db: i64,
    /// The ACL user; none is the default user.
    pub user: Option<String>,
    /// The password.
    pub password: Option<String>,
    /// The way to talk TLS to it; none is in the open.
    pub tls: Option<Tls>,
    /// The way connections to it, and to whatever it leads to, are made.
    pub via: Via,
    /// The profile that it is of, for lines that a shell is given.
    pub profile: Option<Arc<ProfileReference>>,
}

/// A profile of the configuration file, as a line for a shell names it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ProfileReference {
    /// The flags that name it, as a shell takes them.
    pub words: String,
    /// Its server, as the file has it.
    pub endpoint: Endpoint,
    /// Another password was typed than the one that the profile has.
    pub other_password: bool,
}

/// TLS to a server: whom to trust, and as whom to come.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Tls {
    /// The checks of its certificate.
    pub verify: Verify,
    /// The name that is sent to it, and that its certificate must bear; none is the host.
    pub name: Option<String>,
    /// A file of the certificates that are trusted (PEM), instead of the system's.
    pub ca_file: Option<PathBuf>,
    /// A folder of such files.
    pub ca_dir: Option<PathBuf>,
    /// Our own certificate, for a server that asks for one.
    pub identity: Option<Identity>,
}

/// A certificate of ours and its key.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Identity {
    /// The file of the certificate (PEM), with those that lead to its CA.
    pub cert: PathBuf,
    /// The file of its key (PEM), not encrypted.
    pub key: PathBuf,
}

/// The checks of a server's certificate.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum Verify {
    /// Someone trusted has signed it, and it bears the server's name.
    #[default]
    Full,
    /// Someone trusted has signed it, for whatever name.
    Ca,
    /// None.
    None,
}

impl Verify {
    /// All of them, the strictest first.
    pub const ALL: [Self; 3] = [Self::Full, Self::Ca, Self::None];

    /// The word for it on the command line and in the configuration file.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Ca => "ca",
            Self::None => "none",
        }
    }
}

/// The address at which a server listens.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub enum Address {
    /// Host and port.
    Tcp(String, u16),
    /// A unix socket's path.
    Unix(PathBuf),
    /// Wherever the master is that these sentinels watch.
    Sentinel(Sentinels),
    /// Any of these nodes of a cluster, at least two, each with host and port.
    Cluster(Vec<(String, u16)>),
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(host, port) => f.write_str(&place(host, *port)),
            Self::Unix(path) => write!(f, "{}", path.display()),
            Self::Sentinel(sentinels) => write!(f, "{sentinels}"),
            Self::Cluster(nodes) => write!(f, "cluster {}", places(nodes)),
        }
    }
}

/// `host:port/db`. A socket's path is told apart from the database: `/run/redis.sock db 0`.
impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let between = match self.address {
            Address::Unix(_) => " db ",
            _ => "/",
        };
        write!(f, "{}{between}{}", self.address, self.db)
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Endpoint({self}, user {:?}, password {})",
            self.user,
            self.password.is_some()
        )
    }
}

/// Everything that is known of the link to the server, at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Link {
    /// The state of the link.
    pub state: LinkState,
    /// The server that the address leads to, where the address is not that server's own: the master
    /// that sentinels name. Stays while it is away.
    pub leads_to: Option<Address>,
    /// The nodes of the cluster that it is one of; none: it is no cluster.
    pub nodes: Option<Nodes>,
    /// The server's clock, once it answered.
    pub clock: Option<ServerClock>,
    /// The server's description, once it answered; stays while it is away.
    pub facts: Option<Facts>,
    /// The optional commands that the server refuses, each with its own words.
    pub refused: RefusedCommands,
    /// Our cost to it so far.
    pub cost: LinkCost,
}

/// The nodes of a cluster, as it tells of them.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Nodes {
    /// The number of those that own slots.
    pub masters: usize,
    /// The number of these that do not answer us.
    pub away: usize,
    /// The number of those that follow one that does.
    pub replicas: usize,
    /// Slots, of [`SLOTS`](super::slot::SLOTS), that nobody owns.
    pub unowned: usize,
}

/// The state of the link to the server. A server that is gone is a state, not an error.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum LinkState {
    /// Not answered yet, for the first time.
    #[default]
    Connecting,
    /// It answers.
    Live,
    /// Connected, but a request has been without an answer since then.
    Hung {
        /// When the request was sent.
        since: Instant,
    },
    /// No connection. It is tried again at `retry_at`.
    Lost {
        /// The reason, in the words of the last attempt.
        why: String,
        /// When it went.
        since: Instant,
        /// When the next attempt starts.
        retry_at: Instant,
    },
}

impl LinkState {
    /// The server answers and does not let us in: to wait is no help, to log in otherwise is.
    #[must_use]
    pub fn is_denied(&self) -> bool {
        matches!(self, Self::Lost { why, .. } if refused_login(why).is_some())
    }

    /// Says why there is no connection, in plain words; none where there is one.
    #[must_use]
    pub fn why_lost(&self) -> Option<&str> {
        match self {
            Self::Lost { why, .. } => Some(refused_login(why).unwrap_or(why)),
            _ => None,
        }
    }
}

/// The plain words for a server's answer to a login that failed; none for any other answer.
#[must_use]
pub fn refused_login(words: &str) -> Option<&'static str> {
    [
        ("NOAUTH", "password required (NOAUTH)"),
        // A user that is disabled is refused in the same words.
        ("WRONGPASS", "user or password refused (WRONGPASS)"),
        // Servers below 6.0 say this of a wrong password.
        ("ERR invalid password", "wrong password"),
    ]
    .into_iter()
    .find_map(|(code, plain)| words.starts_with(code).then_some(plain))
}

/// The server, as it describes itself (`INFO`); empty fields are what it did not say.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Facts {
    /// `redis` or `valkey`.
    pub product: String,
    /// Its version, such as `7.0.15`.
    pub version: String,
    /// `master` or `slave`.
    pub role: String,
    /// `standalone`, `cluster` or `sentinel`.
    pub mode: String,
    /// Its uptime, in seconds.
    pub uptime_s: u64,
    /// 32 or 64.
    pub arch_bits: u32,
    /// Its operating system, as it names it.
    pub os: String,
    /// Its run id: another one means a restart (or another server).
    pub run_id: String,
    /// Its replication id (`master_replid`, Redis ≥ 4.0): survives a restart from an RDB file and
    /// is shared by a master and its replicas.
    pub replication_id: String,
    /// The replication id before that one (`master_replid2`), of a replica that became the master.
    pub former_replication_id: String,
}

impl Facts {
    /// Returns the number of bytes of its `unsigned long`, which is the length in the frames that
    /// its scripts pack: 4 on 32-bit builds and on Windows, else 8.
    #[must_use]
    pub fn long_bytes(&self) -> usize {
        let short = self.arch_bits == 32 || self.os.to_ascii_lowercase().contains("windows");
        if short { 4 } else { 8 }
    }

    /// The first number of its version; 0 when it did not say.
    #[must_use]
    pub fn major(&self) -> u32 {
        let first = self.version.split('.').next();
        first.and_then(|first| first.parse().ok()).unwrap_or(0)
    }
}

/// The cost of this session to the server since the link was opened.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct LinkCost {
    /// Commands sent.
    pub commands: u64,
    /// Server time, in µs: measured by the server's own TIME before and after a pulse or survey,
    /// estimated from these for the rest.
    pub server_us: u64,
    /// Bytes received and sent.
    pub bytes: u64,
    /// Commands that the server refused because its memory is full (`OOM`): it does so with each
    /// one in a transaction, and counts them.
    pub refused_full: u64,
}

/// The optional commands: one that a server (or its ACL) refuses is left out from then on.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Optional {
    /// `PUBSUB NUMSUB`: transfer clients.
    NumSub,
    /// `PUBSUB CHANNELS`: queues that are empty but alive.
    Channels,
    /// `PSUBSCRIBE`: announcements.
    PSubscribe,
    /// `INFO`: version, role, memory, statistics.
    Info,
    /// `CLIENT LIST`.
    ClientList,
    /// `SCRIPT EXISTS`: which client generations have been here.
    ScriptExists,
    /// `SCAN`: finding queues that nobody named.
    Scan,
    /// `CLUSTER NODES`: what the nodes of a cluster say of each other.
    ClusterNodes,
    /// `LPOS` (Redis ≥ 6.0.6): how far down the order list an entry stands.
    Lpos,
}

/// The optional commands that the server refuses, each with its own words.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct RefusedCommands(pub BTreeMap<Optional, String>);

impl RefusedCommands {
    /// The reason, when `command` is refused.
    #[must_use]
    pub fn why(&self, command: Optional) -> Option<&str> {
        self.0.get(&command).map(String::as_str)
    }
}
