//! The first seconds at a server: all queues that are known are read, then the first one of the
//! order is selected, once and for good; and the rules look at all of them before anything is said
//! of what is wrong. So neither the selection nor the alarm jumps.

use std::time::{Duration, Instant};

use super::{order, selection_changed, show_fitting_screen};
use crate::tui::model::Model;
use crate::tui::queues::{Opening, QueueRow};
use crate::tui::schedule::pace;
use crate::tui::sight;

/// Then a queue is selected, whether all that are known have been read or not.
const READ_BY: Duration = Duration::from_millis(300);

/// Then the header says what is known, whether the rules have looked at all queues or not.
const CHECKED_BY: Duration = Duration::from_secs(3);

/// The user does something: it is meant for the queue that is in front.
pub(crate) fn touched(model: &mut Model) {
    if matches!(model.table.opening, Opening::Reading(_)) && !model.queues.is_empty() {
        select(model);
    }
}

/// Something has happened, or time has passed: goes on to the next stage when it is time.
pub(crate) fn go_on(model: &mut Model) {
    let now = model.instant;
    match model.table.opening {
        Opening::Over => {}
        _ if model.queues.is_empty() => {}
        Opening::Reading(_) if model.table.only_named && model.queues.len() == 1 => {
            select(model);
        }
        Opening::Reading(_) if !model.is_live() => {}
        Opening::Reading(since) => {
            let since = since.unwrap_or(now);
            model.table.opening = Opening::Reading(Some(since));
            if all_read(model) || now >= since + READ_BY && model.queues.iter().any(is_read) {
                select(model);
            }
        }
        Opening::Checking(_) if !model.is_live() => model.table.opening = Opening::Checking(now),
        Opening::Checking(since) => {
            let looked_at = model.queues.iter().all(QueueRow::is_looked_at);
            if looked_at && all_found(model) || now >= since + CHECKED_BY {
                model.table.opening = Opening::Over;
                order::sort(model);
            }
        }
    }
}

/// When the stage ends at the latest; none where nothing but an answer ends it.
pub(crate) fn ends_at(model: &Model) -> Option<Instant> {
    let at = match model.table.opening {
        Opening::Reading(since) => since? + READ_BY,
        Opening::Checking(since) => since + CHECKED_BY,
        Opening::Over => return None,
    };
    (model.is_live() && at > model.instant).then_some(at)
}

/// Nothing more is looked for.
const fn all_found(model: &Model) -> bool {
    model.table.only_named || model.table.discovery.is_through()
}

fn all_read(model: &Model) -> bool {
    all_found(model) && model.queues.iter().all(is_read)
}

const fn is_read(row: &QueueRow) -> bool {
    row.pulse.is_some() || row.trouble.is_some()
}

/// Selects the first row of the order, and reads it with all that its screen shows.
fn select(model: &mut Model) {
    order::sort_now(model);
    model.table.opening = Opening::Checking(model.instant);
    model.cursor = 0;
    if !model.table.touched && all_found(model) {
        show_fitting_screen(model);
    }
    selection_changed(model);
    pace::ask_first(model);
    pace::plan_others(model);
    sight::keep(model);
}
