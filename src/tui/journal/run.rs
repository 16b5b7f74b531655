//! Reads the journal for the screen.

pub mod since;

use super::{Effect, JournalAccount, PastChange};
use crate::ops::journal::{ItemResult, Journal, JournalError, JournalledChange, ServerId};
use crate::queue::{EntryId, EntryResult, Outcome, Tally, text};
use crate::store::Store;
use crate::tui::change::{RESULTS_KEPT, is_worth_a_look};
use crate::tui::journal;
use crate::tui::msg::Msg;
use crate::tui::tasks::{TaskKind, Tasks};

impl Tasks {
    /// Reads what is asked for.
    pub(crate) fn journal(&mut self, effect: Effect) {
        match effect {
            Effect::ReadJournal { generation } => {
                let read = read(self.journal.clone(), self.store.clone());
                self.ask(TaskKind::Journal, read, move |result| {
                    Msg::Journal(journal::Msg::JournalRead { generation, result })
                });
            }
            Effect::ReadChange { generation, id } => {
                let read = explain(self.journal.clone(), id);
                self.ask(TaskKind::Change, read, move |result| {
                    Msg::Journal(journal::Msg::ChangeRead { generation, result })
                });
            }
        }
    }
}

/// The most changes that are kept to be looked at.
const KEPT: usize = 1000;

/// The changes of this server, the newest first.
async fn read(journal: Journal, store: Store) -> Result<Vec<PastChange>, String> {
    let kept = journal.list().await.map_err(|why| why.to_string())?;
    let server = ServerId::of(&store);
    let here = kept.into_iter().filter(|kept| is_here(&server, kept));
    Ok(here.take(KEPT).map(past).collect())
}

/// Tells whether a change was made on this server. By another name it may be the same one; one that
/// was started again is another one, and what was done there before is worth knowing all the same.
pub(crate) fn is_here(server: &ServerId, kept: &JournalledChange) -> bool {
    let of = &kept.head.server;
    kept.is_of(server) || (server.db == of.db && server.server == of.server)
}

fn past(kept: JournalledChange) -> PastChange {
    PastChange {
        id: kept.id,
        at: kept.at,
        change: kept.head.change,
        queue: text::printable_bytes(&kept.head.queue),
        server: kept.head.server.server,
        planned: kept.head.planned,
        ended: kept.ended,
        under_way: kept.under_way,
        undone: kept.undone_by.is_some(),
    }
}

/// Reads what became of the entries of a change: those that were not done, one by one.
async fn explain(journal: Journal, id: String) -> Result<JournalAccount, String> {
    let said = |why: JournalError| why.to_string();
    let items = journal.read(&id).await.map_err(said)?;
    let mut explained = JournalAccount {
        id,
        tally: Tally::default(),
        not_done: Vec::new(),
    };
    // A part at a time: there may be a million entries.
    for part in 0..items.parts() {
        for (item, happened) in items.part(part).await.map_err(said)? {
            take(&mut explained, item.id, happened);
        }
    }
    Ok(explained)
}

fn take(explained: &mut JournalAccount, id: EntryId, happened: Option<ItemResult>) {
    // Its intent was written and nothing after it.
    let outcome = happened.map_or(Outcome::Unknown, |happened| happened.outcome);
    explained.tally.add(outcome, 1);
    if is_worth_a_look(outcome) && explained.not_done.len() < RESULTS_KEPT {
        let reason = None;
        explained.not_done.push(EntryResult {
            id,
            outcome,
            reason,
        });
    }
}
