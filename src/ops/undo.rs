//! A change of the journal is taken back: a plan of its own, made of what the journal says was
//! done to each entry, and compared again when it is applied.

mod target;

use std::cmp::Reverse;
use std::collections::HashMap;

use super::journal::{Happened, Item, Items, Journal, Kept, ServerId};
use super::plan::make::{Made, Making, describe};
use super::plan::work::Work;
use super::plan::{ChangeError, Prepared, READY, blank};
use crate::queue::{Change, Due, EntryResult, Outcome, Queue, State};
use crate::store::change::{Chosen, End, Place};
use crate::store::{Store, read};

/// So many are looked up in timeouts at once.
const LOOKED_UP: usize = 250;

/// Plans it.
pub(super) async fn plan(
    store: &Store,
    journal: &Journal,
    id: Option<&str>,
    force: bool,
) -> Result<Prepared, ChangeError> {
    let now = store.ready(READY).await?.now();
    let server = ServerId::told(store).await;
    let kept = match id {
        Some(id) => journal.find(id).await?,
        None => newest(journal, &server).await?,
    };
    let differs = server.differs_from(&kept.head.server);
    check(&kept, differs && !force)?;
    let queue = Queue::typed(&kept.head.queue)
        .map_err(|why| senseless(format!("the journal names no queue: {why}")))?;
    let making = Making {
        store,
        queue: &queue,
        now,
    };
    let items = journal.read(&kept.id).await?;
    let mut made = back(&making, &items).await?;
    made.warnings.insert(0, sentence(&kept));
    if differs {
        made.warnings.push(format!(
            "It was made on {}, which is another server than this one.",
            kept.head.server.server
        ));
    }
    let mut plan = blank(store, &queue, Change::Undo, now);
    let mut prepared = describe(&making, &mut plan, made).await?;
    prepared.undoes = Some(kept.id);
    Ok(prepared)
}

/// The newest on this server that can be taken back and was not. (An undo is taken back by its id:
/// otherwise the second one would redo what the first one took back.)
async fn newest(journal: &Journal, server: &ServerId) -> Result<Kept, ChangeError> {
    let wanted = |kept: &Kept| {
        let change = kept.head.change;
        change != Change::Undo
            && change.can_be_undone()
            && !kept.under_way
            && kept.undone_by.is_none()
            && kept
                .ended
                .is_none_or(|tally| tally.get(Outcome::Done) + tally.get(Outcome::Unknown) > 0)
            && !server.differs_from(&kept.head.server)
    };
    let found = journal.list().await?.into_iter().find(wanted);
    found.ok_or_else(|| {
        let why = "there is no change of this server left that could be taken back";
        ChangeError::Nothing(why.to_owned())
    })
}

fn check(kept: &Kept, elsewhere: bool) -> Result<(), ChangeError> {
    let id = &kept.id;
    if kept.under_way {
        return Err(senseless(format!("the change {id} is still under way")));
    }
    if let Some(by) = &kept.undone_by {
        return Err(senseless(format!(
            "the change {id} was taken back by {by}; to have it again, undo {by}"
        )));
    }
    if !kept.head.change.can_be_undone() {
        let word = kept.head.change.word();
        return Err(senseless(format!("a {word} cannot be taken back")));
    }
    if elsewhere {
        return Err(senseless(format!(
            "the change {id} was made on {}, and this is another server or has lost its data \
             since; --force takes it back all the same",
            kept.head.server.server
        )));
    }
    Ok(())
}

fn senseless(why: String) -> ChangeError {
    ChangeError::Senseless(why)
}

/// What is taken back.
fn sentence(kept: &Kept) -> String {
    let change = kept.head.change.word();
    match kept.ended {
        Some(tally) => format!(
            "It takes back {}: a {change}, {} of {} done.",
            kept.id,
            tally.get(Outcome::Done),
            kept.head.planned
        ),
        None => format!(
            "It takes back {}: a {change} that was never ended; what is not known to have been \
             done is looked at one by one.",
            kept.id
        ),
    }
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
    /// Perhaps deleted: whether it was has to be looked up.
    perhaps: Vec<Chosen>,
    discard: Vec<Vec<u8>>,
    put_elements: Vec<Vec<u8>>,
    delivered: Vec<target::Sought>,
    /// Whether each comes into the order list.
    order_list: Vec<(Vec<u8>, bool)>,
    settled: Vec<EntryResult>,
}

/// What undoes the items, from the last to the first.
async fn back(making: &Making<'_>, items: &Items) -> Result<Made, ChangeError> {
    let mut back = Inverse::default();
    for part in (0..items.parts()).rev() {
        let part = items.part(part).await?;
        for (item, happened) in part.into_iter().rev() {
            back.item(item, happened);
        }
    }
    back.look_up(making).await?;
    back.order_list.sort_by_key(|(_, comes)| !comes);
    // From the last to the first, they stand as those that are put back first shall: unless the head
    // of target is where new ones come.
    if target::comes_at_head(making.queue) {
        back.put_elements.reverse();
    }
    let put_back = as_they_left(items, std::mem::take(&mut back.put_back)).await?;
    let delivered = std::mem::take(&mut back.delivered);
    let (mut elements, mut called) = (Vec::new(), Vec::new());
    let found = target::find(making, delivered).await?;
    for (element, id) in found.there {
        elements.push(element);
        called.push(id);
    }
    back.settled
        .extend(found.gone.into_iter().map(|id| EntryResult {
            id,
            outcome: Outcome::Gone,
            reason: Some("it was consumed meanwhile".to_owned()),
        }));
    let work = [
        Work::PutBack(put_back),
        Work::Requeue(back.requeue),
        Work::Edit(back.edit),
        Work::TakeBack(elements, called, End::Head),
        Work::Deliver(back.deliver),
        Work::OrderList(back.order_list),
        Work::PutElements(back.put_elements),
        Work::Delete(back.delete),
        Work::Discard(back.discard),
    ];
    Ok(Made {
        work: work.into_iter().filter(|work| work.len() > 0).collect(),
        settled: back.settled,
        warnings: Vec::new(),
    })
}

/// Each stands beside what stood there when it left: so the last that left comes first.
async fn as_they_left(
    items: &Items,
    mut put_back: Vec<(u64, (Chosen, Place))>,
) -> Result<Vec<(Chosen, Place)>, ChangeError> {
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
        let outcome = happened.as_ref().map(|happened| happened.outcome);
        let sure = match outcome {
            Some(Outcome::Done) => true,
            Some(Outcome::Unknown) | None => false,
            Some(_) => return,
        };
        let Item {
            id,
            state,
            score,
            member,
            new_score,
            new_member,
            form,
            hash,
        } = item;
        let chosen = |member, score| Chosen { member, score };
        let delivered = state == State::Delivered;
        match (member, score, new_member, new_score, hash) {
            // It was taken out of target, into timeouts.
            (None, _, Some(new), Some(score), Some(_)) if delivered => {
                self.deliver.push(chosen(new, score));
            }
            (Some(element), ..) if delivered && sure => self.put_elements.push(element),
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
                self.put_back.push((index, (chosen(member, score), place)));
            }
            (Some(member), Some(score), None, None, _) => {
                self.perhaps.push(chosen(member, score));
            }
            _ => self.settled.push(EntryResult {
                id,
                outcome: Outcome::Refused,
                reason: Some(UNSURE.to_owned()),
            }),
        }
    }

    /// Of what was perhaps deleted, what was: an entry that is not due and does not wait was not
    /// transferred by anybody.
    async fn look_up(&mut self, making: &Making<'_>) -> Result<(), ChangeError> {
        let timeouts = making.queue.keys().timeouts;
        for some in std::mem::take(&mut self.perhaps).chunks(LOOKED_UP) {
            let members: Vec<_> = some.iter().map(|chosen| chosen.member.clone()).collect();
            let scores = read::element_scores(making.store, &timeouts, &members).await?;
            for (chosen, score) in some.iter().zip(scores) {
                let due = making.queue.due(chosen.score);
                let was_due = matches!(due, Due::At(due) if due <= making.now);
                match score {
                    // It was not deleted.
                    Some(_) => {}
                    None if was_due => self.settled.push(EntryResult {
                        id: making.queue.id(&chosen.member),
                        outcome: Outcome::Refused,
                        reason: Some(UNSURE.to_owned()),
                    }),
                    None => self.put_back.push((0, (chosen.clone(), Place::Tail))),
                }
            }
        }
        Ok(())
    }
}

const UNSURE: &str =
    "it is not known well enough what was done to it: taking it back might double or lose it";
