//! The cells of an entry's row.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::Col;
use super::filter::Found;
use crate::payload::Codec;
use crate::queue::{Due, text};
use crate::tui::areas::Area;
use crate::tui::areas::columns::Placed;
use crate::tui::model::EntryRow;
use crate::tui::model::HAND_OVER_MS;
use crate::tui::theme::Theme;
use crate::tui::view::{Ctx, time};
use crate::tui::widget::hex;
use crate::tui::widget::line::{self, Line};

/// Draws a row. One that is `gone` is no longer in the queue.
pub(super) fn entry(
    ctx: &Ctx,
    row: &EntryRow,
    gone: bool,
    placed: &[Placed<Col>],
    area: Area,
    buf: &mut Buffer,
) {
    let faded = gone.then(|| ctx.data.faded());
    let d = faded.as_ref().unwrap_or(&ctx.data);
    let found = Found::new(ctx);
    for (col, x, w) in placed {
        let (x, y) = (area.x + x, area.y);
        let mut cell = Line::new(buf, x + 2, y, w.saturating_sub(2));
        match col {
            Col::DueIn => {
                let (words, style) = if gone {
                    ("gone".to_owned(), d.dim)
                } else {
                    due_in(ctx, row.due)
                };
                line::right(buf, x, y, ctx.span_cell(*w, &words), &words, style);
            }
            Col::DueAt => {
                let words = match row.due {
                    Due::At(at) if *w < 2 + time::LONG => {
                        time::short(ctx.model.look.zone, at, ctx.now)
                    }
                    Due::At(at) => time::long(ctx.model.look.zone, at, ctx.now),
                    Due::OutOfRange(score) if score.is_nan() => d.glyphs.none.to_owned(),
                    Due::OutOfRange(score) => format!("{score:.2e}"),
                };
                cell.put(buf, &words, d.text);
            }
            Col::Id => {
                found.put_id(buf, &mut cell, &row.id.to_string(), d.dim);
            }
            Col::Size => {
                let size = format!("{}B", text::compact(u64::try_from(row.size).unwrap_or(0)));
                line::right(buf, x, y, *w, &size, d.dim);
            }
            Col::Codec => {
                let name = row.content.as_ref().map_or("none", |c| c.codec.name());
                cell.put(buf, name, d.dim);
            }
            Col::Payload => words(d, &found, row, cell, buf),
        }
    }
}

/// The countdown; red with a minus when it is late.
pub(in super::super) fn due_in(ctx: &Ctx, due: Due) -> (String, Style) {
    match due {
        Due::At(at) if at <= ctx.now => {
            let style = if ctx.now.since(at) < HAND_OVER_MS {
                ctx.data.warn
            } else {
                ctx.data.late
            };
            (ctx.countdown(at), style)
        }
        Due::At(at) => (ctx.countdown(at), ctx.data.text),
        Due::OutOfRange(score) if score.is_nan() => (ctx.data.glyphs.none.to_owned(), ctx.data.dim),
        Due::OutOfRange(_) => ("score !".to_owned(), ctx.data.warn),
    }
}

/// What is inside, in one line.
pub(in super::super) fn payload(ctx: &Ctx, row: &EntryRow, cell: Line, buf: &mut Buffer) {
    words(&ctx.data, &Found::new(ctx), row, cell, buf);
}

fn words(d: &Theme, found: &Found, row: &EntryRow, mut cell: Line, buf: &mut Buffer) {
    let Ok(decoded) = &row.content else {
        cell.put(buf, &format!("{} no frame: ", d.glyphs.lost), d.warn);
        let shown = row.member.len().min(cell.room() / 3 + 1);
        let digits = hex::digits(&row.member[..shown]);
        cell.put_cut(buf, digits.trim_end(), d.glyphs.cut, d.dim);
        return;
    };
    if decoded.text.is_empty() {
        cell.put(buf, "empty", d.dim);
        return;
    }
    // What nothing explains is shown as hex, and steps back.
    let known = decoded.codec != Codec::Unknown;
    let style = if known { d.text } else { d.dim };
    if !found.put(buf, &mut cell, &decoded.text, style) {
        cell.put_cut(buf, head(&decoded.text, cell.room()), d.glyphs.cut, style);
    }
}

/// As much of the beginning of `text` as `columns` can show, and a little more: the rest of a
/// payload of megabytes need not be measured.
pub(super) fn head(text: &str, columns: usize) -> &str {
    text.char_indices()
        .nth(columns * 4 + 8)
        .map_or(text, |(at, _)| &text[..at])
}
