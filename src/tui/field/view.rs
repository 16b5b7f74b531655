//! A text that is typed, with its cursor.

use ratatui::buffer::Buffer;
use ratatui::style::{Modifier, Style};

use super::Field;
use crate::queue::text;
use crate::tui::draw::Ctx;
use crate::tui::widget::line::Line;

/// A field of one line. Where it is longer than its room, the part around the cursor is shown;
/// the cursor only where the keys act on it.
pub(crate) fn one_line(
    ctx: &Ctx,
    field: &Field,
    focused: bool,
    style: Style,
    line: &mut Line,
    buf: &mut Buffer,
) {
    let t = &ctx.theme;
    let typed = field.text();
    let style = if field.is_proposed() && focused {
        style.add_modifier(Modifier::UNDERLINED)
    } else {
        style
    };
    if !focused {
        line.put_cut(buf, &typed, t.glyphs.cut, style);
        return;
    }
    let at = field.cursor().1;
    let (before, rest) = split(&typed, at);
    let (under, behind) = split(rest, 1);
    // The cursor has a column of its own at the end.
    let room = line.room().saturating_sub(1);
    let before = end_of(
        before,
        room.saturating_sub(text::width(&text::printable(under))),
    );
    line.put(buf, before, style);
    line.put(buf, if under.is_empty() { " " } else { under }, t.cursor());
    line.put_cut(buf, behind, t.glyphs.cut, style);
}

/// A text's first `count` characters, and the rest.
pub(crate) fn split(text: &str, count: usize) -> (&str, &str) {
    let at = text
        .char_indices()
        .nth(count)
        .map_or(text.len(), |(i, _)| i);
    text.split_at(at)
}

/// As much of the end of `text` as fits into `columns`.
fn end_of(text: &str, columns: usize) -> &str {
    let mut used = 0;
    for (i, c) in text.char_indices().rev() {
        used += text::width(&text::printable(c.encode_utf8(&mut [0; 4])));
        if used > columns {
            return &text[i + c.len_utf8()..];
        }
    }
    text
}
