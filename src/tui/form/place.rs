//! A form: where its parts lie.

use super::{InputForm, Part};
use crate::tui::area::{Area, Slot};
use crate::tui::layout::bare;

/// Columns of a value that is chosen or typed in one line, where a note stands behind it.
const VALUE: u16 = 18;

/// The message has a third of the rows of the screen, so that something is seen below the form,
/// and at least so many where they fit.
const LEAST_ROWS: u16 = 4;

/// The layout of the form on the screen. What has no room is empty.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct FormLayout {
    /// Its place.
    pub slot: Slot,
    /// Columns of a part's name, with the mark before it.
    pub label: u16,
    /// Each part, with the rows that it has.
    pub parts: Vec<(Part, Area)>,
    /// The place of what is said of the message.
    pub said: Area,
    /// The place of what would be done.
    pub sum: Area,
    /// The place of the reason why it failed.
    pub failed: Area,
}

/// The purpose of a row. The later ones stay longer.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Kind {
    Blank,
    Said,
    Sum,
    Part,
    Failed,
    Button,
    Focused,
}

/// Lays the form out on a terminal of `size` columns and rows.
#[must_use]
pub fn plan((w, h): (u16, u16), form: &dyn InputForm) -> FormLayout {
    let boxed = w >= 24 && h >= 9;
    let bw = match w {
        ..100 => w,
        100..140 => 92,
        _ => 112,
    };
    let most = if h > 12 { h - 2 } else { h };
    let frame = if boxed { 2 } else { 0 };
    let message = (h / 3).max(LEAST_ROWS);
    let rows = rows(form, most.saturating_sub(frame).max(1), message);
    let lines: u16 = rows.iter().map(|(_, _, rows)| rows).sum();
    let bh = (lines + frame).min(h);
    let outer = Area::new((w - bw) / 2, (h - bh) / 2, bw, bh);
    let slot = if boxed {
        Slot::new(outer, true)
    } else {
        bare(outer)
    };
    let mut plan = FormLayout {
        slot,
        label: form.label(),
        ..FormLayout::default()
    };
    let mut rest = slot.inner;
    for (kind, part, rows) in rows {
        let area = rest.take(rows);
        match (kind, part) {
            (_, Some(part)) => plan.parts.push((part, area)),
            (Kind::Said, None) => plan.said = area,
            (Kind::Sum, None) => plan.sum = area,
            (Kind::Failed, None) => plan.failed = area,
            (_, None) => {}
        }
    }
    plan
}

/// The rows of the form, from the top, in `most` rows: the message takes what the rest leaves, up
/// to `message` rows.
fn rows(form: &dyn InputForm, most: u16, message: u16) -> Vec<(Kind, Option<Part>, u16)> {
    let part = |part: Part| {
        let rows = if part == Part::Cure {
            form.cure_rows()
        } else {
            1
        };
        let kind = match part {
            _ if part == form.at() => Kind::Focused,
            Part::Button => Kind::Button,
            _ => Kind::Part,
        };
        (kind, Some(part), rows)
    };
    let mut rows = Vec::new();
    for one in form.parts() {
        match one {
            Part::Payload => {
                rows.extend([part(*one), (Kind::Said, None, 1), (Kind::Blank, None, 1)]);
            }
            Part::Button => {
                rows.extend([(Kind::Blank, None, 1), (Kind::Sum, None, 1)]);
                if form.failed().is_some() {
                    rows.push((Kind::Failed, None, 2));
                }
                rows.extend([(Kind::Blank, None, 1), part(*one)]);
            }
            _ => rows.push(part(*one)),
        }
    }
    if !form.parts().contains(&Part::Button) {
        rows.extend([(Kind::Blank, None, 1), (Kind::Sum, None, 3)]);
    }
    let needed = |rows: &[(Kind, Option<Part>, u16)]| rows.iter().map(|row| row.2).sum::<u16>();
    while needed(&rows) > most && rows.len() > 1 {
        let Some(least) = rows.iter().map(|row| row.0).min() else {
            break;
        };
        if let Some(i) = rows.iter().rposition(|row| row.0 == least) {
            rows.remove(i);
        }
    }
    let spare = most.saturating_sub(needed(&rows)).min(message - 1);
    let payload = |row: &&mut (Kind, Option<Part>, u16)| row.1 == Some(Part::Payload);
    if let Some(row) = rows.iter_mut().find(payload) {
        row.2 += spare;
    }
    rows
}

impl FormLayout {
    /// Returns the place of a part.
    #[must_use]
    pub fn part(&self, part: Part) -> Area {
        let at = self.parts.iter().find(|(one, _)| *one == part);
        at.map_or(Area::default(), |(_, area)| *area)
    }

    /// Returns the place of a part's value, behind its name.
    #[must_use]
    pub fn value(&self, part: Part) -> Area {
        let mut area = self.part(part);
        let label = if area.w >= 2 * self.label {
            self.label
        } else {
            1
        };
        area.x += label.min(area.w);
        area.w = area.w.saturating_sub(label + 1);
        area
    }

    /// Returns the place of the note behind a value of one line.
    #[must_use]
    pub fn note(&self, part: Part) -> Area {
        let mut area = self.value(part);
        area.x += VALUE.min(area.w);
        area.w = area.w.saturating_sub(VALUE);
        area
    }
}

/// Rows of the message in sight, and columns of each, without the one for the cursor.
#[must_use]
pub fn message_size(plan: &FormLayout) -> (usize, usize) {
    let area = plan.value(Part::Payload);
    (
        usize::from(area.h),
        usize::from(area.w.saturating_sub(1)).max(1),
    )
}
