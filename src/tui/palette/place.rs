//! The box of the commands: the line on top, what it could become below.

use crate::tui::area::{Area, Slot};
use crate::tui::model::Model;
use crate::tui::prompt::{Prompt, PromptKind};

/// Below this many columns or rows there is only the line, at the bottom as any other.
const LEAST: (u16, u16) = (30, 9);

/// The box takes so many columns at most, and so many rows.
const MOST: (u16, u16) = (96, 20);

/// Rows of the box that are no choices: its edges, the line and the rule.
const CHROME: u16 = 4;

/// The commands' line with its choices, when that is what is being typed.
#[must_use]
pub fn prompt(model: &Model) -> Option<&Prompt> {
    let prompt = model.prompt.as_ref();
    prompt.filter(|prompt| prompt.kind == PromptKind::Command)
}

/// Where the box lies; none when there is none, or no room for one. Its line and its choices keep
/// their places whatever is typed: only its lower edge moves.
#[must_use]
pub fn slot(model: &Model) -> Option<Slot> {
    let (w, h) = model.size;
    if prompt(model).is_none() || w < LEAST.0 || h < LEAST.1 {
        return None;
    }
    // Beside a box on a narrow terminal only shreds would be seen.
    let bw = if w < 100 { w } else { MOST.0 };
    // The header, a row of the screen below it, and the hints stay in sight.
    let rows = prompt(model)
        .map_or(0, |prompt| prompt.choices.len())
        .max(1);
    let rows = u16::try_from(rows).unwrap_or(u16::MAX);
    let bh = rows.saturating_add(CHROME).min(MOST.1).min(h - 4);
    let y = if h < 30 { 2 } else { h / 6 };
    Some(Slot::new(Area::new((w - bw) / 2, y, bw, bh), true))
}

/// Where the line is typed.
#[must_use]
pub fn line(slot: Slot) -> Area {
    let inner = slot.inner;
    Area::new(
        inner.x + 1,
        inner.y,
        inner.w.saturating_sub(2),
        inner.h.min(1),
    )
}

/// Where the choices stand: below the line and a rule.
#[must_use]
pub fn rows(slot: Slot) -> Area {
    let inner = slot.inner;
    Area::new(inner.x, inner.y + 2, inner.w, inner.h.saturating_sub(2))
}

/// The first choice in sight: the chosen one is always there.
#[must_use]
pub fn top(prompt: &Prompt, rows: Area) -> usize {
    let rows = usize::from(rows.h);
    let chosen = prompt.chosen.unwrap_or(0);
    (chosen + 1).saturating_sub(rows)
}

/// What lies under a cell.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Hit {
    /// A choice, by its index.
    Choice(usize),
    /// The box, but none of them.
    Box,
    /// What the box lies over.
    Beside,
}

/// What lies under the cell at column `x`, row `y`; none while there is no box.
#[must_use]
pub fn hit(model: &Model, x: u16, y: u16) -> Option<Hit> {
    let (slot, prompt) = (slot(model)?, prompt(model)?);
    let rows = rows(slot);
    if !slot.outer.holds(x, y) {
        return Some(Hit::Beside);
    }
    let under = rows
        .holds(x, y)
        .then(|| top(prompt, rows) + usize::from(y - rows.y));
    let choice = under.filter(|i| *i < prompt.choices.len());
    Some(choice.map_or(Hit::Box, Hit::Choice))
}
