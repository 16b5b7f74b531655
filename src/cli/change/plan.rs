//! A plan in words, and as JSON.

use std::io::{self, Write};
use std::time::Duration;

use serde_json::{Value, json};

use super::super::output::{Output, wrapped};
use super::super::{shape, times};
use super::summary::{self, SummaryFigures, ms};
use crate::queue::asks::NameReason;
use crate::queue::plan::{Plan, Progress};
use crate::queue::{Change, Due, text};

/// Columns before the words of a row.
const INDENT: usize = 12;

/// Says what would be done to what: `delete 3 entries of orders on server/0`.
pub(super) fn headline(plan: &Plan) -> String {
    let profile = plan.profile.as_ref();
    let profile = profile.map_or_else(String::new, |name| format!(" (profile {name})"));
    format!("{} on {}{profile}", plan.headline(), plan.server)
}

/// Says why a yes is not enough.
pub(super) fn why_by_name(plan: &Plan, why: NameReason) -> String {
    let entries = text::counted(plan.done_about(), "entry", "entries");
    match (why, plan.of) {
        (NameReason::Half, Some(of)) => {
            format!("{entries} are more than half of {}", text::thousands(of))
        }
        _ => format!("{entries} are many"),
    }
}

/// The plan as a question, for a terminal of so many columns: about a single entry in one line,
/// with what it says, below what there is to know.
pub(super) fn question(plan: &Plan, columns: usize, by_name: bool) -> String {
    let about_one = plan.planned == 1 && !plan.says.is_empty() && !by_name;
    if !about_one && plan.change != Change::Kick {
        let mut lines = lines(plan, columns);
        if !by_name {
            lines.push("Go on?".to_owned());
        }
        return lines.join("\n");
    }
    let warnings = plan.warnings.iter().cloned().chain(ways(plan));
    let mut lines: Vec<String> = warnings
        .flat_map(|words| wrapped(&words, columns))
        .collect();
    lines.push(format!("{}?", one_line(plan, columns)));
    lines.join("\n")
}

/// The commands for what only the order list holds.
pub(super) const THREE_WAYS: &str = "Choose one of three, with --from order-only: `requeue` lets \
    them wait again, `deliver` transfers them, `delete` drops them.";

/// The notes on a plan, with the commands for what it leaves to people.
pub(super) fn notes(plan: &Plan) -> impl Iterator<Item = String> {
    plan.notes().cloned().chain(ways(plan))
}

fn ways(plan: &Plan) -> Option<String> {
    plan.leaves_strays.then(|| THREE_WAYS.to_owned())
}

/// Columns of the answers behind a question, and of the one that is typed.
const ANSWERS: usize = " [y/N] n".len() + 1;

/// The change of a single entry in one line: what is done, the entry's payload cut to the room that
/// there is, its id and its due time.
fn one_line(plan: &Plan, columns: usize) -> String {
    let headline = headline(plan);
    let Some((said, id)) = plan.says.first().zip(plan.first.first()) else {
        return headline;
    };
    let due = plan.oldest.map_or_else(String::new, |due| {
        format!(", {}", times::left(Some(due), plan.at))
    });
    // An id has 16 digits and a blank before them.
    let fixed = text::width(&headline) + 2 + text::width(&due) + 17 + ANSWERS;
    let said = text::cut(said, columns.saturating_sub(fixed).max(24));
    format!("{headline}: {said} {id}{due}")
}

/// Of a plan with no entries: why there is nothing to be done.
pub(super) fn nothing(plan: &Plan) -> String {
    let name = format!("{:?}", plan.queue.name.text());
    match plan.change {
        Change::Transfer => format!("nothing due was found in {name}."),
        Change::Repack => format!("every entry of {name} has that format already."),
        Change::Restore => format!("nothing of {name} is in quarantine, or none of it matched."),
        // They do not hold the same entries: a note says what is left as it is.
        Change::Drift if !plan.warnings.is_empty() => {
            format!("nothing to repair in the order list of {name}.")
        }
        Change::Undo => format!("nothing of {name} is left to be taken back."),
        change => change.idle(&name).map_or_else(
            || format!("no entry of {name} matched."),
            |why| format!("{why}."),
        ),
    }
}

/// Says how far the looking is.
pub(super) fn looked(far: &Progress) -> String {
    let [done, planned] = [far.tally.sum(), far.planned].map(text::thousands);
    format!("{}: {done} of {planned}", far.phase)
}

/// The whole plan, line by line, for a terminal of so many columns.
pub(super) fn lines(plan: &Plan, columns: usize) -> Vec<String> {
    let mut lines = vec![headline(plan)];
    let mut row = |title: &str, words: String| {
        let mut title = title;
        for part in wrapped(&words, columns.saturating_sub(INDENT)) {
            lines.push(format!("  {title:<9} {part}"));
            title = "";
        }
    };
    if let Some(words) = due(plan) {
        row("due", words);
    }
    if let Some((first, last)) = plan.new_due {
        row("new due", span_of(plan, Due::At(first), Due::At(last)));
    }
    if !plan.first.is_empty() {
        row("entries", first(plan));
    }
    if plan.change != Change::Kick {
        row("takes", takes(plan));
        row("writes", writes(plan));
    }
    if let Some((now, then)) = plan.target {
        row("target", target(now, then));
    }
    let back = match (plan.can_be_undone(), plan.may_be_consumed()) {
        (true, _) if !plan.change.is_undone_as_newest() => "with delayscope undo and its id",
        (true, false) => "with delayscope undo",
        (true, true) => "with delayscope undo, except what a consumer has taken by then",
        (false, _) => "not possible",
    };
    row("undo", back.to_owned());
    for note in notes(plan) {
        row("note", note);
    }
    lines
}

/// Prints what would be done: the plan, and the commands.
pub(super) fn print<W: Write>(plan: &Plan, out: &mut Output<W>) -> io::Result<()> {
    if out.is_json() {
        out.json(&fields(plan))?;
        return out.flush();
    }
    for line in lines(plan, out.columns().unwrap_or(usize::MAX)) {
        out.whole(&line)?;
    }
    for command in &plan.commands {
        out.whole(&format!("  {:<9} {command}", "runs"))?;
    }
    out.whole("  nothing was changed: this is a dry run")?;
    out.flush()
}

fn due(plan: &Plan) -> Option<String> {
    let (first, last) = (plan.oldest?, plan.newest?);
    Some(span_of(plan, first, last))
}

fn span_of(plan: &Plan, first: Due, last: Due) -> String {
    let shown = |due: Due| {
        let left = match due.at().map(|at| at.since(plan.at)) {
            Some(-999..1_000) => "now".to_owned(),
            Some(1_000..) => format!("in {}", times::left(Some(due), plan.at)),
            _ => times::left(Some(due), plan.at),
        };
        format!("{} ({left})", times::due(Some(due), plan.at))
    };
    if first == last {
        return shown(first);
    }
    format!("{} to {}", shown(first), shown(last))
}

/// The first entries, by what they say and their ids; by their ids alone where their bytes are not
/// known.
fn first(plan: &Plan) -> String {
    /// Entries that are named.
    const NAMED: usize = 2;
    /// Columns of what one says.
    const SAID: usize = 24;
    let named: Vec<String> = (0..NAMED).filter_map(|n| plan.named(n, SAID)).collect();
    let more = plan.planned.saturating_sub(named.len() as u64);
    let named = named.join(", ");
    match more {
        0 => named,
        more => format!("{named} and {} more", text::thousands(more)),
    }
}

fn takes(plan: &Plan) -> String {
    let method = plan.way.method();
    let method = method.map_or_else(String::new, |method| format!("; method: {method}"));
    format!(
        "about {}, Redis blocked {} at a time at most{method}",
        span(plan.cost.takes),
        span(plan.cost.longest_block),
    )
}

fn writes(plan: &Plan) -> String {
    format!(
        "{} to replicas and the append-only file, {} to the journal on this machine",
        text::bytes(plan.cost.replicated_bytes),
        text::bytes(plan.cost.journal_bytes),
    )
}

fn target(now: u64, then: u64) -> String {
    format!("{} → {}", text::thousands(now), text::thousands(then))
}

fn span(span: Duration) -> String {
    let ms = u64::try_from(span.as_millis()).unwrap_or(u64::MAX);
    match ms {
        0 => "1 ms".to_owned(),
        ms => text::span(ms),
    }
}

/// The summary of a dry run: what it would do, beside what it did, which is nothing.
fn fields(plan: &Plan) -> Value {
    let mut fields = summary::fields(&SummaryFigures {
        dry_run: true,
        planned: plan.planned,
        ..SummaryFigures::of(plan.change, &plan.queue)
    });
    let new_due = plan.new_due.map(|(first, last)| [first.get(), last.get()]);
    let cost = &plan.cost;
    let warnings: Vec<String> = plan.warnings.iter().cloned().chain(ways(plan)).collect();
    let ids: Vec<String> = plan.first.iter().map(ToString::to_string).collect();
    for (name, value) in [
        ("server", json!(plan.server)),
        ("profile", json!(plan.profile)),
        ("at_ms", json!(plan.at.get())),
        ("oldest_due_ms", shape::due_ms(plan.oldest)),
        ("newest_due_ms", shape::due_ms(plan.newest)),
        ("new_due_ms", json!(new_due)),
        ("first", json!(ids)),
        ("way", json!(plan.way.words())),
        (
            "cost",
            json!({
                "longest_block_ms": ms(cost.longest_block),
                "single_ms": ms(cost.single()),
                "takes_ms": ms(cost.takes),
                "replicated_bytes": cost.replicated_bytes,
                "journal_bytes": cost.journal_bytes,
            }),
        ),
        ("target", json!(plan.target.map(|(now, _)| now))),
        ("target_after", json!(plan.target.map(|(_, then)| then))),
        ("consumed_per_s", json!(plan.consumed_per_s)),
        ("can_be_undone", json!(plan.can_be_undone())),
        ("warnings", json!(warnings)),
        ("commands", json!(plan.commands)),
    ] {
        fields.insert(name.into(), value);
    }
    Value::Object(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_wrapped_between_words_only() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(
            wrapped("incomprehensible word", 5),
            ["incomprehensible", "word"]
        );
        assert_eq!(wrapped("日本 語", 6), ["日本", "語"]);
        assert_eq!(wrapped("one two", usize::MAX), ["one two"]);
    }
}
