//! The lives of messages as lanes, one under another, newest first.

mod lane;

use ratatui::buffer::Buffer;
use ratatui::style::Style;
use ratatui::widgets::{Clear, Widget};

use super::author::Author;
use super::place::card::{CardTone, LABEL};
use super::{LifeExit, LivesView, MessageLife, words_of_end};
use crate::queue::text;
use crate::tui::area::{Area, Slot};
use crate::tui::cursor::ScrollArea;
use crate::tui::draw::{Ctx, rect};
use crate::tui::hitmap::Target;
use crate::tui::keys::Action;
use crate::tui::model::Model;
use crate::tui::moments;
use crate::tui::widget::line::Line;
use crate::tui::widget::pane::TitlePart;

pub(crate) fn render(ctx: &Ctx, view: &LivesView, buf: &mut Buffer) {
    let (m, t) = (ctx.model, &ctx.theme);
    let slot = super::place::slot(m, view);
    Clear.render(rect(slot.outer).intersection(buf.area), buf);
    // A click on its border closes it.
    ctx.record(slot.outer, Target::Beside);
    ctx.record(slot.inner, Target::Box);
    let name = m.selected().map(|row| row.queue.name.text().into_owned());
    let name = name.unwrap_or_default();
    let title = match view.opened {
        Some(_) => "Life of a message",
        None => "Lives of messages",
    };
    let mut left = vec![
        TitlePart::new(100, title.to_owned(), t.strong),
        TitlePart::new(90, text::printable(&name).into_owned(), t.text),
    ];
    if view.opened.is_some() {
        return card(ctx, view, slot, left, buf);
    }
    if let Some(filter) = &view.filter {
        let typed = text::printable(filter.text());
        left.push(TitlePart::new(95, format!("/{}", typed.trim()), t.accent));
    }
    let body = super::place::body(m, slot);
    let all = m.lives.shown(view.chosen).len();
    let shown = m.lives.listed(view);
    let rows = usize::from(body.h);
    let (cursor, top) = (view.cursor(&shown), view.top(&shown, rows));
    ctx.room(|room| room.lives = Some(rows));
    let mut right = Vec::new();
    if view.filter.is_some() {
        let words = format!("{} of {all} match", shown.len());
        right.push(TitlePart::new(60, words, t.text));
    }
    if shown.len() > rows {
        let more = if rows + top < shown.len() {
            t.glyphs.down
        } else {
            ""
        };
        let words = format!("{} of {} {more}", rows + top, shown.len());
        let words = words.trim_end().to_owned();
        right.push(TitlePart::new(50, words, t.warn));
    }
    ctx.pane(slot, None, left, right, buf);
    let known = (shown.len() as u64, top as u64);
    ctx.rail(ScrollArea::Lives, slot, body, known);
    let listed = shown.iter().enumerate().skip(top);
    for ((at, life), y) in listed.zip(body.y..body.y + body.h) {
        let row = Area::new(body.x, y, body.w, 1);
        ctx.record(row, Target::Life(at));
        let mut line = Line::new(buf, body.x, y, body.w);
        line.skip(1);
        lane::put(ctx, life, line, buf);
        if at == cursor {
            ctx.select(row, true, buf);
        }
    }
    let cut = t.glyphs.cut;
    let mut foot = Line::new(buf, body.x, body.y, body.w);
    if shown.is_empty() {
        let words = match &view.filter {
            Some(_) => match unseen(m) {
                0 => "None of those that were seen matches, as far as its text is kept.".to_owned(),
                count => {
                    let more = text::counted(count, "more waits", "more wait");
                    format!(
                        "None of those that were seen matches; {more}: the filter of the entries \
                         looks through all."
                    )
                }
            },
            None => "No message seen yet: lives begin when a queue is selected.".to_owned(),
        };
        foot.skip(1).put_cut(buf, &words, cut, t.dim);
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
    let earlier = match unseen(m) {
        0 => earlier,
        count => {
            let more = text::counted(count, "more waits", "more wait");
            format!("{more}, not in sight so far; {earlier}")
        }
    };
    let key = m.keymap.label(Action::Monitor, m.look.ascii);
    let key = key.unwrap_or_default();
    let (told, style) = monitored(ctx, &key);
    let next = match (m.lives.failed, &m.lives.ended) {
        (0, Some(Err(_))) => format!(
            "without MONITOR: delayscope trace {} --probe 5 follows test messages",
            text::printable(&name)
        ),
        (0, _) if m.lives.tracing.is_some() => String::new(),
        (0, Some(Ok(_))) => format!("or: delayscope trace {}", text::printable(&name)),
        (0, None) => format!(
            "{key} runs it for 30 s after a question; or: delayscope trace {}",
            text::printable(&name)
        ),
        (failed, _) => {
            let times = text::counted(failed, "transfer", "transfers");
            format!("{times} failed half-way: what stands before the entry at fault comes again")
        }
    };
    let wrong = super::place::hindrances(m).into_iter().map(|finding| {
        let headline = text::printable(&finding.headline);
        (format!("wrong with this queue: {headline}"), t.late)
    });
    let below = [(earlier, t.dim), (told, style), (next, t.dim)];
    for ((words, style), y) in wrong
        .chain(below)
        .zip(body.y + body.h..slot.inner.y + slot.inner.h)
    {
        let mut line = Line::new(buf, body.x, y, body.w);
        line.skip(1);
        line.put_cut(buf, &words, cut, style);
    }
}

/// Draws all that is known of the life that is open.
fn card(ctx: &Ctx, view: &LivesView, slot: Slot, left: Vec<TitlePart>, buf: &mut Buffer) {
    let (m, t) = (ctx.model, &ctx.theme);
    let lines = super::place::lines(m, view);
    let rows = usize::from(slot.inner.h);
    let last = lines.len().saturating_sub(rows);
    let top = view.opened.unwrap_or(0).min(last);
    ctx.room(|room| room.last_line = Some(last));
    let mut right = Vec::new();
    if last > 0 {
        let words = format!("{} of {} lines {}", rows + top, lines.len(), t.glyphs.down);
        right.push(TitlePart::new(50, words, t.warn));
    }
    ctx.pane(slot, None, left, right, buf);
    let known = (lines.len() as u64, top as u64);
    ctx.rail(ScrollArea::Lives, slot, slot.inner, known);
    let inner = slot.inner;
    for (line, y) in lines.iter().skip(top).zip(inner.y..inner.y + inner.h) {
        let style = match line.tone {
            CardTone::Plain => t.text,
            CardTone::Dim => t.dim,
            CardTone::Late => t.late,
            CardTone::Warn => t.warn,
        };
        let mut row = Line::new(buf, inner.x, y, inner.w);
        row.skip(1);
        let words = Line {
            x: row.x.saturating_add(LABEL).min(row.end),
            ..row
        };
        row.put(buf, &line.label, t.dim);
        let mut words = words;
        let shown = line.words.replace('…', t.glyphs.cut);
        words.put_cut(buf, &shown, t.glyphs.cut, style);
    }
}

/// Counts the messages that wait and have no lane: no row of theirs was in sight.
fn unseen(m: &Model) -> u64 {
    let waiting = m
        .selected()
        .and_then(|row| row.pulse.as_ref()?.waiting.get());
    let known = m.lives.all.iter().filter(|life| life.left.is_none());
    waiting.unwrap_or(0).saturating_sub(known.count() as u64)
}

/// Says how MONITOR does, or what only it can tell.
fn monitored(ctx: &Ctx, key: &str) -> (String, Style) {
    let (m, t) = (ctx.model, &ctx.theme);
    let lives = &m.lives;
    match (&lives.tracing, &lives.ended) {
        (Some(tracing), _) => match tracing.until {
            Some(until) => {
                let left = until.saturating_duration_since(m.instant).as_millis();
                let left = text::countdown(i64::try_from(left).unwrap_or(i64::MAX));
                (
                    format!("MONITOR runs: exact times and clients, {left} to go; {key} ends it"),
                    t.accent,
                )
            }
            None => ("MONITOR begins".to_owned(), t.accent),
        },
        (None, Some(Ok(how))) => (format!("{how}; {key} runs it again"), t.ok),
        (None, Some(Err(why))) => (why.clone(), t.warn),
        (None, None) => {
            let words =
                "who transferred and took a message cannot be seen so: only MONITOR tells it";
            (words.to_owned(), t.dim)
        }
    }
}

/// Where a message went that is no longer in timeouts, as far as it was seen; none: that was not seen.
pub(crate) fn went(ctx: &Ctx, life: &MessageLife) -> Option<String> {
    let clock = |at| moments::clock(ctx.model.look.zone, at);
    let left = life.left?;
    if let Some((kind, moment)) = &life.told.ended {
        return Some(format!(
            "{}{}, {}",
            words_of_end(kind),
            Author::of(&ctx.model.lives.names, Some(moment)).whole(),
            clock(left.at)
        ));
    }
    let at = clock(left.at);
    match life.exit {
        LifeExit::Ours(change) if !life.exit.is_transfer() => {
            return Some(format!("{} from this screen {at}", change.past()));
        }
        _ if life.left_early() => {
            return Some(format!(
                "gone since {at}, before it was due: polled, moved, removed or lost"
            ));
        }
        LifeExit::Unknown => return Some(format!("gone since {at}: transferred or removed")),
        LifeExit::Transfer | LifeExit::Ours(_) => {}
    }
    let transferred = Author::of(&ctx.model.lives.names, life.told.transferred.as_ref()).whole();
    let then = life.taken.map_or_else(
        || ", in target or taken".to_owned(),
        |taken| {
            let by = Author::of(&ctx.model.lives.names, life.told.consumed.as_ref()).whole();
            format!(", taken{by} {}", clock(taken.at))
        },
    );
    Some(format!("transferred{transferred} {}{then}", clock(left.at)))
}
