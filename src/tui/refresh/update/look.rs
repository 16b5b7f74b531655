//! The slow look at the server, which serves the rules of all queues.

use std::time::Duration;

use crate::queue::ServerLook;
use crate::tui::effect::Effect;
use crate::tui::model::Model;
use crate::tui::nodes;
use crate::tui::refresh;
use crate::tui::schedule::pace;
use crate::tui::sight;

/// Starts one, when it is time.
pub(crate) fn start(model: &mut Model) -> Option<Effect> {
    // Somebody has to profit from it.
    if model.queues.is_empty() {
        return None;
    }
    let pressing = model.queues.iter().any(|row| row.watch.presses_for_look());
    if pressing && model.schedule.look.flight.is_none() {
        want_next(model, true);
    }
    let (now, frozen) = (model.instant, model.frozen.is_some());
    if !model.schedule.look.ready(now, frozen) {
        return None;
    }
    let generation = model.schedule.next_generation();
    model.schedule.look.start(now, generation);
    let asked = model.server.asks(pressing);
    Some(Effect::Refresh(refresh::Effect::LookAtServer {
        generation,
        asked,
    }))
}

/// The next one is taken when the last one has rested, which is sooner when the rules wait for it.
fn want_next(model: &mut Model, pressing: bool) {
    let Some(started) = model.schedule.look.started else {
        return;
    };
    let at = pace::on_tick(model, started + rest(model, pressing));
    model.schedule.look.want(at);
}

fn rest(model: &Model, pressing: bool) -> Duration {
    let ms = model.server.rests(pressing);
    Duration::from_millis(ms.unsigned_abs())
}

/// It has answered.
pub(crate) fn looked(model: &mut Model, generation: u64, result: Result<ServerLook, String>) {
    let now = model.instant;
    if !model.schedule.look.end(generation, now) {
        return;
    }
    // A look that failed tells nothing new.
    if let Ok(look) = result {
        model.nodes = nodes::told(model, &look);
        model.server.looked(look);
        for row in &mut model.queues {
            if row.pulse.is_some() {
                row.diagnose(&model.server);
            }
        }
        sight::keep(model);
    }
    want_next(model, false);
}
