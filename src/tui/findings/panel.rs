//! The findings' pane, and the lines where there is none: how many rows each has, and what it says
//! in them.

use std::iter::once;

use super::{QueueFinding, all, first, listed, name, rank, wrong};
use crate::queue::finding::FindingEnd;
use crate::queue::{Finding, Severity};
use crate::tui::findings::calm::calm;
use crate::tui::findings::lines::{
    FindingText, LineKind, below, fit, headline, repair, said, squeezed, whole,
};
use crate::tui::model::Model;

/// Columns before the words of a finding in the pane: blank, glyph and word.
pub const LEAD: u16 = 9;

/// Number of the worst findings that say how high the pane wants to be, wherever the cursor is: the
/// panes around it stand still.
const ASKED: usize = 6;

/// A finding in the pane.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Block {
    /// Its index among those that are told.
    pub finding: usize,
    /// Its first row, from the pane's first.
    pub y: u16,
    /// Its lines, a row each.
    pub lines: Vec<FindingText>,
}

/// The content of the pane.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Panel {
    /// The findings that have room: the selected queue's first, the worst of them before the others.
    pub blocks: Vec<Block>,
    /// Number of problems that have no room: the last line says it. What is over is none.
    pub more: usize,
    /// Index of the first finding that was repaired a moment ago and has no room: the last line
    /// says it, wherever the cursor has gone since.
    pub fixed: Option<usize>,
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

/// A cause in the pane: what is wrong, by its indices among those that are told.
struct Cause {
    /// The finding that stands for all.
    head: usize,
    /// The same problem of other queues.
    alike: Vec<usize>,
    /// The findings that follow from it.
    effects: Vec<usize>,
}

/// Puts together what is one cause: a server whose application has stopped has one problem, not one
/// for each queue.
fn causes(told: &[QueueFinding]) -> Vec<Cause> {
    let mut causes: Vec<Cause> = Vec::with_capacity(told.len());
    for (i, one) in told.iter().enumerate() {
        let goes_with = |cause: &&mut Cause| {
            let mut members = once(&cause.head).chain(&cause.alike);
            members.any(|at| {
                let member = &told[*at];
                member.row == one.row && Some(member.finding.id) == one.finding.follows
            })
        };
        if one.nested
            && let Some(cause) = causes.iter_mut().find(goes_with)
        {
            cause.effects.push(i);
            continue;
        }
        let is_alike = |cause: &&mut Cause| {
            let (a, b) = (told[cause.head].finding, one.finding);
            let live = a.gone.is_none() && b.gone.is_none() && a.open == b.open;
            let same = (a.id, a.severity, &a.headline) == (b.id, b.severity, &b.headline);
            // What helps one of them need not help the others.
            live && same && a.repair.sentence == b.repair.sentence
        };
        match causes.iter_mut().find(is_alike) {
            Some(cause) if !one.nested => cause.alike.push(i),
            _ => causes.push(Cause {
                head: i,
                alike: Vec::new(),
                effects: Vec::new(),
            }),
        }
    }
    causes
}

/// Puts what is wrong with the selected queue before what is wrong with others: all panes around
/// are about that queue, and so are the keys.
fn own_first(model: &Model, told: &[QueueFinding], causes: &mut [Cause]) {
    let is_own = |cause: &Cause| {
        let mut members = once(&cause.head).chain(&cause.alike);
        members.any(|at| is_own(model, &told[*at]))
    };
    let Some(at) = causes.iter().position(is_own) else {
        return;
    };
    causes[..=at].rotate_right(1);
    // Of several queues with the same problem it stands for all: the keys act on it.
    let Cause { head, alike, .. } = &mut causes[0];
    if !self::is_own(model, &told[*head])
        && let Some(own) = alike.iter_mut().find(|at| self::is_own(model, &told[**at]))
    {
        std::mem::swap(head, own);
    }
}

/// True of what is wrong with the selected queue, and no mere note.
fn is_own(model: &Model, told: &QueueFinding) -> bool {
    let finding = told.finding;
    let is_wrong = finding.gone.is_none() && finding.severity > Severity::Note;
    told.row == model.cursor && is_wrong && !told.nested
}

/// A change from here has ended it.
fn is_fixed(finding: &Finding) -> bool {
    finding.gone.is_some() && finding.ending == FindingEnd::Repaired
}

impl Cause {
    /// It is not over.
    fn stands(&self, told: &[QueueFinding]) -> bool {
        told[self.head].finding.gone.is_none()
    }

    /// It is that of one queue.
    fn is_one(&self) -> bool {
        self.alike.is_empty()
    }

    /// All that is said of it in so many columns, without its effects.
    fn said(&self, model: &Model, told: &[QueueFinding], columns: usize) -> Vec<FindingText> {
        let head = &told[self.head];
        if self.is_one() {
            return said(model, head, columns);
        }
        let members = once(&self.head).chain(&self.alike);
        let names: Vec<String> = members
            .map(|at| name(&model.queues[told[*at].row]))
            .collect();
        let headline = format!(
            "{} queues: {}",
            names.len(),
            head.finding.headline_at(model.now)
        );
        let mut lines = vec![FindingText {
            kind: LineKind::Head,
            words: headline,
        }];
        lines.extend(repair(model, head, columns));
        lines.push(FindingText {
            kind: LineKind::Details,
            words: names.join(", "),
        });
        lines
    }

    /// Rows that it wants: all that is said of it, of the worst one more, and one for what follows.
    /// How it goes with it has no more, as its figures come and go: the panes around shall stand
    /// still.
    fn wanted(&self, model: &Model, told: &[QueueFinding], columns: usize, is_worst: bool) -> u16 {
        let live = told[self.head].finding.gone.is_none();
        let more = u16::from(is_worst && live && self.is_one());
        let effects = u16::from(!self.effects.is_empty());
        rows_of(self.said(model, told, columns).len()) + more + effects
    }

    /// Rows without which it does not say what is wrong and what is to be done.
    fn asks(&self, model: &Model, told: &[QueueFinding], columns: usize) -> u16 {
        let said = self.said(model, told, columns);
        let needed = said.iter().filter(|line| {
            let kind = line.kind;
            matches!(
                kind,
                LineKind::Head | LineKind::Headline | LineKind::Repair(_) | LineKind::Command
            )
        });
        rows_of(needed.count())
    }

    /// Says it in at most so many rows.
    fn lines(
        &self,
        model: &Model,
        told: &[QueueFinding],
        columns: usize,
        rows: u16,
    ) -> Vec<FindingText> {
        // Headline and all of what is to be done come first.
        let needed = self.asks(model, told, columns).max(2);
        let effects = self.effects(model, told).filter(|_| rows > needed);
        let own = usize::from(rows) - usize::from(effects.is_some());
        let mut lines = if self.is_one() {
            fit(model, &told[self.head], columns, own)
        } else {
            let mut lines = self.said(model, told, columns);
            lines.truncate(own);
            lines
        };
        lines.extend(effects);
        lines
    }

    /// The line on what follows from it.
    fn effects(&self, model: &Model, told: &[QueueFinding]) -> Option<FindingText> {
        let headlines = self.effects.iter().map(|at| &told[*at].finding.headline);
        // Of several queues as much follows several times.
        let mut words: Vec<&str> = headlines.map(String::as_str).collect();
        words.dedup();
        (!words.is_empty()).then(|| FindingText {
            kind: LineKind::Effects,
            words: format!("{} {}", below(model), words.join(" ")),
        })
    }
}

/// Rows that the pane would fill in so many columns.
#[must_use]
pub fn panel_rows(model: &Model, w: u16) -> u16 {
    let told = first(model, ASKED);
    let causes = causes(&told);
    let rows = causes.iter().enumerate();
    let rows = rows.map(|(i, cause)| cause.wanted(model, &told, columns(w), i == 0));
    rows.fold(calm_rows(model), u16::saturating_add)
}

/// Lays the pane out, in so many columns and rows. What is wrong comes first, each cause once, that
/// of the selected queue before all: its headline and its repair, before one of them has more. How
/// many checks are well has the last line.
#[must_use]
pub fn panel(model: &Model, (w, all): (u16, u16)) -> Panel {
    let told = listed(model);
    let mut causes = causes(&told);
    own_first(model, &told, &mut causes);
    // What is well is told in any case, what is open where that leaves room.
    let mut reserved = calm_rows(model).min(1.max(all / 4));
    if causes.len() >= usize::from(all.saturating_sub(reserved)) {
        // What is open takes no row from what is wrong.
        reserved = reserved.min(1);
    }
    let room = all.saturating_sub(reserved);
    let columns = columns(w);
    let mut shown = causes.len().min(usize::from(room));
    if shown < causes.len() && reserved == 0 {
        // Where the last line says what is well, it says as well that there are more.
        shown = shown.saturating_sub(1);
    }
    if shown > 2 && shown >= usize::from(room) {
        // What to do about the first comes before the last of the others.
        shown -= 1;
    }
    let each = causes.iter().take(shown).enumerate();
    let each = each.map(|(i, cause)| {
        let wanted = cause.wanted(model, &told, columns, i == 0);
        (cause.asks(model, &told, columns).min(wanted), wanted)
    });
    let mut rows = dealt(&each.collect::<Vec<_>>(), room);
    if let (Some(most), Some(worst)) = (rows.first().copied(), causes.first())
        && worst.is_one()
        && worst.effects.is_empty()
    {
        // What nobody else wants is for what it is concluded from.
        let spare = room.saturating_sub(rows.iter().sum());
        let whole = rows_of(whole(model, &told[worst.head], columns).len());
        rows[0] = whole.clamp(most, most + spare);
    }
    let mut panel = Panel {
        more: causes[shown..]
            .iter()
            .filter(|cause| cause.stands(&told))
            .count(),
        fixed: causes[shown..]
            .iter()
            .map(|cause| cause.head)
            .find(|at| is_fixed(told[*at].finding)),
        ..Panel::default()
    };
    for (cause, rows) in causes.iter().zip(rows) {
        let lines = cause.lines(model, &told, columns, rows);
        let y = panel.free;
        panel.free += rows_of(lines.len());
        panel.blocks.push(Block {
            finding: cause.head,
            y,
            lines,
        });
    }
    panel
}

/// Deals `room` rows out to causes that need and want so many each: one for each, then a second one,
/// then what they need to say what to do, then the rest, the worst first.
fn dealt(asked: &[(u16, u16)], room: u16) -> Vec<u16> {
    let mut rows: Vec<u16> = asked.iter().map(|_| 1).collect();
    let mut left = room.saturating_sub(rows_of(rows.len()));
    for round in 0..3 {
        for (rows, (needed, wanted)) in rows.iter_mut().zip(asked) {
            let most = [2.min(*wanted), *needed, *wanted][round];
            let more = most.saturating_sub(*rows).min(left);
            *rows += more;
            left -= more;
        }
    }
    rows
}

/// Rows for headline and repair, and one for the details: all rows are the entries' otherwise.
fn brief(model: &Model, told: &QueueFinding, columns: usize) -> u16 {
    let lines = said(model, told, columns);
    let details = lines.iter().filter(|line| line.kind == LineKind::Details);
    let beyond = details.count().saturating_sub(1);
    rows_of(lines.len() - beyond)
}

/// Returns the finding that has the lines where there is no pane: the worst finding of the selected
/// queue, else the worst of all.
fn leading(model: &Model) -> Option<QueueFinding<'_>> {
    let own = all(model).filter(|told| is_own(model, told));
    let own = own.min_by_key(|told| rank(model, told));
    own.or_else(|| first(model, 1).first().copied())
}

/// Rows that the leading finding wants where there is no pane, in so many columns; without one, a
/// row for each of the first two things that are not known yet.
#[must_use]
pub fn news_rows(model: &Model, w: u16) -> u16 {
    match leading(model) {
        Some(leading) => brief(model, &leading, columns(w)),
        None => rows_of(calm(model).open.len()).clamp(1, 2),
    }
}

/// The findings in the lines below the panes, where they have no pane of their own.
#[derive(Debug)]
pub struct News<'a> {
    /// The findings that have room, with their words: one, and below it the worst of another queue.
    pub told: Vec<(QueueFinding<'a>, Vec<FindingText>)>,
    /// Number of others that are wrong.
    pub others: usize,
    /// Another one that was repaired a moment ago.
    pub fixed: Option<QueueFinding<'a>>,
}

/// The findings where there is no pane, in so many columns and rows: what is wrong with the selected
/// queue and what to do about it, and what is as bad elsewhere.
#[must_use]
pub fn news(model: &Model, (w, h): (u16, u16)) -> Option<News<'_>> {
    let leading = leading(model)?;
    let (columns, rows) = (columns(w), usize::from(h));
    let worst = first(model, 1).first().copied();
    let elsewhere = worst.filter(|worst| {
        let (worst, leading) = (worst, &leading);
        worst.row != leading.row && worst.finding.severity >= leading.finding.severity
    });
    let mut told = vec![(leading, fit(model, &leading, columns, rows))];
    if let Some(worst) = elsewhere
        && let [.., last] = told[0].1.as_slice()
        && told[0].1.len() > 2
        && matches!(
            last.kind,
            LineKind::Details | LineKind::Evidence | LineKind::Course
        )
    {
        told[0].1.pop();
        told.push((worst, squeezed(headline(model, &worst, columns), 1)));
    }
    let live = told.iter().filter(|(told, _)| told.counts());
    let others = wrong(model).saturating_sub(live.count());
    let mut fixed = all(model).filter(|one| is_fixed(one.finding));
    let is_told = |one: &QueueFinding| {
        told.iter()
            .any(|(told, _)| (told.row, told.finding.id) == (one.row, one.finding.id))
    };
    let fixed = fixed.find(|one| !is_told(one));
    Some(News {
        told,
        others,
        fixed,
    })
}

#[cfg(test)]
mod tests {
    use crate::tui::findings::panel::dealt;

    #[test]
    fn each_has_two_rows_before_one_has_more_and_the_worst_is_first() {
        let short = [(2, 4), (2, 3), (2, 3)];
        assert_eq!(dealt(&short, 3), [1, 1, 1]);
        assert_eq!(dealt(&short, 4), [2, 1, 1]);
        assert_eq!(dealt(&short, 6), [2, 2, 2]);
        assert_eq!(dealt(&short, 8), [4, 2, 2]);
        assert_eq!(dealt(&short, 9), [4, 3, 2]);
        assert_eq!(dealt(&short, 20), [4, 3, 3]);
        assert_eq!(dealt(&[(2, 4)], 2), [2]);
    }

    #[test]
    fn what_to_do_about_the_last_comes_before_the_details_of_the_first() {
        assert_eq!(dealt(&[(2, 5), (3, 4)], 5), [2, 3]);
        assert_eq!(dealt(&[(2, 5), (3, 4)], 6), [3, 3]);
        assert!(dealt(&[], 2).is_empty());
    }
}
