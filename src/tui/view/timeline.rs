//! The countdown timeline: what is late left of the now line, the future right of it in bars.

mod axis;
mod late;

use ratatui::buffer::Buffer;
use ratatui::style::Style;
use ratatui::widgets::Widget;

use super::{Ctx, rect};
use crate::queue::{Known, Survey, Zoom, text};
use crate::tui::areas::Area;
use crate::tui::areas::track::{self, Track};
use crate::tui::keys::Action;
use crate::tui::model::Pane;
use crate::tui::widget::bars::{self, Bars};
use crate::tui::widget::line::{self, Line};
use crate::tui::widget::pane::Part;

/// The bars in sight, as counts.
struct Picture<'a> {
    /// The survey they are of; none while nothing was read at this zoom.
    survey: Option<&'a Survey>,
    /// A count a bar.
    counts: Vec<u64>,
    /// The highest of them.
    peak: u64,
    /// The count that fills the plot: a row an entry at least, so that a quiet queue looks quiet.
    top: u64,
    /// All of them.
    in_view: u64,
    /// What is due after the last of them.
    beyond: u64,
}

pub(super) fn render(ctx: &Ctx, buf: &mut Buffer) {
    let slot = ctx.areas.timeline;
    if !slot.shown() {
        return;
    }
    let track = Track::new(slot, ctx.model.zoom);
    let picture = picture(ctx, &track);
    title(ctx, &track, &picture, buf);
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
    let zoom = ctx.model.zoom;
    let survey = ctx.model.selected().and_then(|row| row.survey.as_ref());
    let survey = survey.filter(|s| s.zoom == Some(zoom));
    let mut counts = vec![0; track.bars];
    let mut beyond = survey.map_or(0, |s| s.beyond);
    // The survey may be some seconds old: its bars are put where they belong by now.
    for bar in survey.iter().flat_map(|s| &s.bars) {
        match track::bar_of(zoom, ctx.now, bar.from) {
            Some(i) if i < counts.len() => counts[i] += bar.count,
            Some(_) => beyond += bar.count,
            None => {}
        }
    }
    let peak = counts.iter().copied().max().unwrap_or(0);
    Picture {
        survey,
        peak,
        top: peak.max(u64::from(track.plot.h)),
        in_view: counts.iter().sum(),
        counts,
        beyond,
    }
}

fn title(ctx: &Ctx, track: &Track, picture: &Picture, buf: &mut Buffer) {
    let (m, t) = (ctx.model, &ctx.theme);
    let row = m.selected();
    let mut left = vec![Part::new(100, "Due", ctx.title(Pane::Timeline))];
    if let Some(row) = row {
        let most = if ctx.wide() { 40 } else { 16 };
        let clean = text::printable_bytes(row.queue.name.as_bytes());
        let name = text::cut(&clean, most).replace('…', t.glyphs.cut);
        left[0]
            .pieces
            .push((format!(": {name}"), ctx.title(Pane::Timeline)));
    }
    left.push(zooms(ctx));
    let mut right = Vec::new();
    if picture.beyond > 0 && track.side.is_empty() {
        let later = format!(
            "{} later {}",
            text::thousands(picture.beyond),
            t.glyphs.more
        );
        right.push(Part::new(80, later, t.text));
    }
    if ctx.wide() {
        right.push(Part::new(20, "linear", t.dim));
        right.push(Part::new(30, each(m.zoom), t.dim));
    }
    right.extend(ctx.age(row, ctx.interval_ms()));
    ctx.pane(ctx.areas.timeline, Some(Pane::Timeline), left, right, buf);
}

/// The zooms, the current one in brackets; on a narrow terminal it and its neighbours.
fn zooms(ctx: &Ctx) -> Part {
    let (t, current) = (&ctx.theme, ctx.model.zoom);
    let near = |z: &Zoom| *z == current || *z == current.closer() || *z == current.wider();
    let mut pieces = Vec::with_capacity(9);
    for zoom in Zoom::ALL.into_iter().filter(|z| ctx.wide() || near(z)) {
        let gap = if pieces.is_empty() { "" } else { "  " };
        pieces.push(if zoom == current {
            (format!("{gap}[{}]", zoom.label()), t.accent)
        } else {
            (format!("{gap}{}", zoom.label()), t.dim)
        });
    }
    Part { pieces, rank: 70 }
}

/// What a bar stands for.
fn each(zoom: Zoom) -> &'static str {
    match zoom {
        Zoom::Minute => "1 s a bar",
        Zoom::TenMinutes => "10 s a bar",
        Zoom::Hour => "1 min a bar",
        Zoom::SixHours => "6 min a bar",
        Zoom::Day => "30 min a bar",
    }
}

fn scale(ctx: &Ctx, track: &Track, picture: &Picture, buf: &mut Buffer) {
    let area = track.scale;
    if area.is_empty() {
        peak(ctx, track, picture, buf);
        return;
    }
    let mut mark = |row: u16, count: u64| {
        let mut line = Line::new(buf, area.x, area.y + row, area.w);
        line.put_right(buf, ctx.data.glyphs.tick, ctx.theme.dim);
        line.end = line.end.saturating_sub(1);
        line.put_right(buf, &text::number(count, 6), ctx.data.text);
    };
    mark(area.h - 1, 0);
    if picture.peak > 0 {
        mark(0, picture.top);
        // Half way, where the two ends leave room for it.
        if area.h >= 5 {
            mark(area.h / 2, picture.top / 2);
        }
    }
}

/// Where there is no scale, the peak stands in the top row, at an end where the bars are low.
fn peak(ctx: &Ctx, track: &Track, picture: &Picture, buf: &mut Buffer) {
    let words = format!("peak {}", text::thousands(picture.peak));
    let columns = text::width(&words) + 1;
    let below = u32::from(track.plot.h.saturating_sub(1)) * 8;
    let low = |n: &u64| bars::height(*n, picture.top, track.plot.h) <= below;
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
    let (d, zoom) = (&ctx.data, ctx.model.zoom);
    let chosen = cursor(ctx, track);
    let style = |i: usize| -> Style {
        let from = track::start(zoom, ctx.now, i).since(ctx.now);
        match () {
            () if Some(i) == chosen => d.strong,
            () if from < 60_000 && i * 2 < zoom.bars() => d.near,
            () if i * 2 < zoom.bars() => d.mid,
            () => d.far,
        }
    };
    let bars: Vec<_> = picture
        .counts
        .iter()
        .enumerate()
        .map(|(i, n)| (*n, style(i)))
        .collect();
    let widget = Bars {
        bars: &bars,
        peak: picture.top,
        width: track.bar_w,
        eighths: &d.glyphs.eighths,
    };
    widget.render(rect(track.plot), buf);
    if let (Some(bar), false) = (chosen, d.reversed) {
        let column = Area::new(track.bar_x(bar), track.plot.y, track.bar_w, track.plot.h);
        buf.set_style(
            rect(column),
            Style::new().bg(d.select.bg.unwrap_or_default()),
        );
    }
    if picture.in_view == 0 {
        empty(ctx, track, picture, buf);
    }
}

/// The bar under the cursor.
fn cursor(ctx: &Ctx, track: &Track) -> Option<usize> {
    let bar = track::bar_of(ctx.model.zoom, ctx.now, ctx.model.bar?)?;
    (bar < track.bars).then_some(bar)
}

/// An empty plot says why it is empty.
fn empty(ctx: &Ctx, track: &Track, picture: &Picture, buf: &mut Buffer) {
    let Some(row) = ctx.model.selected() else {
        return;
    };
    let waiting = row.pulse.as_ref().map(|p| &p.waiting);
    let words = match (picture.survey, waiting) {
        // What cannot be read is not nothing: the entries say why.
        (None, _) | (_, Some(Known::Unknown(_))) => return,
        (_, Some(Known::Is(0))) => "nothing waits".to_owned(),
        _ if picture.beyond > 0 => {
            let key = ctx.key(Action::ZoomOut);
            format!(
                "nothing due within {}, {} later{}",
                ctx.model.zoom.label(),
                text::thousands(picture.beyond),
                key.map_or(String::new(), |key| format!(": {key} zooms out"))
            )
        }
        _ => format!("nothing due within {}", ctx.model.zoom.label()),
    };
    let y = track.plot.y + track.plot.h / 2;
    Line::new(buf, track.plot.x + 2, y, track.plot.w.saturating_sub(2)).put(
        buf,
        &words,
        ctx.data.dim,
    );
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
    let rows = [
        ("in view", ctx.figure(&known(picture.in_view), 13)),
        ("beyond", ctx.figure(&known(picture.beyond), 13)),
        ("late", (late.0, late::style(ctx, pulse).unwrap_or(late.1))),
        ("waiting", ctx.figure(&pulse.waiting, 13)),
    ];
    let w = area.w.min(26);
    let x = area.right() - w;
    for (y, (label, (figure, style))) in (area.y..area.y + area.h).zip(rows) {
        Line::new(buf, x + 2, y, 8).put(buf, label, d.dim);
        line::right(buf, x + 10, y, w - 12, &figure, style);
    }
}
