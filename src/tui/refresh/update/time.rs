//! Time passes: what is shown moves in whole steps, and the loop learns when to wake next.

use std::time::{Duration, Instant};

use crate::clock::EpochMillis;
use crate::queue::Due;
use crate::tui::model::{Model, Overlay, Screen};
use crate::tui::tabs::Tab;
use crate::tui::{change, departed, filter, layout, queues, sight, timeline};

/// Below this, in ms, a countdown shows tenths.
const TENTHS_BELOW: i64 = 10_000;

/// Two looks at the server's clock differ by less than this, in ms.
const JITTER_MS: i64 = 100;

/// The server's time at the model's instant. What is shown moves in whole seconds, in tenths
/// while a countdown in sight is about to end: so all rows step together, and nothing has to be
/// drawn in between.
pub(crate) fn carry_on(model: &mut Model) {
    if let Some(clock) = &model.link.clock {
        let (before, at) = (model.schedule.exact, clock.at(model.instant));
        // Each look at the clock differs by a little: a second that has begun does not begin
        // again. Unless the server's clock was set back.
        let jitter = (-JITTER_MS..0).contains(&at.since(before));
        model.schedule.exact = if jitter { before } else { at };
    }
    let before = model.now;
    model.now = model.frozen.unwrap_or_else(|| {
        let (exact, step) = (model.schedule.exact.get(), step_ms(model));
        EpochMillis::new(exact.div_euclid(step) * step)
    });
    timeline::update::keep_bar(model);
    if model.now != before {
        // How long something lasts is told in ever more letters: a row more at times.
        sight::keep(model);
    }
}

/// When the next shown text changes by itself.
#[must_use]
pub fn changes_at(model: &Model) -> Option<Instant> {
    let shown = model.past.as_deref().unwrap_or(model);
    let toast = shown.toast.as_ref().map(|toast| toast.until);
    let clock = model.frozen.is_none().then(|| {
        let step = step_ms(model);
        let wait = step - model.schedule.exact.get().rem_euclid(step);
        model.instant + Duration::from_millis(wait.unsigned_abs())
    });
    let panel = change::progress::queries::shown_from(model).filter(|from| *from > model.instant);
    let noticed = model.noticed_at().filter(|at| *at > model.instant);
    let told = match &model.overlay {
        Some(Overlay::Dialog(asked)) => asked.told.as_ref().map(|told| told.until),
        _ => None,
    };
    let told = told.filter(|until| *until > model.instant);
    let all = toast
        .into_iter()
        .chain(told)
        .chain(clock)
        .chain(panel)
        .chain(noticed)
        .chain(departed::update::changes_at(model))
        .chain(queues::update::opening::ends_at(model));
    all.min()
}

/// When the loop has to wake: something is to be read, or a shown text changes.
#[must_use]
pub fn wakes_at(model: &Model) -> Option<Instant> {
    let reads = super::wakes_at(model);
    let reads = reads.into_iter().chain(filter::update::wakes_at(model));
    reads.chain(changes_at(model)).min()
}

/// The step that shown times move in, in ms.
fn step_ms(model: &Model) -> i64 {
    if shows_tenths(model) { 100 } else { 1000 }
}

/// A countdown in sight is under ten seconds.
fn shows_tenths(model: &Model) -> bool {
    if matches!(model.overlay, Some(Overlay::Help { .. })) {
        return false;
    }
    let now = model.schedule.exact;
    let soon = |due: Due| {
        let left = due.at().map(|at| at.since(now));
        left.is_some_and(|ms| ms > 0 && ms < TENTHS_BELOW + 1000)
    };
    if let Screen::Entry(entry) = &model.screen {
        return soon(entry.row.due);
    }
    let mut heads = model.queues.iter().skip(model.top);
    let head = heads.position(|row| row.pulse.as_ref().and_then(|p| p.next).is_some_and(soon));
    let due = dues_from_top(model).position(soon);
    match (head, due) {
        (None, None) => false,
        // What stands first is in sight, however many rows there are.
        (Some(0), _) | (_, Some(0)) => true,
        (head, due) => {
            let rows = layout::rows::rows(model);
            head.is_some_and(|at| at < rows.queues) || due.is_some_and(|at| at < rows.entries)
        }
    }
}

/// When the loaded rows are due, from the first one in sight on.
fn dues_from_top(model: &Model) -> impl Iterator<Item = Due> {
    let list = model.tab.list().filter(|_| !model.on_hits());
    let (first, entries, list) = match list {
        Some(list) => {
            let window = model.lists.of(list);
            (window.first, [].iter(), window.rows.iter())
        }
        None if model.tab == Tab::Waiting || model.on_hits() => {
            (model.entries.first, model.entries.rows.iter(), [].iter())
        }
        None => (0, [].iter(), [].iter()),
    };
    let above = model.stand().top.saturating_sub(first);
    let dues = entries.map(|row| row.due).chain(list.map(|e| e.row.due));
    dues.skip(usize::try_from(above).unwrap_or(usize::MAX))
}
