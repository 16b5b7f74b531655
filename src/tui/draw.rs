//! The context of all views: the model, where everything lies, the colours.

use std::cell::RefCell;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};

use crate::clock::EpochMillis;
use crate::queue::{Known, LinkState, text};
use crate::tui::area::{Area, Slot};
use crate::tui::cursor::ScrollArea;
use crate::tui::cursor::scrollbar::Rail;
use crate::tui::hitmap::{HitMap, Room, Target};
use crate::tui::keys::Action;
use crate::tui::layout::Areas;
use crate::tui::model::{self, Model};
use crate::tui::moments;
use crate::tui::queues::QueueRow;
use crate::tui::theme::Theme;
use crate::tui::widget::line::Line;
use crate::tui::widget::pane::{PaneFrame, TitlePart};
use crate::tui::widget::wrap;

/// Words in a pane without rows, in as many lines as they need; returns how many.
pub(crate) fn words(ctx: &Ctx, words: &str, area: Area, buf: &mut Buffer) -> u16 {
    let clean = text::printable(words);
    let room = usize::from(area.w.saturating_sub(4));
    let lines = wrap::wrapped(&clean, room);
    for (y, words) in (area.y..area.y + area.h).zip(&lines) {
        let mut line = Line::new(buf, area.x, y, area.w);
        line.skip(3);
        line.put_cut(buf, words, ctx.theme.glyphs.cut, ctx.data.text);
    }
    u16::try_from(lines.len()).unwrap_or(area.h).min(area.h)
}

/// The context that every part of the picture is drawn in.
pub(crate) struct Ctx<'a> {
    pub(crate) model: &'a Model,
    pub(crate) areas: Areas,
    /// The box of the commands, where there is one.
    pub(crate) commands: Option<Slot>,
    /// For the frame around the data: always fresh.
    pub(crate) theme: Theme,
    /// For the data: steps back while the server is away.
    pub(crate) data: Theme,
    /// The moment that countdowns count from.
    pub(crate) now: EpochMillis,
    /// The server is away: countdowns go on by our own clock.
    pub(crate) lost: bool,
    /// The places drawn so far that answer to the mouse.
    pub(crate) drawn: RefCell<HitMap>,
}

impl<'a> Ctx<'a> {
    pub(crate) fn new(model: &'a Model, areas: Areas, commands: Option<Slot>) -> Self {
        let theme = Theme::of(&model.look);
        let lost = matches!(model.link.state, LinkState::Lost { .. });
        Self {
            model,
            areas,
            commands,
            data: if lost { theme.faded() } else { theme.clone() },
            theme,
            now: model::now(model),
            lost,
            drawn: RefCell::default(),
        }
    }

    /// Notes that a click at `area` is for `target`.
    pub(crate) fn record(&self, area: Area, target: Target) {
        self.drawn.borrow_mut().record(area, target);
    }

    /// Notes what the picture has room for.
    pub(crate) fn room(&self, note: impl FnOnce(&mut Room)) {
        note(&mut self.drawn.borrow_mut().room);
    }

    /// Notes that what follows lies over all that was drawn, and takes the mouse from it.
    pub(crate) fn cover(&self) {
        let (columns, rows) = self.model.size;
        let screen = Area::new(0, 0, columns, rows);
        self.drawn.borrow_mut().cover(screen);
    }

    /// Notes a scrollbar on the border right of `rows`, or over their last column: where not all
    /// of `len` rows are in sight from `top` on.
    pub(crate) fn rail(&self, what: ScrollArea, slot: Slot, rows: Area, (len, top): (u64, u64)) {
        let rail = Rail {
            y: rows.y,
            h: rows.h,
            len,
            top,
        };
        // A thumb that is all there is says nothing.
        if len > u64::from(rows.h) && rows.h >= 3 && rows.w > 8 {
            let x = slot.outer.right().saturating_sub(1);
            let area = Area::new(x, rows.y, 1, rows.h);
            self.record(area, Target::Rail(what, rail));
        }
    }

    /// Wide enough for words in full.
    pub(crate) fn wide(&self) -> bool {
        self.model.size.0 >= 100
    }

    /// Returns the name of an action's key in a sentence; none when it has no key.
    pub(crate) fn key(&self, action: Action) -> Option<String> {
        self.model.keymap.label(action, self.model.look.ascii)
    }

    /// The time left until `due`. From the last tenth of a second until it is late by a whole
    /// one: `now`. While the server is away a `~` follows, as with [`Self::ago`]: what stands at
    /// the right of a column reaches over its edge with it, so that no digit moves.
    pub(crate) fn countdown(&self, due: EpochMillis) -> String {
        self.countdown_at(self.now, due)
    }

    /// The same as it was at that moment.
    pub(crate) fn countdown_at(&self, now: EpochMillis, due: EpochMillis) -> String {
        let left = match due.since(now) {
            -999..100 => "now".to_owned(),
            ms => text::countdown(ms),
        };
        if self.lost { format!("{left}~") } else { left }
    }

    /// The time passed since `then`.
    pub(crate) fn ago(&self, then: EpochMillis) -> String {
        self.ago_at(self.now, then)
    }

    /// The same as it was at that moment.
    pub(crate) fn ago_at(&self, now: EpochMillis, then: EpochMillis) -> String {
        let ago = match now.since(then) {
            ..1_000 => text::age(0),
            ms => text::countdown(-ms).trim_start_matches('-').to_owned(),
        };
        if self.lost { format!("{ago}~") } else { ago }
    }

    /// Columns of a cell of `w` columns that holds a span: while the server is away its `~` takes
    /// the free one behind the cell.
    pub(crate) fn span_cell(&self, w: u16, text: &str) -> u16 {
        w + u16::from(self.lost && text.ends_with('~'))
    }

    /// A figure in at most `columns`: zero, unknown and "no such thing" are three things.
    pub(crate) fn figure(&self, known: &Known<u64>, columns: usize) -> (String, Style) {
        let g = self.data.glyphs;
        match known {
            Known::Is(0) => (g.zero.to_owned(), self.data.dim),
            Known::Is(n) => (text::number(*n, columns), self.data.text),
            Known::Unknown(_) => ("?".to_owned(), self.data.dim),
            Known::None => (g.none.to_owned(), self.data.dim),
        }
    }

    /// Returns the age of what is shown of `row`, for the right end of a title. Fresh data is as
    /// old as the interval: that text stands still, so that nothing flickers on a healthy screen.
    pub(crate) fn age(&self, row: Option<&QueueRow>, interval_ms: u64) -> Option<TitlePart> {
        let read_at = row?.read_at?;
        let age = self.model.instant.saturating_duration_since(read_at);
        let age_ms = u64::try_from(age.as_millis()).unwrap_or(u64::MAX);
        if let Some(then) = self.model.then {
            let at = moments::short(self.model.look.zone, then.at, then.now);
            return Some(TitlePart::new(90, at, self.theme.warn));
        }
        if self.model.frozen.is_some() {
            return Some(TitlePart::new(90, "frozen", self.theme.warn));
        }
        // Without an answer the age is told at once, whatever the interval is.
        let polls = match self.model.link.state {
            LinkState::Hung { .. } | LinkState::Lost { .. } => age_ms / 1000 + 2,
            _ => age_ms / interval_ms.max(1),
        };
        let stale = || format!("stale {}", moments::seconds(age_ms));
        Some(match polls {
            ..2 => TitlePart::new(10, moments::interval(interval_ms), self.theme.dim),
            2..5 => TitlePart::new(90, stale(), self.theme.warn),
            _ => TitlePart::new(90, stale(), self.theme.late),
        })
    }

    /// Returns the interval at which the selected queue is read, in ms.
    pub(crate) fn interval_ms(&self) -> u64 {
        self.model.stretched_ms.unwrap_or(self.model.interval_ms)
    }

    /// Draws the border of a pane.
    pub(crate) fn pane(
        &self,
        slot: Slot,
        which: Option<model::Pane>,
        left: Vec<TitlePart>,
        right: Vec<TitlePart>,
        buf: &mut Buffer,
    ) {
        self.titled(slot, which, left, right, |_| None, buf);
    }

    /// The same, where pieces of the title answer to the mouse.
    pub(crate) fn titled(
        &self,
        slot: Slot,
        which: Option<model::Pane>,
        left: Vec<TitlePart>,
        right: Vec<TitlePart>,
        target: impl Fn(&str) -> Option<Target>,
        buf: &mut Buffer,
    ) {
        let covered = self.model.overlay.is_some() || self.commands.is_some();
        let focused = which == Some(self.model.focus) && !covered;
        let pane = PaneFrame {
            left,
            right,
            boxed: slot.boxed,
            style: if focused {
                self.theme.accent
            } else {
                self.theme.faint
            },
            lines: self.theme.glyphs.lines,
            corners: self.theme.glyphs.corners,
        };
        pane.draw(rect(slot.outer), buf, |words, x, w| {
            if let Some(target) = target(words) {
                self.record(Area::new(x, slot.outer.y, w, 1), target);
            }
        });
    }

    /// Draws parts into the lower border of a pane that has one.
    pub(crate) fn below(&self, slot: Slot, left: Vec<TitlePart>, buf: &mut Buffer) {
        let pane = PaneFrame {
            left,
            boxed: slot.boxed,
            style: self.theme.faint,
            ..PaneFrame::default()
        };
        pane.below(rect(slot.outer), buf);
    }

    /// The style of a pane's name.
    pub(crate) fn title(&self, which: model::Pane) -> Style {
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
            // Colours would be patches on a reversed row, but for the sign of its state.
            let sign = t.is_state(cell.fg) && !is_bar(cell.symbol());
            if t.reversed && !sign {
                cell.fg = Color::Reset;
            }
            let own = cell.fg;
            cell.set_style(t.select);
            if own != Color::Reset {
                cell.fg = own;
            }
        }
    }

    /// Lays the cursor over a row: soft background where the keys act, the mark alone elsewhere.
    pub(crate) fn select(&self, row: Area, focused: bool, buf: &mut Buffer) {
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

/// A bar is of some height, and no sign.
fn is_bar(symbol: &str) -> bool {
    ("▀"..="▟").contains(&symbol)
}

pub(crate) fn rect(area: Area) -> Rect {
    Rect::new(area.x, area.y, area.w, area.h)
}
