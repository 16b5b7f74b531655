//! A change of the journal is taken back: a plan of its own, made of what the journal says was
//! done to each entry, and compared again when it is applied.

mod earlier;
mod in_place;
mod quarantine;
mod target;
mod unwritten;
mod which;

use std::cmp::Reverse;
use std::collections::HashMap;

use self::earlier::{Back, Earlier};
use self::unwritten::{Unwritten, doubtful, is_unwritten};
use super::journal::{Happened, Item, Items, Journal, ServerId};
use super::plan::describe::describe;
use super::plan::make::{Made, Making};
use super::plan::work::{Expiry, Rename, Work};
use super::plan::{ChangeError, Prepared, READY, ToUndo, Undone, blank};
use crate::clock::local_now;
use crate::queue::{Change, EntryId, EntryResult, Outcome, Queue, State, redis_cli, text};
use crate::store::Store;
use crate::store::change::{Chosen, End, Place};

/// Plans it.
pub(super) async fn plan(
    store: &Store,
    journal: &Journal,
    which: ToUndo<'_>,
    force: bool,
) -> Result<Prepared, ChangeError> {
    let now = store.ready(READY).await?.now();
    let server = ServerId::told(store).await;
    let kept = match which {
        ToUndo::This(id) => journal.find(id).await?,
        ToUndo::Newest => which::newest(journal, &server, None).await?,
        ToUndo::NewestOf(queue) => which::newest(journal, &server, Some(queue)).await?,
    };
    let differs = server.differs_from(&kept.head.server);
    let program = redis_cli::ours(store.endpoint());
    which::check(&kept, differs.then_some(&program), force)?;
    let queue = Queue::typed(&kept.head.queue)
        .map_err(|why| which::senseless(format!("the journal names no queue: {why}")))?;
    let making = Making {
        store,
        queue: &queue,
        now,
    };
    let items = journal.read(&kept.id).await?;
    let earlier = Earlier::read(journal, &kept.id).await?;
    let attempts = earlier.attempts;
    let unwritten = Unwritten {
        id: &kept.id,
        program: &program,
        force,
        alone: kept.undone_by.is_some(),
    };
    let mut made = back(&making, &items, earlier, unwritten).await?;
    made.warnings.insert(0, which::sentence(&kept, local_now()));
    if differs {
        made.warnings.push(format!(
            "It was made on {}, which is another server than this one.",
            kept.head.server.server
        ));
    }
    let mut plan = blank(store, &queue, Change::Undo, now);
    let mut prepared = describe(&making, &mut plan, made).await?;
    prepared.plan.undoes = Some(kept.id.clone());
    prepared.undoes = Some(Undone {
        id: kept.id,
        attempts,
    });
    Ok(prepared)
}

/// What is done to take items back, by kind.
#[derive(Default)]
struct Inverse {
    delete: Vec<Chosen>,
    deliver: Vec<Chosen>,
    requeue: Vec<(Chosen, f64)>,
    edit: Vec<(Chosen, Vec<u8>)>,
    /// Each with the item it is.
    put_back: Vec<(u64, (Chosen, Place))>,
    /// The same of what is in quarantine.
    restore: Vec<(u64, (Chosen, Option<Place>))>,
    /// The same where it did not stand in the order list.
    outside: Vec<(Chosen, Option<Place>)>,
    quarantine: Vec<Chosen>,
    /// Perhaps deleted, or perhaps back already: which has to be looked up. Each with the item it
    /// is.
    perhaps: Vec<(u64, (Chosen, Place))>,
    replace: Vec<(Vec<u8>, Vec<u8>)>,
    expiry: Vec<Expiry>,
    rename: Vec<Rename>,
    discard: Vec<Vec<u8>>,
    put_elements: Vec<Vec<u8>>,
    /// The same of elements of target.
    perhaps_elements: Vec<(EntryId, Vec<u8>)>,
    delivered: Vec<target::Sought>,
    /// Whether each comes into the order list.
    order_list: Vec<(Vec<u8>, bool)>,
    settled: Vec<EntryResult>,
    earlier: Earlier,
    /// So many were put back by an earlier undo.
    back: u64,
}

/// What undoes the items, from the last to the first.
async fn back(
    making: &Making<'_>,
    items: &Items,
    earlier: Earlier,
    unwritten: Unwritten<'_>,
) -> Result<Made, ChangeError> {
    let mut back = Inverse {
        earlier,
        ..Inverse::default()
    };
    for part in (0..items.parts()).rev() {
        let part = items.part(part).await?;
        for (item, happened) in part.into_iter().rev() {
            let is_open = is_unwritten(&item, happened.as_ref());
            if is_open || !unwritten.alone {
                back.item(item, happened);
            }
        }
    }
    let forced = back.look_up(making, unwritten).await?;
    back.order_list.sort_by_key(|(_, comes)| !comes);
    // From the last to the first, they stand as those that are put back first shall: unless the
    // head of target is where new ones come.
    if making.queue.comes_at_head() {
        back.put_elements.reverse();
    }
    // In due order: as the order list has them, most likely, and as they come to target else.
    back.deliver.reverse();
    back.deliver.sort_by(|a, b| a.score.total_cmp(&b.score));
    let put_back = as_they_left(items, std::mem::take(&mut back.put_back)).await?;
    let delivered = std::mem::take(&mut back.delivered);
    let found = target::find(making, delivered).await?;
    let (elements, called) = found.there.into_iter().unzip();
    back.settled
        .extend(found.gone.into_iter().map(|id| EntryResult {
            id,
            outcome: Outcome::Gone,
            reason: Some("it was consumed meanwhile".to_owned()),
        }));
    let work = [
        Work::PutBack(put_back),
        Work::Restore(as_they_left(items, back.restore).await?),
        Work::Restore(back.outside),
        Work::Requeue(back.requeue),
        Work::Edit(back.edit),
        Work::Replace(back.replace),
        Work::Expiry(back.expiry),
        Work::Rename(back.rename),
        Work::TakeBack(elements, called, End::Head),
        Work::Deliver(back.deliver),
        Work::OrderList(back.order_list),
        Work::PutElements(back.put_elements),
        Work::Quarantine(back.quarantine),
        Work::Delete(back.delete),
        Work::Discard(back.discard),
    ];
    Ok(Made {
        work: work.into_iter().filter(|work| work.len() > 0).collect(),
        settled: back.settled,
        warnings: already(back.back)
            .into_iter()
            .chain(doubtful(forced))
            .collect(),
    })
}

fn already(n: u64) -> Option<String> {
    let those = match n {
        0 => return None,
        1 => "1 of them was".to_owned(),
        n => format!("{} of them were", text::thousands(n)),
    };
    Some(format!(
        "{those} put back by an earlier undo, and would be there twice: left out."
    ))
}

/// Each stands beside what stood there when it left: so the last that left comes first.
async fn as_they_left<T>(
    items: &Items,
    mut put_back: Vec<(u64, (Chosen, T))>,
) -> Result<Vec<(Chosen, T)>, ChangeError> {
    if put_back.len() > 1 {
        let order = items.order().await?.into_iter().zip(0_u64..);
        let order: HashMap<u64, u64> = order.collect();
        put_back.sort_by_key(|(index, _)| Reverse(order.get(index).copied()));
    }
    Ok(put_back.into_iter().map(|(_, entry)| entry).collect())
}

impl Inverse {
    /// What undoes one item: what was done to it can be read off what the journal keeps of it.
    fn item(&mut self, item: Item, happened: Option<Happened>) {
        let sure = match happened.as_ref().map(|happened| happened.outcome) {
            Some(Outcome::Done) => true,
            Some(Outcome::Unknown) | None => false,
            Some(_) => return,
        };
        let known = self.in_place(&item, sure) || self.quarantined(&item, happened.as_ref());
        if !known {
            self.entry(item, happened, sure);
        }
    }

    /// What undoes an item that is an entry of timeouts, order list or target. `sure`: it was done.
    fn entry(&mut self, item: Item, happened: Option<Happened>, sure: bool) {
        let Item {
            id,
            state,
            score,
            member,
            new_score,
            new_member,
            form,
            hash,
            to_quarantine: _,
        } = item;
        let chosen = |member, score| Chosen { member, score };
        let delivered = state == State::Delivered;
        match (member, score, new_member, new_score, hash) {
            // It was taken out of target, into timeouts.
            (None, _, Some(new), Some(score), Some(_)) if delivered => {
                self.deliver.push(chosen(new, score));
            }
            (Some(element), ..) if delivered => self.element_back(id, element, sure),
            (None, _, Some(element), None, _) if delivered && sure => self.discard.push(element),
            (None, Some(score), None, None, Some(hash)) => {
                self.delivered.push(target::Sought {
                    id,
                    form,
                    score,
                    hash,
                });
            }
            // It was offered, or put back.
            (None, None, Some(new), Some(score), _) if !delivered => {
                self.delete.push(chosen(new, score));
            }
            // A repair of drift. (What waits again has nowhere to go back to.)
            (Some(member), None, None, None, _) if sure => {
                self.order_list.push((member, state == State::Order));
            }
            (Some(old), Some(score), Some(new), ..) => self.edit.push((chosen(new, score), old)),
            (Some(member), Some(score), None, Some(new), _) => {
                self.requeue.push((chosen(member, new), score));
            }
            (Some(member), Some(score), None, None, _) if sure => {
                let index = happened.as_ref().map_or(0, |happened| happened.index);
                let place = happened.and_then(|happened| happened.stood);
                let place = place.unwrap_or(Place::Tail);
                self.entry_back(index, chosen(member, score), place);
            }
            (Some(member), Some(score), None, None, _) => {
                let chosen = chosen(member, score);
                match self.earlier.is_back(&chosen.member) {
                    Back::Yes => self.back += 1,
                    Back::No | Back::Perhaps => self.perhaps.push((0, (chosen, Place::Tail))),
                }
            }
            // Only the order list held it, and it was requeued.
            (Some(_), None, None, Some(_), _) if state == State::Order => self.refuse(id, NO_DUE),
            // The same, and it was delivered.
            (None, None, None, None, Some(_)) if state == State::Order => {
                self.refuse(id, ONLY_IN_ORDER);
            }
            _ => self.unsure(id),
        }
    }

    fn unsure(&mut self, id: EntryId) {
        self.refuse(id, UNSURE);
    }

    fn refuse(&mut self, id: EntryId, why: &str) {
        self.settled.push(EntryResult {
            id,
            outcome: Outcome::Refused,
            reason: Some(why.to_owned()),
        });
    }

    fn element_back(&mut self, id: EntryId, element: Vec<u8>, sure: bool) {
        match self.earlier.is_back(&element) {
            Back::No if sure => self.put_elements.push(element),
            Back::Yes => self.back += 1,
            Back::No | Back::Perhaps => self.perhaps_elements.push((id, element)),
        }
    }

    fn entry_back(&mut self, item: u64, chosen: Chosen, place: Place) {
        match self.earlier.is_back(&chosen.member) {
            Back::No => self.put_back.push((item, (chosen, place))),
            Back::Yes => self.back += 1,
            Back::Perhaps => self.perhaps.push((item, (chosen, place))),
        }
    }
}

const NO_DUE: &str =
    "it had no due time before: only the order list held it (delete it if it shall not wait)";

const ONLY_IN_ORDER: &str = "it had no due time before: only the order list held it";

const UNSURE: &str =
    "it is not known well enough what was done to it: taking it back might double or lose it";
