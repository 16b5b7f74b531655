//! Names of classes, as Fury packs them: five or six bits a character, each name once.

use super::Style;
use crate::payload::reader::Reader;
use crate::payload::tree::Name;

/// The longest name whose hash is not written in its place, since Fory.
const SHORT: usize = 16;

/// A class that is named.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct NamedClass {
    /// Its name; of an array, that of what is in it.
    pub(super) name: Name,
    /// The dimensions of an array; 0 of any other class.
    pub(super) dimensions: usize,
    /// True when it, or what is in the array, is an enum.
    pub(super) is_enum: bool,
}

/// The parts of names that were met.
#[derive(Default)]
pub(super) struct Names(Vec<Name>);

impl Names {
    /// A class by its name, of whose package's length and mark `head` consists.
    pub(super) fn class(
        &mut self,
        r: &mut Reader<'_>,
        head: u64,
        style: Style,
    ) -> Option<NamedClass> {
        let package = self.part(r, head >> 1, style, ['.', '_'])?;
        let head = super::unsigned(r)?;
        let name = self.part(r, head, style, ['$', '_'])?;
        // Digits before the name: 1 for each dimension of an array, 2 for an enum.
        let dimensions = name.len() - name.trim_start_matches('1').len();
        let (name, is_enum) = match name[dimensions..].strip_prefix('2') {
            Some(name) => (name, true),
            None => (&name[dimensions..], false),
        };
        let full = if package.is_empty() {
            name.to_owned()
        } else {
            format!("{package}.{name}")
        };
        let fits = |c: char| c.is_alphanumeric() || matches!(c, '.' | '$' | '_' | '[' | ';' | '/');
        if name.is_empty() || !full.chars().all(fits) {
            return None;
        }
        r.take_text(full.len() + 4 * size_of::<Name>())?;
        Some(NamedClass {
            name: full.into(),
            dimensions,
            is_enum,
        })
    }

    /// A package or a name; one that was met before is referred to by its number.
    fn part(
        &mut self,
        r: &mut Reader<'_>,
        head: u64,
        style: Style,
        special: [char; 2],
    ) -> Option<Name> {
        let length = usize::try_from(head >> 1).ok()?;
        if head & 1 == 1 {
            return self.0.get(length.checked_sub(1)?).cloned();
        }
        let bytes = if style == Style::Fury || length > SHORT {
            let hash = u64::from_le_bytes(r.array()?);
            let bytes = r.bytes(length)?;
            if hash >> 8 != hash_of(bytes) >> 8 {
                return None;
            }
            (hash.to_le_bytes()[0], bytes)
        } else {
            (r.byte()?, r.bytes(length)?)
        };
        let (encoding, bytes) = bytes;
        let name = unpack(bytes, encoding, special)?;
        r.take_text(name.len() + 4 * size_of::<Name>())?;
        let name = Name::from(name);
        self.0.push(name.clone());
        Some(name)
    }
}

/// The hash of a name, of which the lowest byte is not written (the first half of
/// the 128 bits of `MurmurHash3`).
fn hash_of(bytes: &[u8]) -> u64 {
    const ONE: u64 = 0x87c3_7b91_1142_53d5;
    const TWO: u64 = 0x4cf5_ad43_2745_937f;
    let mix_one = |k: u64| k.wrapping_mul(ONE).rotate_left(31).wrapping_mul(TWO);
    let mix_two = |k: u64| k.wrapping_mul(TWO).rotate_left(33).wrapping_mul(ONE);
    let half = |bytes: &[u8]| {
        let bytes = bytes.iter().take(8).rev();
        bytes.fold(0, |number, byte| number << 8 | u64::from(*byte))
    };
    let halves = |block: &[u8]| (half(block), half(block.get(8..).unwrap_or_default()));
    let (mut a, mut b) = (47_u64, 47_u64);
    let blocks = bytes.chunks_exact(16);
    let rest = blocks.remainder();
    for block in blocks {
        let (first, second) = halves(block);
        a = (a ^ mix_one(first)).rotate_left(27).wrapping_add(b);
        a = a.wrapping_mul(5).wrapping_add(0x52dc_e729);
        b = (b ^ mix_two(second)).rotate_left(31).wrapping_add(a);
        b = b.wrapping_mul(5).wrapping_add(0x3849_5ab5);
    }
    let (first, second) = halves(rest);
    (a, b) = (a ^ mix_one(first), b ^ mix_two(second));
    let length = bytes.len() as u64;
    (a, b) = (a ^ length, b ^ length);
    a = a.wrapping_add(b);
    b = b.wrapping_add(a);
    let last = |h: u64| {
        let h = (h ^ h >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
        let h = (h ^ h >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        h ^ h >> 33
    };
    last(a).wrapping_add(last(b))
}

/// Characters of five bits: small letters and four signs; or of six.
pub(super) fn unpack(bytes: &[u8], encoding: u8, special: [char; 2]) -> Option<String> {
    let (width, letters): (usize, Vec<char>) = match encoding {
        0 => return str::from_utf8(bytes).ok().map(str::to_owned),
        1 | 3 | 4 => (5, ('a'..='z').chain(['.', '_', '$', '|']).collect()),
        2 => {
            let letters = ('a'..='z').chain('A'..='Z').chain('0'..='9');
            (6, letters.chain(special).collect())
        }
        _ => return None,
    };
    let Some(first) = bytes.first() else {
        return Some(String::new());
    };
    // The first bit says whether what is left of the last byte is no character.
    let count = (bytes.len() * 8 - 1) / width - usize::from(first >> 7);
    let bit = |at: usize| usize::from(bytes[at / 8] >> (7 - at % 8) & 1);
    let mut text = String::new();
    let mut is_upper = encoding == 3;
    for i in 0..count {
        let from = 1 + i * width;
        let letter = (from..from + width).fold(0, |letter, at| letter << 1 | bit(at));
        let letter = *letters.get(letter)?;
        if encoding == 4 && letter == '|' {
            is_upper = true;
            continue;
        }
        text.push(if is_upper {
            letter.to_ascii_uppercase()
        } else {
            letter
        });
        is_upper = false;
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_furys_hash() {
        let hash = u64::from_le_bytes(*b"\x04\x56\x69\xe0\xe6\x35\x31\x77");
        assert_eq!(hash_of(b"\x89\xcc\xd0\x04\xc2\0") >> 8, hash >> 8);
    }

    #[test]
    fn names_are_unpacked_from_five_and_six_bits() {
        let package = b"\x89\xcc\xd0\x04\xc2\0";
        assert_eq!(unpack(package, 4, ['.', '_']).as_deref(), Some("com.acme"));
        let order = b"\xba\x23\x24\x40";
        assert_eq!(unpack(order, 3, ['$', '_']).as_deref(), Some("Order"));
        let inner = b"\x4c\x72\x22\x7d\x11\xa6\x88\x88";
        let inner = unpack(inner, 2, ['$', '_']);
        assert_eq!(inner.as_deref(), Some("More$Inner"));
    }
}
