//! The forms before a change: another due time, another payload, the menu of repairs.

use std::cmp::Reverse;

use super::{ChangeScope, begin};
use crate::queue::change::ChangeRequest;
use crate::queue::{Queue, Repair};
use crate::tui::change::plan::MarkedEntries;
use crate::tui::edit::{self, EditForm};
use crate::tui::effect::Effect;
use crate::tui::form::Part;
use crate::tui::keys::{Action, Code, Key, KeyPlace};
use crate::tui::model::{Model, NO_CONNECTION, Overlay, Pane, Screen};
use crate::tui::repair::RepairForm;
use crate::tui::requeue::RequeueForm;
use crate::tui::tabs::{self, Tab};
use crate::tui::toast::{self, Tone};
use crate::tui::{copy, findings, queues, worker};

/// `r`: another due time for what the key acts on.
pub(crate) fn requeue(model: &mut Model, about: ChangeScope) {
    let mut form = RequeueForm::new(about.queue, about.marked, about.marks);
    match &form.marked {
        MarkedEntries::One(entry) => {
            form.due = entry.score.and_then(|score| form.queue.due(score).at());
        }
        MarkedEntries::Marks(marks) if form.is_late() => {
            let late = marks.rules.iter().map(|rule| rule.count).sum();
            form.count = (late, true);
        }
        MarkedEntries::Marks(marks) | MarkedEntries::ButOne(marks) => {
            form.count = marks.count(tabs::queries::total(model));
        }
        MarkedEntries::Lost => form.count = lost(model),
        MarkedEntries::Due | MarkedEntries::Copies => {}
    }
    form.timeless = match &form.marked {
        MarkedEntries::One(entry) => entry.state == crate::queue::State::Delivered,
        MarkedEntries::Marks(marks) | MarkedEntries::ButOne(marks) => marks.tab == Tab::Delivered,
        MarkedEntries::Lost | MarkedEntries::Copies => true,
        MarkedEntries::Due => false,
    };
    model.toast = None;
    model.overlay = Some(Overlay::Requeue(Box::new(form)));
}

/// Counts the entries that only the order list of the selected queue holds, and whether these are
/// all: not where its length alone tells.
fn lost(model: &Model) -> (u64, bool) {
    let Some(row) = model.selected() else {
        return (0, false);
    };
    if let Some((_, drift)) = row.watch.differences() {
        return (drift.strays.count, !drift.at_least);
    }
    let pulse = row.pulse.as_ref();
    let lengths = pulse.and_then(|p| p.order.get().zip(p.waiting.get()));
    (
        lengths.map_or(0, |(order, waiting)| order.saturating_sub(waiting)),
        false,
    )
}

/// A new due time for what only the order list of a queue holds.
fn wait_again(model: &mut Model, queue: Queue) {
    requeue(model, ChangeScope::of(queue, MarkedEntries::Lost));
}

/// `e`: another payload for the entry under the cursor.
pub(crate) fn edit(model: &mut Model, about: ChangeScope) {
    let MarkedEntries::One(entry) = about.marked else {
        return;
    };
    let Some(row) = super::about::row(model) else {
        return;
    };
    let before = row.payload().to_vec();
    if before.len() > edit::MOST_BYTES_EDITED {
        let why = "too long to be edited here: delayscope edit takes it from a file";
        toast::update::say(model, why.to_owned(), Tone::Warn);
        return;
    }
    let what = (row.id, row.due);
    let habit = model.selected().map(|row| row.habit).unwrap_or_default();
    let form = EditForm::new((about.queue, habit), entry, what, before);
    model.toast = None;
    model.overlay = Some(Overlay::Edit(Box::new(form)));
}

/// `R`: the menu of the queue under the cursor, on what the finding under the cursor needs; in
/// quarantine the way out of it.
pub(crate) fn repair(model: &mut Model) -> Vec<Effect> {
    let on_entries = model.focus == Pane::Entries || matches!(model.screen, Screen::Entry(_));
    if on_entries && model.tab == Tab::Quarantine {
        return match super::about::of(model, Action::Repair) {
            Ok(about) => begin(model, ChangeRequest::Restore, about),
            Err(why) => {
                toast::update::say(model, model.sentence(why), Tone::Warn);
                Vec::new()
            }
        };
    }
    // From any pane beside the findings it is about the one that is read.
    let is_read = || findings::row_at_cursor(model) == Some(model.cursor);
    let on_finding = model.tab == Tab::Findings && (model.focus == Pane::Entries || is_read());
    if !(on_finding && menu_of_finding(model)) {
        // Nothing is found, or not yet: the menu says so, and what can be done all the same.
        menu(model);
    }
    Vec::new()
}

/// The menu for the selected queue.
fn menu(model: &mut Model) {
    let form = model.selected().map(|row| RepairForm::new(model, row));
    if let Some(form) = form {
        model.toast = None;
        model.overlay = Some(Overlay::Repair(Box::new(form)));
    }
}

/// Moves a menu in which nothing was chosen yet to the repair that a finding asks for which has come
/// since.
pub(crate) fn keep_true(model: &mut Model) {
    let Some(Overlay::Repair(menu)) = &model.overlay else {
        return;
    };
    if let Some(now) = menu.anew(model) {
        model.overlay = Some(Overlay::Repair(Box::new(now)));
    }
}

/// From a healthy queue to the menu of the one that is worst off. False where all are well.
fn to_sickest(model: &mut Model) -> bool {
    let rows = model.queues.iter().enumerate();
    let sick = rows.filter_map(|(at, row)| Some((Reverse(row.sickness()?), at)));
    let Some((_, at)) = sick.min() else {
        return false;
    };
    queues::update::select(model, at as u64);
    menu(model);
    true
}

/// Enter where the menu has no repair: its words lead from a healthy queue to the sickest, and what
/// does not apply is unfolded. False where it is on a repair, or there is nowhere to go.
fn goes_on(model: &mut Model) -> bool {
    let well = model.selected().is_some_and(|row| row.findings.is_empty());
    match &mut model.overlay {
        Some(Overlay::Repair(menu)) if menu.at == Part::More => {
            menu.unfold();
            true
        }
        Some(Overlay::Repair(menu)) if menu.at == Part::Cure && well => to_sickest(model),
        _ => false,
    }
}

/// The menu on the finding under the cursor, for its queue. False where there is no such finding.
fn menu_of_finding(model: &mut Model) -> bool {
    let told = findings::at_cursor(model).filter(|told| told.finding.gone.is_none());
    let Some((at, finding)) = told.map(|told| (told.row, told.finding.clone())) else {
        return false;
    };
    queues::update::select(model, at as u64);
    let form = model
        .selected()
        .map(|row| RepairForm::on(model, row, &finding));
    if let Some(form) = form {
        model.toast = None;
        model.overlay = Some(Overlay::Repair(Box::new(form)));
    }
    true
}

/// A letter in the menu of repairs: the key that opened it goes on with what its cursor is on, as
/// on a finding; the plan then asks for another one.
pub(crate) fn letter(model: &mut Model, key: Key) -> Vec<Effect> {
    if model.keymap.resolve(KeyPlace::Queues, key) == Some(Action::Repair) {
        return submit(model);
    }
    let copies = model.keymap.resolve(KeyPlace::Findings, key);
    if matches!(copies, Some(Action::CopyPayload | Action::CopyCommand)) {
        return copy::of_menu(model);
    }
    if let Some(Overlay::Repair(menu)) = &model.overlay
        && menu.chosen().is_none()
        && let Err(why) = menu.what(model)
    {
        toast::update::say(model, why, Tone::Warn);
        return Vec::new();
    }
    let label = |key: Key| key.label(model.look.ascii);
    let [plans, closes] = [Code::Enter, Code::Esc].map(|code| label(Key::of(code)));
    let words = format!("{plans} plans what the cursor is on, {closes} closes the menu");
    toast::update::say(model, words, Tone::Warn);
    Vec::new()
}

/// Does what the form over the screen says, or says what is wrong with it, and where.
pub(crate) fn submit(model: &mut Model) -> Vec<Effect> {
    if !model.is_live() {
        toast::update::say(model, NO_CONNECTION.to_owned(), Tone::Warn);
        return Vec::new();
    }
    if goes_on(model) {
        return Vec::new();
    }
    match read(model) {
        // A form and the stand-in worker ask for themselves.
        Ok(None) => {
            match model.overlay.take() {
                Some(Overlay::Repair(menu)) if menu.chosen() == Some(Repair::Requeue) => {
                    wait_again(model, menu.queue);
                }
                _ => worker::update::ask(model),
            }
            Vec::new()
        }
        Ok(Some((what, about))) => {
            let effects = begin(model, what, about);
            // In the way of it stands something else: what was filled in stays.
            if !effects.is_empty() {
                put_away(model);
            }
            effects
        }
        Err((part, why)) => {
            if let Some(form) = model.form_mut() {
                form.go(part);
            }
            toast::update::say(model, why, Tone::Warn);
            Vec::new()
        }
    }
}

/// Closes the form whose change is planned now. It comes back when that is not made: with the
/// question about it goes only the question. The menu of repairs is one key away and holds nothing,
/// save where a span was typed into it.
fn put_away(model: &mut Model) {
    let form = model.overlay.take();
    let holds = |form: &Overlay| match form {
        Overlay::Repair(menu) => menu.at == Part::Within,
        _ => true,
    };
    let asked = model.changing.one.as_ref().map(|one| one.generation);
    // Whoever wakes clients beside a change keeps the form of that change.
    if let Some(form) = asked.zip(form.filter(holds)) {
        model.put_away = Some(Box::new(form));
    }
}

/// Returns what is asked for, none where something has to be asked first; or the first part that is
/// wrong, and why.
fn read(model: &Model) -> Result<Option<(ChangeRequest, ChangeScope)>, (Part, String)> {
    match &model.overlay {
        Some(Overlay::Requeue(form)) => {
            let new = form.new_due(model.schedule.exact)?;
            let about = ChangeScope {
                queue: form.queue.clone(),
                marked: form.marked.clone(),
                marks: form.marks.clone(),
            };
            Ok(Some((ChangeRequest::Requeue(new), about)))
        }
        Some(Overlay::Edit(form)) => {
            let wrong = form.message.said.as_ref().filter(|said| said.is_wrong());
            if let Some(said) = wrong {
                return Err((Part::Payload, said.words().to_owned()));
            }
            let bytes = form.bytes().map_err(|why| (Part::Payload, why))?;
            if bytes == form.before {
                return Err((Part::Payload, "nothing is changed yet".to_owned()));
            }
            let entry = MarkedEntries::One(form.entry.clone());
            let about = ChangeScope::of(form.queue.clone(), entry);
            Ok(Some((ChangeRequest::Edit(bytes), about)))
        }
        Some(Overlay::Repair(form)) => {
            let what = form.what(model).map_err(|why| (form.at, why))?;
            let Some(what) = what else {
                return Ok(None);
            };
            let about = ChangeScope::of(form.queue.clone(), form.marked());
            Ok(Some((what, about)))
        }
        _ => Err((Part::Button, String::new())),
    }
}
