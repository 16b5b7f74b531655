//! A change that was made, as it is looked at: its lines, its place, and how far it can be scrolled.

use crate::queue::{Change, EntryResult, text};
use crate::tui::area::{Area, Slot};
use crate::tui::change;
use crate::tui::journal::ChangeView;
use crate::tui::model::Model;
use crate::tui::widget::wrap::wrapped;

/// A line of it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum DetailLine {
    /// A figure with its name; the rest of a long one has none.
    Fact(&'static str, String),
    /// A heading of the next lines.
    Head(String),
    /// Words.
    Words(String),
    /// A command.
    Command(String),
    /// Something that could not be done, or read.
    Bad(String),
    /// An entry that was not done: its id, its outcome, and why.
    Entry([String; 3]),
    /// Nothing.
    Blank,
}

/// Columns of the names of facts.
pub const LABEL: u16 = 11;

/// Columns of the box.
fn width(model: &Model) -> u16 {
    let w = model.size.0;
    if w < 104 { w } else { 100 }
}

/// All lines.
#[must_use]
pub fn lines(model: &Model, view: &ChangeView) -> Vec<DetailLine> {
    let room = usize::from(width(model).saturating_sub(4)).max(1);
    let mut lines = facts(view, room);
    let commands = view.own.as_ref().map_or(&[][..], |own| &own.plan.commands);
    if !commands.is_empty() {
        lines.push(DetailLine::Blank);
        lines.push(DetailLine::Head("What was done".to_owned()));
        let all = commands.iter().flat_map(|line| wrapped(line, room));
        lines.extend(all.map(DetailLine::Command));
    }
    lines.extend(not_done(view, room));
    lines
}

fn facts(view: &ChangeView, room: usize) -> Vec<DetailLine> {
    let columns = room.saturating_sub(usize::from(LABEL)).max(8);
    let mut lines = Vec::new();
    let mut fact = |label: &'static str, value: &str| {
        let mut label = label;
        for words in wrapped(value, columns) {
            lines.push(DetailLine::Fact(label, words));
            label = "";
        }
    };
    fact("queue", &view.line.queue);
    fact("came to", &view.line.text);
    if view.line.undone {
        fact("undone", "it was taken back since");
    }
    if let Some(own) = &view.own {
        if let Some((elapsed, longest)) = own.took {
            let ms = |span: std::time::Duration| {
                let ms = u64::try_from(span.as_millis()).unwrap_or(u64::MAX);
                text::span(ms)
            };
            let longest = longest.as_secs_f64() * 1000.0;
            let took = format!("{}, longest script {longest:.1} ms", ms(elapsed));
            fact("took", &took);
        }
        if let Some(method) = own.plan.way.method().filter(|_| own.plan.planned > 1) {
            fact("method", method);
        }
    }
    if let Some(id) = &view.line.id {
        fact("journal", id);
        if view.own.is_none() && view.line.change != Some(Change::Undo) {
            fact(
                "",
                "its redis-cli lines are told in the session that made it",
            );
        }
    }
    let notes = view.own.iter().flat_map(|own| &own.notes);
    let bad = view.own.as_ref().is_some_and(|own| own.took.is_none());
    for words in notes.flat_map(|note| wrapped(note, room)) {
        let line = if bad {
            DetailLine::Bad
        } else {
            DetailLine::Words
        };
        lines.push(line(words));
    }
    lines
}

/// Lists the entries that were not done, one by one.
fn not_done(view: &ChangeView, room: usize) -> Vec<DetailLine> {
    let results: &[EntryResult] = match (&view.own, &view.explained) {
        (Some(own), _) => &own.not_done,
        (None, Some(Ok(explained))) => &explained.not_done,
        (None, Some(Err(why))) => {
            let why = format!("What became of its entries cannot be read: {why}");
            let bad = wrapped(&why, room).into_iter().map(DetailLine::Bad);
            return std::iter::once(DetailLine::Blank).chain(bad).collect();
        }
        (None, None) if view.asked.is_some() => {
            let words = "reading what became of its entries".to_owned();
            return vec![DetailLine::Blank, DetailLine::Words(words)];
        }
        (None, None) => &[],
    };
    if results.is_empty() {
        return Vec::new();
    }
    let head = match results.len() {
        change::RESULTS_KEPT => {
            let n = text::thousands(results.len() as u64);
            format!("Not done, the first {n}")
        }
        _ => "Not done".to_owned(),
    };
    let entry = |result: &EntryResult| {
        let why = result.reason.clone().unwrap_or_default();
        let why = text::printable(&why).into_owned();
        DetailLine::Entry([
            result.id.to_string(),
            result.outcome.of_one().to_owned(),
            why,
        ])
    };
    let heads = [DetailLine::Blank, DetailLine::Head(head)];
    heads.into_iter().chain(results.iter().map(entry)).collect()
}

/// Returns the slot where it lies: in the middle, as high as it needs.
#[must_use]
pub fn slot(model: &Model, view: &ChangeView) -> Slot {
    let (w, h) = model.size;
    let bw = width(model);
    let needed = u16::try_from(lines(model, view).len() + 2).unwrap_or(u16::MAX);
    // The first line and the last one stay in sight.
    let bh = needed.min(h.saturating_sub(2));
    Slot::new(Area::new((w - bw) / 2, (h - bh) / 2, bw, bh), true)
}

/// The last line it can be scrolled to.
#[must_use]
pub fn last_scroll(model: &Model, view: &ChangeView) -> usize {
    let rows = usize::from(slot(model, view).inner.h);
    lines(model, view).len().saturating_sub(rows)
}
