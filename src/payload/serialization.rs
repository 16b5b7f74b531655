//! `SerializationCodec` (Java's own serialisation).

mod class;
mod stream;

use super::codec::Codec;
use super::reader::{Reader, write_units};
use super::rows::{Sure, Verdict};
use super::tree::Node;
use stream::Stream;

/// The stream's magic number and version.
pub(super) const MAGIC: &[u8] = &[0xac, 0xed, 0x00, 0x05];

const STRING: u8 = 0x74;
const LONG_STRING: u8 = 0x7c;

/// Reads one object.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<Node> {
    reader.expect(MAGIC)?;
    Stream::default().value(reader)
}

/// The magic number is Java's alone.
pub(super) fn judge(_: &[u8], _: &Node) -> Verdict {
    Verdict {
        codec: Codec::Serialization,
        sure: Sure::Marked,
        why: "starts as Java's serialization does",
    }
}

/// A string, as Java writes it.
pub(super) fn encode(text: &str) -> Vec<u8> {
    let mut units = Vec::with_capacity(text.len());
    write_units(&mut units, text, &[0xc0, 0x80]);
    let mut out = MAGIC.to_vec();
    if let Ok(length) = u16::try_from(units.len()) {
        out.push(STRING);
        out.extend_from_slice(&length.to_be_bytes());
    } else {
        out.push(LONG_STRING);
        out.extend_from_slice(&(units.len() as u64).to_be_bytes());
    }
    out.extend_from_slice(&units);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::decode_as;
    use serde_json::{Value, json};

    fn decode(bytes: &[u8]) -> Option<Value> {
        decode_as(Codec::Serialization, bytes).map(|read| read.value)
    }

    #[test]
    fn strings_of_every_length_read_back() {
        for length in [0, 1, 300, 21_845, 21_846, 65_535, 65_536, 70_000] {
            for c in ["x", "é", "订", "🚀", "\0"] {
                let text = c.repeat(length);
                assert_eq!(decode(&encode(&text)), Some(json!(text)), "{length} {c:?}");
            }
        }
        assert_eq!(encode(&"x".repeat(65_536))[4], LONG_STRING);
    }

    #[test]
    fn a_wrong_length_is_not_javas() {
        assert_eq!(decode(b"\xac\xed\0\x05\x74\0\x05hell"), None);
        assert_eq!(decode(b"\xac\xed\0\x05\x74\0\x05hello!"), None);
        assert_eq!(decode(b"\xac\xed\0\x05\x70\x70"), None);
    }
}
