//! Listens to a change under way for the screen: what it tells is gathered, orders go through at
//! once.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::sync::watch;

use super::{TELL_EVERY, lock};
use crate::clock::instant;
use crate::ops::apply::{ChangeEvent, Order, RunningChange};
use crate::queue::plan::Progress;
use crate::queue::{EntryResult, Link};
use crate::tui::change::{self, RESULTS_KEPT, is_worth_a_look};
use crate::tui::leave::InterruptedChange;
use crate::tui::link;
use crate::tui::msg::Msg;

/// Passes on what a change tells and what it is told, until it is over.
pub(crate) async fn run(
    mut applying: RunningChange,
    mut orders: UnboundedReceiver<Order>,
    mut said: ChangeReporter,
) {
    while !said.over {
        tokio::select! {
            // Biased: an order comes before any number of results.
            biased;
            Some(order) = orders.recv() => applying.order(order),
            told = applying.next() => said.told(told),
            () = until(said.due) => said.flush(),
        }
    }
}

/// Waits until that moment, for ever when there is none.
async fn until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep(at.saturating_duration_since(instant())).await,
        None => std::future::pending().await,
    }
}

/// The reports of a change to the loop.
pub(crate) struct ChangeReporter {
    generation: u64,
    answers: UnboundedSender<Msg>,
    link: watch::Receiver<Link>,
    /// The progress that is to be told next.
    progress: Option<Progress>,
    results: Vec<EntryResult>,
    /// Number of results that were told, or are held to be told.
    kept: usize,
    /// When it is told; none when there is nothing to tell.
    due: Option<Instant>,
    last: Option<Instant>,
    /// The point at which the change stands.
    so_far: Arc<Mutex<InterruptedChange>>,
    over: bool,
    /// The reason why it could not go on: how it ended is still to come.
    failed: Option<String>,
}

impl ChangeReporter {
    /// Nothing was told yet.
    pub(crate) fn new(
        generation: u64,
        so_far: Arc<Mutex<InterruptedChange>>,
        answers: UnboundedSender<Msg>,
        link: watch::Receiver<Link>,
    ) -> Self {
        Self {
            generation,
            answers,
            link,
            progress: None,
            results: Vec::new(),
            kept: 0,
            due: None,
            last: None,
            so_far,
            over: false,
            failed: None,
        }
    }

    /// The change told something; none: it has ended without a word.
    fn told(&mut self, told: Option<ChangeEvent>) {
        match told {
            Some(ChangeEvent::Progress(progress)) => {
                lock(&self.so_far).tally = progress.tally;
                self.progress = Some(progress);
                self.soon();
            }
            Some(ChangeEvent::Results(results)) => {
                // The others are counted.
                let room = RESULTS_KEPT - self.kept;
                let tried = results.into_iter();
                let tried = tried.filter(|result| is_worth_a_look(result.outcome));
                let before = self.results.len();
                self.results.extend(tried.take(room));
                self.kept += self.results.len() - before;
                if !self.results.is_empty() {
                    self.soon();
                }
            }
            Some(now @ (ChangeEvent::Begun(_) | ChangeEvent::Trouble(_))) => {
                if let ChangeEvent::Begun(id) = &now {
                    lock(&self.so_far).journal_id.clone_from(id);
                }
                self.flush();
                self.send(now);
            }
            Some(ChangeEvent::Ended(summary)) => {
                if let Some(why) = self.failed.take() {
                    // What is left to mend, and how, stands in the notes.
                    let why = [&[why][..], &summary.notes[..]].concat().join(" ");
                    self.end(ChangeEvent::Failed(why));
                    return;
                }
                lock(&self.so_far).ended(&summary);
                self.end(ChangeEvent::Ended(summary));
            }
            // How it ended follows, unless it has not begun.
            Some(ChangeEvent::Failed(why)) => {
                lock(&self.so_far).failed(&why);
                self.failed = Some(why);
            }
            None => {
                let why = self.failed.take();
                let why = why.unwrap_or_else(|| "The change ended without a word.".to_owned());
                lock(&self.so_far).failed(&why);
                self.end(ChangeEvent::Failed(why));
            }
        }
    }

    /// Tells what is held as soon as the last telling is old enough.
    fn soon(&mut self) {
        let now = instant();
        let at = self.last.map_or(now, |last| last + TELL_EVERY);
        if at <= now {
            self.flush();
        } else {
            self.due = Some(at);
        }
    }

    /// Tells what is held.
    fn flush(&mut self) {
        self.due = None;
        if self.progress.is_none() && self.results.is_empty() {
            return;
        }
        self.last = Some(instant());
        let results = std::mem::take(&mut self.results);
        if !results.is_empty() {
            self.send(ChangeEvent::Results(results));
        }
        if let Some(progress) = self.progress.take() {
            self.send(ChangeEvent::Progress(progress));
        }
    }

    /// The last word. The link goes before it: its clock has moved on with each answer.
    fn end(&mut self, last: ChangeEvent) {
        self.flush();
        let link: Link = self.link.borrow().clone();
        // Nobody listens any more when the program is about to end.
        let _ = self
            .answers
            .send(Msg::Link(link::Msg::Changed(Box::new(link))));
        self.send(last);
        self.over = true;
    }

    fn send(&self, told: ChangeEvent) {
        let _ = self
            .answers
            .send(Msg::Change(change::Msg::Applied(self.generation, told)));
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;
    use crate::queue::{EntryId, Outcome, Tally};
    use crate::tui::journal::tests::plan;

    fn said() -> (ChangeReporter, UnboundedReceiver<Msg>) {
        let (answers, heard) = unbounded_channel();
        let so_far = Arc::new(Mutex::new(InterruptedChange::new(&plan(5_000), None)));
        let link = watch::Sender::new(Link::default()).subscribe();
        (ChangeReporter::new(7, so_far, answers, link), heard)
    }

    fn result(outcome: Outcome) -> ChangeEvent {
        ChangeEvent::Results(vec![EntryResult {
            id: EntryId([0; 8]),
            outcome,
            reason: None,
        }])
    }

    fn progress(done: u64) -> ChangeEvent {
        let mut tally = Tally::default();
        tally.add(Outcome::Done, done);
        ChangeEvent::Progress(Progress {
            phase: "deleting",
            tally,
            planned: 5_000,
            back: None,
            per_s: 0.0,
            left: None,
            longest_block: std::time::Duration::ZERO,
            waits: None,
        })
    }

    #[test]
    fn thousands_of_results_are_a_few_messages_and_only_what_was_not_done_is_told() {
        let (mut said, mut heard) = said();
        for done in 0..3_000 {
            said.told(Some(result(Outcome::Done)));
            said.told(Some(result(Outcome::Gone)));
            said.told(Some(progress(done)));
        }
        said.flush();
        let all: Vec<Msg> = std::iter::from_fn(|| heard.try_recv().ok()).collect();
        let told: usize = all
            .iter()
            .map(|msg| match msg {
                Msg::Change(change::Msg::Applied(7, ChangeEvent::Results(some))) => some.len(),
                _ => 0,
            })
            .sum();
        assert_eq!(told, RESULTS_KEPT);
        assert!(all.len() < 200, "{} messages", all.len());
        let last = all.last();
        let Some(Msg::Change(change::Msg::Applied(7, ChangeEvent::Progress(last)))) = last else {
            panic!("{last:?}");
        };
        assert_eq!(last.tally.get(Outcome::Done), 2_999);
    }

    #[test]
    fn a_change_that_ends_without_a_word_has_failed() {
        let (mut said, mut heard) = said();
        said.told(None);
        assert!(said.over);
        let all: Vec<Msg> = std::iter::from_fn(|| heard.try_recv().ok()).collect();
        assert!(matches!(
            all.last(),
            Some(Msg::Change(change::Msg::Applied(7, ChangeEvent::Failed(_))))
        ));
    }
}
