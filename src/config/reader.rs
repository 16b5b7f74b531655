//! A TOML file, read value by value: whatever is wrong is told with the place where it stands and
//! with what would be right.
//!
//! Nothing here repeats a value that may hold a password; callers quote what cannot.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A place in a configuration file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct At {
    /// The file, as it was found.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
}

/// `config.toml:3:1`, which editors and terminals can follow.
impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file.display(), self.line, self.column)
    }
}

/// A mistake in a configuration file, where it stands, and what would be right. Never holds a
/// password.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{at}: {why}")]
pub struct BadFile {
    /// The place of the mistake.
    pub at: At,
    /// The mistake, and what would be right; sentences without the last full stop.
    pub why: String,
}

/// The text of a file.
#[derive(Clone, Copy)]
pub(super) struct ConfigText<'a> {
    file: &'a Path,
    text: &'a str,
}

impl<'a> ConfigText<'a> {
    /// The text of `file`, which has to be UTF-8.
    pub(super) fn new(file: &'a Path, bytes: &'a [u8]) -> Result<Self, BadFile> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Self { file, text }),
            Err(error) => {
                let text = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
                let why = "this is no UTF-8. Save the file as UTF-8";
                Err(Self { file, text }.wrong(text.len(), why.to_owned()))
            }
        }
    }

    /// Its tables and values.
    pub(super) fn parse(self) -> Result<Spanned<DeTable<'a>>, BadFile> {
        DeTable::parse(self.text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            self.wrong(at, format!("this is no TOML: {}", error.message()))
        })
    }

    /// Lists a table, in the order of the file, so that the first mistake is told first.
    pub(super) fn items(self, table: &'a DeTable<'a>) -> Vec<ConfigItem<'a>> {
        let mut items: Vec<ConfigItem> = table
            .iter()
            .map(|(key, value)| ConfigItem {
                source: self,
                key: key.as_ref(),
                key_at: key.span(),
                value: value.as_ref(),
                at: value.span(),
            })
            .collect();
        items.sort_by_key(|item| item.key_at.start);
        items
    }

    fn wrong(self, offset: usize, why: String) -> BadFile {
        BadFile {
            at: self.at(offset),
            why,
        }
    }

    fn at(self, offset: usize) -> At {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let line = before.rsplit('\n').next().unwrap_or(before);
        At {
            file: self.file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: line.chars().count() + 1,
        }
    }
}

/// A key with its value.
pub(super) struct ConfigItem<'a> {
    source: ConfigText<'a>,
    /// The key, without the table that it stands in.
    pub(super) key: &'a str,
    key_at: Range<usize>,
    value: &'a DeValue<'a>,
    at: Range<usize>,
}

impl<'a> ConfigItem<'a> {
    /// Returns the place of the key.
    pub(super) fn key_at(&self) -> At {
        self.source.at(self.key_at.start)
    }

    /// This key is none of `known`.
    pub(super) fn unknown(&self, known: &[&str]) -> BadFile {
        self.bad_key(unknown("key", self.key, known))
    }

    /// The key cannot be there, or lacks something.
    pub(super) fn bad_key(&self, why: String) -> BadFile {
        self.source.wrong(self.key_at.start, why)
    }

    /// The value cannot be used.
    pub(super) fn bad(&self, why: String) -> BadFile {
        self.source.wrong(self.at.start, why)
    }

    /// A text; `example` is one that would be right.
    pub(super) fn text(&self, example: &str) -> Result<&'a str, BadFile> {
        match self.value {
            DeValue::String(text) => Ok(text),
            other => Err(self.of_type(&format!("a text such as {example:?}"), other)),
        }
    }

    /// `true` or `false`.
    pub(super) fn flag(&self) -> Result<bool, BadFile> {
        match self.value {
            DeValue::Boolean(flag) => Ok(*flag),
            other => Err(self.of_type("true or false", other)),
        }
    }

    /// A whole number from `least` to `most`.
    pub(super) fn number(&self, least: u32, most: u32) -> Result<u32, BadFile> {
        let what = format!("a whole number from {least} to {most}");
        let DeValue::Integer(number) = self.value else {
            return Err(self.of_type(&what, self.value));
        };
        u32::from_str_radix(number.as_str(), number.radix())
            .ok()
            .filter(|n| (least..=most).contains(n))
            .ok_or_else(|| self.bad(format!("{} is {number}. It must be {what}", self.key)))
    }

    /// One of the `words`, by its place among them.
    pub(super) fn word<T: Copy>(&self, words: &[(&str, T)]) -> Result<T, BadFile> {
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let text = self.text(known.first().copied().unwrap_or_default())?;
        let meant = words.iter().find(|(word, _)| *word == text);
        meant.map(|(_, value)| *value).ok_or_else(|| {
            let known = listed(&known);
            self.bad(format!(
                "{} {text:?} is unknown. There are {known}",
                self.key
            ))
        })
    }

    /// A list of texts, each with the place where it stands.
    pub(super) fn texts(&self, example: &str) -> Result<Vec<(&'a str, At)>, BadFile> {
        let what = format!("a list of texts such as [{example:?}]");
        let DeValue::Array(list) = self.value else {
            return Err(self.of_type(&what, self.value));
        };
        list.iter()
            .map(|one| match one.as_ref() {
                DeValue::String(text) => Ok((text.as_ref(), self.source.at(one.span().start))),
                other => {
                    let why = format!("{} must be {what}; this is {}", self.key, kind(other));
                    Err(self.source.wrong(one.span().start, why))
                }
            })
            .collect()
    }

    /// The same, where one text need not be in a list.
    pub(super) fn text_or_texts(&self, example: &str) -> Result<Vec<(&'a str, At)>, BadFile> {
        match self.value {
            DeValue::String(text) => Ok(vec![(text.as_ref(), self.source.at(self.at.start))]),
            _ => self.texts(example),
        }
    }

    /// Lists the table that this is.
    pub(super) fn table(&self) -> Result<Vec<ConfigItem<'a>>, BadFile> {
        match self.value {
            DeValue::Table(table) => Ok(self.source.items(table)),
            other => Err(self.of_type(&format!("a table: [{}]", self.key), other)),
        }
    }

    fn of_type(&self, right: &str, given: &DeValue) -> BadFile {
        let (key, given) = (self.key, kind(given));
        self.bad(format!("{key} must be {right}, not {given}"))
    }
}

/// Says that `typed` is none of `known`.
pub(super) fn unknown(what: &str, typed: &str, known: &[&str]) -> String {
    match nearest(typed, known) {
        Some(meant) => format!("the {what} {typed:?} is unknown. Did you mean {meant}?"),
        None => format!(
            "the {what} {typed:?} is unknown. There are {}",
            listed(known)
        ),
    }
}

fn kind(value: &DeValue) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a time",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// `a, b and c`.
pub(super) fn listed(words: &[&str]) -> String {
    match words {
        [] => "none".to_owned(),
        [one] => (*one).to_owned(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// Finds the one of `known` that was most likely meant, when it differs in a few letters only.
fn nearest<'a>(typed: &str, known: &[&'a str]) -> Option<&'a str> {
    let plain = |text: &str| text.replace('-', "_").to_lowercase();
    let typed = plain(typed);
    let far = |word: &&&str| distance(&typed, &plain(word));
    let meant = known.iter().min_by_key(far)?;
    let close = far(&meant) <= (meant.chars().count() / 3).max(1);
    close.then_some(meant)
}

/// Counts the letters that are to be put in, taken out or changed.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_told_by_line_and_character() {
        let source = ConfigText::new(Path::new("c.toml"), "a = 1\nä = ü".as_bytes()).unwrap();
        assert_eq!(source.at(0).to_string(), "c.toml:1:1");
        assert_eq!(source.at(6).to_string(), "c.toml:2:1");
        assert_eq!(source.at(11).to_string(), "c.toml:2:5");
        assert_eq!(source.at(99).to_string(), "c.toml:2:6");
    }

    #[test]
    fn what_is_no_utf_8_is_told_with_its_place() {
        let file = Path::new("c.toml");
        let error = ConfigText::new(file, b"a = 1\nb = \"\xff\"").err().unwrap();
        assert_eq!(
            error.to_string(),
            "c.toml:2:6: this is no UTF-8. Save the file as UTF-8"
        );
    }

    #[test]
    fn a_slip_of_the_finger_is_recognised_and_another_word_is_not() {
        let known = ["interval", "theme", "label_colour", "ascii"];
        assert_eq!(nearest("intervall", &known), Some("interval"));
        assert_eq!(nearest("Theme", &known), Some("theme"));
        assert_eq!(nearest("label_color", &known), Some("label_colour"));
        assert_eq!(nearest("label-colour", &known), Some("label_colour"));
        assert_eq!(nearest("password", &known), None);
        assert_eq!(nearest("x", &known), None);
    }
}
