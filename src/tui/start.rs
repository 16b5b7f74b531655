//! The screen as the configuration asks for it.

use super::Options;
use super::keys::Keymap;
use super::model::{Background, Look, Zone};
use crate::config::{Colours, Config, Theme};
use crate::queue::{Endpoint, Queue};
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
    let store = Store::open(server, access);
    let options = Options {
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
