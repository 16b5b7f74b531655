//! `journal`: the changes made from this account. Needs no server.

mod change;
mod purge;

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::entries::SCREENFUL;
use super::output::{Column, Output};
use super::{CommandOutcome, NothingMatched, say, shape, times};
use crate::args;
use crate::clock::{EpochMillis, local_now};
use crate::config::Config;
use crate::ops::journal::{Journal, JournalledChange};
use crate::queue::{self, Queue, text};

/// The columns of a change's row.
pub(super) const COLUMNS: [Column; 7] = [
    Column::left("ID", 10),
    Column::left("AT", 16),
    Column::left("CHANGE", 8),
    Column::left("QUEUE", 6),
    Column::left("SERVER", 6).optional(),
    Column::right("DONE", 4),
    Column::left("ENDED", 5),
];

/// Lists the changes, shows one, or forgets some.
pub(super) async fn run<W: Write>(
    asked: &args::Journal,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let journal = Journal::of_user(config.keep_days);
    match (&asked.command, &asked.id) {
        (Some(args::JournalCommand::Purge(asked)), _) => purge::run(asked, &journal, out).await,
        (None, Some(id)) => change::run(id, asked, &journal, out).await,
        (None, None) => list(asked, &journal, out).await,
    }
}

async fn list<W: Write>(
    asked: &args::Journal,
    journal: &Journal,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let mut changes = journal.list().await?;
    if let Some(why) = journal.unreadable().await? {
        say::note(&why);
    }
    if changes.is_empty() {
        return Err(NothingMatched("the journal holds no change.".to_owned()).into());
    }
    let there_are = changes.len();
    changes.truncate(limit(asked, out));
    if out.is_json() {
        for kept in &changes {
            out.json(&Value::Object(fields(kept)))?;
        }
        return Ok(CommandOutcome::Done);
    }
    let now = local_now();
    let rows: Vec<_> = changes.iter().map(|kept| row(kept, now)).collect();
    out.table(&COLUMNS, &rows)?;
    out.flush()?;
    if asked.limit.is_none() && changes.len() < there_are {
        say::note("these are the newest 100; --limit N lists so many");
    }
    Ok(CommandOutcome::Done)
}

/// Returns the number of lines that are wanted.
fn limit<W: Write>(asked: &args::Journal, out: &Output<W>) -> usize {
    let unasked = (out.is_terminal() && !out.is_json()).then_some(SCREENFUL);
    let limit = asked.limit.or(unasked).unwrap_or(u64::MAX);
    usize::try_from(limit).unwrap_or(usize::MAX)
}

/// A change's row.
pub(super) fn row(kept: &JournalledChange, now: EpochMillis) -> Vec<String> {
    let done = kept.ended.map(|tally| tally.get(queue::Outcome::Done));
    vec![
        kept.id.clone(),
        times::local(kept.at, now),
        kept.head.change.label().to_owned(),
        queue_text(kept),
        kept.head.server.server.clone(),
        done.map_or_else(|| "?".to_owned(), text::thousands),
        state(kept),
    ]
}

/// Says how it ended, in as few words as will do.
fn state(kept: &JournalledChange) -> String {
    let Some(tally) = &kept.ended else {
        let words = if kept.under_way {
            "under way"
        } else {
            "never ended"
        };
        return words.to_owned();
    };
    if let Some(undo) = &kept.undone_by {
        return format!("undone by {undo}");
    }
    let others = queue::Outcome::ALL.into_iter().skip(1);
    let counts: Vec<String> = others
        .filter(|outcome| tally.get(*outcome) > 0)
        .map(|outcome| {
            format!(
                "{} {}",
                text::thousands(tally.get(outcome)),
                outcome.said(kept.head.change)
            )
        })
        .collect();
    if counts.is_empty() {
        "all done".to_owned()
    } else {
        counts.join(", ")
    }
}

/// The queue as people call it.
fn queue_text(kept: &JournalledChange) -> String {
    match Queue::typed(&kept.head.queue) {
        Ok(queue) => text::printable_bytes(queue.name.as_bytes()),
        Err(_) => text::printable_bytes(&kept.head.queue),
    }
}

/// A change's fields.
pub(super) fn fields(kept: &JournalledChange) -> Map<String, Value> {
    let head = &kept.head;
    let mut fields = Map::new();
    fields.insert("journal_id".into(), kept.id.as_str().into());
    fields.insert("at_ms".into(), kept.at.get().into());
    fields.insert("change".into(), head.change.word().into());
    match Queue::typed(&head.queue) {
        Ok(queue) => {
            shape::name(&mut fields, &queue.name);
            fields.insert("layout".into(), queue.layout.word().into());
        }
        Err(_) => shape::name(&mut fields, &queue::QueueName::new(head.queue.clone())),
    }
    fields.insert("planned".into(), head.planned.into());
    let done = kept.ended.map(|tally| tally.get(queue::Outcome::Done));
    fields.insert("done".into(), json!(done));
    fields.insert("undone".into(), kept.undone_by.is_some().into());
    fields.insert("ended".into(), kept.ended.is_some().into());
    fields.insert("under_way".into(), kept.under_way.into());
    let counts = kept.ended.map(|tally| {
        let count = |outcome: queue::Outcome| (outcome.word().to_owned(), tally.get(outcome));
        let counts = queue::Outcome::ALL.into_iter().map(count);
        counts.map(|(word, n)| (word, n.into())).collect()
    });
    let counts: Option<Map<String, Value>> = counts;
    fields.insert("outcomes".into(), json!(counts));
    fields.insert("bound_ms".into(), json!(head.bound.map(EpochMillis::get)));
    fields.insert("undoes".into(), json!(head.undoes));
    fields.insert("undone_by".into(), json!(kept.undone_by));
    fields.insert("who".into(), kept.who.as_str().into());
    fields.insert("server".into(), head.server.server.as_str().into());
    fields.insert("db".into(), head.server.db.into());
    fields.insert("run_id".into(), head.server.run_id.as_str().into());
    let replication_id = head.server.replication_id.as_str();
    fields.insert("replication_id".into(), replication_id.into());
    fields
}

/// A line of a change's description: what, and then what there is to say.
fn line<W: Write>(out: &mut Output<W>, what: &str, said: &str) -> io::Result<()> {
    out.line(&format!("{what:9}{said}"))
}
