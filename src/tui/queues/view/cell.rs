//! The figures of a queue, a cell of the table each.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Widget;

use super::class_cells;
use crate::clock::EpochMillis;
use crate::queue::finding::id;
use crate::queue::{Known, LinkState, Pulse, Severity, text};
use crate::tui::area::Area;
use crate::tui::draw::Ctx;
use crate::tui::queues::columns::QueueColumn;
use crate::tui::queues::queries::is_fresh;
use crate::tui::queues::{HAND_OVER_MS, QueueRow};
use crate::tui::widget::bars;
use crate::tui::widget::line::{self, Line};
use crate::tui::widget::spark::Spark;

/// The condition of a queue, from the best to the worst.
#[derive(Clone, Copy, Eq, PartialEq)]
enum State {
    Well,
    HandingOver,
    Late,
    /// Late, and nobody is there to transfer.
    Abandoned,
}

/// The moment that the figures of a row are of: now, or when it was read if that is long ago.
fn moment(ctx: &Ctx, row: &QueueRow, pulse: &Pulse) -> EpochMillis {
    if is_fresh(ctx.model, row) || ctx.lost {
        ctx.now
    } else {
        ctx.now.min(pulse.at)
    }
}

fn state(now: EpochMillis, pulse: &Pulse) -> State {
    let Some(oldest) = pulse.oldest_late else {
        // A late head without a moment (a score out of range) is late for good.
        let late = pulse.late.get().unwrap_or(0) > 0;
        return if late { State::Late } else { State::Well };
    };
    match (now.since(oldest), &pulse.transfer_clients) {
        (..HAND_OVER_MS, _) => State::HandingOver,
        (_, Known::Is(0)) => State::Abandoned,
        _ => State::Late,
    }
}

/// Draws the mark before a queue that somebody has to look at: the sign of its worst finding, `!`
/// where none has been found yet, and a dot where there is only a note. It stands beside the cursor's
/// mark.
pub(crate) fn mark(ctx: &Ctx, row: &QueueRow, area: Area, buf: &mut Buffer) {
    if area.w > 2 && area.h > 0 {
        let d = &ctx.data;
        let (sign, style) = match (row.worst(), row.sick(ctx.now)) {
            (Some(Severity::Critical), true) => (d.glyphs.lost, d.late),
            (Some(Severity::Warning), true) => (d.glyphs.warn, d.warn),
            (_, true) => ("!", d.warn),
            (Some(Severity::Note), false) => (d.glyphs.dot, d.dim),
            _ => return,
        };
        Line::new(buf, area.x + 1, area.y, 1).put(buf, sign, style);
    }
}

/// `alone`: there is no column for the oldest.
pub(crate) fn cell(
    ctx: &Ctx,
    row: &QueueRow,
    col: QueueColumn,
    alone: bool,
    area: Area,
    buf: &mut Buffer,
) {
    let d = &ctx.data;
    let (x, y, w) = (area.x, area.y, area.w);
    let columns = usize::from(w.saturating_sub(1));
    if col == QueueColumn::Name {
        let abandoned = row
            .pulse
            .as_ref()
            .is_some_and(|p| state(moment(ctx, row, p), p) == State::Abandoned);
        let style = if abandoned { d.late } else { d.text };
        let mut line = Line::new(buf, x + 3.min(w), y, w.saturating_sub(3));
        line.put_name(buf, &row.queue.name.text(), d.glyphs.cut, style);
        return;
    }
    // A server that does not answer at all is told of in the header, not in every row.
    let answers = matches!(ctx.model.link.state, LinkState::Live);
    if let (Some(why), true) = (&row.trouble, col == QueueColumn::Classes && answers) {
        let mut line = Line::new(buf, x + 2, y, w.saturating_sub(2));
        line.put_cut(buf, why, d.glyphs.cut, d.warn);
        return;
    }
    let Some(pulse) = &row.pulse else {
        if col == QueueColumn::Waiting {
            line::right(buf, x, y, w, d.glyphs.cut, d.dim);
        }
        return;
    };
    let now = moment(ctx, row, pulse);
    let (text, style) = match col {
        QueueColumn::Name => return,
        QueueColumn::Waiting => ctx.figure(&pulse.waiting, columns),
        QueueColumn::Late => match (late(ctx, pulse, columns), state(now, pulse)) {
            (figure, State::Well) => figure,
            ((text, _), State::HandingOver) => (text, d.warn),
            ((text, _), _) => (text, d.late),
        },
        QueueColumn::Oldest => oldest(ctx, now, pulse),
        QueueColumn::Next => next(ctx, now, pulse, alone),
        QueueColumn::Order => match difference(ctx, row, pulse) {
            // What is as it should be does not take a word in every row.
            (word, style) if word == "equal" => ("=".to_owned(), style),
            other => other,
        },
        QueueColumn::Target => target(ctx, row, pulse, columns),
        QueueColumn::Clients => clients(ctx, now, row, pulse),
        QueueColumn::Classes => return classes(ctx, row, area, buf),
        QueueColumn::Trend => return trend(ctx, row, area, buf),
    };
    // What stands still because it is old does not look like what is so now.
    let style = if now == ctx.now { style } else { d.dim };
    let w = match col {
        QueueColumn::Oldest | QueueColumn::Next => ctx.span_cell(w, &text),
        _ => w,
    };
    let text = if col == QueueColumn::Next {
        apart(&text, usize::from(w.saturating_sub(1)))
    } else {
        text
    };
    line::right(buf, x, y, w, &text, style);
}

/// A span of time in so many columns, so that it does not run into the figure before it: its units
/// closer, and else only the larger one.
fn apart(span: &str, columns: usize) -> String {
    if text::width(span) <= columns {
        return span.to_owned();
    }
    let close = span.replace(' ', "");
    if text::width(&close) <= columns {
        return close;
    }
    span.split(' ').next().unwrap_or(span).to_owned()
}

/// The elements of target: coloured while it grows and nobody is seen to take from it.
fn target(ctx: &Ctx, row: &QueueRow, pulse: &Pulse, columns: usize) -> (String, Style) {
    let d = &ctx.data;
    let (figure, style) = ctx.figure(&pulse.target, columns);
    let found = |id| row.findings.iter().any(|found| found.id == id);
    let early = row
        .early
        .iter()
        .any(|(rule, _)| *rule == id::NOTHING_CONSUMED);
    let style = match () {
        () if found(id::NOTHING_CONSUMED) => d.late,
        () if early || found(id::TARGET_BACKLOG) => d.warn,
        () => style,
    };
    (figure, style)
}

/// The late ones, with the word where no head says it.
fn late(ctx: &Ctx, pulse: &Pulse, columns: usize) -> (String, Style) {
    let (mut figure, style) = ctx.figure(&pulse.late, columns.min(9));
    if ctx.areas.compact && pulse.late.get().unwrap_or(0) > 0 {
        let word = format!("{figure} late");
        if text::width(&word) <= columns {
            figure = word;
        }
    }
    (figure, style)
}

fn oldest(ctx: &Ctx, now: EpochMillis, pulse: &Pulse) -> (String, Style) {
    match pulse.oldest_late {
        Some(due) if now.since(due) < HAND_OVER_MS => (ctx.ago_at(now, due), ctx.data.warn),
        Some(due) => (ctx.ago_at(now, due), ctx.data.late),
        // Late, but its head has no moment: nobody can say since when.
        None if pulse.late.get() != Some(0) => ("?".to_owned(), ctx.data.dim),
        None => (ctx.data.glyphs.zero.to_owned(), ctx.data.dim),
    }
}

/// The longest time, in ms, for which a row that is read at its pace has not been read.
const UNREAD_MS: i64 = 5_000;

/// An entry that was late for so long when the queue was read, in ms, is more than a hand-over that
/// took its time.
const OVERDUE_MS: i64 = 10_000;

/// When the next entry falls due; where nothing will, and in place of a column of its own, since when
/// the oldest is late.
fn next(ctx: &Ctx, now: EpochMillis, pulse: &Pulse, alone: bool) -> (String, Style) {
    let d = &ctx.data;
    let overdue = |at: EpochMillis| pulse.at.since(at) >= OVERDUE_MS;
    match (pulse.next, pulse.oldest_late) {
        (_, Some(at)) if alone && overdue(at) => (ctx.countdown_at(now, at), d.late),
        (Some(due), _) => match due.at() {
            // Between two reads it may have fallen due: it is due now.
            Some(at) if now.since(at) < HAND_OVER_MS => {
                (ctx.countdown_at(now, at.max(now)), d.text)
            }
            // It has, and the row has not been read since: each is, within a few seconds.
            Some(at) if now.since(at) < UNREAD_MS => (ctx.countdown_at(now, now), d.dim),
            Some(_) => ("?".to_owned(), d.dim),
            None => ("never".to_owned(), d.warn),
        },
        (None, Some(at)) if alone && now.since(at) < HAND_OVER_MS => {
            (ctx.countdown_at(now, at), d.warn)
        }
        (None, Some(at)) if alone => (ctx.countdown_at(now, at), d.late),
        _ if matches!(pulse.waiting, Known::Unknown(_)) => ("?".to_owned(), d.dim),
        _ => (d.glyphs.zero.to_owned(), d.dim),
    }
}

/// `equal` or `≠ 2`: order list against timeouts. What is set aside is missing in one of them and
/// is no drift.
pub(crate) fn difference(ctx: &Ctx, row: &QueueRow, pulse: &Pulse) -> (String, Style) {
    let d = &ctx.data;
    if row
        .survey
        .as_ref()
        .is_some_and(|survey| survey.aside.is_some())
    {
        return ("partial".to_owned(), d.warn);
    }
    match (row.difference(), &pulse.order) {
        (Some(0), _) => ("equal".to_owned(), d.dim),
        (Some(by), _) => {
            let differ = text::compact(by);
            (format!("{} {differ}", d.glyphs.differs), d.late)
        }
        (None, Known::None) => (d.glyphs.none.to_owned(), d.dim),
        _ => ("?".to_owned(), d.dim),
    }
}

/// Transfer clients; `0 !` when something is late and nobody is there, `2+w` with a worker of ours
/// beside them.
fn clients(ctx: &Ctx, now: EpochMillis, row: &QueueRow, pulse: &Pulse) -> (String, Style) {
    let d = &ctx.data;
    let subscribed = pulse.transfer_clients.get().unwrap_or(0);
    let (others, ours) = ctx.model.beside(&row.queue, subscribed);
    if ours > 0 {
        let style = if others == 0 { d.warn } else { d.text };
        return (format!("{}+w", text::compact(others)), style);
    }
    let waits = pulse.waiting.get().unwrap_or(0) > 0;
    match &pulse.transfer_clients {
        Known::Is(0) if state(now, pulse) == State::Abandoned => ("0 !".to_owned(), d.late),
        Known::Is(0) if waits => ("0".to_owned(), d.warn),
        known => ctx.figure(known, 5),
    }
}

fn classes(ctx: &Ctx, row: &QueueRow, area: Area, buf: &mut Buffer) {
    let Some(survey) = &row.survey else { return };
    let d = &ctx.data;
    let peak = survey.classes.iter().copied().max().unwrap_or(0);
    // What cannot be counted is not zero.
    let waiting = row.pulse.as_ref().map(|p| &p.waiting);
    let unknown = matches!(waiting, Some(Known::Unknown(_)));
    for (count, (x, w)) in survey.classes.iter().zip(class_cells(area.x, area.w)) {
        let (glyph, style) = match bars::height(*count, peak, 1) {
            _ if unknown => ("?", d.dim),
            0 => (d.glyphs.zero, d.dim),
            // A gap above: the bars of two rows must not run together.
            eighths => (d.glyphs.eighths[(eighths as usize * 7).div_ceil(8)], d.mid),
        };
        Line::new(buf, x + w - 2, area.y, 1).put(buf, glyph, style);
    }
}

fn trend(ctx: &Ctx, row: &QueueRow, area: Area, buf: &mut Buffer) {
    let samples: Vec<_> = row
        .trend
        .samples
        .iter()
        .map(|s| s.map(|d| d.waiting))
        .collect();
    let spark = Spark {
        samples: &samples,
        style: ctx.data.mid,
        eighths: &ctx.data.glyphs.eighths,
    };
    let w = area.w.saturating_sub(2);
    spark.render(Rect::new(area.x + 2, area.y, w, 1), buf);
}

#[cfg(test)]
mod tests {
    use super::apart;

    #[test]
    fn a_span_stands_apart_from_the_figure_before_it() {
        for (span, columns, shown) in [
            ("2.4 s", 6, "2.4 s"),
            ("0:31", 6, "0:31"),
            ("23h 59m", 7, "23h 59m"),
            ("23h 59m", 6, "23h59m"),
            ("-10h 05m", 6, "-10h"),
            ("123d 04h", 6, "123d"),
        ] {
            assert_eq!(apart(span, columns), shown);
        }
    }
}
