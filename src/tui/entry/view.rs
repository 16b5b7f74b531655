//! One entry: what is known of it, then its payload as text or as bytes.

pub mod body;
pub mod facts;
pub mod tree;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use self::body::{Parts, bytes, legend, words};
use self::facts::facts;
use self::tree::tree;
use super::{EntryView, Face};
use crate::clock::EpochMillis;
use crate::queue::{Due, text};
use crate::tui::area::Area;
use crate::tui::cursor::ScrollArea;
use crate::tui::draw::Ctx;
use crate::tui::entries::EntryRow;
use crate::tui::entry::text::{Body, EntryRoom, body, decoded, is_plain, last, plan};
use crate::tui::hitmap::Target;
use crate::tui::lists::QuarantineTime;
use crate::tui::lives;
use crate::tui::moments;
use crate::tui::tabs::Tab;
use crate::tui::widget::line::Line;
use crate::tui::widget::pane::TitlePart;

/// The whole screen for one entry.
pub(crate) fn render(ctx: &Ctx, view: &EntryView, buf: &mut Buffer) {
    let slot = ctx.areas.detail;
    if !slot.shown() {
        return;
    }
    let size = (slot.inner.w, slot.inner.h);
    let plan = plan(size, ctx.areas.compact, is_plain(&view.row));
    if !ctx.areas.compact {
        let queue = queue_name(ctx);
        title(ctx, (&view.row, plan), queue.as_deref(), Some(view), buf);
    }
    let found = view.found.as_ref();
    let (x, y) = (slot.inner.x + slot.inner.w.min(1), slot.inner.y);
    facts(
        ctx,
        (&view.row, view.gone.is_some()),
        Rect::new(x, y, plan.columns, plan.facts),
        buf,
    );
    let has_bytes = plan.beside > 0 || view.face == Face::Hex;
    if plan.facts > 0 && has_bytes {
        let mut line = Line::new(buf, x, y + plan.facts - 1, plan.columns);
        line.skip(facts::LABEL);
        legend(ctx, &view.row, &mut line, buf);
    }
    let y = y + plan.facts;
    let rows = Area::new(slot.inner.x, y, slot.inner.w, plan.rows);
    let count = usize::from(plan.rows) + last(view, plan);
    let all = (count as u64, view.scroll as u64);
    match body(view, plan.text) {
        Body::Hex => {
            let area = Rect::new(x, y, plan.columns, plan.rows);
            bytes(ctx, &view.row, Parts::of(view), view.scroll, area, buf);
        }
        Body::Tree => {
            let beside = Rect::new(x + plan.columns - plan.beside, y, plan.beside, plan.rows);
            let area = Rect::new(x, y, plan.text, plan.rows);
            if let Some(values) = &view.tree {
                tree(ctx, values, found, view.scroll, area, buf);
            }
            let parts = Parts::of(view);
            let scroll = parts.scroll(beside);
            bytes(ctx, &view.row, parts, scroll, beside, buf);
        }
        Body::Text(lines) => {
            words(
                ctx,
                &lines,
                found,
                view.scroll,
                Rect::new(x, y, plan.text, plan.rows),
                buf,
            );
            let beside = Rect::new(x + plan.columns - plan.beside, y, plan.beside, plan.rows);
            bytes(ctx, &view.row, Parts::of(view), view.scroll, beside, buf);
        }
    }
    ctx.rail(ScrollArea::Entry, slot, rows, all);
}

/// The entry under the cursor, beside the table.
pub(crate) fn render_beside(ctx: &Ctx, buf: &mut Buffer) {
    let slot = ctx.areas.detail;
    let Some(row) = ctx.model.entry().filter(|_| slot.shown()) else {
        if slot.shown() {
            ctx.pane(
                slot,
                None,
                vec![TitlePart::new(1, "Entry", ctx.theme.strong)],
                vec![],
                buf,
            );
        }
        return;
    };
    let plan = plan((slot.inner.w, slot.inner.h), false, is_plain(row));
    title(ctx, (row, plan), None, None, buf);
    let (x, y) = (slot.inner.x + 1, slot.inner.y);
    let area = Rect::new(x, y, plan.columns, plan.facts);
    facts(ctx, (row, false), area, buf);
    let below = Rect::new(x, y + plan.facts, plan.columns, plan.rows);
    match decoded(row, plan.columns, glance(plan)) {
        Body::Text(lines) => words(ctx, &lines, None, 0, below, buf),
        _ => bytes(ctx, row, Parts::default(), 0, below, buf),
    }
}

fn title(
    ctx: &Ctx,
    (row, plan): (&EntryRow, EntryRoom),
    queue: Option<&str>,
    view: Option<&EntryView>,
    buf: &mut Buffer,
) {
    let (left, right) = parts(ctx, (row, plan), queue, view);
    let face = |words: &str| {
        let word = words.trim_matches(['[', ']']);
        let mut faces = FACES.into_iter();
        let (face, _) = faces.find(|(_, name)| *name == word)?;
        Some(Target::Face(face))
    };
    ctx.titled(ctx.areas.detail, None, left, right, face, buf);
}

fn queue_name(ctx: &Ctx) -> Option<String> {
    let row = ctx.model.selected();
    row.map(|row| text::printable_bytes(row.queue.name.as_bytes()))
}

/// The faces by the words in the title.
const FACES: [(Face, &str); 4] = [
    (Face::Tree, "tree"),
    (Face::Text, "text"),
    (Face::Raw, "raw"),
    (Face::Hex, "hex"),
];

/// The faces of an opened entry, with the one that is shown.
fn faces(ctx: &Ctx, view: &EntryView) -> TitlePart {
    let t = &ctx.theme;
    let has = view.faces();
    let is_shown = |face: Face| face == view.face || has.len() == 1;
    let mut pieces = Vec::new();
    for (face, word) in FACES.into_iter().filter(|(face, _)| has.contains(face)) {
        if !pieces.is_empty() {
            pieces.push((" ".to_owned(), t.dim));
        }
        pieces.push(if is_shown(face) {
            (format!("[{word}]"), t.accent)
        } else {
            (word.to_owned(), t.dim)
        });
    }
    TitlePart { pieces, rank: 60 }
}

/// Returns the parts of the title, from the left and from the right.
fn parts(
    ctx: &Ctx,
    (row, plan): (&EntryRow, EntryRoom),
    queue: Option<&str>,
    view: Option<&EntryView>,
) -> (Vec<TitlePart>, Vec<TitlePart>) {
    let face = view.map(|view| view.face);
    let t = &ctx.theme;
    let style = if face.is_some() { t.accent } else { t.strong };
    let mut name = TitlePart::new(100, "Entry ", style);
    name.pieces.push((row.id.to_string(), name.pieces[0].1));
    let mut left = vec![name];
    left.extend(queue.map(|q| TitlePart::new(50, format!("of {}", text::cut(q, 40)), t.dim)));
    left.extend(view.map(|view| faces(ctx, view)));
    let since = &ctx.model.lists.since;
    let state = match (view.and_then(|view| view.gone), ctx.model.tab) {
        (Some(at), _) => Some(gone(ctx, row, at)),
        (None, Tab::Quarantine) => Some(match since {
            Some(known) => set_aside(ctx, known.get(&row.id), view.is_some()),
            None => "in quarantine".to_owned(),
        }),
        _ => None,
    };
    let mut right: Vec<TitlePart> = match state {
        Some(words) => vec![TitlePart::new(70, words, t.warn)],
        // Once is enough.
        None if facts::tells_countdown(plan) => Vec::new(),
        None => {
            let (words, style) = facts::countdown(ctx, row);
            vec![TitlePart::new(70, words, style)]
        }
    };
    if let Some(at) = view.and_then(|view| view.requeued) {
        let words = format!(
            "new due time since {}",
            moments::clock(ctx.model.look.zone, at)
        );
        right.insert(0, TitlePart::new(75, words, t.warn));
    }
    if let Some(found) = view.and_then(|view| view.found.as_ref()) {
        let what = match found.hits.len() {
            0 => "not found".to_owned(),
            count => format!(
                "{} of {} found",
                found.at + 1,
                text::thousands(count as u64)
            ),
        };
        right.insert(0, TitlePart::new(80, what, t.accent));
    }
    (left, right)
}

/// Says since when it is no longer where it was, and where it went, as far as it was seen: what was
/// due has been transferred.
fn gone(ctx: &Ctx, row: &EntryRow, at: EpochMillis) -> String {
    let model = ctx.model;
    let queue = model.selected().map(|row| &row.queue);
    let life = queue.and_then(|queue| model.lives.of(queue, &row.member));
    if let Some(words) = life.and_then(|life| lives::view::went(ctx, life)) {
        return words;
    }
    let clock = moments::clock(model.look.zone, at);
    match row.due {
        _ if model.tab == Tab::Delivered => {
            format!("gone from target since {clock}: taken or removed")
        }
        Due::At(due) if due <= at => format!("transferred to target, gone since {clock}"),
        _ => format!("gone since {clock}, before it was due: where to was not seen"),
    }
}

/// Says since when it is in quarantine, and where there is room which change has set it aside.
fn set_aside(ctx: &Ctx, since: Option<&QuarantineTime>, roomy: bool) -> String {
    let at = |since: &QuarantineTime| moments::short(ctx.model.look.zone, since.at, ctx.now);
    match since {
        Some(since) if roomy => format!("in quarantine since {} by {}", at(since), since.change),
        Some(since) => format!("since {}", at(since)),
        None if roomy => "in quarantine, since when is not in the journal here".to_owned(),
        None => "in quarantine".to_owned(),
    }
}

/// As many bytes of text as a pane without scrolling can show.
fn glance(plan: EntryRoom) -> usize {
    usize::from(plan.columns) * usize::from(plan.rows) * 4
}
