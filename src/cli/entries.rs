//! `entries`: the entries of a queue, one line each, as they are read.

use std::io::Write;

use anyhow::Context as _;
use futures_util::StreamExt as _;

use super::codec;
use super::entry::{COLUMNS, EntryRecord, print};
use super::output::Output;
use super::pick::CheckedPick;
use super::session::{Session, meant};
use super::{CommandOutcome, NothingMatched, queues, say};
use crate::args;
use crate::config::Config;
use crate::ops::entries::entries;
use crate::ops::presence::is_there;
use crate::ops::refresh::pulse;
use crate::queue::Queue;

/// Entries that a terminal gets when nobody says how many.
pub(super) const SCREENFUL: u64 = 100;
/// Entries that are written before they are let be seen.
const TOGETHER: u64 = 64;

/// Prints the entries that were asked for.
pub(super) async fn run<W: Write>(
    asked: &args::Entries,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let picked = CheckedPick::of(&asked.pick)?;
    let queue = meant(&asked.queue, config);
    let session = Session::open(config).await?.at(&queue).await?;
    let what = || format!("could not read the entries of {:?}", queue.name.text());
    check_that_it_is_there(&session, &queue, config, what).await?;
    let named = asked.payloads.codec.as_deref();
    let habit = codec::voted(named, &session, &queue, picked.from, config).await?;
    let now = session.now();
    let unasked = !asked.all && asked.limit.is_none() && out.is_terminal() && !out.is_json();
    let limit = asked.limit.or(unasked.then_some(SCREENFUL));
    let selection = picked.selection(now, habit, limit);
    let filter = selection.filter.clone();
    let mut reading = std::pin::pin!(entries(&session.store, &queue, selection));
    let mut count = 0;
    while let Some(entry) = reading.next().await {
        let entry = entry.with_context(what)?;
        if count == 0 && !out.is_json() {
            out.titles(&COLUMNS)?;
        }
        let now = session.now();
        print(
            EntryRecord::new(&queue, habit, &entry),
            now,
            asked.payloads.raw,
            out,
        )?;
        count += 1;
        if count % TOGETHER == 0 {
            out.flush()?;
        }
    }
    if count == 0 {
        let name = queue.name.text();
        let rest = filter.unlooked();
        let rest = rest.map_or_else(String::new, |rest| format!("; {rest}"));
        return Err(NothingMatched(format!("no entry of {name:?} matched{rest}.")).into());
    }
    out.flush()?;
    if let Some(rest) = filter.unlooked() {
        say::note(&format!("more may match: {rest}"));
    }
    if unasked && count == SCREENFUL {
        say::note("these are the first 100; --all prints all of them, --limit N so many");
    }
    Ok(CommandOutcome::Done)
}

/// Fails when there is no such queue: in one that is not there nothing matches, which would be no
/// answer.
pub(super) async fn check_that_it_is_there(
    session: &Session,
    queue: &Queue,
    config: &Config,
    what: impl FnOnce() -> String,
) -> anyhow::Result<()> {
    let seen = async {
        let seen = pulse(&session.store, queue, None).await?;
        is_there(&session.store, queue, &seen).await
    };
    if !seen.await.with_context(what)? {
        return Err(queues::no_such(queue, config));
    }
    Ok(())
}
