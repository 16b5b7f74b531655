//! Questions about the strip over all that the screen knows.

use super::strip::Strip;
use crate::tui::model::{Model, now};

/// Columns left of the strip, which say what it is of.
pub const LABEL: u16 = 10;

/// Columns right of it: `now`.
pub const END: u16 = 5;

/// Columns of the strip on this terminal.
#[must_use]
pub fn columns(model: &Model) -> usize {
    usize::from(model.size.0.saturating_sub(LABEL + END))
}

/// The strip of the selected queue; none before anything was read of it.
#[must_use]
pub fn strip(model: &Model) -> Option<Strip> {
    let row = model.selected()?;
    row.record.begin()?;
    let (end, around) = match model.then {
        Some(then) => (then.end, (then.closer, then.at)),
        None => (now(model), (0, now(model))),
    };
    Some(Strip::new(&row.record, end, columns(model), around))
}
