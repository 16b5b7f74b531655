//! When the queues are read next: after an answer, when something happened, or when somebody asks.

use std::time::{Duration, Instant};

use crate::clock::EpochMillis;
use crate::queue::{Pulse, Zoom};
use crate::tui::effect::Effect;
use crate::tui::model::Model;
use crate::tui::queues::{Opening, QueueRow, TWO_LOOKS_MS};
use crate::tui::schedule::{RankFor, ReadingSlot};
use crate::tui::timeline;
use crate::tui::timeline::ZoomFit;

/// Events read the selected queue no more often than this: where entries fall due by the hundred
/// each reading would cost the server as much as the transfers do.
const EVENT_PAUSE: Duration = Duration::from_millis(250);

/// Events that have done so for a while read it no more often than this: nobody reads figures that
/// change all the time more often.
const FLOOD_PAUSE: Duration = Duration::from_millis(500);
/// Readings that followed one on another, and are a while.
const FLOOD: u32 = 8;

/// Batches of rows that have never been seen are read no more often than this.
const BATCH_PAUSE: Duration = Duration::from_millis(50);

/// The selected queue is surveyed no more often than this.
pub(crate) const SURVEY_PAUSE: Duration = Duration::from_secs(1);

/// The selected queue is surveyed after this even when nothing changes.
pub(crate) const SURVEY_AGE: Duration = Duration::from_secs(10);

/// A queue that is selected is surveyed after this, unless another one is by then.
const SETTLED: Duration = Duration::from_millis(30);

/// While the rules look for the first time, queues are read again after this.
const SECOND_LOOK: Duration = Duration::from_millis(TWO_LOOKS_MS.unsigned_abs() + 20);

/// Rows that have never been seen are read in batches of this.
pub(crate) const FIRST_LOOKS: usize = 500;

/// Surveys of rows that are not selected take at most one part in so many of the server's time.
const CLASSES_SHARE: u32 = 20;

/// After the head falls due it is looked at, in ms: a transfer client has moved it by then.
const AFTER_DUE_MS: i64 = 20;

/// Returns the time that a reading of a queue has to last: what it brings beside the rows shall not
/// be more than 1 MB/s, a µs for each byte.
fn weight(pulse: Option<&Pulse>) -> Duration {
    Duration::from_micros(pulse.map_or(0, |pulse| pulse.beside_bytes))
}

/// True when another row may be read again, for all that it weighs.
pub(crate) fn rested(row: &QueueRow, now: Instant) -> bool {
    let weight = weight(row.pulse.as_ref());
    row.read_at.is_none_or(|read| now >= read + weight)
}

fn selected_pulse(model: &Model) -> Option<&Pulse> {
    model.selected()?.pulse.as_ref()
}

/// The pause between two readings that events ask for.
const fn event_pause(slot: &ReadingSlot) -> Duration {
    if slot.close < FLOOD {
        EVENT_PAUSE
    } else {
        FLOOD_PAUSE
    }
}

/// The selected queue, soon: something happened to it.
pub(crate) fn want_selected(model: &mut Model) {
    let pause = event_pause(&model.schedule.pulse).max(weight(selected_pulse(model)));
    let at = model.schedule.pulse.not_before(model.instant, pause);
    model.schedule.pulse.want(at);
}

/// After an answer (or a failure) about the selected queue: when it is read next.
pub(crate) fn plan_pulse(model: &mut Model) {
    let interval = Duration::from_millis(model.interval_ms);
    let slot = &model.schedule.pulse;
    let heavy = weight(selected_pulse(model));
    let least = heavy.max(slot.takes() * 10 + busy_with_others(model) * 5);
    model.stretched_ms = (least > interval).then(|| millis(least));
    let started = slot.started.unwrap_or(model.instant);
    let mut at = (started + least).max(on_tick(model, started + interval));
    if let Some(due) = next_due(model) {
        let wait = due.since(model.schedule.exact) + AFTER_DUE_MS;
        let wait = Duration::from_millis(u64::try_from(wait).unwrap_or(0));
        let pause = event_pause(slot).max(heavy);
        at = at.min((model.instant + wait).max(slot.not_before(model.instant, pause)));
    }
    if is_checking(model) {
        at = at.min(started + least.max(SECOND_LOOK));
    }
    model.schedule.pulse.want(at);
}

/// The rules look for the first time.
const fn is_checking(model: &Model) -> bool {
    matches!(model.table.opening, Opening::Checking(_))
}

/// Time the other rows' pulses take: they are read half as often.
fn busy_with_others(model: &Model) -> Duration {
    if model.queues.len() < 2 {
        return Duration::ZERO;
    }
    model.schedule.others.takes()
}

fn next_due(model: &Model) -> Option<EpochMillis> {
    selected_pulse(model)?.next?.at()
}

/// After an answer about the other rows: when they are read next.
pub(crate) fn plan_others(model: &mut Model) {
    let never = |row: &QueueRow| row.pulse.is_none() && row.trouble.is_none();
    let slot = &model.schedule.others;
    let started = slot.started.unwrap_or(model.instant);
    let least = slot.not_before(started, BATCH_PAUSE);
    let mut at = least.max(on_tick(model, started + two_intervals(model)));
    if is_checking(model) && model.queues.iter().any(QueueRow::wants_second_look) {
        at = at.min(least.max(started + SECOND_LOOK));
    }
    if model.queues.len() > FIRST_LOOKS && model.queues.iter().any(never) {
        at = slot.not_before(model.instant, BATCH_PAUSE);
    }
    model.schedule.others.want(at);
}

/// After a survey: the next one.
pub(crate) fn plan_survey(model: &mut Model) {
    let started = model.schedule.survey.started.unwrap_or(model.instant);
    let at = on_tick(model, started + SURVEY_AGE);
    model.schedule.survey.want(at);
}

/// A row that is not selected was surveyed, which has taken the server so many µs: it rests.
pub(crate) fn rest_from_classes(model: &mut Model, server_us: u64) {
    let rest = Duration::from_micros(server_us).saturating_mul(CLASSES_SHARE - 1);
    model.schedule.classes_from = Some(model.instant + rest);
}

/// The earliest moment of the next survey.
fn soonest_survey(model: &Model) -> Instant {
    let survey = &model.schedule.survey;
    survey.not_before(model.instant, SURVEY_PAUSE)
}

/// The selected queue has changed: it is surveyed again.
pub(crate) fn want_survey(model: &mut Model) {
    let at = soonest_survey(model);
    model.schedule.survey.want(at);
}

/// Another interval was chosen.
pub(crate) fn interval_changed(model: &mut Model) {
    let s = &mut model.schedule;
    s.pulse.due = None;
    s.others.due = None;
    plan_pulse(model);
    plan_others(model);
}

/// Everything in sight, now.
pub(crate) fn ask_all(model: &mut Model) {
    let now = model.instant;
    model.schedule.rows_wanted = true;
    let s = &mut model.schedule;
    s.pulse.ask(now);
    s.others.ask(now);
    s.survey.ask(now);
    s.look.want(now);
    ask_list(model);
}

/// The selected queue, now: another one was selected. One that has no bars yet gets them as soon as
/// the cursor rests on it.
pub(crate) fn ask_selected(model: &mut Model) {
    let now = model.instant;
    model.schedule.rows_wanted = true;
    model.schedule.pulse.ask(now);
    if timeline::queries::surveyed(model).is_some() {
        return ask_survey(model);
    }
    let survey = &mut model.schedule.survey;
    survey.due = None;
    survey.ask(survey.not_before(now + SETTLED, Duration::ZERO));
}

/// Takes the closest zoom that shows four fifths of what waits in the queue that is selected now, as
/// far as that is known, until somebody chooses one.
pub(crate) fn fit_zoom(model: &mut Model) {
    let survey = model.selected().and_then(|row| row.survey.as_ref());
    let Some(survey) = survey.filter(|_| model.timeline.fit != ZoomFit::Chosen) else {
        return;
    };
    model.timeline.zoom = match Zoom::fitting(&survey.classes) {
        // It was seen that a week does not show it.
        Zoom::Week if survey.zoom == Some(Zoom::All) => Zoom::All,
        zoom => zoom,
    };
    model.timeline.fit = ZoomFit::Tried;
}

/// Takes the next wider zoom where the bars do not show four fifths of what waits, at the first look
/// at them: classes alone do not tell what falls due after a week, or in the part of the last bar
/// that is cut off.
pub(crate) fn fit_wider(model: &mut Model) {
    if model.timeline.fit != ZoomFit::Tried {
        return;
    }
    match timeline::queries::surveyed(model) {
        Some(survey) if survey.shows_most() || model.timeline.zoom == Zoom::All => {
            model.timeline.fit = ZoomFit::Fits;
        }
        Some(_) => {
            model.timeline.zoom = model.timeline.zoom.wider();
            ask_survey(model);
        }
        None => {}
    }
}

/// The queue that was selected first, now: its survey goes with its pulse.
pub(crate) fn ask_first(model: &mut Model) {
    let now = model.instant;
    ask_selected(model);
    model.schedule.survey.ask(now);
}

/// The survey was one without a sample, and it is time for one.
pub(crate) fn want_sample(model: &mut Model) {
    let now = model.instant;
    model.schedule.survey.want(now);
}

/// The survey, as soon as may be: the zoom moved.
pub(crate) fn ask_survey(model: &mut Model) {
    let at = soonest_survey(model);
    model.schedule.survey.ask(at);
}

/// A row appeared in the table.
pub(crate) fn row_appeared(model: &mut Model) {
    let now = model.instant;
    if model.queues.len() == 1 && model.selected().is_some() {
        ask_selected(model);
    } else {
        model.schedule.others.want(now);
    }
}

/// The list in sight, now: its tab was opened, or the user asks for it.
pub(crate) fn ask_list(model: &mut Model) {
    if model.list_in_sight().is_some() {
        model.schedule.list.ask(model.instant);
    }
}

/// Asks for the rank of a score; a later question makes the one before void.
pub(crate) fn find_rank(model: &mut Model, score: f64, what: RankFor) -> Vec<Effect> {
    let Some(queue) = model.selected().map(|row| row.queue.clone()) else {
        return Vec::new();
    };
    if !model.is_live() {
        return Vec::new();
    }
    let generation = model.schedule.next_generation();
    let now = model.instant;
    let slot = &mut model.schedule.rank;
    slot.start(now, generation);
    model.schedule.rank_for = what;
    vec![Effect::Timeline(timeline::Effect::FindRank {
        generation,
        queue,
        score,
    })]
}

/// The moment the server's clock shows a new second, at or before `at`, unless that is about to
/// pass: the loop wakes then anyway, and on an idle screen once a second is all.
pub(crate) fn on_tick(model: &Model, at: Instant) -> Instant {
    let passed = model.schedule.exact.get().rem_euclid(1000).unsigned_abs();
    let tick = model.instant + Duration::from_millis(1000 - passed);
    match at.checked_duration_since(tick) {
        Some(beyond) => tick + Duration::from_secs(beyond.as_secs()),
        None => at,
    }
}

pub(crate) fn two_intervals(model: &Model) -> Duration {
    Duration::from_millis(model.interval_ms) * 2
}

fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}
