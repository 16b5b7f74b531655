//! Repairs that look for their entries themselves: frames in target, expiries, seconds for
//! milliseconds, scores that are no due times.

use std::sync::Arc;

use super::choose::{Found, choose};
use super::make::{Made, Making};
use super::work::{Expiry, Work};
use super::{ChangeError, Telling, What, Which, lacks};
use crate::clock::EpochMillis;
use crate::ops::entries::{From, Selection};
use crate::ops::refresh;
use crate::queue::layout::NEVER_MS;
use crate::queue::{Due, Entry, frame};
use crate::store::change::Chosen;

/// The moment before which seconds lie that are read as milliseconds: 1973.
const BEFORE: EpochMillis = EpochMillis::new(100_000_000_000);

/// Plans the repair of what a queue is made of.
pub(super) async fn make(
    making: &Making<'_>,
    what: &What,
    tell: &impl Telling,
) -> Result<Made, ChangeError> {
    let mut made = Made::default();
    let work = match what {
        What::Unwrap => unwrap(making, tell).await?,
        What::Persist => {
            made.warnings.push(
                "Whoever set the expiry may set it again: find who calls expire().".to_owned(),
            );
            persist(making).await?
        }
        What::Score => {
            let (work, far) = score(making, tell).await?;
            made.warnings.extend(far.then(|| FAR.to_owned()));
            work
        }
        _ => unit(making, tell).await?,
    };
    made.work.extend((work.len() > 0).then_some(work));
    Ok(made)
}

/// The elements of target that still have a frame, from its head.
async fn unwrap(making: &Making<'_>, tell: &impl Telling) -> Result<Work, ChangeError> {
    if !making.queue.has_frames() {
        return Err(lacks(making.queue, "frames"));
    }
    let delivered = from(making, From::Delivered, None, tell).await?.delivered;
    let framed = delivered.into_iter().filter_map(|element| {
        let payload = frame::decode(&element).ok()?.payload.to_vec();
        Some((element, payload))
    });
    Ok(Work::Replace(framed.collect()))
}

async fn persist(making: &Making<'_>) -> Result<Work, ChangeError> {
    let survey = refresh::survey(making.store, making.queue, None, None).await?;
    let expiry = |key: crate::queue::KeyFacts| {
        #[expect(clippy::cast_precision_loss, reason = "times below 1e15 ms are exact")]
        let expires = survey.at.plus(key.expires_in_ms?).get() as f64;
        Some(Expiry {
            key: key.key,
            from: expires,
            to: f64::INFINITY,
        })
    };
    Ok(Work::Expiry(
        survey.keys.into_iter().filter_map(expiry).collect(),
    ))
}

/// Lets what is due too long ago to be meant so wait until it was meant to be due.
async fn unit(making: &Making<'_>, tell: &impl Telling) -> Result<Work, ChangeError> {
    let queue = making.queue;
    let waiting = from(making, From::Waiting, Some(BEFORE), tell)
        .await?
        .waiting;
    let meant = waiting.into_iter().filter_map(|chosen: Chosen| {
        let Due::At(due) = queue.due(chosen.score) else {
            return None;
        };
        let score = queue.score(queue.meant_in_seconds(due, making.now)?);
        Some((chosen, score))
    });
    Ok(Work::Requeue(meant.collect()))
}

const FAR: &str = "What overflowed was most likely never meant to fall due: it comes to wait for 100 \
                   years. Look at it then, and requeue or delete it.";

/// Lets what has a score that is no due time wait until it has one; says when that is far away.
async fn score(making: &Making<'_>, tell: &impl Telling) -> Result<(Work, bool), ChangeError> {
    let (queue, now) = (making.queue.clone(), making.now);
    let of = queue.clone();
    let bad = move |entry: &Entry| {
        let score = entry.score.unwrap_or_default();
        of.meant(score, now).is_some()
    };
    let which = Which::Where(From::Waiting, Arc::new(bad));
    let found = choose(making.store, making.queue, which, tell).await?;
    let meant = found.waiting.into_iter().filter_map(|chosen: Chosen| {
        let due = queue.meant(chosen.score, now)?;
        Some((chosen, due))
    });
    let meant: Vec<(Chosen, EpochMillis)> = meant.collect();
    let far = meant.iter().any(|(_, due)| *due == now.plus(NEVER_MS));
    let scored = meant.into_iter().map(|(chosen, due)| {
        let score = queue.score(due);
        (chosen, score)
    });
    Ok((Work::Requeue(scored.collect()), far))
}

async fn from(
    making: &Making<'_>,
    from: From,
    due_before: Option<EpochMillis>,
    tell: &impl Telling,
) -> Result<Found, ChangeError> {
    let selection = Selection {
        from,
        due_before,
        ..Selection::default()
    };
    choose(making.store, making.queue, Which::Selected(selection), tell).await
}
