//! The first line: where we are, how the link does, what we cost.

pub mod sick;
pub mod working;

use std::fmt::Write as _;

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use self::sick::sick;
use self::working::workers;
use crate::queue::{LinkState, text};
use crate::tui::area::Area;
use crate::tui::change;
use crate::tui::draw::Ctx;
use crate::tui::hitmap::Target;
use crate::tui::model::{Model, Screen};
use crate::tui::moments::{self, interval, seconds};
use crate::tui::queues::Discovery;
use crate::tui::widget::line::Line;

/// A part of the header; those of the lowest rank are left out first, [`KEPT`] last of all.
struct Item {
    rank: u8,
    text: String,
    /// Fewer words for the same, the more first.
    shorter: Vec<String>,
    style: Style,
    /// The target of a click on it.
    target: Option<Target>,
}

/// The rank of what does not go while anything else is there: where one is, of which queue the
/// screen is, that nothing can be changed, what time it is there.
const KEPT: u8 = 20;

/// The rank of our own name beside what is wrong.
const OWN_NAME: u8 = 2;

/// Columns from which on there is room for our own name beside what is wrong.
const NAMED: u16 = 140;

/// The rank of what is wrong.
const ALARM: u8 = 15;

/// The rank of what is going on; what is below goes before anything has fewer words.
const STATE: u8 = 12;

/// The rank of the version of the server.
const VERSION: u8 = 1;

pub(crate) fn render(ctx: &Ctx, buf: &mut Buffer) {
    let area = ctx.areas.header;
    let mut line = Line::new(buf, area.x, area.y, area.w);
    line.skip(1);
    let (items, cost) = fitting(ctx, line.room());
    if let Some(cost) = cost {
        line.put_right(buf, &cost, ctx.theme.dim);
    }
    let mut x = area.x + 1;
    for item in items {
        line.put_cut(buf, &item.text, ctx.theme.glyphs.cut, item.style);
        line.skip(gap(ctx));
        let w = u16::try_from(text::width(&item.text)).unwrap_or(0);
        if let Some(target) = item.target {
            ctx.record(Area::new(x, area.y, w, area.h), target);
        }
        x = x.saturating_add(w + gap(ctx));
    }
}

/// Columns between two parts.
fn gap(ctx: &Ctx) -> u16 {
    if ctx.wide() { 3 } else { 2 }
}

/// The parts that fit into `room` columns, and what we cost where there is room for it. What is
/// wrong has fewer words first, then our cost has, then the version and our name go, then our cost,
/// then the others by rank.
fn fitting(ctx: &Ctx, room: usize) -> (Vec<Item>, Option<String>) {
    let gap = usize::from(gap(ctx));
    let mut items = items(ctx);
    let mut costs = costs(ctx);
    loop {
        let each = items.iter().map(|i| text::width(&i.text) + gap);
        let cost = costs.first().map_or(0, |cost| text::width(cost) + gap);
        if each.sum::<usize>().saturating_sub(gap) + cost <= room || items.len() < 2 {
            return (items, costs.into_iter().next());
        }
        let alarm = items
            .iter_mut()
            .find(|i| i.rank == ALARM && i.shorter.len() > 1);
        if let Some(alarm) = alarm {
            alarm.text = alarm.shorter.remove(0);
        } else if costs.len() > 1 {
            costs.remove(0);
        } else if let Some(at) = items.iter().position(|i| i.rank <= OWN_NAME) {
            items.remove(at);
        } else if !costs.is_empty() {
            costs.remove(0);
        } else {
            let lowest = items.iter().map(|i| i.rank).min().unwrap_or(KEPT);
            let least = items.iter().rposition(|i| i.rank == lowest);
            let shrinks = items.iter().rposition(|i| !i.shorter.is_empty());
            match (shrinks.filter(|_| lowest >= STATE), least) {
                (Some(at), _) => items[at].text = items[at].shorter.remove(0),
                (None, Some(at)) => drop(items.remove(at)),
                (None, None) => return (items, None),
            }
        }
    }
}

fn items(ctx: &Ctx) -> Vec<Item> {
    let (m, t, mut items) = (ctx.model, &ctx.theme, Vec::new());
    let mut push = |rank: u8, text: String, style: Style, target: Option<Target>| {
        items.push(Item {
            rank,
            text,
            shorter: Vec::new(),
            style,
            target,
        });
    };
    let sick = sick(ctx);
    // What is wrong matters more than how we are called; and a name that went and came with the room
    // that is left would move all that stands behind it.
    let is_bad = |alarm: &sick::Alarm| alarm.style != t.text;
    if !sick.as_ref().is_some_and(is_bad) || m.size.0 >= NAMED {
        let own = sick.as_ref().map_or(6, |_| OWN_NAME);
        push(own, "delayscope".to_owned(), t.strong, None);
    }
    let most = usize::from(m.size.0) * 2 / 5;
    let place = match (&m.link.leads_to, m.link.nodes) {
        (at, Some(nodes)) => {
            let at = at
                .as_ref()
                .map_or(m.site.endpoint.clone(), ToString::to_string);
            let live = nodes.masters.saturating_sub(nodes.away);
            format!("{at} cluster {live}/{}", nodes.masters)
        }
        (Some(at), None) => format!("{} {} {at}", m.site.endpoint, t.glyphs.leads_to),
        (None, None) => m.site.endpoint.clone(),
    };
    push(KEPT, address(&place, most, t.glyphs.cut), t.text, None);
    // Below the dashboard the header says of which queue the screen is, whatever lies over a title.
    let inside = !matches!(m.screen, Screen::Dashboard);
    if let Some(row) = m.selected().filter(|_| inside) {
        let name = text::printable_bytes(row.queue.name.as_bytes());
        let most = match m.size.0 {
            _ if ctx.wide() => 32,
            narrow => usize::from(narrow * 3 / 10).max(16),
        };
        let name = text::cut(&name, most).replace('…', t.glyphs.cut);
        push(KEPT, format!("{} {name}", t.glyphs.more), t.strong, None);
    }
    if let Some(server) = server(ctx) {
        push(VERSION, server, t.dim, None);
    }
    if let Some(then) = m.then {
        let at = moments::short(m.look.zone, then.at, then.now);
        let ago = text::age(then.now.since(then.at));
        push(KEPT, format!("THEN {at}, {ago} ago"), t.warn, None);
        match (then.lost, then.sick) {
            (true, _) => push(ALARM, "now: no connection".to_owned(), t.late, None),
            (false, 0) => {}
            (false, sick) => {
                let sick = text::thousands(sick as u64);
                push(3, format!("now {sick} with problems"), t.text, None);
            }
        }
    } else {
        let (state, style) = state(ctx);
        push(STATE, state, style, None);
    }
    if let Some(alarm) = &sick {
        push(ALARM, alarm.words.clone(), alarm.style, Some(Target::Sick));
    }
    if let Some(since) = m.frozen.filter(|_| m.then.is_none()) {
        let since = moments::clock(m.look.zone, since);
        push(STATE, format!("FROZEN {since}"), t.warn, None);
    }
    for (words, style) in [workers(ctx), under_way(ctx)].into_iter().flatten() {
        push(STATE, words, style, None);
    }
    if m.link.clock.is_some() && m.then.is_none() {
        let now = moments::clock(m.look.zone, m.now);
        push(KEPT, format!("server {now}"), t.text, None);
    }
    let skew = m.link.clock.map_or(0, |c| c.skew_ms());
    if skew.abs() > 250 {
        let style = if skew.abs() > 1000 { t.late } else { t.warn };
        push(5, format!("skew {}", skew_text(skew)), style, None);
    }
    for (rank, word, style) in limits(ctx) {
        push(rank, word, style, None);
    }
    if let Some(words) = finding(ctx) {
        push(STATE, words, t.accent, None);
    }
    if let Some(why) = seldom(m) {
        push(3, why, t.warn, None);
    }
    if let Discovery::Away { nodes, .. } = &m.table.discovery {
        let words = match nodes.as_slice() {
            [node] if ctx.wide() => format!("queues of {node} unknown"),
            nodes => {
                let nodes = text::counted(nodes.len() as u64, "node", "nodes");
                format!("queues of {nodes} unknown")
            }
        };
        push(STATE, words, t.warn, None);
    }
    if let Discovery::Looking { looked, keys } = m.table.discovery {
        let share = (looked.saturating_mul(100))
            .checked_div(keys)
            .unwrap_or(0)
            .min(99);
        let words = if ctx.wide() {
            "looked through"
        } else {
            "looked"
        };
        // Whether a queue is not there, or not found yet, matters more than what time it is.
        push(5, format!("{words} {share} %"), t.dim, None);
    }
    for item in &mut items {
        item.shorter = match (&sick, item.text.strip_prefix("server ")) {
            (Some(alarm), _) if item.rank == ALARM => alarm.shorter.clone(),
            (_, Some(clock)) => vec![clock.to_owned()],
            _ => Vec::new(),
        };
    }
    items
}

/// Describes the server, where there is room for it: `redis 7.2.4 master`.
fn server(ctx: &Ctx) -> Option<String> {
    let facts = ctx.model.link.facts.as_ref().filter(|_| ctx.wide())?;
    let role = match facts.role.as_str() {
        "slave" => "replica",
        role => role,
    };
    let mut server = format!("{} {}", facts.product, facts.version);
    // Each queue of a cluster has a master of its own.
    if ctx.model.link.nodes.is_none() {
        let _ = write!(server, " {role}");
    }
    // `0 min` would say nothing.
    if ctx.model.size.0 >= 160 && facts.uptime_s >= 60 {
        let _ = write!(server, "   up {}", uptime(facts.uptime_s));
    }
    Some(server)
}

/// The change under way where its panel has no room: `DELETE 62 %`.
fn under_way(ctx: &Ctx) -> Option<(String, Style)> {
    let (m, t) = (ctx.model, &ctx.theme);
    let (one, running) = m.changing.running()?;
    if ctx.areas.bulk.shown() || !change::progress::queries::is_shown(m) {
        return None;
    }
    let progress = running.progress.as_ref();
    let percent = progress.map_or(0, |p| {
        change::progress::queries::share(p.tally.sum(), p.planned, 100)
    });
    let waits = progress.is_some_and(|p| p.waits.is_some());
    let style = if waits { t.warn } else { t.accent };
    let word = one.called.to_uppercase();
    Some((format!("{word} {percent} %"), style))
}

/// Lists what the session may not do, and the profile that the server is of.
fn limits(ctx: &Ctx) -> Vec<(u8, String, Style)> {
    let (m, t) = (ctx.model, &ctx.theme);
    let mut limits = Vec::new();
    if m.site.read_only {
        let word = if ctx.wide() { "READ-ONLY" } else { "RO" };
        limits.push((KEPT, word.to_owned(), t.text));
    }
    if let Some(profile) = &m.site.profile {
        let title = profile.title();
        let title = text::cut(&text::printable(&title), 24).replace('…', t.glyphs.cut);
        let style = profile
            .label_colour
            .map_or(t.text, |colour| t.label(colour));
        // Where one is matters more than how things are called.
        limits.push((STATE, title, style));
    }
    limits
}

/// Says how far the search through all queues is: `FIND 3 of 40, Esc stops`.
fn finding(ctx: &Ctx) -> Option<String> {
    let all = ctx.model.everywhere.as_ref()?;
    let at = all.looked + usize::from(all.at.is_some());
    let of = at + all.left.len();
    let stops = ctx.model.sentence(", {back} stops");
    let stops = if ctx.wide() { stops } else { String::new() };
    all.at
        .is_some()
        .then(|| format!("FIND {at} of {of}{stops}"))
}

/// Says what is read less often than the user asked for.
fn seldom(m: &Model) -> Option<String> {
    let every = m.stretched_ms.map(|ms| format!("every {}", interval(ms)));
    let rows = m.rows_on_change.then(|| "rows on change".to_owned());
    match (every, rows) {
        (Some(every), Some(rows)) => Some(format!("{every}, {rows}")),
        (every, rows) => every.or(rows),
    }
}

/// `41 d`, `3 h`, `12 min`: told roughly, so that it hardly ever changes.
fn uptime(s: u64) -> String {
    match s {
        ..3600 => format!("{} min", s / 60),
        3600..172_800 => format!("{} h", s / 3600),
        _ => format!("{} d", s / 86_400),
    }
}

/// `+12 ms`, `-3.4 s`, `+2h 05m`.
fn skew_text(ms: i64) -> String {
    let sign = if ms < 0 { '-' } else { '+' };
    format!("{sign}{}", text::span(ms.unsigned_abs()))
}

/// An address in at most `most` columns: its end says more than its beginning.
fn address(endpoint: &str, most: usize, cut: &str) -> String {
    let clean = text::printable(endpoint);
    if text::width(&clean) <= most {
        return clean.into_owned();
    }
    let mut kept = Vec::new();
    let mut used = 1;
    for c in clean.chars().rev() {
        used += text::width(c.encode_utf8(&mut [0; 4]));
        if used > most {
            break;
        }
        kept.push(c);
    }
    format!("{cut}{}", kept.iter().rev().collect::<String>())
}

/// Returns the state of the link, in glyph and word.
fn state(ctx: &Ctx) -> (String, Style) {
    let (m, t) = (ctx.model, &ctx.theme);
    let g = t.glyphs;
    let since = |i| {
        let ms = m.instant.saturating_duration_since(i).as_millis();
        seconds(u64::try_from(ms).unwrap_or(u64::MAX))
    };
    match &m.link.state {
        LinkState::Connecting => (format!("{} connecting", g.waiting), t.warn),
        LinkState::Hung { since: at } => (format!("{} hung {}", g.waiting, since(*at)), t.warn),
        LinkState::Lost { .. } if m.link.clock.is_none() => {
            let failed = if m.link.state.is_denied() {
                "login failed"
            } else {
                "cannot connect"
            };
            (format!("{} {failed}", g.lost), t.late)
        }
        LinkState::Lost { .. } => (format!("{} lost", g.lost), t.late),
        LinkState::Live => {
            let read_at = m.selected().and_then(|row| row.read_at);
            let age = read_at.map(|at| m.instant.saturating_duration_since(at).as_millis());
            let stale_from = u128::from(ctx.interval_ms().max(1000)) * 3;
            match (age, read_at) {
                (Some(age), Some(at)) if age >= stale_from && m.frozen.is_none() => {
                    (format!("{} stale {}", g.waiting, since(at)), t.warn)
                }
                _ => (format!("{} live", g.live), t.ok),
            }
        }
    }
}

/// Says what we cost the server, for the right end; in many words and in few.
fn costs(ctx: &Ctx) -> Vec<String> {
    let cost = ctx.model.link_memory.cost;
    if ctx.model.link.clock.is_none() || ctx.model.then.is_some() {
        return Vec::new();
    }
    let long = format!(
        "own cost {:.0} cmd/s  {:.1} ms/s of {} ({:.1} %) ",
        cost.commands,
        cost.server_ms,
        product(ctx),
        cost.server_ms / 10.0
    );
    vec![long, format!("{:.1} ms/s ", cost.server_ms)]
}

fn product(ctx: &Ctx) -> &'static str {
    match ctx.model.link.facts.as_ref().map(|f| f.product.as_str()) {
        Some("valkey") => "Valkey",
        _ => "Redis",
    }
}
