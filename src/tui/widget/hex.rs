//! Bytes beside their offsets and what ASCII they are.

use std::fmt::Write as _;
use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Widget;

use crate::tui::widget::line::Line;

/// A hex view of which only the lines in sight are written.
#[derive(Debug)]
pub struct Hex<'a> {
    /// The bytes.
    pub bytes: &'a [u8],
    /// Bytes a line.
    pub each: usize,
    /// First line in sight.
    pub scroll: usize,
    /// The style of the bytes.
    pub text: Style,
    /// Ranges of bytes with another style; of two that meet, the later one counts.
    pub styled: &'a [(Range<usize>, Style)],
    /// The style of the offsets.
    pub dim: Style,
}

/// `7b 22 6f … `, each byte with a blank after it, eight and eight apart.
#[must_use]
pub fn digits(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(bytes.len() * 3 + bytes.len() / 8);
    for (i, byte) in bytes.iter().enumerate() {
        if i > 0 && i % 8 == 0 {
            digits.push(' ');
        }
        // Writing into a String cannot fail.
        let _ = write!(digits, "{byte:02x} ");
    }
    digits
}

impl Widget for &Hex<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let area = area.intersection(buf.area);
        let each = self.each.max(1);
        let chunks = self.bytes.chunks(each).enumerate().skip(self.scroll);
        for (y, (i, chunk)) in (area.top()..area.bottom()).zip(chunks) {
            let mut line = Line::new(buf, area.x, y, area.width);
            line.put(buf, &format!("{:08x}  ", i * each), self.dim);
            let (x, digits) = (line.x, digits(chunk));
            let columns = each * 3 + (each - 1) / 8;
            line.put(buf, &format!("{digits:columns$}  "), self.text);
            let shown = |b: &u8| {
                if b.is_ascii_graphic() || *b == b' ' {
                    char::from(*b)
                } else {
                    '.'
                }
            };
            let ascii: String = chunk.iter().map(shown).collect();
            let words = line.x;
            line.put(buf, &ascii, self.dim);
            let all = i * each..i * each + chunk.len();
            for (range, style) in self.styled {
                let cut = range.start.max(all.start)..range.end.min(all.end);
                if cut.is_empty() {
                    continue;
                }
                // In one piece, the blanks between the bytes as well.
                let (first, last) = (cut.start - all.start, cut.end - 1 - all.start);
                let column = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
                let digits = |at: usize| column(at * 3 + at / 8);
                let wide = digits(last) + 2 - digits(first);
                let digits = Rect::new(x + digits(first), y, wide, 1);
                let word = Rect::new(words + column(first), y, column(last - first + 1), 1);
                buf.set_style(digits.intersection(area), *style);
                buf.set_style(word.intersection(area), *style);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_out_does_so_in_one_piece() {
        let mut buf = Buffer::empty(Rect::new(0, 0, 50, 2));
        let marked = Style::new().add_modifier(ratatui::style::Modifier::REVERSED);
        let widget = Hex {
            bytes: b"0123456789",
            each: 8,
            scroll: 0,
            text: Style::new(),
            styled: &[(2..9, marked)],
            dim: Style::new(),
        };
        widget.render(buf.area, &mut buf);
        let marked = |y: u16| -> Vec<u16> {
            let is_marked = |x: &u16| buf[(*x, y)].style().add_modifier == marked.add_modifier;
            (0..50).filter(is_marked).collect()
        };
        let whole: Vec<u16> = (16..33).chain(38..44).collect();
        assert_eq!(marked(0), whole);
        assert_eq!(marked(1), [10, 11, 36]);
    }

    #[test]
    fn a_line_has_offset_digits_and_characters() {
        let mut buf = Buffer::empty(Rect::new(0, 0, 50, 2));
        let widget = Hex {
            bytes: b"\x08delay\x00\xffscope",
            each: 8,
            scroll: 0,
            text: Style::new(),
            styled: &[],
            dim: Style::new(),
        };
        widget.render(buf.area, &mut buf);
        let lines = [
            "00000000  08 64 65 6c 61 79 00 ff   .delay..      ",
            "00000008  73 63 6f 70 65            scope         ",
        ];
        assert_eq!(buf, Buffer::with_lines(lines));
        widget.render(Rect::new(0, 0, 1, 1), &mut buf);
    }
}
