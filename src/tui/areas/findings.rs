//! The findings: which are told, and the lines that the tab shows of them.

mod panel;

use std::cmp::Reverse;
use std::collections::HashSet;

use super::lines::wrap;
use crate::clock::EpochMillis;
use crate::queue::finding::RULES;
use crate::queue::{Finding, text};
use crate::tui::model::{Model, QueueRow, Screen, Stand};
pub use panel::{Block, Panel, at, in_rows, panel, sentence};

/// A finding, and whose it is.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    /// Index of its queue in the table.
    pub row: usize,
    /// What is wrong.
    pub finding: &'a Finding,
}

/// Whose findings are told here: those of all queues, on one queue's screen its own.
fn rows(model: &Model) -> impl Iterator<Item = (usize, &QueueRow)> {
    let all = matches!(model.screen, Screen::Dashboard);
    let rows = model.queues.iter().enumerate();
    rows.filter(move |(i, _)| all || *i == model.cursor)
}

/// All that are told here: the worst first, of equals the one whose queue is late the longest, in
/// whatever order the table stands; what has gone a moment ago comes last.
#[must_use]
pub fn listed(model: &Model) -> Vec<Told<'_>> {
    let mut told: Vec<_> = all(model).collect();
    let oldest = |told: &Told| model.queues[told.row].pulse.as_ref()?.oldest_late;
    told.sort_by_key(|told| {
        let (finding, since) = (told.finding, oldest(told));
        let gone = finding.gone.is_some();
        (gone, Reverse(finding.severity), since.is_none(), since)
    });
    told
}

/// How many are told here.
#[must_use]
pub fn count(model: &Model) -> usize {
    all(model).count()
}

/// How many of them have not gone.
#[must_use]
pub fn wrong(model: &Model) -> usize {
    all(model)
        .filter(|told| told.finding.gone.is_none())
        .count()
}

/// What is the server's is told once, not for each of its queues.
fn all(model: &Model) -> impl Iterator<Item = Told<'_>> {
    let mut servers: Vec<&'static str> = Vec::new();
    let each = |(row, queue)| told_of(row, queue);
    rows(model).flat_map(each).filter(move |told| {
        let again = told.finding.of_server && servers.contains(&told.finding.id);
        if told.finding.of_server && !again {
            servers.push(told.finding.id);
        }
        !again
    })
}

fn told_of(row: usize, queue: &QueueRow) -> impl Iterator<Item = Told<'_>> {
    let findings = queue.findings.iter().chain(&queue.gone);
    findings.map(move |finding| Told { row, finding })
}

/// How it goes with a finding: since when, whether it gets worse. None before there is more to say
/// than that it has been found.
#[must_use]
pub fn course(model: &Model, finding: &Finding) -> Option<String> {
    /// What has been so for less, in ms, is not worth a word.
    const NEW_MS: i64 = 2_000;
    /// Less than this in a second stands still.
    const STILL: f64 = 0.05;
    let ago = |then: EpochMillis| model.now.since(then);
    if let Some(gone) = finding.gone {
        let words = text::countdown(ago(gone).max(0));
        return Some(format!("gone for {words}"));
    }
    let since = finding.since.map(ago).filter(|ago| *ago >= NEW_MS);
    let since = since.map(|ago| format!("for {}", text::countdown(ago)));
    let trend = finding.trend.and_then(|trend| match trend.per_s {
        rate if rate >= STILL => Some(format!("growing by {}/s", text::rate(rate))),
        rate if rate <= -STILL => {
            let done = trend.done_in_ms.map(text::countdown);
            let done = done.map_or(String::new(), |done| format!(", done in about {done}"));
            Some(format!("shrinking by {}/s{done}", text::rate(-rate)))
        }
        _ => None,
    });
    let words: Vec<String> = since.into_iter().chain(trend).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// What the rules say where nothing is wrong.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Calm {
    /// How many rules have looked and found nothing in any queue.
    pub fine: usize,
    /// The rules that cannot look, each once, and why.
    pub blind: Vec<(&'static str, String)>,
    /// The rules that need more time, each once, and how far they are.
    pub early: Vec<(&'static str, String)>,
}

/// Counts the rules that found nothing.
#[must_use]
pub fn calm(model: &Model) -> Calm {
    let (mut found, mut looked) = (HashSet::new(), 0);
    let mut blind: Vec<(&'static str, String)> = Vec::new();
    let mut early: Vec<(&'static str, String)> = Vec::new();
    for (_, row) in rows(model) {
        for (id, how_far) in &row.early {
            if !early.iter().any(|(known, _)| known == id) {
                let whose = match model.screen {
                    Screen::Dashboard => format!("{}: ", name(row)),
                    _ => String::new(),
                };
                early.push((id, format!("{whose}{how_far}")));
            }
        }
        found.extend(row.findings.iter().map(|finding| finding.id));
        for (id, why) in &row.blind {
            if !blind.iter().any(|(known, _)| known == id) {
                blind.push((id, why.clone()));
            }
        }
        looked = looked.max(row.fine + row.findings.len() + row.blind.len());
    }
    let unable = blind.iter().filter(|(id, _)| !found.contains(id)).count();
    let spoken = found.len() + unable;
    Calm {
        fine: looked.min(RULES.len()).saturating_sub(spoken),
        blind,
        early,
    }
}

/// A line of the tab.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Line {
    /// Index of its finding among those that are told.
    pub finding: usize,
    /// What it says.
    pub kind: Kind,
    /// The words, in at most the columns of the pane less [`INDENT`].
    pub words: String,
}

/// What a line of the tab says.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// The first one: severity and queue stand before it.
    Head,
    /// The rest of the sentence.
    Sentence,
    /// Since when, and whether it gets worse.
    Course,
    /// What repairs it: the first line, and the rest.
    Repair(bool),
    /// What it is concluded from: of the one under the cursor, where that has no pane of its own.
    Evidence,
}

/// Columns before the words of a finding: cursor, glyph and word.
pub const INDENT: u16 = 10;

/// The lines that are in sight, and more.
#[must_use]
pub fn lines(model: &Model) -> Vec<Line> {
    let areas = super::areas(model);
    let slot = areas.entries;
    let top = usize::try_from(model.stands.findings.top).unwrap_or(0);
    let cursor = usize::try_from(model.stands.findings.cursor).unwrap_or(usize::MAX);
    let told = listed(model);
    let rest = told.iter().enumerate().skip(top);
    let all = rest.flat_map(|(i, told)| {
        let mut lines = block(model, i, told, slot.inner.w);
        if i == cursor && !areas.detail.shown() {
            lines.extend(evidence(model, i, told, slot.inner.w));
        }
        lines
    });
    all.take(usize::from(slot.inner.h)).collect()
}

/// The lines of a finding.
fn block(model: &Model, index: usize, told: &Told, columns: u16) -> Vec<Line> {
    let room = usize::from(columns.saturating_sub(INDENT + 2)).max(8);
    let name = name(&model.queues[told.row]);
    let words = format!("{name}: {}", told.finding.sentence);
    let line = |kind, words| Line {
        finding: index,
        kind,
        words,
    };
    let sentence = wrap(&text::printable(&words), room).into_iter().enumerate();
    let sentence = sentence.map(|(i, words)| match i {
        0 => line(Kind::Head, words),
        _ => line(Kind::Sentence, words),
    });
    let course = course(model, told.finding).map(|words| line(Kind::Course, words));
    if told.finding.gone.is_some() {
        return sentence.chain(course).collect();
    }
    let repair = wrap(&told.finding.repair.sentence, room.saturating_sub(2)).into_iter();
    let repair = repair.enumerate();
    let repair = repair.map(|(i, words)| line(Kind::Repair(i == 0), words));
    let by_hand = told.finding.repair.by_hand(&model.redis_cli);
    let by_hand = by_hand.flat_map(|words| {
        let words = format!("$ {words}");
        wrap(&text::printable(&words), room.saturating_sub(2))
    });
    let by_hand = by_hand.map(|words| line(Kind::Repair(false), words));
    let repair = repair.chain(by_hand);
    sentence.chain(course).chain(repair).collect()
}

/// What a finding is concluded from.
fn evidence(model: &Model, index: usize, told: &Told, columns: u16) -> Vec<Line> {
    let room = usize::from(columns.saturating_sub(INDENT + 2)).max(8);
    let lines = told.finding.evidence.lines(&model.redis_cli);
    let wrapped = lines.flat_map(|words| wrap(&text::printable(&words), room));
    let line = |words| Line {
        finding: index,
        kind: Kind::Evidence,
        words,
    };
    wrapped.map(line).collect()
}

/// Whether anything is told here.
#[must_use]
pub fn any(model: &Model) -> bool {
    all(model).next().is_some()
}

/// A queue's name, as long as a sentence bears it.
#[must_use]
pub fn name(row: &QueueRow) -> String {
    let name = text::printable_bytes(row.queue.name.as_bytes());
    text::cut(&name, 32).into_owned()
}

/// The finding to begin with, so that all of the one under the cursor is in sight.
#[must_use]
pub fn top(model: &Model, stand: Stand) -> u64 {
    let slot = super::areas(model).entries;
    let told = listed(model);
    let cursor = usize::try_from(stand.cursor).unwrap_or(usize::MAX);
    let mut top = cursor;
    let mut used = 0;
    for (i, told) in told.iter().enumerate().take(cursor.saturating_add(1)).rev() {
        used += block(model, i, told, slot.inner.w).len();
        if used > usize::from(slot.inner.h) {
            break;
        }
        top = i;
    }
    stand.top.max(top as u64).min(stand.cursor)
}

/// What is wrong, and all that is to be done about it.
#[must_use]
pub fn in_full(model: &Model, finding: &Finding) -> String {
    let to_do = finding.repair.to_do(&model.redis_cli);
    format!("{} {to_do}", finding.sentence)
}
