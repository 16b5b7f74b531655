//! `doctor`: what is wrong, why, and what repairs it; with an exit code that programs can act on.

mod arrivals;
mod hook;
mod kept;
mod looks;
mod patience;
mod report;
mod watched;

use std::collections::HashMap;
use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use futures_util::{StreamExt as _, stream};

pub(super) use self::arrivals::{Arrival, Arrivals};
use super::meter::Meter;
use super::output::Output;
use super::session::{Session, meant};
use super::stop::StopSignal;
use super::{CommandOutcome, queues, say};
use crate::args;
use crate::clock::instant;
use crate::config::Config;
use crate::ops::doctor::{self, Examination, look, look_again};
use crate::ops::journal::Journal;
use crate::ops::presence::is_there;
use crate::queue::finding::{Blocker, Diagnosis, id};
use crate::queue::{Queue, ServerWatch, Severity, fleet, text};
use crate::store::StoreError;

/// The time for which it looks when nobody says otherwise: some rules need two looks.
const SPAN: Duration = Duration::from_secs(4);
/// From one round to the next at most: as often as a screen looks.
const PAUSE: Duration = Duration::from_secs(1);
/// Queues that are read at once: of hundreds on a server that is far away, a round takes no second.
const AT_ONCE: usize = 8;

/// Looks, and says what it has found.
pub(super) async fn run<W: Write>(
    asked: &args::Doctor,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let session = Session::open(config).await?;
    let (queues, away) = which(asked.queue.as_ref(), &session, config).await?;
    let span = asked.span.map(|span| Duration::from_millis(span.ms()));
    let mut doctor = Doctor::new(&session, queues);
    doctor.away = away;
    doctor.all = asked.exact;
    doctor.quiet = out.is_json();
    doctor.recall(config).await;
    if asked.watch {
        return watched::run(&mut doctor, asked, span, config, out).await;
    }
    let all = doctor.examine(span).await?;
    if asked.queue.is_some() {
        doctor.check_that_it_is_there(config).await?;
    }
    report::print(&doctor, &all, &doctor.session.programs(config), out)?;
    doctor.check_that_all_were_there()?;
    let worst = all.iter().filter_map(worst).max();
    Ok(outcome(worst, asked))
}

/// The queue that was named, else those of the configuration, else all that are there; and the nodes
/// of the cluster of whose queues nothing is known.
pub(super) async fn which(
    asked: Option<&Queue>,
    session: &Session,
    config: &Config,
) -> anyhow::Result<(Vec<Queue>, Vec<String>)> {
    if let Some(queue) = asked {
        return Ok((vec![meant(queue, config)], Vec::new()));
    }
    let mut found = queues::found(session, config).await?;
    if found.queues.is_empty() {
        // Not as something that merely did not match: it could not look.
        bail!("{:#}", queues::none_found(session, config, &found));
    }
    found.queues.sort_by(|a, b| a.name.cmp(&b.name));
    Ok((found.queues, found.away))
}

/// Returns the worst severity in a diagnosis. An order list that is aside, where the time did not
/// suffice to see whether anybody works on it, may have been left there: nobody is told that all is
/// well.
fn worst(said: &Diagnosis) -> Option<Severity> {
    let worst = said.worst();
    let early = said.early.iter().map(|(id, _)| *id);
    let open = said.findings.iter().filter(|found| found.open.is_some());
    let mut undecided = early.chain(open.map(|found| found.id));
    let perhaps_left = undecided.any(|id| id == id::SET_ASIDE);
    worst.max(perhaps_left.then_some(Severity::Warning))
}

fn outcome(worst: Option<Severity>, asked: &args::Doctor) -> CommandOutcome {
    if worst >= Some(asked.fail_on.severity()) {
        CommandOutcome::Partly
    } else {
        CommandOutcome::Done
    }
}

/// Queues under examination.
pub(super) struct Doctor<'a> {
    session: &'a Session,
    /// The server, as far as it is known.
    pub(super) server: ServerWatch,
    /// The queues, as far as they are known.
    pub(super) queues: Vec<Examination>,
    /// Nodes of the cluster that do not answer: nobody looks at their queues.
    pub(super) away: Vec<String>,
    /// Queues that did not answer in the last round, and why.
    pub(super) unread: Vec<(Queue, String)>,
    /// The last round failed, so that what is told is of the one before it: why.
    broken: Option<String>,
    /// All entries are looked at, however long that takes.
    all: bool,
    /// It says nothing of how far it is.
    quiet: bool,
    /// Queues of which only a sample was looked at, and the time that it would take to look at all.
    sampled: Vec<(Queue, Duration)>,
    /// Queues that could not be looked at whole, and why.
    failed: Vec<String>,
    /// Queues of which nothing is left, and since when.
    empty: HashMap<Queue, Instant>,
    /// The moment until which no other look at all entries of a queue is taken.
    rests: HashMap<Queue, Instant>,
    /// The queue whose transfers keep the server, by the last round that found one.
    blocker: Blocker,
}

impl<'a> Doctor<'a> {
    /// Of queues of which nothing is known yet.
    pub(super) fn new(session: &'a Session, queues: Vec<Queue>) -> Self {
        Self {
            session,
            server: ServerWatch::default(),
            queues: queues.into_iter().map(Examination::new).collect(),
            away: Vec::new(),
            unread: Vec::new(),
            broken: None,
            all: false,
            quiet: false,
            sampled: Vec::new(),
            failed: Vec::new(),
            empty: HashMap::new(),
            rests: HashMap::new(),
            blocker: Blocker::default(),
        }
    }

    /// Recalls what was done about these queues a moment ago.
    pub(super) async fn recall(&mut self, config: &Config) {
        let journal = Journal::of_user(config.keep_days);
        let (store, now) = (&self.session.store, self.session.now());
        doctor::recall(&mut self.queues, &journal, store, now).await;
    }

    /// Looks for so long, round by round; when nobody says for how long, until the
    /// questions worth waiting for are answered. Returns what the rules say in the end, a queue each.
    pub(super) async fn examine(
        &mut self,
        asked: Option<Duration>,
    ) -> anyhow::Result<Vec<Diagnosis>> {
        let mut stop = StopSignal::listen();
        let said = self.examine_for(asked.unwrap_or(SPAN), &mut stop).await?;
        match asked {
            // Whoever has interrupted it, and a server that hangs, has no more time.
            _ if self.broken.is_some() => Ok(said),
            Some(_) => Ok(said),
            None => self.until_decided(said, &mut stop).await,
        }
    }

    async fn examine_for(
        &mut self,
        span: Duration,
        stop: &mut StopSignal,
    ) -> anyhow::Result<Vec<Diagnosis>> {
        let end = instant() + span;
        let patience = end + span.max(SPAN);
        let pause = PAUSE.min(span / 4).max(Duration::from_millis(50));
        let mut said = self.round().await?;
        let mut looks = self.looks(span);
        let mut round = instant() + pause;
        let mut meter = (!self.quiet).then(Meter::new);
        loop {
            let now = instant();
            if now >= end && looks.are_done() {
                break;
            }
            if let Some(meter) = &mut meter {
                let left = end
                    .saturating_duration_since(now)
                    .as_millis()
                    .div_ceil(1_000);
                let queues = text::counted(self.queues.len() as u64, "queue", "queues");
                meter.show(&match left {
                    0 => format!("looking at {queues}: all entries are read …"),
                    s => format!("looking at {queues}, {s} s …"),
                });
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
                        let again = tokio::select! {
                            () = stop.asked() => {
                                bail!("interrupted before it had looked for {}", words(span))
                            }
                            again = self.round() => again,
                        };
                        self.take(again, &mut said);
                        round = instant() + pause;
                    }
                }
            }
        }
        if let Some(meter) = &mut meter {
            meter.clear();
        }
        tokio::select! {
            () = stop.asked() => self.broken = Some("interrupted amid its last look".to_owned()),
            last = self.last_round() => self.take(last, &mut said),
        }
        Ok(said)
    }

    /// The last round: what the server counts is told by two looks at least.
    async fn last_round(&mut self) -> anyhow::Result<Vec<Diagnosis>> {
        look_again(&self.session.store, &mut self.server)
            .await
            .context("could not look at the server")?;
        self.round().await
    }

    /// Takes what a round has shown; where it has failed, what was known before it is told: a server
    /// that hangs for a while is just what somebody wants to know the cause of.
    fn take(&mut self, round: anyhow::Result<Vec<Diagnosis>>, said: &mut Vec<Diagnosis>) {
        self.broken = match round {
            Ok(round) => {
                *said = round;
                None
            }
            Err(why) => Some(format!("{why:#}")),
        };
    }

    /// One round through all queues. One of them that does not answer keeps nobody from what is
    /// known of the others, nor of what was known of itself; fails where none of them answers.
    pub(super) async fn round(&mut self) -> anyhow::Result<Vec<Diagnosis>> {
        let store = &self.session.store;
        let pressing = self.queues.iter().any(Examination::presses_for_look);
        look(store, &mut self.server, pressing)
            .await
            .context("could not look at the server")?;
        self.tell_of_blocker();
        let server = &self.server;
        let read = self.queues.iter_mut().map(|queue| async move {
            let round = queue.round(store, server).await;
            (round, queue)
        });
        let read: Vec<_> = read.collect();
        let mut rounds = stream::iter(read).buffered(AT_ONCE);
        let (mut all, mut unread) = (Vec::new(), Vec::new());
        while let Some((round, queue)) = rounds.next().await {
            match round {
                Ok(said) => all.push(said),
                Err(why) => {
                    all.push(queue.diagnose(server));
                    let answers = matches!(why, StoreError::Refused { .. });
                    unread.push((queue.queue().clone(), why));
                    // Where none of the first answers, the others are not waited for.
                    if !answers && unread.len() == all.len() && all.len() >= AT_ONCE {
                        break;
                    }
                }
            }
        }
        drop(rounds);
        let now = instant();
        for (one, said) in self.queues.iter().zip(&all) {
            self.blocker.saw(one.queue(), &said.findings, now);
        }
        if unread.len() == all.len() && !unread.is_empty() {
            let (queue, why) = unread.swap_remove(0);
            let name = queue.name.text().into_owned();
            return Err(why).with_context(|| format!("could not look at queue {name:?}"));
        }
        let words = |(queue, why): (Queue, StoreError)| (queue, why.to_string());
        self.unread = unread.into_iter().map(words).collect();
        Ok(all)
    }

    /// Tells each queue of another one whose transfers keep the server: what comes late meanwhile
    /// is of that one.
    fn tell_of_blocker(&mut self) {
        let now = instant();
        for one in &mut self.queues {
            let other = self.blocker.of(one.queue(), now);
            one.watch().blocked_by = other;
        }
    }

    /// The queues that were read in the last round, with what was said of them.
    pub(super) fn read<'d>(
        &'d self,
        said: &'d [Diagnosis],
    ) -> Vec<(&'d Examination, &'d Diagnosis)> {
        let each = self.queues.iter().zip(said);
        let is_unread = |queue: &Queue| self.unread.iter().any(|(one, _)| one == queue);
        each.filter(|(one, _)| !is_unread(one.queue())).collect()
    }

    /// Of queues that did not answer, what was true before says nothing of what will be.
    pub(super) fn forget_unread(&mut self) {
        let Self { queues, unread, .. } = self;
        let is_unread = |queue: &Queue| unread.iter().any(|(one, _)| one == queue);
        for queue in queues.iter_mut().filter(|one| is_unread(one.queue())) {
            queue.watch().interrupted();
        }
    }

    /// Fails where the last round did.
    pub(super) fn check_that_the_last_look_was_whole(&self) -> anyhow::Result<()> {
        match &self.broken {
            Some(why) => bail!("{why}"),
            None => Ok(()),
        }
    }

    /// Takes note of which nodes do not answer, and says so when they are others.
    fn are_away(&mut self, nodes: Vec<String>) {
        if nodes == self.away {
            return;
        }
        if nodes.is_empty() {
            say::note("all nodes answer again");
        } else {
            say::note(&fleet::away(&nodes));
        }
        self.away = nodes;
    }

    /// Fails where queues may be that nobody has looked at: then nothing says that all is well.
    fn check_that_all_were_there(&self) -> anyhow::Result<()> {
        self.check_that_the_last_look_was_whole()
            .context("what is told is what was seen before")?;
        if let [(queue, why), more @ ..] = self.unread.as_slice() {
            let name = text::printable_bytes(queue.name.as_bytes());
            let others = match more.len() {
                0 => String::new(),
                n => format!(", nor at {}", text::counted(n as u64, "other", "others")),
            };
            bail!("could not look at {name}{others}: {why}");
        }
        if self.away.is_empty() {
            return Ok(());
        }
        bail!("not all queues were looked at: {}", fleet::away(&self.away))
    }

    /// A name that was mistyped is no healthy queue. One of the plain layout has keys only while
    /// something is in it.
    async fn check_that_it_is_there(&self, config: &Config) -> anyhow::Result<()> {
        let Some(one) = self.queues.first() else {
            return Ok(());
        };
        let Some(pulse) = one.pulse().filter(|_| one.queue().is_found_by_name()) else {
            return Ok(());
        };
        if is_there(&self.session.store, one.queue(), pulse).await? {
            return Ok(());
        }
        // Not as something that merely did not match: it could not look.
        bail!("{:#}", queues::no_such(one.queue(), config))
    }
}

fn words(span: Duration) -> String {
    text::span(u64::try_from(span.as_millis()).unwrap_or(u64::MAX))
}
