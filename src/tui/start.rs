//! The screen as the configuration asks for it.

use super::Options;
use super::model::{Background, Look, Zone};
use crate::config::{Config, Theme};
use crate::queue::{Endpoint, Queue};
use crate::store::{Access, Store};

/// Shows the screen on `server` with the queues that were named (none: all there are) until it
/// ends; its exit code.
pub async fn show(config: &Config, server: Endpoint, named: Vec<Queue>) -> anyhow::Result<u8> {
    let access = if config.read_only {
        Access::ReadOnly
    } else {
        Access::ReadWrite
    };
    let store = Store::open(server, access);
    Ok(super::run(store, options(config, named)).await?.code())
}

fn options(config: &Config, named: Vec<Queue>) -> Options {
    let screen = &config.screen;
    Options {
        named,
        look: Look {
            ascii: screen.ascii,
            no_color: !screen.colour,
            truecolor: screen.theme.map(|theme| match theme {
                Theme::Dark => Background::Dark,
                Theme::Light => Background::Light,
            }),
            zone: Zone::Local,
        },
        interval_ms: u64::try_from(screen.interval.as_millis()).unwrap_or(u64::MAX),
    }
}
