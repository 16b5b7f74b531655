//! The last line: what the keys do here. And the toast that lies over it.

use ratatui::buffer::Buffer;

use super::Ctx;
use crate::queue::text;
use crate::tui::model::Tone;
use crate::tui::widget::line::Line;

const HINTS: [(&str, &str); 7] = [
    ("⏎", "open"),
    ("⇥", "pane"),
    ("←→", "bar"),
    ("+-", "zoom"),
    ("f", "freeze"),
    ("q", "quit"),
    ("?", "help"),
];

pub(super) fn render(ctx: &Ctx, buf: &mut Buffer) {
    let area = ctx.areas.hints;
    let t = &ctx.theme;
    let gap = if ctx.wide() { 3 } else { 2 };
    let mut line = Line::new(buf, area.x, area.y, area.w * u16::from(area.h > 0));
    line.skip(1);
    let Some(((last_keys, last_word), rest)) = HINTS.split_last() else {
        return;
    };
    let width = |keys: &str, word: &str| text::width(keys) + 1 + text::width(word);
    let reserved = width(last_keys, last_word);
    for (keys, word) in rest {
        if width(keys, word) + usize::from(gap) + reserved > line.room() {
            break;
        }
        line.put(buf, keys, t.accent)
            .skip(1)
            .put(buf, word, t.dim)
            .skip(gap);
    }
    line.put(buf, last_keys, t.accent)
        .skip(1)
        .put(buf, last_word, t.dim);
}

/// A short message, over the hints.
pub(super) fn toast(ctx: &Ctx, buf: &mut Buffer) {
    let Some(toast) = &ctx.model.toast else {
        return;
    };
    let area = ctx.areas.hints;
    let t = &ctx.theme;
    let style = match toast.tone {
        Tone::Good => t.ok,
        Tone::Warn => t.warn,
    };
    let mut line = Line::new(buf, area.x, area.y, area.w * u16::from(area.h > 0));
    for x in line.x..line.end {
        buf[(x, area.y)].reset();
    }
    line.skip(1).put_cut(buf, &toast.text, t.glyphs.cut, style);
}
