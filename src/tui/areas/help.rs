//! The help: its lines and its place, so that `update` knows how far it can be scrolled.

use super::{Area, Slot};
use crate::tui::keys;
use crate::tui::model::Model;

/// A line of the help.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Line {
    /// What the next lines are about.
    Head(&'static str),
    /// Keys, and what they do.
    Keys(String, &'static str),
    /// Nothing.
    Blank,
}

/// All its lines; on a low terminal without the blanks between its parts.
#[must_use]
pub fn lines(model: &Model) -> Vec<Line> {
    let mut lines = Vec::new();
    for (head, rows) in keys::help(&model.keymap, model.look.ascii) {
        if !lines.is_empty() {
            lines.push(Line::Blank);
        }
        lines.push(Line::Head(head));
        lines.extend(rows.into_iter().map(|(keys, what)| Line::Keys(keys, what)));
    }
    if lines.len() > usize::from(slot(model, lines.len()).inner.h) {
        lines.retain(|line| *line != Line::Blank);
    }
    lines
}

/// Where it lies when it has that many lines: in the middle, as high as it needs.
#[must_use]
pub fn slot(model: &Model, lines: usize) -> Slot {
    let (w, h) = model.size;
    // Beside a box on a narrow terminal only shreds would be seen.
    let bw = if w < 100 { w } else { 76 };
    // A row stays free above and below, so that it is seen to lie over something.
    let most = if h > 12 { h - 2 } else { h };
    let bh = u16::try_from(lines.saturating_add(2))
        .unwrap_or(u16::MAX)
        .min(most);
    Slot::new(Area::new((w - bw) / 2, (h - bh) / 2, bw, bh), true)
}

/// The last line it can be scrolled to.
#[must_use]
pub fn last_scroll(model: &Model) -> usize {
    let lines = lines(model).len();
    lines.saturating_sub(usize::from(slot(model, lines).inner.h))
}
