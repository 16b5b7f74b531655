//! The changes made in this session.

use ratatui::buffer::Buffer;

use super::{Ctx, tabs, time, words};
use crate::queue::text;
use crate::tui::model::{ChangeLine, Pane};
use crate::tui::widget::line::Line;
use crate::tui::widget::pane::Part;

/// The tab: newest first.
pub(super) fn render(ctx: &Ctx, buf: &mut Buffer) {
    let slot = ctx.areas.entries;
    if !slot.shown() {
        return;
    }
    tabs::title(ctx, Vec::new(), Vec::new(), buf);
    let area = slot.inner;
    if ctx.model.changes_here().next().is_none() {
        words(ctx, "No changes made from here yet.", area, buf);
        return;
    }
    let stand = ctx.model.stands.changes;
    let top = usize::try_from(stand.top).unwrap_or(usize::MAX);
    for (i, change) in (0..area.h).zip(ctx.model.changes_here().skip(top)) {
        let row = area.row(i);
        let mut line = Line::new(buf, row.x, row.y, row.w);
        line.skip(3);
        said(ctx, change, line, buf);
        if stand.top + u64::from(i) == stand.cursor {
            ctx.select(row, ctx.model.focus == Pane::Entries, buf);
        }
    }
}

/// The strip at the bottom: the newest ones, as many as fit beside each other.
pub(super) fn log(ctx: &Ctx, buf: &mut Buffer) {
    let slot = ctx.areas.log;
    if !slot.shown() {
        return;
    }
    let left = vec![Part::new(100, "Log", ctx.theme.strong)];
    let count = ctx.model.changes.lines.len() as u64;
    let right = vec![Part::new(
        50,
        format!(
            "{}, 6 lists them",
            text::counted(count, "change", "changes")
        ),
        ctx.theme.dim,
    )];
    ctx.pane(slot, None, left, right, buf);
    let area = slot.inner;
    // Two at most: a half for each.
    let each = area.w / 2;
    for (i, change) in (0..2).zip(&ctx.model.changes.lines) {
        let mut line = Line::new(buf, area.x + i * each, area.y, each);
        line.skip(1);
        said(ctx, change, line, buf);
    }
}

/// `14:01:40  offered 1 message to orders`.
fn said(ctx: &Ctx, change: &ChangeLine, mut line: Line, buf: &mut Buffer) {
    let at = time::clock(ctx.model.look.zone, change.at);
    line.put_whole(buf, &at, ctx.data.dim);
    line.skip(2);
    line.put_cut(buf, &change.text, ctx.data.glyphs.cut, ctx.data.text);
}
