//! The queue whose transfers keep the server from all else: others are late for it.

use std::time::{Duration, Instant};

use super::Finding;
use crate::queue::{Queue, text};

/// Transfers have kept the server so lately that others may still be late for them.
const COUNTS: Duration = Duration::from_secs(15);

/// A headline that names a queue has so many columns for the name.
const NAME_COLUMNS: usize = 26;

/// `Redis is blocked by transfers of stock`, for whoever waits for that; a long name is cut.
#[must_use]
pub fn blocked_by(blocker: &str) -> String {
    let name = text::cut(blocker, NAME_COLUMNS);
    format!("Redis is blocked by transfers of {name}")
}

/// The memory of the queue that kept the server last, for all queues of a server together.
#[derive(Clone, Debug, Default)]
pub struct Blocker {
    last: Option<(Queue, Instant)>,
}

impl Blocker {
    /// Takes in what was found in a queue just now.
    pub fn saw(&mut self, queue: &Queue, findings: &[Finding], now: Instant) {
        let any = |of: fn(&Finding) -> bool| findings.iter().any(of);
        if any(Finding::keeps_the_server) && !any(Finding::is_of_nobody) {
            self.last = Some((queue.clone(), now));
        }
    }

    /// Returns the printable name of another queue that has kept the server from that one lately.
    #[must_use]
    pub fn of(&self, queue: &Queue, now: Instant) -> Option<String> {
        let (other, seen) = self.last.as_ref()?;
        let lately = now.saturating_duration_since(*seen) < COUNTS;
        (other != queue && lately).then(|| text::printable_bytes(other.name.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Severity, id};
    use super::*;

    #[test]
    fn transfers_that_keep_the_server_are_told_to_other_queues_for_a_quarter_of_a_minute() {
        let [stock, payments] = ["stock", "payments"].map(Queue::redisson);
        let slow = |late: u64| {
            let finding = Finding::new(id::SLOW_TRANSFER, Severity::Warning, "Slow.");
            vec![finding.number("late", late)]
        };
        let now = crate::clock::instant();
        let after = |ms| now + Duration::from_millis(ms);
        let mut blocker = Blocker::default();
        blocker.saw(&stock, &slow(0), now);
        assert_eq!(blocker.of(&payments, now), None, "nothing is due yet");
        blocker.saw(&stock, &slow(9), now);
        blocker.saw(&payments, &[], after(1_000));
        assert_eq!(blocker.of(&payments, after(14_999)).unwrap(), "stock");
        assert_eq!(blocker.of(&stock, after(1_000)), None);
        assert_eq!(blocker.of(&payments, after(15_000)), None);
    }
}
