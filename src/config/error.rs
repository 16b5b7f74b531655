//! The reason why there is no configuration.

use std::path::PathBuf;

use super::{BadFile, BadTls, BadUrl, NoPassword, NoSentinels, NodeOfSentinels};

/// The reason why file, environment and arguments make no session. Never holds a password.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum ConfigError {
    /// The positional argument is no URL, so perhaps a subcommand was meant.
    #[error(
        "{0} is neither a command nor a URL. See delayscope --help, or write redis://HOST:PORT/DB."
    )]
    NeitherCommandNorUrl(String),
    /// The positional argument looks like a subcommand.
    #[error("{0} See delayscope --help.")]
    NoCommand(String),
    /// The URL cannot be used.
    #[error(transparent)]
    Url(#[from] BadUrl),
    /// A URL and another one.
    #[error("two servers were given: one URL, and one with -u. Give one of them.")]
    TwoUrls,
    /// A URL and `-h`, `-p` or `-s`.
    #[error("two servers were given: a URL, and {0}. Give one of them.")]
    UrlAnd(&'static str),
    /// A profile and a server.
    #[error("two servers were given: a profile, and {0}. Give one of them.")]
    ProfileAnd(&'static str),
    /// Flags of TLS that make no sense together.
    #[error(transparent)]
    Tls(#[from] BadTls),
    /// A login for sentinels at a server without any.
    #[error(transparent)]
    Sentinel(#[from] NoSentinels),
    /// One node where sentinels lead.
    #[error(transparent)]
    Node(#[from] NodeOfSentinels),
    /// An interval out of its bounds.
    #[error("the interval {0} ms is out of bounds. Choose one from 200ms to 60s.")]
    Interval(u64),
    /// Something in the file is wrong.
    #[error(transparent)]
    File(#[from] BadFile),
    /// The file cannot be read.
    #[error("could not read the configuration file {}: {why}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// The system's words.
        why: String,
    },
    /// No profile of that name.
    #[error("there is no profile {name:?}: {there_are}.")]
    NoProfile {
        /// The name that was asked for.
        name: String,
        /// The profiles that there are, and their place, in words.
        there_are: String,
    },
    /// The profile's password command gave none.
    #[error(transparent)]
    Password(#[from] NoPassword),
}
