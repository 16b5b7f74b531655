//! Below the plot: time labels, the pointer of the bar under the cursor, and what it holds.

use ratatui::buffer::Buffer;

use super::{Picture, cursor, late};
use crate::clock::EpochMillis;
use crate::queue::{Zoom, text};
use crate::tui::areas::track::{self, Track};
use crate::tui::keys::Action;
use crate::tui::view::{Ctx, time};
use crate::tui::widget::line::Line;

pub(super) fn render(ctx: &Ctx, track: &Track, picture: &Picture, buf: &mut Buffer) {
    late::labels(ctx, track, buf);
    let y = track.axis.y;
    let now_x = track.now_x.saturating_sub(1).max(track.axis.x);
    Line::new(buf, now_x, y, 3).put(buf, "now", ctx.theme.strong);
    // Columns that are taken: the labels keep clear of them.
    let mut taken = vec![(now_x, now_x + 3)];
    if let Some(bar) = cursor(ctx, track) {
        let span = pointer(ctx, track, picture, bar, buf);
        taken.push(span);
    } else {
        highest(ctx, track, picture, buf);
    }
    // Before the server's clock is known there is no time to write.
    if ctx.model.link.clock.is_none() {
        return;
    }
    for (x, label) in labels(ctx, track) {
        let end = x + u16::try_from(label.len()).unwrap_or(5);
        let free = |(a, b): &(u16, u16)| end < *a || x > *b;
        if end <= track.axis.right() && taken.iter().all(free) {
            Line::new(buf, x, y, end - x).put(buf, &label, ctx.theme.dim);
            taken.push((x, end));
        }
    }
}

/// Round moments of the local clock, each with the column it is written at.
fn labels(ctx: &Ctx, track: &Track) -> Vec<(u16, String)> {
    let zone = ctx.model.look.zone;
    let zoom = ctx.model.zoom;
    let step: i64 = match zoom {
        Zoom::Minute => 20_000,
        Zoom::TenMinutes => 120_000,
        Zoom::Hour => 600_000,
        Zoom::SixHours => 3_600_000,
        Zoom::Day => 14_400_000,
    };
    let shift = time::offset_s(zone, ctx.now) * 1000;
    let first = (ctx.now.get() + shift).div_euclid(step) + 1;
    (first..)
        .map(|i| EpochMillis::new(i * step - shift))
        .map_while(|at| {
            let bar = track::bar_of(zoom, ctx.now, at)?;
            (bar < track.bars).then(|| {
                let label = match zoom {
                    Zoom::Minute => time::clock(zone, at),
                    _ => time::minute(zone, at),
                };
                let half = u16::try_from(label.len() / 2).unwrap_or(2);
                (track.bar_x(bar).saturating_sub(half), label)
            })
        })
        .collect()
}

/// `▲` under the bar, and what it holds: on a line of its own where there is one, else beside
/// the pointer. Says which columns of the axis it took.
fn pointer(
    ctx: &Ctx,
    track: &Track,
    picture: &Picture,
    bar: usize,
    buf: &mut Buffer,
) -> (u16, u16) {
    let t = &ctx.theme;
    let (g, zone, zoom) = (t.glyphs, ctx.model.look.zone, ctx.model.zoom);
    let x = track.bar_x(bar) + (track.bar_w - 1) / 2;
    let axis = track.axis;
    Line::new(buf, x, axis.y, 1).put(buf, g.pointer, t.accent);
    let from = track::start(zoom, ctx.now, bar);
    let count = picture.counts.get(bar).copied().unwrap_or(0);
    let due = format!("{} due", text::thousands(count));
    // An empty bar has nothing to be listed.
    let listed = |words: &str| match ctx.key(Action::Open) {
        Some(key) if count > 0 => format!("{key} list{words}"),
        _ => String::new(),
    };
    let own_line = !track.readout.is_empty();
    let words = if own_line {
        let to = time::clock(zone, from.plus(zoom.bar_ms()));
        let share = match picture.in_view {
            0 => String::new(),
            all => format!("   {} % of the view", share(count, all)),
        };
        format!(
            "{} {} {to}   {due}{share}   {}",
            time::clock(zone, from),
            g.to,
            listed(" these")
        )
    } else {
        format!("{} {due} {}", time::clock(zone, from), listed(""))
    };
    let words = words.trim_end();
    let long = u16::try_from(text::width(words)).unwrap_or(u16::MAX);
    if own_line {
        let most = track.readout.right().saturating_sub(long);
        let left = x.saturating_sub(long / 2).min(most).max(track.readout.x);
        Line::new(buf, left, track.readout.y, long).put(buf, words, t.text);
        return (x, x + 1);
    }
    // Right of the pointer, else left of it, else the pointer alone.
    if x + 2 + long <= axis.right() {
        Line::new(buf, x + 2, axis.y, long).put(buf, words, t.text);
        (x, x + 2 + long)
    } else if x > track.plot.x + long + 2 {
        Line::new(buf, x - 1 - long, axis.y, long).put(buf, words, t.text);
        (x - 1 - long, x + 1)
    } else {
        (x, x + 1)
    }
}

/// Without a chosen bar its line tells of the highest one.
fn highest(ctx: &Ctx, track: &Track, picture: &Picture, buf: &mut Buffer) {
    let (zone, zoom) = (ctx.model.look.zone, ctx.model.zoom);
    let highest = picture.counts.iter().position(|n| *n == picture.peak);
    let (Some(bar), 1.., false) = (highest, picture.peak, track.readout.is_empty()) else {
        return;
    };
    let from = track::start(zoom, ctx.now, bar);
    let words = format!(
        "highest {} due {} {} {}",
        text::thousands(picture.peak),
        time::clock(zone, from),
        ctx.theme.glyphs.to,
        time::clock(zone, from.plus(zoom.bar_ms()))
    );
    let room = track.readout.right().saturating_sub(track.plot.x);
    Line::new(buf, track.plot.x, track.readout.y, room).put_whole(buf, &words, ctx.data.dim);
}

/// `count` of `all` in per cent, `<1` for a little.
fn share(count: u64, all: u64) -> String {
    match u128::from(count) * 100 / u128::from(all.max(1)) {
        0 if count > 0 => "<1".to_owned(),
        percent => percent.to_string(),
    }
}
