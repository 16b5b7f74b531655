//! Kryo, FST and Fury: objects whose fields have no names.

use super::{Named, close, fill, named};

pub fn all(size: usize) -> Vec<Named> {
    [
        named(kryo(size)),
        named(kryo_classes(size)),
        named(fst(size)),
        named(fury(size)),
    ]
    .concat()
}

fn kryo(size: usize) -> Vec<(&'static str, Vec<u8>)> {
    let fill = |head: &[u8], part: &[u8]| fill(size, head, part);
    let list = b"\x01\0java.util.ArrayLis\xf4\x41\x41\x41\x01";
    let inside = |part: &[u8]| fill(b"\x01\0java.util.ArrayLis\xf4\x7f\xff\xff\x7f", part);
    let unknown = b"\x01\0com.acme.Orde\xf2";
    let name = [&b"\x01"[..], &b"a.".repeat(510), b"\xe1"].concat();
    vec![
        ("kryo optionals", fill(b"", b"\x01\0java.util.Optiona\xec")),
        (
            "kryo lists",
            fill(b"\x01\0java.util.ArrayLis\xf4\x02", b"\x01\0\x02"),
        ),
        ("kryo nulls", fill(list, b"\0")),
        ("kryo null elements", inside(b"\0")),
        ("kryo ints", inside(b"\x02\x02")),
        ("kryo texts", inside(b"\x03\x81")),
        (
            "kryo doubles",
            inside(b"\x0a\x3d\x0a\xd7\xa3\x70\xfd\x33\x40"),
        ),
        ("kryo unknown", fill(unknown, b"\xc8\x7f")),
        ("kryo unknown text", fill(unknown, b"abcdefghijklmnopq")),
        ("kryo unknown zeros", fill(unknown, b"\0")),
        ("kryo unknown names", fill(unknown, b"\x01\x01")),
        ("kryo unknown new names", fill(unknown, &name)),
        (
            "kryo unknown lists",
            fill(unknown, b"\x01\x01java.util.ArrayLis\xf4\x02"),
        ),
        ("kryo unknown lengths", fill(unknown, b"\xff\x01")),
        ("kryo unknown long lengths", fill(unknown, b"\xbf\xbf\x01")),
        ("kryo unknown accents", fill(unknown, "é".as_bytes())),
        // At each third byte begins a text of thousands of characters that is none.
        ("kryo texts in vain", fill(unknown, b"\x04\xcc\x80")),
        ("kryo a number", fill(b"\x0c", b"\0")),
        ("kryo two characters", close(size, b"\x03", b"a", b"\xe1")),
        (
            "kryo long text",
            close(size, b"\x03\xff\xff\x7f", b"a", b""),
        ),
        (
            "kryo maps in keys",
            fill(b"", b"\x01\0java.util.HashMa\xf0\x02"),
        ),
        (
            "kryo maps in keys again",
            fill(b"\x01\0java.util.HashMa\xf0\x02", b"\x01\0\x02"),
        ),
    ]
}

/// Classes and numbers that take long to be said.
fn kryo_classes(size: usize) -> Vec<(&'static str, Vec<u8>)> {
    let brackets = [&b"\x01\x01"[..], &b"[".repeat(1000), b"\xc9\x01"].concat();
    let number = [
        &b"\x01\x01java.math.BigIntege\xf2\x81\x04"[..],
        &[0x7e; 512],
    ]
    .concat();
    let number_again = [&b"\x01\x01\x81\x04"[..], &[0x7e; 512]].concat();
    let bits = [&b"\x01\x01java.util.BitSe\xf4\x40"[..], &[0xff; 512]].concat();
    let bits_again = [&b"\x01\x01\x40"[..], &[0xff; 512]].concat();
    let head = b"\x01\0java.util.ArrayLis\xf4\x7f\xff\xff\x7f";
    let after = |first: &[u8], part: &[u8]| fill(size, &[&head[..], first].concat(), part);
    vec![
        (
            "kryo a name of brackets",
            [
                &b"\x01\0\xe1\x9a\x0c"[..],
                &b"[".repeat(100_000),
                b"\x02\x02",
            ]
            .concat(),
        ),
        ("kryo brackets", after(&brackets, b"\x01\x01\x01")),
        ("kryo big integers", after(&number, &number_again)),
        ("kryo bits", after(&bits, &bits_again)),
    ]
}

fn fst(size: usize) -> Vec<(&'static str, Vec<u8>)> {
    let fill = |head: &[u8], part: &[u8]| fill(size, head, part);
    let inside = |part: &[u8]| fill(b"\0\x10\x81\xff\xff\xff\x7f", part);
    let unknown = b"\0\x01\x0ecom.acme.Order";
    let nested = b"\0\x01\x05a.b.C";
    let number = [&b"\0\x0b\x80\0\x02"[..], &[0x7e; 512]].concat();
    let long = [
        &b"\xfb\x01\x81\x60\xea\0\0[L"[..],
        &b"b".repeat(59_998),
        b"\0",
    ]
    .concat();
    let brackets = [
        &b"\xfb\x01\x81\x60\xea\0\0"[..],
        &b"[".repeat(60_000),
        b"\0",
    ]
    .concat();
    let after = |first: &[u8], part: &[u8]| {
        fill(&[&b"\0\x10\x81\xff\xff\xff\x7f"[..], first].concat(), part)
    };
    vec![
        ("fst maps", fill(b"", b"\0\x0f\x01\xfc\x01")),
        ("fst maps in keys", fill(b"", b"\0\x0f\x01")),
        ("fst names", fill(unknown, b"\xfc\x03abc")),
        ("fst lists", fill(b"", b"\0\x10\x01")),
        ("fst nulls", inside(b"\xff")),
        ("fst empty texts", inside(b"\xfc\0")),
        ("fst ints", inside(b"\xf7\x01")),
        ("fst typed", fill(b"", b"\xfd")),
        ("fst typed in a list", inside(b"\xfd\0")),
        ("fst objects of unknown classes", fill(b"", nested)),
        ("fst objects again", fill(nested, b"\0\xff\xe8\x03")),
        (
            "fst objects again in a list",
            after(nested, b"\0\0\xff\xe8\x03"),
        ),
        ("fst objects after bytes", fill(unknown, b"\x01\0\x10\x01")),
        ("fst long texts", fill(unknown, b"\xfc\x80\xff\x7f")),
        ("fst marks", fill(b"", b"\xed")),
        ("fst big integers", inside(&number)),
        ("fst long array class", after(&long, b"\xfb\xff\xe8\x03\0")),
        ("fst dimensions", after(&brackets, b"\xfb\xff\xe8\x03\0")),
        (
            "fst handles",
            fill(b"\0\x10\x81\xff\xff\xff\x7f\xfc\x03abc", b"\xf9\x07"),
        ),
        (
            "fst written fields",
            fill(unknown, b"\x37\x4d\x01\x01\xfc\x01a\xff"),
        ),
    ]
}

fn fury(size: usize) -> Vec<(&'static str, Vec<u8>)> {
    let fill = |head: &[u8], part: &[u8]| fill(size, head, part);
    let list = b"\x02\xff\x42\xff\xff\xff\x7f\x08";
    let inside = |part: &[u8]| fill(list, part);
    let order = b"\x19\x04\x89\xcc\xd0\x04\xc2\0\x08\x03\xba\x23\x24\x40";
    let named = [&b"\x02\xff"[..], order].concat();
    let number = [&b"\x5c\x80\x04"[..], &[0x7e; 512]].concat();
    let bits = [&b"\xe0\x01\x80\x04"[..], &[0xff; 512]].concat();
    let short_bits = [&b"\xe0\x80\x04"[..], &[0xff; 512]].concat();
    vec![
        ("fury maps", fill(b"\x02\xff", b"\x7c\x01\xff")),
        ("fury names", fill(&named, b"\x0cabc")),
        ("fury lists", fill(b"\x02\xff", b"\x42\x01\x08")),
        ("fury empty lists", inside(b"\xd0\x01")),
        ("fury texts", inside(b"\x2c\0")),
        (
            "fury doubles",
            inside(b"\x2a\x3d\x0a\xd7\xa3\x70\xfd\x33\x40"),
        ),
        ("fury big integers", inside(&number)),
        ("fury bits", inside(&bits)),
        ("fury bits with short numbers", inside(&short_bits)),
        ("fury enum maps", inside(b"\xf2\x01\0\x2c")),
        ("fury booleans", fill(b"\x02\xff\x2e\xff\xff\x3f", b"\x01")),
        ("fury zeros", fill(b"\x02\xff\x2c\x14hello", b"\0")),
        ("fury lengths", fill(&named, b"\xff\xff\x03")),
        (
            "fory maps",
            fill(b"\x02\xff\x44\xff\xff\x7f", b"\0\x01\x2c\x2c\0\0"),
        ),
        ("fory lists", fill(b"\0\xff", b"\x5a\x01\0")),
        (
            "fory texts",
            fill(b"\0\xff\x5a\xff\xff\xff\x7f\x08\x15", b"\0"),
        ),
        (
            "fory between languages",
            fill(b"\xd4\x62\x06\x01\xff\x15\xff\xff\xff\x7f\0\x0c", b"\0"),
        ),
    ]
}
