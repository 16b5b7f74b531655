//! The first words of a report: what is wrong, since when, what it does, and what repairs it.

use std::io::{self, Write};

use super::super::super::output::Output;
use super::super::super::{finding, times};
use super::super::Bundle;
use super::fenced;
use crate::clock::EpochMillis;
use crate::queue::finding::OpenQuestion;
use crate::queue::redis_cli::Programs;
use crate::queue::{Finding, Known, text};

pub(super) fn print<W: Write>(
    bundle: &Bundle,
    programs: &Programs,
    out: &mut Output<W>,
) -> io::Result<()> {
    let said = &bundle.said;
    let worst = said.findings.iter().find(|found| found.open.is_none());
    if let Some(found) = worst {
        let details = plain(&found.details);
        out.whole(format!("**{}** {details}", plain(&found.headline)).trim_end())?;
        out.whole("")?;
        out.whole(&format!("- {}: {}", found.severity.word(), found.id))?;
        out.whole(&format!("- since: {}", since(bundle, found)))?;
    } else {
        let open: Vec<String> = said.open().map(OpenQuestion::undecided).collect();
        let open = if open.is_empty() {
            String::new()
        } else {
            format!(" {}.", plain(&open.join("; ")))
        };
        out.whole(&format!("**Nothing is found to be wrong.**{open}"))?;
        out.whole("")?;
    }
    out.whole(&format!("- entries: {}", entries(bundle)))?;
    if let Some(found) = worst {
        out.whole(&format!(
            "- repair: {}",
            plain(&found.repair.sentence.to_string())
        ))?;
    }
    out.whole(&format!("- seen: {}", place(bundle)))?;
    let also: Vec<&str> = { said.findings.iter() }
        .filter(|found| worst.is_some_and(|worst| worst.id != found.id))
        .map(|found| found.id)
        .collect();
    if !also.is_empty() {
        out.whole(&format!("- found too: {}", also.join(", ")))?;
    }
    let lines = worst.map_or_else(Vec::new, |found| repairs(bundle, found, programs));
    if lines.is_empty() {
        return Ok(());
    }
    out.whole("")?;
    fenced(out, |out| lines.iter().try_for_each(|line| out.whole(line)))?;
    let by_hand = worst.is_some_and(|found| !found.repair.lines.is_empty());
    match programs.redis_cli.caveat().filter(|_| by_hand) {
        Some(caveat) => {
            out.whole("")?;
            out.whole(&plain(caveat))
        }
        None => Ok(()),
    }
}

/// The commands that repair it.
fn repairs(bundle: &Bundle, found: &Finding, programs: &Programs) -> Vec<String> {
    let by_hand = found.repair.by_hand(&programs.redis_cli);
    let ours = finding::command(&bundle.queue, &found.repair.step, &programs.ours);
    by_hand.chain(ours).collect()
}

/// Says since when a finding holds; what was there at the first look may have been there for long.
fn since(bundle: &Bundle, found: &Finding) -> String {
    let Some(since) = found.since else {
        return "nobody can tell".to_owned();
    };
    let time = times::local(since, bundle.at);
    if found.before {
        return format!("before the first look at {time}");
    }
    format!("{time}, {} ago", text::age(bundle.at.since(since)))
}

/// Says how many entries wait, are late and were delivered, and how many clients transfer.
fn entries(bundle: &Bundle) -> String {
    let pulse = &bundle.shown.pulse;
    let count = |known: &Known<u64>| known.get().map_or_else(|| "?".to_owned(), text::thousands);
    let oldest = pulse.oldest_late.map_or_else(String::new, |due| {
        format!(" (the oldest since {})", times::local(due, bundle.at))
    });
    format!(
        "{} waiting, {} late{oldest}, {} in target; clients: {}",
        count(&pulse.waiting),
        count(&pulse.late),
        count(&pulse.target),
        count(&pulse.transfer_clients)
    )
}

/// When, and on which server.
fn place(bundle: &Bundle) -> String {
    let facts = &bundle.facts;
    format!(
        "{} on {} ({} {}, {}, up {}), {} ms since the epoch, by delayscope {}",
        times::local(bundle.at, EpochMillis::new(0)),
        bundle.server,
        facts.product,
        facts.version,
        facts.role,
        text::span(facts.uptime_s.saturating_mul(1_000)),
        bundle.at.get(),
        env!("CARGO_PKG_VERSION"),
    )
}

/// Words that mean nothing to Markdown: names of queues hold anything.
pub(super) fn plain(words: &str) -> String {
    let mut plain = String::with_capacity(words.len());
    for c in text::printable(words).chars() {
        if matches!(c, '\\' | '*' | '_' | '`' | '<' | '[' | '&') {
            plain.push('\\');
        }
        plain.push(c);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_does_not_become_markup() {
        assert_eq!(plain("a_b*c `d` <e>"), "a\\_b\\*c \\`d\\` \\<e>");
    }
}
