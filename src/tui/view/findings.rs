//! What is wrong, and what repairs it: the tab, the pane, and the line where there is no room.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::{Ctx, tabs, traffic, words};
use crate::queue::{Finding, Severity, text};
use crate::tui::areas::findings::{self, Block, INDENT, Kind, Told};
use crate::tui::areas::lines::wrap;
use crate::tui::areas::{Area, Slot};
use crate::tui::model::{Pane, Screen, Tab};
use crate::tui::widget::line::Line;
use crate::tui::widget::pane::Part;

/// Columns of a queue's name where a finding has one line.
const NAME: u16 = 9;

/// Glyph, word and style of how bad a finding is.
fn sign(ctx: &Ctx, finding: &Finding) -> (String, Style) {
    let d = &ctx.data;
    if finding.gone.is_some() {
        return (format!("{} GONE", d.glyphs.good), d.ok);
    }
    match finding.severity {
        Severity::Critical => (format!("{} CRIT", d.glyphs.lost), d.late),
        Severity::Warning => (format!("{} WARN", d.glyphs.warn), d.warn),
        Severity::Note => (format!("{} NOTE", d.glyphs.dot), d.dim),
    }
}

/// The tab: a finding in as many lines as it needs.
pub(super) fn render(ctx: &Ctx, buf: &mut Buffer) {
    let slot = ctx.areas.entries;
    if !slot.shown() {
        return;
    }
    let left = count(ctx).map(|words| Part::new(20, words, ctx.theme.dim));
    // Below the findings there may be no room to say so.
    let looking = ctx.model.examining.as_ref().map(|one| {
        let far = (one.looked * 100).checked_div(one.of).unwrap_or(0);
        Part::new(40, format!("looking at all {far} %"), ctx.theme.text)
    });
    tabs::title(
        ctx,
        left.into_iter().chain(looking).collect(),
        Vec::new(),
        buf,
    );
    let told = findings::listed(ctx.model);
    let lines = findings::lines(ctx.model);
    let area = slot.inner;
    let cursor = ctx.model.stands.findings.cursor;
    let mut used = 0;
    for (i, shown) in (0..area.h).zip(&lines) {
        let row = area.row(i);
        let mut line = Line::new(buf, row.x, row.y, row.w);
        line.skip(2);
        let (sign, style) = sign(ctx, told[shown.finding].finding);
        if shown.kind == Kind::Head {
            line.put(buf, &sign, style);
        }
        line.x = (row.x + INDENT).min(line.end);
        match shown.kind {
            Kind::Head | Kind::Sentence => line.put(buf, &shown.words, ctx.data.text),
            Kind::Course | Kind::Evidence => line.put(buf, &shown.words, ctx.data.dim),
            Kind::Repair(true) => line
                .put(buf, ctx.data.glyphs.repair, ctx.data.accent)
                .skip(1)
                .put(buf, &shown.words, ctx.data.strong),
            Kind::Repair(false) => line.skip(2).put(buf, &shown.words, ctx.data.strong),
        };
        if shown.finding as u64 == cursor && shown.kind == Kind::Head {
            ctx.select(row, ctx.model.focus == Pane::Entries, buf);
        }
        used = i + 1;
    }
    let quiet = quiet(ctx).into_iter().map(|words| (words, ctx.data.dim));
    let calm = calm(ctx, !told.is_empty()).into_iter().chain(quiet);
    for (i, (words, style)) in (used..area.h).zip(calm) {
        let row = area.row(i);
        let mut line = Line::new(buf, row.x, row.y, row.w);
        line.skip(2);
        line.put_cut(buf, &words, ctx.data.glyphs.cut, style);
    }
}

/// `1 critical, 2 warnings`; none where nothing is wrong.
fn count(ctx: &Ctx) -> Option<String> {
    let told = findings::listed(ctx.model);
    let each = [Severity::Critical, Severity::Warning, Severity::Note].map(|severity| {
        let here = told.iter().filter(|t| t.finding.gone.is_none());
        let of_it = here.filter(|t| t.finding.severity == severity);
        let plural = severity != Severity::Critical;
        match (of_it.count(), severity.word()) {
            (0, _) => String::new(),
            (1, word) => format!("1 {word}"),
            (n, word) => format!("{n} {word}{}", if plural { "s" } else { "" }),
        }
    });
    let words: Vec<_> = each.into_iter().filter(|w| !w.is_empty()).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// What the other rules say: silence is proven.
fn calm(ctx: &Ctx, others: bool) -> Vec<(String, Style)> {
    let d = &ctx.data;
    let calm = findings::calm(ctx.model);
    let other = if others { "other " } else { "" };
    let mut lines = Vec::new();
    if calm.fine > 0 {
        let checks = if calm.fine == 1 { "check" } else { "checks" };
        // Not all is well as long as something may still turn out to be wrong.
        let open = match calm.early.len() {
            0 => String::new(),
            n => format!(", {n} not yet"),
        };
        let words = format!(
            "{} OK    {} {other}{checks}{open}",
            d.glyphs.good, calm.fine
        );
        let style = if calm.early.is_empty() { d.ok } else { d.text };
        lines.push((words, style));
    }
    if !calm.early.is_empty() {
        let early: Vec<&str> = calm.early.iter().map(|(_, far)| far.as_str()).collect();
        lines.push((
            format!("{}       {}", d.glyphs.cut, early.join("; ")),
            d.warn,
        ));
    }
    for (id, why) in &calm.blind {
        lines.push((format!("?       {id} cannot look: {why}"), d.dim));
    }
    lines
}

/// What is still being looked at.
fn quiet(ctx: &Ctx) -> Vec<String> {
    let (model, cut) = (ctx.model, ctx.data.glyphs.cut);
    let mut lines = Vec::new();
    if let Some(one) = &model.examining {
        let name = text::printable_bytes(one.queue.name.as_bytes());
        let far = match one.of {
            0 => String::new(),
            of => {
                let (looked, of) = (text::thousands(one.looked), text::thousands(of));
                format!(": {looked} of {of}")
            }
        };
        lines.push(format!(
            "{cut}       looking at all entries of {name}{far}; Esc stops it"
        ));
    } else if let Some(exact) = model.selected().and_then(|row| row.watch.exact()) {
        let looked = text::counted(exact.looked(), "entry", "entries");
        let ago = text::countdown(model.now.since(exact.at).max(0));
        lines.push(format!("        all {looked} looked at, {ago} ago"));
    }
    lines
}

/// The pane: at the right of the queues, or below everything.
pub(super) fn panel(ctx: &Ctx, buf: &mut Buffer) {
    let slot = ctx.areas.findings;
    if !slot.shown() {
        return;
    }
    let mut left = vec![Part::new(100, "Findings", ctx.theme.strong)];
    left.extend(count(ctx).map(|words| Part::new(50, words, ctx.theme.text)));
    let right = ctx.age(ctx.model.selected(), ctx.interval_ms());
    ctx.pane(slot, None, left, right.into_iter().collect(), buf);
    let told = findings::listed(ctx.model);
    let panel = findings::panel(ctx.model, slot);
    for block in &panel.blocks {
        finding(ctx, &told[block.finding], slot.inner, *block, buf);
    }
    let calm = calm(ctx, !told.is_empty());
    for (y, (words, style)) in (panel.free..slot.inner.h).zip(calm) {
        put(ctx, slot, y, (&words, style), buf);
    }
    if panel.more > 0 {
        let words = format!(
            " {} {} more: 5 lists them ",
            ctx.data.glyphs.cut, panel.more
        );
        let row = slot.inner.row(slot.inner.h - 1);
        Line::new(buf, row.x, row.y, row.w).put_right(buf, &words, ctx.data.dim);
    }
}

fn put(ctx: &Ctx, slot: Slot, y: u16, (words, style): (&str, Style), buf: &mut Buffer) {
    let row = slot.inner.row(y);
    let mut line = Line::new(buf, row.x, row.y, row.w);
    line.skip(1);
    line.put_cut(buf, words, ctx.data.glyphs.cut, style);
}

/// A finding in the pane.
fn finding(ctx: &Ctx, told: &Told, area: Area, block: Block, buf: &mut Buffer) {
    let d = &ctx.data;
    let (sign, style) = sign(ctx, told.finding);
    let row = area.row(block.y);
    let mut line = Line::new(buf, row.x, row.y, row.w);
    line.skip(1).put(buf, &sign, style);
    let indent = INDENT - 1;
    line.x = (row.x + indent).min(line.end);
    if block.short {
        let (x, finding) = (line.x, told.finding);
        line.put(buf, &findings::name(&ctx.model.queues[told.row]), d.strong);
        // The sentences of short names stand below each other.
        line.x = line.x.max(x + NAME.min(area.w)) + 2;
        line.x = line.x.min(line.end);
        let words = findings::in_full(ctx.model, finding);
        line.put_cut(buf, &words, d.glyphs.cut, d.text);
        return;
    }
    let lines = findings::in_rows(ctx.model, told, area.w, block.rows);
    let first = lines.iter().position(|(repair, _)| *repair);
    for (i, (repair, words)) in lines.iter().enumerate() {
        let y = u16::try_from(i).unwrap_or(block.rows);
        let row = area.row(block.y + y);
        let mut line = Line::new(buf, row.x, row.y, row.w);
        line.skip(indent);
        if *repair {
            let mark = if first == Some(i) {
                d.glyphs.repair
            } else {
                " "
            };
            line.put(buf, mark, d.accent).skip(1);
        }
        line.put_cut(buf, words, d.glyphs.cut, d.text);
    }
}

/// The one line where the findings have no pane: the worst of them and how many there are; where
/// nothing is wrong, that, and the newest announcement.
pub(super) fn line(ctx: &Ctx, buf: &mut Buffer) {
    let area = ctx.areas.news;
    if area.is_empty() {
        return;
    }
    let told = findings::listed(ctx.model);
    let mut line = Line::new(buf, area.x, area.y, area.w);
    line.skip(1);
    line.end = line.end.saturating_sub(1);
    // The tab tells all of them.
    match told.first().filter(|_| ctx.model.tab != Tab::Findings) {
        Some(worst) => worst_in_line(ctx, worst, told.len(), line, buf),
        None => well_in_line(ctx, told.is_empty(), line, buf),
    }
}

/// Where nothing is wrong: that, and the newest announcement.
fn well_in_line(ctx: &Ctx, all_well: bool, mut line: Line, buf: &mut Buffer) {
    let blind = findings::calm(ctx.model).blind.len();
    if blind > 0 && all_well {
        let words = format!("? {blind} cannot look");
        line.put_right(buf, &words, ctx.data.dim);
        line.end = line.end.saturating_sub(2);
    }
    // What may still turn out to be wrong says more than how much is well.
    let open = usize::from(!findings::calm(ctx.model).early.is_empty());
    let well = calm(ctx, false).into_iter().nth(open);
    let well = well.filter(|(words, _)| !words.starts_with('?'));
    if let Some((words, style)) = well.filter(|_| all_well) {
        let words = words.replace("    ", " ");
        if !line.put_right(buf, &words, style) {
            line.put_cut(buf, &words, ctx.data.glyphs.cut, style);
        }
        line.end = line.end.saturating_sub(2);
    }
    if !ctx.areas.traffic.shown() {
        traffic::news(ctx, line, buf);
    }
}

/// The worst, and how many there are.
fn worst_in_line(ctx: &Ctx, worst: &Told, many: usize, mut line: Line, buf: &mut Buffer) {
    let area = ctx.areas.news;
    let count = format!("5 findings {many}");
    line.put_right(buf, &count, ctx.theme.accent);
    line.end = line.end.saturating_sub(2);
    let (sign, style) = sign(ctx, worst.finding);
    line.put(buf, &sign, style).skip(1);
    let from = line.x;
    let name = findings::name(&ctx.model.queues[worst.row]);
    if matches!(ctx.model.screen, Screen::Dashboard) {
        line.put_cut(buf, &name, ctx.data.glyphs.cut, ctx.data.strong);
        line.skip(1);
    }
    let finding = worst.finding;
    let words = findings::in_full(ctx.model, finding);
    let words = text::printable(&words);
    let first = wrap(&words, line.room()).swap_remove(0);
    let rest = words.get(first.len()..).unwrap_or_default().trim_start();
    if area.h < 2 || rest.is_empty() {
        line.put_cut(buf, &words, ctx.data.glyphs.cut, ctx.data.text);
        return;
    }
    let room = (area.x + area.w).saturating_sub(from + 1);
    let mut second = Line::new(buf, from, area.y + 1, room);
    if text::width(rest) <= second.room() {
        line.put(buf, &first, ctx.data.text);
        second.put(buf, rest, ctx.data.text);
        return;
    }
    // Not both fit: what to do has a row to itself.
    line.put_cut(buf, &finding.sentence, ctx.data.glyphs.cut, ctx.data.text);
    second
        .put(buf, ctx.data.glyphs.repair, ctx.data.accent)
        .skip(1);
    second.put_cut(
        buf,
        &finding.repair.to_do(&ctx.model.redis_cli),
        ctx.data.glyphs.cut,
        ctx.data.text,
    );
}

/// The evidence of the finding under the cursor, beside the tab.
pub(super) fn beside(ctx: &Ctx, buf: &mut Buffer) {
    let slot = ctx.areas.detail;
    let told = findings::listed(ctx.model);
    let at = usize::try_from(ctx.model.stands.findings.cursor).unwrap_or(usize::MAX);
    let told = told.get(at);
    let mut left = vec![Part::new(100, "Evidence", ctx.theme.strong)];
    left.extend(told.map(|t| Part::new(50, t.finding.id, ctx.theme.dim)));
    ctx.pane(slot, None, left, Vec::new(), buf);
    let Some(told) = told else { return };
    let mut y = 0;
    for evidence in told.finding.evidence.lines(&ctx.model.redis_cli) {
        let room = slot.inner.w.saturating_sub(2);
        let area = Area::new(
            slot.inner.x,
            slot.inner.y + y,
            room + 2,
            slot.inner.h.saturating_sub(y),
        );
        y += words(ctx, &evidence, area, buf);
    }
}
