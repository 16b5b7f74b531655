//! Where the lives lie: over the screen, as high as they need.

use crate::tui::area::{Area, Slot};
use crate::tui::model::Model;

/// Rows beside the lives: what the columns mean, and what cannot be known.
const BESIDE: usize = 3;

/// The slot.
#[must_use]
pub fn slot(model: &Model) -> Slot {
    let (w, h) = model.size;
    let bw = if w < 124 { w } else { 120 };
    let rows = model.lives.shown().len().max(1) + BESIDE + 2;
    // The first line and the last one stay in sight.
    let bh = u16::try_from(rows)
        .unwrap_or(u16::MAX)
        .min(h.saturating_sub(2));
    Slot::new(Area::new((w - bw) / 2, (h - bh) / 2, bw, bh), true)
}

/// The part of it that the lives are in.
#[must_use]
pub fn body(slot: Slot) -> Area {
    let beside = u16::try_from(BESIDE).unwrap_or(0);
    Area {
        h: slot.inner.h.saturating_sub(beside),
        ..slot.inner
    }
}

/// The last row that can be scrolled to.
#[must_use]
pub fn last_scroll(model: &Model) -> usize {
    let rows = usize::from(body(slot(model)).h);
    model.lives.shown().len().saturating_sub(rows)
}
