//! The filter: typed, looked for, kept true, and taken away again.

pub mod at_once;
pub mod found;
pub mod turn;

use std::time::{Duration, Instant};

use self::found::show;
use super::{ActiveFilter, Msg, ReplacedFilter, Search};
use crate::queue::{Filter, Queue};
use crate::tui::effect::Effect;
use crate::tui::entries::{self, Entries};
use crate::tui::filter;
use crate::tui::model::{Model, Pane, Screen};
use crate::tui::prompt::{Prompt, PromptKind};
use crate::tui::schedule::{RankFor, pace};
use crate::tui::tabs::Tab;
use crate::tui::toast::{self, Tone};
use crate::tui::{departed, layout, sight};

/// The wait after the last key before the search begins.
const TYPING: Duration = Duration::from_millis(150);

/// A search went on or is through, or scores were read.
pub(crate) fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    if is_of_another_queue(model, &msg) {
        return Vec::new();
    }
    match msg {
        Msg::Hits {
            generation,
            hits,
            found,
            looked,
            of,
        } => found::hits(model, generation, hits, (found, looked, of)),
        Msg::Searched { generation, result } => found::searched(model, generation, result),
        Msg::ScoresChecked {
            generation,
            queue,
            result,
        } => found::checked(model, generation, &queue, result),
    }
    Vec::new()
}

/// Takes in what the search through all queues has found, if it is an answer to that.
fn is_of_another_queue(model: &mut Model, msg: &Msg) -> bool {
    let all = model.everywhere.as_mut();
    let Some(one) = all.and_then(|all| all.at.as_mut()) else {
        return false;
    };
    let (of, answer) = match msg {
        Msg::Hits {
            generation, found, ..
        } => (generation, (*found > 0).then_some(Ok(true))),
        Msg::Searched { generation, result } => (generation, Some(result.clone().map(|()| false))),
        Msg::ScoresChecked { .. } => return false,
    };
    if *of != one.generation {
        return false;
    }
    one.answer = one.answer.take().or(answer);
    true
}

/// A line begins with the filter that is on: the text of that.
pub(crate) fn begun(model: &mut Model) -> String {
    model.filter_work.replaced = None;
    let filter = model.filtered.as_ref().map(|f| f.filter.text().to_owned());
    filter.unwrap_or_default()
}

/// Another text stands in the line: it filters at once, or says what is wrong with it.
pub(crate) fn typed(model: &mut Model) -> Vec<Effect> {
    let Some(prompt) = &mut model.prompt else {
        return Vec::new();
    };
    match Filter::parse(&prompt.field.text()) {
        Ok(filter) => {
            prompt.error = None;
            set(model, filter);
        }
        Err(bad) => prompt.error = Some(bad.to_string()),
    }
    Vec::new()
}

/// The filter stays, and the list has the keys; or why the text is no filter.
pub(crate) fn run(model: &mut Model, text: &str) -> Result<Vec<Effect>, String> {
    let filter = Filter::parse(text).map_err(|bad| bad.to_string())?;
    set(model, filter);
    model.filter_work.replaced = None;
    to_the_list(model);
    let now = model.instant;
    if let Some(filtered) = &mut model.filtered {
        if let Search::Planned(at) = &mut filtered.search {
            *at = now.min(*at);
        }
        show(model);
    } else {
        sight::keep(model);
    }
    Ok(Vec::new())
}

/// A search of another queue beside that of the list, which stops: its generation, and what asks for
/// it.
pub(crate) fn beside(model: &mut Model, queue: &Queue, filter: Filter) -> (u64, Effect) {
    model.filter_work.searching = None;
    if let Some(filtered) = model.filtered.as_mut().filter(|f| f.is_searching()) {
        filtered.search = Search::Stopped;
    }
    model.schedule.generation += 1;
    let generation = model.schedule.generation;
    let row = model.queues.iter().find(|row| row.queue == *queue);
    let search = filter::Effect::Search {
        generation,
        queue: queue.clone(),
        filter,
        habit: row.map(|row| row.habit).unwrap_or_default(),
        tab: Tab::Waiting,
    };
    (generation, Effect::Filter(search))
}

/// Another filter than the one that is on, from its first hit on.
pub(crate) fn alone(model: &mut Model, text: &str) -> Vec<Effect> {
    match run(model, text) {
        Ok(effects) => {
            (model.entries.top, model.entries.cursor) = (0, 0);
            show(model);
            effects
        }
        Err(why) => {
            toast::update::say(model, why, Tone::Warn);
            Vec::new()
        }
    }
}

/// The entries have the keys, on a screen that shows them.
pub(crate) fn to_the_list(model: &mut Model) {
    model.focus = Pane::Entries;
    if !layout::rows::shown(model, Pane::Entries) {
        model.screen = Screen::Queue;
    }
}

/// Esc: the filter is again what it was before the line.
pub(crate) fn given_up(model: &mut Model) -> Vec<Effect> {
    let Some(ReplacedFilter { filtered, entries }) = model.filter_work.replaced.take() else {
        return Vec::new();
    };
    model.filtered = filtered;
    model.entries = entries;
    let now = model.instant;
    match &mut model.filtered {
        Some(filtered) => {
            if filtered.is_searching() {
                filtered.search = Search::Planned(now);
            }
            // A click may have brought another tab meanwhile.
            tab_changed(model);
            show(model);
        }
        None => read_rows(model),
    }
    Vec::new()
}

/// Another filter, or none, is wanted.
fn set(model: &mut Model, filter: Filter) {
    let now = model.filtered.as_ref().map(|f| f.filter.text());
    if now.unwrap_or_default() == filter.text() || now.is_none() && filter.is_empty() {
        return;
    }
    if model.filter_work.replaced.is_none() {
        model.filter_work.replaced = Some(ReplacedFilter {
            filtered: model.filtered.clone(),
            entries: model.entries.clone(),
        });
    }
    if filter.is_empty() {
        if let Some(filtered) = model.filtered.take() {
            model.entries = filtered.whole;
            read_rows(model);
        }
        return;
    }
    begin(model, filter);
}

/// Shows what matches of that which is on the screen already; the search follows.
fn begin(model: &mut Model, filter: Filter) {
    if !model.tab.has_entries() {
        model.tab = Tab::Waiting;
    }
    departed::update::forget(model);
    let held = found::held(model);
    let stood = held.as_ref().map(|held| (held.score, held.member.clone()));
    let at = model.schedule.exact;
    let seen = at_once::seen_already(model, &filter);
    let whole = match model.filtered.take() {
        Some(before) => before.whole,
        None => std::mem::take(&mut model.entries),
    };
    model.schedule.rank.forget();
    model.schedule.lost = None;
    let decoded = std::mem::take(&mut model.entries).rows;
    model.filtered = Some(Box::new(ActiveFilter {
        filter,
        at,
        tab: model.tab,
        hits: seen,
        found: 0,
        looked: 0,
        of: 0,
        search: Search::Planned(model.instant + TYPING),
        stale: false,
        whole,
    }));
    found::follow(model, held);
    // Where the entry under the cursor does not match, the next one that does.
    let stood = stood.filter(|(_, member)| {
        model
            .waiting_entry()
            .is_none_or(|row| row.member != *member)
    });
    if let Some((score, member)) = stood {
        found::stand_at(model, score, &member);
    }
    found::show_with(model, decoded);
}

/// Esc in the list: a search under way stops, else the filter goes. None when there is neither.
pub(crate) fn escape(model: &mut Model) -> Option<Vec<Effect>> {
    let filtered = model.filtered.as_mut()?;
    if filtered.is_searching() {
        filtered.search = Search::Stopped;
        return Some(Vec::new());
    }
    Some(clear(model))
}

/// The filter goes; the cursor stays on its entry.
pub(crate) fn clear(model: &mut Model) -> Vec<Effect> {
    let held = found::held(model);
    let offset = model.entries.cursor.saturating_sub(model.entries.top);
    let Some(filtered) = model.filtered.take() else {
        return Vec::new();
    };
    model.entries = filtered.whole;
    read_rows(model);
    let Some(held) = held.filter(|held| !held.gone) else {
        return Vec::new();
    };
    let waits = model.tab == Tab::Waiting;
    let score = held.score.filter(|_| waits);
    let member = held.member;
    score.map_or(Vec::new(), |score| {
        pace::find_rank(model, score, RankFor::Follow { member, offset })
    })
}

/// Another tab is in sight: the filter is for that one now, if it shows entries.
pub(crate) fn tab_changed(model: &mut Model) {
    let (tab, now) = (model.tab, model.instant);
    let entries = tab.has_entries();
    if let Some(filtered) = model.filtered.as_mut().filter(|f| entries && f.tab != tab) {
        filtered.tab = tab;
        filtered.hits.clear();
        (filtered.found, filtered.looked) = (0, 0);
        filtered.search = Search::Planned(now);
        model.entries = Entries::default();
    }
}

/// Another queue is selected: the filter was for the one before.
pub(crate) fn forget(model: &mut Model) {
    model.filtered = None;
    model.filter_work.replaced = None;
    let of_list = |p: &mut Prompt| matches!(p.kind, PromptKind::Filter | PromptKind::Jump);
    drop(model.prompt.take_if(of_list));
}

/// Searches again from the start. What is shown stays until the search has come by.
pub(crate) fn again(model: &mut Model) {
    let now = model.instant;
    if let Some(filtered) = &mut model.filtered {
        filtered.search = Search::Planned(now);
    }
}

/// The link has been away: what it has cut off begins again.
pub(crate) fn link_is_back(model: &mut Model) {
    let cut_off = |f: &ActiveFilter| matches!(f.search, Search::Running(_) | Search::Failed(_));
    if model.filtered.as_deref().is_some_and(cut_off) {
        again(model);
    }
}

/// When a search begins; none while nothing can be read.
pub(crate) fn wakes_at(model: &Model) -> Option<Instant> {
    match model.filtered.as_ref()?.search {
        Search::Planned(at) if model.is_live() => Some(at),
        _ => None,
    }
}

/// Starts the search that is due, and ends the one that nobody waits for any more.
pub(crate) fn start_due(model: &mut Model) -> Vec<Effect> {
    let mut effects = Vec::new();
    let wanted = match model.filtered.as_ref().map(|f| &f.search) {
        Some(Search::Running(generation)) => Some(*generation),
        _ => None,
    };
    if model.filter_work.searching.is_some() && model.filter_work.searching != wanted {
        model.filter_work.searching = None;
        effects.push(Effect::Filter(filter::Effect::EndSearch));
    }
    let due = wakes_at(model).is_some_and(|at| at <= model.instant);
    let queue = model.selected().map(|row| (row.queue.clone(), row.habit));
    let generation = model.schedule.generation + 1;
    let exact = model.schedule.exact;
    if let (true, Some((queue, habit)), Some(filtered)) = (due, queue, &mut model.filtered) {
        // One search at a time: that of the list takes the place of that through all queues.
        model.everywhere.take_if(|all| all.at.is_some());
        filtered.search = Search::Running(generation);
        filtered.at = exact;
        filtered.stale = false;
        (filtered.found, filtered.looked, filtered.of) = (0, 0, 0);
        filtered.hits.iter_mut().for_each(|hit| hit.sure = false);
        effects.push(Effect::Filter(filter::Effect::Search {
            generation,
            queue,
            filter: filtered.filter.clone(),
            habit,
            tab: filtered.tab,
        }));
        model.schedule.generation = generation;
        model.filter_work.searching = Some(generation);
    }
    effects
}

/// The rows of the whole list are read again.
fn read_rows(model: &mut Model) {
    sight::keep(model);
    pace::ask_list(model);
    model.schedule.rows_wanted = true;
    model.schedule.pulse.ask(model.instant);
}

/// The rows in sight, all or what the filter leaves: those that are not there are read or decoded.
pub(crate) fn ask_missing_rows(model: &mut Model) {
    if model.filtered.is_some() {
        show(model);
    } else {
        entries::update::ask_missing(model);
    }
}
