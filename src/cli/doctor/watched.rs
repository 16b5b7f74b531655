//! `doctor --watch`: what comes, gets worse and goes, a line each.

use std::collections::HashMap;
use std::io::Write;
use std::time::Duration;

use serde_json::Value;

use super::super::output::Output;
use super::super::stop::Stop;
use super::super::{Outcome, finding, say, times};
use super::{Doctor, PAUSE, outcome};
use crate::args;
use crate::clock::{EpochMillis, instant};
use crate::config::Config;
use crate::queue::finding::Diagnosis;
use crate::queue::{Finding, Queue, Severity, text};

/// Prints what changes, for so long or until asked to end.
pub(super) async fn run<W: Write>(
    doctor: &mut Doctor<'_>,
    asked: &args::Doctor,
    span: Option<Duration>,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<Outcome> {
    let mut stop = Stop::listen();
    let end = span.map(|span| instant() + span);
    let mut told = Told::default();
    let mut trouble: Option<String> = None;
    loop {
        let round = tokio::select! {
            biased;
            () = stop.asked() => break,
            round = doctor.round() => round,
        };
        match round {
            Ok(all) => {
                if trouble.take().is_some() {
                    say::note("the server answers again");
                }
                told.tell(doctor, &all, &config.program(), out)?;
            }
            Err(why) => {
                let why = format!("{why:#}; trying again");
                if trouble.as_ref() != Some(&why) {
                    say::note(&why);
                    trouble = Some(why);
                }
                for queue in &mut doctor.queues {
                    queue.watch().interrupted();
                }
            }
        }
        if end.is_some_and(|end| instant() >= end) {
            break;
        }
        tokio::select! {
            () = stop.asked() => break,
            () = tokio::time::sleep(PAUSE) => {}
        }
    }
    if trouble.is_some() {
        anyhow::bail!("the server has not answered again");
    }
    Ok(outcome(told.worst, asked))
}

/// What has been told, so that it is told once.
#[derive(Default)]
struct Told {
    standing: HashMap<(Queue, &'static str), Finding>,
    worst: Option<Severity>,
}

impl Told {
    fn tell<W: Write>(
        &mut self,
        doctor: &Doctor,
        all: &[Diagnosis],
        program: &str,
        out: &mut Output<W>,
    ) -> anyhow::Result<()> {
        for (one, said) in doctor.queues.iter().zip(all) {
            let Some(at) = one.pulse().map(|pulse| pulse.at) else {
                continue;
            };
            let mut line = Line {
                queue: one.queue(),
                at,
                program,
                out,
            };
            for found in &said.findings {
                self.worst = self.worst.max(Some(found.severity));
                let key = (one.queue().clone(), found.id);
                let before = self.standing.insert(key, found.clone());
                match before.map(|before| before.severity) {
                    None => line.print("found", found)?,
                    Some(before) if before < found.severity => line.print("worse", found)?,
                    Some(before) if before > found.severity => line.print("better", found)?,
                    Some(_) => {}
                }
            }
            let gone: Vec<&'static str> = self
                .standing
                .keys()
                .filter(|(queue, id)| {
                    queue == one.queue() && !said.findings.iter().any(|found| found.id == *id)
                })
                .map(|(_, id)| *id)
                .collect();
            for id in gone {
                if let Some(found) = self.standing.remove(&(one.queue().clone(), id)) {
                    line.print("gone", &found)?;
                }
            }
        }
        out.flush()?;
        Ok(())
    }
}

struct Line<'a, W: Write> {
    queue: &'a Queue,
    at: EpochMillis,
    program: &'a str,
    out: &'a mut Output<W>,
}

impl<W: Write> Line<'_, W> {
    fn print(&mut self, event: &str, found: &Finding) -> anyhow::Result<()> {
        if self.out.is_json() {
            let mut fields = finding::fields(self.queue, found, self.program);
            fields.insert("event".into(), event.into());
            fields.insert("at_ms".into(), self.at.get().into());
            self.out.json(&Value::Object(fields))?;
            return Ok(());
        }
        let name = text::printable_bytes(self.queue.name.as_bytes());
        let time = times::local(self.at, self.at);
        let line = finding::headline(found);
        self.out
            .whole(&format!("{time}  {name}  {event:6}  {line}"))?;
        Ok(())
    }
}
