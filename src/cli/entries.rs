//! `entries`: the entries of a queue, one line each, as they are read.

use std::io::Write;

use anyhow::Context as _;
use futures_util::StreamExt as _;

use super::entry::{COLUMNS, Shown, print};
use super::output::Output;
use super::session::{Session, meant};
use super::{NothingMatched, Outcome, queues, say};
use crate::args;
use crate::config::Config;
use crate::ops::entries::{From, Selection, entries};
use crate::ops::refresh::pulse;
use crate::queue::{Filter, Queue};

/// What a terminal gets when nobody says how many.
pub(super) const SCREENFUL: u64 = 100;
/// So many entries are written before they are let be seen.
const TOGETHER: u64 = 64;

/// Prints the entries that were asked for.
pub(super) async fn run<W: Write>(
    asked: &args::Entries,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<Outcome> {
    let filter = filter(asked.grep.as_deref().unwrap_or(""))?;
    contradictions(asked, &filter)?;
    let ids = asked.ids.iter().map(|id| checked(id));
    let ids = ids.collect::<anyhow::Result<Vec<_>>>()?;
    let session = Session::open(config).await?;
    let queue = meant(&asked.queue, config);
    let what = || format!("could not read the entries of {:?}", queue.name.text());
    check_that_it_is_there(&session, &queue, config, what).await?;
    let now = session.now();
    let unasked = !asked.all && asked.limit.is_none() && out.is_terminal() && !out.is_json();
    let limit = asked.limit.or(unasked.then_some(SCREENFUL));
    let selection = Selection {
        from: if asked.late {
            From::Late
        } else {
            place(asked.from)
        },
        ids,
        due_before: asked.due_before.map(|when| when.nearest(now)),
        due_after: asked.due_after.map(|when| when.nearest(now)),
        filter,
        limit,
    };
    let mut reading = std::pin::pin!(entries(&session.store, &queue, selection));
    let mut count = 0;
    while let Some(entry) = reading.next().await {
        let entry = entry.with_context(what)?;
        if count == 0 && !out.is_json() {
            out.titles(&COLUMNS)?;
        }
        let now = session.now();
        print(&Shown::new(&queue, &entry), now, asked.raw, out)?;
        count += 1;
        if count % TOGETHER == 0 {
            out.flush()?;
        }
    }
    if count == 0 {
        let name = queue.name.text();
        return Err(NothingMatched(format!("no entry of {name:?} matched.")).into());
    }
    out.flush()?;
    if unasked && count == SCREENFUL {
        say::note("these are the first 100; --all prints all of them, --limit N so many");
    }
    Ok(Outcome::Done)
}

/// That there is such a queue: of one that there is not, nothing would match.
pub(super) async fn check_that_it_is_there(
    session: &Session,
    queue: &Queue,
    config: &Config,
    what: impl FnOnce() -> String,
) -> anyhow::Result<()> {
    let seen = pulse(&session.store, queue, None)
        .await
        .with_context(what)?;
    if !queues::is_there(&seen) {
        return Err(queues::no_such(queue, config));
    }
    Ok(())
}

/// What would silently match nothing, or be passed over.
fn contradictions(asked: &args::Entries, filter: &Filter) -> anyhow::Result<()> {
    let elsewhere = matches!(asked.from, Some(args::From::Delivered | args::From::Order));
    if asked.late && elsewhere {
        anyhow::bail!("--late looks into timeouts, --from elsewhere. Give one of them.");
    }
    let by_time = asked.due_before.is_some() || asked.due_after.is_some();
    if by_time && matches!(asked.from, Some(args::From::Delivered)) {
        anyhow::bail!(
            "what is delivered has no due time any more. Leave out --due-before and --due-after."
        );
    }
    check_place(filter, asked.from)
}

/// A filter as it was typed; what is wrong with it is quoted.
pub(super) fn filter(typed: &str) -> anyhow::Result<Filter> {
    Filter::parse(typed).map_err(|bad| {
        let part = &typed[bad.at.clone()];
        anyhow::anyhow!("in the filter {typed:?}, at {part:?}: {bad}")
    })
}

/// An id as it was typed, when it can be one.
fn checked(id: &str) -> anyhow::Result<String> {
    let hex = id.len() == 16 && id.bytes().all(|b| b.is_ascii_hexdigit());
    if !hex {
        anyhow::bail!(
            "{id:?} is no entry's id. An id has 16 hex digits, such as 9f3c2a7714e08b55."
        );
    }
    Ok(id.to_ascii_lowercase())
}

/// That a filter asks for nothing that there is not in the place where it is to look.
pub(super) fn check_place(filter: &Filter, from: Option<args::From>) -> anyhow::Result<()> {
    if filter.asks_due() && matches!(from, Some(args::From::Delivered)) {
        anyhow::bail!(
            "what is delivered has no due time any more. Leave late and due out of the filter."
        );
    }
    Ok(())
}

/// Where to look.
pub(super) fn place(from: Option<args::From>) -> From {
    match from {
        None | Some(args::From::Waiting) => From::Waiting,
        Some(args::From::Late) => From::Late,
        Some(args::From::Delivered) => From::Delivered,
        Some(args::From::Order) => From::Order,
    }
}
