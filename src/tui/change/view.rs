//! The notice that a change is being planned: over the screen, where its question will stand.

use ratatui::buffer::Buffer;
use ratatui::widgets::{Clear, Widget};

use crate::tui::dialog::view::centred;
use crate::tui::draw::{Ctx, rect};
use crate::tui::keys::Action;
use crate::tui::widget::line::Line;
use crate::tui::widget::pane::{PaneFrame, TitlePart};
use crate::tui::widget::wrap::wrapped;

/// Columns of the box, border and all.
const COLUMNS: u16 = 68;

pub(crate) fn render(ctx: &Ctx, buf: &mut Buffer) {
    let (t, model) = (&ctx.theme, ctx.model);
    let (Some(one), Some(words)) = (model.planned_now(), model.counting()) else {
        return;
    };
    let columns = COLUMNS.min(model.size.0);
    let mut rows = wrapped(&words, usize::from(columns.saturating_sub(4)).max(1));
    rows.push("Nothing is changed yet.".to_owned());
    let stop = ctx.key(Action::Back).map(|key| format!("[ {key} stop ]"));
    let high = u16::try_from(rows.len())
        .unwrap_or(u16::MAX)
        .saturating_add(4);
    let slot = centred(model.size, (columns, high));
    Clear.render(rect(slot.outer).intersection(buf.area), buf);
    let pane = PaneFrame {
        left: vec![TitlePart::new(100, format!("{} …", one.called), t.strong)],
        right: Vec::new(),
        boxed: true,
        style: t.accent,
        lines: t.glyphs.lines,
        corners: t.glyphs.corners,
    };
    pane.render(rect(slot.outer), buf);
    let rows = rows.into_iter().map(|words| (words, t.text));
    let stop = stop.into_iter().map(|words| (words, t.select));
    let all = rows.chain([(String::new(), t.text)]).chain(stop);
    for (y, (words, style)) in (0..slot.inner.h).zip(all) {
        let area = slot.inner.row(y);
        let mut line = Line::new(buf, area.x, area.y, area.w);
        line.skip(1).put_cut(buf, &words, t.glyphs.cut, style);
    }
}
