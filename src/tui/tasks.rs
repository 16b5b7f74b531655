//! Starts effects as tasks over `ops`; each answer comes back as a message. What an effect does
//! stands in the `run` of its feature: these alone know `ops` and `store`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use futures_util::StreamExt as _;
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::{AbortHandle, JoinHandle};

use crate::ops::history::HistoryLines;
use crate::ops::journal::Journal;
use crate::queue::{Link, Queue};
use crate::store::write::Writer;
use crate::store::{Store, StoreError, watch};
use crate::tui::change::run::{RunningChanges, StoppingChanges};
use crate::tui::edge::Runner;
use crate::tui::effect::Effect;
use crate::tui::link;
use crate::tui::msg::Msg;
use crate::tui::server::run::{Gate, ScreenSession};
use crate::tui::worker::run::RunningWorkers;

/// The kinds of work of which a later one makes an earlier one void.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(crate) enum TaskKind {
    Discover,
    Pulse,
    Pulses,
    Survey,
    Classes,
    Look,
    List,
    Rank,
    Sample,
    Search,
    Exact,
    Scores,
    Journal,
    Change,
    Since,
    Price,
    Trace,
}

/// Runs effects on a server. Its tasks end with it.
pub struct Tasks {
    pub(crate) session: ScreenSession,
    /// The session to switch to, once the way there is known, and the generation of its request.
    pub(crate) way: Arc<Mutex<Option<(u64, ScreenSession)>>>,
    pub(crate) store: Store,
    pub(crate) named: Vec<Queue>,
    /// The sender of all that this session says, up to its end.
    pub(crate) answers: UnboundedSender<Msg>,
    pub(crate) gate: Gate,
    /// The sender that the gate passes that on to.
    pub(crate) out: UnboundedSender<Msg>,
    /// The lines that are kept for other times.
    pub(crate) lines: HistoryLines,
    pub(crate) latest: HashMap<TaskKind, AbortHandle>,
    watching: [JoinHandle<()>; 2],
    /// Each made when first something is to be changed in that slot of a cluster; one, where there is
    /// no cluster.
    writers: HashMap<Option<u16>, Writer>,
    pub(crate) workers: RunningWorkers,
    pub(crate) journal: Journal,
    pub(crate) changes: RunningChanges,
    /// The changes that were under way on the servers before.
    pub(crate) stopping: StoppingChanges,
    /// Ends the MONITOR under way.
    pub(crate) trace_ends: Arc<Notify>,
}

impl Tasks {
    /// Connects, and begins to watch the link and the channels; the loop hears of it through
    /// `out`. Queues that were named are the only ones there are: nothing is looked for then.
    #[must_use]
    pub fn new(session: ScreenSession, lines: HistoryLines, out: UnboundedSender<Msg>) -> Self {
        let (gate, answers) = Gate::new(out.clone());
        let store = session.open();
        let watching = [
            tokio::spawn(watch_link(store.clone(), answers.clone())),
            tokio::spawn(watch_channels(store.clone(), answers.clone())),
        ];
        Self {
            named: session.site().named,
            journal: session.journal(),
            session,
            way: Arc::default(),
            store,
            answers,
            gate,
            out,
            lines,
            latest: HashMap::new(),
            watching,
            writers: HashMap::new(),
            workers: RunningWorkers::default(),
            changes: RunningChanges::default(),
            stopping: StoppingChanges::default(),
            trace_ends: Arc::default(),
        }
    }

    /// Lets the stand-in workers end, after the scripts that are under way and within a second:
    /// for when the screen has ended. How many entries each of them has moved in all.
    pub async fn finish(&mut self) -> Vec<(Queue, u64)> {
        self.workers.finish().await
    }

    /// Tells all changes under way to stop; they end by themselves. Which have not yet, in a few
    /// words each.
    pub fn stop_changes(&mut self) -> Vec<String> {
        self.stopping.and(self.changes.stop());
        self.stopping.names()
    }

    /// Waits until those changes have ended, and all that must be finished is.
    pub async fn changes_ended(&mut self) {
        self.stopping.wait().await;
    }

    /// Returns the report on those changes, a line each.
    #[must_use]
    pub fn farewell(&self) -> Vec<String> {
        self.stopping.farewell()
    }

    pub(crate) fn writer(&mut self, queue: &Queue) -> Result<Writer, StoreError> {
        let slot = self.store.slot_of(queue);
        if let Some(writer) = self.writers.get(&slot) {
            return Ok(writer.clone());
        }
        let writer = self.store.writer_of(queue)?;
        self.writers.insert(slot, writer.clone());
        Ok(writer)
    }

    /// Starts a task; the one of its kind before it is cancelled.
    pub(crate) fn latest(
        &mut self,
        kind: TaskKind,
        task: impl Future<Output = ()> + Send + 'static,
    ) {
        let handle = tokio::spawn(task).abort_handle();
        if let Some(before) = self.latest.insert(kind, handle) {
            before.abort();
        }
    }

    /// Asks, and sends the answer: first the link as it is then (its clock and what we cost move
    /// on with each answer), then the message.
    pub(crate) fn ask<T: Send + 'static>(
        &mut self,
        kind: TaskKind,
        question: impl Future<Output = T> + Send + 'static,
        answer: impl FnOnce(T) -> Msg + Send + 'static,
    ) {
        let (answers, link) = (self.answers.clone(), self.store.link());
        self.latest(kind, async move {
            let result = question.await;
            let now: Link = link.borrow().clone();
            // Nobody listens any more when the program is about to end.
            let _ = answers.send(Msg::Link(link::Msg::Changed(Box::new(now))));
            let _ = answers.send(answer(result));
        });
    }

    /// Ends the latest of its kind, if it still runs.
    pub(crate) fn end(&mut self, kind: TaskKind) {
        if let Some(task) = self.latest.remove(&kind) {
            task.abort();
        }
    }

    /// Ends everything that is under way on this server.
    pub(crate) fn stop(&self) {
        self.watching.iter().for_each(JoinHandle::abort);
        self.latest.values().for_each(AbortHandle::abort);
    }
}

impl Drop for Tasks {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Runner for Tasks {
    fn start(&mut self, effect: Effect) {
        match effect {
            Effect::Refresh(effect) => self.refresh(effect),
            Effect::Queues(effect) => self.queues(effect),
            Effect::Lists(effect) => self.lists(effect),
            Effect::Timeline(effect) => self.timeline(effect),
            Effect::Offer(effect) => self.offer(effect),
            Effect::Change(effect) => self.change(effect),
            Effect::Journal(effect) => self.journal(effect),
            Effect::Worker(effect) => self.worker(effect),
            Effect::Prompt(effect) => self.prompt(effect),
            Effect::Server(effect) => self.server(effect),
            Effect::Filter(effect) => self.filter(effect),
            Effect::Examine(effect) => self.examine(effect),
            Effect::Lives(effect) => self.lives(effect),
            Effect::Link(link::Effect::Retry) => self.store.retry_now(),
            // What never leaves `update`, and the loop's own.
            Effect::Tell(_)
            | Effect::Copy(_)
            | Effect::Ring(_)
            | Effect::Edit { .. }
            | Effect::Suspend
            | Effect::Redraw
            | Effect::RetakeTerminal
            | Effect::Quit => {}
        }
    }
}

async fn watch_link(store: Store, answers: UnboundedSender<Msg>) {
    let mut link = store.link();
    // Holding a handle would keep the link up after everybody else has let it go.
    drop(store);
    loop {
        let now = link.borrow_and_update().clone();
        if answers
            .send(Msg::Link(link::Msg::Changed(Box::new(now))))
            .is_err()
            || link.changed().await.is_err()
        {
            return;
        }
    }
}

async fn watch_channels(store: Store, answers: UnboundedSender<Msg>) {
    let mut announcements = std::pin::pin!(watch::announcements(&store));
    while let Some(announcement) = announcements.next().await {
        if answers
            .send(Msg::Link(link::Msg::Announced(announcement)))
            .is_err()
        {
            return;
        }
    }
}
