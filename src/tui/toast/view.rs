//! A short message at the bottom, above the hints or the line that is being typed.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::Tone;
use crate::queue::text;
use crate::tui::area::Area;
use crate::tui::draw::Ctx;
use crate::tui::hitmap::Target;
use crate::tui::keys::Action;
use crate::tui::prompt;
use crate::tui::widget::line::Line;
use crate::tui::widget::wrap::wrap;

/// A message takes so many rows at most.
const ROWS: usize = 3;

pub(crate) fn render(ctx: &Ctx, buf: &mut Buffer) {
    let t = &ctx.theme;
    let boxed = ctx.model.planned_now().is_some();
    if let Some(toast) = &ctx.model.toast {
        let sign = match toast.tone {
            Tone::Good => (t.glyphs.good, t.ok),
            Tone::Warn => (t.glyphs.warn, t.warn),
            Tone::Error => (t.glyphs.lost, t.late),
        };
        let area = say(ctx, &toast.text, sign, buf);
        if ctx.model.prompt.is_none() {
            ctx.record(area, Target::Toast);
        }
    } else if let Some(far) = ctx.model.counting().filter(|_| !boxed) {
        let stops = ctx.key(Action::Back);
        let stops = stops.map_or_else(String::new, |key| format!(" {} {key} stops", t.glyphs.dot));
        say(ctx, &format!("{far}{stops}"), (t.glyphs.dot, t.accent), buf);
    }
}

/// Says it in as few rows as it needs; returns where.
fn say(ctx: &Ctx, words: &str, (glyph, style): (&str, Style), buf: &mut Buffer) -> Area {
    let t = &ctx.theme;
    let (w, h) = ctx.model.size;
    // The glyph with a blank on either side, and a blank at the right.
    let room = usize::from(w.saturating_sub(4));
    let clean = text::printable(words);
    let rows = wrap(&clean, room.max(1));
    let below = match prompt::view::rows(ctx) {
        0 => ctx.areas.hints.h,
        rows => rows,
    };
    let bottom = h.saturating_sub(below);
    // On a low screen a message hides what it is about.
    let most = ROWS.min(usize::from(bottom / 4).max(1));
    let shown = rows.len().min(most);
    let top = bottom.saturating_sub(u16::try_from(shown).unwrap_or(0));
    for (i, y) in (top..bottom).enumerate() {
        let mut line = Line::new(buf, 0, y, w);
        line.wipe(buf, w);
        line.skip(1);
        if i == 0 {
            line.put(buf, glyph, style);
        } else {
            line.skip(1);
        }
        line.skip(1);
        line.end = line.end.saturating_sub(1);
        let last = i + 1 == shown && shown < rows.len();
        if last {
            line.put_cut(buf, &rows[i..].join(" "), t.glyphs.cut, style);
        } else {
            line.put_cut(buf, &rows[i], t.glyphs.cut, style);
        }
    }
    Area::new(0, top, w, bottom - top)
}
