//! The title: whose due times, the zooms, what lies beyond, how high and how wide a bar is.

use ratatui::buffer::Buffer;

use super::Picture;
use crate::queue::{Zoom, text};
use crate::tui::draw::Ctx;
use crate::tui::hitmap::Target;
use crate::tui::model::Pane;
use crate::tui::timeline;
use crate::tui::timeline::place::Track;
use crate::tui::widget::pane::TitlePart;

/// Below this the title has the current zoom alone, else that and its neighbours.
const NEIGHBOURS: u16 = 66;

pub(crate) fn render(ctx: &Ctx, track: &Track, picture: &Picture, buf: &mut Buffer) {
    let (m, t) = (ctx.model, &ctx.theme);
    let mut left = vec![TitlePart::new(100, "Due", ctx.title(Pane::Timeline))];
    if let Some(name) = timeline::queries::name(m) {
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
        right.push(TitlePart::new(80, later, t.text));
    }
    right.push(if m.timeline.log_height {
        TitlePart::new(60, "log", t.accent)
    } else {
        TitlePart::new(40, "linear", t.dim)
    });
    let words = format!("{} a bar", picture.scale.width());
    // How wide the bars of "all" are cannot be known from the zoom.
    let rank = match m.timeline.zoom {
        _ if ctx.wide() => 30,
        Zoom::All => 15,
        _ => 5,
    };
    right.push(TitlePart::new(rank, words, t.dim));
    right.extend(ctx.age(m.selected(), ctx.interval_ms()));
    let zoom = |words: &str| {
        let label = words.trim_matches(['[', ']']);
        let mut zooms = Zoom::ALL.into_iter();
        zooms.find(|zoom| zoom.label() == label).map(Target::Zoom)
    };
    let slot = ctx.areas.timeline;
    ctx.titled(slot, Some(Pane::Timeline), left, right, zoom, buf);
}

/// The zooms that there is room for, the current one in brackets.
fn zooms(ctx: &Ctx) -> TitlePart {
    let (t, current, w) = (
        &ctx.theme,
        ctx.model.timeline.zoom,
        ctx.areas.timeline.outer.w,
    );
    let near = |z: Zoom| w >= NEIGHBOURS && (z == current.closer() || z == current.wider());
    let shown = |z: &Zoom| w >= timeline::queries::WIDE || *z == current || near(*z);
    let mut pieces = Vec::new();
    for zoom in Zoom::ALL.into_iter().filter(shown) {
        let (words, style) = if zoom == current {
            (format!("[{}]", zoom.label()), t.accent)
        } else {
            (zoom.label().to_owned(), t.dim)
        };
        if !pieces.is_empty() {
            pieces.push(("  ".to_owned(), style));
        }
        pieces.push((words, style));
    }
    TitlePart { pieces, rank: 95 }
}
