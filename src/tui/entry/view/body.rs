//! The payload as lines of text, and the member as bytes; what was found in it stands out.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::widgets::Widget;

use crate::queue::text;
use crate::tui::draw::Ctx;
use crate::tui::entries::EntryRow;
use crate::tui::entry::tree::{Tree, ValueKind};
use crate::tui::entry::{self, EntryView, Face, Piece, Spot, TextSearch};
use crate::tui::widget::hex::Hex;
use crate::tui::widget::line::{self, Line};

/// Draws the member's bytes, from line `scroll` on: the fields of its frame step back behind the
/// payload.
pub(crate) fn bytes(
    ctx: &Ctx,
    row: &EntryRow,
    parts: Parts<'_>,
    scroll: usize,
    area: Rect,
    buf: &mut Buffer,
) {
    let each = entry::text::bytes_a_line(area.width);
    let last = row.member.len().div_ceil(each);
    let last = last.saturating_sub(usize::from(area.height));
    let scroll = scroll.min(last);
    let seen = scroll * each..(scroll + usize::from(area.height)) * each;
    let mut styled = fields(ctx, row);
    styled.extend(parts.styled(ctx, &seen));
    for (hit, style) in parts.found.into_iter().flat_map(|found| hits(ctx, found)) {
        if let Spot::Bytes(range) = hit
            && range.start < seen.end
            && range.end > seen.start
        {
            styled.push((range.clone(), style));
        }
    }
    let hex = Hex {
        bytes: &row.member,
        each,
        scroll,
        text: ctx.data.text,
        styled: &styled,
        dim: ctx.data.dim,
    };
    hex.render(area, buf);
}

/// The parts of an opened entry's bytes that stand out.
#[derive(Clone, Copy, Default)]
pub(crate) struct Parts<'a> {
    /// The search in it, and what that found.
    found: Option<&'a TextSearch>,
    /// The tree of what its bytes say.
    tree: Option<&'a Tree>,
    /// Bytes before the payload.
    start: usize,
    /// The value under the cursor stands out.
    is_followed: bool,
}

impl<'a> Parts<'a> {
    pub(crate) fn of(view: &'a EntryView) -> Self {
        Self {
            found: view.found.as_ref(),
            tree: view.tree.as_ref(),
            start: view.row.member.len().saturating_sub(view.row.size),
            is_followed: view.face == Face::Tree,
        }
    }

    /// The line of bytes from which the value under the cursor is in sight.
    pub(crate) fn scroll(&self, area: Rect) -> usize {
        let Some(tree) = self.tree else {
            return 0;
        };
        let at = self.start
            + tree
                .lines
                .get(tree.line())
                .map_or(0, |line| line.bytes.start);
        let line = at / entry::text::bytes_a_line(area.width);
        line.saturating_sub(usize::from(area.height / 2))
    }

    /// The bytes of each value in sight in the colour of its kind.
    fn styled(&self, ctx: &Ctx, seen: &Range<usize>) -> Vec<(Range<usize>, Style)> {
        let Some(tree) = self.tree else {
            return Vec::new();
        };
        let place = |bytes: &Range<usize>| self.start + bytes.start..self.start + bytes.end;
        let in_sight = |bytes: &Range<usize>| bytes.start < seen.end && bytes.end > seen.start;
        let leaves = tree.lines.iter().filter(|line| line.below == 0);
        let mut styled: Vec<_> = leaves
            .map(|line| (place(&line.bytes), kind(ctx, line.kind)))
            .filter(|(bytes, _)| in_sight(bytes))
            .collect();
        // The outermost is the whole payload: no place in it.
        if self.is_followed
            && tree.line() > 0
            && let Some(line) = tree.lines.get(tree.line())
        {
            let under = Style::new().add_modifier(Modifier::REVERSED);
            styled.push((place(&line.bytes), under));
        }
        styled
    }
}

/// Returns the style of a value's bytes; the marks between values step back.
fn kind(ctx: &Ctx, kind: ValueKind) -> Style {
    match kind {
        ValueKind::Text => ctx.data.ok,
        ValueKind::Number => ctx.data.accent,
        ValueKind::Branch | ValueKind::Other => ctx.data.mid,
    }
}

/// The fields of the frame, each in the colour that [`legend`] names it in.
fn fields(ctx: &Ctx, row: &EntryRow) -> Vec<(Range<usize>, Style)> {
    let styles = field_styles(ctx);
    let mut from = 0;
    let mut all = Vec::new();
    for (i, (_, bytes)) in row
        .form
        .map_or(&[][..], |form| form.fields())
        .iter()
        .enumerate()
    {
        all.push((from..from + bytes, styles[i % styles.len()]));
        from += bytes;
    }
    all
}

fn field_styles(ctx: &Ctx) -> [Style; 3] {
    [ctx.data.warn, ctx.data.accent, ctx.data.mid]
}

/// Says which field of the frame has which colour, and which bytes it takes; only their names
/// where the line is short.
pub(crate) fn legend(ctx: &Ctx, row: &EntryRow, line: &mut Line, buf: &mut Buffer) {
    let Some(form) = row.form else {
        return;
    };
    let d = &ctx.data;
    let mut from = 0;
    let mut parts = Vec::new();
    for ((name, bytes), style) in form.fields().iter().zip(field_styles(ctx).iter().cycle()) {
        let last = from + bytes - 1;
        let place = if *bytes == 1 {
            format!("{from} ")
        } else {
            format!("{from}{}{last} ", d.glyphs.to)
        };
        parts.push((place, *name, *style));
        from += bytes;
    }
    // Its values have no place in bytes that are packed, and no colour.
    let is_packed = matches!(&row.content, Ok(decoded) if decoded.inner.is_some());
    let payload = if is_packed {
        "payload, packed"
    } else {
        "payload"
    };
    parts.push((format!("{from}{} ", d.glyphs.to), payload, d.text));
    let whole = |part: &(String, &str, Style)| text::width(&part.0) + part.1.len() + 2;
    let places = parts.iter().map(whole).sum::<usize>() <= line.room() + 2;
    for (place, name, style) in &parts {
        if places {
            line.put(buf, place, d.dim);
        }
        if !line.put_whole(buf, name, *style) {
            return;
        }
        line.skip(2);
    }
}

/// Draws lines of text from line `scroll` on.
pub(crate) fn words(
    ctx: &Ctx,
    lines: &[Piece],
    found: Option<&TextSearch>,
    scroll: usize,
    area: Rect,
    buf: &mut Buffer,
) {
    let first = scroll.min(lines.len().saturating_sub(usize::from(area.height)));
    for (y, piece) in (area.top()..area.bottom()).zip(lines.iter().skip(first)) {
        Line::new(buf, area.x, y, area.width).put(buf, &piece.text, ctx.data.text);
    }
    let seen = first..first + usize::from(area.height);
    let hits = found.into_iter().flat_map(|found| hits(ctx, found));
    for (hit, style) in hits {
        let Spot::Text(pieces) = hit else { continue };
        for (at, range) in pieces.iter().filter(|(at, _)| seen.contains(at)) {
            let Some(piece) = lines.get(*at) else {
                continue;
            };
            let y = area.y + u16::try_from(at - first).unwrap_or(0);
            let mut cells = Line::new(buf, area.x, y, area.width);
            let (before, rest) = piece.text.split_at(range.start.min(piece.text.len()));
            let what = rest.get(..range.len()).unwrap_or(rest);
            let skipped = line::columns(before);
            cells.skip(u16::try_from(skipped).unwrap_or(u16::MAX));
            cells.put(buf, what, style);
        }
    }
}

/// The places that were found, and how each looks: the present one is reversed.
fn hits<'a>(ctx: &Ctx, found: &'a TextSearch) -> impl Iterator<Item = (&'a Spot, Style)> {
    let other = ctx.data.accent.add_modifier(Modifier::UNDERLINED);
    let present = ctx.data.accent.add_modifier(Modifier::REVERSED);
    let style = move |i| if i == found.at { present } else { other };
    found
        .hits
        .iter()
        .enumerate()
        .map(move |(i, hit)| (hit, style(i)))
}
