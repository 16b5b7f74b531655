//! The changes that were made.

use ratatui::buffer::Buffer;

use super::ChangeLine;
use crate::clock::EpochMillis;
use crate::queue::{Change, text};
use crate::tui::area::Area;
use crate::tui::draw::{Ctx, words};
use crate::tui::hitmap::Target;
use crate::tui::model::{Pane, Screen};
use crate::tui::tabs::Tab;
use crate::tui::widget::line::Line;
use crate::tui::widget::pane::TitlePart;
use crate::tui::{moments, tabs};

/// The tab: newest first.
pub(crate) fn render(ctx: &Ctx, buf: &mut Buffer) {
    let slot = ctx.areas.entries;
    if !slot.shown() {
        return;
    }
    let trouble = ctx.model.changes.trouble.as_ref();
    let unread = trouble.map(|_| TitlePart::new(90, "journal not read", ctx.theme.warn));
    tabs::view::title(ctx, Vec::new(), unread.into_iter().collect(), buf);
    let area = slot.inner;
    if ctx.model.changes_here().next().is_none() {
        let said = match trouble {
            Some(why) => format!("The journal cannot be read: {why}"),
            None => "No changes made from this account yet.".to_owned(),
        };
        words(ctx, &said, area, buf);
        return;
    }
    let stand = ctx.model.stands.changes;
    let top = usize::try_from(stand.top).unwrap_or(usize::MAX);
    let shown: Vec<&ChangeLine> = ctx
        .model
        .changes_here()
        .skip(top)
        .take(usize::from(area.h))
        .collect();
    let columns = Columns::of(ctx, &shown, area);
    for (i, change) in (0..area.h).zip(&shown) {
        let row = area.row(i);
        whole(ctx, change, &columns, row, buf);
        let at = stand.top + u64::from(i);
        ctx.record(row, Target::Row(at));
        if at == stand.cursor {
            ctx.select(row, ctx.model.focus == Pane::Entries, buf);
        }
    }
}

/// Columns of the parts of a line.
struct Columns {
    at: u16,
    /// 0 where all are of one queue.
    queue: u16,
}

/// Columns of the longest word for a change.
const WORD: u16 = 13;

/// The word at the end of a line for a change that was undone.
const UNDONE: &str = "undone";

impl Columns {
    fn of(ctx: &Ctx, shown: &[&ChangeLine], area: Area) -> Self {
        let at = shown.iter().map(|line| text::width(&when(ctx, line.at)));
        let at = at.max().unwrap_or(0);
        let names = shown.iter().map(|line| text::width(&line.queue));
        let most = usize::from(area.w / 4).min(32);
        let alone = !matches!(ctx.model.screen, Screen::Dashboard);
        let queue = if alone {
            0
        } else {
            names.max().unwrap_or(0).min(most)
        };
        let narrow = |n: usize| u16::try_from(n).unwrap_or(0);
        Self {
            at: narrow(at),
            queue: narrow(queue),
        }
    }
}

/// `14:01:40`, on another day `20 Nov 14:01:40`.
fn when(ctx: &Ctx, at: EpochMillis) -> String {
    let zone = ctx.model.look.zone;
    let clock = moments::clock(zone, at);
    let day = moments::day(zone, at, ctx.now);
    if day == moments::day(zone, ctx.now, ctx.now) {
        clock
    } else {
        format!("{day} {clock}")
    }
}

/// `14:01:40  transfer  orders  9,998 of 10,000 transferred, 2 already moved by others  undone`.
fn whole(ctx: &Ctx, change: &ChangeLine, columns: &Columns, row: Area, buf: &mut Buffer) {
    let t = &ctx.data;
    let cut = t.glyphs.cut;
    let mut line = Line::new(buf, row.x, row.y, row.w);
    line.skip(3);
    let x = line.x;
    line.put_whole(buf, &when(ctx, change.at), t.dim);
    line.x = x;
    line.skip(columns.at + 2);
    let x = line.x;
    let word = change.change.map_or("", Change::label);
    line.put_whole(buf, word, t.strong);
    line.x = x;
    line.skip(WORD + 1);
    if columns.queue > 0 {
        let x = line.x;
        let mut name = line;
        name.end = name.end.min(x + columns.queue);
        name.put_cut(buf, &change.queue, cut, t.text);
        line.x = x;
        line.skip(columns.queue + 2);
    }
    if change.undone {
        line.end = line.end.saturating_sub(1);
        line.put_right(buf, UNDONE, t.accent);
        line.end = line.end.saturating_sub(2);
    }
    let style = if change.undone {
        t.dim
    } else if change.doubtful {
        t.warn
    } else {
        t.text
    };
    line.put_cut(buf, &change.text, cut, style);
}

/// The strip at the bottom: the newest ones, as many as fit beside each other.
pub(crate) fn log(ctx: &Ctx, buf: &mut Buffer) {
    let slot = ctx.areas.log;
    if !slot.shown() {
        return;
    }
    ctx.record(slot.outer, Target::Tab(Tab::Changes));
    let left = vec![TitlePart::new(100, "Log", ctx.theme.strong)];
    let count = ctx.model.changes_here().count() as u64;
    let tab = ctx.model.sentence("tab {tab-changes}");
    let right = vec![TitlePart::new(
        50,
        format!("{} ({tab})", text::counted(count, "change", "changes")),
        ctx.theme.dim,
    )];
    ctx.pane(slot, None, left, right, buf);
    let area = slot.inner;
    // Two at most: a half for each.
    let each = area.w / 2;
    for (i, change) in (0..2).zip(ctx.model.changes_here()) {
        let mut line = Line::new(buf, area.x + i * each, area.y, each);
        line.skip(1);
        said(ctx, change, line, buf);
    }
}

/// `14:01:40  orders: 3 deleted`.
fn said(ctx: &Ctx, change: &ChangeLine, mut line: Line, buf: &mut Buffer) {
    line.put_whole(buf, &when(ctx, change.at), ctx.data.dim);
    line.skip(2);
    let undone = if change.undone {
        format!(" ({UNDONE})")
    } else {
        String::new()
    };
    let words = format!("{}: {}{undone}", change.queue, change.text);
    line.put_cut(buf, &words, ctx.data.glyphs.cut, ctx.data.text);
}
