//! A question, over everything else. What it is about was copied when it was asked.

use ratatui::buffer::Buffer;
use ratatui::style::Style;
use ratatui::widgets::{Clear, Widget};

use super::preview::Preview;
use super::{Button, Dialog, DialogLine, TypedName, UndoWords};
use crate::queue::text;
use crate::tui::area::{Area, Slot};
use crate::tui::draw::{Ctx, rect};
use crate::tui::field;
use crate::tui::hitmap::Target;
use crate::tui::keys::{Action, Code, Key};
use crate::tui::layout::bare;
use crate::tui::model::Model;
use crate::tui::widget::bars::{Bars, Rise};
use crate::tui::widget::line::Line;
use crate::tui::widget::pane::{PaneFrame, TitlePart};
use crate::tui::widget::wrap::wrapped;

/// Columns of a figure's name.
const LABEL: usize = 12;

/// A row of a question.
#[derive(PartialEq)]
enum Row {
    /// Words.
    Words(String),
    /// Words that warn.
    Warning(String),
    /// A figure, behind its name (empty where it goes on).
    Fact(&'static str, String),
    /// The words on what is typed and what for, or on how it is taken back.
    Kept(String),
    /// The same, where it warns.
    KeptWarning(String),
    /// The timeline, now or then.
    Strip(PlanPhase, Box<Preview>),
    /// Nothing.
    Blank,
    /// The reason why a key is no answer, for a moment: the buttons name those that are.
    Answer(String),
    /// The name that has to be typed.
    Name,
    /// The buttons.
    Buttons,
}

/// Before the change, or after it.
#[derive(Clone, Copy, PartialEq)]
enum PlanPhase {
    Now,
    Then,
}

/// A box in the middle of a screen of so many columns and rows, of at most so many.
pub(crate) fn centred((w, h): (u16, u16), (columns, rows): (u16, u16)) -> Slot {
    let (columns, rows) = (columns.min(w), rows.min(h));
    let outer = Area::new((w - columns) / 2, (h - rows) / 2, columns, rows);
    Slot::new(outer, true)
}

/// Its place on the terminal, and what stands in it, from the top.
fn plan(model: &Model, dialog: &Dialog) -> (Slot, Vec<Row>) {
    let (w, h) = model.size;
    let boxed = w >= 24 && h >= 7;
    let bw = match w {
        ..72 => w,
        72..100 => 68,
        _ => 76,
    };
    let (margin, frame) = if boxed { (2, 2) } else { (0, 0) };
    let columns = usize::from(bw.saturating_sub(2 * margin));
    let mut rows = rows(model, dialog, columns);
    // A row stays free above and below, so that it is seen to lie over something.
    let most = if h > 12 { h - 2 } else { h };
    let most = usize::from(most.saturating_sub(frame)).max(1);
    shorten(&mut rows, most);
    let bh = u16::try_from(rows.len()).unwrap_or(h).saturating_add(frame);
    let outer = Area::new((w - bw) / 2, h.saturating_sub(bh) / 2, bw, bh.min(h));
    let slot = if boxed {
        Slot::new(outer, true)
    } else {
        bare(outer)
    };
    (slot, rows)
}

fn rows(model: &Model, dialog: &Dialog, columns: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    for line in &dialog.lines {
        match line {
            DialogLine::Blank => rows.push(Row::Blank),
            DialogLine::Preview(preview) => {
                rows.extend(
                    [PlanPhase::Now, PlanPhase::Then].map(|when| Row::Strip(when, preview.clone())),
                );
            }
            DialogLine::Words(words) => {
                rows.extend(wrapped(words, columns).into_iter().map(Row::Words));
            }
            DialogLine::Warning(words) | DialogLine::Stale(words) => {
                rows.extend(wrapped(words, columns).into_iter().map(Row::Warning));
            }
            DialogLine::Undo(UndoWords::How(words)) => {
                rows.extend(wrapped(words, columns).into_iter().map(Row::Kept));
            }
            DialogLine::Undo(UndoWords::Never(words)) => {
                rows.extend(wrapped(words, columns).into_iter().map(Row::KeptWarning));
            }
            DialogLine::Fact(label, value) => {
                let values = wrapped(value, columns.saturating_sub(LABEL));
                for (i, value) in values.into_iter().enumerate() {
                    rows.push(Row::Fact(if i == 0 { label } else { "" }, value));
                }
            }
        }
    }
    if let Some(name) = &dialog.name {
        rows.push(Row::Blank);
        let ask = format!("Type the queue's name ({}): {}", name.why, name.wanted);
        rows.extend(wrapped(&ask, columns).into_iter().map(Row::Kept));
        rows.push(Row::Name);
        rows.push(Row::Blank);
    } else {
        let told = dialog.told_at(model.instant).unwrap_or_default();
        rows.push(Row::Answer(told.to_owned()));
    }
    rows.push(Row::Buttons);
    rows
}

/// Figures that go before all others where there is no room, in this order: who is asked can do
/// without them.
const SPARE: [&str; 5] = ["method", "writes", "counted", "server", "or wait"];

/// Removes the rows that have no room: first the blanks, then the pictures, then figures that one
/// can do without, then the ends of warnings, then what stands last above the answer. What is
/// asked, how it is taken back and what has to be typed for it stay to the last.
fn shorten(rows: &mut Vec<Row>, most: usize) {
    if rows.len() > most {
        rows.retain(|row| *row != Row::Blank && *row != Row::Answer(String::new()));
    }
    if rows.len() > most {
        rows.retain(|row| !matches!(row, Row::Strip(..)));
    }
    for spare in SPARE {
        if rows.len() > most {
            without(rows, spare);
        }
    }
    let missing = rows.len().saturating_sub(most);
    for _ in 0..missing {
        let Some(last) = rows.iter().rposition(|row| matches!(row, Row::Warning(_))) else {
            break;
        };
        // One row of a warning has to say that there is more of it.
        let is_only = last == 0 || !matches!(rows[last - 1], Row::Warning(_));
        if is_only {
            break;
        }
        rows.remove(last);
        if let Row::Warning(words) = &mut rows[last - 1] {
            words.push_str(CUT);
        }
    }
    while rows.len() > most {
        let kept = |row: &Row| {
            matches!(
                row,
                Row::Kept(_) | Row::KeptWarning(_) | Row::Name | Row::Answer(_) | Row::Buttons
            )
        };
        let spare = rows.iter().rposition(|row| !kept(row));
        rows.remove(spare.unwrap_or(0));
    }
}

/// The end of a warning that has no room for more.
const CUT: &str = " …";

/// Takes a figure out, with the rows that go on with it.
fn without(rows: &mut Vec<Row>, label: &str) {
    let is_it = |row: &Row| matches!(row, Row::Fact(own, _) if *own == label);
    let Some(at) = rows.iter().position(is_it) else {
        return;
    };
    let goes_on = |row: &&Row| matches!(row, Row::Fact("", _));
    let more = rows[at + 1..].iter().take_while(goes_on).count();
    rows.drain(at..=at + more);
}

pub(crate) fn render(ctx: &Ctx, dialog: &Dialog, buf: &mut Buffer) {
    let t = &ctx.theme;
    let (slot, rows) = plan(ctx.model, dialog);
    Clear.render(rect(slot.outer).intersection(buf.area), buf);
    ctx.record(slot.outer, Target::Box);
    if slot.boxed {
        let pane = PaneFrame {
            left: vec![TitlePart::new(100, dialog.title.clone(), t.strong)],
            right: Vec::new(),
            boxed: true,
            style: t.accent,
            lines: t.glyphs.lines,
            corners: t.glyphs.corners,
        };
        pane.render(rect(slot.outer), buf);
    }
    let inset = u16::from(slot.boxed);
    for (i, row) in rows.iter().enumerate() {
        let area = slot.inner.row(u16::try_from(i).unwrap_or(u16::MAX));
        let mut line = Line::new(buf, area.x, area.y, area.w * area.h);
        line.skip(inset);
        match row {
            Row::Blank => {}
            Row::Words(words) | Row::Kept(words) => {
                line.put(buf, words, t.text);
            }
            Row::Warning(words) | Row::KeptWarning(words) => {
                line.put(buf, words, t.warn);
            }
            Row::Fact(label, value) => {
                let x = line.x;
                line.put(buf, label, t.dim);
                line.x = x;
                line.skip(u16::try_from(LABEL).unwrap_or(0))
                    .put(buf, value, t.strong);
            }
            Row::Strip(when, preview) => {
                line.end = line.end.saturating_sub(inset);
                strip(ctx, *when, preview, line, buf);
            }
            Row::Answer(words) => {
                line.put_cut(buf, words, t.glyphs.cut, t.warn);
            }
            Row::Name => name(ctx, dialog, line, buf),
            Row::Buttons => buttons(ctx, dialog, area, inset, buf),
        }
    }
}

/// A row of the timeline: how much is late, the now line, the bars. What a change alters stands out
/// against what stays.
fn strip(ctx: &Ctx, when: PlanPhase, preview: &Preview, mut line: Line, buf: &mut Buffer) {
    /// Columns of how much is late.
    const LATE: u16 = 11;
    let t = &ctx.theme;
    let (own, label, is_late) = match when {
        PlanPhase::Now => (&preview.now, "now", preview.now.late_words()),
        PlanPhase::Then => (&preview.then, "then", preview.then_late()),
    };
    let mut cell = line;
    cell.put(buf, label, t.dim);
    line.skip(u16::try_from(LABEL).unwrap_or(0));
    let mut late = line;
    late.end = late.end.min(late.x + LATE);
    let style = match own.late {
        0 => t.dim,
        _ if own.late == preview.now.late && !(preview.frees && when == PlanPhase::Then) => t.late,
        _ => t.warn,
    };
    late.put(buf, &is_late, style);
    line.skip(LATE).put(buf, t.glyphs.now, t.text);
    let zoom = preview.zoom.label();
    let after = match preview.then.later.saturating_sub(preview.now.later) {
        0 => zoom.to_owned(),
        more => format!("{zoom}, {} later", text::number(more, 7)),
    };
    let words = match when {
        PlanPhase::Now => zoom,
        PlanPhase::Then => &after,
    };
    let end = line.end;
    line.put_right(buf, &format!(" {words}"), t.dim);
    // Each bar stands below what it is now, however much is said behind the second row.
    let columns = u16::try_from(text::width(&after)).unwrap_or(0);
    line.end = end.saturating_sub(1 + columns).max(line.x);
    let both = preview.now.bars.iter().zip(&preview.then.bars);
    let each = preview.now.bars.len().div_ceil(line.room().max(1)).max(1);
    let both: Vec<(u64, u64)> = both.map(|(now, then)| (*now, *then)).collect();
    let cells = both.chunks(each).map(|bars| {
        let sum = |(a, b): (u64, u64), (c, d): &(u64, u64)| (a + c, b + d);
        bars.iter().fold((0, 0), sum)
    });
    let cells: Vec<(u64, u64)> = cells.collect();
    let top = cells.iter().map(|(now, then)| *now.max(then)).max();
    let bars = cells.iter().map(|(now, then)| match when {
        _ if now == then => (*now, t.far),
        PlanPhase::Now => (*now, t.mid),
        PlanPhase::Then => (*then, t.near),
    });
    let bars: Vec<(u64, Style)> = bars.collect();
    let bars = Bars {
        bars: &bars,
        rise: Rise {
            top: top.unwrap_or(0),
            log: false,
        },
        width: 1,
        eighths: &t.glyphs.eighths,
    };
    let area = Area::new(line.x, line.y, line.end.saturating_sub(line.x), 1);
    bars.render(rect(area), buf);
}

/// The name as far as it is typed.
fn name(ctx: &Ctx, dialog: &Dialog, mut line: Line, buf: &mut Buffer) {
    let t = &ctx.theme;
    let Some(name) = &dialog.name else {
        return;
    };
    line.put(buf, t.glyphs.more, t.accent).skip(1);
    let style = if name.is_right() { t.ok } else { t.text };
    field::view::one_line(ctx, &name.field, true, style, &mut line, buf);
    // Whoever has pressed the key of another question's answer reads here what is awaited.
    let back = Key::of(Code::Backspace).label(ctx.model.look.ascii);
    let wrong = match name.is_wrong() {
        true if name.field.text().is_empty() => Some(format!("type {} first", name.wanted)),
        true => Some(format!("not {}: {back} takes letters back", name.wanted)),
        false => None,
    };
    let told = dialog.told_at(ctx.model.instant).map(str::to_owned);
    if let Some(words) = told.or(wrong) {
        line.skip(2).put_cut(buf, &words, t.glyphs.cut, t.warn);
    }
}

/// The buttons beside each other, between so many columns at either end.
fn buttons(ctx: &Ctx, dialog: &Dialog, mut row: Area, inset: u16, buf: &mut Buffer) {
    row.take_left(inset);
    row.take_right(inset);
    for button in [Button::No, Button::Yes] {
        let label = label(ctx.model, dialog, button);
        let columns = u16::try_from(text::width(&label)).unwrap_or(0);
        let area = row.take_left(columns);
        row.take_left(2);
        ctx.record(area, Target::Button(button));
        press(ctx, dialog, (button, &label), area, buf);
    }
}

/// A button: the one that Enter presses stands out.
fn press(
    ctx: &Ctx,
    dialog: &Dialog,
    (button, label): (Button, &str),
    area: Area,
    buf: &mut Buffer,
) {
    let t = &ctx.theme;
    let ready = dialog.name.as_ref().is_none_or(TypedName::is_right);
    let style = match button {
        _ if dialog.presses(button) => t.select,
        Button::Yes if !ready => t.dim,
        Button::No | Button::Yes => t.accent,
    };
    let columns = text::width(label);
    let mut line = Line::new(buf, area.x, area.y, area.w * area.h);
    if columns <= line.room() {
        line.put(buf, label, style);
    } else {
        line.put_cut(buf, label, t.glyphs.cut, style);
    }
}

/// The words on a button, with the key that presses it; a mark on the one that Enter presses.
fn label(model: &Model, dialog: &Dialog, button: Button) -> String {
    let key = |action| {
        let label = model.keymap.label(action, model.look.ascii);
        label.unwrap_or_default()
    };
    let (key, does) = match button {
        Button::No => (key(Action::Back), dialog.no),
        Button::Yes if dialog.name.is_some() => (key(Action::Open), dialog.yes),
        Button::Yes => (key(Action::Confirm), dialog.yes),
    };
    let mark = match (dialog.presses(button), model.look.ascii) {
        (false, _) => ' ',
        (true, true) => '>',
        (true, false) => '›',
    };
    format!("[{mark}{key} {does} ]")
}
