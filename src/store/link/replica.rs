//! A server that is no master any more, while what leads us there (a proxy, a name) leads only new
//! connections to the master of now: when it is to be left.

use std::time::{Duration, Instant};

/// The server is left at most so often: each time costs all connections.
const LEFT_AGAIN: Duration = Duration::from_secs(5);
/// The time within which a proxy or a name leads elsewhere, after the master has changed. One that has
/// not by then leads to a server that is meant to be a replica.
const LEADS_ELSEWHERE: Duration = Duration::from_secs(60);

/// The words of a server about whether it is the master.
#[derive(Debug, Default)]
pub(super) struct ReplicaWatch {
    /// It said that it is, and has not been a replica for long since then.
    was_master: bool,
    /// When it was heard first that it is a replica; none while it is the master.
    since: Option<Instant>,
    /// When it was left last for that.
    left: Option<Instant>,
}

impl ReplicaWatch {
    /// It says of itself whether it is the master; true: it is to be left.
    pub(super) fn heard_role(&mut self, is_master: bool, now: Instant) -> bool {
        if is_master {
            *self = Self {
                was_master: true,
                ..Self::default()
            };
            return false;
        }
        // One that was a replica when we came is meant to be looked at.
        self.was_master && self.may_lead_elsewhere(now) && self.is_left(now, LEFT_AGAIN)
    }

    /// It has refused a write; true: it is to be left. Whoever goes on writing is meant to reach a
    /// master: that is tried for ever, if seldom in the end.
    pub(super) fn refused(&mut self, now: Instant) -> bool {
        let again = if self.may_lead_elsewhere(now) {
            LEFT_AGAIN
        } else {
            LEADS_ELSEWHERE
        };
        self.is_left(now, again)
    }

    fn may_lead_elsewhere(&mut self, now: Instant) -> bool {
        let since = *self.since.get_or_insert(now);
        now.saturating_duration_since(since) < LEADS_ELSEWHERE
    }

    fn is_left(&mut self, now: Instant, again: Duration) -> bool {
        let rests = |left: Instant| now.saturating_duration_since(left) < again;
        let leaves = !self.left.is_some_and(rests);
        if leaves {
            self.left = Some(now);
        }
        leaves
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::instant;

    const S: Duration = Duration::from_secs(1);

    #[test]
    fn a_former_master_is_left_each_five_seconds_for_a_minute() {
        let (now, mut watch) = (instant(), ReplicaWatch::default());
        assert!(!watch.heard_role(true, now));
        let left = |watch: &mut ReplicaWatch| -> Vec<u32> {
            let looks = (0..120).filter(|s| watch.heard_role(false, now + S * *s));
            looks.collect()
        };
        let expected: Vec<u32> = (0..60).step_by(5).collect();
        assert_eq!(left(&mut watch), expected);
        // Once it was the master again, anew.
        assert!(!watch.heard_role(true, now + S * 120));
        assert!(watch.heard_role(false, now + S * 121));
    }

    #[test]
    fn what_was_a_replica_from_the_first_is_left_for_writes_alone() {
        let (now, mut watch) = (instant(), ReplicaWatch::default());
        assert!((0..60).all(|s| !watch.heard_role(false, now + S * s)));
        let writes = (0..300).filter(|s| watch.refused(now + S * *s));
        let expected = [
            0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 115, 175, 235, 295,
        ];
        assert_eq!(writes.collect::<Vec<u32>>(), expected);
    }
}
