//! The answer to a script never came: what it did is read again, by identity.

use std::collections::HashSet;
use std::ops::Range;

use super::batch::{EntryFate, KEPT_ALREADY, TWIN, WAITS_OTHERWISE};
use super::run::{Halt, Run};
use crate::ops::bulk::may_have_left;
use crate::ops::plan::work::{Work, sha1};
use crate::queue::{Due, Outcome, Queue};
use crate::store::{StoreError, read};

/// Entries looked up in timeouts at once.
const LOOKED_UP: usize = 250;
/// Elements of target that are looked through, the newest ones.
const NEWEST: u64 = 2_000;
/// Elements read at once.
const PAGE: u32 = 500;

/// The state in which an entry is found.
pub(super) enum SeenEntry {
    /// As only the script can have made it.
    Done,
    /// As it was: the script was not run.
    NotDone,
    /// Changed by somebody since.
    Changed,
    /// Out of timeouts, by the script or by others.
    Left,
    /// Not in timeouts, where it was to come; it is due, so that others may have transferred it at
    /// once.
    Passed,
    /// As it may be either way.
    Nothing,
    /// As it was, and the script would leave it so: what it would tell.
    Stays(EntryFate),
}

impl Run {
    /// Waits until the server is back and finds out what the script did. None: it was not run, and
    /// can be tried again.
    pub(super) async fn look(
        &mut self,
        work: &Work,
        range: Range<usize>,
        error: &StoreError,
    ) -> Result<Option<Vec<EntryFate>>, Halt> {
        let sent = range.clone().map(|i| work.bytes(i)).sum();
        self.heal(error, sent).await?;
        if let Work::Repair(deed) = work {
            let (store, queue) = (self.writer.store().clone(), self.queue.clone());
            let done = loop {
                match deed.done(&store, &queue, range.clone()).await {
                    Ok(done) => break done,
                    Err(error) => self.again(error).await?,
                }
            };
            // A script is run whole or not at all.
            return Ok(match done.map(|done| done.contains(&true)) {
                Some(true) => Some(vec![EntryFate::plain(Outcome::Done); range.len()]),
                Some(false) => None,
                None => Some(unknown(range.len())),
            });
        }
        if !work.may_be_repeated() {
            return Ok(Some(unknown(range.len())));
        }
        let seen = self.states(work, range.clone()).await?;
        // A script is run whole or not at all.
        let tells = |seen: &SeenEntry| !matches!(seen, SeenEntry::Stays(_) | SeenEntry::Changed);
        let repeated = seen.iter().any(|seen| matches!(seen, SeenEntry::NotDone))
            || !seen.iter().any(tells)
            || self.may_repeat(&seen).await?;
        if repeated {
            return Ok(None);
        }
        // What was due may have been transferred before the script came to take it away.
        let takes = matches!(work, Work::Delete(_) | Work::Quarantine(_));
        let ran = seen.iter().any(|seen| matches!(seen, SeenEntry::Done)) && !takes;
        let delivered = if seen.iter().any(|seen| matches!(seen, SeenEntry::Left)) && !ran {
            self.newest_of_target().await?
        } else {
            HashSet::new()
        };
        let fated = range.zip(seen).map(|(i, seen)| match seen {
            SeenEntry::Done => EntryFate::plain(Outcome::Done),
            SeenEntry::Changed => EntryFate::because(Outcome::Changed, "it was changed meanwhile"),
            SeenEntry::Left | SeenEntry::Passed if ran => EntryFate::plain(Outcome::Done),
            SeenEntry::Passed => EntryFate::because(Outcome::Unknown, PASSED),
            SeenEntry::Left => self.left(work, i, &delivered),
            SeenEntry::Stays(fated) => fated,
            SeenEntry::NotDone | SeenEntry::Nothing => EntryFate::plain(Outcome::Unknown),
        });
        Ok(Some(fated.collect()))
    }

    /// Reads the states in which entries are found.
    pub(super) async fn states(
        &mut self,
        work: &Work,
        range: Range<usize>,
    ) -> Result<Vec<SeenEntry>, Halt> {
        let mut scores = Vec::with_capacity(range.len());
        for i in range.clone().step_by(LOOKED_UP) {
            let some = i..range.end.min(i + LOOKED_UP);
            scores.extend(loop {
                match self.scores(work, some.clone()).await {
                    Ok(scores) => break scores,
                    Err(error) => self.again(error).await?,
                }
            });
        }
        let now = self.now();
        let of = |(i, (score, new)): (usize, (Option<f64>, Option<f64>))| {
            let score_of = work.score(i).or_else(|| work.new_score(&self.queue, i));
            let due = score_of.map(|score| self.queue.due(score));
            let was_due = matches!(due, Some(Due::At(due)) if due <= now);
            seen(&self.queue, work, i, score, new, was_due)
        };
        Ok(range.zip(scores).map(of).collect())
    }

    /// True when what was to come into timeouts is not there because the script was not run: nobody
    /// transfers.
    async fn may_repeat(&mut self, seen: &[SeenEntry]) -> Result<bool, Halt> {
        let passed = |seen: &SeenEntry| matches!(seen, SeenEntry::Passed);
        let ran = |seen: &SeenEntry| matches!(seen, SeenEntry::Done);
        if !seen.iter().any(passed) || seen.iter().any(ran) {
            return Ok(false);
        }
        let store = self.writer.store().clone();
        loop {
            match may_have_left(&store, &self.queue, self.now()).await {
                Ok(left) => return Ok(!left),
                Err(error) => self.again(error).await?,
            }
        }
    }

    /// Reads the scores of entries, and, of an edit, those of their new bytes; of what goes into
    /// quarantine or comes out of it, those that they have there.
    async fn scores(
        &self,
        work: &Work,
        range: Range<usize>,
    ) -> Result<Vec<(Option<f64>, Option<f64>)>, StoreError> {
        let keys = self.queue.keys();
        let (timeouts, quarantine) = (keys.timeouts, keys.quarantine);
        let store = self.writer.store();
        let of = |i| work.member(i).unwrap_or_default().to_vec();
        let members: Vec<Vec<u8>> = range.clone().map(of).collect();
        let scores = read::element_scores(store, &timeouts, &members).await?;
        let new = match work {
            Work::Edit(all) => {
                let new: Vec<_> = all[range].iter().map(|(_, new)| new.clone()).collect();
                read::element_scores(store, &timeouts, &new).await?
            }
            Work::Quarantine(_) | Work::Restore(_) => {
                read::element_scores(store, &quarantine, &members).await?
            }
            _ => vec![None; scores.len()],
        };
        Ok(scores.into_iter().zip(new).collect())
    }

    /// Reads the newest elements of target, and returns their hashes.
    pub(super) async fn newest_of_target(&mut self) -> Result<HashSet<[u8; 20]>, Halt> {
        loop {
            match self.read_newest().await {
                Ok(newest) => return Ok(newest),
                Err(error) => self.again(error).await?,
            }
        }
    }

    async fn read_newest(&self) -> Result<HashSet<[u8; 20]>, StoreError> {
        let target = self.queue.keys().target;
        let store = self.writer.store();
        let length = read::list_page(store, &target, 0, 0).await?.length;
        let first = if self.queue.comes_at_head() {
            0
        } else {
            length.saturating_sub(NEWEST)
        };
        let mut hashes = HashSet::new();
        for at in (first..first + NEWEST.min(length)).step_by(PAGE as usize) {
            let page = read::list_page(store, &target, at, PAGE).await?;
            hashes.extend(page.elements.iter().map(|element| sha1(element)));
        }
        Ok(hashes)
    }

    /// The fate of an entry that left timeouts, when that may have been others.
    pub(super) fn left(&self, work: &Work, i: usize, delivered: &HashSet<[u8; 20]>) -> EntryFate {
        let member = work.member(i).unwrap_or_default();
        match work {
            Work::Delete(_) => deleted_or_not(&self.queue, member, delivered),
            Work::Requeue(_) | Work::Edit(_) | Work::Quarantine(_) => {
                EntryFate::plain(Outcome::Gone)
            }
            _ if is_among(&self.queue, member, delivered) => EntryFate::plain(Outcome::Done),
            _ => EntryFate::because(Outcome::Unknown, BY_WHOM),
        }
    }
}

/// The reason for an unknown outcome.
const BY_WHOM: &str = "the answer never came; it has left timeouts, by this change or by others";

const PASSED: &str = "the answer never came; it does not wait, since it was never put there or \
                      because others have transferred it at once";

/// The fates of so many of which nothing tells.
fn unknown(count: usize) -> Vec<EntryFate> {
    let why = "the answer never came, and equal elements cannot be told apart";
    vec![EntryFate::because(Outcome::Unknown, why); count]
}

/// The fate of an entry that was to be deleted and has left timeouts, when others may have
/// transferred it: these have come to target.
pub(super) fn deleted_or_not(
    queue: &Queue,
    member: &[u8],
    delivered: &HashSet<[u8; 20]>,
) -> EntryFate {
    if is_among(queue, member, delivered) {
        EntryFate::because(Outcome::Gone, "it was transferred meanwhile")
    } else {
        EntryFate::because(Outcome::Unknown, BY_WHOM)
    }
}

fn is_among(queue: &Queue, member: &[u8], delivered: &HashSet<[u8; 20]>) -> bool {
    let entry = queue.unwrap(member);
    entry.is_ok_and(|entry| delivered.contains(&sha1(entry.payload)))
}

/// Concludes from the score of an entry (and of its new bytes) what the script did. What it leaves
/// alone, others beside it tell of: whether it ran.
fn seen(
    queue: &Queue,
    work: &Work,
    i: usize,
    score: Option<f64>,
    new: Option<f64>,
    was_due: bool,
) -> SeenEntry {
    let is = |wanted: f64| score.is_some_and(|score| score.total_cmp(&wanted).is_eq());
    match work {
        Work::Deliver(all) if is(all[i].score) && queue.unwrap(&all[i].member).is_err() => {
            SeenEntry::Stays(EntryFate::plain(Outcome::Undecodable))
        }
        Work::Delete(all) | Work::Deliver(all) => match score {
            Some(_) if is(all[i].score) => SeenEntry::NotDone,
            Some(_) => SeenEntry::Changed,
            // Nobody transfers what is not due.
            None if was_due => SeenEntry::Left,
            None => SeenEntry::Done,
        },
        Work::Quarantine(all) => match (score, new) {
            (Some(_), Some(kept)) if is(all[i].score) && kept.total_cmp(&all[i].score).is_ne() => {
                SeenEntry::Stays(EntryFate::because(Outcome::Refused, KEPT_ALREADY))
            }
            (Some(_), _) if is(all[i].score) => SeenEntry::NotDone,
            (Some(_), _) => SeenEntry::Changed,
            (None, Some(kept)) if kept.total_cmp(&all[i].score).is_eq() => SeenEntry::Done,
            (None, _) => SeenEntry::Left,
        },
        Work::Restore(all) => match (score, new) {
            (Some(_), Some(_)) if !is(all[i].0.score) => {
                SeenEntry::Stays(EntryFate::because(Outcome::Refused, WAITS_OTHERWISE))
            }
            (_, Some(kept)) if kept.total_cmp(&all[i].0.score).is_eq() => SeenEntry::NotDone,
            (Some(_), None) if is(all[i].0.score) => SeenEntry::Done,
            (_, Some(_)) | (Some(_), None) => SeenEntry::Changed,
            (None, None) => SeenEntry::Passed,
        },
        Work::Requeue(all) => match score {
            Some(_) if is(all[i].1) => SeenEntry::Done,
            Some(_) if is(all[i].0.score) => SeenEntry::NotDone,
            Some(_) => SeenEntry::Changed,
            None => SeenEntry::Left,
        },
        Work::Edit(all) => match (new, score) {
            (Some(_), None) => SeenEntry::Done,
            (Some(_), Some(_)) if is(all[i].0.score) => {
                SeenEntry::Stays(EntryFate::because(Outcome::Refused, TWIN))
            }
            (_, Some(_)) if is(all[i].0.score) => SeenEntry::NotDone,
            (_, Some(_)) => SeenEntry::Changed,
            (None, None) => SeenEntry::Left,
        },
        Work::PutBack(_) | Work::Offer(_) | Work::WaitAgain(_) => match score {
            Some(_) if work.new_score(queue, i).is_some_and(is) => SeenEntry::Done,
            Some(_) => SeenEntry::Changed,
            None if was_due => SeenEntry::Passed,
            None => SeenEntry::NotDone,
        },
        // It comes out of target: what is not there any more is not taken twice.
        Work::TakeBack(all, ..) => match score {
            Some(_) if is(all[i].score) => SeenEntry::Done,
            Some(_) => SeenEntry::Changed,
            None if was_due => SeenEntry::Stays(EntryFate::because(Outcome::Unknown, PASSED)),
            None => SeenEntry::Stays(EntryFate::plain(Outcome::Gone)),
        },
        Work::Discard(..)
        | Work::PutElements(..)
        | Work::PutAmong(_)
        | Work::Repair(_)
        | Work::OrderList(_)
        | Work::DeliverStrays(_)
        | Work::DropStrays(_) => SeenEntry::Nothing,
    }
}
