//! `:find` looks through one queue after another, from the selected one on, until one has an entry
//! that matches; once more, through those that are left. The screen stays as it is until then.

use std::collections::VecDeque;

use crate::queue::{Filter, Queue, text};
use crate::tui::effect::Effect;
use crate::tui::filter;
use crate::tui::model::{Model, Screen};
use crate::tui::palette::{LookedThrough, QueuesSearch};
use crate::tui::queues;
use crate::tui::tabs::Tab;
use crate::tui::toast::{self, Tone};

/// Begins to look for a text, or goes on.
pub(crate) fn run(model: &mut Model, typed: &str) -> Result<Vec<Effect>, String> {
    let filter = Filter::parse(typed).map_err(|bad| bad.to_string())?;
    let wanted = filter.text().to_owned();
    let goes_on = |before: &QueuesSearch| before.text == wanted && !before.left.is_empty();
    if !model.everywhere.as_ref().is_some_and(goes_on) {
        let mut left: VecDeque<Queue> = model.queues.iter().map(|row| row.queue.clone()).collect();
        left.rotate_left(model.cursor.min(left.len()));
        model.everywhere = Some(QueuesSearch {
            text: wanted,
            at: None,
            left,
            looked: 0,
            beside: false,
        });
    }
    if let Some(all) = &mut model.everywhere {
        all.beside = false;
    }
    Ok(next(model))
}

/// The user does something: what is found does not take the screen away from that.
pub(crate) fn touched(model: &mut Model) {
    if let Some(all) = &mut model.everywhere {
        all.beside |= all.at.is_some();
    }
}

/// Esc: no more queues are looked through. False where none are.
pub(crate) fn stop(model: &mut Model) -> bool {
    let looking = |all: &mut QueuesSearch| all.at.is_some();
    let Some(all) = model.everywhere.take_if(looking) else {
        return false;
    };
    let looked = text::counted(all.looked as u64, "queue", "queues");
    let words = format!("stopped: nothing matches {} in {looked}", all.text);
    toast::update::say(model, words, Tone::Warn);
    true
}

/// A search may be through: where it has found nothing, the next queue is looked through.
pub(crate) fn go_on(model: &mut Model) -> Vec<Effect> {
    let Some(all) = &mut model.everywhere else {
        return Vec::new();
    };
    let Some(one) = all.at.take_if(|one| one.answer.is_some()) else {
        return Vec::new();
    };
    match one.answer {
        Some(Ok(true)) => found(model, &one.queue),
        Some(Err(why)) => {
            model.everywhere = None;
            let name = text::printable_bytes(one.queue.name.as_bytes());
            let words = format!("{name} could not be looked through: {why}");
            toast::update::say(model, words, Tone::Warn);
            Vec::new()
        }
        Some(Ok(false)) | None => {
            all.looked += 1;
            next(model)
        }
    }
}

/// Opens a queue that has a matching entry, or tells of it where the user has gone on with something
/// else; the others wait until they are asked for.
fn found(model: &mut Model, queue: &Queue) -> Vec<Effect> {
    let row = model.queues.iter().position(|row| row.queue == *queue);
    let (Some(all), Some(row)) = (&mut model.everywhere, row) else {
        return Vec::new();
    };
    let name = text::printable_bytes(queue.name.as_bytes());
    let wanted = all.text.clone();
    if all.beside {
        all.left.push_front(queue.clone());
        let words = format!("found in {name}; :find {wanted} goes there");
        toast::update::say(model, words, Tone::Good);
        return Vec::new();
    }
    all.looked += 1;
    let words = match all.left.len() {
        0 => format!("found in {name}, the last queue"),
        n => {
            let left = text::counted(n as u64, "queue", "queues");
            format!("found in {name}; :find {wanted} goes on, {left} left")
        }
    };
    queues::update::select(model, row as u64);
    (model.screen, model.tab) = (Screen::Queue, Tab::Waiting);
    let effects = filter::update::alone(model, &wanted);
    toast::update::say(model, words, Tone::Good);
    effects
}

/// Looks through the next queue; says so where none is left.
fn next(model: &mut Model) -> Vec<Effect> {
    let Some(mut all) = model.everywhere.take() else {
        return Vec::new();
    };
    let is_there = |queue: &Queue| model.queues.iter().any(|row| row.queue == *queue);
    let queue = std::iter::from_fn(|| all.left.pop_front()).find(is_there);
    if let (Some(queue), Ok(filter)) = (queue, Filter::parse(&all.text)) {
        let (generation, effect) = filter::update::beside(model, &queue, filter);
        all.at = Some(LookedThrough {
            queue,
            generation,
            answer: None,
        });
        model.everywhere = Some(all);
        return vec![effect];
    }
    let looked = text::counted(all.looked as u64, "queue", "queues");
    let words = format!("nothing that waits matches {} in {looked}", all.text);
    toast::update::say(model, words, Tone::Warn);
    Vec::new()
}
