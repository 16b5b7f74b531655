//! The view of what is published on the channels.

use ratatui::buffer::Buffer;

use crate::queue::frame::Era;
use crate::queue::name::CHANNEL_PREFIX;
use crate::queue::{Announcement, Optional, ServerWatch, text};
use crate::tui::area::Area;
use crate::tui::draw::{self, Ctx};
use crate::tui::hitmap::Target;
use crate::tui::lists::Stand;
use crate::tui::model::Pane;
use crate::tui::widget::line::Line;
use crate::tui::widget::pane::TitlePart;
use crate::tui::widget::wrap;
use crate::tui::{depth, moments, tabs};

/// The hint in an empty pane.
const HINT: &str = "Clients announce only what falls due before all else.";

/// The pane beside the entries: the newest ones.
pub(crate) fn render(ctx: &Ctx, buf: &mut Buffer) {
    let slot = ctx.areas.traffic;
    if !slot.shown() {
        return;
    }
    let left = vec![TitlePart::new(100, "Traffic", ctx.title(Pane::Traffic))];
    let right = depth::view::listeners(ctx)
        .into_iter()
        .chain(depth::view::pace(ctx))
        .collect();
    ctx.record(slot.outer, Target::Pane(Pane::Traffic));
    ctx.pane(slot, Some(Pane::Traffic), left, right, buf);
    rows(ctx, slot.inner, None, buf);
}

/// The tab: all that are kept.
pub(crate) fn render_tab(ctx: &Ctx, buf: &mut Buffer) {
    let slot = ctx.areas.entries;
    if !slot.shown() {
        return;
    }
    let right = depth::view::listeners(ctx)
        .into_iter()
        .chain(depth::view::pace(ctx));
    tabs::view::title(ctx, Vec::new(), right.collect(), buf);
    let area = tabs::place::table(ctx.model, slot);
    if area.h < slot.inner.h && tabs::queries::traffic(ctx.model).next().is_some() {
        let mut line = Line::new(buf, area.x, area.y + area.h, area.w);
        line.skip(3);
        let clients = clients(ctx).filter(|_| !ctx.areas.clients.shown());
        let words = clients.unwrap_or_else(|| HINT.to_owned());
        line.put_cut(buf, &words, ctx.theme.glyphs.cut, ctx.data.dim);
    }
    rows(ctx, area, Some(ctx.model.stands.traffic), buf);
}

/// The pane beside the tab: the clients that listen, a line each, by the format that they read.
pub(crate) fn beside(ctx: &Ctx, buf: &mut Buffer) {
    let slot = ctx.areas.clients;
    if !slot.shown() {
        return;
    }
    let left = vec![
        TitlePart::new(100, "Clients", ctx.theme.strong),
        TitlePart::new(20, "that listen on this server", ctx.theme.dim),
    ];
    ctx.pane(slot, None, left, Vec::new(), buf);
    if ctx.model.then.is_some() {
        draw::words(ctx, "Clients are not kept.", slot.inner, buf);
        return;
    }
    let server = of_selected(ctx);
    let Some(all) = server.last().and_then(|look| look.clients.get_ref()) else {
        draw::words(
            ctx,
            "Who listens cannot be seen: CLIENT LIST.",
            slot.inner,
            buf,
        );
        return;
    };
    let formats = [
        (Some(Era::Older), "reads the old format"),
        (Some(Era::Newer), "reads the new format"),
        (None, ""),
    ];
    let Some(queue) = ctx.model.selected().map(|row| &row.queue) else {
        return;
    };
    let each = formats.iter().flat_map(|(era, format)| {
        let here = all.named_listeners(server.db, *era, queue);
        here.into_iter().map(move |name| (name, *format))
    });
    let lines: Vec<(String, &str)> = each.collect();
    if lines.is_empty() {
        draw::words(ctx, "None but this program.", slot.inner, buf);
    }
    for (y, (name, format)) in (0..slot.inner.h).zip(&lines) {
        let row = slot.inner.row(y);
        let mut line = Line::new(buf, row.x, row.y, row.w.saturating_sub(1));
        line.skip(1);
        line.put_right(buf, format, ctx.data.dim);
        line.put_cut(buf, name, ctx.theme.glyphs.cut, ctx.data.text);
    }
}

/// Names the clients that listen; on which channels, no server tells.
fn clients(ctx: &Ctx) -> Option<String> {
    let server = of_selected(ctx);
    let all = server.last()?.clients.get_ref()?;
    let queue = &ctx.model.selected()?.queue;
    let eras = [Some(Era::Older), Some(Era::Newer), None];
    let named = eras
        .into_iter()
        .filter_map(|era| all.subscribed(server.db, era, queue));
    let named: Vec<String> = named.collect();
    (!named.is_empty()).then(|| format!("Clients that listen on this server: {}", named.join(", ")))
}

/// The announcements of the selected queue, newest first; from a place on, where there is a cursor.
fn rows(ctx: &Ctx, area: Area, stand: Option<Stand>, buf: &mut Buffer) {
    let Some(row) = ctx.model.selected() else {
        return;
    };
    let top = stand.map_or(0, |stand| stand.top);
    let skipped = usize::try_from(top).unwrap_or(usize::MAX);
    let mut of_queue = tabs::queries::traffic(ctx.model).skip(skipped).peekable();
    if of_queue.peek().is_none() && row.pulse.is_some() {
        teach(ctx, area, row.queue.keys().channel.is_some(), buf);
    }
    for (i, announcement) in (0..area.h).zip(of_queue) {
        let row = area.row(i);
        let mut line = Line::new(buf, row.x, row.y, row.w);
        line.skip(if stand.is_some() { 3 } else { 1 });
        said(ctx, announcement, None, line, buf);
        ctx.record(
            row,
            match stand {
                Some(stand) => Target::Row(stand.top + u64::from(i)),
                None => Target::Announcement(u64::from(i)),
            },
        );
        if stand.is_some_and(|stand| stand.top + u64::from(i) == stand.cursor) {
            ctx.select(row, ctx.model.focus == Pane::Entries, buf);
        }
    }
}

/// Draws why there is nothing to see, word-wrapped.
fn teach(ctx: &Ctx, area: Area, has_channel: bool, buf: &mut Buffer) {
    let refused = ctx.model.link.refused.why(Optional::PSubscribe);
    let words = match (has_channel, refused) {
        (false, _) => "This layout has no channel: a poller looks by itself.".to_owned(),
        (true, Some(why)) => format!("PSUBSCRIBE does not work: {why}"),
        // A sentence that is cut teaches nothing.
        (true, None) if area.h < 2 && area.w < 80 => "Nothing published yet.".to_owned(),
        (true, None) => format!("Nothing published yet. {HINT}"),
    };
    let room = usize::from(area.w.saturating_sub(2));
    for (i, line) in (0..area.h).zip(wrap::wrap(&words, room)) {
        let mut at = Line::new(buf, area.x, area.y + i, area.w);
        at.skip(1).put(buf, &line, ctx.data.dim);
    }
}

/// The newest announcement of any queue, where traffic has no pane.
pub(crate) fn news(ctx: &Ctx, mut line: Line, buf: &mut Buffer) {
    match ctx.model.traffic.heard.back() {
        Some(newest) => said(ctx, newest, Some(newest.channel.as_slice()), line, buf),
        None if ctx.model.link.refused.why(Optional::PSubscribe).is_some() => {
            line.put_cut(
                buf,
                "no traffic: PSUBSCRIBE does not work",
                ctx.theme.glyphs.cut,
                ctx.data.dim,
            );
        }
        None if !ctx.model.queues.is_empty() => {
            line.put_cut(buf, HINT, ctx.theme.glyphs.cut, ctx.data.dim);
        }
        None => {}
    }
}

/// `14:02:07  new head 14:06:51  in 4:42`.
fn said(ctx: &Ctx, a: &Announcement, channel: Option<&[u8]>, mut line: Line, buf: &mut Buffer) {
    let (d, zone) = (&ctx.data, ctx.model.look.zone);
    line.put_whole(buf, &moments::clock(zone, a.at), d.dim);
    line.skip(2);
    if let Some(channel) = channel {
        let name = channel.strip_prefix(CHANNEL_PREFIX).unwrap_or(channel);
        let bare = name
            .strip_prefix(b"{")
            .and_then(|n| n.strip_suffix(b"}"))
            .unwrap_or(name);
        let shown = text::printable_bytes(bare);
        let mut cell = line;
        cell.end = cell.end.min(line.x + 20);
        cell.put_cut(buf, &shown, d.glyphs.cut, d.text);
        line.x = cell.x;
        line.skip(2);
    }
    match a.due() {
        Some(due) if due.get() == 0 => {
            line.put(buf, "all clients woken", d.accent);
        }
        Some(due) => {
            // The lead as it was announced: a line of a log stands still.
            let lead = text::countdown(due.since(a.at));
            let head = format!("new head {}", moments::short(zone, due, a.at));
            if line.put_whole(buf, &head, d.text) {
                line.skip(2).put_whole(buf, &format!("in {lead}"), d.dim);
            }
        }
        None => {
            let shown = text::printable_bytes(&a.message);
            if let Some(all) = a.cut_from() {
                let all = text::counted(all as u64, "byte", "bytes");
                line.put_whole(buf, &format!("{all}: "), d.warn);
            }
            line.put_cut(buf, &format!("\"{shown}\""), d.glyphs.cut, d.warn);
        }
    }
}

/// The server that has the selected queue.
fn of_selected<'a>(ctx: &Ctx<'a>) -> &'a ServerWatch {
    let server = &ctx.model.server;
    ctx.model
        .selected()
        .map_or(server, |row| server.of(&row.queue))
}
