//! The part of a change that nobody wrote down: a script of the change, or of an earlier undo, was
//! about to do it when a process died, or its answer never came. It is looked up by identity: where
//! that tells what became of an entry it is taken back or left as it is, and where it does not, it
//! is said.

mod elements;

use std::collections::{HashMap, HashSet};

use super::Inverses;
use super::inverse::{Inverse, UNSURE};
use crate::ops::plan::ChangeError;
use crate::ops::plan::make::PlanContext;
use crate::ops::plan::repair::KEPT;
use crate::queue::{Change, Due, Outcome, text};
use crate::store::change::ChosenEntry;
use crate::store::read;

/// Entries looked up in timeouts at once.
const LOOKED_UP: usize = 250;

/// The unknown part of an item's story.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Doubt {
    /// The change may have done it or not.
    Done,
    /// An earlier undo may have taken it back or not.
    Back,
    /// Neither of the two is known.
    Both,
    /// It was done; whether it is to be taken back is seen.
    Known,
}

/// The knowledge of the scripts that were to do what is in doubt.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ScriptKnowledge {
    /// True when they were the last ones: nothing else is in doubt.
    pub(super) known: bool,
    /// True when it was one, which did it to all or to none.
    pub(super) whole: bool,
}

/// An item whose undo depends on what is seen.
pub(super) struct OpenItem {
    /// Items that come behind it.
    pub(super) behind: u64,
    pub(super) inverse: Inverse,
    pub(super) doubt: Doubt,
}

/// The rule for entries of which nothing tells.
#[derive(Clone, Copy)]
pub(super) struct DoubtRule<'a> {
    /// The change's id.
    pub(super) id: &'a str,
    /// The words by which a shell starts this program on this server.
    pub(super) program: &'a str,
    /// True when they are put back all the same.
    pub(super) force: bool,
    /// The change that is taken back.
    pub(super) change: Change,
}

/// The decision about an item.
enum ItemVerdict {
    /// To be taken back.
    TakeBack,
    /// As it was before the change.
    AsItWas,
    /// Taken by others since.
    Gone(&'static str),
    /// Unknown; with the place where it was looked for in vain.
    InDoubt(&'static str),
    /// Unknown, with nothing that could be looked up.
    Unsure(&'static str),
}

const DELIVERED: &str = "it was transferred meanwhile";
const TAKEN: &str = "it was transferred or removed by others: the change had not come to it";
const EQUAL: &str =
    "target holds equal elements, and nobody wrote down whether one of them was taken";
const NOT_WAITING: &str = "does not wait";
const NOT_IN_TARGET: &str = "is not in target";
const NOT_LISTED: &str = "is not in the order list";
const LISTED: &str = "is in the order list";
const AMONG_EQUAL: &str = "may be back among equal ones in target";

/// The state in which items are found.
#[derive(Default)]
struct SeenItems {
    /// The scores of members that wait.
    waiting: HashMap<Vec<u8>, f64>,
    /// Members in quarantine.
    quarantined: HashSet<Vec<u8>>,
    /// Items for which target holds an element, by their places.
    in_target: HashSet<usize>,
    /// Items for which target holds more equal elements than are in doubt.
    equal: HashSet<usize>,
    /// True when elements stand where an earlier undo was to put them, false when others stand there.
    stand_again: Option<bool>,
    /// Transferred entries that wait still, or again.
    untransferred: HashSet<usize>,
    /// Items whose element stands in the order list, beyond the one place of what waits.
    listed: HashSet<usize>,
    /// True when the order list became another one while it was read.
    is_order_unknown: bool,
    /// The score up to which entries are due.
    now: f64,
}

/// Settles the open items: what is to be taken back is added to the others. Returns what there is
/// to say about it. `scripts`: of the change, and of earlier undos. `standing`: elements that are
/// in target for others: earlier undos have put them back, or the change had not come to them.
pub(super) async fn settle(
    making: &PlanContext<'_>,
    open: Vec<OpenItem>,
    scripts: [ScriptKnowledge; 2],
    standing: &[Vec<u8>],
    unwritten: DoubtRule<'_>,
    to: &mut Inverses,
) -> Result<Vec<String>, ChangeError> {
    if open.is_empty() {
        return Ok(Vec::new());
    }
    let seen = look(making, &open, standing).await?;
    let ran = |doubt| seen.ran(making, &open, doubt);
    let [ran_change, ran_undo] = [
        scripts[0].whole.then(|| ran(Doubt::Done)).flatten(),
        scripts[1].whole.then(|| ran(Doubt::Back)).flatten(),
    ];
    let (mut forced, mut refused) = (0, 0);
    for (place, one) in open.into_iter().enumerate() {
        let (ran, known) = match one.doubt {
            Doubt::Done => (ran_change, scripts[0].known),
            Doubt::Back => (ran_undo, scripts[1].known),
            Doubt::Both | Doubt::Known => (None, false),
        };
        let id = one.inverse.id(making.queue);
        match seen.verdict(making, place, &one, ran, known) {
            // What waits again has its place in the order list.
            _ if unwritten.change == Change::RestoreOrder && seen.waits_again(&one.inverse) => {}
            ItemVerdict::TakeBack => to.add_open(one),
            ItemVerdict::AsItWas => {}
            ItemVerdict::Gone(why) => to.tell(id, Outcome::Gone, why.to_owned()),
            ItemVerdict::InDoubt(_) if unwritten.force => {
                forced += 1;
                to.add_open(one);
            }
            ItemVerdict::InDoubt(where_not) => {
                refused += 1;
                to.refuse(id, unwritten.refused(where_not));
            }
            ItemVerdict::Unsure(why) => to.refuse(id, why.to_owned()),
        }
    }
    let known = scripts.iter().all(|scripts| scripts.known);
    let said = [in_doubt(refused, known), by_force(forced)];
    Ok(said.into_iter().flatten().collect())
}

impl DoubtRule<'_> {
    /// The reason of an entry that is not put back. `where_not`: where it was looked for.
    fn refused(&self, where_not: &str) -> String {
        format!(
            "it {where_not}, and nobody wrote down who took it. `{} undo --force {}` puts it back: \
             twice, if others had it",
            self.program, self.id
        )
    }
}

fn in_doubt(n: usize, known: bool) -> Option<String> {
    let of = if known { " of the last script" } else { "" };
    (n > 0).then(|| {
        format!(
            "{}{of} {} in doubt: nobody wrote down what became of them, and nothing tells.",
            text::counted(n as u64, "entry", "entries"),
            if n == 1 { "is" } else { "are" },
        )
    })
}

fn by_force(n: usize) -> Option<String> {
    let those = match n {
        0 => return None,
        1 => "Of 1 of them".to_owned(),
        n => format!("Of {} of them", text::thousands(n as u64)),
    };
    Some(format!(
        "{those} nobody wrote down whether it was deleted; with --force it is put back. If it was \
         transferred, consumed or removed by others meanwhile, it comes twice."
    ))
}

async fn look(
    making: &PlanContext<'_>,
    open: &[OpenItem],
    standing: &[Vec<u8>],
) -> Result<SeenItems, ChangeError> {
    let keys = making.queue.keys();
    let mut seen = SeenItems {
        now: making.queue.score(making.now),
        ..SeenItems::default()
    };
    let (mut waiting, mut quarantined) = (Vec::new(), Vec::new());
    for one in open {
        match &one.inverse {
            Inverse::Delete(chosen)
            | Inverse::Deliver(chosen)
            | Inverse::Requeue(chosen, _)
            | Inverse::PutBack(_, chosen, _) => waiting.push(chosen.member.clone()),
            Inverse::Edit(_, old) => waiting.push(old.clone()),
            Inverse::OrderList(member, _) => waiting.push(member.clone()),
            Inverse::Restore(_, chosen, _)
            | Inverse::RestoreOutside(chosen)
            | Inverse::Quarantine(chosen) => quarantined.push(chosen.member.clone()),
            _ => {}
        }
    }
    seen.waiting = scores(making, &keys.timeouts, waiting).await?;
    let kept = scores(making, &keys.quarantine, quarantined).await?;
    seen.quarantined = kept.into_keys().collect();
    seen.look_in_target(making, open, standing).await?;
    seen.look_at_places(making, open).await?;
    seen.look_for_the_transferred(making, open).await?;
    seen.look_in_order_list(making, open).await?;
    Ok(seen)
}

/// Reads the scores of those of the members that a sorted set holds.
async fn scores(
    making: &PlanContext<'_>,
    key: &[u8],
    members: Vec<Vec<u8>>,
) -> Result<HashMap<Vec<u8>, f64>, ChangeError> {
    let mut found = HashMap::with_capacity(members.len());
    for some in members.chunks(LOOKED_UP) {
        let scores = read::element_scores(making.store, key, some).await?;
        let held = some.iter().zip(scores);
        found.extend(held.filter_map(|(member, score)| Some((member.clone(), score?))));
    }
    Ok(found)
}

impl SeenItems {
    /// True when a script that does all or nothing ran, as far as any of its entries tells.
    fn ran(&self, making: &PlanContext<'_>, open: &[OpenItem], doubt: Doubt) -> Option<bool> {
        if doubt == Doubt::Back && self.stand_again.is_some() {
            return self.stand_again;
        }
        let of_it = open
            .iter()
            .enumerate()
            .filter(|(_, one)| one.doubt == doubt);
        let mut told = None;
        for (place, one) in of_it {
            let (back, not_due) = match &one.inverse {
                Inverse::PutBack(_, chosen, _) => (
                    self.waits_as(&chosen.member, chosen.score)
                        || self.in_target.contains(&place) && doubt == Doubt::Back,
                    !self.is_due(making, chosen.score),
                ),
                Inverse::PutElement(..) if doubt == Doubt::Back => {
                    let there = self.in_target.contains(&place);
                    (there && !self.equal.contains(&place), false)
                }
                _ => return None,
            };
            // One that is where it was tells that it was not deleted, or that it is back.
            if back {
                return Some(doubt == Doubt::Back);
            }
            // Nobody transfers what is not due.
            if not_due {
                told = Some(doubt == Doubt::Done);
            }
        }
        told
    }

    fn waits_as(&self, member: &[u8], score: f64) -> bool {
        let waits = self.waiting.get(member);
        waits.is_some_and(|waits| waits.total_cmp(&score).is_eq())
    }

    /// True for what is to come into the order list, and waits.
    fn waits_again(&self, inverse: &Inverse) -> bool {
        matches!(inverse, Inverse::OrderList(member, true) if self.waiting.contains_key(member))
    }

    fn is_due(&self, making: &PlanContext<'_>, score: f64) -> bool {
        // What has no due time is not transferred either.
        matches!(making.queue.due(score), Due::At(_)) && score <= self.now
    }

    /// Decides about an item. `ran`: the script in doubt did, as far as others of its entries tell.
    /// `known`: it was the last one.
    fn verdict(
        &self,
        making: &PlanContext<'_>,
        place: usize,
        one: &OpenItem,
        ran: Option<bool>,
        known: bool,
    ) -> ItemVerdict {
        let as_it_was = |is: bool| {
            if is {
                ItemVerdict::AsItWas
            } else {
                ItemVerdict::TakeBack
            }
        };
        match &one.inverse {
            Inverse::Requeue(chosen, old) => as_it_was(self.waits_as(&chosen.member, *old)),
            Inverse::Edit(_, old) => as_it_was(self.waiting.contains_key(old)),
            // What is not there, and was not due, never came: of what was due it is told that it
            // has gone.
            Inverse::Delete(chosen) | Inverse::Deliver(chosen) => as_it_was(
                !self.waiting.contains_key(&chosen.member)
                    && (one.doubt == Doubt::Back || !self.is_due(making, chosen.score)),
            ),
            Inverse::Restore(_, chosen, _) | Inverse::RestoreOutside(chosen) => {
                as_it_was(!self.quarantined.contains(&chosen.member))
            }
            Inverse::Quarantine(chosen) => as_it_was(self.quarantined.contains(&chosen.member)),
            Inverse::TakeBack(_) => as_it_was(self.untransferred.contains(&place)),
            Inverse::PutBack(_, chosen, _) => {
                let ours = known && !self.is_due(making, chosen.score);
                self.of_entry(place, one.doubt, ran, ours, chosen)
            }
            Inverse::PutElement(_, Some(_)) if one.doubt == Doubt::Back && ran.is_some() => {
                as_it_was(ran == Some(true))
            }
            Inverse::PutElement(_, Some(_))
                if one.doubt == Doubt::Back && self.equal.contains(&place) =>
            {
                ItemVerdict::InDoubt(AMONG_EQUAL)
            }
            Inverse::PutElement(..) if self.in_target.contains(&place) => {
                if self.equal.contains(&place) {
                    ItemVerdict::Unsure(EQUAL)
                } else {
                    ItemVerdict::AsItWas
                }
            }
            // They were put back, and consumed since.
            Inverse::PutElement(..) if one.doubt == Doubt::Back && ran == Some(true) => {
                ItemVerdict::AsItWas
            }
            Inverse::PutElement(..) => ItemVerdict::InDoubt(NOT_IN_TARGET),
            Inverse::Repair(..) if self.equal.contains(&place) => ItemVerdict::Unsure(EQUAL),
            Inverse::Repair(..) if self.in_target.contains(&place) => ItemVerdict::AsItWas,
            Inverse::Repair(which, item) if (KEPT[*which].before)(item).is_some() => {
                ItemVerdict::InDoubt(NOT_IN_TARGET)
            }
            Inverse::Repair(..) | Inverse::None(..) => ItemVerdict::TakeBack,
            Inverse::OrderList(..) if self.is_order_unknown => ItemVerdict::Unsure(UNSURE),
            // One that comes back has left, one that is taken out has come.
            Inverse::OrderList(_, comes) if self.listed.contains(&place) == *comes => {
                ItemVerdict::AsItWas
            }
            Inverse::OrderList(..) if one.doubt == Doubt::Known => ItemVerdict::TakeBack,
            Inverse::OrderList(_, true) => ItemVerdict::InDoubt(NOT_LISTED),
            Inverse::OrderList(_, false) => ItemVerdict::InDoubt(LISTED),
            Inverse::Discard(..) => ItemVerdict::Unsure(UNSURE),
        }
    }

    /// Decides about an entry that was perhaps deleted, or is perhaps back. `ran`: its script did.
    /// `ours`: nobody else can have transferred it.
    fn of_entry(
        &self,
        place: usize,
        doubt: Doubt,
        ran: Option<bool>,
        ours: bool,
        chosen: &ChosenEntry,
    ) -> ItemVerdict {
        let in_target = self.in_target.contains(&place);
        if self.waiting.contains_key(&chosen.member) {
            return ItemVerdict::AsItWas;
        }
        match (doubt, ran) {
            (Doubt::Done, Some(false)) => ItemVerdict::Gone(TAKEN),
            (Doubt::Done, _) if in_target => ItemVerdict::Gone(DELIVERED),
            // It was put back: others have had it since.
            (Doubt::Back, Some(true)) => ItemVerdict::AsItWas,
            (Doubt::Back | Doubt::Both, _) if in_target => ItemVerdict::AsItWas,
            (Doubt::Back, Some(false)) => ItemVerdict::TakeBack,
            _ if ours => ItemVerdict::TakeBack,
            _ => ItemVerdict::InDoubt(NOT_WAITING),
        }
    }
}
