//! Payloads that real codecs wrote, with something done to them.

use delayscope::payload::{self, Codec};
use proptest::prelude::Rng;

use super::hostile::SIZE;

/// Bytes that begin or end something in one of the codecs, or are a number at its edge.
const EDGES: &[u8] = b"\x00\x01\x02\x03\x04\x09\x0a\x0f\x10\x20\x39\x3b\x53\x5a\x70\x71\x72\x73\x74\x75\x77\x78\x7c\x7d\x7e\x7f\x80\x81\x91\x9f\xa0\xbe\xbf\xc0\xc2\xd9\xdd\xe0\xed\xf9\xfb\xfc\xfd\xfe\xff";

/// Lengths and counts that are too large, or as long as they need not be.
const LENGTHS: &[&[u8]] = &[
    b"\xff\xff\xff\xff",
    b"\x7f\xff\xff\xff",
    b"\xff\xff\xff\x7f",
    b"\x00\x00\x00\x00",
    b"\x80\x80\x80\x80\x00",
    b"\xff\xff\xff\xff\x0f",
    b"\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
    b"\x80\x00",
    b"\x80\xff\x7f",
    b"\x81\xff\xff\xff\x7f",
    b"\x00\x0f\xff\xff",
    b"\xff\xff",
    b"\x7f\xff",
];

/// What holds others and begins with these bytes: put before a payload, it nests it.
const HOLDERS: &[&[u8]] = &[
    b"[",
    b"{\"a\":",
    b"[\"java.util.ArrayList\",",
    b"a::[",
    b"{a:",
    b"\x91",
    b"\x81\xa1a",
    b"\x81",
    b"\x9f",
    b"\xbf\x61a",
    b"\xc1",
    b":)\n\x03\xf8",
    b"\xfa\x80a",
    b"\xe0\x01\0\xea\xbe\x81",
    b"\x0a\x05",
    b"\x0b",
    b"\x04\x53\x01\x5a",
    b"\x53\x01\x5a",
    b"\x7d",
    b"\x04\x09",
    b"\xac\xed\0\x05\x73",
    b"\x75\x71\0\x7e\0\0\0\0\0\x01",
    b"\x73\x71\0\x7e\0\0",
    b"\x77\0",
    b"\x01\0java.util.ArrayLis\xf4\x02",
    b"\x01\0java.util.Optiona\xec",
    b"\x01\0java.util.HashMa\xf0\x02",
    b"\x01\0\x02",
    b"\x01\0com.acme.Orde\xf2",
    b"\0\x10\x01",
    b"\0\x0f\x01",
    b"\0\x01\x05a.b.C",
    b"\xfd",
    b"\x02\xff\x42\x01\x08",
    b"\x02\xff\x7c\x01\xff",
    b"\xff\x7c\x01\xff",
    b"\0\xff\x5a\x01\0",
];

/// How large a case may grow without being one of the large ones.
const USUAL: usize = 16 << 10;
/// Of so many cases one is grown to 64 kB; and one of so many of these to a megabyte.
const LARGE: u32 = 1500;
const HUGE: u32 = 16;

/// The payloads, and the numbers that decide what becomes of them.
pub(super) struct Mutator<'a, R> {
    pub(super) vectors: &'a [Vec<u8>],
    pub(super) random: R,
}

impl<R: Rng> Mutator<'_, R> {
    /// One case; `large` if it is one of the large ones.
    pub(super) fn case(&mut self, large: bool) -> Vec<u8> {
        let mut bytes = match self.below(16) {
            0..8 => self.vector().to_vec(),
            8..11 => self.spliced(),
            11..13 => self.nested(),
            13 => self.packed(),
            14 => self.foreign(),
            _ => self.noise(),
        };
        for _ in 0..self.below(5) {
            self.change(&mut bytes);
        }
        bytes.truncate(USUAL);
        if large {
            self.grow(&mut bytes);
        } else if self.below(LARGE) == 0 {
            let to = if self.below(HUGE) == 0 {
                SIZE
            } else {
                64 << 10
            };
            self.grow_to(&mut bytes, to);
        }
        bytes
    }

    fn below(&mut self, end: u32) -> u32 {
        // The bias of a few in four thousand million does not matter.
        self.random.next_u32() % end
    }

    fn index(&mut self, length: usize) -> usize {
        let length = u32::try_from(length.max(1)).unwrap_or(u32::MAX);
        self.below(length) as usize
    }

    fn byte(&mut self) -> u8 {
        self.random.next_u32().to_le_bytes()[0]
    }

    fn one_of<'b>(&mut self, of: &[&'b [u8]]) -> &'b [u8] {
        of[self.index(of.len())]
    }

    fn vector(&mut self) -> &[u8] {
        let at = self.index(self.vectors.len());
        &self.vectors[at]
    }

    /// How often something is repeated: a few times, and now and then many.
    fn often(&mut self) -> u32 {
        let most = if self.below(32) == 0 { 300 } else { 4 };
        self.below(most)
    }

    /// The start of one payload and the end of another, or one inside another.
    fn spliced(&mut self) -> Vec<u8> {
        let mut first = self.vector().to_vec();
        let second = self.vector().to_vec();
        let at = self.index(first.len() + 1);
        if self.below(2) == 0 {
            let from = self.index(second.len() + 1);
            first.truncate(at);
            first.extend(&second[from..]);
        } else {
            first.splice(at..at, second);
        }
        first
    }

    /// A payload in something that holds it, which is in something that holds it.
    fn nested(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for _ in 0..=self.below(3) {
            let times = self.often();
            let holder = self.one_of(HOLDERS);
            for _ in 0..=times {
                bytes.extend(holder);
            }
        }
        bytes.extend(self.vector());
        bytes
    }

    /// A payload as one of the packers packs it.
    fn packed(&mut self) -> Vec<u8> {
        let mut bytes = self.vector().to_vec();
        self.change(&mut bytes);
        bytes.truncate(USUAL);
        let size = u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_be_bytes();
        let snappy = |bytes: &[u8]| {
            let packed = snap::raw::Encoder::new().compress_vec(bytes);
            packed.unwrap_or_default()
        };
        match self.below(8) {
            0..3 => [&size[..], &lz4_flex::block::compress(&bytes)].concat(),
            3..5 => snappy(&bytes),
            5..7 => {
                let block = snappy(&bytes);
                let size = u32::try_from(block.len()).unwrap_or(u32::MAX).to_be_bytes();
                [&size[..], &block].concat()
            }
            _ => {
                use ruzstd::encoding::{CompressionLevel, compress_to_vec};
                let frame = compress_to_vec(&bytes[..], CompressionLevel::Fastest);
                [&size[..], &frame].concat()
            }
        }
    }

    /// The text of a payload as a codec writes it that can.
    fn foreign(&mut self) -> Vec<u8> {
        let codecs = [
            Codec::Text,
            Codec::Json,
            Codec::Kryo5,
            Codec::Marshalling,
            Codec::Serialization,
        ];
        let codec = codecs[self.index(codecs.len())];
        let text = String::from_utf8_lossy(self.vector()).into_owned();
        payload::encode(codec, &text).unwrap_or_default()
    }

    /// Anything, behind what begins something.
    fn noise(&mut self) -> Vec<u8> {
        let mut bytes = self.one_of(HOLDERS).to_vec();
        for _ in 0..self.below(40) {
            let byte = if self.below(2) == 0 {
                EDGES[self.index(EDGES.len())]
            } else {
                self.byte()
            };
            bytes.push(byte);
        }
        bytes
    }

    fn change(&mut self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            bytes.push(0);
        }
        let at = self.index(bytes.len());
        let end = bytes.len().min(at + 1 + self.index(16));
        match self.below(14) {
            0..2 => bytes[at] = self.byte(),
            2..4 => bytes[at] = EDGES[self.index(EDGES.len())],
            4 => bytes[at] ^= 1 << self.below(8),
            5 => bytes[at] = bytes[at].wrapping_add(if self.below(2) == 0 { 1 } else { 0xff }),
            6 => {
                let length = self.one_of(LENGTHS);
                bytes.splice(at..at, length.iter().copied());
            }
            7 => {
                // In the place of what is there: most lengths do not move what follows.
                let length = self.one_of(LENGTHS);
                let end = bytes.len().min(at + length.len());
                bytes.splice(at..end, length.iter().copied());
            }
            8 => drop(bytes.drain(at..end)),
            9 => {
                let times = self.often() as usize;
                let part = bytes[at..end].repeat(1 + times);
                bytes.splice(at..at, part);
            }
            10 => bytes.truncate(at),
            11 => {
                let holder = self.one_of(HOLDERS);
                bytes.splice(at..at, holder.iter().copied());
            }
            12 => {
                let from = self.index(bytes.len());
                let part = bytes[from..bytes.len().min(from + 32)].to_vec();
                bytes.splice(at..at, part);
            }
            _ => {
                bytes.truncate(at);
                bytes.extend(self.vector());
            }
        }
    }

    /// Repeats a part of it, long or short, to a megabyte.
    fn grow(&mut self, bytes: &mut Vec<u8>) {
        self.grow_to(bytes, SIZE);
    }

    fn grow_to(&mut self, bytes: &mut Vec<u8>, to: usize) {
        if bytes.is_empty() {
            bytes.push(self.byte());
        }
        let at = self.index(bytes.len());
        let most = if self.below(2) == 0 { 16 } else { 1000 };
        let end = bytes.len().min(at + 1 + self.index(most));
        let part = &bytes[at..end];
        let part = part.repeat(to.saturating_sub(bytes.len()) / part.len());
        bytes.splice(at..at, part);
    }
}
