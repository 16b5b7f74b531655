//! The summary of the rules where nothing is wrong, and where they cannot say that yet.

use std::collections::HashSet;

use super::{name, rows};
use crate::queue::finding::{RULES, Step, blocked_by, may_wait_for_the_server};
use crate::queue::text;
use crate::tui::keys::Action;
use crate::tui::model::{self, Model, Screen};
use crate::tui::queues::QueueRow;
use crate::tui::queues::queries::is_fresh;

/// The summary of the rules where nothing is wrong.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct CalmSummary {
    /// Number of rules that have looked and found nothing in any queue.
    pub fine: usize,
    /// The rules that cannot look, each once, and why.
    pub blind: Vec<(&'static str, String)>,
    /// Lines on what is not known yet, worst first: as long as there is any of it, nothing is well.
    pub open: Vec<String>,
}

/// Counts the rules that found nothing.
#[must_use]
pub fn calm(model: &Model) -> CalmSummary {
    let (mut found, mut looked) = (HashSet::new(), 0);
    let mut blind: Vec<(&'static str, String)> = Vec::new();
    let mut early: Vec<(&'static str, String)> = Vec::new();
    for (_, row) in rows(model) {
        // Who waits for the server is looked at when it answers again.
        let waits = |id: &str| row.watch.blocked_by.is_some() && may_wait_for_the_server(id);
        for (id, how_far) in row.early.iter().filter(|(id, _)| !waits(id)) {
            if !early.iter().any(|(known, _)| known == id) {
                early.push((id, format!("{}{how_far}", whose(model, row))));
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
    let early = early.into_iter().map(|(_, words)| words);
    CalmSummary {
        fine: looked.min(RULES.len()).saturating_sub(spoken),
        blind,
        open: repaired(model)
            .chain(unexplained(model))
            .chain(early)
            .chain(looking(model))
            .collect(),
    }
}

/// Names the queue that it belongs to, where that does not go without saying.
fn whose(model: &Model, row: &QueueRow) -> String {
    match model.screen {
        Screen::Dashboard => format!("{}: ", name(row)),
        _ => String::new(),
    }
}

/// After a change of ours, before this has passed, in ms, nobody can say that it has not helped: a
/// client tries again within five seconds.
const HELPS_MS: i64 = 10_000;

/// Tells how it goes since a repair, while entries are late: whether they get fewer, and else what comes
/// next.
fn repaired(model: &Model) -> impl Iterator<Item = String> {
    let all = rows(model).filter_map(|(_, row)| Some((row, row.watch.aftermath()?)));
    all.map(|(row, since)| {
        let whose = whose(model, row);
        let (word, ago) = (since.change.label(), text::age(since.ago_ms));
        let late = text::thousands(since.late);
        match since.falling {
            Some(true) => format!("{whose}repaired ({word}, {ago} ago): {late} late and falling"),
            Some(false) if since.ago_ms >= HELPS_MS => {
                let next = next_repair(model, row);
                format!("{whose}not cured ({word}, {ago} ago), {late} late: next → {next}")
            }
            _ => format!("{whose}repaired ({word}, {ago} ago): {late} late, do they get fewer?"),
        }
    })
}

/// The repair that is left to be tried.
fn next_repair(model: &Model, row: &QueueRow) -> String {
    let found = row.findings.iter().find(|found| found.open.is_none());
    let step = found.map_or(&Step::Outside, |found| &found.repair.step);
    let (action, words) = match step {
        Step::Worker => (Action::Worker, "start a worker"),
        Step::Outside => (Action::Kick, "wake the clients"),
        Step::Change(_) | Step::Entry(..) | Step::WaitAgain | Step::KeepOne => {
            (Action::Repair, "the repair")
        }
    };
    let label = model.keymap.label(action, model.look.ascii);
    label.map_or_else(|| words.to_owned(), |key| format!("{words} ({key})"))
}

/// The queues in which entries are late and no rule has said why.
fn unexplained(model: &Model) -> impl Iterator<Item = String> {
    let now = model::now(model);
    let late = rows(model).filter_map(move |(_, row)| Some((row, row.late_since(now)?)));
    let late = late.filter(|(row, _)| row.worst().is_none() && row.watch.aftermath().is_none());
    late.map(move |(row, since)| {
        let late = row.pulse.as_ref().and_then(|pulse| pulse.late.get());
        let late = late.map_or_else(|| "?".to_owned(), text::thousands);
        let read = row.pulse.as_ref().map_or(now, |pulse| now.min(pulse.at));
        let read = if is_fresh(model, row) { now } else { read };
        let oldest = text::age(read.since(since));
        let whose = whose(model, row);
        if row.is_abandoned() {
            return format!("{whose}No Redisson client listens here: {late} late, oldest {oldest}");
        }
        if let Some(blocker) = &row.watch.blocked_by {
            let told = blocked_by(blocker);
            return format!("{whose}{late} late, oldest {oldest}: {told}");
        }
        let blind = match row.blind.len() {
            0 => String::new(),
            1 => ", and 1 check is blind".to_owned(),
            n => format!(", and {n} checks are blind"),
        };
        format!("{whose}{late} late, oldest {oldest}, checking why …{blind}")
    })
}

/// Says how many of the queues the rules have looked at; none when that is all of them.
fn looking(model: &Model) -> Option<String> {
    let all = rows(model).count();
    let to_come = rows(model).filter(|(_, row)| !row.is_looked_at()).count();
    match (to_come, all) {
        (0, _) => None,
        (_, 1) => Some("checking".to_owned()),
        _ => {
            let looked = text::thousands((all - to_come) as u64);
            let all = text::thousands(all as u64);
            Some(format!("checking: {looked} of {all} queues read"))
        }
    }
}
