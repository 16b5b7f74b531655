//! The change under way: how far it is, how fast, what it waits for, what became of the entries.

use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::style::{Modifier, Style};
use ratatui::widgets::Widget;

use crate::queue::change_event::Order;
use crate::queue::plan::Progress;
use crate::queue::{Outcome, text};
use crate::tui::area::Area;
use crate::tui::change::progress::queries::share;
use crate::tui::change::{ChangeInProgress, UnfinishedChange};
use crate::tui::draw::{self, Ctx};
use crate::tui::hitmap::Target;
use crate::tui::keys::Action;
use crate::tui::widget::line::Line;
use crate::tui::widget::pane::{PaneFrame, TitlePart};

pub(crate) fn render(ctx: &Ctx, buf: &mut Buffer) {
    let slot = ctx.areas.bulk;
    let Some((under_way, running)) = ctx.model.changing.running() else {
        return;
    };
    if !slot.shown() {
        return;
    }
    ctx.record(slot.outer, Target::Panel);
    title(ctx, under_way, running, buf);
    let area = slot.inner;
    gauge(ctx, running, area.row(0), buf);
    figures(ctx, running, area.row(1), buf);
    if area.h > 2 {
        outcomes(ctx, running, area.row(2), buf);
    }
}

fn title(ctx: &Ctx, under_way: &UnfinishedChange, running: &ChangeInProgress, buf: &mut Buffer) {
    let t = &ctx.theme;
    let keys = super::queries::has_keys(ctx.model);
    let style = if keys {
        t.accent.add_modifier(Modifier::BOLD)
    } else {
        t.strong
    };
    let queue = text::printable_bytes(under_way.queue.name.as_bytes());
    let most = if ctx.wide() { 40 } else { 20 };
    let queue = text::cut(&queue, most).replace('…', t.glyphs.cut);
    let (phase, tone) = phase(ctx, running);
    let left = vec![
        TitlePart::new(100, format!("{}: {queue}", under_way.called), style),
        TitlePart::new(90, phase, tone),
    ];
    let key = |action, word: &str, rank| {
        let key = ctx.key(action)?;
        let pieces = vec![
            (key, if keys { t.accent } else { t.dim }),
            (format!(" {word}"), t.dim),
        ];
        Some(TitlePart { pieces, rank })
    };
    let pause = match running.order {
        Order::Pause => "go on",
        Order::Go | Order::Stop => "pause",
    };
    let right = if running.order == Order::Stop {
        Vec::new()
    } else {
        let both = [key(Action::Pause, pause, 60), key(Action::Stop, "stop", 70)];
        both.into_iter().flatten().collect()
    };
    let pane = PaneFrame {
        left,
        right,
        boxed: ctx.areas.bulk.boxed,
        style: if keys { t.accent } else { t.faint },
        lines: t.glyphs.lines,
        corners: t.glyphs.corners,
    };
    pane.render(draw::rect(ctx.areas.bulk.outer), buf);
}

/// Says what is being done now.
fn phase(ctx: &Ctx, running: &ChangeInProgress) -> (String, Style) {
    let t = &ctx.theme;
    let phase = running.progress.as_ref().map_or("begins", |p| p.phase);
    let waits = running.progress.as_ref().and_then(|p| p.waits.as_ref());
    match running.order {
        Order::Stop => (format!("stopping: {phase}"), t.warn),
        Order::Pause if waits.is_some() => ("paused".to_owned(), t.warn),
        Order::Pause => (format!("pausing: {phase}"), t.warn),
        Order::Go if waits.is_some() => ("waits".to_owned(), t.warn),
        Order::Go => (phase.to_owned(), t.text),
    }
}

/// `━━━━━━╸─────  62 %  6,200 of 10,000  ETA 12 s`; while the order list is brought back, how far
/// that is.
fn gauge(ctx: &Ctx, running: &ChangeInProgress, row: Area, buf: &mut Buffer) {
    let t = &ctx.theme;
    let back = running.progress.as_ref().and_then(|p| p.back);
    let (done, planned) = match (&running.progress, back) {
        (_, Some(elements)) => elements,
        (Some(progress), None) => (progress.done_with(), progress.planned),
        (None, None) => (0, running.plan.planned),
    };
    let percent = share(done, planned, 100);
    let width = text::width(&text::thousands(planned));
    let figures = format!(
        "  {percent:>3} %  {:>width$} of {}",
        text::thousands(done),
        text::thousands(planned)
    );
    // Its room stays the same while it counts down: the bar would jump.
    let left = running.progress.as_ref();
    let left = left.filter(|p| p.waits.is_none()).and_then(|p| p.left);
    let left = match left {
        // The order list comes back whatever it was told.
        Some(left) if running.order == Order::Go || back.is_some() => {
            format!("ETA {}", eta(left))
        }
        _ => String::new(),
    };
    let left = format!("  {left:<11}");
    let mut line = Line::new(buf, row.x, row.y, row.w);
    line.skip(1);
    let words = text::width(&figures) + text::width(&left);
    let columns = line.room().saturating_sub(words + 1).min(120);
    if columns >= 8 {
        bar(ctx, done, planned, columns, &mut line, buf);
    }
    line.put_whole(buf, &figures, t.strong);
    line.put_whole(buf, &left, t.text);
}

fn bar(ctx: &Ctx, done: u64, planned: u64, columns: usize, line: &mut Line, buf: &mut Buffer) {
    let t = &ctx.theme;
    let halves = usize::try_from(share(done, planned, columns as u64 * 2)).unwrap_or(0);
    let [full, half, rest] = t.glyphs.gauge;
    let (whole, odd) = (halves / 2, halves % 2);
    line.put(buf, &full.repeat(whole), t.ok);
    line.put(buf, &half.repeat(odd), t.ok);
    line.put(buf, &rest.repeat(columns - whole - odd), t.faint);
}

/// `12 s`, `3:05 min`, `2h 05m`: in whole seconds, so that it does not flicker.
fn eta(left: Duration) -> String {
    match left.as_secs() {
        0 => "< 1 s".to_owned(),
        s @ 1..60 => format!("{s} s"),
        s @ 60..3600 => format!("{}:{:02} min", s / 60, s % 60),
        s => format!("{}h {:02}m", s / 3600, s / 60 % 60),
    }
}

/// Draws what it waits for or tries to get over, else how fast it goes; where there is one line for
/// all, what was not done as well.
fn figures(ctx: &Ctx, running: &ChangeInProgress, row: Area, buf: &mut Buffer) {
    let t = &ctx.theme;
    let mut line = Line::new(buf, row.x, row.y, row.w);
    line.skip(1);
    let cut = t.glyphs.cut;
    if let Some(why) = waits(running) {
        line.put_cut(buf, &why, cut, t.warn);
        return;
    }
    if let Some(trouble) = &running.trouble {
        line.put_cut(buf, &text::printable(trouble), cut, t.late);
        return;
    }
    let Some(progress) = &running.progress else {
        line.put_cut(buf, "the first entries are on their way", cut, t.dim);
        return;
    };
    let goes = progress.back.is_none() && running.order != Order::Pause;
    let mut parts = Vec::new();
    if goes {
        parts.push(rate(progress));
    } else if ctx.areas.bulk.inner.h <= 2 {
        // Below it there is no row for what was done.
        parts.push(done(running, progress));
    }
    parts.push(longest(progress));
    let since = ctx.model.instant.saturating_duration_since(running.since);
    if ctx.wide() {
        parts.push(format!("for {}", eta(since)));
        parts.push(running.plan.way.words().to_owned());
    } else {
        // There is no room for more than a word each.
        parts.extend(left_out(progress, Outcome::of_one));
    }
    if let Some(id) = running.journal_id.as_ref().filter(|_| ctx.wide()) {
        parts.push(format!("journal {id}"));
    }
    for (i, part) in parts.iter().enumerate() {
        let dot = if i > 0 {
            format!(" {} ", t.glyphs.dot)
        } else {
            String::new()
        };
        if !line.put_whole(buf, &format!("{dot}{part}"), t.text) {
            break;
        }
    }
}

/// Says what it waits for; not that it is paused, which the title says.
fn waits(running: &ChangeInProgress) -> Option<String> {
    let why = running.progress.as_ref()?.waits.as_ref()?;
    let paused = running.order == Order::Pause;
    (!paused).then(|| format!("it waits: {}", text::printable(why)))
}

/// `6,198 of 10,000 deleted`.
fn done(running: &ChangeInProgress, progress: &Progress) -> String {
    let done = progress.tally.get(Outcome::Done);
    let [done, planned] = [done, progress.planned].map(text::thousands);
    format!("{done} of {planned} {}", running.plan.change.past())
}

/// `38,412 entries/s`, as steady as a figure that moves can be.
fn rate(progress: &Progress) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rate is positive, and small"
    )]
    let per_s = progress.per_s.max(0.0).round() as u64;
    if per_s == 0 {
        // Nothing moves: there is nothing to be measured.
        return " ".repeat(19);
    }
    format!("{:>9} entries/s", text::thousands(per_s))
}

fn longest(progress: &Progress) -> String {
    let ms = progress.longest_block.as_secs_f64() * 1000.0;
    format!("longest script {ms:.1} ms")
}

/// `2 already moved by others`, `1 changed`: what was not done so far.
fn left_out(progress: &Progress, word: impl Fn(Outcome) -> &'static str) -> Vec<String> {
    let other = Outcome::ALL.into_iter().skip(1);
    let other = other.map(|outcome| (progress.tally.get(outcome), word(outcome)));
    let some = other.filter(|(n, _)| *n > 0);
    some.map(|(n, word)| format!("{} {word}", text::thousands(n)))
        .collect()
}

/// `6,198 transferred · 2 already moved by others`.
fn outcomes(ctx: &Ctx, running: &ChangeInProgress, row: Area, buf: &mut Buffer) {
    let t = &ctx.theme;
    let mut line = Line::new(buf, row.x, row.y, row.w);
    line.skip(1);
    let Some(progress) = &running.progress else {
        return;
    };
    let done = text::thousands(progress.tally.get(Outcome::Done));
    let width = text::width(&text::thousands(progress.planned)).max(9);
    let past = running.plan.change.past();
    line.put_whole(buf, &format!("{done:>width$} {past}"), t.text);
    for words in left_out(progress, |outcome| outcome.said(running.plan.change)) {
        let words = format!(" {} {words}", t.glyphs.dot);
        line.put_whole(buf, &words, t.warn);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_told_in_whole_steps() {
        let told = [0.4, 12.9, 185.0, 7_500.0].map(|s| eta(Duration::from_secs_f64(s)));
        assert_eq!(told, ["< 1 s", "12 s", "3:05 min", "2h 05m"]);
    }
}
