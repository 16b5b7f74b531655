//! A kick, and whether it has helped.

use std::time::Duration;

use super::run::{Ended, Run};
use crate::clock::instant;
use crate::ops::refresh::pulse;
use crate::queue::plan::Change;
use crate::queue::{EntryId, Outcome, text};

/// A kick that helps does so within this: Redisson's clients need 5 to 35 ms.
const HELPS: Duration = Duration::from_secs(2);
/// How often it is looked.
const LOOK: Duration = Duration::from_millis(50);

/// What a kick shall set going.
pub(super) struct Stuck {
    /// So many were late before it.
    late: u64,
    /// The one that clients transfer first.
    head: Option<EntryId>,
}

impl Run {
    pub(super) async fn kick(&mut self) -> Ended {
        self.phase = "kicking";
        let before = self.stuck().await;
        self.listening = self.writer.kick(&self.queue).await?;
        self.notes.push(match self.listening {
            None => "How many transfer clients listened is not known.".to_owned(),
            Some(0) => "Nobody listened: no transfer client is subscribed.".to_owned(),
            Some(1) => "1 transfer client listened.".to_owned(),
            Some(n) => format!("{n} transfer clients listened."),
        });
        self.kicked = before.filter(|before| before.late > 0 && self.listening != Some(0));
        Ok(())
    }

    /// Wakes the transfer clients when what stopped their transfers may be gone and something is
    /// late: one whose script has failed sleeps for 5 s, and looks stuck until then. Where they
    /// cannot be told they wake by themselves.
    pub(super) async fn wake(&mut self, change: Change) {
        let unblocks = matches!(change, Change::Repack | Change::Quarantine);
        if !unblocks || self.tally.get(Outcome::Done) == 0 {
            return;
        }
        if self.stuck().await.is_some_and(|stuck| stuck.late > 0) {
            let _ = self.writer.kick(&self.queue).await;
        }
    }

    /// What there is to be set going; none when that cannot be read.
    async fn stuck(&self) -> Option<Stuck> {
        let seen = pulse(self.writer.store(), &self.queue, None).await.ok()?;
        Some(Stuck {
            late: seen.late.get()?,
            head: seen.first.map(|first| first.id),
        })
    }

    /// Looks whether the kick sets going what was late before it, and says what to conclude. Only
    /// reads: whoever stops it has kicked all the same.
    pub(super) async fn see_whether_it_helps(&mut self) {
        let Some(before) = self.kicked.take() else {
            return;
        };
        self.phase = "looking whether it helps";
        let began = instant();
        let mut seen = None;
        while !self.is_stopped() {
            let took = instant().saturating_duration_since(began);
            seen = self.stuck().await.or(seen);
            let moved = |now: &Stuck| now.late < before.late || now.head != before.head;
            if let Some(now) = seen.as_ref().filter(|now| moved(now)) {
                let took = text::span(u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
                let (then, now) = (text::thousands(before.late), text::thousands(now.late));
                self.helped = Some(true);
                self.notes.push(format!(
                    "It helped: {then} late before it, {now} after {took}. A client had lost its \
                     timer."
                ));
                return;
            }
            if took >= HELPS {
                break;
            }
            self.pause(LOOK).await;
        }
        if let Some(now) = seen.filter(|_| !self.is_stopped()) {
            self.helped = Some(false);
            self.notes.push(format!(
                "It has not helped: {} late, and the first has not moved. Either the clients' \
                 scripts fail (an entry that they cannot unpack, refused writes), or a clock is \
                 behind, or those who listen do not transfer: the findings (doctor) tell which.",
                text::thousands(now.late)
            ));
        }
    }
}
