//! File < environment < arguments → one validated [`Config`].
//!
//! A layer that is not there says nothing; a later one that speaks wins. There is no file yet: it
//! will be a third `Layer` below the other two.

mod url;

use std::time::Duration;

pub use url::{BadUrl, parse as parse_url};

pub use crate::args::Theme;
use crate::args::{Args, Connection, Span};
use crate::queue::{Address, Endpoint, Queue};

/// What a session is to do with which server, complete and checked.
#[derive(Clone, Debug)]
pub struct Config {
    /// The server.
    pub endpoint: Endpoint,
    /// Whether somebody named it; else it is the default, this machine.
    pub endpoint_named: bool,
    /// Every change is refused.
    pub read_only: bool,
    /// The queues that were named; then no others are looked for.
    pub queues: Vec<Queue>,
    /// How the screen looks.
    pub screen: ScreenOptions,
    /// Print JSON.
    pub json: bool,
}

/// How the screen looks.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ScreenOptions {
    /// The theme; none lets the terminal's own palette decide.
    pub theme: Option<Theme>,
    /// Draw with ASCII only.
    pub ascii: bool,
    /// Use colours: not with `NO_COLOR`.
    pub colour: bool,
    /// How often to look.
    pub interval: Duration,
}

/// Why the arguments and the environment make no session. Never holds a password.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum ConfigError {
    /// The positional argument is no URL, so perhaps a subcommand was meant.
    #[error(
        "{0:?} is neither a command nor a URL. See delayscope --help, or write redis://HOST:PORT/DB."
    )]
    NeitherCommandNorUrl(String),
    /// The URL cannot be used.
    #[error(transparent)]
    Url(#[from] BadUrl),
    /// A URL and another one.
    #[error("two servers were given: one URL, and one with -u. Give one of them.")]
    TwoUrls,
    /// A URL and `-h`, `-p` or `-s`.
    #[error("two servers were given: a URL, and {0}. Give one of them.")]
    UrlAnd(&'static str),
    /// An interval out of its bounds.
    #[error("the interval {0} ms is out of bounds. Choose one from 200ms to 60s.")]
    Interval(u64),
}

/// How often to look when nobody says.
const INTERVAL: Duration = Duration::from_secs(1);
const INTERVAL_MS: std::ops::RangeInclusive<u64> = 200..=60_000;

impl Config {
    /// What `args` mean in an environment, which is asked by name.
    pub fn new(args: &Args, env: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let env = |name: &str| env(name).filter(|value| !value.is_empty());
        let connection = &args.connection;
        let screen = args.screen();
        let endpoint = endpoint(args.address.as_deref(), connection, env("REDISCLI_AUTH"))?;
        Ok(Self {
            endpoint_named: args.address.is_some()
                || connection.url.is_some()
                || connection.host.is_some()
                || connection.port.is_some()
                || connection.socket.is_some(),
            endpoint,
            read_only: connection.read_only,
            queues: connection.queues.clone(),
            screen: ScreenOptions {
                theme: screen.theme,
                ascii: screen.ascii,
                colour: env("NO_COLOR").is_none(),
                interval: interval(screen.interval)?.unwrap_or(INTERVAL),
            },
            json: connection.json,
        })
    }
}

/// An interval that was typed, checked.
pub fn interval(typed: Option<Span>) -> Result<Option<Duration>, ConfigError> {
    match typed {
        Some(span) if !INTERVAL_MS.contains(&span.ms()) => Err(ConfigError::Interval(span.ms())),
        typed => Ok(typed.map(Span::duration)),
    }
}

fn endpoint(
    positional: Option<&str>,
    given: &Connection,
    env_password: Option<String>,
) -> Result<Endpoint, ConfigError> {
    let text = match (positional, given.url.as_deref()) {
        (Some(_), Some(_)) => return Err(ConfigError::TwoUrls),
        (Some(word), None) if !word.contains("://") => {
            return Err(ConfigError::NeitherCommandNorUrl(without_login(word)));
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
            db: 0,
            user: None,
            password: None,
        },
    };
    endpoint.db = given.db.unwrap_or(endpoint.db);
    endpoint.user = given.user.clone().or(endpoint.user);
    endpoint.password = given
        .password
        .clone()
        .filter(|password| !password.is_empty())
        .or(endpoint.password)
        .or(env_password);
    Ok(endpoint)
}

/// A word that may be a URL without its scheme, and so may hold a password.
fn without_login(word: &str) -> String {
    match word.rsplit_once('@') {
        Some((_, place)) => format!("…@{place}"),
        None => word.to_owned(),
    }
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
mod tests {
    use clap::Parser as _;

    use super::*;

    fn config(line: &str, password: Option<&str>) -> Result<Config, ConfigError> {
        let words = std::iter::once("delayscope").chain(line.split_whitespace());
        let args = Args::try_parse_from(words).ok().unwrap();
        Config::new(&args, |name| {
            password
                .filter(|_| name == "REDISCLI_AUTH")
                .map(str::to_owned)
        })
    }

    fn endpoint(line: &str) -> Endpoint {
        config(line, None).unwrap().endpoint
    }

    #[test]
    fn the_default_server_is_this_machine() {
        assert_eq!(endpoint("").to_string(), "127.0.0.1:6379/0");
        assert!(!config("", None).unwrap().endpoint_named);
        assert!(config("-p 1", None).unwrap().endpoint_named);
    }

    #[test]
    fn flags_say_where_the_server_is() {
        assert_eq!(endpoint("-h db -p 7000 -n 3").to_string(), "db:7000/3");
        assert_eq!(endpoint("-s /run/r.sock").to_string(), "/run/r.sock/0");
        assert_eq!(endpoint("redis://db:7000/2 -n 5").to_string(), "db:7000/5");
        assert_eq!(endpoint("queues -u redis://db").to_string(), "db:6379/0");
    }

    #[test]
    fn a_flag_beats_the_url_and_the_url_beats_the_environment() {
        let password = |line| {
            config(line, Some("env"))
                .unwrap()
                .endpoint
                .password
                .unwrap()
        };
        assert_eq!(password("redis://:url@h -a flag"), "flag");
        assert_eq!(password("redis://:url@h"), "url");
        assert_eq!(password("redis://h"), "env");
        assert_eq!(endpoint("redis://u:p@h --user v").user.unwrap(), "v");
    }

    #[test]
    fn two_servers_are_one_too_many() {
        let why = |line| config(line, None).unwrap_err();
        assert_eq!(why("redis://a -u redis://b"), ConfigError::TwoUrls);
        assert_eq!(why("redis://a -p 1"), ConfigError::UrlAnd("-p"));
        assert_eq!(
            why("queus"),
            ConfigError::NeitherCommandNorUrl("queus".into())
        );
    }

    #[test]
    fn the_demo_takes_the_flags_of_its_screen_before_and_after_its_name() {
        for line in ["--ascii demo --interval 2s", "demo --ascii --interval 2s"] {
            let screen = config(line, None).unwrap().screen;
            assert!(screen.ascii);
            assert_eq!(screen.interval, Duration::from_secs(2));
        }
    }

    #[test]
    fn an_interval_has_bounds() {
        let screen = |line| config(line, None).map(|c| c.screen.interval);
        assert_eq!(screen(""), Ok(INTERVAL));
        assert_eq!(screen("--interval 250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(screen("--interval 100ms"), Err(ConfigError::Interval(100)));
        assert_eq!(screen("--interval 2m"), Err(ConfigError::Interval(120_000)));
    }
}
