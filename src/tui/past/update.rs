//! Looking back: to a moment of the past, from there on, and back to now.

use std::collections::HashMap;
use std::time::Duration;

use super::PastPicture;
use super::queries;
use super::record::{PastMoment, PastRecord};
use crate::clock::EpochMillis;
use crate::queue::{LinkState, Queue};
use crate::tui::model::{Model, Screen};
use crate::tui::queues::{self, DepthTrend, Depths, Opening, QueueRow, TWO_LOOKS_MS};
use crate::tui::toast::update::say;
use crate::tui::toast::{self, Tone};

/// A step is no shorter than this, in ms: queues are not read more often.
const LEAST_MS: i64 = 1_000;

/// The time for which the depths have a sample a second, in ms.
const TREND_MS: i64 = 1_000 * 300;

/// Goes so many columns of the strip back (negative) or on.
pub(crate) fn step(model: &mut Model, columns: i64) {
    let shown = shown(model);
    let Some(strip) = queries::strip(shown) else {
        return nothing(model);
    };
    let from = shown.then.map_or(model.now, |then| then.at);
    let at = from.plus(columns.saturating_mul(strip.column_ms.max(LEAST_MS)));
    let begin = shown.selected().and_then(|row| row.record.begin());
    let at = begin.map_or(at, |begin| at.max(begin));
    match shown.then {
        _ if columns < 0 && at >= from => tell(model, "nothing was read before that"),
        None if columns > 0 => tell(model, "this is now"),
        Some(then) if columns > 0 && at.plus(1_000) >= then.end => back(model),
        _ => to(model, at),
    }
}

/// Goes to the moment of a column of the strip, by its place on the screen.
pub(crate) fn to_column(model: &mut Model, x: u16) {
    let column = x.saturating_sub(queries::LABEL);
    let strip = queries::strip(shown(model));
    if let Some(at) = strip.map(|strip| strip.moment_of(usize::from(column))) {
        to(model, at);
    }
}

/// Goes to where the problems became others next, or before: those of the queue on its own page, on
/// the dashboard those of any queue, which is selected then.
pub(crate) fn to_change(model: &mut Model, later: bool) {
    let shown = shown(model);
    let at = shown.then.map_or_else(|| end_of_now(model), |then| then.at);
    let alone = !matches!(shown.screen, Screen::Dashboard);
    let rows = shown.queues.iter().enumerate();
    let rows = rows.filter(|(i, _)| !alone || *i == shown.cursor);
    let turns = rows.flat_map(|(i, row)| row.record.turns().map(move |turn| (turn.at, i)));
    let found = if later {
        turns.filter(|(turn, _)| *turn > at).min()
    } else {
        turns.filter(|(turn, _)| *turn < at).max()
    };
    let whose = if alone { "here" } else { "in any queue" };
    match found {
        Some((turn, row)) => {
            to(model, turn);
            if let Some(past) = model.past.as_deref_mut()
                && past.cursor != row
            {
                past.cursor = row;
                show_again(model);
            }
        }
        None if later && model.past.is_some() => back(model),
        None if later => tell(model, "this is now: no problem has come or gone since"),
        None => tell(
            model,
            &format!("no problem came or went {whose} before that"),
        ),
    }
}

/// Draws the strip closer, or with more of the time in it.
pub(crate) fn zoom(model: &mut Model, closer: bool) {
    let Some(past) = model.past.as_deref_mut() else {
        return;
    };
    let whole = queries::strip(past).map_or(0, |strip| strip.closest);
    if let Some(then) = &mut past.then {
        then.closer = if closer {
            (then.closer + 1).min(whole)
        } else {
            then.closer.saturating_sub(1)
        };
    }
}

/// Shows that moment, but none before the first reading; one that is now, or later, ends it.
fn to(model: &mut Model, at: EpochMillis) {
    let shown = shown(model);
    let end = { shown.then }.map_or_else(|| end_of_now(model), |then| then.end);
    let begin = shown.selected().and_then(|row| row.record.begin());
    let alone = !matches!(shown.screen, Screen::Dashboard);
    let at = begin.filter(|_| alone).map_or(at, |begin| at.max(begin));
    if at >= end {
        return back(model);
    }
    let then = PastPicture {
        at,
        end,
        now: model.now,
        lost: false,
        sick: 0,
        closer: shown.then.map_or(0, |then| then.closer),
        rates: [None; 3],
    };
    model.past = Some(Box::new(picture(model, then)));
    keep_true(model);
}

/// The same moment once more: another queue may have been selected there.
pub(crate) fn show_again(model: &mut Model) {
    if let Some(then) = shown(model).then {
        model.past = Some(Box::new(picture(model, then)));
    }
}

/// Back to now, with the queue that was looked at last.
pub(crate) fn back(model: &mut Model) {
    let past = model.past.take();
    let seen = past.as_ref().and_then(|past| past.selected());
    let seen = seen.and_then(|seen| model.queues.iter().position(|row| row.queue == seen.queue));
    if let Some(row) = seen {
        queues::update::select(model, row as u64);
    }
}

/// The picture of the past goes with the terminal and with what it says for a moment.
pub(crate) fn keep_true(model: &mut Model) {
    let Some(past) = &mut model.past else { return };
    past.instant = model.instant;
    toast::update::pass(past);
    if let Some(then) = &mut past.then {
        then.now = model.now;
        then.lost = matches!(
            model.link.state,
            LinkState::Lost { .. } | LinkState::Hung { .. }
        );
        then.sick = model
            .queues
            .iter()
            .filter(|row| row.has_problem(model.now))
            .count();
    }
    if past.size != model.size {
        past.size = model.size;
        show_again(model);
    }
}

/// The end of the second that the clock shows: what was read in it has been.
const fn end_of_now(model: &Model) -> EpochMillis {
    model.now.plus(1_000)
}

/// The picture that is on the screen.
fn shown(model: &Model) -> &Model {
    model.past.as_deref().unwrap_or(model)
}

fn nothing(model: &mut Model) {
    tell(model, "nothing has been read yet");
}

/// Says it where it is seen.
pub(crate) fn tell(model: &mut Model, words: &str) {
    let shown = match model.past.as_deref_mut() {
        Some(past) => past,
        None => model,
    };
    say(shown, words.to_owned(), Tone::Warn);
}

/// The screen as it was: what is kept of each queue, in the order in which they stand.
fn picture(model: &Model, then: PastPicture) -> Model {
    let shown = shown(model);
    let mut past = Model::new(
        model.size,
        model.look.clone(),
        model.site.endpoint.clone(),
        model.site.read_only,
        model.instant,
    );
    let records: HashMap<&Queue, &QueueRow> = model.queues.iter().map(|r| (&r.queue, r)).collect();
    let rows = shown
        .queues
        .iter()
        .filter_map(|row| records.get(&row.queue));
    past.queues = rows.map(|row| row_then(model, row, then.at)).collect();
    (past.cursor, past.top) = (shown.cursor, shown.top);
    let kept = past.queues.get(past.cursor).map(|row| row.record.clone());
    let moment = kept.as_ref().and_then(|record| record.at(then.at));
    past.then = Some(PastPicture {
        rates: moment.map_or([None; 3], PastMoment::rates),
        ..then
    });
    (past.now, past.frozen) = (then.at, Some(then.at));
    (
        past.timeline.zoom,
        past.timeline.bar,
        past.timeline.late_class,
    ) = (
        shown.timeline.zoom,
        shown.timeline.bar,
        shown.timeline.late_class,
    );
    if let Some(row) = past.queues.get_mut(past.cursor) {
        let survey = kept.as_ref().and_then(|record| record.survey(then.at));
        if let Some(survey) = survey {
            row.survey = Some(survey.clone());
            past.timeline.zoom = survey.zoom.unwrap_or(past.timeline.zoom);
        }
    }
    past.link = model.link.clone();
    past.link.state = LinkState::Live;
    past.site.clone_from(&model.site);
    past.table.discovery = model.table.discovery.clone();
    past.table.opening = match model.table.opening {
        Opening::Reading(since) => Opening::Reading(since),
        _ => Opening::Over,
    };
    past.keymap.clone_from(&model.keymap);
    past.changes.clone_from(&model.changes);
    past.interval_ms = model.interval_ms;
    let heard = model.traffic.heard.iter().filter(|said| said.at <= then.at);
    past.traffic.heard = heard.cloned().collect();
    past.screen = match shown.screen {
        Screen::Dashboard => Screen::Dashboard,
        _ => Screen::Queue,
    };
    (past.focus, past.tab) = (shown.focus, shown.tab);
    past.stands.clone_from(&shown.stands);
    past.overlay.clone_from(&shown.overlay);
    (past.table.sort, past.timeline.log_height) = (shown.table.sort, shown.timeline.log_height);
    past.toast = model.past.as_ref().and_then(|past| past.toast.clone());
    past
}

/// A queue as it was then; of one that was not read then nothing is known.
fn row_then(model: &Model, row: &QueueRow, at: EpochMillis) -> QueueRow {
    let mut then = QueueRow::new(row.queue.clone());
    then.record = row.record.clone();
    if let Some(moment) = row.record.at(at) {
        let pulse = moment.pulse();
        // Two looks: the rules and the columns that need them have had them.
        let mut before = pulse.clone();
        before.at = pulse.at.plus(-TWO_LOOKS_MS);
        then.watch.saw(&before);
        then.watch.saw(&pulse);
        then.pulse = Some(pulse);
        then.trend = trend(&row.record, at);
        // What was read long before that stands still.
        let age = u64::try_from(at.since(moment.until)).unwrap_or(0);
        then.read_at = model.instant.checked_sub(Duration::from_millis(age));
        then.findings = moment.findings.to_vec();
        then.fine = row.fine + row.findings.len();
        then.fine = then.fine.saturating_sub(then.findings.len());
    }
    then.unsurveyed = Some("bars are kept only of the queue that was selected".to_owned());
    then
}

/// The depths of the minutes before that, a sample a second.
fn trend(record: &PastRecord, at: EpochMillis) -> DepthTrend {
    let mut trend = DepthTrend::default();
    let from = at.plus(-TREND_MS);
    let begin = record.begin().map_or(at, |begin| begin.max(from));
    let mut second = begin;
    let mut moments = record.moments().peekable();
    let mut last: Option<&PastMoment> = None;
    while second <= at {
        while let Some(next) = moments.next_if(|moment| moment.at <= second) {
            last = Some(next);
        }
        let known = last.filter(|moment| second.since(moment.until) < 2_000);
        trend.push(known.and_then(|moment| {
            let pulse = moment.pulse();
            Some(Depths {
                at: second,
                waiting: pulse.waiting.get()?,
                order: pulse.order.get(),
                target: pulse.target.get().unwrap_or(0),
            })
        }));
        second = second.plus(1_000);
    }
    trend
}
