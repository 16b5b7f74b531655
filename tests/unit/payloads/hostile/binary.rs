//! The binary relatives of JSON, protobuf and Avro.

use super::{Named, close, fill, named};

pub fn all(size: usize) -> Vec<Named> {
    [
        named(msgpack(size)),
        named(cbor(size)),
        named(smile(size)),
        named(ion(size)),
        named(wire(size)),
    ]
    .concat()
}

fn msgpack(size: usize) -> Vec<(&'static str, Vec<u8>)> {
    let fill = |head: &[u8], part: &[u8]| fill(size, head, part);
    let list = |part: &[u8]| fill(b"\xdd\0\x0f\xff\xff", part);
    let key = b"\x81\x81\x81\x81\x81\x81\x81\x81";
    vec![
        ("msgpack lists", fill(b"", b"\x91")),
        ("msgpack objects", fill(b"", b"\x81\xa1a")),
        ("msgpack keys", fill(b"", b"\x81")),
        (
            "msgpack keys in a list",
            list(&[&key[..], b"\x01\x02\x02\x02\x02\x02\x02\x02\x02"].concat()),
        ),
        ("msgpack nulls", list(b"\xc0")),
        (
            "msgpack doubles",
            list(b"\xcb\x40\x33\xfd\x70\xa3\xd7\x0a\x3d"),
        ),
        ("msgpack floats", list(b"\xca\x7f\x7f\xff\xff")),
        ("msgpack small doubles", list(b"\xcb\x00\x00\0\0\0\0\0\x01")),
        ("msgpack texts", list(b"\xa0")),
        ("msgpack dates", list(b"\xd6\xff\x65\x53\xf1\x00")),
        ("msgpack extensions", list(b"\xd4\x05\x2a")),
        (
            "msgpack names of escapes",
            fill(
                b"\xdf\0\x0f\xff\xff",
                b"\xd9\x80"
                    .iter()
                    .copied()
                    .chain([0x1b; 128])
                    .chain([0])
                    .collect::<Vec<_>>()
                    .as_slice(),
            ),
        ),
        ("msgpack bytes", fill(b"\xc6\0\x0f\xff\xfb", b"\xfe")),
        (
            "msgpack a text of escapes",
            fill(b"\xdb\0\x0f\xff\xfb", b"\x1b"),
        ),
    ]
}

fn cbor(size: usize) -> Vec<(&'static str, Vec<u8>)> {
    let fill = |head: &[u8], part: &[u8]| fill(size, head, part);
    let number = [&b"\xc2\x59\x02\0"[..], &[0xfe; 512]].concat();
    let negative = [&b"\xc3\x59\x02\0"[..], &[0xfe; 512]].concat();
    let mut typed = b"\x82\x74java.math.BigInteger".to_vec();
    typed.extend(&negative);
    vec![
        ("cbor lists", fill(b"", b"\x9f")),
        ("cbor tags", fill(b"", b"\xc1")),
        ("cbor objects", fill(b"", b"\xbf\x61a")),
        ("cbor keys", fill(b"", b"\xbf")),
        ("cbor keys of one", fill(b"", b"\xa1")),
        ("cbor pieces", fill(b"\x7f", b"\x60")),
        ("cbor empty texts", fill(b"\x9f", b"\x60")),
        ("cbor halves", fill(b"\x9f", b"\xf9\x00\x01")),
        ("cbor dates", fill(b"\x9f", b"\xc1\x01")),
        ("cbor big integers", fill(b"\x9f", &number)),
        ("cbor negative big integers", fill(b"\x9f", &negative)),
        ("cbor typed big integers", fill(b"\x9f", &typed)),
        (
            "cbor decimals",
            fill(b"\x9f", b"\xc4\x82\x3a\0\x0f\xff\xff\x01"),
        ),
        (
            "cbor classes",
            close(size, b"\x9f", b"\xbf\x66@class\x63a.b\xff", b"\xff"),
        ),
    ]
}

fn smile(size: usize) -> Vec<(&'static str, Vec<u8>)> {
    let fill = |head: &[u8], part: &[u8]| fill(size, head, part);
    let number = [&b"\x26\x08\x80"[..], &[0x7f; 586]].concat();
    vec![
        ("smile lists", fill(b":)\n\x01", b"\xf8")),
        ("smile objects", fill(b":)\n\x03\xf8", b"\xfa\x80a")),
        ("smile texts", fill(b":)\n\x03\xf8", b"\x40a")),
        (
            "smile texts again",
            fill(
                b":)\n\x03\xf8\x7fxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
                b"\x01",
            ),
        ),
        ("smile empty texts", fill(b":)\n\x03\xf8", b"\x20")),
        ("smile big integers", fill(b":)\n\x03\xf8", &number)),
        (
            "smile decimals",
            fill(b":)\n\x03\xf8", b"\x2a\x84\x82\x03\x73\x03"),
        ),
        (
            "smile doubles",
            fill(
                b":)\n\x03\xf8",
                b"\x29\0\x40\x19\x7f\x2e\x0a\x1e\x5c\x14\x3d",
            ),
        ),
        ("smile texts without an end", fill(b":)\n\x03", b"\xe0")),
        (
            "smile texts with an end",
            fill(b":)\n\x03\xf8", b"\xe0a\xfc"),
        ),
    ]
}

fn ion(size: usize) -> Vec<(&'static str, Vec<u8>)> {
    const MARK: &[u8] = b"\xe0\x01\0\xea";
    let list = |part: &[u8]| {
        // Its length in three bytes of seven bits.
        let body = fill(size - 8, b"", part);
        let length = body.len();
        let seven = |shift: usize| u8::try_from(length >> shift & 0x7f).unwrap_or_default();
        let head = [0xbe, seven(14), seven(7), seven(0) | 0x80];
        [MARK, &head, &body].concat()
    };
    let number = [&b"\x2e\x04\x80"[..], &[0xfe; 512]].concat();
    let symbol = b"\xee\x8e\x81\x83\xdb\x87\xb9\x81a\x81b\x81c\x81d\x80";
    vec![
        ("ion binary lists", fill(size, MARK, b"\xbe\x7f\xff")),
        ("ion binary nulls", list(b"\x0f")),
        ("ion binary empty lists", list(b"\xb0")),
        ("ion binary integers", list(&number)),
        ("ion binary decimals", list(b"\x53\xc2\x07\xcf")),
        (
            "ion binary dates",
            list(b"\x68\x80\x0f\xe7\x8b\x8e\x96\x8d\x94"),
        ),
        ("ion binary symbols", list(b"\x71\x04")),
        ("ion binary tables", fill(size, MARK, symbol)),
        (
            "ion binary doubles",
            list(b"\x48\x40\x33\xfd\x70\xa3\xd7\x0a\x3d"),
        ),
    ]
}

fn wire(size: usize) -> Vec<(&'static str, Vec<u8>)> {
    let fill = |head: &[u8], part: &[u8]| fill(size, head, part);
    let message = [&b"\x0a\x7f"[..], &b"\x0a\x01a".repeat(42), b"\x08"].concat();
    vec![
        ("zeros and ones", fill(b"", b"\0\xff")),
        ("protobuf groups", fill(b"", b"\x0b")),
        ("protobuf numbers", fill(b"", b"\x08\x01")),
        (
            "protobuf doubles",
            fill(b"", b"\x09\x3d\x0a\xd7\xa3\x70\xfd\x33\x40"),
        ),
        (
            "protobuf fields",
            (0..size / 5).flat_map(|i| field(i + 1)).collect(),
        ),
        ("protobuf texts", fill(b"", b"\x0a\x01a")),
        ("protobuf messages", fill(b"", b"\x0a\x02\x08\x01")),
        ("protobuf messages that end wrong", fill(b"", &message)),
        ("protobuf nested lengths", nested(size)),
        ("protobuf lengths", fill(b"", b"\x0a\xc3\xa0\x3f")),
        ("avro lengths", fill(b"", b"\xc3\xa0\x3f")),
        ("avro texts", fill(b"", b"\x02a")),
        ("avro words", fill(b"", b"\x06abc")),
        ("avro numbers", fill(b"", b"\x80\x01")),
        (
            "avro doubles",
            fill(b"", b"\x01\x3d\x0a\xd7\xa3\x70\xfd\x33\x40"),
        ),
    ]
}

/// A field of that number, which says 1.
fn field(number: usize) -> Vec<u8> {
    let mut key = number << 3;
    let mut bytes = Vec::new();
    while key > 0x7f {
        bytes.push(u8::try_from(key & 0x7f).unwrap_or_default() | 0x80);
        key >>= 7;
    }
    bytes.extend([u8::try_from(key).unwrap_or_default(), 1]);
    bytes
}

/// Messages in messages, of which each is as long as all that is left.
fn nested(size: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while bytes.len() < size - 8 {
        let left = size - bytes.len() - 4;
        let seven = |shift: usize| u8::try_from(left >> shift & 0x7f).unwrap_or_default();
        bytes.extend([0x0a, seven(0) | 0x80, seven(7) | 0x80, seven(14)]);
    }
    bytes
}
