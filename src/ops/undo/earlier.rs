//! What earlier attempts to take the same change back have done: one that died or was stopped has
//! put a part of it back, and what it put back may have been consumed since. Whatever they have put
//! back is not put back once more.

use std::collections::HashMap;

use crate::ops::journal::{Happened, Item, Journal, Kept};
use crate::ops::plan::ChangeError;
use crate::ops::plan::work::sha1;
use crate::queue::{Outcome, State};

/// What is back already, by the hash of its bytes: as often as it is.
#[derive(Default)]
pub(super) struct Earlier {
    /// How many tried to take the change back.
    pub(super) attempts: usize,
    back: HashMap<[u8; 20], u64>,
    perhaps: HashMap<[u8; 20], u64>,
}

/// Whether something that was deleted is back already.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Back {
    No,
    Yes,
    /// It was tried, and nobody wrote down what came of it.
    Perhaps,
}

impl Earlier {
    /// Of the attempts to take the change with that id back. What they put back, an undo of their
    /// own has taken out again, and so on.
    pub(super) async fn read(journal: &Journal, id: &str) -> Result<Self, ChangeError> {
        let all = journal.list().await?;
        let undoes = |kept: &&Kept, id: &str| kept.head.undoes.as_deref() == Some(id);
        let attempts = all.iter().filter(|kept| undoes(kept, id));
        if let Some(now) = attempts.clone().find(|undo| undo.under_way) {
            let by = &now.id;
            let why = format!("the change {id} is being taken back at this moment, by {by}");
            return Err(ChangeError::Senseless(why));
        }
        let mut earlier = Self {
            attempts: attempts.count(),
            ..Self::default()
        };
        let mut open = vec![(id.to_owned(), true)];
        while let Some((id, puts)) = open.pop() {
            for undo in all.iter().filter(|kept| undoes(kept, &id)) {
                earlier.count(journal, &undo.id, puts).await?;
                open.push((undo.id.clone(), !puts));
            }
        }
        Ok(earlier)
    }

    /// `puts`: it put back; else it took out again.
    async fn count(&mut self, journal: &Journal, id: &str, puts: bool) -> Result<(), ChangeError> {
        let items = journal.read(id).await?;
        for part in 0..items.parts() {
            for (item, happened) in items.part(part).await? {
                if puts {
                    self.put(&item, happened.as_ref());
                } else if is(happened.as_ref(), Outcome::Done) && item.new_member.is_none() {
                    self.took(&item);
                }
            }
        }
        Ok(())
    }

    fn put(&mut self, item: &Item, happened: Option<&Happened>) {
        // What was put back was nowhere before; what came out of target has a hash.
        let Some(new) = item.new_member.as_ref().filter(|_| item.hash.is_none()) else {
            return;
        };
        if item.member.is_some() {
            return;
        }
        let back = match happened.map(|happened| happened.outcome) {
            Some(Outcome::Done) => &mut self.back,
            Some(Outcome::Unknown) | None => &mut self.perhaps,
            Some(_) => return,
        };
        *back.entry(sha1(new)).or_default() += 1;
    }

    fn took(&mut self, item: &Item) {
        let was_there = item.score.is_some() || item.state == State::Delivered;
        let is_deleted = was_there && item.new_score.is_none() && !item.to_quarantine;
        if let Some(member) = item.member.as_ref().filter(|_| is_deleted) {
            let hash = sha1(member);
            let back = if self.back.contains_key(&hash) {
                &mut self.back
            } else {
                &mut self.perhaps
            };
            take_one(back, &hash);
        }
    }

    /// Whether these bytes are back; each time that they are asked for is one time less.
    pub(super) fn is_back(&mut self, bytes: &[u8]) -> Back {
        if self.back.is_empty() && self.perhaps.is_empty() {
            return Back::No;
        }
        let hash = sha1(bytes);
        if take_one(&mut self.back, &hash) {
            Back::Yes
        } else if take_one(&mut self.perhaps, &hash) {
            Back::Perhaps
        } else {
            Back::No
        }
    }
}

fn is(happened: Option<&Happened>, outcome: Outcome) -> bool {
    happened.is_some_and(|happened| happened.outcome == outcome)
}

fn take_one(counts: &mut HashMap<[u8; 20], u64>, hash: &[u8; 20]) -> bool {
    let Some(count) = counts.get_mut(hash) else {
        return false;
    };
    *count -= 1;
    if *count == 0 {
        counts.remove(hash);
    }
    true
}
