//! The renaming of what has taken names of the queue's keys, and is of another type.

use std::ops::Range;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _};

use crate::ops::journal::Item;
use crate::ops::plan::ChangeError;
use crate::ops::plan::deed::{CommandWords, Deed, KeptDeed, chosen, item, line};
use crate::ops::plan::make::{PlanContext, PlannedWork};
use crate::ops::plan::work::Work;
use crate::ops::refresh;
use crate::queue::name::names_for_taken;
use crate::queue::{EntryId, KeyFacts, Queue, State, text};
use crate::store::change::{Fate, TimedResult};
use crate::store::read::{self, KeyType};
use crate::store::write::Writer;
use crate::store::{Store, StoreError};

/// A key that gets another name.
#[derive(Clone, Debug)]
struct Rename {
    from: Vec<u8>,
    to: Vec<u8>,
}

#[derive(Debug)]
struct Renames(Vec<Rename>);

/// Plans to rename what has taken keys of the queue.
pub(super) async fn make(making: &PlanContext<'_>) -> Result<PlannedWork, ChangeError> {
    let survey = refresh::survey(making.store, making.queue, None, None).await?;
    let mut made = PlannedWork::default();
    let mut renamed = Vec::new();
    for taken in survey.keys.into_iter().filter(KeyFacts::is_taken) {
        let to = free_name(making, &taken.key).await?;
        made.warnings.push(format!(
            "{} is a {}: it is renamed {}; its content stays.",
            text::printable_bytes(&taken.key),
            taken.kind,
            text::printable_bytes(&to)
        ));
        renamed.push(Rename {
            from: taken.key,
            to,
        });
    }
    if renamed.is_empty() {
        return Ok(made);
    }
    made.warnings.push(
        "The program that wrote it will no longer find it, and may write it again: find out which \
         one that is."
            .to_owned(),
    );
    made.work(Work::Repair(Arc::new(Renames(renamed))));
    Ok(made)
}

/// Finds the first free one of the names for what has taken a key.
async fn free_name(making: &PlanContext<'_>, key: &[u8]) -> Result<Vec<u8>, ChangeError> {
    let names = names_for_taken(key);
    let kinds = read::kinds(making.store, &names).await?;
    let free = names.into_iter().zip(kinds);
    let mut free = free.filter(|(_, kind)| matches!(kind, KeyType::Missing | KeyType::Unknown));
    let free = free.next().map(|(name, _)| name);
    free.ok_or_else(|| {
        let key = text::printable_bytes(key);
        ChangeError::Senseless(format!(
            "all names that delayscope gives to what has taken {key} are in use: look at what is \
             called taken:… and taken2:… to taken9:…, and rename or delete it"
        ))
    })
}

impl Deed for Renames {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn bytes(&self, i: usize) -> usize {
        self.0[i].from.len() + self.0[i].to.len()
    }

    fn id(&self, _: &Queue, i: usize) -> EntryId {
        EntryId::of_bytes(&self.0[i].from)
    }

    fn item(&self, queue: &Queue, i: usize) -> Item {
        let Rename { from, to } = &self.0[i];
        Item {
            member: Some(from.clone()),
            new_member: Some(to.clone()),
            ..item(self.id(queue, i), State::Waiting)
        }
    }

    fn phase(&self) -> &'static str {
        "renaming"
    }

    fn is_of_keys(&self) -> bool {
        true
    }

    fn commands(&self, _: &Queue) -> Vec<CommandWords> {
        let Rename { from, to } = &self.0[0];
        vec![line(&[b"RENAMENX", from, to])]
    }

    fn run<'a>(
        &'a self,
        writer: &'a Writer,
        queue: &'a Queue,
        range: Range<usize>,
    ) -> BoxFuture<'a, Result<TimedResult<Vec<Fate>>, StoreError>> {
        async move {
            let pairs = self.0[range].iter();
            let pairs: Vec<_> = pairs
                .map(|one| (one.from.as_slice(), one.to.as_slice()))
                .collect();
            writer.rename(queue, &pairs).await
        }
        .boxed()
    }

    fn why_changed(&self) -> &'static str {
        "it is of the right type now"
    }

    fn why_refused(&self) -> Option<&'static str> {
        Some("the other name is in use")
    }

    /// The new names were free.
    fn done<'a>(
        &'a self,
        store: &'a Store,
        queue: &'a Queue,
        range: Range<usize>,
    ) -> BoxFuture<'a, Result<Option<Vec<bool>>, StoreError>> {
        async move {
            let renames = &self.0[range];
            let new: Vec<Vec<u8>> = renames.iter().map(|one| one.to.clone()).collect();
            let old: Vec<Vec<u8>> = renames.iter().map(|one| one.from.clone()).collect();
            let (new, old) = (
                read::kinds(store, &new).await?,
                read::kinds(store, &old).await?,
            );
            let wanted = renames.iter().map(|one| queue.kind_of(&one.from));
            let done = wanted.zip(old).zip(new).map(|((wanted, old), new)| {
                // The queue's clients may have made the key anew at once.
                let left = match old {
                    KeyType::Missing => true,
                    KeyType::List => wanted == Some("list"),
                    KeyType::Zset => wanted == Some("zset"),
                    KeyType::Other(_) | KeyType::Unknown => false,
                };
                left && !matches!(new, KeyType::Missing | KeyType::Unknown)
            });
            Ok(Some(done.collect()))
        }
        .boxed()
    }

    fn some(&self, indices: &[usize]) -> Arc<dyn Deed> {
        Arc::new(Self(chosen(&self.0, indices)))
    }
}

pub(super) const KEPT: KeptDeed = KeptDeed {
    is_its: |item| {
        item.state != State::Delivered
            && (item.score, item.new_score) == (None, None)
            && item.member.is_some()
            && item.new_member.is_some()
    },
    // Where it was not done, there is nothing to be renamed back.
    back: |items| {
        let back = |item: Item| {
            Some(Rename {
                from: item.new_member?,
                to: item.member?,
            })
        };
        Arc::new(Renames(items.into_iter().filter_map(back).collect()))
    },
    before: |_| None,
};
