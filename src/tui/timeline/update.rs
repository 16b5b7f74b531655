//! The timeline: zoom, the bar under the cursor, and from a bar to its entries.

use super::Msg;
use crate::clock::EpochMillis;
use crate::clock::when::TypedMoment;
use crate::queue::classes::LATE;
use crate::queue::{Queue, Zoom};
use crate::tui::effect::Effect;
use crate::tui::model::{self, Model, Pane};
use crate::tui::schedule::{RankFor, pace};
use crate::tui::tabs::{self, Tab};
use crate::tui::timeline::ZoomFit;
use crate::tui::timeline::chosen::chosen;
use crate::tui::toast::{self, Tone};
use crate::tui::{entries, filter, sight};

/// Takes an answer of the server.
pub(crate) fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::RankFound {
            generation,
            queue,
            result,
        } => rank_found(model, generation, &queue, result),
    }
    Vec::new()
}

/// Shows more or less of the future.
pub(crate) fn zoom(model: &mut Model, zoom: Zoom) {
    model.timeline.fit = ZoomFit::Chosen;
    if zoom == model.timeline.zoom {
        return;
    }
    model.timeline.zoom = zoom;
    keep_bar(model);
    pace::ask_survey(model);
}

/// Moves the bar cursor; the first time it appears on the first bar. Left of that are the classes
/// of what is late, those that hold something.
pub(crate) fn step(model: &mut Model, right: bool) {
    model.focus = Pane::Timeline;
    let scale = super::queries::scale(model);
    let first = super::queries::bar_start(model, 0);
    if let Some(class) = model.timeline.late_class {
        match (next_class(model, class, right), right) {
            (Some(class), _) => model.timeline.late_class = Some(class),
            (None, true) => choose(model, first),
            (None, false) => {}
        }
        return;
    }
    match model.timeline.bar {
        None => choose(model, first),
        Some(bar) if right => {
            choose(model, bar.plus(scale.bar_ms).min(last(model)));
        }
        Some(bar) if bar > first => choose(model, bar.plus(-scale.bar_ms).max(first)),
        Some(_) => {
            if let Some(class) = next_class(model, LATE.len(), false) {
                choose_late(model, class);
            }
        }
    }
}

/// Puts the cursor on the bar that begins at `bar`.
pub(crate) fn choose(model: &mut Model, bar: EpochMillis) {
    model.timeline.bar = Some(bar);
    model.timeline.late_class = None;
}

/// Takes the cursor away.
pub(crate) fn choose_none(model: &mut Model) {
    model.timeline.bar = None;
    model.timeline.late_class = None;
}

/// Puts the cursor on a class of what is late, the longest ago first.
pub(crate) fn choose_late(model: &mut Model, class: usize) {
    model.timeline.bar = None;
    model.timeline.late_class = Some(class);
}

/// The next class beside `class` that holds entries, where classes are in sight.
fn next_class(model: &Model, class: usize, right: bool) -> Option<usize> {
    let survey = super::queries::surveyed(model)?;
    let shown = |c: &usize| model.drawn.room.late && survey.late[*c] > 0;
    if right {
        (class + 1..LATE.len()).find(shown)
    } else {
        (0..class).rev().find(shown)
    }
}

/// The start of the last bar in sight.
fn last(model: &Model) -> EpochMillis {
    let bars = super::queries::scale(model).bars;
    let bars = model.drawn.room.bars.map_or(bars, |most| most.min(bars));
    super::queries::bar_start(model, bars.saturating_sub(1))
}

/// A bar that time has passed is the first bar again; one whose width has changed begins where
/// the bars begin now.
pub(crate) fn keep_bar(model: &mut Model) {
    let Some(bar) = model.timeline.bar else {
        return;
    };
    let first = super::queries::bar_start(model, 0);
    let floor = super::queries::scale(model).floor(bar);
    model.timeline.bar = Some(floor.min(last(model)).max(first));
}

/// Lists the entries under the cursor, and no others.
pub(crate) fn list_bar(model: &mut Model) -> Vec<Effect> {
    let Some((from, to)) = chosen(model) else {
        return Vec::new();
    };
    let now = model::now(model);
    let before = format!("due<{}", TypedMoment::typed(to, now));
    // The oldest class has no begin.
    let text = if from.get() > 0 {
        format!("due>={} {before}", TypedMoment::typed(from, now))
    } else {
        before
    };
    tabs::update::show(model, Tab::Waiting);
    filter::update::alone(model, &text)
}

/// The rank is known: the entries are listed from there.
fn rank_found(model: &mut Model, generation: u64, queue: &Queue, result: Result<u64, String>) {
    let now = model.instant;
    let awaited = model.schedule.rank.end(generation, now);
    let selected = model.selected().is_some_and(|row| row.queue == *queue);
    if !awaited || !selected {
        return;
    }
    match (result, std::mem::take(&mut model.schedule.rank_for)) {
        (Ok(rank), RankFor::Bar) => {
            tabs::update::show(model, Tab::Waiting);
            let waiting = model.waiting();
            if rank >= waiting && waiting > 0 {
                let last = "nothing is due then or later: this is the last entry";
                toast::update::say(model, last.to_owned(), Tone::Warn);
            }
            let rank = model.place_of(rank.min(waiting.saturating_sub(1)));
            model.focus = Pane::Entries;
            model.entries.top = rank;
            tabs::update::move_entry(model, rank);
            model.entries.anchored = true;
        }
        (Ok(rank), RankFor::Suspect(suspect)) => {
            tabs::update::show(model, Tab::Waiting);
            let last = model.waiting().saturating_sub(1);
            let place = model.place_of(rank.min(last));
            tabs::update::move_entry(model, place);
            model.entries.anchored = true;
            model.schedule.sought = Some(suspect);
            entries::update::land(model);
            sight::keep(model);
        }
        (Ok(rank), RankFor::Follow { member, offset }) => {
            let rank = model.place_of(rank);
            model.entries.top = rank.saturating_sub(offset);
            model.entries.cursor = rank;
            model.schedule.lost = Some(member);
            sight::keep(model);
            filter::update::ask_missing_rows(model);
        }
        (Err(why), RankFor::Bar | RankFor::Suspect(_)) => {
            toast::update::say(model, why, Tone::Warn);
        }
        (Err(_), RankFor::Follow { .. }) => {}
    }
}
