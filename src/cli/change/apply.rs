//! A change under way: what it tells is shown, and a signal stops it where nothing is half done.

use std::io::{self, Write};
use std::time::Instant;

use anyhow::anyhow;

use super::super::meter::Meter;
use super::super::output::Output;
use super::super::stop::StopSignal;
use super::super::suspend::Suspend;
use super::super::{CommandOutcome, say};
use super::summary::{self, SummaryFigures};
use crate::clock::instant;
use crate::ops::apply::{ChangeEvent, Order, PAUSED, RunningChange};
use crate::queue::plan::{EntryResult, Plan, Progress, Summary, Way};
use crate::queue::{Change, Outcome as Became, Queue, shell, text};

/// Entries that are listed to people who did not ask for each.
const LISTED: u64 = 20;

/// A change that is followed to its end.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says something of its own"
)]
pub(super) struct ChangeFollower {
    change: Change,
    queue: Queue,
    planned: u64,
    /// Undo can take it back.
    can_be_undone: bool,
    /// The entry, where it is one: its payload's beginning and its id.
    entry: Option<String>,
    /// The order list may be out of its place while this runs.
    sets_aside: bool,
    each: bool,
    /// The words with which a shell starts this program on the server.
    program: String,
    meter: Meter,
    began: Instant,
    /// Its id in the journal, once it has begun.
    journal_id: Option<String>,
    progress: Option<Progress>,
    listed: u64,
    unlisted: u64,
    stopping: bool,
    /// It was asked to stop for a while, and does so once it is paused.
    suspending: bool,
    /// The reason why its results could not be printed: it is stopped then.
    unprinted: Option<io::Error>,
    /// The reason why it could not go on: how it ended follows, unless it has not begun.
    why: Option<String>,
}

impl ChangeFollower {
    pub(super) fn of(plan: &Plan, each: bool, program: String) -> Self {
        Self {
            change: plan.change,
            queue: plan.queue.clone(),
            planned: plan.planned,
            can_be_undone: plan.can_be_undone(),
            entry: plan.the_entry(),
            sets_aside: plan.way == Way::SetAside || plan.change == Change::RestoreOrder,
            each,
            program,
            meter: Meter::new(),
            began: instant(),
            journal_id: None,
            progress: None,
            listed: 0,
            unlisted: 0,
            stopping: false,
            suspending: false,
            unprinted: None,
            why: None,
        }
    }

    /// Shows what it tells until it has ended, or until a second signal.
    pub(super) async fn follow<W: Write>(
        mut self,
        mut applying: RunningChange,
        stop: &mut StopSignal,
        out: &mut Output<W>,
    ) -> anyhow::Result<CommandOutcome> {
        let mut suspend = Suspend::heed();
        loop {
            let told = tokio::select! {
                biased;
                () = suspend.asked() => {
                    self.suspend(&applying, &mut suspend).await;
                    continue;
                }
                () = stop.asked() => {
                    if self.stopping {
                        self.left_at_once();
                        return Ok(CommandOutcome::Partly);
                    }
                    self.stop(&applying);
                    continue;
                }
                told = applying.next() => told,
            };
            match told {
                Some(ChangeEvent::Begun(id)) => self.journal_id = id,
                Some(ChangeEvent::Progress(progress)) => {
                    self.meter.show(&line(&progress));
                    let paused = progress.waits.as_deref() == Some(PAUSED);
                    self.progress = Some(progress);
                    if paused && self.suspending {
                        self.suspended(&applying, &mut suspend).await;
                    }
                }
                Some(ChangeEvent::Results(results)) => {
                    if let Err(why) = self.print(&results, out) {
                        // What is done must be finished, whoever reads of it.
                        self.unprinted.get_or_insert(why);
                        applying.order(Order::Stop);
                    }
                }
                Some(ChangeEvent::Trouble(why)) => self.note(&why),
                Some(ChangeEvent::Ended(summary)) => return self.ended(&summary, out),
                Some(ChangeEvent::Failed(why)) => self.why = Some(why),
                None => return Err(self.failed(out)),
            }
        }
    }

    /// Says a line in place of the one that is written over.
    fn note(&mut self, line: &str) {
        self.meter.clear();
        say::note(line);
    }

    /// Nothing is held while we are stopped: it pauses first, which brings back what is aside. Who
    /// asks a second time does not wait for that.
    async fn suspend(&mut self, applying: &RunningChange, suspend: &mut Suspend) {
        if self.suspending {
            return self.suspended(applying, suspend).await;
        }
        self.suspending = true;
        if self.stopping || self.unprinted.is_some() {
            self.note("ending first; a second time stops at once");
        } else {
            applying.order(Order::Pause);
            self.note("stopping for a while after this batch; a second time stops at once");
        }
    }

    /// Is stopped, and goes on when it is continued.
    async fn suspended(&mut self, applying: &RunningChange, suspend: &mut Suspend) {
        self.meter.clear();
        suspend.stop().await;
        self.suspending = false;
        if !self.stopping && self.unprinted.is_none() {
            applying.order(Order::Go);
        }
    }

    fn stop(&mut self, applying: &RunningChange) {
        applying.order(Order::Stop);
        self.stopping = true;
        self.note("stopping after this batch; a second time leaves at once");
    }

    /// Prints what became of entries: to people, no more than they can read.
    fn print<W: Write>(&mut self, results: &[EntryResult], out: &mut Output<W>) -> io::Result<()> {
        if self.unprinted.is_some() {
            return Ok(());
        }
        let done = |result: &EntryResult| result.outcome == Became::Done;
        let told = results.iter().filter(|result| self.each || !done(result));
        let most = if self.each || out.is_json() {
            u64::MAX
        } else {
            LISTED
        };
        for result in told {
            // To people what is left is a number.
            let only_counted = !self.each && !out.is_json() && result.outcome == Became::Left;
            if only_counted {
                continue;
            }
            if self.listed >= most {
                self.unlisted += 1;
                continue;
            }
            self.listed += 1;
            self.meter.clear();
            let (id, outcome) = (result.id.to_string(), result.outcome);
            summary::entry(&id, outcome, result.reason.as_deref(), out)?;
        }
        out.flush()
    }

    fn ended<W: Write>(
        mut self,
        summary: &Summary,
        out: &mut Output<W>,
    ) -> anyhow::Result<CommandOutcome> {
        self.meter.clear();
        if let Some(why) = self.unprinted {
            return Err(why.into());
        }
        if self.unlisted > 0 {
            let more = text::counted(self.unlisted, "entry", "entries");
            say::note(&format!("and {more} more: --each lists all of them"));
        }
        let figures = SummaryFigures {
            entry: self.entry.as_deref(),
            ..SummaryFigures::ended(summary)
        };
        summary::print(&figures, &summary.notes, out)?;
        for note in &summary.notes {
            say::note(note);
        }
        if self.stopping && summary.tally.get(Became::Left) > 0 {
            say::note("stopped: what is left is as it was, and the same command goes on with it");
        }
        if let Some(id) = &self.journal_id {
            let id = shell::word(id.as_bytes());
            let changed = self.change.to_take_back();
            if !out.is_json() && self.can_be_undone && summary.tally.get(changed) > 0 {
                say::note(&format!("to take it back: {} undo {id}", self.program));
            }
        }
        if let Some(why) = self.why {
            return Err(anyhow!("{why}"));
        }
        let all = summary.all_done();
        Ok(if all {
            CommandOutcome::Done
        } else {
            CommandOutcome::Partly
        })
    }

    /// It could not begin, or broke off without an end; what was done before is told.
    fn failed<W: Write>(mut self, out: &mut Output<W>) -> anyhow::Error {
        self.meter.clear();
        let why = self.why.take();
        let why = why.unwrap_or_else(|| "it ended without saying how".to_owned());
        if let Some(progress) = self.progress.take() {
            let mut tally = progress.tally;
            let left = self.planned.saturating_sub(tally.sum());
            tally.add(Became::Left, left);
            let figures = SummaryFigures {
                planned: tally.sum(),
                tally,
                journal_id: self.journal_id.as_deref(),
                elapsed: instant().saturating_duration_since(self.began),
                longest: progress.longest_block,
                ..SummaryFigures::of(self.change, &self.queue)
            };
            if let Err(unprinted) = summary::print(&figures, &[], out) {
                return unprinted.into();
            }
        }
        anyhow!("{why}")
    }

    /// A second signal: what there is to do by hand.
    fn left_at_once(&mut self) {
        self.meter.clear();
        let done = self
            .progress
            .as_ref()
            .map_or(0, |p| p.tally.get(Became::Done));
        say::note(&format!(
            "left at once: {} of {} were {}; of the last batch that is not known",
            text::thousands(done),
            text::counted(self.planned, "entry", "entries"),
            self.change.past(),
        ));
        if let Some(id) = &self.journal_id {
            let id = shell::word(id.as_bytes());
            say::note(&format!("what is known of each: delayscope journal {id}"));
        }
        if self.sets_aside {
            say::perhaps_missing(&self.program, &self.queue);
        }
    }
}

/// Says how far it is, in one line.
fn line(progress: &Progress) -> String {
    let (at, of) = progress
        .back
        .unwrap_or((progress.done_with(), progress.planned));
    let [done, planned] = [at, of].map(text::thousands);
    let mut line = format!("{}: {done} of {planned}", progress.phase);
    if progress.per_s >= 1.0 && progress.back.is_none() {
        line.extend([", ", &per_second(progress.per_s), "/s"]);
    }
    if let Some(left) = progress.left {
        let ms = u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
        line.extend([", ", &text::span(ms), " left"]);
    }
    if let Some(waits) = &progress.waits {
        line.extend(["; waits: ", waits]);
    }
    line
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rate of at least 1, for people"
)]
fn per_second(rate: f64) -> String {
    text::thousands(rate.round() as u64)
}
