//! Where everything lies on a terminal of a given size: plain numbers, so that `update` (how many
//! rows fit, what was clicked) and `view` (where to draw) agree without meeting.

use super::model::{Model, Pane};

/// A rectangle of cells.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Area {
    /// Left column.
    pub x: u16,
    /// Top row.
    pub y: u16,
    /// Columns.
    pub w: u16,
    /// Rows.
    pub h: u16,
}

/// What lies under a cell.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Hit {
    /// A row of a pane, counted from its first row in sight.
    Row(Pane, usize),
    /// A bar of the timeline, counted from the left.
    Bar(usize),
    /// A pane, but none of its rows.
    Pane(Pane),
    /// Nothing that answers.
    Nothing,
}

/// How many entry rows are in sight.
#[must_use]
pub fn entry_rows(_model: &Model) -> usize {
    0
}
