//! `LZ4Codec` and `LZ4CodecV2`: the size of what is inside in four bytes, and it as one LZ4 block.

use lz4_flex::block;

use super::Codec;
use super::reader::Reader;
use super::tree::TreeNode;
use super::verdict::{Certainty, CodecVerdict};

/// A byte of a block stands for 255 at most.
const MAX_RATIO: usize = 255;

/// Lengths that need no further byte.
const SHORT: u8 = 15;
/// A copy is this much longer than its length says.
const MIN_COPY: usize = 4;

/// Unpacks it, if it is as large as it says.
pub(super) fn unpack(reader: &mut Reader<'_>) -> Option<Vec<u8>> {
    let size = usize::try_from(u32::from_be_bytes(reader.array()?)).ok()?;
    let packed = reader.bytes(reader.rest().len())?;
    if packed.is_empty() || size > packed.len().saturating_mul(MAX_RATIO) {
        return None;
    }
    // Any four bytes are a size: what is too large to be unpacked is told from noise by its shape.
    if length(packed)? != size {
        return None;
    }
    reader.take_unpacked(size)?;
    let mut bytes = vec![0; size];
    let unpacked = block::decompress_into(packed, &mut bytes).ok()?;
    (unpacked == size).then_some(bytes)
}

/// Bytes that a block unpacks to; none if it is no block.
fn length(mut block: &[u8]) -> Option<usize> {
    let mut length = 0;
    loop {
        let (&token, rest) = block.split_first()?;
        let (literals, rest) = count(token >> 4, rest)?;
        length += literals;
        block = rest.get(literals..)?;
        if block.is_empty() {
            return Some(length);
        }
        let (back, rest) = block.split_first_chunk()?;
        let back = usize::from(u16::from_le_bytes(*back));
        if back == 0 || back > length {
            return None;
        }
        let copied;
        (copied, block) = count(token & SHORT, rest)?;
        length += copied + MIN_COPY;
    }
}

/// A length in four bits, and in bytes behind them when it is longer.
fn count(bits: u8, mut rest: &[u8]) -> Option<(usize, &[u8])> {
    let mut count = usize::from(bits);
    let mut more = bits == SHORT;
    while more {
        let (&byte, after) = rest.split_first()?;
        count += usize::from(byte);
        more = byte == u8::MAX;
        rest = after;
    }
    Some((count, rest))
}

/// A size that is right is no accident.
pub(super) fn judge(_: &[u8], _: &TreeNode) -> CodecVerdict {
    CodecVerdict {
        codec: Codec::Lz4,
        sure: Certainty::Exact,
        why: "an LZ4 block of the size that it says",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::{decode, read};

    #[test]
    fn what_another_codec_wrote_is_read_out_of_its_block() {
        let packed = [&[0, 0, 0, 6][..], b"\x60\x03hell\xef"].concat();
        let found = read(&packed, None).unwrap();
        assert_eq!((found.codec, found.inner), (Codec::Lz4, Some(Codec::Kryo5)));
        assert_eq!(found.unpacked.as_deref(), Some(b"\x03hell\xef".as_slice()));
        assert_eq!(decode(&packed).text, "hello");
    }

    #[test]
    fn a_block_of_another_size_than_it_says_is_none() {
        for size in [5, 7, u8::MAX] {
            let packed = [&[0, 0, 0, size][..], b"\x60\x03hell\xef"].concat();
            assert_ne!(decode(&packed).codec, Codec::Lz4, "{size}");
        }
    }

    #[test]
    fn what_unpacks_to_too_much_is_cut() {
        let long = vec![b'x'; 5 << 20];
        let packed = [&(5_u32 << 20).to_be_bytes()[..], &block::compress(&long)].concat();
        let read = decode(&packed);
        assert_eq!(read.codec, Codec::Lz4);
        assert!(read.text.contains("unpacks to too much"), "{}", read.text);
    }

    #[test]
    fn noise_that_says_to_be_large_is_none() {
        let long: Vec<u8> = (0..1_u32 << 20).flat_map(u32::to_le_bytes).collect();
        let packed = block::compress(&long);
        assert_eq!(length(&packed), Some(long.len()));
        for end in [packed.len() - 1, packed.len() / 2, 1, 0] {
            assert_ne!(length(&packed[..end]), Some(long.len()), "{end}");
        }
        let noise: Vec<u8> = (0..100_000_u32)
            .map(|n| (n.wrapping_mul(n) >> 7).to_le_bytes()[0])
            .collect();
        let payload = [&[1, 0, 0, 0][..], &noise].concat();
        assert_eq!(decode(&payload).codec, Codec::Unknown);
    }
}
