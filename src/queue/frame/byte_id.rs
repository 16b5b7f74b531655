//! `struct.pack('Bc0Lc0', 8, id, len, payload)`: Redisson 3.21.1 and later.
//!
//! The first byte counts the id's bytes and has always been 8. Asking for exactly 8 keeps an old
//! frame whose random double starts with a 7 from being read as a new one with a 7-byte id.

use super::{Form, Frame, Length};

/// Number of bytes of the id; also the value of the first byte.
const ID_LEN: u8 = 8;

/// Reads `member` as this family with that length field, if every byte is accounted for.
pub(super) fn decode(member: &[u8], length: Length) -> Option<Frame<'_>> {
    let (&id_len, rest) = member.split_first()?;
    if id_len != ID_LEN {
        return None;
    }
    let (&id, rest) = rest.split_first_chunk::<8>()?;
    let payload = length.payload(rest)?;
    let form = match length {
        Length::Long => Form::ByteId,
        Length::Short => Form::ByteIdShort,
    };
    Some(Frame { form, id, payload })
}

/// The member that holds `payload` under `id`.
pub(super) fn encode(length: Length, id: [u8; 8], payload: &[u8]) -> Vec<u8> {
    let mut member = Vec::with_capacity(17 + payload.len());
    member.push(ID_LEN);
    member.extend_from_slice(&id);
    length.write(&mut member, payload.len());
    member.extend_from_slice(payload);
    member
}
