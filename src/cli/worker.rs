//! `worker`: a stand-in transfer client.

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use futures_util::StreamExt as _;
use serde_json::{Map, Value, json};

use super::confirm::{confirm, protection};
use super::output::{Column, Output};
use super::session::{Session, meant};
use super::stop::StopSignal;
use super::suspend::Suspend;
use super::{CommandOutcome, say, shape, times};
use crate::args;
use crate::clock::{EpochMillis, instant};
use crate::config::Config;
use crate::ops::activity::ActivityRecord;
use crate::ops::apply::missing;
use crate::ops::journal::Journal;
use crate::ops::refresh::pulse;
use crate::ops::worker::{
    Batch, SkipReason, WorkerEvent, WorkerOptions, perhaps_moved, work_in_bulk,
};
use crate::queue::{Change, Due, Outcome as Became, Queue, redis_cli, text};
use crate::store::write::Writer;

const COLUMNS: [Column; 6] = [
    Column::left("TIME", 8),
    Column::right("MOVED", 9),
    Column::right("SKIPPED", 7),
    Column::right("LATE P50", 9),
    Column::right("LATE MAX", 9),
    Column::right("NEXT", 9),
];

/// The longest that it may take to end: what a bulk transfer has set aside is brought back.
const LAST: Duration = Duration::from_secs(5);

#[derive(Default)]
struct WorkerTotals {
    moved: u64,
    skipped: u64,
    batches: u64,
    /// Entries that may have been moved besides, at most.
    unknown: u64,
    /// Signals have ended it amid a batch.
    is_cut: bool,
}

impl WorkerTotals {
    fn count(&mut self, batch: &Batch) {
        self.moved += batch.moved as u64;
        self.skipped += batch.skipped as u64;
        self.batches += 1;
    }

    fn say(&self) {
        say::note(&format!(
            "moved {} entries in {} batches, skipped {}",
            text::thousands(self.moved),
            text::thousands(self.batches),
            text::thousands(self.skipped)
        ));
        if self.unknown > 0 {
            say::note(&perhaps_moved(self.unknown));
        }
    }
}

/// The troubles that were told, so that each is told when it begins, changes and ends, and not
/// at each attempt.
#[derive(Default)]
struct WorkerNews {
    /// Of transferring.
    transfer: Option<String>,
    /// Of listening, which fails and heals by itself.
    channel: Option<String>,
}

impl WorkerNews {
    /// Says what stands beside the output, if it is new.
    fn news(&mut self, event: &WorkerEvent, queue: &Queue) -> Option<String> {
        let (told, why) = match event {
            WorkerEvent::Trouble { why, .. } => (&mut self.transfer, why),
            WorkerEvent::Deaf { why, .. } => (&mut self.channel, why),
            WorkerEvent::WorksAgain { after } => {
                self.transfer = None;
                return Some(format!("works again after {}", span(*after)));
            }
            WorkerEvent::Listening => {
                self.channel = None;
                return Some(listening(queue));
            }
            WorkerEvent::Skipped { id, why } => return Some(format!("{id} {}", skip(*why))),
            WorkerEvent::Remark(why) => return Some(why.clone()),
            WorkerEvent::Unknown(_)
            | WorkerEvent::Batch(_)
            | WorkerEvent::Done
            | WorkerEvent::Failed(_) => return None,
        };
        let why = why.to_string();
        if told.as_ref() == Some(&why) {
            return None;
        }
        let line = format!("{why}; trying again");
        *told = Some(why);
        Some(line)
    }
}

/// Transfers until asked to end, or until nothing is left.
pub(super) async fn run<W: Write>(
    asked: &args::Worker,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let queue = meant(&asked.queue, config);
    let session = Session::open(config).await?.at(&queue).await?;
    let name = text::printable_bytes(queue.name.as_bytes());
    let what = || format!("could not work on {name:?}");
    let writer = session.store.writer().with_context(what)?;
    if !asked.yes && !agreed(&session, &queue, config).await.with_context(what)? {
        say::note("nothing was moved");
        return Ok(CommandOutcome::Partly);
    }
    let journal = Journal::of_user(config.keep_days);
    let noted = ActivityRecord::begin(&journal, &session.store, &queue, Change::Worker, [0, 0]);
    let mut noted = noted.await.with_context(what)?;
    let found = missing(&session.store, &queue).await;
    if let Some(why) = &found {
        say::note(why);
    }
    let mut totals = WorkerTotals::default();
    let worked = follow(asked, (writer, &journal), &queue, &mut totals, out).await;
    noted.count(Became::Done, totals.moved);
    noted.count(Became::Refused, totals.skipped);
    noted.count(Became::Unknown, totals.unknown);
    if let Err(why) = noted.end().await {
        say::note(&format!("the journal does not say how this ended: {why}"));
    }
    totals.say();
    if totals.is_cut {
        if queue.keys().aside.is_some() {
            say::perhaps_missing(&redis_cli::ours(session.store.endpoint()), &queue);
        }
    } else if found.is_none()
        && let Some(why) = missing(&session.store, &queue).await
    {
        say::note(&why);
    }
    worked.with_context(what)?;
    let all = !asked.until_empty || totals.skipped == 0;
    let all = all && totals.unknown == 0 && !totals.is_cut;
    Ok(if all {
        CommandOutcome::Done
    } else {
        CommandOutcome::Partly
    })
}

/// Works until it is asked to end, or has nothing left to do.
async fn follow<W: Write>(
    asked: &args::Worker,
    (writer, journal): (Writer, &Journal),
    queue: &Queue,
    totals: &mut WorkerTotals,
    out: &mut Output<W>,
) -> anyhow::Result<()> {
    let options = WorkerOptions {
        batch: asked.batch,
        until_empty: asked.until_empty,
        ..WorkerOptions::default()
    };
    let mut stop = StopSignal::listen();
    let mut suspend = Suspend::heed();
    let begin = || {
        let store = writer.store();
        work_in_bulk(store, writer.clone(), queue.clone(), options, journal)
    };
    let mut events = begin();
    if !out.is_json() {
        out.titles(&COLUMNS)?;
        out.flush()?;
    }
    let mut told = WorkerNews::default();
    let mut ends_by = None;
    // It ends, to begin again when we are continued: nothing is aside meanwhile.
    let mut suspending = false;
    loop {
        let event = tokio::select! {
            biased;
            () = suspend.asked() => {
                if suspending {
                    suspend.stop().await;
                } else {
                    say::note("stopping for a while after this batch; a second time stops at once");
                    suspending = true;
                    events.stop();
                }
                continue;
            }
            () = stop.asked() => {
                if ends_by.replace(instant() + LAST).is_some() {
                    totals.is_cut = true;
                    return Ok(());
                }
                events.stop();
                continue;
            }
            () = at(ends_by) => {
                totals.is_cut = true;
                return Ok(());
            }
            event = events.next() => event,
        };
        match event {
            None if suspending && ends_by.is_none() => {
                suspend.stop().await;
                suspending = false;
                events = begin();
            }
            None | Some(WorkerEvent::Done) => return Ok(()),
            Some(WorkerEvent::Failed(why)) => return Err(why.into()),
            Some(WorkerEvent::Batch(batch)) => {
                totals.count(&batch);
                print(queue, &batch, out)?;
            }
            Some(WorkerEvent::Unknown(most)) => totals.unknown += most,
            Some(WorkerEvent::Trouble { why, .. }) if asked.until_empty && !why.may_heal() => {
                return Err(why.into());
            }
            Some(event) => {
                if let Some(line) = told.news(&event, queue) {
                    say::note(&line);
                }
            }
        }
    }
}

/// Then, or never.
async fn at(moment: Option<Instant>) {
    match moment {
        Some(moment) => {
            let left = moment.saturating_duration_since(instant());
            tokio::time::sleep(left).await;
        }
        None => std::future::pending().await,
    }
}

async fn agreed(session: &Session, queue: &Queue, config: &Config) -> anyhow::Result<bool> {
    let seen = pulse(&session.store, queue, None).await?;
    let question = format!(
        "Move the due entries of {:?} on {} to {:?} from now on? {} wait, {} of them late; \
         clients: {}.",
        queue.name.text(),
        config.endpoint,
        String::from_utf8_lossy(&queue.keys().target),
        shape::figure(&seen.waiting),
        shape::figure(&seen.late),
        shape::figure(&seen.transfer_clients),
    );
    confirm(
        &question,
        queue,
        protection(config).as_deref(),
        "it moves entries for good, and there is no terminal to ask on. Give --yes.",
    )
}

fn print<W: Write>(queue: &Queue, batch: &Batch, out: &mut Output<W>) -> std::io::Result<()> {
    if out.is_json() {
        let mut fields = Map::new();
        fields.insert("at_ms".into(), batch.at.get().into());
        shape::name(&mut fields, &queue.name);
        fields.insert("moved".into(), batch.moved.into());
        fields.insert("skipped".into(), batch.skipped.into());
        let next = batch.next_due.map(EpochMillis::get);
        fields.insert("next_due_ms".into(), json!(next));
        fields.insert("lateness_ms".into(), json!(batch.lateness_ms()));
        out.json(&Value::Object(fields))?;
    } else {
        let late = |ms: Option<f64>| ms.map_or_else(|| "-".to_owned(), |ms| format!("{ms:.1} ms"));
        let next = |due: EpochMillis| times::left(Some(Due::At(due)), batch.at);
        let cells = [
            times::local(batch.at, batch.at),
            text::thousands(batch.moved as u64),
            text::thousands(batch.skipped as u64),
            late(batch.lateness_ms().map(|l| l.p50)),
            late(batch.lateness_ms().map(|l| l.max)),
            batch.next_due.map_or_else(|| "-".to_owned(), next),
        ];
        out.row(&COLUMNS, &cells)?;
    }
    out.flush()
}

fn listening(queue: &Queue) -> String {
    match queue.keys().channel {
        Some(channel) => format!("listening on {}", text::printable_bytes(&channel)),
        None => "at work".to_owned(),
    }
}

fn skip(why: SkipReason) -> String {
    match why {
        SkipReason::NoFrame => {
            "is due, but no client wrote it and nobody can read it: left where it is".to_owned()
        }
        SkipReason::Score(score) => {
            format!("has the score {score:e}, which is no time: left where it is")
        }
    }
}

fn span(span: Duration) -> String {
    text::span(u64::try_from(span.as_millis()).unwrap_or(u64::MAX))
}
