//! The tab of the changes: what the journal tells is read, and one of them is looked at.

use super::{ChangeLine, ChangeView, JournalAccount, Msg, PastChange, ReadRequest};
use crate::queue::Change;
use crate::tui::effect::Effect;
use crate::tui::journal;
use crate::tui::model::{Model, Overlay, Pane, Screen};
use crate::tui::sight;
use crate::tui::tabs::Tab;

/// Reads it, one time after the other.
pub(crate) fn start_due(model: &mut Model) -> Option<Effect> {
    let journal = model.changes.request;
    if !journal.wanted || journal.flight.is_some() {
        return None;
    }
    let generation = model.schedule.next_generation();
    model.changes.request = ReadRequest {
        wanted: false,
        flight: Some(generation),
    };
    Some(Effect::Journal(journal::Effect::ReadJournal { generation }))
}

/// The journal told something.
pub(crate) fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::JournalRead { generation, result } => read(model, generation, result),
        Msg::ChangeRead { generation, result } => explained(model, generation, result),
    }
    Vec::new()
}

/// The journal was read.
fn read(model: &mut Model, generation: u64, result: Result<Vec<PastChange>, String>) {
    let journal = &mut model.changes.request.flight;
    if journal.take_if(|asked| *asked == generation).is_none() {
        return;
    }
    match result {
        Ok(past) => model.keeping_the_change(|changes| changes.read(past)),
        Err(why) => model.changes.trouble = Some(why),
    }
    sight::keep(model);
}

/// Opens the change under the cursor.
pub(crate) fn open(model: &mut Model) -> Vec<Effect> {
    let Some(line) = model.change_line().cloned() else {
        return Vec::new();
    };
    let own = line.id.as_deref().and_then(|id| model.changes.own(id));
    let own = own.cloned();
    let (id, known) = (line.id.clone(), own.is_some());
    let mut view = ChangeView {
        line,
        own,
        asked: None,
        explained: None,
        scroll: 0,
    };
    let mut effects = Vec::new();
    if let Some(id) = id.filter(|_| !known) {
        let generation = model.schedule.next_generation();
        view.asked = Some(generation);
        effects.push(Effect::Journal(journal::Effect::ReadChange {
            generation,
            id,
        }));
    }
    model.overlay = Some(Overlay::Change(Box::new(view)));
    effects
}

/// The change that is looked at, or that the cursor of their tab is on.
pub(crate) fn chosen(model: &Model) -> Option<&ChangeLine> {
    let in_tab = model.focus == Pane::Entries
        && model.tab == Tab::Changes
        && !matches!(model.screen, Screen::Entry(_));
    match &model.overlay {
        Some(Overlay::Change(view)) => Some(&view.line),
        _ if in_tab => model.change_line(),
        _ => None,
    }
}

/// Says why what is chosen cannot be taken back; none when it can, or when nothing is.
pub(crate) fn why_no_undo(model: &Model) -> Option<&'static str> {
    let line = chosen(model)?;
    match line.change {
        _ if line.undone => Some("it was undone already"),
        _ if line.id.is_none() => Some("the journal has nothing to undo it by"),
        Some(Change::Worker) => Some("a worker cannot be undone"),
        Some(Change::Kick) => Some("waking clients cannot be undone"),
        Some(change) if !change.can_be_undone() => Some("this change cannot be undone"),
        _ => None,
    }
}

/// Takes in what became of a change's entries, as it was read.
fn explained(model: &mut Model, generation: u64, result: Result<JournalAccount, String>) {
    if let Some(Overlay::Change(view)) = &mut model.overlay
        && view.asked == Some(generation)
    {
        view.explained = Some(result);
    }
}

/// Says why no change can be opened; none when one can.
pub(crate) fn why_not_open(model: &Model) -> Option<&'static str> {
    model.change_line().is_none().then_some("no change to open")
}
