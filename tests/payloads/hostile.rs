//! Payloads of a megabyte that are made to hurt whoever reads them.

#![expect(unreachable_pub, reason = "shared with a benchmark")]

/// Payloads that nest as deep as their size allows, refer to themselves or count too far.
pub fn hostile() -> Vec<(&'static str, Vec<u8>)> {
    [of_json_and_java(), of_river_and_kryo(), of_the_others()].concat()
}

fn of_json_and_java() -> Vec<(&'static str, Vec<u8>)> {
    let repeat = |part: &[u8], times: usize| part.repeat(times);
    let java = |body: &[u8], times| [b"\xac\xed\0\x05", repeat(body, times).as_slice()].concat();
    let objects = b"\x75\x72\0\x13[Ljava.lang.Object;\x90\xce\x58\x9f\x10\x73\x29\x6c\x02\0\0\x78\x70\0\0\0\x01";
    let again = b"\x75\x71\0\x7e\0\0\0\0\0\x01";
    vec![
        ("json lists", repeat(b"[", 1_000_000)),
        ("json objects", repeat(b"{\"a\":", 200_000)),
        (
            "json numbers",
            [b"[", repeat(b"1,", 500_000).as_slice(), b"1]"].concat(),
        ),
        (
            "json wide",
            [b"{", repeat(b"\"\":1,", 200_000).as_slice(), b"\"a\":1}"].concat(),
        ),
        (
            "java arrays",
            java(&[&objects[..], &repeat(again, 90_000)].concat(), 1),
        ),
        ("java nulls", java(b"\x70", 1_000_000)),
        ("java block data", java(b"\x77\0", 500_000)),
    ]
}

fn of_river_and_kryo() -> Vec<(&'static str, Vec<u8>)> {
    let repeat = |part: &[u8], times: usize| part.repeat(times);
    vec![
        (
            "river lists",
            [b"\x04", repeat(b"\x53\x01\x5a", 330_000).as_slice()].concat(),
        ),
        (
            "river counts",
            [
                b"\x04\x55\x7f\xff\xff\xff\x5a",
                repeat(b"\x01", 999_990).as_slice(),
            ]
            .concat(),
        ),
        (
            "river unmodifiable",
            [b"\x04", repeat(b"\x7d", 999_999).as_slice()].concat(),
        ),
        (
            "kryo optionals",
            repeat(b"\x01\0java.util.Optiona\xec", 50_000),
        ),
        (
            "kryo lists",
            [
                b"\x01\0java.util.ArrayLis\xf4\x02",
                repeat(b"\x01\0\x02", 330_000).as_slice(),
            ]
            .concat(),
        ),
        (
            "kryo unknown",
            [
                b"\x01\0com.acme.Orde\xf2",
                repeat(b"\xc8\x7f", 500_000).as_slice(),
            ]
            .concat(),
        ),
        (
            "kryo unknown text",
            [
                b"\x01\0com.acme.Orde\xf2",
                repeat(b"abcdefghijklmnopq", 58_000).as_slice(),
            ]
            .concat(),
        ),
    ]
}

fn of_the_others() -> Vec<(&'static str, Vec<u8>)> {
    let repeat = |part: &[u8], times: usize| part.repeat(times);
    vec![
        ("zeros", repeat(b"\0", 1_000_000)),
        ("ones", repeat(b"\xff", 1_000_000)),
        ("msgpack lists", repeat(b"\x91", 1_000_000)),
        ("cbor lists", repeat(b"\x9f", 1_000_000)),
        ("cbor tags", repeat(b"\xc1", 1_000_000)),
        (
            "smile lists",
            [b":)\n\x01", repeat(b"\xf8", 1_000_000).as_slice()].concat(),
        ),
        ("protobuf groups", repeat(b"\x0b", 1_000_000)),
        ("ion lists", repeat(b"a::[", 250_000)),
        ("fst maps", repeat(b"\0\x0f\x01\xfc\x01", 200_000)),
        (
            "fury maps",
            [b"\x02\xff", repeat(b"\x7c\x01\xff", 330_000).as_slice()].concat(),
        ),
        (
            "fury names",
            [
                b"\x02\xff\x19\x04\x89\xcc\xd0\x04\xc2\0\x08\x03\xba\x23\x24\x40",
                repeat(b"\x0cabc", 250_000).as_slice(),
            ]
            .concat(),
        ),
        (
            "fst names",
            [
                b"\0\x01\x0ecom.acme.Order",
                repeat(b"\xfc\x03abc", 200_000).as_slice(),
            ]
            .concat(),
        ),
        ("fst lists", repeat(b"\0\x10\x01", 330_000)),
        ("msgpack objects", repeat(b"\x81\xa1a", 330_000)),
        ("cbor objects", repeat(b"\xbf\x61a", 330_000)),
        (
            "smile objects",
            [b":)\n\x03\xf8", repeat(b"\xfa\x80a", 330_000).as_slice()].concat(),
        ),
        ("ion annotated", repeat(b"'a.b'::[", 125_000)),
        (
            "ion binary lists",
            [
                b"\xe0\x01\0\xea",
                repeat(b"\xbe\x7f\xff", 330_000).as_slice(),
            ]
            .concat(),
        ),
        // Lengths that are texts as well.
        ("avro lengths", repeat(b"\xc3\xa0\x3f", 330_000)),
        ("protobuf lengths", repeat(b"\x0a\xc3\xa0\x3f", 250_000)),
    ]
}
