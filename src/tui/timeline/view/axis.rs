//! Below the plot: time labels, the pointer of the bar under the cursor, and what it holds.

use ratatui::buffer::Buffer;

use super::{Picture, cursor};
use crate::clock::EpochMillis;
use crate::queue::{Scale, text};
use crate::tui::draw::Ctx;
use crate::tui::keys::Action;
use crate::tui::moments;
use crate::tui::timeline::place::Track;
use crate::tui::widget::line::Line;

const MINUTE: i64 = 60_000;

const HOUR: i64 = 60 * MINUTE;

const DAY: i64 = 24 * HOUR;

/// Distances that two labels may have, in ms: with 8 bars at least between them each has room.
const STEPS: [i64; 16] = [
    20_000,
    MINUTE,
    2 * MINUTE,
    5 * MINUTE,
    10 * MINUTE,
    20 * MINUTE,
    HOUR,
    2 * HOUR,
    4 * HOUR,
    12 * HOUR,
    DAY,
    2 * DAY,
    7 * DAY,
    14 * DAY,
    30 * DAY,
    60 * DAY,
];

pub(crate) fn render(ctx: &Ctx, track: &Track, picture: &Picture, buf: &mut Buffer) {
    super::late::labels(ctx, track, picture, buf);
    let y = track.axis.y;
    let now_x = track.now_x.saturating_sub(1).max(track.axis.x);
    Line::new(buf, now_x, y, 3).put(buf, "now", ctx.theme.strong);
    // Columns that are taken: the labels keep clear of them.
    let mut taken = vec![(now_x, now_x + 3)];
    if let Some(bar) = cursor(ctx, track) {
        taken.push(of_bar(ctx, track, picture, bar, buf));
    } else if let Some((x, count)) = super::late::chosen(ctx, track, picture) {
        let words = super::late::words(ctx.model.timeline.late_class.unwrap_or(0));
        let told = AxisWords {
            long: words.to_owned(),
            short: words.to_owned(),
            share: None,
            what: "entries",
            count: Some(count),
        };
        taken.push(told.put(ctx, track, x, buf));
    } else {
        highest(ctx, track, picture, buf);
    }
    // Before the server's clock is known there is no time to write.
    if ctx.model.link.clock.is_none() {
        return;
    }
    for (x, label) in labels(ctx, track, picture.scale) {
        let end = x + u16::try_from(label.len()).unwrap_or(5);
        let free = |(a, b): &(u16, u16)| end < *a || x > *b;
        if end <= track.axis.right() && taken.iter().all(free) {
            Line::new(buf, x, y, end - x).put(buf, &label, ctx.theme.dim);
            taken.push((x, end));
        }
    }
}

/// Round moments of the local clock, each with the column it is written at. Midnight has the
/// day's name instead.
fn labels(ctx: &Ctx, track: &Track, scale: Scale) -> Vec<(u16, String)> {
    let zone = ctx.model.look.zone;
    let wide = scale.bar_ms.saturating_mul(8);
    let more = std::iter::successors(STEPS.last().copied(), |ms| ms.checked_mul(2));
    let mut steps = STEPS.into_iter().chain(more.skip(1));
    let Some(step) = steps.find(|step| *step >= wide) else {
        return Vec::new();
    };
    let shift = moments::offset_s(zone, ctx.now) * 1000;
    let first = (ctx.now.get() + shift).div_euclid(step) + 1;
    let moment = |i: i64| {
        let at = EpochMillis::new(i.saturating_mul(step) - shift);
        // The clocks may have changed until then.
        at.plus(shift - moments::offset_s(zone, at) * 1000)
    };
    (first..)
        .map(moment)
        .map_while(|at| {
            let bar = scale.bar_of(ctx.now, at)?;
            (bar < track.bars).then(|| {
                let midnight = moments::is_midnight(zone, at);
                let label = match () {
                    () if step >= 60 * DAY => moments::month(zone, at),
                    () if midnight || step >= DAY => moments::day(zone, at, at),
                    () if step < MINUTE => moments::clock(zone, at),
                    () => moments::minute(zone, at),
                };
                let half = u16::try_from(label.len() / 2).unwrap_or(2);
                let x = track.bar_x(bar).saturating_sub(half);
                // The name of a day keeps clear of `now`: it is no moment, but what follows.
                let least = if midnight { track.now_x + 3 } else { 0 };
                (x.max(least), label)
            })
        })
        .collect()
}

/// `▲` under the bar, and what it holds.
fn of_bar(ctx: &Ctx, track: &Track, picture: &Picture, bar: usize, buf: &mut Buffer) -> (u16, u16) {
    let x = track.bar_x(bar) + (track.bar_w - 1) / 2;
    Line::new(buf, x, track.axis.y, 1).put(buf, ctx.theme.glyphs.pointer, ctx.theme.accent);
    // What was not read is not nothing.
    let known = picture.survey.is_some();
    let count = picture.counts.get(bar).copied().filter(|_| known);
    let (from, to) = span(ctx, picture.scale, bar);
    let told = AxisWords {
        long: format!("{from} {} {to}", ctx.theme.glyphs.to),
        short: from,
        share: (picture.in_view > 0).then(|| share(count.unwrap_or(0), picture.in_view)),
        what: "due",
        count,
    };
    told.put(ctx, track, x, buf)
}

/// When a bar begins and ends: the first one begins now.
fn span(ctx: &Ctx, scale: Scale, bar: usize) -> (String, String) {
    let zone = ctx.model.look.zone;
    let (from, to) = (scale.start(ctx.now, bar), scale.start(ctx.now, bar + 1));
    let write = |at: EpochMillis, day: EpochMillis| {
        let clock = if scale.bar_ms < MINUTE {
            moments::clock(zone, at)
        } else {
            moments::minute(zone, at)
        };
        match () {
            () if scale.bar_ms >= DAY && moments::is_midnight(zone, at) => {
                moments::day(zone, at, ctx.now)
            }
            () if moments::same_day(zone, at, day) => clock,
            // Midnight ends the day that was named.
            () if moments::is_midnight(zone, at) && day != ctx.now => clock,
            () => format!("{} {clock}", moments::day(zone, at, ctx.now)),
        }
    };
    if bar == 0 {
        return ("now".to_owned(), write(to, ctx.now));
    }
    (write(from, ctx.now), write(to, from))
}

/// The words on the axis about what is under the cursor.
struct AxisWords {
    /// In a line of its own.
    long: String,
    /// Beside the pointer.
    short: String,
    /// Its part of the view, in per cent.
    share: Option<String>,
    /// The word for what is counted.
    what: &'static str,
    /// The count; none when it is unknown.
    count: Option<u64>,
}

impl AxisWords {
    /// Writes it on a line of its own where there is one, else beside the pointer at `x`. Says
    /// which columns of the axis it took.
    fn put(&self, ctx: &Ctx, track: &Track, x: u16, buf: &mut Buffer) -> (u16, u16) {
        let t = &ctx.theme;
        let axis = track.axis;
        let count = self.count.map_or_else(|| "?".to_owned(), text::thousands);
        let due = format!("{count} {}", self.what);
        // An empty bar has nothing to be listed.
        let listed = |words: &str| match ctx.key(Action::Open) {
            Some(key) if self.count.is_some_and(|n| n > 0) => format!("{key} list{words}"),
            _ => String::new(),
        };
        if !track.readout.is_empty() {
            let share = self.share.as_ref();
            let share = share.map_or_else(String::new, |s| format!("   {s} % of the view"));
            let words = format!("{}   {due}{share}   {}", self.long, listed(" these"));
            let words = words.trim_end();
            let long = u16::try_from(text::width(words)).unwrap_or(u16::MAX);
            let most = track.readout.right().saturating_sub(long);
            let left = x.saturating_sub(long / 2).min(most).max(track.readout.x);
            Line::new(buf, left, track.readout.y, long).put(buf, words, t.text);
            return (x, x + 1);
        }
        let words = format!("{} {due} {}", self.short, listed(""));
        let words = words.trim_end();
        let long = u16::try_from(text::width(words)).unwrap_or(u16::MAX);
        // Right of the pointer (and of `now`), else left of it, else the pointer alone.
        let right = if x < track.plot.x {
            track.plot.x + 1
        } else {
            x
        } + 2;
        if right + long <= axis.right() {
            Line::new(buf, right, axis.y, long).put(buf, words, t.text);
            (x, right + long)
        } else if x > track.plot.x + long + 2 {
            Line::new(buf, x - 1 - long, axis.y, long).put(buf, words, t.text);
            (x - 1 - long, x + 1)
        } else {
            (x, x + 1)
        }
    }
}

/// Without a chosen bar its line tells of the highest one; where none holds more than an entry, of
/// the next.
fn highest(ctx: &Ctx, track: &Track, picture: &Picture, buf: &mut Buffer) {
    let highest = picture.counts.iter().position(|n| *n == picture.peak);
    let (Some(bar), 1.., false) = (highest, picture.peak, track.readout.is_empty()) else {
        return;
    };
    let (from, to) = span(ctx, picture.scale, bar);
    let words = match picture.peak {
        1 => format!("next due {from} {} {to}", ctx.theme.glyphs.to),
        peak => format!("peak {} at {from}", text::thousands(peak)),
    };
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
