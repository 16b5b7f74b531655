//! `SnappyCodecV2`: one block of Snappy.

use snap::raw::{Decoder, decompress_len};

use super::codec::Codec;
use super::reader::Reader;
use super::rows::{Sure, Verdict};
use super::tree::Node;

/// Three bytes of a block stand for 64 at most.
const MAX_RATIO: usize = 32;
/// A block this long is no accident: it begins with the size of what it says.
const LONG: usize = 8;

/// Unpacks it.
pub(super) fn unpack(reader: &mut Reader<'_>) -> Option<Vec<u8>> {
    let packed = reader.bytes(reader.rest().len())?;
    block(reader, packed)
}

/// Unpacks a block, if it is as large as it says.
pub(super) fn block(reader: &mut Reader<'_>, packed: &[u8]) -> Option<Vec<u8>> {
    let size = decompress_len(packed).ok()?;
    if size == 0 || size > packed.len().saturating_mul(MAX_RATIO) {
        return None;
    }
    reader.take_unpacked(size)?;
    Decoder::new().decompress_vec(packed).ok()
}

/// A size that is right is hardly an accident, save where there are few bytes.
pub(super) fn judge(payload: &[u8], _: &Node) -> Verdict {
    Verdict {
        codec: Codec::SnappyV2,
        sure: if payload.len() >= LONG {
            Sure::Exact
        } else {
            Sure::Plausible
        },
        why: "a Snappy block of the size that it says",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::{decode, decode_as};

    #[test]
    fn what_another_codec_wrote_is_read_out_of_its_block() {
        let read = decode(b"\x06\x14\x03hell\xef");
        assert_eq!((read.codec, &*read.text), (Codec::SnappyV2, "hello"));
    }

    #[test]
    fn a_block_of_another_size_than_it_says_is_none() {
        for block in [b"\x05\x14\x03hell\xef", b"\x07\x14\x03hell\xef"] {
            assert_eq!(decode_as(Codec::SnappyV2, block), None);
        }
        // 4 GB, so it says.
        let bomb = b"\xff\xff\xff\xff\x0f\x00a";
        assert_eq!(decode_as(Codec::SnappyV2, bomb), None);
    }
}
