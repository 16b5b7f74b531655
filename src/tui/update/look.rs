//! The slow look at the server, which serves the rules of all queues.

use std::time::Duration;

use super::{cursor, load, plan};
use crate::queue::ServerLook;
use crate::tui::effect::Effect;
use crate::tui::model::Model;

/// From one look to the next.
const REST: Duration = Duration::from_secs(10);
/// One that cost the server more than this, in µs, is taken ten times as seldom.
const DEAR_US: u64 = 2_000;

/// Starts one, when it is time.
pub(super) fn start(model: &mut Model) -> Option<Effect> {
    let (now, frozen) = (model.instant, model.frozen.is_some());
    // Somebody has to profit from it.
    if model.queues.is_empty() || !model.schedule.look.ready(now, frozen) {
        return None;
    }
    let generation = load::generation(model);
    model.schedule.look.start(now, generation);
    Some(Effect::LookAtServer { generation })
}

/// It has answered.
pub(super) fn looked(model: &mut Model, generation: u64, result: Result<ServerLook, String>) {
    let now = model.instant;
    if !model.schedule.look.end(generation, now) {
        return;
    }
    let dear = result.as_ref().is_ok_and(|look| look.server_us > DEAR_US);
    let rest = if dear { REST * 10 } else { REST };
    let started = model.schedule.look.started.unwrap_or(now);
    let at = plan::on_tick(model, started + rest);
    model.schedule.look.want(at);
    // A look that failed tells nothing new.
    let Ok(look) = result else { return };
    model.server.looked(look);
    for row in &mut model.queues {
        if row.pulse.is_some() {
            row.diagnose(&model.server);
        }
    }
    cursor::keep_in_sight(model);
}
