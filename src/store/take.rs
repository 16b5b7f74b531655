//! Taking from a target, one element at a time, as a consumer does, and losing none of them.
//!
//! A script takes an element: it leaves target and is held beside it, in one step, under a name that
//! the consumer chose before. So a take whose answer never came is asked for again, and brings the
//! same element. It is let go only when the consumer says that it has handed it on. Each consumer
//! renews its lease on what it holds; what is held without a lease is anybody's to put back.
//!
//! While there is nothing to take, BLMOVE waits (Redis 6.2 or later): it stands in line with the
//! other consumers, whose BLPOPs are served in turn, and moves the element into the intake. Nothing
//! depends on its answer: whatever it moves, also when nobody hears it any more, is found there by
//! the next take of any consumer of ours. Where the server has no BLMOVE, takes are tried again and
//! again: consumers that block are served before.

use std::sync::Arc;
use std::time::Duration;

use redis::{Cmd, Pipeline, Value};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::error::{StoreError, plain};
use super::lane::Lane;
use super::link::wire::Wire;
use super::link::{LIMIT, Store};
use super::script;
use crate::clock::{EpochMillis, instant, local_now};
use crate::queue::{ConsumerTag, HoldKeys, Holder, Queue};

/// The time for which a consumer that says nothing is thought to live.
pub const LEASE: Duration = Duration::from_secs(30);
/// The pause between two words of a consumer that it lives.
const RENEWED: Duration = Duration::from_secs(8);
/// The longest that one BLMOVE waits: so long takes a stop, and so long may an element lie in the
/// intake before another consumer of ours looks there.
const SLICE: Duration = Duration::from_secs(1);
/// The time by which an answer may come later than its own wait.
const GRACE: Duration = Duration::from_secs(2);
/// The pauses between two takes where nothing waits for us: the first and the longest.
const PAUSE: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(100));
/// Elements of the intake that are put back at the end. There is hardly ever one.
const MOST_LEFT: isize = 900;

/// The right to take from one target. It reconnects by itself, at the next [`take`](Self::take).
pub struct Taker {
    lane: Arc<Lane>,
    target: Vec<u8>,
    keys: HoldKeys,
    /// Consumers take from the tail of target.
    from_tail: bool,
    tag: ConsumerTag,
    turn: u64,
    /// Under this name the element is held that was handed out last.
    held: Option<HeldElements>,
    /// Under this name an element may be held: it was asked for, and no answer came.
    asked: Option<Vec<u8>>,
    /// No answer came to a request that let go of what is held.
    unheard: bool,
    returned: u64,
    /// The connection on which BLMOVE waits.
    wire: Option<Wire>,
    /// The server knows BLMOVE, and lets us.
    blocks: bool,
    pause: Duration,
    stop: Option<watch::Receiver<bool>>,
}

/// The held elements, and the lease on them, which is renewed as long as this lives.
struct HeldElements {
    field: Vec<u8>,
    renewing: JoinHandle<()>,
}

impl Drop for HeldElements {
    fn drop(&mut self) {
        self.renewing.abort();
    }
}

impl Taker {
    pub(super) fn new(store: Store, queue: &Queue, tag: ConsumerTag) -> Self {
        let keys = queue.keys();
        Self {
            lane: Arc::new(Lane::new(store)),
            target: keys.target,
            keys: keys.hold,
            from_tail: queue.comes_at_head(),
            tag,
            turn: 0,
            held: None,
            asked: None,
            unheard: false,
            returned: 0,
            wire: None,
            blocks: true,
            pause: PAUSE.0,
            stop: None,
        }
    }

    /// Takes no more from the moment on when `stop` says so: a [`take`](Self::take) that is under
    /// way then ends within a second.
    #[must_use]
    pub fn until(mut self, stop: watch::Receiver<bool>) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Tells whether it takes no more.
    #[must_use]
    pub fn has_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| *stop.borrow())
    }

    /// Tells whether something may be held under a name of its own.
    #[must_use]
    pub const fn may_hold(&self) -> bool {
        self.held.is_some() || self.asked.is_some()
    }

    /// Counts the elements that it handed out and somebody else has put back into target before
    /// it let go of them: it had not been heard of for longer than its lease.
    #[must_use]
    pub const fn returned(&self) -> u64 {
        self.returned
    }

    /// Lets go of the element before, and takes the next one; none when there is none within that
    /// time, or when it has stopped. After an error, and when it was dropped on its way, the next
    /// call goes on where this one was.
    pub async fn take(&mut self, within: Duration) -> Result<Option<Vec<u8>>, StoreError> {
        let started = instant();
        while !self.has_stopped() {
            let left = within.saturating_sub(instant().saturating_duration_since(started));
            if let Some(element) = self.next().await? {
                return Ok(Some(element));
            }
            if left.is_zero() {
                return Ok(None);
            }
            self.wait(left).await?;
        }
        Ok(None)
    }

    /// The next element, if there is one.
    async fn next(&mut self) -> Result<Option<Vec<u8>>, StoreError> {
        loop {
            let is_first = self.asked.is_none();
            let (sent, field) = (instant(), self.field());
            self.asked = Some(field.clone());
            let element = match self.ask(&field).await {
                Ok(Some(element)) => element,
                Ok(None) => {
                    self.asked = None;
                    return Ok(None);
                }
                Err(why) => {
                    // What was refused the first time took nothing.
                    if is_first && !why.outcome_unknown() {
                        self.asked = None;
                    }
                    return Err(why);
                }
            };
            self.pause = PAUSE.0;
            // An answer that comes so late may come to an element that was put back meanwhile.
            if instant().saturating_duration_since(sent) < LEASE / 2 {
                self.asked = None;
                self.held = Some(self.hold(field));
                return Ok(Some(element));
            }
        }
    }

    /// The field that is asked for. One that may be held already is asked for again.
    fn field(&mut self) -> Vec<u8> {
        if let Some(field) = &self.asked {
            return field.clone();
        }
        let at = self.lane.store().clock();
        let holder = Holder {
            consumer: self.tag.clone(),
            at: at.map_or_else(local_now, |clock| clock.now()),
            turn: self.turn,
        };
        self.turn += 1;
        holder.field()
    }

    /// Lets go of what is held, and takes into `field`, unless that is empty.
    async fn ask(&mut self, field: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let pop: &[u8] = if self.from_tail { b"RPOP" } else { b"LPOP" };
        let lease = LEASE.as_millis().to_string();
        let handed_on = self.held.as_ref().map_or(&b""[..], |held| &held.field);
        let args = [pop, lease.as_bytes(), handed_on, field];
        let unheard = std::mem::replace(&mut self.unheard, true);
        let answer = script::take(&self.lane, self.keys(), args).await?.done;
        self.unheard = false;
        // A request before whose answer never came may have let go of it.
        if self.held.take().is_some() && !answer.released && !unheard {
            self.returned += 1;
        }
        Ok(answer.element)
    }

    fn keys(&self) -> [&[u8]; 4] {
        [
            &self.target,
            &self.keys.intake,
            &self.keys.held,
            &self.keys.leases,
        ]
    }

    fn hold(&self, field: Vec<u8>) -> HeldElements {
        let (lane, name) = (Arc::clone(&self.lane), field.clone());
        let leases = self.keys.leases.clone();
        let lease = LEASE.as_millis().to_string();
        let renewing = tokio::spawn(async move {
            loop {
                sleep(RENEWED).await;
                let args = [lease.as_bytes(), &name];
                // What goes wrong is tried again in a while, and told by the next take.
                let _ = script::renew(&lane, &leases, args).await;
            }
        });
        HeldElements { field, renewing }
    }

    /// Puts the element that was handed out last back where the next consumer takes it, and holds
    /// it no more. Whether it was held still: else somebody else has put it back.
    pub async fn put_back(&mut self) -> Result<bool, StoreError> {
        let Some(held) = &self.held else {
            return Ok(false);
        };
        let field = held.field.clone();
        let unheard = std::mem::replace(&mut self.unheard, true);
        let fates = self.give_back(&field, &[&field, b""]).await?;
        self.unheard = false;
        self.held = None;
        Ok(fates.first() == Some(&script::Fate::Done) || unheard)
    }

    /// Ends it: lets go of the element that was handed out last, and puts back what was moved for
    /// it and never handed out.
    pub async fn end(&mut self) -> Result<(), StoreError> {
        // Nothing is moved for us any more once this is closed, or its time is over.
        self.wire = None;
        if self.held.is_some() {
            self.ask(b"").await?;
        }
        if let Some(field) = self.asked.clone() {
            self.give_back(&field, &[&field, b""]).await?;
            self.asked = None;
        }
        let left = self.intake().await?;
        let back = left.iter().rev().flat_map(|element| [&b""[..], element]);
        let back: Vec<&[u8]> = back.collect();
        if !back.is_empty() {
            self.give_back(b"", &back).await?;
        }
        Ok(())
    }

    async fn give_back(
        &self,
        own: &[u8],
        elements: &[&[u8]],
    ) -> Result<Vec<script::Fate>, StoreError> {
        let args = [&[push_back(self.from_tail), own], elements].concat();
        let told = script::give_back(&self.lane, self.keys(), args).await?;
        Ok(told.done)
    }

    async fn intake(&self) -> Result<Vec<Vec<u8>>, StoreError> {
        const ATTEMPT: &str = "look for what was moved for a consumer";
        let mut read = Pipeline::new();
        read.cmd("LRANGE").arg(&self.keys.intake);
        read.arg(-MOST_LEFT).arg(-1);
        let answers = self.lane.repeat(ATTEMPT, &read, LIMIT).await?;
        let store = self.lane.store();
        let answer = store.accept(ATTEMPT, answers.into_iter().next().unwrap_or_default())?;
        let Value::Array(elements) = answer else {
            return Err(store.unexpected(ATTEMPT, &answer));
        };
        let element = |value| match value {
            Value::BulkString(element) => Some(element),
            _ => None,
        };
        Ok(elements.into_iter().filter_map(element).collect())
    }

    /// Comes back when there may be something to take, at the latest after so long.
    async fn wait(&mut self, most: Duration) -> Result<(), StoreError> {
        if self.blocks {
            let most = most.min(SLICE);
            let from = if self.from_tail { "RIGHT" } else { "LEFT" };
            let mut wait = redis::cmd("BLMOVE");
            wait.arg(&self.target).arg(&self.keys.intake);
            // 0 would be for ever.
            wait.arg(from)
                .arg("RIGHT")
                .arg(most.as_secs_f64().max(0.001));
            match self.block(&wait, most).await {
                // It is not there, or not for us, or the server is full.
                Err(e) if matches!(e.code(), Some("ERR" | "NOPERM")) => self.blocks = false,
                Err(e) if e.code() == Some("OOM") => {}
                waited => return waited,
            }
        }
        sleep(most.min(self.pause)).await;
        self.pause = (self.pause * 2).min(PAUSE.1);
        Ok(())
    }

    /// Waits for an answer, whichever it is.
    async fn block(&mut self, wait: &Cmd, most: Duration) -> Result<(), StoreError> {
        const ATTEMPT: &str = "wait for an element of the target";
        let store = self.lane.store();
        let server = store.endpoint().to_string();
        // Taken out, and put back only with the answer: a call that is given up leaves an
        // answer on its way, which must not be taken for that of the next one.
        let mut wire = match self.wire.take() {
            Some(wire) => wire,
            None => store.dedicated().await?,
        };
        let after = most + GRACE;
        match timeout(after, wire.send_packed_command(wait)).await {
            Ok(Ok(answer)) => {
                self.wire = Some(wire);
                self.lane.store().accept(ATTEMPT, answer).map(drop)
            }
            Ok(Err(e)) if e.code().is_some() => {
                self.wire = Some(wire);
                Err(StoreError::Refused {
                    server,
                    attempt: ATTEMPT,
                    code: e.code().unwrap_or_default().to_owned(),
                    words: plain(&e),
                })
            }
            Ok(Err(e)) => {
                // What broke this one has mostly broken the other one too, and is told once.
                self.lane = Arc::new(Lane::new(self.lane.store().clone()));
                Err(StoreError::Broken {
                    server,
                    attempt: ATTEMPT,
                    why: plain(&e),
                })
            }
            Err(_) => Err(StoreError::TimedOut {
                server,
                attempt: ATTEMPT,
                after,
            }),
        }
    }
}

/// The push that puts an element where consumers take the next one.
pub(super) const fn push_back(from_tail: bool) -> &'static [u8] {
    if from_tail { b"RPUSH" } else { b"LPUSH" }
}

/// The moment when a consumer whose lease ended then was last heard of.
#[must_use]
pub fn heard(lease_end: EpochMillis) -> EpochMillis {
    let lease = i64::try_from(LEASE.as_millis()).unwrap_or(0);
    lease_end.plus(-lease)
}
