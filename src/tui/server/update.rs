//! To another server, or another database of this one, and what stays then.

use super::{Msg, Site, SwitchStage};
use crate::tui::effect::Effect;
use crate::tui::model::Model;
use crate::tui::msg;
use crate::tui::schedule::Schedule;
use crate::tui::server::{self, Switch};
use crate::tui::timeline::ZoomFit;
use crate::tui::toast::{self, Tone};
use crate::tui::{leave, queues};

/// Takes a step of the way to another server.
pub(crate) fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::WayFound(generation, site) => return way_found(model, generation, &site),
        Msg::NoWay(generation, why) => no_way(model, generation, why),
        // The old server has said its last word.
        Msg::Arrived => model.switch.stage = SwitchStage::There,
    }
    Vec::new()
}

/// Asks for the way there, unless something has to be asked about first.
pub(crate) fn to(model: &mut Model, there: Switch) -> Vec<Effect> {
    let generation = model.schedule.next_generation();
    model.switch.way = Some(generation);
    let find = Effect::Server(server::Effect::FindWay {
        generation,
        to: there,
    });
    leave::update::leaving(model, vec![find])
}

/// The way is known: the screen begins as on its first day, save what is the user's own.
fn way_found(model: &mut Model, generation: u64, site: &Site) -> Vec<Effect> {
    if model.switch.way != Some(generation) {
        return Vec::new();
    }
    let mut new = Model::new(
        model.size,
        model.look.clone(),
        String::new(),
        false,
        model.instant,
    );
    new.now = model.now;
    new.interval_ms = model.interval_ms;
    new.bell.on = model.bell.on;
    new.keymap = std::mem::take(&mut model.keymap);
    new.table.sort = model.table.sort;
    new.timeline.zoom = model.timeline.zoom;
    new.timeline.log_height = model.timeline.log_height;
    if model.timeline.fit == ZoomFit::Chosen {
        new.timeline.fit = ZoomFit::Chosen;
    }
    new.toast = model.toast.take();
    new.later = std::mem::take(&mut model.later);
    new.prompt = model.prompt.take();
    new.workers.left = model.workers.farewell();
    new.history = std::mem::take(&mut model.history);
    new.switch.stage = SwitchStage::Between;
    new.schedule = Schedule {
        // Answers to what was asked before stay those of an earlier generation.
        generation: model.schedule.generation,
        ..Schedule::default()
    };
    *model = new;
    settle(model, site);
    vec![Effect::Server(server::Effect::Go)]
}

/// There is no way.
fn no_way(model: &mut Model, generation: u64, why: String) {
    if model.switch.way.take_if(|way| *way == generation).is_some() {
        toast::update::say(model, why, Tone::Error);
    }
}

/// The model is of this server.
pub fn settle(model: &mut Model, site: &Site) {
    model.site.clone_from(site);
    model.workers.program.clone_from(&site.program);
    model.server.db = site.db;
    model.table.only_named = !site.named.is_empty();
    for queue in &site.named {
        queues::update::found(model, queue.clone());
    }
}

/// On the way to another server: what the old one still says is of no use.
pub(crate) fn is_void(model: &Model, msg: &msg::Msg) -> bool {
    let ours = match msg {
        msg::Msg::KeyPressed(_)
        | msg::Msg::Clicked(..)
        | msg::Msg::Dragged(..)
        | msg::Msg::Released(..)
        | msg::Msg::Pasted(_)
        | msg::Msg::Scrolled(..)
        | msg::Msg::Resized(..)
        | msg::Msg::BackgroundTold(_)
        | msg::Msg::StopAsked
        | msg::Msg::Resumed
        | msg::Msg::Asked(_)
        | msg::Msg::Ticked(_)
        | msg::Msg::Server(_) => true,
        msg::Msg::Link(_)
        | msg::Msg::Queues(_)
        | msg::Msg::Refresh(_)
        | msg::Msg::Lists(_)
        | msg::Msg::Timeline(_)
        | msg::Msg::Offer(_)
        | msg::Msg::Journal(_)
        | msg::Msg::Form(_)
        | msg::Msg::Filter(_)
        | msg::Msg::Examine(_)
        | msg::Msg::Lives(_)
        | msg::Msg::Change(_)
        | msg::Msg::Worker(_) => false,
    };
    model.switch.stage == SwitchStage::Between && !ours
}
