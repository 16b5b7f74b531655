//! An opened entry: its text laid out once, and what is looked for in it.

pub mod search;
pub mod tree;

use std::collections::HashMap;

use self::search::{MOST_HITS, in_bytes, in_text, needle};
use super::{EntryView, Face, Spot, TextLayout, TextSearch};
use crate::tui::entry::tree::Tree;
use crate::tui::layout::rows::opened;
use crate::tui::model::{Model, Screen};
use crate::tui::tabs::Tab;
use crate::tui::toast::Tone;
use crate::tui::toast::update::say;

/// Lays out the text of the opened entry for the columns it has now.
pub(crate) fn lay_out(model: &mut Model) {
    if !matches!(model.screen, Screen::Entry(_)) {
        return;
    }
    let columns = opened(model).text;
    let Screen::Entry(view) = &mut model.screen else {
        return;
    };
    let is_raw = view.face == Face::Raw;
    let fits = |laid: &TextLayout| laid.columns == columns && laid.raw == is_raw;
    if !view.laid.as_ref().is_some_and(fits) {
        view.laid = Some(super::text::lay_out(&view.row, columns, is_raw));
        look(view);
    }
}

/// Reads what an entry says as a tree, at first or when it is read otherwise. One that was not
/// there before turns to the front.
pub(crate) fn plant(view: &mut EntryView) {
    let had = view.tree.is_some();
    let decoded = view.row.content.as_ref().ok();
    view.tree = decoded.and_then(|said| Tree::of(view.row.payload(), said.codec));
    view.laid = None;
    let faces = view.faces();
    if !had && view.tree.is_some() || !faces.contains(&view.face) {
        view.face = faces[0];
    }
}

/// The member whose score tells what becomes of the opened entry; none when no entry that waits
/// is open.
pub(crate) fn watched(model: &Model) -> Option<&[u8]> {
    match &model.screen {
        Screen::Entry(view) if model.tab == Tab::Waiting => Some(&view.row.member),
        _ => None,
    }
}

/// The queue was read: the opened entry is looked at as well, since its place in the queue may
/// be far from the rows that came along.
pub(crate) fn refreshed(model: &mut Model) {
    if watched(model).is_some() {
        let now = model.instant;
        model.schedule.check.want(now);
    }
}

/// The opened entry has left the queue, is back, or has another due time.
pub(crate) fn checked(model: &mut Model, scores: &HashMap<Vec<u8>, Option<f64>>) {
    let now = model.now;
    let Some(queue) = model.selected().map(|row| row.queue.clone()) else {
        return;
    };
    let Screen::Entry(view) = &mut model.screen else {
        return;
    };
    match scores.get(&view.row.member) {
        None => {}
        Some(None) => view.gone = view.gone.or(Some(now)),
        Some(Some(score)) => {
            view.gone = None;
            if score.total_cmp(&view.row.score).is_ne() {
                view.requeued = Some(now);
                view.row.score = *score;
                view.row.due = queue.due(*score);
            }
        }
    }
}

/// The other face.
pub(crate) fn turn(model: &mut Model) {
    let Screen::Entry(view) = &model.screen else {
        return;
    };
    let faces = view.faces();
    if let [_] = faces {
        let why = model.sentence("nothing explains its bytes: {read-as} chooses a codec");
        say(model, why, Tone::Warn);
        return;
    }
    let at = faces.iter().position(|face| *face == view.face);
    let next = at.map_or(0, |at| (at + 1) % faces.len());
    face(model, faces[next]);
}

/// Shows that face, about where the present one is; where something was found, at that.
pub(crate) fn face(model: &mut Model, face: Face) {
    let last = last(model);
    match &mut model.screen {
        Screen::Entry(view) if view.face != face => {
            view.face = face;
            look(view);
        }
        _ => return,
    }
    lay_out(model);
    let (to, rows) = (self::last(model), rows(model));
    if let Screen::Entry(view) = &mut model.screen {
        let from = view.scroll.min(last);
        view.scroll = (from * to).checked_div(last).unwrap_or(0);
        if face == Face::Tree {
            tree::follow(view, rows);
        }
    }
    show(model);
}

/// The text that is looked for in the opened entry; empty when none is.
pub(crate) fn looked_for(model: &Model) -> String {
    let found = match &model.screen {
        Screen::Entry(view) => view.found.as_ref(),
        _ => None,
    };
    found.map_or_else(String::new, |found| found.what.clone())
}

/// Another text is looked for, from what is in sight on; an empty one is no longer looked for.
pub(crate) fn find(model: &mut Model, what: &str) {
    let Screen::Entry(view) = &mut model.screen else {
        return;
    };
    view.found = (!what.is_empty()).then(|| TextSearch {
        what: what.to_owned(),
        hits: Vec::new(),
        at: 0,
    });
    look(view);
    let scroll = view.scroll;
    let each = each(model);
    if let Screen::Entry(view) = &mut model.screen
        && let Some(found) = &mut view.found
    {
        let below = |hit: &Spot| line(hit, each) >= scroll;
        found.at = found.hits.iter().position(below).unwrap_or(0);
        show(model);
    }
}

/// Says why there is no next place; none when there is one.
pub(crate) fn why_no_match(model: &Model) -> Option<&'static str> {
    let Screen::Entry(view) = &model.screen else {
        return None;
    };
    match &view.found {
        None => Some("nothing is looked for: {filter} begins"),
        Some(found) if found.hits.is_empty() => Some("not found in this entry"),
        Some(_) => None,
    }
}

/// The next place, or the one before; after the last comes the first.
pub(crate) fn step(model: &mut Model, forward: bool) {
    let Screen::Entry(view) = &mut model.screen else {
        return;
    };
    let Some(found) = &mut view.found else {
        return;
    };
    let count = found.hits.len();
    if count == 0 {
        return;
    }
    let step = if forward { 1 } else { count - 1 };
    let at = (found.at + step) % count;
    let round = (at < found.at) == forward && count > 1;
    found.at = at;
    if round {
        say(model, "from the other end again".to_owned(), Tone::Good);
    }
    show(model);
}

/// Looks for it on the present face.
fn look(view: &mut EntryView) {
    let Some(found) = &mut view.found else {
        return;
    };
    let lines = view.laid.as_ref().and_then(|laid| laid.lines.as_deref());
    found.hits = match (view.face, lines, &view.tree) {
        (Face::Tree, _, Some(tree)) => tree::find(tree, &found.what, MOST_HITS),
        (Face::Text | Face::Raw, Some(lines), _) => in_text(lines, &found.what),
        _ => in_bytes(&view.row.member, &needle(&found.what)),
    };
    found.at = found.at.min(found.hits.len().saturating_sub(1));
}

/// Scrolls until the present place is in sight, with a few lines above it.
fn show(model: &mut Model) {
    let (each, rows, last) = (each(model), rows(model), last(model));
    let Screen::Entry(view) = &mut model.screen else {
        return;
    };
    let Some(hit) = view
        .found
        .as_ref()
        .and_then(|found| found.hits.get(found.at))
    else {
        return;
    };
    if let Spot::Line(line) = *hit {
        tree::show(view, line, rows);
        return;
    }
    let line = line(hit, each);
    if !(view.scroll..view.scroll + rows).contains(&line) {
        view.scroll = line.saturating_sub(rows / 3).min(last);
    }
}

/// Rows of the opened entry's face.
pub(crate) fn rows(model: &Model) -> usize {
    usize::from(opened(model).rows)
}

/// The last line that it can be scrolled to.
#[must_use]
pub fn last(model: &Model) -> usize {
    match &model.screen {
        Screen::Entry(view) => super::text::last(view, opened(model)),
        _ => 0,
    }
}

/// Bytes that a line of the hex face has.
fn each(model: &Model) -> usize {
    super::text::bytes_a_line(opened(model).columns)
}

fn line(hit: &Spot, each: usize) -> usize {
    match hit {
        Spot::Text(pieces) => pieces.first().map_or(0, |(line, _)| *line),
        Spot::Bytes(bytes) => bytes.start / each.max(1),
        Spot::Line(line) => *line,
    }
}
