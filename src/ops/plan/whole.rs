//! Changes of a queue as a whole: everything due, and what mends it.

use super::work::Job;
use super::{ChangeError, Prepared, What, Wish, blank, cost, words};
use crate::clock::EpochMillis;
use crate::queue::{Plan, Queue};
use crate::store::{Store, read};

/// What an entry of the journal takes that says what was transferred.
const KEPT: u64 = 64;

/// All that is due: counted, not listed.
pub(super) async fn due(
    store: &Store,
    wish: Wish,
    now: EpochMillis,
) -> Result<Prepared, ChangeError> {
    let queue = &wish.queue;
    let timeouts = queue.keys().timeouts;
    let mut plan = blank(store, queue, wish.what.change(), now);
    let bound = queue.score(now);
    plan.planned = read::count_between(store, &timeouts, 0.0, bound).await?;
    if plan.planned > 0 {
        let (_, head) = read::rows_from(store, &timeouts, 0.0, FIRST).await?;
        let due = head.rows.iter().filter(|(_, score)| *score <= bound);
        plan.first = due.clone().map(|(member, _)| queue.id(member)).collect();
        plan.oldest = due.clone().next().map(|(_, score)| queue.due(*score));
        let newest = read::highest(store, &timeouts, (-1.0, queue.score(now.plus(1)))).await?;
        plan.newest = newest.map(|score| queue.due(score));
        let bytes: usize = due.clone().map(|(member, _)| member.len()).sum();
        let each = u64::try_from(bytes / due.count().max(1)).unwrap_or(0);
        plan.cost = cost::in_order(plan.planned, plan.planned * each, plan.planned * KEPT);
    }
    target(store, &mut plan).await?;
    words::warn_of_transfer(&mut plan);
    plan.profile = wish.profile;
    Ok(Prepared {
        plan,
        job: Job::Due(now),
        settled: Vec::new(),
        undoes: None,
    })
}

/// So many entries are shown.
const FIRST: u32 = 5;

async fn target(store: &Store, plan: &mut Plan) -> Result<(), ChangeError> {
    let now = read::list_page(store, &plan.queue.keys().target, 0, 1).await?;
    plan.target = Some((now.length, now.length.saturating_add(plan.planned)));
    Ok(())
}

/// A change that has nothing to do with single entries.
pub(super) async fn of_queue(
    store: &Store,
    wish: Wish,
    now: EpochMillis,
) -> Result<Prepared, ChangeError> {
    let keys = wish.queue.keys();
    let mut plan = blank(store, &wish.queue, wish.what.change(), now);
    plan.profile = wish.profile.clone();
    let job = match wish.what {
        What::Kick => {
            let Some(channel) = &keys.channel else {
                return Err(lacks(&wish.queue, "channel that could be kicked"));
            };
            plan.commands = vec![words::line(store, &[b"PUBLISH", channel, b"0"])];
            plan.warnings = vec!["A kick cannot be taken back; it is harmless.".to_owned()];
            Job::Kick
        }
        What::Realign(within) => Job::Realign(within),
        What::RestoreOrder => Job::RestoreOrder,
        _ => Job::Drift,
    };
    if keys.order.is_none() {
        return Err(lacks(&wish.queue, "order list"));
    }
    Ok(Prepared {
        plan,
        job,
        settled: Vec::new(),
        undoes: None,
    })
}

fn lacks(queue: &Queue, what: &str) -> ChangeError {
    let layout = queue.layout.word();
    ChangeError::Senseless(format!("a {layout} queue has no {what}"))
}
