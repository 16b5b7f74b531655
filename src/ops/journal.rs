//! The journal: every change that was made from this account, so that it can be explained and
//! taken back. Intents are on disk before anything is done, results after.

mod folder;
mod format;
mod id;
mod items;
mod line;
mod record;

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::state_file;
use crate::clock::{EpochMillis, local_now};
use crate::queue::{Address, Change, EntryId, Form, Optional, Outcome, State, Tally};
use crate::store::Store;
use crate::store::change::ListPlace;
use folder::Folder;
pub use items::Items;
use line::RecordLine;
pub(in crate::ops) use line::host;
pub use record::JournalRecord;

/// The longest wait for a server to tell what it is.
const TELLING: Duration = Duration::from_secs(2);

/// The place of the journal, and for how many days it keeps changes.
#[derive(Clone, Debug)]
pub struct Journal {
    dir: Option<PathBuf>,
    keep_days: u32,
}

/// The reason why something could not be written down or read.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct JournalError(pub String);

/// The server that a change was made on: by run id a restart is another, by replication id not.
#[derive(Clone, Debug, Default, Eq, PartialEq, serde::Deserialize, serde::Serialize)]
pub struct ServerId {
    /// As the header shows it: `host:port/db`.
    pub server: String,
    /// Number of its database.
    pub db: i64,
    /// `run_id` of INFO.
    pub run_id: String,
    /// `master_replid` of INFO.
    pub replication_id: String,
    /// `master_replid2` of INFO: it has taken the place of a server with that replication id.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub former_replication_id: String,
    /// The ids of the nodes of its cluster (`CLUSTER SLOTS`): a queue moves from node to node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<String>,
    /// The sentinels that watch it, each with the name that they know it by: it stays theirs however
    /// often they make another server the master.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sentinels: Vec<String>,
}

/// The description of a change, as it is written down before it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct JournalHead {
    /// The kind of change.
    pub change: Change,
    /// The queue as it is typed ([`crate::queue::Queue::spec`]).
    pub queue: Vec<u8>,
    /// The server that the queue is on.
    pub server: ServerId,
    /// Number of entries that are planned.
    pub planned: u64,
    /// For "everything due": the bound, by the server's clock.
    pub bound: Option<EpochMillis>,
    /// The change that it takes back.
    pub undoes: Option<String>,
    /// Bytes that it will take here, about: the change is refused when there is no room.
    pub bytes: u64,
}

/// An entry that a change is about, as it is before, and as it shall be.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The id that people call it by.
    pub id: EntryId,
    /// Its state before.
    pub state: State,
    /// Its score before.
    pub score: Option<f64>,
    /// Its exact bytes before: none of a transfer, which needs `hash` only.
    pub member: Option<Vec<u8>>,
    /// Its score afterwards, when that is another one.
    pub new_score: Option<f64>,
    /// Its bytes afterwards, when they are others.
    pub new_member: Option<Vec<u8>>,
    /// Its frame form, where it has a frame.
    pub form: Option<Form>,
    /// SHA-1 of its payload: by it an element of target is found again.
    pub hash: Option<[u8; 20]>,
    /// It goes into quarantine, with its score.
    pub to_quarantine: bool,
}

/// The way in which a script takes the items that it tries.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Tries {
    /// It does it to all that are as they were, or to none.
    Whole,
    /// It may pass some over.
    Some,
    /// The same; and the answer of one before it never came, so that what that tried and has no
    /// result is in doubt too.
    SomeBeside,
}

/// The result of an item.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemResult {
    /// The item's number among all that were intended, from 0.
    pub index: u64,
    /// Its outcome.
    pub outcome: Outcome,
    /// Its former place in the order list, of what was deleted; `Tail` of an element of target:
    /// where new ones come.
    pub stood: Option<ListPlace>,
}

/// A change of the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct JournalledChange {
    /// Its id: also the name of its file.
    pub id: String,
    /// When it began, by this machine's clock.
    pub at: EpochMillis,
    /// The user who made it, on which host, with which version of delayscope.
    pub who: String,
    /// Its description.
    pub head: JournalHead,
    /// The outcomes of the entries; none: it was never ended (it died, or is under way).
    pub ended: Option<Tally>,
    /// The server that it ended on, where failovers amid it had made that another one.
    pub ended_on: Option<ServerId>,
    /// The machine runs since it began: whatever was written down then is there, also what no disk
    /// was waited for.
    pub same_boot: bool,
    /// It is being made at this moment, by whichever process on this machine.
    pub under_way: bool,
    /// The change that has taken it back, when one has.
    pub undone_by: Option<String>,
}

/// The amount that a purge removed, or would.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct PurgeAmount {
    /// Number of changes.
    pub changes: u64,
    /// Bytes on disk.
    pub bytes: u64,
}

impl ServerId {
    /// The server that a link leads to, as far as it has said. Ids that it has not told are empty.
    #[must_use]
    pub fn of(store: &Store) -> Self {
        let facts = store.link().borrow().facts.clone().unwrap_or_default();
        Self {
            server: store.endpoint().to_string(),
            db: store.endpoint().db,
            run_id: facts.run_id,
            replication_id: facts.replication_id,
            former_replication_id: facts.former_replication_id,
            nodes: store.node_ids(),
            sentinels: match &store.endpoint().address {
                Address::Sentinel(sentinels) => sentinels.each(),
                _ => Vec::new(),
            },
        }
    }

    /// The same once it has said, which takes a moment after connecting: without its ids the same
    /// server under another address would pass for another one.
    pub async fn told(store: &Store) -> Self {
        let mut link = store.link();
        let told = link
            .wait_for(|link| link.facts.is_some() || link.refused.why(Optional::Info).is_some());
        // A server that does not tell in time is known by its address.
        let _ = tokio::time::timeout(TELLING, told).await;
        Self::of(store)
    }

    /// Tells whether this is another server than `other`, or another database: neither the run id
    /// nor the replication id is the same, nor has one taken the place of the other in a failover, nor
    /// has a cluster a node of the other, nor does a sentinel watch both by one name.
    /// Where none is known the addresses decide.
    #[must_use]
    pub fn differs_from(&self, other: &Self) -> bool {
        let pairs = [
            (&self.run_id, &other.run_id),
            (&self.replication_id, &other.replication_id),
            (&self.former_replication_id, &other.replication_id),
            (&self.replication_id, &other.former_replication_id),
        ];
        let known = pairs.map(|(a, b)| (!a.is_empty() && !b.is_empty()).then_some(a == b));
        let meet = |ours: &[String], theirs: &[String]| ours.iter().any(|one| theirs.contains(one));
        let is_same = match known {
            _ if meet(&self.nodes, &other.nodes) || meet(&self.sentinels, &other.sentinels) => true,
            [None, None, None, None] => self.server == other.server,
            known => known.contains(&Some(true)),
        };
        self.db != other.db || !is_same
    }
}

impl JournalledChange {
    /// Tells whether it was made on `server`, or ended there behind failovers.
    #[must_use]
    pub fn is_of(&self, server: &ServerId) -> bool {
        let all = [Some(&self.head.server), self.ended_on.as_ref()];
        all.into_iter().flatten().any(|on| !server.differs_from(on))
    }
}

impl Journal {
    /// The user's own: `delayscope/` in `$XDG_STATE_HOME`. Changes older than `keep_days` go when
    /// a new one begins.
    #[must_use]
    pub fn of_user(keep_days: u32) -> Self {
        Self {
            dir: state_file::dir_of_user(),
            keep_days,
        }
    }

    /// In that directory.
    #[must_use]
    pub fn at(dir: &Path, keep_days: u32) -> Self {
        Self {
            dir: Some(dir.to_owned()),
            keep_days,
        }
    }

    /// Begins to write a change down; refused when there is no room for it. Its head is on disk
    /// when it returns.
    pub async fn begin(&self, head: JournalHead) -> Result<JournalRecord, JournalError> {
        self.begin_after(head, None).await
    }

    /// The same for an undo, refused when there were other `attempts` to take that change back than
    /// so many: what they have put back meanwhile would be there twice.
    pub(super) async fn begin_after(
        &self,
        head: JournalHead,
        attempts: Option<usize>,
    ) -> Result<JournalRecord, JournalError> {
        let folder = self.folder()?;
        let keep_days = self.keep_days;
        blocking(move || {
            let turn = folder.turn()?;
            folder.expire(&turn, keep_days)?;
            if let (Some(undone), Some(attempts)) = (&head.undoes, attempts) {
                folder.check_attempts(undone, attempts)?;
            }
            folder.check_room(head.bytes)?;
            let now = local_now();
            let (id, file) = folder.create(&turn, now)?;
            let record = JournalRecord::create(id, folder.clone(), file)?;
            folder.keep_created()?;
            folder.append(&turn, &RecordLine::began(record.id(), now, &head))?;
            Ok(record)
        })
        .await
    }

    /// All changes, the newest first.
    pub async fn list(&self) -> Result<Vec<JournalledChange>, JournalError> {
        let folder = self.folder()?;
        let listed = blocking(move || folder.changes());
        Ok(listed.await?.into_iter().rev().collect())
    }

    /// The change with that id; the beginning of one will do where only one begins so.
    pub async fn find(&self, id: &str) -> Result<JournalledChange, JournalError> {
        let mut found = self.list().await?;
        found.retain(|kept| id::may_begin(id) && kept.id.starts_with(id));
        match &found[..] {
            [only] => Ok(only.clone()),
            [] => Err(JournalError(format!(
                "the journal holds no change {id:?}. `delayscope journal` lists them"
            ))),
            [first, second, ..] => Err(JournalError(format!(
                "{} changes begin with {id:?}: {}, {} and so on. Give more of the id",
                found.len(),
                first.id,
                second.id
            ))),
        }
    }

    /// The entries of a change, to be read a part at a time.
    pub async fn read(&self, id: &str) -> Result<Items, JournalError> {
        let kept = self.find(id).await?;
        let path = self.folder()?.change_path(&kept.id);
        // Of what is under way anything may be tried in the next moment.
        let tells = !kept.under_way && (kept.ended.is_some() || kept.same_boot);
        Items::open(path, tells).await
    }

    /// Tells which lines of the list of changes cannot be read, in a sentence; none: all can.
    pub async fn unreadable(&self) -> Result<Option<String>, JournalError> {
        let folder = self.folder()?;
        blocking(move || folder.unreadable()).await
    }

    /// The items of a change, each with what is known to have become of it: see
    /// [`Items::part`]. All of them at once: of a change of many entries,
    /// [`read`](Self::read) them in parts.
    pub async fn items(&self, id: &str) -> Result<Vec<(Item, Option<ItemResult>)>, JournalError> {
        let items = self.read(id).await?;
        let mut all = Vec::new();
        for n in 0..items.parts() {
            all.extend(items.part(n).await?);
        }
        Ok(all)
    }

    /// Removes the changes that began before `before` (none: all of them), save those that are
    /// under way. They cannot be taken back then.
    pub async fn purge(&self, before: Option<EpochMillis>) -> Result<PurgeAmount, JournalError> {
        let folder = self.folder()?;
        blocking(move || {
            let turn = folder.turn()?;
            let kept = folder.changes()?;
            let goes =
                |kept: &&JournalledChange| !kept.under_way && before.is_none_or(|t| kept.at < t);
            let gone: Vec<_> = kept.iter().filter(goes).collect();
            let mut purged = folder.remove(&turn, &gone)?;
            purged.bytes += folder.remove_strays(&turn)?;
            Ok(purged)
        })
        .await
    }

    fn folder(&self) -> Result<Folder, JournalError> {
        let dir = self.dir.clone().ok_or_else(|| {
            JournalError(
                "there is no place for the journal: neither XDG_STATE_HOME nor HOME is set"
                    .to_owned(),
            )
        })?;
        Ok(Folder(dir))
    }
}

/// Runs what waits for a disk where it keeps nobody waiting.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, JournalError> + Send + 'static,
) -> Result<T, JournalError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(JournalError(format!("the journal broke off: {error}"))))
}

#[cfg(test)]
mod tests;
