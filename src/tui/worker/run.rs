//! Stand-in workers: a task each, until they are stopped or the screen ends.

use std::collections::HashMap;
use std::time::Duration;

use futures_util::StreamExt;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::{Effect, WorkerMessage};
use crate::ops::activity::ActivityRecord;
use crate::ops::journal::Journal;
use crate::ops::worker::{WorkerEvent, WorkerOptions, perhaps_moved, work_in_bulk};
use crate::queue::{Change, Outcome, Queue};
use crate::store::StoreError;
use crate::store::write::Writer;
use crate::tui::msg::Msg;
use crate::tui::tasks::Tasks;
use crate::tui::worker;

/// The longest wait, when the screen ends, for the scripts under way, and for the order list that a
/// bulk transfer has set aside and brings back. (A signal leaves two seconds.)
const LAST_BATCH: Duration = Duration::from_secs(5);

/// The workers at work.
#[derive(Default)]
pub(crate) struct RunningWorkers {
    tasks: HashMap<Queue, Task>,
}

struct Task {
    stop: Option<oneshot::Sender<()>>,
    /// Ends with how many entries were moved in all.
    work: JoinHandle<u64>,
}

impl Tasks {
    /// Does what a worker needs.
    pub(crate) fn worker(&mut self, effect: Effect) {
        match effect {
            Effect::Start(queue) => {
                let (writer, answers) = (self.writer(&queue), self.answers.clone());
                let journal = self.journal.clone();
                self.workers.start(writer, journal, queue, answers);
            }
            Effect::Stop(queue) => self.workers.stop(&queue),
        }
    }
}

impl RunningWorkers {
    /// Starts one on a queue, unless one is at work there.
    fn start(
        &mut self,
        writer: Result<Writer, StoreError>,
        journal: Journal,
        queue: Queue,
        answers: UnboundedSender<Msg>,
    ) {
        self.tasks.retain(|_, task| !task.work.is_finished());
        let writer = match writer {
            Ok(writer) => writer,
            Err(why) => {
                let told = WorkerMessage::Ended(Some(why.to_string()));
                // Nobody listens any more when the program is about to end.
                let _ = answers.send(Msg::Worker(worker::Msg::Told(queue, told)));
                return;
            }
        };
        if self.tasks.contains_key(&queue) {
            return;
        }
        let (stop, stopped) = oneshot::channel();
        let task = Task {
            stop: Some(stop),
            work: tokio::spawn(run(writer, journal, queue.clone(), stopped, answers)),
        };
        self.tasks.insert(queue, task);
    }

    /// Lets the one on a queue end after the script that is under way.
    fn stop(&mut self, queue: &Queue) {
        if let Some(task) = self.tasks.get_mut(queue) {
            // It has ended already when nobody listens.
            let _ = task.stop.take().map(|stop| stop.send(()));
        }
    }

    /// Lets all end after the scripts under way, some seconds at most. How many entries each has
    /// moved in all; those that did not end in time are left out.
    pub(crate) async fn finish(&mut self) -> Vec<(Queue, u64)> {
        let queues: Vec<Queue> = self.tasks.keys().cloned().collect();
        for queue in &queues {
            self.stop(queue);
        }
        let all = self.tasks.drain().map(|(queue, task)| async {
            let abort = task.work.abort_handle();
            let moved = tokio::time::timeout(LAST_BATCH, task.work).await;
            abort.abort();
            Some((queue, moved.ok()?.ok()?))
        });
        let all = futures_util::future::join_all(all).await;
        all.into_iter().flatten().collect()
    }
}

impl Drop for RunningWorkers {
    fn drop(&mut self) {
        self.tasks.values().for_each(|task| task.work.abort());
    }
}

async fn run(
    writer: Writer,
    journal: Journal,
    queue: Queue,
    stopped: oneshot::Receiver<()>,
    answers: UnboundedSender<Msg>,
) -> u64 {
    let noted = ActivityRecord::begin(&journal, writer.store(), &queue, Change::Worker, [0, 0]);
    let mut noted = match noted.await {
        Ok(noted) => noted,
        Err(why) => {
            let told = WorkerMessage::Ended(Some(why.to_string()));
            let _ = answers.send(Msg::Worker(worker::Msg::Told(queue, told)));
            return 0;
        }
    };
    let [moved, skipped, unknown] = follow((writer, &journal), &queue, stopped, &answers).await;
    noted.count(Outcome::Done, moved);
    noted.count(Outcome::Refused, skipped);
    noted.count(Outcome::Unknown, unknown);
    // Then the journal tells of it as never ended; what was moved is moved all the same.
    let _ = noted.end().await;
    let _ = answers.send(Msg::Worker(worker::Msg::Told(
        queue,
        WorkerMessage::Ended(None),
    )));
    moved
}

/// Works until it is told to end: how many entries it has moved and skipped in all, and how many it
/// may have moved besides.
async fn follow(
    (writer, journal): (Writer, &Journal),
    queue: &Queue,
    mut stopped: oneshot::Receiver<()>,
    answers: &UnboundedSender<Msg>,
) -> [u64; 3] {
    let store = writer.store().clone();
    let options = WorkerOptions::default();
    let mut working = work_in_bulk(&store, writer, queue.clone(), options, journal);
    let mut stopping = false;
    let mut all = [0; 3];
    let tell = |told| {
        let _ = answers.send(Msg::Worker(worker::Msg::Told(queue.clone(), told)));
    };
    loop {
        let event = tokio::select! {
            _ = &mut stopped, if !stopping => {
                stopping = true;
                working.stop();
                continue;
            }
            event = working.next() => event,
        };
        let told = match event {
            None | Some(WorkerEvent::Done) => break,
            Some(WorkerEvent::Listening) => WorkerMessage::Listening,
            Some(WorkerEvent::Batch(batch)) => {
                let (moved, skipped) = (batch.moved as u64, batch.skipped as u64);
                all[0] += moved;
                all[1] += skipped;
                if moved > 0 {
                    #[expect(clippy::cast_possible_truncation, reason = "saturates; for reading")]
                    let late_ms = batch.late_ms.iter().map(|ms| *ms as i64).collect();
                    let at = batch.at;
                    tell(WorkerMessage::Late { at, late_ms });
                }
                WorkerMessage::Moved { moved, skipped }
            }
            // They are counted with the batch.
            Some(WorkerEvent::Skipped { .. }) => continue,
            Some(WorkerEvent::Trouble { why, .. } | WorkerEvent::Failed(why)) => {
                WorkerMessage::Failed(why.to_string())
            }
            Some(WorkerEvent::Unknown(most)) => {
                all[2] += most;
                WorkerMessage::Remark(perhaps_moved(most))
            }
            Some(WorkerEvent::Remark(why)) => WorkerMessage::Remark(why),
            Some(WorkerEvent::WorksAgain { after }) => {
                WorkerMessage::WorksAgain(u64::try_from(after.as_millis()).unwrap_or(u64::MAX))
            }
            Some(WorkerEvent::Deaf { why, .. }) => WorkerMessage::Deaf(why.to_string()),
        };
        tell(told);
    }
    all
}
