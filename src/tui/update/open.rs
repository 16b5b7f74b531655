//! Opens what is under the cursor.

use crate::queue::Announcement;
use crate::tui::effect::Effect;
use crate::tui::entry::{self, BackScreen, EntryView};
use crate::tui::model::{Model, Pane, Screen};
use crate::tui::tabs::{self, Tab};
use crate::tui::toast::{self, Tone};
use crate::tui::{filter, findings, journal, jump, queues, sight, timeline};

/// Opens what is under the cursor of the pane that has the focus.
pub(crate) fn open(model: &mut Model) -> Vec<Effect> {
    match model.focus {
        Pane::Timeline => return timeline::update::list_bar(model),
        Pane::Entries if model.tab.has_entries() => {
            open_entry(model);
        }
        Pane::Entries => return open_line(model),
        Pane::Traffic => tabs::update::show(model, Tab::Traffic),
        Pane::Queues => {
            model.screen = Screen::Queue;
            model.focus = Pane::Entries;
            sight::keep(model);
        }
    }
    Vec::new()
}

fn open_entry(model: &mut Model) {
    let Some(row) = model.entry().cloned() else {
        if let Some(queue) = filter::queries::meant(model) {
            queues::update::select(model, queue as u64);
            model.screen = Screen::Queue;
        }
        return;
    };
    let back = match model.screen {
        Screen::Queue => BackScreen::Queue,
        _ => BackScreen::Dashboard,
    };
    let mut view = EntryView::new(row, back);
    // One that has left is looked at as what it was.
    view.gone = model.fate_at(model.stand().cursor).map(|_| model.now);
    entry::update::plant(&mut view);
    model.screen = Screen::Entry(Box::new(view));
}

/// Opens what is under the cursor of a tab of lines.
pub(crate) fn open_line(model: &mut Model) -> Vec<Effect> {
    let at = usize::try_from(model.stand().cursor).unwrap_or(usize::MAX);
    match model.tab {
        Tab::Traffic => {
            let due = tabs::queries::traffic(model).nth(at).map(Announcement::due);
            match due {
                Some(Some(due)) if due.get() != 0 => {
                    tabs::update::show(model, Tab::Waiting);
                    return jump::to(model, due);
                }
                Some(_) => toast::update::say(model, "it tells no due time".to_owned(), Tone::Warn),
                None => {}
            }
        }
        Tab::Findings => {
            let listed = findings::listed(model);
            let found = listed.get(at);
            let found = found.map(|told| (told.row, told.finding.suspects.first().cloned()));
            if let Some((row, suspect)) = found {
                queues::update::select(model, row as u64);
                model.screen = Screen::Queue;
                tabs::update::show(model, Tab::Waiting);
                sight::keep(model);
                return suspect.map_or(Vec::new(), |one| jump::to_suspect(model, one));
            }
        }
        Tab::Changes => return journal::update::open(model),
        Tab::Waiting | Tab::Delivered | Tab::Order | Tab::Quarantine | Tab::Nodes => {}
    }
    Vec::new()
}
