//! Marks: one by one, a range, all that match. What they mean is in [`Marks`].

use std::collections::HashMap;

use super::{MarkRule, MarkScope, Marks, TimeoutsPlace, ToggledEntry};
use crate::queue::{Due, text};
use crate::tui::entries::{EntryRow, decode};
use crate::tui::filter::{Hit, Search};
use crate::tui::model::{Model, Pane};
use crate::tui::schedule::HeldEntries;
use crate::tui::tabs::{self, Tab};
use crate::tui::timeline;
use crate::tui::toast::{self, Tone};

/// Marks the entry under the cursor, or takes its mark away.
pub(crate) fn toggle(model: &mut Model) {
    let Some(row) = model.entry().cloned() else {
        return;
    };
    let place = model.mark_place(model.stand().cursor);
    model.marks.tab = model.tab;
    model.marks.toggle(&row, place);
    say_of_equal(model, &row);
}

/// Says that a row is not the only one of its kind, where that is in sight.
fn say_of_equal(model: &mut Model, row: &EntryRow) {
    let equal = known(model).filter(|(_, member)| *member == row.member);
    let equal = equal.count() as u64;
    if equal < 2 {
        return;
    }
    let equal = text::thousands(equal);
    let words = if model.tab == Tab::Order {
        format!("it stands in the order list {equal} times in sight: one entry, one mark")
    } else {
        let known = known(model).filter(|(_, member)| *member == row.member);
        let marked = known.filter(|(place, _)| model.marks.has(row, *place));
        let marked = text::thousands(marked.count() as u64);
        format!("{marked} of {equal} equal ones in sight are marked; :keep-one leaves one of each")
    };
    toast::update::say(model, words, Tone::Good);
}

/// The rows of the tab that are known, with the places by which they are marked.
fn known(model: &Model) -> Box<dyn Iterator<Item = (u64, &[u8])> + '_> {
    if let Some(filtered) = model.filtered.as_ref().filter(|_| model.on_hits()) {
        return Box::new((0..).zip(filtered.hits.iter().map(|hit| &hit.member[..])));
    }
    match model.tab.list() {
        Some(list) => {
            let window = model.lists.of(list);
            let rows = window.rows.iter().map(|element| &element.row.member[..]);
            Box::new((window.first..).zip(rows))
        }
        None => Box::new(std::iter::empty()),
    }
}

/// The list has moved, or is shown in another way: each mark on one of equal elements goes to the
/// nearest of them, so that as many are marked as were.
pub(crate) fn moved(model: &mut Model) {
    if !model.marks.tab.has_equal() || model.marks.tab != model.tab {
        return;
    }
    let on_hits = model.on_hits();
    let other_view = std::mem::replace(&mut model.marks.among_hits, on_hits) != on_hits;
    if model.marks.toggled.is_empty() {
        return;
    }
    let (mut first, mut end) = (u64::MAX, 0);
    let mut stands: HashMap<Vec<u8>, Vec<u64>> = HashMap::new();
    for (place, member) in known(model) {
        (first, end) = (first.min(place), place + 1);
        if model.marks.toggled.contains_key(member) {
            stands.entry(member.to_vec()).or_default().push(place);
        }
    }
    let all = knows_all(model);
    model.marks.toggled.retain(|member, toggled| {
        let loose = |at: &u64| other_view || all || *at == NOWHERE || (first..end).contains(at);
        let (mut loose, mut places): (Vec<u64>, Vec<u64>) =
            toggled.places.iter().partition(|at| loose(at));
        let mut free = stands.remove(member).unwrap_or_default();
        // From the head on, as what was taken there has moved all of them by as much.
        loose.sort_unstable();
        for at in loose {
            let nearest = free.iter().enumerate();
            let nearest = nearest.min_by_key(|(_, place)| place.abs_diff(at));
            match nearest.map(|(i, _)| i) {
                Some(nearest) => places.push(free.remove(nearest)),
                None if all => {}
                None if other_view => places.push(NOWHERE),
                None => places.push(at),
            }
        }
        toggled.places = places;
        !toggled.places.is_empty()
    });
}

/// The place of a copy that is in another view than the one in sight.
const NOWHERE: u64 = u64::MAX;

/// Tells whether all entries of the tab are known.
fn knows_all(model: &Model) -> bool {
    match (&model.filtered, model.tab.list()) {
        // The list moves on while hits stay.
        (Some(_), _) | (None, None) => false,
        (None, Some(list)) => {
            let window = model.lists.of(list);
            window.first == 0 && window.len == Some(window.rows.len() as u64)
        }
    }
}

/// Begins a range at the cursor, or ends it there.
pub(crate) fn range(model: &mut Model) {
    let Some(here) = here(model) else {
        return;
    };
    match model.marks.range.take() {
        None => {
            model.marks.range = Some(here);
            model.marks.tab = model.tab;
            let words = model.sentence("a range begins here: move, then {mark-range} again");
            toast::update::say(model, words, Tone::Good);
        }
        Some(start) => mark_range(model, start, here),
    }
}

/// The place of the cursor.
fn here(model: &Model) -> Option<TimeoutsPlace> {
    let row = model.entry()?;
    Some(TimeoutsPlace {
        score: row.score,
        member: row.member.clone(),
        rank: model.stand().cursor,
    })
}

/// Rows that are loaded are marked one by one, exactly; others by a rule.
fn mark_range(model: &mut Model, start: TimeoutsPlace, here: TimeoutsPlace) {
    let from = place_of(model, &start);
    let (from, to) = (from.map(|at| at.min(here.rank)), from.max(Some(here.rank)));
    if let Some((from, to)) = from.zip(to)
        && let Some(rows) = loaded(model, from, to)
    {
        for (rank, row) in (from..).zip(rows) {
            let place = model.mark_place(rank);
            // One that was left out of a rule is back in it.
            if !model.marks.has(&row, place) {
                model.marks.toggle(&row, place);
            }
        }
        return;
    }
    if model.filtered.is_some() {
        // Between the two places lie entries that the filter has hidden.
        let gone = "where the range began is no longer in sight: begin it again with v";
        toast::update::say(model, gone.to_owned(), Tone::Warn);
        return;
    }
    if model.tab != Tab::Waiting {
        // It still begins where it began: who scrolls back can end it nearer.
        model.marks.range = Some(start);
        let far = "too far: in a list, a range spans what is in sight; / and a mark all that match";
        toast::update::say(model, far.to_owned(), Tone::Warn);
        return;
    }
    let count = start.rank.abs_diff(here.rank) + 1;
    set(
        model,
        MarkRule {
            what: MarkScope::span(start, here),
            count,
            exact: false,
        },
    );
}

/// Returns the place of an entry in the list now, when that is known.
fn place_of(model: &Model, place: &TimeoutsPlace) -> Option<u64> {
    if let Some(filtered) = &model.filtered {
        let same = |hit: &Hit| hit.member == place.member;
        // Equal elements are many: the one where it was.
        if model.hit(place.rank).is_some_and(same) {
            return Some(place.rank);
        }
        let index = filtered.hits.iter().position(same)? as u64;
        let last = model.listed().saturating_sub(1);
        return Some(if model.last_first() {
            last.saturating_sub(index)
        } else {
            index
        });
    }
    if let Some(list) = model.tab.list() {
        // Equal elements are many: the one where it was.
        let window = model.lists.of(list);
        let there = window.at(place.rank).map(|element| &element.row.member);
        return (there == Some(&place.member)).then_some(place.rank);
    }
    let rows = &model.entries.rows;
    let at = rows.iter().position(|row| row.member == place.member)?;
    Some(model.entries.first + at as u64)
}

/// The rows from one place to another, when all of them are at hand.
fn loaded(model: &Model, from: u64, to: u64) -> Option<Vec<EntryRow>> {
    if model.filtered.is_some() {
        let row = model.selected()?;
        let of = (&row.queue, row.habit);
        let hits = (from..=to).map(|at| model.hit(at));
        return hits
            .map(|hit| {
                let hit = hit?;
                let score = hit.score.unwrap_or(f64::NAN);
                Some(decode::of_tab(of, model.tab, hit.member.clone(), score))
            })
            .collect();
    }
    if let Some(list) = model.tab.list() {
        let window = model.lists.of(list);
        let rows = (from..=to).map(|at| window.at(at).map(|element| element.row.clone()));
        return rows.collect();
    }
    let entries = &model.entries;
    let offset = |at: u64| usize::try_from(at.checked_sub(entries.first)?).ok();
    Some(entries.rows.get(offset(from)?..=offset(to)?)?.to_vec())
}

/// Marks all that match the filter, without one all that wait; in the timeline all of the bar.
/// What is marked so already is no longer.
pub(crate) fn all(model: &mut Model) {
    let rule = if model.focus == Pane::Timeline {
        timeline::chosen::bar_span(model).map(|(from, to, count)| MarkRule {
            what: MarkScope::Due(from, to),
            count: count.unwrap_or(0),
            exact: count.is_some(),
        })
    } else {
        Some(everything(model))
    };
    if let Some(rule) = rule {
        set(model, rule);
    }
}

fn everything(model: &Model) -> MarkRule {
    match &model.filtered {
        Some(filtered) => MarkRule {
            what: MarkScope::Filter(filtered.filter.clone(), filtered.at),
            count: filtered.count(),
            exact: filtered.search == Search::Done && !filtered.stale,
        },
        None => MarkRule {
            what: MarkScope::All,
            count: tabs::queries::total(model),
            exact: true,
        },
    }
}

fn set(model: &mut Model, rule: MarkRule) {
    let marks = &mut model.marks;
    marks.tab = model.tab;
    marks.range = None;
    if marks.rules.iter().any(|r| r.what == rule.what) && marks.toggled.is_empty() {
        marks.rules.retain(|r| r.what != rule.what);
        // Which rows a filter marks was found for all filters together.
        marks.matching.clear();
        rows_changed(model);
        return;
    }
    if rule.what == MarkScope::All {
        marks.rules.clear();
    }
    marks.rules.retain(|r| r.what != rule.what);
    marks.rules.push(rule);
    marks.matching.clear();
    rows_changed(model);
    // What the rule marks need not be marked by itself as well; nothing is left out any more.
    let selected = model.selected();
    let Some((queue, habit)) = selected.map(|row| (row.queue.clone(), row.habit)) else {
        return;
    };
    let tab = model.tab;
    let toggled = std::mem::take(&mut model.marks.toggled);
    let marks = &model.marks;
    let kept = toggled.into_iter().filter(|(member, toggled)| {
        let score = toggled.score.unwrap_or(f64::NAN);
        toggled.marked && !marks.ruled(&decode::of_tab((&queue, habit), tab, member.clone(), score))
    });
    model.marks.toggled = kept.collect();
}

/// Takes all marks away; false when there are none.
pub(crate) fn clear(model: &mut Model) -> bool {
    let marks = std::mem::take(&mut model.marks);
    !marks.is_empty() || marks.range.is_some() || !marks.toggled.is_empty()
}

/// Another tab is in sight: the marks of the one before are not for its entries.
pub(crate) fn tab_changed(model: &mut Model) {
    let entries = model.tab.has_entries();
    if entries && model.marks.tab != model.tab {
        clear(model);
    }
}

/// Other rows are loaded: those that a filter marks are looked for among them.
pub(crate) fn rows_changed(model: &mut Model) {
    let Marks {
        rules, matching, ..
    } = &mut model.marks;
    let filters: Vec<&MarkRule> = rules
        .iter()
        .filter(|rule| matches!(rule.what, MarkScope::Filter(..)))
        .collect();
    if filters.is_empty() {
        matching.clear();
        return;
    }
    let mut before = std::mem::take(matching);
    for row in &model.entries.rows {
        let known = before.remove(&row.member);
        let holds = || filters.iter().any(|rule| rule.what.holds(row));
        matching.insert(row.member.clone(), known.unwrap_or_else(holds));
    }
}

/// The search that a rule has its count from went on.
pub(crate) fn counted(model: &mut Model) {
    let Some(filtered) = &model.filtered else {
        return;
    };
    for rule in &mut model.marks.rules {
        if let MarkScope::Filter(filter, _) = &rule.what
            && *filter == filtered.filter
        {
            rule.count = filtered.count();
            rule.exact = filtered.search == Search::Done && !filtered.stale;
        }
    }
}

/// The queue has changed: what was counted before may be otherwise.
pub(crate) fn queue_changed(model: &mut Model) {
    let held = held_entries(model);
    // That something has become late meanwhile is no change in what there is.
    if model.schedule.held_entries == held {
        return;
    }
    model.schedule.held_entries = held;
    for rule in &mut model.marks.rules {
        rule.exact = false;
    }
    if let Some(filtered) = &mut model.filtered {
        filtered.stale = true;
    }
    if !model.marks.toggled.is_empty() || model.filtered.is_some() {
        let now = model.instant;
        model.schedule.check.want(now);
    }
}

/// Returns what the selected queue held by its last pulse: the number of entries that wait, the
/// number in target, and when the head is due.
pub(crate) fn held_entries(model: &Model) -> Option<HeldEntries> {
    let pulse = model.selected()?.pulse.as_ref()?;
    let head = pulse.head.and_then(Due::at);
    Some((pulse.waiting.get(), pulse.target.get(), head))
}

/// The same marks entry by entry, where the search of the filter that is on has found them all:
/// nobody has to look through the queue once more. None where that is not so.
pub(crate) fn one_by_one(model: &Model, marks: &Marks) -> Option<Marks> {
    let filtered = model.filtered.as_deref()?;
    let [MarkRule { what, .. }] = &marks.rules[..] else {
        return None;
    };
    let of_filter = *what == MarkScope::Filter(filtered.filter.clone(), filtered.at);
    let all = filtered.search == Search::Done && !filtered.stale && !filtered.is_cut();
    // Equal elements of a list are not told apart by what they are.
    let tabs = (filtered.tab, marks.tab) == (Tab::Waiting, Tab::Waiting);
    if !(of_filter && all && tabs) {
        return None;
    }
    let marked = true;
    let hits = filtered.hits.iter().filter(|hit| !hit.gone);
    let found = hits.map(|hit| {
        let toggled = ToggledEntry {
            score: Some(hit.score?),
            marked,
            places: vec![0],
        };
        Some((hit.member.clone(), toggled))
    });
    let mut toggled: HashMap<_, _> = found.collect::<Option<_>>()?;
    // What was left out stays out.
    toggled.extend(marks.toggled.clone());
    Some(Marks {
        toggled,
        tab: marks.tab,
        ..Marks::default()
    })
}

/// Scores were read: what has left the queue is no longer marked.
pub(crate) fn checked(model: &mut Model, scores: &HashMap<Vec<u8>, Option<f64>>) {
    if model.tab != Tab::Waiting {
        return;
    }
    model
        .marks
        .toggled
        .retain(|member, toggled| match scores.get(member) {
            Some(None) => false,
            Some(score) => {
                toggled.score = *score;
                true
            }
            None => true,
        });
}
