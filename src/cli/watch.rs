//! `watch`: the queues again at each interval.

use std::collections::HashMap;
use std::io::Write;
use std::time::Duration;

use futures_util::StreamExt as _;
use serde_json::Value;
use tokio::time::MissedTickBehavior;

use super::output::{Column, Output};
use super::session::{Session, meant};
use super::stop::StopSignal;
use super::{NothingMatched, Outcome, say, shape, times};
use crate::args;
use crate::config::{Config, interval};
use crate::ops::{discover::DiscoveryEvent, discover::discover, refresh::whole_pulses};
use crate::queue::finding::{self, Watch};
use crate::queue::{Queue, ServerWatch, fleet, text};

/// Queues are looked for again after this, when there are some.
const LOOK_AGAIN: Duration = Duration::from_secs(10 * 60);
/// And after this, when there are none.
const LOOK_ON: Duration = Duration::from_secs(10);

/// Prints the queues until asked to end, or `count` times.
pub(super) async fn run<W: Write>(
    asked: &args::Watch,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<Outcome> {
    let every = interval(asked.interval)?.unwrap_or(config.screen.interval);
    let session = Session::open(config).await?;
    let mut watching = WatchCommand::new(&session, asked, config);
    if !out.is_json() {
        out.titles(&columns())?;
    }
    let looks = watching.all(every, asked.count, out).await?;
    if !out.is_json() && asked.count.is_none() {
        say::note(&format!("{} looks", text::thousands(looks)));
    }
    Ok(Outcome::Done)
}

struct WatchCommand<'a> {
    session: &'a Session,
    queues: Vec<Queue>,
    /// The memory of the rules for each.
    watches: HashMap<Queue, Watch>,
    /// The server for the rules: nothing is asked for them here.
    server: ServerWatch,
    /// They were named; no others are looked for.
    named: bool,
    /// Others are being looked for.
    looking: bool,
    /// All keys were looked through once.
    looked: bool,
    /// The last trouble that was told, so that it is told once.
    told: Option<String>,
}

impl<'a> WatchCommand<'a> {
    fn new(session: &'a Session, asked: &args::Watch, config: &Config) -> Self {
        let named: Vec<Queue> = match &asked.queue {
            Some(queue) => vec![meant(queue, config)],
            None => config.queues.clone(),
        };
        Self {
            session,
            named: !named.is_empty(),
            looking: named.is_empty(),
            queues: named,
            watches: HashMap::new(),
            server: ServerWatch::default(),
            looked: false,
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
        let mut stop = StopSignal::listen();
        let mut ticks = tokio::time::interval(every);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let mut found = std::pin::pin!(discover(&self.session.store, Vec::new()));
        let mut again = std::pin::pin!(tokio::time::sleep(Duration::ZERO));
        let mut looks = 0;
        while count.is_none_or(|count| looks < count) {
            // Queues are taken in first, so that the first look has those that are known at once.
            tokio::select! {
                biased;
                () = stop.asked() => break,
                found = found.next(), if self.looking => match found {
                    Some(DiscoveryEvent::Queue(queue)) if self.queues.contains(&queue) => {}
                    Some(DiscoveryEvent::Queue(queue)) => {
                        if self.queues.is_empty() {
                            ticks.reset_immediately();
                        }
                        self.queues.push(queue);
                    }
                    Some(DiscoveryEvent::Progress { .. }) => {}
                    Some(DiscoveryEvent::Failed(why)) => return Err(why.into()),
                    Some(DiscoveryEvent::Away { nodes, .. }) => {
                        self.tell(&fleet::away(&nodes));
                        let rest = self.looked_through(count)?;
                        again.set(tokio::time::sleep(rest.min(LOOK_ON)));
                    }
                    Some(DiscoveryEvent::Done { .. }) | None => {
                        again.set(tokio::time::sleep(self.looked_through(count)?));
                    }
                },
                () = &mut again, if !self.looking && !self.named => {
                    self.looking = true;
                    found.set(discover(&self.session.store, Vec::new()));
                }
                _ = ticks.tick(), if !self.queues.is_empty() => {
                    self.look(out).await?;
                    looks += 1;
                }
            }
        }
        Ok(looks)
    }

    async fn look<W: Write>(&mut self, out: &mut Output<W>) -> anyhow::Result<()> {
        let seen = match whole_pulses(&self.session.store, &self.queues).await {
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
            let watch = self.watches.entry(queue.clone()).or_default();
            watch.saw_lateness(queue, pulse);
            watch.saw(pulse);
            let found = finding::diagnose(queue, (Some(pulse), None), watch, &self.server);
            if out.is_json() {
                let late = watch.lateness.recent();
                out.json(&Value::Object(shape::fields(queue, pulse, &found, late)))?;
            } else {
                let mut row = vec![times::local(pulse.at, pulse.at)];
                row.extend(shape::row(queue, pulse, found.worst()));
                out.row(&columns(), &row)?;
            }
        }
        out.flush()?;
        Ok(())
    }

    /// All keys were looked through; returns how long until they are again.
    fn looked_through(&mut self, count: Option<u64>) -> anyhow::Result<Duration> {
        let first = !std::mem::replace(&mut self.looked, true);
        self.looking = false;
        if !self.queues.is_empty() {
            return Ok(LOOK_AGAIN);
        }
        let server = self.session.store.endpoint();
        if count.is_some() {
            let why = format!("no delayed queues in {server} to watch. Name one with --queue.");
            return Err(NothingMatched(why).into());
        }
        if first {
            say::note(&format!("no delayed queues in {server} yet; looking on"));
        }
        Ok(LOOK_ON)
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
