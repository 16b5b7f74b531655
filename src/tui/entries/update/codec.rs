//! The codec with which a queue's payloads are read: the one that was chosen, or the one that they
//! vote for.

use crate::payload::{self, Codec, Habit};
use crate::queue::Queue;
use crate::tui::entries::{EntryRow, decode};
use crate::tui::entry;
use crate::tui::model::{Model, Screen};
use crate::tui::tabs::Tab;
use crate::tui::toast::Tone;
use crate::tui::toast::update::say;

/// Lets the rows in sight vote; when that changes how they are read, they are read again.
pub(crate) fn vote(model: &mut Model) {
    let Some(before) = model.selected().map(|row| row.habit) else {
        return;
    };
    let rows = &model.entries.rows;
    let framed = rows.iter().filter(|row| row.content.is_ok());
    let after = before.after(framed.map(EntryRow::payload));
    if after != before {
        take(model, after);
    }
}

/// The next of the codecs that can read the payload under the cursor, for its queue; after the last
/// one hex, then none, which is what the payloads themselves say.
pub(crate) fn next(model: &mut Model) {
    let Some(row) = entry(model) else {
        return;
    };
    let mut choices: Vec<Option<Codec>> = vec![None];
    choices.extend(payload::readable_as(row.payload()).into_iter().map(Some));
    choices.push(Some(Codec::Unknown));
    let Some(queue) = model.selected() else {
        return;
    };
    let (name, habit) = (queue.queue.name.text(), queue.habit);
    let at = choices.iter().position(|choice| *choice == habit.chosen);
    let chosen = choices[at.map_or(0, |at| (at + 1) % choices.len())];
    let said = match chosen {
        None => format!("{name} is read as its payloads say"),
        Some(Codec::Unknown) => format!("{name} is read as hex"),
        Some(codec) => format!("{name} is read as {codec}, where it can be"),
    };
    take(model, Habit { chosen, ..habit });
    say(model, said, Tone::Good);
}

/// Says why there is nothing to be read otherwise; none when there is.
pub(crate) fn why_not(model: &Model) -> Option<&'static str> {
    match entry(model) {
        None => Some("choose an entry"),
        Some(row) if row.content.is_err() => Some("without a frame there is no payload to read"),
        Some(_) => None,
    }
}

/// The opened entry, else the one under the cursor.
fn entry(model: &Model) -> Option<&EntryRow> {
    match &model.screen {
        Screen::Entry(view) => Some(&view.row),
        _ => model.entry(),
    }
}

/// Reads everything of the selected queue in that way.
fn take(model: &mut Model, habit: Habit) {
    let (at, tab) = (model.cursor, model.tab);
    let Some(row) = model.queues.get_mut(at) else {
        return;
    };
    row.habit = habit;
    let queue = row.queue.clone();
    for row in &mut model.entries.rows {
        again(&queue, habit, tab, row);
    }
    for (list, of) in [
        (&mut model.lists.delivered, Tab::Delivered),
        (&mut model.lists.order, Tab::Order),
        (&mut model.lists.quarantine, Tab::Quarantine),
    ] {
        for element in &mut list.rows {
            again(&queue, habit, of, &mut element.row);
        }
    }
    if let Screen::Entry(view) = &mut model.screen {
        again(&queue, habit, tab, &mut view.row);
        entry::update::plant(view);
    }
}

fn again(queue: &Queue, habit: Habit, tab: Tab, row: &mut EntryRow) {
    let member = std::mem::take(&mut row.member);
    *row = decode::of_tab((queue, habit), tab, member, row.score);
}
