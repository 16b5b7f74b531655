//! Text, JSON and Ion.

use super::{Named, close, fill, named};

pub fn all(size: usize) -> Vec<Named> {
    [named(text(size)), named(json(size)), named(ion(size))].concat()
}

fn text(size: usize) -> Vec<(&'static str, Vec<u8>)> {
    let fill = |part: &[u8]| fill(size, b"", part);
    vec![
        ("text of ascii", fill(b"a")),
        ("text of accents", fill("é".as_bytes())),
        ("text of emoji", fill("👩\u{200d}💻".as_bytes())),
        ("text of escapes", fill(b"a\x1b[31m")),
        ("text of marks of direction", fill("\u{202e}".as_bytes())),
        ("text of lines", fill(b"\n")),
        (
            "text that breaks off",
            close(size, b"", "é".as_bytes(), b"\xc3"),
        ),
        ("surrogates", fill(b"\xed\xa0\x80")),
        ("overlong zeros", fill(b"\xc0\x80")),
    ]
}

fn json(size: usize) -> Vec<(&'static str, Vec<u8>)> {
    let fill = |head: &[u8], part: &[u8]| fill(size, head, part);
    let list = |part: &[u8]| close(size, b"[", part, b"0]");
    let distinct: Vec<String> = (0..size / 10).map(|i| format!("\"{i:05x}\":0,")).collect();
    let distinct = distinct.concat();
    let typed = b"[\"java.util.Date\",1],";
    vec![
        ("json lists", fill(b"", b"[")),
        ("json objects", fill(b"", b"{\"a\":")),
        ("json numbers", list(b"1,")),
        ("json fractions", list(b"1.2345678901234567e300,")),
        ("json digits", close(size, b"", b"9", b"")),
        (
            "json a number of digits in a list",
            close(size, b"[", b"9", b"]"),
        ),
        (
            "json zeros behind the point",
            close(size, b"[0.", b"0", b"1]"),
        ),
        ("json an exponent", close(size, b"[1e", b"9", b"]")),
        ("json wide", close(size, b"{", b"\"\":1,", b"\"a\":1}")),
        ("json names", format!("{{{distinct}\"a\":1}}").into_bytes()),
        ("json texts", list(b"\"\",")),
        ("json empty lists", list(b"[],")),
        ("json empty objects", list(b"{},")),
        ("json dates", list(typed)),
        ("json classes", list(b"{\"@class\":\"a.b\"},")),
        (
            "json maps",
            list(b"{\"@class\":\"java.util.HashMap\",\"a\":1},"),
        ),
        ("json escapes", close(size, b"\"", b"\\u001b", b"\"")),
        ("json quotes", close(size, b"\"", b"\\\"", b"\"")),
        ("json in json", close(size, b"[\"", b"\\\\", b"\"]")),
        ("json one name", close(size, b"{\"", b"\x7f", b"\":1}")),
        ("json a text", close(size, b"{\"a\":\"", b"x", b"\"}")),
        ("json space", close(size, b"[", b" ", b"]")),
        ("json that ends wrong", close(size, b"[", b"1,", b"]")),
    ]
}

fn ion(size: usize) -> Vec<(&'static str, Vec<u8>)> {
    let fill = |part: &[u8]| fill(size, b"", part);
    let list = |part: &[u8]| close(size, b"'a.b'::[", part, b"0]");
    vec![
        ("ion lists", fill(b"a::[")),
        ("ion annotated", fill(b"'a.b'::[")),
        ("ion annotations", fill(b"a::")),
        ("ion comments", fill(b"/**/")),
        ("ion open comments", fill(b"/*")),
        ("ion comments in a list", list(b"/**/0,")),
        ("ion symbols", list(b"'a',")),
        ("ion words", list(b"a,")),
        ("ion long texts", fill(b"''''''")),
        ("ion dates", list(b"2023-11-14T22:13:20Z,")),
        ("ion hex", close(size, b"'a.b'::0x", b"f", b"")),
        ("ion digits", close(size, b"'a.b'::", b"9", b"")),
        (
            "ion digits and exponent",
            close(size, b"'a.b'::", b"9", b"d9"),
        ),
        ("ion exponent", close(size, b"'a.b'::1d", b"9", b"")),
        ("ion underscores", close(size, b"'a.b'::1", b"_", b"1")),
        ("ion decimals", list(b"1.5d3,")),
        ("ion base64", close(size, b"'a.b'::{{", b"AAAA", b"}}")),
        ("ion escapes", close(size, b"'a.b'::\"", b"\\x1b", b"\"")),
        ("ion structs", list(b"{a:1},")),
    ]
}
