//! The elements that consumers hold: those that they have taken from target and not yet handed on.

use crate::clock::EpochMillis;

/// An element that was taken from target, and not yet handed on.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct HeldElement {
    /// The field that it is held under; none while it is in the intake, where it belongs to nobody.
    pub field: Option<Vec<u8>>,
    /// Its bytes.
    pub element: Vec<u8>,
}

/// Counts of what consumers hold of a queue.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct HeldCount {
    /// Elements that are held.
    pub held: u64,
    /// Elements of them whose consumers live.
    pub living: u64,
    /// Elements in the intake.
    pub intake: u64,
    /// When the first of the leases runs out, or has.
    pub first_end: Option<EpochMillis>,
}

impl HeldCount {
    /// Counts the elements that are held for consumers that died.
    #[must_use]
    pub const fn of_dead(self) -> u64 {
        self.held.saturating_sub(self.living)
    }
}

/// A consumer, by what it writes beside each element that it holds.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ConsumerTag {
    /// The machine that it runs on.
    pub host: String,
    /// Its process there.
    pub pid: u32,
    /// No other consumer has this number.
    pub number: u64,
}

/// The consumer that took an element, and the time: the text of its field in the hash of held
/// elements.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Holder {
    /// The consumer that took it.
    pub consumer: ConsumerTag,
    /// When it was asked for, by the server's clock.
    pub at: EpochMillis,
    /// Number of elements that this consumer had asked for before.
    pub turn: u64,
}

impl Holder {
    /// The field. Sorted as text, what was taken first stands first.
    #[must_use]
    pub fn field(&self) -> Vec<u8> {
        let ConsumerTag { host, pid, number } = &self.consumer;
        let (at, turn) = (self.at.get().max(0), self.turn);
        format!("{at:015} {turn:010} {pid} {number:016x} {host}").into_bytes()
    }

    /// Reads a field; none when no consumer of ours has written it.
    #[must_use]
    pub fn read(field: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(field).ok()?;
        let mut parts = text.splitn(5, ' ');
        let mut next = || parts.next();
        let (at, turn, pid, number, host) = (next()?, next()?, next()?, next()?, next()?);
        Some(Self {
            at: EpochMillis::new(at.parse().ok()?),
            turn: turn.parse().ok()?,
            consumer: ConsumerTag {
                host: host.to_owned(),
                pid: pid.parse().ok()?,
                number: u64::from_str_radix(number, 16).ok()?,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holder(at: i64, turn: u64) -> Holder {
        Holder {
            consumer: ConsumerTag {
                host: "app 1".to_owned(),
                pid: 4_711,
                number: 0xfe,
            },
            at: EpochMillis::new(at),
            turn,
        }
    }

    #[test]
    fn a_field_says_who_took_an_element_and_sorts_by_when() {
        let taken = holder(1_700_000_000_123, 2);
        assert_eq!(Holder::read(&taken.field()), Some(taken));
        let fields = [(999, 9), (1_700_000_000_000, 9), (1_700_000_000_000, 10)];
        let fields = fields.map(|(at, turn)| holder(at, turn).field());
        assert!(fields.is_sorted());
        for foreign in [&b""[..], b"by hand", b"1 2 3 4", b"\xff 1 1 1 h"] {
            assert_eq!(Holder::read(foreign), None);
        }
    }
}
