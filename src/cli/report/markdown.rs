//! The bundle as Markdown: what is for people to read first comes first.

mod summary;

use std::io::{self, Write};

use super::super::output::Output;
use super::super::{entry, finding, journal, times};
use super::{Bundle, CLIENTS, clients, excerpt, shown};
use crate::config::Config;
use crate::queue::redis_cli::Programs;
use crate::queue::{Known, text};

/// Prints it.
pub(super) fn print<W: Write>(
    bundle: &Bundle,
    redact: bool,
    (config, programs): (&Config, &Programs),
    out: &mut Output<W>,
) -> anyhow::Result<()> {
    let name = text::printable_bytes(bundle.queue.name.as_bytes());
    out.whole(&format!("# Delayed queue {}", summary::plain(&name)))?;
    out.whole("")?;
    summary::print(bundle, programs, out)?;
    findings(bundle, redact, programs, out)?;
    section(out, "Figures")?;
    fenced(out, |out| bundle.shown.print(&bundle.queue, config, out))?;
    late(bundle, redact, out)?;
    server(bundle, out)?;
    changes(bundle, out)?;
    Ok(())
}

fn section<W: Write>(out: &mut Output<W>, title: &str) -> io::Result<()> {
    out.whole("")?;
    out.whole(&format!("## {title}"))?;
    out.whole("")
}

/// Prints what `print` prints, so that its columns stay.
pub(super) fn fenced<W: Write>(
    out: &mut Output<W>,
    print: impl FnOnce(&mut Output<&mut Vec<u8>>) -> io::Result<()>,
) -> io::Result<()> {
    let mut text = Vec::new();
    print(&mut Output::new(&mut text, false, None))?;
    let text = String::from_utf8_lossy(&text);
    // A payload may hold a fence of its own.
    let fence = "`".repeat(longest_run(&text).max(2) + 1);
    out.whole(&format!("{fence}text"))?;
    for line in text.lines() {
        out.whole(line)?;
    }
    out.whole(&fence)
}

/// Words that stand in a line as they are, whatever means something to Markdown in them.
fn span(words: &str) -> String {
    let words = text::printable(words);
    match longest_run(&words) {
        0 => format!("`{words}`"),
        run => {
            let fence = "`".repeat(run + 1);
            format!("{fence} {words} {fence}")
        }
    }
}

/// Counts the backticks of the longest run of them.
fn longest_run(text: &str) -> usize {
    let runs = text.split(|c| c != '`').map(str::len);
    runs.max().unwrap_or(0)
}

fn findings<W: Write>(
    bundle: &Bundle,
    redact: bool,
    programs: &Programs,
    out: &mut Output<W>,
) -> io::Result<()> {
    section(out, "Findings")?;
    let said = &bundle.said;
    if said.findings.is_empty() {
        out.whole(match said.early.first() {
            Some(_) => "Not all is decided yet; nothing else is found to be wrong.",
            None => "Nothing is found to be wrong.",
        })?;
    }
    for found in &said.findings {
        out.whole(&format!("### {}: {}", found.severity.word(), found.id))?;
        out.whole("")?;
        let by_payload = (!redact).then(|| found.told_by_payload());
        let told = by_payload.as_ref().unwrap_or(found);
        let lines = finding::lines(&bundle.queue, told, bundle.at, programs);
        fenced(out, |out| {
            out.whole(&found.headline)?;
            let rest = lines.iter().skip(1);
            rest.map(ToString::to_string)
                .try_for_each(|line| out.whole(&line))
        })?;
        out.whole("")?;
    }
    let rules = text::counted(
        u64::try_from(said.fine).unwrap_or(u64::MAX),
        "rule has looked and found nothing wrong",
        "rules have looked and found nothing wrong",
    );
    out.whole(&format!("{rules}."))?;
    for over in &bundle.over {
        let (since, until) = (over.since, over.until);
        let [since, until] = [since, until].map(|then| times::local(then, bundle.at));
        let (id, sentence) = (over.id, span(&over.sentence()));
        out.whole(&format!(
            "- earlier, from {since} to {until}: {id}: {sentence}"
        ))?;
    }
    for (id, why) in &said.blind {
        out.whole(&format!("- {id} cannot look: {}", span(why)))?;
    }
    for (id, open) in &said.early {
        out.whole(&format!(
            "- {id} needs more time: {}",
            span(&open.undecided())
        ))?;
    }
    if said.open().next().is_some() {
        let command = finding::longer("report", &bundle.queue, &programs.ours);
        out.whole(&format!("- so that all are decided: {}", span(&command)))?;
    }
    Ok(())
}

fn late<W: Write>(bundle: &Bundle, redact: bool, out: &mut Output<W>) -> io::Result<()> {
    section(out, "The entries that are late for longest")?;
    if bundle.late.is_empty() {
        return out.whole("None is late.");
    }
    fenced(out, |out| {
        out.titles(&entry::COLUMNS)?;
        for one in &bundle.late {
            entry::print(shown(bundle, one, redact), bundle.at, false, out)?;
        }
        Ok(())
    })
}

fn server<W: Write>(bundle: &Bundle, out: &mut Output<W>) -> io::Result<()> {
    section(out, "The server")?;
    let Some(look) = &bundle.look else {
        return out.whole("It has not been looked at.");
    };
    match &look.info {
        Known::Is(info) => fenced(out, |out| {
            excerpt(info)
                .into_iter()
                .try_for_each(|(name, value)| out.whole(&format!("{name}:{value}")))
        })?,
        Known::Unknown(why) => out.whole(&format!("INFO is refused: {}", span(why)))?,
        Known::None => {}
    }
    let Some(clients) = clients(look) else {
        let why = match &look.clients {
            Known::Unknown(why) => format!(": {}", span(why)),
            _ => ".".to_owned(),
        };
        return out.whole(&format!("Its clients cannot be seen{why}"));
    };
    out.whole("")?;
    out.whole(&format!(
        "{}; of them listen, wait for an element of a list, or took one last:",
        text::counted(clients.total, "client", "clients")
    ))?;
    out.whole("")?;
    fenced(out, |out| {
        for one in clients.listed.iter().take(CLIENTS) {
            out.whole(&format!("{}: {}", one.called(), one.does()))?;
        }
        Ok(())
    })
}

fn changes<W: Write>(bundle: &Bundle, out: &mut Output<W>) -> io::Result<()> {
    section(out, "Changes made from this account")?;
    match &bundle.changes {
        Err(why) => out.whole(&format!("The journal cannot be read: {}.", span(why))),
        Ok(none) if none.is_empty() => out.whole("None."),
        Ok(all) => fenced(out, |out| {
            let rows: Vec<_> = all
                .iter()
                .map(|kept| journal::row(kept, bundle.at))
                .collect();
            out.table(&journal::COLUMNS, &rows)
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_a_line_cannot_end_it() {
        assert_eq!(span("a b"), "`a b`");
        assert_eq!(span("a `` [b](c)"), "``` a `` [b](c) ```");
    }

    #[test]
    fn a_fence_is_longer_than_those_inside() {
        let mut text = Vec::new();
        let mut out = Output::new(&mut text, false, None);
        fenced(&mut out, |out| out.whole("a ```` b")).unwrap();
        assert_eq!(text, b"`````text\na ```` b\n`````\n");
    }
}
