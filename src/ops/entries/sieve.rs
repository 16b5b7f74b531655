//! The conditions that an entry must meet to be told.

use super::{EntryPlace, Selection};
use crate::payload::{self, Habit};
use crate::queue::filter::Bounds;
use crate::queue::{Entry, EntryId, EntryParts, Filter, Queue, State};

pub(super) struct Sieve {
    queue: Queue,
    /// In lower case; all when empty.
    ids: Vec<String>,
    filter: Filter,
    habit: Habit,
    bounds: Bounds,
    /// Nothing that timeouts holds.
    order_only: bool,
}

impl Sieve {
    /// `bounds` are those of the whole selection, the filter among it.
    pub(super) fn new(queue: &Queue, selection: &Selection, bounds: Bounds) -> Self {
        Self {
            queue: queue.clone(),
            ids: selection.ids.iter().map(|id| id.to_lowercase()).collect(),
            filter: selection.filter.clone(),
            habit: selection.habit,
            bounds,
            order_only: selection.from == EntryPlace::OrderOnly,
        }
    }

    pub(super) fn keeps(&self, entry: &Entry) -> bool {
        let due = entry.score.map(|score| self.queue.due(score));
        if !self.bounds.hold(due) || (self.order_only && entry.score.is_some()) {
            return false;
        }
        if self.ids.is_empty() && self.filter.is_empty() {
            return true;
        }
        let member = entry.member.as_slice();
        // Elements of target have no frame any more.
        let unwrapped = match entry.state {
            State::Delivered => None,
            _ => Some(self.queue.unwrap(member)),
        };
        let (id, payload) = match &unwrapped {
            Some(Ok(unwrapped)) => (unwrapped.id, unwrapped.payload),
            _ => (EntryId::of_bytes(member), member),
        };
        if !self.ids.is_empty() && !self.ids.contains(&id.to_string()) {
            return false;
        }
        let seen = |codec, text| EntryParts {
            id,
            due,
            codec,
            text,
        };
        if !self.filter.needs_payload() {
            return self.filter.finds(&seen("", ""));
        }
        let plain = self.habit.plain(payload);
        if plain.is_some_and(|raw| !self.filter.may_find(id, raw)) {
            return false;
        }
        let (codec, text) = self.habit.whole(payload);
        // What is no frame may look like a payload, and be looked for as that; it has no codec.
        let codec = match unwrapped {
            Some(Err(_)) => payload::Codec::Unknown,
            _ => codec,
        };
        self.filter.finds(&seen(codec.name(), &text))
    }
}
