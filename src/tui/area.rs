//! Rectangles of cells.

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
    pub(crate) fn take(&mut self, rows: u16) -> Self {
        let rows = rows.min(self.h);
        let top = Self::new(self.x, self.y, self.w, rows);
        self.y += rows;
        self.h -= rows;
        top
    }

    /// Cuts `rows` off its bottom.
    pub(crate) fn take_bottom(&mut self, rows: u16) -> Self {
        let rows = rows.min(self.h);
        self.h -= rows;
        Self::new(self.x, self.y + self.h, self.w, rows)
    }

    /// Cuts `columns` off its left.
    pub(crate) fn take_left(&mut self, columns: u16) -> Self {
        let columns = columns.min(self.w);
        let left = Self::new(self.x, self.y, columns, self.h);
        self.x += columns;
        self.w -= columns;
        left
    }

    /// Cuts `columns` off its right.
    pub(crate) fn take_right(&mut self, columns: u16) -> Self {
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
    pub(crate) fn new(outer: Area, boxed: bool) -> Self {
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

/// Returns the area of a table pane's data: boxed ones have a line of column heads above it.
#[must_use]
pub fn table(slot: Slot) -> Area {
    let rows = slot.inner.h.saturating_sub(u16::from(slot.boxed));
    let skipped = slot.inner.h - rows;
    Area::new(slot.inner.x, slot.inner.y + skipped, slot.inner.w, rows)
}
