//! The server that is shown, as the screen has to know it.

pub mod run;
pub mod update;

use crate::config::Profile;
use crate::queue::Queue;
use crate::queue::redis_cli::RedisCli;

/// The steps of the way to another server.
#[derive(Clone, Debug, PartialEq)]
pub enum Msg {
    /// The way to another server is known; the generation is that of the effect.
    WayFound(u64, Box<Site>),
    /// There is no way to that server, and why; the generation is that of the effect.
    NoWay(u64, String),
    /// The server was left for another one: all that follows is of the new one.
    Arrived,
}

/// Requests to find the way to another server, and to go there.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Find the way to another server; the screen stays on this one until it is found.
    FindWay {
        /// A later request makes answers with an earlier generation void.
        generation: u64,
        /// The destination.
        to: Switch,
    },
    /// Leave this server for the one that the way was found to last.
    Go,
}

/// A server, and what holds there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Site {
    /// Its name in the header: `host:port/db`, or a name.
    pub endpoint: String,
    /// The redis-cli that reaches it.
    pub redis_cli: RedisCli,
    /// The command by which a shell starts this program there; none for a server that ends with the
    /// program.
    pub program: Option<String>,
    /// The number of the database.
    pub db: i64,
    /// The profile that it is of.
    pub profile: Option<Profile>,
    /// The profiles that there are.
    pub profiles: Vec<String>,
    /// The session cannot change anything.
    pub read_only: bool,
    /// The queues that were named; then no others are looked for.
    pub named: Vec<Queue>,
}

/// The destination of a switch.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Switch {
    /// To another database of the same server.
    Db(i64),
    /// To the server of a profile.
    Profile(String),
    /// To the server at an address, or of a URL.
    Address(String),
}

/// The way from one server to another.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SwitchProgress {
    /// The generation of the way that was asked for last, while it is looked for.
    pub(crate) way: Option<u64>,
    /// The stage of it.
    pub(crate) stage: SwitchStage,
}

/// The stage of the screen's way from one server to another.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum SwitchStage {
    /// At a server.
    #[default]
    There,
    /// It has left one, whose last answers may still come.
    Between,
}
