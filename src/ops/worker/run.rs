//! The worker's one task.

mod backlog;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::stream::{self, BoxStream, StreamExt};
use tokio::sync::{mpsc, oneshot};

use self::backlog::Bulk;
use super::alarm::Alarm;
use super::pace::WorkerPace;
use super::round::DueRound;
use super::{Batch, SkipReason, WorkerEvent, WorkerOptions};
use crate::clock::{EpochMillis, ServerClock, instant};
use crate::ops::journal::Journal;
use crate::queue::{Due, EntryId, Queue};
use crate::store::listen::{Heard, listen, listen_named};
use crate::store::write::{TimedResult, TransferResult, Writer};
use crate::store::{Store, StoreError};

/// The time after which it looks again although nothing calls for it: an announcement may have been
/// lost, an entry may have been moved to an earlier time by somebody who does not say so.
const LOOK: Duration = Duration::from_secs(10);
/// The same where nobody says what is offered: in a layout without a channel, and while something
/// that nobody moves (a member that is no frame, a score below 0) is the head of timeouts for
/// good, because then no offer becomes the head, and only such an offer is announced.
const LOOK_UNTOLD: Duration = Duration::from_millis(250);
/// After a look that moved nothing. Its head may be due by our reckoning of the server's clock
/// and not by the script's.
const BREATH: Duration = Duration::from_micros(500);
/// The pauses after failures: the first and the longest.
const PAUSE: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(2));
/// Entries passed over that it remembers having told of.
const MOST_SAID: usize = 100_000;
/// Announcements taken in one go, at most.
const BURST: u32 = 1_000;
/// tokio's timers are exact to a millisecond or two; the rest is slept by a thread.
const COARSE: Duration = Duration::from_millis(2);

/// Works until it is `stopped`, the events have no reader any more, or nothing is left.
pub(super) async fn run(
    store: Store,
    writer: Writer,
    queue: Queue,
    (options, journal): (WorkerOptions, Option<Journal>),
    events: mpsc::Sender<WorkerEvent>,
    mut stopped: oneshot::Receiver<()>,
) {
    let channel = queue.keys().channel;
    let told = channel.is_some();
    let mut heard: BoxStream<'static, Heard> = match channel {
        Some(channel) if options.named => listen_named(&store, channel).boxed(),
        Some(channel) => listen(&store, channel).boxed(),
        None => stream::pending().boxed(),
    };
    let now = instant();
    let mut worker = Worker {
        store,
        writer,
        queue,
        until_empty: options.until_empty,
        events,
        alarm: Alarm::Now,
        pace: WorkerPace::new(options.batch),
        bulk: Bulk::new(journal),
        // Before the first look something may be.
        awaited: Some(EpochMillis::default()),
        round: DueRound::default(),
        said: HashSet::new(),
        pause: Duration::ZERO,
        failing_since: None,
        looked: now,
        not_before: now,
        look_every: if told { LOOK } else { LOOK_UNTOLD },
        told,
        listening: told,
    };
    loop {
        tokio::select! {
            _ = &mut stopped => return,
            Some(first) = heard.next() => {
                // A burst of announcements is one reason to look, not many.
                let mut next = Some(first);
                let mut burst = 0;
                while let Some(one) = next {
                    if worker.heard(one).await.is_err() {
                        return;
                    }
                    burst += 1;
                    let more = (burst < BURST).then(|| heard.next().now_or_never());
                    next = more.flatten().flatten();
                }
                continue;
            }
            () = worker.wait() => {}
        }
        if worker.backlog(&mut stopped).await.is_err() || worker.look().await.is_err() {
            return;
        }
    }
}

/// Nobody reads the events any more, or all is done.
struct WorkEnd;

struct Worker {
    store: Store,
    writer: Writer,
    queue: Queue,
    until_empty: bool,
    events: mpsc::Sender<WorkerEvent>,
    alarm: Alarm,
    pace: WorkerPace,
    bulk: Bulk,
    /// When something is due, as far as it was seen or heard; none: nothing is.
    awaited: Option<EpochMillis>,
    round: DueRound,
    /// The entries of which it has told that they are passed over.
    said: HashSet<EntryId>,
    /// The last pause after a failure; zero after a success.
    pause: Duration,
    /// When the first transfer failed of those that have failed since the last success.
    failing_since: Option<Instant>,
    /// When it last looked.
    looked: Instant,
    /// It does not look before this, whatever falls due.
    not_before: Instant,
    look_every: Duration,
    /// The layout has a channel.
    told: bool,
    /// True once it has been said that it listens, or if that is for the channel to say.
    listening: bool,
}

impl Worker {
    async fn say(&self, event: WorkerEvent) -> Result<(), WorkEnd> {
        self.events.send(event).await.map_err(|_| WorkEnd)
    }

    async fn heard(&mut self, heard: Heard) -> Result<(), WorkEnd> {
        match heard {
            Heard::Subscribed => {
                self.alarm = Alarm::Now;
                self.not_before = instant();
                self.say(WorkerEvent::Listening).await
            }
            Heard::Message(message) => {
                self.alarm = self.alarm.announced(&message);
                if let Alarm::At(due) = self.alarm {
                    self.awaited = Some(self.awaited.map_or(due, |awaited| awaited.min(due)));
                }
                Ok(())
            }
            Heard::Lost { why, retry_in } => self.say(WorkerEvent::Deaf { why, retry_in }).await,
        }
    }

    /// Until it is time to look. May be given up and begun again at any time.
    async fn wait(&self) {
        loop {
            let left = self.left();
            if left.is_zero() {
                return;
            }
            if left > COARSE {
                tokio::time::sleep(left.saturating_sub(COARSE)).await;
            } else {
                let fine = tokio::task::spawn_blocking(move || std::thread::sleep(left));
                // It can fail only while the runtime ends.
                let _ = fine.await;
            }
        }
    }

    fn left(&self) -> Duration {
        let now = instant();
        let due = match (self.alarm, self.store.clock()) {
            (Alarm::Now, _) | (Alarm::At(_), None) => Duration::ZERO,
            (Alarm::At(due), Some(clock)) => clock.until(due),
            (Alarm::Unset, _) => self.look_every,
        };
        let look = (self.looked + self.look_every).saturating_duration_since(now);
        due.min(look)
            .max(self.not_before.saturating_duration_since(now))
    }

    async fn look(&mut self) -> Result<(), WorkEnd> {
        self.looked = instant();
        let looked = self.transfer().await;
        match looked {
            Ok((now, timed)) => self.found(now, timed).await,
            Err(why) => {
                let now = self.store.clock().map(|clock| clock.now());
                let is_due = |due| now.is_none_or(|now| due <= now);
                if self.awaited.is_some_and(is_due) && why.outcome_unknown() {
                    let most = self.pace.size() as u64;
                    self.say(WorkerEvent::Unknown(most)).await?;
                }
                self.failed(why).await
            }
        }
    }

    async fn transfer(&mut self) -> Result<(EpochMillis, TimedResult<TransferResult>), StoreError> {
        let clock: ServerClock = match self.store.clock() {
            Some(clock) => clock,
            None => self.store.ready(PAUSE.1).await?,
        };
        let now = clock.now();
        let (n, cursor) = (self.pace.size(), self.round.cursor(self.looked));
        let timed = self.writer.transfer(&self.queue, now, n, &cursor).await?;
        Ok((now, timed))
    }

    async fn failed(&mut self, why: StoreError) -> Result<(), WorkEnd> {
        let retry_in = self.pause.saturating_mul(2).clamp(PAUSE.0, PAUSE.1);
        self.pause = retry_in;
        self.failing_since.get_or_insert_with(instant);
        self.not_before = instant() + retry_in;
        self.alarm = Alarm::Now;
        self.say(WorkerEvent::Trouble { why, retry_in }).await
    }

    async fn succeeded(&mut self) -> Result<(), WorkEnd> {
        self.pause = Duration::ZERO;
        let Some(since) = self.failing_since.take() else {
            return Ok(());
        };
        let after = instant().saturating_duration_since(since);
        self.say(WorkerEvent::WorksAgain { after }).await
    }

    async fn found(
        &mut self,
        now: EpochMillis,
        timed: TimedResult<TransferResult>,
    ) -> Result<(), WorkEnd> {
        self.learn_how_far(&timed);
        let TimedResult {
            done,
            ended_us,
            took,
        } = timed;
        if let Some(took) = took {
            self.pace.learn(done.moved.len() + done.skipped.len(), took);
        }
        let passed = done.skipped.len();
        self.round.went_on(
            done.cursor.clone(),
            [done.ahead, passed],
            took.unwrap_or_default(),
        );
        if !done.more {
            self.round.ended(instant());
        }
        if !done.moved.is_empty() {
            self.round.moved();
        }
        let next = done.next.and_then(|score| self.queue.due(score).at());
        self.awaited = if done.more { Some(now) } else { next };
        self.alarm = match next {
            _ if done.more => Alarm::Now,
            Some(due) => Alarm::At(due),
            None => Alarm::Unset,
        };
        if done.moved.is_empty() {
            self.not_before = instant() + BREATH;
        }
        let blocked = self.round.has_passed() || done.never.iter().any(|e| e.score < 0.0);
        self.look_every = if self.told && !blocked {
            LOOK
        } else {
            LOOK_UNTOLD
        };
        self.succeeded().await?;
        if !self.listening {
            self.listening = true;
            self.say(WorkerEvent::Listening).await?;
        }
        let skipped = self.pass_over(&done).await?;
        if !done.moved.is_empty() || skipped > 0 {
            let batch = Batch {
                at: EpochMillis::new(ended_us.div_euclid(1_000)),
                moved: done.moved.len(),
                skipped,
                next_due: next.or(done.more.then_some(now)),
                late_ms: self.late_ms(&done, ended_us),
                ids: done.moved.iter().map(|moved| moved.id).collect(),
                took: took.unwrap_or_default(),
            };
            self.say(WorkerEvent::Batch(batch)).await?;
        }
        if self.until_empty && !done.more && next.is_none() {
            if self.round.is_sure() {
                self.say(WorkerEvent::Done).await?;
                return Err(WorkEnd);
            }
            self.round.begin_again();
            self.alarm = Alarm::Now;
        }
        Ok(())
    }

    /// Tells of what is passed over for the first time; returns how many these are.
    async fn pass_over(&mut self, done: &TransferResult) -> Result<usize, WorkEnd> {
        let no_frames = done.skipped.iter().map(|id| (*id, SkipReason::NoFrame));
        let never = done
            .never
            .iter()
            .map(|e| (e.id, SkipReason::Score(e.score)));
        let mut count = 0;
        for (id, why) in no_frames.chain(never) {
            count += usize::from(self.pass_one_over(id, why).await?);
        }
        Ok(count)
    }

    /// The same of one; whether it was told of.
    async fn pass_one_over(&mut self, id: EntryId, why: SkipReason) -> Result<bool, WorkEnd> {
        let fresh = self.said.len() < MOST_SAID && self.said.insert(id);
        if fresh {
            self.say(WorkerEvent::Skipped { id, why }).await?;
        }
        Ok(fresh)
    }

    /// The lateness of what was moved, in due order: so the first is the latest.
    fn late_ms(&self, done: &TransferResult, ended_us: i64) -> Vec<f64> {
        let late = |score: f64| match self.queue.due(score) {
            Due::At(due) => {
                let us = ended_us.saturating_sub(due.get().saturating_mul(1_000));
                #[expect(clippy::cast_precision_loss, reason = "exact up to 285 years")]
                let ms = us as f64 / 1_000.0;
                Some(ms)
            }
            Due::OutOfRange(_) => None,
        };
        done.moved.iter().filter_map(|m| late(m.score)).collect()
    }
}
