//! The last line: what the keys do here.

use ratatui::buffer::Buffer;

use super::Ctx;
use crate::queue::text;
use crate::tui::keys::{self, Hint};
use crate::tui::widget::line::Line;

/// Columns between two hints.
fn gap(ctx: &Ctx) -> u16 {
    if ctx.wide() { 3 } else { 2 }
}

pub(super) fn render(ctx: &Ctx, buf: &mut Buffer) {
    let area = ctx.areas.hints;
    let mut line = Line::new(buf, area.x, area.y, area.w * u16::from(area.h > 0));
    line.skip(1);
    marked(ctx, &mut line, buf);
    let hints = keys::hints(ctx.model);
    let Some((last, rest)) = hints.split_last() else {
        return;
    };
    let gap = gap(ctx);
    let width = |hint: &Hint| text::width(&hint.keys) + 1 + text::width(hint.word);
    for hint in rest {
        // Whole hints only, and the last one has its place in any case.
        if width(hint) + usize::from(gap) + width(last) > line.room() {
            break;
        }
        put(ctx, hint, &mut line, buf);
        line.skip(gap);
    }
    put(ctx, last, &mut line, buf);
}

/// How many entries are marked, at the right end; that none is only where there is room to spare.
fn marked(ctx: &Ctx, line: &mut Line, buf: &mut Buffer) {
    let (m, t) = (ctx.model, &ctx.theme);
    let (count, exact) = m.marks.count(m.waiting());
    let (words, style) = match (count, exact) {
        (0, true) if m.size.0 < 180 || m.selected().is_none() => return,
        (0, true) => ("nothing marked".to_owned(), t.dim),
        (count, true) => (format!("{} marked", text::thousands(count)), t.strong),
        (count, false) => (format!("~{} marked", text::thousands(count)), t.strong),
    };
    line.end = line.end.saturating_sub(1);
    line.put_right(buf, &words, style);
    line.end = line.end.saturating_sub(gap(ctx));
}

fn put(ctx: &Ctx, hint: &Hint, line: &mut Line, buf: &mut Buffer) {
    let t = &ctx.theme;
    // A key that cannot act now steps back; pressed, it says why.
    let keys = if hint.enabled { t.accent } else { t.dim };
    line.put(buf, &hint.keys, keys)
        .skip(1)
        .put(buf, hint.word, t.dim);
}
