//! What is asked before a change is made: the more it touches, the more.

use super::plan::{Change, Plan};

/// What is asked.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Asks {
    /// Nothing: it is done, and can be taken back or does no harm.
    Nothing,
    /// Yes or no, with the plan in sight.
    Yes,
    /// The queue's name.
    Name,
}

/// From so many entries on the queue's name is asked for.
pub const MANY: u64 = 1_000;

impl Plan {
    /// What is asked before it is applied. `protected`: the profile says so. `throwaway`: the
    /// server ends with the program, so that nothing on it is worth the typing.
    #[must_use]
    pub const fn asks(&self, protected: bool, throwaway: bool) -> Asks {
        match self.change {
            Change::Kick => Asks::Nothing,
            _ if throwaway && self.planned <= 1 => Asks::Nothing,
            _ if throwaway => Asks::Yes,
            _ if protected || self.planned >= MANY => Asks::Name,
            Change::Requeue
            | Change::Delete
            | Change::Edit
            | Change::Repack
            | Change::Quarantine
            | Change::Duplicate
            | Change::Undo
                if self.planned <= 1 && self.target.is_none() =>
            {
                Asks::Nothing
            }
            _ => Asks::Yes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::EpochMillis;
    use crate::queue::Queue;

    fn plan(change: Change, planned: u64, target: Option<(u64, u64)>) -> Plan {
        let (queue, at) = (Queue::redisson("orders"), EpochMillis::new(0));
        Plan {
            planned,
            target,
            ..Plan::new(change, &queue, "prod:6379/0".to_owned(), at)
        }
    }

    #[test]
    fn the_more_a_change_touches_the_more_is_asked() {
        use Change as C;
        let asks = |change, planned, target| plan(change, planned, target).asks(false, false);
        for one in [
            C::Delete,
            C::Requeue,
            C::Edit,
            C::Repack,
            C::Quarantine,
            C::Duplicate,
            C::Undo,
        ] {
            assert_eq!(
                asks(one, 1, None),
                Asks::Nothing,
                "{one:?} of a waiting one"
            );
            assert_eq!(
                asks(one, 1, Some((3, 2))),
                Asks::Yes,
                "{one:?} of a delivered one"
            );
            assert_eq!(asks(one, 2, None), Asks::Yes, "{one:?} of two");
            assert_eq!(asks(one, 999, None), Asks::Yes, "{one:?} of 999");
            assert_eq!(asks(one, 1_000, None), Asks::Name, "{one:?} of 1,000");
        }
        for one in [
            C::Transfer,
            C::Deliver,
            C::Realign,
            C::RestoreOrder,
            C::Drift,
            C::Restore,
            C::RenameTaken,
        ] {
            assert_eq!(asks(one, 1, None), Asks::Yes, "{one:?} of one");
        }
        assert_eq!(asks(C::Kick, 1, None), Asks::Nothing);
    }

    #[test]
    fn a_protected_profile_asks_for_the_name_and_the_demos_own_server_never_does() {
        let one = plan(Change::Delete, 1, None);
        assert_eq!(one.asks(true, false), Asks::Name);
        assert_eq!(one.asks(false, true), Asks::Nothing);
        assert_eq!(
            plan(Change::Deliver, 1, None).asks(false, true),
            Asks::Nothing
        );
        assert_eq!(
            plan(Change::Delete, 5_000, None).asks(false, true),
            Asks::Yes
        );
        assert_eq!(plan(Change::Kick, 1, None).asks(true, false), Asks::Nothing);
    }
}
