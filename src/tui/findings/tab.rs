//! The lines of the findings' tab.

use super::{Told, course, listed};
use crate::tui::findings::said::{Kind, Said, said};
use crate::tui::layout::rows::tab_size;
use crate::tui::lists::Stand;
use crate::tui::model::Model;
use crate::tui::widget::wrap::wrapped;

/// A line of the tab.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Line {
    /// Index of its finding among those that are told.
    pub finding: usize,
    /// Its content.
    pub said: Said,
}

/// Columns before the words of a finding: cursor, glyph and word.
pub const INDENT: u16 = 10;

fn room(columns: u16) -> usize {
    usize::from(columns.saturating_sub(INDENT + 1)).max(8)
}

/// The lines that are in sight in so many columns and rows; with the evidence, unless it stands
/// beside them.
#[must_use]
pub fn lines(model: &Model, (columns, rows): (u16, u16), beside: bool) -> Vec<Line> {
    let top = usize::try_from(model.stands.findings.top).unwrap_or(0);
    let cursor = usize::try_from(model.stands.findings.cursor).unwrap_or(usize::MAX);
    let told = listed(model);
    let rest = told.iter().enumerate().skip(top);
    let all = rest.flat_map(|(i, told)| {
        let mut lines = block(model, told, columns);
        if i == cursor && told.finding.gone.is_none() && !beside {
            lines.extend(evidence(model, told, columns));
        }
        lines.into_iter().map(move |said| Line { finding: i, said })
    });
    let rows = usize::from(rows);
    let mut lines: Vec<Line> = all.take(rows + 1).collect();
    leave_room(model, &mut lines, rows);
    lines
}

/// Leaves out what does not fit: of long evidence so much that the other checks keep their row.
fn leave_room(model: &Model, lines: &mut Vec<Line>, rows: usize) {
    let is_evidence = |line: Option<&Line>| line.is_some_and(|l| l.said.kind == Kind::Evidence);
    let last = rows.checked_sub(1);
    let long = last.is_some_and(|last| is_evidence(lines.get(last)));
    lines.truncate(rows);
    if !long {
        return;
    }
    lines.pop();
    if let Some(line) = lines.last_mut().filter(|line| is_evidence(Some(line))) {
        let cut = if model.look.ascii { " ~" } else { " …" };
        line.said.words.push_str(cut);
    }
}

/// The lines of a finding.
fn block(model: &Model, told: &Told, columns: u16) -> Vec<Said> {
    let mut lines = said(model, told, room(columns));
    if told.finding.gone.is_some() {
        return lines;
    }
    let at = lines
        .iter()
        .position(|line| !matches!(line.kind, Kind::Head | Kind::Sentence));
    let course = course(model, told.finding).map(|words| Said {
        kind: Kind::Course,
        words,
    });
    let at = at.unwrap_or(lines.len());
    lines.splice(at..at, course);
    lines
}

/// Returns the lines on what a finding is concluded from.
fn evidence(model: &Model, told: &Told, columns: u16) -> Vec<Said> {
    let lines = told.finding.evidence.lines(&model.redis_cli);
    let lines = lines.flat_map(|words| wrapped(&words, room(columns)));
    let lines = lines.map(|words| Said {
        kind: Kind::Evidence,
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
    for (i, told) in told.iter().enumerate().take(cursor.saturating_add(1)).rev() {
        used += block(model, told, columns).len();
        if used > usize::from(rows) {
            break;
        }
        top = i;
    }
    stand.top.max(top as u64).min(stand.cursor)
}
