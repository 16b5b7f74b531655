//! The times since which entries are in quarantine: the journal knows of those that were set aside
//! from this account.

use std::collections::HashMap;

use super::is_here;
use crate::ops::journal::{Journal, JournalError, JournalledChange, ServerId};
use crate::queue::{Change, EntryId, Outcome, Queue};
use crate::store::Store;
use crate::tui::lists::QuarantineTime;

/// The most changes that are looked into, the newest first.
const CHANGES: usize = 50;

/// The number of entries at which the search ends, after the part that it is in.
const ENTRIES: usize = 100_000;

/// Reads since when the entries of a queue are in quarantine, as far as the journal tells.
pub(crate) async fn read(
    journal: Journal,
    store: Store,
    queue: Queue,
) -> Result<HashMap<EntryId, QuarantineTime>, JournalError> {
    known(&journal, &ServerId::told(&store).await, &queue).await
}

async fn known(
    journal: &Journal,
    server: &ServerId,
    queue: &Queue,
) -> Result<HashMap<EntryId, QuarantineTime>, JournalError> {
    let spec = queue.spec();
    // What takes back a restoration sets aside, too.
    let sets_aside = |kept: &JournalledChange| {
        let of_it = matches!(kept.head.change, Change::Quarantine | Change::Undo);
        of_it && kept.head.queue == spec && kept.undone_by.is_none() && is_here(server, kept)
    };
    let kept = journal.list().await?.into_iter().filter(sets_aside);
    let (mut known, mut looked) = (HashMap::new(), 0);
    for kept in kept.take(CHANGES) {
        let items = journal.read(&kept.id).await?;
        for part in 0..items.parts() {
            for (item, happened) in items.part(part).await? {
                looked += 1;
                let is_done = happened.is_some_and(|is| is.outcome == Outcome::Done);
                if item.to_quarantine && is_done {
                    known.entry(item.id).or_insert_with(|| QuarantineTime {
                        at: kept.at,
                        change: kept.id.clone(),
                    });
                }
            }
            if looked >= ENTRIES {
                return Ok(known);
            }
        }
    }
    Ok(known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::journal::{Item, ItemResult, JournalHead};
    use crate::queue::{State, Tally};

    fn server() -> ServerId {
        ServerId {
            run_id: "here".to_owned(),
            ..ServerId::default()
        }
    }

    /// A change that moved entries into quarantine, or not: the ids of those that were done.
    async fn made(journal: &Journal, change: Change, queue: &str, ids: &[u8]) -> String {
        let head = JournalHead {
            change,
            queue: queue.as_bytes().to_vec(),
            server: server(),
            planned: 2,
            bound: None,
            undoes: None,
            bytes: 100,
        };
        let item = |id: &u8| Item {
            id: EntryId([*id; 8]),
            state: State::Waiting,
            score: Some(1.0),
            member: Some(vec![*id]),
            new_score: None,
            new_member: None,
            form: None,
            hash: None,
            to_quarantine: change != Change::Delete,
        };
        let mut record = journal.begin(head).await.unwrap();
        record.intend(ids.iter().map(item).collect()).await.unwrap();
        // The last one was gone.
        let outcome = |index: u64| ItemResult {
            index,
            outcome: if index + 1 == ids.len() as u64 {
                Outcome::Gone
            } else {
                Outcome::Done
            },
            stood: None,
        };
        let happened = (0..ids.len() as u64).map(outcome).collect();
        record.happened(happened).await.unwrap();
        let id = record.id().to_owned();
        record.end(Tally::default()).await.unwrap();
        id
    }

    #[tokio::test]
    async fn the_newest_change_that_set_an_entry_aside_tells_since_when() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::at(dir.path(), 30);
        let first = made(&journal, Change::Quarantine, "orders", &[1, 2, 9]).await;
        made(&journal, Change::Quarantine, "others", &[3, 9]).await;
        made(&journal, Change::Delete, "orders", &[4, 9]).await;
        // It took back a restoration.
        let second = made(&journal, Change::Undo, "orders", &[2, 9]).await;
        let queue = Queue::redisson("orders");
        let known = super::known(&journal, &server(), &queue).await.unwrap();
        let by = |id: u8| known.get(&EntryId([id; 8])).map(|since| &since.change);
        assert_eq!((by(1), by(2)), (Some(&first), Some(&second)));
        assert_eq!((by(3), by(4), by(9)), (None, None, None));
        let elsewhere = ServerId {
            run_id: "there".to_owned(),
            db: 1,
            ..ServerId::default()
        };
        let none = super::known(&journal, &elsewhere, &queue).await.unwrap();
        assert_eq!(none, HashMap::new());
    }
}
