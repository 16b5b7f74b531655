//! The findings' pane, and the lines where there is none: how many rows each has, and what it says
//! in them.

use super::{Told, first, listed, wrong};
use crate::tui::findings::calm::calm;
use crate::tui::findings::said::{Kind, Said, fit, said, whole};
use crate::tui::model::Model;

/// Columns before the words of a finding in the pane: blank, glyph and word.
pub const LEAD: u16 = 9;

/// Number of the worst findings that say how high the pane wants to be.
const ASKED: usize = 6;

/// A finding in the pane.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Block {
    /// Its index among those that are told.
    pub finding: usize,
    /// Its first row, from the pane's first.
    pub y: u16,
    /// Its lines, a row each.
    pub lines: Vec<Said>,
}

/// The content of the pane.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Panel {
    /// The findings that have room, the worst first.
    pub blocks: Vec<Block>,
    /// Number of findings that have no room: the last line says it.
    pub more: usize,
    /// The first row that is free.
    pub free: u16,
}

/// Rows for what is well and for what is not known yet.
fn calm_rows(model: &Model) -> u16 {
    let calm = calm(model);
    u16::from(calm.fine > 0 || !calm.blind.is_empty()) + u16::from(!calm.open.is_empty())
}

fn columns(w: u16) -> usize {
    usize::from(w.saturating_sub(LEAD + 1)).max(8)
}

fn rows_of(lines: usize) -> u16 {
    u16::try_from(lines).unwrap_or(u16::MAX)
}

/// Rows that a finding wants: all that is said of it, and of the worst one more. How it goes with
/// it has no more, as its figures come and go: the panes around shall stand still.
fn wanted(model: &Model, told: &Told, columns: usize, is_worst: bool) -> u16 {
    if told.nested {
        // It goes with its cause: what it is worth in a pane is a line.
        return 1;
    }
    let live = told.finding.gone.is_none();
    rows_of(said(model, told, columns).len()) + u16::from(is_worst && live)
}

/// Rows that the pane would fill in so many columns.
#[must_use]
pub fn panel_rows(model: &Model, w: u16) -> u16 {
    let told = first(model, ASKED);
    let rows = told.iter().enumerate();
    let rows = rows.map(|(i, told)| wanted(model, told, columns(w), i == 0));
    rows.fold(calm_rows(model), u16::saturating_add)
}

/// Lays the pane out, in so many columns and rows. What is wrong comes first: the worst has all
/// the rows that it needs, the others two each before one of them has more. How many checks are
/// well has the last line.
#[must_use]
pub fn panel(model: &Model, (w, all): (u16, u16)) -> Panel {
    let told = listed(model);
    // What is well is told in any case, what is open where that leaves room.
    let reserved = calm_rows(model).min(1.max(all / 4));
    let room = all.saturating_sub(reserved);
    let columns = columns(w);
    let mut shown = told.len().min(usize::from(room));
    if shown < told.len() && reserved == 0 {
        // Where the last line says what is well, it says as well that there are more.
        shown = shown.saturating_sub(1);
    }
    let each = told.iter().take(shown).enumerate();
    let each = each.map(|(i, told)| wanted(model, told, columns, i == 0));
    let mut rows = dealt(&each.collect::<Vec<_>>(), room);
    if let (Some(worst), Some(told)) = (rows.first().copied(), told.first()) {
        // What nobody else wants is for what it is concluded from.
        let spare = room.saturating_sub(rows.iter().sum());
        let whole = rows_of(whole(model, told, columns).len());
        rows[0] = whole.clamp(worst, worst + spare);
    }
    let mut panel = Panel {
        more: told.len() - shown,
        ..Panel::default()
    };
    for (i, (one, rows)) in told.iter().zip(rows).enumerate() {
        let lines = fit(model, one, columns, usize::from(rows));
        let y = panel.free;
        panel.free += rows_of(lines.len());
        panel.blocks.push(Block {
            finding: i,
            y,
            lines,
        });
    }
    panel
}

/// Deals `room` rows out to findings that want so many each: one for each, then all that the worst
/// wants, then a second one, then the rest.
fn dealt(wanted: &[u16], room: u16) -> Vec<u16> {
    let mut rows: Vec<u16> = wanted.iter().map(|_| 1).collect();
    let mut left = room.saturating_sub(rows_of(rows.len()));
    let mut give = |i: usize, most: u16| {
        let more = wanted[i].min(most).saturating_sub(rows[i]).min(left);
        rows[i] += more;
        left -= more;
    };
    if !wanted.is_empty() {
        give(0, u16::MAX);
    }
    for most in [2, u16::MAX] {
        for i in 0..wanted.len() {
            give(i, most);
        }
    }
    rows
}

/// Rows for headline and repair, and one for the details: all rows are the entries' otherwise.
fn brief(model: &Model, told: &Told, columns: usize) -> u16 {
    let lines = said(model, told, columns);
    let details = lines.iter().filter(|line| line.kind == Kind::Details);
    let beyond = details.count().saturating_sub(1);
    rows_of(lines.len() - beyond)
}

/// Rows that the worst wants where there is no pane, in so many columns; without one, a row for
/// each of the first two things that are not known yet.
#[must_use]
pub fn news_rows(model: &Model, w: u16) -> u16 {
    match first(model, 1).first() {
        Some(worst) => brief(model, worst, columns(w)),
        None => rows_of(calm(model).open.len()).clamp(1, 2),
    }
}

/// The worst finding where there is no pane, with its words in so many columns and rows, and the
/// number of others that are wrong.
#[must_use]
pub fn news(model: &Model, (w, h): (u16, u16)) -> Option<(Told<'_>, Vec<Said>, usize)> {
    let worst = *first(model, 1).first()?;
    let lines = fit(model, &worst, columns(w), usize::from(h));
    let others = wrong(model).saturating_sub(usize::from(worst.finding.gone.is_none()));
    Some((worst, lines, others))
}

#[cfg(test)]
mod tests {
    use crate::tui::findings::panel::dealt;

    #[test]
    fn the_worst_has_all_that_it_needs_and_the_others_two_rows_before_one_has_more() {
        assert_eq!(dealt(&[4, 3, 3], 3), [1, 1, 1]);
        assert_eq!(dealt(&[4, 3, 3], 6), [4, 1, 1]);
        assert_eq!(dealt(&[4, 3, 3], 8), [4, 2, 2]);
        assert_eq!(dealt(&[4, 3, 3], 9), [4, 3, 2]);
        assert_eq!(dealt(&[4, 3, 3], 20), [4, 3, 3]);
        assert_eq!(dealt(&[4], 2), [2]);
        assert!(dealt(&[], 2).is_empty());
    }
}
