//! The order list set aside while entries leave timeouts, and brought back whatever comes.

use std::time::Duration;

use super::Applied;
use super::run::{Halt, Run};
use crate::clock::instant;
use crate::ops::bulk::aside::{self, BringBack};
use crate::store::bulk::SetAside;

impl Run {
    /// Sets the order list aside; whether it is now. What somebody else left there comes back
    /// first.
    pub(super) async fn set_aside(&mut self) -> Result<SetAside, Halt> {
        loop {
            match aside::set_aside(&self.writer, &self.queue).await {
                Ok(timed) => {
                    self.longest = self.longest.max(timed.took);
                    self.aside = timed.done == SetAside::Done;
                    if timed.done != SetAside::AlreadyThere {
                        return Ok(timed.done);
                    }
                    self.bring_back().await;
                }
                // If it was done after all, that one comes back first.
                Err(error) if error.may_heal() => self.heal(&error, 0).await?,
                Err(error) => return Err(error.into()),
            }
            if self.is_stopped() {
                return Err(Halt::Stopped);
            }
        }
    }

    /// Brings the order list back, however long the server is away, also after a stop.
    pub(super) async fn bring_back(&mut self) {
        let phase = self.phase;
        let mut back = BringBack::new(&self.queue);
        let mut size = aside::SIZE;
        let began = instant();
        let per_s = self.meter.per_s(began);
        loop {
            match back.next(&self.writer, size.get()).await {
                Ok(Some(step)) => {
                    self.phase = step.phase;
                    self.longest = self.longest.max(step.took);
                    size.took(step.took, self.limits.max_block);
                    let passed = instant().saturating_duration_since(began);
                    #[expect(clippy::cast_precision_loss, reason = "it is for people")]
                    let rest = (step.of - step.at) as f64 / step.at.max(1) as f64;
                    let left = passed.as_secs_f64() * rest;
                    self.back = Some((per_s, Duration::try_from_secs_f64(left).ok()));
                    self.progress(None, false).await;
                }
                Ok(None) => break,
                Err(error) if error.may_heal() => {
                    self.say(Applied::Trouble(error.to_string())).await;
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

    /// Brings back what this change has set aside.
    pub(super) async fn restored(&mut self) {
        if self.aside {
            self.bring_back().await;
        }
    }

    fn left_aside(&mut self, why: &Halt) {
        let why = match why {
            Halt::Failed(why) => why,
            Halt::Stopped => "it was stopped",
        };
        self.notes.push(format!(
            "The order list is still set aside, because {why}. `delayscope repair {} \
             --restore-order` brings it back.",
            crate::queue::redis_cli::word(&self.queue.spec())
        ));
    }
}
