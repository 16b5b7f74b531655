//! The work of earlier attempts to take the same change back: one that died or was stopped has
//! taken a part of it back, and what it put back may have been consumed since. Whatever they have
//! taken back is not taken back once more.

use std::collections::HashMap;

use super::doubt::ScriptKnowledge;
use crate::ops::journal::{Item, Journal, JournalledChange};
use crate::ops::plan::ChangeError;
use crate::queue::{EntryId, Outcome, Queue, State};

/// The entries that are back already, by what they are called, as often as they are.
#[derive(Default)]
pub(super) struct ReturnedCounts {
    /// Attempts to take the change back.
    pub(super) attempts: usize,
    /// One of them died.
    pub(super) has_died: bool,
    /// The knowledge of the scripts whose answers nobody wrote down.
    pub(super) scripts: ScriptKnowledge,
    counts: HashMap<EntryId, AttemptCounts>,
}

#[derive(Default)]
struct AttemptCounts {
    back: u64,
    perhaps: u64,
}

/// The answer to whether something is back already.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum EarlierReturn {
    No,
    Yes,
    /// Tried, and nobody wrote down what came of it.
    Perhaps,
}

impl ReturnedCounts {
    /// Reads the attempts to take the change with that id back. What they did, an undo of their own
    /// has taken back again, and so on.
    pub(super) async fn read(
        journal: &Journal,
        queue: &Queue,
        id: &str,
    ) -> Result<Self, ChangeError> {
        let all = journal.list().await?;
        let undoes = |kept: &&JournalledChange, id: &str| kept.head.undoes.as_deref() == Some(id);
        let attempts = all.iter().filter(|kept| undoes(kept, id));
        if let Some(now) = attempts.clone().find(|undo| undo.under_way) {
            let by = &now.id;
            let why = format!("the change {id} is being taken back at this moment, by {by}");
            return Err(ChangeError::Senseless(why));
        }
        let mut earlier = Self {
            has_died: attempts.clone().any(|undo| undo.ended.is_none()),
            attempts: attempts.count(),
            scripts: ScriptKnowledge {
                known: true,
                whole: true,
            },
            ..Self::default()
        };
        let mut doubtful = 0;
        let mut open = vec![(id.to_owned(), true)];
        while let Some((id, takes_back)) = open.pop() {
            for undo in all.iter().filter(|kept| undoes(kept, &id)) {
                let items = journal.read(&undo.id).await?;
                let mut in_doubt = false;
                for part in 0..items.parts() {
                    for (item, happened) in items.part(part).await? {
                        let outcome = happened.map(|happened| happened.outcome);
                        in_doubt |= outcome.is_none();
                        earlier.scripts.whole &= outcome != Some(Outcome::Unknown);
                        earlier.count(queue, &item, outcome, takes_back);
                    }
                }
                doubtful += usize::from(in_doubt);
                earlier.scripts.known &= !in_doubt || items.is_last_script_known();
                earlier.scripts.whole &= !in_doubt || items.is_whole();
                open.push((undo.id.clone(), !takes_back));
            }
        }
        earlier.scripts.whole &= doubtful == 1;
        Ok(earlier)
    }

    /// Counts an item. `takes_back`: it takes an item of the change back; else it does one again.
    fn count(&mut self, queue: &Queue, item: &Item, outcome: Option<Outcome>, takes_back: bool) {
        let in_doubt = match outcome {
            Some(Outcome::Done) => false,
            Some(Outcome::Unknown) | None => true,
            Some(_) => return,
        };
        // What does it again is called as the change's own item; what takes it back, as the
        // opposite of that.
        let called = if takes_back {
            item.id
        } else {
            opposite(queue, item)
        };
        let counts = self.counts.entry(called).or_default();
        match (takes_back, in_doubt) {
            (true, false) => counts.back += 1,
            (true, true) => counts.perhaps += 1,
            (false, false) if counts.back > 0 => counts.back -= 1,
            (false, false) => counts.perhaps = counts.perhaps.saturating_sub(1),
            (false, true) if counts.back > 0 => {
                counts.back -= 1;
                counts.perhaps += 1;
            }
            (false, true) => {}
        }
    }

    /// Tells whether what was done to an item is taken back; each time that it is asked for is one
    /// time less.
    pub(super) fn is_back(&mut self, queue: &Queue, item: &Item) -> EarlierReturn {
        if self.counts.is_empty() {
            return EarlierReturn::No;
        }
        match self.counts.get_mut(&opposite(queue, item)) {
            Some(counts) if counts.back > 0 => {
                counts.back -= 1;
                EarlierReturn::Yes
            }
            Some(counts) if counts.perhaps > 0 => {
                counts.perhaps -= 1;
                EarlierReturn::Perhaps
            }
            _ => EarlierReturn::No,
        }
    }
}

/// The id of the item that takes this one back: what it is then is what this one made of it.
fn opposite(queue: &Queue, item: &Item) -> EntryId {
    let delivered = item.state == State::Delivered;
    match (&item.member, &item.new_member) {
        // Out of target, into timeouts.
        (None, Some(new)) if item.hash.is_some() => queue.id(new),
        (Some(_), Some(key)) if item.score.is_none() && !delivered => EntryId::of_bytes(key),
        (Some(_), Some(new)) => queue.id(new),
        _ => item.id,
    }
}
