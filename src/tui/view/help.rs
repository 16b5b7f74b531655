//! The keys, over everything else.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Clear, Widget};

use super::Ctx;
use crate::queue::text;
use crate::tui::areas::{Area, Slot};
use crate::tui::widget::line::Line;
use crate::tui::widget::pane::Part;

const HELP: [(&str, &str); 3] = [("Enter", "open"), ("q", "quit"), ("?", "help")];

pub(super) fn render(ctx: &Ctx, scroll: usize, buf: &mut Buffer) {
    let (w, h) = ctx.model.size;
    let t = &ctx.theme;
    let rows = u16::try_from(HELP.len()).unwrap_or(u16::MAX);
    let (bw, bh) = (64.min(w), rows.saturating_add(2).min(h));
    let outer = Area::new((w - bw) / 2, (h - bh) / 2, bw, bh);
    let slot = Slot::boxed(outer);
    Clear.render(
        Rect::new(outer.x, outer.y, bw, bh).intersection(buf.area),
        buf,
    );
    let left = vec![Part::new(2, "Keys", t.accent)];
    let right = vec![Part::new(1, "esc closes", t.dim)];
    ctx.pane(slot, None, left, right, buf);
    let first = scroll.min(HELP.len().saturating_sub(usize::from(slot.inner.h)));
    let keys = HELP.iter().map(|(k, _)| text::width(k)).max().unwrap_or(0);
    for (i, (key, word)) in (0..slot.inner.h).zip(HELP.iter().skip(first)) {
        let mut line = Line::new(buf, slot.inner.x, slot.inner.y + i, slot.inner.w);
        line.skip(1).put(buf, &format!("{key:keys$}"), t.accent);
        line.skip(2).put(buf, word, t.text);
    }
}
