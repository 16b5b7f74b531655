//! `queues`: every queue once; also what `delayscope` prints without a terminal.

use std::cmp::Reverse;
use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};

use super::output::Output;
use super::session::Session;
use super::stand_ins::StandIns;
use super::{CommandOutcome, NothingMatched, lateness, say, shape};
use crate::args;
use crate::clock::instant;
use crate::config::Config;
use crate::ops::entries::quarantined;
use crate::ops::refresh::{survey, whole_pulses};
use crate::ops::{discover::DiscoveryEvent, discover::discover};
use crate::queue::finding;
use crate::queue::{Optional, Queue, Severity, Survey, fleet, shell, text};
use crate::store::Store;

/// Prints the queues.
pub(super) async fn run<W: Write>(
    asked: &args::Queues,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let session = Session::open(config).await?;
    let found = found(&session, config).await?;
    if found.queues.is_empty() {
        return Err(none_found(&session, config, &found));
    }
    if !found.away.is_empty() {
        say::note(&fleet::away(&found.away));
    }
    let FoundQueues {
        mut queues,
        away,
        looked: _,
    } = found;
    queues.sort_by(|a, b| a.name.cmp(&b.name));
    let what = || format!("could not read the {} queues found", queues.len());
    let late = lateness::watched(&session, &queues, asked.span)
        .await
        .with_context(what)?;
    let seen = whole_pulses(&session.store, &queues)
        .await
        .with_context(what)?;
    let kept = quarantined(&session.store, &queues)
        .await
        .with_context(what)?;
    let surveys = surveys(&session.store, &queues).await;
    let pulses: Vec<_> = seen.iter().collect();
    let stand_ins = StandIns::look(&session.store, &pulses).await;
    if out.is_json() {
        let read = queues.iter().zip(&seen).zip(&surveys);
        for (((queue, pulse), survey), (kept, late)) in read.zip(kept.into_iter().zip(late)) {
            let found = finding::once(queue, pulse, survey.as_ref());
            let mut fields = shape::fields(queue, pulse, &found, late);
            fields.insert("quarantined".into(), json!(kept));
            let ours = stand_ins.of(queue, pulse);
            fields.insert("stand_in_workers".into(), json!(ours));
            shape::add_away(&mut fields, &away);
            out.json(&Value::Object(fields))?;
        }
        return Ok(CommandOutcome::Done);
    }
    let mut rows: Vec<_> = queues
        .iter()
        .zip(&seen)
        .zip(&surveys)
        .map(|((queue, pulse), survey)| {
            let worst = finding::once(queue, pulse, survey.as_ref()).worst();
            let late = pulse.late.get().unwrap_or(0);
            ((worst, late), shape::row(queue, pulse, worst))
        })
        .collect();
    let ill = |((worst, _), _): &((Option<Severity>, u64), _)| *worst >= Some(Severity::Warning);
    let ill = rows.iter().any(ill);
    // The worst first; equals by their names.
    rows.sort_by_key(|(urgency, _)| Reverse(*urgency));
    let rows: Vec<Vec<String>> = rows.into_iter().map(|(_, row)| row).collect();
    out.table(&shape::COLUMNS, &rows)?;
    out.flush()?;
    let overdue = seen.iter().any(shape::is_overdue);
    if overdue || ill {
        let program = config.programs().ours;
        let command = match queues.as_slice() {
            [queue] => shell::about(&program, "doctor", queue, &[]),
            _ => format!("{program} doctor"),
        };
        say::note(&if overdue {
            format!("entries are late; why: {command}")
        } else {
            format!("queues with ▲ or ✖ have problems; which: {command}")
        });
    }
    for (queue, pulse) in queues.iter().zip(&seen) {
        if let (Some(true), Some(waiting)) = (shape::differs(pulse), pulse.waiting.get()) {
            let name = text::printable_bytes(queue.name.as_bytes());
            let (sign, order) = (shape::DIFFERS, shape::figure(&pulse.order));
            let waiting = text::counted(waiting, "waits", "wait");
            let command = shell::about(&config.programs().ours, "doctor", queue, &[]);
            say::note(&format!(
                "{name}: the order list differs ({sign}): it holds {order}, and {waiting}; why: \
                 {command}"
            ));
        }
    }
    for (queue, late) in queues.iter().zip(&late) {
        if let Some(late) = late {
            let name = text::printable_bytes(queue.name.as_bytes());
            say::note(&format!("{name}: late by {}", lateness::words(late)));
        }
    }
    for (queue, kept) in queues.iter().zip(kept) {
        if let Some(kept) = kept.filter(|kept| *kept > 0) {
            let name = text::printable_bytes(queue.name.as_bytes());
            let them = text::counted(kept, "entry", "entries");
            say::note(&format!("{name}: {them} in quarantine"));
        }
    }
    for (queue, pulse) in queues.iter().zip(&seen) {
        if let Some(remark) = stand_ins.remark(queue, pulse) {
            let name = text::printable_bytes(queue.name.as_bytes());
            say::note(&format!("{name}: of its clients, {remark}"));
        }
    }
    let rows: Vec<_> = queues.iter().zip(&seen).collect();
    for remark in shape::remarks(&rows) {
        say::note(&remark);
    }
    Ok(CommandOutcome::Done)
}

/// Queues that are surveyed at the same time: their commands share packets.
const TOGETHER: usize = 64;

/// A survey of each queue, for what a pulse does not tell, such as a key that expires; none of one that
/// cannot be surveyed, whose figures are told all the same.
async fn surveys(store: &Store, queues: &[Queue]) -> Vec<Option<Survey>> {
    let each = queues.iter().map(|queue| survey(store, queue, None, None));
    let all = stream::iter(each).buffered(TOGETHER);
    all.map(Result::ok).collect().await
}

/// The queues of a server, as far as it lets us look.
pub(super) struct FoundQueues {
    /// The queues.
    pub(super) queues: Vec<Queue>,
    /// Keys that were looked through for them.
    looked: u64,
    /// Nodes of the cluster that do not answer: of theirs nothing is known.
    pub(super) away: Vec<String>,
}

/// The longest wait for nodes that will answer without anybody's doing.
const PASSES: Duration = Duration::from_secs(5);

/// Looks for the queues, unless they are named.
pub(super) async fn found(session: &Session, config: &Config) -> anyhow::Result<FoundQueues> {
    let mut found = FoundQueues {
        queues: config.queues.clone(),
        looked: 0,
        away: Vec::new(),
    };
    if !found.queues.is_empty() {
        return Ok(found);
    }
    let mut looking = std::pin::pin!(discover(&session.store, Vec::new()));
    let mut gone = std::pin::pin!(session.gone());
    let mut passes_by = None;
    loop {
        let event = tokio::select! {
            event = looking.next() => event,
            why = &mut gone => return Err(why.into()),
            () = until(passes_by) => return Ok(found),
        };
        match event {
            Some(DiscoveryEvent::Queue(queue)) => found.queues.push(queue),
            Some(DiscoveryEvent::Progress { looked, .. }) => found.looked = looked,
            Some(DiscoveryEvent::Failed(why)) => return Err(why.into()),
            Some(DiscoveryEvent::Done { looked }) => {
                (found.looked, found.away) = (looked, Vec::new());
                return Ok(found);
            }
            Some(DiscoveryEvent::Away {
                looked,
                nodes,
                passing,
            }) => {
                (found.looked, found.away) = (looked, nodes);
                if !passing {
                    return Ok(found);
                }
                passes_by.get_or_insert_with(|| instant() + PASSES);
            }
            None => return Ok(found),
        }
    }
}

/// Waits until then; for ever without a moment.
pub(super) async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment.into()).await,
        None => std::future::pending().await,
    }
}

/// The error where no queue was found: nothing matched, unless that is not known.
pub(super) fn none_found(session: &Session, config: &Config, found: &FoundQueues) -> anyhow::Error {
    let server = &config.endpoint;
    if !found.away.is_empty() {
        return anyhow!(
            "no delayed queues seen in {server}, but not all was looked through: {}",
            fleet::away(&found.away)
        );
    }
    let why = if let Some(why) = session.store.why_refused(Optional::Scan) {
        format!(
            "no delayed queues seen in {server}, and its keys cannot be looked through ({why}). \
             Name a queue with --queue."
        )
    } else {
        format!(
            "no delayed queues in {server} ({} keys looked through). Name one with --queue, or \
             choose another database with -n.",
            text::thousands(found.looked)
        )
    };
    NothingMatched(why).into()
}

/// The sentence for a queue of which there is no sign.
pub(super) fn no_such(queue: &Queue, config: &Config) -> anyhow::Error {
    NothingMatched(format!(
        "no queue {:?} on {}. `delayscope queues` lists them; a plain one is called \
         zset-list:TIMEOUTS,TARGET.",
        queue.name.text(),
        config.endpoint
    ))
    .into()
}
