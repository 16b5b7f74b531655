//! The part of a change that a failover would take back: all that was done and that some replica
//! does not have yet.
//!
//! A replica that becomes master begins a new history of the data, and says up to which offset of
//! the former one it has everything (`master_replid2`, `second_repl_offset`). So an entry that was
//! done at an offset behind that is lost, exactly, also where the former master goes on answering
//! for a while. A planned failover shows at once in the former master: it has a replica less.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::time::{Duration, Instant};

use crate::queue::{EntryId, Outcome};
use crate::store::read::Replication;

/// The entries that may still be lost in a failover.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// The history in which the change runs; none until a replica was seen.
    history: Option<String>,
    /// The histories that it ran in before.
    left: Vec<String>,
    /// The most replicas that were there at once since that history began.
    replicas: usize,
    /// The moment at which one of them was missed.
    missed_at: Option<Instant>,
    /// The offset behind the last script, if it was told.
    at: Option<u64>,
    /// The last answers came from a master that is none any more.
    is_astray: bool,
    rows: VecDeque<DoneRow>,
    /// The entries that a failover may have taken back, by their items in the journal: equal elements
    /// have one id.
    doubt: BTreeMap<u64, DoubtfulEntry>,
    failovers: u64,
}

/// The entries of a script, and the offset behind it; none: it is not known, and will be no more
/// than the next one.
#[derive(Debug)]
struct DoneRow {
    offset: Option<u64>,
    entries: Vec<(u64, EntryId)>,
}

/// An entry that a failover may have taken back.
#[derive(Clone, Copy, Debug)]
pub(super) struct DoubtfulEntry {
    /// Its item in the journal.
    pub(super) item: u64,
    pub(super) id: EntryId,
    /// Its outcome, as it was told.
    pub(super) outcome: Outcome,
}

/// The server that tells of its replication.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Teller {
    /// The master of before.
    Same,
    /// Another one: there was a failover.
    Other,
    /// The former master, or a master that has become a replica: it must be left.
    Former,
}

impl Ledger {
    /// Learns what a server tells of its replication, at `now`.
    pub(super) fn saw(&mut self, seen: &Replication, now: Instant) -> Teller {
        self.is_astray = self.history.is_some() && !seen.is_master;
        if self.is_astray {
            self.missed_at.get_or_insert(now);
            return Teller::Former;
        }
        match &self.history {
            None if seen.replicas.is_empty() => Teller::Same,
            None => {
                self.history = Some(seen.history.clone());
                self.goes_on(seen, now)
            }
            Some(history) if *history == seen.history => self.goes_on(seen, now),
            Some(_) if self.left.contains(&seen.history) => {
                self.is_astray = true;
                self.at = None;
                Teller::Former
            }
            Some(history) => {
                let former = history.clone();
                self.failed_over(former, seen);
                Teller::Other
            }
        }
    }

    fn goes_on(&mut self, seen: &Replication, now: Instant) -> Teller {
        let there = seen.replicas.len();
        self.replicas = self.replicas.max(there);
        self.at = Some(seen.offset);
        for row in self.rows.iter_mut().rev() {
            if row.offset.is_some() {
                break;
            }
            row.offset = Some(seen.offset);
        }
        if there < self.replicas {
            self.missed_at.get_or_insert(now);
            return Teller::Same;
        }
        self.missed_at = None;
        let everywhere = seen.replicas.iter().map(|replica| replica.offset).min();
        let is_safe = |row: &DoneRow| row.offset.is_some() && row.offset <= everywhere;
        while self.rows.front().is_some_and(is_safe) {
            self.rows.pop_front();
        }
        Teller::Same
    }

    fn failed_over(&mut self, former: String, seen: &Replication) {
        let cut = seen.former.as_ref().filter(|(id, _)| *id == former);
        let is_lost = |row: &DoneRow| match (cut, row.offset) {
            (Some((_, cut)), Some(offset)) => offset >= *cut,
            // A history in between, or a script whose offset nobody told.
            _ => true,
        };
        let rows = std::mem::take(&mut self.rows);
        for row in rows.into_iter().filter(is_lost) {
            self.put_in_doubt(row.entries, Outcome::Done);
        }
        self.left.push(former);
        self.history = Some(seen.history.clone());
        self.replicas = seen.replicas.len();
        self.missed_at = None;
        self.at = Some(seen.offset);
        self.failovers += 1;
    }

    /// Takes note that the offset behind the last script was not told.
    pub(super) const fn missed(&mut self) {
        self.at = None;
    }

    /// Takes note of entries that the last script has done, each with its item in the journal.
    pub(super) fn done(&mut self, entries: Vec<(u64, EntryId)>) {
        if self.history.is_none() || entries.is_empty() {
            return;
        }
        if self.is_astray {
            self.put_in_doubt(entries, Outcome::Done);
            return;
        }
        let offset = self.at;
        self.rows.push_back(DoneRow { offset, entries });
    }

    /// Takes out those in doubt that a script has found by itself, under other items: it could only
    /// do so because they had been taken back. (What it finds has ids of its own.)
    pub(super) fn found_again(&mut self, ids: impl Iterator<Item = EntryId>) -> Vec<DoubtfulEntry> {
        if self.doubt.is_empty() || self.is_astray {
            return Vec::new();
        }
        let ids: HashSet<EntryId> = ids.collect();
        let (again, doubt) = std::mem::take(&mut self.doubt)
            .into_iter()
            .partition(|(_, doubt)| ids.contains(&doubt.id));
        self.doubt = doubt;
        let again: BTreeMap<u64, DoubtfulEntry> = again;
        again.into_values().collect()
    }

    /// Puts entries in doubt that were told to have this outcome.
    pub(super) fn put_in_doubt(
        &mut self,
        entries: impl IntoIterator<Item = (u64, EntryId)>,
        outcome: Outcome,
    ) {
        let doubtful = |(item, id)| (item, DoubtfulEntry { item, id, outcome });
        self.doubt.extend(entries.into_iter().map(doubtful));
    }

    /// Takes out the entries in doubt, in the order of their items.
    pub(super) fn take_doubt(&mut self) -> Vec<DoubtfulEntry> {
        std::mem::take(&mut self.doubt).into_values().collect()
    }

    /// True when some of the entries are in doubt.
    pub(super) fn doubts(&self) -> bool {
        !self.doubt.is_empty()
    }

    /// True when all replicas have all that was done.
    pub(super) fn is_everywhere(&self) -> bool {
        self.rows.is_empty()
    }

    /// True once replicas were seen: there is something that could fail over.
    pub(super) const fn is_kept(&self) -> bool {
        self.history.is_some()
    }

    /// The replicas that shall have what was done.
    pub(super) const fn replicas(&self) -> usize {
        self.replicas
    }

    /// True when the last answer came from a server that is not the master.
    pub(super) const fn is_astray(&self) -> bool {
        self.is_astray
    }

    /// Counts the failovers that it has seen.
    pub(super) const fn failovers(&self) -> u64 {
        self.failovers
    }

    /// The time for which a replica has been missed that has left; none when none is.
    pub(super) fn misses(&self, now: Instant) -> Option<Duration> {
        Some(now.saturating_duration_since(self.missed_at?))
    }

    /// Gives up replicas that have left: they come back, or not. `there` are.
    pub(super) fn give_up(&mut self, there: usize) {
        self.replicas = there;
        self.missed_at = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::instant;
    use crate::store::read::Replica;

    fn master(history: &str, offset: u64, replicas: &[u64]) -> Replication {
        let replica = |offset: &u64| Replica {
            offset: *offset,
            copied: false,
        };
        Replication {
            is_master: true,
            history: history.to_owned(),
            offset,
            former: None,
            replicas: replicas.iter().map(replica).collect(),
        }
    }

    fn id(n: u8) -> EntryId {
        EntryId([n; 8])
    }

    fn entry(n: u8) -> Vec<(u64, EntryId)> {
        vec![(u64::from(n), id(n))]
    }

    fn in_doubt(ledger: &mut Ledger) -> Vec<u8> {
        let doubt = ledger.take_doubt();
        doubt.iter().map(|doubt| doubt.id.0[0]).collect()
    }

    /// Three scripts behind which the master stands at 100, 200 and 300.
    fn three(replicas: &[u64]) -> Ledger {
        let mut ledger = Ledger::default();
        for (n, offset) in [(1, 100), (2, 200), (3, 300)] {
            assert_eq!(
                ledger.saw(&master("a", offset, replicas), instant()),
                Teller::Same
            );
            ledger.done(entry(n));
        }
        ledger
    }

    #[test]
    fn what_was_done_behind_the_offset_at_which_the_new_history_begins_is_lost() {
        for (cut, lost) in [(301, &[][..]), (300, &[3]), (201, &[3]), (200, &[2, 3])] {
            let mut ledger = three(&[0, 0]);
            let took_over = Replication {
                former: Some(("a".to_owned(), cut)),
                ..master("b", 400, &[])
            };
            assert_eq!(ledger.saw(&took_over, instant()), Teller::Other);
            assert_eq!(in_doubt(&mut ledger), lost, "{cut}");
        }
    }

    #[test]
    fn what_all_replicas_have_cannot_be_lost_and_what_only_one_has_can() {
        let mut ledger = three(&[0, 0]);
        ledger.saw(&master("a", 300, &[300, 100]), instant());
        // Nobody knows how these histories are related.
        ledger.saw(&master("c", 400, &[]), instant());
        assert_eq!(in_doubt(&mut ledger), [2, 3]);
    }

    #[test]
    fn a_script_whose_offset_was_not_told_is_no_further_than_the_next_one() {
        let mut ledger = three(&[0]);
        ledger.missed();
        ledger.done(entry(4));
        ledger.saw(&master("a", 500, &[400]), instant());
        let took_over = Replication {
            former: Some(("a".to_owned(), 401)),
            ..master("b", 600, &[])
        };
        ledger.saw(&took_over, instant());
        assert_eq!(in_doubt(&mut ledger), [4]);
    }

    #[test]
    fn what_the_former_master_did_after_the_failover_is_in_doubt() {
        let mut ledger = three(&[300]);
        ledger.saw(&master("a", 300, &[300]), instant());
        let took_over = Replication {
            former: Some(("a".to_owned(), 301)),
            ..master("b", 400, &[])
        };
        ledger.saw(&took_over, instant());
        assert_eq!(
            ledger.saw(&master("a", 350, &[]), instant()),
            Teller::Former
        );
        ledger.done(entry(4));
        assert_eq!(in_doubt(&mut ledger), [4]);
        assert_eq!(ledger.saw(&took_over, instant()), Teller::Same);
        ledger.done(entry(5));
        assert!(in_doubt(&mut ledger).is_empty());
    }

    #[test]
    fn what_a_script_finds_again_is_in_doubt_no_more() {
        let mut ledger = three(&[0]);
        ledger.saw(&master("c", 400, &[]), instant());
        let again = ledger.found_again([id(2), id(9)].into_iter());
        let again: Vec<_> = again.iter().map(|doubt| doubt.item).collect();
        assert_eq!(again, [2]);
        assert_eq!(in_doubt(&mut ledger), [1, 3]);
    }

    #[test]
    fn equal_elements_are_in_doubt_one_by_one() {
        let mut ledger = three(&[0]);
        ledger.done(vec![(7, id(3)), (8, id(3))]);
        ledger.saw(&master("c", 400, &[]), instant());
        // One more of them that was not lost is done by the next script.
        ledger.done(vec![(9, id(3))]);
        let items: Vec<u64> = ledger.take_doubt().iter().map(|doubt| doubt.item).collect();
        assert_eq!(items, [1, 2, 3, 7, 8]);
    }

    #[test]
    fn a_replica_that_leaves_is_missed_until_it_is_back_or_given_up() {
        let mut ledger = three(&[0, 0]);
        let now = instant();
        assert_eq!(ledger.misses(now), None);
        ledger.saw(&master("a", 300, &[0]), now);
        let later = now + Duration::from_secs(7);
        ledger.saw(&master("a", 300, &[0]), later);
        assert_eq!(ledger.misses(later), Some(Duration::from_secs(7)));
        ledger.saw(&master("a", 300, &[0, 0]), now);
        assert_eq!(ledger.misses(now), None);
        ledger.saw(&master("a", 300, &[0]), now);
        ledger.give_up(1);
        ledger.saw(&master("a", 300, &[0]), now);
        assert_eq!(ledger.misses(now), None);
    }

    #[test]
    fn without_replicas_nothing_is_kept() {
        let mut ledger = three(&[]);
        assert!(!ledger.is_kept());
        ledger.saw(&master("b", 300, &[]), instant());
        assert!(!ledger.doubts());
    }
}
