//! What went into quarantine, or came out of it. Nobody but this program takes anything out of
//! there: what is not known to have been done need not be guessed, since what is not where it would
//! be then is left alone.

use super::Inverse;
use crate::ops::journal::{Happened, Item};
use crate::queue::{Outcome, State};
use crate::store::change::{Chosen, Place};

impl Inverse {
    /// Whether the item is such a one: then what undoes it is known.
    pub(super) fn quarantined(&mut self, item: &Item, happened: Option<&Happened>) -> bool {
        let (Some(member), Some(score)) = (&item.member, item.score) else {
            return false;
        };
        let chosen = Chosen {
            member: member.clone(),
            score,
        };
        if item.to_quarantine {
            let done = happened.filter(|happened| happened.outcome == Outcome::Done);
            match done {
                Some(done) if done.stood.is_none() => self.outside.push((chosen, None)),
                Some(done) => self
                    .restore
                    .push((done.index, (chosen, done.stood.clone()))),
                // What nobody wrote down has no place among those that left one after the other.
                None => self.restore.push((u64::MAX, (chosen, Some(Place::Tail)))),
            }
        } else if item.state == State::Quarantined {
            self.quarantine.push(chosen);
        } else {
            return false;
        }
        true
    }
}
