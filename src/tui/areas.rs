//! Where everything lies on a terminal of a given size: plain numbers, so that `update` (how many
//! rows fit, what was clicked) and `view` (where to draw) agree without meeting.
//!
//! ```text
//! header                      one line, always
//! queues           │ findings what they need, at most a third; the findings from 180 columns
//! timeline                    5 plot rows at 80x24, 12 at 200x60
//! entries │ detail │ depth    one column below 110 columns, three from 180
//!         │        │ traffic
//! findings                    when there are some, below 180 columns
//! news                        else: the worst finding or the newest announcement
//! log                         the newest changes, when there are some, from 180 columns
//! bulk                        the change under way, when there is one that takes its time
//! hints                       one line, always
//! ```

pub mod bulk;
pub mod change;
pub mod columns;
pub mod dialog;
pub mod findings;
pub mod form;
pub mod help;
pub mod hints;
pub mod lines;
pub mod palette;
mod panes;
pub mod queues;
pub mod scrollbar;
pub mod tabs;
pub mod track;
pub mod wrap;

pub use panes::areas;

use super::model::{Model, Pane, QueueSort, Tab};
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
    /// What is wrong, all queues.
    pub findings: Slot,
    /// The worst finding, or that all is well and the newest announcement.
    pub news: Area,
    /// The newest changes.
    pub log: Slot,
    /// The change under way.
    pub bulk: Slot,
    /// The last line.
    pub hints: Area,
}

/// What lies under a cell.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Hit {
    /// A row of a pane, counted from its first row in sight.
    Row(Pane, usize),
    /// A tab of the pane of the entries, or what leads there.
    Tab(Tab),
    /// A bar of the timeline, counted from the left; [`bar_start`] says when it starts.
    Bar(usize),
    /// A class of what is late, the longest ago first.
    Late(usize),
    /// A zoom in the timeline's title.
    Zoom(Zoom),
    /// The head of a column of the queues: the order that it asks for.
    Order(QueueSort),
    /// The head of the due times.
    Turn,
    /// A finding of the pane, counted from the worst.
    Finding(usize),
    /// A pane, but none of its rows.
    Pane(Pane),
    /// Nothing that answers.
    Nothing,
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

/// How many rows of the tab in sight are.
#[must_use]
pub fn entry_rows(model: &Model) -> usize {
    entry_rows_in(model, &areas(model))
}

/// The same where it is known where everything lies.
#[must_use]
pub fn entry_rows_in(model: &Model, areas: &Areas) -> usize {
    usize::from(tabs::table(model, areas.entries).h)
}

/// How many queue rows are in sight.
#[must_use]
pub fn queue_rows(model: &Model) -> usize {
    queue_rows_in(&areas(model))
}

/// The same where it is known where everything lies.
#[must_use]
pub fn queue_rows_in(areas: &Areas) -> usize {
    usize::from(table_rows(areas.queues))
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
    if let Some(finding) = findings::at(model, areas.findings, x, y) {
        return Hit::Finding(finding);
    }
    if let Some(tab) = tabs::tab_at(model, &areas, x, y) {
        return Hit::Tab(tab);
    }
    let panes = [Pane::Queues, Pane::Timeline, Pane::Entries, Pane::Traffic];
    let under = |pane: &Pane| slot(&areas, *pane).outer.holds(x, y);
    let Some(pane) = panes.into_iter().find(under) else {
        return Hit::Nothing;
    };
    let slot = slot(&areas, pane);
    let sorts = pane == Pane::Queues && model.queues.len() > 1;
    if let Some(order) = queues::sort_at(model, slot, x, y).filter(|_| sorts) {
        return Hit::Order(order);
    }
    if pane == Pane::Entries && tabs::is_due_head(model, slot, x, y) {
        return Hit::Turn;
    }
    let (rows, area) = match pane {
        Pane::Timeline => return track::hit(model, slot, x, y),
        Pane::Queues => (model.queues.len().saturating_sub(model.top), table(slot)),
        Pane::Entries => (tabs::rows_shown(model), tabs::table(model, slot)),
        Pane::Traffic => (tabs::traffic(model).count(), slot.inner),
    };
    if area.holds(x, y) && usize::from(y - area.y) < rows {
        Hit::Row(pane, usize::from(y - area.y))
    } else {
        Hit::Pane(pane)
    }
}
