//! The lines of the findings' tab.

use super::{QueueFinding, course, listed};
use crate::tui::findings::lines::{FindingText, LineKind, details, headline, repair};
use crate::tui::layout::rows::tab_size;
use crate::tui::lists::Stand;
use crate::tui::model::Model;
use crate::tui::widget::wrap::wrapped;

/// A line of the tab.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct FindingsLine {
    /// Index of its finding among those that are told.
    pub finding: usize,
    /// Its content.
    pub said: FindingText,
}

/// Columns before the words of a finding: cursor, glyph and word.
pub const INDENT: u16 = 10;

fn room(columns: u16) -> usize {
    usize::from(columns.saturating_sub(INDENT + 1)).max(8)
}

/// The lines that are in sight in so many columns and rows; with the evidence, unless it stands
/// beside them.
#[must_use]
pub fn lines(model: &Model, (columns, rows): (u16, u16), beside: bool) -> Vec<FindingsLine> {
    let top = usize::try_from(model.stands.findings.top).unwrap_or(0);
    let cursor = usize::try_from(model.stands.findings.cursor).unwrap_or(usize::MAX);
    let told = listed(model);
    let rows = usize::from(rows);
    let folds = folds(model, &told, (columns, rows));
    let mut lines: Vec<FindingsLine> = Vec::with_capacity(rows);
    for (finding, one) in told.iter().enumerate().skip(top) {
        let shows = finding == cursor && one.finding.gone.is_none() && !beside;
        let block = block(model, one, columns, folds && finding != cursor);
        let others = lines.len() + block.len();
        // The other checks keep their row, and what is folded keeps its own.
        let below = if folds { told.len() - finding } else { 1 };
        let most = if shows {
            rows.saturating_sub(others + below)
        } else {
            0
        };
        let evidence = cut(model, evidence(model, one, columns), most);
        let all = block.into_iter().chain(evidence);
        lines.extend(all.map(|said| FindingsLine { finding, said }));
        if lines.len() >= rows {
            break;
        }
    }
    lines.truncate(rows);
    lines
}

/// Where not all of all findings fits, that under the cursor is told whole, and of the others what is
/// wrong: each has its row before one of them has more.
fn folds(model: &Model, told: &[QueueFinding], (columns, rows): (u16, usize)) -> bool {
    let mut used = 0;
    told.iter().any(|told| {
        used += block(model, told, columns, false).len();
        used >= rows
    })
}

/// The evidence in at most so many lines: what has no room is said to be there.
fn cut(model: &Model, mut evidence: Vec<FindingText>, most: usize) -> Vec<FindingText> {
    if evidence.len() <= most {
        return evidence;
    }
    evidence.truncate(most);
    if let Some(last) = evidence.last_mut() {
        last.words
            .push_str(if model.look.ascii { " ~" } else { " …" });
    }
    evidence
}

/// The lines of a finding before its evidence: what is wrong, what to do, what bears it out, and how
/// it goes with it. What follows from another goes as that one does. Folded: what is wrong.
fn block(model: &Model, told: &QueueFinding, columns: u16, folded: bool) -> Vec<FindingText> {
    let columns = room(columns);
    let mut lines = headline(model, told, columns);
    if folded || told.finding.gone.is_some() {
        return lines;
    }
    lines.extend(repair(model, told, columns));
    lines.extend(details(told, columns));
    let course = course(model, told.finding).filter(|_| !told.nested);
    lines.extend(course.map(|words| FindingText {
        kind: LineKind::Course,
        words,
    }));
    lines
}

/// Returns the lines on what a finding is concluded from.
fn evidence(model: &Model, told: &QueueFinding, columns: u16) -> Vec<FindingText> {
    let lines = told.finding.evidence_by_payload(&model.site.redis_cli);
    let lines = lines.flat_map(|words| wrapped(&words, room(columns)));
    let lines = lines.map(|words| FindingText {
        kind: LineKind::Evidence,
        words,
    });
    lines.collect()
}

/// The finding to begin with, so that all of the one under the cursor is in sight.
#[must_use]
pub fn top(model: &Model, stand: Stand) -> u64 {
    let (columns, rows) = tab_size(model);
    let told = listed(model);
    let cursor = usize::try_from(stand.cursor).unwrap_or(usize::MAX);
    let mut top = cursor;
    let mut used = 0;
    let folds = folds(model, &told, (columns, usize::from(rows)));
    for (i, told) in told.iter().enumerate().take(cursor.saturating_add(1)).rev() {
        used += block(model, told, columns, folds && i != cursor).len();
        if used > usize::from(rows) {
            break;
        }
        top = i;
    }
    // What follows from another finding says nothing without that one.
    let above = told.get(..=cursor).unwrap_or(&told);
    let cause = above.iter().rposition(|one| !one.nested);
    let most = cause.unwrap_or(cursor).max(top);
    stand.top.clamp(top as u64, most as u64)
}
