//! Inside the timeline: scale, late side, now line, bars, figures beside them.

use super::{Area, Slot};
use crate::clock::EpochMillis;
use crate::queue::Zoom;

/// Columns of a boxed timeline's scale: `41,203 ┤`.
const SCALE: u16 = 8;
/// Columns of the figures right of the bars.
const SIDE: u16 = 22;

/// Where the parts of the timeline lie.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Track {
    /// The scale left of everything; empty when there is no room.
    pub scale: Area,
    /// What is late; empty when there is no room.
    pub late: Area,
    /// The column of the now line.
    pub now_x: u16,
    /// The bars.
    pub plot: Area,
    /// Columns of a bar.
    pub bar_w: u16,
    /// How many bars fit.
    pub bars: usize,
    /// Figures right of the bars; empty when there is no room.
    pub side: Area,
    /// The line of the time labels.
    pub axis: Area,
    /// The line of the read-out, where it has its own.
    pub readout: Area,
}

impl Track {
    /// Lays the timeline out in its pane.
    #[must_use]
    pub fn new(slot: Slot, zoom: Zoom) -> Self {
        let inner = slot.inner;
        let below = if slot.boxed { 2 } else { 1 };
        if inner.h <= below || inner.w < 4 {
            return Self::default();
        }
        let rows = inner.h - below;
        let scale_w = if slot.boxed { SCALE } else { 0 };
        let wanted = u16::try_from(zoom.bars()).unwrap_or(60);
        let free = inner.w.saturating_sub(scale_w + 2);
        let late_w = match free {
            84.. => 24,
            77.. => 17,
            48.. => 8,
            _ => 0,
        };
        let room = free.saturating_sub(late_w);
        let bar_w = match room {
            _ if inner.w >= 256 => 3,
            r if r >= 120 + SIDE => 2,
            _ => 1,
        };
        let bars = (room / bar_w).min(wanted);
        let late = Area::new(inner.x + scale_w, inner.y, late_w, rows);
        let plot = Area::new(late.right() + 2, inner.y, bars * bar_w, rows);
        // The widest zoom has fewer bars: the figures stay where they are at the others.
        let side_x = late.right() + 2 + (room / bar_w).min(60) * bar_w;
        let side_w = inner.right().saturating_sub(side_x);
        let side = if side_w >= SIDE { side_w } else { 0 };
        Self {
            scale: Area::new(inner.x, inner.y, scale_w, rows),
            late,
            now_x: late.right(),
            plot,
            bar_w,
            bars: usize::from(bars),
            side: Area::new(inner.right() - side, inner.y, side, rows),
            axis: inner.row(rows),
            readout: inner.row(rows + 1),
        }
    }

    /// The bar under a cell.
    #[must_use]
    pub fn bar_at(&self, x: u16, y: u16) -> Option<usize> {
        let tall = Area {
            h: self.plot.h + self.axis.h,
            ..self.plot
        };
        (self.bar_w > 0 && tall.holds(x, y)).then(|| usize::from((x - self.plot.x) / self.bar_w))
    }

    /// The left column of bar `i`.
    #[must_use]
    pub fn bar_x(&self, i: usize) -> u16 {
        let i = u16::try_from(i).unwrap_or(u16::MAX);
        self.plot.x.saturating_add(i.saturating_mul(self.bar_w))
    }
}

/// When bar `i` starts while the server's time is `now`.
#[must_use]
pub fn start(zoom: Zoom, now: EpochMillis, i: usize) -> EpochMillis {
    let base = now.get().div_euclid(zoom.bar_ms());
    let i = i64::try_from(i).unwrap_or(i64::MAX);
    EpochMillis::new(base.saturating_add(i).saturating_mul(zoom.bar_ms()))
}

/// Which bar holds the moment `at` while the server's time is `now`; none when it is past.
#[must_use]
pub fn bar_of(zoom: Zoom, now: EpochMillis, at: EpochMillis) -> Option<usize> {
    let width = zoom.bar_ms();
    let bars = at.get().div_euclid(width) - now.get().div_euclid(width);
    usize::try_from(bars).ok()
}
