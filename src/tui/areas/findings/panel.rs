//! The findings' pane: how many rows each has, and what it says in them.

use super::super::Slot;
use super::super::lines::wrap;
use super::{INDENT, Told, calm, in_full, listed, name};
use crate::queue::text;
use crate::tui::model::Model;

/// A finding in the pane.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Block {
    /// Its index among those that are told.
    pub finding: usize,
    /// Its first row, from the pane's first.
    pub y: u16,
    /// Rows that it takes, at least one.
    pub rows: u16,
    /// It has one line, with the name in a column of its own.
    pub short: bool,
}

/// What the pane shows.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Panel {
    /// The findings that have room, the worst first.
    pub blocks: Vec<Block>,
    /// How many have none: the last line says it.
    pub more: usize,
    /// The first row that is free.
    pub free: u16,
}

/// Lays the pane out. What is wrong comes first; how many checks are well has the last line.
#[must_use]
pub fn panel(model: &Model, slot: Slot) -> Panel {
    let told = listed(model);
    let calm = calm(model);
    let reserved = u16::from(calm.fine > 0 || !calm.blind.is_empty());
    let room = slot.inner.h.saturating_sub(reserved);
    let narrow = slot.inner.w < 100;
    let two = told.len() * 2 <= usize::from(room);
    let mut panel = Panel::default();
    for (i, one) in told.iter().enumerate() {
        let left = room - panel.free;
        let more = told.len() - i;
        // Where the last line says what is well, it says as well that there are more.
        if left == 0 || left == 1 && more > 1 && reserved == 0 {
            panel.more = more;
            panel.free += left;
            break;
        }
        let most = match (narrow, two) {
            // The worst has what the others can spare, of whom each shall have two lines.
            (true, _) => {
                let others = u16::try_from(more - 1).unwrap_or(u16::MAX);
                left.saturating_sub(others.saturating_mul(2))
                    .max(left.min(2))
            }
            // Where they have a line each, the worst has two.
            (false, two) if two || i == 0 => left.min(2),
            (false, _) => 1,
        };
        let rows = if most <= 1 {
            1
        } else {
            let lines = sentence(model, one, slot.inner.w).len();
            u16::try_from(lines).unwrap_or(most).clamp(1, most)
        };
        panel.blocks.push(Block {
            finding: i,
            y: panel.free,
            rows,
            short: most <= 1,
        });
        panel.free += rows;
    }
    panel
}

/// All that the pane says of a finding where it has more than a line.
#[must_use]
pub fn sentence(model: &Model, told: &Told, columns: u16) -> Vec<String> {
    let name = name(&model.queues[told.row]);
    let words = format!("{name}: {}", in_full(model, told.finding));
    wrap(
        &text::printable(&words),
        usize::from(columns.saturating_sub(INDENT)),
    )
}

/// What the pane says of a finding in so many rows, and whether a row is of the repair. Where not
/// all fits, the last rows are the repair's: what to do is not what is cut. A row that is too long
/// is cut by who shows it.
#[must_use]
pub fn in_rows(model: &Model, told: &Told, columns: u16, rows: u16) -> Vec<(bool, String)> {
    let all = sentence(model, told, columns);
    let rows = usize::from(rows);
    let repair = told.finding.repair.to_do(&model.redis_cli);
    if all.len() <= rows || repair.is_empty() {
        let kept = squeezed(all, rows);
        return kept.into_iter().map(|words| (false, words)).collect();
    }
    if rows < 2 {
        return vec![(false, all.join(" "))];
    }
    let room = usize::from(columns.saturating_sub(INDENT));
    // Two columns are the mark's.
    let repair = wrap(&text::printable(&repair), room.saturating_sub(2));
    let lower = repair.len().min(rows / 2);
    let name = name(&model.queues[told.row]);
    let cause = format!("{name}: {}", told.finding.sentence);
    let cause = wrap(&text::printable(&cause), room);
    let upper = squeezed(cause, rows - lower).into_iter();
    let lower = squeezed(repair, lower).into_iter();
    let upper = upper.map(|words| (false, words));
    upper.chain(lower.map(|words| (true, words))).collect()
}

/// The lines in so many: the last one is as long as it takes.
fn squeezed(mut lines: Vec<String>, most: usize) -> Vec<String> {
    if lines.len() > most.max(1) {
        let rest = lines.split_off(most.max(1) - 1).join(" ");
        lines.push(rest);
    }
    lines
}

/// The finding of the pane under a cell.
#[must_use]
pub fn at(model: &Model, slot: Slot, x: u16, y: u16) -> Option<usize> {
    if !slot.inner.holds(x, y) {
        return None;
    }
    let row = y - slot.inner.y;
    let mut blocks = panel(model, slot).blocks.into_iter();
    let block = blocks.find(|block| (block.y..block.y + block.rows).contains(&row))?;
    Some(block.finding)
}
