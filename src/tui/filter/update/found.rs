//! The results of a search: they take their place among the rows, and the cursor stays on its
//! entry.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use crate::clock::EpochMillis;
use crate::queue::Queue;
use crate::tui::effect::Effect;
use crate::tui::entries::{EntryRow, decode};
use crate::tui::filter::{self, Hit, Scores, Search};
use crate::tui::model::Model;
use crate::tui::tabs::Tab;
use crate::tui::toast::{self, Tone};
use crate::tui::{entry, layout, marks, sight};

/// Members that are looked at again in one go weigh no more than this, in bytes.
const CHECKED_BYTES: usize = 256 * 1024;

/// Beside the rows in sight, so many marked entries are looked at again.
const CHECKED_MARKS: usize = 64;

/// The hit under the cursor.
pub(crate) struct CursorHit {
    /// Its member.
    pub(crate) member: Vec<u8>,
    /// Its score, where it has one.
    pub(crate) score: Option<f64>,
    /// It is no longer there.
    pub(crate) gone: bool,
    /// Rows between the top of the pane and the cursor.
    offset: u64,
}

/// The entry under the cursor, filter or not.
pub(crate) fn held(model: &Model) -> Option<CursorHit> {
    let stand = model.stand();
    let offset = stand.cursor.saturating_sub(stand.top);
    if model.filtered.is_some() {
        let hit = model.hit(model.entries.cursor)?;
        return Some(CursorHit {
            member: hit.member.clone(),
            score: hit.score,
            gone: hit.gone,
            offset,
        });
    }
    let row = model.waiting_entry()?;
    Some(CursorHit {
        member: row.member.clone(),
        score: row.scored().then_some(row.score),
        gone: false,
        offset,
    })
}

/// The order in which hits are shown: by due time, then as Redis orders members. Those without a
/// score keep the order in which they were found.
pub(crate) fn by_due(a: &Hit, b: &Hit) -> Ordering {
    match (a.score, b.score) {
        (Some(x), Some(y)) => x.total_cmp(&y).then_with(|| a.member.cmp(&b.member)),
        _ => Ordering::Equal,
    }
}

/// The place in the list of a hit, by its place among the hits.
fn place(model: &Model, index: usize) -> u64 {
    let index = index as u64;
    if model.last_first() {
        model.listed().saturating_sub(index + 1)
    } else {
        index
    }
}

/// Puts the cursor on the held hit again, in the row of the screen it was in.
pub(crate) fn follow(model: &mut Model, held: Option<CursorHit>) {
    let Some((held, filtered)) = held.zip(model.filtered.as_ref()) else {
        return;
    };
    let same = |hit: &Hit| hit.member == held.member;
    // Where it was, most of the time: rows come in behind it.
    let at = usize::try_from(model.entries.cursor).unwrap_or(usize::MAX);
    let index = match filtered.hits.get(at).filter(|hit| same(hit)) {
        Some(_) if !model.last_first() => Some(at),
        _ => filtered.hits.iter().position(same),
    };
    if let Some(index) = index {
        let at = place(model, index);
        model.entries.cursor = at;
        model.entries.top = at.saturating_sub(held.offset);
    }
}

/// Puts the cursor on the first hit in the list that stands at that place of timeouts or behind.
pub(crate) fn stand_at(model: &mut Model, score: Option<f64>, member: &[u8]) {
    let Some((score, filtered)) = score.zip(model.filtered.as_ref()) else {
        return;
    };
    let before = |hit: &Hit| {
        let at = hit.score.unwrap_or(f64::NAN).total_cmp(&score);
        at.then_with(|| hit.member.as_slice().cmp(member)).is_lt()
    };
    let index = filtered.hits.partition_point(before);
    let last = filtered.hits.len().saturating_sub(1);
    let at = place(model, index.min(last));
    model.entries.cursor = at;
    model.entries.top = at;
}

/// Puts the cursor on the first hit due at a moment or later; says so when there is none.
pub(crate) fn stand_at_time(model: &mut Model, moment: EpochMillis) {
    let Some(queue) = model.selected().map(|row| row.queue.clone()) else {
        return;
    };
    let last = model.filtered.as_ref().and_then(|f| f.hits.last()?.score);
    let last = last.and_then(|score| queue.due(score).at());
    if last.is_none_or(|last| last < moment) {
        let none = "no hit is due then or later: this is the last one";
        toast::update::say(model, none.to_owned(), Tone::Warn);
    }
    stand_at(model, Some(queue.score(moment)), &[]);
    show(model);
}

/// Decodes the hits in sight; those that were decoded before are kept.
pub(crate) fn show(model: &mut Model) {
    show_with(model, Vec::new());
}

/// The same where these were decoded before, too.
pub(crate) fn show_with(model: &mut Model, decoded: Vec<EntryRow>) {
    sight::keep(model);
    let selected = model.selected();
    let Some((queue, habit)) = selected.map(|row| (row.queue.clone(), row.habit)) else {
        return;
    };
    if !model.on_hits() {
        return;
    }
    let tab = model.tab;
    let height = layout::rows::entries_a_page(model) as u64;
    let shown = std::mem::take(&mut model.entries.rows).into_iter();
    let mut known: HashMap<Vec<u8>, EntryRow> = (shown.chain(decoded))
        .map(|row| (row.member.clone(), row))
        .collect();
    let end = (model.entries.top + height).min(model.listed());
    let whole = model.filtered.iter().flat_map(|f| &f.whole.rows);
    let lists = tab.list().map(|list| &model.lists.of(list).rows);
    let lists = lists.into_iter().flatten().map(|element| &element.row);
    let whole: HashMap<&[u8], &EntryRow> = (whole.chain(lists))
        .map(|row| (row.member.as_slice(), row))
        .collect();
    let mut shown = Vec::new();
    for at in model.entries.top..end {
        let Some(hit) = model.hit(at) else { break };
        let score = hit.score.unwrap_or(f64::NAN);
        let seen = || whole.get(hit.member.as_slice()).map(|row| (*row).clone());
        shown.push(match known.remove(&hit.member).or_else(seen) {
            Some(row) => EntryRow {
                score,
                due: queue.due(score),
                ..row
            },
            None => decode::of_tab((&queue, habit), tab, hit.member.clone(), score),
        });
    }
    model.entries.first = model.entries.top;
    model.entries.rows = shown;
    marks::update::moved(model);
    marks::update::rows_changed(model);
}

/// A search went on.
pub(crate) fn hits(
    model: &mut Model,
    generation: u64,
    batch: Vec<(Vec<u8>, Option<f64>)>,
    (found, looked, of): (u64, u64, u64),
) {
    let held = held(model);
    let Some(filtered) = &mut model.filtered else {
        return;
    };
    if filtered.search != Search::Running(generation) {
        return;
    }
    (filtered.found, filtered.looked, filtered.of) = (found, looked, of);
    if batch.is_empty() {
        return;
    }
    // What was seen on the screen before the search came to it is the same entry.
    let members: HashSet<&[u8]> = batch.iter().map(|(m, _)| m.as_slice()).collect();
    let hits = &mut filtered.hits;
    hits.retain(|hit| hit.sure || !members.contains(hit.member.as_slice()));
    hits.extend(batch.into_iter().map(|(member, score)| Hit {
        member,
        score,
        sure: true,
        gone: false,
    }));
    hits.sort_by(by_due);
    follow(model, held);
    show(model);
    marks::update::counted(model);
}

/// A search is through: what it has not come across is no longer there.
pub(crate) fn searched(model: &mut Model, generation: u64, result: Result<(), String>) {
    let held = held(model);
    let Some(filtered) = &mut model.filtered else {
        return;
    };
    if filtered.search != Search::Running(generation) {
        return;
    }
    model.filter_work.searching = None;
    filtered.search = match result {
        Ok(()) => Search::Done,
        Err(why) => Search::Failed(why),
    };
    if filtered.search == Search::Done {
        filtered.looked = filtered.looked.max(filtered.of);
        filtered.hits.retain(|hit| hit.sure);
    }
    follow(model, held);
    show(model);
    marks::update::counted(model);
}

/// The scores of the hits in sight and of some of the marked entries, once for each refresh.
pub(crate) fn check(model: &mut Model) -> Option<Effect> {
    let (now, frozen) = (model.instant, model.frozen.is_some());
    if !model.is_live() || !model.schedule.check.ready(now, frozen) {
        return None;
    }
    let queue = model.selected()?.queue.clone();
    let members = wanted(model);
    if members.is_empty() {
        model.schedule.check.due = None;
        return None;
    }
    model.schedule.generation += 1;
    let generation = model.schedule.generation;
    model.schedule.check.start(now, generation);
    Some(Effect::Filter(filter::Effect::CheckScores {
        generation,
        queue,
        members,
    }))
}

fn wanted(model: &mut Model) -> Vec<Vec<u8>> {
    let mut members: Vec<Vec<u8>> = Vec::new();
    if model.tab != Tab::Waiting {
        return members;
    }
    if model.filtered.is_some() {
        members.extend(model.entries.rows.iter().map(|row| row.member.clone()));
    }
    members.extend(entry::update::watched(model).map(<[u8]>::to_vec));
    let marked = &model.marks.toggled;
    let turn = model.filter_work.check_turn.checked_rem(marked.len());
    let in_turn = marked.keys().cycle().skip(turn.unwrap_or(0));
    members.extend(in_turn.take(marked.len().min(CHECKED_MARKS)).cloned());
    model.filter_work.check_turn = turn.unwrap_or(0) + CHECKED_MARKS;
    let mut bytes = 0;
    members.retain(|member| {
        bytes += member.len();
        bytes <= CHECKED_BYTES
    });
    members
}

/// Takes in scores that were read: what is gone is said to be, and what has another due time shows
/// it.
pub(crate) fn checked(
    model: &mut Model,
    generation: u64,
    queue: &Queue,
    result: Result<Scores, String>,
) {
    let now = model.instant;
    let selected = model.selected().is_some_and(|row| row.queue == *queue);
    if !model.schedule.check.end(generation, now) || !selected || model.tab != Tab::Waiting {
        return;
    }
    let scores: HashMap<Vec<u8>, Option<f64>> = result.unwrap_or_default().into_iter().collect();
    marks::update::checked(model, &scores);
    entry::update::checked(model, &scores);
    let (from, to) = (
        model.entries.first,
        model.entries.first + model.entries.rows.len() as u64,
    );
    let last_first = model.last_first();
    let Some(filtered) = &mut model.filtered else {
        return;
    };
    let count = filtered.hits.len();
    for at in from..to {
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        let index = if last_first {
            count.checked_sub(at.saturating_add(1))
        } else {
            Some(at)
        };
        let hit = index.and_then(|index| filtered.hits.get_mut(index));
        if let Some((hit, score)) = hit
            .and_then(|hit| Some((scores.get(&hit.member)?, hit)))
            .map(|(score, hit)| (hit, *score))
        {
            hit.gone = score.is_none();
            hit.score = score.or(hit.score);
        }
    }
    show(model);
}
