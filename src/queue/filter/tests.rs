//! Tests of the grammar (what it accepts, what it refuses and in which words), and of what filters
//! find.

use proptest::prelude::*;

use super::*;
use crate::clock::when::BadTime;

const NOW: EpochMillis = EpochMillis::new(1_700_000_000_000);
const ID: EntryId = EntryId([0x9f, 0x3c, 0x2a, 0x77, 0x14, 0xe0, 0x8b, 0x55]);

fn filter(text: &str) -> Filter {
    Filter::parse(text).unwrap()
}

fn bad(text: &str) -> (FilterMistake, &str) {
    let bad = Filter::parse(text).unwrap_err();
    (bad.wrong, &text[bad.at])
}

/// An entry due an hour from now.
fn seen(text: &str) -> EntryParts<'_> {
    EntryParts {
        id: ID,
        due: Some(Due::At(NOW.plus(3_600_000))),
        codec: "kryo5",
        text,
    }
}

fn finds(typed: &str, text: &str) -> bool {
    filter(typed).matches(&seen(text), NOW)
}

fn due_in(typed: &str, ms: i64) -> bool {
    let due = Some(Due::At(NOW.plus(ms)));
    filter(typed).matches(&EntryParts { due, ..seen("") }, NOW)
}

#[test]
fn words_stand_in_the_text_or_the_id_in_any_case_and_all_of_them_must() {
    assert!(finds("order 42", "Order cancelled: 42"));
    assert!(!finds("order 42", "Order cancelled: 43"));
    assert!(finds("ÉTÉ straße", "l'été dans la Straße"));
    assert!(finds("2A77", "anything"), "part of the id");
    assert!(finds("cancel 9f3c", "cancel"));
    assert!(!finds("9f3c2a7714e08b556", "longer than an id"));
    assert!(finds("a.c* (", "the text a.c* ("), "no pattern");
    assert!(finds("later duedate due late.", "later duedate DUE LATE."));
    assert!(finds("order:42 http://x re id", "order:42 http://x re id"));
}

#[test]
fn an_empty_filter_lets_everything_through() {
    for typed in ["", "  \t", "\u{3000}"] {
        assert!(filter(typed).is_empty() && finds(typed, "anything"));
        let delivered = EntryParts {
            due: None,
            ..seen("")
        };
        assert!(filter(typed).matches(&delivered, NOW));
    }
}

#[test]
fn quotes_hold_spaces_and_words_that_mean_something_else() {
    assert!(finds("\"cancel order\"", "please cancel order 7"));
    assert!(!finds("\"cancel order\"", "order cancel"));
    assert!(finds("\"late\"", "too late"));
    assert!(!finds("late", "too late"), "it is due in an hour");
    assert!(finds(r#""say \"hi\" \\ \n""#, r#"say "hi" \ \n"#));
    assert!(
        finds(r#"{"id":42}"#, r#"{"id":42}"#),
        "a quote inside a word"
    );
}

#[test]
fn due_times_are_compared_as_their_signs_say() {
    for (typed, holds) in [
        ("late", [true, true, false]),
        ("due<now", [true, false, false]),
        ("due<=now", [true, true, false]),
        ("due>now", [false, false, true]),
        ("due>=+0s", [false, true, true]),
        ("due>=-1ms due<+1ms", [true, true, false]),
        ("due<1700000000001 due>1699999999999", [false, true, false]),
        ("due>2023-11-14T22:13:20Z", [false, false, true]),
        ("late due>now", [false, false, false]),
    ] {
        assert_eq!([-1, 0, 1].map(|ms| due_in(typed, ms)), holds, "{typed}");
    }
    assert!(due_in("due>+1h", 3_600_001) && !due_in("due>+1h", 3_600_000));
}

#[test]
fn what_has_no_due_time_matches_no_question_about_it() {
    for due in [
        None,
        Some(Due::OutOfRange(-5.0)),
        Some(Due::OutOfRange(1e17)),
    ] {
        for (typed, matches) in [("late", false), ("due>-1h", false), ("word", true)] {
            let seen = EntryParts {
                due,
                ..seen("word")
            };
            assert_eq!(filter(typed).matches(&seen, NOW), matches, "{typed}");
        }
    }
}

#[test]
fn bounds_are_the_narrowest_of_all_terms() {
    let at = |ms| Some(NOW.plus(ms));
    let bounds = |typed: &str| filter(typed).bounds(NOW);
    assert_eq!(bounds("word"), Bounds::default());
    let both = Bounds {
        from: at(60_001),
        before: at(120_000),
    };
    assert_eq!(bounds("due>+1m due>-5m x due<+2m due<=+3m"), both);
    let until = |before| Bounds { from: None, before };
    assert_eq!(bounds("late"), until(at(1)));
    assert_eq!(both.and(until(at(70_000))).before, at(70_000));
    assert_eq!(both.and(until(None)), both);
    assert_eq!(Bounds::default().and(both), both);
}

#[test]
fn ids_and_codecs_are_found_by_their_beginnings() {
    assert!(finds("id:9F3c", "") && finds("id:9f3c2a7714e08b55", ""));
    assert!(!finds("id:3c", ""));
    assert!(finds("codec:kryo", "") && finds("codec:KRYO5", ""));
    assert!(!finds("codec:json", ""));
}

#[test]
fn patterns_match_the_text_in_its_own_case_unless_told_otherwise() {
    assert!(finds("re:/ord(er)? [0-9]+$/", "an order 42"));
    assert!(!finds("re:/order/", "Order"));
    assert!(finds("re:/order/i", "Order"));
    assert!(finds(r"re:/a\/b/", "a/b"));
    assert!(
        finds(r"re:/a\\/ x", r"a\ x"),
        "an escaped backslash closes nothing"
    );
    assert!(!finds("re:/9f3c/", "not the id"));
    assert!(finds(r"re:/\w+@\w+\.de/", "mail größe@straße.de"));
}

#[test]
fn only_what_looks_inside_needs_the_payload_decoded() {
    for (typed, payload, due) in [
        ("", false, false),
        ("late due>+1h id:9f", false, true),
        ("codec:text", true, false),
        ("word", true, false),
        ("late re:/x/", true, true),
    ] {
        let filter = filter(typed);
        assert_eq!(filter.needs_payload(), payload, "{typed}");
        assert_eq!(filter.asks_due(), due, "{typed}");
    }
}

#[test]
fn what_is_wrong_is_named_where_it_stands() {
    let wrongs = [
        ("a \"b c", FilterMistake::QuoteOpen, "\"b c"),
        ("\"a\"b", FilterMistake::AfterQuote, "\"a\""),
        ("x \"\"", FilterMistake::QuoteEmpty, "\"\""),
        ("re: x", FilterMistake::NoPattern, "re:"),
        ("re:order", FilterMistake::NoPattern, "re:order"),
        ("re:/a b", FilterMistake::PatternOpen, "re:/a b"),
        (r"re:/a\/", FilterMistake::PatternOpen, r"re:/a\/"),
        ("re:/a/x y", FilterMistake::AfterPattern, "re:/a/x"),
        ("a due<", FilterMistake::NoTime, "due<"),
        ("due=14:10", FilterMistake::NoTime, "due=14:10"),
        ("due:14:10", FilterMistake::NoTime, "due:14:10"),
        (
            "due<25:00 a",
            FilterMistake::Time(BadTime::Time),
            "due<25:00",
        ),
        (
            "due>+5",
            FilterMistake::Time(BadTime::NoUnit("5".into())),
            "due>+5",
        ),
        ("id: x", FilterMistake::NoId, "id:"),
        ("id:order", FilterMistake::Id("order".into()), "id:order"),
        ("é codec:", FilterMistake::NoCodec, "codec:"),
    ];
    for (typed, wrong, place) in wrongs {
        assert_eq!(bad(typed), (wrong, place), "{typed}");
    }
    let (wrong, place) = bad("codec:krio x");
    assert!(wrong.to_string().contains("\"krio\"; they are text, json"));
    assert_eq!(place, "codec:krio");
    assert_eq!(bad(&"x".repeat(5_000)).0, FilterMistake::TooLong(4_096));
}

#[test]
fn a_wrong_pattern_is_explained_in_one_line() {
    let (wrong, place) = bad("a re:/or(der/ b");
    assert_eq!(wrong.to_string(), "the pattern is wrong: unclosed group");
    assert_eq!(place, "or(der");
    for typed in [
        "re:/a{600}/",
        "re:/((a{100}){100}){100}/",
        "re:/[ab]*a[ab]{2000}/",
        r"re:/(\w{9}){50}/",
    ] {
        assert_eq!(bad(typed).0, FilterMistake::PatternSize);
    }
    let nested = format!("re:/{}{}/", "(".repeat(99), ")".repeat(99));
    assert!(matches!(bad(&nested).0, FilterMistake::Pattern(_)));
}

#[test]
fn what_people_write_is_no_large_pattern() {
    for typed in [
        r"re:/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/",
        r"re:/[\w.+-]+@[\w-]+\.[\w.-]+/i",
        r"re:/(cancel|refund|expire)-order-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i",
        r"re:/customer\s*[:=]\s*\S+/i",
        r"re:/\w{8}(-\w{4}){3}-\w{12}/",
        r"re:/a(b(c)?)+|^$/",
    ] {
        assert!(Filter::parse(typed).is_ok(), "{typed}");
    }
}

#[test]
fn what_was_found_is_marked_in_the_text() {
    let found = |typed: &str, text: &str| {
        let marked = filter(typed).found_in(text).into_iter();
        marked
            .map(|at| format!("{}:{}", at.start, &text[at.clone()]))
            .collect::<Vec<_>>()
    };
    assert_eq!(found("an", "Banana"), ["1:anan"]);
    assert_eq!(found("ban nana", "Banana band"), ["0:Banana", "7:ban"]);
    assert_eq!(found("re:/n*/ é", "cinéma é"), ["2:né", "8:é"]);
    assert!(found("late id:9f codec:text due<+1h", "late").is_empty());
    assert_eq!(
        found("K", "100 \u{212a}"),
        ["4:\u{212a}"],
        "the Kelvin sign"
    );
    let id = ID.to_string();
    let in_id = |typed: &str| {
        let marked = filter(typed).found_in_id(&id).into_iter();
        marked
            .map(|at| format!("{}:{}", at.start, &id[at.clone()]))
            .collect::<Vec<_>>()
    };
    assert_eq!(in_id("id:9f3"), ["0:9f3"]);
    assert_eq!(in_id("5 word"), ["14:55"]);
    assert!(in_id("id:5").is_empty());
}

#[test]
fn filters_are_equal_when_their_texts_are() {
    assert_eq!(filter("late a"), filter("late a"));
    assert_ne!(filter("late a"), filter("late  a"));
    assert_eq!(format!("{:?}", filter("a")), "Filter(\"a\")");
    assert_eq!(Filter::default(), filter(""));
}

/// Texts that come near to the grammar.
fn typed() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        "[ \"\\\\/<>=:+é,.()\\[\\]{}*i-]{1,3}",
        "(late|due|due<|due>=|id:|codec:|re:/|\\+1h|14:10|text|9f|a|\\PC)"
    ];
    prop::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn no_text_panics_and_what_is_wrong_lies_inside(text in prop_oneof![typed(), any::<String>()]) {
        match Filter::parse(&text) {
            Ok(filter) => {
                prop_assert_eq!(filter.text(), &text);
                prop_assert_eq!(Filter::parse(filter.text()), Ok(filter.clone()));
                let shown = "late 9f ÄÖ text";
                let _ = filter.matches(&seen(shown), NOW);
                for range in filter.found_in(shown) {
                    prop_assert!(!shown[range].is_empty());
                }
            }
            Err(bad) => {
                prop_assert!(text.get(bad.at.clone()).is_some_and(|part| !part.is_empty()));
                prop_assert!(!bad.to_string().is_empty());
            }
        }
    }

    #[test]
    fn a_quoted_text_finds_itself(text in "\\PC{1,20}", before in "\\PC{0,5}") {
        let quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
        let filter = filter(&format!("\"{quoted}\""));
        let whole = format!("{before}{text}");
        prop_assert!(filter.finds(&seen(&whole)));
        prop_assert!(!filter.found_in(&whole).is_empty());
    }

    #[test]
    fn words_agree_with_lower_case(word in "[a-zA-Z0-9.]{1,3}", text in "[a-zA-Z0-9. ]{0,30}") {
        prop_assume!(word != "late");
        let plain = text.to_lowercase().contains(&word.to_lowercase());
        let in_id = ID.to_string().contains(&word.to_lowercase());
        prop_assert_eq!(finds(&word, &text), plain || in_id);
    }
}
