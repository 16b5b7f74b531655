//! A stand-in worker: a complete transfer client, which does what a Redisson client does for a
//! delayed queue, and does it beside any number of them.
//!
//! It looks (runs the transfer script) when it has subscribed, when the head falls due, and when
//! an announcement says that something falls due earlier; and every 10 s in case an announcement
//! was lost. One task owns the timer, so no answer that comes late can replace a shorter delay by
//! a longer one, which older Redisson clients do. A backlog that its scripts would have to look
//! for far down the order list is transferred in bulk first, as `transfer` does. What is no frame,
//! or has a score that is no time, is said once and otherwise passed over.

mod alarm;
mod pace;
mod round;
mod run;

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::Stream;
use serde::Serialize;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use super::journal::Journal;
use super::panics::caught_in;
use crate::clock::EpochMillis;
use crate::queue::{EntryId, Queue, text};
use crate::store::write::Writer;
use crate::store::{Store, StoreError};

/// Events that may wait to be read; then the worker waits too.
const UNREAD: usize = 1_024;

/// The options of a worker.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct WorkerOptions {
    /// Entries that one script moves at most, 1 to 2,000. Fewer when the server is kept for more
    /// than 10 ms by them.
    pub batch: u32,
    /// Ends when nothing is left that will ever be due.
    pub until_empty: bool,
    /// The server is told that it stands in; not where it plays a queue's own client.
    pub named: bool,
}

impl Default for WorkerOptions {
    fn default() -> Self {
        Self {
            batch: 500,
            until_empty: false,
            named: true,
        }
    }
}

/// Something that a worker tells.
#[derive(Clone, Debug, PartialEq)]
pub enum WorkerEvent {
    /// It is subscribed (again): from here on announcements reach it. In a layout without a
    /// channel: it has looked for the first time.
    Listening,
    /// It moved something, or met entries for the first time that it has to pass over.
    Batch(Batch),
    /// An entry that it passes over from now on; said once.
    Skipped {
        /// The id that people call it by.
        id: EntryId,
        /// The reason for it.
        why: SkipReason,
    },
    /// A transfer failed. It goes on by itself.
    Trouble {
        /// The error.
        why: StoreError,
        /// When it tries again.
        retry_in: Duration,
    },
    /// Number of entries that may have been moved, at most, and that no batch tells of: the answer
    /// never came.
    Unknown(u64),
    /// A remark on what it did in bulk, or on what it found: a sentence.
    Remark(String),
    /// The first transfer that succeeded after trouble.
    WorksAgain {
        /// The time for which there was trouble.
        after: Duration,
    },
    /// It does not hear announcements. It goes on transferring, but looks by itself only.
    Deaf {
        /// The reason for it.
        why: StoreError,
        /// When it subscribes again.
        retry_in: Duration,
    },
    /// Nothing is left, and it was to work until then. The last event.
    Done,
    /// It broke off. The last event.
    Failed(StoreError),
}

/// The words for so many entries that may have been moved, at most.
#[must_use]
pub fn perhaps_moved(most: u64) -> String {
    format!(
        "up to {} more may have been moved: the answer never came",
        text::counted(most, "entry", "entries")
    )
}

/// The result of one script that moves entries.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// When, by the server's clock.
    pub at: EpochMillis,
    /// Number of entries that it moved.
    pub moved: usize,
    /// Number of entries that it met for the first time and that are passed over.
    pub skipped: usize,
    /// When the next entry is due (`at` when more is due already); none when there is none.
    pub next_due: Option<EpochMillis>,
    /// The lateness of the delivery of each, in ms, the latest first; none of those that were moved in
    /// bulk, and of those whose score is no time.
    pub late_ms: Vec<f64>,
    /// The entries that it moved, in due order.
    pub ids: Vec<EntryId>,
    /// The time for which the script kept the server; zero of what was moved in bulk, or could not
    /// be measured.
    pub took: Duration,
}

impl Batch {
    /// The lateness of their delivery; none when nothing was moved, or in bulk.
    #[must_use]
    pub fn lateness_ms(&self) -> Option<Lateness> {
        Some(Lateness {
            p50: *self.late_ms.get(self.late_ms.len() / 2)?,
            max: *self.late_ms.first()?,
        })
    }
}

/// From due to delivered, by the server's clock, in ms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Lateness {
    /// Half of the entries were less late than this.
    pub p50: f64,
    /// The lateness of the latest entry.
    pub max: f64,
}

/// The reason why an entry is passed over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SkipReason {
    /// It is due, but no frame: nobody can unpack it.
    NoFrame,
    /// Its score is no time: it is never due.
    Score(f64),
}

/// Works on `queue` until it is [stopped](RunningWorker::stop) or dropped (or all is moved, if `options`
/// say so).
#[must_use]
pub fn work(store: &Store, writer: Writer, queue: Queue, options: WorkerOptions) -> RunningWorker {
    begin(store, writer, queue, (options, None))
}

/// The same, and works a backlog off in bulk where that is faster, unless the scripts are to be
/// small: journalled as a transfer.
#[must_use]
pub fn work_in_bulk(
    store: &Store,
    writer: Writer,
    queue: Queue,
    options: WorkerOptions,
    journal: &Journal,
) -> RunningWorker {
    let small = options.batch < WorkerOptions::default().batch;
    let journal = (!small).then(|| journal.clone());
    begin(store, writer, queue, (options, journal))
}

fn begin(
    store: &Store,
    writer: Writer,
    queue: Queue,
    how: (WorkerOptions, Option<Journal>),
) -> RunningWorker {
    let (events, receiver) = mpsc::channel(UNREAD);
    let (stop, stopped) = oneshot::channel();
    let tell = events.clone();
    let working = run::run(store.clone(), writer, queue, how, events, stopped);
    let store = store.clone();
    let working = async move {
        if let Err(why) = caught_in(&store, "work on a queue", working).await {
            let _ = tell.send(WorkerEvent::Failed(why)).await;
        }
    };
    RunningWorker {
        receiver,
        stop: Some(stop),
        task: tokio::spawn(working),
    }
}

/// A worker at work: a stream of what it tells. Dropping it ends it at once: a script that is
/// under way then is carried out by the server all the same and nothing is lost, but nobody learns
/// what it moved.
#[derive(Debug)]
pub struct RunningWorker {
    receiver: mpsc::Receiver<WorkerEvent>,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
}

impl RunningWorker {
    /// Asks it to end after the script that is under way, and after what a bulk transfer has set
    /// aside is back; it tells what that moved, then the stream ends.
    pub fn stop(&mut self) {
        // It has ended already when nobody listens.
        let _ = self.stop.take().map(|stop| stop.send(()));
    }
}

impl Stream for RunningWorker {
    type Item = WorkerEvent;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<WorkerEvent>> {
        self.receiver.poll_recv(cx)
    }
}

impl Drop for RunningWorker {
    fn drop(&mut self) {
        self.task.abort();
    }
}
