//! Inside the timeline: scale, late side, now line, bars, figures beside them.

use crate::queue::Scale;
use crate::tui::area::{Area, Slot};

/// Columns of a boxed timeline's scale: `41,203 ┤`.
const SCALE: u16 = 8;

/// Columns of the late side, where all of it has room.
const LATE: u16 = 24;

/// The most bars of a zoom.
const BARS: u16 = 60;

/// Columns of the figures right of the bars.
const SIDE: u16 = 22;

/// The places of the timeline's parts.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Track {
    /// The scale left of everything; empty when there is no room.
    pub scale: Area,
    /// The late entries; empty when there is no room.
    pub late: Area,
    /// The column of the now line.
    pub now_x: u16,
    /// The bars.
    pub plot: Area,
    /// Columns of a bar.
    pub bar_w: u16,
    /// The number of bars.
    pub bars: usize,
    /// The number of bars that there is room for.
    pub most: usize,
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
    pub fn new(slot: Slot, scale: Scale) -> Self {
        let inner = slot.inner;
        let below = if slot.boxed { 2 } else { 1 };
        if inner.h <= below || inner.w < 4 {
            return Self::default();
        }
        let rows = inner.h - below;
        let scale_w = if slot.boxed { SCALE } else { 0 };
        let wanted = u16::try_from(scale.bars).unwrap_or(60);
        let free = inner.w.saturating_sub(scale_w + 2);
        let late_w = match free {
            84.. => LATE,
            77.. => 17,
            48.. => 8,
            _ => 0,
        };
        let room = free.saturating_sub(late_w);
        // Figures stand beside the bars where that makes no bar narrower.
        let bar_w = (room / BARS).max(1);
        let side_w = if room >= bar_w * BARS + SIDE { SIDE } else { 0 };
        let most = (room - side_w) / bar_w;
        let bars = most.min(wanted);
        // The late side has what bars of whole columns leave.
        let rest = (room - side_w).saturating_sub(BARS * bar_w);
        let late_w = if late_w == LATE {
            late_w + rest
        } else {
            late_w
        };
        let late = Area::new(inner.x + scale_w, inner.y, late_w, rows);
        let plot = Area::new(late.right() + 2, inner.y, bars * bar_w, rows);
        Self {
            scale: Area::new(inner.x, inner.y, scale_w, rows),
            late,
            now_x: late.right(),
            plot,
            bar_w,
            bars: usize::from(bars),
            most: usize::from(most),
            side: Area::new(inner.right() - side_w, inner.y, side_w, rows),
            axis: inner.row(rows),
            readout: inner.row(rows + 1),
        }
    }

    /// The left column of bar `i`.
    #[must_use]
    pub fn bar_x(&self, i: usize) -> u16 {
        let i = u16::try_from(i).unwrap_or(u16::MAX);
        self.plot.x.saturating_add(i.saturating_mul(self.bar_w))
    }

    /// The cell of a class of lateness, the longest ago first; empty where there is no room for
    /// the classes. The last column keeps it apart from the next.
    #[must_use]
    pub fn late_cell(&self, class: usize) -> Area {
        if self.late.w < 17 {
            return Area::default();
        }
        let each = match self.late.w {
            22.. => (self.late.w - 2) / 4,
            _ => 4,
        };
        let left = self.late.right().saturating_sub(4 * each + 1);
        let class = u16::try_from(class).unwrap_or(0);
        Area::new(left + class * each, self.late.y, each, self.late.h)
    }

    /// An area above the axis, and its label there.
    #[must_use]
    pub fn with_axis(&self, area: Area) -> Area {
        let h = if area.is_empty() { 0 } else { self.axis.h };
        Area {
            h: area.h + h,
            ..area
        }
    }
}
