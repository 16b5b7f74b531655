//! `search`: a whole queue looked through, hits as they are found.

use std::io::{self, Write};

use anyhow::Context as _;
use futures_util::{Stream, StreamExt as _};

use super::codec;
use super::entries::{SCREENFUL, check_that_it_is_there};
use super::entry::{COLUMNS, EntryRecord, print};
use super::meter::Meter;
use super::output::Output;
use super::pick::{check_place, filter, place};
use super::session::{Session, meant};
use super::stop::StopSignal;
use super::{CommandOutcome, NothingMatched, say};
use crate::args;
use crate::config::Config;
use crate::ops::search::{SearchEvent, search};
use crate::payload::Habit;
use crate::queue::{Entry, Queue, SearchProgress, text};
use crate::store::StoreError;

/// Prints what is found, until all was looked at, enough was found, or it is asked to end.
pub(super) async fn run<W: Write>(
    asked: &args::Search,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let filter = filter(&asked.filter.join(" "))?;
    check_place(&filter, asked.from)?;
    let queue = meant(&asked.queue, config);
    let session = Session::open(config).await?.at(&queue).await?;
    let what = || format!("could not search {:?}", queue.name.text());
    check_that_it_is_there(&session, &queue, config, what).await?;
    let unasked = asked.limit.is_none() && out.is_terminal() && !out.is_json();
    let (named, from) = (asked.payloads.codec.as_deref(), place(asked.from));
    let habit = codec::voted(named, &session, &queue, from, config).await?;
    let mut printing = HitPrinter {
        session: &session,
        queue: &queue,
        habit,
        raw: asked.payloads.raw,
        left: match asked.limit {
            None if unasked => SCREENFUL,
            limit => limit.unwrap_or(u64::MAX),
        },
        printed: 0,
        far: SearchProgress::default(),
        meter: Meter::new(),
    };
    let (typed, asked_for) = (filter.text().to_owned(), filter.clone());
    let hits = search(&session.store, &queue, filter, (from, habit));
    let ended = printing.all(hits, out).await;
    printing.meter.clear();
    out.flush()?;
    let [looked, of, found] = printing.figures();
    if !ended.with_context(what)? {
        say::note(&format!(
            "stopped after {looked} of {of} entries, {found} found"
        ));
        return Ok(CommandOutcome::Partly);
    }
    if printing.printed == 0 {
        let name = queue.name.text();
        let rest = asked_for.unlooked();
        let rest = rest.map_or_else(String::new, |rest| format!("; {rest}"));
        let none = format!("none of the {looked} entries of {name:?} matches {typed:?}{rest}.");
        return Err(NothingMatched(none).into());
    }
    if let Some(rest) = asked_for.unlooked() {
        say::note(&format!("more may match: {rest}"));
    }
    if unasked && printing.left == 0 {
        say::note("these are the first 100; --limit N prints so many");
    }
    Ok(CommandOutcome::Done)
}

struct HitPrinter<'a> {
    session: &'a Session,
    queue: &'a Queue,
    habit: Habit,
    raw: bool,
    /// Number of hits that may still be printed.
    left: u64,
    printed: u64,
    /// The progress of the search.
    far: SearchProgress,
    meter: Meter,
}

impl HitPrinter<'_> {
    /// Prints hits until there are no more or enough; whether that was not cut short by a signal.
    async fn all<W: Write>(
        &mut self,
        searching: impl Stream<Item = Result<SearchEvent, StoreError>>,
        out: &mut Output<W>,
    ) -> anyhow::Result<bool> {
        let mut stop = StopSignal::listen();
        let mut searching = std::pin::pin!(searching);
        loop {
            let said = tokio::select! {
                biased;
                () = stop.asked() => return Ok(false),
                said = searching.next() => said,
            };
            match said.transpose()? {
                Some(SearchEvent::Found { entries, progress }) => {
                    self.far = progress;
                    self.hits(&entries, out)?;
                    if self.left == 0 {
                        return Ok(true);
                    }
                }
                Some(SearchEvent::Done(progress)) => {
                    self.far = progress;
                    return Ok(true);
                }
                None => return Ok(true),
            }
        }
    }

    fn hits<W: Write>(&mut self, entries: &[Entry], out: &mut Output<W>) -> io::Result<()> {
        if !entries.is_empty() {
            self.meter.clear();
        }
        let now = self.session.now();
        for entry in entries {
            if self.left == 0 {
                break;
            }
            if self.printed == 0 && !out.is_json() {
                out.titles(&COLUMNS)?;
            }
            print(
                EntryRecord::new(self.queue, self.habit, entry),
                now,
                self.raw,
                out,
            )?;
            self.printed += 1;
            self.left -= 1;
        }
        out.flush()?;
        let [looked, of, found] = self.figures();
        self.meter
            .show(&format!("looked at {looked} of {of}, {found} found"));
        Ok(())
    }

    /// Looked at, to be looked at, found.
    fn figures(&self) -> [String; 3] {
        [self.far.looked, self.far.of, self.far.matched].map(text::thousands)
    }
}
