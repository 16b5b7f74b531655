//! The output of `doctor` when it has looked.

use std::cmp::Reverse;
use std::io::Write;

use serde_json::Value;

use super::super::output::Output;
use super::super::{finding, say, shape};
use super::{Doctor, words};
use crate::queue::finding::{Diagnosis, Rule, Severity, id};
use crate::queue::redis_cli::Programs;
use crate::queue::{Known, text};

/// Prints what was found.
pub(super) fn print<W: Write>(
    doctor: &Doctor,
    all: &[Diagnosis],
    programs: &Programs,
    out: &mut Output<W>,
) -> anyhow::Result<()> {
    if out.is_json() {
        for (one, said) in doctor.queues.iter().zip(all) {
            for found in &said.findings {
                let mut fields = finding::fields(one.queue(), found, programs);
                shape::add_away(&mut fields, &doctor.away);
                if let Some(open) = &found.open {
                    let command = finding::longer("doctor", one.queue(), &programs.ours);
                    finding::left_open(&mut fields, open, command);
                }
                out.json(&Value::Object(fields))?;
            }
            for (id, open) in &said.early {
                let mut fields = finding::undecided(one.queue(), (id, open), &programs.ours);
                shape::add_away(&mut fields, &doctor.away);
                out.json(&Value::Object(fields))?;
            }
        }
    } else {
        people(doctor, all, programs, out)?;
    }
    out.flush()?;
    remarks(doctor, all);
    if let Some(caveat) = programs.redis_cli.caveat()
        && all.iter().any(|said| !said.findings.is_empty())
    {
        say::note(caveat);
    }
    Ok(())
}

/// Prints a summary, then the queues with problems, the worst first, with all that is known of each.
fn people<W: Write>(
    doctor: &Doctor,
    all: &[Diagnosis],
    programs: &Programs,
    out: &mut Output<W>,
) -> anyhow::Result<()> {
    let summary = summary(doctor, all)?;
    let mut told = summary.is_some();
    if let Some(line) = summary {
        out.broken("", &line, 0)?;
    }
    let mut told_of_server = Vec::new();
    let mut each: Vec<_> = doctor.queues.iter().zip(all).collect();
    each.sort_by_key(|(_, said)| Reverse(said.worst()));
    for (one, said) in each {
        let at = one.pulse().map(|pulse| pulse.at);
        let at = at.unwrap_or_else(|| doctor.session.now());
        let new = |found: &&crate::queue::Finding| {
            let mut of_all = found.of_all().into_iter();
            !of_all.any(|of_all| told_of_server.contains(&of_all))
        };
        let findings: Vec<_> = said.findings.iter().filter(new).collect();
        if findings.is_empty() && said.early.is_empty() {
            continue;
        }
        if std::mem::replace(&mut told, true) {
            out.whole("")?;
        }
        out.whole(&text::printable_bytes(one.queue().name.as_bytes()))?;
        for found in &findings {
            let found = found.told_by_payload();
            for line in finding::lines(one.queue(), &found, at, programs) {
                line.print(out)?;
            }
        }
        for line in finding::undecided_lines(one.queue(), &said.early, &programs.ours) {
            line.print(out)?;
        }
        told_of_server.extend(findings.iter().filter_map(|found| found.of_all()));
    }
    Ok(())
}

/// The summary in a line; none of a single queue with problems, which stand right below.
fn summary(doctor: &Doctor, all: &[Diagnosis]) -> anyhow::Result<Option<String>> {
    let sick = all.iter().filter(|said| !said.findings.is_empty()).count();
    Ok(match (all.len() - sick, all) {
        (0, [] | [_]) => None,
        (1, [said]) => {
            let all = doctor.queues[0].exact().map_or_else(String::new, |exact| {
                let entries = text::counted(exact.looked(), "entry", "entries");
                format!(", all {entries} looked at")
            });
            Some(format!(
                "{}: nothing found, {} asked{all}{}",
                text::printable_bytes(doctor.queues[0].queue().name.as_bytes()),
                text::counted(u64::try_from(said.fine)?, "rule", "rules"),
                undecided(said.open().count(), "") + &unseen(doctor)
            ))
        }
        _ => Some(of_several(doctor, all)),
    })
}

/// Says how many of several queues have problems, how many only notes, and how much is not decided
/// yet, of which queues.
fn of_several(doctor: &Doctor, all: &[Diagnosis]) -> String {
    let each = doctor.queues.iter().zip(all);
    let unsure = each.filter(|(_, said)| said.open().next().is_some());
    let unsure: Vec<String> = unsure
        .map(|(one, _)| text::printable_bytes(one.queue().name.as_bytes()))
        .collect();
    let whose = match unsure.as_slice() {
        names @ [_, ..] if names.len() <= NAMED => format!(" of {}", names.join(", ")),
        names => format!(" of {} queues", text::thousands(names.len() as u64)),
    };
    let open = undecided(all.iter().map(|said| said.open().count()).sum(), &whose);
    let of = |holds: fn(Severity) -> bool| {
        let worst = all.iter().filter_map(Diagnosis::worst);
        worst.filter(|worst| holds(*worst)).count()
    };
    let sick = of(|worst| worst > Severity::Note);
    let notes = of(|worst| worst == Severity::Note);
    let all = all.len();
    let found = match (sick, notes) {
        (0, 0) => format!("nothing found in {all} queues"),
        (0, 1) => format!("no problems in {all} queues, only notes on 1"),
        (0, notes) => format!("no problems in {all} queues, only notes on {notes}"),
        (1, 0) => format!("1 of {all} queues has problems"),
        (1, notes) => format!("1 of {all} queues has problems, {notes} only notes"),
        (sick, 0) => format!("{sick} of {all} queues have problems"),
        (sick, notes) => format!("{sick} of {all} queues have problems, {notes} only notes"),
    };
    format!("{found}{open}{}", unseen(doctor))
}

/// Says that there may be more queues than those that were looked at.
fn unseen(doctor: &Doctor) -> String {
    match doctor.away.as_slice() {
        [] => String::new(),
        [node] => format!("; those of {node} were not looked at"),
        nodes => format!("; those of {} nodes were not looked at", nodes.len()),
    }
}

/// The most queues that the summary names.
const NAMED: usize = 3;

/// Says how many checks have not decided yet, and `whose`: not all is well as long as one of them
/// may find something.
fn undecided(count: usize, whose: &str) -> String {
    match count {
        0 => String::new(),
        1 => format!("; 1 check{whose} needs more time"),
        n => format!("; {n} checks{whose} need more time"),
    }
}

/// Says what the rules could not look at: beside the output, each once.
fn remarks(doctor: &Doctor, all: &[Diagnosis]) {
    let mut told: Vec<String> = Vec::new();
    // That a key is of another type is told by its finding.
    let mut of_finding = all.iter().flat_map(|said| &said.findings);
    let wrong_type = of_finding.any(|found| found.id == id::WRONG_TYPE);
    let mut tell = |line: String| {
        if wrong_type && line.contains("WRONGTYPE") {
            return;
        }
        if !told.contains(&line) {
            say::note(&line);
            told.push(line);
        }
    };
    for line in &doctor.failed {
        tell(line.clone());
    }
    for (queue, takes) in &doctor.sampled {
        tell(format!(
            "{}: only a sample of its entries was looked at; --exact looks at all of them, which \
             takes about {}",
            text::printable_bytes(queue.name.as_bytes()),
            words(*takes)
        ));
    }
    let clients = doctor.server.last().map(|look| &look.clients);
    if let Some(Known::Unknown(why)) = clients {
        tell(format!(
            "who takes from lists and who waits cannot be seen: {why}"
        ));
    }
    for (id, why) in all.iter().flat_map(|said| &said.blind) {
        let looks_for = Rule::looks_for(id);
        tell(format!("cannot check for {looks_for:?}: {why} [{id}]"));
    }
}
