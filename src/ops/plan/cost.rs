//! In which way a change goes, and what it costs.

use std::collections::HashSet;
use std::time::Duration;

use super::ChangeError;
use super::make::Making;
use super::work::{Work, has_places};
use crate::clock::EpochMillis;
use crate::ops::bulk::clients;
use crate::ops::bulk::drift::{self, Difference};
use crate::ops::bulk::estimate::{self, Ask, Kind, Sample};
use crate::queue::Queue;
use crate::queue::plan::{Cost, Way};
use crate::store::Store;
use crate::store::bulk::facts;
use crate::store::change::End;

/// What an entry costs the server in a script, without its walk through the order list.
const ENTRY: Duration = Duration::from_micros(10);
/// A script's round trip and what is fixed in it.
const SCRIPT: Duration = Duration::from_micros(300);
/// What an entry costs in the journal beside its bytes: id, score, lengths, result.
pub(super) const KEPT: u64 = 24;
/// A second score.
const SCORE: u64 = 8;
/// The hash that a delivered entry is found again by, and its form.
const HASH: u64 = 21;

/// The way for chosen entries, and what they cost.
pub(super) async fn of(making: &Making<'_>, work: &[Work]) -> Result<(Way, Cost), ChangeError> {
    let Some(main) = work.iter().max_by_key(|work| work.len()) else {
        return Ok((Way::InOrder, Cost::default()));
    };
    let count: usize = work.iter().map(Work::len).sum();
    let bytes: u64 = work.iter().map(bytes).sum();
    let journal_bytes = work.iter().map(|work| kept(making.queue, work)).sum();
    if let Work::DropStrays(members) = main {
        let cost = of_strays(making, members).await?;
        return Ok((
            Way::Sweep,
            Cost {
                journal_bytes,
                ..cost
            },
        ));
    }
    // Of keys nothing is searched for in the order list, which may be of another type.
    if count == 1 || work.iter().all(Work::is_of_keys) {
        return Ok((Way::InOrder, single(bytes, journal_bytes)));
    }
    let count = u64::try_from(count).unwrap_or(u64::MAX);
    // What does not wait yet stands for the estimate where those with such scores do.
    let score = |i| main.score(i).or_else(|| main.new_score(making.queue, i));
    let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
    for score in (0..main.len()).filter_map(score) {
        (lowest, highest) = (lowest.min(score), highest.max(score));
    }
    let ask = Ask {
        kind: match main {
            Work::Deliver(_) => Kind::Deliver,
            Work::Delete(_) => Kind::Delete,
            Work::Quarantine(_) => Kind::Quarantine,
            Work::PutBack(_) => Kind::PutBack,
            Work::Restore(all) if has_places(all) => Kind::Restore,
            Work::Restore(_) => Kind::Append,
            Work::TakeBack(..) => Kind::TakeBack,
            Work::Discard(_) => Kind::Discard,
            Work::PutElements(_) => Kind::PutElements,
            _ => Kind::Stay,
        },
        count,
        bytes: bytes / count,
        due: highest <= making.queue.score(making.now),
        clients: clients(making.store, making.queue, making.now).await?,
        scores: (lowest, highest),
    };
    let Making { store, queue, .. } = making;
    let sample = match main {
        Work::TakeBack(.., End::Head) => {
            Sample::of_target(store, queue, queue.comes_at_head()).await?
        }
        Work::TakeBack(..) | Work::Discard(_) => Sample::of_target(store, queue, true).await?,
        _ => Sample::take(store, queue).await?,
    };
    let looked_for = |i| main.element(i).or_else(|| main.member(i));
    let chosen: HashSet<&[u8]> = (0..main.len()).filter_map(looked_for).collect();
    let walk = sample.walk(&ask, |member, _| chosen.contains(member));
    let (way, cost) = estimate::choose(making.queue, &sample, &ask, walk);
    Ok((
        way,
        Cost {
            journal_bytes,
            ..cost
        },
    ))
}

/// What it costs to take these out of the order list while that goes round.
async fn of_strays(making: &Making<'_>, members: &[Vec<u8>]) -> Result<Cost, ChangeError> {
    let order = facts(making.store, making.queue).await?.order;
    let found = members.iter().cloned().map(Difference::OnlyInOrder);
    Ok(drift::cost(&found.collect::<Vec<_>>(), order))
}

/// The way for all that is due, and what it costs. `bytes`: those of an entry, on the average.
pub(super) async fn of_due(
    store: &Store,
    queue: &Queue,
    now: EpochMillis,
    [count, bytes]: [u64; 2],
) -> Result<(Way, Cost), ChangeError> {
    let bound = queue.score(now);
    let (clients, sample) =
        tokio::try_join!(clients(store, queue, now), Sample::take(store, queue))?;
    let ask = Ask {
        kind: Kind::Transfer,
        count,
        bytes,
        due: true,
        clients,
        scores: (0.0, bound),
    };
    let walk = sample.walk(&ask, |_, score| (0.0..=bound).contains(&score));
    let (way, cost) = estimate::choose(queue, &sample, &ask, walk);
    let journal_bytes = count.saturating_mul(KEPT + HASH);
    Ok((
        way,
        Cost {
            journal_bytes,
            ..cost
        },
    ))
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
            // Its neighbour too.
            Work::Delete(_) | Work::Quarantine(_) if queue.keys().order.is_some() => {
                2 * bytes(work)
            }
            _ => bytes(work),
        }
}

/// A single entry.
fn single(bytes: u64, journal_bytes: u64) -> Cost {
    Cost {
        longest_block: ENTRY + SCRIPT / 3,
        takes: ENTRY + SCRIPT,
        // Payload to target, member out of timeouts and order list.
        replicated_bytes: bytes.saturating_mul(3),
        journal_bytes,
    }
}
