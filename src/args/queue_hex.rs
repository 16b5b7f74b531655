//! Queues whose names no shell can say, by the hex digits of their bytes: `--queue-hex` stands where
//! a queue's name stands.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

use clap::CommandFactory as _;
use clap::builder::{OsStringValueParser, TypedValueParser, ValueParser, ValueParserFactory};

use super::Args;
use crate::queue::{BadQueue, Queue};

const FLAG: &str = "--queue-hex";
/// In front of a name that was given in digits. No argument of a process holds it.
const MARK: u8 = 0;

/// By its bytes: names of queues need not be UTF-8.
impl ValueParserFactory for Queue {
    type Parser = ValueParser;

    fn value_parser() -> ValueParser {
        ValueParser::new(OsStringValueParser::new().try_map(|typed| {
            let typed = typed.as_bytes();
            Self::typed(typed.strip_prefix(&[MARK]).unwrap_or(typed))
        }))
    }
}

/// The typed words, with the queue itself for a `--queue-hex HEX` that stands in place of a QUEUE.
/// Where no QUEUE stands it remains a flag like others, and so it does when HEX is no hex.
pub(super) fn spelled_out(typed: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut typed = typed.into_iter();
    let mut out: Vec<OsString> = Vec::new();
    while let Some(word) = typed.next() {
        if word == "--" {
            out.push(word);
            break;
        }
        let (hex, following) = match word.as_bytes().strip_prefix(FLAG.as_bytes()) {
            Some(b"") => (typed.next(), true),
            Some([b'=', hex @ ..]) => (Some(OsString::from_vec(hex.to_vec())), false),
            _ => {
                out.push(word);
                continue;
            }
        };
        let bytes = hex.as_ref().and_then(|hex| bytes(hex.as_bytes()));
        if let Some(bytes) = bytes.filter(|_| takes_queue(&out)) {
            out.push(OsString::from_vec([&[MARK], bytes.as_slice()].concat()));
        } else {
            out.push(word);
            out.extend(hex.filter(|_| following));
        }
    }
    out.extend(typed);
    out
}

/// Tells whether one of these words is a subcommand that takes a QUEUE.
fn takes_queue(words: &[OsString]) -> bool {
    let all = Args::command();
    let mut named = words.iter().filter_map(|word| all.find_subcommand(word));
    named.next().is_some_and(|command| {
        let mut queues = command.get_positionals();
        queues.any(|arg| arg.get_id() == "queue")
    })
}

/// A queue by the hex digits of its bytes.
pub(super) fn queue(hex: &str) -> Result<Queue, String> {
    let bytes = bytes(hex.as_bytes()).ok_or("these are no pairs of hex digits, such as 6f7264")?;
    Queue::typed(&bytes).map_err(|why: BadQueue| why.to_string())
}

/// At least one byte.
fn bytes(hex: &[u8]) -> Option<Vec<u8>> {
    hex::decode(hex).ok().filter(|bytes| !bytes.is_empty())
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::super::Command;
    use super::*;

    fn args(line: &[&str]) -> Args {
        let typed = ["delayscope"].iter().chain(line).map(OsString::from);
        Args::try_parse_from(spelled_out(typed)).ok().unwrap()
    }

    #[test]
    fn digits_stand_where_a_queue_stands() {
        let asked = args(&["search", "--queue-hex", "2d00ff", "late", "customer"]);
        let Some(Command::Search(search)) = asked.command else {
            panic!("another command");
        };
        assert_eq!(search.queue, Queue::redisson(b"-\0\xff".as_slice()));
        assert_eq!(search.filter, ["late", "customer"]);
        let asked = args(&[
            "repair",
            "--drift",
            "--queue-hex=7a7365742d6c6973743a612c62",
        ]);
        let Some(Command::Repair(repair)) = asked.command else {
            panic!("another command");
        };
        assert_eq!(repair.queue, "zset-list:a,b".parse().unwrap());
    }

    #[test]
    fn digits_name_queues_also_where_none_stands() {
        for line in [&["--queue-hex", "0a"][..], &["queues", "--queue-hex", "0a"]] {
            let asked = args(line);
            assert_eq!(asked.connection.queues_hex, [Queue::redisson("\n")]);
        }
    }

    #[test]
    fn what_is_no_digits_is_refused() {
        for hex in ["", "0", "xy", "0a 0b"] {
            let line = ["delayscope", "show", "--queue-hex", hex].map(OsString::from);
            let refused = Args::try_parse_from(spelled_out(line)).err().unwrap();
            assert!(refused.to_string().contains("--queue-hex"), "{refused}");
        }
    }

    #[test]
    fn behind_two_dashes_nothing_is_a_flag() {
        let line = ["delayscope", "show", "--", "--queue-hex"].map(OsString::from);
        assert_eq!(spelled_out(line.clone()), line);
    }
}
