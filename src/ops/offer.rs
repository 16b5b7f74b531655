//! Offering new messages, as a Redisson client does, and finding out how a queue wants them.

use std::time::Duration;

use super::activity::ActivityRecord;
use crate::clock::EpochMillis;
use crate::payload::{self, Codec, Habit, PayloadContent};
use crate::queue::{EntryId, Era, Form, Outcome, Queue, frame};
use crate::store::sample::{self, Sample};
use crate::store::write::{Head, OfferResult, TimedResult, Writer};
use crate::store::{Store, StoreError};

/// Entries in one script: at 2 µs each it keeps the server for a millisecond.
const BATCH: usize = 500;
/// Bytes in one script, about: a large message alone may be more.
const BATCH_BYTES: usize = 4 << 20;

/// The hashes of the scripts that Redisson clients up to 3.21.0 leave in the server's script cache:
/// transfer, offer.
const DOUBLE_ID_SCRIPTS: [&str; 2] = [
    "78d2ea980580b285865f2db54663f281dc326a78",
    "123f42e8b1ae89f7c826c32644ddb9cb57fd2a9f",
];
/// The hashes of the scripts that clients from 3.21.1 on leave there.
const BYTE_ID_SCRIPTS: [&str; 2] = [
    "a3a86b949561b56e14c274ad54368afeff259bc8",
    "c04f7fc56f47093daaea1bdbaacf49c8c619f98e",
];

/// The outcome of an offer.
#[derive(Clone, Debug, Default)]
pub struct OfferOutcome {
    /// The entries that are in, in the order they were given.
    pub ids: Vec<EntryId>,
    /// The entries that were refused: in a `zset-list` queue, messages that wait already.
    pub refused: Vec<EntryId>,
    /// True if one of the entries became the head of timeouts.
    pub head: bool,
    /// The server's words when it refused to announce the new head: nobody was told of it.
    pub unannounced: Option<String>,
    /// The time for which the longest script kept the server.
    pub longest: Duration,
    /// The reason why the rest was not offered, when the first batches are in already or may be.
    pub stopped: Option<StoppedOffer>,
}

/// An offer of several batches that came to an end too early.
#[derive(Clone, Debug)]
pub struct StoppedOffer {
    /// Number of entries in the batch whose answer never came: they may be in or not.
    pub unknown: usize,
    /// Number of entries that were not offered.
    pub left: usize,
    /// The reason for it.
    pub why: StoreError,
}

/// Offers messages that are all due at the same moment (of the server's clock). `form` is what the
/// queue's clients write ([`form_of`]); a layout without frames does not look at it.
pub async fn offer(
    writer: &Writer,
    queue: &Queue,
    payloads: &[Vec<u8>],
    due: EpochMillis,
    form: Form,
) -> Result<OfferOutcome, StoreError> {
    let entries = payloads.iter().map(|payload| (due, payload.as_slice()));
    offer_each(writer, queue, entries, form).await
}

/// Offers messages, each with its own due time. Up to 500 of them go in or stay out together;
/// more go in several batches, and [`OfferOutcome::stopped`] says when not all of these were taken.
pub async fn offer_each<'a>(
    writer: &Writer,
    queue: &Queue,
    messages: impl IntoIterator<Item = (EpochMillis, &'a [u8])>,
    form: Form,
) -> Result<OfferOutcome, StoreError> {
    let members = members(writer, queue, messages, form)?;
    in_batches(writer, queue, members, None).await
}

/// [`offer_each`], written down: each batch before it goes out, and what became of it.
pub async fn offer_noted<'a>(
    writer: &Writer,
    queue: &Queue,
    messages: impl IntoIterator<Item = (EpochMillis, &'a [u8])>,
    form: Form,
    noted: &mut ActivityRecord,
) -> Result<OfferOutcome, StoreError> {
    let members = members(writer, queue, messages, form)?;
    in_batches(writer, queue, members, Some(noted)).await
}

fn members<'a>(
    writer: &Writer,
    queue: &Queue,
    messages: impl IntoIterator<Item = (EpochMillis, &'a [u8])>,
    form: Form,
) -> Result<Vec<(EpochMillis, Vec<u8>)>, StoreError> {
    let messages = messages.into_iter();
    messages
        .map(|(due, payload)| Ok((due, member(writer, queue, payload, form)?)))
        .collect()
}

async fn in_batches(
    writer: &Writer,
    queue: &Queue,
    members: Vec<(EpochMillis, Vec<u8>)>,
    mut noted: Option<&mut ActivityRecord>,
) -> Result<OfferOutcome, StoreError> {
    let mut offered = OfferOutcome::default();
    let mut rest = members;
    while !rest.is_empty() {
        let after = rest.split_off(batch(&rest));
        let ids: Vec<_> = rest.iter().map(|(_, member)| queue.id(member)).collect();
        let sent = match note(writer, noted.as_deref_mut(), &rest).await {
            Ok(()) => writer.offer(queue, rest).await,
            Err(why) => Err(why),
        };
        if let Some(noted) = noted.as_deref_mut() {
            // That the journal cannot be written does not undo what was done: the next batch, or
            // the end, tells it.
            let _ = noted.offered(outcomes(&sent, ids.len())).await;
        }
        match sent {
            Ok(added) => {
                offered.longest = offered.longest.max(added.took.unwrap_or_default());
                count(&mut offered, &ids, added.done);
            }
            Err(why) => {
                let unknown = if why.outcome_unknown() { ids.len() } else { 0 };
                let nothing_done = offered.ids.is_empty() && offered.refused.is_empty();
                if nothing_done && unknown == 0 {
                    return Err(why);
                }
                let left = ids.len() + after.len() - unknown;
                offered.stopped = Some(StoppedOffer { unknown, left, why });
                return Ok(offered);
            }
        }
        rest = after;
    }
    Ok(offered)
}

async fn note(
    writer: &Writer,
    noted: Option<&mut ActivityRecord>,
    members: &[(EpochMillis, Vec<u8>)],
) -> Result<(), StoreError> {
    let Some(noted) = noted else { return Ok(()) };
    let written = noted.offering(members).await;
    written.map_err(|why| writer.impossible("offer what cannot be written down", why.0))
}

fn outcomes(
    sent: &Result<TimedResult<OfferResult>, StoreError>,
    n: usize,
) -> impl Iterator<Item = Outcome> + '_ {
    (0..n).map(move |i| match sent {
        Ok(added) if added.done.refused.binary_search(&i).is_ok() => Outcome::Refused,
        Ok(_) => Outcome::Done,
        Err(why) if why.outcome_unknown() => Outcome::Unknown,
        Err(_) => Outcome::Left,
    })
}

fn count(offered: &mut OfferOutcome, ids: &[EntryId], added: OfferResult) {
    for (i, id) in ids.iter().enumerate() {
        let refused = added.refused.binary_search(&i).is_ok();
        let list = if refused {
            &mut offered.refused
        } else {
            &mut offered.ids
        };
        list.push(*id);
    }
    offered.head |= added.head != Head::Behind;
    if let Head::Unannounced(words) = added.head {
        offered.unannounced = Some(words);
    }
}

/// Counts the members, from the first one on, that go into one script.
fn batch(members: &[(EpochMillis, Vec<u8>)]) -> usize {
    let mut bytes = 0;
    let fits = |(_, member): &&(EpochMillis, Vec<u8>)| {
        bytes += member.len();
        bytes <= BATCH_BYTES
    };
    members.iter().take(BATCH).take_while(fits).count().max(1)
}

/// The bytes that stand for a message in timeouts.
fn member(
    writer: &Writer,
    queue: &Queue,
    payload: &[u8],
    form: Form,
) -> Result<Vec<u8>, StoreError> {
    if !queue.has_frames() {
        return Ok(payload.to_vec());
    }
    let id = form
        .fresh_id()
        .map_err(|e| writer.impossible("make an entry's random id", e.to_string()))?;
    Ok(frame::encode(form, id, payload))
}

/// Returns the form in which this queue's clients write: as its newest entry is (else the next due
/// one), else as the only generation of clients would that this server has seen. None when that is
/// unknown, or when the layout has no frames.
pub async fn form_of(store: &Store, queue: &Queue) -> Result<Option<Form>, StoreError> {
    if !queue.has_frames() {
        return Ok(None);
    }
    let store = &store.of(queue).await;
    let Sample {
        newest, next_due, ..
    } = sample::sample(store, queue).await?;
    let mut members = newest.iter().chain(&next_due);
    if let Some(frame) = members.find_map(|m| frame::decode(m).ok()) {
        return Ok(Some(frame.form));
    }
    let sha1s = [BYTE_ID_SCRIPTS, DOUBLE_ID_SCRIPTS].concat();
    let known = sample::known_scripts(store, &sha1s).await?;
    let seen = |from: usize| known.iter().flatten().skip(from).take(2).any(|k| *k);
    let link = store.link();
    let facts = link.borrow().facts.clone().unwrap_or_default();
    let only = match (seen(0), seen(2)) {
        (true, false) => Some(Era::Newer),
        (false, true) => Some(Era::Older),
        _ => None,
    };
    Ok(only.map(|era| era.form(facts.long_bytes())))
}

/// Returns the codec with which this queue's messages are written: the one that explains most of
/// its newest, next due and last delivered ones; and what all of those hold. None when none
/// explains any.
pub async fn codec_of(
    store: &Store,
    queue: &Queue,
) -> Result<Option<(Codec, PayloadContent)>, StoreError> {
    let store = &store.of(queue).await;
    let sample = sample::sample(store, queue).await?;
    let waiting = sample.newest.iter().chain(&sample.next_due);
    let payloads = waiting
        .filter_map(|member| queue.unwrap(member).ok())
        .map(|unwrapped| unwrapped.payload)
        .chain(sample.delivered.iter().map(Vec::as_slice));
    let payloads: Vec<&[u8]> = payloads.collect();
    let habit = Habit::default().after(payloads.iter().copied());
    let mut votes: Vec<(Codec, Vec<&[u8]>)> = Vec::new();
    for payload in payloads {
        let codec = habit.decode(payload).codec;
        match votes.iter_mut().find(|(voted, _)| *voted == codec) {
            Some((_, of)) => of.push(payload),
            None if codec == Codec::Unknown => {}
            None => votes.push((codec, vec![payload])),
        }
    }
    // Of equals the first, which has the newest entry.
    votes.reverse();
    let most = votes.into_iter().max_by_key(|(_, of)| of.len());
    Ok(most.map(|(codec, of)| (codec, payload::held_by_all(codec, &of))))
}
