//! The return into target of what consumers hold that died, where the next consumer takes it.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _};

use crate::clock::EpochMillis;
use crate::ops::bulk::estimate::WorkKind;
use crate::ops::journal::Item;
use crate::ops::plan::ChangeError;
use crate::ops::plan::deed::{CommandWords, Deed, chosen, item, line};
use crate::ops::plan::make::{PlanContext, PlannedWork};
use crate::ops::plan::words::back;
use crate::ops::plan::work::Work;
use crate::queue::{EntryId, HeldElement, Holder, Queue, State, text};
use crate::store::change::{Fate, TimedResult};
use crate::store::read::{self, HeldSnapshot, held_now};
use crate::store::take::heard;
use crate::store::write::Writer;
use crate::store::{Store, StoreError};

/// Elements that dead consumers hold, which come where the next consumer takes them; in the same
/// order.
#[derive(Debug)]
struct Returns(Vec<HeldElement>);

/// Messages that are put back at once. There are as many as consumers have died, mostly one.
const MOST_PUT_BACK_AT_ONCE: usize = 10_000;
/// Consumers that are named.
const NAMED: usize = 5;

/// Plans to put back what consumers hold that died.
pub(super) async fn make(making: &PlanContext<'_>) -> Result<PlannedWork, ChangeError> {
    let now = now(making.store, making.queue).await?;
    let mut made = PlannedWork {
        warnings: words(&now),
        ..PlannedWork::default()
    };
    // Each is put before the one before it: the last one is taken first.
    let last_first: Vec<HeldElement> = now.free.into_iter().rev().collect();
    made.work(Work::Repair(Arc::new(Returns(last_first))));
    Ok(made)
}

/// Reads what is held of a queue now.
async fn now(store: &Store, queue: &Queue) -> Result<HeldSnapshot, ChangeError> {
    Ok(held_now(store, &queue.keys().hold, MOST_PUT_BACK_AT_ONCE).await?)
}

/// Sentences about who holds what, and about what there is to know before it is put back.
fn words(now: &HeldSnapshot) -> Vec<String> {
    let mut dead: BTreeMap<String, (u64, Option<EpochMillis>)> = BTreeMap::new();
    let mut living = Vec::new();
    for (field, end) in &now.fields {
        let who = Holder::read(field).map_or_else(
            || "a consumer that is not known".to_owned(),
            |holder| {
                let host = text::printable(&holder.consumer.host).into_owned();
                format!("process {} on {host}", holder.consumer.pid)
            },
        );
        match end {
            Some(end) if *end > now.at => living.push((who, *end)),
            end => {
                let of = dead.entry(who).or_default();
                (of.0, of.1) = (of.0 + 1, of.1.max(*end));
            }
        }
    }
    let mut words = Vec::new();
    for (who, (n, end)) in dead.iter().take(NAMED) {
        let messages = text::counted(*n, "message", "messages");
        let last = end.map_or_else(String::new, |end| {
            let ago = text::age(now.at.since(heard(end)));
            format!(", last heard of {ago} ago")
        });
        words.push(format!("{messages} taken by {who}{last}."));
    }
    if dead.len() > NAMED {
        words.push(format!(
            "Others were taken by {} more consumers.",
            dead.len() - NAMED
        ));
    }
    let intake = now.free.iter().filter(|held| held.field.is_none()).count();
    if intake > 0 {
        let were = text::counted(intake as u64, "message was", "messages were");
        words.push(format!(
            "{were} moved by the server for a consumer that did not hear of it."
        ));
    }
    if !dead.is_empty() {
        words.push(
            "The last message of a consumer may have been handed on before it died: it is \
             delivered again then."
                .to_owned(),
        );
    }
    for (who, end) in living.iter().take(NAMED) {
        let left = text::age(end.since(now.at));
        words.push(format!(
            "1 message is left alone: {who} holds it, and its lease runs for {left} more."
        ));
    }
    words
}

impl Deed for Returns {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn bytes(&self, i: usize) -> usize {
        self.0[i].element.len()
    }

    fn id(&self, _: &Queue, i: usize) -> EntryId {
        EntryId::of_bytes(&self.0[i].element)
    }

    fn item(&self, queue: &Queue, i: usize) -> Item {
        Item {
            new_member: Some(self.0[i].element.clone()),
            ..item(self.id(queue, i), State::Delivered)
        }
    }

    fn phase(&self) -> &'static str {
        "putting back"
    }

    fn to_target(&self) -> i64 {
        i64::try_from(self.len()).unwrap_or(i64::MAX)
    }

    fn kind(&self) -> WorkKind {
        WorkKind::GiveBack
    }

    fn commands(&self, queue: &Queue) -> Vec<CommandWords> {
        let keys = queue.keys();
        let hold = &keys.hold;
        let HeldElement { field, element } = &self.0[0];
        let mut lines = vec![line(&[back(queue), &keys.target, element])];
        match field {
            Some(field) => {
                lines.push(line(&[b"HDEL", &hold.held, field]));
                lines.push(line(&[b"ZREM", &hold.leases, field]));
            }
            None => lines.push(line(&[b"LREM", &hold.intake, b"-1", element])),
        }
        lines
    }

    fn run<'a>(
        &'a self,
        writer: &'a Writer,
        queue: &'a Queue,
        range: Range<usize>,
    ) -> BoxFuture<'a, Result<TimedResult<Vec<Fate>>, StoreError>> {
        writer.give_back(queue, &self.0[range]).boxed()
    }

    fn why_changed(&self) -> &'static str {
        "the consumer that holds it lives"
    }

    /// No field is ever used again. That which is not held any more is not put back twice.
    fn done<'a>(
        &'a self,
        store: &'a Store,
        queue: &'a Queue,
        range: Range<usize>,
    ) -> BoxFuture<'a, Result<Option<Vec<bool>>, StoreError>> {
        async move {
            let still = read::still_held(store, &queue.keys().hold).await?;
            let intake = &queue.keys().hold.intake;
            let most = u32::try_from(MOST_PUT_BACK_AT_ONCE).unwrap_or(u32::MAX);
            let taken = read::list_page(store, intake, 0, most).await?.elements;
            // Equal ones cannot be told apart: as many as stand there are still to be put back.
            let mut there: HashMap<Vec<u8>, usize> = HashMap::new();
            for element in taken {
                *there.entry(element).or_default() += 1;
            }
            let done = |one: &HeldElement| match &one.field {
                Some(field) => !still.contains(field),
                None => match there.get_mut(&one.element) {
                    Some(left) if *left > 0 => {
                        *left -= 1;
                        false
                    }
                    _ => true,
                },
            };
            Ok(Some(self.0[range].iter().map(done).collect()))
        }
        .boxed()
    }

    fn some(&self, indices: &[usize]) -> Arc<dyn Deed> {
        Arc::new(Self(chosen(&self.0, indices)))
    }
}
