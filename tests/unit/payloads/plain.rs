//! What is looked for in the bytes of a payload before it is decoded: a filter that finds
//! something in the decoded text is never told that it cannot.

#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use std::collections::BTreeSet;

use delayscope::payload::{line_within, plain, whole};
use delayscope::queue::{EntryId, EntryParts, Filter, text};
use proptest::prelude::*;

use crate::rows::{golden, rows, unhex};

const ID: EntryId = EntryId([0x9f, 0x3c, 0x2a, 0x77, 0x14, 0xe0, 0x8b, 0x55]);

/// A filter of this text as one word, in quotes.
fn quoted(word: &str) -> Filter {
    let word = word.replace('\\', "\\\\").replace('"', "\\\"");
    Filter::parse(&format!("\"{word}\"")).unwrap()
}

/// Whether looking at the bytes first leaves a payload to be decoded.
fn is_decoded(filter: &Filter, payload: &[u8]) -> bool {
    plain(payload).is_none_or(|raw| filter.may_find(ID, raw))
}

fn finds(filter: &Filter, payload: &[u8]) -> bool {
    let (codec, text) = whole(payload);
    filter.finds(&EntryParts {
        id: ID,
        due: None,
        codec: codec.name(),
        text: &text,
    })
}

/// All payloads of the fixtures.
fn known() -> Vec<Vec<u8>> {
    let vectors = rows(include_str!("../../fixtures/codec-vectors.tsv"));
    let of_libraries = vectors.map(|row| unhex(row[2]));
    let of_redisson = golden().into_iter().map(|row| row.payload);
    let known: BTreeSet<Vec<u8>> = of_redisson.chain(of_libraries).collect();
    known.into_iter().collect()
}

#[test]
fn of_the_known_payloads_the_json_and_the_texts_are_looked_at_first_and_no_word_is_missed() {
    let mut plain_ones = 0;
    for payload in known() {
        plain_ones += usize::from(plain(&payload).is_some());
        let text = whole(&payload).1;
        for word in text.split_whitespace().chain([text.as_str()]) {
            if !word.is_empty() && word.len() < 50 {
                let filter = quoted(&word.to_uppercase());
                let found = finds(&filter, &payload);
                assert!(
                    !found || is_decoded(&filter, &payload),
                    "{word:?} in {text:?}"
                );
            }
        }
    }
    assert!(plain_ones > 100, "{plain_ones}");
}

#[test]
fn what_is_not_in_the_bytes_is_not_decoded() {
    let order = br#"{"@class":"com.acme.Order","id":42,"note":"not paid"}"#;
    for word in ["43", "id\":43", "unpaid", "id:9f4"] {
        assert!(!is_decoded(&Filter::parse(word).unwrap(), order), "{word}");
    }
    for word in [
        "42",
        "id\":42",
        "NOT",
        "id:9f3",
        "9f3c",
        ",",
        "re:/x/",
        "codec:kryo5",
    ] {
        assert!(is_decoded(&Filter::parse(word).unwrap(), order), "{word}");
    }
}

#[test]
fn what_json_makes_of_itself_is_found_although_its_bytes_are_others() {
    for (payload, words) in [
        (r#"{"a" : 1, "b": 2}"#, &["\"a\":1,\"b\"", "1,\"B\":2"][..]),
        (
            r#"{"a":1,"b":3,"a":2}"#,
            &["1],[\"b\"", "\"a\",2", "entries"],
        ),
        ("[1E5, 2e-7]", &["1e+5", "e+5,2e-7", "e+"]),
        (" [ ] ", &["[]"]),
    ] {
        for word in words {
            let filter = quoted(word);
            assert!(finds(&filter, payload.as_bytes()), "{word} in {payload}");
            assert!(
                is_decoded(&filter, payload.as_bytes()),
                "{word} in {payload}"
            );
        }
    }
}

/// JSON with everything that can be written in more than one way; few names, so that they repeat.
fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        "-?[1-9][0-9]{0,3}(\\.[0-9]{1,3})?([eE][+-]?[0-9]{1,2})?",
        "\"[ a-zA-Z0-9+:,{}é订ſ\\[\\]]{0,8}\"",
        "\"\\\\\\\\(n|\"|u00e9|\\\\\\\\)\"",
        "true|false|null",
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let name = "\"(@class|a|b|\\$serde_json::private::Number)\"";
        let space = "( |\n|\t){0,2}";
        let field = (name, space, inner.clone(), space);
        let field = field.prop_map(|(n, s, v, t)| format!("{s}{n}{t}:{s}{v}{t}"));
        let items = prop::collection::vec((space, inner), 0..4);
        let items = items.prop_map(|items| {
            let items: Vec<_> = items
                .into_iter()
                .map(|(s, v)| format!("{s}{v}{s}"))
                .collect();
            format!("[{}]", items.join(","))
        });
        let fields = prop::collection::vec(field, 0..4);
        prop_oneof![
            fields.prop_map(|fields| format!("{{{}}}", fields.join(","))),
            items
        ]
    })
}

/// Fixtures and documents, some of them with bytes changed.
fn payload() -> impl Strategy<Value = Vec<u8>> {
    let bytes = prop_oneof![
        prop::sample::select(known()),
        json().prop_map(String::into_bytes),
        super::nearly_a_payload(),
    ];
    let strange =
        prop::sample::select(b"\x00\x03\x04\t\n\\\"{}[]:,+ eEsSkK\x7f\x80\xac\xc2".to_vec());
    let changes = prop::collection::vec((any::<prop::sample::Index>(), strange), 0..3);
    (bytes, changes).prop_map(|(mut bytes, changes)| {
        for (at, byte) in changes {
            if !bytes.is_empty() {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
        }
        bytes
    })
}

proptest! {
    #[test]
    fn no_part_of_the_decoded_text_is_missed_in_the_bytes(
        payload in payload(),
        parts in prop::collection::vec((any::<prop::sample::Index>(), 1_usize..12, 0..3), 4),
    ) {
        let text = whole(&payload).1;
        let chars: Vec<char> = text.chars().collect();
        prop_assume!(!chars.is_empty());
        for (at, length, case) in parts {
            let at = at.index(chars.len());
            let part: String = chars[at..chars.len().min(at + length)].iter().collect();
            let word = match case {
                0 => part,
                1 => part.to_uppercase(),
                _ => part.to_lowercase().replace('s', "ſ"),
            };
            let filter = quoted(&word);
            let missed = finds(&filter, &payload) && !is_decoded(&filter, &payload);
            prop_assert!(!missed, "{:?} in {:?}", word, text);
        }
    }
}

#[test]
fn no_character_is_shown_in_one_way_in_a_table_and_in_another_in_an_opened_entry() {
    let all: String = ('\0'..=char::MAX).collect();
    let in_a_table = line_within(&all, usize::MAX);
    assert_eq!(in_a_table, text::printable(&all));
    assert!(in_a_table.starts_with("\\x00\\x01") && in_a_table.contains("\\x1b"));
}
