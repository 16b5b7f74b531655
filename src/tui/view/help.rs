//! The keys, over everything else.

use ratatui::buffer::Buffer;
use ratatui::widgets::{Clear, Widget};

use super::{Ctx, rect};
use crate::queue::text;
use crate::tui::areas::Area;
use crate::tui::areas::help::{self, Column, GAP, Line as Row};
use crate::tui::keys;
use crate::tui::widget::line::Line;
use crate::tui::widget::pane::Part;

pub(super) fn render(ctx: &Ctx, scroll: usize, buf: &mut Buffer) {
    let t = &ctx.theme;
    let page = help::page(ctx.model);
    let slot = help::slot(ctx.model, &page);
    Clear.render(rect(slot.outer).intersection(buf.area), buf);
    let body = help::body(slot, &page);
    let more = page.rows().saturating_sub(usize::from(body.h));
    let here = keys::place_below(ctx.model).label();
    let left = vec![
        Part::new(100, "Keys", t.strong),
        Part::new(40, format!("bright: those for {here}"), t.dim),
    ];
    let right = if more > 0 {
        let seen = usize::from(body.h) + scroll.min(more);
        vec![Part::new(
            50,
            format!("{seen} of {} lines {}", page.rows(), t.glyphs.down),
            t.warn,
        )]
    } else {
        Vec::new()
    };
    ctx.pane(slot, None, left, right, buf);
    let count = u16::try_from(page.columns.len()).unwrap_or(1).max(1);
    let w = (body.w.saturating_sub(GAP * (count - 1))) / count;
    for (column, i) in page.columns.iter().zip(0..) {
        let area = Area::new(body.x + i * (w + GAP), body.y, w, body.h);
        columns(ctx, column, scroll.min(more), area, buf);
    }
    for ((head, words), y) in page.foot.iter().zip(body.y + body.h..) {
        let mut line = Line::new(buf, body.x, y, body.w);
        line.skip(1).put(buf, head, t.strong).skip(2);
        line.put_cut(buf, words, t.glyphs.cut, t.text);
    }
}

fn columns(ctx: &Ctx, column: &Column, scroll: usize, area: Area, buf: &mut Buffer) {
    let t = &ctx.theme;
    let rows = column.lines.iter().skip(scroll);
    for (row, y) in rows.zip(area.y..area.y + area.h) {
        let mut line = Line::new(buf, area.x, y, area.w);
        line.skip(1);
        match row {
            Row::Blank => {}
            Row::Head(head) => {
                line.put(buf, head, t.strong);
            }
            Row::Keys { keys, words, here } => {
                let (bright, plain) = if *here {
                    (t.accent, t.text)
                } else {
                    (t.dim, t.dim)
                };
                let after = line.x.saturating_add(column.keys + 2);
                line.put(buf, keys, bright);
                line.x = if text::width(keys) > usize::from(column.keys) {
                    line.x.saturating_add(2)
                } else {
                    after
                }
                .min(line.end);
                line.put_cut(buf, words, t.glyphs.cut, plain);
            }
        }
    }
}
