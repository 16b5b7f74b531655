//! A question: its rows and its place, so that what is drawn and what is clicked agree.

use super::{Button, Dialog, DialogLine};
use crate::queue::text;
use crate::tui::area::{Area, Slot};
use crate::tui::keys::Action;
use crate::tui::layout;
use crate::tui::model::Model;
use crate::tui::widget::wrap::wrapped;

/// Columns of a figure's name.
pub const LABEL: usize = 12;

/// How a question lies on the screen.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Plan {
    /// Its place.
    pub slot: Slot,
    /// What stands in it, from the top.
    pub rows: Vec<Row>,
}

/// A row of a question.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Row {
    /// Words.
    Words(String),
    /// Words that warn.
    Warning(String),
    /// A figure, behind its name (empty where it goes on).
    Fact(&'static str, String),
    /// Nothing.
    Blank,
    /// Which keys answer; for a moment, why another one does not.
    Answer(String),
    /// The name that has to be typed.
    Name,
    /// The buttons: each with its place.
    Buttons([(Button, Area); 2]),
}

impl Plan {
    /// The button under the cell at column `x`, row `y`.
    #[must_use]
    pub fn button_at(&self, x: u16, y: u16) -> Option<Button> {
        let buttons = self.rows.iter().find_map(|row| match row {
            Row::Buttons(buttons) => Some(buttons),
            _ => None,
        });
        let mut buttons = buttons.into_iter().flatten();
        buttons
            .find(|(_, area)| area.holds(x, y))
            .map(|(button, _)| *button)
    }
}

/// A box in the middle of a screen of so many columns and rows, of at most so many.
#[must_use]
pub fn centred((w, h): (u16, u16), (columns, rows): (u16, u16)) -> Slot {
    let (columns, rows) = (columns.min(w), rows.min(h));
    let outer = Area::new((w - columns) / 2, (h - rows) / 2, columns, rows);
    Slot::new(outer, true)
}

/// The words on a button, with the key that presses it; a mark on the one that Enter presses.
#[must_use]
pub fn label(model: &Model, dialog: &Dialog, button: Button) -> String {
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

/// Lays a question out on the terminal.
#[must_use]
pub fn plan(model: &Model, dialog: &Dialog) -> Plan {
    let (w, h) = model.size;
    let boxed = w >= 24 && h >= 7;
    let bw = match w {
        ..72 => w,
        72..100 => 68,
        _ => 76,
    };
    let margin = if boxed { 2 } else { 0 };
    let columns = usize::from(bw.saturating_sub(2 * margin));
    let mut rows = rows(model, dialog, columns);
    let frame = if boxed { 2 } else { 0 };
    // A row stays free above and below, so that it is seen to lie over something.
    let most = if h > 12 { h - 2 } else { h };
    let most = usize::from(most.saturating_sub(frame)).max(1);
    shorten(&mut rows, most);
    let bh = u16::try_from(rows.len()).unwrap_or(h).saturating_add(frame);
    let outer = Area::new((w - bw) / 2, h.saturating_sub(bh) / 2, bw, bh.min(h));
    let slot = if boxed {
        Slot::new(outer, true)
    } else {
        layout::bare(outer)
    };
    place_buttons(&mut rows, slot, margin, |button| {
        label(model, dialog, button)
    });
    Plan { slot, rows }
}

fn rows(model: &Model, dialog: &Dialog, columns: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    for line in &dialog.lines {
        match line {
            DialogLine::Blank => rows.push(Row::Blank),
            DialogLine::Words(words) => {
                rows.extend(wrapped(words, columns).into_iter().map(Row::Words));
            }
            DialogLine::Warning(words) => {
                rows.extend(wrapped(words, columns).into_iter().map(Row::Warning));
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
        let ask = format!(
            "Type the queue's name to {} ({}): {}",
            dialog.yes, name.why, name.wanted
        );
        rows.extend(wrapped(&ask, columns).into_iter().map(Row::Words));
        rows.push(Row::Name);
        rows.push(Row::Blank);
    } else {
        rows.push(Row::Blank);
        rows.push(Row::Answer(answer(model, dialog, columns)));
    }
    rows.push(Row::Buttons([
        (Button::No, Area::default()),
        (Button::Yes, Area::default()),
    ]));
    rows
}

/// Which keys answer, in so many columns; for a moment, why another one does not.
fn answer(model: &Model, dialog: &Dialog, columns: usize) -> String {
    if let Some(words) = dialog.told_at(model.instant) {
        return words.to_owned();
    }
    let words = answers(model, dialog);
    let (first, rest) = words.split_at(1);
    let words = format!("{}{rest}", first.to_uppercase());
    let key = |action| model.keymap.label(action, model.look.ascii);
    let buttons = key(Action::NextPane).zip(key(Action::Open));
    let buttons = buttons.map(|(moves, presses)| format!("; {moves} chooses, {presses} presses"));
    match buttons {
        Some(more) if text::width(&words) + text::width(&more) < columns => {
            format!("{words}{more}.")
        }
        _ => format!("{words}."),
    }
}

/// The keys that answer: `press y to delete, Esc to cancel`.
#[must_use]
pub fn answers(model: &Model, dialog: &Dialog) -> String {
    let key = |action| {
        model
            .keymap
            .label(action, model.look.ascii)
            .unwrap_or_default()
    };
    let (yes, no) = (dialog.yes, dialog.no);
    let no = format!("{} to {no}", key(Action::Back));
    match dialog.name {
        Some(_) => format!("the name, then Enter to {yes}; {no}"),
        None => format!("press {} to {yes}, {no}", key(Action::Confirm)),
    }
}

/// What has no room goes: first the blanks, then what stands last above the answer.
fn shorten(rows: &mut Vec<Row>, most: usize) {
    if rows.len() > most {
        rows.retain(|row| *row != Row::Blank);
    }
    while rows.len() > most {
        let spare = |row: &Row| !matches!(row, Row::Name | Row::Answer(_) | Row::Buttons(_));
        match rows.iter().rposition(spare) {
            Some(i) => rows.remove(i),
            None => rows.remove(0),
        };
    }
}

fn place_buttons(rows: &mut [Row], slot: Slot, margin: u16, label: impl Fn(Button) -> String) {
    let inner = slot.inner;
    let Some(i) = rows.iter().position(|row| matches!(row, Row::Buttons(_))) else {
        return;
    };
    let y = u16::try_from(i).unwrap_or(0);
    let mut line = inner.row(y);
    let inset = margin.saturating_sub(1);
    line.x += inset;
    line.w = line.w.saturating_sub(2 * inset);
    let mut place = |button| {
        let columns = u16::try_from(text::width(&label(button))).unwrap_or(0);
        let area = Area::new(line.x, line.y, columns.min(line.w), line.h);
        let used = (area.w + 2).min(line.w);
        line.x += used;
        line.w -= used;
        (button, area)
    };
    rows[i] = Row::Buttons([place(Button::No), place(Button::Yes)]);
}
