//! `SnappyCodecV2`: one block of Snappy.

use snap::raw::{Decoder, decompress_len};

use super::Codec;
use super::reader::Reader;
use super::tree::TreeNode;
use super::verdict::{Certainty, CodecVerdict};

/// Three bytes of a block stand for 64 at most.
const MAX_RATIO: usize = 32;
/// A block this long is no accident: it begins with the size of what it says.
const LONG: usize = 8;

/// Unpacks the chunk.
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
    // Any few bytes are a size: what is too large to be unpacked is told from noise by its shape.
    if length(packed)? != size {
        return None;
    }
    reader.take_unpacked(size)?;
    Decoder::new().decompress_vec(packed).ok()
}

/// Bytes that a block unpacks to, whatever it says; none if it is no block.
fn length(block: &[u8]) -> Option<usize> {
    let size_end = block.iter().position(|byte| byte & 0x80 == 0)?;
    let mut rest = block.get(size_end + 1..)?;
    let mut length = 0;
    while let Some((&tag, after)) = rest.split_first() {
        let bits = usize::from(tag >> 2);
        // Bytes behind the tag, and how far back a copy begins.
        let (more, back, counted) = match tag & 3 {
            0 if bits < 60 => (bits + 1, None, bits + 1),
            0 => {
                let digits = after.get(..bits - 59)?;
                let count = digits.iter().rev().fold(0, |n, &b| n << 8 | usize::from(b));
                (digits.len() + count + 1, None, count + 1)
            }
            1 => {
                let low = usize::from(*after.first()?);
                (1, Some((bits >> 3) << 8 | low), (bits & 7) + 4)
            }
            wide => {
                let digits = after.get(..if wide == 2 { 2 } else { 4 })?;
                let back = digits.iter().rev().fold(0, |n, &b| n << 8 | usize::from(b));
                (digits.len(), Some(back), bits + 1)
            }
        };
        if back.is_some_and(|back| back == 0 || back > length) {
            return None;
        }
        length += counted;
        rest = after.get(more..)?;
    }
    Some(length)
}

/// A size that is right is hardly an accident, save where there are few bytes.
pub(super) fn judge(payload: &[u8], _: &TreeNode) -> CodecVerdict {
    CodecVerdict {
        codec: Codec::SnappyV2,
        sure: if payload.len() >= LONG {
            Certainty::Exact
        } else {
            Certainty::Plausible
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

    #[test]
    fn noise_that_says_to_be_large_is_none() {
        let long: Vec<u8> = (0..3_u32 << 19).flat_map(u32::to_le_bytes).collect();
        let packed = snap::raw::Encoder::new().compress_vec(&long).unwrap();
        assert_eq!(length(&packed), Some(long.len()));
        assert!(decode(&packed).text.contains("unpacks to too much"));
        for end in [packed.len() - 1, packed.len() / 2, 1, 0] {
            assert_ne!(length(&packed[..end]), Some(long.len()), "{end}");
        }
        let noise: Vec<u8> = (0..200_000_u32)
            .map(|n| (n.wrapping_mul(n) >> 7).to_le_bytes()[0])
            .collect();
        // 5 MB, so it says.
        let payload = [&[0xff, 0xff, 0xbf, 0x02][..], &noise].concat();
        assert_eq!(decode(&payload).codec, Codec::Unknown);
    }
}
