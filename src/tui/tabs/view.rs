//! The title of the pane of the entries: the bar of the tabs, and which rows are in sight.

use ratatui::buffer::Buffer;
use ratatui::style::Modifier;

use super::Tab;
use crate::queue::text;
use crate::tui::area::Area;
use crate::tui::draw::Ctx;
use crate::tui::filter;
use crate::tui::hitmap::Target;
use crate::tui::model::Pane;
use crate::tui::tabs::place::{Label, TabBar};
use crate::tui::widget::line::Line;
use crate::tui::widget::pane::TitlePart;

/// Draws the border with the tabs; `left` and `right` say what the tab in sight has to add.
pub(crate) fn title(ctx: &Ctx, left: Vec<TitlePart>, right: Vec<TitlePart>, buf: &mut Buffer) {
    let slot = ctx.areas.entries;
    if ctx.areas.compact {
        return;
    }
    let TabBar { labels, position } = super::place::bar(ctx.model, slot);
    let mut x = slot.outer.x + if slot.boxed { 2 } else { 3 };
    for label in &labels {
        let place = Area::new(x, slot.outer.y, label.w, 1);
        ctx.record(place, Target::Tab(label.tab));
        x = x.saturating_add(label.w + 1);
    }
    let mut first = vec![bar(ctx, &labels)];
    first.extend(left);
    // With a filter on, its own title says which rows are in sight.
    let filtered = ctx.model.tab == Tab::Waiting && ctx.model.filtered.is_some();
    let position = position
        .filter(|_| !filtered)
        .map(|p| TitlePart::new(80, p, ctx.theme.text));
    let mut last: Vec<TitlePart> = position.into_iter().chain(right).collect();
    // What of another tab is older than it should be is told by that tab.
    last.extend(age(ctx));
    ctx.pane(slot, Some(Pane::Entries), first, last, buf);
}

fn age(ctx: &Ctx) -> Option<TitlePart> {
    let timed = ctx.model.tab.has_entries();
    let row = ctx.model.selected().filter(|_| timed);
    ctx.age(row, ctx.interval_ms())
}

/// `[1 waiting 1,000,000]│2 delivered 3│…`: the one in sight is told by its brackets, too.
fn bar(ctx: &Ctx, labels: &[Label]) -> TitlePart {
    let t = &ctx.theme;
    let mut pieces = Vec::new();
    for (i, label) in labels.iter().enumerate() {
        let here = label.tab == ctx.model.tab;
        if i > 0 {
            pieces.push((t.glyphs.lines[1].to_owned(), t.faint));
        }
        let style = match (here, ctx.model.focus == Pane::Entries) {
            (true, true) => t.accent.add_modifier(Modifier::BOLD),
            (true, false) => t.strong,
            (false, _) => t.dim,
        };
        let bracket = |b: &str| (if here { b } else { "" }.to_owned(), style);
        pieces.push(bracket("["));
        pieces.push((label.name.clone(), style));
        let badge = if label.alarm { t.warn } else { style };
        pieces.push((label.badge.clone(), badge));
        pieces.push(bracket("]"));
    }
    pieces.retain(|(text, _)| !text.is_empty());
    TitlePart { pieces, rank: 100 }
}

/// The order of the rows in the title, where no line of heads has room for it.
pub(crate) fn order(ctx: &Ctx) -> Option<TitlePart> {
    let words = super::queries::order(ctx.model).filter(|_| !ctx.areas.entries.boxed)?;
    Some(if ctx.model.tab == Tab::Waiting && ctx.model.last_first() {
        TitlePart::new(85, words, ctx.theme.text)
    } else {
        TitlePart::new(20, words, ctx.theme.dim)
    })
}

/// `next first  1–12 of 144`, at the right end of the line of heads: the order only where it covers
/// none of them.
pub(crate) fn range(ctx: &Ctx, heads: Area, buf: &mut Buffer) {
    let Some(range) = super::queries::range(ctx.model) else {
        return;
    };
    let of = filter::view::total(ctx.model, super::queries::count(ctx.model));
    let mut line = Line::new(buf, heads.x, heads.y, heads.w.saturating_sub(1));
    let range = format!("  {range} of {of}");
    line.put_right(buf, &range, ctx.theme.text);
    let Some(order) = super::queries::order(ctx.model) else {
        return;
    };
    let order = format!("  {order}");
    let from = usize::from(line.end).checked_sub(text::width(&order));
    let from = from.and_then(|from| u16::try_from(from).ok());
    let is_free = |from: u16| (from..line.end).all(|x| buf[(x, heads.y)].symbol() == " ");
    if from.is_some_and(|from| from > heads.x && is_free(from)) {
        line.put_right(buf, &order, ctx.theme.dim);
    }
}
