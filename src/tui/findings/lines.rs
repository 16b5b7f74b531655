//! The text of a finding, in lines: the same words in the same order wherever it stands.

use serde_json::Value;

use super::{QueueFinding, course, name, past};
use crate::queue::finding::{Act, Step};
use crate::queue::text;
use crate::tui::keys::Action;
use crate::tui::model::{Model, Pane, Screen};
use crate::tui::tabs::Tab;
use crate::tui::widget::wrap::wrapped;

/// A line of what is said of a finding.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct FindingText {
    /// The kind of its content.
    pub kind: LineKind,
    /// The words, in at most the columns that were given, unless they had to be squeezed.
    pub words: String,
}

/// The kind of a line's content.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum LineKind {
    /// The headline: severity and queue stand before it.
    Head,
    /// The rest of a headline that is longer than the screen is wide.
    Headline,
    /// The details that bear the headline out.
    Details,
    /// The time since which it holds, and whether it gets worse.
    Course,
    /// The evidence that it is concluded from.
    Evidence,
    /// The repair: true for its first line, false for the rest.
    Repair(bool),
    /// The command that does it by hand.
    Command,
    /// The findings that follow from it.
    Effects,
}

/// Columns of the mark before a repair, and of what stands below it.
pub const MARK: u16 = 2;

/// Returns the lines on what is wrong, what is to be done about it, and what bears it out: all of
/// them. Of what has gone only what it was.
#[must_use]
pub(crate) fn said(model: &Model, told: &QueueFinding, columns: usize) -> Vec<FindingText> {
    let mut lines = headline(model, told, columns);
    if told.finding.gone.is_none() {
        lines.extend(repair(model, told, columns));
        lines.extend(details(told, columns));
    }
    lines
}

/// Returns the headline, with the queue's name where that does not go without saying: in one line,
/// for which the name is cut. A screen that is narrower than a headline has it in several.
pub(super) fn headline(model: &Model, told: &QueueFinding, columns: usize) -> Vec<FindingText> {
    /// A name that is cut to less than this tells nothing.
    const SHORTEST: usize = 7;
    let headline = match past(model, told.finding) {
        // A sentence about what is wrong would say that it still is.
        Some(past) => {
            let then = told.finding.gone.unwrap_or(model.now);
            format!("{past}, was: {}", told.finding.headline_at(then))
        }
        None => told.finding.headline_at(model.now).into_owned(),
    };
    let words = match model.screen {
        _ if told.nested => format!("{} {headline}", below(model)),
        Screen::Dashboard => {
            let room = columns.saturating_sub(text::width(&headline) + 2);
            let name = name(&model.queues[told.row]);
            format!("{}: {headline}", text::cut(&name, room.max(SHORTEST)))
        }
        _ => headline,
    };
    let lines = wrapped(&words, columns).into_iter().enumerate();
    let kind = |i| {
        if i == 0 {
            LineKind::Head
        } else {
            LineKind::Headline
        }
    };
    let lines = lines.map(|(i, words)| FindingText {
        kind: kind(i),
        words,
    });
    lines.collect()
}

/// The mark before what follows from the finding above it.
pub(super) const fn below(model: &Model) -> &'static str {
    if model.look.ascii { "`-" } else { "└" }
}

/// Returns the lines that bear the headline out.
pub(super) fn details(told: &QueueFinding, columns: usize) -> Vec<FindingText> {
    if told.finding.details.is_empty() {
        return Vec::new();
    }
    let lines = wrapped(&told.finding.details_by_payload(), columns).into_iter();
    let lines = lines.map(|words| FindingText {
        kind: LineKind::Details,
        words,
    });
    lines.collect()
}

/// Returns the lines on what repairs it, and the commands that do it by hand: a line that goes on
/// ends as a shell wants it to.
pub(super) fn repair(model: &Model, told: &QueueFinding, columns: usize) -> Vec<FindingText> {
    let room = columns.saturating_sub(usize::from(MARK));
    let sentence = to_do(model, told);
    let mut lines: Vec<FindingText> = Vec::new();
    if !sentence.is_empty() {
        let sentence = wrapped(&sentence, room).into_iter().enumerate();
        lines.extend(sentence.map(|(i, words)| FindingText {
            kind: LineKind::Repair(i == 0),
            words,
        }));
    }
    for command in told.finding.repair.by_hand(&model.site.redis_cli) {
        let rows = command_rows(&format!("$ {command}"), room);
        lines.extend(rows.into_iter().map(|words| FindingText {
            kind: LineKind::Command,
            words,
        }));
    }
    lines
}

/// A command in rows of at most `columns`: broken between its words, with the mark by which a shell
/// goes on; what is longer than a row by itself is broken anywhere.
fn command_rows(command: &str, columns: usize) -> Vec<String> {
    const INDENT: &str = "    ";
    const GOES_ON: &str = " \\";
    let room = columns.saturating_sub(INDENT.len() + GOES_ON.len()).max(1);
    let mut rows: Vec<String> = Vec::new();
    let mut row = String::new();
    for word in shell_words(&text::printable(command)) {
        if !row.is_empty() && text::width(&row) + 1 + text::width(word) > room {
            rows.push(format!("{row}{GOES_ON}"));
            INDENT.clone_into(&mut row);
        } else if !row.is_empty() {
            row.push(' ');
        }
        for c in word.chars() {
            if text::width(&row) >= columns {
                rows.push(std::mem::take(&mut row));
            }
            row.push(c);
        }
    }
    rows.push(row);
    rows
}

/// The words of a command: a blank within quotes parts none.
fn shell_words(command: &str) -> Vec<&str> {
    let (mut words, mut from, mut quote) = (Vec::new(), 0, None);
    let (mut before, mut escaped) = (' ', false);
    for (at, c) in command.char_indices() {
        // In plain single quotes a backslash means nothing.
        let means = quote.is_none_or(|(_, means)| means);
        match (quote, c) {
            _ if escaped => {}
            (None, ' ') => {
                words.push(&command[from..at]);
                from = at + 1;
            }
            (None, '\'') => quote = Some((c, before == '$')),
            (None, '"') => quote = Some((c, true)),
            (Some((open, _)), c) if c == open => quote = None,
            _ => {}
        }
        escaped = !escaped && means && c == '\\';
        before = c;
    }
    words.push(&command[from..]);
    words
}

/// Says what is to be done, with the keys that do it here: those of the keymap, none where nothing
/// can be changed or they act on another queue.
#[must_use]
pub fn to_do(model: &Model, told: &QueueFinding) -> String {
    let repair = &told.finding.repair;
    if model.site.read_only {
        return repair.sentence.to_string();
    }
    let dashboard = matches!(model.screen, Screen::Dashboard);
    let elsewhere = dashboard && told.row != model.cursor;
    let in_tab = model.tab == Tab::Findings;
    if in_tab && model.focus == Pane::Entries && !is_under_cursor(model, told) {
        // There the keys are about the one under the cursor.
        return repair.sentence.to_string();
    }
    repair.sentence.told(|act| {
        let action = match act {
            // In the tab one key does what the finding asks for, whose ever it is.
            Act::Worker if in_tab && repair.step == Step::Worker => Action::Repair,
            Act::Worker => Action::Worker,
            Act::Repair => Action::Repair,
            Act::Requeue => Action::Requeue,
            Act::Delete => Action::Delete,
            Act::Transfer => Action::Transfer,
            Act::Open => Action::Palette,
        };
        let leads = matches!(action, Action::Repair | Action::Worker | Action::Transfer);
        let is_of_all = action == Action::Palette;
        let is_read = in_tab && leads && model.focus == Pane::Entries;
        if elsewhere && !is_of_all && !is_read {
            // The key is about the selected queue.
            return None;
        }
        // In the past nothing can be done.
        let keymap = Some(&model.keymap).filter(|_| model.then.is_none());
        let key = keymap?.label(action, model.look.ascii)?;
        let other = told.finding.evidence.figures.get("other");
        match (act, other.and_then(Value::as_str)) {
            (Act::Open, Some(other)) => Some(format!("{key} queue {other}")),
            _ => Some(key),
        }
    })
}

fn is_under_cursor(model: &Model, told: &QueueFinding) -> bool {
    let there = super::at_cursor(model);
    there.is_some_and(|there| (there.row, there.finding.id) == (told.row, told.finding.id))
}

/// Returns the lines on how it goes with it and on the first of what it is concluded from: what is
/// worth a free row.
fn detail(model: &Model, told: &QueueFinding, columns: usize) -> Vec<FindingText> {
    let course = course(model, told.finding);
    let evidence = told
        .finding
        .evidence_by_payload(&model.site.redis_cli)
        .next();
    let evidence = evidence.filter(|_| !told.finding.evidence.words.is_empty());
    let words: Vec<String> = course.into_iter().chain(evidence).collect();
    if words.is_empty() || told.finding.gone.is_some() {
        return Vec::new();
    }
    let lines = wrapped(&words.join("; "), columns).into_iter();
    let lines = lines.map(|words| FindingText {
        kind: LineKind::Evidence,
        words,
    });
    lines.collect()
}

/// The same in at most so many rows: where not both fit, how it goes with it, and else nothing.
fn brief_detail(
    model: &Model,
    told: &QueueFinding,
    columns: usize,
    rows: usize,
) -> Vec<FindingText> {
    let all = detail(model, told, columns);
    if all.len() <= rows {
        return all;
    }
    let course = course(model, told.finding).filter(|_| rows > 0);
    let course = course.map(|words| FindingText {
        kind: LineKind::Course,
        words,
    });
    course.into_iter().collect()
}

/// All that is said of it, with what it is concluded from.
#[must_use]
pub(crate) fn whole(model: &Model, told: &QueueFinding, columns: usize) -> Vec<FindingText> {
    let mut lines = said(model, told, columns);
    lines.extend(detail(model, told, columns));
    lines
}

/// Returns what is said of it in at most so many rows: the headline, what is to be done, the
/// details, and where there is room to spare, what it is concluded from. Where not all fits, the
/// end of it is cut, and of two rows or more one is the repair's. A row that is too long is cut by
/// who shows it.
#[must_use]
pub(crate) fn fit(
    model: &Model,
    told: &QueueFinding,
    columns: usize,
    rows: usize,
) -> Vec<FindingText> {
    if told.nested {
        return squeezed(headline(model, told, columns), rows);
    }
    let mut lines = said(model, told, columns);
    if lines.len() <= rows {
        let spare = rows - lines.len();
        lines.extend(brief_detail(model, told, columns, spare));
        return lines;
    }
    let head = headline(model, told, columns);
    let repair = repair(model, told, columns);
    if let ([head], [action, ..], 1) = (&*head, &*repair, rows)
        && told.finding.gone.is_none()
    {
        /// Fewer columns of what is to be done tell nothing.
        const SHORTEST: usize = 12;
        // Of what does not fit the end of what is to be done is cut, and never what is wrong.
        let mark = if model.look.ascii { " -> " } else { " → " };
        let room = columns.saturating_sub(text::width(&head.words) + text::width(mark));
        let (kind, mut words) = (head.kind, head.words.clone());
        if room >= SHORTEST {
            words = format!("{words}{mark}{}", action.words);
        }
        return vec![FindingText { kind, words }];
    }
    if rows < 2 || repair.is_empty() || told.finding.gone.is_some() {
        let details = details(told, columns);
        return squeezed(head.into_iter().chain(details).collect(), rows);
    }
    let head = squeezed(head, rows - 1);
    let left = rows - head.len();
    let details = details(told, columns);
    if repair.len() <= left {
        let details = squeezed(details, left - repair.len());
        return head.into_iter().chain(repair).chain(details).collect();
    }
    // The commands come first: a command that is cut is none.
    let words = told
        .finding
        .repair
        .to_do(&model.site.redis_cli, to_do(model, told));
    let room = columns.saturating_sub(usize::from(MARK));
    let words = wrapped(&text::printable(&words), room).into_iter();
    let words = words.enumerate().map(|(i, words)| FindingText {
        kind: LineKind::Repair(i == 0),
        words,
    });
    let repair = squeezed(words.collect(), left);
    head.into_iter().chain(repair).collect()
}

/// The lines in so many: the last one is as long as it takes.
pub(super) fn squeezed(mut lines: Vec<FindingText>, most: usize) -> Vec<FindingText> {
    if most == 0 {
        return Vec::new();
    }
    if lines.len() > most {
        let rest = lines.split_off(most);
        for line in rest {
            let last = &mut lines[most - 1].words;
            last.push(' ');
            last.push_str(&line.words);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use crate::tui::findings::lines::command_rows;

    #[test]
    fn a_command_is_broken_as_a_shell_reads_it() {
        let rows = |command, columns| command_rows(command, columns);
        assert_eq!(rows("$ redis-cli PING", 40), ["$ redis-cli PING"]);
        assert_eq!(
            rows("$ redis-cli RENAMENX 'a b  c' 'taken:a b  c'", 30),
            [
                "$ redis-cli RENAMENX \\",
                "    'a b  c' \\",
                "    'taken:a b  c'"
            ]
        );
        assert_eq!(
            rows(r"$ X $'a\' b' 'c'\''d e'", 16),
            [r"$ X \", r"    $'a\' b' \", r"    'c'\''d e'"]
        );
        // A backslash within a word would be another word.
        assert_eq!(
            rows("$ X 'abcdefghijkl'", 12),
            ["$ X \\", "    'abcdefg", "hijkl'"]
        );
    }
}
