//! Reads the journal for the screen.

use super::super::Tasks;
use crate::ops::journal::{Journal, Kept};
use crate::queue::{EntryResult, LinkState, Outcome, Tally, text};
use crate::store::Store;
use crate::tui::effect::Effect;
use crate::tui::model::PastChange;
use crate::tui::model::change::RESULTS_KEPT;
use crate::tui::model::journal::Explained;
use crate::tui::msg::Msg;

impl Tasks {
    /// Reads what became of the entries of a change.
    pub(super) fn read_change(&mut self, effect: Effect) {
        if let Effect::ReadChange { generation, id } = effect {
            let read = explain(self.journal.clone(), id);
            self.ask(super::super::Kind::Change, read, move |result| {
                Msg::ChangeRead { generation, result }
            });
        }
    }
}

/// So many changes are kept to be looked at.
const KEPT: usize = 1000;

/// The changes of this server, the newest first.
pub(super) async fn read(journal: Journal, store: Store) -> Result<Vec<PastChange>, String> {
    let kept = journal.list().await.map_err(|why| why.to_string())?;
    let link = store.link().borrow().clone();
    let run = link.facts.map(|facts| facts.run_id);
    let run = run.filter(|_| matches!(link.state, LinkState::Live));
    let (server, db) = (store.endpoint().to_string(), store.endpoint().db);
    let here = |kept: &Kept| {
        let of = &kept.head.server;
        // By another name it is the same server, and another one may have come to its address.
        of.db == db && (run.as_ref() == Some(&of.run_id) || of.server == server)
    };
    Ok(kept.into_iter().filter(here).take(KEPT).map(past).collect())
}

fn past(kept: Kept) -> PastChange {
    PastChange {
        id: kept.id,
        at: kept.at,
        change: kept.head.change,
        queue: text::printable_bytes(&kept.head.queue),
        server: kept.head.server.server,
        planned: kept.head.planned,
        ended: kept.ended,
        undone: kept.undone_by.is_some(),
    }
}

/// What became of the entries of a change: those that were not done, one by one.
async fn explain(journal: Journal, id: String) -> Result<Explained, String> {
    let items = journal.items(&id).await.map_err(|why| why.to_string())?;
    let mut explained = Explained {
        id,
        tally: Tally::default(),
        not_done: Vec::new(),
    };
    for (item, happened) in items {
        // Its intent was written and nothing after it.
        let outcome = happened.map_or(Outcome::Unknown, |happened| happened.outcome);
        explained.tally.add(outcome, 1);
        if outcome != Outcome::Done && explained.not_done.len() < RESULTS_KEPT {
            explained.not_done.push(EntryResult {
                id: item.id,
                outcome,
                reason: None,
            });
        }
    }
    Ok(explained)
}
