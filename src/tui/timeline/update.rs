//! The timeline: zoom, the bar under the cursor, and from a bar to its entries.

use crate::clock::EpochMillis;
use crate::clock::when::When;
use crate::queue::classes::LATE;
use crate::queue::{Queue, Zoom};
use crate::tui::effect::Effect;
use crate::tui::model::{self, Model, Pane};
use crate::tui::refresh::{self, RankFor};
use crate::tui::tabs::{self, Tab};
use crate::tui::toast::{self, Tone};
use crate::tui::{cursor, filter};

/// Shows more or less of the future.
pub(crate) fn zoom(model: &mut Model, zoom: Zoom) {
    if zoom == model.zoom {
        return;
    }
    model.zoom = zoom;
    keep_bar(model);
    refresh::update::ask_survey(model);
}

/// Moves the bar cursor; the first time it appears on the first bar. Left of that are the classes
/// of what is late, those that hold something.
pub(crate) fn step(model: &mut Model, right: bool) {
    model.focus = Pane::Timeline;
    let scale = super::track::scale(model);
    let first = super::track::bar_start(model, 0);
    if let Some(class) = model.late_class {
        match (next_class(model, class, right), right) {
            (Some(class), _) => model.late_class = Some(class),
            (None, true) => choose(model, first),
            (None, false) => {}
        }
        return;
    }
    match model.bar {
        None => choose(model, first),
        Some(bar) if right => {
            choose(model, bar.plus(scale.bar_ms).min(last(model)));
        }
        Some(bar) if bar > first => choose(model, bar.plus(-scale.bar_ms).max(first)),
        Some(_) => {
            if let Some(class) = next_class(model, super::track::LATE, false) {
                choose_late(model, class);
            }
        }
    }
}

/// Why there is nothing under the cursor; none when there is.
pub(crate) fn why_no_bar(model: &Model) -> Option<&'static str> {
    if chosen(model).is_none() {
        return Some("choose a bar first");
    }
    is_empty(model).then_some("nothing falls due in this bar")
}

/// Puts the cursor on the bar that begins at `bar`.
pub(crate) fn choose(model: &mut Model, bar: EpochMillis) {
    model.bar = Some(bar);
    model.late_class = None;
}

/// Puts the cursor on a class of what is late, the longest ago first.
pub(crate) fn choose_late(model: &mut Model, class: usize) {
    model.bar = None;
    model.late_class = Some(class);
}

/// The next class beside `class` that holds entries, where classes are in sight.
fn next_class(model: &Model, class: usize, right: bool) -> Option<usize> {
    let survey = super::track::surveyed(model)?;
    let shown =
        |c: &usize| !super::track::track(model).late_cell(*c).is_empty() && survey.late[*c] > 0;
    if right {
        (class + 1..super::track::LATE).find(shown)
    } else {
        (0..class).rev().find(shown)
    }
}

/// The start of the last bar in sight.
fn last(model: &Model) -> EpochMillis {
    let shown = super::track::track(model).bars;
    let bars = super::track::scale(model).bars;
    let bars = if shown > 0 { shown.min(bars) } else { bars };
    super::track::bar_start(model, bars.saturating_sub(1))
}

/// A bar that time has passed is the first bar again; one whose width has changed begins where
/// the bars begin now.
pub(crate) fn keep_bar(model: &mut Model) {
    let Some(bar) = model.bar else {
        return;
    };
    let first = super::track::bar_start(model, 0);
    let floor = super::track::scale(model).floor(bar);
    model.bar = Some(floor.min(last(model)).max(first));
}

/// From when (inclusive) to when the entries under the cursor are due; none while nothing is
/// chosen. The first bar begins now: what is late is not in it.
pub(crate) fn chosen(model: &Model) -> Option<(EpochMillis, EpochMillis)> {
    let now = model::now(model);
    if let Some(class) = model.late_class {
        let from = match class.checked_sub(1) {
            Some(older) => now.plus(-LATE[older].edge_ms),
            None => EpochMillis::new(0),
        };
        return Some((from, now.plus(-LATE[class].edge_ms)));
    }
    let bar = model.bar?;
    Some((bar.max(now), bar.plus(super::track::scale(model).bar_ms)))
}

/// The last survey saw nothing under the cursor.
fn is_empty(model: &Model) -> bool {
    count(model) == Some(0)
}

/// How many entries the last survey saw under the cursor; none when it did not look there.
fn count(model: &Model) -> Option<u64> {
    let survey = super::track::surveyed(model)?;
    if let Some(class) = model.late_class {
        return survey.late.get(class).copied();
    }
    let bar = model.bar?;
    let end = bar.plus(super::track::scale(model).bar_ms);
    let bars = survey.bars.iter();
    let within = bars.filter(|b| b.from >= bar && b.from < end);
    within.map(|b| b.count).reduce(|a, b| a + b)
}

/// From when to when the entries under the cursor are due, and how many the last survey saw there.
pub(crate) fn bar_span(model: &Model) -> Option<(EpochMillis, EpochMillis, Option<u64>)> {
    let (from, to) = chosen(model)?;
    Some((from, to, count(model)))
}

/// Lists the entries under the cursor, and no others.
pub(crate) fn list_bar(model: &mut Model) -> Vec<Effect> {
    let Some((from, to)) = chosen(model) else {
        return Vec::new();
    };
    let now = model::now(model);
    let before = format!("due<{}", When::typed(to, now));
    // The oldest class has no begin.
    let text = if from.get() > 0 {
        format!("due>={} {before}", When::typed(from, now))
    } else {
        before
    };
    tabs::update::show(model, Tab::Waiting);
    filter::update::alone(model, &text)
}

/// The rank is known: the entries are listed from there.
pub(crate) fn rank_found(
    model: &mut Model,
    generation: u64,
    queue: &Queue,
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
            tabs::update::show(model, Tab::Waiting);
            let waiting = model.waiting();
            if rank >= waiting && waiting > 0 {
                let last = "nothing is due then or later: this is the last entry";
                toast::update::say(model, last.to_owned(), Tone::Warn);
            }
            let rank = refresh::update::place(model, rank.min(waiting.saturating_sub(1)));
            model.focus = Pane::Entries;
            model.entries.top = rank;
            cursor::update::move_entry(model, rank);
            model.entries.anchored = true;
        }
        (Ok(rank), RankFor::Follow { member, offset }) => {
            let rank = refresh::update::place(model, rank);
            model.entries.top = rank.saturating_sub(offset);
            model.entries.cursor = rank;
            model.schedule.lost = Some(member);
            cursor::update::keep_in_sight(model);
            refresh::update::ask_missing_rows(model);
        }
        (Err(why), RankFor::Bar) => toast::update::say(model, why, Tone::Warn),
        (Err(_), RankFor::Follow { .. }) => {}
    }
    Vec::new()
}
