//! The kinds of change of everything that a queue holds, and what shows that one was made, once.

use std::collections::{BTreeMap, BTreeSet};

use delayscope::ops::plan::{Base, ChangeRequest, EntryChoice, NewDue};
use delayscope::queue::Queue;

use crate::apply::bench::Contents;
use crate::apply::ways::matching;
use crate::support::Server;

/// A kind of change of everything.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Made {
    Requeue,
    Transfer,
    Delete,
    /// Each entry gets other bytes.
    Edit,
    /// Tells of none of its entries before its end.
    Realign,
    PutBack,
}

impl Made {
    pub(crate) const ALL: [Self; 6] = [
        Self::Requeue,
        Self::Transfer,
        Self::Delete,
        Self::Edit,
        Self::Realign,
        Self::PutBack,
    ];

    /// Puts what it is to change into a queue.
    pub(crate) fn fill(self, server: &Server, queue: &Queue, count: u64) {
        let now = server.now();
        match self {
            Self::Transfer => server.fill(queue, count, now.plus(-900_000), 1),
            Self::Realign => {
                // As many steps as there are entries lead from each of them through all others.
                let due = |n: u64| now.plus(900_000 + i64::try_from(n * 7 % count).unwrap());
                server.fill_with(queue, count, due);
            }
            Self::Requeue | Self::Delete | Self::Edit => {
                server.fill(queue, count, now.plus(900_000), 1);
            }
            Self::PutBack => {
                server.fill(queue, count, now.plus(900_000), 1);
                held(server, queue, count);
            }
        }
    }

    /// The change, and the entries that it is of.
    pub(crate) fn asked(self) -> (ChangeRequest, EntryChoice) {
        let what = match self {
            Self::Requeue => {
                let (base, spread_ms) = (Base::By(9_000), 0);
                ChangeRequest::Requeue(NewDue { base, spread_ms })
            }
            Self::Transfer => return (ChangeRequest::Transfer, EntryChoice::Due),
            Self::Delete => ChangeRequest::Delete,
            Self::Edit => ChangeRequest::Repack(None),
            Self::Realign => return (ChangeRequest::Realign(None), EntryChoice::Due),
            Self::PutBack => return (ChangeRequest::PutBack, EntryChoice::Due),
        };
        (what, matching("entry"))
    }

    /// A key without which none of its scripts runs.
    pub(crate) fn key(self, queue: &Queue) -> Vec<u8> {
        let keys = queue.keys();
        match self {
            Self::Realign => keys.order.unwrap(),
            Self::PutBack => keys.hold.held,
            Self::Requeue | Self::Transfer | Self::Delete | Self::Edit => keys.timeouts,
        }
    }

    /// Everything was changed, once, in a queue that held that before.
    pub(crate) fn is_done(self, before: &Contents, after: &Contents) -> bool {
        let nothing = after.timeouts.is_empty() && after.order.is_empty();
        match self {
            Self::Requeue => {
                let later = |score: &String| (score.parse::<i64>().unwrap() + 9_000).to_string();
                let requeued = before.timeouts.iter();
                let requeued = requeued.map(|(member, score)| (member.clone(), later(score)));
                let timeouts = requeued.collect();
                let before = before.clone();
                *after == Contents { timeouts, ..before }
            }
            Self::Transfer => {
                let told: BTreeSet<&Vec<u8>> = after.target.iter().collect();
                let all = before.target.len() + before.timeouts.len();
                nothing && (told.len(), after.target.len()) == (all, all)
            }
            Self::Delete => nothing && after.target == before.target,
            Self::Edit => {
                let is_new = |member: &Vec<u8>| !before.timeouts.contains_key(member);
                let all = before.timeouts.len();
                (after.timeouts.len(), after.order.len()) == (all, all)
                    && after.timeouts.keys().all(is_new)
                    && after
                        .order
                        .iter()
                        .all(|one| after.timeouts.contains_key(one))
            }
            Self::Realign => {
                let order = in_due_order(before);
                let before = before.clone();
                *after == Contents { order, ..before }
            }
            Self::PutBack => {
                let came = after.target.len() - before.target.len();
                after.held == 0 && before.held == came as u64 && after.timeouts == before.timeouts
            }
        }
    }

    /// How much of it has been done in a queue that held that before; told of those kinds that tell
    /// nothing before their end.
    pub(crate) fn done_so_far(self, before: &Contents, now: &Contents) -> usize {
        match self {
            Self::Realign => in_place(before, now).filter(|is_there| *is_there).count(),
            _ => 0,
        }
    }

    /// How much of it has been done here and not there.
    pub(crate) fn lacks(self, before: &Contents, here: &Contents, there: &Contents) -> u64 {
        match self {
            Self::Realign => {
                let both = in_place(before, here).zip(in_place(before, there));
                both.filter(|both| *both == (true, false)).count() as u64
            }
            _ => here.done_beyond(there),
        }
    }

    /// Of some entries it may stay unknown what became of them, where a server dies before it could say
    /// so: nobody knows by whom they have left timeouts.
    pub(crate) fn may_be_unknown(self) -> bool {
        matches!(self, Self::Transfer | Self::Delete)
    }

    /// An undo has brought everything back: what was gone comes to the tail of the order list, and a
    /// list that went round when its server was lost may begin with another element.
    pub(crate) fn is_undone(self, before: &Contents, after: &Contents) -> bool {
        let (mut before, mut after) = (before.clone(), after.clone());
        if self.may_be_unknown() {
            before.order.sort();
            after.order.sort();
        } else {
            let first = before.order.first();
            let place = after.order.iter().position(|one| Some(one) == first);
            after.order.rotate_left(place.unwrap_or(0));
        }
        after == before
    }

    /// An undo brings everything back.
    pub(crate) fn can_be_undone(self) -> bool {
        !matches!(self, Self::Realign | Self::PutBack)
    }
}

/// Gives consumers so many messages who have died, ten of each kind equal: half of them were moved by the
/// server for a consumer that did not hear of it.
pub(crate) fn held(server: &Server, queue: &Queue, count: u64) {
    let keys = queue.keys().hold;
    let kinds = count / 10;
    let mut all = redis::pipe();
    for n in 0..count {
        let taken = format!("taken {}", n % kinds);
        if (n / kinds).is_multiple_of(2) {
            all.cmd("RPUSH").arg(&keys.intake).arg(taken);
        } else {
            // Its consumer has no lease.
            all.cmd("HSET").arg(&keys.held).arg(n).arg(taken);
        }
    }
    all.exec(&mut server.connection()).unwrap();
}

/// The order list as it is to be.
fn in_due_order(before: &Contents) -> Vec<Vec<u8>> {
    let each = before.timeouts.iter();
    let due: BTreeMap<i64, &Vec<u8>> = each
        .map(|(member, score)| (score.parse().unwrap(), member))
        .collect();
    due.into_values().cloned().collect()
}

/// Whether each entry stands in its place.
fn in_place<'a>(before: &Contents, now: &'a Contents) -> impl Iterator<Item = bool> + use<'a> {
    let wanted = in_due_order(before).into_iter();
    wanted
        .zip(&now.order)
        .map(|(wanted, there)| wanted == *there)
}
