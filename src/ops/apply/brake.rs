//! Everything that a change waits for: an order to go on, the limit of entries a second, a target
//! that is too full, a replica that lags, a server that is away, a reader that pauses.

use std::time::Duration;

use super::run::{Halt, PartEnd, Run};
use super::{ChangeEvent, Confirm, Order, PAUSED};
use crate::clock::instant;
use crate::queue::Outcome;
use crate::queue::plan::Way;
use crate::store::{StoreError, read};

/// The pause between two looks at a full target or a replica that lags.
pub(super) const LOOK: Duration = Duration::from_millis(100);
/// The pause between two looks at replicas that do not lag.
const REPLICAS: Duration = Duration::from_secs(1);
/// The pause between two attempts to reach a server that is away.
const AWAY: Duration = Duration::from_millis(200);
/// The same while a slot is on its way to another node of the cluster.
const SOON: Duration = Duration::from_millis(50);
/// The reason to wait then.
const MOVES: &str = "its slot is on the way to another node";
/// The same for one that says that it is busy.
const BUSY: Duration = Duration::from_millis(10);
/// The longest time for which others may miss entries.
const LONG: Duration = Duration::from_secs(30);
/// Bytes of a connection that Redis reads in a round of its loop.
const ROUND: usize = 16 << 10;

/// A reason to wait, and the pause until the next look.
struct Wait {
    why: Option<String>,
    look: Duration,
}

impl Run {
    /// The way in which it goes under these limits: what waits for long sets nothing aside.
    pub(super) fn way(&self) -> Way {
        #[expect(
            clippy::cast_precision_loss,
            reason = "it is compared with half a minute"
        )]
        let slow = (self.limits.per_s)
            .is_some_and(|per_s| self.planned as f64 > per_s * LONG.as_secs_f64());
        match self.way {
            Way::SetAside if slow || self.limits.max_target.is_some() => Way::Swap,
            way => way,
        }
    }

    /// Waits until the next script may go.
    pub(super) async fn hold(&mut self) -> PartEnd {
        let mut told = None;
        loop {
            if self.is_stopped() {
                return Err(Halt::Stopped);
            }
            let Some(Wait { why, look }) = self.waits().await else {
                if told.is_some() {
                    self.progress(None, true);
                }
                if self.wants_aside && !self.aside {
                    self.set_aside().await?;
                }
                return Ok(());
            };
            if why.is_some() && self.aside {
                // Nobody shall miss what is aside while nothing goes on.
                self.bring_back().await;
            }
            if why.is_some() {
                // Who asked for a pause, maybe anew, waits for the word.
                let is_news = told != why || why.as_deref() == Some(PAUSED);
                self.progress(why.clone(), is_news);
                told = why;
            }
            self.pause(look).await;
        }
    }

    async fn waits(&mut self) -> Option<Wait> {
        if *self.order.borrow_and_update() == Order::Pause {
            return Some(Wait {
                why: Some(PAUSED.to_owned()),
                look: Duration::from_secs(60 * 60),
            });
        }
        if self.tell.is_too_much() && !self.goes_round {
            return Some(Wait {
                why: Some("nobody reads what it tells".to_owned()),
                look: Duration::from_secs(60 * 60),
            });
        }
        if let Some(look) = self.meter.pause(instant()) {
            return Some(Wait { why: None, look });
        }
        let why = match self.full().await {
            Some(why) => Some(why),
            None => match self.lag().await {
                Some(why) => Some(why),
                None => self.unconfirmed().await,
            },
        };
        why.map(|why| Wait {
            why: Some(why),
            look: LOOK,
        })
    }

    /// Finds whether target is too long. (What cannot be looked at now keeps nothing: the script
    /// will tell.)
    async fn full(&self) -> Option<String> {
        let most = self.limits.max_target?;
        let target = self.queue.keys().target;
        let page = read::list_page(self.writer.store(), &target, 0, 0).await;
        let length = page.ok()?.length;
        (length > most)
            .then(|| format!("target holds {length}, and shall not hold more than {most}"))
    }

    async fn lag(&mut self) -> Option<String> {
        let now = instant();
        let looked = self.replicas_at;
        let lately = looked.is_some_and(|at| now.saturating_duration_since(at) < REPLICAS);
        if lately && self.ledger.misses(now).is_none() {
            return None;
        }
        let most = self.limits.max_lag;
        let seen = read::replication(self.writer.store()).await;
        if let Ok(seen) = &seen {
            self.saw(seen);
            if let Some(why) = self.missed(seen) {
                return Some(why);
            }
        }
        let lag = seen.map(|seen| seen.lag());
        match lag {
            Ok(Some(lag)) if lag.bytes > most && lag.copied => {
                Some("a replica is being given a copy of everything".to_owned())
            }
            Ok(Some(lag)) if lag.bytes > most => Some(format!(
                "a replica is {} bytes behind, and shall not be more than {most}",
                lag.bytes
            )),
            _ => {
                self.replicas_at = Some(now);
                None
            }
        }
    }

    /// Finds whether replicas lack what was done that are to have it.
    pub(super) async fn unconfirmed(&mut self) -> Option<String> {
        let wanted = match self.limits.confirm? {
            Confirm::All => self.ledger.replicas(),
            Confirm::Replicas(n) => n,
        };
        if self.tally.get(Outcome::Done) == 0 || wanted == 0 {
            return None;
        }
        let have = match self.writer.wait_for_replicas(wanted, LOOK).await {
            Ok(have) => have,
            Err(error) => {
                let note = format!("Whether replicas had each batch was not seen: {error}.");
                if !self.notes.contains(&note) {
                    self.notes.push(note);
                }
                return None;
            }
        };
        (have < wanted as u64).then(|| format!("{have} of {wanted} replicas have what was done"))
    }

    /// Gets over an error that may heal: tells it, and comes back once the server answers again and
    /// has read all of `sent` bytes that it may have been sent before.
    pub(super) async fn heal(&mut self, error: &StoreError, sent: usize) -> PartEnd {
        if error.is_on_its_way() {
            self.progress(Some(MOVES.to_owned()), true);
            self.pause(SOON).await;
            return Ok(());
        }
        self.say(ChangeEvent::Trouble(error.to_string()));
        self.replaced(error).await?;
        self.answers(sent, true).await?;
        if self.ledger.is_kept()
            && let Ok(seen) = read::replication(self.writer.store()).await
        {
            self.saw(&seen);
        }
        Ok(())
    }

    /// Waits, after a failed read, until it can be tried again.
    pub(super) async fn again(&mut self, error: StoreError) -> PartEnd {
        if self.may_heal(&error) {
            self.heal(&error, 0).await
        } else {
            Err(error.into())
        }
    }

    /// Waits until the server answers; also when it is to stop, if it `may_stop`.
    pub(super) async fn answers(&mut self, sent: usize, may_stop: bool) -> PartEnd {
        let store = self.writer.store().clone();
        let timeouts = [self.queue.keys().timeouts];
        let mut rounds = 2 + sent / ROUND;
        while rounds > 0 {
            match read::kinds(&store, &timeouts).await {
                Ok(_) => rounds -= 1,
                Err(error) if !error.may_heal() => return Err(error.into()),
                Err(error) => {
                    // One that is busy with a script answers at once, and is free for moments only.
                    let away_for = if error.passing() { BUSY } else { AWAY };
                    let away = if error.is_on_its_way() {
                        MOVES
                    } else {
                        "the server does not answer"
                    };
                    self.progress(Some(away.to_owned()), false);
                    store.retry_now();
                    if may_stop {
                        self.pause(away_for).await;
                    } else {
                        tokio::time::sleep(away_for).await;
                    }
                }
            }
            if may_stop && self.is_stopped() {
                return Err(Halt::Stopped);
            }
        }
        self.progress(None, true);
        Ok(())
    }
}
