//! The line that is being typed, in place of the hints.

use ratatui::buffer::Buffer;

use super::Ctx;
use crate::queue::text;
use crate::tui::model::PromptKind;
use crate::tui::widget::line::Line;

pub(super) fn render(ctx: &Ctx, buf: &mut Buffer) {
    let Some(prompt) = &ctx.model.prompt else {
        return;
    };
    let area = ctx.areas.hints;
    let t = &ctx.theme;
    let mut line = Line::new(buf, area.x, area.y, area.w * u16::from(area.h > 0));
    line.wipe(buf, area.w);
    let sign = match prompt.kind {
        PromptKind::Filter | PromptKind::Find => "/",
        PromptKind::Jump => "@",
        PromptKind::Command => ":",
    };
    line.skip(1).put(buf, sign, t.accent);
    let typed = prompt.field.text();
    let typed = text::printable(&typed);
    let at = prompt.field.cursor().1;
    let before: String = typed.chars().take(at).collect();
    let under = typed.chars().nth(at).unwrap_or(' ');
    let behind: String = typed.chars().skip(at + 1).collect();
    line.put_cut(buf, &before, t.glyphs.cut, t.text);
    line.put(buf, &under.to_string(), t.select);
    line.put_cut(buf, &behind, t.glyphs.cut, t.text);
    if let Some(error) = &prompt.error {
        line.skip(2).put_cut(buf, error, t.glyphs.cut, t.warn);
    }
}
