//! One message as a lane: what it says, and what happened to it, from its offer to its end.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::super::author::{self, Author};
use super::super::{LATE_MS, LifeExit, MessageLife, words_of_end};
use crate::clock::EpochMillis;
use crate::queue::text;
use crate::trace::life::Moment;
use crate::tui::draw::Ctx;
use crate::tui::moments;
use crate::tui::widget::line::Line;

/// Columns of the message, at least and at most: a fifth of the lane.
const MESSAGE: (usize, usize) = (12, 30);

/// Letters of an id.
const ID: usize = 8;

/// A part that has to be seen.
const ALWAYS: u8 = u8::MAX;

/// The ranks of the address of a client that is named, and of its library.
const BESIDE_NAME: [u8; 2] = [6, 5];

/// A part of a lane.
struct LanePart {
    /// Where there is no room for all, the part with the lowest rank is left out first.
    rank: u8,
    words: String,
    style: Style,
}

/// `{"order":47… seen 14:02:01 ─ announced ─ due 14:02:06 ┃ transferred +0:01 ─ taken +0:02`
pub(super) fn put(ctx: &Ctx, life: &MessageLife, mut row: Line, buf: &mut Buffer) {
    let t = &ctx.theme;
    let columns = (row.room() / 5).clamp(MESSAGE.0, MESSAGE.1);
    let columns = u16::try_from(columns).unwrap_or(u16::MAX);
    let mut message = row;
    message.end = row.end.min(row.x.saturating_add(columns));
    let id = life.id.to_string();
    let id = &id[..ID.min(id.len())];
    let says = if life.text.is_empty() {
        id
    } else {
        life.text.as_str()
    };
    message.put_cut(buf, says, t.glyphs.cut, t.text);
    row.skip(columns + 1);
    let mut parts = parts(ctx, life);
    if says != id {
        parts.push(LanePart {
            rank: 0,
            words: format!("  {id}"),
            style: t.dim,
        });
    }
    let width =
        |parts: &[LanePart]| -> usize { parts.iter().map(|one| text::width(&one.words)).sum() };
    while width(&parts) > row.room() {
        let lowest = (0..parts.len()).rev().min_by_key(|at| parts[*at].rank);
        match lowest.filter(|at| parts[*at].rank < ALWAYS) {
            Some(at) => parts.remove(at),
            None => break,
        };
    }
    for (at, part) in parts.iter().enumerate() {
        // What stood before may have been left out.
        let words = match at {
            0 => part.words.trim_start_matches([' ', '-', '─']),
            _ => &part.words,
        };
        row.put(buf, words, part.style);
    }
}

/// The words for a client with their ranks, of which the first one is given.
fn ranked(author: Author, first: u8) -> [(u8, String); 3] {
    let [address, library] = BESIDE_NAME;
    [
        (first, author.by),
        (address, author.address),
        (library, author.library),
    ]
}

/// All there is to be told, in its order.
fn parts(ctx: &Ctx, life: &MessageLife) -> Vec<LanePart> {
    let (m, t) = (ctx.model, &ctx.theme);
    let (zone, names) = (m.look.zone, &m.lives.names);
    let on = if m.look.ascii { " - " } else { " ─ " };
    let told = &life.told;
    let mut parts = Vec::new();
    let mut part = |rank, words: String, style| parts.push(LanePart { rank, words, style });
    let offered = told.offered.as_ref();
    match offered.and_then(|offered| offered.at_us) {
        Some(at_us) => {
            let at = EpochMillis::new(at_us.div_euclid(1_000));
            let at = moments::clock(zone, at);
            part(40, format!("offered {at}"), t.text);
            for (rank, words) in ranked(Author::of(names, offered), 20) {
                part(rank, words, t.text);
            }
        }
        // No event of its own: who transfers and takes it says more.
        None => part(
            12,
            format!("seen {}", moments::clock(zone, life.seen)),
            t.dim,
        ),
    }
    if life.requeues > 0 {
        let often = match life.requeues {
            1 => "requeued".to_owned(),
            more => format!("requeued {}", text::counted(more, "time", "times")),
        };
        part(65, format!("{on}{often}"), t.warn);
        for (rank, words) in ranked(Author::of(names, told.requeued.as_ref()), 22) {
            part(rank, words, t.warn);
        }
    }
    if life.announced.is_some() {
        if told.announced_to == Some(0) {
            part(10, format!("{on}announced to nobody"), t.late);
        } else {
            part(10, format!("{on}announced"), t.text);
        }
    }
    let due = if life.is_due_known {
        format!("{on}due {} ", moments::clock(zone, life.due))
    } else {
        format!("{on}due time not seen ")
    };
    part(ALWAYS, due, t.text);
    part(ALWAYS, t.glyphs.now.to_owned(), t.accent);
    let late = |ms: i64| if ms > LATE_MS { t.late } else { t.ok };
    let after = |at: EpochMillis| {
        if !life.is_due_known {
            return (moments::clock(zone, at), t.text);
        }
        let ms = at.since(life.due).max(0);
        (format!("+{}", text::span(ms.unsigned_abs())), late(ms))
    };
    let exact = |moment: &Option<Moment>, seen: EpochMillis| {
        let at_us = moment.as_ref().and_then(|moment| moment.at_us);
        at_us.map_or(seen, |us| EpochMillis::new(us.div_euclid(1_000)))
    };
    let times = |n| text::counted(n, "time", "times");
    match life.left {
        _ if let Some((kind, moment)) = &told.ended => {
            part(ALWAYS, format!(" {}", words_of_end(kind)), t.warn);
            for (rank, words) in ranked(Author::of(names, Some(moment)), 60) {
                part(rank, words, t.warn);
            }
            if let Some(left) = life.left {
                let at = moments::clock(zone, left.at);
                part(55, format!(", {at}"), t.warn);
            }
        }
        None => {
            if told.transfers > 0 {
                part(ALWAYS, format!(" pushed {}", times(told.transfers)), t.late);
                if told.deliveries > 0 {
                    part(
                        ALWAYS,
                        format!(", taken {}", times(told.deliveries)),
                        t.late,
                    );
                }
                part(30, ", and still here".to_owned(), t.late);
            }
            let left = life.due.since(m.now);
            if life.is_due_known && left < 0 {
                part(ALWAYS, format!(" late {}", text::countdown(-left)), t.late);
            } else if life.is_due_known {
                part(ALWAYS, format!(" in {}", text::countdown(left)), t.dim);
            }
        }
        Some(left)
            if let LifeExit::Ours(change) = life.exit
                && !life.exit.is_transfer() =>
        {
            part(
                ALWAYS,
                format!(" {} from this screen", change.past()),
                t.warn,
            );
            let at = moments::clock(zone, left.at);
            part(55, format!(" {at}"), t.warn);
        }
        Some(left) if life.left_early() && !life.exit.is_transfer() => {
            part(ALWAYS, " left".to_owned(), t.warn);
            let at = moments::clock(zone, left.at);
            part(55, format!(" {at}"), t.warn);
            let words = ": polled, moved, removed or lost";
            part(ALWAYS, words.to_owned(), t.warn);
            part(15, " with its key".to_owned(), t.warn);
        }
        Some(left) if told.transferred.is_none() && life.exit == LifeExit::Unknown => {
            let (span, style) = after(left.at);
            part(ALWAYS, format!(" left {span}"), style);
            part(35, ": transferred or removed".to_owned(), t.dim);
        }
        Some(left) => {
            // The first one, where it was repeated: that is when a consumer got it.
            let (span, style) = after(exact(&told.transferred, left.at));
            let here = match life.exit {
                LifeExit::Ours(_) => " from this screen",
                LifeExit::Transfer | LifeExit::Unknown => "",
            };
            part(ALWAYS, format!(" transferred{here} {span}"), style);
            for (rank, words) in ranked(Author::of(names, told.transferred.as_ref()), 60) {
                part(rank, words, t.text);
            }
            if !told.in_vain.is_empty() {
                let who = author::listed(names, told.in_vain.iter().map(|by| &**by));
                part(50, format!(", {} in vain", told.in_vain.len()), t.dim);
                part(25, format!(" ({who})"), t.dim);
            }
            if told.transfers > 1 {
                part(90, format!(", {}", times(told.transfers)), t.late);
                part(45, format!(", last {}", after(left.at).0), t.late);
            }
            if let Some(taken) = life.taken {
                let taken = exact(&told.consumed, taken.at);
                // One part: a count without its word would be told of the transfer.
                let (often, style) = match told.deliveries {
                    0 | 1 => (String::new(), t.text),
                    more => (format!(", {}", times(more)), t.late),
                };
                part(80, format!("{on}taken {}{often}", after(taken).0), style);
                for (rank, words) in ranked(Author::of(names, told.consumed.as_ref()), 30) {
                    part(rank, words, t.text);
                }
            } else {
                part(35, format!("{on}in target, or taken"), t.dim);
            }
        }
    }
    parts
}
