//! The way in which a change goes, and what it costs.

use std::collections::HashSet;
use std::ops::Range;
use std::time::Duration;

use futures_util::future::try_join_all;

use super::ChangeError;
use super::make::PlanContext;
use super::work::{Work, has_places};
use crate::clock::EpochMillis;
use crate::ops::bulk::clients;
use crate::ops::bulk::drift::{self, Difference};
use crate::ops::bulk::estimate::{Ask, EstimateBasis, OrderSample, Walk, WorkKind};
use crate::queue::Queue;
use crate::queue::plan::{Cost, Plan, Way};
use crate::store::bulk::facts;
use crate::store::change::End;
use crate::store::{Store, StoreError, read};

/// Bytes that an entry takes in the journal beside its own: id, score, lengths, result.
pub(super) const KEPT: u64 = 24;
/// Bytes of a second score.
pub(super) const SCORE: u64 = 8;
/// Bytes of the hash that a delivered entry is found again by, and of its form.
const HASH: u64 = 21;

/// Estimates each list of chosen entries, from which their way and cost follow. What goes to the
/// journal comes to stand in the plan, and the whole cost where there is no choice.
pub(super) async fn of(
    making: &PlanContext<'_>,
    work: &[Work],
    plan: &mut Plan,
) -> Result<Vec<EstimateBasis>, ChangeError> {
    let journal_bytes = work.iter().map(|work| kept(making.queue, work)).sum();
    if let Some(Work::DropStrays(members)) = work.iter().max_by_key(|work| work.len()) {
        plan.way = Way::Sweep;
        plan.cost = of_strays(making, members).await?;
        plan.cost.journal_bytes = journal_bytes;
        return Ok(Vec::new());
    }
    let cost = &mut plan.cost;
    cost.journal_bytes = journal_bytes;
    // Of keys nothing is searched for in the order list, which may be of another type.
    if work.iter().all(Work::is_of_keys) {
        let n = u32::try_from(work.iter().map(Work::len).sum::<usize>()).unwrap_or(u32::MAX);
        (cost.entry, cost.longest_block) = (KEY, KEY.saturating_mul(n.min(BATCH)));
        cost.takes = KEY.saturating_mul(n);
        cost.replicated_bytes = work.iter().map(bytes).sum::<u64>().saturating_mul(3);
        return Ok(Vec::new());
    }
    let mut reckoned = Vec::with_capacity(work.len());
    let mut sample = None;
    for work in work {
        reckoned.push(reckon(making, work, &mut sample).await?);
    }
    Ok(reckoned)
}

/// The cost of taking these out of the order list while that goes round.
async fn of_strays(making: &PlanContext<'_>, members: &[Vec<u8>]) -> Result<Cost, ChangeError> {
    let order = facts(making.store, making.queue).await?.order;
    let found = members.iter().cloned().map(Difference::OnlyInOrder);
    Ok(drift::cost(&found.collect::<Vec<_>>(), order, [0; 2]))
}

/// Time that the change of a key takes, at most.
const KEY: Duration = Duration::from_micros(110);
/// Keys in a script.
const BATCH: u32 = 500;

/// Estimates a list of entries. `sample`: that of the order list, once it was taken.
async fn reckon(
    making: &PlanContext<'_>,
    work: &Work,
    sample: &mut Option<OrderSample>,
) -> Result<EstimateBasis, ChangeError> {
    let PlanContext { store, queue, now } = *making;
    // What does not wait yet stands for the estimate where those with such scores do.
    let score = |i| work.score(i).or_else(|| work.new_score(queue, i));
    let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
    for score in (0..work.len()).filter_map(score) {
        (lowest, highest) = (lowest.min(score), highest.max(score));
    }
    let count = u64::try_from(work.len()).unwrap_or(u64::MAX);
    let largest = (0..work.len()).map(|i| work.bytes(i)).max().unwrap_or(0);
    let kind = kind(work);
    let delivers = kind == WorkKind::Deliver;
    let ask = Ask {
        kind,
        count,
        bytes: [bytes(work) / count.max(1), largest as u64],
        due: highest <= queue.score(now),
        clients: if delivers {
            clients(store, queue, now).await?
        } else {
            0
        },
        scores: (lowest, highest),
    };
    let of_target;
    let sample = match work {
        Work::TakeBack(.., End::Head) | Work::Discard(_, End::Tail) => {
            of_target = OrderSample::of_target(store, queue, queue.comes_at_head()).await?;
            &of_target
        }
        Work::TakeBack(..) | Work::Discard(..) | Work::PutAmong(_) => {
            of_target = OrderSample::of_target(store, queue, !queue.comes_at_head()).await?;
            &of_target
        }
        Work::Repair(deed) if deed.looked_for(0).is_some() => {
            of_target = OrderSample::of_target(store, queue, true).await?;
            &of_target
        }
        _ => match sample {
            Some(sample) => sample,
            None => sample.insert(OrderSample::take(store, queue).await?),
        },
    };
    let looked_for = |i| work.looked_for(i);
    let chosen: HashSet<&[u8]> = (0..work.len()).filter_map(looked_for).collect();
    // What comes to an end of the list is not looked for in it.
    let walk = if chosen.is_empty() {
        Walk::default()
    } else {
        sample.walk(&ask, |member, _| chosen.contains(member))
    };
    Ok(EstimateBasis::new(queue, sample, &ask, walk))
}

fn kind(work: &Work) -> WorkKind {
    match work {
        Work::Deliver(_) => WorkKind::Deliver,
        Work::Delete(_) => WorkKind::Delete,
        Work::Quarantine(_) => WorkKind::Quarantine,
        Work::PutBack(_) => WorkKind::PutBack,
        Work::Restore(all) if has_places(all) => WorkKind::Restore,
        Work::Restore(_) => WorkKind::Append,
        Work::TakeBack(..) => WorkKind::TakeBack,
        Work::Discard(_, End::Head) => WorkKind::Discard,
        Work::Discard(_, End::Tail) => WorkKind::DiscardNewest,
        Work::PutAmong(_) => WorkKind::PutAmong,
        Work::PutElements(..) => WorkKind::PutElements,
        Work::Edit(_) => WorkKind::Edit,
        Work::Repair(deed) => deed.kind(),
        Work::OrderList(_) | Work::DeliverStrays(_) => WorkKind::OrderList,
        Work::Requeue(_) | Work::WaitAgain(_) | Work::DropStrays(_) | Work::Offer(_) => {
            WorkKind::Stay
        }
    }
}

/// Due members, spread evenly over their ranks, whose sizes are looked at.
const LOOKED_AT: u64 = 12;
/// Bytes of them that are read, about.
const LOOKED_AT_BYTES: u64 = 1 << 20;

/// Estimates a transfer of everything due; returns the size of the largest member seen as well, in
/// bytes. `ranks`: where they stand in timeouts. `first`: the lengths of the first of them.
pub(super) async fn of_due(
    store: &Store,
    queue: &Queue,
    now: EpochMillis,
    ranks: Range<u64>,
    first: Vec<usize>,
) -> Result<(EstimateBasis, u64), ChangeError> {
    let bound = queue.score(now);
    let count = ranks.end - ranks.start;
    let known = first.iter().max().map_or(1, |bytes| *bytes as u64);
    let (clients, sample, spread) = tokio::try_join!(
        clients(store, queue, now),
        OrderSample::take(store, queue),
        lengths(store, queue, ranks, known),
    )?;
    let lengths: Vec<u64> = (first.into_iter().chain(spread))
        .map(|bytes| bytes as u64)
        .collect();
    let bytes = lengths.iter().sum::<u64>() / (lengths.len() as u64).max(1);
    let largest = lengths.into_iter().max().unwrap_or(0);
    let ask = Ask {
        kind: WorkKind::Transfer,
        count,
        bytes: [bytes, largest],
        due: true,
        clients,
        scores: (0.0, bound),
    };
    let walk = sample.walk(&ask, |_, score| (0.0..=bound).contains(&score));
    Ok((EstimateBasis::new(queue, &sample, &ask, walk), largest))
}

/// Reads the lengths of some members at these ranks: of the last one, and of others spread evenly
/// before it. `known`: the largest of those that were read already, in bytes.
async fn lengths(
    store: &Store,
    queue: &Queue,
    ranks: Range<u64>,
    known: u64,
) -> Result<Vec<usize>, StoreError> {
    let timeouts = queue.keys().timeouts;
    let count = ranks.end - ranks.start;
    let looks = (LOOKED_AT_BYTES / known.max(1)).clamp(4, LOOKED_AT);
    let looks = looks.min(count);
    let at = |i: u64| {
        let behind = u128::from(count) * u128::from(i) / u128::from(looks.max(1));
        ranks.start + u64::try_from(behind).unwrap_or(count) - 1
    };
    let reads = (1..=looks).map(|i| read::rows(store, &timeouts, at(i), 1, None));
    let pages = try_join_all(reads).await?;
    let rows = pages.into_iter().flat_map(|page| page.rows);
    Ok(rows.map(|(member, _)| member.len()).collect())
}

/// Bytes that the journal takes to transfer so many that are due.
pub(super) const fn journalled(count: u64) -> u64 {
    count.saturating_mul(KEPT + HASH)
}

/// Says in the plan which way the change goes, and what that costs, when no script shall keep the
/// server for longer than `max_block`.
pub(super) fn within(plan: &mut Plan, reckoned: &[EstimateBasis], max_block: Duration) {
    let cost = &mut plan.cost;
    if reckoned.is_empty() {
        let longest = cost.longest_block.min(max_block).max(cost.single());
        cost.longest_block = longest.min(cost.longest_block);
        return;
    }
    let journal_bytes = cost.journal_bytes;
    plan.way = Way::InOrder;
    *cost = Cost {
        journal_bytes,
        ..Cost::default()
    };
    for one in reckoned {
        let (way, its) = one.choose(max_block);
        if plan.way == Way::InOrder {
            plan.way = way;
        }
        cost.longest_block = cost.longest_block.max(its.longest_block);
        cost.entry = cost.entry.max(its.entry);
        cost.element = cost.element.max(its.element);
        cost.takes += its.takes;
        cost.replicated_bytes += its.replicated_bytes;
    }
}

fn bytes(work: &Work) -> u64 {
    let long = |i| u64::try_from(work.bytes(i)).unwrap_or(0);
    (0..work.len()).map(long).sum()
}

fn kept(queue: &Queue, work: &Work) -> u64 {
    let n = u64::try_from(work.len()).unwrap_or(0);
    let members = || {
        let long = |i| work.member(i).map_or(0, <[u8]>::len);
        u64::try_from((0..work.len()).map(long).sum::<usize>()).unwrap_or(0)
    };
    n * KEPT
        + match work {
            Work::Deliver(_) => n * HASH,
            Work::TakeBack(..) => n * HASH + members(),
            Work::Requeue(_) | Work::Restore(_) => n * SCORE + members(),
            Work::PutBack(_) => members(),
            // Their neighbours too.
            Work::Discard(_, End::Tail) => 2 * bytes(work),
            Work::PutAmong(all) => all.iter().map(|(element, _)| element.len() as u64).sum(),
            // Its neighbour too.
            Work::Delete(_) | Work::Quarantine(_) if queue.keys().order.is_some() => {
                2 * bytes(work)
            }
            _ => bytes(work),
        }
}
