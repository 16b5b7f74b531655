//! The unpacking of a member by a Redisson client: its transfer script takes the frame apart with
//! `struct.unpack`, in the one way of its era and with the server's own `unsigned long`
//! (`lua_struct.c` of Redis: native byte order, no padding, trailing bytes tolerated).

use super::{Form, decode};

/// The two generations of Redisson clients, by how they unpack.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Era {
    /// `struct.unpack('dLc0', v)`: up to 3.21.0.
    Older,
    /// `struct.unpack('Bc0Lc0', v)`: 3.21.1 and later.
    Newer,
}

/// The result of unpacking a member.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Unpack {
    /// The payload that was offered.
    Right,
    /// Other bytes, without an error: they go to target as if they were the payload.
    Garbage,
    /// An error, which ends the script in the middle.
    Fails,
}

impl Era {
    /// Both, the older first.
    pub const BOTH: [Self; 2] = [Self::Older, Self::Newer];

    /// The releases, as in "clients of Redisson 3.21.1 or later".
    #[must_use]
    pub const fn releases(self) -> &'static str {
        match self {
            Self::Older => "Redisson up to 3.21.0",
            Self::Newer => "Redisson 3.21.1 or later",
        }
    }

    /// The word for its format, as in "an entry in the old format".
    #[must_use]
    pub const fn format(self) -> &'static str {
        match self {
            Self::Older => "old",
            Self::Newer => "new",
        }
    }

    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Older => Self::Newer,
            Self::Newer => Self::Older,
        }
    }

    /// The form that its clients write on a server whose `unsigned long` has `long` bytes.
    #[must_use]
    pub const fn form(self, long: usize) -> Form {
        match (self, long) {
            (Self::Older, 4) => Form::DoubleIdShort,
            (Self::Older, _) => Form::DoubleId,
            (Self::Newer, 4) => Form::ByteIdShort,
            (Self::Newer, _) => Form::ByteId,
        }
    }

    /// Unpacks `member` as a client of this era does on a server whose `unsigned long` has `long`
    /// bytes: 8, or 4 on Windows and 32-bit builds.
    #[must_use]
    pub fn unpack(self, member: &[u8], long: usize) -> Unpack {
        let Some(taken) = self.value(member, long) else {
            return Unpack::Fails;
        };
        match decode(member) {
            Ok(frame) if frame.payload == taken => Unpack::Right,
            _ => Unpack::Garbage,
        }
    }

    /// The value that the script would push to target; none where it fails.
    fn value(self, member: &[u8], long: usize) -> Option<&[u8]> {
        let rest = match self {
            Self::Older => member.get(8..)?,
            Self::Newer => {
                let (&id_len, rest) = member.split_first()?;
                rest.get(usize::from(id_len)..)?
            }
        };
        let (length, rest) = rest.split_at_checked(long)?;
        let fold = |sum: u64, byte: &u8| (sum << 8) | u64::from(*byte);
        let length = length.iter().rev().fold(0, fold);
        rest.get(..usize::try_from(length).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::super::encode;
    use super::*;

    const ID: [u8; 8] = [0x81, 0xe9, 0x7d, 0xf4, 0x10, 0x22, 0xb1, 0xc3];

    #[test]
    fn each_era_reads_its_own_frames_and_fails_at_the_others() {
        let (new, old) = (
            encode(Form::ByteId, ID, b"hello"),
            encode(Form::DoubleId, ID, b"hello"),
        );
        assert_eq!(Era::Newer.unpack(&new, 8), Unpack::Right);
        assert_eq!(Era::Older.unpack(&old, 8), Unpack::Right);
        assert_eq!(Era::Newer.unpack(&old, 8), Unpack::Fails);
        assert_eq!(Era::Older.unpack(&new, 8), Unpack::Fails);
    }

    #[test]
    fn an_old_frame_that_starts_with_a_seven_is_read_by_both() {
        let id = [7, 1, 2, 3, 4, 5, 6, 0x43];
        let old = encode(Form::DoubleId, id, b"hello");
        assert_eq!(Era::Newer.unpack(&old, 8), Unpack::Right);
        assert_eq!(Era::Older.unpack(&old, 8), Unpack::Right);
    }

    #[test]
    fn zeros_in_an_old_payload_can_pass_for_a_length() {
        let id = [20, 1, 2, 3, 4, 5, 6, 0x43];
        let old = encode(Form::DoubleId, id, &[0; 64]);
        assert_eq!(Era::Newer.unpack(&old, 8), Unpack::Garbage);
    }

    #[test]
    fn frames_of_a_server_with_short_longs_fail_on_one_with_long_ones() {
        let short = encode(Form::ByteIdShort, ID, b"hello");
        assert_eq!(Era::Newer.unpack(&short, 8), Unpack::Fails);
        assert_eq!(Era::Newer.unpack(&short, 4), Unpack::Right);
    }

    #[test]
    fn what_is_too_short_or_no_frame_fails() {
        for era in Era::BOTH {
            for member in [
                &b""[..],
                b"\x08",
                b"hello",
                b"\xff\xff\xff\xff\xff\xff\xff\xff",
            ] {
                assert_eq!(era.unpack(member, 8), Unpack::Fails, "{member:?}");
            }
        }
    }
}
