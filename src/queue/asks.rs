//! What is asked before a change is applied: the more it touches, the more.

use super::plan::{Change, Plan};

/// From so many entries on, a yes is not enough.
const MANY: u64 = 1_000;

/// What has to be answered first.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Asks {
    /// Nothing: it is small, and can be taken back.
    Nothing,
    /// A yes.
    Yes,
    /// The queue's name.
    Name,
}

impl Asks {
    /// What a plan asks. `on_delivered`: it acts on delivered entries. `protected`: the profile in
    /// use is.
    #[must_use]
    pub fn of(plan: &Plan, on_delivered: bool, protected: bool) -> Self {
        let alters_target = on_delivered || plan.target.is_some_and(|(now, then)| now != then);
        match plan.change {
            // It changes nothing that is stored; an offer is asked for by being made.
            Change::Kick | Change::Offer => Self::Nothing,
            _ if protected || plan.planned >= MANY => Self::Name,
            Change::Transfer | Change::Deliver | Change::Worker | Change::Consume => Self::Yes,
            _ if alters_target || plan.planned > 1 => Self::Yes,
            _ => Self::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::EpochMillis;
    use crate::queue::Queue;
    use crate::queue::plan::{Cost, Way};

    fn plan(change: Change, planned: u64, target: Option<(u64, u64)>) -> Plan {
        Plan {
            change,
            queue: Queue::redisson("orders"),
            server: "server/0".to_owned(),
            profile: None,
            at: EpochMillis::new(0),
            planned,
            oldest: None,
            newest: None,
            new_due: None,
            first: Vec::new(),
            way: Way::InOrder,
            cost: Cost::default(),
            target,
            consumed_per_s: None,
            warnings: Vec::new(),
            commands: Vec::new(),
        }
    }

    #[test]
    fn the_more_a_change_touches_the_more_it_asks() {
        for (change, planned, target, asks) in [
            (Change::Delete, 1, None, Asks::Nothing),
            (Change::Requeue, 1, None, Asks::Nothing),
            (Change::Edit, 1, None, Asks::Nothing),
            (Change::Delete, 2, None, Asks::Yes),
            (Change::Delete, 999, None, Asks::Yes),
            (Change::Delete, 1_000, None, Asks::Name),
            (Change::Deliver, 1, Some((0, 1)), Asks::Yes),
            (Change::Transfer, 1, None, Asks::Yes),
            (Change::Delete, 1, Some((1, 0)), Asks::Yes),
            (Change::Undo, 1, Some((1, 0)), Asks::Yes),
            (Change::Undo, 1, Some((1, 1)), Asks::Nothing),
            (Change::Kick, 1, None, Asks::Nothing),
        ] {
            let plan = plan(change, planned, target);
            assert_eq!(Asks::of(&plan, false, false), asks, "{change:?} {planned}");
        }
    }

    #[test]
    fn what_is_delivered_and_what_is_protected_asks_more() {
        let one = plan(Change::Delete, 1, None);
        assert_eq!(Asks::of(&one, true, false), Asks::Yes);
        assert_eq!(Asks::of(&one, false, true), Asks::Name);
        let kick = plan(Change::Kick, 1, None);
        assert_eq!(Asks::of(&kick, false, true), Asks::Nothing);
    }
}
