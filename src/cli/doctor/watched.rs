//! `doctor --watch`: what comes, gets worse and goes, a line each; and queues that come and go.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::sync::LazyLock;
use std::time::Duration;

use serde_json::Value;

use super::super::output::Output;
use super::super::stop::StopSignal;
use super::super::{CommandOutcome, finding, say, shape, times};
use super::arrivals::{Arrival, Arrivals};
use super::hook::Hook;
use super::looks::Looks;
use super::{Doctor, PAUSE, outcome};
use crate::args;
use crate::clock::{EpochMillis, instant};
use crate::config::Config;
use crate::queue::finding::Diagnosis;
use crate::queue::redis_cli::Programs;
use crate::queue::{Finding, Queue, Severity, fleet, text};

/// Prints what changes, for so long or until asked to end.
pub(super) async fn run<W: Write>(
    doctor: &mut Doctor<'_>,
    asked: &args::Doctor,
    span: Option<Duration>,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let mut stop = StopSignal::listen();
    let end = span.map(|span| instant() + span);
    let limit = Duration::from_millis(asked.exec_limit.ms());
    let exec = asked.exec.as_deref();
    let hook = exec.map(|command| Hook::new(command, limit)).transpose()?;
    let mut told = ToldLines {
        hook,
        ..ToldLines::default()
    };
    if !doctor.away.is_empty() {
        say::note(&fleet::away(&doctor.away));
    }
    let mut trouble: Option<String> = None;
    let mut looks = doctor.no_looks();
    let all = asked.queue.is_none() && config.queues.is_empty();
    let discover = Duration::from_millis(asked.discover.ms());
    let each = all.then_some(discover);
    let mut arrivals = each.map_or_else(Arrivals::none, |each| Arrivals::new(doctor.store(), each));
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
                let programs = doctor.programs(config);
                told.tell(doctor, &all, &programs, out)?;
                told.unread(doctor);
                doctor.want_looks(&mut looks);
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
                looks.give_up();
            }
        }
        if all {
            for queue in doctor.gone(discover).await {
                told.queue_gone(&queue, doctor.now(), out)?;
            }
        }
        if end.is_some_and(|end| instant() >= end) {
            break;
        }
        if rest(doctor, (&mut stop, &mut looks, &mut arrivals), out).await? {
            break;
        }
    }
    if let Some(hook) = told.hook.take() {
        hook.end().await;
    }
    if trouble.is_some() {
        anyhow::bail!("the server has not answered again");
    }
    doctor.check_that_all_were_there()?;
    Ok(outcome(told.worst, asked))
}

/// Until the next round: looks at all entries go on, queues come; whether it is to end.
async fn rest<W: Write>(
    doctor: &mut Doctor<'_>,
    (stop, looks, arrivals): (&mut StopSignal, &mut Looks, &mut Arrivals),
    out: &mut Output<W>,
) -> anyhow::Result<bool> {
    let next = instant() + PAUSE;
    loop {
        tokio::select! {
            () = stop.asked() => return Ok(true),
            () = tokio::time::sleep_until(next.into()) => return Ok(false),
            (queue, said) = looks.next() => if let Some(line) = doctor.looked(&queue, said) {
                say::note(&line);
            },
            arrival = arrivals.next() => match arrival {
                Arrival::Queue(queue) => if doctor.add(&queue) {
                    queue_found(&queue, doctor.now(), out)?;
                },
                Arrival::Looked(away) => doctor.are_away(away),
            },
        }
    }
}

/// The lines that have been told, so that each is told once.
#[derive(Default)]
struct ToldLines {
    standing: HashMap<(Queue, &'static str), Finding>,
    worst: Option<Severity>,
    /// The queues that did not answer in the last round.
    unread: HashSet<Queue>,
    /// The command that is told besides.
    hook: Option<Hook>,
}

impl ToldLines {
    /// Says which queues do not answer any more, and which do again.
    fn unread(&mut self, doctor: &mut Doctor) {
        let unread: HashSet<Queue> = doctor
            .unread
            .iter()
            .map(|(queue, _)| queue.clone())
            .collect();
        let name = |queue: &Queue| text::printable_bytes(queue.name.as_bytes());
        for (queue, why) in &doctor.unread {
            if !self.unread.contains(queue) {
                say::note(&format!("{}: {why}; trying again", name(queue)));
            }
        }
        for queue in self.unread.difference(&unread) {
            say::note(&format!("{}: can be read again", name(queue)));
        }
        doctor.forget_unread();
        self.unread = unread;
    }

    /// A queue has gone, and with it all that was wrong with it.
    fn queue_gone<W: Write>(
        &mut self,
        queue: &Queue,
        at: EpochMillis,
        out: &mut Output<W>,
    ) -> anyhow::Result<()> {
        self.standing.retain(|(of, _), _| of != queue);
        let headline = "The queue is gone: no entry, no element, no client.";
        let found = Finding::new(QUEUE, Severity::Note, headline);
        event(queue, at, out).print("gone", &found)?;
        Ok(out.flush()?)
    }

    fn tell<W: Write>(
        &mut self,
        doctor: &Doctor,
        all: &[Diagnosis],
        programs: &Programs,
        out: &mut Output<W>,
    ) -> anyhow::Result<()> {
        for (one, said) in doctor.queues.iter().zip(all) {
            let Some(at) = one.pulse().map(|pulse| pulse.at) else {
                continue;
            };
            let mut line = WatchLine {
                queue: one.queue(),
                at,
                programs,
                away: &doctor.away,
                out,
                hook: self.hook.as_ref(),
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
                let standing = self.standing.remove(&(one.queue().clone(), id));
                let told = said.gone.iter().find(|gone| gone.id == id);
                if let Some(found) = told.or(standing.as_ref()) {
                    line.print("gone", found)?;
                }
            }
        }
        out.flush()?;
        Ok(())
    }
}

/// A queue has come.
fn queue_found<W: Write>(
    queue: &Queue,
    at: EpochMillis,
    out: &mut Output<W>,
) -> anyhow::Result<()> {
    let headline = "A queue that was not there before: it is watched too.";
    let found = Finding::new(QUEUE, Severity::Note, headline);
    event(queue, at, out).print("found", &found)?;
    Ok(out.flush()?)
}

/// The name of a rule for what is told of a queue as a whole.
const QUEUE: &str = "queue";

/// No command is told.
static NONE: LazyLock<Programs> = LazyLock::new(Programs::default);

/// A line that names no repair.
fn event<'a, W: Write>(
    queue: &'a Queue,
    at: EpochMillis,
    out: &'a mut Output<W>,
) -> WatchLine<'a, W> {
    WatchLine {
        queue,
        at,
        programs: &NONE,
        away: &[],
        out,
        hook: None,
    }
}

struct WatchLine<'a, W: Write> {
    queue: &'a Queue,
    at: EpochMillis,
    programs: &'a Programs,
    away: &'a [String],
    out: &'a mut Output<W>,
    hook: Option<&'a Hook>,
}

impl<W: Write> WatchLine<'_, W> {
    fn print(&mut self, event: &str, found: &Finding) -> anyhow::Result<()> {
        let hook = self.hook.filter(|_| event != "better");
        if hook.is_some() || self.out.is_json() {
            let mut fields = finding::fields(self.queue, found, self.programs);
            shape::add_away(&mut fields, self.away);
            fields.insert("event".into(), event.into());
            fields.insert("at_ms".into(), self.at.get().into());
            let fields = Value::Object(fields);
            if let Some(hook) = hook {
                hook.tell(fields.to_string());
            }
            if self.out.is_json() {
                return Ok(self.out.json(&fields)?);
            }
        }
        let name = text::printable_bytes(self.queue.name.as_bytes());
        let time = times::local(self.at, self.at);
        let line = finding::in_one_line(found);
        self.out
            .whole(&format!("{time}  {name}  {event:6}  {line}"))?;
        Ok(())
    }
}
