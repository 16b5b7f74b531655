//! The order list set aside while entries leave timeouts, and brought back whatever comes.

use std::time::Duration;

use super::ChangeEvent;
use super::run::{Halt, ListReturn, Run};
use crate::clock::instant;
use crate::ops::bulk::Size;
use crate::ops::bulk::aside::{self, OrderRestoration};
use crate::queue::{Queue, redis_cli, shell, text};
use crate::store::bulk::{SetAside, TimedResult, facts};
use crate::store::{Store, StoreError, read};

/// The time within which a change that has the order list aside moves something.
const STILL: Duration = Duration::from_secs(2);
/// The pause between two looks at that.
const LOOKS: Duration = Duration::from_millis(200);
/// The reason to wait that is told meanwhile.
const ANOTHER: &str =
    "part of the order list is missing: another change is under way, or was interrupted";

impl Run {
    /// Sets the order list aside. What somebody else left there comes back first. False: it stays,
    /// since something of it would be lost: what only it holds, or all of it when it expires.
    pub(super) async fn set_aside(&mut self) -> Result<bool, Halt> {
        loop {
            match self.try_aside().await {
                Ok(None) => {
                    self.wants_aside = false;
                    let why = "The order list stayed in its place, for it holds elements that do not \
                               wait, or others take from it: the chosen entries came to its head, \
                               which takes longer.";
                    self.notes.push(why.to_owned());
                    return Ok(false);
                }
                Ok(Some(timed)) => {
                    self.longest = self.longest.max(timed.took.unwrap_or_default());
                    self.aside = timed.done == SetAside::Done;
                    self.wants_aside = self.aside;
                    self.was_aside |= self.aside;
                    if timed.done != SetAside::AlreadyThere {
                        return Ok(timed.done != SetAside::Expires);
                    }
                    if self.stands_still().await?
                        && let Err(halt) = self.restore_left_aside().await
                    {
                        self.left_aside(&halt);
                        return Err(halt);
                    }
                }
                // If it was done after all, that one comes back first.
                Err(error) if self.may_heal(&error) => self.heal(&error, 0).await?,
                Err(error) => return Err(error.into()),
            }
            if self.is_stopped() {
                return Err(Halt::Stopped);
            }
        }
    }

    /// Sets the order list aside; none: it holds what does not wait, which would be dropped when it
    /// comes back.
    async fn try_aside(&mut self) -> Result<Option<TimedResult<SetAside>>, StoreError> {
        let size = aside::SIZE.beginning_with(self.elements);
        let (longest, most) = (&mut self.longest, self.limits.max_block);
        let learn = |size: &mut Size, took: Option<Duration>| {
            *longest = (*longest).max(took.unwrap_or_default());
            size.took(took, most);
        };
        if !aside::all_wait(&self.writer, &self.queue, size, learn).await? {
            return Ok(None);
        }
        self.know_of_later().await;
        aside::set_aside(&self.writer, &self.queue).await.map(Some)
    }

    /// Waits while another change has the order list aside. True when nobody has moved anything for
    /// a while although it is aside still. Else it is back.
    async fn stands_still(&mut self) -> Result<bool, Halt> {
        let store = self.writer.store().clone();
        let timeouts = self.queue.keys().timeouts;
        let mut last = None;
        let mut since = instant();
        loop {
            let looked = async {
                let aside = facts(&store, &self.queue).await?.aside;
                let due = self.queue.score(self.now());
                let due = read::count_between(&store, &timeouts, 0.0, due).await?;
                Ok((aside, due))
            };
            let (aside, due) = match looked.await {
                Ok(now) => now,
                Err(error) if StoreError::may_heal(&error) => {
                    self.heal(&error, 0).await?;
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            if aside == 0 {
                return Ok(false);
            }
            // While a change drains what is due, what is aside does not change.
            if last.is_none_or(|(before, still_due)| before != aside || due < still_due) {
                since = instant();
            }
            last = Some((aside, due));
            if instant().saturating_duration_since(since) >= STILL {
                return Ok(true);
            }
            self.progress(Some(ANOTHER.to_owned()), true);
            self.pause(LOOKS).await;
            if self.is_stopped() {
                return Err(Halt::Stopped);
            }
        }
    }

    /// Brings the order list back, however long the server is away, also after a stop. The next
    /// [`hold`](Self::hold) sets it aside again where that is still wanted.
    pub(super) async fn bring_back(&mut self) {
        let should_wait = self.some_should_wait();
        let back = if should_wait {
            OrderRestoration::unless_lost(&self.queue)
        } else {
            OrderRestoration::new(&self.queue)
        };
        self.bring_to_the_end(back).await;
        let facts = facts(self.writer.store(), &self.queue).await;
        if should_wait && facts.is_ok_and(|seen| seen.waiting == 0 && seen.order > 0) {
            let why = "timeouts was deleted or renamed meanwhile, though entries waited in it. All of \
                       the order list is there, also what this change transferred: it holds the last \
                       copies.";
            self.notes.push(why.to_owned());
        }
    }

    async fn bring_to_the_end(&mut self, mut back: OrderRestoration) {
        let phase = self.phase;
        back.within(self.pace.bytes());
        let mut size = aside::SIZE.beginning_with(self.elements);
        let began = instant();
        let per_s = self.meter.per_s(began);
        loop {
            match back.next(&self.writer, size.get()).await {
                Ok(Some(step)) => {
                    self.phase = step.phase;
                    self.longest = self.longest.max(step.took.unwrap_or_default());
                    size.took(step.took, self.limits.max_block);
                    let passed = instant().saturating_duration_since(began);
                    #[expect(clippy::cast_precision_loss, reason = "it is for people")]
                    let rest = (step.of - step.at) as f64 / step.at.max(1) as f64;
                    let left = passed.as_secs_f64() * rest;
                    let begins = self.back.is_none();
                    self.back = Some(ListReturn {
                        elements: (step.at, step.of),
                        per_s,
                        left: Duration::try_from_secs_f64(left).ok(),
                    });
                    self.progress(None, begins);
                }
                Ok(None) => break,
                Err(error) if self.may_heal(&error) => {
                    self.say(ChangeEvent::Trouble(error.to_string()));
                    if let Err(why) = self.replaced(&error).await {
                        self.left_aside(&why);
                        break;
                    }
                    if let Err(why) = self.answers(0, false).await {
                        self.left_aside(&why);
                        break;
                    }
                }
                Err(error) => {
                    self.left_aside(&error.into());
                    break;
                }
            }
        }
        self.phase = phase;
        self.back = None;
        self.aside = false;
    }

    /// Brings back what this change has set aside, for good.
    pub(super) async fn restored(&mut self) {
        self.wants_aside = false;
        if self.aside {
            self.bring_back().await;
        }
    }

    /// Says what brings the order list back, where another change had set it aside and it is so
    /// still.
    pub(super) async fn still_aside(&mut self) -> Option<String> {
        if !self.at_first.is_aside_by_others {
            return None;
        }
        missing(self.writer.store(), &self.queue).await
    }

    fn left_aside(&mut self, why: &Halt) {
        let why = match why {
            Halt::Failed(why) => why,
            Halt::Stopped => "it was stopped",
        };
        self.notes.push(format!(
            "Part of the order list is still missing, because {why}. `{}` restores it.",
            restore(self.writer.store(), &self.queue)
        ));
    }
}

/// A sentence on what is missing from the order list since a change has set it aside, and on what
/// restores it; none where nothing is, or that cannot be read.
pub async fn missing(store: &Store, queue: &Queue) -> Option<String> {
    let seen = facts(store, queue).await.ok()?;
    (seen.aside > 0).then(|| {
        format!(
            "{} missing from the order list while another change runs. If none does, `{}` restores \
             {}.",
            text::counted(seen.aside, "element is", "elements are"),
            restore(store, queue),
            if seen.aside == 1 { "it" } else { "them" },
        )
    })
}

/// The command that brings an order list back.
pub(super) fn restore(store: &Store, queue: &Queue) -> String {
    let program = redis_cli::ours(store.endpoint());
    shell::about(&program, "repair", queue, &["--restore-order"])
}
