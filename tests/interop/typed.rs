//! Values with types, as people type them for each codec, and what a consumer has of them then.

use serde_json::{Value, json};

/// The codecs, by their names on both sides: ours, and the Java side's.
const CODECS: [(&str, &str); 8] = [
    ("text", "string"),
    ("text", "long"),
    ("json", "json"),
    ("json3", "json3"),
    ("typed-json", "typed-json"),
    ("kryo5", "kryo5"),
    ("marshalling", "marshalling"),
    ("serialization", "serialization"),
];

/// Those that a release has.
pub fn codecs(version: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let is_newest = version.starts_with("4.");
    CODECS.into_iter().filter(move |(_, theirs)| match *theirs {
        // Redisson 4 brought the one and dropped the other.
        "json3" => is_newest,
        "marshalling" => !is_newest,
        _ => true,
    })
}

/// What is typed, and the class and the text of what arrives.
pub type Typed = (String, (String, String));

/// All that is typed for a codec.
pub fn values(theirs: &str) -> Vec<Typed> {
    let texts = match theirs {
        "long" => Vec::new(),
        _ => strings(theirs),
    };
    let others: &[(Value, &str, &str)] = &match theirs {
        "string" => vec![],
        "long" => [i64::MIN, -1, 0, 42, i64::MAX]
            .map(|n| (json!(n), "java.lang.Long", ""))
            .to_vec(),
        "json" | "json3" | "typed-json" => json(theirs),
        _ => boxed(),
    };
    let others = others.iter().map(|(typed, class, said)| {
        let typed = typed.to_string();
        let said = if said.is_empty() { &typed } else { *said };
        let arrives = ((*class).to_owned(), said.to_owned());
        (typed, arrives)
    });
    texts.into_iter().chain(others).collect()
}

fn strings(theirs: &str) -> Vec<Typed> {
    let long = [
        "x".repeat(70_000),
        "é".repeat(35_000),
        "\u{1f980}".repeat(18_000),
    ];
    let short = [
        "",
        "hello",
        "42",
        "null",
        "naïve café, Grüße aus Köln, 日本語, \u{1f980}\u{1f469}\u{200d}\u{1f467}",
        "two\nlines, a tab\t, \"quoted\" and \\ and \u{7}\u{1b}[31m",
        "[\"java.lang.Long\",42]",
        "[\"java.util.UUID\",\"x\"]",
    ];
    let all = short.map(str::to_owned).into_iter().chain(long);
    all.map(|text| {
        let typed = match theirs {
            "string" => text.clone(),
            _ if theirs.contains("json") && serde_json::from_str::<Value>(&text).is_err() => {
                text.clone()
            }
            _ if theirs.contains("json") => json!(text).to_string(),
            _ if text.starts_with("[\"java.") => json!(["java.lang.String", text]).to_string(),
            _ => text.clone(),
        };
        (typed, ("java.lang.String".to_owned(), text))
    })
    .collect()
}

/// Values with their class and their text, where that is not as typed.
type Others = Vec<(Value, &'static str, &'static str)>;

fn json(theirs: &str) -> Others {
    let mut all = vec![
        (json!(42), "java.lang.Integer", ""),
        (json!(i64::MAX), "java.lang.Long", ""),
        (json!(1.5), "java.lang.Double", ""),
        (json!(true), "java.lang.Boolean", ""),
        (json!(null), "null", ""),
    ];
    all.push(match theirs {
        "json" => (json!(["java.lang.Long", 42]), "java.lang.Long", "42"),
        "json3" => {
            let date = json!(["java.util.Date", "2023-11-14T22:13:20.123Z"]);
            (date, "java.util.Date", "1700000000123")
        }
        _ => (json!({"id": 42}), "java.util.LinkedHashMap", "{id=42}"),
    });
    if theirs == "json" {
        let date = json!(["java.util.Date", 1_700_000_000_123_i64]);
        all.push((date, "java.util.Date", "1700000000123"));
    }
    all
}

fn boxed() -> Others {
    let lang = |class: &str, value: Value| json!([format!("java.lang.{class}"), value]);
    vec![
        (lang("Integer", json!(-42)), "java.lang.Integer", "-42"),
        (
            lang("Long", json!(i64::MIN)),
            "java.lang.Long",
            "-9223372036854775808",
        ),
        (lang("Double", json!(1.5)), "java.lang.Double", "1.5"),
        (lang("Double", json!("NaN")), "java.lang.Double", "NaN"),
        (lang("Boolean", json!(true)), "java.lang.Boolean", "true"),
        (lang("Boolean", json!(false)), "java.lang.Boolean", "false"),
        (lang("Float", json!(0.25)), "java.lang.Float", "0.25"),
        (lang("Short", json!(-7)), "java.lang.Short", "-7"),
        (lang("Byte", json!(127)), "java.lang.Byte", "127"),
        (lang("Character", json!("é")), "java.lang.Character", "é"),
        (lang("String", json!(null)), "null", "null"),
        (
            json!(["java.util.Date", 1_700_000_000_123_i64]),
            "java.util.Date",
            "1700000000123",
        ),
        (
            json!(["java.util.Date", "1969-12-31T23:59:59.999Z"]),
            "java.util.Date",
            "-1",
        ),
    ]
}
