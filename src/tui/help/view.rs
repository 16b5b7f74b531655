//! The help, over everything else.

use ratatui::buffer::Buffer;
use ratatui::widgets::{Clear, Widget};

use super::HelpPage;
use crate::queue::text;
use crate::tui::area::Area;
use crate::tui::cursor::ScrollArea;
use crate::tui::draw::{Ctx, rect};
use crate::tui::focus;
use crate::tui::help::place::{GAP, HelpColumn, HelpLine as Row};
use crate::tui::hitmap::Target;
use crate::tui::keys::Action;
use crate::tui::widget::line::Line;
use crate::tui::widget::pane::TitlePart;

pub(crate) fn render(ctx: &Ctx, (shown, scroll): (HelpPage, usize), buf: &mut Buffer) {
    let t = &ctx.theme;
    let page = super::place::page(ctx.model);
    let slot = super::place::slot(ctx.model, &page);
    Clear.render(rect(slot.outer).intersection(buf.area), buf);
    // A click on its border closes it.
    ctx.record(slot.outer, Target::Beside);
    ctx.record(slot.inner, Target::Box);
    let body = super::place::body(slot, &page);
    let rows = (page.rows() as u64, scroll as u64);
    ctx.rail(ScrollArea::Help, slot, body, rows);
    let more = page.rows().saturating_sub(usize::from(body.h));
    ctx.room(|room| room.last_line = Some(more));
    let left = title(ctx, shown);
    let mut right = Vec::new();
    if more > 0 {
        let seen = usize::from(body.h) + scroll.min(more);
        let words = format!("{seen} of {} lines {}", page.rows(), t.glyphs.down);
        right.push(TitlePart::new(50, words, t.warn));
    }
    if let Some(key) = ctx.key(Action::Help) {
        let then = if shown.next().is_some() {
            "next page"
        } else {
            "close"
        };
        right.push(TitlePart::new(45, format!("{key} {then}"), t.accent));
    }
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

/// The pages, and of the keys what is bright among them.
fn title(ctx: &Ctx, shown: HelpPage) -> Vec<TitlePart> {
    let t = &ctx.theme;
    let mut pieces = Vec::new();
    for page in HelpPage::ALL {
        if !pieces.is_empty() {
            pieces.push((t.glyphs.lines[1].to_owned(), t.dim));
        }
        let label = page.label();
        pieces.push(if page == shown {
            (format!("[{label}]"), t.strong)
        } else {
            (label.to_owned(), t.dim)
        });
    }
    let mut left = vec![TitlePart { pieces, rank: 100 }];
    if shown == HelpPage::Keys {
        let here = focus::place_below(ctx.model).label();
        left.push(TitlePart::new(
            40,
            format!("bright: those for {here}"),
            t.dim,
        ));
    }
    left
}

fn columns(ctx: &Ctx, column: &HelpColumn, scroll: usize, area: Area, buf: &mut Buffer) {
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
            Row::Words(words) => {
                line.put_cut(buf, words, t.glyphs.cut, t.text);
            }
            Row::Drawn(drawn) => {
                line.skip(2).put(buf, drawn, t.accent);
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
