//! One delayed message: its bytes, its score, its state.

use std::fmt;

use sha1::{Digest as _, Sha1};

use crate::clock::EpochMillis;

/// An entry as it lies in Redis. Its identity is its exact member bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The exact bytes: a member of timeouts or of the order list, or an element of target.
    pub member: Vec<u8>,
    /// The score in timeouts; none for an element of target or for order-only entries.
    pub score: Option<f64>,
    /// Its state: the place where it stands.
    pub state: State,
}

/// The state of an entry: the place where it stands.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum State {
    /// In timeouts, not due yet.
    Waiting,
    /// In timeouts although its due time has passed.
    Late,
    /// In target, not yet consumed.
    Delivered,
    /// In the order list only.
    Order,
    /// Set aside by delayscope.
    Quarantined,
}

impl State {
    /// The word for it in screens and JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Late => "late",
            Self::Delivered => "delivered",
            Self::Order => "order",
            Self::Quarantined => "quarantined",
        }
    }
}

/// When an entry is due, as its score says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Due {
    /// At this moment of the server's clock.
    At(EpochMillis),
    /// The score is no time that anybody could mean: negative, not finite, or ≥ 1e17
    /// (from where on Redis prints it in a form that Redisson cannot read).
    OutOfRange(f64),
}

impl Due {
    /// The moment, when there is one.
    #[must_use]
    pub const fn at(self) -> Option<EpochMillis> {
        match self {
            Self::At(t) => Some(t),
            Self::OutOfRange(_) => None,
        }
    }
}

/// The id that people call an entry by: 8 bytes, shown as 16 hex digits. The frame's own id; for a
/// member without frame, the first 8 bytes of its SHA-1.
#[derive(Clone, Copy, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct EntryId(pub [u8; 8]);

impl EntryId {
    /// The id of a member (or element) that has no frame.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let digest = Sha1::digest(bytes);
        let mut id = [0; 8];
        id.copy_from_slice(&digest[..8]);
        Self(id)
    }

    /// The id with these 16 hex digits, in either case; none when they are none.
    #[must_use]
    pub fn of_hex(digits: &str) -> Option<Self> {
        let mut id = [0; 8];
        hex::decode_to_slice(digits, &mut id).ok()?;
        Some(Self(id))
    }

    /// Its 16 hex digits, in ASCII.
    #[must_use]
    pub fn hex(self) -> [u8; 16] {
        let mut digits = [0; 16];
        // Sixteen digits are what eight bytes have.
        let _ = hex::encode_to_slice(self.0, &mut digits);
        digits
    }
}

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

impl fmt::Debug for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_shown_as_16_hex_digits() {
        let id = EntryId([0, 1, 0x0a, 0xff, 0x80, 0x7f, 0x10, 0xc3]);
        assert_eq!(id.to_string(), "00010aff807f10c3");
        assert_eq!(&id.hex(), b"00010aff807f10c3");
        assert_eq!(format!("{id:?}"), "00010aff807f10c3");
    }

    #[test]
    fn the_id_of_bytes_without_frame_is_the_start_of_their_sha1() {
        // sha1("") = da39a3ee5e6b4b0d3255bfef95601890afd80709
        assert_eq!(EntryId::of_bytes(b"").to_string(), "da39a3ee5e6b4b0d");
    }

    #[test]
    fn only_a_score_that_is_a_time_is_at_a_moment() {
        let moment = EpochMillis::new(5);
        assert_eq!(Due::At(moment).at(), Some(moment));
        assert_eq!(Due::OutOfRange(-5.0).at(), None);
    }
}
