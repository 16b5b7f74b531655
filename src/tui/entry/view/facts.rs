//! The facts that are known of an entry, a line a fact.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::queue::{Due, text};
use crate::tui::draw::Ctx;
use crate::tui::entries::EntryRow;
use crate::tui::entry::view::body::legend;
use crate::tui::moments;
use crate::tui::tabs::{self, Tab};
use crate::tui::widget::line::Line;

/// Draws the facts.
pub(crate) fn facts(ctx: &Ctx, row: &EntryRow, area: Rect, buf: &mut Buffer) {
    let d = &ctx.data;
    let (due, epoch) = match row.due {
        Due::At(at) => (
            [moments::full(ctx.model.look.zone, at), moments::utc(at)],
            at.get().to_string(),
        ),
        Due::OutOfRange(_) if !row.scored() => (
            ["none: timeouts does not hold it".to_owned(), String::new()],
            String::new(),
        ),
        Due::OutOfRange(_) => (
            ["the score is no moment".to_owned(), String::new()],
            String::new(),
        ),
    };
    let frame = match (row.form, &row.content) {
        (Some(form), _) => format!("{form}, {}", form.writers()),
        (None, Err(why)) => format!("{} none: {why}", d.glyphs.lost),
        (None, Ok(_)) => format!("{} (the payload stands alone)", d.glyphs.none),
    };
    let [local, utc] = due;
    let score = match row.due {
        _ if !row.scored() => String::new(),
        Due::At(at) if at.get().to_string() == row.score.to_string() => format!("{epoch} ms"),
        Due::At(_) => format!("{epoch} ms   score {}", row.score),
        Due::OutOfRange(score) => format!("score {score}"),
    };
    let all: [(&str, String, Style); 8] = [
        ("id", row.id.to_string(), d.strong),
        ("due", local, d.text),
        ("", utc, d.dim),
        ("", score, d.dim),
        (
            "frame",
            frame,
            if row.content.is_err() { d.warn } else { d.text },
        ),
        ("", String::new(), d.text),
        ("size", size(ctx, row, area.width), d.text),
        ("codec", codec(row), d.text),
    ];
    for (y, (label, words, style)) in (area.top()..area.bottom()).zip(all) {
        let mut line = Line::new(buf, area.x, y, area.width);
        line.put(buf, &format!("{label:7}"), d.dim);
        line.put_cut(buf, &words, d.glyphs.cut, style);
    }
    let mut line = Line::new(buf, area.x, area.y + LEGEND, area.width);
    if area.height > LEGEND {
        line.skip(7);
        legend(ctx, row, &mut line, buf);
    }
}

/// The row of the bytes' legend among the facts, from 0.
const LEGEND: u16 = 5;

/// Says where it stands among those that wait, while the cursor is on it.
fn place(ctx: &Ctx, row: &EntryRow) -> String {
    let m = ctx.model;
    let under = m.entry().filter(|entry| entry.member == row.member);
    under.map_or(String::new(), |_| {
        let (at, of) = (m.stand().cursor + 1, tabs::queries::count(m));
        let order = match m.tab {
            // Its place among all of them is not known here.
            _ if m.on_hits() => "found",
            Tab::Delivered => "delivered",
            Tab::Order => "in the order list",
            Tab::Quarantine => "in quarantine",
            _ => "by due time",
        };
        let (at, of) = (text::thousands(at), text::thousands(of));
        format!("   {at} of {of} {order}")
    })
}

/// Its bytes, and where there is room for it its place.
fn size(ctx: &Ctx, row: &EntryRow, columns: u16) -> String {
    let count = |n: usize| text::thousands(u64::try_from(n).unwrap_or(0));
    let (payload, member) = (count(row.size), count(row.member.len()));
    let mut size = format!("{payload} byte{}", if row.size == 1 { "" } else { "s" });
    if row.size != row.member.len() {
        size = format!("{size}, {member} with the frame");
    }
    let place = place(ctx, row);
    if text::width(&size) + text::width(&place) + 7 <= usize::from(columns) {
        size.push_str(&place);
    }
    size
}

/// The codec's name, the one's that it has packed, the type of a single value, and why it is taken
/// to be that one; and that not all of it was read.
fn codec(row: &EntryRow) -> String {
    let Ok(decoded) = &row.content else {
        return "none: without a frame there is no payload to read".to_owned();
    };
    let mut name = decoded.codec.to_string();
    if let Some(inner) = decoded.inner {
        name = format!("{name} around {inner}");
    }
    if let Some(class) = &decoded.class {
        name = format!("{name}, {}", text::cut(class, 60));
    }
    let cut = if decoded.is_cut {
        "; only the first part is read"
    } else {
        ""
    };
    format!("{name}: {}{cut}", decoded.why)
}
