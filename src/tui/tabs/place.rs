//! The tabs of the pane of the entries: their bar in its title, and how many rows each has.

use Form::{Alarms, Alone, Bare, Full, Keys, Medium};
use Place::{Nowhere, Of, Range};

use super::Tab;
use crate::queue::{Announcement, Known, text};
use crate::tui::area::{self, Area, Slot};
use crate::tui::findings;
use crate::tui::keys::Action;
use crate::tui::layout;
use crate::tui::model::Model;

/// A tab in the bar.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Label {
    /// Which one.
    pub tab: Tab,
    /// Its columns.
    pub w: u16,
    /// Its key and its name, as long as there is room.
    pub name: String,
    /// What stands behind the name: a count or a difference; empty when there is nothing to say.
    pub badge: String,
    /// The badge says that something is wrong.
    pub alarm: bool,
}

/// The bar, and what stands at the other end of the title.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Bar {
    /// From left to right; the one in sight stands in brackets.
    pub labels: Vec<Label>,
    /// Which rows are in sight, where that is not told in the line of heads.
    pub position: Option<String>,
}

/// How long the bar is: the first form that fits is taken.
#[derive(Clone, Copy)]
enum Form {
    /// Names and counts in full.
    Full,
    /// One name shorter.
    Medium,
    /// Of the tabs out of sight no counts, only alarms.
    Alarms,
    /// Nor of the one in sight.
    Bare,
    /// Of the tabs out of sight only the keys.
    Keys,
    /// Only the tab in sight.
    Alone,
}

/// Where the rows in sight are told. The widest they can become is kept free, so that the bar
/// stands still while they move.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Place {
    /// The first and the last one in sight, at the end of the title.
    Range,
    /// The one under the cursor, and how many there are: the tab itself does not tell then.
    Of,
    /// Not in the title.
    Nowhere,
}

impl Tab {
    /// Its name in the bar, while it is out of sight.
    const fn name(self, form: Form) -> &'static str {
        match (form, self) {
            (Form::Full, _) => self.label(),
            // Its count beside its key, so that the others keep their names.
            (_, Self::Quarantine) => "",
            (_, Self::Order) => "order",
            (_, _) => self.label(),
        }
    }
}

/// Lays the bar out in the title of its pane.
#[must_use]
pub fn bar(model: &Model, slot: Slot) -> Bar {
    let lead = if slot.boxed { 1 } else { 2 };
    // Blanks around the bar, and what a title leaves free.
    let room = usize::from(slot.outer.w).saturating_sub(2 * lead + 4);
    let room = room.saturating_sub(said_beside(model));
    let range = range(model).filter(|_| !slot.boxed);
    let all = badges(model);
    // A scrollbar tells the place as well: a word that can be read is worth more.
    let tries = [
        (Full, Range),
        (Medium, Range),
        (Alarms, Range),
        (Alarms, Of),
        (Bare, Range),
        (Alarms, Nowhere),
        (Bare, Nowhere),
        (Keys, Range),
        (Keys, Nowhere),
        (Alone, Range),
    ];
    let digits = text::width(&text::thousands(count(model)));
    let columns = |place: Place| match (&range, place) {
        (None, _) | (_, Nowhere) => 0,
        (_, Range | Of) => 2 * digits + 5,
    };
    let fits = |(form, place): &(Form, Place)| {
        let labels = labels(model, &all, *form, *place);
        let bar: usize = labels.iter().map(|l| usize::from(l.w) + 1).sum();
        bar.saturating_sub(1) + columns(*place) <= room
    };
    let (form, place) = tries.into_iter().find(fits).unwrap_or((Alone, Nowhere));
    let labels = labels(model, &all, form, place);
    let position = range.and_then(|range| match place {
        Nowhere => None,
        Range => Some(range),
        Of => {
            let at = text::thousands(model.stand().cursor + 1);
            Some(format!("{at}/{}", text::thousands(count(model))))
        }
    });
    Bar { labels, position }
}

fn labels(model: &Model, badges: &[(String, bool); 7], form: Form, place: Place) -> Vec<Label> {
    let tabs = Tab::ALL.into_iter().zip(badges).enumerate();
    let shown = |tab: Tab, badge: &str| {
        // Nearly always there is nothing in quarantine.
        let has = tab != Tab::Quarantine || !badge.is_empty();
        tab == model.tab || has && !matches!(form, Form::Alone)
    };
    tabs.filter(|(_, (tab, (badge, _)))| shown(*tab, badge))
        .map(|(i, (tab, (badge, alarm)))| {
            let here = tab == model.tab;
            let name = match form {
                Form::Keys if !here => String::new(),
                _ if !here && tab.name(form).is_empty() => String::new(),
                _ if !here => format!(" {}", tab.name(form)),
                _ => format!(" {}", tab.label()),
            };
            let told = here && place == Place::Of;
            let said = match form {
                // What a filter found is worth more than what it was found in.
                _ if model.on_hits() => false,
                Full | Medium => true,
                // The tab is there because of it.
                _ if tab == Tab::Quarantine => true,
                Alarms | Keys | Alone => here || *alarm,
                Bare => *alarm,
            };
            let badge = match badge.as_str() {
                "" => String::new(),
                _ if told || !said => String::new(),
                badge => format!(" {badge}"),
            };
            let name = format!("{}{name}", i + 1);
            let columns = text::width(&name) + text::width(&badge) + if here { 2 } else { 0 };
            Label {
                tab,
                w: u16::try_from(columns).unwrap_or(u16::MAX),
                name,
                badge,
                alarm: *alarm,
            }
        })
        .collect()
}

/// What stands behind each name, and whether it says that something is wrong.
fn badges(model: &Model) -> [(String, bool); 7] {
    let pulse = model.selected().and_then(|row| row.pulse.as_ref());
    let figure = |known: Option<&Known<u64>>| match known {
        Some(Known::Is(n @ 1..)) => text::thousands(*n),
        _ => String::new(),
    };
    let differs = if model.look.ascii { "!" } else { "≠" };
    let survey = model.selected().and_then(|row| row.survey.as_ref());
    let aside = survey.is_some_and(|survey| survey.aside.is_some());
    let drift = match pulse.map(|p| (&p.order, &p.waiting)) {
        // What is set aside is missing in one of them and is no drift.
        _ if aside => "aside".to_owned(),
        Some((Known::Is(a), Known::Is(b))) if a != b => {
            format!("{differs}{}", text::compact(a.abs_diff(*b)))
        }
        _ => String::new(),
    };
    let found = findings::wrong(model);
    let some = |n: usize| if n == 0 { String::new() } else { n.to_string() };
    let alarm = |badge: String| {
        let alarm = !badge.is_empty();
        (badge, alarm)
    };
    [
        (figure(pulse.map(|p| &p.waiting)), false),
        (figure(pulse.map(|p| &p.target)), false),
        alarm(drift),
        (String::new(), false),
        alarm(some(found)),
        (some(model.changes_here().count()), false),
        (figure(Some(&Known::Is(quarantined(model)))), false),
    ]
}

/// How many entries of the selected queue are in quarantine, as far as is known.
fn quarantined(model: &Model) -> u64 {
    let survey = model.selected().and_then(|row| row.survey.as_ref());
    survey.and_then(|survey| survey.quarantined).unwrap_or(0)
}

/// Further than this from either end of a list, what is in sight is read only when the user asks:
/// Redis walks to it from the nearer end.
const DEEP: u64 = 10_000;

/// What is in sight of a list lies far from either end.
#[must_use]
pub fn is_deep(model: &Model) -> bool {
    let Some(list) = model.tab.list().filter(|_| !model.on_hits()) else {
        return false;
    };
    let window = model.lists.of(list);
    let end = window.stand.top + layout::rows::entry_rows(model) as u64;
    window.stand.top > DEEP && end + DEEP < window.len.unwrap_or(0)
}

/// Columns that the title keeps free for what the tab has to say: a filter, another order, or that
/// it is not refreshed.
fn said_beside(model: &Model) -> usize {
    let waiting = model.tab == Tab::Waiting;
    match deep_note(model) {
        Some(note) => text::width(&note) + 4,
        None if model.on_hits() => FILTER,
        None if waiting && model.last_first() => text::width("last first") + 4,
        None => 0,
    }
}

/// Columns of a filter, what it found, and how far the search is.
const FILTER: usize = 52;

/// What the title says then: which key reads it again.
#[must_use]
pub fn deep_note(model: &Model) -> Option<String> {
    if !is_deep(model) {
        return None;
    }
    let key = model.keymap.label(Action::Refresh, model.look.ascii);
    let again = key.map_or(String::new(), |key| format!(", {key} reads again"));
    Some(format!("not refreshed{again}"))
}

/// How many rows the tab in sight has.
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
    }
}

/// How many entries the tab in sight has, filter or not.
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

/// `1–7`: which rows are in sight.
#[must_use]
pub fn range(model: &Model) -> Option<String> {
    let count = count(model);
    let rows = layout::rows::entry_rows(model) as u64;
    if count == 0 || model.tab == Tab::Findings {
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
    let all = model.traffic.iter().rev();
    all.filter(move |a| Some(&a.channel) == channel.as_ref())
}

/// Where the rows of the tab in sight lie: only those of entries have a line of heads.
#[must_use]
pub fn table(model: &Model, slot: Slot) -> Area {
    match model.tab {
        tab if tab.has_entries() => area::table(slot),
        // Its last line tells what is not to be seen here.
        Tab::Traffic if slot.inner.h > 4 => Area {
            h: slot.inner.h - 1,
            ..slot.inner
        },
        _ => slot.inner,
    }
}
