//! The screen as the configuration asks for it.

use crate::config::{Colours, Config, Theme};
use crate::queue::{Endpoint, Queue};
use crate::tui::Options;
use crate::tui::keys::Keymap;
use crate::tui::look::{Background, Look, Zone};
use crate::tui::server::run::Session;

/// Shows the screen on `server` with the queues that were named (none: all there are) until it
/// ends; its exit code. The header calls the server `called`, else by where it listens.
pub async fn show(
    config: &Config,
    server: Endpoint,
    called: Option<&str>,
    named: Vec<Queue>,
) -> anyhow::Result<u8> {
    let options = options(config, Keymap::new(&config.keys)?);
    let mut there = config.clone();
    (there.endpoint, there.queues) = (server, named);
    let session = Session::new(there, called);
    Ok(super::run(session, options).await?.code())
}

fn options(config: &Config, keymap: Keymap) -> Options {
    let screen = &config.screen;
    Options {
        keymap,
        look: Look {
            ascii: screen.ascii,
            no_color: screen.colours == Colours::No,
            truecolor: match (screen.theme, screen.colours) {
                (Theme::Dark, Colours::True) => Some(Background::Dark),
                (Theme::Light, Colours::True) => Some(Background::Light),
                _ => None,
            },
            can_truecolor: screen.colours == Colours::True,
            zone: Zone::Local,
        },
        interval_ms: u64::try_from(screen.interval.as_millis()).unwrap_or(u64::MAX),
    }
}
