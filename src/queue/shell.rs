//! Commands to be pasted into a shell, made in this one place.
//!
//! What is quoted here means the same to every POSIX shell (`sh`, `dash`, `bash`, `zsh`): it is one
//! word with these bytes, of which nothing is run. Nothing is in it that cannot be seen, or that is
//! seen in another place than it stands: who pastes a command has read what it does.

use std::fmt::Write as _;

use super::layout::Queue;
use super::text;

/// A word that a shell passes on as these bytes. Bytes that are no text to be seen come from
/// `printf`; those that no shell can pass on so (NUL, a line end at the end) are spelled as they
/// are printed, which names nothing. Queues have [`about`], which can say every name.
#[must_use]
pub fn word(bytes: &[u8]) -> String {
    match readable(bytes) {
        Some(text) if is_bare(bytes) => text.to_owned(),
        Some(text) => quoted(text),
        None if bytes.contains(&0) || bytes.ends_with(b"\n") => {
            quoted(&text::printable_bytes(bytes).escape_default().to_string())
        }
        None => {
            let mut out = String::from("\"$(printf '");
            for &b in bytes {
                if b.is_ascii_alphanumeric() {
                    out.push(char::from(b));
                } else {
                    // Writing into a String cannot fail.
                    let _ = write!(out, "\\{b:03o}");
                }
            }
            out.push_str("')\"");
            out
        }
    }
}

/// The command of this program that is about a queue: `program` (words for the shell), the
/// subcommand, the queue, and `flags` (words for the shell).
#[must_use]
pub fn about(program: &str, command: &str, queue: &Queue, flags: &[&str]) -> String {
    let (before, name) = (format!("{program} {command}"), named(queue));
    let mut words: Vec<&str> = vec![&before];
    // It would pass for a flag where flags may stand.
    let is_last = name.starts_with("-- ");
    if !is_last {
        words.push(&name);
    }
    words.extend(flags);
    if is_last {
        words.push(&name);
    }
    words.join(" ")
}

/// The words that name a queue on this program's command line, behind all flags.
#[must_use]
pub fn named(queue: &Queue) -> String {
    spelled(queue, "", "-- ")
}

/// The flag that names a queue where no queue is asked for.
#[must_use]
pub fn flag(queue: &Queue) -> String {
    spelled(queue, "--queue ", "--queue=")
}

/// A queue as a word behind `before`, or behind `before_dash` where it would pass for a flag; by
/// the digits of its bytes where no shell can say it or nobody see it.
fn spelled(queue: &Queue, before: &str, before_dash: &str) -> String {
    let spec = queue.spec();
    match readable(&spec) {
        Some(text) if text.starts_with('-') => format!("{before_dash}{}", word(&spec)),
        Some(_) => format!("{before}{}", word(&spec)),
        None => format!("--queue-hex {}", hex::encode(&spec)),
    }
}

/// The text, when all of it can be seen as what it is.
fn readable(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    text.chars().all(text::is_plain_to_see).then_some(text)
}

/// Letters, digits and what means nothing to a shell. (To zsh a `=` in front means a path.)
fn is_bare(word: &[u8]) -> bool {
    let bare = |b: &u8| b.is_ascii_alphanumeric() || b"_-.:/@%+=,".contains(b);
    !word.is_empty() && !word.starts_with(b"=") && word.iter().all(bare)
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_quoted_as_every_shell_reads_it() {
        assert_eq!(word(b"orders"), "orders");
        assert_eq!(word(b""), "''");
        assert_eq!(word(b"=ls"), "'=ls'");
        assert_eq!(word("it's 订单".as_bytes()), r"'it'\''s 订单'");
        assert_eq!(word(b"a\n'\\\xff"), r#""$(printf 'a\012\047\134\377')""#);
        assert_eq!(word(b"a\0"), r"'a\\x00'");
    }

    #[test]
    fn a_flag_names_any_queue() {
        let flag = |name: &[u8]| flag(&Queue::redisson(name));
        assert_eq!(flag(b"it's"), r"--queue 'it'\''s'");
        assert_eq!(flag(b"-q"), "--queue=-q");
        assert_eq!(flag(b"\xff"), "--queue-hex ff");
    }

    #[test]
    fn a_queue_is_named_so_that_it_is_this_one() {
        let about = |name: &[u8]| about("delayscope", "repair", &Queue::redisson(name), &["--all"]);
        assert_eq!(about(b"orders"), "delayscope repair orders --all");
        assert_eq!(about(b"a b"), "delayscope repair 'a b' --all");
        assert_eq!(about(b"-q"), "delayscope repair --all -- -q");
        for (name, hex) in [
            (b"a\n".as_slice(), "610a"),
            (b"\0", "00"),
            (b"\xff", "ff"),
            ("a\u{202e}".as_bytes(), "61e280ae"),
        ] {
            let expected = format!("delayscope repair --queue-hex {hex} --all");
            assert_eq!(about(name), expected);
        }
    }
}
