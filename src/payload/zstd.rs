//! `ZStdCodec`: the size of what is inside in four bytes, and it as one frame of Zstandard.

use std::io::Read as _;

use ruzstd::decoding::StreamingDecoder;

use super::Codec;
use super::reader::Reader;
use super::tree::TreeNode;
use super::verdict::{Certainty, CodecVerdict};

/// The beginning of a frame.
const MARK: &[u8] = b"\x28\xb5\x2f\xfd";
/// The bytes that a frame may ask to look back upon: as much as the best of the usual levels does.
const MAX_WINDOW: u64 = 8 << 20;

/// Unpacks it, if it is as large as it says.
pub(super) fn unpack(reader: &mut Reader<'_>) -> Option<Vec<u8>> {
    let size = u32::from_be_bytes(reader.array()?);
    if !reader.rest().starts_with(MARK) {
        return None;
    }
    let length = usize::try_from(size).ok()?;
    reader.take_unpacked(length)?;
    let mut frame = reader.bytes(reader.rest().len())?;
    let decoder = StreamingDecoder::new_with_max_window_size(&mut frame, MAX_WINDOW).ok()?;
    let mut bytes = Vec::with_capacity(length);
    decoder
        .take(u64::from(size) + 1)
        .read_to_end(&mut bytes)
        .ok()?;
    (bytes.len() == length && frame.is_empty()).then_some(bytes)
}

/// The mark settles it.
pub(super) fn judge(_: &[u8], _: &TreeNode) -> CodecVerdict {
    CodecVerdict {
        codec: Codec::Zstd,
        sure: Certainty::Marked,
        why: "bears Zstandard's mark",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::decode;

    const HELLO: &[u8] = b"\0\0\0\x06\x28\xb5\x2f\xfd\x00\x58\x30\x00\x00\x03hell\xef\x01\x00\x00";

    #[test]
    fn what_another_codec_wrote_is_read_out_of_its_frame() {
        let read = decode(HELLO);
        assert_eq!((read.codec, &*read.text), (Codec::Zstd, "hello"));
    }

    #[test]
    fn a_frame_of_another_size_or_with_a_tail_is_none() {
        for size in [5, 7] {
            let mut bytes = HELLO.to_vec();
            bytes[3] = size;
            assert_eq!(decode(&bytes).codec, Codec::Unknown);
        }
        assert_eq!(decode(&[HELLO, b"x"].concat()).codec, Codec::Unknown);
        assert_eq!(decode(&HELLO[..HELLO.len() - 1]).codec, Codec::Unknown);
    }

    #[test]
    fn a_frame_that_says_more_than_is_unpacked_is_cut() {
        let mut bytes = HELLO.to_vec();
        bytes[0] = 0xff;
        let read = decode(&bytes);
        assert_eq!(read.codec, Codec::Zstd);
        assert!(read.text.contains("unpacks to too much"), "{}", read.text);
    }
}
