//! Elements of target that still have a frame lose it.

use std::ops::Range;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _, ready};

use crate::ops::bulk::estimate::WorkKind;
use crate::ops::entries::{EntryPlace, Selection};
use crate::ops::journal::Item;
use crate::ops::plan::choose::choose;
use crate::ops::plan::deed::{CommandWords, Deed, KeptDeed, chosen, item, line};
use crate::ops::plan::make::{PlanContext, PlannedWork};
use crate::ops::plan::work::Work;
use crate::ops::plan::{ChangeError, EntryChoice, LookObserver, lacks};
use crate::queue::{EntryId, Queue, State, frame};
use crate::store::change::{Fate, TimedResult};
use crate::store::write::Writer;
use crate::store::{Store, StoreError};

/// Elements of target that get other bytes, in their places: old and new ones.
#[derive(Debug)]
struct Replacement(Vec<(Vec<u8>, Vec<u8>)>);

/// Finds the elements of target that still have a frame, from its head.
pub(super) async fn make(
    making: &PlanContext<'_>,
    tell: &impl LookObserver,
) -> Result<PlannedWork, ChangeError> {
    if !making.queue.has_frames() {
        return Err(lacks(making.queue, "frames"));
    }
    let selection = Selection {
        from: EntryPlace::Delivered,
        ..Selection::default()
    };
    let which = EntryChoice::Selected(selection);
    let delivered = choose(making.store, making.queue, which, tell)
        .await?
        .delivered;
    let framed = delivered.into_iter().filter_map(|element| {
        let payload = frame::decode(&element).ok()?.payload.to_vec();
        Some((element, payload))
    });
    let mut made = PlannedWork::default();
    made.work(Work::Repair(Arc::new(Replacement(framed.collect()))));
    Ok(made)
}

impl Deed for Replacement {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn is_of_target(&self) -> bool {
        true
    }

    fn bytes(&self, i: usize) -> usize {
        self.0[i].0.len() + self.0[i].1.len()
    }

    fn id(&self, queue: &Queue, i: usize) -> EntryId {
        queue.id(&self.0[i].0)
    }

    fn item(&self, queue: &Queue, i: usize) -> Item {
        let (old, new) = self.0[i].clone();
        Item {
            member: Some(old),
            new_member: Some(new),
            ..item(self.id(queue, i), State::Delivered)
        }
    }

    fn phase(&self) -> &'static str {
        "unwrapping"
    }

    fn kind(&self) -> WorkKind {
        WorkKind::Replace
    }

    fn looked_for(&self, i: usize) -> Option<&[u8]> {
        Some(&self.0[i].0)
    }

    fn commands(&self, queue: &Queue) -> Vec<CommandWords> {
        let target = queue.keys().target;
        let (old, new) = &self.0[0];
        vec![
            line(&[b"LINSERT", &target, b"BEFORE", old, new]),
            line(&[b"LREM", &target, b"1", old]),
        ]
    }

    fn run<'a>(
        &'a self,
        writer: &'a Writer,
        queue: &'a Queue,
        range: Range<usize>,
    ) -> BoxFuture<'a, Result<TimedResult<Vec<Fate>>, StoreError>> {
        writer.replace(queue, &self.0[range]).boxed()
    }

    fn why_changed(&self) -> &'static str {
        "it is another one now"
    }

    /// Equal elements of target can be many.
    fn done<'a>(
        &'a self,
        _: &'a Store,
        _: &'a Queue,
        _: Range<usize>,
    ) -> BoxFuture<'a, Result<Option<Vec<bool>>, StoreError>> {
        ready(Ok(None)).boxed()
    }

    fn some(&self, indices: &[usize]) -> Arc<dyn Deed> {
        Arc::new(Self(chosen(&self.0, indices)))
    }
}

pub(super) const KEPT: KeptDeed = KeptDeed {
    is_its: |item| {
        item.state == State::Delivered
            && (item.score, item.new_score) == (None, None)
            && item.member.is_some()
            && item.new_member.is_some()
    },
    back: |items| {
        let back = items.into_iter();
        let back = back.filter_map(|item| Some((item.new_member?, item.member?)));
        Arc::new(Replacement(back.collect()))
    },
    // A frame has an id of its own.
    before: |item| item.member.as_deref(),
};
