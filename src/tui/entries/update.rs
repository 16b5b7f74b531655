//! The rows of the selected queue: a page arrives, and the cursor stays on its entry.

pub mod codec;

use std::collections::HashMap;

use super::{EntryRow, decode};
use crate::queue::Page;
use crate::tui::departed::{self, DepartedRow};
use crate::tui::effect::Effect;
use crate::tui::model::Model;
use crate::tui::schedule::{RankFor, pace};
use crate::tui::tabs::Tab;
use crate::tui::toast::{self, Tone};
use crate::tui::{layout, marks, sight};

/// Rows that weigh more than this a second are read only when something has changed.
const BYTES_PER_SECOND: u64 = 1_000_000;

/// Pages beside the one in sight are read ahead while all of them weigh less, in bytes.
pub(crate) const AHEAD_BYTES: usize = 256 * 1024;

/// The queue has changed; a pulse that came without rows is followed by one that brings them.
pub(crate) fn changed(model: &mut Model, with_rows: bool) {
    if !with_rows && model.filtered.is_none() {
        model.schedule.rows_wanted = true;
        pace::want_selected(model);
    }
}

/// A page of rows arrived.
pub(crate) fn take_page(model: &mut Model, page: Page) -> Vec<Effect> {
    let selected = model.selected();
    let Some((queue, habit)) = selected.map(|row| (row.queue.clone(), row.habit)) else {
        return Vec::new();
    };
    if model.filtered.is_some() {
        // It was asked for before there was a filter.
        return Vec::new();
    }
    weigh(model, &page);
    let held = held_entry(model);
    let mut departed = model.departed.take_if(|d| d.tab == Tab::Waiting);
    let mut known: HashMap<Vec<u8>, EntryRow> = std::mem::take(&mut model.entries.rows)
        .into_iter()
        .map(|row| (row.member.clone(), row))
        .collect();
    let mut fresh = false;
    let read = |(member, score): (Vec<u8>, f64)| {
        // Decoded before: an entry never changes, only its score does.
        if let Some(row) = known.remove(&member) {
            let due = queue.due(score);
            return EntryRow { score, due, ..row };
        }
        fresh = true;
        decode::of_tab((&queue, habit), Tab::Waiting, member, score)
    };
    let end = page.first + page.rows.len() as u64;
    let mut rows: Vec<EntryRow> = page.rows.into_iter().map(read).collect();
    model.entries.first = page.first;
    if model.last_first() {
        // The pulse has counted them in the same instant.
        model.entries.first = model.waiting().saturating_sub(end);
        rows.reverse();
    }
    model.entries.rows = rows;
    if fresh {
        codec::vote(model);
    }
    // One that is back is no longer gone.
    let is_back = |d: &DepartedRow| model.entries.rows.iter().any(|r| r.member == d.row.member);
    departed = departed.filter(|departed| !is_back(departed));
    let effects = match (departed, held) {
        (Some(departed), _) => {
            stays(model, departed);
            Vec::new()
        }
        (None, held) => held.map_or(Vec::new(), |held| follow(model, held)),
    };
    land(model);
    sight::keep(model);
    ask_missing(model);
    marks::update::rows_changed(model);
    effects
}

/// Puts the cursor, which stands where the sought entry must be, on that entry, once the rows there
/// are read; where it is not among them, says so.
pub(crate) fn land(model: &mut Model) {
    let Some(sought) = model.schedule.sought.clone() else {
        return;
    };
    let entries = &mut model.entries;
    let place = entries.rows.iter().position(|row| row.id == sought.id);
    if let Some(at) = place {
        entries.cursor = entries.first + at as u64;
        entries.anchored = true;
        model.schedule.sought = None;
        return;
    }
    let end = entries.first + entries.rows.len() as u64;
    if !(entries.first..end).contains(&entries.cursor) {
        return;
    }
    model.schedule.sought = None;
    // The rows end among those with its score: it may stand behind them.
    let [first, last] = [entries.rows.first(), entries.rows.last()];
    let same =
        |row: Option<&EntryRow>| row.is_some_and(|row| row.score.total_cmp(&sought.score).is_eq());
    let words = if same(first) || same(last) {
        format!("entry {} is one of many due then: /{0} finds it", sought.id)
    } else {
        format!("entry {} is no longer there", sought.id)
    };
    toast::update::say(model, words, Tone::Warn);
}

/// The rows in sight are read at once when they are not there; the ones beside them when little
/// is left of what was read ahead.
pub(crate) fn ask_missing(model: &mut Model) {
    let height = layout::rows::entries_a_page(model) as u64;
    let waiting = model.waiting();
    let entries = &model.entries;
    let margin = match model.schedule.row_bytes {
        Some(bytes) if bytes as u64 * height * 3 <= AHEAD_BYTES as u64 => height / 2,
        _ => 0,
    };
    let from = entries.top.saturating_sub(margin);
    let to = (entries.top + height + margin).min(waiting);
    let have = entries.first..entries.first + entries.rows.len() as u64;
    if from < to && (from < have.start || to > have.end) {
        let now = model.instant;
        model.schedule.rows_wanted = true;
        model.schedule.pulse.ask(now);
    }
}

fn weigh(model: &mut Model, page: &Page) {
    let bytes: usize = page.rows.iter().map(|(member, _)| member.len()).sum();
    if let Some(per_row) = bytes.checked_div(page.rows.len()) {
        model.schedule.row_bytes = Some(per_row);
    }
    let interval = model.stretched_ms.unwrap_or(model.interval_ms).max(1);
    model.rows_on_change = bytes as u64 * 1000 / interval > BYTES_PER_SECOND;
}

/// The entry that the cursor follows: its member, and its row when it was in sight.
struct CursorEntry {
    member: Vec<u8>,
    row: Option<EntryRow>,
    /// The cursor was moved to it: it is followed wherever it goes.
    anchored: bool,
}

fn held_entry(model: &mut Model) -> Option<CursorEntry> {
    let anchored = model.entries.anchored;
    if let Some(member) = model.schedule.lost.take() {
        return Some(CursorEntry {
            member,
            row: None,
            anchored,
        });
    }
    let entry = model.waiting_entry();
    let entry = entry.filter(|_| anchored || departed::update::is_held(model))?;
    Some(CursorEntry {
        member: entry.member.clone(),
        row: Some(entry.clone()),
        anchored,
    })
}

/// Returns the place among the rows where an entry stood that is not among them; none where it may
/// stand beyond.
fn stood(model: &Model, score: f64) -> Option<usize> {
    let last_first = model.last_first();
    let before = |a: f64, b: f64| if last_first { a > b } else { a < b };
    let (entries, waiting) = (&model.entries, model.waiting());
    let end = entries.first + entries.rows.len() as u64;
    let first = entries.rows.first();
    let below = entries.first == 0 || first.is_some_and(|first| before(first.score, score));
    let last = entries.rows.last();
    let above = end >= waiting || last.is_some_and(|last| before(score, last.score));
    let next = entries.rows.iter().position(|r| !before(r.score, score));
    (below && above).then_some(next.unwrap_or(entries.rows.len()))
}

/// A row that has left stays among the others, under the cursor.
fn stays(model: &mut Model, mut departed: DepartedRow) {
    let Some(at) = stood(model, departed.row.score) else {
        return;
    };
    let entries = &mut model.entries;
    let offset = entries.cursor.saturating_sub(entries.top);
    let on_it = entries.cursor == departed.place;
    departed.place = entries.first + at as u64;
    if on_it {
        entries.cursor = departed.place;
        entries.top = entries.cursor.saturating_sub(offset);
    }
    entries.rows.insert(at, departed.row.clone());
    model.departed = Some(departed);
}

/// Puts the cursor on the held entry; when that is gone, its row stays there for a moment; when it
/// may have moved further than the page reaches, asks where it is.
fn follow(model: &mut Model, held: CursorEntry) -> Vec<Effect> {
    let stays_there = departed::update::is_held(model);
    let entries = &mut model.entries;
    let offset = entries.cursor.saturating_sub(entries.top);
    let at = entries.rows.iter().position(|r| r.member == held.member);
    let score = held.row.as_ref().map(|row| row.score);
    if let Some(row) = at {
        let shows_begin = !held.anchored && entries.top == 0;
        entries.cursor = entries.first + row as u64;
        if !shows_begin {
            entries.top = entries.cursor.saturating_sub(offset);
        }
        return Vec::new();
    }
    if let Some((at, row)) = score.and_then(|score| stood(model, score)).zip(held.row) {
        let place = model.entries.first + at as u64;
        if stays_there {
            departed::update::keep(model, row.clone(), Tab::Waiting, place);
            model.entries.rows.insert(at, row);
        }
        model.entries.cursor = place;
        model.entries.top = place.saturating_sub(offset);
        return Vec::new();
    }
    let Some(score) = score.filter(|_| held.anchored) else {
        return Vec::new();
    };
    let member = held.member;
    pace::find_rank(model, score, RankFor::Follow { member, offset })
}
