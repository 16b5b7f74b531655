//! A pane's border: a rule on top, or a rounded box, with the title in it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Widget;

use crate::queue::text;
use crate::tui::widget::line::Line;

/// A part of a title: its pieces of text stand close together.
#[derive(Clone, Debug, Default)]
pub struct TitlePart {
    /// Text and style.
    pub pieces: Vec<(String, Style)>,
    /// The part with the lowest rank is left out first when the title is too long.
    pub rank: u8,
}

impl TitlePart {
    /// A part of one piece.
    pub fn new(rank: u8, text: impl Into<String>, style: Style) -> Self {
        Self {
            pieces: vec![(text.into(), style)],
            rank,
        }
    }

    fn width(&self) -> usize {
        self.pieces.iter().map(|(t, _)| text::width(t)).sum()
    }
}

/// The border of a pane.
#[derive(Debug, Default)]
pub struct PaneFrame<'a> {
    /// Parts of the title from the left.
    pub left: Vec<TitlePart>,
    /// Parts of the title that end at the right.
    pub right: Vec<TitlePart>,
    /// A box; else a rule on top.
    pub boxed: bool,
    /// The style of the line.
    pub style: Style,
    /// Horizontal and vertical line.
    pub lines: [&'a str; 2],
    /// Top left, top right, bottom left, bottom right.
    pub corners: [&'a str; 4],
}

/// Columns between two parts: ` ── `.
const GAP: usize = 4;

impl PaneFrame<'_> {
    /// Leaves out parts until the rest fits into `room` columns.
    fn fitting(&self, room: usize) -> (Vec<&TitlePart>, Vec<&TitlePart>) {
        let mut left: Vec<&TitlePart> = self.left.iter().collect();
        let mut right: Vec<&TitlePart> = self.right.iter().collect();
        loop {
            let all = || left.iter().chain(&right);
            let needed: usize = all().map(|p| p.width() + GAP).sum();
            let Some(lowest) = all().map(|p| p.rank).min() else {
                return (left, right);
            };
            if needed <= room || left.len() + right.len() == 1 {
                return (left, right);
            }
            // Of equals the last on the right goes first.
            if let Some(i) = right.iter().rposition(|p| p.rank == lowest) {
                right.remove(i);
            } else if let Some(i) = left.iter().rposition(|p| p.rank == lowest) {
                left.remove(i);
            }
        }
    }

    fn edges(&self, area: Rect, buf: &mut Buffer) {
        let [flat, upright] = self.lines;
        let mut set = |x: u16, y: u16, symbol: &str| {
            if let Some(cell) = buf.cell_mut((x, y)) {
                cell.set_symbol(symbol).set_style(self.style);
            }
        };
        let (right, bottom) = (area.right() - 1, area.bottom() - 1);
        for x in area.left()..=right {
            set(x, area.y, flat);
            if self.boxed {
                set(x, bottom, flat);
            }
        }
        if self.boxed {
            for y in area.top()..=bottom {
                set(area.x, y, upright);
                set(right, y, upright);
            }
            let [a, b, c, d] = self.corners;
            for (x, y, corner) in [
                (area.x, area.y, a),
                (right, area.y, b),
                (area.x, bottom, c),
                (right, bottom, d),
            ] {
                set(x, y, corner);
            }
        }
    }
}

impl Widget for &PaneFrame<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        self.draw(area, buf, |_, _, _| {});
    }
}

impl PaneFrame<'_> {
    /// Draws it; `placed` is told of each piece of the title its text, its column and its columns.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, mut placed: impl FnMut(&str, u16, u16)) {
        let area = area.intersection(buf.area);
        if area.is_empty() {
            return;
        }
        self.edges(area, buf);
        self.titles(area, buf, &mut placed);
    }

    /// Draws the parts into the lowest row of the area only: what belongs to the pane and has no room
    /// beside its title.
    pub fn below(&self, area: Rect, buf: &mut Buffer) {
        let area = area.intersection(buf.area);
        if area.is_empty() {
            return;
        }
        let lowest = Rect {
            y: area.bottom() - 1,
            height: 1,
            ..area
        };
        self.titles(lowest, buf, &mut |_, _, _| {});
    }

    /// Draws the parts into the first row of `area`.
    fn titles(&self, area: Rect, buf: &mut Buffer, placed: &mut impl FnMut(&str, u16, u16)) {
        let mut line = Line::new(buf, area.x, area.y, area.width);
        let lead = if self.boxed { 1 } else { 2 };
        line.skip(lead);
        line.end = line.end.saturating_sub(lead);
        let (left, right) = self.fitting(line.room());
        let mut draw = |line: &mut Line, buf: &mut Buffer, part: &TitlePart| {
            // The title does not take the colour of the line it lies on.
            let columns = u16::try_from(part.width() + 2).unwrap_or(u16::MAX);
            line.wipe(buf, columns);
            line.put(buf, " ", self.style);
            for (text, style) in &part.pieces {
                let x = line.x;
                line.put(buf, text, *style);
                placed(text, x, line.x - x);
            }
            line.put(buf, " ", self.style);
        };
        for part in left {
            draw(&mut line, buf, part);
            line.skip(2);
        }
        for part in right.iter().rev() {
            let columns = u16::try_from(part.width() + 2).unwrap_or(u16::MAX);
            if line.end < line.x.saturating_add(columns) {
                break;
            }
            let mut at = line;
            at.x = line.end - columns;
            draw(&mut at, buf, part);
            line.end = line.end.saturating_sub(columns + 2);
        }
    }
}
