//! `&Model` → cells. Draws what the model says and decides nothing.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::queue::{List, text};
use crate::tui::cursor::ScrollArea;
use crate::tui::draw::Ctx;
use crate::tui::hitmap::{HitMap, Target};
use crate::tui::model::{Model, Overlay, Pane, Screen};
use crate::tui::tabs::{self, Tab};
use crate::tui::widget::scrollbar;
use crate::tui::{
    area, change, depth, dialog, edit, entries, entry, findings, flow, header, help, hints,
    journal, layout, link, lists, lives, nodes, offer, palette, past, prompt, queues, repair,
    requeue, timeline, toast, traffic,
};

/// Draws the whole screen into the area `within` of `buf`, and says what it drew where.
pub fn render(model: &Model, within: Rect, buf: &mut Buffer) -> HitMap {
    let model = model.past.as_deref().unwrap_or(model);
    let within = within.intersection(buf.area);
    if within.is_empty() {
        return HitMap::default();
    }
    let areas = layout::areas(model);
    let ctx = Ctx::new(model, areas, palette::view::slot(model));
    let queue_rows = usize::from(area::table(ctx.areas.queues).h).max(1);
    ctx.room(|room| room.queues = Some(queue_rows));
    match &model.screen {
        Screen::Dashboard | Screen::Queue => {
            queues::view::render(&ctx, buf);
            flow::view::render(&ctx, buf);
            past::view::render(&ctx, buf);
            timeline::view::render(&ctx, buf);
            tab(&ctx, buf);
            depth::view::render(&ctx, buf);
            traffic::view::render(&ctx, buf);
            traffic::view::beside(&ctx, buf);
            findings::view::panel(&ctx, buf);
            findings::view::line(&ctx, buf);
            journal::view::log(&ctx, buf);
        }
        Screen::Entry(view) => entry::view::render(&ctx, view, buf),
    }
    header::view::render(&ctx, buf);
    change::progress::view::render(&ctx, buf);
    link::view::render(&ctx, buf);
    if model.overlay.is_some() {
        ctx.cover();
    }
    if ctx.commands.is_some() {
        palette::view::hints(&ctx, buf);
    } else {
        hints::view::render(&ctx, buf);
    }
    match &model.overlay {
        Some(Overlay::Help { page, scroll }) => help::view::render(&ctx, (*page, *scroll), buf),
        Some(Overlay::Lives(view)) => lives::view::render(&ctx, view, buf),
        Some(Overlay::Dialog(dialog)) => dialog::view::render(&ctx, dialog, buf),
        Some(Overlay::Offer(form)) => offer::view::render(&ctx, form, buf),
        Some(Overlay::Change(view)) => journal::detail::view::render(&ctx, view, buf),
        Some(Overlay::Requeue(form)) => requeue::view::render(&ctx, form, buf),
        Some(Overlay::Edit(form)) => edit::view::render(&ctx, form, buf),
        Some(Overlay::Repair(form)) => repair::view::render(&ctx, form, buf),
        None => {}
    }
    change::view::render(&ctx, buf);
    scrollbars(&ctx, buf);
    prompt::view::render(&ctx, buf);
    toast::view::render(&ctx, buf);
    harmless(buf);
    ctx.theme.legible(buf);
    if model.look.ascii {
        spell(buf);
    }
    ctx.drawn.into_inner()
}

/// Whatever drew it: nothing leaves for the terminal that commands it, turns text around or hides
/// in it.
fn harmless(buf: &mut Buffer) {
    for cell in &mut buf.content {
        let symbol = cell.symbol();
        if !matches!(symbol.as_bytes(), [b' '..=b'~']) && text::printable(symbol) != symbol {
            cell.set_symbol("\u{fffd}");
        }
    }
}

/// Names and payloads have what characters they like; a terminal that takes only ASCII gets a `?`
/// for each of the others.
fn spell(buf: &mut Buffer) {
    for cell in &mut buf.content {
        if !cell.symbol().is_ascii() {
            cell.set_symbol("?");
        }
    }
}

/// The tab in sight, and beside it what its cursor is on.
fn tab(ctx: &Ctx, buf: &mut Buffer) {
    ctx.record(ctx.areas.entries.outer, Target::Pane(Pane::Entries));
    match ctx.model.tab {
        _ if ctx.model.on_hits() => entries::view::render(ctx, buf),
        Tab::Waiting => entries::view::render(ctx, buf),
        Tab::Delivered => lists::view::render(ctx, List::Target, buf),
        Tab::Order => lists::view::render(ctx, List::Order, buf),
        Tab::Quarantine => lists::view::render(ctx, List::Quarantine, buf),
        Tab::Traffic => traffic::view::render_tab(ctx, buf),
        Tab::Findings => findings::view::render(ctx, buf),
        Tab::Changes => journal::view::render(ctx, buf),
        Tab::Nodes => nodes::view::render(ctx, buf),
    }
    match ctx.model.tab {
        Tab::Findings if ctx.areas.detail.shown() => findings::view::beside(ctx, buf),
        _ => entry::view::render_beside(ctx, buf),
    }
    // Findings are of unequal height: a thumb would lie. Entries of the past are not there.
    let listed = ctx.model.tab == Tab::Waiting || ctx.model.tab.list().is_some();
    let gone = listed && ctx.model.then.is_some();
    if ctx.model.tab != Tab::Findings && !gone {
        let slot = ctx.areas.entries;
        let rows = tabs::place::table(ctx.model, slot);
        let all = (tabs::queries::count(ctx.model), ctx.model.stand().top);
        ctx.rail(ScrollArea::Pane(Pane::Entries), slot, rows, all);
    }
}

/// The scrollbars, over what they belong to.
fn scrollbars(ctx: &Ctx, buf: &mut Buffer) {
    let symbol = ctx.theme.glyphs.thumb;
    for (area, target) in ctx.drawn.borrow().places() {
        if let Target::Rail(_, rail) = target {
            let at = (area.x, area.y + rail.above());
            scrollbar::thumb(buf, at, rail.thumb(), symbol, ctx.theme.faint);
        }
    }
}
