//! File < environment < arguments → one validated [`Config`].
//!
//! A layer that is not there says nothing; a later one that speaks wins. Two things are not like
//! that. What forbids (`read_only`, `protected`) holds when any layer says it. And a profile or URL
//! is a server with its own password: `REDISCLI_AUTH` fills in only where it has none, so that a
//! password meant for one server is not sent to another.

mod error;
mod file;
mod password;
mod profile;
mod reader;
mod sentinel;
mod terminal;
mod tls;
mod url;
mod via;

use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub use error::ConfigError;
pub use file::KeySetting;
pub use password::{NoPassword, PasswordFailure};
pub use profile::{LabelColour, Profile};
pub use reader::{At, BadFile};
pub use sentinel::NoSentinels;
pub use terminal::{Colours, Terminal};
pub use tls::BadTls;
pub use url::{BadUrl, parse as parse_url};
pub use via::NodeOfSentinels;

pub use crate::args::ThemeName;
use crate::args::{Args, Command, Connection, Span, TlsFlags, ViaFlags, no_command};
use crate::queue::redis_cli::{self, RedisCli};
use crate::queue::{Address, Endpoint, ProfileReference, Queue, shell};
use file::{File, LoadedFile};
use reader::listed;

/// The configuration of a session, complete and checked.
#[derive(Clone, Debug)]
pub struct Config {
    /// The server.
    pub endpoint: Endpoint,
    /// True when somebody named it; else it is the default, this machine.
    pub endpoint_named: bool,
    /// The profile that the server is of.
    pub profile: Option<Profile>,
    /// Every change is refused.
    pub read_only: bool,
    /// The queues that were named; then no others are looked for.
    pub queues: Vec<Queue>,
    /// The options of the screen.
    pub screen: ScreenOptions,
    /// Days for which changes are kept in the journal.
    pub keep_days: u32,
    /// The keys that the file gives to actions, as they stand there.
    pub keys: Vec<KeySetting>,
    /// Print JSON.
    pub json: bool,
    /// Warnings, a sentence each.
    pub warnings: Vec<String>,
    elsewhere: CommonSettings,
}

/// The part that holds for whichever profile is switched to.
#[derive(Clone, Debug)]
struct CommonSettings {
    path: Option<PathBuf>,
    /// The same as it was typed; none: the file is found without.
    typed_path: Option<PathBuf>,
    profiles: Vec<Profile>,
    read_only: bool,
    keep_days: u32,
    password: Secret,
    /// For sentinels.
    sentinel_password: Secret,
    /// A server of no name, by the flags about the way: these hold for an address that is typed later.
    way: Endpoint,
}

/// A password for servers that have none of their own.
#[derive(Clone)]
struct Secret(Option<String>);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Secret({})", self.0.is_some())
    }
}

/// The options of the screen.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ScreenOptions {
    /// The theme.
    pub theme: ThemeName,
    /// Draw with ASCII only.
    pub ascii: bool,
    /// The colours there are; a theme for a background wants more than 16.
    pub colours: Colours,
    /// The background is light, as the environment tells.
    pub light: Option<bool>,
    /// The time between two looks.
    pub interval: Duration,
    /// The bell rings for what becomes critical.
    pub bell: bool,
}

/// The time between two looks when nobody says.
const INTERVAL: Duration = Duration::from_secs(1);
/// The shortest and the longest time between two looks, in ms.
pub const INTERVAL_MS: std::ops::RangeInclusive<u64> = 200..=60_000;
/// Days for which changes are kept in the journal when nobody says.
const KEEP_DAYS: u32 = 30;

impl Config {
    /// Makes it of `args` and an environment, which is asked by name. Reads the configuration file;
    /// where the server is a profile with a `password_command`, waits until that has ended, up to
    /// 30 s.
    pub fn new(args: &Args, env: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let env = |name: &str| env(name).filter(|value| !value.is_empty());
        let connection = &args.connection;
        let named = connection.config.clone();
        let named = named.or_else(|| env("DELAYSCOPE_CONFIG").map(PathBuf::from));
        let LoadedFile {
            file,
            path,
            warning,
        } = file::load(named, env)?;
        let screen = screen_options(args, &file, Terminal::of(env))?;
        let elsewhere = CommonSettings {
            path,
            typed_path: connection.config.clone(),
            read_only: connection.read_only || file.read_only == Some(true),
            keep_days: file.keep_days.unwrap_or(KEEP_DAYS),
            password: Secret(env("REDISCLI_AUTH")),
            sentinel_password: Secret(env(sentinel::VARIABLE)),
            way: way(connection)?,
            profiles: file.profiles,
        };
        let profile = match chosen(args, env("DELAYSCOPE_PROFILE"), file.profile)? {
            Some(name) => Some(elsewhere.profile(&name)?),
            None => None,
        };
        let config = Self {
            endpoint: url::default(),
            endpoint_named: names_server(args).is_some(),
            profile: None,
            // What a demo plays on is its own.
            read_only: connection.read_only || (elsewhere.read_only && !plays(args)),
            queues: [&connection.queues[..], &connection.queues_hex].concat(),
            screen,
            keep_days: elsewhere.keep_days,
            keys: file.keys,
            json: connection.json,
            warnings: { warning.into_iter() }
                .chain(shown_password(args))
                .collect(),
            elsewhere,
        };
        match profile {
            // What needs no server needs no password either.
            Some(profile) if !args.command.as_ref().is_some_and(Command::reads_alone) => {
                config.at(profile, connection)
            }
            _ => {
                let typed = endpoint(args.address.as_deref(), connection)?;
                Ok(Self {
                    endpoint: config.elsewhere.completed(typed, connection)?,
                    ..config
                })
            }
        }
    }

    /// The profiles of the file, in its order. Their endpoints are without the password that a
    /// `password_command` prints.
    pub fn profiles(&self) -> impl Iterator<Item = &Profile> {
        self.elsewhere.profiles.iter()
    }

    /// This session at another profile's server, with that profile's queues and limits; what the
    /// arguments said of the first server does not hold there, save `--read-only`.
    ///
    /// Runs the profile's `password_command` and waits for its end, up to 30 s: not to be called
    /// where keys are waited for.
    pub fn for_profile(&self, name: &str) -> Result<Self, ConfigError> {
        let profile = self.elsewhere.profile(name)?;
        let endpoint = self.elsewhere.filled_in(profile.unlocked()?);
        let there = Self {
            queues: Vec::new(),
            ..self.clone()
        };
        Ok(there.with(profile, endpoint, false))
    }

    /// This session at the server at `HOST:PORT/DB`, or of a URL, which no profile is of. Whom to trust
    /// and the way there are as the flags have it; login, `--sni`, `--node` and database were those of
    /// another server. A URL's scheme says whether TLS is spoken; where there is none, the flags do.
    pub fn for_address(&self, address: &str) -> Result<Self, ConfigError> {
        let mut endpoint = url::parse(&whole_url(address))?;
        if !matches!(endpoint.address, Address::Unix(_)) {
            let way = &self.elsewhere.way;
            endpoint.via = way.via.clone();
            if endpoint.tls.is_some() || !address.contains("://") {
                endpoint.tls = way.tls.clone().or(endpoint.tls);
            }
        }
        Ok(Self {
            endpoint: self.elsewhere.filled_in(endpoint),
            endpoint_named: true,
            profile: None,
            read_only: self.elsewhere.read_only,
            queues: Vec::new(),
            keep_days: self.elsewhere.keep_days,
            ..self.clone()
        })
    }

    /// Returns the words with which a shell starts this program on the server; the password comes
    /// from where it came from.
    #[must_use]
    pub fn program(&self) -> String {
        redis_cli::ours(&self.endpoint)
    }

    /// Returns the words with which a shell starts this program and redis-cli on the server.
    #[must_use]
    pub fn programs(&self) -> redis_cli::Programs {
        redis_cli::Programs {
            ours: self.program(),
            redis_cli: RedisCli::at(&self.endpoint),
        }
    }

    /// This session in another database of the same server.
    #[must_use]
    pub fn for_db(&self, db: i64) -> Self {
        let mut there = self.clone();
        there.endpoint.db = db;
        there
    }

    /// At the server of a profile, as the arguments `given` change it.
    fn at(self, profile: Profile, given: &Connection) -> Result<Self, ConfigError> {
        let password = given.password.clone().filter(|typed| !typed.is_empty());
        let other_password = password.is_some();
        let mut endpoint = match password {
            Some(_) => profile.endpoint.clone(),
            None => profile.unlocked()?,
        };
        endpoint.password = password.or(endpoint.password);
        endpoint.user = given.user.clone().or(endpoint.user);
        endpoint.db = given.db.unwrap_or(endpoint.db);
        let endpoint = self.elsewhere.completed(endpoint, given)?;
        Ok(self.with(profile, endpoint, other_password))
    }

    /// At a profile's server, which is `endpoint`.
    fn with(self, profile: Profile, endpoint: Endpoint, other_password: bool) -> Self {
        let reference = ProfileReference {
            words: self.elsewhere.naming(&profile.name),
            endpoint: profile.endpoint.clone(),
            other_password,
        };
        Self {
            endpoint: Endpoint {
                profile: Some(Arc::new(reference)),
                ..endpoint
            },
            endpoint_named: true,
            read_only: self.elsewhere.read_only || profile.read_only,
            queues: if self.queues.is_empty() {
                profile.queues.clone()
            } else {
                self.queues
            },
            keep_days: profile.keep_days.unwrap_or(self.elsewhere.keep_days),
            profile: Some(profile),
            ..self
        }
    }
}

impl CommonSettings {
    /// The endpoint with what the flags say of TLS and sentinels, and with the passwords that it
    /// lacks.
    fn completed(
        &self,
        mut endpoint: Endpoint,
        given: &Connection,
    ) -> Result<Endpoint, ConfigError> {
        tls::apply(&given.tls, &mut endpoint)?;
        via::apply(&given.via, &mut endpoint)?;
        let usual = self.sentinel_password.0.as_deref();
        sentinel::apply(&given.sentinel, usual, &mut endpoint)?;
        endpoint.password = endpoint.password.or_else(|| self.password.0.clone());
        Ok(endpoint)
    }

    /// The endpoint with the passwords that it lacks.
    fn filled_in(&self, mut endpoint: Endpoint) -> Endpoint {
        if let Address::Sentinel(sentinels) = &mut endpoint.address
            && sentinels.password.is_none()
        {
            sentinels.password.clone_from(&self.sentinel_password.0);
        }
        endpoint.password = endpoint.password.or_else(|| self.password.0.clone());
        endpoint
    }

    /// The flags that name a profile, as a shell takes them: with the file, where that was typed.
    fn naming(&self, profile: &str) -> String {
        let name = format!("--profile {}", shell::word(profile.as_bytes()));
        match &self.typed_path {
            Some(path) => {
                let path = shell::word(path.as_os_str().as_bytes());
                format!("--config {path} {name}")
            }
            None => name,
        }
    }

    fn profile(&self, name: &str) -> Result<Profile, ConfigError> {
        let known = self.profiles.iter().find(|profile| profile.name == name);
        known.cloned().ok_or_else(|| {
            let names: Vec<&str> = self.profiles.iter().map(|p| p.name.as_str()).collect();
            let place = self.path.as_ref().map(|path| path.display().to_string());
            let place = place.unwrap_or_else(|| "a configuration file".to_owned());
            ConfigError::NoProfile {
                name: name.to_owned(),
                there_are: match names[..] {
                    [] => format!("{place} has none"),
                    [only] => format!("{place} has only {only}"),
                    _ => format!("{place} has {}", listed(&names)),
                },
            }
        })
    }
}

/// Returns a server of no name, with what the flags say of the way to any server.
fn way(given: &Connection) -> Result<Endpoint, ConfigError> {
    let trust = TlsFlags {
        sni: None,
        ..given.tls.clone()
    };
    let roads = ViaFlags {
        alone: false,
        ..given.via.clone()
    };
    let mut way = url::default();
    tls::apply(&trust, &mut way)?;
    via::apply(&roads, &mut way)?;
    Ok(way)
}

/// Returns the URL that an address stands for.
fn whole_url(address: &str) -> String {
    if address.contains("://") {
        address.to_owned()
    } else {
        format!("redis://{address}")
    }
}

/// Checks an address that is typed where it is kept: it names a server, and no password.
pub fn check_address(address: &str) -> Result<(), String> {
    let endpoint = url::parse(&whole_url(address)).map_err(|why| why.to_string())?;
    if endpoint.password.is_some() || sentinel::has_password(&endpoint) {
        return Err("this line is kept: put the password into a profile".to_owned());
    }
    Ok(())
}

/// Returns the options of the screen. Whether ASCII is all there is, the environment can only
/// guess: the file knows better.
fn screen_options(
    args: &Args,
    file: &File,
    terminal: Terminal,
) -> Result<ScreenOptions, ConfigError> {
    let typed = args.screen();
    let file_interval = file.interval.map(Span::duration);
    Ok(ScreenOptions {
        theme: typed.theme.or(file.theme).unwrap_or(ThemeName::Auto),
        ascii: typed.ascii || file.ascii.unwrap_or(terminal.ascii),
        colours: terminal.colours,
        light: terminal.light,
        interval: interval(typed.interval)?
            .or(file_interval)
            .unwrap_or(INTERVAL),
        bell: file.bell.unwrap_or(false),
    })
}

/// Tells whether a demo is asked for that plays on a server of its own.
fn plays(args: &Args) -> bool {
    let named = names_server(args).is_some() || args.connection.profile.is_some();
    matches!(args.command, Some(Command::Demo(_))) && !named
}

/// Returns the argument that names a server, when one does.
fn names_server(args: &Args) -> Option<&'static str> {
    let given = &args.connection;
    [
        (args.address.is_some(), "a URL"),
        (given.url.is_some(), "-u"),
        (given.host.is_some(), "-h"),
        (given.port.is_some(), "-p"),
        (given.socket.is_some(), "-s"),
    ]
    .into_iter()
    .find_map(|(is_given, what)| is_given.then_some(what))
}

/// The name of the profile that is meant; none where a server is named otherwise. A demo on a
/// server of its own stays there, whatever is usual.
fn chosen(
    args: &Args,
    from_env: Option<String>,
    from_file: Option<String>,
) -> Result<Option<String>, ConfigError> {
    match (&args.connection.profile, names_server(args)) {
        (Some(_), Some(server)) => Err(ConfigError::ProfileAnd(server)),
        (Some(typed), None) => Ok(Some(typed.clone())),
        (None, Some(_)) => Ok(None),
        (None, None) if plays(args) => Ok(None),
        (None, None) => Ok(from_env.or(from_file)),
    }
}

/// An interval that was typed, checked.
pub fn interval(typed: Option<Span>) -> Result<Option<Duration>, ConfigError> {
    match typed {
        Some(span) if !INTERVAL_MS.contains(&span.ms()) => Err(ConfigError::Interval(span.ms())),
        typed => Ok(typed.map(Span::duration)),
    }
}

fn endpoint(positional: Option<&str>, given: &Connection) -> Result<Endpoint, ConfigError> {
    let text = match (positional, given.url.as_deref()) {
        (Some(_), Some(_)) => return Err(ConfigError::TwoUrls),
        (Some(word), None) if !word.contains("://") => {
            return Err(match no_command(word) {
                Some(said) => ConfigError::NoCommand(said),
                None => ConfigError::NeitherCommandNorUrl(without_login(word)),
            });
        }
        (Some(url), None) | (None, Some(url)) => Some(url),
        (None, None) => None,
    };
    let mut endpoint = match text {
        Some(url) => {
            let beside = [
                (given.host.is_some(), "-h"),
                (given.port.is_some(), "-p"),
                (given.socket.is_some(), "-s"),
            ];
            if let Some((_, flag)) = beside.into_iter().find(|(is_given, _)| *is_given) {
                return Err(ConfigError::UrlAnd(flag));
            }
            url::parse(url)?
        }
        None => Endpoint {
            address: address(given),
            ..url::default()
        },
    };
    endpoint.db = given.db.unwrap_or(endpoint.db);
    endpoint.user = given.user.clone().or(endpoint.user);
    endpoint.password = given
        .password
        .clone()
        .filter(|password| !password.is_empty())
        .or(endpoint.password);
    Ok(endpoint)
}

/// A word that may be a URL without its scheme, and so may hold a password: it is repeated only
/// where it can be nothing but a command's name.
fn without_login(word: &str) -> String {
    let is_command = |c: char| c.is_ascii_lowercase() || c == '-';
    if word.chars().all(is_command) {
        format!("{word:?}")
    } else {
        "what was given".to_owned()
    }
}

/// The warning about a password that stands on the command line, where all of this machine can see
/// it, with the place that keeps it from them; none: there is none.
fn shown_password(args: &Args) -> Option<String> {
    let connection = &args.connection;
    let typed = args.address.iter().chain(&connection.url);
    let servers: Vec<Endpoint> = typed.filter_map(|url| url::parse(url).ok()).collect();
    let is_typed = |flag: &Option<String>| flag.as_ref().is_some_and(|word| !word.is_empty());
    // What was asked for stands nowhere.
    let flag = is_typed(&connection.password) && !connection.askpass;
    let of_sentinels = is_typed(&connection.sentinel.password);
    let proxy = connection.via.proxy.as_ref();
    let places = [
        (
            flag || servers.iter().any(|server| server.password.is_some()),
            "REDISCLI_AUTH in the environment, or a profile's password_command, keeps it from them",
        ),
        (
            of_sentinels || servers.iter().any(sentinel::has_password),
            "DELAYSCOPE_SENTINEL_AUTH in the environment keeps that of sentinels from them",
        ),
        (
            proxy.is_some_and(|proxy| proxy.login.is_some()),
            "proxy in the configuration keeps that of the proxy from them",
        ),
    ];
    let kept: Vec<&str> = places
        .into_iter()
        .filter_map(|(is_shown, place)| is_shown.then_some(place))
        .collect();
    (!kept.is_empty()).then(|| {
        format!(
            "a password on the command line can be seen by others on this machine. {}",
            kept.join("; ")
        )
    })
}

fn address(given: &Connection) -> Address {
    match &given.socket {
        Some(path) => Address::Unix(path.clone()),
        None => Address::Tcp(
            given.host.clone().unwrap_or_else(|| url::HOST.to_owned()),
            given.port.unwrap_or(url::PORT),
        ),
    }
}

#[cfg(test)]
mod tests;
