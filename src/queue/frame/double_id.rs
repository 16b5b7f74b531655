//! `struct.pack('dLc0', random, len, payload)`: Redisson up to 3.21.0.
//!
//! The client sends a random `long` as decimal text and Lua makes an IEEE double of it.

use super::{Form, Frame, Length};

/// 2^63: no random `long` is further from zero.
const LIMIT: f64 = 9_223_372_036_854_775_808.0;

/// Reads `member` as this family with that length field, if every byte is accounted for.
pub(super) fn decode(member: &[u8], length: Length) -> Option<Frame<'_>> {
    let (&id, rest) = member.split_first_chunk::<8>()?;
    let payload = length.payload(rest)?;
    let form = match length {
        Length::Long => Form::DoubleId,
        Length::Short => Form::DoubleIdShort,
    };
    Some(Frame { form, id, payload })
}

/// The member that holds `payload` under `id`.
pub(super) fn encode(length: Length, id: [u8; 8], payload: &[u8]) -> Vec<u8> {
    let mut member = Vec::with_capacity(16 + payload.len());
    member.extend_from_slice(&id);
    length.write(&mut member, payload.len());
    member.extend_from_slice(payload);
    member
}

/// The double that Lua's `tonumber` makes of a random `long`, as it lies in the frame.
pub(super) fn id_of(random: i64) -> [u8; 8] {
    #[expect(
        clippy::cast_precision_loss,
        reason = "Lua rounds to the nearest double too"
    )]
    let double = random as f64;
    double.to_le_bytes()
}

/// Tells whether a client is likely to have made this id: all but one in 2^14 random `long`s are of
/// the magnitude whose top byte is 0x43 or 0xC3.
pub(super) fn is_plausible(id: [u8; 8]) -> bool {
    matches!(id[7], 0x43 | 0xc3) && f64::from_le_bytes(id).abs() <= LIMIT
}
