//! The line that is being typed, in place of the hints.

use ratatui::buffer::Buffer;

use super::{Ctx, entries, time};
use crate::clock::EpochMillis;
use crate::queue::text;
use crate::tui::model::PromptKind;
use crate::tui::widget::line::Line;

pub(super) fn render(ctx: &Ctx, buf: &mut Buffer) {
    let Some(prompt) = &ctx.model.prompt else {
        return;
    };
    let area = ctx.areas.hints;
    let t = &ctx.theme;
    let mut line = Line::new(buf, area.x, area.y, area.w * u16::from(area.h > 0));
    line.wipe(buf, area.w);
    let sign = match prompt.kind {
        PromptKind::Filter | PromptKind::Find => "/",
        PromptKind::Jump => "@",
        PromptKind::Command => ":",
    };
    line.skip(1).put(buf, sign, t.accent);
    let typed = prompt.field.text();
    let typed = text::printable(&typed);
    let at = prompt.field.cursor().1;
    let before: String = typed.chars().take(at).collect();
    let under = typed.chars().nth(at).unwrap_or(' ');
    let behind: String = typed.chars().skip(at + 1).collect();
    line.put_cut(buf, &before, t.glyphs.cut, t.text);
    line.put(buf, &under.to_string(), t.select);
    line.put_cut(buf, &behind, t.glyphs.cut, t.text);
    if let Some(error) = &prompt.error {
        line.skip(2).put_cut(buf, error, t.glyphs.cut, t.warn);
        return;
    }
    match (prompt.kind, prompt.moment) {
        (PromptKind::Jump, Some(moment)) => {
            line.skip(2).put(buf, &meant(ctx, moment), t.ok);
        }
        (PromptKind::Jump, None) => hint(ctx, JUMPS, typed.is_empty(), line, buf),
        (PromptKind::Filter, _) => hint(ctx, entries::filter_hint(), typed.is_empty(), line, buf),
        (PromptKind::Find | PromptKind::Command, _) => {}
    }
}

/// What can be typed behind `@`, by example.
const JUMPS: &str = "14:10  14:10:30  +5m  -2h  now";

/// Which moment that is: `14:10:00 today, in 0:31`.
fn meant(ctx: &Ctx, moment: EpochMillis) -> String {
    let (zone, now) = (ctx.model.look.zone, ctx.now);
    let day = 86_400_000;
    let near = |ms| time::same_day(zone, moment, now.plus(ms));
    let at = time::clock(zone, moment);
    let at = match (near(0), near(day), near(-day)) {
        (true, ..) => format!("{at} today"),
        (_, true, _) => format!("{at} tomorrow"),
        (.., true) => format!("{at} yesterday"),
        _ => time::full(zone, moment),
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
