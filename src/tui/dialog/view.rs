//! A question, over everything else. What it is about was copied when it was asked.

use ratatui::buffer::Buffer;
use ratatui::widgets::{Clear, Widget};

use super::{Button, Dialog, NameAsked};
use crate::queue::text;
use crate::tui::area::Area;
use crate::tui::dialog::place::{LABEL, Row};
use crate::tui::draw::{Ctx, rect};
use crate::tui::field;
use crate::tui::widget::line::Line;
use crate::tui::widget::pane::{Pane, Part};

pub(crate) fn render(ctx: &Ctx, dialog: &Dialog, buf: &mut Buffer) {
    let t = &ctx.theme;
    let plan = super::place::plan(ctx.model, dialog);
    Clear.render(rect(plan.slot.outer).intersection(buf.area), buf);
    if plan.slot.boxed {
        let pane = Pane {
            left: vec![Part::new(100, dialog.title.clone(), t.strong)],
            right: Vec::new(),
            boxed: true,
            style: t.accent,
            lines: t.glyphs.lines,
            corners: t.glyphs.corners,
        };
        pane.render(rect(plan.slot.outer), buf);
    }
    let inset = u16::from(plan.slot.boxed);
    for (i, row) in plan.rows.iter().enumerate() {
        let area = plan.slot.inner.row(u16::try_from(i).unwrap_or(u16::MAX));
        let mut line = Line::new(buf, area.x, area.y, area.w * area.h);
        line.skip(inset);
        match row {
            Row::Blank => {}
            Row::Words(words) => {
                line.put(buf, words, t.text);
            }
            Row::Warning(words) => {
                line.put(buf, words, t.warn);
            }
            Row::Fact(label, value) => {
                let x = line.x;
                line.put(buf, label, t.dim);
                line.x = x;
                line.skip(u16::try_from(LABEL).unwrap_or(0))
                    .put(buf, value, t.strong);
            }
            Row::Answer(words) => {
                let told = dialog.told_at(ctx.model.instant).is_some();
                let style = if told { t.warn } else { t.strong };
                line.put_cut(buf, words, t.glyphs.cut, style);
            }
            Row::Name => name(ctx, dialog, line, buf),
            Row::Buttons(buttons) => {
                for (button, area) in buttons {
                    press(ctx, dialog, *button, *area, buf);
                }
            }
        }
    }
}

/// The name as far as it is typed.
fn name(ctx: &Ctx, dialog: &Dialog, mut line: Line, buf: &mut Buffer) {
    let t = &ctx.theme;
    let Some(name) = &dialog.name else {
        return;
    };
    line.put(buf, t.glyphs.more, t.accent).skip(1);
    let style = if name.is_right() { t.ok } else { t.text };
    field::view::one_line(ctx, &name.field, true, style, &mut line, buf);
    let wrong = name.wrong.then_some("that is not its name");
    if let Some(words) = dialog.told_at(ctx.model.instant).or(wrong) {
        line.skip(2).put_cut(buf, words, t.glyphs.cut, t.warn);
    }
}

/// A button: the one that Enter presses stands out.
fn press(ctx: &Ctx, dialog: &Dialog, button: Button, area: Area, buf: &mut Buffer) {
    let t = &ctx.theme;
    let label = super::place::label(ctx.model, dialog, button);
    let ready = dialog.name.as_ref().is_none_or(NameAsked::is_right);
    let style = match button {
        _ if dialog.presses(button) => t.select,
        Button::Yes if !ready => t.dim,
        Button::No | Button::Yes => t.accent,
    };
    let columns = text::width(&label);
    let mut line = Line::new(buf, area.x, area.y, area.w * area.h);
    if columns <= line.room() {
        line.put(buf, &label, style);
    } else {
        line.put_cut(buf, &label, t.glyphs.cut, style);
    }
}
