//! `doctor`: what is wrong, why, and what repairs it; with an exit code that programs can act on.

mod arrivals;
mod kept;
mod looks;
mod watched;

use std::collections::HashMap;
use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use serde_json::Value;

use super::output::Output;
use super::session::{Session, meant};
use super::stop::Stop;
use super::{Outcome, finding, queues, say};
use crate::args;
use crate::clock::instant;
use crate::config::Config;
use crate::ops::doctor::{Examination, look, look_again};
use crate::queue::finding::Diagnosis;
use crate::queue::redis_cli::Programs;
use crate::queue::{Layout, Queue, ServerWatch, Severity, text};

/// How long it looks when nobody says otherwise: some rules need two looks.
const SPAN: Duration = Duration::from_secs(4);
/// From one round to the next at most: as often as a screen looks.
const PAUSE: Duration = Duration::from_secs(1);

/// Looks, and says what it has found.
pub(super) async fn run<W: Write>(
    asked: &args::Doctor,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<Outcome> {
    let session = Session::open(config).await?;
    let queues = which(asked.queue.as_ref(), &session, config).await?;
    let span = asked.span.map(|span| Duration::from_millis(span.ms()));
    let mut doctor = Doctor::new(&session, queues);
    doctor.all = asked.exact;
    doctor.quiet = out.is_json();
    if asked.watch {
        return watched::run(&mut doctor, asked, span, config, out).await;
    }
    let all = doctor.examine(span.unwrap_or(SPAN)).await?;
    if asked.queue.is_some() {
        doctor.check_that_it_is_there(config)?;
    }
    print(&doctor, &all, &config.programs(), out)?;
    let worst = all.iter().filter_map(worst).max();
    Ok(outcome(worst, asked))
}

/// The queue that was named, else those of the configuration, else all that are there.
pub(super) async fn which(
    asked: Option<&Queue>,
    session: &Session,
    config: &Config,
) -> anyhow::Result<Vec<Queue>> {
    if let Some(queue) = asked {
        return Ok(vec![meant(queue, config)]);
    }
    match queues::found(session, config).await? {
        (queues, looked) if queues.is_empty() => {
            bail!(queues::none_found(session, config, looked))
        }
        (mut queues, _) => {
            queues.sort_by(|a, b| a.name.cmp(&b.name));
            Ok(queues)
        }
    }
}

fn worst(said: &Diagnosis) -> Option<Severity> {
    said.findings.iter().map(|found| found.severity).max()
}

fn outcome(worst: Option<Severity>, asked: &args::Doctor) -> Outcome {
    if worst >= Some(asked.fail_on.severity()) {
        Outcome::Partly
    } else {
        Outcome::Done
    }
}

/// Queues under examination.
pub(super) struct Doctor<'a> {
    session: &'a Session,
    /// What is known of the server.
    pub(super) server: ServerWatch,
    /// What is known of each queue.
    pub(super) queues: Vec<Examination>,
    /// All entries are looked at, however long that takes.
    all: bool,
    /// It says nothing of how far it is.
    quiet: bool,
    /// Of which queues a sample was looked at only, and how long it would take to look at all.
    sampled: Vec<(Queue, Duration)>,
    /// What could not be looked at whole, and why.
    failed: Vec<String>,
    /// Since when nothing is left of which queues.
    empty: HashMap<Queue, Instant>,
    /// Until when no other look at all entries of which queues is taken.
    rests: HashMap<Queue, Instant>,
}

impl<'a> Doctor<'a> {
    /// Of queues of which nothing is known yet.
    pub(super) fn new(session: &'a Session, queues: Vec<Queue>) -> Self {
        Self {
            session,
            server: ServerWatch::default(),
            queues: queues.into_iter().map(Examination::new).collect(),
            all: false,
            quiet: false,
            sampled: Vec::new(),
            failed: Vec::new(),
            empty: HashMap::new(),
            rests: HashMap::new(),
        }
    }

    /// Looks for so long, round by round; returns what the rules say in the end, a queue each.
    pub(super) async fn examine(&mut self, span: Duration) -> anyhow::Result<Vec<Diagnosis>> {
        let mut stop = Stop::listen();
        let end = instant() + span;
        let patience = end + span.max(SPAN);
        let pause = PAUSE.min(span / 4).max(Duration::from_millis(50));
        self.round().await?;
        let mut looks = self.looks(span);
        let mut round = instant() + pause;
        loop {
            let now = instant();
            if now >= end && looks.are_done() {
                break;
            }
            // How long a look takes was estimated for a server with time to spare.
            if now >= patience && !self.all {
                self.given_up(&looks.give_up());
                break;
            }
            // The last round comes at the end.
            let next = if now < end { round.min(end) } else { round };
            tokio::select! {
                () = stop.asked() => bail!("interrupted before it had looked for {}", words(span)),
                (queue, said) = looks.next() => { self.looked(&queue, said); }
                () = tokio::time::sleep_until(next.into()) => {
                    if next == round {
                        self.round().await?;
                        round = instant() + pause;
                    }
                }
            }
        }
        // What the server counts is told by two looks at least.
        look_again(&self.session.store, &mut self.server)
            .await
            .context("could not look at the server")?;
        self.round().await
    }

    /// One round through all queues.
    pub(super) async fn round(&mut self) -> anyhow::Result<Vec<Diagnosis>> {
        let store = &self.session.store;
        let pressing = self.queues.iter().any(Examination::presses_for_look);
        look(store, &mut self.server, pressing)
            .await
            .context("could not look at the server")?;
        let mut said = Vec::with_capacity(self.queues.len());
        for queue in &mut self.queues {
            let round = queue.round(store, &self.server).await;
            said.push(round.with_context(|| {
                format!("could not look at queue {:?}", queue.queue().name.text())
            })?);
        }
        Ok(said)
    }

    /// A name that was mistyped is no healthy queue. One of the plain layout has keys only while
    /// something is in it.
    fn check_that_it_is_there(&self, config: &Config) -> anyhow::Result<()> {
        let Some(one) = self.queues.first() else {
            return Ok(());
        };
        let there = one.pulse().is_none_or(queues::is_there);
        if there || one.queue().layout != Layout::Redisson {
            return Ok(());
        }
        // Not as something that merely did not match: it could not look.
        bail!("{:#}", queues::no_such(one.queue(), config))
    }
}

fn words(span: Duration) -> String {
    text::span(u64::try_from(span.as_millis()).unwrap_or(u64::MAX))
}

/// Prints what was found.
fn print<W: Write>(
    doctor: &Doctor,
    all: &[Diagnosis],
    programs: &Programs,
    out: &mut Output<W>,
) -> anyhow::Result<()> {
    if out.is_json() {
        for (one, said) in doctor.queues.iter().zip(all) {
            for found in &said.findings {
                let fields = finding::fields(one.queue(), found, programs);
                out.json(&Value::Object(fields))?;
            }
            for (id, far) in &said.early {
                let fields = finding::undecided(one.queue(), (id, far), &programs.ours);
                out.json(&Value::Object(fields))?;
            }
        }
    } else {
        people(doctor, all, programs, out)?;
    }
    out.flush()?;
    remarks(doctor, all);
    Ok(())
}

/// The sick queues with all that is known of them, then the healthy ones in a line.
fn people<W: Write>(
    doctor: &Doctor,
    all: &[Diagnosis],
    programs: &Programs,
    out: &mut Output<W>,
) -> anyhow::Result<()> {
    let mut told_of_server: Vec<&str> = Vec::new();
    let mut sick = 0;
    for (one, said) in doctor.queues.iter().zip(all) {
        let Some(at) = one.pulse().map(|pulse| pulse.at) else {
            continue;
        };
        sick += usize::from(!said.findings.is_empty());
        let new = |found: &&crate::queue::Finding| {
            !found.of_server || !told_of_server.contains(&found.id)
        };
        let findings: Vec<_> = said.findings.iter().filter(new).collect();
        if findings.is_empty() && said.early.is_empty() {
            continue;
        }
        out.whole(&text::printable_bytes(one.queue().name.as_bytes()))?;
        for found in &findings {
            for line in finding::lines(one.queue(), found, at, programs) {
                out.whole(&format!("  {line}"))?;
            }
        }
        for (id, far) in &said.early {
            for line in finding::undecided_lines(one.queue(), (id, far), &programs.ours) {
                out.whole(&format!("  {line}"))?;
            }
        }
        let of_server = findings.iter().filter(|found| found.of_server);
        told_of_server.extend(of_server.map(|found| found.id));
    }
    let well = all.len() - sick;
    let line = match (well, all) {
        (0, [] | [_]) => return Ok(()),
        (1, [said]) => {
            let all = doctor.queues[0].exact().map_or_else(String::new, |exact| {
                let entries = text::counted(exact.looked(), "entry", "entries");
                format!(", all {entries} looked at")
            });
            format!(
                "{}: nothing found, {} asked{}{all}",
                text::printable_bytes(doctor.queues[0].queue().name.as_bytes()),
                text::counted(u64::try_from(said.fine)?, "rule", "rules"),
                undecided(said.early.len())
            )
        }
        _ => of_several(all, [sick, well]),
    };
    out.whole(&line)?;
    Ok(())
}

/// How many queues were looked at, and in how many something was found and nothing.
fn of_several(all: &[Diagnosis], [sick, well]: [usize; 2]) -> String {
    let open = undecided(all.iter().map(|said| said.early.len()).sum());
    let found = match (sick, well) {
        (0, _) => "nothing found".to_owned(),
        (_, 0) => "something found in each".to_owned(),
        _ => format!("something found in {sick}, nothing in {well}"),
    };
    format!("{} queues looked at: {found}{open}", all.len())
}

/// How many have not decided yet: not all is well as long as one of them may find something.
fn undecided(count: usize) -> String {
    match count {
        0 => String::new(),
        n => format!(", {n} not yet decided"),
    }
}

/// What the rules could not look at: beside the output, each once.
fn remarks(doctor: &Doctor, all: &[Diagnosis]) {
    let mut told: Vec<String> = Vec::new();
    // That a key is of another type is told by its finding.
    let mut of_finding = all.iter().flat_map(|said| &said.findings);
    let wrong_type = of_finding.any(|found| found.id == "wrong-type");
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
    for (id, why) in all.iter().flat_map(|said| &said.blind) {
        tell(format!("{id} cannot be looked at: {why}"));
    }
}
