//! The order of the queues: the worst finding first, then what is well again, then the most late,
//! then the longest late, then by name; or by another figure, when the user wants it so. The cursor
//! stays on its queue, wherever that comes to stand.

use std::cmp::Ordering;
use std::time::Duration;

use crate::clock::EpochMillis;
use crate::queue::{Due, Finding, Queue, Severity};
use crate::tui::keys::KeyPlace;
use crate::tui::model::{Model, Pane, Screen};
use crate::tui::queues::{Opening, QueueRow, QueueSort};
use crate::tui::toast::{self, Tone};
use crate::tui::{focus, sight};

/// The time after a move of the cursor during which no row changes its place.
const HELD: Duration = Duration::from_secs(10);

/// The time in ms during which a queue that is well again stands before those that were never ill.
const MENDED_MS: i64 = 60_000;

/// The time in ms during which the selected one stands among those that are as bad as it was:
/// somebody reads that it is well.
const READ_MS: i64 = 30_000;

/// The next order.
pub(crate) fn next(model: &mut Model) {
    let all = QueueSort::ALL;
    let at = all.iter().position(|sort| *sort == model.table.sort);
    by(model, all[at.map_or(0, |at| at + 1) % all.len()]);
}

/// Orders the queues by that.
pub(crate) fn by(model: &mut Model, by: QueueSort) {
    model.table.sort = by;
    let at_top = model.cursor == 0;
    sort_now(model);
    // Who looks at the top wants to see who leads now; from further down the cursor goes with its
    // queue.
    if at_top {
        super::select(model, 0);
    }
    // Where the pane has no title of its own, nothing else says it.
    let words = format!("queues by {}", by.label());
    toast::update::say(model, words, Tone::Good);
}

/// Sorts the rows, unless they keep their places now.
pub(crate) fn sort(model: &mut Model) {
    if !held(model) {
        sort_now(model);
    }
}

/// Sorts the rows, whoever is at them.
pub(crate) fn sort_now(model: &mut Model) {
    let selected = model.selected().map(|row| row.queue.clone());
    let order = RowOrder {
        by: model.table.sort,
        now: model.schedule.exact,
        selected: selected.as_ref(),
    };
    if model
        .queues
        .is_sorted_by(|a, b| order.compare(a, b).is_le())
    {
        return;
    }
    let before = model.cursor;
    model.queues.sort_by(|a, b| order.compare(a, b));
    let at = |queue: &Queue| model.queues.iter().position(|row| row.queue == *queue);
    let mut at = selected.as_ref().and_then(at).unwrap_or(0);
    // Whoever reads about one that is wrong, or was a moment ago, finds it where it was and steps on
    // from there, unless a worse one comes.
    let as_bad = |at: usize| model.queues.get(at).and_then(|row| order.as_bad(row));
    let place = (before..at).find(|place| as_bad(*place) <= as_bad(at));
    if let Some(place) = place.filter(|_| as_bad(at).is_some()) {
        model.queues[place..=at].rotate_right(1);
        at = place;
    }
    model.cursor = at;
    sight::keep(model);
}

/// Puts a new row in its place; last while no row may change its own. There can be thousands: the
/// others are not sorted again.
pub(crate) fn insert(model: &mut Model, row: QueueRow) {
    let selected = model.selected().map(|row| row.queue.clone());
    let order = RowOrder {
        by: model.table.sort,
        now: model.schedule.exact,
        selected: selected.as_ref(),
    };
    let at = if held(model) {
        model.queues.len()
    } else {
        let before = |other: &QueueRow| order.compare(other, &row).is_lt();
        model.queues.partition_point(before)
    };
    model.queues.insert(at, row);
    if at <= model.cursor && model.queues.len() > 1 && model.selected().is_some() {
        model.cursor += 1;
        sight::keep(model);
    }
}

/// The order of the rows at a moment.
struct RowOrder<'a> {
    by: QueueSort,
    now: EpochMillis,
    selected: Option<&'a Queue>,
}

impl RowOrder<'_> {
    /// A note makes no queue sick.
    fn is_bad(&self, severity: Severity) -> bool {
        self.by == QueueSort::Late && severity > Severity::Note
    }

    /// Returns how bad a row is.
    fn worst(&self, row: &QueueRow) -> Option<Severity> {
        row.worst().filter(|worst| self.is_bad(*worst))
    }

    /// Returns the same, or how bad it was where that is read.
    fn as_bad(&self, row: &QueueRow) -> Option<Severity> {
        self.worst(row).max(self.fixed(row))
    }

    /// Returns how bad the selected one was a moment ago, where that is over.
    fn fixed(&self, row: &QueueRow) -> Option<Severity> {
        if self.selected != Some(&row.queue) {
            return None;
        }
        let passed = row.watch.over();
        let lately = passed.filter(|passed| self.now.since(passed.until) < READ_MS);
        let severities = lately.map(|passed| passed.severity);
        severities.filter(|severity| self.is_bad(*severity)).max()
    }

    /// Compares two rows; those that are equal in this order stand by name.
    fn compare(&self, a: &QueueRow, b: &QueueRow) -> Ordering {
        let (by, now) = (self.by, self.now);
        let figure = |row: &QueueRow| {
            let pulse = row.pulse.as_ref()?;
            match by {
                QueueSort::MostLate => pulse.late.get(),
                QueueSort::Waiting => pulse.waiting.get(),
                QueueSort::Target => pulse.target.get(),
                QueueSort::Late | QueueSort::Name | QueueSort::Next => None,
            }
        };
        let moment = |row: &QueueRow| {
            let pulse = row.pulse.as_ref()?;
            match by {
                QueueSort::Late => row.late_since(now),
                QueueSort::Next => pulse.next.and_then(Due::at),
                QueueSort::MostLate | QueueSort::Name | QueueSort::Waiting | QueueSort::Target => {
                    None
                }
            }
        };
        let bad = |worst: &Severity| self.is_bad(*worst);
        let worst = |row: &QueueRow| self.worst(row);
        // What ends by itself does not wait until somebody has looked at what is late.
        let urgency = |row: &QueueRow| {
            let first = worst(row).and_then(|_| row.findings.first());
            first.map_or((true, None), Finding::urgency)
        };
        let much = |row: &QueueRow| match by {
            QueueSort::Late => late_digits(row, now),
            _ => 0,
        };
        // What is wrong elsewhere is not taken out of sight by what is well again.
        let lately = |until: EpochMillis| now.since(until) < MENDED_MS;
        let mended = |row: &QueueRow| {
            let looked_at = self.selected == Some(&row.queue);
            let mut passed = row.watch.over().filter(|passed| bad(&passed.severity));
            passed.any(|passed| looked_at || lately(passed.until))
        };
        let fixed = |row: &QueueRow| self.fixed(row);
        let as_bad = |row: &QueueRow| self.as_bad(row);
        // A note makes no queue sick, but more than nothing is said of it.
        let noted = |row: &QueueRow| by == QueueSort::Late && !row.findings.is_empty();
        // What is not known stands last.
        let soonest = |row: &QueueRow| (moment(row).is_none(), moment(row));
        (as_bad(b).cmp(&as_bad(a)))
            .then_with(|| fixed(a).cmp(&fixed(b)))
            .then_with(|| urgency(a).cmp(&urgency(b)))
            .then_with(|| mended(b).cmp(&mended(a)))
            .then_with(|| much(b).cmp(&much(a)))
            .then_with(|| figure(b).cmp(&figure(a)))
            .then_with(|| soonest(a).cmp(&soonest(b)))
            .then_with(|| noted(b).cmp(&noted(a)))
            .then_with(|| a.queue.name.cmp(&b.queue.name))
    }
}

/// Counts the digits of the number of its late entries: what is late for no longer than a hand-over
/// takes counts as none, and rows do not change places for a few more or less.
fn late_digits(row: &QueueRow, now: EpochMillis) -> u32 {
    let late = row.pulse.as_ref().and_then(|pulse| pulse.late.get());
    let late = late.filter(|_| row.late_since(now).is_some());
    late.and_then(u64::checked_ilog10).map_or(0, |log| log + 1)
}

/// The user has done something: where the keys are on the rows, these keep their places for a
/// while.
pub(crate) fn touched(model: &mut Model) {
    if matches!(model.screen, Screen::Dashboard) && model.focus == Pane::Queues {
        hold(model);
    }
}

/// No row may change its place now: the user is at them or will be, once the menu or question over
/// them is closed, or the rules are about to say all that they have to say at first.
fn held(model: &Model) -> bool {
    let moved = model.table.moved;
    let checking = matches!(model.table.opening, Opening::Checking(_));
    let covered = model.overlay.is_some() && focus::place_below(model) == KeyPlace::Queues;
    checking
        || covered
        || moved.is_some_and(|at| model.instant.saturating_duration_since(at) < HELD)
}

/// The user is at the rows: they keep their places for a while.
pub(crate) fn hold(model: &mut Model) {
    model.table.moved = Some(model.instant);
}
