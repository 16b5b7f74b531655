//! What a script did whose answer never came.

use std::collections::HashSet;

use super::PutBack;
use crate::clock::local_now;
use crate::ops::bulk::{Fated, Step, may_have_left, scores};
use crate::store::bulk::{Away, Returned};
use crate::store::change::Fate;
use crate::store::{Store, StoreError};

impl PutBack {
    /// Finds out what a script did whose answer never came. What it was to put back, is due and
    /// does not wait may have been transferred: it is not put back once more. What is in quarantine
    /// still is.
    pub(super) async fn look(&mut self, store: &Store) -> Result<Step, StoreError> {
        let now = store.clock().map_or_else(local_now, |clock| clock.now());
        let members = self.sent.iter().map(|&i| self.entries[i].member.clone());
        let members: Vec<_> = members.collect();
        let keys = self.queue.keys();
        let has = scores(store, &keys.timeouts, &members).await?;
        let quarantined = self.from == Away::Quarantined;
        let kept = if quarantined {
            scores(store, &keys.quarantine, &members).await?
        } else {
            vec![None; members.len()]
        };
        let ran = has.iter().any(Option::is_some);
        let left = ran || may_have_left(store, &self.queue, now).await?;
        let now = self.queue.score(now);
        let (mut fates, mut known) = (Vec::new(), HashSet::new());
        let each = std::mem::take(&mut self.sent).into_iter().zip(has);
        for ((i, has), kept) in each.zip(kept) {
            let wanted = self.entries[i].score;
            let found = match has {
                _ if kept.is_some_and(|kept| kept.total_cmp(&wanted).is_eq()) => None,
                Some(other) => self.fated(i, Returned::Waits(other)),
                None if quarantined || left && wanted <= now => Some(Fated {
                    index: i,
                    fate: if ran { Fate::Done } else { Fate::Gone },
                    stood: None,
                    unsure: !ran,
                }),
                None => None,
            };
            known.extend(found.iter().map(|found| found.index));
            fates.extend(found);
        }
        let open = |numbers: &mut Vec<usize>| numbers.retain(|i| !known.contains(i));
        open(&mut self.groups.heads);
        open(&mut self.groups.tails);
        self.groups.behind.values_mut().for_each(open);
        self.groups.behind.retain(|_, group| !group.is_empty());
        Ok(Step {
            wrote: false,
            ..self.step(None, fates)
        })
    }
}
