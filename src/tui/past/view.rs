//! Draws the strip: bars of what waited and stood in target, coloured by the worst problem, and below
//! them when problems came and went.

use ratatui::buffer::Buffer;
use ratatui::style::{Modifier, Style};

use super::queries::{self, LABEL};
use super::record::ProblemTurn;
use super::strip::{Strip, StripColumn};
use crate::queue::{Severity, text};
use crate::tui::area::Area;
use crate::tui::draw::{self, Ctx};
use crate::tui::hitmap::Target;
use crate::tui::keys::Action;
use crate::tui::moments;
use crate::tui::widget::line::{self, Line};

/// With less room than this a mark has no words.
const WORDS: usize = 8;

pub(crate) fn render(ctx: &Ctx, buf: &mut Buffer) {
    let area = ctx.areas.strip;
    if area.is_empty() {
        return;
    }
    let Some(strip) = queries::strip(ctx.model) else {
        return;
    };
    let columns = u16::try_from(strip.columns.len()).unwrap_or(u16::MAX);
    let bars = Area::new(area.x + LABEL, area.y, columns, area.h);
    ctx.record(bars, Target::Strip);
    let d = &ctx.data;
    line::right(buf, area.x, area.y, LABEL - 1, strip.span, d.dim);
    Line::new(buf, bars.right() + 1, area.y, 4).put(buf, "now", d.dim);
    let most = strip.columns.iter().filter_map(|column| column.held).max();
    for (x, column) in (bars.x..).zip(&strip.columns) {
        let (symbol, style) = bar(ctx, column, most.unwrap_or(0));
        Line::new(buf, x, area.y, 1).put(buf, symbol, style);
    }
    let chosen = ctx.model.then.and_then(|then| strip.column_of(then.at));
    let chosen = chosen.and_then(|at| Some(bars.x + u16::try_from(at).ok()?));
    if area.h > 1 {
        below(ctx, &strip, bars, buf);
    }
    match chosen {
        Some(x) if area.h > 1 => {
            Line::new(buf, x, area.y + 1, 1).put(buf, ctx.theme.glyphs.up, ctx.theme.accent);
        }
        Some(x) => {
            buf[(x, area.y)].set_style(Style::new().add_modifier(Modifier::REVERSED));
        }
        None => {}
    }
}

/// The bar of a column; where nothing was read there is none, where nothing waited a flat one.
fn bar(ctx: &Ctx, column: &StripColumn, most: u64) -> (&'static str, Style) {
    let d = &ctx.data;
    let Some(held) = column.held else {
        return (" ", d.dim);
    };
    let eighth = 1 + u128::from(held) * 6 / u128::from(most.max(1));
    let symbol = d.glyphs.eighths[usize::try_from(eighth).unwrap_or(7).min(7)];
    let style = match column.worst {
        Some(Severity::Critical) => d.late,
        Some(Severity::Warning) => d.warn,
        _ => d.mid,
    };
    (symbol, style)
}

/// The times of both ends, and between them when problems came and went.
fn below(ctx: &Ctx, strip: &Strip, bars: Area, buf: &mut Buffer) {
    let (d, zone) = (&ctx.data, ctx.model.look.zone);
    let y = bars.y + 1;
    let begin = moments::clock(zone, strip.from);
    line::right(buf, 0, y, LABEL - 1, &begin, d.dim);
    for (i, (column, turn)) in strip.marks.iter().enumerate() {
        let next = strip
            .marks
            .get(i + 1)
            .map_or(strip.columns.len(), |(next, _)| *next);
        let room = next.saturating_sub(*column);
        let (sign, style) = sign(ctx, turn);
        let x = bars
            .x
            .saturating_add(u16::try_from(*column).unwrap_or(u16::MAX));
        let mut line = Line::new(buf, x, y, u16::try_from(room.max(1)).unwrap_or(1));
        line.put(buf, sign, style);
        if room > WORDS + 3 {
            let words = text::cut(&turn.headline, room - 3);
            line.skip(1)
                .put(buf, &words.replace('…', d.glyphs.cut), d.dim);
        }
    }
}

fn sign(ctx: &Ctx, turn: &ProblemTurn) -> (&'static str, Style) {
    let d = &ctx.data;
    match turn.worst {
        Some(Severity::Critical) => (d.glyphs.lost, d.late),
        Some(_) => (d.glyphs.warn, d.warn),
        None => (d.glyphs.good, d.ok),
    }
}

/// Says, in the pane of the entries, what is not kept of the past.
pub(crate) fn not_kept(ctx: &Ctx, area: Area, buf: &mut Buffer) {
    let now = ctx.key(Action::ZoomReset).or_else(|| ctx.key(Action::Back));
    let back = now.map_or_else(String::new, |key| format!(" {key} leads back to now."));
    let words = format!(
        "Entries are not kept. Figures, bars, findings and traffic are as they were then; nothing can be changed here.{back}"
    );
    draw::words(ctx, &words, area, buf);
}
