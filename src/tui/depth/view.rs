//! Timeouts, order list and target: how deep they are and where they go.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Widget;

use crate::queue::{Known, Pulse, text};
use crate::tui::draw::Ctx;
use crate::tui::flow;
use crate::tui::queues::{self, DepthTrend, Depths, HAND_OVER_MS, QueueRow};
use crate::tui::traffic::TRAFFIC_KEPT;
use crate::tui::widget::line::{self, Line};
use crate::tui::widget::pane::TitlePart;
use crate::tui::widget::spark::Spark;

/// Announcements are counted by the minute, in ms.
const MINUTE_MS: i64 = 60_000;

/// A rate is that of the last so many ms: what happened before is history.
const RATE_MS: i64 = 10_000;

pub(crate) fn render(ctx: &Ctx, buf: &mut Buffer) {
    let slot = ctx.areas.depth;
    if !slot.shown() {
        return;
    }
    title(ctx, buf);
    let Some((row, pulse)) = ctx
        .model
        .selected()
        .and_then(|r| Some((r, r.pulse.as_ref()?)))
    else {
        return;
    };
    if slot.inner.h >= 3 {
        three_lines(ctx, row, pulse, buf);
        // It is kept of the last minutes alone.
        if slot.inner.h >= 4 && ctx.model.then.is_none() {
            strip(ctx, row, pulse, buf);
        }
    } else {
        one_line(ctx, row, pulse, buf);
    }
}

fn title(ctx: &Ctx, buf: &mut Buffer) {
    let t = &ctx.theme;
    let slot = ctx.areas.depth;
    let mut left = vec![TitlePart::new(100, "Depth", t.strong)];
    if tells_lateness(ctx)
        && let Some(late) = ctx
            .model
            .selected()
            .and_then(|row| row.watch.lateness.recent())
    {
        let style = flow::view::late_style(ctx, &late);
        left.push(TitlePart::new(50, flow::view::late_words(&late), style));
    }
    let mut right = Vec::new();
    if ctx.areas.traffic.shown() {
        right.push(TitlePart::new(10, "5 min", t.dim));
    } else {
        right.extend(listeners(ctx));
        right.extend(pace(ctx));
    }
    ctx.pane(slot, None, left, right, buf);
}

/// True where its title has room for how late messages are.
pub(crate) fn tells_lateness(ctx: &Ctx) -> bool {
    ctx.areas.depth.shown() && ctx.areas.depth.inner.w >= 70
}

/// `4 clients`, `3 clients and our worker`.
pub(crate) fn listeners(ctx: &Ctx) -> Option<TitlePart> {
    let row = ctx.model.selected()?;
    let pulse = row.pulse.as_ref()?;
    let t = &ctx.theme;
    let subscribed = pulse.transfer_clients.get().unwrap_or(0);
    let (others, ours) = ctx.model.beside(&row.queue, subscribed);
    if ours > 0 {
        let (who, style) = match others {
            0 => ("no client".to_owned(), t.warn),
            n => (text::counted(n, "client", "clients"), t.text),
        };
        return Some(TitlePart::new(60, format!("{who} and our worker"), style));
    }
    Some(match &pulse.transfer_clients {
        Known::Is(0) if pulse.waiting.get().unwrap_or(0) > 0 => {
            TitlePart::new(60, "no client", t.warn)
        }
        Known::Is(0) => TitlePart::new(60, "no client", t.dim),
        Known::Is(n) => TitlePart::new(60, text::counted(*n, "client", "clients"), t.text),
        Known::Unknown(_) => TitlePart::new(60, "? clients", t.dim),
        Known::None => TitlePart::new(60, "no channel", t.dim),
    })
}

/// `3 published/min`.
pub(crate) fn pace(ctx: &Ctx) -> Option<TitlePart> {
    let row = ctx.model.selected()?;
    // Nothing has been looked at yet: no figure, not 0.
    row.pulse.as_ref()?;
    let channel = row.queue.keys().channel?;
    let traffic = &ctx.model.traffic.heard;
    let recent = traffic.iter().rev();
    let recent = recent.take_while(|a| ctx.now.since(a.at) < MINUTE_MS);
    let count = recent.filter(|a| a.channel == channel).count() as u64;
    // Where more comes in a minute than is kept, what is kept tells for how long that was.
    let kept_ms = traffic.front().map(|oldest| ctx.now.since(oldest.at));
    let short = kept_ms.filter(|ms| traffic.len() >= TRAFFIC_KEPT && (1..MINUTE_MS).contains(ms));
    let words = match short {
        Some(ms) => {
            let a_minute = count * MINUTE_MS.unsigned_abs() / ms.unsigned_abs();
            format!("~{} published/min", text::thousands(a_minute))
        }
        None => format!("{} published/min", text::thousands(count)),
    };
    Some(TitlePart::new(20, words, ctx.theme.dim))
}

/// The samples of one of the depths.
fn samples(trend: &DepthTrend, pick: impl Fn(&Depths) -> Option<u64>) -> Vec<Option<u64>> {
    trend
        .samples
        .iter()
        .map(|s| s.as_ref().and_then(&pick))
        .collect()
}

/// `↑ 12/s`, `↓ 0.4/s`, 9 columns at most; a dim dot while nothing moves, a dim `?` before there are
/// two samples to compare.
fn rate(ctx: &Ctx, trend: &DepthTrend, pick: impl Fn(&Depths) -> Option<u64>) -> (String, Style) {
    let d = &ctx.data;
    let unknown = ("?".to_owned(), d.dim);
    // Newest first, and not across an outage.
    let mut known = trend.samples.iter().rev().map_while(Option::as_ref);
    let Some(last) = known.next() else {
        return unknown;
    };
    // With a long interval there may be no other sample as young as that: then the one before.
    let mut first = last;
    for sample in known {
        let recent = last.at.since(sample.at) <= RATE_MS;
        if recent || first.at == last.at {
            first = sample;
        }
        if !recent {
            break;
        }
    }
    let (Some(a), Some(b), ms @ 1..) = (pick(first), pick(last), last.at.since(first.at)) else {
        return unknown;
    };
    // Tenths a second.
    let tenths = u128::from(a.abs_diff(b)) * 10_000 / u128::from(ms.unsigned_abs());
    let tenths = u64::try_from(tenths).unwrap_or(u64::MAX);
    let arrow = if b > a { d.glyphs.up } else { d.glyphs.down };
    match tenths {
        0 => (d.glyphs.zero.to_owned(), d.dim),
        _ => (format!("{arrow} {}", per_s(tenths)), d.text),
    }
}

/// A rate of so many tenths a second, in 7 columns: `0.4/s`, `12/s`, `2,000/s`, `12.3k/s`.
fn per_s(tenths: u64) -> String {
    match tenths {
        0..100 => format!("{}.{}/s", tenths / 10, tenths % 10),
        _ => format!("{}/s", text::number(tenths / 10, 5)),
    }
}

/// One of the three, ready to be drawn.
struct Depth {
    label: &'static str,
    figure: (String, Style),
    samples: Vec<Option<u64>>,
    note: (String, Style),
}

fn depths(ctx: &Ctx, row: &QueueRow, pulse: &Pulse) -> [Depth; 3] {
    let (waiting, order, target) = (
        |d: &Depths| Some(d.waiting),
        |d: &Depths| d.order,
        |d: &Depths| Some(d.target),
    );
    // In one line there are six columns, and one of them keeps it apart from its label.
    let target_room = if ctx.areas.depth.inner.h >= 3 { 9 } else { 5 };
    let (mut note, mut style) = queues::view::cell::difference(ctx, row, pulse);
    if note == "equal" {
        style = ctx.data.ok;
    } else if pulse.order == Known::None && ctx.areas.depth.inner.h >= 3 {
        // The figure says already that there is no such list.
        note = String::new();
    }
    [
        Depth {
            label: "timeouts",
            figure: ctx.figure(&pulse.waiting, 9),
            samples: samples(&row.trend, waiting),
            note: rate(ctx, &row.trend, waiting),
        },
        Depth {
            label: "order",
            figure: ctx.figure(&pulse.order, 9),
            samples: samples(&row.trend, order),
            note: (note, style),
        },
        Depth {
            label: "target",
            figure: ctx.figure(&pulse.target, target_room),
            samples: samples(&row.trend, target),
            note: rate(ctx, &row.trend, target),
        },
    ]
}

fn spark(ctx: &Ctx, depth: &Depth, x: u16, y: u16, w: u16, buf: &mut Buffer) {
    let spark = Spark {
        samples: &depth.samples,
        style: ctx.data.mid,
        eighths: &ctx.data.glyphs.eighths,
    };
    spark.render(Rect::new(x, y, w, 1), buf);
}

fn three_lines(ctx: &Ctx, row: &QueueRow, pulse: &Pulse, buf: &mut Buffer) {
    let area = ctx.areas.depth.inner;
    for (i, depth) in (0..3).zip(depths(ctx, row, pulse)) {
        let mut line = Line::new(buf, area.x, area.y + i, area.w);
        line.skip(1)
            .put(buf, &format!("{:8}", depth.label), ctx.data.dim);
        line::right(buf, line.x, line.y, 10, &depth.figure.0, depth.figure.1);
        line.skip(11);
        let w = curve_columns(line.room());
        spark(ctx, &depth, line.x, line.y, w, buf);
        line.skip(w + 2);
        line.put_whole(buf, &depth.note.0, depth.note.1);
    }
}

/// The lateness of what left in the last five minutes, below the curves of the depths and as long as
/// they are: what was late by more than the hand-over to a client takes is red.
fn strip(ctx: &Ctx, row: &QueueRow, pulse: &Pulse, buf: &mut Buffer) {
    let (area, d) = (ctx.areas.depth.inner, &ctx.data);
    let mut line = Line::new(buf, area.x, area.y + 3, area.w);
    line.skip(1).put(buf, "late by", d.dim);
    line.skip(1);
    let w = curve_columns(line.room().saturating_sub(11));
    let strip = row.watch.lateness.strip(pulse.at, usize::from(w));
    let most = strip.iter().flatten().max().copied();
    let style = |late: u64| {
        if late >= HAND_OVER_MS.unsigned_abs() {
            d.late
        } else {
            d.mid
        }
    };
    let (figure, of_figure) = match most {
        Some(most) => (text::span(most), style(most)),
        None => (d.glyphs.zero.to_owned(), d.dim),
    };
    line::right(buf, line.x, line.y, 10, &figure, of_figure);
    line.skip(11);
    for (x, late) in (line.x..).zip(&strip) {
        let Some(late) = *late else { continue };
        let eighth = 1 + u128::from(late) * 6 / u128::from(most.unwrap_or(0).max(1));
        let symbol = d.glyphs.eighths[usize::try_from(eighth).unwrap_or(7).min(7)];
        buf[(x, line.y)].set_symbol(symbol).set_style(style(late));
    }
    line.skip(w + 2);
    if most.is_some() {
        line.put_whole(buf, "at most", d.dim);
    }
}

/// Columns of a curve in a line that has so much room behind its figure, and a note behind that.
fn curve_columns(room: usize) -> u16 {
    // Two columns apart, `↑ 12.3k/s`.
    let note = 11;
    let w = u16::try_from(room).unwrap_or(0).saturating_sub(note);
    w.min(30)
}

fn one_line(ctx: &Ctx, row: &QueueRow, pulse: &Pulse, buf: &mut Buffer) {
    let area = ctx.areas.depth.inner;
    let all = depths(ctx, row, pulse);
    // Label, figure, curve, note: fixed places, so that nothing moves when a figure does.
    let widths: [(u16, u16, u16, u16); 3] = [(8, 10, 6, 9), (5, 0, 0, 7), (6, 6, 5, 9)];
    let mut line = Line::new(buf, area.x, area.y, area.w);
    line.skip(1);
    for (depth, (label, figure, curve, note)) in all.iter().zip(widths) {
        let needed = label + figure + curve + note + 1 + u16::from(curve > 0);
        if line.room() < usize::from(needed) {
            break;
        }
        let (x, y) = (line.x, line.y);
        line.put(buf, depth.label, ctx.data.dim);
        line::right(buf, x + label, y, figure, &depth.figure.0, depth.figure.1);
        spark(ctx, depth, x + label + figure + 1, y, curve, buf);
        let note_x = x + label + figure + 1 + curve + u16::from(curve > 0);
        Line::new(buf, note_x, y, note).put_whole(buf, &depth.note.0, depth.note.1);
        line.x = x + needed + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::per_s;

    #[test]
    fn a_rate_is_written_out_where_there_is_room_for_it() {
        let told = [4, 120, 20_000, 99_990, 123_456, u64::MAX].map(per_s);
        let expected = ["0.4/s", "12/s", "2,000/s", "9,999/s", "12.3k/s", "1.84E/s"];
        assert_eq!(told, expected);
    }
}
