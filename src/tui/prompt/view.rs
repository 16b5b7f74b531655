//! The line that is being typed, in place of the hints; a command's own stands in a box.

use ratatui::buffer::Buffer;

use super::{Prompt, PromptKind};
use crate::clock::EpochMillis;
use crate::queue::text;
use crate::tui::area::Area;
use crate::tui::draw::Ctx;
use crate::tui::hitmap::Target;
use crate::tui::keys::{Code, Key};
use crate::tui::theme::Theme;
use crate::tui::widget::line::Line;
use crate::tui::{filter, moments, palette};

/// Rows at the bottom that the line takes.
pub(crate) fn rows(ctx: &Ctx) -> u16 {
    u16::from(ctx.model.prompt.is_some() && ctx.commands.is_none())
}

pub(crate) fn render(ctx: &Ctx, buf: &mut Buffer) {
    let Some(prompt) = &ctx.model.prompt else {
        return;
    };
    if rows(ctx) == 0 {
        palette::view::render(ctx, prompt, buf);
        return;
    }
    let (w, h) = ctx.model.size;
    let mut bottom = Line::new(buf, 0, h.saturating_sub(1), w);
    bottom.wipe(buf, w);
    ctx.record(Area::new(0, bottom.y, w, 1), Target::Typed);
    bottom.skip(1);
    let area = Area::new(bottom.x, bottom.y, w.saturating_sub(1), 1);
    let mut line = Line::new(buf, area.x, area.y, area.w);
    if let Some(error) = &prompt.error {
        trouble(ctx, error, prompt, &mut line, buf);
    } else if line.room() >= 60 && !(prompt.field.is_empty() && by_example(prompt.kind)) {
        keys(ctx, prompt.kind, &mut line, buf);
    }
    let rest = typed(ctx, prompt, line, buf);
    meaning(ctx, prompt, rest, buf);
}

/// Draws what is wrong, at the right of the line: in half of it, and in more where what is typed
/// leaves more.
pub(crate) fn trouble(ctx: &Ctx, error: &str, prompt: &Prompt, line: &mut Line, buf: &mut Buffer) {
    let t = &ctx.theme;
    let clean = text::printable(error);
    // Its sign, the cursor and the gap before the words.
    let typed = text::width(&text::printable(&prompt.field.text())) + 4;
    let room = (line.room() / 2).max(line.room().saturating_sub(typed));
    let columns = text::width(&clean).min(room);
    let start = line.end - u16::try_from(columns).unwrap_or(0);
    let mut right = Line { x: start, ..*line };
    right.put_cut(buf, &clean, t.glyphs.cut, t.warn);
    line.end = start.saturating_sub(2).max(line.x);
}

/// Draws the keys that end the line, at its right.
fn keys(ctx: &Ctx, kind: PromptKind, line: &mut Line, buf: &mut Buffer) {
    let t = &ctx.theme;
    let enter = match kind {
        PromptKind::Filter | PromptKind::Lives => "filter",
        PromptKind::Find => "search",
        PromptKind::Jump => "jump",
        PromptKind::Command => "run",
    };
    for (key, word) in [("Esc", "cancel"), (t.glyphs.enter, enter)] {
        line.put_right(buf, word, t.dim);
        line.put_right(buf, " ", t.dim);
        line.put_right(buf, key, t.accent);
        line.put_right(buf, "  ", t.dim);
    }
}

/// The sign of the kind, then what has been typed with the cursor in it.
pub(crate) fn typed(ctx: &Ctx, prompt: &Prompt, mut line: Line, buf: &mut Buffer) -> Line {
    let t = &ctx.theme;
    let sign = match prompt.kind {
        PromptKind::Filter | PromptKind::Find | PromptKind::Lives => "/",
        PromptKind::Jump => "@",
        PromptKind::Command => ":",
    };
    line.put(buf, sign, t.accent);
    let field = prompt.field.text();
    let at = prompt.field.cursor().1;
    let before: String = field.chars().take(at).collect();
    let under = field.chars().nth(at).map_or(" ".to_owned(), String::from);
    let under = text::printable(&under);
    let behind: String = field.chars().skip(at + 1).collect();
    // The cursor is always in sight: a long line loses its beginning.
    let room = line.room().saturating_sub(text::width(&under));
    let before = end_of(&text::printable(&before), room, t.glyphs.cut);
    line.put(buf, &before, t.text)
        .put(buf, &under, Theme::caret());
    line.put_cut(buf, &behind, t.glyphs.cut, t.text);
    line
}

/// The end of a text, as much as `columns` hold; `cut` stands for the rest.
fn end_of(clean: &str, columns: usize, cut: &str) -> String {
    if text::width(clean) <= columns {
        return clean.to_owned();
    }
    let mut used = text::width(cut);
    let mut kept: Vec<char> = Vec::new();
    for c in clean.chars().rev() {
        used += text::width(c.encode_utf8(&mut [0; 4]));
        if used > columns {
            break;
        }
        kept.push(c);
    }
    cut.chars().chain(kept.into_iter().rev()).collect()
}

/// Its empty line shows what can be typed.
const fn by_example(kind: PromptKind) -> bool {
    matches!(
        kind,
        PromptKind::Filter | PromptKind::Lives | PromptKind::Jump
    )
}

/// Draws what the line means, behind it; what else can be typed, where it leaves room.
fn meaning(ctx: &Ctx, prompt: &Prompt, mut line: Line, buf: &mut Buffer) {
    let empty = prompt.field.is_empty();
    match (prompt.kind, prompt.moment) {
        _ if prompt.error.is_some() => {}
        (PromptKind::Jump, Some(moment)) => {
            line.skip(2).put(buf, &meant(ctx, moment), ctx.theme.ok);
        }
        (PromptKind::Jump, None) => hint(ctx, JUMPS, empty, line, buf),
        (PromptKind::Filter, _)
            if filter::queries::names_a_queue(ctx.model, &prompt.field.text()) =>
        {
            queues(ctx, line, buf);
        }
        (PromptKind::Filter | PromptKind::Lives, _) => {
            hint(ctx, filter::view::hint(), empty, line, buf);
        }
        (PromptKind::Find | PromptKind::Command, _) => {}
    }
}

/// `Tab finds the queue of that name`, where a filter of entries is typed that is the name of one.
fn queues(ctx: &Ctx, mut line: Line, buf: &mut Buffer) {
    let t = &ctx.theme;
    let key = Key::of(Code::Tab).label(ctx.model.look.ascii);
    let words = " finds the queue of that name";
    if line.room() > text::width(&key) + text::width(words) + 2 {
        line.end = line.end.saturating_sub(1);
        line.put_right(buf, words, t.text);
        line.put_right(buf, &key, t.accent);
    }
}

/// Examples of what can be typed behind `@`.
const JUMPS: &str = "14:10  14:10:30  +5m  -2h  now";

/// Says which moment is meant: `14:10:00 today, in 0:31`.
fn meant(ctx: &Ctx, moment: EpochMillis) -> String {
    let (zone, now) = (ctx.model.look.zone, ctx.now);
    let day = 86_400_000;
    let near = |ms| moments::same_day(zone, moment, now.plus(ms));
    let at = moments::clock(zone, moment);
    let at = match (near(0), near(day), near(-day)) {
        (true, ..) => format!("{at} today"),
        (_, true, _) => format!("{at} tomorrow"),
        (.., true) => format!("{at} yesterday"),
        _ => moments::full(zone, moment),
    };
    let left = text::countdown(moment.since(now));
    match left.strip_prefix('-') {
        Some(ago) => format!("{at}, {ago} ago"),
        None => format!("{at}, in {left}"),
    }
}

/// One dim line of examples: beside an empty line, or at the right end where it leaves room.
fn hint(ctx: &Ctx, words: &str, empty: bool, mut line: Line, buf: &mut Buffer) {
    let t = &ctx.theme;
    if empty {
        line.skip(1).put_cut(buf, words, t.glyphs.cut, t.dim);
    } else if line.room() > text::width(words) + 4 {
        line.end = line.end.saturating_sub(1);
        line.put_right(buf, words, t.dim);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_shows_its_end() {
        assert_eq!(end_of("abc", 3, "…"), "abc");
        assert_eq!(end_of("abcd", 3, "…"), "…cd");
        assert_eq!(end_of("ab订", 3, "…"), "…订");
        assert_eq!(end_of("a订b订", 3, "…"), "…订");
    }
}
