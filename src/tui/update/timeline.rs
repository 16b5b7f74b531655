//! The timeline: zoom, the bar under the cursor, and from a bar to its entries.

use super::{act, cursor, jump, load, tabs};
use crate::clock::EpochMillis;
use crate::queue::{Queue, Zoom};
use crate::tui::areas;
use crate::tui::effect::Effect;
use crate::tui::model::schedule::RankFor;
use crate::tui::model::{Model, Pane, Tab, Tone};

/// Shows more or less of the future.
pub(super) fn zoom(model: &mut Model, zoom: Zoom) {
    if zoom == model.zoom {
        return;
    }
    model.zoom = zoom;
    if let Some(bar) = model.bar {
        let width = zoom.bar_ms();
        let start = EpochMillis::new(bar.get().div_euclid(width) * width);
        let last = areas::bar_start(model, zoom.bars() - 1);
        model.bar = Some(start.min(last));
    }
    keep_bar(model);
    load::ask_survey(model);
}

/// Moves the bar cursor; the first time it appears on the first bar.
pub(super) fn step(model: &mut Model, right: bool) {
    model.focus = Pane::Timeline;
    let first = areas::bar_start(model, 0);
    let last = areas::bar_start(model, model.zoom.bars() - 1);
    let width = model.zoom.bar_ms();
    model.bar = Some(match model.bar {
        None => first,
        Some(bar) if right => bar.plus(width).min(last),
        Some(bar) => bar.plus(-width).max(first),
    });
}

/// A bar that time has passed is the first bar again.
pub(super) fn keep_bar(model: &mut Model) {
    let first = areas::bar_start(model, 0);
    if let Some(bar) = &mut model.bar {
        *bar = first.max(*bar);
    }
}

/// The last survey saw nothing in the bar under the cursor.
pub(super) fn bar_is_empty(model: &Model) -> bool {
    let survey = model.selected().and_then(|row| row.survey.as_ref());
    let survey = survey.filter(|s| s.zoom == Some(model.zoom));
    let (Some(survey), Some(bar)) = (survey, model.bar) else {
        return false;
    };
    let end = bar.plus(model.zoom.bar_ms());
    let within = survey.bars.iter();
    let within = within.filter(|b| b.from >= bar && b.from < end);
    within.map(|b| b.count).max() == Some(0)
}

/// What the bar under the cursor spans of the future, and how many the last survey saw in it.
pub(super) fn bar_span(model: &Model) -> Option<(EpochMillis, EpochMillis, Option<u64>)> {
    let bar = model.bar?;
    let (from, to) = (bar.max(model.now), bar.plus(model.zoom.bar_ms()));
    let survey = model.selected().and_then(|row| row.survey.as_ref());
    let bars = survey.filter(|s| s.zoom == Some(model.zoom))?.bars.iter();
    let within = bars.filter(|b| b.from >= bar && b.from < to);
    Some((from, to, within.map(|b| b.count).reduce(|a, b| a + b)))
}

/// Asks where the entries of the bar under the cursor begin.
pub(super) fn list_bar(model: &mut Model) -> Vec<Effect> {
    let Some(bar) = model.bar else {
        return Vec::new();
    };
    // The first bar begins in the past: what is late is not in it.
    let due = bar.max(model.now);
    model.focus = Pane::Entries;
    jump::to(model, due)
}

/// The rank is known: the entries are listed from there.
pub(super) fn rank_found(
    model: &mut Model,
    generation: u64,
    queue: &Queue,
    _due: EpochMillis,
    result: Result<u64, String>,
) -> Vec<Effect> {
    let now = model.instant;
    let awaited = model.schedule.rank.end(generation, now);
    let selected = model.selected().is_some_and(|row| row.queue == *queue);
    if !awaited || !selected {
        return Vec::new();
    }
    match (result, std::mem::take(&mut model.schedule.rank_for)) {
        (Ok(rank), RankFor::Bar) => {
            tabs::show(model, Tab::Waiting);
            let waiting = model.waiting();
            if rank >= waiting && waiting > 0 {
                let last = "nothing is due then or later: this is the last entry";
                act::say(model, last.to_owned(), Tone::Warn);
            }
            let rank = load::place(model, rank.min(waiting.saturating_sub(1)));
            model.focus = Pane::Entries;
            model.entries.top = rank;
            cursor::move_entry(model, rank);
            model.entries.anchored = true;
        }
        (Ok(rank), RankFor::Follow { member, offset }) => {
            let rank = load::place(model, rank);
            model.entries.top = rank.saturating_sub(offset);
            model.entries.cursor = rank;
            model.schedule.lost = Some(member);
            cursor::keep_in_sight(model);
            load::ask_missing_rows(model);
        }
        (Err(why), RankFor::Bar) => act::say(model, why, Tone::Warn),
        (Err(_), RankFor::Follow { .. }) => {}
    }
    Vec::new()
}
