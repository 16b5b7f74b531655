//! The table of queues.

pub mod cell;

use ratatui::buffer::Buffer;

use self::cell::{cell, mark};
use super::Discovery;
use crate::queue::classes::DUE;
use crate::queue::{LinkState, fleet, text};
use crate::tui::area::{self, Area};
use crate::tui::cursor::ScrollArea;
use crate::tui::draw::{Ctx, rect};
use crate::tui::hitmap::Target;
use crate::tui::keys::Action;
use crate::tui::link;
use crate::tui::model::Pane;
use crate::tui::queues::columns::{QueueColumn, columns};
use crate::tui::widget::columns::PlacedColumn;
use crate::tui::widget::line::{self, Line};
use crate::tui::widget::pane::TitlePart;
use crate::tui::widget::wrap;

pub(crate) fn render(ctx: &Ctx, buf: &mut Buffer) {
    let slot = ctx.areas.queues;
    if !slot.shown() {
        return;
    }
    ctx.record(slot.outer, Target::Pane(Pane::Queues));
    let table = area::table(slot);
    // A column stays free at the right edge.
    let placed = columns(
        table.w.saturating_sub(1),
        super::columns::longest(ctx.model),
    );
    if !ctx.areas.compact {
        title(ctx, buf);
        // Without a box the heads stand in the rule.
        let y = if slot.boxed {
            slot.inner.y
        } else {
            slot.outer.y
        };
        if !ctx.model.queues.is_empty() {
            heads(
                ctx,
                &placed,
                Area::new(table.x, y, table.w, 1),
                slot.boxed,
                buf,
            );
        }
    }
    if ctx.model.queues.is_empty() {
        nothing(ctx, table, buf);
        return;
    }
    let alone = placed.iter().all(|(col, ..)| *col != QueueColumn::Oldest);
    let rows = ctx.model.queues.iter().enumerate().skip(ctx.model.top);
    for (i, (index, row)) in (0..table.h).zip(rows) {
        let area = table.row(i);
        for (col, x, w) in &placed {
            cell(
                ctx,
                row,
                *col,
                alone,
                Area::new(area.x + x, area.y, *w, 1),
                buf,
            );
        }
        if let (Some(why), None) = (&row.trouble, &row.pulse) {
            trouble(ctx, why, &placed, area, buf);
        }
        let selected = index == ctx.model.cursor && ctx.model.selected().is_some();
        if selected {
            buf.set_style(rect(area), ctx.data.strong);
            ctx.select(area, ctx.model.focus == Pane::Queues, buf);
        }
        mark(ctx, row, area, buf);
        ctx.record(area, Target::Queue(index));
    }
    let all = (ctx.model.queues.len() as u64, ctx.model.top as u64);
    ctx.rail(ScrollArea::Pane(Pane::Queues), slot, table, all);
}

fn title(ctx: &Ctx, buf: &mut Buffer) {
    let (m, t) = (ctx.model, &ctx.theme);
    let mut name = TitlePart::new(100, "Queues", ctx.title(Pane::Queues));
    if !m.queues.is_empty() {
        name.pieces.push((format!(" {}", count(ctx)), t.strong));
    }
    let mut right = Vec::new();
    let mut left = vec![name];
    if ctx.areas.queues.boxed {
        left.extend((m.queues.len() > 1 && m.then.is_none()).then(|| sorted(ctx)));
        // The others are read at half the pace of the selected one.
        right.extend(ctx.age(m.selected(), ctx.interval_ms()));
    }
    ctx.pane(ctx.areas.queues, Some(Pane::Queues), left, right, buf);
}

/// `by problems ▾`.
fn sorted(ctx: &Ctx) -> TitlePart {
    let (t, by) = (&ctx.theme, ctx.model.table.sort);
    let arrow = if by.falls() {
        t.glyphs.falls
    } else {
        t.glyphs.rises
    };
    TitlePart::new(50, format!("by {} {arrow}", by.label()), t.dim)
}

/// `4`, or `5–8 of 40` where not all of them are in sight.
fn count(ctx: &Ctx) -> String {
    let (top, all) = (ctx.model.top, ctx.model.queues.len());
    let seen = usize::from(area::table(ctx.areas.queues).h);
    if all <= seen {
        return all.to_string();
    }
    let last = (top + seen).min(all);
    format!("{}{}{last} of {all}", top + 1, ctx.theme.glyphs.to)
}

/// The column where the title of a rule ends. With a range in it that is where its longest one
/// ends: no head comes and goes while the rows move.
fn title_end(ctx: &Ctx) -> u16 {
    let digits = ctx.model.queues.len().to_string().len();
    let count = match count(ctx) {
        count if count.contains(' ') => 3 * digits + text::width(" of ") + 1,
        count => text::width(&count),
    };
    let title = text::width("── Queues ") + count;
    ctx.areas.queues.outer.x + u16::try_from(title).unwrap_or(u16::MAX)
}

fn heads(
    ctx: &Ctx,
    placed: &[PlacedColumn<QueueColumn>],
    area: Area,
    boxed: bool,
    buf: &mut Buffer,
) {
    let style = ctx.theme.dim;
    let title_end = title_end(ctx);
    let classes = placed
        .iter()
        .find(|(col, ..)| *col == QueueColumn::Classes && !boxed);
    if let Some((_, x, w)) = classes {
        Line::new(buf, area.x + x, area.y, *w).wipe(buf, *w);
    }
    let mut put = |x: u16, w: u16, label: &str| {
        // In a rule, a blank on both sides keeps a head apart from the line.
        if !boxed {
            // The title has more to say than a head.
            let free = (area.x + x + w).saturating_sub(title_end + 1);
            let short = label.get(..4).filter(|_| label == "waiting");
            let fits = |label: &&str| text::width(label) <= usize::from(free);
            let Some(label) = [Some(label), short].into_iter().flatten().find(fits) else {
                return;
            };
            let columns = u16::try_from(text::width(label)).unwrap_or(w);
            let left = (area.x + x + w).saturating_sub(columns + 1);
            Line::new(buf, left, area.y, columns + 2).wipe(buf, columns + 2);
            line::right(buf, area.x + x, area.y, w, label, style);
            return;
        }
        line::right(buf, area.x + x, area.y, w, label, style);
    };
    let sorts = ctx.model.queues.len() > 1;
    for (col, x, w) in placed {
        // In a rule, that of the names is the title.
        let order = col
            .sort()
            .filter(|_| sorts && (boxed || *col != QueueColumn::Name));
        if let Some(order) = order {
            ctx.record(Area::new(area.x + x, area.y, *w, 1), Target::Order(order));
        }
        let label = match col {
            QueueColumn::Name if boxed => {
                put(*x + 3, 5, col.head());
                continue;
            }
            QueueColumn::Name => continue,
            QueueColumn::Trend => {
                let label = if *w > 20 { "depth 5 min" } else { col.head() };
                let width = u16::try_from(label.len()).unwrap_or(5);
                put(*x + 2, width, label);
                continue;
            }
            QueueColumn::Classes => {
                for (i, (cx, cw)) in class_cells(*x, *w).enumerate() {
                    let last = i == DUE.len() - 1;
                    let label = if last && cw < 6 {
                        ctx.theme.glyphs.more
                    } else {
                        DUE[i].head
                    };
                    let pad = if last && cw < 6 { " " } else { "" };
                    put(cx, cw, &format!("{label}{pad}"));
                }
                continue;
            }
            col => col.head(),
        };
        put(*x, *w, label);
    }
}

/// Left and width of each class's cell; the first and the last one have the longest names.
fn class_cells(x: u16, w: u16) -> impl Iterator<Item = (u16, u16)> {
    let each = (w - 2) / 7;
    (0..7).map(move |i| match i {
        0 => (x, each + 1),
        6 => (x + 1 + 6 * each, each + 1),
        _ => (x + 1 + i * each, each),
    })
}

/// Draws why a queue could not be read, in place of all its figures.
fn trouble(
    ctx: &Ctx,
    why: &str,
    placed: &[PlacedColumn<QueueColumn>],
    row: Area,
    buf: &mut Buffer,
) {
    let figures = placed.iter().find(|(col, ..)| *col != QueueColumn::Name);
    let x = figures.map_or(row.w, |(_, x, _)| x + 2);
    let mut line = Line::new(buf, row.x + x, row.y, row.w.saturating_sub(x));
    line.wipe(buf, row.w);
    line.put_cut(buf, why, ctx.data.glyphs.cut, ctx.data.warn);
}

/// No queue yet: says how far the search is, and what else can be done.
fn nothing(ctx: &Ctx, area: Area, buf: &mut Buffer) {
    let (m, t) = (ctx.model, &ctx.theme);
    let db = m.site.endpoint.rsplit(['/', ' ']).next().unwrap_or("0");
    let keys = |n: u64| format!("{} keys", text::thousands(n));
    let words = match (&m.link.state, &m.table.discovery) {
        (LinkState::Connecting, _) => format!("Connecting to {}", m.site.endpoint),
        (denied @ LinkState::Lost { .. }, _) if denied.is_denied() => {
            let why = denied.why_lost().unwrap_or_default();
            format!("Login to {} failed: {why}", m.site.endpoint)
        }
        (LinkState::Lost { why, .. }, _) => format!("No connection to {}: {why}", m.site.endpoint),
        (_, Discovery::Idle) => "Looking for delayed queues".to_owned(),
        (_, Discovery::Looking { looked, keys: all }) => format!(
            "Looking for delayed queues: {} of {} looked through",
            text::thousands(*looked),
            keys(*all)
        ),
        (_, Discovery::Away { looked, nodes }) => format!(
            "No delayed queues seen in db {db} ({} looked through), but {}.",
            keys(*looked),
            fleet::away(nodes)
        ),
        (_, Discovery::Done { looked }) => {
            format!(
                "No delayed queues in db {db} ({} looked through).",
                keys(*looked)
            )
        }
    };
    let mut all = vec![(words, t.text)];
    let more = what_to_do(ctx);
    if !more.is_empty() {
        all.push((String::new(), t.text));
        all.extend(more.into_iter().map(|line| (line, t.dim)));
    }
    let margin = if ctx.areas.compact { 1 } else { 3 };
    let room = usize::from(area.w.saturating_sub(2 * margin));
    let lines = all.iter().flat_map(|(words, style)| {
        let clean = text::printable(words).into_owned();
        wrap::wrap(&clean, room)
            .into_iter()
            .map(|line| (line, *style))
    });
    for (y, (words, style)) in (area.y..area.y + area.h).zip(lines) {
        let mut line = Line::new(buf, area.x, y, area.w);
        line.skip(margin).put_cut(buf, &words, t.glyphs.cut, style);
    }
}

/// The key before a command, as it is typed before it.
fn palette_key(ctx: &Ctx) -> Option<String> {
    let key = ctx.key(Action::Palette)?;
    Some(if key == ":" { key } else { key + " " })
}

/// Returns the lines that lead on from a screen without queues.
fn what_to_do(ctx: &Ctx) -> Vec<String> {
    let m = ctx.model;
    if let LinkState::Lost {
        since, retry_at, ..
    } = &m.link.state
    {
        let ways =
            "--user, REDISCLI_AUTH, --askpass, -a, the URL, or the profile's password_command";
        let check = format!("Check user and password: {ways}.");
        let check = m.link.state.is_denied().then_some(check);
        let now = ctx.key(Action::Refresh);
        let now = now.map_or_else(String::new, |key| {
            format!(" {} {key} now", ctx.theme.glyphs.dot)
        });
        let tried = m.instant.saturating_duration_since(*since).as_millis();
        let tried = text::age(i64::try_from(tried).unwrap_or(i64::MAX));
        let dot = ctx.theme.glyphs.dot;
        let retry = link::view::retry(m.instant, *retry_at);
        let retry = format!("tried for {tried} {dot} {retry}{now}");
        let other = palette_key(ctx).map(|key| format!("{key}server URL tries another server"));
        return check.into_iter().chain([retry]).chain(other).collect();
    }
    if !m.table.discovery.is_through() {
        return Vec::new();
    }
    let Some(key) = palette_key(ctx) else {
        return Vec::new();
    };
    vec![
        format!("{key}queue NAME watches a queue that is still empty"),
        format!("{key}queue zset-list:TIMEOUTS,TARGET watches a plain one"),
        format!("{key}db N looks into another db"),
        format!("{key}quit, then delayscope demo, shows what it looks like"),
    ]
}
