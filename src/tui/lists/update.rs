//! Target, order list and quarantine: a run by index is read while its tab is in sight, in the
//! rhythm of the pulse. The cursor stays on its element while others come and go.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use super::{ListElement, Lists, Msg, QuarantineTime, Stand};
use crate::queue::{EntryId, List, ListPage, ListRow, Queue};
use crate::tui::departed::{self, DepartedRow};
use crate::tui::effect::Effect;
use crate::tui::entries::update::AHEAD_BYTES;
use crate::tui::entries::{EntryRow, decode};
use crate::tui::lists;
use crate::tui::model::Model;
use crate::tui::schedule::pace;
use crate::tui::tabs::queries::is_deep;
use crate::tui::{layout, marks, sight};

/// Rows that are read before and behind those in sight, at least: as many may be consumed between
/// two readings, and the cursor still finds its element.
const BESIDE: u64 = 20;

/// Takes an answer of the server, or of the journal.
pub(crate) fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::Loaded {
            generation,
            queue,
            list,
            result,
        } => loaded(model, generation, &queue, list, result),
        Msg::SinceRead { queue, known } => {
            since(model, &queue, known);
            Vec::new()
        }
    }
}

/// Another queue is selected: its lists are not those of the one before.
pub(crate) fn selection_changed(model: &mut Model) {
    model.lists = Lists::default();
    model.stands.traffic = Stand::default();
    start_over(model);
}

/// Another list, or another queue's: what is under way is void.
pub(crate) fn start_over(model: &mut Model) {
    model.schedule.list.forget();
    model.schedule.list.due = None;
    pace::ask_list(model);
}

/// The queue was read: so is its list in sight, if that is light and near an end.
pub(crate) fn pulse_came(model: &mut Model) {
    let Some(list) = model.list_in_sight() else {
        return;
    };
    if is_deep(model) {
        return;
    }
    let rows = &model.lists.of(list).rows;
    let bytes: usize = rows.iter().map(|e| e.row.member.len()).sum();
    // At most 1 MB/s: a µs for each byte.
    let weight = Duration::from_micros(bytes as u64);
    let at = model.schedule.list.not_before(model.instant, weight);
    model.schedule.list.want(at);
}

/// The reading that is due.
pub(crate) fn start(model: &mut Model) -> Option<Effect> {
    let (now, frozen) = (model.instant, model.frozen.is_some());
    let list = model.list_in_sight()?;
    if !model.schedule.list.ready(now, frozen) {
        return None;
    }
    let queue = model.selected()?.queue.clone();
    let (first, end) = wanted(model, list, 1);
    let generation = model.schedule.next_generation();
    model.schedule.list.start(now, generation);
    Some(Effect::Lists(lists::Effect::Load {
        generation,
        queue,
        list,
        first,
        count: u32::try_from(end - first).unwrap_or(u32::MAX),
    }))
}

/// The indices in sight and, while rows are light, so many pages before and behind them.
fn wanted(model: &Model, list: List, pages: u64) -> (u64, u64) {
    let height = layout::rows::entries_a_page(model) as u64;
    let window = model.lists.of(list);
    let bytes: usize = window.rows.iter().map(|e| e.row.member.len()).sum();
    let beside = height.max(BESIDE);
    let all = bytes.checked_div(window.rows.len());
    let all = all.map(|b| b as u64 * (height + 2 * beside));
    let beside = match all {
        Some(bytes) if bytes <= AHEAD_BYTES as u64 => beside * pages,
        _ => 0,
    };
    let top = window.stand.top;
    (top.saturating_sub(beside), top + height + beside)
}

/// The rows in sight are read at once when they are not there.
pub(crate) fn ask_missing(model: &mut Model) {
    let Some(list) = model.list_in_sight() else {
        return;
    };
    let window = model.lists.of(list);
    let height = layout::rows::entries_a_page(model) as u64;
    let (from, to) = (window.stand.top, window.stand.top + height);
    let to = to.min(sight::count(model));
    let have = window.first..window.first + window.rows.len() as u64;
    let now = model.instant;
    if from < to && (from < have.start || to > have.end) {
        model.schedule.list.ask(now);
    } else if !is_deep(model) {
        let (from, to) = wanted(model, list, 0);
        let margin = height / 2;
        let to = (to + margin).min(sight::count(model));
        if from.saturating_sub(margin) < have.start || to > have.end {
            model.schedule.list.want(now);
        }
    }
}

/// A run of a list arrived.
fn loaded(
    model: &mut Model,
    generation: u64,
    queue: &Queue,
    list: List,
    result: Result<ListPage, String>,
) -> Vec<Effect> {
    let now = model.instant;
    if !model.schedule.list.end(generation, now) {
        return Vec::new();
    }
    let selected = model.selected().is_some_and(|row| row.queue == *queue);
    if !selected || model.list_in_sight() != Some(list) {
        return Vec::new();
    }
    match result {
        Ok(page) => {
            let ids = |model: &Model| -> HashSet<EntryId> {
                let rows = model.lists.of(list).rows.iter();
                rows.map(|element| element.row.id).collect()
            };
            let before = ids(model);
            take(model, queue, list, page);
            marks::update::moved(model);
            sight::keep_tab(model);
            ask_missing(model);
            let mut fresh = ids(model);
            fresh.retain(|id| !before.contains(id) && !model.lists.knows_since(id));
            if list == List::Quarantine && !fresh.is_empty() {
                return vec![Effect::Lists(lists::Effect::ReadSince(queue.clone()))];
            }
        }
        Err(why) => model.lists.of_mut(list).trouble = Some(why),
    }
    Vec::new()
}

/// The journal was looked through for what is in quarantine.
fn since(model: &mut Model, queue: &Queue, known: HashMap<EntryId, QuarantineTime>) {
    if model.selected().is_some_and(|row| row.queue == *queue) {
        model.lists.since = Some(known);
    }
}

/// Puts the page into its window, and the cursor on the element it stood on.
fn take(model: &mut Model, queue: &Queue, list: List, page: ListPage) {
    let now = model.instant;
    let habit = model.selected().map(|row| row.habit).unwrap_or_default();
    let stays = departed::update::is_held(model);
    let departed = model.departed.take_if(|d| d.tab == model.tab);
    let window = model.lists.of_mut(list);
    let stand = window.stand;
    let held = window.at(stand.cursor);
    let held = held.filter(|_| window.anchored || stays).cloned();
    // Decoded before: bytes never change. By their bytes, wherever they stood: between two readings
    // thousands may have been taken from the head.
    let mut known: HashMap<Vec<u8>, Vec<EntryRow>> = HashMap::new();
    for mut element in window.rows.drain(..) {
        let member = std::mem::take(&mut element.row.member);
        known.entry(member).or_default().push(element.row);
    }
    let element = |row: ListRow| {
        let old = known.get_mut(&row.element).and_then(Vec::pop);
        let score = row.score.get().unwrap_or(f64::NAN);
        let shown = match old {
            Some(old) => EntryRow {
                score,
                due: queue.due(score),
                member: row.element,
                ..old
            },
            None => decode::of_list(queue, list, row.element, score, |p| habit.decode(p)),
        };
        ListElement {
            row: shown,
            score: row.score,
        }
    };
    window.rows = page.rows.into_iter().map(element).collect();
    window.first = page.first;
    window.len = Some(page.len);
    window.read_at = Some(now);
    window.trouble = None;
    // Equal elements of target: the nearest one is meant.
    let same = |e: &ListElement| {
        held.as_ref()
            .is_some_and(|held| held.row.member == e.row.member)
    };
    let places = (page.first..).zip(&window.rows);
    let places = places.filter(|(_, element)| same(element));
    let nearest = places
        .map(|(at, _)| at)
        .min_by_key(|at| at.abs_diff(stand.cursor));
    if let Some(at) = nearest {
        let offset = stand.cursor.saturating_sub(stand.top);
        window.stand.cursor = at;
        if window.anchored || window.stand.top > 0 {
            window.stand.top = at.saturating_sub(offset);
        }
    } else if let Some(held) = held.filter(|_| stays) {
        leave(model, list, held, departed);
    }
}

/// The element under the cursor is no longer in its list: its row stays for a moment.
fn leave(model: &mut Model, list: List, held: ListElement, before: Option<DepartedRow>) {
    let (tab, window) = (model.tab, model.lists.of_mut(list));
    let end = window.first + window.rows.len() as u64;
    let place = window.stand.cursor.clamp(window.first, end);
    let at = usize::try_from(place - window.first).unwrap_or(usize::MAX);
    let at = at.min(window.rows.len());
    let row = held.row.clone();
    window.rows.insert(at, held);
    window.stand.cursor = place;
    match before.filter(|before| before.row.member == row.member) {
        Some(before) => model.departed = Some(DepartedRow { place, ..before }),
        None => departed::update::keep(model, row, tab, place),
    }
}
