//! Where everything lies on a terminal of a given size: plain numbers, so that `update` (how many
//! rows fit, what was clicked) and `view` (where to draw) agree without meeting.
//!
//! ```text
//! header                      one line, always
//! queues                      what it needs, at most a third
//! timeline                    5 plot rows at 80x24, 12 at 200x60
//! entries │ detail │ depth    one column below 110 columns, three from 180
//!         │        │ traffic
//! news                        the newest announcement, where traffic has no pane
//! hints                       one line, always
//! ```

pub mod help;
pub mod lines;
pub mod scrollbar;
pub mod track;

use super::model::{Model, Pane, Screen};
use crate::clock::EpochMillis;
use crate::queue::Zoom;

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

impl Area {
    /// A rectangle from its left, top, columns and rows.
    #[must_use]
    pub const fn new(x: u16, y: u16, w: u16, h: u16) -> Self {
        Self { x, y, w, h }
    }

    /// No cell lies in it.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.w == 0 || self.h == 0
    }

    /// The cell at `x`, `y` lies in it.
    #[must_use]
    pub const fn holds(self, x: u16, y: u16) -> bool {
        x >= self.x && x - self.x < self.w && y >= self.y && y - self.y < self.h
    }

    /// The first column right of it.
    #[must_use]
    pub const fn right(self) -> u16 {
        self.x.saturating_add(self.w)
    }

    /// Its row `i`, one row high; empty when it has fewer.
    #[must_use]
    pub const fn row(self, i: u16) -> Self {
        let h = if i < self.h { 1 } else { 0 };
        Self::new(self.x, self.y.saturating_add(i), self.w, h)
    }

    /// Cuts `rows` off its top.
    fn take(&mut self, rows: u16) -> Self {
        let rows = rows.min(self.h);
        let top = Self::new(self.x, self.y, self.w, rows);
        self.y += rows;
        self.h -= rows;
        top
    }

    /// Cuts `rows` off its bottom.
    fn take_bottom(&mut self, rows: u16) -> Self {
        let rows = rows.min(self.h);
        self.h -= rows;
        Self::new(self.x, self.y + self.h, self.w, rows)
    }

    /// Cuts `columns` off its right.
    fn take_right(&mut self, columns: u16) -> Self {
        let columns = columns.min(self.w);
        self.w -= columns;
        Self::new(self.x + self.w, self.y, columns, self.h)
    }
}

/// A pane's place: all of it, and what is left inside its border.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Slot {
    /// Border and all; empty when the pane is not shown.
    pub outer: Area,
    /// Inside the border.
    pub inner: Area,
    /// A rounded box; else a rule on top only.
    pub boxed: bool,
}

impl Slot {
    fn new(outer: Area, boxed: bool) -> Self {
        if outer.is_empty() {
            return Self::default();
        }
        let inner = if boxed {
            let (w, h) = (outer.w.saturating_sub(2), outer.h.saturating_sub(2));
            Area::new(outer.x + 1, outer.y + 1, w, h)
        } else {
            Area::new(outer.x, outer.y + 1, outer.w, outer.h - 1)
        };
        Self {
            outer,
            inner,
            boxed,
        }
    }

    /// The pane is shown.
    #[must_use]
    pub const fn shown(self) -> bool {
        !self.outer.is_empty()
    }
}

/// Where everything lies. What is not shown is empty.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Areas {
    /// Too small for panes: one line a queue (or the entry's text), no borders.
    pub compact: bool,
    /// The first line.
    pub header: Area,
    /// The table of queues, with a line of column heads inside when boxed.
    pub queues: Slot,
    /// The countdown timeline.
    pub timeline: Slot,
    /// The entries, with a line of column heads inside when boxed.
    pub entries: Slot,
    /// The entry under the cursor; on the entry's own screen, the whole of it.
    pub detail: Slot,
    /// The three depths.
    pub depth: Slot,
    /// The channel traffic.
    pub traffic: Slot,
    /// The newest announcement, where traffic has no pane.
    pub news: Area,
    /// The last line.
    pub hints: Area,
}

/// What lies under a cell.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Hit {
    /// A row of a pane, counted from its first row in sight.
    Row(Pane, usize),
    /// A bar of the timeline, counted from the left; [`bar_start`] says when it starts.
    Bar(usize),
    /// A class of what is late, the longest ago first.
    Late(usize),
    /// A zoom in the timeline's title.
    Zoom(Zoom),
    /// A pane, but none of its rows.
    Pane(Pane),
    /// Nothing that answers.
    Nothing,
}

/// Below this many columns, or [`COMPACT_ROWS`], there is no room for panes.
const COMPACT_COLUMNS: u16 = 40;
/// See [`COMPACT_COLUMNS`].
const COMPACT_ROWS: u16 = 10;
/// From here on panes have boxes.
const BOXED: (u16, u16) = (100, 30);
/// From here on depth and traffic stand beside the entries.
const TWO_COLUMNS: u16 = 110;
/// From here on the entry under the cursor is shown beside the entries.
const THREE_COLUMNS: u16 = 180;

/// Where everything lies in a terminal of the model's size.
#[must_use]
pub fn areas(model: &Model) -> Areas {
    let (w, h) = model.size;
    let mut body = Area::new(0, 0, w, h);
    let header = body.take(1);
    let compact = w < COMPACT_COLUMNS || h < COMPACT_ROWS;
    let hints = body.take_bottom(u16::from(!compact || h >= 4));
    let fixed = Areas {
        compact,
        header,
        hints,
        ..Areas::default()
    };
    let boxed = w >= BOXED.0 && h >= BOXED.1;
    match model.screen {
        Screen::Entry(_) if compact => Areas {
            detail: bare(body),
            ..fixed
        },
        Screen::Entry(_) => Areas {
            detail: Slot::new(body, boxed),
            ..fixed
        },
        Screen::Dashboard if compact => Areas {
            queues: bare(body),
            ..fixed
        },
        Screen::Queue if compact => Areas {
            entries: bare(body),
            ..fixed
        },
        Screen::Dashboard | Screen::Queue => panes(model, body, boxed, fixed),
    }
}

/// A slot without any border.
fn bare(area: Area) -> Slot {
    Slot {
        outer: area,
        inner: area,
        boxed: false,
    }
}

/// The panes of the dashboard and of one queue's screen, from top to bottom.
fn panes(model: &Model, mut body: Area, boxed: bool, fixed: Areas) -> Areas {
    let (w, h) = model.size;
    let dashboard = matches!(model.screen, Screen::Dashboard);
    if dashboard && model.queues.is_empty() {
        // Nothing to show yet: one pane that says what is done about it.
        let queues = Slot::new(body, boxed);
        return Areas { queues, ..fixed };
    }
    let chrome = if boxed { 3 } else { 1 };
    let queues = if dashboard {
        let wanted = u16::try_from(model.queues.len()).unwrap_or(u16::MAX).max(1);
        let most = (body.h / 3).saturating_sub(chrome).max(1);
        body.take(chrome + wanted.min(most))
    } else {
        Area::default()
    };
    // One queue's own screen gives the rows of the table to the timeline and the traffic.
    let plot = plot_rows(h) + if dashboard || h < 30 { 0 } else { 2 };
    let timeline = if h < 14 {
        Area::default()
    } else {
        body.take(plot + if boxed { 4 } else { 2 })
    };
    let beside = boxed && w >= TWO_COLUMNS;
    let mut areas = Areas {
        queues: Slot::new(queues, boxed),
        timeline: Slot::new(timeline, boxed),
        ..fixed
    };
    if beside {
        let mut right = body.take_right((w * 7 / 20).clamp(42, 48));
        areas.depth = Slot::new(right.take(5), true);
        areas.traffic = Slot::new(right, true);
        if w >= THREE_COLUMNS {
            areas.detail = Slot::new(body.take_right(w * 23 / 100), true);
        }
    } else {
        let roomy = !dashboard && h >= 24;
        areas.news = body.take_bottom(u16::from(h >= 21 && !roomy));
        if roomy {
            let rows = if boxed { 6 } else { 4 };
            areas.traffic = Slot::new(body.take_bottom(rows), boxed);
        }
        let depth = match h {
            ..17 => 0,
            _ if boxed && h >= 36 => 5,
            _ if boxed => 3,
            _ => 2,
        };
        areas.depth = Slot::new(body.take_bottom(depth), boxed);
    }
    areas.entries = Slot::new(body, boxed);
    areas
}

/// Rows of the timeline's plot on a terminal of `h` rows.
fn plot_rows(h: u16) -> u16 {
    match h {
        ..18 => 3,
        18..24 => 4,
        _ => (5 + (h - 24) * 3 / 16).min(12),
    }
}

/// Rows that a table pane has for its data: boxed ones have a line of column heads.
fn table_rows(slot: Slot) -> u16 {
    slot.inner.h.saturating_sub(u16::from(slot.boxed))
}

/// Where a table pane's data lies.
#[must_use]
pub fn table(slot: Slot) -> Area {
    let rows = table_rows(slot);
    let skipped = slot.inner.h - rows;
    Area::new(slot.inner.x, slot.inner.y + skipped, slot.inner.w, rows)
}

/// How many entry rows are in sight.
#[must_use]
pub fn entry_rows(model: &Model) -> usize {
    usize::from(table_rows(areas(model).entries))
}

/// How many queue rows are in sight.
#[must_use]
pub fn queue_rows(model: &Model) -> usize {
    usize::from(table_rows(areas(model).queues))
}

/// Whether a pane is on the screen, so that the focus can go there.
#[must_use]
pub fn shown(model: &Model, pane: Pane) -> bool {
    slot(&areas(model), pane).shown()
}

/// A pane's place.
#[must_use]
pub fn slot(areas: &Areas, pane: Pane) -> Slot {
    match pane {
        Pane::Queues => areas.queues,
        Pane::Timeline => areas.timeline,
        Pane::Entries => areas.entries,
        Pane::Traffic => areas.traffic,
    }
}

/// The server's time that the picture is of: stands still while it is frozen.
#[must_use]
pub fn now(model: &Model) -> EpochMillis {
    model.frozen.unwrap_or(model.now)
}

/// When the timeline's bar `i` (from the left) starts. Bars stand on multiples of their width,
/// so the first one starts before now.
#[must_use]
pub fn bar_start(model: &Model, i: usize) -> EpochMillis {
    track::scale(model).start(now(model), i)
}

/// What lies under the cell at column `x`, row `y`.
#[must_use]
pub fn hit(model: &Model, x: u16, y: u16) -> Hit {
    if model.overlay.is_some() {
        return Hit::Nothing;
    }
    let areas = areas(model);
    let panes = [Pane::Queues, Pane::Timeline, Pane::Entries, Pane::Traffic];
    let under = |pane: &Pane| slot(&areas, *pane).outer.holds(x, y);
    let Some(pane) = panes.into_iter().find(under) else {
        return Hit::Nothing;
    };
    let slot = slot(&areas, pane);
    let (rows, area) = match pane {
        Pane::Timeline => return track::hit(model, slot, x, y),
        Pane::Queues => (model.queues.len().saturating_sub(model.top), table(slot)),
        Pane::Entries => {
            let left = model.waiting().saturating_sub(model.entries.top);
            (usize::try_from(left).unwrap_or(usize::MAX), table(slot))
        }
        Pane::Traffic => (traffic_shown(model), slot.inner),
    };
    if area.holds(x, y) && usize::from(y - area.y) < rows {
        Hit::Row(pane, usize::from(y - area.y))
    } else {
        Hit::Pane(pane)
    }
}

/// How many announcements of the selected queue there are to be shown.
fn traffic_shown(model: &Model) -> usize {
    let channel = model.selected().and_then(|row| row.queue.keys().channel);
    let of_queue = model
        .traffic
        .iter()
        .filter(|a| Some(&a.channel) == channel.as_ref());
    of_queue.count()
}
