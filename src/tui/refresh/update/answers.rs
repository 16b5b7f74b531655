//! The arrival of what was read. An answer that nobody waits for any more is dropped.

use std::sync::Arc;

use crate::queue::{Known, Page, Pulse, Queue, Survey, text};
use crate::tui::effect::Effect;
use crate::tui::flow;
use crate::tui::model::Model;
use crate::tui::past::record::Snapshot;
use crate::tui::queues::{self, Depths, QueueRow};
use crate::tui::refresh::SurveyAnswer;
use crate::tui::schedule::pace;
use crate::tui::timeline::ZoomFit;
use crate::tui::{entries, entry, lists, lives, marks, sight, timeline};

/// The selected queue was read.
pub(crate) fn pulse(
    model: &mut Model,
    generation: u64,
    queue: &Queue,
    result: Result<Pulse, String>,
    beside: Option<SurveyAnswer>,
) -> Vec<Effect> {
    let effects = pulse_alone(model, generation, queue, result);
    if let Some((generation, result)) = beside {
        if model.timeline.fit == ZoomFit::Asked {
            let selected = model.selected().is_some_and(|row| row.queue == *queue);
            let found = result.as_ref().ok().and_then(|survey| survey.zoom);
            model.timeline.fit = match found {
                Some(zoom) if selected => {
                    model.timeline.zoom = zoom;
                    ZoomFit::Fits
                }
                Some(_) => ZoomFit::Fits,
                None => ZoomFit::Wanted,
            };
        }
        survey(model, generation, queue, result);
        let long = model.server.long;
        if { model.selected() }.is_some_and(|row| row.watch.wants_sample(long).is_some()) {
            pace::want_sample(model);
        }
    }
    effects
}

fn pulse_alone(
    model: &mut Model,
    generation: u64,
    queue: &Queue,
    result: Result<Pulse, String>,
) -> Vec<Effect> {
    let now = model.instant;
    if !model.schedule.pulse.end(generation, now) {
        return Vec::new();
    }
    let selected = model.selected().is_some_and(|row| row.queue == *queue);
    if !selected {
        // The question was about the queue selected before; the one about this one waits.
        return Vec::new();
    }
    let mut effects = Vec::new();
    match result {
        Ok(pulse) => {
            lives::update::pulse_came(model, queue, &pulse);
            unfreeze_to(model, &pulse);
            let (changed, page) = take_pulse(model, model.cursor, pulse);
            if changed {
                pace::want_survey(model);
                marks::update::queue_changed(model);
                entries::update::changed(model, page.is_some());
            } else if wants_sample(model) {
                pace::want_survey(model);
            }
            if let Some(page) = page {
                effects = entries::update::take_page(model, page);
            }
            queues::update::order::sort(model);
            sight::keep(model);
            lists::update::pulse_came(model);
            entry::update::refreshed(model);
        }
        Err(why) => set_trouble(model, queue, why),
    }
    pace::plan_pulse(model);
    effects
}

/// The members of the selected queue are to be looked at: an entry stands still, say.
fn wants_sample(model: &Model) -> bool {
    let presses = |row: &QueueRow| row.watch.presses_for_sample(model.server.long);
    model.selected().is_some_and(presses)
}

/// Moves the moment that a picture standing still shows to that of a pulse that was asked for
/// meanwhile.
fn unfreeze_to(model: &mut Model, pulse: &Pulse) {
    if model.frozen.is_some() {
        model.frozen = Some(pulse.at);
        super::time::carry_on(model);
    }
}

/// Other queues were read.
pub(crate) fn pulses(
    model: &mut Model,
    generation: u64,
    pulses: Vec<(Queue, Result<Pulse, String>)>,
) {
    let now = model.instant;
    if !model.schedule.others.end(generation, now) {
        return;
    }
    let mut near = 0;
    for (queue, pulse) in pulses {
        let Some(at) = place(&model.queues, &queue, near) else {
            continue;
        };
        near = at;
        // Selected since it was asked for: its own reading is newer.
        if at == model.cursor && model.selected().is_some() {
            continue;
        }
        let pulse = match pulse {
            Ok(pulse) => pulse,
            // What was read once stays, as old as it is; else it would stay blank without a word.
            Err(why) => {
                let row = &mut model.queues[at];
                row.trouble = row.pulse.is_none().then_some(why);
                continue;
            }
        };
        let (changed, _) = take_pulse(model, at, pulse);
        let row = &mut model.queues[at];
        let presses = row.watch.presses_for_sample(model.server.long);
        row.surveyed.pressing |= presses;
        row.surveyed.changed |= changed || presses;
    }
    queues::update::order::sort(model);
    sight::keep(model);
    pace::plan_others(model);
}

/// A queue was surveyed.
pub(crate) fn survey(
    model: &mut Model,
    generation: u64,
    queue: &Queue,
    result: Result<Survey, String>,
) {
    let now = model.instant;
    let of_selected = model.schedule.survey.end(generation, now);
    if !of_selected && !model.schedule.classes.end(generation, now) {
        return;
    }
    if of_selected {
        pace::plan_survey(model);
    } else {
        let sampled_us = |survey: &Survey| survey.frames.as_ref().map_or(0, |f| f.server_us);
        let server_us = result.as_ref().map_or(0, |s| s.server_us + sampled_us(s));
        pace::rest_from_classes(model, server_us);
    }
    let zoom = model.timeline.zoom;
    let selected = model.selected().is_some_and(|row| row.queue == *queue);
    let row = model.queues.iter_mut().find(|row| row.queue == *queue);
    match (row, result) {
        // Of another zoom by now: the one that was asked for since is on its way.
        (Some(_), Ok(survey)) if selected && survey.zoom.is_some_and(|z| z != zoom) => {}
        // Asked for before it was selected: its bars, which are there by now, tell more.
        (Some(row), Ok(survey))
            if selected
                && survey.zoom.is_none()
                && row.survey.as_ref().is_some_and(|held| held.zoom.is_some()) => {}
        (Some(row), Ok(survey)) => {
            row.watch.surveyed(&survey);
            row.survey = Some(survey);
            row.unsurveyed = None;
            row.diagnose(&model.server);
            if selected {
                pace::fit_wider(model);
            }
            timeline::update::keep_bar(model);
            // What is found takes rows from the panes.
            sight::keep(model);
        }
        (Some(row), Err(why)) if row.pulse.is_none() => row.trouble = Some(why),
        (Some(row), Err(why)) => row.unsurveyed = Some(why),
        _ => {}
    }
}

/// Returns the place of a queue in the table. There are hundreds, and all of them answer at once,
/// in the order in which they stand, nearly always: looked for from where the one before it was.
fn place(rows: &[QueueRow], queue: &Queue, near: usize) -> Option<usize> {
    let places = (near..rows.len()).chain(0..near.min(rows.len()));
    places.into_iter().find(|at| rows[*at].queue == *queue)
}

/// Keeps a pulse with its row, but for its page; true when it shows other entries than the one
/// before.
fn take_pulse(model: &mut Model, at: usize, mut pulse: Pulse) -> (bool, Option<Page>) {
    let now = model.instant;
    let running = model.changing.running();
    let is_selected = at == model.cursor && model.selected().is_some();
    // The others are read at half the pace; an answer may take its time.
    let interval_ms = model.stretched_ms.unwrap_or(model.interval_ms);
    let apart_ms = i64::try_from(interval_ms * 4).unwrap_or(i64::MAX);
    let Some(row) = model.queues.get_mut(at) else {
        return (false, None);
    };
    row.watch.own_workers = model.workers.listening(&row.queue);
    let own = running.filter(|(one, _)| one.queue == row.queue);
    row.watch.changing = own.is_some();
    row.watch.takes_from_target = own.is_some_and(|(_, change)| change.takes_from_target());
    row.watch.blocked_by = model.schedule.blocker.of(&row.queue, now);
    row.watch.awaits_sample = row.survey.is_none() && row.unsurveyed.is_none();
    let beside = running.filter(|(one, _)| one.queue != row.queue);
    row.watch.beside = beside.map(|(one, _)| {
        let name = text::printable_bytes(one.queue.name.as_bytes());
        format!("{} of {name}", one.called)
    });
    let changed = row.pulse.as_ref().is_none_or(|old| differs(old, &pulse));
    sample(row, &pulse);
    row.trouble = None;
    row.read_at = Some(now);
    row.surveyed.due_since.get_or_insert(now);
    row.watch.saw_lateness(&row.queue, &pulse);
    row.watch.saw(&pulse);
    let page = pulse.page.take();
    // It was no mistake.
    row.is_typed &= !pulse.has_signs();
    row.pulse = Some(pulse);
    row.diagnose(&model.server);
    if let Some(pulse) = &row.pulse {
        let reading = Snapshot {
            pulse,
            rates: if is_selected {
                flow::rates_now(row)
            } else {
                [None; 3]
            },
            findings: &row.findings,
            survey: row.survey.as_ref().filter(|_| is_selected),
            apart_ms,
        };
        Arc::make_mut(&mut row.record).keep(&reading);
    }
    let blocker = &mut model.schedule.blocker;
    blocker.saw(&row.queue, &row.findings, now);
    (changed, page)
}

fn differs(old: &Pulse, new: &Pulse) -> bool {
    old.waiting != new.waiting
        || old.late != new.late
        || old.head != new.head
        || old.next != new.next
        || old.order != new.order
}

/// Adds a sample to the row's trend, at most one for each second of the server's time. The newest
/// figures stand at its end, whatever the interval.
fn sample(row: &mut QueueRow, pulse: &Pulse) {
    let Known::Is(waiting) = pulse.waiting else {
        return;
    };
    let depths = Depths {
        at: pulse.at,
        waiting,
        order: pulse.order.get(),
        target: pulse.target.get().unwrap_or(0),
    };
    // Reading is in step with the seconds: rounded, so that a ms of jitter is no other second.
    let second = |d: &Depths| d.at.plus(500).get().div_euclid(1000);
    match row.trend.samples.back_mut() {
        Some(Some(last)) if second(last) == second(&depths) => *last = depths,
        _ => row.trend.push(Some(depths)),
    }
}

fn set_trouble(model: &mut Model, queue: &Queue, why: String) {
    if let Some(row) = model.queues.iter_mut().find(|row| row.queue == *queue) {
        row.trouble = Some(why);
    }
}
