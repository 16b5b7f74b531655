//! The choice of the entries that a change is about: read in pages, kept as member and score alone.

use std::collections::{BTreeMap, HashMap, hash_map};
use std::sync::Arc;

use super::super::entries::{EntryPlace, Pages, Selection};
use super::work::sha1;
use super::{ChangeError, Copies, EntryChoice, LookObserver};
use crate::queue::{Entry, EntryId, Queue, State, text};
use crate::store::change::{ChosenEntry, End};
use crate::store::{Store, read as stored};

/// The entries that were chosen, by where they are.
#[derive(Debug, Default)]
pub(super) struct FoundEntries {
    /// Entries of timeouts, in due order.
    pub(super) waiting: Vec<ChosenEntry>,
    /// Elements of target, from its head.
    pub(super) delivered: Vec<Vec<u8>>,
    /// Members that only the order list holds.
    pub(super) order_only: Vec<Vec<u8>>,
    /// Entries of quarantine, in due order.
    pub(super) quarantined: Vec<ChosenEntry>,
    /// Entries that were seen and are no longer there.
    pub(super) gone: Vec<EntryId>,
    /// Entries that were seen and have another due time by now.
    pub(super) changed: Vec<EntryId>,
    /// Ids that were asked for and that no entry has, each with the reason that is told.
    pub(super) unfound: Vec<(EntryId, String)>,
    /// True when they were named one by one, so that what becomes of each is told.
    pub(super) named: bool,
    /// The end of target, as consumers take, at which equal elements leave it.
    pub(super) leaves: Option<End>,
    /// Elements that stay although they are equal to chosen ones.
    stay: u64,
    /// Entries of which one each is kept, and copies are chosen, when all others that are equal are.
    pub(super) copied: u64,
    /// Remarks on the selection for the plan, a sentence each.
    pub(super) notes: Vec<String>,
}

impl FoundEntries {
    fn add(&mut self, entry: Entry) {
        match (entry.state, entry.score) {
            (State::Delivered, _) => self.delivered.push(entry.member),
            (state, Some(score)) => {
                let chosen = ChosenEntry {
                    member: entry.member,
                    score,
                };
                match state {
                    State::Quarantined => self.quarantined.push(chosen),
                    _ => self.waiting.push(chosen),
                }
            }
            (_, None) => self.order_only.push(entry.member),
        }
    }
}

/// Scores asked for in one go.
const ASKED: usize = 1_000;

impl FoundEntries {
    /// Looks up again what was seen: nothing is done to what does not wait as it was.
    async fn seen_again(&mut self, store: &Store, queue: &Queue) -> Result<(), ChangeError> {
        let timeouts = queue.keys().timeouts;
        let seen = std::mem::take(&mut self.waiting);
        for some in seen.chunks(ASKED) {
            let members: Vec<Vec<u8>> = some.iter().map(|chosen| chosen.member.clone()).collect();
            let scores = stored::element_scores(store, &timeouts, &members).await?;
            for (chosen, score) in some.iter().zip(scores) {
                match score {
                    None => self.gone.push(queue.id(&chosen.member)),
                    Some(now) if now.total_cmp(&chosen.score).is_ne() => {
                        self.changed.push(queue.id(&chosen.member));
                    }
                    Some(_) => self.waiting.push(chosen.clone()),
                }
            }
        }
        Ok(())
    }
}

impl FoundEntries {
    /// Keeps as many equal elements of target as are meant.
    fn count(&mut self, mut copies: HashMap<Vec<u8>, Copies>) {
        let stay = &mut self.stay;
        self.delivered.retain(|element| {
            let meant = match copies.get_mut(element) {
                None | Some(Copies::Without(0)) => true,
                Some(Copies::Only(0)) => false,
                Some(Copies::Only(left)) => {
                    *left -= 1;
                    true
                }
                Some(Copies::Without(left)) => {
                    *left -= 1;
                    false
                }
            };
            *stay += u64::from(!meant);
            meant
        });
        for (element, left) in copies {
            if let Copies::Only(left) = left {
                let gone = (0..left).map(|_| EntryId::of_bytes(&element));
                self.gone.extend(gone);
            }
        }
    }

    /// Says what stays of equal elements; `kept`: so many entries as one of each.
    fn say_what_stays(&mut self, kept: u64) {
        let note = match (kept, self.stay) {
            (0, 0) => return,
            (0, stay) => format!(
                "{}.",
                text::counted(
                    stay,
                    "equal copy stays in target: the one that consumers would take last",
                    "equal copies stay in target: those that consumers would take last"
                )
            ),
            (kept, stay) => {
                let kept = text::counted(kept, "entry stays", "entries stay");
                let others = match stay {
                    0 => String::new(),
                    1 => ", and so does 1 equal one that was not chosen".to_owned(),
                    n => format!(
                        ", and so do {} equal ones that were not chosen",
                        text::thousands(n)
                    ),
                };
                format!("Of equal ones one is kept: {kept}{others}.")
            }
        };
        self.notes.push(note);
    }

    fn is_empty(&self) -> bool {
        let elements = self.delivered.is_empty() && self.order_only.is_empty();
        elements && self.waiting.is_empty() && self.quarantined.is_empty()
    }

    /// Leaves out the first of those that have equal payloads: the one due first, or the one that a
    /// consumer takes first.
    fn keep_one(&mut self, queue: &Queue) -> KeptCounts {
        let payload = |member: &[u8]| match queue.unwrap(member) {
            Ok(unwrapped) => sha1(unwrapped.payload),
            Err(_) => sha1(member),
        };
        let mut kept = KeptCounts::default();
        // The order list has them as they were offered.
        self.waiting.sort_by(|a, b| a.score.total_cmp(&b.score));
        for all in [&mut self.waiting, &mut self.quarantined] {
            kept.of(all, |chosen| payload(&chosen.member));
        }
        let at_head = queue.comes_at_head();
        if at_head {
            self.delivered.reverse();
        }
        kept.of(&mut self.delivered, |element| sha1(element));
        if at_head {
            self.delivered.reverse();
        }
        self.leaves = Some(End::Tail);
        kept.of(&mut self.order_only, |member| payload(member));
        kept
    }
}

/// Number of entries of which one each is kept.
#[derive(Clone, Copy, Debug, Default)]
struct KeptCounts {
    /// The number of all.
    kept: u64,
    /// The number of those of which a copy is chosen.
    doubled: u64,
}

impl KeptCounts {
    /// Takes the first of equal ones out.
    fn of<T>(&mut self, all: &mut Vec<T>, payload: impl Fn(&T) -> [u8; 20]) {
        let mut seen: HashMap<[u8; 20], bool> = HashMap::new();
        all.retain(|one| match seen.entry(payload(one)) {
            hash_map::Entry::Occupied(mut again) => {
                again.insert(true);
                true
            }
            hash_map::Entry::Vacant(first) => {
                first.insert(false);
                false
            }
        });
        self.kept += seen.len() as u64;
        self.doubled += seen.values().filter(|again| **again).count() as u64;
    }
}

/// Finds the entries that are meant. `tell` hears how many were looked at, of how many.
pub(super) async fn choose(
    store: &Store,
    queue: &Queue,
    which: EntryChoice,
    tell: &impl LookObserver,
) -> Result<FoundEntries, ChangeError> {
    let mut one = KeptCounts::default();
    let mut found = match which {
        EntryChoice::Counted(which, copies) => {
            let mut found = look(store, queue, *which, false, tell).await?;
            found.count(copies);
            found
        }
        EntryChoice::ButOne(which) => {
            let (which, copies) = match *which {
                EntryChoice::Counted(which, copies) => (*which, copies),
                which => (which, HashMap::new()),
            };
            let mut found = look(store, queue, which, true, tell).await?;
            found.count(copies);
            one = found.keep_one(queue);
            if found.is_empty() {
                let why = "no two of the chosen entries are equal: there is nothing to keep one of";
                return Err(ChangeError::Nothing(why.to_owned()));
            }
            found
        }
        which => look(store, queue, which, false, tell).await?,
    };
    found.copied = one.doubled;
    found.say_what_stays(one.kept);
    Ok(found)
}

/// Reads the entries that are meant, each copy of them. `equal`: ids of equal elements mean all of
/// them.
async fn look(
    store: &Store,
    queue: &Queue,
    which: EntryChoice,
    equal: bool,
    tell: &impl LookObserver,
) -> Result<FoundEntries, ChangeError> {
    let found = match which {
        EntryChoice::Counted(..) | EntryChoice::ButOne(_) => {
            let why = "what is counted, or kept one of, cannot be counted again";
            return Err(ChangeError::Senseless(why.to_owned()));
        }
        EntryChoice::These(entries) => {
            let mut found = FoundEntries::default();
            for entry in entries {
                found.add(entry);
            }
            found.seen_again(store, queue).await?;
            found
                .waiting
                .sort_by(|one, other| one.score.total_cmp(&other.score));
            found
        }
        EntryChoice::Due => {
            let late = Selection {
                from: EntryPlace::Late,
                ..Selection::default()
            };
            read(store, queue, late, |_| true, tell).await?
        }
        EntryChoice::Selected(selection) => {
            let (ids, limit) = (selection.ids.clone(), selection.limit);
            let filter = selection.filter.clone();
            let mut found = read(store, queue, selection, |_| true, tell).await?;
            if let Some(rest) = filter.unlooked() {
                found.notes.push(format!("More may match: {rest}."));
            }
            by_id(queue, &mut found, &ids, limit, equal)?;
            found
        }
        EntryChoice::Where(from, holds) => {
            let all = Selection {
                from,
                ..Selection::default()
            };
            let holds = Arc::clone(&holds);
            read(store, queue, all, move |entry| holds(entry), tell).await?
        }
    };
    Ok(found)
}

async fn read(
    store: &Store,
    queue: &Queue,
    selection: Selection,
    holds: impl Fn(&Entry) -> bool,
    tell: &impl LookObserver,
) -> Result<FoundEntries, ChangeError> {
    let limit = selection.limit.unwrap_or(u64::MAX);
    let (mut found, mut looked, mut kept) = (FoundEntries::default(), 0, 0);
    let mut pages = Pages::new(store, queue, selection);
    while kept < limit {
        let Some(page) = pages.next().await? else {
            break;
        };
        looked += page.looked;
        for entry in page.kept.into_iter().filter(|entry| holds(entry)) {
            if kept < limit {
                kept += 1;
                found.add(entry);
            }
        }
        tell.looked(looked, pages.of().max(looked));
    }
    Ok(found)
}

/// Checks that each id is that of one entry, and trims equal ones: as many are taken as the id was
/// given times, where that is more than once, or as a limit says, or (`all`) all of them.
fn by_id(
    queue: &Queue,
    found: &mut FoundEntries,
    ids: &[String],
    limit: Option<u64>,
    all: bool,
) -> Result<(), ChangeError> {
    if ids.is_empty() {
        return Ok(());
    }
    let mut asked: BTreeMap<String, u64> = BTreeMap::new();
    for id in ids {
        *asked.entry(id.to_lowercase()).or_default() += 1;
    }
    let mut trimmed = HashMap::new();
    let mut unfound = Vec::new();
    {
        let by_id = found.by_id(queue);
        let sum: usize = by_id.values().map(Vec::len).sum();
        // What is behind the limit was not looked for.
        let cut = limit.is_some_and(|limit| sum as u64 >= limit);
        for (id, n) in asked {
            let those = by_id.get(&id).map_or(&[][..], Vec::as_slice);
            let there = those.len() as u64;
            let equal = those.iter().all(|(member, _)| *member == those[0].0);
            match there {
                0 if cut => {}
                0 => unfound.push((id.clone(), n, format!("no entry has the id {id}"))),
                _ if !equal || there > 1 && n == 1 && !all && limit.is_none() => {
                    return Err(ambiguous(&id, those, equal));
                }
                _ if n > there && !cut => {
                    let why = format!(
                        "only {} the id {id}, and it was asked for {n} times",
                        text::counted(there, "entry has", "entries have")
                    );
                    unfound.push((id.clone(), n - there, why));
                }
                // What is behind the limit is not gone: no more are meant than were found.
                _ if n > 1 && n < there => {
                    trimmed.insert(those[0].0.clone(), Copies::Only(n));
                }
                _ => {}
            }
        }
    }
    found.named = true;
    let nothing = found.is_empty();
    for (id, times, why) in unfound {
        match EntryId::of_hex(&id) {
            Some(id) if !nothing => {
                let each = (0..times).map(|_| (id, why.clone()));
                found.unfound.extend(each);
            }
            // Where there is nothing to do at all, that is remarked.
            Some(id) => found.notes.push(format!("No entry has the id {id}.")),
            None => {
                return Err(ChangeError::Senseless(format!(
                    "{id:?} is no entry's id, which has 16 hex digits"
                )));
            }
        }
    }
    found.count(trimmed);
    Ok(())
}

/// The error for an id that does not say which entry is meant.
fn ambiguous(id: &str, those: &[(&Vec<u8>, String)], equal: bool) -> ChangeError {
    let listed: Vec<String> = those
        .iter()
        .take(LISTED)
        .map(|(member, what)| format!("{} bytes, {what}", member.len()))
        .collect();
    let more = if those.len() > LISTED { "; …" } else { "" };
    let way_out = if equal {
        "they are equal: give the id as often as so many of them are meant, or a limit, which \
         takes them from the head on"
    } else {
        "choose by due time or text instead"
    };
    ChangeError::Senseless(format!(
        "the id {id} is that of {} entries ({}{more}); {way_out}",
        those.len(),
        listed.join("; "),
    ))
}

impl FoundEntries {
    /// The entries that were found, with where they are, by id.
    fn by_id(&self, queue: &Queue) -> HashMap<String, Vec<(&Vec<u8>, String)>> {
        let waiting = self.waiting.iter().chain(&self.quarantined);
        let waiting = waiting.map(|chosen| {
            let due = match queue.due(chosen.score).at() {
                Some(due) => format!("due at {} ms", due.get()),
                None => format!("score {}", chosen.score),
            };
            (queue.id(&chosen.member), &chosen.member, due)
        });
        let order = self.order_only.iter();
        let order = order.map(|m| (queue.id(m), m, "in the order list only".to_owned()));
        let delivered = self.delivered.iter();
        let delivered = delivered.map(|e| (EntryId::of_bytes(e), e, "delivered".to_owned()));
        let mut by_id: HashMap<String, Vec<_>> = HashMap::new();
        for (id, member, what) in waiting.chain(order).chain(delivered) {
            let those = by_id.entry(id.to_string()).or_default();
            those.push((member, what));
        }
        by_id
    }
}

/// Entries of one id that are listed.
const LISTED: usize = 5;
