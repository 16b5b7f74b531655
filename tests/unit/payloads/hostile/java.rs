//! Java's own serialization, and JBoss Marshalling.

use super::{Named, fill, named};

pub fn all(size: usize) -> Vec<Named> {
    [
        named(stream(size)),
        named(same_again(size)),
        named(same_values(size)),
        named(classes(size)),
        named(river(size)),
    ]
    .concat()
}

/// The start of a stream, and an array of objects that is said to be as long as can be. Its class
/// has the first handle, it has the second.
const ARRAY: &[u8] = b"\xac\xed\0\x05\x75\x72\0\x13[Ljava.lang.Object;\x90\xce\x58\x9f\x10\x73\x29\x6c\x02\0\0\x78\x70\x7f\xff\xff\xff";
/// The class that was described first of those in the array.
const AGAIN: &[u8] = b"\x71\0\x7e\0\x02";

/// A class with fields, without a superclass.
fn class(name: &[u8], flags: u8, fields: &[&[u8]]) -> Vec<u8> {
    let mut class = begin(name, flags, fields);
    class.push(0x70);
    class
}

/// The same up to its superclass.
fn begin(name: &[u8], flags: u8, fields: &[&[u8]]) -> Vec<u8> {
    let length = u16::try_from(name.len()).unwrap_or(u16::MAX).to_be_bytes();
    let count = u16::try_from(fields.len())
        .unwrap_or(u16::MAX)
        .to_be_bytes();
    let version = [0; 8];
    [
        &[0x72][..],
        &length,
        name,
        &version,
        &[flags],
        &count,
        &fields.concat(),
        &[0x78],
    ]
    .concat()
}

fn text(length: usize) -> Vec<u8> {
    let bytes = u16::try_from(length).unwrap_or(u16::MAX).to_be_bytes();
    [&[0x74][..], &bytes, &b"x".repeat(length)].concat()
}

fn stream(size: usize) -> Vec<(&'static str, Vec<u8>)> {
    let fill = |head: &[u8], part: &[u8]| fill(size, head, part);
    let one = b"\xac\xed\0\x05\x75\x72\0\x13[Ljava.lang.Object;\x90\xce\x58\x9f\x10\x73\x29\x6c\x02\0\0\x78\x70\0\0\0\x01";
    vec![
        ("java arrays", fill(one, b"\x75\x71\0\x7e\0\0\0\0\0\x01")),
        ("java nulls", fill(b"\xac\xed\0\x05", b"\x70")),
        ("java null elements", fill(ARRAY, b"\x70")),
        ("java block data", fill(b"\xac\xed\0\x05", b"\x77\0")),
        ("java resets", fill(b"\xac\xed\0\x05", b"\x79")),
        ("java texts", fill(ARRAY, b"\x74\0\0")),
        (
            "java classes",
            fill(ARRAY, &[&b"\x76"[..], &class(b"a", 2, &[])].concat()),
        ),
        (
            "java blocks of one object",
            fill(
                &[ARRAY, b"\x73", &class(b"a.B", 3, &[])].concat(),
                b"\x77\0",
            ),
        ),
        ("java references", fill(ARRAY, b"\x71\0\x7e\0\x01")),
    ]
    .into_iter()
    .chain(odd(size))
    .collect()
}

/// Objects that may or may not have written their fields, and what they wrote besides.
fn odd(size: usize) -> Vec<(&'static str, Vec<u8>)> {
    let object = [&b"\x73"[..], AGAIN].concat();
    let nesting = class(b"a.B", 3, &[b"L\0\x01a\x74\0\0"]);
    let length = (size / 2) as u64;
    let text = [&b"\x7c"[..], &length.to_be_bytes(), &vec![b'x'; size / 2]].concat();
    let head = [ARRAY, b"\x73", &nesting, &object.repeat(40)].concat();
    let block = |part: &[u8]| {
        let class = class(b"a.B", 3, &[]);
        let length = u32::try_from(size).unwrap_or(u32::MAX).to_be_bytes();
        let head = [ARRAY, b"\x73", &class, b"\x7a", &length].concat();
        fill(head.len() + size, &head, part)
    };
    vec![
        ("java odd objects in odd objects", fill(size, &head, b"\0")),
        (
            "java odd objects around a long text",
            fill(size, &[&head[..], &text].concat(), b"\0"),
        ),
        ("java texts in a block", block(b"\0\x03abc")),
        ("java lengths in a block", block(b"\x08\xff")),
        (
            "java long texts in a block",
            block(&[b"\x08\xff".as_slice(), &[b'x'; 0x8fe]].concat()),
        ),
    ]
}

/// Classes that are tall, wide or take long to be said.
fn classes(size: usize) -> Vec<(&'static str, Vec<u8>)> {
    let fill = |head: &[u8], part: &[u8]| fill(size, head, part);
    let big = class(
        b"java.math.BigInteger",
        2,
        &[b"I\0\x06signum", b"[\0\x09magnitude\x74\0\x02[B"],
    );
    let number = [
        &[0, 0, 0, 1][..],
        b"\x75\x71\0\x7e\0\x07\0\0\x02\0",
        &[0xfe; 512],
    ]
    .concat();
    let digits = class(b"[B", 2, &[]);
    let first = [
        &[0, 0, 0, 1, 0x75][..],
        &digits,
        b"\0\0\x02\0",
        &[0xfe; 512],
    ]
    .concat();
    let open = begin(b"a", 2, &[]);
    let open = &open[..open.len() - 1];
    let wide = class(b"a.B", 2, &vec![&b"I\0\x01a"[..]; 8000]);
    vec![
        (
            "java superclasses",
            fill(b"\xac\xed\0\x05\x73", &begin(b"a", 2, &[])),
        ),
        (
            "java superclasses in annotations",
            fill(
                b"\xac\xed\0\x05",
                &[&b"\x73"[..], &begin(b"a", 2, &[]).repeat(62), open].concat(),
            ),
        ),
        (
            "java big integers",
            fill(
                &[ARRAY, b"\x73", &big, &first].concat(),
                &[&b"\x73"[..], AGAIN, &number].concat(),
            ),
        ),
        (
            "java wide objects",
            fill(&[ARRAY, b"\x73", &wide].concat(), b"\0"),
        ),
    ]
}

/// What is said once in the bytes and means much at each of the places that refer to it.
fn same_again(size: usize) -> Vec<(&'static str, Vec<u8>)> {
    let fill =
        |parts: &[&[u8]], part: &[u8]| fill(size, &[&[ARRAY], parts].concat().concat(), part);
    let object = [&b"\x73"[..], AGAIN].concat();
    let tall: Vec<u8> = (0..60)
        .flat_map(|_| begin(b"a.B", 2, &[]))
        .chain([0x70])
        .collect();
    let long = class(&[&b"a."[..], &b"b".repeat(60_000)].concat(), 2, &[]);
    let long_array = class(&[&b"[La."[..], &b"b".repeat(60_000)].concat(), 2, &[]);
    let dimensions = class(&b"[".repeat(60_000), 2, &[]);
    let name = [&b"I\xea\x60"[..], &b"n".repeat(60_000)].concat();
    let long_field = class(b"a.B", 2, &[&name]);
    let parent = class(&b"p".repeat(60_000), 2, &[b"B\0\x01a"]);
    let hidden = [begin(b"a.B", 2, &[b"B\0\x01a"]), parent].concat();
    vec![
        ("java tall objects", fill(&[b"\x73", &tall], &object)),
        ("java long class", fill(&[b"\x73", &long], &object)),
        (
            "java long array class",
            fill(
                &[b"\x75", &long_array, &[0; 4]],
                b"\x75\x71\0\x7e\0\x02\0\0\0\0",
            ),
        ),
        (
            "java dimensions",
            fill(
                &[b"\x75", &dimensions, &[0; 4]],
                b"\x75\x71\0\x7e\0\x02\0\0\0\0",
            ),
        ),
        (
            "java long field",
            fill(
                &[b"\x73", &long_field, &[0; 4]],
                &[&object[..], &[0; 4]].concat(),
            ),
        ),
        (
            "java hidden fields",
            fill(
                &[b"\x73", &hidden, b"\0\0"],
                &[&object[..], b"\0\0"].concat(),
            ),
        ),
    ]
}

/// Values that are said in few bytes where they stand again.
fn same_values(size: usize) -> Vec<(&'static str, Vec<u8>)> {
    let fill =
        |parts: &[&[u8]], part: &[u8]| fill(size, &[&[ARRAY], parts].concat().concat(), part);
    let object = [&b"\x73"[..], AGAIN].concat();
    let copies = class(
        b"java.util.Collections$CopiesList",
        2,
        &[b"I\0\x01n", b"L\0\x07element\x74\0\0"],
    );
    let first = [&b"\0\0\0\x64"[..], &text(100)].concat();
    let again = [&object[..], b"\0\0\0\x64\x71\0\x7e\0\x05"].concat();
    let set = class(b"java.util.BitSet", 2, &[b"[\0\x04bits\x74\0\0"]);
    let words = [
        &[0x75][..],
        &class(b"[J", 2, &[]),
        b"\0\0\0\x40",
        &[0xff; 512],
    ]
    .concat();
    let bits = [&object[..], b"\x75\x71\0\x7e\0\x05\0\0\0\x40", &[0xff; 512]].concat();
    let builder = class(b"java.lang.StringBuilder", 3, &[]);
    vec![
        ("java copies", fill(&[b"\x73", &copies, &first], &again)),
        ("java bits", fill(&[b"\x73", &set, &words], &bits)),
        (
            "java long text",
            fill(&[&text(60_000)], b"\x71\0\x7e\0\x02"),
        ),
        ("java short text", fill(&[&text(100)], b"\x71\0\x7e\0\x02")),
        (
            "java builders",
            fill(
                &[
                    b"\x73",
                    &builder,
                    b"\x77\x04\0\0\0\x01\x75",
                    &class(b"[C", 2, &[]),
                    b"\0\0\0\x01\0a\x78",
                ],
                &[
                    &object[..],
                    b"\x77\x04\0\0\0\x01\x75\x71\0\x7e\0\x04\0\0\0\x01\0a\x78",
                ]
                .concat(),
            ),
        ),
        ("java keys of keys", keys(size)),
    ]
}

/// Maps whose keys are arrays of two that each hold the one before twice: each key says itself
/// thousands of times.
fn keys(size: usize) -> Vec<u8> {
    let map = class(b"java.util.HashMap", 3, &[]);
    let arrays = class(b"[Ljava.lang.Object;", 2, &[]);
    let mut bytes = [b"\xac\xed\0\x05\x73", &map[..], b"\x77\x08\0\0\0\0\0\0\0\0"].concat();
    // The class of maps, the map, the class of arrays, and then each array.
    let mut handle: u32 = 0x7e_0003;
    let mut is_first = true;
    while bytes.len() < size - 2000 {
        for level in 0..14 {
            bytes.push(0x75);
            if is_first {
                bytes.extend(&arrays);
            } else {
                bytes.extend(b"\x71\0\x7e\0\x02");
            }
            is_first = false;
            bytes.extend(2_u32.to_be_bytes());
            // The first element is the array of the next level, the second that one again.
            if level == 13 {
                bytes.extend(b"\x70\x70");
            }
        }
        for level in (1..14).rev() {
            bytes.push(0x71);
            bytes.extend((handle + level).to_be_bytes());
        }
        handle += 14;
        bytes.push(0x70);
    }
    bytes.push(0x78);
    bytes
}

fn river(size: usize) -> Vec<(&'static str, Vec<u8>)> {
    let fill = |head: &[u8], part: &[u8]| fill(size, head, part);
    let list = b"\x03\x55\x7f\xff\xff\xff\x5a";
    let inside = |head: &[u8], part: &[u8]| fill(&[&list[..], head].concat(), part);
    let name = |name: &[u8]| {
        let length = u32::try_from(name.len()).unwrap_or(u32::MAX).to_be_bytes();
        [&length[..], name].concat()
    };
    let level = [&b"\x09"[..], &name(b"a.B"), &[0; 12]].concat();
    let tall = [&b"\x04"[..], &level.repeat(60), b"\x16"].concat();
    let long = [
        &b"\x04\x09"[..],
        &name(&b"b".repeat(60_000)),
        &[0; 12],
        b"\x16",
    ]
    .concat();
    let array = [&b"\x42\x01\x07"[..], &name(&b"b".repeat(60_000)), b"\x01"].concat();
    let fields = [
        &b"\x04\x09"[..],
        &name(b"a.B"),
        &[0; 8],
        b"\0\0\0\x01",
        &name(&b"n".repeat(60_000)),
        b"\x21\0\x16\x07",
    ]
    .concat();
    vec![
        ("river lists", fill(b"\x04", b"\x53\x01\x5a")),
        (
            "river counts",
            fill(b"\x04\x55\x7f\xff\xff\xff\x5a", b"\x01"),
        ),
        ("river unmodifiable", fill(b"\x04", b"\x7d")),
        ("river texts", inside(b"", b"\x3d")),
        ("river booleans", inside(b"", b"\x50")),
        ("river bits", fill(b"\x04\x44\x7f\xff\xff\x20", b"\xaa")),
        (
            "river doubles",
            inside(b"", b"\x4f\x40\x33\xfd\x70\xa3\xd7\x0a\x3d"),
        ),
        ("river tall objects", inside(&tall, b"\x04\x3b\xc4")),
        ("river long class", inside(&long, b"\x04\x3b\xff")),
        ("river long arrays", inside(&array, b"\x42\x01\x3b\xff\x01")),
        ("river long field", inside(&fields, b"\x04\x3b\xff\x07")),
        ("river dimensions", fill(b"\x04\x42\x01", b"\x0d")),
        ("river superclasses", fill(b"\x03\x04", &level)),
        (
            "river superclasses in externalizers",
            fill(
                b"\x03",
                &[&b"\x04"[..], &level.repeat(60), b"\x0b\0\0\0\x01a"].concat(),
            ),
        ),
        ("river repeats", inside(b"\x3e\x3chello", b"\x39\xff")),
    ]
}
