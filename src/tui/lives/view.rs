//! The lives of messages as lanes, one under another, newest first.

mod lane;

use ratatui::buffer::Buffer;
use ratatui::style::Style;
use ratatui::widgets::{Clear, Widget};

use super::MessageLife;
use crate::queue::text;
use crate::trace::EventKind;
use crate::trace::life::Moment;
use crate::tui::cursor::ScrollArea;
use crate::tui::draw::{Ctx, rect};
use crate::tui::hitmap::Target;
use crate::tui::keys::Action;
use crate::tui::model::Model;
use crate::tui::moments;
use crate::tui::widget::line::Line;
use crate::tui::widget::pane::TitlePart;

pub(crate) fn render(ctx: &Ctx, scroll: usize, buf: &mut Buffer) {
    let (m, t) = (ctx.model, &ctx.theme);
    let slot = super::place::slot(m);
    let body = super::place::body(m, slot);
    Clear.render(rect(slot.outer).intersection(buf.area), buf);
    // A click on its border closes it.
    ctx.record(slot.outer, Target::Beside);
    ctx.record(slot.inner, Target::Box);
    let name = m.selected().map(|row| row.queue.name.text().into_owned());
    let name = name.unwrap_or_default();
    let left = vec![
        TitlePart::new(100, "Lives of messages".to_owned(), t.strong),
        TitlePart::new(90, text::printable(&name).into_owned(), t.text),
    ];
    let shown = m.lives.shown();
    let more = shown.len().saturating_sub(usize::from(body.h));
    ctx.room(|room| room.last_line = Some(more));
    let right = if more > 0 {
        let seen = usize::from(body.h) + scroll.min(more);
        let words = format!("{seen} of {} {}", shown.len(), t.glyphs.down);
        vec![TitlePart::new(50, words, t.warn)]
    } else {
        Vec::new()
    };
    ctx.pane(slot, None, left, right, buf);
    ctx.rail(
        ScrollArea::Lives,
        slot,
        body,
        (shown.len() as u64, scroll as u64),
    );
    let hindrance = super::place::hindrance(m);
    let rows = shown.iter().skip(scroll.min(more));
    for (life, y) in rows.zip(body.y..body.y + body.h) {
        let mut line = Line::new(buf, body.x, y, body.w);
        line.skip(1);
        lane::put(ctx, life, hindrance.is_some(), line, buf);
    }
    let cut = t.glyphs.cut;
    let mut foot = Line::new(buf, body.x, body.y, body.w);
    if shown.is_empty() {
        foot.skip(1);
        foot.put_cut(
            buf,
            "No message seen yet: lives begin when a queue is selected.",
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
    let next = match (m.lives.failed, &m.lives.tracing) {
        (0, Some(_)) => format!("{key} ends it"),
        (0, None) if matches!(m.lives.ended, Some(Err(_))) => format!(
            "without MONITOR: delayscope trace {} --probe 5 follows test messages",
            text::printable(&name)
        ),
        (0, None) => format!(
            "{key} runs it for 30 s after a question; or: delayscope trace {}",
            text::printable(&name)
        ),
        (failed, _) => {
            let times = text::counted(failed, "transfer", "transfers");
            format!("{times} failed half-way: what stands before the entry at fault comes again")
        }
    };
    let wrong = hindrance.map(|finding| {
        let headline = text::printable(&finding.headline);
        (format!("wrong with this queue: {headline}"), t.late)
    });
    let below = [(earlier, t.dim), (told, style), (next, t.dim)];
    for ((words, style), y) in wrong
        .iter()
        .chain(&below)
        .zip(body.y + body.h..slot.inner.y + slot.inner.h)
    {
        let mut line = Line::new(buf, body.x, y, body.w);
        line.skip(1);
        line.put_cut(buf, words, cut, *style);
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
                    format!("MONITOR runs: exact times and clients, {left} to go"),
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

/// The author of a moment, in the words of a lane.
#[derive(Default)]
struct Author {
    /// ` by mail-1`; ` by 10.0.3.7:51342` where it has no name, ` by unix` through a socket of the
    /// server's machine; nothing where nobody is known.
    by: String,
    /// ` (10.0.3.7:51342)`, of one that has a name.
    address: String,
    /// ` redisson 3.52.0`, as far as it tells its library.
    library: String,
}

impl Author {
    fn of(ctx: &Ctx, moment: Option<&Moment>) -> Self {
        let who = moment.and_then(|moment| moment.by.as_deref());
        let Some(who) = who else {
            return Self::default();
        };
        let names = &ctx.model.lives.names;
        let library = names.library(who).map_or_else(String::new, |library| {
            format!(" {}", text::printable_bytes(&library))
        });
        let address = address(who);
        match names.now(who).map(text::printable_bytes) {
            Some(name) => Self {
                by: format!(" by {name}"),
                address: format!(" ({address})"),
                library,
            },
            None => Self {
                by: format!(" by {address}"),
                address: String::new(),
                library,
            },
        }
    }

    fn whole(self) -> String {
        self.by + &self.address + &self.library
    }
}

/// An address for people; `unix` of a socket of the server's machine.
fn address(who: &[u8]) -> String {
    if who.starts_with(b"unix:") {
        return "unix".to_owned();
    }
    text::printable_bytes(who)
}

/// Where a message went that is no longer in timeouts, as far as it was seen; none: that was not seen.
pub(crate) fn went(ctx: &Ctx, life: &MessageLife) -> Option<String> {
    let clock = |at| moments::clock(ctx.model.look.zone, at);
    let left = life.left?;
    if let Some((kind, moment)) = &life.told.ended {
        return Some(format!(
            "{}{}, {}",
            ended(kind),
            Author::of(ctx, Some(moment)).whole(),
            clock(left.at)
        ));
    }
    if life.left_early() {
        let at = clock(left.at);
        return Some(format!(
            "gone since {at}, before it was due: polled, moved, removed or lost"
        ));
    }
    let transferred = Author::of(ctx, life.told.transferred.as_ref()).whole();
    let then = life.taken.map_or_else(
        || ", in target or taken".to_owned(),
        |taken| {
            let by = Author::of(ctx, life.told.consumed.as_ref()).whole();
            format!(", taken{by} {}", clock(taken.at))
        },
    );
    Some(format!("transferred{transferred} {}{then}", clock(left.at)))
}

/// The end of a message that was not transferred.
fn ended(kind: &EventKind) -> &'static str {
    match kind {
        EventKind::Polled => "polled away before its transfer",
        EventKind::Removed => "removed",
        EventKind::Deleted => "lost: its key was deleted",
        EventKind::Expired => "lost: its key expired",
        EventKind::Renamed => "lost: its key was renamed",
        other => other.word(),
    }
}
