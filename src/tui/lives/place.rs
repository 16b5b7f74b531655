//! Where the lives lie: over the screen, as high as they need.

pub mod card;

use self::card::CardLine;
use super::{LivesView, MessageLife};
use crate::queue::{Finding, Severity};
use crate::tui::area::{Area, Slot};
use crate::tui::model::Model;

/// Rows beside the lives: what the columns mean, and what cannot be known.
const BESIDE: usize = 3;

/// Findings that are named.
const MOST_HINDRANCES: usize = 3;

/// The worst findings of the queue, while a message that is shown waits though it is due.
#[must_use]
pub fn hindrances(model: &Model) -> Vec<&Finding> {
    let is_late = |life: &&MessageLife| life.left.is_none() && life.due < model.now;
    let shown = model.lives.shown(None);
    let Some(row) = model.selected().filter(|_| shown.iter().any(is_late)) else {
        return Vec::new();
    };
    let bad = row.findings.iter();
    let bad = bad.filter(|finding| finding.severity > Severity::Note);
    bad.take(MOST_HINDRANCES).collect()
}

/// Rows beside the lives now.
fn beside(model: &Model) -> usize {
    BESIDE + hindrances(model).len()
}

/// Columns of the box.
fn width(model: &Model) -> u16 {
    let w = model.size.0;
    // So wide that all clients of a lane have room.
    if w < 184 { w } else { 180 }
}

/// The slot: of the life that is open, else of all lives, so that it stays where it is while a filter
/// is typed.
#[must_use]
pub fn slot(model: &Model, view: &LivesView) -> Slot {
    let (w, h) = model.size;
    let bw = width(model);
    let rows = match view.opened {
        Some(_) => lines(model, view).len(),
        None => model.lives.shown(view.chosen).len().max(1) + beside(model),
    };
    let rows = rows + 2;
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

/// The lines of the opened life; none while no one is open.
#[must_use]
pub fn lines(model: &Model, view: &LivesView) -> Vec<CardLine> {
    if view.opened.is_none() {
        return Vec::new();
    }
    let mut lives = model.lives.all.iter();
    let life = lives.find(|life| Some(life.number) == view.chosen);
    let columns = usize::from(width(model).saturating_sub(4));
    life.map_or_else(Vec::new, |life| card::lines(model, life, columns))
}

/// The last row that can be scrolled to.
#[must_use]
pub fn last_scroll(model: &Model, view: &LivesView) -> usize {
    let slot = slot(model, view);
    if view.opened.is_some() {
        return lines(model, view)
            .len()
            .saturating_sub(usize::from(slot.inner.h));
    }
    let rows = usize::from(body(model, slot).h);
    model.lives.listed(view).len().saturating_sub(rows)
}
