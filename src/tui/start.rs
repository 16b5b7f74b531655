//! The screen as the configuration asks for it.

use super::Options;
use super::keys::Keymap;
use super::model::{Background, Look, Zone};
use crate::config::{Colours, Config, Theme};
use crate::queue::{Endpoint, Queue, redis_cli};
use crate::store::{Access, Store};

/// Shows the screen on `server` with the queues that were named (none: all there are) until it
/// ends; its exit code. The header calls the server `called`, else by where it listens.
pub async fn show(
    config: &Config,
    server: Endpoint,
    called: Option<&str>,
    named: Vec<Queue>,
) -> anyhow::Result<u8> {
    let access = if config.read_only {
        Access::ReadOnly
    } else {
        Access::ReadWrite
    };
    // What is called by another name than its address is the demo's own.
    let program = called.is_none().then(|| program(config, &server));
    let store = Store::open(server, access);
    let options = Options {
        program,
        server: called.map(ToOwned::to_owned),
        ..options(config, Keymap::new(&config.keys)?, named)
    };
    Ok(super::run(store, options).await?.code())
}

fn options(config: &Config, keymap: Keymap, named: Vec<Queue>) -> Options {
    let screen = &config.screen;
    Options {
        server: None,
        named,
        profile: config.profile.clone(),
        keymap,
        program: None,
        look: Look {
            ascii: screen.ascii,
            no_color: screen.colours == Colours::No,
            truecolor: match (screen.theme, screen.colours) {
                (Theme::Dark, Colours::True) => Some(Background::Dark),
                (Theme::Light, Colours::True) => Some(Background::Light),
                _ => None,
            },
            zone: Zone::Local,
        },
        interval_ms: u64::try_from(screen.interval.as_millis()).unwrap_or(u64::MAX),
    }
}

/// How a shell starts this program on the same server, with the password from where it is now.
fn program(config: &Config, server: &Endpoint) -> String {
    match &config.profile {
        // It knows where its password is.
        Some(profile) if profile.endpoint.address == server.address => {
            let name = redis_cli::word(profile.name.as_bytes());
            let mut line = format!("delayscope --profile {name}");
            if profile.endpoint.db != server.db {
                line.extend([" -n ", &server.db.to_string()]);
            }
            line
        }
        _ => redis_cli::program(server).replacen("redis-cli", "delayscope", 1),
    }
}
