//! Decides: a fact changes the model, and asks for what is to be done next. Pure: time enters with
//! [`Msg::Ticked`], nothing here waits, reads a clock or touches a terminal.

mod act;
mod answers;
mod awaited;
mod bulk;
mod change;
mod codec;
mod copy;
mod cursor;
mod departed;
mod dialog;
mod examine;
mod filter;
mod findings;
mod form;
mod help;
mod history;
mod journal;
mod jump;
mod leave;
mod link;
mod lists;
mod load;
mod look;
mod marks;
mod mouse;
mod offer;
mod opened;
mod order;
mod palette;
mod plan;
mod prompt;
mod rows;
mod sort;
mod switch;
mod tabs;
mod time;
mod timeline;
mod toast;
mod tree;
mod typed;
mod worker;

pub use act::why_not;
pub use bulk::is_paused;
pub use change::is_change;
pub use switch::settle;
pub use time::{changes_at, wakes_at};

use super::areas;
use super::effect::Effect;
use super::keys::{self, Action, Key, Place};
use super::model::{Discovery, Model, Overlay, QueueRow, Screen};
use super::msg::Msg;
use crate::payload::{Codec, Habit};
use crate::queue::{LinkState, Queue};

/// What happened changes what is known, and asks for what is to be done.
pub fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    if switch::is_void(model, &msg) {
        return Vec::new();
    }
    if ends_waiting(&msg) {
        awaited::forget(model);
    }
    // Where the user moves the cursor, it goes.
    let input = is_input(&msg);
    let held = (!input).then(|| findings::held(model)).flatten();
    let mut effects = decide(model, msg);
    match held {
        Some(held) => findings::follow(model, &held),
        None if input => order::touched(model),
        None => {}
    }
    effects.extend(awaited::start_due(model));
    change::put_question(model);
    worker::keep_true(model);
    opened::lay_out(model);
    departed::keep_watch(model, input);
    effects.extend(filter::start_due(model));
    effects.extend(load::start_due(model));
    effects.extend(journal::start_due(model));
    effects
}

/// The user does something.
const fn is_input(msg: &Msg) -> bool {
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
        Msg::Pasted(text) => typed::pasted(model, &text),
        Msg::Scrolled(x, y, rows) => mouse::scrolled(model, x, y, rows),
        Msg::Resized(columns, rows) => {
            model.size = (columns, rows);
            cursor::keep_in_sight(model);
            // Even if it is the old size: what was cut off in between has to come back.
            vec![Effect::Redraw]
        }
        Msg::StopAsked => vec![Effect::Suspend],
        Msg::Resumed => {
            load::ask_all(model);
            vec![Effect::RetakeTerminal]
        }
        Msg::Ticked(instant) => time::ticked(model, instant),
        Msg::LinkChanged(link) => link::changed(model, *link),
        Msg::QueueFound(queue) => {
            found(model, queue);
            Vec::new()
        }
        Msg::Looked(looked, keys) => discovered(model, Discovery::Looking { looked, keys }),
        Msg::LookedAll(looked) => discovered(model, Discovery::Done { looked }),
        Msg::WayFound(generation, site) => switch::way_found(model, generation, &site),
        Msg::NoWay(generation, why) => switch::no_way(model, generation, why),
        Msg::Arrived => switch::arrived(model),
        Msg::Announced(announcement) => {
            link::announced(model, announcement);
            Vec::new()
        }
        answer => answered(model, answer),
    }
}

/// What was asked of the server is known.
fn answered(model: &mut Model, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::PulseLoaded {
            generation,
            queue,
            result,
        } => answers::pulse(model, generation, &queue, result),
        Msg::PulsesLoaded { generation, result } => answers::pulses(model, generation, result),
        Msg::SurveyLoaded {
            generation,
            queue,
            result,
        } => answers::survey(model, generation, &queue, result),
        Msg::ServerLooked { generation, result } => {
            look::looked(model, generation, result);
            Vec::new()
        }
        Msg::ListLoaded {
            generation,
            queue,
            list,
            result,
        } => lists::loaded(model, generation, &queue, list, result),
        Msg::RankFound {
            generation,
            queue,
            result,
        } => timeline::rank_found(model, generation, &queue, result),
        told => self::told(model, told),
    }
}

/// Somebody told how it goes: who looks, who offers, a worker, the editor, a search.
fn told(model: &mut Model, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::QueueSampled(queue, seen) => offer::sampled(model, &queue, seen),
        Msg::Offered {
            generation,
            queue,
            due,
            outcome,
        } => {
            offer::answered(model, generation, &queue, due, &outcome);
            Vec::new()
        }
        Msg::WorkerTold(queue, told) => {
            worker::told(model, &queue, told);
            Vec::new()
        }
        Msg::Edited(result) => {
            form::edited(model, result);
            Vec::new()
        }
        change @ (Msg::Planning(..) | Msg::Planned(..)) => change::told(model, change),
        Msg::Applied(generation, applied) => {
            bulk::told(model, generation, applied);
            Vec::new()
        }
        read @ (Msg::JournalRead { .. } | Msg::ChangeRead { .. } | Msg::SinceRead { .. }) => {
            journal::told(model, read);
            Vec::new()
        }
        found @ (Msg::SearchHits { .. } | Msg::Searched { .. } | Msg::ScoresChecked { .. }) => {
            filter::told(model, found)
        }
        examined @ (Msg::Examining { .. } | Msg::Examined { .. }) => {
            examine::told(model, examined);
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

/// A key goes to the line that is typed, else to what lies over the screen, else to the screen.
fn pressed(model: &mut Model, key: Key) -> Vec<Effect> {
    if typed::is_behind(model, key) {
        return Vec::new();
    }
    let asked = typed::is_asked(model);
    model.schedule.pressed = Some(key);
    let effects = match (&model.prompt, &model.overlay) {
        _ if model.planned_now().is_some() => change::key_meanwhile(model, key),
        (Some(_), _) => prompt::key(model, key),
        (None, Some(Overlay::Dialog(_))) => dialog::key(model, key),
        (None, Some(overlay)) if overlay.form().is_some() => form::key(model, key),
        (None, _) => match resolve(model, key) {
            Some(action) => act::act(model, action),
            None => Vec::new(),
        },
    };
    model.schedule.pressed = None;
    if asked && !typed::is_asked(model) {
        typed::answered(model, key);
    }
    effects
}

/// What a key means: to the panel of a change under way while that has the keys, else to what
/// they go to otherwise.
fn resolve(model: &Model, key: Key) -> Option<Action> {
    let panel = areas::bulk::has_keys(model);
    let panel = panel.then(|| model.keymap.resolve(Place::Bulk, key));
    let below = || model.keymap.resolve(keys::place(model), key);
    panel.flatten().or_else(below)
}

/// The search for queues went on, or is through.
fn discovered(model: &mut Model, how_far: Discovery) -> Vec<Effect> {
    // While it goes on, nothing says when it begins again: the loop would not sleep for that.
    let through = matches!(how_far, Discovery::Done { .. });
    model.schedule.looked = through.then_some(model.instant);
    model.discovery = how_far;
    Vec::new()
}

/// A queue was named or found: it becomes a row, once.
pub fn found(model: &mut Model, queue: Queue) {
    if !model.schedule.known.insert(queue.clone()) {
        return;
    }
    model.schedule.channels.extend(queue.keys().channel);
    let profile = model.profile.as_ref();
    let named = profile.and_then(|profile| profile.codec_of(&queue.name.text()));
    let mut row = QueueRow::new(queue);
    row.habit = Habit::of(named.and_then(Codec::from_name));
    order::insert(model, row);
    if !model.schedule.touched {
        show_fitting_screen(model);
    }
    load::row_appeared(model);
}

/// A single queue has the whole screen at once. After the first key the screen is the user's.
fn show_fitting_screen(model: &mut Model) {
    use super::model::Pane;
    let alone = model.queues.len() == 1;
    let on_queue = matches!(model.screen, Screen::Queue);
    if alone && !on_queue {
        (model.screen, model.focus) = (Screen::Queue, Pane::Entries);
    } else if !alone && on_queue {
        (model.screen, model.focus) = (Screen::Dashboard, Pane::Queues);
    }
}
