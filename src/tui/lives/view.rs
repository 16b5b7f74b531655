//! The lives of messages as lanes, one under another, newest first.

use ratatui::buffer::Buffer;
use ratatui::style::Style;
use ratatui::widgets::{Clear, Widget};

use super::MessageLife;
use crate::queue::text;
use crate::tui::cursor::Scrolled;
use crate::tui::draw::{Ctx, rect};
use crate::tui::hitmap::Target;
use crate::tui::moments;
use crate::tui::widget::line::Line;
use crate::tui::widget::pane::Part;

/// Later than this is late, in ms: what a refresh cannot see closer is not held against anybody.
const LATE_MS: i64 = 1_000;

/// Columns of what stands before a lane: the beginning of the id.
const ID: usize = 8;

pub(crate) fn render(ctx: &Ctx, scroll: usize, buf: &mut Buffer) {
    let (m, t) = (ctx.model, &ctx.theme);
    let slot = super::place::slot(m);
    let body = super::place::body(slot);
    Clear.render(rect(slot.outer).intersection(buf.area), buf);
    // A click on its border closes it.
    ctx.record(slot.outer, Target::Beside);
    ctx.record(slot.inner, Target::Box);
    let name = m.selected().map(|row| row.queue.name.text().into_owned());
    let name = name.unwrap_or_default();
    let left = vec![
        Part::new(100, "Lives of messages".to_owned(), t.strong),
        Part::new(90, text::printable(&name).into_owned(), t.text),
    ];
    let shown = m.lives.shown();
    let more = shown.len().saturating_sub(usize::from(body.h));
    ctx.room(|room| room.last_line = Some(more));
    let right = if more > 0 {
        let seen = usize::from(body.h) + scroll.min(more);
        let words = format!("{seen} of {} {}", shown.len(), t.glyphs.down);
        vec![Part::new(50, words, t.warn)]
    } else {
        Vec::new()
    };
    ctx.pane(slot, None, left, right, buf);
    ctx.rail(
        Scrolled::Lives,
        slot,
        body,
        (shown.len() as u64, scroll as u64),
    );
    let rows = shown.iter().skip(scroll.min(more));
    for (life, y) in rows.zip(body.y..body.y + body.h) {
        let mut line = Line::new(buf, body.x, y, body.w);
        line.skip(1);
        lane(ctx, life, line, buf);
    }
    let cut = t.glyphs.cut;
    let mut foot = Line::new(buf, body.x, body.y, body.w);
    if shown.is_empty() {
        foot.skip(1);
        foot.put_cut(
            buf,
            "No message of this queue has been seen yet.",
            cut,
            t.dim,
        );
    }
    let within = shown
        .iter()
        .filter_map(|life| life.left.map(|left| left.within_ms));
    let within = within.max().unwrap_or(0).unsigned_abs();
    let earlier = match within {
        0 => "seen by refreshes".to_owned(),
        within => format!(
            "seen by refreshes: what stands behind {} may have been up to {} earlier",
            t.glyphs.now,
            text::span(within)
        ),
    };
    let words = [
        earlier,
        "who transferred and took a message cannot be seen so; MONITOR tells it:".to_owned(),
        format!("  delayscope trace {}", text::printable(&name)),
    ];
    for (words, y) in words
        .iter()
        .zip(body.y + body.h..slot.inner.y + slot.inner.h)
    {
        let mut line = Line::new(buf, body.x, y, body.w);
        line.skip(1);
        line.put_cut(buf, words, cut, t.dim);
    }
}

/// `9f3c2a77 seen 14:02:01 ─ announced ─ due 14:02:06 ┃ transferred 0:01 ─ taken 0:02  {"order":…`
fn lane(ctx: &Ctx, life: &MessageLife, mut row: Line, buf: &mut Buffer) {
    let (m, t) = (ctx.model, &ctx.theme);
    let zone = m.look.zone;
    let on = format!(" {} ", if m.look.ascii { "-" } else { "─" });
    let id = life.id.to_string();
    row.put(buf, &id[..ID.min(id.len())], t.text).skip(1);
    let mut put = |words: &str, style: Style| {
        row.put(buf, words, style);
    };
    put(&format!("seen {}", moments::clock(zone, life.seen)), t.dim);
    if life.announced.is_some() {
        put(&on, t.dim);
        put("announced", t.text);
    }
    put(&on, t.dim);
    put(&format!("due {} ", moments::clock(zone, life.due)), t.text);
    put(t.glyphs.now, t.accent);
    let by = |ms: i64| if ms > LATE_MS { t.late } else { t.ok };
    let after = |at: crate::clock::EpochMillis| {
        let ms = at.since(life.due).max(0);
        (text::span(ms.unsigned_abs()), by(ms))
    };
    match life.left {
        None => {
            let left = life.due.since(m.now);
            if left < 0 {
                put(&format!(" late {}", text::countdown(-left)), t.late);
            } else {
                put(&format!(" in {}", text::countdown(left)), t.dim);
            }
        }
        Some(_) if life.left_early() => put(" left before: polled, moved or removed", t.warn),
        Some(left) => {
            let (span, style) = after(left.at);
            put(&format!(" transferred +{span}"), style);
            if let Some(taken) = life.taken {
                put(&on, t.dim);
                put(&format!("taken +{}", after(taken.at).0), t.text);
            } else {
                put(&on, t.dim);
                put("in target, or taken", t.dim);
            }
        }
    }
    row.skip(2);
    row.put_cut(buf, &life.text, t.glyphs.cut, t.dim);
}
