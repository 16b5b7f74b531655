//! The parts that a filter adds to the entries: its words and its state in the title, what was
//! found in a row, and what is said when nothing was.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::style::{Modifier, Style};

use super::{ActiveFilter, Search};
use crate::queue::{Filter, text};
use crate::tui::area::Area;
use crate::tui::draw::Ctx;
use crate::tui::entries::view::rows::head;
use crate::tui::keys::Action;
use crate::tui::model::Model;
use crate::tui::moments;
use crate::tui::widget::line::Line;
use crate::tui::widget::pane::TitlePart;
use crate::tui::widget::wrap;

/// Examples of what can be typed.
const EXAMPLES: &str = "words  late  due<14:10  due>+1h  id:3f9a  codec:json  re:/a.*b/";

/// One dim line of examples for who types a filter.
pub(crate) const fn hint() -> &'static str {
    EXAMPLES
}

/// The filter that is on, as it was typed.
pub(crate) fn which(ctx: &Ctx) -> Option<TitlePart> {
    let filtered = ctx.model.filtered.as_ref()?;
    let room = usize::from(ctx.model.size.0 / 4).max(12);
    let typed = text::printable(filtered.filter.text());
    let typed = text::cut(typed.trim(), room);
    let typed = typed.replace('…', ctx.theme.glyphs.cut);
    Some(TitlePart::new(95, format!("/{typed}"), ctx.theme.accent))
}

/// Says how many there are of the rows in sight: `1,000,000`, `312 found`, `the first 20,000 of
/// 312,400`.
pub(crate) fn total(model: &Model, listed: u64) -> String {
    match model.filtered.as_ref().filter(|_| model.on_hits()) {
        None => text::thousands(listed),
        Some(filtered) if filtered.is_cut() => format!(
            "the first {} of {} found",
            text::thousands(listed),
            text::thousands(filtered.count())
        ),
        Some(_) => format!("{} found", text::thousands(listed)),
    }
}

/// Says how many were found, and how far the search is.
pub(crate) fn state(ctx: &Ctx) -> Vec<TitlePart> {
    let t = &ctx.theme;
    let Some(filtered) = &ctx.model.filtered else {
        return Vec::new();
    };
    let key = |key: &str, word: &str| TitlePart {
        pieces: vec![(key.to_owned(), t.accent), (format!(" {word}"), t.dim)],
        rank: 75,
    };
    let percent = filtered.percent();
    let count = format!("{} found", text::thousands(filtered.count()));
    let mut parts = vec![TitlePart::new(92, count, t.text)];
    if filtered.filter.cut_short() > 0 {
        // Rows in sight are looked at again and again: how many there are is not known here.
        parts.push(TitlePart::new(91, "large values not whole", t.warn));
    }
    match &filtered.search {
        Search::Planned(_) | Search::Running(_) => {
            let word = match ctx.areas.entries.outer.w {
                ..100 => "",
                _ => "looked through ",
            };
            // Two digits at least: the rest of the title shall not move.
            let mut part = TitlePart::new(90, format!("{word}{percent:>2} %"), t.warn);
            if ctx.model.prompt.is_none() {
                part.pieces.push(("  Esc".to_owned(), t.accent));
                part.pieces.push((" stops".to_owned(), t.dim));
            }
            parts.push(part);
        }
        Search::Stopped => {
            parts.push(TitlePart::new(
                90,
                format!("stopped at {percent} %"),
                t.warn,
            ));
            parts.push(key("^R", "again"));
        }
        Search::Failed(_) => {
            // Why is told where the rows are, when there are none.
            parts.push(TitlePart::new(90, format!("failed at {percent} %"), t.warn));
            parts.push(key("^R", "again"));
        }
        Search::Done if ctx.model.tab.list().is_some() => {
            // Where an element of a list is now is not asked again: a list can only be walked.
            let at = moments::clock(ctx.model.look.zone, filtered.at);
            parts.push(TitlePart::new(88, format!("as of {at}"), t.dim));
            parts.push(key("^R", "again"));
        }
        Search::Done if filtered.stale => parts.push(key("^R", "again")),
        Search::Done => {}
    }
    parts
}

/// Nothing was found: what was looked through, and what else can be typed.
pub(crate) fn nothing(ctx: &Ctx, filtered: &ActiveFilter, area: Area, buf: &mut Buffer) {
    let d = &ctx.data;
    let of = text::thousands(filtered.of);
    let looked = text::thousands(filtered.looked);
    let words = match &filtered.search {
        Search::Planned(_) => "Nothing in sight matches.".to_owned(),
        Search::Running(_) => format!("Nothing yet: {looked} of {of} looked through."),
        Search::Stopped => format!("Nothing found in {looked} of {of}: the search was stopped."),
        Search::Failed(why) => format!("The search failed after {looked} of {of}: {why}"),
        Search::Done => format!("Nothing matches: {looked} looked through."),
    };
    let words = match ctx.key(Action::Open) {
        Some(key) if super::queries::meant(ctx.model).is_some() => {
            format!("{words} A queue has that name: {key} opens it.")
        }
        _ => words,
    };
    let words = if filtered.filter.cut_short() > 0 {
        format!("{words} Of large values only the first 256 kB were looked at by the pattern.")
    } else {
        words
    };
    let words = text::printable(&words);
    let room = usize::from(area.w.saturating_sub(4));
    let words = wrap::wrap(&words, room).into_iter().map(|l| (l, d.text));
    let hints = wrap::wrap(&format!("Try: {EXAMPLES}"), room);
    let all = words.chain(hints.into_iter().map(|l| (l, d.dim)));
    for (y, (words, style)) in (area.y..area.y + area.h).zip(all) {
        let mut line = Line::new(buf, area.x, y, area.w);
        line.skip(3).put_cut(buf, &words, d.glyphs.cut, style);
    }
}

/// The parts of a row that made it match.
pub(crate) struct MatchMarks<'a> {
    filter: Option<&'a Filter>,
    cut: &'static str,
    style: Style,
    /// Accent says it by colour, the line below it without.
    accent: Style,
}

impl<'a> MatchMarks<'a> {
    pub(crate) fn new(ctx: &Ctx<'a>) -> Self {
        let filtered = ctx.model.filtered.as_ref();
        Self {
            filter: filtered.map(|f| &f.filter),
            cut: ctx.data.glyphs.cut,
            style: ctx.data.dim,
            accent: ctx.theme.found,
        }
    }

    /// Puts a payload's line with what was found in it; from further on where that lies beyond the
    /// cell. False when nothing of it is in this text.
    pub(crate) fn put(&self, buf: &mut Buffer, cell: &mut Line, all: &str, style: Style) -> bool {
        let found = self.filter.map_or_else(Vec::new, |f| f.found_in(all));
        let Some(first) = found.first() else {
            return false;
        };
        let room = cell.room();
        let mut from = 0;
        if text::width(&all[..first.end]) + 1 > room {
            // A third of the cell for what stands before it.
            let before = all[..first.start].char_indices().rev().nth(room / 3);
            from = before.map_or(0, |(at, _)| at);
        }
        if from > 0 {
            cell.put(buf, self.cut, self.style);
        }
        self.pieces(buf, cell, (all, from), &found, style);
        true
    }

    /// Puts an id with what was found in it.
    pub(crate) fn put_id(&self, buf: &mut Buffer, cell: &mut Line, id: &str, style: Style) {
        let found = self.filter.map_or_else(Vec::new, |f| f.found_in_id(id));
        self.pieces(buf, cell, (id, 0), &found, style);
    }

    fn pieces(
        &self,
        buf: &mut Buffer,
        cell: &mut Line,
        (all, from): (&str, usize),
        found: &[Range<usize>],
        style: Style,
    ) {
        let marked = style.patch(self.accent).add_modifier(Modifier::UNDERLINED);
        let mut at = from;
        for range in found.iter().filter(|range| range.end > from) {
            let start = range.start.max(from);
            let before = head(&all[at..start], cell.room());
            let end = start + head(&all[start..range.end], cell.room()).len();
            let last = end == all.len();
            for (text, style, last) in [(before, style, false), (&all[start..end], marked, last)] {
                // A column for what says that more follows.
                if text::width(text) + usize::from(!last) > cell.room() {
                    cell.put_cut(buf, head(&all[at..], cell.room()), self.cut, style);
                    return;
                }
                cell.put(buf, text, style);
                at += text.len();
            }
        }
        let rest = head(&all[at..], cell.room());
        cell.put_cut(buf, rest, self.cut, style);
    }
}
