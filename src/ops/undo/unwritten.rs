//! Deletions whose result was never written down: a process died, or its disk was full. That an
//! entry does not wait, or does not stand in target, does not say who took it.

use super::{Inverse, target};
use crate::ops::journal::{Happened, Item};
use crate::ops::plan::ChangeError;
use crate::ops::plan::make::Making;
use crate::ops::plan::work::sha1;
use crate::queue::{EntryId, EntryResult, Outcome, State, text};
use crate::store::read;

/// So many are looked up in timeouts at once.
const LOOKED_UP: usize = 250;

/// What to do with deletions whose result was never written down.
#[derive(Clone, Copy)]
pub(super) struct Unwritten<'a> {
    /// Of which change.
    pub(super) id: &'a str,
    /// How a shell starts this program on this server.
    pub(super) program: &'a str,
    /// They are put back.
    pub(super) force: bool,
    /// All else was taken back already.
    pub(super) alone: bool,
}

impl Unwritten<'_> {
    /// What is said of an entry that is not put back. `where_not`: where it was looked for.
    fn refused(&self, id: EntryId, where_not: &str) -> EntryResult {
        EntryResult {
            id,
            outcome: Outcome::Refused,
            reason: Some(format!(
                "it {where_not}, and nobody wrote down who took it. \
                 `{} undo --force {}` puts it back: twice, if others had it",
                self.program, self.id
            )),
        }
    }
}

impl Inverse {
    /// What was perhaps deleted (or put back) and does not wait may have been transferred or
    /// removed by others, and an element that target does not hold may have been consumed: these
    /// are put back by force only. How many are.
    pub(super) async fn look_up(
        &mut self,
        making: &Making<'_>,
        unwritten: Unwritten<'_>,
    ) -> Result<usize, ChangeError> {
        let waiting = self.look_in_timeouts(making, unwritten).await?;
        Ok(waiting + self.look_in_target(making, unwritten).await?)
    }

    async fn look_in_timeouts(
        &mut self,
        making: &Making<'_>,
        unwritten: Unwritten<'_>,
    ) -> Result<usize, ChangeError> {
        let timeouts = making.queue.keys().timeouts;
        let before = self.put_back.len();
        for some in std::mem::take(&mut self.perhaps).chunks(LOOKED_UP) {
            let members = some.iter().map(|(_, (chosen, _))| chosen.member.clone());
            let members: Vec<_> = members.collect();
            let scores = read::element_scores(making.store, &timeouts, &members).await?;
            for (one, score) in some.iter().zip(scores) {
                match score {
                    // It was not deleted, or is back.
                    Some(_) => {}
                    None if unwritten.force => self.put_back.push(one.clone()),
                    None => {
                        let id = making.queue.id(&one.1.0.member);
                        let refused = unwritten.refused(id, "does not wait");
                        self.settled.push(refused);
                    }
                }
            }
        }
        Ok(self.put_back.len() - before)
    }

    /// Equal elements are interchangeable: as many as target holds were not deleted, or are back.
    async fn look_in_target(
        &mut self,
        making: &Making<'_>,
        unwritten: Unwritten<'_>,
    ) -> Result<usize, ChangeError> {
        let before = self.put_elements.len();
        let perhaps = std::mem::take(&mut self.perhaps_elements);
        let hashes: Vec<_> = perhaps.iter().map(|(_, element)| sha1(element)).collect();
        let found = target::elements(making, &hashes).await?;
        let missing = perhaps.into_iter().zip(found);
        for ((id, element), _) in missing.filter(|(_, found)| found.is_none()) {
            if unwritten.force {
                self.put_elements.push(element);
            } else {
                let refused = unwritten.refused(id, "is not in target");
                self.settled.push(refused);
            }
        }
        Ok(self.put_elements.len() - before)
    }
}

/// Whether the item was to leave timeouts, or target, and nobody knows whether it did.
pub(super) fn is_unwritten(item: &Item, happened: Option<&Happened>) -> bool {
    let open = happened.is_none_or(|happened| happened.outcome == Outcome::Unknown);
    let was_there = item.score.is_some() || item.state == State::Delivered;
    let leaves = item.member.is_some() && was_there;
    let is_lost = item.new_member.is_none() && item.new_score.is_none() && !item.to_quarantine;
    open && leaves && is_lost
}

/// The plan's warning, when so many are put back by force.
pub(super) fn doubtful(n: usize) -> Option<String> {
    let those = match n {
        0 => return None,
        1 => "Of 1 of them".to_owned(),
        n => format!("Of {} of them", text::thousands(n as u64)),
    };
    Some(format!(
        "{those} nobody wrote down whether it was deleted; with --force it is put back. If it was \
         transferred, consumed or removed by others meanwhile, it comes twice."
    ))
}
