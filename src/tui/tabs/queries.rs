//! The tabs of the pane of the entries: how many rows each has, and which of them are in sight.

use super::Tab;
use crate::queue::{Announcement, Known, text};
use crate::tui::findings;
use crate::tui::keys::Action;
use crate::tui::layout;
use crate::tui::model::Model;

/// Returns the number of entries of the selected queue in quarantine, as far as is known.
pub(crate) fn quarantined(model: &Model) -> u64 {
    let survey = model.selected().and_then(|row| row.survey.as_ref());
    survey.and_then(|survey| survey.quarantined).unwrap_or(0)
}

/// Further than this from either end of a list, what is in sight is read only when the user asks:
/// Redis walks to it from the nearer end.
const DEEP: u64 = 10_000;

/// Tells whether what is in sight of a list lies far from either end.
#[must_use]
pub fn is_deep(model: &Model) -> bool {
    let Some(list) = model.tab.list().filter(|_| !model.on_hits()) else {
        return false;
    };
    let window = model.lists.of(list);
    let end = window.stand.top + layout::rows::entry_rows(model) as u64;
    window.stand.top > DEEP && end + DEEP < window.len.unwrap_or(0)
}

/// Returns the note in the title then: not refreshed, and the key that reads it again.
#[must_use]
pub fn deep_note(model: &Model) -> Option<String> {
    if !is_deep(model) {
        return None;
    }
    let key = model.keymap.label(Action::Refresh, model.look.ascii);
    let again = key.map_or(String::new(), |key| format!(", {key} reads again"));
    Some(format!("not refreshed{again}"))
}

/// The number of rows of the tab in sight; one that has left is not counted.
#[must_use]
pub fn count(model: &Model) -> u64 {
    let pulse = model.selected().and_then(|row| row.pulse.as_ref());
    let read = |len: Option<u64>, known: Option<&Known<u64>>| {
        len.or_else(|| known.and_then(Known::get)).unwrap_or(0)
    };
    match model.tab {
        _ if model.on_hits() => model.listed(),
        Tab::Waiting => model.waiting(),
        Tab::Delivered => read(model.lists.delivered.len, pulse.map(|p| &p.target)),
        Tab::Order => read(model.lists.order.len, pulse.map(|p| &p.order)),
        Tab::Quarantine => {
            let len = model.lists.quarantine.len;
            len.unwrap_or_else(|| quarantined(model))
        }
        Tab::Traffic => traffic(model).count() as u64,
        Tab::Findings => findings::count(model) as u64,
        Tab::Changes => model.changes_here().count() as u64,
        Tab::Nodes => model.nodes.len() as u64,
    }
}

/// The number of entries of the tab in sight, filter or not.
#[must_use]
pub fn total(model: &Model) -> u64 {
    let pulse = model.selected().and_then(|row| row.pulse.as_ref());
    match model.tab {
        Tab::Delivered => pulse.and_then(|p| p.target.get()).unwrap_or(0),
        Tab::Order => pulse.and_then(|p| p.order.get()).unwrap_or(0),
        Tab::Quarantine => quarantined(model),
        _ => model.waiting(),
    }
}

/// The order in which the entries of the tab in sight stand; none of what has no entries.
#[must_use]
pub fn order(model: &Model) -> Option<&'static str> {
    match model.tab {
        // Entries of the past are not there.
        _ if model.then.is_some() => None,
        Tab::Waiting if model.listed() == 0 => None,
        Tab::Waiting if model.last_first() => Some("last first"),
        Tab::Waiting => Some("next first"),
        Tab::Delivered => Some("next to be taken first"),
        Tab::Order => Some("as offered"),
        Tab::Quarantine => Some("by due time, delivered to nobody"),
        Tab::Traffic | Tab::Findings | Tab::Changes | Tab::Nodes => None,
    }
}

/// `1–7`: which rows are in sight.
#[must_use]
pub fn range(model: &Model) -> Option<String> {
    let count = count(model);
    let rows = layout::rows::entry_rows(model) as u64;
    let entries_of_then = model.then.is_some() && model.tab.has_entries();
    if count == 0 || model.tab == Tab::Findings || entries_of_then {
        return None;
    }
    let top = model.stand().top;
    let last = (top + rows).min(count).max(top + 1);
    let to = if model.look.ascii { "-" } else { "–" };
    Some(format!(
        "{}{to}{}",
        text::thousands(top + 1),
        text::thousands(last)
    ))
}

/// The announcements of the selected queue that are kept, newest first.
pub fn traffic(model: &Model) -> impl Iterator<Item = &Announcement> {
    let channel = model.selected().and_then(|row| row.queue.keys().channel);
    let all = model.traffic.heard.iter().rev();
    all.filter(move |a| Some(&a.channel) == channel.as_ref())
}
