//! The last line: what the keys do here.

use ratatui::buffer::Buffer;

use super::Hint;
use crate::queue::text;
use crate::tui::area::Area;
use crate::tui::draw::Ctx;
use crate::tui::hitmap::Target;
use crate::tui::model::Model;
use crate::tui::tabs;
use crate::tui::widget::line::Line;

/// Columns between two hints.
pub(crate) const fn gap(model: &Model) -> u16 {
    if model.size.0 >= 100 { 3 } else { 2 }
}

/// Draws whole hints only; the way out and the help have their place in any case, and where there
/// are none the last one has.
pub(crate) fn render(ctx: &Ctx, buf: &mut Buffer) {
    let area = ctx.areas.hints;
    let mut end = area.right();
    if let Some(words) = marked(ctx.model) {
        let columns = columns(&words);
        if area.x + 1 + columns < end {
            end = end.saturating_sub(1 + columns + gap(ctx.model));
            count(ctx, &words, buf);
        }
    }
    let mut hints = super::hints(ctx.model);
    let stay = hints.iter().rev().take_while(|hint| hint.stays).count();
    let kept = hints.split_off(hints.len() - stay.max(1).min(hints.len()));
    let gap = gap(ctx.model);
    let reserved: u16 = kept.iter().map(|hint| width(hint) + gap).sum();
    let reserved = reserved.saturating_sub(gap);
    let mut x = area.x + 1;
    for hint in hints {
        let w = width(&hint) + gap;
        if x + w + reserved > end {
            break;
        }
        put(ctx, &hint, Area::new(x, area.y, w, area.h), buf);
        x += w;
    }
    for hint in kept {
        let w = (width(&hint) + gap).min(end.saturating_sub(x));
        put(ctx, &hint, Area::new(x, area.y, w, area.h), buf);
        x += w;
    }
}

/// A hint, as much of it as there is room for. On one of several keys the mouse means that one, on
/// their word the first.
fn put(ctx: &Ctx, hint: &Hint, mut room: Area, buf: &mut Buffer) {
    let t = &ctx.theme;
    room.w = room.w.min(width(hint));
    let mut line = Line::new(buf, room.x, room.y, room.w * room.h);
    // A key that cannot act now steps back; pressed, it says why.
    let keys = if hint.enabled { t.accent } else { t.dim };
    line.put(buf, &hint.keys, keys)
        .skip(1)
        .put(buf, hint.word, t.dim);
    if let Some((first, _)) = hint.parts.first() {
        ctx.record(room, Target::Key(*first));
    }
    for (key, columns) in &hint.parts {
        ctx.record(room.take_left(*columns), Target::Key(*key));
    }
}

/// Draws the number of marked entries at the right end.
fn count(ctx: &Ctx, words: &str, buf: &mut Buffer) {
    let area = ctx.areas.hints;
    let mut line = Line::new(buf, area.x, area.y, area.w.saturating_sub(1));
    line.put_right(buf, words, ctx.theme.strong);
}

/// The number of marked entries, and whether it is exact.
fn counted(model: &Model) -> (u64, bool) {
    model.marks.count(tabs::queries::total(model))
}

/// The number of marked entries in words.
fn marked(model: &Model) -> Option<String> {
    match counted(model) {
        (0, true) => None,
        (count, true) => Some(format!("{} marked", text::thousands(count))),
        (count, false) => Some(format!("~{} marked", text::thousands(count))),
    }
}

fn width(hint: &Hint) -> u16 {
    columns(&hint.keys) + 1 + columns(hint.word)
}

fn columns(text: &str) -> u16 {
    u16::try_from(text::width(text)).unwrap_or(u16::MAX)
}
