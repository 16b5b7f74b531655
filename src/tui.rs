//! The screen: `update(&mut Model, Msg) -> Vec<Effect>` decides, `view` draws, `runner` acts.
//!
//! `view` and `widget` know neither `ops` nor `store` nor tokio; `update` knows neither ratatui nor
//! tokio. Only `runner` calls `ops`; only `run` and `terminal` talk to the terminal.

pub mod areas;
pub mod edge;
pub mod effect;
pub mod keys;
pub mod model;
pub mod msg;
pub mod run;
pub mod runner;
pub mod start;
pub mod terminal;
pub mod theme;
pub mod update;
pub mod view;
pub mod widget;

use tokio::sync::mpsc::unbounded_channel;

pub use self::edge::Ended;
use self::edge::Surface as _;
use self::keys::Keymap;
use self::model::{Look, Model};
use self::runner::Tasks;
use self::terminal::Tty;
use crate::clock::instant;
use crate::config::Profile;
use crate::queue::{Address, Endpoint, Queue, redis_cli};
use crate::store::{Access, Store};

/// What the screen starts with.
#[derive(Clone, Debug)]
pub struct Options {
    /// What the header calls the server; none: where it listens.
    pub server: Option<String>,
    /// The queues that were named; none: all there are.
    pub named: Vec<Queue>,
    /// The profile that the server is of.
    pub profile: Option<Profile>,
    /// Which keys do what.
    pub keymap: Keymap,
    /// How it is drawn.
    pub look: Look,
    /// How often the selected queue is read, in ms: 200 to 60,000.
    pub interval_ms: u64,
}

/// Shows the screen until it ends; the exit code is [`Ended::code`]. Fails when the terminal
/// cannot be taken; one that goes away later is an end like any other.
pub async fn run(store: Store, options: Options) -> anyhow::Result<Ended> {
    let mut tty = Tty::enter()?;
    let input = tty.input()?;
    let mut model = Model::new(
        tty.size()?,
        options.look,
        options.server.unwrap_or_else(|| address(store.endpoint())),
        store.access() == Access::ReadOnly,
        instant(),
    );
    model.redis_cli = redis_cli::program(store.endpoint());
    model.profile = options.profile;
    model.keymap = options.keymap;
    model.interval_ms = options.interval_ms.clamp(200, 60_000);
    model.schedule.only_named = !options.named.is_empty();
    for queue in &options.named {
        update::found(&mut model, queue.clone());
    }
    let (answers, replies) = unbounded_channel();
    let mut tasks = Tasks::new(store, options.named, answers);
    #[cfg(debug_assertions)]
    panic_when_asked();
    let ended = run::run(&mut tty, &mut model, input, replies, &mut tasks, instant).await;
    // A terminal that cannot be written to any more is gone.
    Ok(ended.unwrap_or(Ended::HUNG_UP))
}

/// Where a server listens. A socket's path is told apart from the db: `/run/redis.sock db 0`.
fn address(endpoint: &Endpoint) -> String {
    match &endpoint.address {
        Address::Tcp(..) => endpoint.to_string(),
        Address::Unix(path) => format!("{} db {}", path.display(), endpoint.db),
    }
}

/// Lets a test see what a panic leaves behind: in the loop's own task, or in another one.
#[cfg(debug_assertions)]
fn panic_when_asked() {
    match std::env::var("DELAYSCOPE_PANIC").as_deref() {
        Ok("loop") => panic!("asked to panic in the loop"),
        Ok("task") => drop(tokio::spawn(async { panic!("asked to panic in a task") })),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_db_of_a_socket_is_no_part_of_its_path() {
        let at = |address| Endpoint {
            address,
            db: 3,
            user: None,
            password: None,
        };
        let socket = at(Address::Unix("/run/redis.sock".into()));
        assert_eq!(address(&socket), "/run/redis.sock db 3");
        let host = at(Address::Tcp("prod-1".to_owned(), 6379));
        assert_eq!(address(&host), "prod-1:6379/3");
    }
}
