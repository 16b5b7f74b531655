//! The last line: where each hint stands, so that what is drawn and what is clicked agree.

use super::Hint;
use crate::queue::text;
use crate::tui::area::Area;
use crate::tui::keys::{Code, Key};
use crate::tui::layout::areas;
use crate::tui::model::Model;
use crate::tui::{palette, tabs};

/// The last line, laid out.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Bar {
    /// The hints that fit, each with its place; the last one is always among them.
    pub hints: Vec<(Hint, Area)>,
    /// How many entries are marked, at the right end; none when it is not told.
    pub marked: Option<String>,
    /// None is.
    pub none: bool,
}

/// Columns between two hints.
#[must_use]
pub fn gap(model: &Model) -> u16 {
    if model.size.0 >= 100 { 3 } else { 2 }
}

/// Lays the hints out: whole ones only, and the last one has its place in any case.
#[must_use]
pub fn bar(model: &Model) -> Bar {
    let area = areas(model).hints;
    let mut x = area.x + 1;
    let mut end = area.right();
    let words = marked(model).map_or(0, |words| columns(&words));
    let tells = words > 0 && x + words < end;
    if tells {
        end = end.saturating_sub(1 + words + gap(model));
    }
    let mut bar = Bar {
        hints: Vec::new(),
        marked: marked(model).filter(|_| tells),
        none: model.marks.count(tabs::place::total(model)) == (0, true),
    };
    let mut put = |hint: Hint, x: u16, end: u16| {
        let w = width(&hint).min(end.saturating_sub(x));
        bar.hints.push((hint, Area::new(x, area.y, w, area.h)));
    };
    let mut hints = super::hints(model);
    let Some(last) = hints.pop() else {
        return bar;
    };
    for hint in hints {
        let w = width(&hint);
        if x + w + gap(model) + width(&last) > end {
            break;
        }
        put(hint, x, end);
        x += w + gap(model);
    }
    put(last, x, end);
    bar
}

/// The key that a click on a cell of the last line stands for: on one of several keys that one,
/// on their word the first.
#[must_use]
pub fn key_at(model: &Model, x: u16, y: u16) -> Option<Key> {
    if !areas(model).hints.holds(x, y) {
        return None;
    }
    if palette::place::slot(model).is_some() {
        return of_commands(model, x);
    }
    let bar = bar(model);
    let (hint, area) = bar.hints.iter().find(|(_, area)| area.holds(x, y))?;
    let mut left = x - area.x;
    for (key, columns) in &hint.parts {
        if left < *columns {
            return Some(*key);
        }
        left -= columns;
    }
    hint.parts.first().map(|(key, _)| *key)
}

/// What the keys do while the commands are in sight: key and word.
#[must_use]
pub fn commands(model: &Model) -> [(&'static str, &'static str, Key); 4] {
    let [enter, tab, arrows] = if model.look.ascii {
        ["Enter", "Tab", "Up Down"]
    } else {
        ["⏎", "⇥", "↑↓"]
    };
    [
        (enter, "run", Key::of(Code::Enter)),
        (tab, "complete", Key::of(Code::Tab)),
        (arrows, "choose, or earlier lines", Key::of(Code::Down)),
        ("Esc", "close", Key::of(Code::Esc)),
    ]
}

fn of_commands(model: &Model, x: u16) -> Option<Key> {
    let mut from = 1;
    for (label, word, key) in commands(model) {
        let to = from + columns(label) + 1 + columns(word);
        if (from..to).contains(&x) {
            return Some(key);
        }
        from = to + gap(model);
    }
    None
}

/// How many entries are marked; that none is only where there is room to spare.
fn marked(model: &Model) -> Option<String> {
    let (count, exact) = model.marks.count(tabs::place::total(model));
    match (count, exact) {
        (0, true) if model.size.0 < 180 || model.selected().is_none() => None,
        (0, true) => Some("nothing marked".to_owned()),
        (count, true) => Some(format!("{} marked", text::thousands(count))),
        (count, false) => Some(format!("~{} marked", text::thousands(count))),
    }
}

fn width(hint: &Hint) -> u16 {
    columns(&hint.keys) + 1 + columns(hint.word)
}

fn columns(text: &str) -> u16 {
    u16::try_from(text::width(text)).unwrap_or(u16::MAX)
}
