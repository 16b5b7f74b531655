//! The countdown timeline: what is late left of the now line, the future right of it in bars.

pub mod axis;
pub mod late;
pub mod single;
pub mod title;

use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::style::Style;
use ratatui::widgets::Widget;

use crate::queue::{Known, Scale, Survey, Zoom, text};
use crate::tui::area::Area;
use crate::tui::draw::{Ctx, rect};
use crate::tui::hitmap::Target;
use crate::tui::keys::Action;
use crate::tui::model::Pane;
use crate::tui::queues::QueueRow;
use crate::tui::timeline::place::Track;
use crate::tui::widget::bars::{Bars, Rise};
use crate::tui::widget::line::{self, Line};
use crate::tui::widget::wrap;

/// A survey that takes longer than this is said to be under way.
const SLOW: Duration = Duration::from_millis(500);

/// A late class of more than so many times the highest bar does not set the scale: it is drawn cut.
const TALL: u64 = 3;

/// The bars in sight, as counts.
pub(crate) struct Picture<'a> {
    /// The survey they are of; none while nothing was read at this zoom.
    survey: Option<&'a Survey>,
    /// Width in ms and number of the bars.
    scale: Scale,
    /// A count a bar.
    counts: Vec<u64>,
    /// The highest of them.
    peak: u64,
    /// The highest of them and of the classes of what is late, as far as the scale follows these.
    most: u64,
    /// The scale of the heights. Linear, a row an entry at least, by logarithm at least ten in all:
    /// so a quiet queue looks quiet.
    rise: Rise,
    /// Between two labels of the scale.
    step: u64,
    /// All of them.
    in_view: u64,
    /// Number of entries that are due after the last bar.
    beyond: u64,
}

pub(crate) fn render(ctx: &Ctx, buf: &mut Buffer) {
    let slot = ctx.areas.timeline;
    if !slot.shown() {
        return;
    }
    ctx.record(slot.outer, Target::Pane(Pane::Timeline));
    let track = Track::new(slot, super::queries::scale(ctx.model));
    ctx.room(|room| {
        room.bars = (track.most > 0).then_some(track.most);
        room.late = !track.late_cell(0).is_empty();
    });
    let picture = picture(ctx, &track);
    title::render(ctx, &track, &picture, buf);
    if track.bar_w == 0 || ctx.model.selected().is_none() {
        return;
    }
    scale(ctx, &track, &picture, buf);
    late::render(ctx, &track, &picture, buf);
    for y in track.plot.y..track.axis.y {
        Line::new(buf, track.now_x, y, 1).put(buf, ctx.theme.glyphs.now, ctx.theme.text);
    }
    bars(ctx, &track, &picture, buf);
    axis::render(ctx, &track, &picture, buf);
    side(ctx, &track, &picture, buf);
}

fn picture<'a>(ctx: &Ctx<'a>, track: &Track) -> Picture<'a> {
    let survey = super::queries::surveyed(ctx.model);
    let scale = super::queries::scale(ctx.model);
    let mut counts = vec![0; track.bars];
    let mut beyond = survey.map_or(0, |s| s.beyond);
    // The survey may be some seconds old: its bars are put where they belong by now.
    for bar in survey.iter().flat_map(|s| &s.bars) {
        match scale.bar_of(ctx.now, bar.from) {
            Some(i) if i < counts.len() => counts[i] += bar.count,
            Some(_) => beyond += bar.count,
            None => {}
        }
    }
    let late = survey.filter(|_| !track.late_cell(0).is_empty());
    let late = late.iter().flat_map(|survey| &survey.late);
    let peak = counts.iter().copied().max().unwrap_or(0);
    let late = late.copied().max().unwrap_or(0);
    let log = ctx.model.timeline.log_height;
    // What is late may be many times what comes: it is cut, or all bars would lie flat.
    let is_tall = !log && peak > 0 && late > peak.saturating_mul(TALL);
    let most = if is_tall { peak } else { late.max(peak) };
    let (top, step) = top(most, track.plot.h, log);
    Picture {
        survey,
        scale,
        peak,
        most,
        step,
        rise: Rise { top, log },
        in_view: counts.iter().sum(),
        counts,
        beyond,
    }
}

/// The count that fills the whole height, and that between two labels of the scale: a round number,
/// and at least two rows.
fn top(peak: u64, rows: u16, log: bool) -> (u64, u64) {
    let tens = std::iter::successors(Some(1_u64), |ten| ten.checked_mul(10));
    if log {
        let top = { tens }.find(|ten| *ten >= peak.max(10));
        return (top.unwrap_or(u64::MAX), 1);
    }
    let labels = u64::from(rows / 2).max(1);
    let most = peak.max(u64::from(rows));
    let steps = tens.flat_map(|ten| [1, 2, 5].map(|times| ten.saturating_mul(times)));
    let step = { steps }.find(|step| most.div_ceil(*step) <= labels);
    let step = step.unwrap_or(u64::MAX);
    // A row an entry stays so, whatever the step is.
    let top = if peak <= u64::from(rows) {
        most
    } else {
        peak.div_ceil(step).saturating_mul(step)
    };
    (top, step)
}

fn scale(ctx: &Ctx, track: &Track, picture: &Picture, buf: &mut Buffer) {
    let area = track.scale;
    if area.is_empty() {
        peak(ctx, track, picture, buf);
        return;
    }
    let mut mark = |row: u16, count: u64| {
        let mut line = Line::new(buf, area.x, area.y + row, area.w);
        line.put_right(buf, ctx.data.glyphs.tick, ctx.theme.faint);
        line.end = line.end.saturating_sub(1);
        line.put_right(buf, &text::number(count, 6), ctx.data.text);
    };
    let top = picture.rise.top;
    if picture.most == 0 {
        mark(area.h - 1, 0);
        return;
    }
    if !picture.rise.log {
        mark(area.h - 1, 0);
        // Up to the first one that no bar is higher than.
        let labels = picture.most.div_ceil(picture.step);
        for label in 1..=labels {
            let count = label.saturating_mul(picture.step);
            let rows = picture.rise.eighths(count, area.h).div_ceil(8);
            let row = area.h.saturating_sub(u16::try_from(rows).unwrap_or(area.h));
            if row + 1 < area.h {
                mark(row, count);
            }
        }
        return;
    }
    mark(0, top);
    // Powers of ten, each in the row that it reaches into; the lowest of a row stands for it.
    let mut free = area.h;
    for power in std::iter::successors(Some(1_u64), |n| n.checked_mul(10)) {
        let rows = picture.rise.eighths(power, area.h).div_ceil(8);
        let row = area.h.saturating_sub(u16::try_from(rows).unwrap_or(0));
        if row == 0 || power >= top {
            break;
        }
        if row < free {
            mark(row, power);
            free = row;
        }
    }
    if free < area.h - 1 {
        mark(area.h - 1, 0);
    }
}

/// Draws the peak where there is no scale: it stands in the top row, at an end where the bars are
/// low.
fn peak(ctx: &Ctx, track: &Track, picture: &Picture, buf: &mut Buffer) {
    let words = format!("peak {}", text::thousands(picture.peak));
    let columns = text::width(&words) + 1;
    let below = u32::from(track.plot.h.saturating_sub(1)) * 8;
    let low = |n: &u64| picture.rise.eighths(*n, track.plot.h) <= below;
    let (counts, plot) = (&picture.counts, track.plot);
    if picture.peak == 0 || counts.len() < columns + 2 {
        return;
    }
    let mut line = Line::new(buf, plot.x, plot.y, plot.w);
    if counts[counts.len() - columns..].iter().all(low) {
        line.put_right(buf, &words, ctx.data.dim);
    } else if counts[..columns].iter().all(low) {
        line.put(buf, &words, ctx.data.dim);
    }
}

fn bars(ctx: &Ctx, track: &Track, picture: &Picture, buf: &mut Buffer) {
    let (d, scale) = (&ctx.data, picture.scale);
    let chosen = cursor(ctx, track);
    let style = |i: usize| -> Style {
        // Of wider bars the first minute is only a part.
        let near = scale.bar_ms <= 60_000 && scale.start(ctx.now, i).since(ctx.now) < 60_000;
        match () {
            () if Some(i) == chosen => d.strong,
            () if near && i * 2 < scale.bars => d.near,
            () if i * 2 < scale.bars => d.mid,
            () => d.far,
        }
    };
    for bar in 0..track.bars {
        let place = Area::new(track.bar_x(bar), track.plot.y, track.bar_w, track.plot.h);
        let start = scale.start(ctx.now, bar);
        ctx.record(track.with_axis(place), Target::Bar(start));
    }
    let single = single::SingleEntries::new(ctx, track, picture, chosen);
    let bars: Vec<_> = picture
        .counts
        .iter()
        .enumerate()
        .map(|(i, n)| (if single.are(i) { 0 } else { *n }, style(i)))
        .collect();
    let widget = Bars {
        bars: &bars,
        rise: picture.rise,
        width: track.bar_w,
        eighths: &d.glyphs.eighths,
    };
    widget.render(rect(track.plot), buf);
    single.render(ctx, track, style, buf);
    if let Some(bar) = chosen {
        let column = Area::new(track.bar_x(bar), track.plot.y, track.bar_w, track.plot.h);
        if let (Some(bg), false) = (d.select.bg, d.reversed) {
            buf.set_style(rect(column), Style::new().bg(bg));
        }
        // A line from the bar upwards: without colours it is what tells it from its neighbours.
        let x = column.x + (track.bar_w - 1) / 2;
        for y in column.y..column.y + column.h {
            if buf.cell((x, y)).is_some_and(|cell| cell.symbol() == " ") {
                Line::new(buf, x, y, 1).put(buf, d.glyphs.lines[1], d.faint);
            }
        }
    }
    if picture.in_view == 0 {
        empty(ctx, track, picture, buf);
    }
}

/// The bar under the cursor.
fn cursor(ctx: &Ctx, track: &Track) -> Option<usize> {
    super::queries::bar_in_sight(ctx.model, track.bars, ctx.model.timeline.bar?)
}

/// An empty plot says why it is empty.
fn empty(ctx: &Ctx, track: &Track, picture: &Picture, buf: &mut Buffer) {
    let Some(row) = ctx.model.selected() else {
        return;
    };
    let waiting = row.pulse.as_ref().map(|p| &p.waiting);
    let words = match (picture.survey, waiting) {
        // What cannot be read is not nothing: the entries say why.
        (_, None | Some(Known::Unknown(_))) => return,
        (None, _) if ctx.lost => return,
        (None, _) => match &row.unsurveyed {
            Some(why) => return unread(ctx, track, why, buf),
            None if !is_slow(ctx, row) => return,
            None => "reading".to_owned(),
        },
        (_, Some(Known::Is(0))) => "nothing waits".to_owned(),
        _ if ctx.model.timeline.zoom == Zoom::All => "nothing to come".to_owned(),
        _ if picture.beyond > 0 => {
            let key = ctx.key(Action::ZoomOut);
            format!(
                "nothing due within {}, {} later{}",
                ctx.model.timeline.zoom.label(),
                text::thousands(picture.beyond),
                key.map_or(String::new(), |key| format!(": {key} zooms out"))
            )
        }
        _ => format!("nothing due within {}", ctx.model.timeline.zoom.label()),
    };
    let y = track.plot.y + track.plot.h / 2;
    Line::new(buf, track.plot.x + 2, y, track.plot.w.saturating_sub(2)).put(
        buf,
        &words,
        ctx.data.dim,
    );
}

/// The survey takes longer than anybody would look at an empty plot without a word.
fn is_slow(ctx: &Ctx, row: &QueueRow) -> bool {
    let asked = row.surveyed.at.unwrap_or(ctx.model.instant);
    ctx.model.instant.saturating_duration_since(asked) >= SLOW
}

/// Draws why the bars cannot be counted, in as many lines as there is room for.
fn unread(ctx: &Ctx, track: &Track, why: &str, buf: &mut Buffer) {
    let plot = track.plot;
    let words = format!("? {}", text::printable(why));
    let lines = wrap::wrapped(&words, usize::from(plot.w.saturating_sub(4)));
    for (y, words) in (plot.y..plot.y + plot.h).zip(&lines) {
        Line::new(buf, plot.x + 2, y, plot.w.saturating_sub(2)).put(buf, words, ctx.data.dim);
    }
}

/// The figures right of the bars.
fn side(ctx: &Ctx, track: &Track, picture: &Picture, buf: &mut Buffer) {
    let area = track.side;
    let (Some(row), false) = (ctx.model.selected(), area.is_empty()) else {
        return;
    };
    let Some(pulse) = &row.pulse else { return };
    let d = &ctx.data;
    let known = |n| {
        if picture.survey.is_some() && !matches!(pulse.waiting, Known::Unknown(_)) {
            Known::Is(n)
        } else {
            Known::Unknown("".into())
        }
    };
    let late = ctx.figure(&pulse.late, 13);
    let mut rows = vec![
        ("in view", ctx.figure(&known(picture.in_view), 13)),
        ("beyond", ctx.figure(&known(picture.beyond), 13)),
        ("late", (late.0, late::style(ctx, pulse).unwrap_or(late.1))),
        ("waiting", ctx.figure(&pulse.waiting, 13)),
    ];
    if let Some(no_time @ 1..) = picture.survey.map(|survey| survey.no_time) {
        rows.push(("no time", (text::number(no_time, 13), d.warn)));
    }
    let w = area.w.min(26);
    let x = area.right() - w;
    for (y, (label, (figure, style))) in (area.y..area.y + area.h).zip(rows) {
        Line::new(buf, x + 2, y, 8).put(buf, label, d.dim);
        line::right(buf, x + 10, y, w - 12, &figure, style);
    }
}
