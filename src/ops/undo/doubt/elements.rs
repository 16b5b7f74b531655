//! The lookup of what is in doubt by its payload: in target, or among what waits.

use std::collections::{HashMap, HashSet};

use super::{OpenItem, SeenItems};
use crate::ops::plan::ChangeError;
use crate::ops::plan::make::Making;
use crate::ops::plan::work::sha1;
use crate::ops::undo::inverse::Inverse;
use crate::ops::undo::target;
use crate::queue::EntryId;
use crate::store::read;

/// Entries read at once where those of one score are looked for.
const ROWS: u32 = 1_000;

impl SeenItems {
    /// Looks for elements in target. Equal ones are interchangeable: each stands for one item,
    /// after those that an earlier undo has put there.
    pub(super) async fn look_in_target(
        &mut self,
        making: &Making<'_>,
        open: &[OpenItem],
        standing: &[Vec<u8>],
    ) -> Result<(), ChangeError> {
        let hash = |inverse: &Inverse| match inverse {
            Inverse::PutElement(element, _) => Some(sha1(element)),
            Inverse::PutBack(_, chosen, _) if !self.waiting.contains_key(&chosen.member) => {
                let entry = making.queue.unwrap(&chosen.member).ok()?;
                Some(sha1(entry.payload))
            }
            _ => None,
        };
        let sought = open.iter().enumerate();
        let sought = sought.filter_map(|(place, one)| Some((place, hash(&one.inverse)?)));
        let sought: Vec<(usize, [u8; 20])> = sought.collect();
        let wanted: HashSet<[u8; 20]> = sought.iter().map(|(_, hash)| *hash).collect();
        let back = standing.iter().map(|element| sha1(element));
        let back: Vec<_> = back.filter(|hash| wanted.contains(hash)).collect();
        // One more of each, too: which of equal ones is still there cannot be seen.
        let more: Vec<[u8; 20]> = wanted.iter().copied().collect();
        let hashes = back.iter().chain(sought.iter().map(|(_, hash)| hash));
        let hashes: Vec<_> = hashes.chain(&more).copied().collect();
        let found = target::elements(making, &hashes).await?;
        let (found, extra) = found[back.len()..].split_at(sought.len());
        let equal = more.iter().zip(extra).filter(|(_, extra)| extra.is_some());
        let equal: HashSet<&[u8; 20]> = equal.map(|(hash, _)| hash).chain(&back).collect();
        let of_equal = sought.iter().filter(|(_, hash)| equal.contains(hash));
        self.equal = of_equal.map(|(place, _)| *place).collect();
        let found = sought.iter().zip(found);
        let found = found.filter(|(_, element)| element.is_some());
        self.in_target = found.map(|((place, _), _)| *place).collect();
        Ok(())
    }

    /// Looks for what was perhaps transferred, which is known by its score, its id and the hash of
    /// its payload: it may wait still.
    pub(super) async fn look_for_the_transferred(
        &mut self,
        making: &Making<'_>,
        open: &[OpenItem],
    ) -> Result<(), ChangeError> {
        let mut sought: HashMap<(EntryId, [u8; 20]), Vec<usize>> = HashMap::new();
        let mut scores = Vec::new();
        for (place, one) in open.iter().enumerate() {
            if let Inverse::TakeBack(transferred) = &one.inverse {
                let known = (transferred.id, transferred.hash);
                sought.entry(known).or_default().push(place);
                scores.push(transferred.score);
            }
        }
        scores.sort_by(f64::total_cmp);
        scores.dedup();
        let timeouts = making.queue.keys().timeouts;
        let mut next = 0;
        while let Some(lowest) = scores.get(next).copied() {
            let (_, page) = read::rows_from(making.store, &timeouts, lowest, ROWS).await?;
            let mut last = None;
            for (member, score) in &page.rows {
                last = Some(*score);
                if let Ok(entry) = making.queue.unwrap(member)
                    && let Some(places) = sought.remove(&(entry.id, sha1(entry.payload)))
                {
                    self.untransferred.extend(places);
                }
            }
            next = match last {
                Some(last) if page.rows.len() >= ROWS as usize => {
                    let seen = scores.partition_point(|score| *score < last);
                    seen.max(next + 1)
                }
                _ => return Ok(()),
            };
        }
        Ok(())
    }
}
