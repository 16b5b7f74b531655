//! What unpacks to two megabytes and hurts then, and blocks that are many.

use super::{Named, bare};

pub fn all(size: usize) -> Vec<Named> {
    // As much as is unpacked of a megabyte, less what lies around it.
    let packed = bare(2 * size - 64).into_iter().flat_map(|(name, bytes)| {
        let block = lz4_flex::block::compress(&bytes);
        let size = u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_be_bytes();
        let lz4 = [&size[..], &block].concat();
        let snappy = snap::raw::Encoder::new()
            .compress_vec(&bytes)
            .unwrap_or_default();
        [
            (format!("{name} in lz4"), lz4),
            (format!("{name} in snappy"), snappy),
        ]
    });
    let all = packed.chain(blocks(size));
    all.filter(|(_, bytes)| bytes.len() <= size).collect()
}

fn blocks(size: usize) -> Vec<Named> {
    let snappy = b"\0\0\0\x03\x01\0a";
    vec![
        ("snappy pieces".to_owned(), super::fill(size, b"", snappy)),
        (
            "zstd empty blocks".to_owned(),
            zstd(size, b"\0\0\0", b"\x01\0\0", 0),
        ),
        (
            "zstd blocks of a byte".to_owned(),
            zstd(size, b"\x08\0\0a", b"\x09\0\0a", 1),
        ),
        (
            "zstd blocks of one byte often".to_owned(),
            zstd(size, b"\x42\0\0a", b"\x43\0\0a", 8),
        ),
        ("zstd packed blocks".to_owned(), packed_blocks(size)),
    ]
}

/// A frame with a window of 8 MB, of blocks that are each `holds` bytes.
fn zstd(size: usize, block: &[u8], last: &[u8], holds: usize) -> Vec<u8> {
    let times = (size - 32) / block.len();
    let unpacked = u32::try_from((times + 1) * holds).unwrap_or(u32::MAX);
    let head = [&unpacked.to_be_bytes()[..], b"\x28\xb5\x2f\xfd\0\x68"].concat();
    [&head[..], &block.repeat(times), last].concat()
}

/// The same block, with tables of its own, again and again.
fn packed_blocks(size: usize) -> Vec<u8> {
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    let text: Vec<u8> = (0_u32..400)
        .map(|i| (i * i * 7 % 97 + i % 13).to_le_bytes()[0])
        .collect();
    let frame = compress_to_vec(&text[..], CompressionLevel::Fastest);
    // Behind the mark and a head of two bytes; the block has three bytes of its own.
    let Some(at) = block_at(&frame) else {
        return Vec::new();
    };
    let head = u32::from_le_bytes([frame[at], frame[at + 1], frame[at + 2], 0]);
    let length = (head >> 3) as usize;
    let mut block = frame[at..at + 3 + length].to_vec();
    block[0] &= 0xfe;
    let times = (size - 64) / block.len();
    let times = times.min((2 * size - 64) / text.len());
    let unpacked = u32::try_from(times * text.len()).unwrap_or(u32::MAX);
    let start = [&unpacked.to_be_bytes()[..], b"\x28\xb5\x2f\xfd\0\x68"].concat();
    [&start[..], &block.repeat(times), b"\x01\0\0"].concat()
}

/// Where the first block of a frame lies.
fn block_at(frame: &[u8]) -> Option<usize> {
    let descriptor = *frame.get(4)?;
    let is_single = descriptor & 0x20 != 0;
    let size = match descriptor >> 6 {
        0 => usize::from(is_single),
        1 => 2,
        2 => 4,
        _ => 8,
    };
    Some(5 + usize::from(!is_single) + size)
}
