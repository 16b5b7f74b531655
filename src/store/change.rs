//! Changes of chosen entries, each call one script: all or nothing towards each entry, and nothing
//! at all when a key is of another type or the server takes no writes.
//!
//! An entry is chosen by its exact member **and** the score it had when the change was planned:
//! what was transferred, requeued or deleted meanwhile is left alone and said.

use super::error::StoreError;
use super::script;
pub use super::script::{Fate, Head, ListPlace, TimedResult};
use super::write::{DueCursor, Portion, Writer};
use crate::clock::EpochMillis;
use crate::queue::{Keys, Queue};

mod elements;
mod quarantine;
mod repairs;
mod watched;

pub use watched::{MatchingHead, WatchedOutcome, WatchedQueue};

/// Entries that one call takes at most: the arguments of a script stay below 4,000.
pub const MOST_CHANGED: usize = 950;

/// An entry of timeouts, as it was when the change was planned.
#[derive(Clone, Debug, PartialEq)]
pub struct ChosenEntry {
    /// Its exact bytes.
    pub member: Vec<u8>,
    /// Its score.
    pub score: f64,
}

/// The fate of an entry that was to be deleted.
#[derive(Clone, Debug, PartialEq)]
pub struct DeletedEntry {
    /// The fate.
    pub fate: Fate,
    /// The place in the order list where it stood when it left: none when it was not there. Entries
    /// leave in the order given, so whoever puts them back goes through them backwards.
    pub stood: Option<ListPlace>,
    /// Copies of it that stood there, all of which left: mostly one.
    pub copies: u64,
}

/// The fate of an entry that was to get other bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EditedEntry {
    /// The fate.
    pub fate: Fate,
    /// Copies of it that stood in the order list, where there was more than one; all but the
    /// first left.
    pub copies: u64,
}

/// The result of an edit.
#[derive(Clone, Debug, PartialEq)]
pub struct EditResult {
    /// The fate of each entry, in the order given.
    pub fates: Vec<Fate>,
    /// The head of timeouts: another one or not, published or not.
    pub head: Head,
}

/// The result of a transfer that tells the members.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeliveredEntries {
    /// Not all that is due was looked at: there may be more.
    pub more: bool,
    /// Entries that were moved, whole, in due order.
    pub moved: Vec<ChosenEntry>,
    /// Due members looked at that are no frames: they were left where they are.
    pub skipped: Vec<Vec<u8>>,
    /// The place where the next transfer goes on, behind what was skipped.
    pub cursor: DueCursor,
}

/// An end of the order list, or of target.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum End {
    /// The end where what falls due next should stand, or what a consumer takes next.
    Head,
    /// The end to which what is offered comes, or what is delivered.
    Tail,
}

/// A delivered element that goes back to timeouts.
#[derive(Clone, Debug, PartialEq)]
pub struct TakeBack {
    /// The element in target, exactly.
    pub element: Vec<u8>,
    /// The member that it becomes.
    pub member: Vec<u8>,
    /// The score that it gets.
    pub score: f64,
}

impl Writer {
    /// Deletes entries that wait: out of timeouts and of the order list.
    pub async fn delete(
        &self,
        queue: &Queue,
        chosen: &[ChosenEntry],
    ) -> Result<TimedResult<Vec<DeletedEntry>>, StoreError> {
        self.fits("delete entries", chosen.len())?;
        let keys = queue.keys();
        let scores = texts(chosen.iter().map(|c| c.score));
        let told = script::delete(&self.lane, &waiting(&keys), pairs(&scores, chosen)).await?;
        Ok(told.map(|told| {
            let deleted = |(fate, stood, copies)| DeletedEntry {
                fate,
                stood,
                copies,
            };
            told.into_iter().map(deleted).collect()
        }))
    }

    /// Puts deleted entries back, each with its score and in its place of the order list (at the
    /// tail when the neighbour is no longer there), and publishes the due time of a new head.
    /// `Changed`: it waits again already. Refused with the code `ASIDE` while the order list is
    /// set aside.
    pub async fn put_entries_back(
        &self,
        queue: &Queue,
        entries: &[(ChosenEntry, ListPlace)],
    ) -> Result<TimedResult<EditResult>, StoreError> {
        self.fits("put entries back", entries.len())?;
        let keys = queue.keys();
        let scores = texts(entries.iter().map(|(chosen, _)| chosen.score));
        let places = entries.iter().map(|(chosen, place)| (chosen, Some(place)));
        let args = returning(channel(&keys), &scores, places);
        let told = script::put_back(&self.lane, &adding(&keys), args).await?;
        Ok(told.map(EditResult::from))
    }

    /// Lets entries wait again that only the order list holds, each with this score, and publishes
    /// the due time of a new head. `Changed`: it waits already. The order list may be set aside
    /// meanwhile: nothing is added to it.
    pub async fn wait_again(
        &self,
        queue: &Queue,
        entries: &[ChosenEntry],
    ) -> Result<TimedResult<EditResult>, StoreError> {
        self.fits("let entries wait again", entries.len())?;
        let keys = queue.keys();
        let scores = texts(entries.iter().map(|chosen| chosen.score));
        let mut args = vec![channel(&keys)];
        for (score, chosen) in scores.iter().zip(entries) {
            args.extend([score.as_bytes(), &chosen.member, b"stays", b""]);
        }
        let told = script::put_back(&self.lane, &waiting(&keys), args).await?;
        Ok(told.map(EditResult::from))
    }

    /// Takes a repair of drift back: these members come into the order list again (`true`, which
    /// go first) or leave it. Refused with the code `ASIDE` while it is set aside.
    pub async fn in_order_list(
        &self,
        queue: &Queue,
        members: &[(Vec<u8>, bool)],
    ) -> Result<TimedResult<Vec<Fate>>, StoreError> {
        self.fits("take a repair of the order list back", members.len())?;
        let keys = queue.keys();
        let (Some(order), Some(aside)) = (&keys.order, &keys.aside) else {
            let why = "the queue has none".to_owned();
            return Err(self.impossible("change an order list", why));
        };
        let word = |comes: &bool| if *comes { &b"in"[..] } else { b"out" };
        let args = members.iter();
        let args = args.flat_map(|(member, comes)| [word(comes), member.as_slice()]);
        script::order_list(&self.lane, [order, aside], args.collect()).await
    }

    /// Gives waiting entries another due time (a score that is a number). When the head changes and
    /// is due earlier than it was, its due time is published.
    pub async fn requeue(
        &self,
        queue: &Queue,
        entries: &[(ChosenEntry, f64)],
    ) -> Result<TimedResult<EditResult>, StoreError> {
        self.fits("requeue entries", entries.len())?;
        let keys = queue.keys();
        let scores = texts(entries.iter().map(|(chosen, _)| chosen.score));
        let new = texts(entries.iter().map(|(_, new)| *new));
        let mut args = vec![channel(&keys)];
        for ((score, new), (chosen, _)) in scores.iter().zip(&new).zip(entries) {
            args.extend([score.as_bytes(), new.as_bytes(), &chosen.member]);
        }
        let told = script::requeue(&self.lane, &keys.timeouts, args).await?;
        Ok(told.map(EditResult::from))
    }

    /// Delivers chosen entries, due or not, in the order given: payload to target, out of timeouts
    /// and order list. `drain`: as for [`transfer_telling`](Self::transfer_telling).
    pub async fn deliver(
        &self,
        queue: &Queue,
        chosen: &[ChosenEntry],
        drain: bool,
    ) -> Result<TimedResult<Vec<Fate>>, StoreError> {
        self.fits("deliver entries", chosen.len())?;
        let keys = queue.keys();
        let scores = texts(chosen.iter().map(|c| c.score));
        let pairs = pairs(&scores, chosen);
        let how = match &keys.order {
            Some(_) => script::flag(drain),
            None => push(queue),
        };
        let args = [vec![how.as_bytes()], pairs].concat();
        if let (Some(order), Some(aside)) = (&keys.order, &keys.aside) {
            let keys = [keys.target.as_slice(), &keys.timeouts, order, aside];
            script::deliver(&self.lane, keys, args).await
        } else {
            let keys = [keys.target.as_slice(), &keys.timeouts];
            script::deliver_zset_list(&self.lane, keys, args).await
        }
    }

    /// [`transfer`](Self::transfer) that tells what it moved, whole. `drain`: the order list is set
    /// aside by this very change, and what was offered since is moved there too once it is more
    /// than a few.
    pub async fn transfer_telling(
        &self,
        queue: &Queue,
        now: EpochMillis,
        portion: impl Into<Portion>,
        cursor: &DueCursor,
        drain: bool,
    ) -> Result<TimedResult<DeliveredEntries>, StoreError> {
        let keys = queue.keys();
        let portion = portion.into();
        let now = queue.score(now).to_string();
        let told = if let (Some(order), Some(aside)) = (&keys.order, &keys.aside) {
            let keys = [keys.target.as_slice(), &keys.timeouts, order, aside];
            script::transfer_telling(&self.lane, keys, &now, (portion, cursor), drain).await?
        } else {
            let keys = [keys.target.as_slice(), &keys.timeouts];
            script::transfer_telling_zset_list(&self.lane, keys, &now, portion, push(queue)).await?
        };
        Ok(told.map(|(more, moved, skipped, cursor)| {
            let chosen = |(member, score)| ChosenEntry { member, score };
            let moved = moved.into_iter().map(chosen).collect();
            DeliveredEntries {
                more,
                moved,
                skipped,
                cursor,
            }
        }))
    }

    /// Gives waiting entries other bytes (pairs of old and new): same score, same place in the
    /// order list. `Changed` with the same score: the new member waits already (nothing done).
    /// Refused with the code `ASIDE` while the order list is set aside.
    pub async fn edit(
        &self,
        queue: &Queue,
        edits: &[(ChosenEntry, Vec<u8>)],
    ) -> Result<TimedResult<Vec<EditedEntry>>, StoreError> {
        self.fits("edit entries", edits.len())?;
        let keys = queue.keys();
        let scores = texts(edits.iter().map(|(chosen, _)| chosen.score));
        let mut args = Vec::with_capacity(3 * edits.len());
        for (score, (chosen, new)) in scores.iter().zip(edits) {
            args.extend([score.as_bytes(), &chosen.member, new]);
        }
        let told = script::edit(&self.lane, &adding(&keys), args).await?;
        Ok(told.map(|told| {
            let edited = |(fate, copies)| EditedEntry { fate, copies };
            told.into_iter().map(edited).collect()
        }))
    }

    /// An error when these are too many for one script.
    fn fits(&self, attempt: &'static str, count: usize) -> Result<(), StoreError> {
        if count <= MOST_CHANGED {
            return Ok(());
        }
        let why = format!("{count} at once are too many for one script");
        Err(self.impossible(attempt, why))
    }
}

impl From<(Head, Vec<Fate>)> for EditResult {
    fn from((head, fates): (Head, Vec<Fate>)) -> Self {
        Self { fates, head }
    }
}

/// Scores as Redis reads them back without losing a digit.
fn texts(scores: impl Iterator<Item = f64>) -> Vec<String> {
    scores.map(|score| score.to_string()).collect()
}

fn pairs<'a>(scores: &'a [String], chosen: &'a [ChosenEntry]) -> Vec<&'a [u8]> {
    let pair = |(score, chosen): (&'a String, &'a ChosenEntry)| {
        [score.as_bytes(), chosen.member.as_slice()]
    };
    scores.iter().zip(chosen).flat_map(pair).collect()
}

/// Tells what a script is told of entries that come back: a channel, then of each its score, its
/// member and where it goes in the order list, if it does.
fn returning<'a>(
    channel: &'a [u8],
    scores: &'a [String],
    entries: impl Iterator<Item = (&'a ChosenEntry, Option<&'a ListPlace>)>,
) -> Vec<&'a [u8]> {
    let each = scores.iter().zip(entries);
    let each = each.flat_map(|(score, (chosen, place))| {
        let (word, neighbour) = match place {
            None => (&b"out"[..], &[][..]),
            Some(ListPlace::Head) => (&b"head"[..], &[][..]),
            Some(ListPlace::Behind(neighbour) | ListPlace::BehindNth(neighbour, _)) => {
                (&b"behind"[..], neighbour.as_slice())
            }
            Some(ListPlace::Tail) => (&b"tail"[..], &[][..]),
        };
        [score.as_bytes(), &chosen.member, word, neighbour]
    });
    std::iter::once(channel).chain(each).collect()
}

/// Timeouts, and the order list where there is one.
fn waiting(keys: &Keys) -> Vec<&[u8]> {
    [Some(&keys.timeouts), keys.order.as_ref()]
        .into_iter()
        .flatten()
        .map(Vec::as_slice)
        .collect()
}

/// [`waiting`], and where the order list is while it is set aside: for what adds to it.
fn adding(keys: &Keys) -> Vec<&[u8]> {
    let aside = keys.aside.as_deref();
    waiting(keys).into_iter().chain(aside).collect()
}

/// The channel on which a new head is published; empty where nobody listens.
fn channel(keys: &Keys) -> &[u8] {
    keys.channel.as_deref().unwrap_or_default()
}

/// Tells what brings a due entry to target.
fn push(queue: &Queue) -> &'static str {
    if queue.comes_at_head() {
        "LPUSH"
    } else {
        "RPUSH"
    }
}
