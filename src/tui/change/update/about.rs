//! The subject of a key that changes: what it acts on, and why it cannot.

use super::ChangeScope;
use crate::clock::EpochMillis;
use crate::queue::finding::id;
use crate::queue::{Entry, Known, ListScore, Queue, State, text};
use crate::tui::change::plan::MarkedEntries;
use crate::tui::entries::EntryRow;
use crate::tui::keys::Action;
use crate::tui::marks::{self, MarkRule, Marks};
use crate::tui::model::{self, Model, NO_CONNECTION, Pane, Screen};
use crate::tui::queues::QueueRow;
use crate::tui::tabs::{self, Tab};
use crate::tui::{journal, lists, timeline};

impl ChangeScope {
    /// About these entries, marked or not.
    pub(crate) const fn of(queue: Queue, marked: MarkedEntries) -> Self {
        Self {
            queue,
            marked,
            marks: None,
        }
    }
}

/// The answer of a session that changes nothing.
pub(crate) const READ_ONLY: &str = "this session is read-only: it changes nothing";

const CHOOSE: &str = "choose entries first: {open} opens the queue, {mark} marks";

/// The answer for entries that no key but one acts on.
const QUARANTINED: &str = "in quarantine: {repair} lets it wait again";

/// The answer where a key that an action needs is of another type: no script can do anything then.
const TAKEN: &str =
    "a key that it needs is of another type: {repair} renames what has taken its name";

const DELIVERED: &str = "it was delivered already: {requeue} puts it back to wait";

/// The object that an action would act on.
enum ActionObject<'a> {
    /// The queue as a whole.
    Queue,
    /// The late entries: due from one moment on and before another, and their number.
    Late(MarkRule),
    /// The marked entries.
    Marked,
    /// One entry.
    One(&'a EntryRow),
}

/// Says why an action that changes cannot do anything now; none when it can.
pub(crate) fn why_not(model: &Model, action: Action) -> Option<&'static str> {
    if model.site.read_only {
        return Some(READ_ONLY);
    }
    let Some(row) = model.selected() else {
        return Some("no queue to change");
    };
    // The menu of repairs changes nothing by itself, and keys that follow are meant for it.
    if !model.is_live() && action != Action::Repair {
        return Some(NO_CONNECTION);
    }
    match action {
        Action::Undo => return journal::update::why_no_undo(model),
        Action::Repair => return None,
        Action::Kick => {
            let deaf = row.queue.keys().channel.is_none();
            return deaf.then_some("this layout has no channel: no client can be woken");
        }
        _ if is_taken(row, action) => return Some(TAKEN),
        _ => {}
    }
    match on(model, action) {
        Err(why) => Some(why),
        Ok(ActionObject::Queue) => {
            let pulse = row.pulse.as_ref();
            let none = pulse.is_some_and(|pulse| pulse.late == Known::Is(0));
            none.then_some("nothing is due: it is transferred when it falls due")
        }
        Ok(ActionObject::Late(late)) => {
            (late.count == 0).then_some("nothing is late: there is none to requeue")
        }
        Ok(ActionObject::Marked) => why_not_marked(model, action),
        Ok(ActionObject::One(entry)) => why_not_one(model, action, entry),
    }
}

/// A key that the action needs has its name taken: target, where something is to go there.
fn is_taken(row: &QueueRow, action: Action) -> bool {
    let mut found = row.findings.iter();
    let Some(found) = found.find(|found| found.id == id::WRONG_TYPE) else {
        return false;
    };
    let keys = row.queue.keys();
    let goes_there = matches!(action, Action::Transfer | Action::Deliver);
    let target = Some(keys.target).filter(|_| goes_there);
    let needed = [Some(keys.timeouts), keys.order, target];
    let figures = &found.evidence.figures;
    let mut needed = needed.iter().flatten();
    needed.any(|key| figures.contains_key(&text::printable_bytes(key)))
}

/// Before the findings tell of it, the server's words do: they name no key and no cure.
pub(crate) fn with_cure(model: &Model, why: String) -> String {
    let cure = model.keymap.label(Action::Repair, model.look.ascii);
    match cure.filter(|_| why.contains("WRONGTYPE")) {
        Some(key) => format!("{why}. {key} names the key of the wrong type and renames it"),
        None => why,
    }
}

/// Returns what an action acts on: where the queues are, the queue; where entries are, the marked
/// ones, else the one under the cursor.
fn on(model: &Model, action: Action) -> Result<ActionObject<'_>, &'static str> {
    if let Screen::Entry(view) = &model.screen {
        return match view.gone {
            Some(_) => Err("it is no longer there"),
            None => Ok(ActionObject::One(&view.row)),
        };
    }
    let marked = !model.marks.is_empty();
    let lists = model.tab.has_entries();
    match model.focus {
        Pane::Entries if lists && model.marks.range.is_some() => {
            Err("a range is begun: {mark-range} ends it, {back} gives it up")
        }
        Pane::Entries if lists && marked => Ok(ActionObject::Marked),
        Pane::Entries if lists => under_cursor(model).map(ActionObject::One),
        Pane::Timeline if marked => Ok(ActionObject::Marked),
        _ if action == Action::Transfer => Ok(ActionObject::Queue),
        // Where no entry is pointed at, it is what is late that has to wait again.
        Pane::Timeline | Pane::Queues if action == Action::Requeue => {
            Ok(ActionObject::Late(late(model)))
        }
        Pane::Timeline => Err("choose entries first: {mark-all} marks those of the bar"),
        Pane::Entries => Err("choose entries first: {tab-waiting} lists them"),
        Pane::Queues | Pane::Traffic => Err(CHOOSE),
    }
}

/// The late entries of the class under the timeline's cursor, else all of them.
fn late(model: &Model) -> MarkRule {
    let class = model
        .timeline
        .late_class
        .filter(|_| model.focus == Pane::Timeline);
    if let Some((from, to, count)) = class.and_then(|_| timeline::chosen::bar_span(model)) {
        return MarkRule {
            what: marks::MarkScope::Due(from, to),
            count: count.unwrap_or(0),
            exact: false,
        };
    }
    let late = model
        .selected()
        .and_then(|row| row.pulse.as_ref()?.late.get());
    MarkRule {
        what: marks::MarkScope::Due(EpochMillis::new(0), model::now(model).plus(1)),
        count: late.unwrap_or(0),
        exact: false,
    }
}

fn under_cursor(model: &Model) -> Result<&EntryRow, &'static str> {
    let cursor = model.stand().cursor;
    if model.on_hits() && model.hit(cursor).is_some_and(|hit| hit.gone) {
        return Err("it is no longer there");
    }
    if let Some(fate) = model.fate_at(cursor) {
        return Err(fate.why_not());
    }
    let none = match tabs::queries::count(model) {
        0 => "there is no entry under the cursor",
        _ => "the entry under the cursor is still being read",
    };
    model.entry().ok_or(none)
}

fn why_not_marked(model: &Model, action: Action) -> Option<&'static str> {
    let tab = model.marks.tab;
    match action {
        _ if tab == Tab::Quarantine => Some(QUARANTINED),
        Action::Edit => Some("one entry is edited at a time: {back} clears the marks"),
        Action::Transfer | Action::Deliver | Action::Duplicate if tab == Tab::Delivered => {
            Some("they were delivered already: {requeue} puts them back to wait")
        }
        Action::Duplicate => why_no_double(model),
        _ => None,
    }
}

fn why_not_one(model: &Model, action: Action, row: &EntryRow) -> Option<&'static str> {
    let state = state(model, row);
    match (action, state) {
        (_, Ok(State::Quarantined)) => Some(QUARANTINED),
        (
            Action::Transfer | Action::Deliver | Action::Edit | Action::Duplicate,
            Ok(State::Delivered),
        ) => Some(DELIVERED),
        (_, Err(why)) => Some(why),
        (Action::Deliver | Action::Delete | Action::Requeue, Ok(State::Order)) => None,
        (Action::Transfer | Action::Edit | Action::Duplicate, Ok(State::Order)) => Some(
            "it stands in the order list only: {requeue} lets it wait again, {transfer-now} transfers it",
        ),
        (Action::Transfer, Ok(State::Waiting)) => {
            Some("it is not due yet: {transfer-now} transfers it now")
        }
        (Action::Transfer | Action::Deliver | Action::Edit | Action::Duplicate, _)
            if row.content.is_err() =>
        {
            Some("it is no frame: nothing says what its payload is")
        }
        (Action::Duplicate, _) => why_no_double(model),
        _ => None,
    }
}

/// Says why an entry cannot be doubled: where members are the bare payloads, there is no second
/// one.
fn why_no_double(model: &Model) -> Option<&'static str> {
    let queue = &model.selected()?.queue;
    let has_one = !queue.keeps_equal_messages();
    has_one.then_some("equal messages are one entry in this layout")
}

/// Returns what an action acts on, as it is now.
pub(crate) fn of(model: &Model, action: Action) -> Result<ChangeScope, &'static str> {
    let row = model.selected().ok_or("no queue to change")?;
    let queue = row.queue.clone();
    let (marked, marks) = match on(model, action)? {
        ActionObject::Queue => (MarkedEntries::Due, None),
        ActionObject::Late(rule) => {
            let marks = Marks {
                rules: vec![rule],
                habit: row.habit,
                tab: Tab::Waiting,
                ..Marks::default()
            };
            (MarkedEntries::Marks(Box::new(marks)), None)
        }
        ActionObject::Marked => {
            let mut marks = Box::new(model.marks.clone());
            marks.habit = row.habit;
            // What is due of all there are is counted by the server: no look through them.
            let due = action == Action::Transfer && marks.are_all();
            let marked = if due {
                MarkedEntries::Due
            } else {
                MarkedEntries::Marks(marks.clone())
            };
            (marked, Some(marks))
        }
        ActionObject::One(row) => {
            let entry = Entry {
                member: row.member.clone(),
                score: row.scored().then_some(row.score),
                state: state(model, row)?,
            };
            (MarkedEntries::One(entry), None)
        }
    };
    Ok(ChangeScope {
        queue,
        marked,
        marks,
    })
}

/// The entry that a key acts on, as it is shown.
pub(crate) fn row(model: &Model) -> Option<&EntryRow> {
    match &model.screen {
        Screen::Entry(view) => Some(&view.row),
        _ => model.entry(),
    }
}

/// Returns the state of an entry of the tab.
fn state(model: &Model, row: &EntryRow) -> Result<State, &'static str> {
    match model.tab {
        Tab::Delivered => return Ok(State::Delivered),
        Tab::Quarantine => return Ok(State::Quarantined),
        Tab::Order if !row.scored() => {
            let window = &model.lists.order.rows;
            let untold = |e: &&lists::ListElement| {
                e.row.member == row.member && matches!(e.score, ListScore::Untold(_))
            };
            return match window.iter().find(untold) {
                Some(_) => Err("its due time is not known yet"),
                None => Ok(State::Order),
            };
        }
        _ => {}
    }
    let late = row.due.at().is_some_and(|due| due <= model.schedule.exact);
    Ok(if late { State::Late } else { State::Waiting })
}
