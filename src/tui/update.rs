//! Decides: a fact changes the model, and asks for what is to be done next. Pure: time enters with
//! [`Msg::Ticked`], nothing here waits, reads a clock or touches a terminal.

pub mod act;
pub mod mouse;
pub mod open;
pub mod press;

use std::time::Instant;

use self::press::pressed;
use crate::queue::LinkState;
use crate::tui::effect::Effect;
use crate::tui::model::Model;
use crate::tui::msg::Msg;
use crate::tui::queues::update::found;
use crate::tui::queues::{self, Discovery};
use crate::tui::refresh::update::{look, time};
use crate::tui::schedule::pace;
use crate::tui::{
    awaited, change, departed, entry, examine, filter, findings, form, journal, link, lists, offer,
    refresh, server, sight, timeline, toast, worker,
};

/// What happened changes what is known, and asks for what is to be done.
pub fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    if server::update::is_void(model, &msg) {
        return Vec::new();
    }
    if ends_waiting(&msg) {
        awaited::forget(model);
    }
    // Where the user moves the cursor, it goes.
    let input = is_input(&msg);
    let held = (!input).then(|| findings::update::held(model)).flatten();
    let mut effects = told(model, msg);
    model.schedule.pressed = None;
    match held {
        Some(held) => findings::update::follow(model, &held),
        None if input => queues::update::order::touched(model),
        None => {}
    }
    if let Some(action) = awaited::due(model) {
        effects.extend(told(model, Msg::Asked(action)));
    }
    change::update::put_question(model);
    worker::update::keep_true(model);
    entry::update::lay_out(model);
    departed::update::keep_watch(model, input);
    effects.extend(filter::update::start_due(model));
    effects.extend(refresh::update::start_due(model));
    effects.extend(journal::update::start_due(model));
    effects
}

/// Decides, and carries out what features tell each other, each message in its place among the
/// effects: so a feature need not know those that it answers.
fn told(model: &mut Model, msg: Msg) -> Vec<Effect> {
    let mut effects = Vec::new();
    for effect in decide(model, msg) {
        match effect {
            Effect::Tell(msg) => effects.extend(told(model, *msg)),
            other => effects.push(other),
        }
    }
    effects
}

/// The user does something.
#[must_use]
pub const fn is_input(msg: &Msg) -> bool {
    matches!(
        msg,
        Msg::KeyPressed(_)
            | Msg::Clicked(..)
            | Msg::Dragged(..)
            | Msg::Pasted(_)
            | Msg::Scrolled(..)
    )
}

/// The user goes on to something else, or the server is away for nobody knows how long.
fn ends_waiting(msg: &Msg) -> bool {
    match msg {
        Msg::LinkChanged(link) => !matches!(link.state, LinkState::Live),
        _ => is_input(msg),
    }
}

fn decide(model: &mut Model, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::KeyPressed(key) => pressed(model, key),
        Msg::Clicked(x, y) => mouse::clicked(model, x, y),
        Msg::Dragged(x, y) => mouse::dragged(model, x, y),
        Msg::Released(..) => mouse::released(model),
        Msg::Pasted(text) => press::pasted(model, &text),
        Msg::Scrolled(x, y, rows) => mouse::scrolled(model, x, y, rows),
        Msg::Resized(columns, rows) => {
            model.size = (columns, rows);
            sight::keep(model);
            // Even if it is the old size: what was cut off in between has to come back.
            vec![Effect::Redraw]
        }
        Msg::StopAsked => vec![Effect::Suspend],
        Msg::Resumed => {
            pace::ask_all(model);
            vec![Effect::RetakeTerminal]
        }
        Msg::Ticked(instant) => ticked(model, instant),
        Msg::Asked(action) => act::act(model, action),
        Msg::LinkChanged(link) => link::update::changed(model, *link),
        Msg::QueueFound(queue) => {
            found(model, queue);
            Vec::new()
        }
        Msg::Looked(looked, keys) => discovered(model, Discovery::Looking { looked, keys }),
        Msg::LookedAll(looked) => discovered(model, Discovery::Done { looked }),
        Msg::WayFound(generation, site) => server::update::way_found(model, generation, &site),
        Msg::NoWay(generation, why) => server::update::no_way(model, generation, why),
        Msg::Arrived => server::update::arrived(model),
        Msg::Announced(announcement) => {
            link::update::announced(model, announcement);
            Vec::new()
        }
        answer => answered(model, answer),
    }
}

/// Time passed.
fn ticked(model: &mut Model, instant: Instant) -> Vec<Effect> {
    model.instant = model.instant.max(instant);
    time::carry_on(model);
    toast::update::pass(model);
    change::progress::update::ticked(model);
    departed::update::ticked(model);
    link::update::leave_gaps(model);
    Vec::new()
}

/// What was asked of the server is known.
fn answered(model: &mut Model, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::PulseLoaded {
            generation,
            queue,
            result,
        } => refresh::update::answers::pulse(model, generation, &queue, result),
        Msg::PulsesLoaded { generation, result } => {
            refresh::update::answers::pulses(model, generation, result)
        }
        Msg::SurveyLoaded {
            generation,
            queue,
            result,
        } => refresh::update::answers::survey(model, generation, &queue, result),
        Msg::ServerLooked { generation, result } => {
            look::looked(model, generation, result);
            Vec::new()
        }
        Msg::ListLoaded {
            generation,
            queue,
            list,
            result,
        } => lists::update::loaded(model, generation, &queue, list, result),
        Msg::RankFound {
            generation,
            queue,
            result,
        } => timeline::update::rank_found(model, generation, &queue, result),
        other => reported(model, other),
    }
}

/// Somebody told how it goes: who looks, who offers, a worker, the editor, a search.
fn reported(model: &mut Model, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::QueueSampled(queue, seen) => offer::update::sampled(model, &queue, seen),
        Msg::Offered {
            generation,
            queue,
            due,
            outcome,
        } => {
            offer::update::answered(model, generation, &queue, due, &outcome);
            Vec::new()
        }
        Msg::Worker(msg) => worker::update::update(model, msg),
        Msg::Edited(result) => {
            form::update::edited(model, result);
            Vec::new()
        }
        Msg::Change(msg) => change::update::update(model, msg),
        read @ (Msg::JournalRead { .. } | Msg::ChangeRead { .. } | Msg::SinceRead { .. }) => {
            journal::update::told(model, read);
            Vec::new()
        }
        found @ (Msg::SearchHits { .. } | Msg::Searched { .. } | Msg::ScoresChecked { .. }) => {
            filter::update::found::told(model, found)
        }
        examined @ (Msg::Examining { .. } | Msg::Examined { .. }) => {
            examine::update::told(model, examined);
            Vec::new()
        }
        // Decided on before. Each by its name, so that the compiler misses none that is new.
        Msg::KeyPressed(_)
        | Msg::Clicked(..)
        | Msg::Dragged(..)
        | Msg::Released(..)
        | Msg::Pasted(_)
        | Msg::Scrolled(..)
        | Msg::Resized(..)
        | Msg::StopAsked
        | Msg::Resumed
        | Msg::Ticked(_)
        | Msg::Asked(_)
        | Msg::LinkChanged(_)
        | Msg::QueueFound(_)
        | Msg::Looked(..)
        | Msg::LookedAll(_)
        | Msg::WayFound(..)
        | Msg::NoWay(..)
        | Msg::Arrived
        | Msg::Announced(_)
        | Msg::PulseLoaded { .. }
        | Msg::PulsesLoaded { .. }
        | Msg::SurveyLoaded { .. }
        | Msg::ServerLooked { .. }
        | Msg::ListLoaded { .. }
        | Msg::RankFound { .. } => Vec::new(),
    }
}

/// The search for queues went on, or is through.
fn discovered(model: &mut Model, how_far: Discovery) -> Vec<Effect> {
    // While it goes on, nothing says when it begins again: the loop would not sleep for that.
    let through = matches!(how_far, Discovery::Done { .. });
    model.schedule.looked = through.then_some(model.instant);
    model.discovery = how_far;
    Vec::new()
}
