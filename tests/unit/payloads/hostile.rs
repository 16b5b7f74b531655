//! Payloads of a megabyte that are made to hurt whoever reads them.

#![expect(unreachable_pub, reason = "shared with a benchmark")]

#[path = "hostile/binary.rs"]
mod binary;
#[path = "hostile/fields.rs"]
mod fields;
#[path = "hostile/java.rs"]
mod java;
#[path = "hostile/packed.rs"]
mod packed;
#[path = "hostile/plain.rs"]
mod plain;

/// A megabyte.
pub const SIZE: usize = 1 << 20;

/// A payload and what it is called.
pub type Named = (String, Vec<u8>);

/// Payloads that nest as deep as their size allows, refer to themselves, count too far, say the
/// same again and again or unpack to far more than they are; of at most `size` bytes, which has to
/// be 70,000 at least.
pub fn hostile(size: usize) -> Vec<Named> {
    let mut all = bare(size);
    all.extend(packed::all(size));
    all
}

/// Those that are not packed.
pub fn bare(size: usize) -> Vec<Named> {
    [
        plain::all(size),
        java::all(size),
        binary::all(size),
        fields::all(size),
    ]
    .concat()
}

/// `head`, then `part` as often as fits into `size`.
fn fill(size: usize, head: &[u8], part: &[u8]) -> Vec<u8> {
    let times = (size - head.len()) / part.len();
    [head, &part.repeat(times)].concat()
}

/// The same with `tail` behind it.
fn close(size: usize, head: &[u8], part: &[u8], tail: &[u8]) -> Vec<u8> {
    let mut bytes = fill(size - tail.len(), head, part);
    bytes.extend_from_slice(tail);
    bytes
}

fn named(all: Vec<(&str, Vec<u8>)>) -> Vec<Named> {
    let named = all
        .into_iter()
        .map(|(name, bytes)| (name.to_owned(), bytes));
    named.collect()
}
