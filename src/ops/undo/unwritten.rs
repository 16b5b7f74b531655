//! Deletions whose result was never written down: a process died, or its disk was full. That an
//! entry does not wait does not say who took it.

use crate::ops::journal::{Happened, Item};
use crate::queue::{EntryId, EntryResult, Outcome, text};

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
    /// What is said of an entry that is not put back.
    pub(super) fn refused(&self, id: EntryId) -> EntryResult {
        EntryResult {
            id,
            outcome: Outcome::Refused,
            reason: Some(format!(
                "it does not wait, and nobody wrote down who took it. \
                 `{} undo --force {}` puts it back: twice, if others had it",
                self.program, self.id
            )),
        }
    }
}

/// Whether the item was to leave timeouts, and nobody knows whether it did.
pub(super) fn is_unwritten(item: &Item, happened: Option<&Happened>) -> bool {
    let open = happened.is_none_or(|happened| happened.outcome == Outcome::Unknown);
    let leaves = item.member.is_some() && item.score.is_some();
    open && leaves && item.new_member.is_none() && item.new_score.is_none()
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
         transferred or removed by others meanwhile, it comes twice."
    ))
}
