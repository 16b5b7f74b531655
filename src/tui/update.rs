//! Decides: a fact changes the model, and asks for what is to be done next. Pure: time enters with
//! [`Msg::Ticked`], nothing here waits, reads a clock or touches a terminal.

pub mod act;
mod leading;
mod looking_back;
pub mod mouse;
pub mod open;
pub mod press;

use std::time::Instant;

use self::press::pressed;
use crate::queue::LinkState;
use crate::tui::effect::Effect;
use crate::tui::model::Model;
use crate::tui::msg::Msg;
use crate::tui::refresh::update::time;
use crate::tui::schedule::pace;
use crate::tui::{
    awaited, bell, change, departed, entry, examine, filter, findings, form, journal, link, lists,
    lives, offer, palette, past, queues, refresh, server, sight, timeline, toast, worker,
};

/// Takes what happened: changes the model, and returns what is to be done.
pub fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    if server::update::is_void(model, &msg) {
        return Vec::new();
    }
    if ends_waiting(&msg) {
        awaited::forget(model);
    }
    if model.past.is_some() && is_input(&msg) {
        return looking_back::input(model, &msg);
    }
    // Where the user moves the cursor, it goes.
    let input = is_input(&msg);
    let held = (!input).then(|| findings::update::held(model)).flatten();
    let both = input.then(|| leading::both(model));
    if input {
        queues::update::opening::touched(model);
        palette::update::find::touched(model);
    }
    let mut effects = carry_out(model, msg);
    queues::update::opening::go_on(model);
    model.schedule.pressed = None;
    match held {
        Some(held) => findings::update::follow(model, &held),
        None if input => queues::update::order::touched(model),
        None => {}
    }
    if let Some(both) = both {
        leading::go_together(model, &both);
    }
    // Only now the cursor is where it stays.
    findings::update::keep_held(model);
    if let Some(action) = awaited::due(model) {
        effects.extend(carry_out(model, Msg::Asked(action)));
    }
    change::update::put_question(model);
    worker::update::keep_true(model);
    change::update::question::keep_true(model);
    change::update::forms::keep_true(model);
    entry::update::lay_out(model);
    departed::update::keep_watch(model, input);
    past::update::keep_true(model);
    effects.extend(bell::ring(model));
    effects.extend(palette::update::find::go_on(model));
    effects.extend(filter::update::start_due(model));
    effects.extend(refresh::update::start_due(model));
    effects.extend(journal::update::start_due(model));
    effects.extend(examine::update::start_due(model));
    lives::update::keep_true(model, &mut effects);
    effects
}

/// Decides, and carries out what features tell each other, each message in its place among the
/// effects: so a feature need not know those that it answers.
fn carry_out(model: &mut Model, msg: Msg) -> Vec<Effect> {
    let mut effects = Vec::new();
    for effect in decide(model, msg) {
        match effect {
            Effect::Tell(msg) => effects.extend(carry_out(model, *msg)),
            other => effects.push(other),
        }
    }
    effects
}

/// True when the user does something.
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

/// True when the user goes on to something else, or the server is away for nobody knows how long.
fn ends_waiting(msg: &Msg) -> bool {
    match msg {
        Msg::Link(link::Msg::Changed(link)) => !matches!(link.state, LinkState::Live),
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
        Msg::BackgroundTold(background) => {
            let by = model.schedule.background_by.take();
            if by.is_some_and(|by| model.instant <= by) {
                model.look.background = Some(background);
            }
            Vec::new()
        }
        Msg::StopAsked => vec![Effect::Suspend],
        Msg::Resumed => {
            pace::ask_all(model);
            vec![Effect::RetakeTerminal]
        }
        Msg::Ticked(instant) => ticked(model, instant),
        Msg::Asked(action) => act::act(model, action),
        Msg::Link(msg) => link::update::update(model, msg),
        Msg::Queues(msg) => queues::update::update(model, msg),
        Msg::Refresh(msg) => refresh::update::update(model, msg),
        Msg::Lists(msg) => lists::update::update(model, msg),
        Msg::Timeline(msg) => timeline::update::update(model, msg),
        Msg::Offer(msg) => offer::update::update(model, msg),
        Msg::Journal(msg) => journal::update::update(model, msg),
        Msg::Form(msg) => form::update::update(model, msg),
        Msg::Server(msg) => server::update::update(model, msg),
        Msg::Filter(msg) => filter::update::update(model, msg),
        Msg::Examine(msg) => examine::update::update(model, msg),
        Msg::Lives(msg) => lives::update::update(model, msg),
        Msg::Change(msg) => change::update::update(model, msg),
        Msg::Worker(msg) => worker::update::update(model, msg),
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
