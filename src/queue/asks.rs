//! The question before a change is made: the more it touches, the more is asked.

use super::change::Change;
use super::plan::Plan;

/// A question that is asked before a change.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Confirmation {
    /// Yes or no, with the plan in sight.
    Yes,
    /// The queue's name.
    Name(NameReason),
}

/// The reason why a yes is not enough.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum NameReason {
    /// The profile wants it so.
    Protected,
    /// They are more than [`MOST_ENTRIES_FOR_A_YES`].
    Many,
    /// They are more than half of those that there are.
    Half,
}

/// For more entries than this the queue's name is asked for.
pub const MOST_ENTRIES_FOR_A_YES: u64 = 1_000;

impl Confirmation {
    /// The question before a change of so many entries, of so many where they are a part of a whole.
    /// `protected`: the profile says so.
    #[must_use]
    pub fn about(planned: u64, of: Option<u64>, protected: bool) -> Self {
        // A single one stands in the question with what it says.
        let half = |of: u64| planned > 1 && planned > of / 2;
        if protected {
            Self::Name(NameReason::Protected)
        } else if planned > MOST_ENTRIES_FOR_A_YES {
            Self::Name(NameReason::Many)
        } else if of.is_some_and(half) {
            Self::Name(NameReason::Half)
        } else {
            Self::Yes
        }
    }
}

impl Plan {
    /// The question before it is applied. `protected`: the profile says so.
    #[must_use]
    pub fn asks(&self, protected: bool) -> Confirmation {
        match self.change {
            // It touches no entry.
            Change::Kick => Confirmation::Yes,
            _ => Confirmation::about(self.planned, self.of, protected),
        }
    }

    /// Tells whether it is made all the same where there is nobody to be asked: it touches one
    /// waiting entry and can be taken back, or does no harm.
    #[must_use]
    pub const fn goes_unasked(&self, protected: bool) -> bool {
        match self.change {
            Change::Kick => true,
            Change::Requeue
            | Change::Delete
            | Change::Edit
            | Change::Repack
            | Change::Quarantine
            | Change::Duplicate
            | Change::Undo => !protected && self.planned <= 1 && self.target.is_none(),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::EpochMillis;
    use crate::queue::Queue;

    fn plan(change: Change, planned: u64, of: Option<u64>) -> Plan {
        let (queue, at) = (Queue::redisson("orders"), EpochMillis::new(0));
        Plan {
            planned,
            of,
            ..Plan::new(change, &queue, "prod:6379/0".to_owned(), at)
        }
    }

    #[test]
    fn every_change_asks_and_the_name_is_typed_for_many_or_for_more_than_half() {
        for change in Change::ALL {
            for planned in [0, 1, 2, 1_000] {
                let asks = plan(change, planned, None).asks(false);
                assert_eq!(asks, Confirmation::Yes, "{change:?} of {planned}");
            }
        }
        let asks = |planned, of| plan(Change::Delete, planned, of).asks(false);
        assert_eq!(asks(1_000, Some(5_000)), Confirmation::Yes);
        assert_eq!(
            asks(1_001, Some(5_000)),
            Confirmation::Name(NameReason::Many)
        );
        assert_eq!(asks(5, Some(10)), Confirmation::Yes);
        assert_eq!(asks(6, Some(10)), Confirmation::Name(NameReason::Half));
        assert_eq!(asks(2, Some(3)), Confirmation::Name(NameReason::Half));
        // One that is alone is seen.
        assert_eq!(asks(1, Some(1)), Confirmation::Yes);
    }

    #[test]
    fn a_protected_profile_asks_for_the_name_of_all_but_a_kick() {
        let asks = |change| plan(change, 1, None).asks(true);
        assert_eq!(
            asks(Change::Delete),
            Confirmation::Name(NameReason::Protected)
        );
        assert_eq!(asks(Change::Kick), Confirmation::Yes);
    }

    #[test]
    fn without_anybody_to_ask_only_what_is_small_and_can_be_taken_back_is_done() {
        use Change as C;
        for one in [
            C::Delete,
            C::Requeue,
            C::Edit,
            C::Repack,
            C::Quarantine,
            C::Duplicate,
            C::Undo,
        ] {
            assert!(plan(one, 1, None).goes_unasked(false), "{one:?}");
            assert!(!plan(one, 1, None).goes_unasked(true), "{one:?}");
            assert!(!plan(one, 2, None).goes_unasked(false), "{one:?}");
            let mut delivered = plan(one, 1, None);
            delivered.target = Some((3, 2));
            assert!(!delivered.goes_unasked(false), "{one:?}");
        }
        for one in [C::Transfer, C::Deliver, C::Drift, C::Restore, C::Realign] {
            assert!(!plan(one, 1, None).goes_unasked(false), "{one:?}");
        }
        assert!(plan(C::Kick, 0, None).goes_unasked(true));
    }
}
