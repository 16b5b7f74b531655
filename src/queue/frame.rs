//! The bytes that Redisson wraps around a payload.
//!
//! Two eras, each with the server's own `unsigned long` as the length: 8 bytes on 64-bit Linux,
//! 4 on Windows builds and 32-bit machines. Which one a member is, is told by exact length:
//! the length field must account for every byte. That leaves two lengths, 17 and 13 bytes, at
//! which an empty payload of the newer era and a one-byte payload of the older one can look the
//! same; there the id decides, since a random double nearly always has a top byte of 0x43 or 0xC3.
//! Big-endian servers, which write the length the other way round, are not known.

mod byte_id;
mod double_id;
mod unpack;

use std::fmt;

pub use unpack::{Era, Unpack};

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
    /// Its form.
    pub form: Form,
    /// The random id that makes equal payloads different members.
    pub id: [u8; 8],
    /// The message's bytes.
    pub payload: &'a [u8],
}

/// The reason why a member is no frame.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum FrameError {
    /// Too short for any form.
    #[error("{} too few for any frame", bytes_are(*.0))]
    TooShort(usize),
    /// No form's length field accounts for all bytes.
    #[error("no known frame accounts for all of its {0} bytes")]
    NoForm(usize),
}

fn bytes_are(count: usize) -> String {
    let bytes = if count == 1 { "byte is" } else { "bytes are" };
    format!("{count} {bytes}")
}

impl Form {
    /// All forms, the likeliest first.
    pub const ALL: [Self; 4] = [
        Self::ByteId,
        Self::DoubleId,
        Self::ByteIdShort,
        Self::DoubleIdShort,
    ];

    /// All that is said of it.
    const fn facts(self) -> FormFacts {
        match self {
            Self::ByteId => FormFacts {
                word: "byte-id",
                code: 1,
                era: Era::Newer,
                length: Length::Long,
                fields: &[("id length", 1), ("id", 8), ("payload length", 8)],
                writers: "Redisson 3.21.1+",
            },
            Self::DoubleId => FormFacts {
                word: "double-id",
                code: 2,
                era: Era::Older,
                length: Length::Long,
                fields: &[("id", 8), ("payload length", 8)],
                writers: "Redisson up to 3.21.0",
            },
            Self::ByteIdShort => FormFacts {
                word: "byte-id/4",
                code: 3,
                era: Era::Newer,
                length: Length::Short,
                fields: &[("id length", 1), ("id", 8), ("payload length", 4)],
                writers: "Redisson 3.21.1+, 32-bit or Windows server",
            },
            Self::DoubleIdShort => FormFacts {
                word: "double-id/4",
                code: 4,
                era: Era::Older,
                length: Length::Short,
                fields: &[("id", 8), ("payload length", 4)],
                writers: "Redisson up to 3.21.0, 32-bit or Windows server",
            },
        }
    }

    /// The word for it in screens, flags and JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        self.facts().word
    }

    /// The number that stands for it in a journal on disk.
    #[must_use]
    pub const fn code(self) -> u8 {
        self.facts().code
    }

    /// The generation of clients that writes it.
    #[must_use]
    pub const fn era(self) -> Era {
        self.facts().era
    }

    /// The clients that write it, and on which servers, in a few words.
    #[must_use]
    pub const fn writers(self) -> &'static str {
        self.facts().writers
    }

    /// The fields before the payload: names and bytes of the fields, in their order.
    #[must_use]
    pub const fn fields(self) -> &'static [(&'static str, usize)] {
        self.facts().fields
    }

    /// The form that clients of the other era write, with lengths of as many bytes.
    #[must_use]
    pub fn of_other_era(self) -> Self {
        self.era().other().form(self.facts().length.bytes())
    }

    /// The forms that are met on the same servers: those with lengths of as many bytes.
    #[must_use]
    pub fn on_the_same_servers(self) -> Vec<Self> {
        let as_long = |form: &Self| form.facts().length == self.facts().length;
        Self::ALL.into_iter().filter(as_long).collect()
    }

    /// The form that a word names; none for any other word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.word() == word)
    }

    /// The id that a client of this form makes of 8 random bytes.
    #[must_use]
    pub fn id_of(self, random: [u8; 8]) -> [u8; 8] {
        match self.era() {
            Era::Newer => random,
            Era::Older => double_id::id_of(i64::from_le_bytes(random)),
        }
    }

    /// A new id as a client of this form would make it. Fails when the operating system has no
    /// random numbers to give.
    pub fn fresh_id(self) -> Result<[u8; 8], getrandom::Error> {
        let mut random = [0; 8];
        getrandom::fill(&mut random)?;
        Ok(self.id_of(random))
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// All that sets one form apart from the next.
struct FormFacts {
    word: &'static str,
    /// The number on disk, which stays what it is however the forms are put in order.
    code: u8,
    era: Era,
    length: Length,
    fields: &'static [(&'static str, usize)],
    writers: &'static str,
}

/// The length field: the server's `unsigned long`, little-endian.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Length {
    /// 8 bytes.
    Long,
    /// 4 bytes.
    Short,
}

impl Length {
    /// The bytes of the field.
    const fn bytes(self) -> usize {
        match self {
            Self::Long => 8,
            Self::Short => 4,
        }
    }

    /// Takes what follows the length field at the start of `rest`, if the field counts exactly
    /// that.
    fn payload(self, rest: &[u8]) -> Option<&[u8]> {
        let (len, payload) = match self {
            Self::Long => {
                let (len, payload) = rest.split_first_chunk::<8>()?;
                (u64::from_le_bytes(*len), payload)
            }
            Self::Short => {
                let (len, payload) = rest.split_first_chunk::<4>()?;
                (u64::from(u32::from_le_bytes(*len)), payload)
            }
        };
        (usize::try_from(len) == Ok(payload.len())).then_some(payload)
    }

    /// Appends the field. Redis holds no value of 4 GiB, so a short one never overflows.
    fn write(self, member: &mut Vec<u8>, len: usize) {
        match self {
            Self::Long => member.extend_from_slice(&(len as u64).to_le_bytes()),
            Self::Short => {
                let len = u32::try_from(len).unwrap_or(u32::MAX);
                member.extend_from_slice(&len.to_le_bytes());
            }
        }
    }
}

/// The shortest frame: the older era, a 4-byte length, no payload. In bytes.
const SHORTEST: usize = 12;

/// Takes a member apart.
pub fn decode(member: &[u8]) -> Result<Frame<'_>, FrameError> {
    if member.len() < SHORTEST {
        return Err(FrameError::TooShort(member.len()));
    }
    [Length::Long, Length::Short]
        .into_iter()
        .find_map(|length| either_era(member, length))
        .ok_or(FrameError::NoForm(member.len()))
}

impl Frame<'_> {
    /// A client is likely to have made it: what merely looks like a frame of the older era has
    /// hardly ever an id of the magnitude that theirs have.
    #[must_use]
    pub fn is_plausible(&self) -> bool {
        self.form.era() == Era::Newer || double_id::is_plausible(self.id)
    }
}

/// Reads `member` as one of the two eras; where it could be both, the id decides.
fn either_era(member: &[u8], length: Length) -> Option<Frame<'_>> {
    let newer = byte_id::decode(member, length);
    let older = double_id::decode(member, length);
    match (newer, older) {
        (Some(_), Some(older)) if double_id::is_plausible(older.id) => Some(older),
        (newer, older) => newer.or(older),
    }
}

/// The member that a client of this form writes for `payload` under `id`, which lies in the frame
/// as it stands ([`Form::fresh_id`] makes one). `payload` is at most 512 MB, as all in Redis.
#[must_use]
pub fn encode(form: Form, id: [u8; 8], payload: &[u8]) -> Vec<u8> {
    let length = form.facts().length;
    match form.era() {
        Era::Newer => byte_id::encode(length, id, payload),
        Era::Older => double_id::encode(length, id, payload),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An id that a client of either era could have made.
    const ID: [u8; 8] = [0x81, 0xe9, 0x7d, 0xf4, 0x10, 0x22, 0xb1, 0xc3];

    #[test]
    fn a_single_byte_is_told_in_the_singular() {
        let said = |count| FrameError::TooShort(count).to_string();
        assert_eq!(said(1), "1 byte is too few for any frame");
        assert_eq!(said(2), "2 bytes are too few for any frame");
    }

    #[test]
    fn every_form_reads_back_what_it_wrote() {
        for form in Form::ALL {
            for payload in [&b""[..], b"x", b"hello", &[0; 300], &[7; 10_000]] {
                let member = encode(form, ID, payload);
                let id = ID;
                assert_eq!(decode(&member), Ok(Frame { form, id, payload }), "{form}");
            }
        }
    }

    #[test]
    fn the_words_name_the_forms_both_ways() {
        for form in Form::ALL {
            assert_eq!(Form::from_word(form.word()), Some(form));
        }
        assert_eq!(Form::from_word("byte"), None);
    }

    #[test]
    fn a_member_with_a_wrong_length_is_no_frame() {
        for form in Form::ALL {
            let member = encode(form, ID, b"hello, world");
            let longer = [&member[..], b"!"].concat();
            assert_eq!(decode(&longer), Err(FrameError::NoForm(longer.len())));
            let shorter = &member[..member.len() - 1];
            assert_eq!(decode(shorter), Err(FrameError::NoForm(shorter.len())));
        }
        assert_eq!(decode(b"hello"), Err(FrameError::TooShort(5)));
    }

    #[test]
    fn an_old_frame_that_starts_with_a_seven_is_not_taken_for_a_new_one() {
        let id = [7, 1, 2, 3, 4, 5, 6, 0x43];
        let member = encode(Form::DoubleId, id, b"x");
        assert_eq!(decode(&member).map(|f| f.form), Ok(Form::DoubleId));
    }

    #[test]
    fn an_ambiguous_frame_of_17_or_13_bytes_is_old_if_its_id_is_a_likely_random_double() {
        for (old, new) in [
            (Form::DoubleId, Form::ByteId),
            (Form::DoubleIdShort, Form::ByteIdShort),
        ] {
            let likely = encode(old, [8, 1, 2, 3, 4, 5, 0xd0, 0xc3], &[0]);
            assert_eq!(decode(&likely).map(|f| f.form), Ok(old));
            let unlikely = encode(old, [8, 1, 2, 3, 4, 5, 0xd0, 0x12], &[0]);
            assert_eq!(decode(&unlikely).map(|f| f.form), Ok(new));
            // Top byte 0x43, but beyond any long.
            let beyond = encode(old, [8, 1, 2, 3, 4, 5, 0xf1, 0x43], &[0]);
            assert_eq!(decode(&beyond).map(|f| f.form), Ok(new));
        }
    }

    #[test]
    fn a_fresh_id_of_the_older_era_is_a_random_long_as_a_double() {
        // Redisson sends "-1234567890123456789"; Lua packs it as a double.
        let random = (-1_234_567_890_123_456_789_i64).to_le_bytes();
        let id = Form::DoubleId.id_of(random);
        assert_eq!(id, (-1_234_567_890_123_456_800_f64).to_le_bytes());
        assert_eq!(Form::ByteId.id_of(random), random);
    }

    #[test]
    fn two_fresh_ids_differ() {
        for form in Form::ALL {
            assert_ne!(form.fresh_id().unwrap(), form.fresh_id().unwrap());
        }
    }
}
