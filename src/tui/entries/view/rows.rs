//! The rows of entries: columns, heads and cells, the same in every tab that lists them.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::payload::Codec;
use crate::queue::{Due, List, ListScore, Severity, text};
use crate::tui::area::Area;
use crate::tui::draw::Ctx;
use crate::tui::entries::EntryRow;
use crate::tui::filter::view::MatchMarks;
use crate::tui::moments;
use crate::tui::queues::HAND_OVER_MS;
use crate::tui::theme::Theme;
use crate::tui::widget::columns::{self, PlacedColumn, TableColumn};
use crate::tui::widget::hex;
use crate::tui::widget::line::{self, Line};

/// The columns.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum EntryColumn {
    Index,
    DueIn,
    DueAt,
    Id,
    Size,
    Codec,
    Payload,
}

/// The words on a row of the order list that timeouts does not hold.
const DRIFT: &str = "not in timeouts";

/// The longest word for what became of an entry that does not reach into the due time.
const GONE: usize = 10;

/// Columns from which on a due time is told to the millisecond.
const TIMED: u16 = 98;

/// Columns that a payload has before id, codec and size have any.
const PAYLOAD: u16 = 64;

/// By so many columns the due time gives way to a longer one.
const GIVES_WAY: u16 = 1;

/// A row to be drawn.
pub(crate) struct ShownRow<'a> {
    /// The entry.
    pub(crate) row: &'a EntryRow,
    /// Its place in the list, from 0.
    pub(crate) index: u64,
    /// The answer of timeouts about its score; none where it is read from timeouts itself.
    pub(crate) score: Option<&'a ListScore>,
    /// It is no longer there: what became of it, in a word.
    pub(crate) gone: Option<&'static str>,
    /// The severity of the finding that is about it.
    pub(crate) suspect: Option<Severity>,
}

/// Places the columns of timeouts, or of `list`, for `rows` in sight of `count` with their index
/// when `numbered`.
pub(crate) fn columns(
    ctx: &Ctx,
    list: Option<List>,
    numbered: Option<u64>,
    room: u16,
    mut rows: impl Iterator<Item = Due>,
) -> Vec<PlacedColumn<EntryColumn>> {
    let zone = ctx.model.look.zone;
    // The day is said only where it is another one.
    let another = |due: Due| {
        due.at()
            .is_some_and(|at| !moments::same_day(zone, at, ctx.now))
    };
    let due_at = if room >= TIMED && ctx.wide() || rows.any(another) {
        moments::LONG
    } else {
        moments::SHORT
    };
    let digits = text::width(&text::thousands(numbered.unwrap_or(0)));
    let index = u16::try_from(digits).unwrap_or(10).max(3) + 3;
    let c = |what, width, rank| TableColumn {
        what,
        width,
        rank,
        grows: what == EntryColumn::Payload,
    };
    let mut all = vec![
        c(EntryColumn::Index, index, 70),
        c(EntryColumn::DueIn, 10, 100),
        c(EntryColumn::DueAt, due_at + 2, 80),
        c(EntryColumn::Id, 18, 20),
        c(EntryColumn::Size, 8, 50),
        c(EntryColumn::Codec, 15, 30),
        c(EntryColumn::Payload, 16, 90),
    ];
    // Elements of target have no due time any more, and no frame with an id.
    let due = list != Some(List::Target);
    all.retain(|column| match column.what {
        EntryColumn::Index => numbered.is_some(),
        EntryColumn::DueIn | EntryColumn::DueAt => due,
        EntryColumn::Id => due && ctx.wide(),
        EntryColumn::Codec | EntryColumn::Size => ctx.wide(),
        EntryColumn::Payload => true,
    });
    // What an entry says comes first; the rest is told of the one under the cursor.
    for what in [EntryColumn::Id, EntryColumn::Codec, EntryColumn::Size] {
        let others: u16 = all.iter().filter(|c| !c.grows).map(|c| c.width).sum();
        if room.saturating_sub(others) < PAYLOAD {
            all.retain(|column| column.what != what);
        }
    }
    columns::fit(&all, room)
}

/// Draws the line of heads.
pub(crate) fn heads(ctx: &Ctx, placed: &[PlacedColumn<EntryColumn>], area: Area, buf: &mut Buffer) {
    let falls = format!("due in {}", ctx.theme.glyphs.falls);
    for (col, x, w) in placed {
        let (x, y) = (area.x + x, area.y);
        let (label, at_right) = match col {
            EntryColumn::Index => ("#", true),
            EntryColumn::Size => ("size", true),
            // The usual order needs no word.
            EntryColumn::DueIn if ctx.model.last_first() => (falls.as_str(), true),
            EntryColumn::DueIn => ("due in", true),
            EntryColumn::DueAt => ("due at", false),
            EntryColumn::Id => ("id", false),
            EntryColumn::Codec => ("codec", false),
            EntryColumn::Payload => ("payload", false),
        };
        if at_right {
            line::right(buf, x, y, *w, label, ctx.theme.dim);
        } else {
            Line::new(buf, x + 2, y, w.saturating_sub(2)).put(buf, label, ctx.theme.dim);
        }
    }
}

/// Draws a row.
pub(crate) fn draw(
    ctx: &Ctx,
    shown: &ShownRow,
    found: &MatchMarks,
    placed: &[PlacedColumn<EntryColumn>],
    area: Area,
    buf: &mut Buffer,
) {
    let faded = shown.gone.map(|_| ctx.data.faded());
    let d = faded.as_ref().unwrap_or(&ctx.data);
    let row = shown.row;
    for (col, x, w) in placed {
        let (x, y) = (area.x + x, area.y);
        let mut cell = Line::new(buf, x + 2, y, w.saturating_sub(2));
        match col {
            EntryColumn::Index => {
                line::right(buf, x, y, *w, &text::thousands(shown.index + 1), d.dim);
            }
            EntryColumn::DueIn => countdown(ctx, d, shown, Area::new(x, y, *w, 1), buf),
            EntryColumn::DueAt => {
                let over = shown.gone.map_or(0, reaches_over);
                if over <= GIVES_WAY {
                    let mut cell = Line::new(buf, x + 2 + over, y, w.saturating_sub(2));
                    due_at(ctx, d, shown, &mut cell, buf);
                }
            }
            EntryColumn::Id => found.put_id(buf, &mut cell, &row.id.to_string(), d.dim),
            EntryColumn::Size => {
                let size = text::bytes(u64::try_from(row.size).unwrap_or(0));
                line::right(buf, x, y, *w, &size, d.dim);
            }
            EntryColumn::Codec => {
                let name = row.content.as_ref().map_or("none", |c| c.codec.name());
                cell.put(buf, name, d.dim);
            }
            EntryColumn::Payload => words(d, found, shown, cell, buf),
        }
    }
}

/// A row that is not read yet.
pub(crate) fn unread(ctx: &Ctx, area: Area, buf: &mut Buffer) {
    let mut line = Line::new(buf, area.x, area.y, area.w);
    line.skip(3).put(buf, ctx.data.glyphs.cut, ctx.data.dim);
}

/// When it falls due; drift says so across the next column, too.
fn countdown(ctx: &Ctx, d: &Theme, shown: &ShownRow, area: Area, buf: &mut Buffer) {
    let (x, y, w) = (area.x, area.y, area.w);
    if let Some(word) = shown.gone {
        let columns = u16::try_from(text::width(word)).unwrap_or(w);
        if columns <= w {
            line::right(buf, x, y, w, word, d.dim);
        } else {
            // Into the next column, which gives way.
            Line::new(buf, x + 1, y, columns).put(buf, word, d.dim);
        }
        return;
    }
    match shown.score {
        None | Some(ListScore::Is(_)) => {
            let (words, style) = due_in(ctx, shown.row.due);
            line::right(buf, x, y, ctx.span_cell(w, &words), &words, style);
        }
        Some(ListScore::Drift) => {
            let words = format!("{} {DRIFT}", d.glyphs.differs);
            let columns = u16::try_from(text::width(&words)).unwrap_or(w);
            Line::new(buf, x + 3, y, columns).put(buf, &words, d.late);
        }
        Some(ListScore::Untold(_)) => line::right(buf, x, y, w, "?", d.dim),
        Some(ListScore::None) => line::right(buf, x, y, w, d.glyphs.none, d.dim),
    }
}

/// The number of columns by which a word for what became of an entry reaches into the due time.
fn reaches_over(word: &str) -> u16 {
    u16::try_from(text::width(word).saturating_sub(GONE)).unwrap_or(u16::MAX)
}

fn due_at(ctx: &Ctx, d: &Theme, shown: &ShownRow, cell: &mut Line, buf: &mut Buffer) {
    if !matches!(shown.score, None | Some(ListScore::Is(_))) {
        return;
    }
    let zone = ctx.model.look.zone;
    let words = match shown.row.due {
        Due::At(at) if cell.room() < usize::from(moments::LONG) => {
            moments::short(zone, at, ctx.now)
        }
        Due::At(at) => moments::long(zone, at, ctx.now),
        Due::OutOfRange(score) if score.is_nan() => d.glyphs.none.to_owned(),
        Due::OutOfRange(score) => format!("{score:.2e}"),
    };
    cell.put(buf, &words, d.text);
}

/// The countdown; red with a minus when it is late.
pub(crate) fn due_in(ctx: &Ctx, due: Due) -> (String, Style) {
    match due {
        Due::At(at) if at <= ctx.now => {
            let style = if ctx.now.since(at) < HAND_OVER_MS {
                ctx.data.warn
            } else {
                ctx.data.late
            };
            (ctx.countdown(at), style)
        }
        Due::At(at) => (ctx.countdown(at), ctx.data.text),
        Due::OutOfRange(score) if score.is_nan() => (ctx.data.glyphs.none.to_owned(), ctx.data.dim),
        Due::OutOfRange(_) => ("score !".to_owned(), ctx.data.warn),
    }
}

/// Draws what is inside, in one line.
fn words(d: &Theme, found: &MatchMarks, shown: &ShownRow, mut cell: Line, buf: &mut Buffer) {
    let row = shown.row;
    let suspect = shown.suspect.map(|severity| match severity {
        Severity::Critical => (d.glyphs.lost, d.late),
        Severity::Warning => (d.glyphs.warn, d.warn),
        Severity::Note => (d.glyphs.dot, d.warn),
    });
    if let Some((sign, style)) = suspect {
        cell.put(buf, sign, style).skip(1);
    }
    let Ok(decoded) = &row.content else {
        match suspect {
            Some((_, style)) => cell.put(buf, "no frame: ", style),
            None => cell.put(buf, &format!("{} no frame: ", d.glyphs.lost), d.warn),
        };
        let shown = row.member.len().min(cell.room() / 3 + 1);
        let digits = hex::digits(&row.member[..shown]);
        cell.put_cut(buf, digits.trim_end(), d.glyphs.cut, d.dim);
        return;
    };
    if decoded.text.is_empty() {
        cell.put(buf, "empty", d.dim);
        return;
    }
    if decoded.text.trim_start_matches(' ').is_empty() {
        cell.put(buf, "blank", d.dim);
        return;
    }
    // What nothing explains is shown as hex, and steps back.
    let known = decoded.codec != Codec::Unknown;
    let style = match suspect {
        Some((_, style)) => style,
        None if known => d.text,
        None => d.dim,
    };
    if !found.put(buf, &mut cell, &decoded.text, style) {
        cell.put_cut(buf, head(&decoded.text, cell.room()), d.glyphs.cut, style);
    }
}

/// As much of the beginning of `text` as `columns` can show, and a little more: the rest of a
/// payload of megabytes need not be measured.
pub(crate) fn head(text: &str, columns: usize) -> &str {
    text.char_indices()
        .nth(columns * 4 + 8)
        .map_or(text, |(at, _)| &text[..at])
}
