//! `watch`: the queues again at each interval.

use std::collections::HashMap;
use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::bail;
use futures_util::StreamExt as _;
use serde_json::Value;
use tokio::time::MissedTickBehavior;

use super::output::{Column, Output};
use super::session::{Session, meant};
use super::stop::StopSignal;
use super::{CommandOutcome, NothingMatched, queues, say, shape, times};
use crate::args;
use crate::clock::instant;
use crate::config::{Config, interval};
use crate::ops::{discover::DiscoveryEvent, discover::discover, refresh::whole_pulses};
use crate::queue::finding::{self, Watch};
use crate::queue::{Queue, ServerWatch, fleet, text};

/// Queues are looked for again after this, when there are some.
const LOOK_AGAIN: Duration = Duration::from_secs(10 * 60);
/// The wait before queues are looked for again when there are none; it is at least so many times as
/// long as the last search took.
const LOOK_ON: Duration = Duration::from_secs(10);
const RESTS: u32 = 20;

/// Prints the queues until asked to end, or `count` times.
pub(super) async fn run<W: Write>(
    asked: &args::Watch,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
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
    Ok(CommandOutcome::Done)
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
    /// All keys were looked through once, as far as nodes answer.
    looked: bool,
    /// When the keys began to be looked through.
    began: Instant,
    /// The last trouble that was told, so that it is told once.
    told: Option<String>,
    /// The last words on nodes that do not answer, until all of them do.
    away: Option<String>,
    /// The queues that cannot be read while others can, and why.
    unread: HashMap<Queue, String>,
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
            began: instant(),
            told: None,
            away: None,
            unread: HashMap::new(),
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
        let mut again = None;
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
                    // These are looked for on and on; all others only when it is time again.
                    Some(DiscoveryEvent::Away { nodes, passing, .. }) => {
                        self.are_away(&nodes);
                        if again.is_none() && !(passing && count.is_some()) {
                            again = Some(instant() + self.looked_through(count)?);
                        }
                    }
                    Some(DiscoveryEvent::Done { .. }) | None => {
                        self.are_away(&[]);
                        self.looking = false;
                        if again.is_none() {
                            again = Some(instant() + self.looked_through(count)?);
                        }
                    }
                },
                () = queues::until(again), if !self.named => {
                    again = None;
                    self.looking = true;
                    self.began = instant();
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
            let unread = pulse.why_unknown().map(str::to_owned);
            if unread.is_some() {
                watch.interrupted();
            } else {
                watch.saw_lateness(queue, pulse);
                watch.saw(pulse);
            }
            let found = finding::diagnose(queue, (Some(pulse), None), watch, &self.server);
            if out.is_json() {
                let late = watch.lateness.recent();
                out.json(&Value::Object(shape::fields(queue, pulse, &found, late)))?;
            } else {
                let mut row = vec![times::local(pulse.at, pulse.at)];
                row.extend(shape::row(queue, pulse, found.worst()));
                out.row(&columns(), &row)?;
            }
            if self.unread.get(queue) != unread.as_ref() {
                let name = text::printable_bytes(queue.name.as_bytes());
                say::note(&match &unread {
                    Some(why) => format!("{name} cannot be read: {why}"),
                    None => format!("{name} is read again"),
                });
                match unread {
                    Some(why) => self.unread.insert(queue.clone(), why),
                    None => self.unread.remove(queue),
                };
            }
        }
        out.flush()?;
        Ok(())
    }

    /// All keys were looked through, as far as nodes answer; returns how long until they are again.
    fn looked_through(&mut self, count: Option<u64>) -> anyhow::Result<Duration> {
        let first = !std::mem::replace(&mut self.looked, true);
        if !self.queues.is_empty() {
            return Ok(LOOK_AGAIN);
        }
        let server = self.session.store.endpoint();
        if let Some(away) = &self.away
            && count.is_some()
        {
            bail!("no delayed queues seen in {server}, but not all was looked through: {away}");
        }
        if count.is_some() {
            let why = format!("no delayed queues in {server} to watch. Name one with --queue.");
            return Err(NothingMatched(why).into());
        }
        if first {
            say::note(&format!("no delayed queues in {server} yet; looking on"));
        }
        let took = instant().saturating_duration_since(self.began);
        Ok(LOOK_ON.max(took * RESTS))
    }

    /// Says which nodes do not answer, when they are others than before; when none is left, that
    /// they do.
    fn are_away(&mut self, nodes: &[String]) {
        let words = (!nodes.is_empty()).then(|| fleet::away(nodes));
        if words == self.away {
            return;
        }
        say::note(words.as_deref().unwrap_or("all nodes answer again"));
        self.away = words;
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
