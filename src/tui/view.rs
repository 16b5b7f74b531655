//! `&Model` → cells. Draws what the model says and decides nothing.

mod banner;
mod bulk;
mod change;
mod changes;
mod depth;
mod dialog;
mod edit;
mod entries;
mod entry;
mod field;
mod findings;
mod form;
mod header;
mod help;
mod hints;
mod lists;
mod offer;
mod palette;
mod planning;
mod prompt;
mod queues;
mod repair;
mod requeue;
mod rows;
mod tabs;
pub(in crate::tui) mod time;
mod timeline;
mod toast;
mod traffic;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Widget;

use super::areas::{self, Area, Areas, Slot};
use super::keys::Action;
use super::model::{Face, Model, Overlay, QueueRow, Screen, Tab};
use super::theme::Theme;
use super::widget::line::Line;
use super::widget::pane::{Pane, Part};
use super::widget::scrollbar;
use crate::clock::EpochMillis;
use crate::queue::{Known, LinkState, List, text};

/// Draws the whole screen into `area` of `buf`.
pub fn render(model: &Model, area: Rect, buf: &mut Buffer) {
    let area = area.intersection(buf.area);
    if area.is_empty() {
        return;
    }
    let areas = areas::areas(model);
    let ctx = Ctx::new(model, areas);
    match &model.screen {
        Screen::Dashboard | Screen::Queue => {
            queues::render(&ctx, buf);
            timeline::render(&ctx, buf);
            tab(&ctx, buf);
            depth::render(&ctx, buf);
            traffic::render(&ctx, buf);
            findings::panel(&ctx, buf);
            findings::line(&ctx, buf);
            changes::log(&ctx, buf);
        }
        Screen::Entry(view) => entry::render(&ctx, view, buf),
    }
    header::render(&ctx, buf);
    bulk::render(&ctx, buf);
    banner::render(&ctx, buf);
    if areas::palette::slot(model).is_some() {
        palette::hints(&ctx, buf);
    } else {
        hints::render(&ctx, buf);
    }
    match &model.overlay {
        Some(Overlay::Help { page, scroll }) => help::render(&ctx, (*page, *scroll), buf),
        Some(Overlay::Dialog(dialog)) => dialog::render(&ctx, dialog, buf),
        Some(Overlay::Offer(form)) => offer::render(&ctx, form, buf),
        Some(Overlay::Change(view)) => change::render(&ctx, view, buf),
        Some(Overlay::Requeue(form)) => requeue::render(&ctx, form, buf),
        Some(Overlay::Edit(form)) => edit::render(&ctx, form, buf),
        Some(Overlay::Repair(form)) => repair::render(&ctx, form, buf),
        None => {}
    }
    planning::render(&ctx, buf);
    scrollbars(&ctx, buf);
    prompt::render(&ctx, buf);
    toast::render(&ctx, buf);
    harmless(buf);
    if model.look.ascii {
        spell(buf);
    }
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

/// What is told where only the words of the picture know their places.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Told {
    /// How many queues are sick.
    Sick,
    /// A face of the opened entry.
    Face(Face),
}

/// What the header or a title tells at the cell at column `x`, row `y`.
#[must_use]
pub fn told_at(model: &Model, x: u16, y: u16) -> Option<Told> {
    let ctx = Ctx::new(model, areas::areas(model));
    if header::sick_place(&ctx).is_some_and(|area| area.holds(x, y)) {
        return Some(Told::Sick);
    }
    match &model.screen {
        Screen::Entry(view) => entry::face_at(&ctx, view, x, y).map(Told::Face),
        Screen::Dashboard | Screen::Queue => None,
    }
}

/// The tab in sight, and beside it what its cursor is on.
fn tab(ctx: &Ctx, buf: &mut Buffer) {
    match ctx.model.tab {
        _ if ctx.model.on_hits() => entries::render(ctx, buf),
        Tab::Waiting => entries::render(ctx, buf),
        Tab::Delivered => lists::render(ctx, List::Target, buf),
        Tab::Order => lists::render(ctx, List::Order, buf),
        Tab::Quarantine => lists::render(ctx, List::Quarantine, buf),
        Tab::Traffic => traffic::render_tab(ctx, buf),
        Tab::Findings => findings::render(ctx, buf),
        Tab::Changes => changes::render(ctx, buf),
    }
    match ctx.model.tab {
        Tab::Findings if ctx.areas.detail.shown() => findings::beside(ctx, buf),
        _ => entry::render_beside(ctx, buf),
    }
}

/// Words in a pane without rows, in as many lines as they need; returns how many.
fn words(ctx: &Ctx, words: &str, area: Area, buf: &mut Buffer) -> u16 {
    let clean = text::printable(words);
    let room = usize::from(area.w.saturating_sub(4));
    let lines = areas::wrap::wrapped(&clean, room);
    for (y, words) in (area.y..area.y + area.h).zip(&lines) {
        let mut line = Line::new(buf, area.x, y, area.w);
        line.skip(3);
        line.put_cut(buf, words, ctx.theme.glyphs.cut, ctx.data.text);
    }
    u16::try_from(lines.len()).unwrap_or(area.h).min(area.h)
}

/// The scrollbars, over what they belong to.
fn scrollbars(ctx: &Ctx, buf: &mut Buffer) {
    for (_, rail) in areas::scrollbar::rails(ctx.model) {
        let at = (rail.area.x, rail.area.y + rail.above());
        let symbol = ctx.theme.glyphs.thumb;
        scrollbar::thumb(buf, at, rail.thumb(), symbol, ctx.theme.dim);
    }
}

/// What every part of the picture needs.
struct Ctx<'a> {
    model: &'a Model,
    areas: Areas,
    /// For the frame around the data: always fresh.
    theme: Theme,
    /// For the data: steps back while the server is away.
    data: Theme,
    /// The moment that countdowns count from.
    now: EpochMillis,
    /// The server is away: countdowns go on by our own clock.
    lost: bool,
}

impl<'a> Ctx<'a> {
    fn new(model: &'a Model, areas: Areas) -> Self {
        let theme = Theme::of(&model.look);
        let lost = matches!(model.link.state, LinkState::Lost { .. });
        Self {
            model,
            areas,
            data: if lost { theme.faded() } else { theme.clone() },
            theme,
            now: areas::now(model),
            lost,
        }
    }

    /// Wide and high enough for words in full.
    fn wide(&self) -> bool {
        self.model.size.0 >= 100
    }

    /// What a sentence calls the key of an action; none when it has no key.
    fn key(&self, action: Action) -> Option<String> {
        self.model.keymap.label(action, self.model.look.ascii)
    }

    /// The time left until `due`. From the last tenth of a second until it is late by a whole
    /// one: `now`. While the server is away a `~` follows, as with [`Self::ago`]: what stands at
    /// the right of a column reaches over its edge with it, so that no digit moves.
    fn countdown(&self, due: EpochMillis) -> String {
        let left = match due.since(self.now) {
            -999..100 => "now".to_owned(),
            ms => text::countdown(ms),
        };
        if self.lost { format!("{left}~") } else { left }
    }

    /// The time passed since `then`.
    fn ago(&self, then: EpochMillis) -> String {
        let ago = text::countdown(then.since(self.now).min(-1));
        let ago = ago.trim_start_matches('-');
        if self.lost {
            format!("{ago}~")
        } else {
            ago.to_owned()
        }
    }

    /// Columns of a cell of `w` columns that holds a span: while the server is away its `~` takes
    /// the free one behind the cell.
    fn span_cell(&self, w: u16, text: &str) -> u16 {
        w + u16::from(self.lost && text.ends_with('~'))
    }

    /// A figure in at most `columns`: zero, unknown and "no such thing" are three things.
    fn figure(&self, known: &Known<u64>, columns: usize) -> (String, Style) {
        let g = self.data.glyphs;
        match known {
            Known::Is(0) => (g.zero.to_owned(), self.data.dim),
            Known::Is(n) => (text::number(*n, columns), self.data.text),
            Known::Unknown(_) => ("?".to_owned(), self.data.dim),
            Known::None => (g.none.to_owned(), self.data.dim),
        }
    }

    /// How old what is shown of `row` is, for the right end of a title. Fresh data is as old as
    /// the interval: that text stands still, so that nothing flickers on a healthy screen.
    fn age(&self, row: Option<&QueueRow>, interval_ms: u64) -> Option<Part> {
        let read_at = row?.read_at?;
        let age = self.model.instant.saturating_duration_since(read_at);
        let age_ms = u64::try_from(age.as_millis()).unwrap_or(u64::MAX);
        if self.model.frozen.is_some() {
            return Some(Part::new(90, "frozen", self.theme.warn));
        }
        // Without an answer the age is told at once, whatever the interval is.
        let polls = match self.model.link.state {
            LinkState::Hung { .. } | LinkState::Lost { .. } => age_ms / 1000 + 2,
            _ => age_ms / interval_ms.max(1),
        };
        let stale = || format!("stale {}", header::seconds(age_ms));
        Some(match polls {
            ..2 => Part::new(10, header::interval(interval_ms), self.theme.dim),
            2..5 => Part::new(90, stale(), self.theme.warn),
            _ => Part::new(90, stale(), self.theme.late),
        })
    }

    /// How often the selected queue is read, in ms.
    fn interval_ms(&self) -> u64 {
        self.model.stretched_ms.unwrap_or(self.model.interval_ms)
    }

    /// Draws the border of a pane.
    fn pane(
        &self,
        slot: Slot,
        which: Option<super::model::Pane>,
        left: Vec<Part>,
        right: Vec<Part>,
        buf: &mut Buffer,
    ) {
        let covered = self.model.overlay.is_some() || areas::palette::slot(self.model).is_some();
        let focused = which == Some(self.model.focus) && !covered;
        let pane = Pane {
            left,
            right,
            boxed: slot.boxed,
            style: if focused {
                self.theme.accent
            } else {
                self.theme.dim
            },
            lines: self.theme.glyphs.lines,
            corners: self.theme.glyphs.corners,
        };
        pane.render(rect(slot.outer), buf);
    }

    /// The style of a pane's name.
    fn title(&self, which: super::model::Pane) -> Style {
        if which == self.model.focus {
            self.theme
                .accent
                .add_modifier(ratatui::style::Modifier::BOLD)
        } else {
            self.theme.strong
        }
    }

    /// Lays the soft background over cells of the row under the cursor.
    fn highlight(&self, area: Rect, buf: &mut Buffer) {
        let t = &self.data;
        for x in area.left()..area.right() {
            let cell = &mut buf[(x, area.y)];
            // Colours would be patches on a reversed row.
            if t.reversed {
                cell.fg = ratatui::style::Color::Reset;
            }
            cell.set_style(t.select);
        }
    }

    /// Lays the cursor over a row: soft background where the keys act, the mark alone elsewhere.
    fn select(&self, row: Area, focused: bool, buf: &mut Buffer) {
        let area = rect(row).intersection(buf.area);
        if area.is_empty() {
            return;
        }
        let t = &self.data;
        if focused {
            self.highlight(area, buf);
        } else {
            buf.set_style(area, t.strong);
        }
        buf[(area.x, area.y)]
            .set_symbol(t.glyphs.cursor)
            .set_style(self.theme.accent);
    }
}

fn rect(area: Area) -> Rect {
    Rect::new(area.x, area.y, area.w, area.h)
}
