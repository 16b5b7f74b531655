//! The panel of the change under way: pausing, going on, stopping; and what the change tells.

pub mod result;

use crate::queue::change_event::{ChangeEvent, Order};
use crate::queue::{Change, EntryResult, Known, Outcome, Queue, Summary, Tally, text};
use crate::tui::change::PanelState;
use crate::tui::change::{
    self, ChangeInProgress, ChangeStage, RESULTS_KEPT, UnfinishedChange, is_worth_a_look,
};
use crate::tui::departed;
use crate::tui::effect::Effect;
use crate::tui::journal::{OwnChange, all_well, sum_up};
use crate::tui::keys::Action;
use crate::tui::model::Model;
use crate::tui::schedule::pace;
use crate::tui::sight;
use crate::tui::toast::{self, Tone};

/// Lets the change under way pause, or go on.
pub(crate) fn pause(model: &mut Model) -> Vec<Effect> {
    let order = match order(model) {
        Some(Order::Go) => Order::Pause,
        Some(Order::Pause) => Order::Go,
        Some(Order::Stop) | None => return Vec::new(),
    };
    give(model, order)
}

/// Stops it. It is safe: what must be finished is.
pub(crate) fn stop(model: &mut Model) -> Vec<Effect> {
    give(model, Order::Stop)
}

/// The change under way was told to pause.
#[must_use]
pub fn is_paused(model: &Model) -> bool {
    order(model) == Some(Order::Pause)
}

fn order(model: &Model) -> Option<Order> {
    let (_, running) = model.changing.running()?;
    Some(running.order)
}

fn give(model: &mut Model, order: Order) -> Vec<Effect> {
    let Some(generation) = model.changing.running().map(|(one, _)| one.generation) else {
        return Vec::new();
    };
    if let Some(running) = model.changing.running_mut(generation) {
        running.order = order;
    }
    vec![Effect::Change(change::Effect::Order(generation, order))]
}

/// Says why there is nothing to pause or stop; none when there is.
pub(crate) fn why_not(model: &Model, action: Action) -> Option<&'static str> {
    match (order(model), action) {
        (None, _) => Some("nothing is under way"),
        (Some(Order::Stop), _) => Some("it stops already: what must be finished is"),
        _ => None,
    }
}

/// The keys go to the panel, or to what lies below it.
pub(crate) fn take_keys(model: &mut Model, take: bool) {
    let generation = model.changing.running().map(|(one, _)| one.generation);
    model.changing.panel_left = if take { None } else { generation };
}

/// Time passed: the panel may be there now, or no longer.
pub(crate) fn ticked(model: &mut Model) {
    let shown = if super::queries::is_shown(model) {
        PanelState::Shown
    } else {
        PanelState::Hidden
    };
    if std::mem::replace(&mut model.changing.panel, shown) != shown {
        sight::keep(model);
    }
}

/// A change told something.
pub(crate) fn told(model: &mut Model, generation: u64, told: ChangeEvent) {
    match told {
        ChangeEvent::Ended(summary) => return ended(model, generation, &summary),
        ChangeEvent::Failed(why) => return failed(model, generation, why),
        _ => {}
    }
    let Some(running) = model.changing.running_mut(generation) else {
        return;
    };
    match told {
        ChangeEvent::Begun(id) => {
            running.journal_id = id;
            if running.plan.change == Change::Kick {
                let name = text::printable_bytes(running.plan.queue.name.as_bytes());
                let words = format!("woke the clients of {name}: checking whether it helps");
                toast::update::say(model, words, Tone::Good);
            }
        }
        ChangeEvent::Progress(progress) => {
            // It goes on: what it tried to get over is over.
            let before = running.progress.as_ref().map(|before| before.tally);
            if before != Some(progress.tally) {
                running.trouble = None;
            }
            running.progress = Some(progress);
        }
        ChangeEvent::Results(results) => {
            keep(&mut running.results, results);
            departed::update::spares(model, generation);
        }
        ChangeEvent::Trouble(why) => running.trouble = Some(why),
        ChangeEvent::Ended(_) | ChangeEvent::Failed(_) => {}
    }
}

/// Keeps the first of what was tried and not done, to be looked at.
fn keep(kept: &mut Vec<EntryResult>, results: Vec<EntryResult>) {
    let tried = results.into_iter();
    let tried = tried.filter(|result| is_worth_a_look(result.outcome));
    kept.extend(tried.take(RESULTS_KEPT - kept.len().min(RESULTS_KEPT)));
}

fn ended(model: &mut Model, generation: u64, summary: &Summary) {
    let Some((under_way, running)) = taken(model, generation) else {
        return;
    };
    let (text, tone) = said(model, &running, summary);
    toast::update::say(model, named(&under_way, text), tone);
    let done = summary.tally.get(Outcome::Done) > 0;
    departed::update::acted(model, generation, done);
    if !done {
        change::update::bring_back_text(model, &under_way);
    }
    if done {
        let now = model.instant;
        model.changing.note_last(summary.journal_id.as_ref(), now);
    }
    let own = OwnChange {
        journal_id: summary.journal_id.clone(),
        tally: summary.tally,
        took: Some((summary.elapsed, summary.longest_block)),
        notes: summary.notes.clone(),
        not_done: running.results,
        plan: running.plan,
    };
    over(model, &under_way, own);
}

fn failed(model: &mut Model, generation: u64, why: String) {
    let Some((under_way, running)) = taken(model, generation) else {
        return;
    };
    let tally = running.progress.as_ref().map(|progress| progress.tally);
    let tally = tally.unwrap_or_default();
    let done = tally.get(Outcome::Done) > 0;
    departed::update::acted(model, generation, done);
    let words = if done {
        let counted = sum_up(running.plan.change, running.plan.planned, &tally);
        format!("{why} {counted} before that.{}", undo_hint(model, &running))
    } else {
        format!("nothing {}: {why}", running.plan.change.past())
    };
    toast::update::say(model, named(&under_way, words), Tone::Error);
    if !done {
        change::update::bring_back(model, &under_way);
    }
    if running.journal_id.is_none() && !done {
        // It never began: there is nothing to tell of.
        refresh(model, &under_way.queue);
        return;
    }
    let own = OwnChange {
        journal_id: running.journal_id,
        tally,
        took: None,
        notes: vec![why],
        not_done: running.results,
        plan: running.plan,
    };
    over(model, &under_way, own);
}

/// The change is no longer under way.
fn taken(model: &mut Model, generation: u64) -> Option<(UnfinishedChange, ChangeInProgress)> {
    let under_way = model.changing.take(generation)?;
    match under_way.stage.clone() {
        ChangeStage::Running(running) => Some((under_way, *running)),
        // It told something without having been applied: that is another one's.
        ChangeStage::Planning(_) | ChangeStage::Asking(_) => None,
    }
}

/// A change is over: it is told among the changes, its marks have done their part, and what is
/// shown of its queue is old.
fn over(model: &mut Model, under_way: &UnfinishedChange, own: OwnChange) {
    let rows = model.queues.iter_mut();
    for row in rows.filter(|row| row.queue == under_way.queue) {
        row.watch
            .changed_by_us(under_way.change, model.schedule.exact);
        let is_whole = own.took.is_some() && own.tally.all_done();
        if under_way.change == Change::Realign && is_whole {
            row.watch.sorted_by_us(model.schedule.exact);
        }
    }
    let at = model.now;
    model.keeping_the_change(|changes| changes.over(at, own));
    change::update::over(model, under_way);
    model.changing.panel_left = None;
    ticked(model);
    refresh(model, &under_way.queue);
    model.changes.want_journal();
}

fn refresh(model: &mut Model, queue: &Queue) {
    if model.selected().is_some_and(|row| row.queue == *queue) {
        pace::want_selected(model);
        pace::want_survey(model);
        pace::ask_list(model);
    } else {
        pace::ask_all(model);
    }
}

/// With the name of the change in front, where the words for what was done do not tell it.
fn named(under_way: &UnfinishedChange, words: String) -> String {
    let UnfinishedChange { change, called, .. } = under_way;
    // `sort list: nothing sorted`, but `deleted {…}`: a verb alone has its past tense.
    let told = !called.contains(' ') || *change == Change::Deliver;
    if *called == change.label() && told {
        return words;
    }
    format!("{called}: {words}")
}

/// Returns the words of a change that is over, and their tone.
fn said(model: &Model, running: &ChangeInProgress, summary: &Summary) -> (String, Tone) {
    let Summary {
        change,
        tally,
        notes,
        ..
    } = summary;
    let notes = notes.join(" ");
    if *change == Change::Kick {
        let words = if notes.is_empty() {
            sum_up(*change, running.plan.planned, tally)
        } else {
            notes
        };
        return (words, kicked(model, summary));
    }
    let mut words = result::words(&running.plan, tally, model.schedule.exact);
    if let Some(why) = reason(&running.results) {
        words = format!("{words}: {why}");
    }
    if !notes.is_empty() {
        words = format!("{words}. {notes}");
    }
    if tally.get(Outcome::Done) > 0 && summary.journal_id.is_some() {
        words.push_str(&undo_hint(model, running));
    }
    (words, tone(*change, tally))
}

/// A kick that nobody hears helps nobody, and one that is heard may not help.
fn kicked(model: &Model, summary: &Summary) -> Tone {
    let row = model.queues.iter().find(|row| row.queue == summary.queue);
    let pulse = row.and_then(|row| row.pulse.as_ref());
    match (summary.helped, pulse.map(|pulse| &pulse.transfer_clients)) {
        (Some(false), _) | (None, Some(Known::Is(0))) => Tone::Warn,
        _ => Tone::Good,
    }
}

/// Says why the first one was not done, where that says more than its outcome.
fn reason(results: &[EntryResult]) -> Option<&str> {
    results.iter().find_map(|result| result.reason.as_deref())
}

fn tone(change: Change, tally: &Tally) -> Tone {
    let bad = [Outcome::Undecodable, Outcome::Refused, Outcome::Unknown];
    if bad.into_iter().any(|outcome| tally.get(outcome) > 0) {
        Tone::Error
    } else if all_well(change, tally) {
        Tone::Good
    } else {
        Tone::Warn
    }
}

/// ` · u undo`, where that takes back what was done.
fn undo_hint(model: &Model, running: &ChangeInProgress) -> String {
    let plan = &running.plan;
    match model.keymap.label(Action::Undo, model.look.ascii) {
        // The key goes further back than to others.
        Some(key) if plan.change.is_undone_as_newest() && plan.can_be_undone() => {
            let dot = if model.look.ascii { "-" } else { "·" };
            format!(" {dot} {key} undo")
        }
        _ => String::new(),
    }
}
