//! A look at all entries of a queue, when somebody asks for it: it says how far it is, can be
//! stopped, and what it shows becomes part of the findings.

use std::time::Duration;

use super::{ExaminationProgress, Msg};
use crate::queue::{Exact, text};
use crate::tui::effect::Effect;
use crate::tui::examine;
use crate::tui::model::{Model, Pane};
use crate::tui::queues::QueueRow;
use crate::tui::tabs::Tab;
use crate::tui::toast::{self, Tone};
use crate::tui::{findings, sight};

/// Unasked, one begins at most so often; of a queue whose last one has failed, after this.
const PAUSE: Duration = Duration::from_secs(1);
const FAILED_PAUSE: Duration = Duration::from_secs(60);

/// Starts one: of the queue whose finding is under the cursor, else of the selected one.
pub(crate) fn start(model: &mut Model) -> Vec<Effect> {
    start_at(model, row(model), true)
}

/// Starts one that nobody has asked for, where timeouts and order list of a small queue differ: its
/// finding can say by how many entries on each side.
pub(crate) fn start_due(model: &mut Model) -> Vec<Effect> {
    let now = model.instant;
    let waits = model.examination.unasked_from.is_some_and(|at| now < at);
    if waits || model.examination.under_way.is_some() || model.frozen.is_some() || !model.is_live()
    {
        return Vec::new();
    }
    model.examination.unasked_from = Some(now + PAUSE);
    let rests = |row: &QueueRow| row.unexamined.is_some_and(|until| now < until);
    let rows = model.queues.iter().enumerate();
    let wanted = rows.filter(|(_, row)| row.watch.wants_little_exact() && !rests(row));
    // The one that has waited longest: none keeps the others from theirs.
    let first = wanted.min_by_key(|(_, row)| row.watch.examined_at());
    let first = first.map(|(at, _)| at);
    first.map_or(Vec::new(), |at| start_at(model, at, false))
}

fn start_at(model: &mut Model, at: usize, asked: bool) -> Vec<Effect> {
    let Some(row) = model.queues.get(at) else {
        return Vec::new();
    };
    let (queue, long) = (row.queue.clone(), model.server.long);
    let generation = model.schedule.next_generation();
    model.examination.under_way = Some(ExaminationProgress {
        generation,
        queue: queue.clone(),
        asked,
        looked: 0,
        of: 0,
    });
    vec![Effect::Examine(examine::Effect::Start {
        generation,
        queue,
        long,
    })]
}

/// The row of the queue that it is about.
fn row(model: &Model) -> usize {
    let at = usize::try_from(model.stands.findings.cursor).unwrap_or(usize::MAX);
    let told = findings::listed(model);
    told.get(at).map_or(model.cursor, |told| told.row)
}

/// Says why there cannot be one now.
pub(crate) fn why_not(model: &Model) -> Option<&'static str> {
    match () {
        () if model.queues.is_empty() => Some("no queue to look at"),
        () if !model.is_live() => Some("no connection: nothing can be read until it is back"),
        () if model
            .examination
            .under_way
            .as_ref()
            .is_some_and(|one| one.asked) =>
        {
            Some("all entries are being looked at: {back} stops it")
        }
        () => None,
    }
}

/// Stops the one under way, when its tab has the keys.
pub(crate) fn escape(model: &mut Model) -> Option<Vec<Effect>> {
    if model.tab != Tab::Findings || model.focus != Pane::Entries {
        return None;
    }
    let stopped = model.examination.under_way.take_if(|one| one.asked)?;
    let words = format!(
        "stopped; {} of {} were looked at",
        text::thousands(stopped.looked),
        text::thousands(stopped.of)
    );
    toast::update::say(model, words, Tone::Warn);
    Some(vec![Effect::Examine(examine::Effect::End)])
}

/// It goes on, or has ended.
pub(crate) fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::GoesOn {
            generation,
            looked,
            of,
        } => {
            let under_way = model.examination.under_way.as_mut();
            if let Some(one) = under_way.filter(|one| one.generation == generation) {
                (one.looked, one.of) = (looked, of);
            }
        }
        Msg::Ended { generation, result } => {
            let ours = |one: &mut ExaminationProgress| one.generation == generation;
            if let Some(one) = model.examination.under_way.take_if(ours) {
                ended(model, &one, result);
            }
        }
    }
    Vec::new()
}

fn ended(model: &mut Model, one: &ExaminationProgress, result: Result<Box<Exact>, String>) {
    let exact = match result {
        Ok(exact) => *exact,
        Err(why) if one.asked => return toast::update::say(model, why, Tone::Error),
        Err(_) => {
            let until = model.instant + FAILED_PAUSE;
            let row = model.queues.iter_mut().find(|row| row.queue == one.queue);
            if let Some(row) = row {
                row.unexamined = Some(until);
            }
            return;
        }
    };
    let Some(row) = model.queues.iter_mut().find(|row| row.queue == one.queue) else {
        return;
    };
    let looked = exact.looked();
    let odd = exact.is_odd();
    row.watch.examined(exact);
    row.diagnose(&model.server);
    sight::keep(model);
    if !one.asked {
        return;
    }
    let entries = text::counted(looked, "entry", "entries");
    let (words, tone) = if odd {
        (format!("all {entries} looked at"), Tone::Warn)
    } else {
        (
            format!("all {entries} looked at, and nothing found"),
            Tone::Good,
        )
    };
    toast::update::say(model, words, tone);
}
