//! The data of the queue is gone amid a change: the server was flushed, or started anew without it,
//! or timeouts was deleted, renamed or has expired. That is no work of others, and is not told as
//! such.

use super::run::Run;
use crate::clock::EpochMillis;
use crate::ops::journal::ServerId;
use crate::ops::plan::then::ServerThen;
use crate::queue::text;
use crate::store::bulk::{QueueSizes, facts};
use crate::store::read::{self, KeyType};

/// The reason for the unknown outcome of an entry.
pub(super) const LOST: &str = "the data of the queue is gone";

/// The entries that say something by their number: of fewer, others may have moved each.
const LEAST_TELLING_ENTRIES: u64 = 10;

/// The state of the server and the queue before a change, which what is missing later is held against.
#[derive(Debug, Default)]
pub(super) struct StateBefore {
    planned: ServerThen,
    /// Elements that the order list held beyond what waits.
    beyond: u64,
    /// True when another change had set the order list aside.
    pub(super) is_aside_by_others: bool,
    later: Option<LaterEntries>,
}

/// The entries that are not due for long: no client transfers them.
#[derive(Clone, Copy, Debug)]
struct LaterEntries {
    /// The score from which on.
    from: f64,
    count: u64,
}

impl StateBefore {
    /// Before a change that was planned then.
    pub(super) fn since(planned: ServerThen) -> Self {
        Self {
            planned,
            ..Self::default()
        }
    }
}

impl Run {
    /// Looks at what there is before the first script. What cannot be seen tells nothing later.
    pub(super) async fn look_before(&mut self) {
        let store = self.writer.store().clone();
        if !self.at_first.planned.is_known() {
            self.at_first.planned = ServerThen::look(&store).await;
        }
        let seen = facts(&store, &self.queue).await.ok();
        self.at_first.beyond = seen.as_ref().map_or(0, beyond);
        self.at_first.is_aside_by_others = seen.is_some_and(|seen| seen.aside > 0);
    }

    /// Looks at how many are not due for long, in the later half of the time that `bound` leaves.
    pub(super) async fn look_at_later(&mut self, bound: EpochMillis) {
        let store = self.writer.store().clone();
        let (timeouts, bound) = (self.queue.keys().timeouts, self.queue.score(bound));
        let highest = read::highest(&store, &timeouts, (bound, f64::INFINITY)).await;
        let Ok(Some(highest)) = highest else { return };
        let from = f64::midpoint(bound, highest);
        let count = read::count_between(&store, &timeouts, from, f64::INFINITY).await;
        self.at_first.later = count.ok().map(|count| LaterEntries { from, count });
    }

    /// The same, where that was not looked at yet.
    pub(super) async fn know_of_later(&mut self) {
        if self.at_first.later.is_none() {
            self.look_at_later(self.now()).await;
        }
    }

    /// True when some entries cannot be due by now: they wait, or timeouts has lost them.
    pub(super) fn some_should_wait(&self) -> bool {
        let later = self.at_first.later.filter(|later| later.count > 0);
        later.is_some_and(|later| self.queue.score(self.now()) < later.from)
    }

    /// Finds the reason why what was to be changed is not there any more, when others cannot have
    /// moved it; asked when all `gone` entries of a script were gone.
    pub(super) async fn lost(&mut self, gone: u64) -> Option<String> {
        // After a restart the connection that reads may be one that is not known to be dead.
        self.answers(0, true).await.ok()?;
        let name = text::printable_bytes(self.queue.name.as_bytes());
        if let Some(why) = self.all_lost().await {
            return Some(format!("the data of {name} is gone: {why}"));
        }
        let why = self.timeouts_lost(gone).await?;
        Some(format!(
            "entries have left timeouts of {name} that nobody has transferred: {why}; the key was \
             deleted or renamed from outside, or has expired"
        ))
    }

    /// Finds why all keys of the queue have lost what they held.
    async fn all_lost(&self) -> Option<String> {
        let store = self.writer.store();
        let keys = self.queue.keys();
        let mut all = vec![keys.timeouts, keys.target];
        all.extend([keys.order, keys.aside].into_iter().flatten());
        let kinds = read::kinds(store, &all).await.ok()?;
        let is_empty = kinds.iter().all(|kind| *kind == KeyType::Missing);
        self.at_first.planned.loss(store, is_empty).await
    }

    /// Finds what shows that timeouts alone has lost entries. Whoever moves or removes one takes it
    /// out of the order list too, unless that is aside, and nobody transfers what is not due.
    async fn timeouts_lost(&self, gone: u64) -> Option<String> {
        let store = self.writer.store();
        let seen = facts(store, &self.queue).await.ok()?;
        let kept = beyond(&seen).saturating_sub(self.at_first.beyond);
        if !self.was_aside
            && seen.aside == 0
            && kept >= LEAST_TELLING_ENTRIES
            && kept.saturating_mul(2) > gone
        {
            let held = text::counted(kept, "of them is", "of them are");
            return Some(format!("{held} still in the order list"));
        }
        let later = self
            .at_first
            .later
            .filter(|later| later.count >= LEAST_TELLING_ENTRIES)?;
        if self.queue.score(self.now()) >= later.from {
            return None;
        }
        let timeouts = self.queue.keys().timeouts;
        let still = read::count_between(store, &timeouts, later.from, f64::INFINITY).await;
        let left = later.count.saturating_sub(still.ok()?);
        (left.saturating_mul(10) > later.count.saturating_mul(9)).then(|| {
            let left = text::counted(left, "that was", "that were");
            format!("with them have gone {left} not due")
        })
    }

    /// True when the server is not the process any more that it was when the change began.
    async fn is_restarted(&self) -> bool {
        let store = self.writer.store();
        let now = ServerId::of(store).run_id;
        let then = &self.server.run_id;
        let is_another = !now.is_empty() && !then.is_empty() && now != *then;
        is_another && self.at_first.planned.was_started_anew(store).await
    }

    /// Says what has happened to the queue.
    pub(super) async fn restarted(&self) -> Option<String> {
        self.is_restarted().await.then(|| {
            "The server was started anew amid this change: what it had not saved by then is as it \
             was before."
                .to_owned()
        })
    }
}

/// The elements of the order list, also of one that is aside, beyond what waits.
const fn beyond(facts: &QueueSizes) -> u64 {
    (facts.order + facts.aside).saturating_sub(facts.waiting)
}
