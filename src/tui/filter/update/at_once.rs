//! The first picture of a new filter, before its search has found anything: what is known already,
//! as far as no key has to wait for it.

use std::collections::{HashMap, HashSet};

use crate::clock::EpochMillis;
use crate::payload::Effort;
use crate::queue::Filter;
use crate::tui::entries::{EntryRow, decode};
use crate::tui::filter::Hit;
use crate::tui::model::Model;

/// The most hits of the filter before that are held against the new one at once.
const AT_ONCE: usize = 1_000;

/// But no more bytes of them than this, and of what they say: they have to be decoded.
const AT_ONCE_BYTES: usize = 128 << 10;

/// The most values in them, and bytes unpacked, which is a few ms at worst: of a small payload that
/// is made to hurt whoever reads it, one takes more than that.
const AT_ONCE_EFFORT: Effort = Effort::of(60_000, 256 << 10);

/// Nor does all of what is known already take longer than about this, in ns: no key waits for a
/// pattern in payloads of megabytes. What is left out is found by the search.
const AT_ONCE_NS: u64 = 5_000_000;

/// Rows that are held against a filter, as long as there is time.
struct TimedRows<'a> {
    filter: &'a Filter,
    at: EpochMillis,
    /// The time that is left, in ns.
    left: u64,
    /// The factor by which a payload says more than its bytes: what is compressed is the like of
    /// what is in sight.
    grows: usize,
    seen: Vec<Hit>,
}

impl TimedRows<'_> {
    /// Tells whether there is time to look through so many bytes, and deducts it when there is.
    fn in_time(&mut self, bytes: usize) -> bool {
        let rest = self.left.checked_sub(self.filter.cost_ns(bytes));
        self.left = rest.unwrap_or(self.left);
        rest.is_some()
    }

    /// Holds a row against the filter.
    fn try_row(&mut self, row: &EntryRow, score: Option<f64>) {
        let weight = row.weight(AT_ONCE_BYTES);
        self.grows = self.grows.max(weight / row.member.len().max(1));
        if self.in_time(weight) && row.matches(self.filter, self.at) {
            self.seen.push(Hit {
                member: row.member.clone(),
                score,
                sure: false,
                gone: false,
            });
        }
    }
}

/// The entries that are known already and match.
pub(crate) fn seen_already(model: &Model, filter: &Filter) -> Vec<Hit> {
    let Some(row) = model.selected() else {
        return Vec::new();
    };
    let of = (&row.queue, row.habit);
    let (whole, before) = match &model.filtered {
        Some(filtered) => (&filtered.whole, &filtered.hits[..]),
        None => (&model.entries, &[][..]),
    };
    let mut at_once = TimedRows {
        filter,
        at: model.schedule.exact,
        left: AT_ONCE_NS,
        grows: 1,
        seen: Vec::new(),
    };
    let mut members: HashSet<&[u8]> = HashSet::new();
    let lists = model.tab.list().map(|list| &model.lists.of(list).rows);
    let whole = whole.rows.iter().filter(|_| lists.is_none());
    let lists = lists.into_iter().flatten().map(|element| &element.row);
    for row in whole.chain(lists) {
        if members.insert(&row.member) {
            at_once.try_row(row, row.scored().then_some(row.score));
        }
    }
    let shown = model.entries.rows.iter();
    let decoded: HashMap<&[u8], &EntryRow> =
        shown.map(|row| (row.member.as_slice(), row)).collect();
    let (mut bytes, mut effort) = (0, AT_ONCE_EFFORT);
    for hit in before.iter().filter(|hit| !hit.gone).take(AT_ONCE) {
        if !members.insert(&hit.member) {
            continue;
        }
        if let Some(row) = decoded.get(hit.member.as_slice()) {
            at_once.try_row(row, hit.score);
            continue;
        }
        let weight = hit.member.len().saturating_mul(at_once.grows);
        bytes += weight;
        if bytes > AT_ONCE_BYTES || effort.is_spent() {
            break;
        }
        if at_once.left < filter.cost_ns(weight) {
            continue;
        }
        let score = hit.score.unwrap_or(f64::NAN);
        let row = decode::of_tab_within(of, model.tab, &hit.member, score, &mut effort);
        if let Some(row) = row {
            bytes += row.weight(AT_ONCE_BYTES).saturating_sub(weight);
            at_once.try_row(&row, hit.score);
        }
    }
    at_once.seen.sort_by(super::found::by_due);
    at_once.seen
}
