//! The tree of an opened entry.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use crate::tui::area::Area;
use crate::tui::draw::Ctx;
use crate::tui::entry::tree::{Tree, TreeLine, ValueKind};
use crate::tui::entry::{Spot, TextSearch};
use crate::tui::hitmap::Target;
use crate::tui::widget::line::Line;

/// Columns that a level is moved in.
const INDENT: usize = 2;

/// Draws the lines of the tree from `scroll` on.
pub(crate) fn tree(
    ctx: &Ctx,
    tree: &Tree,
    found: Option<&TextSearch>,
    scroll: usize,
    area: Rect,
    buf: &mut Buffer,
) {
    let shown = tree.shown.iter().enumerate().skip(scroll);
    for (y, (at, index)) in (area.top()..area.bottom()).zip(shown) {
        let Some(value) = tree.lines.get(*index) else {
            continue;
        };
        let row = Rect::new(area.x, y, area.width, 1);
        let is_found =
            found.is_some_and(|found| found.hits.binary_search_by_key(index, line).is_ok());
        line_of(ctx, value, is_found, row, buf);
        let place = Area::new(row.x, row.y, row.width, 1);
        ctx.record(place, Target::Value(at));
        if at == tree.cursor {
            ctx.select(place, true, buf);
        }
    }
}

/// The line of the tree that a place is; those of other faces come after all.
fn line(spot: &Spot) -> usize {
    match spot {
        Spot::Line(at) => *at,
        _ => usize::MAX,
    }
}

fn line_of(ctx: &Ctx, value: &TreeLine, is_found: bool, row: Rect, buf: &mut Buffer) {
    let d = &ctx.data;
    let mut line = Line::new(buf, row.x, row.y, row.width);
    // Deep ones would leave no room for what they say.
    let indent = (value.depth * INDENT).min(usize::from(row.width / 2));
    line.skip(1 + u16::try_from(indent).unwrap_or_default());
    let marker = match (value.below, value.folded) {
        (0, _) => " ",
        (_, true) => d.glyphs.more,
        (_, false) => d.glyphs.falls,
    };
    line.put(buf, marker, d.accent);
    line.skip(1);
    let found = |style: ratatui::style::Style| {
        if is_found {
            style.patch(d.found).add_modifier(Modifier::UNDERLINED)
        } else {
            style
        }
    };
    if !value.name.is_empty() {
        line.put(buf, &value.name, found(d.strong));
        line.skip(2);
    }
    let style = match value.kind {
        ValueKind::Text => d.text,
        ValueKind::Number => d.accent,
        ValueKind::Branch | ValueKind::Other => d.dim,
    };
    let class = format!("  {}", value.class);
    if value.kind == ValueKind::Branch && !value.class.is_empty() {
        line.put_cut(buf, &value.class, d.glyphs.cut, found(d.mid));
        line.put_cut(buf, &format!("  {}", value.words), d.glyphs.cut, style);
        return;
    }
    line.put_cut(buf, &value.words, d.glyphs.cut, found(style));
    if !value.class.is_empty() {
        line.put_whole(buf, &class, d.dim);
    }
}
