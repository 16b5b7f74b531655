//! `SnappyCodec`, up to Redisson 4.0: pieces of up to 32 kB, each with its length in four bytes
//! and packed for itself.

use super::Codec;
use super::reader::Reader;
use super::snappyv2;
use super::tree::TreeNode;
use super::verdict::{Certainty, CodecVerdict};

/// Unpacks and joins the pieces.
pub(super) fn unpack(reader: &mut Reader<'_>) -> Option<Vec<u8>> {
    let mut all = Vec::new();
    loop {
        let length = usize::try_from(u32::from_be_bytes(reader.array()?)).ok()?;
        let piece = reader.bytes(length)?;
        all.extend(snappyv2::block(reader, piece)?);
        if reader.rest().is_empty() {
            return Some(all);
        }
    }
}

/// Lengths that are right are no accident.
pub(super) fn judge(_: &[u8], _: &TreeNode) -> CodecVerdict {
    CodecVerdict {
        codec: Codec::Snappy,
        sure: Certainty::Exact,
        why: "Snappy's blocks, of the lengths that they say",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::decode;

    fn piece(text: &[u8]) -> Vec<u8> {
        let packed = snap::raw::Encoder::new().compress_vec(text).unwrap();
        let length = u32::try_from(packed.len()).unwrap();
        [&length.to_be_bytes()[..], &packed].concat()
    }

    #[test]
    fn pieces_are_joined() {
        let payload = [piece(b"{\"id\":1,"), piece(b"\"n\":2}")].concat();
        let read = decode(&payload);
        assert_eq!(
            (read.codec, &*read.text),
            (Codec::Snappy, r#"{"id":1,"n":2}"#)
        );
    }

    #[test]
    fn a_piece_that_is_cut_off_is_no_snappy() {
        let mut payload = piece(b"{\"id\":1}");
        payload.pop();
        assert_eq!(decode(&payload).codec, Codec::Unknown);
    }
}
