//! Smile's numbers and bytes, in bytes of seven bits.

use crate::payload::java::number;
use crate::payload::reader::Reader;
use crate::payload::scalar;
use crate::payload::tree::{Shape, TreeNode};

/// A number of as many bytes as it needs: the last has bit 7 set and six bits of it.
pub(super) fn unsigned(reader: &mut Reader<'_>) -> Option<u64> {
    let mut number: u64 = 0;
    loop {
        let byte = reader.byte()?;
        let (bits, part) = if byte & 0x80 == 0 {
            (7, u64::from(byte))
        } else {
            (6, u64::from(byte & 0x3f))
        };
        if number.leading_zeros() < bits || byte & 0xc0 == 0xc0 {
            return None;
        }
        number = number << bits | part;
        if byte & 0x80 != 0 {
            return Some(number);
        }
    }
}

pub(super) fn signed(reader: &mut Reader<'_>) -> Option<i64> {
    unsigned(reader).map(unzigzag)
}

/// A number whose sign is its lowest bit.
pub(super) const fn unzigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -((number & 1).cast_signed())
}

pub(super) fn float(reader: &mut Reader<'_>) -> Option<TreeNode> {
    let bits = u32::try_from(fixed::<5>(reader)?).ok()?;
    Some(scalar::float(f32::from_bits(bits)))
}

pub(super) fn double(reader: &mut Reader<'_>) -> Option<TreeNode> {
    let bits = u64::try_from(fixed::<10>(reader)?).ok()?;
    Some(scalar::double(f64::from_bits(bits)))
}

fn fixed<const N: usize>(reader: &mut Reader<'_>) -> Option<u128> {
    let bytes = reader.array::<N>()?;
    let is_seven = bytes.iter().all(|byte| *byte < 0x80);
    let bits = bytes
        .iter()
        .fold(0, |sum, &byte| sum << 7 | u128::from(byte));
    is_seven.then_some(bits)
}

pub(super) fn big_integer(reader: &mut Reader<'_>) -> Option<TreeNode> {
    let bytes = spread(reader)?;
    number::of_twos_complement(reader, &bytes)
}

pub(super) fn big_decimal(reader: &mut Reader<'_>) -> Option<TreeNode> {
    let scale = i32::try_from(signed(reader)?).ok()?;
    let digits = big_integer(reader)?;
    let Shape::Number(digits) = digits.shape else {
        return None;
    };
    number::big_decimal(digits.as_str(), i64::from(scale))
}

pub(super) fn bytes(reader: &mut Reader<'_>) -> Option<TreeNode> {
    spread(reader).map(|bytes| TreeNode::new(Shape::Bytes(bytes)))
}

/// Bytes that are spread over more of seven bits each, of which the last has only what is left.
fn spread(reader: &mut Reader<'_>) -> Option<Vec<u8>> {
    let length = usize::try_from(unsigned(reader)?).ok()?;
    let spread = reader.bytes(length.checked_mul(8)?.div_ceil(7))?;
    reader.take_text(length)?;
    let mut bytes = Vec::with_capacity(length);
    for part in spread.chunks(8) {
        if part.iter().any(|byte| *byte > 0x7f) {
            return None;
        }
        let (&last, full) = part.split_last()?;
        // As many bits in the last as there are bytes before it.
        let mut bits = full
            .iter()
            .fold(0_u64, |sum, &byte| sum << 7 | u64::from(byte));
        bits = bits << full.len() | u64::from(last);
        let whole = bits.to_be_bytes();
        bytes.extend_from_slice(&whole[8 - full.len()..]);
    }
    Some(bytes)
}
