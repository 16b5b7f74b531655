//! When the worker looks next.

use crate::clock::EpochMillis;

/// The earliest moment known at which something may be due.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Alarm {
    /// At once.
    Now,
    /// Then, by the server's clock.
    At(EpochMillis),
    /// Nothing is known to fall due.
    Unset,
}

impl Alarm {
    /// Takes in what an announcement says: a shorter delay wins, a longer one is nothing new. A
    /// message that is no time (or 0, a kick) means: look.
    pub(super) fn announced(self, message: &[u8]) -> Self {
        let text = std::str::from_utf8(message).ok();
        let due = text.and_then(|t| t.parse().ok()).map(EpochMillis::new);
        match (self, due) {
            (_, None) | (Self::Now, _) => Self::Now,
            (Self::At(known), Some(due)) => Self::At(known.min(due)),
            (Self::Unset, Some(due)) => Self::At(due),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: EpochMillis = EpochMillis::new(1_700_000_000_000);

    #[test]
    fn a_shorter_delay_wins_and_a_longer_one_changes_nothing() {
        let alarm = Alarm::At(T);
        assert_eq!(alarm.announced(b"1699999999999"), Alarm::At(T.plus(-1)));
        assert_eq!(alarm.announced(b"1700000000001"), alarm);
        assert_eq!(Alarm::Now.announced(b"1700000000001"), Alarm::Now);
        assert_eq!(Alarm::Unset.announced(b"1700000000000"), alarm);
    }

    #[test]
    fn a_kick_or_a_message_that_is_no_time_means_to_look() {
        assert_eq!(Alarm::At(T).announced(b"0"), Alarm::At(EpochMillis::new(0)));
        assert_eq!(Alarm::At(T).announced(b"1e+17"), Alarm::Now);
        assert_eq!(Alarm::Unset.announced(b"\xff"), Alarm::Now);
    }
}
