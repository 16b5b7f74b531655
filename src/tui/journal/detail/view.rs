//! A change that was made, over everything else.

use ratatui::buffer::Buffer;
use ratatui::widgets::{Clear, Widget};

use crate::tui::cursor::ScrollArea;
use crate::tui::draw::{Ctx, rect};
use crate::tui::hitmap::Target;
use crate::tui::journal::ChangeView;
use crate::tui::journal::detail::place::{DetailLine as Row, LABEL};
use crate::tui::moments;
use crate::tui::widget::line::Line;
use crate::tui::widget::pane::TitlePart;

pub(crate) fn render(ctx: &Ctx, view: &ChangeView, buf: &mut Buffer) {
    let (m, t) = (ctx.model, &ctx.theme);
    let slot = super::place::slot(m, view);
    Clear.render(rect(slot.outer).intersection(buf.area), buf);
    ctx.record(slot.outer, Target::Box);
    let name = view.line.change.map_or("change", |change| change.label());
    let left = vec![
        TitlePart::new(100, format!("Change: {name}"), t.strong),
        TitlePart::new(80, moments::full(m.look.zone, view.line.at), t.dim),
    ];
    let rows = super::place::lines(m, view);
    let room = usize::from(slot.inner.h);
    let more = rows.len().saturating_sub(room);
    ctx.room(|room| room.last_line = Some(more));
    let right = if more > 0 {
        let seen = room + view.scroll.min(more);
        let words = format!("{seen} of {} lines {}", rows.len(), t.glyphs.down);
        vec![TitlePart::new(50, words, t.warn)]
    } else {
        Vec::new()
    };
    ctx.pane(slot, None, left, right, buf);
    let inner = slot.inner;
    let all = (rows.len() as u64, view.scroll as u64);
    ctx.rail(ScrollArea::Change, slot, inner, all);
    let shown = rows.iter().skip(view.scroll.min(more));
    for (row, y) in shown.zip(inner.y..inner.y + inner.h) {
        let mut line = Line::new(buf, inner.x, y, inner.w);
        line.skip(1);
        put(ctx, row, line, buf);
    }
}

fn put(ctx: &Ctx, row: &Row, mut line: Line, buf: &mut Buffer) {
    let t = &ctx.theme;
    let cut = t.glyphs.cut;
    match row {
        Row::Blank => {}
        Row::Fact(label, value) => {
            let x = line.x;
            line.put(buf, label, t.dim);
            line.x = x;
            line.skip(LABEL).put_cut(buf, value, cut, t.text);
        }
        Row::Head(head) => line.put_cut(buf, head, cut, t.strong),
        Row::Words(words) => line.put_cut(buf, words, cut, t.text),
        Row::Command(words) => line.put_cut(buf, words, cut, t.accent),
        Row::Bad(words) => line.put_cut(buf, words, cut, t.late),
        Row::Entry([id, outcome, why]) => {
            let x = line.x;
            line.put(buf, id, t.text).skip(2).put(buf, outcome, t.warn);
            // The longest of the outcomes has eleven letters.
            line.x = x;
            line.skip(16 + 2 + 11 + 2);
            line.put_cut(buf, why, cut, t.dim);
        }
    }
}
