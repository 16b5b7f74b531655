//! The last line: what the keys do here.

use ratatui::buffer::Buffer;

use crate::tui::draw::Ctx;
use crate::tui::widget::line::Line;

pub(crate) fn render(ctx: &Ctx, buf: &mut Buffer) {
    let (m, t) = (ctx.model, &ctx.theme);
    let area = ctx.areas.hints;
    let bar = super::place::bar(m);
    if let Some(words) = &bar.marked {
        let style = if bar.none { t.dim } else { t.strong };
        let mut line = Line::new(buf, area.x, area.y, area.w.saturating_sub(1));
        line.put_right(buf, words, style);
    }
    for (hint, place) in &bar.hints {
        let mut line = Line::new(buf, place.x, place.y, place.w * place.h);
        // A key that cannot act now steps back; pressed, it says why.
        let keys = if hint.enabled { t.accent } else { t.dim };
        line.put(buf, &hint.keys, keys)
            .skip(1)
            .put(buf, hint.word, t.dim);
    }
}
