//! The findings on the screen, with what repairs them: the tab, the pane, and the line where there
//! is no room.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::QueueFinding;
use crate::queue::finding::{FindingEnd, PassedFinding, Rule};
use crate::queue::{Severity, text};
use crate::tui::area::{Area, Slot};
use crate::tui::draw::{Ctx, words};
use crate::tui::findings::lines::{FindingText, LineKind, MARK};
use crate::tui::findings::panel::{Block, LEAD};
use crate::tui::findings::tab::INDENT;
use crate::tui::hitmap::Target;
use crate::tui::model::Pane;
use crate::tui::tabs::{self, Tab};
use crate::tui::widget::line::Line;
use crate::tui::widget::pane::TitlePart;
use crate::tui::{moments, traffic};

/// Glyph, word and style of how bad a finding is; none of what stands below its cause.
fn sign(ctx: &Ctx, told: &QueueFinding) -> (String, Style) {
    let finding = told.finding;
    if told.nested {
        return (String::new(), ctx.data.dim);
    }
    if finding.gone.is_some() {
        let fixed = match finding.ending {
            FindingEnd::Repaired => " FIXED",
            FindingEnd::ByItself => "",
        };
        return (format!("{}{fixed}", ctx.data.glyphs.good), ctx.data.dim);
    }
    severity(ctx, finding.severity)
}

fn severity(ctx: &Ctx, severity: Severity) -> (String, Style) {
    let d = &ctx.data;
    match severity {
        Severity::Critical => (format!("{} CRIT", d.glyphs.lost), d.late),
        Severity::Warning => (format!("{} WARN", d.glyphs.warn), d.warn),
        Severity::Note => (format!("{} NOTE", d.glyphs.dot), d.dim),
    }
}

/// The tab: a finding in as many lines as it needs.
pub(crate) fn render(ctx: &Ctx, buf: &mut Buffer) {
    let slot = ctx.areas.entries;
    if !slot.shown() {
        return;
    }
    let left = count(ctx).map(|words| TitlePart::new(20, words, ctx.theme.dim));
    // Below the findings there may be no room to say so.
    let asked = ctx
        .model
        .examination
        .under_way
        .as_ref()
        .filter(|one| one.asked);
    let looking = asked.map(|one| {
        let far = (one.looked * 100).checked_div(one.of).unwrap_or(0);
        TitlePart::new(40, format!("looking at all {far} %"), ctx.theme.text)
    });
    tabs::view::title(
        ctx,
        left.into_iter().chain(looking).collect(),
        Vec::new(),
        buf,
    );
    let told = super::listed(ctx.model);
    let area = slot.inner;
    let lines = super::tab::lines(ctx.model, (area.w, area.h), ctx.areas.detail.shown());
    let cursor = ctx.model.stands.findings.cursor;
    let mut used = 0;
    for (i, shown) in (0..area.h).zip(&lines) {
        let row = area.row(i);
        let told = &told[shown.finding];
        if shown.said.kind == LineKind::Head {
            let (sign, style) = sign(ctx, told);
            let mut line = Line::new(buf, row.x, row.y, row.w);
            line.skip(2).put(buf, &sign, style);
        }
        said(ctx, told, &shown.said, (row, INDENT), buf);
        ctx.record(row, Target::Row(shown.finding as u64));
        let is_read = ctx.model.focus == Pane::Entries;
        // From the table, the keys are about the queue that is selected there.
        let leads = is_read || told.row == ctx.model.cursor;
        if shown.finding as u64 == cursor && shown.said.kind == LineKind::Head && leads {
            ctx.select(row, is_read, buf);
        }
        used = i + 1;
    }
    let quiet = quiet(ctx).into_iter().map(|words| (words, ctx.data.dim));
    let calm = calm(ctx, !told.is_empty()).into_iter().chain(quiet);
    let calm = calm.chain(earlier(ctx));
    for (i, (words, style)) in (used..area.h).zip(calm) {
        let row = area.row(i);
        let mut line = Line::new(buf, row.x, row.y, row.w);
        line.skip(2);
        line.put_cut(buf, &words, ctx.data.glyphs.cut, style);
    }
}

/// `1 critical, 2 warnings`; none where nothing is wrong. What follows from another finding stands
/// below that one, and is not counted again.
fn count(ctx: &Ctx) -> Option<String> {
    let told = super::listed(ctx.model);
    let each = [Severity::Critical, Severity::Warning, Severity::Note].map(|severity| {
        let here = told.iter().filter(|told| told.counts());
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

/// Returns the lines on what the other rules say: silence is proven, and what is not known yet is
/// not well.
fn calm(ctx: &Ctx, others: bool) -> Vec<(String, Style)> {
    let d = &ctx.data;
    let calm = super::calm::calm(ctx.model);
    let other = if others { "other " } else { "" };
    let open = calm.open.iter();
    let mut lines: Vec<(String, Style)> = open
        .map(|words| (format!("{}       {words}", d.glyphs.cut), d.warn))
        .collect();
    if calm.fine > 0 {
        let checks = if calm.fine == 1 { "check" } else { "checks" };
        let (glyph, style) = if lines.is_empty() {
            (format!("{} OK ", d.glyphs.good), d.ok)
        } else {
            ("     ".to_owned(), d.dim)
        };
        lines.push((format!("{glyph}   {} {other}{checks}", calm.fine), style));
    }
    for (id, why) in &calm.blind {
        let looks_for = Rule::looks_for(id);
        lines.push((
            format!("?       cannot check for {looks_for:?}: {why}"),
            d.dim,
        ));
    }
    lines
}

/// Returns the lines on what is still being looked at.
fn quiet(ctx: &Ctx) -> Vec<String> {
    let (model, cut) = (ctx.model, ctx.data.glyphs.cut);
    let mut lines = Vec::new();
    if let Some(one) = model.examination.under_way.as_ref().filter(|one| one.asked) {
        let name = text::printable_bytes(one.queue.name.as_bytes());
        let far = match one.of {
            0 => String::new(),
            of => {
                let (looked, of) = (text::thousands(one.looked), text::thousands(of));
                format!(": {looked} of {of}")
            }
        };
        let back = model.sentence("{back}");
        lines.push(format!(
            "{cut}       looking at all entries of {name}{far}; {back} stops it"
        ));
    } else if let Some(exact) = model.selected().and_then(|row| row.watch.exact()) {
        let looked = text::counted(exact.looked(), "entry", "entries");
        let ago = text::age(model.now.since(exact.at).max(0));
        lines.push(format!("        all {looked} looked at, {ago} ago"));
    }
    lines
}

/// Returns the lines on what was wrong and is over.
fn earlier(ctx: &Ctx) -> Vec<(String, Style)> {
    let (d, zone) = (&ctx.data, ctx.model.look.zone);
    let earlier = super::earlier(ctx.model);
    if earlier.is_empty() {
        return Vec::new();
    }
    let one = |(row, passed): (usize, &PassedFinding)| {
        let lasted = text::age(passed.until.since(passed.since).max(0));
        let times = match passed.times {
            ..2 => String::new(),
            n => format!(", {n} times"),
        };
        let words = format!(
            "{}  {}: {} (for {lasted}{times})",
            moments::clock(zone, passed.until),
            super::name(&ctx.model.queues[row]),
            text::printable(&passed.headline),
        );
        (words, d.dim)
    };
    let head = [(String::new(), d.dim), ("Earlier".to_owned(), d.strong)];
    head.into_iter()
        .chain(earlier.into_iter().map(one))
        .collect()
}

/// The pane: at the right of the queues, or below everything.
pub(crate) fn panel(ctx: &Ctx, buf: &mut Buffer) {
    let slot = ctx.areas.findings;
    if !slot.shown() {
        return;
    }
    let mut left = vec![TitlePart::new(100, "Findings", ctx.theme.strong)];
    left.extend(count(ctx).map(|words| TitlePart::new(50, words, ctx.theme.text)));
    ctx.record(slot.outer, Target::Tab(Tab::Findings));
    let right = ctx.age(ctx.model.selected(), ctx.interval_ms());
    ctx.pane(slot, None, left, right.into_iter().collect(), buf);
    let told = super::listed(ctx.model);
    let panel = super::panel::panel(ctx.model, (slot.inner.w, slot.inner.h));
    for block in &panel.blocks {
        finding(ctx, &told[block.finding], slot.inner, block, buf);
    }
    let calm = calm(ctx, !told.is_empty());
    for (y, (words, style)) in (panel.free..slot.inner.h).zip(calm) {
        put(ctx, slot, y, (&words, style), buf);
    }
    let fixed = panel.fixed.map(|at| fixed(ctx, &told[at]));
    let more = (panel.more > 0).then(|| {
        let lists = ctx.model.sentence("{tab-findings} lists them");
        format!("{} {} more: {lists}", ctx.data.glyphs.cut, panel.more)
    });
    let words: Vec<String> = fixed.into_iter().chain(more).collect();
    if !words.is_empty() {
        let row = slot.inner.row(slot.inner.h.saturating_sub(1));
        let words = format!("  {} ", words.join("  "));
        let columns = u16::try_from(text::width(&words)).unwrap_or(row.w);
        let x = row.x + row.w.saturating_sub(columns);
        // What stands there is cut, and says so.
        let cut = x > row.x && buf[(x - 1, row.y)].symbol() != " ";
        Line::new(buf, row.x, row.y, row.w).put_right(buf, &words, ctx.data.dim);
        if cut {
            Line::new(buf, x, row.y, 1).put(buf, ctx.data.glyphs.cut, ctx.data.dim);
        }
    }
}

/// `✓ FIXED orders`: what was repaired a moment ago, where it has no line of its own.
fn fixed(ctx: &Ctx, told: &QueueFinding) -> String {
    /// Columns of the queue's name.
    const NAME: usize = 16;
    let name = super::name(&ctx.model.queues[told.row]);
    format!("{} {}", sign(ctx, told).0, text::cut(&name, NAME))
}

fn put(ctx: &Ctx, slot: Slot, y: u16, (words, style): (&str, Style), buf: &mut Buffer) {
    let row = slot.inner.row(y);
    let mut line = Line::new(buf, row.x, row.y, row.w);
    line.skip(1);
    line.put_cut(buf, words, ctx.data.glyphs.cut, style);
}

/// A finding in the pane.
fn finding(ctx: &Ctx, told: &QueueFinding, area: Area, block: &Block, buf: &mut Buffer) {
    let (sign, style) = sign(ctx, told);
    let row = area.row(block.y);
    let mut line = Line::new(buf, row.x, row.y, row.w);
    line.skip(1).put(buf, &sign, style);
    for (i, one) in (block.y..).zip(&block.lines) {
        said(ctx, told, one, (area.row(i), LEAD), buf);
        ctx.record(area.row(i), Target::Finding(block.finding));
    }
}

/// A line of what is said of a finding, behind so many columns. What has gone steps back.
fn said(
    ctx: &Ctx,
    told: &QueueFinding,
    one: &FindingText,
    (row, lead): (Area, u16),
    buf: &mut Buffer,
) {
    let d = &ctx.data;
    let mut line = Line::new(buf, row.x, row.y, row.w * row.h);
    line.skip(lead);
    let style = match one.kind {
        _ if told.finding.gone.is_some() => d.dim,
        LineKind::Head | LineKind::Headline if told.nested => d.text,
        LineKind::Head | LineKind::Headline => d.strong,
        LineKind::Details | LineKind::Effects => d.text,
        LineKind::Course | LineKind::Evidence => d.dim,
        LineKind::Repair(first) => {
            let mark = if first { d.glyphs.leads_to } else { " " };
            line.put(buf, mark, d.accent).skip(1);
            d.text
        }
        LineKind::Command => {
            line.skip(MARK);
            d.accent
        }
    };
    line.put_cut(buf, &one.words, d.glyphs.cut, style);
}

/// The lines where the findings have no pane: what is wrong with the selected queue, the worst of
/// another one and how many more there are; where nothing is wrong, that, and the newest announcement.
pub(crate) fn line(ctx: &Ctx, buf: &mut Buffer) {
    let area = ctx.areas.news;
    if area.is_empty() {
        return;
    }
    if super::count(ctx.model) > 0 {
        ctx.record(area, Target::Tab(Tab::Findings));
    }
    let news = super::panel::news(ctx.model, (area.w, area.h));
    // The tab tells all of them.
    let Some(news) = news.filter(|_| ctx.model.tab != Tab::Findings) else {
        return well(ctx, buf);
    };
    let mut words: Vec<&FindingText> = Vec::new();
    let mut y = 0;
    for (told, lines) in &news.told {
        let row = area.row(y);
        let (sign, style) = sign(ctx, told);
        let mut line = Line::new(buf, row.x, row.y, row.w);
        line.skip(1).put(buf, &sign, style);
        for one in lines {
            said(ctx, told, one, (area.row(y), LEAD), buf);
            words.push(one);
            y += 1;
        }
    }
    let fixed = news.fixed.as_ref().map(|told| fixed(ctx, told));
    let others = (news.others > 0).then(|| {
        let key = ctx.model.sentence("{tab-findings}");
        format!("{} more: {key}", news.others)
    });
    let words_of_others: Vec<String> = fixed.into_iter().chain(others).collect();
    if !words_of_others.is_empty() {
        let count = format!("  {} ", words_of_others.join("  "));
        // Where it covers no word, else over the end of the evidence: never of what is wrong.
        let room = usize::from(area.w.saturating_sub(LEAD + MARK));
        let room = room.saturating_sub(text::width(&count));
        let free = words
            .iter()
            .rposition(|one| text::width(&one.words) <= room);
        let bears_it =
            |one: &&FindingText| !matches!(one.kind, LineKind::Head | LineKind::Headline);
        let Some(free) = free.or_else(|| words.iter().rposition(bears_it)) else {
            return;
        };
        let row = area.row(u16::try_from(free).unwrap_or(0));
        let mut line = Line::new(buf, row.x, row.y, row.w);
        line.put_right(buf, &count, ctx.theme.accent);
    }
}

/// Draws, where nothing is wrong, that and the newest announcement; or what is not known yet.
fn well(ctx: &Ctx, buf: &mut Buffer) {
    let area = ctx.areas.news;
    let all_well = !super::any(ctx.model);
    let calm = super::calm::calm(ctx.model);
    let open = if all_well { calm.open.len() } else { 0 };
    let mut lines = self::calm(ctx, false).into_iter();
    for (i, (words, style)) in (0..area.h).zip(lines.by_ref().take(open)) {
        let row = area.row(i);
        let mut line = Line::new(buf, row.x, row.y, row.w.saturating_sub(1));
        line.skip(1)
            .put_cut(buf, &words, ctx.data.glyphs.cut, style);
    }
    if open > 0 {
        return;
    }
    let mut line = Line::new(buf, area.x, area.y, area.w.saturating_sub(1));
    line.skip(1);
    if !calm.blind.is_empty() && all_well {
        let words = match calm.blind.len() {
            1 => "? 1 check is blind".to_owned(),
            n => format!("? {n} checks are blind"),
        };
        line.put_right(buf, &words, ctx.data.dim);
        line.end = line.end.saturating_sub(2);
    }
    let well = lines.next().filter(|(words, _)| !words.starts_with('?'));
    if let Some((words, style)) = well.filter(|_| all_well) {
        let words = words.replace("    ", " ");
        if !line.put_right(buf, &words, style) {
            line.put_cut(buf, &words, ctx.data.glyphs.cut, style);
        }
        line.end = line.end.saturating_sub(2);
    }
    // What is wrong with a queue is read here: what happens in another one is no news then.
    if !ctx.areas.traffic.shown() && ctx.model.tab != Tab::Findings {
        traffic::view::news(ctx, line, buf);
    }
}

/// The evidence of the finding under the cursor, beside the tab.
pub(crate) fn beside(ctx: &Ctx, buf: &mut Buffer) {
    let slot = ctx.areas.detail;
    let told = super::listed(ctx.model);
    let at = usize::try_from(ctx.model.stands.findings.cursor).unwrap_or(usize::MAX);
    let told = told.get(at);
    let mut left = vec![TitlePart::new(100, "Evidence", ctx.theme.strong)];
    left.extend(told.map(|t| TitlePart::new(50, t.finding.id, ctx.theme.dim)));
    ctx.pane(slot, None, left, Vec::new(), buf);
    let Some(told) = told else { return };
    let mut y = 0;
    for evidence in told.finding.evidence_by_payload(&ctx.model.site.redis_cli) {
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
