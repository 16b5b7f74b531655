//! The findings: which are told, and in which order.

pub mod calm;
pub mod held;
pub mod lines;
pub mod panel;
pub mod tab;
pub mod update;
pub mod view;

use std::cmp::Reverse;

use self::held::FindingPlace;
use crate::clock::EpochMillis;
use crate::queue::finding::{FindingEnd, PassedFinding, id};
use crate::queue::{EntryId, Finding, Severity, text};
use crate::tui::model::{Model, Screen};
use crate::tui::queues::QueueRow;

/// A finding, and whose it is.
#[derive(Clone, Copy, Debug)]
pub struct QueueFinding<'a> {
    /// Index of its queue in the table.
    pub row: usize,
    /// The finding itself.
    pub finding: &'a Finding,
    /// It follows from another finding of its queue, and is told below that one.
    pub nested: bool,
}

impl QueueFinding<'_> {
    /// It has not gone, and follows from no other one of its queue.
    pub(super) const fn counts(&self) -> bool {
        self.finding.gone.is_none() && !self.nested
    }
}

/// Returns the queues whose findings are told here, with their index in the table: all queues, on
/// one queue's screen that one.
fn rows(model: &Model) -> impl Iterator<Item = (usize, &QueueRow)> {
    let all = matches!(model.screen, Screen::Dashboard);
    let rows = model.queues.iter().enumerate();
    rows.filter(move |(i, _)| all || *i == model.cursor)
}

/// A queue whose oldest entry is late for longer than this, in ms, goes before the others. What a queue
/// in motion is late by differs from look to look, and no row moves for it.
const LATE_MS: i64 = 10_000;

/// All that are told here: the worst first, of equals the one whose queue is late the longest, in
/// whatever order the table stands; what has gone a moment ago comes last, but for the one under the
/// cursor: it keeps its place, so that the next key goes on from there.
#[must_use]
pub fn listed(model: &Model) -> Vec<QueueFinding<'_>> {
    let mut told: Vec<_> = all(model).collect();
    told.sort_by_key(|told| rank(model, told));
    told
}

/// The first of them, at most `most`: without sorting those of hundreds of queues.
fn first(model: &Model, most: usize) -> Vec<QueueFinding<'_>> {
    let mut first: Vec<(Rank, QueueFinding)> = Vec::with_capacity(most + 1);
    for told in all(model) {
        let rank = rank(model, &told);
        let at = first.partition_point(|(known, _)| *known <= rank);
        if at < most {
            first.insert(at, (rank, told));
            first.truncate(most);
        }
    }
    first.into_iter().map(|(_, told)| told).collect()
}

/// The key that the findings are sorted by: that of the cause, the cause's queue, and whether it is
/// one of its effects.
type Rank<'m> = (bool, FindingPlace, (&'m [u8], usize), bool);

fn rank<'m>(model: &'m Model, told: &QueueFinding<'m>) -> Rank<'m> {
    let (row, cause) = cause(model, told).unwrap_or((told.row, told.finding));
    let queue = &model.queues[row].queue;
    let pulse = model.queues[row].pulse.as_ref();
    let since = pulse.and_then(|pulse| pulse.oldest_late);
    let since = since.filter(|since| model.now.since(*since) >= LATE_MS);
    let is_gone = told.finding.gone.is_some();
    let held = model.held_finding.as_ref();
    let held = held.filter(|held| is_gone && held.queue == *queue && held.id == told.finding.id);
    let held = held.and_then(|held| held.place);
    let place = (
        Reverse(cause.severity),
        cause.urgency(),
        (since.is_none(), since),
    );
    (
        is_gone && held.is_none(),
        held.unwrap_or(place),
        (queue.name.as_bytes(), row),
        !std::ptr::eq(cause, told.finding),
    )
}

/// Returns the finding that this one follows from, with the index of its queue: of the same queue,
/// or of the one whose transfers keep the server.
fn cause<'a>(model: &'a Model, told: &QueueFinding<'a>) -> Option<(usize, &'a Finding)> {
    let id = told
        .finding
        .follows
        .filter(|_| told.finding.gone.is_none())?;
    let of = |(row, queue): (usize, &'a QueueRow)| {
        let found = queue.findings.iter().find(|found| found.id == id)?;
        Some((row, found))
    };
    if told.nested {
        return of((told.row, &model.queues[told.row]));
    }
    let blocker = model.queues[told.row].watch.blocked_by.as_ref()?;
    let is_blocker = |(_, queue): &(usize, &QueueRow)| {
        text::printable_bytes(queue.queue.name.as_bytes()) == blocker.as_str()
    };
    rows(model).find(is_blocker).and_then(of)
}

/// The finding that the tab's cursor is on.
#[must_use]
pub fn at_cursor(model: &Model) -> Option<QueueFinding<'_>> {
    let at = usize::try_from(model.stands.findings.cursor).ok()?;
    listed(model).get(at).copied()
}

/// The row of the queue that has that finding.
#[must_use]
pub fn row_at_cursor(model: &Model) -> Option<usize> {
    at_cursor(model).map(|told| told.row)
}

/// Counts the findings that are told here.
#[must_use]
pub fn count(model: &Model) -> usize {
    all(model).count()
}

/// Counts those of them that have not gone, as all heads count them: what follows from another one
/// is none of its own.
#[must_use]
pub fn wrong(model: &Model) -> usize {
    all(model).filter(QueueFinding::counts).count()
}

/// Returns all findings that are told here: what is the server's is told once, not for each of its
/// queues.
fn all(model: &Model) -> impl Iterator<Item = QueueFinding<'_>> {
    let mut servers = Vec::new();
    let each = |(row, queue)| told_of(model, row, queue);
    rows(model).flat_map(each).filter(move |told| {
        if is_told_by_blocker(model, told) {
            return false;
        }
        let Some(of_all) = told.finding.of_all() else {
            return true;
        };
        let is_new = !servers.contains(&of_all);
        if is_new {
            servers.push(of_all);
        }
        is_new
    })
}

/// It only tells that another queue's transfers keep the server, and that one's own finding stands
/// beside it: for the moments that it lasts, nothing is pushed in between the others. Once it is over,
/// nobody has to be told.
fn is_told_by_blocker(model: &Model, told: &QueueFinding) -> bool {
    let follows = told.finding.follows == Some(id::SLOW_TRANSFER) && !told.nested;
    if !follows || !matches!(model.screen, Screen::Dashboard) {
        return false;
    }
    told.finding.gone.is_some() || cause(model, told).is_some()
}

/// Counts those that are the selected queue's, or the server's, in the same way.
#[must_use]
pub fn of_selected(model: &Model) -> usize {
    let own = model.queues.get(model.cursor).into_iter();
    let told = own.flat_map(|row| told_of(model, model.cursor, row));
    told.filter(QueueFinding::counts).count()
}

fn told_of<'a>(
    model: &'a Model,
    row: usize,
    queue: &'a QueueRow,
) -> impl Iterator<Item = QueueFinding<'a>> {
    // What followed from a cause went with it.
    let gone = queue.gone.iter().filter(|gone| {
        let is_cause = |cause: &Finding| Some(cause.id) == gone.follows;
        !queue.gone.iter().any(is_cause)
    });
    // Where entries are late still, and why is not known, another cause takes its place in a moment.
    // Under the cursor it stays.
    let held = model.held_finding.as_ref();
    let held = held.filter(|held| held.queue == queue.queue);
    let gone = gone.filter(move |gone| {
        let is_held = held.is_some_and(|held| held.id == gone.id);
        let stays = is_held || gone.ending == FindingEnd::Repaired;
        stays
            || !gone
                .gone
                .is_some_and(|then| queue.is_unexplained_since(then))
    });
    let findings = queue.findings.iter().chain(gone);
    findings.map(move |finding| {
        let causes = |cause: &Finding| cause.is_cause_of(finding);
        let nested = finding.gone.is_none() && queue.findings.iter().any(causes);
        QueueFinding {
            row,
            finding,
            nested,
        }
    })
}

/// Describes the course of a finding: since when, whether it gets worse. None before there is more
/// to say than that it has been found.
#[must_use]
pub fn course(model: &Model, finding: &Finding) -> Option<String> {
    /// The shortest time, in ms, that is worth a word.
    const NEW_MS: i64 = 2_000;
    /// Less than this in a second stands still.
    const STILL: f64 = 0.05;
    /// Two ages that are no further apart than this, in s, are of one moment, read at two.
    const NEAR_S: i64 = 4;
    let ago = |then: EpochMillis| model.now.since(then);
    let since = finding.since.filter(|_| finding.stands_as_long());
    let since = since.map(ago).filter(|ago| *ago >= NEW_MS);
    // "late by 2:05 … for 2:05" says it twice, and "… for 2:06" too.
    let said = |ago: &i64| {
        let mut near = (-NEAR_S..=NEAR_S).map(|seconds| text::age(ago + seconds * 1_000));
        near.any(|age| has_word(&finding.details, &age))
    };
    let since = since.filter(|ago| !said(ago)).map(text::age);
    // Of what was there at the first look nobody knows since when.
    let since = since.map(|age| format!("{}for {age}", seen(finding)));
    if finding.gone.is_some() {
        return None;
    }
    // Where nobody transfers, what changes the figure will not go on so.
    let trend = finding.trend.filter(|_| !finding.is_of_nobody());
    let trend = trend.zip(finding.figure_noun());
    let trend = trend.and_then(|(trend, noun)| match trend.per_s {
        rate if rate >= STILL => Some(format!("{noun} growing by {}/s", text::rate(rate))),
        rate if rate <= -STILL => {
            let done = trend.done_in_ms.map(text::about);
            let done = done.map_or(String::new(), |done| format!(", done in {done}"));
            Some(format!("{noun} shrinking by {}/s{done}", text::rate(-rate)))
        }
        _ => None,
    });
    let words: Vec<String> = since.into_iter().chain(trend).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// Tells whether these words, as wholes, stand in a text: `0:05` is none of `10:05`.
fn has_word(text: &str, words: &str) -> bool {
    let goes_on = |c: char| c.is_alphanumeric() || matches!(c, ':' | '.');
    let mut places = text.match_indices(words);
    places.any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let mut behind = text[at + words.len()..].chars();
        // A full stop may end the sentence.
        let behind = behind.next().filter(|c| !matches!(c, '.' | ':'));
        !before.is_some_and(goes_on) && !behind.is_some_and(goes_on)
    })
}

/// Begins a duration that may have begun before the first look.
const fn seen(finding: &Finding) -> &'static str {
    if finding.before { "seen " } else { "" }
}

/// Tells when a finding went, and how long it was there: the beginning of its headline.
#[must_use]
pub fn past(model: &Model, finding: &Finding) -> Option<String> {
    let gone = finding.gone?;
    let ago = text::age(model.now.since(gone).max(0));
    // As long as was told while it stood.
    let since = finding.since.filter(|_| finding.stands_as_long());
    let lasted_ms = since.map_or(finding.lasted_ms, |since| gone.since(since).max(0));
    let lasted = text::age(lasted_ms);
    let cleared = match finding.ending {
        FindingEnd::Repaired => "",
        FindingEnd::ByItself => "cleared ",
    };
    let lasted = match seen(finding) {
        "" => format!("lasted {lasted}"),
        seen => format!("{seen}for {lasted}"),
    };
    Some(format!("{cleared}{ago} ago ({lasted})"))
}

/// Returns the findings that are over, with the index of their queue in the table: what ended last
/// first.
#[must_use]
pub fn earlier(model: &Model) -> Vec<(usize, &PassedFinding)> {
    let each = rows(model);
    let passed = each.flat_map(|(row, queue)| queue.watch.passed().map(move |one| (row, one)));
    let mut all: Vec<_> = passed.collect();
    all.sort_by_key(|(_, passed)| Reverse(passed.until));
    all
}

/// Returns the severity of the worst finding that is about an entry of the selected queue; none
/// where no finding is.
#[must_use]
pub fn suspicion(model: &Model, id: EntryId) -> Option<Severity> {
    let about = |found: &&Finding| found.suspects.iter().any(|suspect| suspect.id == id);
    let found = model.selected()?.findings.iter().filter(about);
    found.map(|found| found.severity).max()
}

/// Tells whether anything is told here.
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

#[cfg(test)]
mod tests {
    use super::has_word;

    #[test]
    fn an_age_is_said_already_only_where_it_stands_as_a_whole() {
        assert!(has_word("35 late, oldest 0:05.", "0:05"));
        assert!(has_word("0:05: none came", "0:05"));
        assert!(!has_word("35 late, oldest 10:05.", "0:05"));
        assert!(!has_word("oldest 0:05:12", "0:05:1"));
    }
}
