//! A change of the journal is taken back: a plan of its own, made of what the journal says was
//! done to each entry, and compared again when it is applied.

mod doubt;
mod earlier;
mod inverse;
mod places;
mod target;
mod untold;
mod which;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use self::doubt::{Doubt, DoubtRule, OpenItem, ScriptKnowledge};
use self::earlier::{EarlierReturn, ReturnedCounts};
use self::inverse::{Inverse, inverse};
use self::places::LostPlaces;
use self::untold::ReadableItems;
use super::journal::{Item, Items, Journal, ServerId};
use super::plan::describe::describe;
use super::plan::make::{PlanContext, PlannedWork};
use super::plan::repair::KEPT;
use super::plan::then::ServerThen;
use super::plan::work::Work;
use super::plan::{BUSY, ChangeError, PreparedChange, READY, UndoneChange, blank};
use crate::clock::local_now;
use crate::queue::{Change, EntryId, EntryResult, Outcome, Queue, redis_cli, text};
use crate::store::Store;
use crate::store::change::{ChosenEntry, End, ListPlace};

/// A choice of the change of the journal that is taken back.
#[derive(Clone, Copy, Debug)]
pub enum UndoChoice<'a> {
    /// The one with that id.
    This(&'a str),
    /// The newest on this server that can be and was not.
    Newest,
    /// The newest of them that is of this queue.
    NewestOf(&'a Queue),
}

impl<'a> From<Option<&'a str>> for UndoChoice<'a> {
    fn from(id: Option<&'a str>) -> Self {
        id.map_or(Self::Newest, Self::This)
    }
}

/// Plans to take a change of the journal back. `force`: although the server is another one.
pub async fn plan_undo(
    store: &Store,
    journal: &Journal,
    which: impl Into<UndoChoice<'_>>,
    force: bool,
) -> Result<PreparedChange, ChangeError> {
    planned(&store.patient(BUSY), journal, which.into(), force).await
}

async fn planned(
    store: &Store,
    journal: &Journal,
    which: UndoChoice<'_>,
    force: bool,
) -> Result<PreparedChange, ChangeError> {
    store.ready(READY).await?;
    let server = ServerId::told(store).await;
    let kept = match which {
        UndoChoice::This(id) => journal.find(id).await?,
        UndoChoice::Newest => which::newest(journal, &server, None).await?,
        UndoChoice::NewestOf(queue) => which::newest(journal, &server, Some(queue)).await?,
    };
    let differs = !kept.is_of(&server);
    let program = redis_cli::ours(store.endpoint());
    which::check(&kept, differs.then_some(&program), force)?;
    let queue = Queue::typed(&kept.head.queue)
        .map_err(|why| which::senseless(format!("the journal names no queue: {why}")))?;
    let store = &store.along_with(&queue);
    let now = store.ready(READY).await?.now();
    let then = ServerThen::look(store).await;
    let making = PlanContext {
        store,
        queue: &queue,
        now,
    };
    let items = journal.read(&kept.id).await?;
    let earlier = ReturnedCounts::read(journal, &queue, &kept.id).await?;
    let (attempts, undo_has_died) = (earlier.attempts, earlier.has_died);
    let unwritten = DoubtRule {
        id: &kept.id,
        program: &program,
        force,
        change: kept.head.change,
    };
    let (mut made, readable, places) = back(&making, &items, earlier, unwritten).await?;
    let mut untold = readable.untold(&making, &kept, &items).await?;
    untold.notes.extend(places.words(&queue));
    let turned = places::turned(&kept, &queue, undo_has_died, &program);
    untold.notes.extend(turned);
    let sentence = which::sentence(&kept, items.is_last_script_known(), local_now());
    made.warnings.insert(0, sentence);
    made.warnings.extend(untold.notes.iter().cloned());
    if differs {
        made.warnings.push(format!(
            "It was made on {}, which is another server than this one.",
            kept.head.server.server
        ));
    }
    let mut plan = blank(store, &queue, Change::Undo, now);
    let mut prepared = describe(&making, &mut plan, made).await?;
    prepared.plan.undoes = Some(kept.id.clone());
    prepared.plan.undone = Some(kept.head.change);
    prepared.plan.planned += untold.count;
    prepared.then = then;
    prepared.undoes = Some(UndoneChange {
        id: kept.id,
        attempts,
        unknown: untold.count,
        notes: untold.notes,
    });
    Ok(prepared)
}

/// The work that takes items back, by kind.
#[derive(Default)]
struct Inverses {
    delete: Vec<ChosenEntry>,
    deliver: Vec<ChosenEntry>,
    requeue: Vec<(ChosenEntry, f64)>,
    edit: Vec<(ChosenEntry, Vec<u8>)>,
    /// Deleted entries, each with the item it is.
    put_back: Vec<(u64, (ChosenEntry, ListPlace))>,
    /// The same for entries in quarantine.
    restore: Vec<(u64, (ChosenEntry, Option<ListPlace>))>,
    /// The same for those that did not stand in the order list.
    outside: Vec<(ChosenEntry, Option<ListPlace>)>,
    quarantine: Vec<ChosenEntry>,
    /// Items of repairs, by their places in [`KEPT`].
    repair: BTreeMap<usize, Vec<Item>>,
    discard: Vec<Vec<u8>>,
    /// The same of what was put back where new ones come.
    discard_behind: Vec<Vec<u8>>,
    /// Elements for the consumers' end of target, each with how many items come behind it.
    put_elements: Vec<(u64, Vec<u8>)>,
    /// The same for those of which nobody knows where they stood, but that it was not there.
    put_behind: Vec<(u64, Vec<u8>)>,
    /// The same for those that go to their places.
    put_among: Vec<(u64, (Vec<u8>, ListPlace))>,
    delivered: Vec<(u64, target::SoughtElement)>,
    /// Members, and true for those that come into the order list.
    order_list: Vec<(Vec<u8>, bool)>,
    /// Of those that were in doubt.
    places: LostPlaces,
    settled: Vec<EntryResult>,
}

/// Makes the work that undoes the items, from the last to the first.
async fn back(
    making: &PlanContext<'_>,
    items: &Items,
    mut earlier: ReturnedCounts,
    unwritten: DoubtRule<'_>,
) -> Result<(PlannedWork, ReadableItems, LostPlaces), ChangeError> {
    let (mut inverses, mut readable) = (Inverses::default(), ReadableItems::default());
    let (mut doubtful, mut open) = (Vec::new(), Vec::new());
    let (mut already, mut behind) = (0, 0);
    let mut standing = Vec::new();
    for part in (0..items.parts()).rev() {
        let part = items.part(part).await?;
        for (item, happened) in part.into_iter().rev() {
            behind += 1;
            match happened.as_ref().map(|happened| happened.outcome) {
                Some(Outcome::Done) => readable.done += 1,
                Some(Outcome::Unknown) | None => {
                    readable.unknown += 1;
                    doubtful.push((behind, item, happened));
                    continue;
                }
                // It stands there for itself.
                Some(Outcome::Left) => {
                    standing.extend(inverse(item, happened).element());
                    continue;
                }
                Some(_) => continue,
            }
            let back = earlier.is_back(making.queue, &item);
            let inverse = inverse(item, happened);
            if let Inverse::TakeBack(sought) = &inverse {
                readable.transferred(sought.hash);
            }
            match back {
                // Others may have put it there again.
                EarlierReturn::No if matches!(inverse, Inverse::OrderList(_, true)) => {
                    open.push(OpenItem {
                        behind,
                        inverse,
                        doubt: Doubt::Known,
                    });
                }
                EarlierReturn::No => inverses.add(behind, inverse),
                EarlierReturn::Yes => {
                    already += 1;
                    standing.extend(inverse.element());
                }
                EarlierReturn::Perhaps => open.push(OpenItem {
                    behind,
                    inverse,
                    doubt: Doubt::Back,
                }),
            }
        }
    }
    // What is back was done: what is known to have been done has the first claim to it.
    let mut scripts = ScriptKnowledge {
        known: items.is_last_script_known(),
        whole: items.is_whole(),
    };
    for (behind, item, happened) in doubtful {
        // One without an answer need not have been the last one.
        scripts.whole &= happened.is_none();
        let doubt = match earlier.is_back(making.queue, &item) {
            EarlierReturn::Yes => {
                already += 1;
                standing.extend(inverse(item, happened).element());
                continue;
            }
            EarlierReturn::Perhaps => Doubt::Both,
            EarlierReturn::No => Doubt::Done,
        };
        open.push(OpenItem {
            behind,
            inverse: inverse(item, happened),
            doubt,
        });
    }
    let scripts = [scripts, earlier.scripts];
    let warnings = doubt::settle(making, open, scripts, &standing, unwritten, &mut inverses);
    let warnings = warnings.await?;
    let places = std::mem::take(&mut inverses.places);
    let made = inverses.made(making, items, already, warnings).await?;
    Ok((made, readable, places))
}

fn already_back(n: u64) -> Option<String> {
    let those = match n {
        0 => return None,
        1 => "1 of them was".to_owned(),
        n => format!("{} of them were", text::thousands(n)),
    };
    Some(format!(
        "{those} taken back by an earlier undo, and would be there twice: left out."
    ))
}

/// Sorts entries by the order in which they left, the last one first: each stands beside what stood
/// there when it left.
async fn as_they_left<T>(
    items: &Items,
    mut put_back: Vec<(u64, (ChosenEntry, T))>,
) -> Result<Vec<(ChosenEntry, T)>, ChangeError> {
    if put_back.len() > 1 {
        let order = items.order().await?.into_iter().zip(0_u64..);
        let order: HashMap<u64, u64> = order.collect();
        put_back.sort_by_key(|(index, _)| Reverse(order.get(index).copied()));
    }
    Ok(put_back.into_iter().map(|(_, entry)| entry).collect())
}

impl Inverses {
    /// Adds an inverse. `behind`: how many items come behind the one that it takes back.
    fn add(&mut self, behind: u64, inverse: Inverse) {
        match inverse {
            Inverse::Delete(chosen) => self.delete.push(chosen),
            Inverse::Deliver(chosen) => self.deliver.push(chosen),
            Inverse::Requeue(chosen, score) => self.requeue.push((chosen, score)),
            Inverse::Edit(chosen, old) => self.edit.push((chosen, old)),
            Inverse::PutBack(index, chosen, place) => {
                self.put_back.push((index, (chosen, place)));
            }
            Inverse::Restore(index, chosen, place) => {
                self.restore.push((index, (chosen, Some(place))));
            }
            Inverse::RestoreOutside(chosen) => self.outside.push((chosen, None)),
            Inverse::Quarantine(chosen) => self.quarantine.push(chosen),
            Inverse::Repair(which, item) => self.repair.entry(which).or_default().push(item),
            Inverse::Discard(element, End::Head) => self.discard.push(element),
            Inverse::Discard(element, End::Tail) => self.discard_behind.push(element),
            Inverse::PutElement(element, None) => self.put_elements.push((behind, element)),
            Inverse::PutElement(element, Some(ListPlace::Tail)) => {
                self.put_behind.push((behind, element));
            }
            Inverse::PutElement(element, Some(place)) => {
                self.put_among.push((behind, (element, place)));
            }
            Inverse::TakeBack(sought) => self.delivered.push((behind, sought)),
            Inverse::OrderList(member, comes) => self.order_list.push((member, comes)),
            Inverse::None(id, why) => self.refuse(id, why.to_owned()),
        }
    }

    /// The same for one that was in doubt.
    fn add_open(&mut self, one: OpenItem) {
        if one.doubt != Doubt::Back {
            self.places.add(&one.inverse);
        }
        self.add(one.behind, one.inverse);
    }

    fn refuse(&mut self, id: EntryId, why: String) {
        self.tell(id, Outcome::Refused, why);
    }

    fn tell(&mut self, id: EntryId, outcome: Outcome, why: String) {
        self.settled.push(EntryResult {
            id,
            outcome,
            reason: Some(why),
        });
    }

    async fn made(
        mut self,
        making: &PlanContext<'_>,
        items: &Items,
        already: u64,
        warnings: Vec<String>,
    ) -> Result<PlannedWork, ChangeError> {
        self.order_list.sort_by_key(|(_, comes)| !comes);
        // From the last to the first: what a consumer takes last comes back first.
        let [put_elements, mut put_behind] = [self.put_elements, self.put_behind].map(|mut all| {
            all.sort_by_key(|(behind, _)| *behind);
            all.into_iter().map(|one| one.1).collect::<Vec<_>>()
        });
        self.put_among.sort_by_key(|(behind, _)| *behind);
        let put_among = self.put_among.into_iter().map(|one| one.1).collect();
        // These left from the head of target on, where the oldest stand or the newest.
        if !making.queue.comes_at_head() {
            put_behind.reverse();
        }
        // In due order: as the order list has them, most likely, and as they come to target else.
        self.deliver.reverse();
        self.deliver.sort_by(|a, b| a.score.total_cmp(&b.score));
        let put_back = as_they_left(items, std::mem::take(&mut self.put_back)).await?;
        self.delivered.sort_by_key(|(behind, _)| *behind);
        let delivered = self.delivered.into_iter().map(|one| one.1).collect();
        let found = target::find(making, delivered).await?;
        let (elements, called) = found.there.into_iter().unzip();
        self.settled
            .extend(found.gone.into_iter().map(|id| EntryResult {
                id,
                outcome: Outcome::Gone,
                reason: Some("it was consumed meanwhile".to_owned()),
            }));
        let entries = [
            Work::PutBack(put_back),
            Work::Restore(as_they_left(items, self.restore).await?),
            Work::Restore(self.outside),
            Work::Requeue(self.requeue),
            Work::Edit(self.edit),
        ];
        let repairs = self.repair.into_iter();
        let repairs = repairs.map(|(which, items)| Work::Repair((KEPT[which].back)(items)));
        let elements = [
            Work::TakeBack(elements, called, End::Head),
            Work::Deliver(self.deliver),
            Work::OrderList(self.order_list),
            Work::PutElements(put_elements, End::Head),
            Work::PutElements(put_behind, End::Tail),
            Work::PutAmong(put_among),
            Work::Quarantine(self.quarantine),
            Work::Delete(self.delete),
            Work::Discard(self.discard, End::Head),
            Work::Discard(self.discard_behind, End::Tail),
        ];
        let work = entries.into_iter().chain(repairs).chain(elements);
        Ok(PlannedWork {
            work: work.filter(|work| work.len() > 0).collect(),
            settled: self.settled,
            warnings: already_back(already).into_iter().chain(warnings).collect(),
            copies_of: 0,
        })
    }
}
