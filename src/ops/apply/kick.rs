//! A kick, and whether it has helped.

use std::time::Duration;

use super::run::{PartEnd, Run};
use crate::clock::{EpochMillis, instant};
use crate::ops::refresh::pulse;
use crate::queue::Change;
use crate::queue::{Due, EntryId, Outcome, text};

/// The time within which a kick helps, if it does: Redisson's clients need 5 to 35 ms.
const HELPS: Duration = Duration::from_secs(2);
/// Milliseconds within which what falls due is waited for: a client may have been set going once
/// only.
const NEXT_MS: i64 = 5_000;
/// The longest of such waits, in all.
const IN_ALL: Duration = Duration::from_secs(8);
/// The pause between two looks.
const LOOK: Duration = Duration::from_millis(50);

/// The late entries that a kick shall set going.
pub(super) struct StuckEntries {
    /// Entries that were late before it.
    late: u64,
    /// The one that clients transfer first, and when it is due.
    head: Option<(EntryId, EpochMillis)>,
    /// The head of timeouts, whether it is ever due or not.
    first: (Option<EntryId>, Option<Due>),
    /// The server's time.
    at: EpochMillis,
}

/// True of a change that mends what stops every transfer, whatever stands first.
const fn unblocks(change: Change) -> bool {
    matches!(
        change,
        Change::Repack | Change::Quarantine | Change::RenameTaken
    )
}

fn is(n: u64) -> String {
    text::counted(n, "entry is", "entries are")
}

impl Run {
    pub(super) async fn kick(&mut self) -> PartEnd {
        self.phase = "waking the clients";
        let before = self.stuck().await;
        self.listening = loop {
            match self.writer.kick(&self.queue).await {
                Ok(listening) => break listening,
                Err(error) if error.passing() => self.heal(&error, 0).await?,
                Err(error) => return Err(error.into()),
            }
        };
        self.notes.push(match self.listening {
            None => "Published; how many clients listened is not known.".to_owned(),
            Some(0) => "Published; 0 clients listened.".to_owned(),
            Some(1) => "Published; 1 client listened.".to_owned(),
            Some(n) => format!("Published; {n} clients listened."),
        });
        self.kicked = before.filter(|before| before.late > 0 && self.listening != Some(0));
        Ok(())
    }

    /// Reads the head of timeouts before a change that may free what stands behind it; none of
    /// other changes, and where it cannot be read.
    pub(super) async fn before(&self, change: Change) -> Option<StuckEntries> {
        let may_free =
            unblocks(change) || matches!(change, Change::Requeue | Change::Delete | Change::Edit);
        if may_free { self.stuck().await } else { None }
    }

    /// Wakes the transfer clients when what stopped their transfers may be gone and something is
    /// late, and looks whether it goes on: one whose script has failed sleeps for 5 s, and one that
    /// was told of a due time that was none may sleep for ever. Where they cannot be told they wake
    /// by themselves.
    pub(super) async fn wake(&mut self, change: Change, before: Option<&StuckEntries>) {
        if self.tally.get(Outcome::Done) == 0 || self.queue.keys().channel.is_none() {
            return;
        }
        let Some(now) = self.stuck().await else {
            return;
        };
        // Whose head is another one by this change: by their own timers clients need not know.
        let freed = before.is_some_and(|before| before.late > 0 && before.first != now.first);
        if now.late == 0 || !(unblocks(change) || freed) {
            return;
        }
        match self.writer.kick(&self.queue).await {
            Ok(Some(0)) => self.notes.push(format!(
                "{} still late: no client is connected that could transfer them.",
                is(now.late)
            )),
            Ok(_) => self.woken = Some(now),
            // They wake by themselves.
            Err(_) => {}
        }
    }

    /// Looks whether what is late gets fewer after its clients were woken.
    pub(super) async fn see_whether_it_is_cured(&mut self) {
        let Some(before) = self.woken.take() else {
            return;
        };
        self.phase = "checking whether the clients go on";
        let began = instant();
        let mut seen = None;
        while !self.is_stopped() {
            seen = self.stuck().await.or(seen);
            let moves = |now: &StuckEntries| now.late < before.late || now.first != before.first;
            if let Some(now) = seen.as_ref().filter(|now| moves(now)) {
                self.notes.push(match now.late {
                    0 => "The clients were woken; nothing is late any more.".to_owned(),
                    // How many are late is another number by the time this is read.
                    _ => "The clients were woken, and go on.".to_owned(),
                });
                return;
            }
            if instant().saturating_duration_since(began) >= HELPS {
                break;
            }
            self.pause(LOOK).await;
        }
        if let Some(now) = seen.filter(|_| !self.is_stopped()) {
            self.notes.push(format!(
                "Not cured: {} late, and 2 s after the clients were woken nothing has moved. The \
                 findings (doctor) say why; a worker transfers meanwhile.",
                is(now.late)
            ));
        }
    }

    /// Reads what there is to be set going; none when that cannot be read.
    async fn stuck(&self) -> Option<StuckEntries> {
        let seen = pulse(self.writer.store(), &self.queue, None).await.ok()?;
        Some(StuckEntries {
            late: seen.late.get()?,
            first: (seen.first.as_ref().map(|first| first.id), seen.head),
            head: seen
                .first
                .and_then(|first| Some((first.id, first.due_at()?))),
            at: seen.at,
        })
    }

    /// Looks whether the kick sets going what was late before it, and says what to conclude. Only
    /// reads: whoever stops it has kicked all the same.
    pub(super) async fn see_whether_it_helps(&mut self) {
        let Some(before) = self.kicked.take() else {
            return;
        };
        self.phase = "checking whether it helps";
        let began = instant();
        let mut seen = None;
        while !self.is_stopped() {
            let took = instant().saturating_duration_since(began);
            seen = self.stuck().await.or(seen);
            let moved = |now: &StuckEntries| now.late < before.late || now.head != before.head;
            if let Some(now) = seen.as_ref().filter(|now| moved(now)) {
                let took = text::span(u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
                let (then, now) = (text::thousands(before.late), text::thousands(now.late));
                let again = self.stands_again().await;
                self.helped = Some(again.is_none());
                self.notes.push(match again {
                    None => format!(
                        "It helped: {then} late before, {now} after {took}. A client had lost its timer."
                    ),
                    Some(late) => format!(
                        "It moved once ({then} late before, {now} after {took}) and stands again: {} late. \
                         The clients lose their timers: restart or upgrade them, or start a worker.",
                        text::thousands(late)
                    ),
                });
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
                "It has not helped: {} late, and the first has not moved. Either the clients' scripts \
                 fail (an unreadable entry, refused writes), or a clock is behind, or the clients do \
                 not transfer. The findings (doctor) or the clients' logs say which. Restart one, or \
                 start a worker.",
                text::thousands(now.late)
            ));
        }
    }

    /// Counts the late entries that stand although a client has been set going and what falls due
    /// next stands too.
    async fn stands_again(&mut self) -> Option<u64> {
        let (began, mut since) = (instant(), instant());
        let mut head = None;
        while !self.is_stopped() && instant().saturating_duration_since(began) < IN_ALL {
            let seen = self.stuck().await?;
            let (_, due) = seen.head?;
            if seen.head != head {
                (head, since) = (seen.head, instant());
            }
            let late_ms = seen.at.since(due);
            if late_ms < -NEXT_MS {
                return None;
            }
            let late = u64::try_from(late_ms).is_ok_and(|ms| u128::from(ms) >= HELPS.as_millis());
            if late && instant().saturating_duration_since(since) >= HELPS {
                return Some(seen.late);
            }
            self.pause(LOOK).await;
        }
        None
    }
}
