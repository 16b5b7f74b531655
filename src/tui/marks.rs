//! The marks on entries: by rule, and one by one. A million of them are a rule, never a list.

pub mod queries;
pub mod update;

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::clock::EpochMillis;
use crate::payload::{Codec, Habit};
use crate::queue::{Due, Entry, EntryId, EntryParts, Filter, Queue, State, text};
use crate::tui::entries::EntryRow;
use crate::tui::tabs::Tab;

/// The marks on the entries of one queue, in one tab. An entry is marked when a rule holds for it;
/// those in `toggled` are the other way round.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Marks {
    /// The rules that mark entries as a whole.
    pub rules: Vec<MarkRule>,
    /// By member: marked although no rule holds, or not marked although one does. Of equal elements
    /// as many as have places.
    pub toggled: HashMap<Vec<u8>, ToggledEntry>,
    /// The place where a range began that is not ended yet.
    pub range: Option<TimeoutsPlace>,
    /// The codecs by which the payloads of their queue are read, for a filter that looks into them.
    pub habit: Habit,
    /// The tab that they were set in.
    pub tab: Tab,
    /// The places of equal elements are those among what a filter leaves.
    pub(crate) among_hits: bool,
    /// Of the rows that are loaded: whether a filter of `rules` matches them.
    pub(crate) matching: HashMap<Vec<u8>, bool>,
}

/// An entry that was marked, or unmarked, by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct ToggledEntry {
    /// Its score, as last read; none where there is none.
    pub score: Option<f64>,
    /// It is marked; else it is left out of what a rule marks.
    pub marked: bool,
    /// Elements of target can be equal: the place of each copy that is meant, from the head or among
    /// what a filter leaves. Elsewhere one place, which nobody looks at.
    pub places: Vec<u64>,
}

impl ToggledEntry {
    /// Returns the number of entries that it stands for.
    #[must_use]
    pub fn copies(&self) -> u64 {
        self.places.len() as u64
    }
}

/// A rule that marks many.
#[derive(Clone, Debug, PartialEq)]
pub struct MarkRule {
    /// The entries that it holds for.
    pub what: MarkScope,
    /// Number of these entries when last counted.
    pub count: u64,
    /// The count is still right.
    pub exact: bool,
}

/// The entries that a rule holds for.
#[derive(Clone, Debug, PartialEq)]
pub enum MarkScope {
    /// All there are.
    All,
    /// All that a filter matches, its relative times meant at that moment.
    Filter(Filter, EpochMillis),
    /// All due from the first moment on and before the second.
    Due(EpochMillis, EpochMillis),
    /// All from one place to another, both included. By score and member: ranks move.
    Span(TimeoutsPlace, TimeoutsPlace),
}

/// A place in timeouts.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeoutsPlace {
    /// The score there.
    pub score: f64,
    /// The member there; members of one score are in the order of their bytes.
    pub member: Vec<u8>,
    /// The rank it had when it was chosen.
    pub rank: u64,
}

impl TimeoutsPlace {
    /// Compares an entry with this place: it stands before it, at it or behind it.
    fn compare(&self, score: f64, member: &[u8]) -> Ordering {
        let by_score = score.total_cmp(&self.score);
        by_score.then_with(|| member.cmp(&self.member))
    }
}

impl MarkScope {
    /// From one place to the other, whichever comes first.
    #[must_use]
    pub fn span(a: TimeoutsPlace, b: TimeoutsPlace) -> Self {
        let behind = b.score.total_cmp(&a.score);
        if behind.then_with(|| b.member.cmp(&a.member)).is_lt() {
            Self::Span(b, a)
        } else {
            Self::Span(a, b)
        }
    }

    /// Tells whether it holds for `row`.
    #[must_use]
    pub fn holds(&self, row: &EntryRow) -> bool {
        match self {
            Self::Filter(filter, at) => row.matches(filter, *at),
            _ => self.holds_at(row.due, row.score, &row.member),
        }
    }

    /// Tells whether it holds for an entry by its due time, score and member; a filter looks at
    /// more than that.
    fn holds_at(&self, due: Due, score: f64, member: &[u8]) -> bool {
        match self {
            Self::All => true,
            Self::Filter(..) => false,
            Self::Due(from, to) => due.at().is_some_and(|at| at >= *from && at < *to),
            Self::Span(from, to) => {
                from.compare(score, member).is_ge() && to.compare(score, member).is_le()
            }
        }
    }

    /// Tells whether it holds for an entry that is no row of the screen, as it would for a row.
    fn holds_for(&self, queue: &Queue, habit: Habit, entry: &Entry) -> bool {
        let score = entry.score.unwrap_or(f64::NAN);
        let due = queue.due(score);
        let Self::Filter(filter, at) = self else {
            return self.holds_at(due, score, &entry.member);
        };
        let unwrapped = match entry.state {
            State::Delivered => None,
            _ => Some(queue.unwrap(&entry.member)),
        };
        let (id, payload) = match &unwrapped {
            Some(Ok(unwrapped)) => (unwrapped.id, Some(unwrapped.payload)),
            Some(Err(_)) => (EntryId::of_bytes(&entry.member), None),
            None => (EntryId::of_bytes(&entry.member), Some(&entry.member[..])),
        };
        let (codec, text) = match payload {
            _ if !filter.needs_payload() => (Codec::Unknown, String::new()),
            Some(payload) => habit.whole(payload),
            None => (Codec::Unknown, text::printable_bytes(&entry.member)),
        };
        let seen = EntryParts {
            id,
            due: Some(due),
            codec: codec.name(),
            text: &text,
        };
        filter.matches(&seen, *at)
    }
}

impl Marks {
    /// Nothing is marked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.toggled.values().all(|toggled| !toggled.marked)
    }

    /// All that waits is marked, whatever is offered meanwhile.
    #[must_use]
    pub fn are_all(&self) -> bool {
        let all = |rule: &MarkRule| rule.what == MarkScope::All;
        self.tab == Tab::Waiting && self.toggled.is_empty() && self.rules.iter().any(all)
    }

    /// A rule marks `row`.
    #[must_use]
    pub fn ruled(&self, row: &EntryRow) -> bool {
        self.rules.iter().any(|rule| match &rule.what {
            // Looking into a payload takes long: it was done when the row was loaded.
            MarkScope::Filter(..) => match self.matching.get(&row.member) {
                Some(known) => *known,
                None => rule.what.holds(row),
            },
            what => what.holds(row),
        })
    }

    /// `row` is marked, which stands at that place.
    #[must_use]
    pub fn has(&self, row: &EntryRow, place: u64) -> bool {
        match self.toggled.get(&row.member) {
            Some(toggled) if self.meant(toggled, place) => toggled.marked,
            Some(toggled) => !toggled.marked,
            None => self.ruled(row),
        }
    }

    /// `row` is marked, or an equal one is.
    #[must_use]
    pub fn has_any(&self, row: &EntryRow) -> bool {
        match self.toggled.get(&row.member) {
            Some(toggled) => toggled.marked || self.tab.has_equal(),
            None => self.ruled(row),
        }
    }

    /// Tells whether the copy at that place is one of those that were toggled.
    fn meant(&self, toggled: &ToggledEntry, place: u64) -> bool {
        !self.tab.has_equal() || toggled.places.contains(&place)
    }

    /// An entry that is no row of the screen is marked; of equal ones, some of them are.
    #[must_use]
    pub fn marks(&self, queue: &Queue, entry: &Entry) -> bool {
        let holds = |rule: &MarkRule| rule.what.holds_for(queue, self.habit, entry);
        match self.toggled.get(&entry.member) {
            Some(toggled) => toggled.marked || self.tab.has_equal(),
            None => self.rules.iter().any(holds),
        }
    }

    /// The copy of `row` at that place is marked, or no longer: as the rules do not say, or as they
    /// do again.
    pub(crate) fn toggle(&mut self, row: &EntryRow, place: u64) {
        let equal = self.tab.has_equal();
        let marked = !self.ruled(row);
        let score = row.scored().then_some(row.score);
        let toggled = self.toggled.entry(row.member.clone());
        let toggled = toggled.or_insert_with(|| ToggledEntry {
            score,
            marked,
            places: Vec::new(),
        });
        let at = toggled.places.iter().position(|at| !equal || *at == place);
        match at {
            Some(at) => {
                toggled.places.remove(at);
            }
            None => toggled.places.push(place),
        }
        if toggled.places.is_empty() {
            self.toggled.remove(&row.member);
        }
    }

    /// `now` marks the same, or what is left of it: what has gone meanwhile is marked no more.
    #[must_use]
    pub fn left_in(&self, now: &Self) -> bool {
        let rules = |marks: &Self| -> Vec<MarkScope> {
            marks.rules.iter().map(|rule| rule.what.clone()).collect()
        };
        let known = |(member, toggled): (&Vec<u8>, &ToggledEntry)| {
            let before = self.toggled.get(member);
            before.is_some_and(|before| {
                before.marked == toggled.marked && before.copies() >= toggled.copies()
            })
        };
        self.tab == now.tab && rules(self) == rules(now) && now.toggled.iter().all(known)
    }

    /// Counts the marked entries of a tab of `waiting` entries, and tells whether that is exact.
    #[must_use]
    pub fn count(&self, waiting: u64) -> (u64, bool) {
        let all = self.rules.iter().any(|rule| rule.what == MarkScope::All);
        // An entry that stands twice in the order list is one entry.
        let exact = all && self.tab != Tab::Order
            || match &self.rules[..] {
                [] => true,
                [one] => one.exact && !all,
                // Two rules may mark the same entries.
                _ => false,
            };
        let ruled: u64 = self.rules.iter().map(|rule| rule.count).sum();
        let ruled = if all { waiting } else { ruled.min(waiting) };
        let copies = |marked| -> u64 {
            let toggled = self.toggled.values().filter(|t| t.marked == marked);
            toggled.map(ToggledEntry::copies).sum()
        };
        let (marked, left_out) = (copies(true), copies(false));
        ((ruled + marked).saturating_sub(left_out), exact)
    }
}

impl Tab {
    /// Tells whether its entries can be equal, so that only their places tell them apart.
    #[must_use]
    pub const fn has_equal(self) -> bool {
        matches!(self, Self::Delivered)
    }
}
