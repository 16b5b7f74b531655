//! Which entries a change is about: read in pages, kept as member and score alone.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::super::entries::{From, Pages, Selection};
use super::{ChangeError, Telling, Which};
use crate::queue::{Entry, EntryId, Queue, State};
use crate::store::change::Chosen;
use crate::store::{Store, read as stored};

/// What was chosen, by where it is.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// What is in timeouts, in due order.
    pub(super) waiting: Vec<Chosen>,
    /// Elements of target, from its head.
    pub(super) delivered: Vec<Vec<u8>>,
    /// What only the order list holds.
    pub(super) order_only: Vec<Vec<u8>>,
    /// What is in quarantine, in due order.
    pub(super) quarantined: Vec<Chosen>,
    /// Those that were seen and are no longer there.
    pub(super) gone: Vec<EntryId>,
    /// Those that were seen and have another due time by now.
    pub(super) changed: Vec<EntryId>,
    /// Ids that were asked for and that nothing has.
    pub(super) missing: Vec<String>,
}

impl Found {
    fn add(&mut self, entry: Entry) {
        match (entry.state, entry.score) {
            (State::Delivered, _) => self.delivered.push(entry.member),
            (state, Some(score)) => {
                let chosen = Chosen {
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

/// So many scores are asked for in one go.
const ASKED: usize = 1_000;

impl Found {
    /// What was seen waits as it was seen, or nothing is done to it.
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

/// Finds them. `tell` hears how many were looked at, of how many.
pub(super) async fn choose(
    store: &Store,
    queue: &Queue,
    which: Which,
    tell: &impl Telling,
) -> Result<Found, ChangeError> {
    let found = match which {
        Which::These(entries) => {
            let mut found = Found::default();
            for entry in entries {
                found.add(entry);
            }
            found.seen_again(store, queue).await?;
            found
                .waiting
                .sort_by(|one, other| one.score.total_cmp(&other.score));
            found
        }
        Which::Due => {
            let late = Selection {
                from: From::Late,
                ..Selection::default()
            };
            read(store, queue, late, |_| true, tell).await?
        }
        Which::Selected(selection) => {
            let (ids, limited) = (selection.ids.clone(), selection.limit.is_some());
            let mut found = read(store, queue, selection, |_| true, tell).await?;
            by_id(queue, &mut found, &ids, limited)?;
            found
        }
        Which::Where(from, holds) => {
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
    tell: &impl Telling,
) -> Result<Found, ChangeError> {
    let limit = selection.limit.unwrap_or(u64::MAX);
    let (mut found, mut looked, mut kept) = (Found::default(), 0, 0);
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

/// Each id that was asked for must be that of one entry, unless a limit says how many of equal
/// ones to take.
fn by_id(
    queue: &Queue,
    found: &mut Found,
    ids: &[String],
    limited: bool,
) -> Result<(), ChangeError> {
    if ids.is_empty() {
        return Ok(());
    }
    let waiting = found.waiting.iter().chain(&found.quarantined);
    let waiting = waiting.map(|chosen| {
        let due = match queue.due(chosen.score).at() {
            Some(due) => format!("due at {} ms", due.get()),
            None => format!("score {}", chosen.score),
        };
        (queue.id(&chosen.member), &chosen.member, due)
    });
    let order = found.order_only.iter();
    let order = order.map(|m| (queue.id(m), m, "in the order list only".to_owned()));
    let delivered = found.delivered.iter();
    let delivered = delivered.map(|e| (EntryId::of_bytes(e), e, "delivered".to_owned()));
    let mut by_id: HashMap<String, Vec<(&Vec<u8>, String)>> = HashMap::new();
    for (id, member, what) in waiting.chain(order).chain(delivered) {
        by_id
            .entry(id.to_string())
            .or_default()
            .push((member, what));
    }
    let mut ambiguous = BTreeMap::new();
    for (id, those) in &by_id {
        let equal = those.iter().all(|(member, _)| *member == those[0].0);
        if those.len() > 1 && !(equal && limited) {
            ambiguous.insert(id, those);
        }
    }
    if let Some((id, those)) = ambiguous.first_key_value() {
        let equal = those.iter().all(|(member, _)| *member == those[0].0);
        let listed: Vec<String> = those
            .iter()
            .take(LISTED)
            .map(|(member, what)| format!("{} bytes, {what}", member.len()))
            .collect();
        let more = if those.len() > LISTED { "; …" } else { "" };
        let way_out = if equal {
            "they are equal, so that a limit tells how many of them to take, from the head on"
        } else {
            "choose by due time or text instead"
        };
        return Err(ChangeError::Senseless(format!(
            "the id {id} is that of {} entries ({}{more}); {way_out}",
            those.len(),
            listed.join("; "),
        )));
    }
    let missing = ids.iter().map(|id| id.to_lowercase());
    found.missing = missing.filter(|id| !by_id.contains_key(id)).collect();
    Ok(())
}

/// So many entries of one id are listed.
const LISTED: usize = 5;
