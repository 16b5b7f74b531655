//! `report`: a bundle of all that is known of a queue, for those who were not there.

mod markdown;

use std::io::Write;
use std::time::Duration;

use anyhow::{Context as _, bail};
use serde_json::{Map, Value, json};

use super::doctor::Doctor;
use super::entry::EntryRecord;
use super::output::Output;
use super::session::Session;
use super::{CommandOutcome, codec, finding, journal, say, show};
use crate::args;
use crate::clock::EpochMillis;
use crate::config::Config;
use crate::ops::doctor::Examination;
use crate::ops::entries::EntryPlace;
use crate::ops::journal::{Journal, JournalledChange, ServerId};
use crate::payload::Habit;
use crate::queue::finding::{Diagnosis, PassedFinding};
use crate::queue::look::{Client, Clients, Info};
use crate::queue::redis_cli::Programs;
use crate::queue::{Due, Entry, Facts, Known, Queue, ServerLook, State, fleet, shell};
use crate::store::read;

/// Late entries that are shown.
const LATE: u32 = 20;
/// Changes that are shown.
const CHANGES: usize = 50;
/// Clients that are shown.
const CLIENTS: usize = 100;

/// Prints the bundle.
pub(super) async fn run<W: Write>(
    asked: &args::Report,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let session = Session::open(config).await?;
    let queue = which(asked.queue.as_ref(), &session, config).await?;
    let session = session.at(&queue).await?;
    let bundle = Bundle::gather(&session, queue, asked, config).await?;
    if out.is_json() {
        out.json(&bundle.object(asked.redact, &session.programs(config)))?;
    } else {
        let programs = session.programs(config);
        markdown::print(&bundle, asked.redact, (config, &programs), out)?;
    }
    Ok(CommandOutcome::Done)
}

/// The queue that was named, else the only one.
async fn which(asked: Option<&Queue>, session: &Session, config: &Config) -> anyhow::Result<Queue> {
    let (mut all, away) = super::doctor::which(asked, session, config).await?;
    if !away.is_empty() {
        say::note(&fleet::away(&away));
    }
    if all.len() > 1 {
        let names = all.iter().take(NAMED);
        let names: Vec<String> = names.map(shell::named).collect();
        let more = all.len().saturating_sub(NAMED);
        let more = if more == 0 {
            String::new()
        } else {
            format!(" and {more} more")
        };
        bail!(
            "a report is of one queue: name it. There are {}{more}",
            names.join(", ")
        );
    }
    all.pop().context("there is no queue")
}

/// Queues that are named to choose from.
const NAMED: usize = 20;

/// Everything that is told.
struct Bundle {
    queue: Queue,
    at: EpochMillis,
    shown: show::ShownQueue,
    late: Vec<Entry>,
    habit: Habit,
    said: Diagnosis,
    /// Findings that are over.
    over: Vec<PassedFinding>,
    server: String,
    facts: Facts,
    look: Option<ServerLook>,
    /// The changes of this queue on this server, the newest first; or why they cannot be told.
    changes: Result<Vec<JournalledChange>, String>,
}

impl Bundle {
    async fn gather(
        session: &Session,
        queue: Queue,
        asked: &args::Report,
        config: &Config,
    ) -> anyhow::Result<Self> {
        let shown = show::ShownQueue::read(session, &queue, config).await?;
        let mut doctor = Doctor::new(session, vec![queue.clone()]);
        doctor.recall(config).await;
        let span = asked.span.map(|span| Duration::from_millis(span.ms()));
        let said = doctor.examine(span).await?.pop().unwrap_or_default();
        let over = doctor.queues.first().map(Examination::over);
        // As things are at the end of looking: the findings and the figures shall agree.
        let shown = show::ShownQueue::read(session, &queue, config)
            .await
            .unwrap_or(shown);
        let what = || format!("could not read the late entries of {:?}", queue.name.text());
        let at = shown.pulse.at;
        let late = late(session, &queue, at).await.with_context(what)?;
        let habit = codec::voted(None, session, &queue, EntryPlace::Waiting, config).await?;
        let link = session.store.link().borrow().clone();
        Ok(Self {
            at,
            shown,
            late,
            habit,
            said,
            over: over.unwrap_or_default(),
            server: session.store.endpoint().to_string(),
            facts: link.facts.unwrap_or_default(),
            look: doctor.server.last().cloned(),
            changes: changes(session, &queue, config).await,
            queue,
        })
    }

    fn object(&self, redact: bool, programs: &Programs) -> Value {
        let entries = self.late.iter().map(|entry| shown(self, entry, redact));
        let late: Vec<Value> = entries.map(|shown| shown.fields(false)).collect();
        let found = self.said.findings.iter();
        let found = found.map(|found| Value::Object(finding::fields(&self.queue, found, programs)));
        let blind = self.said.blind.iter();
        let blind = blind.map(|(id, why)| ((*id).to_owned(), why.as_str().into()));
        let early = self.said.early.iter();
        let early = early.map(|(id, open)| ((*id).to_owned(), open.undecided().into()));
        let changes = match &self.changes {
            Ok(all) => {
                let all = all.iter();
                all.map(|kept| Value::Object(journal::fields(kept)))
                    .collect()
            }
            Err(_) => Value::Null,
        };
        json!({
            "report": "delayscope",
            "version": env!("CARGO_PKG_VERSION"),
            "at_ms": self.at.get(),
            "server": self.server,
            "redacted": redact,
            "findings": found.collect::<Vec<_>>(),
            "earlier": self.over.iter().map(earlier).collect::<Vec<_>>(),
            "rules_fine": self.said.fine,
            "rules_blind": blind.collect::<Map<String, Value>>(),
            "rules_early": early.collect::<Map<String, Value>>(),
            "decided_by": self.said.open().next().is_some()
                .then(|| finding::longer("report", &self.queue, &programs.ours)),
            "snapshot": self.shown.object(&self.queue),
            "late": late,
            "server_facts": facts(&self.facts),
            "server_info": self.look.as_ref().and_then(info),
            "clients": self.look.as_ref().and_then(clients).map(clients_value),
            "changes": changes,
        })
    }
}

/// A finding that is over.
fn earlier(over: &PassedFinding) -> Value {
    json!({
        "id": over.id,
        "severity": over.severity.word(),
        "headline": over.headline,
        "sentence": over.sentence(),
        "figure": over.figure,
        "since_ms": over.since.get(),
        "until_ms": over.until.get(),
        "times": over.times,
    })
}

/// An entry, with or without what it says.
fn shown<'a>(bundle: &Bundle, entry: &'a Entry, redact: bool) -> EntryRecord<'a> {
    let shown = EntryRecord::new(&bundle.queue, bundle.habit, entry);
    if redact { shown.redacted() } else { shown }
}

/// The entries that have been late for longest.
async fn late(session: &Session, queue: &Queue, now: EpochMillis) -> anyhow::Result<Vec<Entry>> {
    let (_, head) = read::rows_from(&session.store, &queue.keys().timeouts, 0.0, LATE).await?;
    let due = |score: f64| matches!(queue.due(score), Due::At(due) if due <= now);
    let late = head.rows.into_iter().filter(|(_, score)| due(*score));
    let entry = |(member, score)| Entry {
        member,
        score: Some(score),
        state: State::Late,
    };
    Ok(late.map(entry).collect())
}

async fn changes(
    session: &Session,
    queue: &Queue,
    config: &Config,
) -> Result<Vec<JournalledChange>, String> {
    let server = ServerId::told(&session.store).await;
    let all = Journal::of_user(config.keep_days).list().await;
    let mut all = all.map_err(|why| why.to_string())?;
    let (spec, here) = (queue.spec(), server);
    all.retain(|kept| kept.head.queue == spec && !here.differs_from(&kept.head.server));
    all.truncate(CHANGES);
    Ok(all)
}

fn facts(facts: &Facts) -> Value {
    json!({
        "product": facts.product,
        "version": facts.version,
        "role": facts.role,
        "mode": facts.mode,
        "uptime_s": facts.uptime_s,
        "arch_bits": facts.arch_bits,
        "os": facts.os,
        "run_id": facts.run_id,
        "replication_id": facts.replication_id,
    })
}

/// The fields of `INFO` that matter to delayed queues.
fn info(look: &ServerLook) -> Option<Value> {
    let lines = excerpt(look.info.get_ref()?);
    let pair = |(name, value): (&str, &str)| (name.to_owned(), Value::from(value));
    Some(Value::Object(lines.into_iter().map(pair).collect()))
}

const TOLD: [&str; 24] = [
    "used_memory",
    "used_memory_peak",
    "maxmemory",
    "maxmemory_policy",
    "mem_fragmentation_ratio",
    "evicted_keys",
    "expired_keys",
    "total_commands_processed",
    "instantaneous_ops_per_sec",
    "rejected_connections",
    "total_error_replies",
    "pubsub_channels",
    "pubsub_patterns",
    "rdb_last_bgsave_status",
    "rdb_bgsave_in_progress",
    "aof_enabled",
    "aof_last_write_status",
    "loading",
    "role",
    "connected_slaves",
    "master_link_status",
    "min_slaves_good_slaves",
    "master_failover_state",
    "cluster_enabled",
];
const COMMANDS: [&str; 12] = [
    "eval", "evalsha", "publish", "blpop", "brpop", "lpop", "rpop", "zadd", "zrem", "lrem",
    "rpush", "del",
];

fn excerpt(info: &Info) -> Vec<(&str, &str)> {
    let is_told = |name: &str| {
        let command = name.strip_prefix("cmdstat_");
        TOLD.contains(&name)
            || name.starts_with("errorstat_")
            || command.is_some_and(|command| COMMANDS.contains(&command))
    };
    let all = info.0.iter().filter(|(name, _)| is_told(name));
    all.map(|(name, value)| (name.as_str(), value.as_str()))
        .collect()
}

fn clients(look: &ServerLook) -> Option<&Clients> {
    match &look.clients {
        Known::Is(clients) => Some(clients),
        _ => None,
    }
}

fn clients_value(clients: &Clients) -> Value {
    let client = |one: &Client| {
        json!({
            "addr": one.addr,
            "name": one.name,
            "db": one.db,
            "age_s": one.age_s,
            "idle_s": one.idle_s,
            "command": one.command,
            "channels": one.channels,
            "blocked_on_list": one.blocked_on_list,
        })
    };
    let listed = clients.listed.iter().take(CLIENTS).map(client);
    json!({"total": clients.total, "listed": listed.collect::<Vec<_>>()})
}
