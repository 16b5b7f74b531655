//! The title: whose due times, the zooms, what lies beyond, how high and how wide a bar is.

use ratatui::buffer::Buffer;

use super::Picture;
use crate::queue::{Zoom, text};
use crate::tui::draw::Ctx;
use crate::tui::model::Pane;
use crate::tui::timeline;
use crate::tui::timeline::track::Track;
use crate::tui::widget::pane::Part;

pub(crate) fn render(ctx: &Ctx, track: &Track, picture: &Picture, buf: &mut Buffer) {
    let (m, t) = (ctx.model, &ctx.theme);
    let mut left = vec![Part::new(100, "Due", ctx.title(Pane::Timeline))];
    if let Some(name) = timeline::track::name(m) {
        let name = name.replace('…', t.glyphs.cut);
        left[0]
            .pieces
            .push((format!(": {name}"), ctx.title(Pane::Timeline)));
    }
    left.push(zooms(ctx));
    let mut right = Vec::new();
    if picture.beyond > 0 && track.side.is_empty() {
        let columns = if ctx.wide() { 13 } else { 9 };
        let count = text::number(picture.beyond, columns);
        let later = format!("{count} later {}", t.glyphs.more);
        right.push(Part::new(80, later, t.text));
    }
    right.push(if m.log_height {
        Part::new(60, "log", t.accent)
    } else {
        Part::new(40, "linear", t.dim)
    });
    let words = format!("{} a bar", picture.scale.width());
    // How wide the bars of "all" are cannot be known from the zoom.
    let rank = match m.zoom {
        _ if ctx.wide() => 30,
        Zoom::All => 15,
        _ => 5,
    };
    right.push(Part::new(rank, words, t.dim));
    right.extend(ctx.age(m.selected(), ctx.interval_ms()));
    ctx.pane(ctx.areas.timeline, Some(Pane::Timeline), left, right, buf);
}

/// The zooms, the current one in brackets, where the mouse looks for them.
fn zooms(ctx: &Ctx) -> Part {
    let (t, current) = (&ctx.theme, ctx.model.zoom);
    let zooms = timeline::track::zooms(ctx.model, ctx.areas.timeline);
    let mut pieces = Vec::with_capacity(zooms.len());
    for (zoom, _) in zooms {
        let gap = if pieces.is_empty() { "" } else { "  " };
        pieces.push(if zoom == current {
            (format!("{gap}[{}]", zoom.label()), t.accent)
        } else {
            (format!("{gap}{}", zoom.label()), t.dim)
        });
    }
    Part { pieces, rank: 95 }
}
