//! Tests of the errors for a file that is wrong.

use super::*;

/// Returns the error for a file of that text: `LINE:COLUMN: WHY`.
fn wrong(text: &str) -> String {
    let error = File::read(Path::new("c.toml"), text.as_bytes()).unwrap_err();
    error.to_string().trim_start_matches("c.toml:").to_owned()
}

/// A file, and what is wrong with it.
const MISTAKES: &[(&str, &str)] = &[
    (
        "intervall = 1",
        "1:1: the key \"intervall\" is unknown. Did you mean interval?",
    ),
    (
        "\n colour = 1",
        "2:2: the key \"colour\" is unknown. There are profile, theme, ascii, interval, \
             bell, read_only, journal, keys and profiles",
    ),
    (
        "interval = 2",
        "1:12: interval must be a text such as \"1s\", not a number",
    ),
    (
        "interval = \"2\"",
        "1:12: a span needs a unit: 2ms, 2s, 2m, 2h or 2d",
    ),
    (
        "interval = \"2m\"",
        "1:12: the interval 120000 ms is out of bounds. Choose one from 200ms to 60s",
    ),
    (
        "theme = \"blue\"",
        "1:9: theme \"blue\" is unknown. There are auto, terminal, light and dark",
    ),
    (
        "bell = \"loud\"",
        "1:8: bell \"loud\" is unknown. There are off and critical",
    ),
    (
        "read_only = \"yes\"",
        "1:13: read_only must be true or false, not a text",
    ),
    (
        "[journal]\nkeep_days = 0",
        "2:13: keep_days is 0. It must be a whole number from 1 to 36500",
    ),
    (
        "journal.keep_days = -1",
        "1:21: keep_days is -1. It must be a whole number from 1 to 36500",
    ),
    (
        "journal = 3",
        "1:11: journal must be a table: [journal], not a number",
    ),
    (
        "profile = \"x\"",
        "1:11: there is no profile \"x\". There are none",
    ),
    (
        "ascii = true\nascii = true",
        "2:1: this is no TOML: duplicate key",
    ),
    (
        "[profiles.x]\nread_only = true",
        "1:11: profile x has no server. Add url = \"redis://HOST:6379/0\"",
    ),
    (
        "[profiles.\"a b\"]",
        "1:11: a profile's name must not be empty and must not have spaces",
    ),
    (
        "[profiles.x]\nurl = \"http://:secret@h\"",
        "2:7: the URL scheme \"http\" is unknown. Use redis://, rediss:// (with TLS), valkey://, valkeys://, unix:// or redis-sentinel://",
    ),
    (
        "[profiles.x]\nurl = \"redis://:secret@h\"\npassword_command = \"x\"",
        "3:1: profile x has two passwords: one in its url, and this. Give one of them; \
             a user alone is written redis://USER:@HOST",
    ),
    (
        "[profiles.x]\nlabel_color = \"red\"",
        "2:1: the key \"label_color\" is unknown. Did you mean label_colour?",
    ),
    (
        "[profiles.x]\nqueues = [\"a\", \"zset-list:b\"]",
        "2:16: \"zset-list:b\" lacks a key: write zset-list:TIMEOUTS,TARGET[,s|ms][,left|right]",
    ),
    (
        "[profiles.x]\nqueues = \"a\"",
        "2:10: queues must be a list of texts such as [\"orders\"], not a text",
    ),
    (
        "[profiles.x]\nqueues = [1]",
        "2:11: queues must be a list of texts such as [\"orders\"]; this is a number",
    ),
    (
        "[profiles.x]\nlabel = \" \"",
        "2:9: label is empty. Write a text such as \"PRODUCTION\", or leave it out",
    ),
    (
        "[keys]\nfreeze = 1",
        "2:10: freeze must be a list of texts such as [\"ctrl-r\"], not a number",
    ),
];

#[test]
fn what_is_wrong_with_a_file_is_told_with_its_place_and_what_would_be_right() {
    for (text, said) in MISTAKES {
        let error = wrong(text);
        assert_eq!(error, *said, "{text}");
        assert!(!error.contains("secret"));
    }
}

#[test]
fn what_is_no_toml_is_told_without_its_text() {
    let error = wrong("[profiles.x]\nurl = \"redis://:secret@h");
    assert!(error.starts_with("2:"), "{error}");
    assert!(error.contains(": this is no TOML: "), "{error}");
    assert!(!error.contains("secret"), "{error}");
}
