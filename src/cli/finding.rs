//! A finding for people and for programs.

use std::fmt;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use serde_json::{Map, Value, json};

use super::output::Output;
use super::{shape, times};
use crate::clock::EpochMillis;
use crate::queue::change::ChangeRequest;
use crate::queue::finding::{DECIDED_MS, OpenQuestion, Step, Trend};
use crate::queue::redis_cli::Programs;
use crate::queue::{Finding, Queue, Repair, Severity, shell, text};

/// A finding's fields.
pub(super) fn fields(queue: &Queue, finding: &Finding, programs: &Programs) -> Map<String, Value> {
    let mut fields = Map::new();
    shape::name(&mut fields, &queue.name);
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    put("id", finding.id.into());
    put("severity", finding.severity.word().into());
    put("sentence", finding.sentence().into());
    let mut evidence = finding.evidence.figures.clone();
    let there = &programs.redis_cli;
    let checks: Vec<String> = finding.evidence.checks(there).collect();
    evidence.insert("words".into(), json!(finding.evidence.words));
    evidence.insert("commands".into(), json!(checks));
    put("evidence", evidence.into());
    put("repair", finding.repair.sentence.to_string().into());
    let command = command(queue, &finding.repair.step, &programs.ours);
    put("repair_command", json!(command));
    let by_hand: Vec<String> = finding.repair.by_hand(there).collect();
    put("repair_lines", json!(by_hand));
    put("follows", json!(finding.follows));
    put("headline", finding.headline.as_str().into());
    put("of_server", finding.of_server.into());
    put("since_ms", json!(finding.since.map(EpochMillis::get)));
    put("figure", json!(finding.figure));
    let per_s = finding.trend.map(|trend| trend.per_s);
    put("per_s", json!(per_s));
    fields
}

/// A line about a finding.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum FindingLine {
    /// Its severity (none while it is not decided), the problem, and the rule's name.
    Head(Option<Severity>, String, String),
    /// A sentence of its evidence, or its repair.
    Words(String),
    /// A command for a shell.
    Command(String),
}

impl FindingLine {
    /// Prints it, on a terminal broken at its width; a command stays whole.
    pub(super) fn print<W: Write>(&self, out: &mut Output<W>) -> io::Result<()> {
        match self {
            Self::Head(severity, words, id) => {
                let word = severity.map_or("unknown", Severity::word);
                let style = severity.map_or_else(Style::new, style);
                let rule = format!("[{id}]");
                out.marked((&format!("  {word:8}  "), style), words, &rule, INDENT)
            }
            Self::Words(words) => out.broken(&" ".repeat(INDENT), words, INDENT + 2),
            Self::Command(command) => out.whole(&format!("{:INDENT$}$ {command}", "")),
        }
    }
}

/// The line without severity and indent.
impl fmt::Display for FindingLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Head(_, words, id) => write!(f, "{words} [{id}]"),
            Self::Words(words) => f.write_str(words),
            Self::Command(command) => write!(f, "$ {command}"),
        }
    }
}

/// Columns before the lines about a finding.
const INDENT: usize = 12;

/// The style of a severity, in colours of the terminal's own palette.
fn style(severity: Severity) -> Style {
    let style = Style::new().bold();
    match severity {
        Severity::Critical => style.fg_color(Some(AnsiColor::Red.into())),
        Severity::Warning => style.fg_color(Some(AnsiColor::Yellow.into())),
        Severity::Note => style,
    }
}

/// A finding in lines: headline, details, what shows it, what repairs it.
pub(super) fn lines(
    queue: &Queue,
    finding: &Finding,
    at: EpochMillis,
    programs: &Programs,
) -> Vec<FindingLine> {
    use FindingLine::{Command, Head, Words};
    let id = finding.id.to_owned();
    let head = match &finding.open {
        Some(open) => Head(None, format!("{}.", open.undecided()), id),
        None => Head(Some(finding.severity), finding.headline.clone(), id),
    };
    let mut lines = vec![head];
    if !finding.details.is_empty() && finding.open.is_none() {
        lines.push(Words(finding.details.clone()));
    }
    if let Some(since) = finding.since {
        let then = times::local(since, at);
        let mut line = if finding.before {
            format!("there when watching began ({then})")
        } else {
            format!("since {then} ({} ago)", text::age(at.since(since)))
        };
        if let Some(words) = finding.trend.and_then(trend) {
            line.push_str(", ");
            line.push_str(&words);
        }
        lines.push(Words(line));
    }
    let there = &programs.redis_cli;
    lines.extend(finding.evidence.words.iter().cloned().map(Words));
    lines.extend(finding.evidence.checks(there).map(Command));
    lines.push(Words(format!("→ {}", finding.repair.sentence)));
    lines.extend(finding.repair.by_hand(there).map(Command));
    lines.extend(command(queue, &finding.repair.step, &programs.ours).map(Command));
    if let Some(ms) = finding.worsens_in_ms {
        let span = text::age(ms);
        lines.push(Words(format!(
            "If it lasts {span} longer, it is a warning; to know, look for longer:"
        )));
    }
    if finding.open.is_some() || finding.worsens_in_ms.is_some() {
        lines.push(Command(longer("doctor", queue, &programs.ours)));
    }
    lines
}

/// The fields for a rule that has not decided when it ends, in the shape of a finding.
pub(super) fn undecided(
    queue: &Queue,
    (id, open): (&str, &OpenQuestion),
    program: &str,
) -> Map<String, Value> {
    let mut fields = Map::new();
    shape::name(&mut fields, &queue.name);
    fields.insert("id".into(), id.into());
    left_open(&mut fields, open, longer("doctor", queue, program));
    fields
}

/// A finding's fields say that it was only suspected when nobody watched on.
pub(super) fn left_open(fields: &mut Map<String, Value>, open: &OpenQuestion, command: String) {
    let sentence = format!("Not yet known: {}, {}.", open.seen, open.asks);
    fields.insert("severity".into(), UNDECIDED.into());
    fields.insert("sentence".into(), sentence.into());
    fields.entry("evidence").or_insert_with(|| json!({}));
    fields.insert("repair".into(), "Watch for longer.".into());
    fields.insert("repair_command".into(), command.into());
    fields.insert("headline".into(), "A check needs more time.".into());
}

/// All of a queue in lines, with the command that waits for them.
pub(super) fn undecided_lines(
    queue: &Queue,
    early: &[(&str, OpenQuestion)],
    program: &str,
) -> Vec<FindingLine> {
    let head = |(id, open): &(&str, OpenQuestion)| {
        FindingLine::Head(None, format!("{}.", open.undecided()), (*id).to_owned())
    };
    let mut lines: Vec<FindingLine> = early.iter().map(head).collect();
    if !lines.is_empty() {
        lines.push(FindingLine::Command(longer("doctor", queue, program)));
    }
    lines
}

/// The severity of what is not yet decided.
const UNDECIDED: &str = "undecided";

/// The command that looks for so long that every rule decides.
pub(super) fn longer(command: &str, queue: &Queue, program: &str) -> String {
    let seconds = format!("--for {}s", DECIDED_MS / 1_000);
    shell::about(program, command, queue, &[&seconds])
}

/// A finding in one line, with its details.
pub(super) fn in_one_line(finding: &Finding) -> String {
    let Finding { severity, id, .. } = finding;
    format!("{:8}  {} [{id}]", severity.word(), finding.sentence())
}

/// Says how a figure moves, in words; none when it stands.
fn trend(trend: Trend) -> Option<String> {
    let per_s = trend.per_s.abs();
    if per_s < 0.05 {
        return None;
    }
    let rate = if per_s < 10.0 {
        format!("{per_s:.1}/s")
    } else {
        format!("{per_s:.0}/s")
    };
    Some(match trend.done_in_ms {
        Some(ms) => format!("shrinks by {rate}, done in {}", text::about(ms)),
        None if trend.per_s < 0.0 => format!("shrinks by {rate}"),
        None => format!("grows by {rate}"),
    })
}

/// The command that makes the repair.
pub(super) fn command(queue: &Queue, step: &Step, program: &str) -> Option<String> {
    let (command, flags) = match step {
        Step::Outside => return None,
        Step::Worker => ("worker", Vec::new()),
        // When is for people to say: an hour is time to look at them first.
        Step::WaitAgain => (
            "requeue",
            vec!["--from order-only --all --in 1h".to_owned()],
        ),
        Step::KeepOne => (
            "delete",
            vec!["--from delivered --all --keep-one".to_owned()],
        ),
        Step::Change(what) => flags(what)?,
        Step::Entry(what, entry) => {
            let (command, mut flags) = flags(what)?;
            flags.insert(0, format!("--id {}", queue.id(&entry.member)));
            (command, flags)
        }
    };
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    Some(shell::about(program, command, queue, &flags))
}

/// The subcommand of a change, and its flags; none when it has none.
fn flags(what: &ChangeRequest) -> Option<(&'static str, Vec<String>)> {
    let name = what.name();
    let repair = Repair::making(what).filter(|repair| *repair != Repair::Kick);
    let Some(flag) = repair.and_then(Repair::flag) else {
        let says_more = matches!(what, ChangeRequest::Requeue(_) | ChangeRequest::Edit(_));
        return (!says_more).then(|| (name, Vec::new()));
    };
    let more = match (what, flag.value) {
        (ChangeRequest::Realign(Some(ms)), _) => format!(" --within {ms}ms"),
        (ChangeRequest::Repack(Some(form)), _) => format!(" --form {form}"),
        (ChangeRequest::Restore, _) => " --all".to_owned(),
        (_, Some([_, only, _])) => format!(" {only}"),
        _ => String::new(),
    };
    Some(("repair", vec![format!("--{name}{more}")]))
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[test]
    fn the_command_of_a_repair_can_be_typed() {
        let queue = Queue::redisson("a b");
        let line = |step: &Step| command(&queue, step, "delayscope");
        assert_eq!(
            line(&Step::Change(ChangeRequest::Realign(Some(3_600_000)))).as_deref(),
            Some("delayscope repair 'a b' --realign --within 3600000ms")
        );
        assert_eq!(
            line(&Step::Worker).as_deref(),
            Some("delayscope worker 'a b'")
        );
        assert_eq!(line(&Step::Outside), None);
        let odd = command(
            &Queue::redisson("-q"),
            &Step::Change(ChangeRequest::Drift),
            "delayscope",
        );
        assert_eq!(odd.as_deref(), Some("delayscope repair --drift -- -q"));
    }

    #[test]
    fn what_a_repair_is_called_is_what_is_typed() {
        let queue = Queue::redisson("orders");
        let form = Some(crate::queue::Form::ByteId);
        let of_all = |repair: &&Repair| !repair.is_of_strays() && **repair != Repair::KeepOne;
        let all = Repair::ALL.iter().filter(of_all);
        let all = all.filter_map(|repair| repair.what(form, Some(600_000)));
        let named = all.map(|what| (what.name(), Step::Change(what)));
        let others = [
            ("worker", Step::Worker),
            ("requeue", Step::WaitAgain),
            ("keep-one", Step::KeepOne),
        ];
        for (name, step) in named.chain(others) {
            let line = command(&queue, &step, "delayscope").unwrap();
            assert!(line.contains(name), "{name}: {line}");
            let typed = crate::args::Args::try_parse_from(line.split(' '));
            assert!(typed.is_ok(), "{line}");
        }
    }

    #[test]
    fn a_trend_that_is_hardly_one_is_not_told() {
        let per_s = |per_s| {
            trend(Trend {
                per_s,
                done_in_ms: None,
            })
        };
        assert_eq!(per_s(0.01), None);
        assert_eq!(per_s(12.4).as_deref(), Some("grows by 12/s"));
        assert_eq!(per_s(-0.5).as_deref(), Some("shrinks by 0.5/s"));
    }
}
