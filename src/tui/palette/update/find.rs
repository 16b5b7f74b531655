//! `:find` looks through one queue after another, from the selected one on, until one has an entry
//! that matches; once more, through those that are left.

use std::collections::VecDeque;

use crate::queue::{Filter, Queue, text};
use crate::tui::effect::Effect;
use crate::tui::filter::Search;
use crate::tui::model::{Model, Screen};
use crate::tui::schedule::Everywhere;
use crate::tui::tabs::Tab;
use crate::tui::toast::{self, Tone};
use crate::tui::{filter, queues};

/// Begins to look for a text, or goes on.
pub(crate) fn run(model: &mut Model, typed: &str) -> Result<Vec<Effect>, String> {
    let filter = Filter::parse(typed).map_err(|bad| bad.to_string())?;
    let wanted = filter.text().to_owned();
    let goes_on = |before: &Everywhere| before.text == wanted && !before.left.is_empty();
    if !model.schedule.everywhere.as_ref().is_some_and(goes_on) {
        let mut left: VecDeque<Queue> = model.queues.iter().map(|row| row.queue.clone()).collect();
        left.rotate_left(model.cursor.min(left.len()));
        model.schedule.everywhere = Some(Everywhere {
            text: wanted,
            at: None,
            left,
            looked: 0,
        });
    }
    Ok(next(model))
}

/// A search may be through: where it has found nothing, the next queue is looked through.
pub(crate) fn go_on(model: &mut Model) -> Vec<Effect> {
    let under_way = |all: &Everywhere| Some((all.at.clone()?, all.text.clone()));
    let Some((at, text)) = model.schedule.everywhere.as_ref().and_then(under_way) else {
        return Vec::new();
    };
    let filtered = model.filtered.as_ref();
    let filtered = filtered.filter(|one| one.filter.text() == text);
    let here = model.selected().is_some_and(|row| row.queue == at);
    let Some(filtered) = filtered.filter(|_| here) else {
        // The user is at something else.
        model.schedule.everywhere = None;
        return Vec::new();
    };
    match filtered.search {
        _ if !filtered.hits.is_empty() || filtered.found > 0 => found(model, &at),
        Search::Done => return next(model),
        Search::Stopped | Search::Failed(_) => model.schedule.everywhere = None,
        Search::Planned(_) | Search::Running(_) => {}
    }
    Vec::new()
}

/// Tells of a queue that has a matching entry; the others wait until they are asked for.
fn found(model: &mut Model, queue: &Queue) {
    let Some(all) = &mut model.schedule.everywhere else {
        return;
    };
    all.at = None;
    let name = text::printable_bytes(queue.name.as_bytes());
    let words = match all.left.len() {
        0 => format!("found in {name}, the last queue"),
        n => {
            let left = text::counted(n as u64, "queue", "queues");
            format!("found in {name}; :find {} goes on, {left} left", all.text)
        }
    };
    toast::update::say(model, words, Tone::Good);
}

/// Looks through the next queue; says so where none is left.
fn next(model: &mut Model) -> Vec<Effect> {
    let Some(mut all) = model.schedule.everywhere.take() else {
        return Vec::new();
    };
    while let Some(queue) = all.left.pop_front() {
        let Some(row) = model.queues.iter().position(|row| row.queue == queue) else {
            continue;
        };
        queues::update::select(model, row as u64);
        (model.screen, model.tab) = (Screen::Queue, Tab::Waiting);
        let text = all.text.clone();
        all.at = Some(queue);
        all.looked += 1;
        model.schedule.everywhere = Some(all);
        return filter::update::alone(model, &text);
    }
    let looked = text::counted(all.looked as u64, "queue", "queues");
    let words = format!("nothing that waits matches {} in {looked}", all.text);
    toast::update::say(model, words, Tone::Warn);
    filter::update::clear(model)
}
