//! The bytes that Redisson wraps around a payload.
//!
//! Two eras, each with the server's own `unsigned long` as the length: 8 bytes on 64-bit Linux,
//! 4 on Windows builds and 32-bit machines. Which one a member is, is told by exact length:
//! the length field must account for every byte.

mod byte_id;
mod double_id;

use std::fmt;

/// The known frame forms. `…Short` have the 4-byte lengths of Windows and 32-bit servers.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Form {
    /// `struct.pack('Bc0Lc0', 8, id, len, payload)`: Redisson 3.21.1 and later.
    ByteId,
    /// `struct.pack('dLc0', random, len, payload)`: Redisson up to 3.21.0.
    DoubleId,
    /// [`Form::ByteId`] with a 4-byte length.
    ByteIdShort,
    /// [`Form::DoubleId`] with a 4-byte length.
    DoubleIdShort,
}

/// A member, taken apart.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Frame<'a> {
    /// Which form it has.
    pub form: Form,
    /// The random id that makes equal payloads different members.
    pub id: [u8; 8],
    /// The message's bytes.
    pub payload: &'a [u8],
}

/// Why a member is no frame.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum FrameError {
    /// Too short for any form.
    #[error("{0} bytes are too few for any frame form")]
    TooShort(usize),
    /// No form's length field accounts for all bytes.
    #[error("no frame form accounts for all of its {0} bytes")]
    NoForm(usize),
}

impl Form {
    /// The word for it in screens, flags and JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::ByteId => "byte-id",
            Self::DoubleId => "double-id",
            Self::ByteIdShort => "byte-id/4",
            Self::DoubleIdShort => "double-id/4",
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// Takes a member apart.
pub fn decode(member: &[u8]) -> Result<Frame<'_>, FrameError> {
    Err(FrameError::NoForm(member.len()))
}
