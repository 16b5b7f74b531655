//! Where the lives lie: over the screen, as high as they need.

use super::MessageLife;
use crate::queue::{Finding, Severity};
use crate::tui::area::{Area, Slot};
use crate::tui::model::Model;

/// Rows beside the lives: what the columns mean, and what cannot be known.
const BESIDE: usize = 3;

/// The worst finding of the queue, while a message that is shown waits though it is due.
#[must_use]
pub fn hindrance(model: &Model) -> Option<&Finding> {
    let is_late = |life: &&MessageLife| life.left.is_none() && life.due < model.now;
    model.lives.shown().into_iter().find(is_late)?;
    let worst = model.selected()?.findings.first();
    worst.filter(|finding| finding.severity > Severity::Note)
}

/// Rows beside the lives now.
fn beside(model: &Model) -> usize {
    BESIDE + usize::from(hindrance(model).is_some())
}

/// The slot.
#[must_use]
pub fn slot(model: &Model) -> Slot {
    let (w, h) = model.size;
    // So wide that all clients of a lane have room.
    let bw = if w < 184 { w } else { 180 };
    let rows = model.lives.shown().len().max(1) + beside(model) + 2;
    // The first line and the last one stay in sight.
    let bh = u16::try_from(rows)
        .unwrap_or(u16::MAX)
        .min(h.saturating_sub(2));
    Slot::new(Area::new((w - bw) / 2, (h - bh) / 2, bw, bh), true)
}

/// The part of it that the lives are in.
#[must_use]
pub fn body(model: &Model, slot: Slot) -> Area {
    let beside = u16::try_from(beside(model)).unwrap_or(0);
    Area {
        h: slot.inner.h.saturating_sub(beside),
        ..slot.inner
    }
}

/// The last row that can be scrolled to.
#[must_use]
pub fn last_scroll(model: &Model) -> usize {
    let rows = usize::from(body(model, slot(model)).h);
    model.lives.shown().len().saturating_sub(rows)
}
