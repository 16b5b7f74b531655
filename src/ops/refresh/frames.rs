//! A sample of a queue's members, judged.

use std::time::Duration;

use crate::payload;
use crate::queue::frames::{DeliveredElement, FarEntry, Place};
use crate::queue::{Frames, FramesAsk, JudgedMember, Known, Queue, Twin, text};
use crate::store::read::{self, KeyType, MAXLEN};
use crate::store::{KeyWrites, Store, StoreError};

/// Bytes of a payload that are decoded to be told, and columns of what is told of it.
const DECODED: usize = 4_096;
const SAID: usize = 60;

/// Number of the next due ones that are looked for in the order list, evenly spread over them.
const SOUGHT: usize = 3;

/// Watched for so long without a write, target is not used by those who use the other one: of two
/// queues that share their clients each may get something every few seconds only.
const OWN: Duration = Duration::from_secs(60);

/// Reads a sample: one round trip, and one more where entries are looked for in the order list.
pub async fn frames(store: &Store, queue: &Queue, ask: FramesAsk) -> Result<Frames, StoreError> {
    let store = &store.of(queue).await;
    let keys = queue.keys();
    let now = super::now(store)?;
    let far = queue.score(now.plus(FarEntry::BEYOND_MS));
    let raw = read::frames(store, &keys, ask.count, (far, queue.no_time())).await?;
    let mut server_us = raw.server_us;
    let depth = match &keys.order {
        Some(order) if ask.seek && !raw.next_due.is_empty() => {
            let now = queue.score(raw.at);
            let late: Vec<_> = raw
                .ahead
                .iter()
                .filter(|(_, score)| *score <= now)
                .collect();
            // Of a backlog the first are gone before they can be looked for.
            let (sought, step) = if late.is_empty() {
                let step = raw.next_due.len().div_ceil(SOUGHT);
                (raw.next_due.iter().collect(), step)
            } else {
                (late, 1)
            };
            let sought = sought.into_iter().step_by(step);
            let sought: Vec<&[u8]> = sought.map(|(member, _)| member.as_slice()).collect();
            let (places, cost_us) = read::places(store, (&keys.timeouts, order), &sought).await?;
            server_us += cost_us;
            let of_entry = |(i, stands): (usize, _)| (queue.id(sought[i]), place(stands));
            match places {
                Known::Is(places) => Known::Is(places.into_iter().map(of_entry).collect()),
                Known::Unknown(why) => Known::Unknown(why),
                Known::None => Known::None,
            }
        }
        _ => Known::None,
    };
    let sizes = raw
        .next_due
        .iter()
        .chain(&raw.far)
        .map(|(member, _)| member.len());
    let lists = [&raw.newest, &raw.head, &raw.tail];
    let sizes = sizes.chain(lists.into_iter().flatten().map(Vec::len));
    let largest = sizes.max().unwrap_or(0);
    let judge = |member: &Vec<u8>, score| JudgedMember::new(queue, member, score, ask.long);
    let delivered = |element: &Vec<u8>| DeliveredElement::new(queue, element);
    // The plain layout pushes to the head what others push to the tail.
    let (front, tail): (Vec<_>, Vec<_>) = if queue.comes_at_head() {
        let front = raw.tail.iter().rev();
        (front.collect(), raw.head.iter().collect())
    } else {
        (raw.head.iter().collect(), raw.tail.iter().rev().collect())
    };
    Ok(Frames {
        at: raw.at,
        next_due: (raw.next_due.iter())
            .map(|(member, score)| judge(member, Some(*score)))
            .collect(),
        newest: raw.newest.iter().rev().map(|m| judge(m, None)).collect(),
        far: raw
            .far
            .iter()
            .filter_map(|one| far_entry(queue, one))
            .collect(),
        front: front.into_iter().map(delivered).collect(),
        tail: tail.into_iter().map(delivered).collect(),
        depth,
        twin: twin(store, queue, !raw.head.is_empty()).await?,
        largest,
        asked: ask.count,
        server_us,
    })
}

/// The other queue with these keys, when its target is there or somebody writes to it. Asked by
/// itself: a user who may not look at that key shall see all else. `delivered`: something stands in
/// the queue's own target.
async fn twin(store: &Store, queue: &Queue, delivered: bool) -> Result<Option<Twin>, StoreError> {
    let Some(name) = queue.twin() else {
        return Ok(None);
    };
    let kinds = read::kinds(store, &[name.as_bytes().to_vec()]).await?;
    let stands = kinds.first() == Some(&KeyType::List);
    let writes = match kinds.first() {
        Some(KeyType::List | KeyType::Missing) => store.writes(name.as_bytes()).await,
        _ => KeyWrites::Unseen(Duration::ZERO),
    };
    let ms = |ago: Duration| Some(i64::try_from(ago.as_millis()).unwrap_or(i64::MAX));
    let written_ago_ms = match writes {
        KeyWrites::Seen(ago) => ms(ago),
        // Once, somebody may have cleared it away.
        KeyWrites::Once(_) | KeyWrites::Doubted | KeyWrites::Awaited | KeyWrites::Unseen(_) => None,
    };
    let (own, own_ago_ms) = match writes {
        _ if delivered => (Some(true), Some(0)),
        KeyWrites::Seen(_) | KeyWrites::Once(_) | KeyWrites::Doubted => {
            match store.writes(&queue.keys().target).await {
                KeyWrites::Seen(ago) | KeyWrites::Once(ago) => (Some(true), ms(ago)),
                KeyWrites::Unseen(watched) if watched >= OWN => (Some(false), None),
                KeyWrites::Unseen(_) | KeyWrites::Awaited | KeyWrites::Doubted => (None, None),
            }
        }
        KeyWrites::Awaited | KeyWrites::Unseen(_) => (None, None),
    };
    // What is awaited is asked for again soon, not only with the next sample of a queue at rest.
    let seen = stands || !matches!(writes, KeyWrites::Unseen(_));
    Ok(seen.then_some(Twin {
        name,
        stands,
        written_ago_ms,
        own,
        own_ago_ms,
    }))
}

/// An entry that waits for decades, if its score is a time.
fn far_entry(queue: &Queue, (member, score): &(Vec<u8>, f64)) -> Option<FarEntry> {
    let payload = queue
        .unwrap(member)
        .map_or(&member[..], |seen| seen.payload);
    let payload = &payload[..payload.len().min(DECODED)];
    Some(FarEntry {
        id: queue.id(member),
        due: queue.due(*score).at()?,
        says: text::cut(&payload::decode(payload).text, SAID).into_owned(),
    })
}

fn place(place: Option<u64>) -> Place {
    place.map_or(Place::Beyond(MAXLEN), Place::At)
}
