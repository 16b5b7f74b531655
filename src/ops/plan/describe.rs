//! The description of the work in a plan: how many, when they are due, what the first ones say,
//! what it costs.

use super::make::{PlanContext, PlannedWork};
use super::work::{Job, Work};
use super::{ChangeError, PreparedChange, cost, words};
use crate::clock::EpochMillis;
use crate::queue::{Change, Plan, Queue};
use crate::store::read;

/// Says in the plan what the work is.
pub(in crate::ops) async fn describe(
    making: &PlanContext<'_>,
    plan: &mut Plan,
    made: PlannedWork,
) -> Result<PreparedChange, ChangeError> {
    let queue = making.queue;
    let planned: usize = made.work.iter().map(Work::len).sum();
    plan.planned = u64::try_from(planned + made.settled.len()).unwrap_or(0);
    let scores = made
        .work
        .iter()
        .flat_map(|work| (0..work.len()).filter_map(|i| work.score(i)));
    let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
    for score in scores {
        (lowest, highest) = (lowest.min(score), highest.max(score));
    }
    if lowest <= highest {
        (plan.oldest, plan.newest) = (Some(queue.due(lowest)), Some(queue.due(highest)));
    }
    plan.new_due = new_due(queue, &made.work);
    let ids = made
        .work
        .iter()
        .filter(|work| !work.is_of_keys())
        .flat_map(|work| (0..work.len()).map(|i| work.id(queue, i)));
    let settled = made.settled.iter().map(|result| result.id);
    plan.first = ids.chain(settled).take(ENTRIES_SHOWN).collect();
    plan.says = says(queue, &made.work);
    let to_target: i64 = made.work.iter().map(Work::to_target).sum();
    if to_target != 0 {
        let now = read::list_page(making.store, &queue.keys().target, 0, 0).await?;
        let then = now.length.saturating_add_signed(to_target);
        plan.target = Some((now.length, then));
    }
    plan.of = there_are(making, plan, &made.work).await?;
    let reckoned = cost::of(making, &made.work, plan).await?;
    plan.warnings = made.warnings;
    plan.copies_of = made.copies_of;
    words::warn(plan, &made.work, &made.settled);
    plan.commands = words::commands(making, &made.work);
    let job = Job::Entries(made.work);
    Ok(PreparedChange::new(
        plan.clone(),
        job,
        made.settled,
        reckoned,
    ))
}

/// Entries that are shown.
const ENTRIES_SHOWN: usize = 5;

/// The payloads of the first entries, a line each.
fn says(queue: &Queue, work: &[Work]) -> Vec<String> {
    let entries = work.iter().filter(|work| !work.is_of_keys());
    let entries = entries.flat_map(|work| (0..work.len()).map(move |i| (work, i)));
    let line = |(work, i): (&Work, usize)| match (work.element(i), work.member(i)) {
        (Some(element), _) => words::said(element),
        (None, Some(member)) => words::said_by(queue, member),
        (None, None) => String::new(),
    };
    entries.take(ENTRIES_SHOWN).map(line).collect()
}

/// Counts the entries of the places where those are that something is done to; none where that is no
/// part of a whole: what is taken back, what is new, what concerns keys.
async fn there_are(
    making: &PlanContext<'_>,
    plan: &Plan,
    work: &[Work],
) -> Result<Option<u64>, ChangeError> {
    let keys = making.queue.keys();
    if plan.change == Change::Undo {
        return Ok(None);
    }
    let mut places: Vec<(Vec<u8>, bool)> = Vec::new();
    for work in work.iter().filter(|work| work.len() > 0) {
        let place = match work {
            Work::Delete(_)
            | Work::Quarantine(_)
            | Work::Deliver(_)
            | Work::Requeue(_)
            | Work::Edit(_) => Some((keys.timeouts.clone(), true)),
            Work::Restore(_) => Some((keys.quarantine.clone(), true)),
            Work::TakeBack(..) | Work::Discard(..) => Some((keys.target.clone(), false)),
            Work::WaitAgain(_) | Work::DeliverStrays(_) | Work::DropStrays(_) => {
                keys.order.clone().map(|order| (order, false))
            }
            Work::Repair(deed) if deed.is_of_target() => Some((keys.target.clone(), false)),
            Work::PutBack(_)
            | Work::PutElements(..)
            | Work::PutAmong(_)
            | Work::OrderList(_)
            | Work::Repair(_)
            | Work::Offer(_) => None,
        };
        places.extend(place);
    }
    places.sort();
    places.dedup();
    let mut all = None;
    for (key, has_scores) in places {
        let there = if has_scores {
            let (lowest, highest) = (f64::NEG_INFINITY, f64::INFINITY);
            read::count_between(making.store, &key, lowest, highest).await?
        } else {
            read::list_page(making.store, &key, 0, 0).await?.length
        };
        all = Some(all.unwrap_or(0) + there);
    }
    Ok(all)
}

/// The smallest and the largest due time that entries get.
fn new_due(queue: &Queue, work: &[Work]) -> Option<(EpochMillis, EpochMillis)> {
    let dues = work
        .iter()
        .flat_map(|work| (0..work.len()).filter_map(|i| work.new_score(queue, i)))
        .filter_map(|score| queue.due(score).at());
    dues.fold(None, |all, due| match all {
        None => Some((due, due)),
        Some((first, last)) => Some((first.min(due), last.max(due))),
    })
}
