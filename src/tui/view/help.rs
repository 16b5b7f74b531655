//! The keys, over everything else.

use ratatui::buffer::Buffer;
use ratatui::widgets::{Clear, Widget};

use super::{Ctx, rect};
use crate::queue::text;
use crate::tui::areas::help::{self, Line as Row};
use crate::tui::widget::line::Line;
use crate::tui::widget::pane::Part;

pub(super) fn render(ctx: &Ctx, scroll: usize, buf: &mut Buffer) {
    let t = &ctx.theme;
    let rows = help::lines(ctx.model);
    let slot = help::slot(ctx.model, rows.len());
    Clear.render(rect(slot.outer).intersection(buf.area), buf);
    let more = help::last_scroll(ctx.model);
    let left = vec![Part::new(100, "Keys", t.strong)];
    let right = if more > 0 {
        let seen = usize::from(slot.inner.h) + scroll.min(more);
        vec![Part::new(50, format!("{seen} of {}", rows.len()), t.dim)]
    } else {
        Vec::new()
    };
    ctx.pane(slot, None, left, right, buf);
    let width = |row: &Row| match row {
        Row::Keys(keys, _) => text::width(keys),
        _ => 0,
    };
    let keys = rows.iter().map(width).max().unwrap_or(0);
    let area = slot.inner;
    for (y, row) in (area.y..area.y + area.h).zip(rows.iter().skip(scroll.min(more))) {
        let mut line = Line::new(buf, area.x, y, area.w);
        line.skip(1);
        match row {
            Row::Blank => {}
            Row::Head(head) => {
                line.put(buf, head, t.strong);
            }
            Row::Keys(names, what) => {
                let x = line.x;
                line.put(buf, names, t.accent);
                line.x = x
                    .saturating_add(u16::try_from(keys + 2).unwrap_or(0))
                    .min(line.end);
                line.put(buf, what, t.text);
            }
        }
    }
}
