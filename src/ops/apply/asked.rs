//! All scripts of a change are asked before the first of them writes. Each finds out for itself
//! what this user may not do, or which key is of another type; where a change needs several, one
//! that is refused would leave done what those before it did.
//!
//! To ask a script is to run it for no entries: it looks at all that it would need, and there is
//! nothing to do for it.

use super::batch;
use super::run::{PartEnd, Run};
use crate::clock::EpochMillis;
use crate::ops::bulk::drift::{Difference, Drift};
use crate::ops::plan::work::{Work, has_places};
use crate::queue::Queue;
use crate::queue::plan::Way;
use crate::store::StoreError;
use crate::store::bulk::{AwayPlace, ReadOrder};
use crate::store::write::{DueCursor, Portion, Writer};

/// Before all due times: nothing is due then.
const NEVER: EpochMillis = EpochMillis::new(-1);

/// A script that is asked.
enum AskedScript<'a> {
    /// The script of these deeds, as this way has it.
    Work(Way, &'a Work),
    /// The transfer of what is due, batch after batch.
    Transfer,
    /// The script that appends to the order list.
    Append,
}

impl Run {
    /// Asks those of these deeds, unless there is one script alone, which asks for itself.
    pub(super) async fn asked_of(&mut self, all: &[Work]) -> PartEnd {
        let way = self.way();
        let moves = matches!(way, Way::Swap | Way::SetAside);
        let alone = match all {
            [Work::Deliver(_)] => !moves,
            [] | [_] => true,
            _ => false,
        };
        for work in all.iter().filter(|_| !alone) {
            self.ask(AskedScript::Work(way, work)).await?;
        }
        Ok(())
    }

    /// Asks that of a transfer of everything due: before it the order list is put into order, set
    /// aside, or what stands in order is moved by another script.
    pub(super) async fn asked_of_transfer(&mut self) -> PartEnd {
        if self.queue.keys().order.is_some() {
            self.ask(AskedScript::Transfer).await?;
        }
        Ok(())
    }

    /// Asks what appends to the order list, where copies are taken out of it before.
    pub(super) async fn asked_of_drift(&mut self, drift: &Drift) -> PartEnd {
        let lacks = |found: &Difference| matches!(found, Difference::NotInOrder(_));
        if drift.found().iter().any(lacks) {
            self.ask(AskedScript::Append).await?;
        }
        Ok(())
    }

    async fn ask(&mut self, asked: AskedScript<'_>) -> PartEnd {
        let (writer, queue) = (self.writer.clone(), self.queue.clone());
        while let Err(error) = asked.ask(&writer, &queue).await {
            self.again(error).await?;
        }
        Ok(())
    }
}

impl AskedScript<'_> {
    async fn ask(&self, writer: &Writer, queue: &Queue) -> Result<(), StoreError> {
        match self {
            Self::Work(Way::Sweep, work) => around(work, writer, queue).await,
            Self::Work(way, work @ Work::Deliver(_)) => {
                match way {
                    Way::Swap => drop(writer.swap(queue, &[]).await?),
                    Way::SetAside => writer.may_set_aside(queue).await?,
                    Way::InOrder | Way::Sweep => {}
                }
                in_order(work, writer, queue).await
            }
            Self::Work(_, work) => in_order(work, writer, queue).await,
            Self::Transfer => {
                let (none, cursor) = (
                    Portion {
                        entries: 1,
                        bytes: 1,
                    },
                    DueCursor::default(),
                );
                let asked = writer.transfer_telling(queue, NEVER, none, &cursor, false);
                asked.await.map(drop)
            }
            Self::Append => {
                let seen = ReadOrder::default();
                let asked = writer.append(queue, &seen, &[], false);
                asked.await.map(drop)
            }
        }
    }
}

/// Asks what lets the order list go round.
async fn around(work: &Work, writer: &Writer, queue: &Queue) -> Result<(), StoreError> {
    match work {
        Work::Delete(_) => writer
            .sweep(queue, 0, &[], AwayPlace::Nowhere)
            .await
            .map(drop),
        Work::Quarantine(_) => {
            let asked = writer.sweep(queue, 0, &[], AwayPlace::Quarantined);
            asked.await.map(drop)
        }
        Work::Edit(_) => writer.edit_around(queue, 0, &[]).await.map(drop),
        Work::PutBack(_) => {
            let asked = writer.put_back_around(queue, 0, &[], AwayPlace::Nowhere);
            asked.await.map(drop)
        }
        Work::Restore(entries) if has_places(entries) => {
            let asked = writer.put_back_around(queue, 0, &[], AwayPlace::Quarantined);
            asked.await.map(drop)
        }
        _ => in_order(work, writer, queue).await,
    }
}

/// Asks what goes batch after batch.
async fn in_order(work: &Work, writer: &Writer, queue: &Queue) -> Result<(), StoreError> {
    match work {
        Work::DropStrays(_) => writer
            .sweep(queue, 0, &[], AwayPlace::Nowhere)
            .await
            .map(drop),
        // Its keys are those of its entries.
        Work::Repair(_) => Ok(()),
        _ => batch::run(work, writer, queue, 0..0, false).await.map(drop),
    }
}
