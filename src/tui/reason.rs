//! The reason why what a key does cannot be done now: the hints, the palette and the key itself say
//! it.

use crate::queue::LinkState;
use crate::tui::entry::update::tree;
use crate::tui::keys::{Action, Binding, Code, Key, KeyPlace};
use crate::tui::model::{Model, Pane, Screen};
use crate::tui::{
    awaited, change, copy, departed, entries, entry, examine, focus, help, lives, tabs, timeline,
};

/// The reason why an action cannot do anything now; none when it can. The keys in it are names of
/// actions in braces: [`Model::sentence`] makes a sentence of it.
#[must_use]
pub fn why_not(model: &Model, action: Action) -> Option<&'static str> {
    let no_queue = model.selected().is_none();
    match action {
        _ if awaited::is_for(model, action) => None,
        Action::Open if model.overlay.is_some() => lives::update::why_not_open(model),
        Action::Open if no_queue => Some("no queue to open"),
        Action::Open if model.focus == Pane::Entries => tabs::update::why_not_open(model),
        Action::Open | Action::MarkAll if model.focus == Pane::Timeline => {
            timeline::chosen::why_no_bar(model)
        }
        // There it asks for a queue by its name, and no name that is typed then runs as keys.
        Action::Filter if no_queue && model.focus != Pane::Queues => Some("no queue to look in"),
        Action::Jump if no_queue => Some("no queue, so no entry to jump to"),
        Action::NextMatch | Action::PreviousMatch if matches!(model.screen, Screen::Entry(_)) => {
            entry::update::why_no_match(model)
        }
        Action::NextMatch | Action::PreviousMatch if model.filtered.is_none() => {
            Some("no filter is on: {filter} sets one")
        }
        Action::Mark | Action::MarkRange if model.entry().is_none() => Some("no entry to mark"),
        Action::Mark | Action::MarkRange
            if model.hit(model.entries.cursor).is_some_and(|hit| hit.gone) =>
        {
            Some("it is no longer there")
        }
        Action::Mark | Action::MarkRange if model.fate_at(model.stand().cursor).is_some() => model
            .fate_at(model.stand().cursor)
            .map(departed::DepartedFate::why_not),
        Action::MarkAll if model.focus == Pane::Entries && model.listed() == 0 => {
            Some("no entry to mark")
        }
        Action::NextPane | Action::PreviousPane
            if focus::is_alone(model) && !help::update::is_open(model) =>
        {
            Some("there is no other pane")
        }
        Action::BarLeft
        | Action::BarRight
        | Action::ZoomIn
        | Action::ZoomOut
        | Action::LogHeight
            if no_queue =>
        {
            Some("no queue, so no timeline")
        }
        Action::Repair if no_queue => Some("no queue to repair"),
        Action::Sort if no_queue => Some("no queue to sort"),
        Action::Sort if model.focus == Pane::Entries && model.listed() == 0 => {
            Some("no entry to sort")
        }
        Action::Lives if no_queue => Some("no queue, so no messages"),
        Action::Offer if no_queue => Some("no queue to offer to"),
        Action::Worker if no_queue => Some("no queue to work on"),
        Action::Pause | Action::Stop => change::progress::update::why_not(model, action),
        Action::Offer | Action::Worker if model.site.read_only => {
            Some(change::update::about::READ_ONLY)
        }
        _ if change::queries::is_planned(action) => change::update::about::why_not(model, action),
        Action::Toggle | Action::Fold | Action::Unfold | Action::CopyPath => tree::why_not(model),
        Action::ReadAs => entries::update::codec::why_not(model),
        Action::Examine => examine::update::why_not(model),
        Action::CopyPayload => copy::why_not(model),
        Action::CopyCommand => copy::why_no_command(model),
        Action::Refresh if matches!(model.link.state, LinkState::Connecting) => {
            Some("still connecting")
        }
        _ => None,
    }
}

/// Says what a key does that does nothing here: where it works, or that no action has it.
pub(crate) fn unbound(model: &Model, key: Key) -> String {
    let ascii = model.look.ascii;
    let label = key.label(ascii);
    let rows = model.keymap.rows();
    let bound = rows.filter(|(_, keys)| keys.contains(&key));
    // `y` copies, and answers questions: no question is open here.
    let only_asked = |binding: &Binding| {
        let asks = [KeyPlace::Dialog, KeyPlace::Form, KeyPlace::Bulk];
        binding.places.iter().all(|place| asks.contains(place))
    };
    if let Some((binding, _)) = bound.min_by_key(|(binding, _)| only_asked(binding)) {
        let name = binding.name.replace('-', " ");
        let opens = match binding.places {
            [KeyPlace::Lives] => model.keymap.label(Action::Lives, ascii),
            _ => None,
        };
        let opens = opens.map_or_else(String::new, |key| format!(" ({key} opens them)"));
        return format!("{label} ({name}) {}{opens}", works_in(binding));
    }
    if key.code == Code::Char('9') {
        return model.sentence("the tabs are {tab-waiting} to {tab-nodes}");
    }
    let help = model.keymap.label(Action::Help, ascii);
    let help = help.map_or_else(String::new, |help| format!(": {help} lists the keys"));
    format!("{label} does nothing here{help}")
}

/// Says where an action works that does nothing here.
pub(crate) fn works_in(binding: &Binding) -> String {
    let places: Vec<&str> = binding.places.iter().map(|place| place.label()).collect();
    match places.as_slice() {
        [first, .., _] if places.len() > 3 => format!("works in {first} and elsewhere, not here"),
        places => format!("works in {}", places.join(", ")),
    }
}
