//! `watch`: the queues again at each interval.

use std::io::Write;
use std::time::Duration;

use futures_util::StreamExt as _;
use serde_json::Value;
use tokio::time::MissedTickBehavior;

use super::output::{Column, Output};
use super::session::{Session, meant};
use super::stop::Stop;
use super::{Outcome, say, shape, times};
use crate::args;
use crate::config::{Config, interval};
use crate::ops::{discover::Found, discover::discover, refresh::pulses};
use crate::queue::{Queue, text};

/// Prints the queues until asked to end, or `count` times.
pub(super) async fn run<W: Write>(
    asked: &args::Watch,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<Outcome> {
    let every = interval(asked.interval)?.unwrap_or(config.screen.interval);
    let session = Session::open(config).await?;
    let mut watching = Watching::new(&session, asked, config);
    if !out.is_json() {
        out.titles(&columns())?;
    }
    let looks = watching.all(every, asked.count, out).await?;
    if !out.is_json() && asked.count.is_none() {
        say::note(&format!("{} looks", text::thousands(looks)));
    }
    Ok(Outcome::Done)
}

struct Watching<'a> {
    session: &'a Session,
    queues: Vec<Queue>,
    /// Queues are looked for while we watch: none was named.
    looking: bool,
    /// The last trouble that was told, so that it is told once.
    told: Option<String>,
}

impl<'a> Watching<'a> {
    fn new(session: &'a Session, asked: &args::Watch, config: &Config) -> Self {
        let named: Vec<Queue> = match &asked.queue {
            Some(queue) => vec![meant(queue, config)],
            None => config.queues.clone(),
        };
        Self {
            session,
            looking: named.is_empty(),
            queues: named,
            told: None,
        }
    }

    /// Looks until asked to end; returns how often it looked.
    async fn all<W: Write>(
        &mut self,
        every: Duration,
        count: Option<u64>,
        out: &mut Output<W>,
    ) -> anyhow::Result<u64> {
        let mut stop = Stop::listen();
        let mut ticks = tokio::time::interval(every);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let mut found = std::pin::pin!(discover(&self.session.store, Vec::new()));
        let mut looks = 0;
        while count.is_none_or(|count| looks < count) {
            // Queues are taken in first, so that the first look has those that are known at once.
            tokio::select! {
                biased;
                () = stop.asked() => break,
                found = found.next(), if self.looking => match found {
                    Some(Found::Queue(queue)) => self.queues.push(queue),
                    Some(Found::Progress { .. }) => {}
                    Some(Found::Done { .. }) | None => self.looking = false,
                },
                _ = ticks.tick() => {
                    // While nothing was found yet, looking has not begun.
                    if self.looking && self.queues.is_empty() {
                        continue;
                    }
                    self.look(out).await?;
                    looks += 1;
                }
            }
        }
        Ok(looks)
    }

    async fn look<W: Write>(&mut self, out: &mut Output<W>) -> anyhow::Result<()> {
        let seen = match pulses(&self.session.store, &self.queues).await {
            Ok(seen) => seen,
            Err(why) => {
                self.tell(&format!("{why}; trying again"));
                return Ok(());
            }
        };
        if self.told.take().is_some() {
            say::note("the server answers again");
        }
        for (queue, pulse) in self.queues.iter().zip(&seen) {
            if out.is_json() {
                out.json(&Value::Object(shape::fields(queue, pulse)))?;
            } else {
                let mut row = vec![times::local(pulse.at, pulse.at)];
                row.extend(shape::row(queue, pulse));
                out.row(&columns(), &row)?;
            }
        }
        out.flush()?;
        Ok(())
    }

    fn tell(&mut self, trouble: &str) {
        if self.told.as_deref() != Some(trouble) {
            say::note(trouble);
            self.told = Some(trouble.to_owned());
        }
    }
}

fn columns() -> Vec<Column> {
    let mut columns = vec![Column::left("TIME", 8)];
    columns.extend(shape::COLUMNS);
    columns
}
