//! The command line as it was typed: the clap types, nothing else. What it means is
//! [`crate::config`].
//!
//! No type here has a `Debug`: passwords stand in them.

mod acl;
mod change;
mod commands;
mod doctor;
mod help;
mod journal;
mod metrics;
mod queue_hex;
mod repair;
mod tools;
mod trace;

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::{
    ArgAction, Args as ClapArgs, CommandFactory as _, FromArgMatches as _, Parser, Subcommand,
    ValueEnum,
};

pub use crate::clock::when::{BadTime, Span, TypedMoment};
pub use acl::{Acl, Purpose};
pub use change::{
    ChangeFlags, ChangedEntries, ChoiceFlags, Delete, Deliver, Duplicate, Edit, Kick, Pick,
    Requeue, Transfer, Undo,
};
pub use commands::{
    Consume, Decode, Demo, Encoding, Entries, FromFlag, Nodes, Offer, Payloads, Queues, Search,
    Show, Traffic, Watch, Worker,
};
pub use doctor::{Doctor, FailOn, Report};
pub use help::no_command;
pub use journal::{Journal, JournalCommand, Purge};
pub use metrics::Metrics;
pub use repair::{Repair, RepairFlag};
pub use tools::{Completions, Man, Shell};
pub use trace::{LineSubject, Trace};

use crate::payload::Codec;
use crate::queue::layout::spellings;
use crate::queue::via::{AddressMapping, Proxy};
use crate::queue::{Form, Queue, Verify};

const EXAMPLES: &str = "\
Examples:
  delayscope demo                              see it work, on a server of its own
  delayscope redis://localhost:6379/0          watch the delayed queues of a server
  delayscope -u unix:///run/redis.sock queues  print them
  delayscope show orders --json | jq .late
  delayscope --queue zset-list:delay_queue,ready_queue,s,left

Without a command the screen opens; without a terminal the queues are printed.

The password is best given in REDISCLI_AUTH: arguments can be seen by others on this machine.

Exit codes: 0 done, 1 nothing matched or not all done, 2 failed.";

// Not as comments of the fields: rustdoc takes the brackets for links.
fn queue_help() -> String {
    format!("The queue's name, or {}", spellings())
}

fn queues_help() -> String {
    format!(
        "A queue by name, or {}; repeatable, and no others are looked for",
        spellings()
    )
}

fn codecs(default: &str) -> String {
    let names = Codec::writable_names();
    format!("How to encode it: {names} [default: {default}]")
}

fn forms() -> String {
    Form::ALL.map(Form::word).join(", ")
}

/// Watch the delayed queues of a Redis server, and run them.
#[derive(Parser)]
#[command(
    name = "delayscope",
    version,
    long_version = version(),
    disable_help_flag = true,
    after_help = EXAMPLES,
    max_term_width = 100,
    subcommand_help_heading = "Commands"
)]
pub struct Args {
    /// The server, as a URL.
    #[arg(
        value_name = "URL",
        help = "The server, such as redis://user:password@host:6379/0 or unix:///path?db=1"
    )]
    pub address: Option<String>,
    /// The flags that say how to reach the server.
    #[command(flatten)]
    pub connection: Connection,
    /// The flags of the screen.
    #[command(flatten)]
    pub screen: ScreenFlags,
    /// Print help
    #[arg(long, short = '?', action = ArgAction::HelpShort, global = true, help_heading = None::<&str>)]
    help: Option<bool>,
    /// The subcommand; none opens the screen.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The version, with what was built: for a report of a mistake in it.
fn version() -> String {
    let screen = if cfg!(feature = "tui") { "tui" } else { "none" };
    format!(
        "{}\ncommit    {}\ntarget    {}\nfeatures  {screen}",
        env!("CARGO_PKG_VERSION"),
        env!("DELAYSCOPE_COMMIT"),
        env!("DELAYSCOPE_TARGET"),
    )
}

impl Args {
    /// The whole command line, as its help, manual and completions tell it.
    #[must_use]
    pub fn described() -> clap::Command {
        help::arranged(Self::command())
    }

    /// Parses what was typed, the program's name first. An error says what is wrong with it, or is
    /// the help or the version that was asked for.
    pub fn typed(
        words: impl IntoIterator<Item = impl Into<OsString>>,
    ) -> Result<Self, clap::Error> {
        let words = queue_hex::spelled_out(words.into_iter().map(Into::into));
        let mut command = Self::described();
        // -h is the host, as in redis-cli: alone it can only mean help.
        let asks = words.len() == 2 && words[1] == "-h";
        let tried = if asks {
            command.try_get_matches_from_mut(["delayscope", "--help"])
        } else {
            command.try_get_matches_from_mut(&words)
        };
        let typed: Vec<String> = words
            .iter()
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        let matches = tried.map_err(|error| help::plainer(error, &typed))?;
        Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
    }

    /// Returns the flags of the screen, which `demo` takes as well.
    #[must_use]
    pub fn screen(&self) -> ScreenFlags {
        let own = match &self.command {
            Some(Command::Demo(demo)) => demo.screen,
            _ => ScreenFlags::default(),
        };
        ScreenFlags {
            theme: own.theme.or(self.screen.theme),
            ascii: own.ascii || self.screen.ascii,
            interval: own.interval.or(self.screen.interval),
        }
    }
}

/// The connection flags, as redis-cli has them, and what holds for the whole session.
#[derive(ClapArgs)]
#[command(next_help_heading = "Connection")]
pub struct Connection {
    /// The server as a URL: redis://, rediss:// (with TLS), valkey://, unix://, redis-sentinel://
    #[arg(
        short = 'u',
        long = "url",
        value_name = "URL",
        global = true,
        hide_short_help = true
    )]
    pub url: Option<String>,
    /// The server's host [default: 127.0.0.1]
    #[arg(
        short = 'h',
        value_name = "HOST",
        global = true,
        hide_short_help = true
    )]
    pub host: Option<String>,
    /// The server's port [default: 6379]
    #[arg(short = 'p', value_name = "PORT", global = true, hide_short_help = true, value_parser = clap::value_parser!(u16).range(1..))]
    pub port: Option<u16>,
    /// The server's unix socket
    #[arg(short = 's', value_name = "PATH", global = true, hide_short_help = true, conflicts_with_all = ["host", "port"])]
    pub socket: Option<PathBuf>,
    /// The password.
    #[arg(
        help = "The password; REDISCLI_AUTH in the environment is the safer place",
        short = 'a',
        long = "pass",
        value_name = "PASSWORD",
        global = true,
        hide_short_help = true,
        allow_hyphen_values = true
    )]
    pub password: Option<String>,
    /// Ask for the password on the terminal
    #[arg(
        long,
        global = true,
        hide_short_help = true,
        conflicts_with = "password"
    )]
    pub askpass: bool,
    /// The ACL user
    #[arg(
        long,
        value_name = "NAME",
        global = true,
        hide_short_help = true,
        allow_hyphen_values = true
    )]
    pub user: Option<String>,
    /// The database number [default: 0]
    #[arg(short = 'n', value_name = "DB", global = true, hide_short_help = true, value_parser = clap::value_parser!(i64).range(0..))]
    pub db: Option<i64>,
    /// TLS to the server.
    #[command(flatten)]
    pub tls: TlsFlags,
    /// The login to sentinels.
    #[command(flatten)]
    pub sentinel: SentinelFlags,
    /// The way to servers that cannot be reached where they say they are.
    #[command(flatten)]
    pub via: ViaFlags,
    /// A profile of the configuration file.
    #[arg(
        long,
        help = "A profile of the configuration file; also DELAYSCOPE_PROFILE",
        value_name = "NAME",
        global = true,
        hide_short_help = true,
        allow_hyphen_values = true
    )]
    pub profile: Option<String>,
    /// The configuration file.
    #[arg(
        long,
        help = "The configuration file; also DELAYSCOPE_CONFIG",
        value_name = "FILE",
        global = true,
        hide_short_help = true
    )]
    pub config: Option<PathBuf>,
    /// The queues that are named.
    #[arg(long = "queue", value_name = "NAME", global = true, hide_short_help = true, help = queues_help())]
    pub queues: Vec<Queue>,
    /// The queues that are named by the hex digits of their bytes.
    #[arg(
        long = "queue-hex",
        value_name = "HEX",
        global = true, hide_short_help = true,
        value_parser = queue_hex::queue,
        help = "In place of QUEUE or --queue NAME: the same in hex digits, for names that no shell \
                can say"
    )]
    pub queues_hex: Vec<Queue>,
    /// Refuse every change
    #[arg(long, global = true, help_heading = None::<&str>)]
    pub read_only: bool,
    /// Print JSON: one object, or one line per item (fields: assets/docs/json.md)
    #[arg(long, global = true, help_heading = None::<&str>)]
    pub json: bool,
}

/// The flags of TLS, as redis-cli has them; any of them means TLS.
#[derive(ClapArgs, Clone, Default)]
pub struct TlsFlags {
    /// Talk TLS, as with a rediss:// URL
    #[arg(long, global = true, hide_short_help = true)]
    pub tls: bool,
    /// The name that its certificate must bear [default: the host]
    #[arg(long, value_name = "NAME", global = true, hide_short_help = true)]
    pub sni: Option<String>,
    /// Trust the certificates in this PEM file, not the system's
    #[arg(long, value_name = "FILE", global = true, hide_short_help = true)]
    pub cacert: Option<PathBuf>,
    /// Trust the certificates in the PEM files of this folder
    #[arg(long, value_name = "DIR", global = true, hide_short_help = true)]
    pub cacertdir: Option<PathBuf>,
    /// Our certificate (PEM), where the server wants one
    #[arg(long, value_name = "FILE", global = true, hide_short_help = true)]
    pub cert: Option<PathBuf>,
    /// The key of our certificate (PEM)
    #[arg(long, value_name = "FILE", global = true, hide_short_help = true)]
    pub key: Option<PathBuf>,
    /// The checks of its certificate: full, ca (any name), none [default: full]
    #[arg(long = "tls-verify", value_name = "CHECKS", global = true, hide_short_help = true, value_parser = verify)]
    pub verify: Option<Verify>,
    /// Check nothing: --tls-verify none
    #[arg(long, global = true, hide_short_help = true, conflicts_with = "verify")]
    pub insecure: bool,
}

/// Our user and password at the sentinels themselves; those at the master are others.
#[derive(ClapArgs, Clone, Default)]
pub struct SentinelFlags {
    /// The ACL user at the sentinels themselves
    #[arg(
        id = "sentinel_user",
        long = "sentinel-user",
        value_name = "NAME",
        global = true,
        hide_short_help = true,
        allow_hyphen_values = true
    )]
    pub user: Option<String>,
    /// The password at the sentinels themselves.
    #[arg(
        id = "sentinel_pass",
        long = "sentinel-pass",
        help = "The password at the sentinels themselves; DELAYSCOPE_SENTINEL_AUTH is the safer \
                place",
        value_name = "PASSWORD",
        global = true,
        hide_short_help = true,
        allow_hyphen_values = true
    )]
    pub password: Option<String>,
}

/// The way to servers that cannot be reached where they say they are.
#[derive(ClapArgs, Clone, Default)]
pub struct ViaFlags {
    /// A SOCKS5 proxy for all connections.
    #[arg(
        long,
        value_name = "URL",
        global = true,
        hide_short_help = true,
        help = "Make all connections through this SOCKS5 proxy, such as that of ssh -D: \
                socks5://[USER:PASSWORD@]HOST:PORT"
    )]
    pub proxy: Option<Proxy>,
    /// A command that each connection goes through.
    #[arg(
        long,
        value_name = "CMD",
        global = true,
        hide_short_help = true,
        conflicts_with = "proxy",
        help = "Make each connection through a command whose input and output lead to the server, \
                such as 'ssh -W {host}:{port} bastion'. It has no terminal to ask at for a \
                passphrase, which an agent has to know (ssh -o BatchMode=yes says so at once). \
                Commands that are printed have '…' in its place unless it is ssh alone"
    )]
    pub tunnel_command: Option<String>,
    /// Addresses that servers tell of, and those that they are reached at.
    #[arg(
        long,
        value_name = "A=B",
        global = true,
        hide_short_help = true,
        help = "Where servers tell of address A, connect to B, such as an end of ssh -L: \
                HOST[:PORT]=HOST[:PORT]; repeatable"
    )]
    pub map: Vec<AddressMapping>,
    /// Only the server that is named, although it is a node of a cluster
    #[arg(id = "alone", long = "node", global = true, hide_short_help = true)]
    pub alone: bool,
}

fn verify(typed: &str) -> Result<Verify, String> {
    let of_that_name = Verify::ALL.into_iter().find(|one| one.word() == typed);
    of_that_name.ok_or_else(|| "it is full, ca or none".to_owned())
}

/// The flags of the screen.
#[derive(ClapArgs, Clone, Copy, Default)]
#[command(next_help_heading = "Screen")]
pub struct ScreenFlags {
    /// Colours for which background [default: auto]
    #[arg(long, value_name = "THEME")]
    pub theme: Option<ThemeName>,
    /// Draw with ASCII only
    #[arg(long)]
    pub ascii: bool,
    /// Time between two refreshes, 200ms to 60s [default: 1s]
    #[arg(long, value_name = "SPAN", allow_hyphen_values = true)]
    pub interval: Option<Span>,
}

/// The colour themes.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum ThemeName {
    /// For the background that the terminal tells.
    Auto,
    /// For a light background.
    Light,
    /// For a dark background.
    Dark,
    /// The terminal's own palette.
    Terminal,
}

/// The subcommands.
#[derive(Subcommand)]
pub enum Command {
    /// See it work: a private server with delayed queues, gone again afterwards
    Demo(Demo),
    /// The queues: what waits, what is late, how many clients
    Queues(Queues),
    /// One queue in figures, and when its entries fall due
    Show(Show),
    /// The entries of a queue
    Entries(Entries),
    /// Find entries in a whole queue by a filter
    Search(Search),
    /// The queues, printed again at each interval
    Watch(Watch),
    /// The announcements on the queues' channels, as they come
    Traffic(Traffic),
    /// The servers behind the address: replicas, sentinels, the nodes of a cluster
    Nodes(Nodes),
    /// Find out what is wrong with the queues, why, and what repairs it
    Doctor(Doctor),
    /// An incident report (Markdown) for a ticket
    Report(Report),
    /// The figures for a monitoring system, once or over HTTP
    Metrics(Metrics),
    /// Offer messages to a queue, as a Redisson client does
    Offer(Offer),
    /// Transfer what is due to the target list
    Transfer(Transfer),
    /// Transfer chosen entries now, also before they are due
    Deliver(Deliver),
    /// Give chosen entries another due time
    Requeue(Requeue),
    /// Delete chosen entries
    Delete(Delete),
    /// Replace the payload of an entry
    Edit(Edit),
    /// Offer the payloads of chosen entries again
    Duplicate(Duplicate),
    /// Wake all clients of a queue
    Kick(Kick),
    /// Repair a queue: formats, order list, target, expiry, due times; what was interrupted
    Repair(Repair),
    /// Undo a change
    Undo(Undo),
    /// Transfer due entries in place of a Redisson client
    Worker(Worker),
    /// Take delivered messages from the target list, for good
    Consume(Consume),
    /// The changes made from this account, to list and to forget; needs no server
    Journal(Journal),
    /// ACL rules for a user with the least rights; needs no server
    Acl(Acl),
    /// Tell what a frame or a payload says; needs no server
    Decode(Decode),
    /// Tell what happened to each message: live, by MONITOR, or from a saved log of commands
    Trace(Trace),
    /// Tell a shell how to complete the command line; needs no server
    Completions(Completions),
    /// The manual page, in roff; needs no server
    Man(Man),
}

impl Command {
    /// True for a command that reads what it is given, and no server.
    #[must_use]
    pub const fn reads_alone(&self) -> bool {
        match self {
            Self::Decode(_) | Self::Completions(_) | Self::Man(_) => true,
            Self::Trace(asked) => asked.from.is_some(),
            _ => false,
        }
    }

    /// True for a command that must be told before it is stopped for a while: it may keep something
    /// of a queue aside while it is under way, or the server busy.
    #[must_use]
    pub const fn holds_stops(&self) -> bool {
        matches!(
            self,
            Self::Transfer(_)
                | Self::Deliver(_)
                | Self::Requeue(_)
                | Self::Delete(_)
                | Self::Edit(_)
                | Self::Duplicate(_)
                | Self::Kick(_)
                | Self::Repair(_)
                | Self::Undo(_)
                | Self::Worker(_)
                | Self::Trace(_)
        )
    }
}

/// `text` without what may hold a password: clap repeats what it does not understand.
#[must_use]
pub fn without_passwords(text: &str) -> String {
    let ends = |c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '`');
    let mut out = String::with_capacity(text.len());
    for part in text.split_inclusive(ends) {
        let word = part.trim_end_matches(ends);
        out.push_str(&blanked(word));
        out.push_str(&part[word.len()..]);
    }
    out
}

/// A word, of which only the beginning and the server are left when it may hold a password: a URL,
/// also one without its slashes, and a flag that looks like one for a password.
fn blanked(word: &str) -> Cow<'_, str> {
    let schemes = ["redis:", "valkey:", "rediss:", "valkeys:", "unix:"];
    let scheme = schemes.iter().any(|scheme| word.starts_with(scheme));
    let (before, rest) = match (word.split_once("://"), scheme) {
        (Some((before, rest)), _) => (format!("{before}://"), rest),
        (None, true) => word
            .split_once(':')
            .map_or((String::new(), word), |(before, rest)| {
                (format!("{before}:"), rest)
            }),
        (None, false) if word.starts_with("--pas") && word.contains('=') => {
            let flag = word.split('=').next().unwrap_or_default();
            return format!("{flag}=…").into();
        }
        (None, false) => (String::new(), word),
    };
    if let Some((_, place)) = rest.rsplit_once('@') {
        return format!("{before}…@{place}").into();
    }
    let host = rest.split(['/', '?']).next().unwrap_or_default();
    let port = host.rsplit_once(':').map_or("", |(_, port)| port);
    let is_place = port
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b']');
    if before.is_empty() || (is_place && before.ends_with("//")) {
        return word.into();
    }
    format!("{before}…").into()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn a_password_in_a_url_is_blanked() {
        assert_eq!(
            without_passwords("unexpected 'redis://u:p@ss@h:1/0' and redis://h/1 found"),
            "unexpected 'redis://…@h:1/0' and redis://h/1 found"
        );
        for (typed, told) in [
            ("'redis:s3cret' found", "'redis:…' found"),
            ("'redis://u:s3cret' found", "'redis://…' found"),
            ("'u:s3cret@h' found", "'…@h' found"),
            ("'--passwort=s3cret'", "'--passwort=…'"),
            (
                "redis://[::1]:7000/1 --limit=3",
                "redis://[::1]:7000/1 --limit=3",
            ),
        ] {
            assert_eq!(without_passwords(typed), told);
        }
    }

    #[test]
    fn connection_flags_stand_before_or_after_the_subcommand() {
        for line in [
            ["delayscope", "-p", "7000", "queues"],
            ["delayscope", "queues", "-p", "7000"],
        ] {
            let args = Args::typed(line).ok().unwrap();
            assert_eq!(args.connection.port, Some(7000));
            assert!(matches!(args.command, Some(Command::Queues(_))));
        }
    }
}
