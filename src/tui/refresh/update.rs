//! The reading of queues and server. Events and `pace` say what is *wanted*, and when; `start_due` starts what is
//! wanted by now, one request of a kind at a time. So a slow server is asked less often, never
//! more.

pub mod answers;
pub mod interval;
pub mod look;
pub mod time;

use std::time::{Duration, Instant};

use super::Msg;
use crate::queue::{FramesAsk, PageAsk, Queue};
use crate::tui::effect::Effect;
use crate::tui::entries::update::AHEAD_BYTES;
use crate::tui::model::Model;
use crate::tui::queues::{self, Opening, SurveyTimes};
use crate::tui::refresh::{self, SurveyAsk};
use crate::tui::schedule::pace::{self, FIRST_LOOKS, SURVEY_AGE, on_tick, two_intervals};
use crate::tui::timeline::ZoomFit;
use crate::tui::{filter, layout, lists, timeline};

/// The classes of another row that has changed are read after this.
const CLASSES_PAUSE: Duration = Duration::from_secs(2);

/// The queues that are read in one round trip: of no more each may be read at every turn for a while.
const FEW_QUEUES: usize = 64;

/// All rows out of sight are read within this.
const TURN: Duration = Duration::from_secs(10);

/// A row out of sight is surveyed again after this, and where there are many of them after so long
/// for each: 500 rows within a minute.
const UNSEEN_AGE: Duration = Duration::from_secs(20);
const UNSEEN_EACH: Duration = Duration::from_millis(120);

/// The search for queues begins again after this.
const LOOK_AGAIN: Duration = Duration::from_secs(10 * 60);

/// Takes an answer of the server.
pub(crate) fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::PulseLoaded {
            generation,
            queue,
            result,
            survey,
        } => return answers::pulse(model, generation, &queue, result, survey.map(|it| *it)),
        Msg::PulsesLoaded { generation, pulses } => answers::pulses(model, generation, pulses),
        Msg::SurveyLoaded {
            generation,
            queue,
            result,
        } => answers::survey(model, generation, &queue, result),
        Msg::ServerLooked { generation, result } => look::looked(model, generation, result),
    }
    Vec::new()
}

/// Starts what is due and has nothing under way.
pub(crate) fn start_due(model: &mut Model) -> Vec<Effect> {
    if !model.is_live() {
        return Vec::new();
    }
    let mut effects = Vec::new();
    effects.extend(pulse(model));
    effects.extend(others(model));
    effects.extend(lists::update::start(model));
    effects.extend(survey(model));
    effects.extend(classes(model));
    effects.extend(look_again(model));
    effects.extend(look::start(model));
    effects.extend(filter::update::found::check(model));
    effects
}

/// When something is due next; none while nothing can be read.
pub(crate) fn wakes_at(model: &Model) -> Option<Instant> {
    if !model.is_live() {
        return None;
    }
    let frozen = model.frozen.is_some();
    let s = &model.schedule;
    // Only what could start: the loop would not sleep for a moment that never comes.
    let one = { model.selected() }.map(|_| [&s.pulse, &s.survey]);
    let look = (!model.queues.is_empty()).then_some(&s.look);
    let others = has_others(model).then_some(&s.others);
    let slots = one.into_iter().flatten().chain(look).chain(others);
    let list = model.list_in_sight().map(|_| &s.list);
    let slots = slots.chain(list).filter_map(|slot| slot.wake(frozen));
    let classes = next_classes(model).map(|(_, at)| at);
    let again = model.table.looked.map(|at| at + LOOK_AGAIN);
    slots
        .chain(classes.filter(|_| s.classes.flight.is_none()))
        .chain(again.filter(|_| !frozen))
        .chain(s.check.wake(frozen))
        .min()
}

fn pulse(model: &mut Model) -> Option<Effect> {
    let (now, frozen) = (model.instant, model.frozen.is_some());
    if !model.schedule.pulse.ready(now, frozen) {
        return None;
    }
    let row = model.selected()?;
    let (queue, first) = (row.queue.clone(), row.survey.is_none());
    let wanted = std::mem::take(&mut model.schedule.rows_wanted);
    // What a filter leaves is not read by rank.
    let listed = model.filtered.is_none() && (wanted || !model.rows_on_change);
    let page = listed.then(|| page_ask(model));
    let generation = model.schedule.next_generation();
    let slot = &mut model.schedule.pulse;
    slot.start(now, generation);
    let survey = if first { survey_beside(model) } else { None };
    Some(Effect::Refresh(refresh::Effect::LoadPulse {
        generation,
        queue,
        page,
        survey,
    }))
}

/// The survey that is due too: what is read of a queue for the first time is shown at once. Its
/// sample follows with the next one.
fn survey_beside(model: &mut Model) -> Option<SurveyAsk> {
    let (now, frozen) = (model.instant, model.frozen.is_some());
    if !model.schedule.survey.ready(now, frozen) {
        return None;
    }
    let held = timeline::queries::surveyed(model).and_then(|survey| survey.scale);
    let generation = model.schedule.next_generation();
    model.schedule.survey.start(now, generation);
    model.queues.get_mut(model.cursor)?.surveyed.asked(now);
    // As long as the user has not chosen one.
    let fits = model.timeline.fit == ZoomFit::Wanted;
    if fits {
        model.timeline.fit = ZoomFit::Asked;
    }
    Some(SurveyAsk {
        generation,
        zoom: (!fits).then_some(model.timeline.zoom),
        held,
    })
}

/// The rows in sight, and a page on either side while rows are light.
fn page_ask(model: &Model) -> PageAsk {
    let height = layout::rows::entries_a_page(model) as u64;
    let top = model.entries.top;
    let rows = usize::try_from(height * 3).unwrap_or(usize::MAX);
    let bytes = model.schedule.row_bytes.map(|b| b.saturating_mul(rows));
    let ahead = bytes.is_some_and(|b| b <= AHEAD_BYTES);
    let first = if ahead {
        top.saturating_sub(height)
    } else {
        top
    };
    let end = if ahead {
        top + 2 * height
    } else {
        top + height
    };
    let (first, end) = match (model.last_first(), model.waiting()) {
        (false, _) => (first, end),
        (true, waiting) => (waiting.saturating_sub(end), waiting.saturating_sub(first)),
    };
    PageAsk {
        first,
        // Before the first pulse nobody knows where the last entry is.
        count: u32::try_from(end - first).unwrap_or(u32::MAX).max(1),
    }
}

fn others(model: &mut Model) -> Option<Effect> {
    let (now, frozen) = (model.instant, model.frozen.is_some());
    if !has_others(model) || !model.schedule.others.ready(now, frozen) {
        return None;
    }
    let queues = other_queues(model);
    let generation = model.schedule.next_generation();
    model.schedule.others.start(now, generation);
    Some(Effect::Refresh(refresh::Effect::LoadPulses {
        generation,
        queues,
    }))
}

/// There are queues besides the selected one.
fn has_others(model: &Model) -> bool {
    model.queues.len() > usize::from(model.selected().is_some())
}

/// The rows in sight, those never looked at, those of which a rule waits for another look, and the
/// next ones in turn of the rest.
fn other_queues(model: &mut Model) -> Vec<Queue> {
    let in_sight = in_sight(model);
    let per_turn = TURN.as_millis() / two_intervals(model).as_millis().max(1);
    let per_turn = usize::try_from(per_turn).unwrap_or(1).max(1);
    let hidden = model.queues.len().saturating_sub(in_sight.len());
    let share = hidden.div_ceil(per_turn);
    let turn = model.schedule.turn;
    let count = model.queues.len();
    let in_turn = |i: usize| (i + count - turn % count) % count < share;
    let mut first_looks = 0;
    let selected = model.selected().map(|_| model.cursor);
    let checking = matches!(model.table.opening, Opening::Checking(_));
    let few = model.queues.len() <= FEW_QUEUES;
    let chosen = model.queues.iter().enumerate().filter(|(i, row)| {
        if Some(*i) == selected {
            return false;
        }
        let never = row.pulse.is_none() && first_looks < FIRST_LOOKS;
        first_looks += usize::from(never);
        let pressing = !row.early.is_empty()
            || row.watch.wants_word_of_twin(few)
            || checking && row.wants_second_look();
        let wanted = in_sight.contains(i) || in_turn(*i) || pressing;
        never || wanted && pace::rested(row, model.instant)
    });
    let queues = chosen.map(|(_, row)| row.queue.clone()).collect();
    model.schedule.turn = (turn + share) % count;
    queues
}

/// The rows that are in sight, by the last picture: this is asked with every message, and to lay the
/// panes out for it would cost more than all else that a message does.
fn in_sight(model: &Model) -> std::ops::Range<usize> {
    let drawn = model.drawn.room.queues;
    let rows = drawn.unwrap_or_else(|| layout::rows::queues_a_page(model));
    let end = (model.top + rows).min(model.queues.len());
    model.top.min(end)..end
}

fn survey(model: &mut Model) -> Option<Effect> {
    let (now, frozen) = (model.instant, model.frozen.is_some());
    if !model.schedule.survey.ready(now, frozen) {
        return None;
    }
    let queue = model.selected()?.queue.clone();
    let held = timeline::queries::surveyed(model).and_then(|survey| survey.scale);
    let sample = sample(model, model.cursor);
    let generation = model.schedule.next_generation();
    model.schedule.survey.start(now, generation);
    model.queues.get_mut(model.cursor)?.surveyed.asked(now);
    Some(Effect::Refresh(refresh::Effect::LoadSurvey {
        generation,
        queue,
        zoom: Some(model.timeline.zoom),
        held,
        sample,
    }))
}

/// The classes of the row that has waited longest for them, in sight or not.
fn classes(model: &mut Model) -> Option<Effect> {
    let now = model.instant;
    if model.schedule.classes.flight.is_some() {
        return None;
    }
    let (row, at) = next_classes(model)?;
    if at > now {
        return None;
    }
    let queue = model.queues[row].queue.clone();
    let sample = sample(model, row);
    let generation = model.schedule.next_generation();
    model.schedule.classes.start(now, generation);
    model.queues[row].surveyed.asked(now);
    Some(Effect::Refresh(refresh::Effect::LoadSurvey {
        generation,
        queue,
        zoom: None,
        held: None,
        sample,
    }))
}

/// Returns the extent of a sample of that row, when it is time for one.
fn sample(model: &mut Model, row: usize) -> Option<FramesAsk> {
    let watch = &mut model.queues.get_mut(row)?.watch;
    let sample = watch.wants_sample(model.server.long)?;
    watch.asks_for_sample();
    Some(sample)
}

/// Finds the row whose classes are read next, and the moment: no row waits for ever because another
/// one is in sight and changes all the time. Rules look at what a survey brings, so every row gets
/// one.
fn next_classes(model: &Model) -> Option<(usize, Instant)> {
    if model.frozen.is_some() || model.selected().is_none() {
        return None;
    }
    let in_sight = in_sight(model);
    let many = u32::try_from(model.queues.len()).unwrap_or(u32::MAX);
    let unseen = UNSEEN_AGE.max(UNSEEN_EACH * many);
    let due = |i: usize, surveyed: &SurveyTimes| match surveyed.at {
        None => surveyed.due_since.unwrap_or(model.instant),
        Some(at) if !in_sight.contains(&i) && !surveyed.pressing => at + unseen,
        Some(at) if surveyed.changed => at + CLASSES_PAUSE,
        Some(at) => at + SURVEY_AGE,
    };
    let rows = model.queues.iter().enumerate();
    let read = rows.filter(|(i, row)| *i != model.cursor && row.pulse.is_some());
    // Of those that have waited equally long one in sight is first.
    let keys = read.map(|(i, row)| (due(i, &row.surveyed), !in_sight.contains(&i), i));
    let (at, _, row) = keys.min()?;
    let at = on_tick(model, at);
    Some((
        row,
        model.schedule.classes_from.map_or(at, |from| at.max(from)),
    ))
}

fn look_again(model: &mut Model) -> Option<Effect> {
    let through = model.table.discovery.is_through();
    let at = model.table.looked.filter(|_| through)? + LOOK_AGAIN;
    if model.instant < at || model.frozen.is_some() {
        return None;
    }
    model.table.looked = None;
    Some(Effect::Queues(queues::Effect::Discover))
}

/// The server is back, or there for the first time: old questions are void, all is read at once.
pub(crate) fn start_over(model: &mut Model) {
    let s = &mut model.schedule;
    let slots = [&mut s.pulse, &mut s.others, &mut s.survey, &mut s.classes];
    for slot in slots {
        slot.forget();
    }
    s.rank.forget();
    s.list.forget();
    s.check.forget();
    s.look.forget();
    filter::update::link_is_back(model);
    pace::ask_all(model);
}
