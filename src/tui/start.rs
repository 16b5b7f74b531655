//! The screen as the configuration asks for it.

use crate::config::{Colours, Config, ThemeName};
use crate::queue::{Endpoint, Queue};
use crate::tui::Options;
use crate::tui::keys::Keymap;
use crate::tui::look::{Background, Depth, Look, Zone};
use crate::tui::server::run::ScreenSession;

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
    let session = ScreenSession::new(there, called);
    Ok(super::run(session, options).await?.code())
}

fn options(config: &Config, keymap: Keymap) -> Options {
    let screen = &config.screen;
    let depth = match screen.colours {
        Colours::No | Colours::Own => Depth::Own,
        Colours::Indexed => Depth::Indexed,
        Colours::True => Depth::True,
    };
    Options {
        keymap,
        look: Look {
            ascii: screen.ascii,
            no_color: screen.colours == Colours::No,
            background: match screen.theme {
                ThemeName::Dark => Some(Background::Dark),
                ThemeName::Light => Some(Background::Light),
                ThemeName::Terminal => None,
                ThemeName::Auto => screen.light.map(|light| {
                    if light {
                        Background::Light
                    } else {
                        Background::Dark
                    }
                }),
            },
            depth,
            zone: Zone::Local,
        },
        asks_background: screen.theme == ThemeName::Auto && depth != Depth::Own,
        bell: screen.bell,
        interval_ms: u64::try_from(screen.interval.as_millis()).unwrap_or(u64::MAX),
    }
}
