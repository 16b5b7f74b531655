//! The keys of a queue expire no more.

use std::ops::Range;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _, ready};

use crate::ops::journal::Item;
use crate::ops::plan::ChangeError;
use crate::ops::plan::deed::{CommandWords, Deed, KeptDeed, chosen, item, line};
use crate::ops::plan::make::{PlanContext, PlannedWork};
use crate::ops::plan::work::Work;
use crate::ops::refresh;
use crate::queue::{EntryId, KeyFacts, Queue, State};
use crate::store::change::{Fate, TimedResult};
use crate::store::write::Writer;
use crate::store::{Store, StoreError};

/// A key that gets another expiry, or none.
#[derive(Clone, Debug)]
struct KeyExpiry {
    key: Vec<u8>,
    /// The moment when it expires, in epoch ms; infinite: never.
    from: f64,
    /// The moment when it shall.
    to: f64,
}

#[derive(Debug)]
struct Expiries(Vec<KeyExpiry>);

/// Finds the keys that expire.
pub(super) async fn make(making: &PlanContext<'_>) -> Result<PlannedWork, ChangeError> {
    let survey = refresh::survey(making.store, making.queue, None, None).await?;
    let expiry = |key: KeyFacts| {
        #[expect(clippy::cast_precision_loss, reason = "times below 1e15 ms are exact")]
        let expires = survey.at.plus(key.expires_in_ms?).get() as f64;
        Some(KeyExpiry {
            key: key.key,
            from: expires,
            to: f64::INFINITY,
        })
    };
    let expiries = survey.keys.into_iter().filter_map(expiry).collect();
    let mut made = PlannedWork::default();
    made.warnings
        .push("Whoever set the expiry may set it again: find who calls expire().".to_owned());
    made.work(Work::Repair(Arc::new(Expiries(expiries))));
    Ok(made)
}

impl Deed for Expiries {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn bytes(&self, i: usize) -> usize {
        self.0[i].key.len()
    }

    fn id(&self, _: &Queue, i: usize) -> EntryId {
        EntryId::of_bytes(&self.0[i].key)
    }

    fn item(&self, queue: &Queue, i: usize) -> Item {
        let KeyExpiry { key, from, to } = &self.0[i];
        Item {
            new_member: Some(key.clone()),
            score: Some(*from),
            new_score: Some(*to),
            ..item(self.id(queue, i), State::Waiting)
        }
    }

    fn phase(&self) -> &'static str {
        "changing expiries"
    }

    fn is_of_keys(&self) -> bool {
        true
    }

    fn commands(&self, _: &Queue) -> Vec<CommandWords> {
        let KeyExpiry { key, to, .. } = &self.0[0];
        vec![if to.is_finite() {
            line(&[b"PEXPIREAT", key, to.to_string().as_bytes()])
        } else {
            line(&[b"PERSIST", key])
        }]
    }

    fn run<'a>(
        &'a self,
        writer: &'a Writer,
        _: &'a Queue,
        range: Range<usize>,
    ) -> BoxFuture<'a, Result<TimedResult<Vec<Fate>>, StoreError>> {
        async move {
            let keys = self.0[range].iter();
            let keys: Vec<_> = keys
                .map(|one| (one.key.as_slice(), one.from, one.to))
                .collect();
            writer.expiry(&keys).await
        }
        .boxed()
    }

    fn why_changed(&self) -> &'static str {
        "it expires at another moment now"
    }

    fn why_refused(&self) -> Option<&'static str> {
        Some("that moment has passed: all entries in it would be lost")
    }

    /// It is the same to do it twice.
    fn done<'a>(
        &'a self,
        _: &'a Store,
        _: &'a Queue,
        range: Range<usize>,
    ) -> BoxFuture<'a, Result<Option<Vec<bool>>, StoreError>> {
        ready(Ok(Some(vec![false; range.len()]))).boxed()
    }

    fn some(&self, indices: &[usize]) -> Arc<dyn Deed> {
        Arc::new(Self(chosen(&self.0, indices)))
    }
}

pub(super) const KEPT: KeptDeed = KeptDeed {
    is_its: |item| {
        item.member.is_none()
            && item.hash.is_none()
            && item.score.is_some()
            && item.new_member.is_some()
            && item.new_score.is_some()
    },
    back: |items| {
        let back = |item: Item| {
            Some(KeyExpiry {
                key: item.new_member?,
                from: item.new_score?,
                to: item.score?,
            })
        };
        Arc::new(Expiries(items.into_iter().filter_map(back).collect()))
    },
    before: |_| None,
};
