//! Changes of a queue as a whole: everything due, and what mends it.

use std::time::Duration;

use super::work::Job;
use super::{
    ChangeError, ChangeRequest, LookObserver, PreparedChange, Wish, blank, cost, lacks, make, words,
};
use crate::clock::EpochMillis;
use crate::ops::bulk::drift::{self, Difference, Drift};
use crate::ops::bulk::estimate::{Ask, EstimateBasis, OrderSample, Walk, WorkKind};
use crate::ops::bulk::realign::due_until;
use crate::ops::bulk::restore_order::{AsideOrder, RestoreOrder};
use crate::queue::plan::Cost;
use crate::queue::{EntryResult, Outcome, Plan, Queue, redis_cli, shell, text};
use crate::store::bulk::facts;
use crate::store::{Store, StoreError, read};

/// Plans a transfer of everything due: counted, not listed.
pub(super) async fn due(
    store: &Store,
    wish: Wish,
    now: EpochMillis,
) -> Result<PreparedChange, ChangeError> {
    let queue = &wish.queue;
    let (timeouts, target) = (queue.keys().timeouts, queue.keys().target);
    let mut plan = blank(store, queue, wish.what.change(), now);
    let bound = queue.score(now);
    // In one go: one answer to wait for where others block the server, and figures that belong
    // together.
    let (due, of, target, (_, head), newest, (refused, settled)) = tokio::try_join!(
        read::count_between(store, &timeouts, 0.0, bound),
        read::count_between(store, &timeouts, f64::NEG_INFINITY, f64::INFINITY),
        read::list_page(store, &target, 0, 0),
        read::rows_from(store, &timeouts, 0.0, ENTRIES_SHOWN),
        read::highest(store, &timeouts, (-1.0, queue.score(now.plus(1)))),
        below_zero(store, queue),
    )?;
    plan.target = Some((target.length, target.length.saturating_add(due)));
    plan.of = Some(of);
    let (mut strange, mut largest, mut reckoned) = (0, 0, Vec::new());
    if due > 0 {
        let first = head.rows.iter().filter(|(_, score)| *score <= bound);
        plan.first = first.clone().map(|(member, _)| queue.id(member)).collect();
        let line = |(member, _): &(Vec<u8>, f64)| words::said_by(queue, member);
        plan.says = first.clone().map(line).collect();
        let is_strange = |member: &[u8]| queue.unwrap(member).is_err();
        strange = first.clone().filter(|(m, _)| is_strange(m)).count();
        plan.oldest = first.clone().next().map(|(_, score)| queue.due(*score));
        plan.newest = newest.map(|score| queue.due(score));
        let lengths: Vec<usize> = first.map(|(member, _)| member.len()).collect();
        plan.cost.journal_bytes = cost::journalled(due);
        let cost = cost::of_due(
            store,
            queue,
            now,
            refused..refused.saturating_add(due),
            lengths,
        );
        let (cost, most) = cost.await?;
        largest = most;
        reckoned.push(cost);
    }
    plan.planned = due;
    plan.commands = words::of_whole(&plan);
    (plan.planned, plan.left_alone) = (due.saturating_add(refused), refused);
    let room = (ENTRIES_SHOWN as usize).saturating_sub(plan.first.len());
    let named = settled.iter().map(|result| result.id);
    plan.first.extend(named.take(room));
    words::warn_of_transfer(&mut plan, strange, refused);
    plan.profile = wish.profile;
    let unnamed = refused.saturating_sub(u64::try_from(settled.len()).unwrap_or(0));
    let job = Job::Due {
        bound: now,
        unnamed,
        largest,
    };
    Ok(PreparedChange::new(plan, job, settled, reckoned))
}

/// Entries with a score below 0 that are named one by one.
const NAMED: u32 = 100;

/// Counts the entries with a score below 0, which no transfer takes, and reads the first of them.
async fn below_zero(store: &Store, queue: &Queue) -> Result<(u64, Vec<EntryResult>), StoreError> {
    let timeouts = queue.keys().timeouts;
    let count = read::rank_of_score(store, &timeouts, 0.0, false).await?;
    if count == 0 {
        return Ok((0, Vec::new()));
    }
    let first = read::rows(store, &timeouts, 0, NAMED, None).await?.rows;
    let refused = |(member, _): (Vec<u8>, f64)| EntryResult {
        id: queue.id(&member),
        outcome: Outcome::Refused,
        reason: Some("its due time is below 0: transfer now, requeue or delete it".to_owned()),
    };
    let below = first.into_iter().filter(|(_, score)| *score < 0.0);
    let named: Vec<EntryResult> = below.map(refused).collect();
    // Some may have come between the two reads.
    let count = count.max(u64::try_from(named.len()).unwrap_or(0));
    Ok((count, named))
}

/// Entries that are shown.
const ENTRIES_SHOWN: u32 = 5;

/// Plans a change that has nothing to do with chosen entries.
pub(super) async fn of_queue(
    store: &Store,
    wish: Wish,
    now: EpochMillis,
    tell: &impl LookObserver,
) -> Result<PreparedChange, ChangeError> {
    let queue = &wish.queue;
    let keys = queue.keys();
    let mut plan = blank(store, queue, wish.what.change(), now);
    plan.profile = wish.profile.clone();
    if keys.order.is_none() {
        let what = match wish.what {
            ChangeRequest::Kick => "channel by which clients could be woken",
            _ => "order list",
        };
        return Err(lacks(queue, what));
    }
    let mut reckoned = Vec::new();
    let job = match wish.what {
        ChangeRequest::Kick => {
            let channel = keys.channel.unwrap_or_default();
            plan.commands = vec![words::in_shell(store, &[b"PUBLISH", &channel, b"0"])];
            plan.warnings = vec!["Waking clients cannot be undone; it is harmless.".to_owned()];
            Job::Kick
        }
        ChangeRequest::Realign(within) => realign(store, &mut plan, &mut reckoned, within).await?,
        ChangeRequest::RestoreOrder => restore_order(store, &mut plan).await?,
        _ => drift(store, &mut plan, tell).await?,
    };
    if !matches!(job, Job::Kick) {
        plan.commands = words::of_whole(&plan);
    }
    let settled = match &job {
        Job::Drift(drift) => left_alone(queue, drift),
        _ => Vec::new(),
    };
    Ok(PreparedChange::new(plan, job, settled, reckoned))
}

async fn realign(
    store: &Store,
    plan: &mut Plan,
    reckoned: &mut Vec<EstimateBasis>,
    within: Option<u64>,
) -> Result<Job, ChangeError> {
    let until = within.map(|ms| {
        let ms = i64::try_from(ms).unwrap_or(i64::MAX);
        EpochMillis::new(plan.at.get().saturating_add(ms))
    });
    plan.of = Some(whole_order(store, &plan.queue).await?);
    let members = due_until(store, &plan.queue, until).await?;
    plan.planned = u64::try_from(members.len()).unwrap_or(0);
    let first = members.iter().take(ENTRIES_SHOWN as usize);
    plan.first = first.clone().map(|member| plan.queue.id(member)).collect();
    plan.says = first
        .map(|member| words::said_by(&plan.queue, member))
        .collect();
    let ask = Ask {
        kind: WorkKind::Realign,
        count: plan.planned,
        bytes: [
            average(members.iter().map(Vec::len)),
            members
                .iter()
                .map(Vec::len)
                .max()
                .map_or(0, |long| long as u64),
        ],
        due: false,
        clients: 0,
        scores: (
            0.0,
            until.map_or(f64::INFINITY, |until| plan.queue.score(until)),
        ),
    };
    let sample = OrderSample::take(store, &plan.queue).await?;
    let walk = Walk::default();
    reckoned.push(EstimateBasis::new(&plan.queue, &sample, &ask, walk));
    plan.warnings.push(NOT_UNDONE.to_owned());
    plan.warnings.push(COMES_AGAIN.to_owned());
    Ok(Job::Realign(members))
}

/// The note that sorting the order list cures only what waits now.
const COMES_AGAIN: &str = "It sorts what waits now. What is offered later goes to the end of the \
                           list: the next burst may block Redis again.";

const NOT_UNDONE: &str = "It cannot be undone: the old order is not kept.";

/// Time of the server for an element of the order list that is brought back, in a script, where
/// timeouts holds a million and its scores are looked up in any order.
const BACK: Duration = Duration::from_micros(5);
/// The same with the look before it and the script's share of round trip and journal.
const LOOKED_AND_BACK: Duration = Duration::from_micros(9);
/// Time that the first script takes beyond that, whose text the server has to read.
const TEXT: Duration = Duration::from_micros(150);
/// Elements that come back in a script at most.
const BACK_AT_ONCE: u32 = 1_000;

async fn restore_order(store: &Store, plan: &mut Plan) -> Result<Job, ChangeError> {
    if let Some(found) = RestoreOrder::find(store, &plan.queue).await? {
        plan.planned = found.aside;
        plan.of = Some(found.aside);
        plan.cost = Cost {
            takes: LOOKED_AND_BACK.saturating_mul(u32::try_from(found.aside).unwrap_or(u32::MAX)),
            longest_block: (BACK * BACK_AT_ONCE + TEXT) * 2,
            element: BACK * 2,
            replicated_bytes: found.coming_back.saturating_mul(found.bytes + 8),
            journal_bytes: restored_bytes(&found),
            ..Cost::default()
        };
        if found.waiting == 0 {
            let flags = ["--from", "order-only", "--all", "--in", "0s"];
            let program = redis_cli::ours(store.endpoint());
            let instead = shell::about(&program, "requeue", &plan.queue, &flags);
            plan.warnings.push(format!(
                "Nothing waits in timeouts: all {} elements of the order list's missing part \
                 would be dropped. If a transfer has delivered them, that is right; if timeouts was lost, \
                 they are the last copy. `{instead}` lets them wait again instead; bring the list \
                 back after it.",
                text::thousands(found.aside),
            ));
        }
        plan.warnings.push(
            "What does not wait any more is not brought back; the journal keeps its bytes."
                .to_owned(),
        );
    }
    Ok(Job::RestoreOrder)
}

/// Bytes that the journal keeps of what is dropped when that list is brought back.
pub(in crate::ops) fn restored_bytes(found: &AsideOrder) -> u64 {
    (found.aside.saturating_sub(found.coming_back))
        .saturating_mul(found.bytes + cost::KEPT - cost::SCORE)
}

/// Entries that only the order list holds which are named one by one; the others are counted.
pub(in crate::ops) const NAMED_STRAYS: usize = 100;

/// The entries about which a repair of drift does nothing.
fn left_alone(queue: &Queue, drift: &Drift) -> Vec<EntryResult> {
    let refused = |member: &Vec<u8>| EntryResult {
        id: queue.id(member),
        outcome: Outcome::Refused,
        reason: Some(make::ONLY_IN_ORDER.to_owned()),
    };
    let strays = drift.strays().iter();
    strays.take(NAMED_STRAYS).map(refused).collect()
}

/// The length of the order list; a repair of it is refused while part of it is aside.
async fn whole_order(store: &Store, queue: &Queue) -> Result<u64, ChangeError> {
    let seen = facts(store, queue).await?;
    if seen.aside > 0 {
        return Err(ChangeError::Senseless(
            "part of the order list is missing: restore it first (restore-order)".to_owned(),
        ));
    }
    Ok(seen.order)
}

async fn drift(
    store: &Store,
    plan: &mut Plan,
    tell: &impl LookObserver,
) -> Result<Job, ChangeError> {
    // What is aside would be taken for what is missing once it comes back.
    let length = whole_order(store, &plan.queue).await?;
    let mut drift = Drift::new(&plan.queue);
    while let Some(step) = drift.find(store).await? {
        tell.looked(step.at, step.of);
    }
    let strays = drift.strays().len();
    if drift.found().is_empty() && strays > 0 {
        return Err(ChangeError::OnlyStrays(words::only_strays(&drift)));
    }
    plan.planned = u64::try_from(drift.found().len() + strays).unwrap_or(0);
    let seen = facts(store, &plan.queue).await?;
    plan.of = Some(seen.waiting.max(seen.order));
    let mended = drift.found().iter().map(Difference::member);
    let first = mended.chain(drift.strays().iter().map(Vec::as_slice));
    let first: Vec<&[u8]> = first.take(ENTRIES_SHOWN as usize).collect();
    plan.first = first.iter().map(|member| plan.queue.id(member)).collect();
    let says = first
        .iter()
        .map(|member| words::said_by(&plan.queue, member));
    plan.says = says.collect();
    let members = drift.found().iter().map(|found| found.member().len());
    let kept = |long: usize| cost::KEPT.saturating_add(u64::try_from(long).unwrap_or(0));
    plan.cost = Cost {
        journal_bytes: members.map(kept).sum(),
        ..drift::cost(drift.found(), length, drift.passed(length))
    };
    if drift.foreign() > 0 {
        let members = text::counted(
            drift.foreign(),
            "entry of timeouts is not in Redisson's format and stays",
            "entries of timeouts are not in Redisson's format and stay",
        );
        plan.warnings.push(format!(
            "{members} out of the order list. Quarantine takes such entries out of timeouts."
        ));
    }
    words::warn_of_strays(plan, &drift);
    Ok(Job::Drift(Box::new(drift)))
}

fn average(lengths: impl ExactSizeIterator<Item = usize>) -> u64 {
    let n = lengths.len().max(1);
    u64::try_from(lengths.sum::<usize>() / n).unwrap_or(0)
}
