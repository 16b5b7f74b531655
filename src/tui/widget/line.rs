//! Text on one line: put, put to the right, cut where it must be. What is drawn never leaves
//! the columns it was given, and no control character reaches the terminal.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::queue::text;
use crate::tui::widget::steady::steady;

/// A line's columns that are still free, filled from both ends.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// The next free column.
    pub x: u16,
    /// The row.
    pub y: u16,
    /// The first column that is no longer free.
    pub end: u16,
}

impl Line {
    /// A line of `w` columns from `x`, `y`; cut to what `buf` has.
    #[must_use]
    pub fn new(buf: &Buffer, x: u16, y: u16, w: u16) -> Self {
        let area = buf.area;
        let end = if y < area.bottom() && y >= area.y {
            x.saturating_add(w).min(area.right())
        } else {
            x
        };
        Self { x, y, end }
    }

    /// Columns that are still free.
    #[must_use]
    pub const fn room(self) -> usize {
        self.end.saturating_sub(self.x) as usize
    }

    /// Empties the next `columns`, style and all, without going on.
    pub fn wipe(self, buf: &mut Buffer, columns: u16) {
        for x in self.x..self.end.min(self.x.saturating_add(columns)) {
            buf[(x, self.y)].reset();
        }
    }

    /// Leaves `columns` free.
    pub fn skip(&mut self, columns: u16) -> &mut Self {
        self.x = self.x.saturating_add(columns).min(self.end);
        self
    }

    /// Puts `text` next, cutting what does not fit. For names and payloads: never for figures.
    pub fn put(&mut self, buf: &mut Buffer, text: &str, style: Style) -> &mut Self {
        if self.x < self.end {
            let clean = clean(text);
            self.x = buf.set_stringn(self.x, self.y, clean, self.room(), style).0;
        }
        self
    }

    /// Puts `text` next when all of it fits. Says whether it did.
    pub fn put_whole(&mut self, buf: &mut Buffer, text: &str, style: Style) -> bool {
        let clean = clean(text);
        let fits = text::width(&clean) <= self.room();
        if fits {
            self.put(buf, &clean, style);
        }
        fits
    }

    /// Puts `text` next; `ellipsis` shows where it was cut.
    pub fn put_cut(&mut self, buf: &mut Buffer, text: &str, ellipsis: &str, style: Style) {
        let clean = clean(text);
        let room = self.room();
        if text::width(&clean) <= room {
            self.put(buf, &clean, style);
            return;
        }
        let kept = text::cut(&clean, room);
        self.put(buf, kept.trim_end_matches('…'), style);
        if room > 0 {
            self.put(buf, ellipsis, style);
        }
    }

    /// Puts a name next; where it is too long its two ends, with `ellipsis` between them.
    pub fn put_name(&mut self, buf: &mut Buffer, name: &str, ellipsis: &str, style: Style) {
        let clean = clean(name);
        match text::ends(&clean, self.room()) {
            Some((head, tail)) => {
                self.put(buf, head, style).put(buf, ellipsis, style);
                self.put(buf, tail, style);
            }
            None => self.put_cut(buf, &clean, ellipsis, style),
        }
    }

    /// Puts `text` at the right end when all of it fits. Says whether it did.
    pub fn put_right(&mut self, buf: &mut Buffer, text: &str, style: Style) -> bool {
        let clean = clean(text);
        let columns = text::width(&clean);
        let fits = columns <= self.room();
        if fits {
            let x = self.end - u16::try_from(columns).unwrap_or(0);
            buf.set_stringn(x, self.y, clean, columns, style);
            self.end = x;
        }
        fits
    }
}

/// `text` as it may be put.
fn clean(text: &str) -> Cow<'_, str> {
    match text::printable(text) {
        Cow::Borrowed(text) => steady(text),
        Cow::Owned(text) => Cow::Owned(steady(&text).into_owned()),
    }
}

/// Counts the columns that `text` takes when it is put.
#[must_use]
pub fn columns(text: &str) -> usize {
    text::width(&clean(text))
}

/// Puts `text` right-aligned into a cell of `w` columns, when all of it fits.
pub fn right(buf: &mut Buffer, x: u16, y: u16, w: u16, text: &str, style: Style) {
    Line::new(buf, x, y, w).put_right(buf, text, style);
}
