//! The tabs of the pane of the entries: their bar in its title, and where the rows lie.

use Form::{Alarms, Alone, Bare, Brief, Full, Keys, Medium, Plain};
use Place::{Nowhere, Of, Range};

use super::Tab;
use super::queries::{count, deep_note, order, quarantined, range};
use crate::queue::{Known, text};
use crate::tui::area::{self, Area, Slot};
use crate::tui::model::Model;
use crate::tui::queues::QueueRow;
use crate::tui::{findings, nodes};

/// A tab in the bar.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Label {
    /// The tab.
    pub tab: Tab,
    /// Its columns.
    pub w: u16,
    /// Its key and its name, as long as there is room.
    pub name: String,
    /// The text behind the name: a count or a difference; empty when there is nothing to say.
    pub badge: String,
    /// The badge says that something is wrong.
    pub alarm: bool,
}

/// The bar, and what stands at the other end of the title.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct TabBar {
    /// From left to right; the one in sight stands in brackets.
    pub labels: Vec<Label>,
    /// The rows in sight, where they are not told in the line of heads.
    pub position: Option<String>,
}

/// The length of the bar: the first form that fits is taken.
#[derive(Clone, Copy)]
enum Form {
    /// Names and counts in full.
    Full,
    /// Of a quarantine that holds nothing, and of the nodes, only the key.
    Brief,
    /// No nodes, and no quarantine that holds nothing; of another its count beside its key.
    Medium,
    /// Of the tabs out of sight no counts, only alarms.
    Alarms,
    /// Nor of the one in sight.
    Bare,
    /// No counts, but for that of the findings.
    Plain,
    /// Of the tabs out of sight only the keys.
    Keys,
    /// Only the tab in sight.
    Alone,
}

/// The place where the rows in sight are told. The widest they can become is kept free, so that the
/// bar stands still while they move.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Place {
    /// The first and the last one in sight, at the end of the title.
    Range,
    /// The one under the cursor, and how many there are: the tab itself does not tell then.
    Of,
    /// Not in the title.
    Nowhere,
}

/// Lays the bar out in the title of its pane.
#[must_use]
pub fn bar(model: &Model, slot: Slot) -> TabBar {
    let lead = if slot.boxed { 1 } else { 2 };
    // Blanks around the bar, and what a title leaves free.
    let room = usize::from(slot.outer.w).saturating_sub(2 * lead + 4);
    let room = room.saturating_sub(said_beside(model, slot.boxed));
    let range = range(model).filter(|_| !slot.boxed);
    let all = badges(model);
    // A scrollbar tells the place as well: a word that can be read is worth more.
    let tries = [
        (Full, Range),
        (Brief, Range),
        (Medium, Range),
        (Alarms, Range),
        (Alarms, Of),
        (Bare, Range),
        (Alarms, Nowhere),
        (Bare, Nowhere),
        (Plain, Nowhere),
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
    TabBar { labels, position }
}

fn labels(model: &Model, badges: &[(String, bool); 8], form: Form, place: Place) -> Vec<Label> {
    let tabs = Tab::ALL.into_iter().zip(badges).enumerate();
    let shown = |tab: Tab, badge: &str| match form {
        _ if tab == model.tab => true,
        Alone => false,
        Full | Brief => true,
        // Nearly always there is nothing in quarantine.
        Medium | Alarms | Bare | Plain | Keys if tab == Tab::Quarantine => !badge.is_empty(),
        // That a server is not well is told in the header, too.
        Medium | Alarms | Bare | Plain | Keys => tab != Tab::Nodes,
    };
    tabs.filter(|(_, (tab, (badge, _)))| shown(*tab, badge))
        .map(|(i, (tab, (badge, alarm)))| {
            let here = tab == model.tab;
            let name = match form {
                _ if here => format!(" {}", tab.label()),
                Keys => String::new(),
                // The others keep their names.
                Brief | Medium | Alarms | Bare | Plain if is_rare(tab) => String::new(),
                _ => format!(" {}", tab.label()),
            };
            let told = here && place == Place::Of;
            let said = match form {
                // What a filter found is worth more than what it was found in.
                _ if model.on_hits() => false,
                Full | Brief | Medium => true,
                // The tab is there because of it.
                _ if is_rare(tab) => true,
                Alarms | Keys | Alone => here || *alarm,
                Bare => *alarm,
                Plain => *alarm && tab == Tab::Findings,
            };
            let badge = match badge.as_str() {
                "" => String::new(),
                _ if told || !said => String::new(),
                badge if matches!(form, Bare | Plain | Keys) => {
                    format!(" {}", badge.replace(" of ", "/"))
                }
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

/// Returns the text behind each name, and whether it says that something is wrong.
fn badges(model: &Model) -> [(String, bool); 8] {
    let pulse = model.selected().and_then(|row| row.pulse.as_ref());
    let figure = |known: Option<&Known<u64>>| match known {
        Some(Known::Is(n @ 1..)) => text::thousands(*n),
        _ => String::new(),
    };
    let differs = if model.look.ascii { "!" } else { "≠" };
    let survey = model.selected().and_then(|row| row.survey.as_ref());
    let aside = survey.is_some_and(|survey| survey.aside.is_some());
    let drift = match model.selected().and_then(QueueRow::difference) {
        // What is set aside is missing in one of them and is no drift.
        _ if aside => "partial".to_owned(),
        Some(by @ 1..) => format!("{differs}{}", text::compact(by)),
        _ => String::new(),
    };
    let found = match (findings::of_selected(model), findings::wrong(model)) {
        (_, 0) => String::new(),
        (own, all) if own == all => all.to_string(),
        (own, all) => format!("{own} of {all}"),
    };
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
        alarm(found),
        (some(model.changes_here().count()), false),
        (figure(Some(&Known::Is(quarantined(model)))), false),
        nodes::badge(model),
    ]
}

/// The tab is of something that most queues and servers do not have.
fn is_rare(tab: Tab) -> bool {
    matches!(tab, Tab::Quarantine | Tab::Nodes)
}

/// Columns that the title keeps free for what the tab has to say: a filter, another order, or that
/// it is not refreshed.
fn said_beside(model: &Model, boxed: bool) -> usize {
    match (deep_note(model), order(model)) {
        (Some(note), _) => text::width(&note) + 4,
        // In a box it stands in the lower border.
        (None, _) if model.on_hits() && !boxed => FILTER,
        // Elsewhere it stands in the line of heads, or is the usual one.
        (None, Some(order)) if !boxed && model.last_first() => text::width(order) + 4,
        (None, _) => 0,
    }
}

/// Columns of a filter, what it found, and how far the search is.
const FILTER: usize = 52;

/// Returns the place of the rows of the tab in sight: those of entries and nodes have a line of heads.
#[must_use]
pub fn table(model: &Model, slot: Slot) -> Area {
    match model.tab {
        tab if tab.has_entries() || tab == Tab::Nodes => area::table(slot),
        // Its last line tells what is not to be seen here.
        Tab::Traffic if slot.inner.h > 4 => Area {
            h: slot.inner.h - 1,
            ..slot.inner
        },
        _ => slot.inner,
    }
}
