//! The stand-in workers of this session.

pub mod queries;
pub mod run;
pub mod update;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::clock::EpochMillis;
use crate::queue::{Queue, shell, text};

/// The stand-in workers, and what is to be said of them when the program ends.
#[derive(Clone, Debug, Default)]
pub struct Workers {
    /// The workers at work, in the order they were started.
    pub at_work: Vec<Worker>,
    /// `delayscope` with what reaches the server, for a shell. None when the server ends with the
    /// program: then nothing would go on.
    pub program: Option<String>,
    /// The report on the workers on the servers that were left: see [`Workers::farewell`].
    pub left: Vec<(String, String)>,
}

/// A stand-in worker on a queue.
#[derive(Clone, Debug)]
pub struct Worker {
    /// The queue that it works on.
    pub queue: Queue,
    /// Entries that it has moved.
    pub moved: u64,
    /// Entries that it has passed over.
    pub skipped: u64,
    /// When it was started.
    pub since: Instant,
    /// Numbers of entries that it had moved, at moments of the last seconds: see [`Worker::noted`].
    pub paces: VecDeque<(Instant, u64)>,
    /// The state of the worker.
    pub state: WorkerState,
}

/// The span over which its speed is measured: what happened before is history.
const PACE: Duration = Duration::from_secs(5);

impl Worker {
    /// A worker on a queue that is being started.
    #[must_use]
    pub fn new(queue: Queue, since: Instant) -> Self {
        Self {
            queue,
            moved: 0,
            skipped: 0,
            since,
            paces: VecDeque::from([(since, 0)]),
            state: WorkerState::Starting,
        }
    }

    /// Notes how many it has moved by now, at most four times a second.
    pub fn noted(&mut self, now: Instant) {
        let age = |at: Instant| now.saturating_duration_since(at);
        if self
            .paces
            .back()
            .is_none_or(|(at, _)| age(*at) >= PACE / 20)
        {
            self.paces.push_back((now, self.moved));
        }
        // The one before the window is where it begins.
        while self.paces.get(1).is_some_and(|(at, _)| age(*at) >= PACE) {
            self.paces.pop_front();
        }
    }

    /// Returns the number of entries that it has moved in a second, over the last few; none before
    /// it has been at work for one.
    #[must_use]
    pub fn per_s(&self, now: Instant) -> Option<f64> {
        let (from, before) = *self.paces.front()?;
        let span = now.saturating_duration_since(from);
        #[expect(
            clippy::cast_precision_loss,
            reason = "a rate for reading, not for accounting"
        )]
        let moved = self.moved.saturating_sub(before) as f64;
        (span >= Duration::from_secs(1)).then(|| moved / span.as_secs_f64())
    }
}

/// The state of a stand-in worker.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum WorkerState {
    /// Started: it is not subscribed yet.
    Starting,
    /// At work.
    AtWork,
    /// It does not hear announcements for this reason: it looks by itself only.
    Deaf(String),
    /// It moves nothing for this reason, and tries again.
    Failing(String),
    /// Asked to end: the script that is under way is its last.
    Ending,
}

/// A message of a stand-in worker.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum WorkerMessage {
    /// It is subscribed.
    Listening,
    /// It moved entries, and passed over others for the first time.
    Moved {
        /// Number of entries that it moved.
        moved: u64,
        /// Number of entries that it passed over.
        skipped: u64,
    },
    /// The entries that it moved were so late.
    Late {
        /// When it moved them, by the server's clock.
        at: EpochMillis,
        /// The lateness of each, in ms; empty when they were moved in bulk, which tells none.
        late_ms: Vec<i64>,
    },
    /// It does not hear announcements: why.
    Deaf(String),
    /// A transfer failed: why.
    Failed(String),
    /// Something that is to be known of what it did: a sentence.
    Remark(String),
    /// A transfer succeeded after failures that took so long, in ms.
    WorksAgain(u64),
    /// It has ended: it was asked to, or could not begin for this reason.
    Ended(Option<String>),
}

/// Answers to the questions about a worker, and what it tells itself.
#[derive(Clone, Debug, PartialEq)]
pub enum Msg {
    /// The question whether to start one on this queue was answered with yes.
    StartAgreed(Queue),
    /// The question whether to stop it was.
    StopAgreed(Queue),
    /// It told something itself.
    Told(Queue, WorkerMessage),
}

/// Requests to start a worker, and to stop it.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Start a stand-in worker on a queue.
    Start(Queue),
    /// Let it end after the script that is under way.
    Stop(Queue),
}

impl Workers {
    /// The worker on a queue, when there is one.
    #[must_use]
    pub fn on(&self, queue: &Queue) -> Option<&Worker> {
        self.at_work.iter().find(|worker| worker.queue == *queue)
    }

    /// Counts those of them that are subscribed to a queue's channel.
    #[must_use]
    pub fn listening(&self, queue: &Queue) -> u64 {
        let listens = |worker: &&Worker| {
            let deaf = matches!(worker.state, WorkerState::Starting | WorkerState::Deaf(_));
            !deaf && worker.queue == *queue
        };
        let ours = self.at_work.iter().filter(listens).count();
        u64::try_from(ours).unwrap_or(u64::MAX)
    }

    /// Entries that all of them have moved.
    #[must_use]
    pub fn moved(&self) -> u64 {
        self.at_work.iter().map(|worker| worker.moved).sum()
    }

    /// Leaving stops something that would otherwise go on.
    #[must_use]
    pub const fn would_stop(&self) -> bool {
        !self.at_work.is_empty()
    }

    /// Notes the entries that the workers have moved in all, known since they have ended.
    pub fn ended(&mut self, moved: &[(Queue, u64)]) {
        for (queue, moved) in moved {
            let mut workers = self.at_work.iter_mut();
            if let Some(worker) = workers.find(|worker| worker.queue == *queue) {
                worker.moved = *moved;
            }
        }
    }

    /// For each queue that is left alone, here and on the servers before: what was done, and the
    /// command that goes on.
    #[must_use]
    pub fn farewell(&self) -> Vec<(String, String)> {
        let mut all = self.left.clone();
        let Some(program) = &self.program else {
            return all;
        };
        let each = self.at_work.iter().map(|worker| {
            let name = text::printable_bytes(worker.queue.name.as_bytes());
            let said = format!(
                "The worker on {name} has ended after moving {}.",
                text::counted(worker.moved, "entry", "entries")
            );
            (said, shell::about(program, "worker", &worker.queue, &[]))
        });
        all.extend(each);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_pace_is_that_of_the_last_seconds() {
        let start = crate::clock::instant();
        let mut worker = Worker::new(Queue::redisson("orders"), start);
        let mut now = start;
        assert_eq!(worker.per_s(now), None);
        for second in 0..30 {
            // A burst of 100 in each of the first ten seconds, then 5 a second.
            worker.moved += if second < 10 { 100 } else { 5 };
            now += Duration::from_secs(1);
            worker.noted(now);
            if second == 9 {
                assert_eq!(worker.per_s(now), Some(100.0));
            }
        }
        assert_eq!(worker.per_s(now), Some(5.0));
        assert!(worker.paces.len() <= 21);
    }

    #[test]
    fn a_worker_of_ours_is_told_from_those_who_transfer_by_themselves() {
        let queue = Queue::redisson("orders");
        let listening = |state: Option<WorkerState>| {
            let at_work = state.map(|state| Worker {
                state,
                ..Worker::new(queue.clone(), crate::clock::instant())
            });
            let workers = Workers {
                at_work: at_work.into_iter().collect(),
                ..Workers::default()
            };
            workers.listening(&queue)
        };
        assert_eq!(listening(None), 0);
        assert_eq!(listening(Some(WorkerState::AtWork)), 1);
        assert_eq!(listening(Some(WorkerState::Failing("OOM".to_owned()))), 1);
        // It is not subscribed.
        let deaf = WorkerState::Deaf("NOPERM".to_owned());
        for state in [WorkerState::Starting, deaf] {
            assert_eq!(listening(Some(state)), 0);
        }
    }
}
