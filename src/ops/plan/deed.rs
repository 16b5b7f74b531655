//! The deeds of repairs that have a script of their own: what such a repair does to keys of a queue
//! or to elements of its target. Each stands in the file of its repair, with all that the plan, the
//! change under way, the journal and an undo ask about it.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::ops::bulk::estimate::WorkKind;
use crate::ops::journal::Item;
use crate::queue::{EntryId, Queue, State};
use crate::store::change::{Fate, TimedResult};
use crate::store::write::Writer;
use crate::store::{Store, StoreError};

/// A command, word by word.
pub(super) type CommandWords = Vec<Vec<u8>>;

/// The command of these words.
pub(super) fn line(args: &[&[u8]]) -> CommandWords {
    args.iter().map(|arg| arg.to_vec()).collect()
}

/// A list of keys or elements to all of which the same is done, in the order in which it is done.
pub(in crate::ops) trait Deed: fmt::Debug + Send + Sync {
    /// Counts the keys or elements.
    fn len(&self) -> usize;

    /// Bytes of one that go to the server, about.
    fn bytes(&self, i: usize) -> usize;

    /// The id that people call one by.
    fn id(&self, queue: &Queue, i: usize) -> EntryId;

    /// One as the journal keeps it: what was done can be read off it ([`KeptDeed`]).
    fn item(&self, queue: &Queue, i: usize) -> Item;

    /// The words for what is being done.
    fn phase(&self) -> &'static str;

    /// True of work on keys, not elements.
    fn is_of_keys(&self) -> bool {
        false
    }

    /// True of work on elements of target.
    fn is_of_target(&self) -> bool {
        false
    }

    /// Elements by which target is longer when all is done.
    fn to_target(&self) -> i64 {
        0
    }

    /// Returns the kind of work that costs the server as much.
    fn kind(&self) -> WorkKind {
        WorkKind::Stay
    }

    /// The element of target that is looked for there, from its head; none where none is.
    fn looked_for(&self, _i: usize) -> Option<&[u8]> {
        None
    }

    /// The commands that do the same to the only one.
    fn commands(&self, queue: &Queue) -> Vec<CommandWords>;

    /// Runs the script for those in `range`.
    fn run<'a>(
        &'a self,
        writer: &'a Writer,
        queue: &'a Queue,
        range: Range<usize>,
    ) -> BoxFuture<'a, Result<TimedResult<Vec<Fate>>, StoreError>>;

    /// The reason for one whose fate is `Changed`.
    fn why_changed(&self) -> &'static str;

    /// The reason for one whose fate is `NoFrame`; none where that is what it says.
    fn why_refused(&self) -> Option<&'static str> {
        None
    }

    /// Finds out of each in `range`, when the answer never came or another server is the master now,
    /// whether it was done; `false` too when it is the same to do it twice. None: nothing tells.
    fn done<'a>(
        &'a self,
        store: &'a Store,
        queue: &'a Queue,
        range: Range<usize>,
    ) -> BoxFuture<'a, Result<Option<Vec<bool>>, StoreError>>;

    /// The same deed for some of its keys or elements, in their order.
    fn some(&self, indices: &[usize]) -> Arc<dyn Deed>;
}

/// Some of all, in the order of `indices`.
pub(in crate::ops) fn chosen<T: Clone>(all: &[T], indices: &[usize]) -> Vec<T> {
    indices.iter().map(|i| all[*i].clone()).collect()
}

/// The undo of a deed, by what the journal keeps of it.
pub(in crate::ops) struct KeptDeed {
    /// Tells whether an item of the journal is one of the deed's.
    pub(in crate::ops) is_its: fn(&Item) -> bool,
    /// The deed that takes these items back.
    pub(in crate::ops) back: fn(Vec<Item>) -> Arc<dyn Deed>,
    /// The element of target that tells, as long as it stands there, that the deed was not done.
    /// None: where it was not done, there is nothing that could be taken back.
    pub(in crate::ops) before: fn(&Item) -> Option<&[u8]>,
}

/// An item of which nothing is said but what it is called, and in which state it is before.
pub(super) const fn item(id: EntryId, state: State) -> Item {
    Item {
        id,
        state,
        score: None,
        member: None,
        new_score: None,
        new_member: None,
        form: None,
        hash: None,
        to_quarantine: false,
    }
}
