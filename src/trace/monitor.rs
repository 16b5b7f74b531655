//! Logs of `MONITOR` as people have them: `1763794800.123456 [0 127.0.0.1:5] "RPUSH" "q" "a"`.
//!
//! Such a log was often pasted: lines are broken at the width of a terminal, several records stand
//! on one line, line ends are those of Windows, words of people stand between, and its first and
//! last records are cut. A record that is not whole is left out and counted; nothing is guessed.
//!
//! The beginning of a record is never in doubt: inside a string a `"` has a backslash before it, so that
//! `[0 lua] "` can stand in no payload.

use std::io::{self, BufRead, Read as _};

use memchr::memchr2;

use super::record::{Record, Sender};

/// Bytes of one record at most; a longer one is left out.
const MOST_BYTES_OF_A_RECORD: usize = 32 << 20;
/// Bytes of a sender's address at most.
const LONGEST_ADDRESS: usize = 300;

/// The records of a `MONITOR` log.
pub struct Monitor<R> {
    input: R,
    line: Vec<u8>,
    /// Bytes of `line` that were read.
    at: usize,
    /// The line behind it, which tells whether a string goes on there.
    ahead: Option<Vec<u8>>,
    unreadable: u64,
}

/// The part of a record before its words.
struct RecordHead<'a> {
    at_us: i64,
    db: u32,
    sender: &'a [u8],
    /// Its bytes, up to the first `"`.
    length: usize,
}

/// The sequence that a backslash begins.
enum Escape {
    /// This byte, written in so many.
    Byte(u8, usize),
    /// The line ends inside it.
    Cut,
    /// Nothing that the server writes.
    Bad,
}

impl<R: BufRead> Monitor<R> {
    /// A reader of the log in `input`.
    pub fn new(mut input: R) -> io::Result<Self> {
        let mut line = Vec::new();
        let mut ahead = None;
        if read_line(&mut input, &mut line)? {
            ahead = next_line(&mut input, Vec::new())?;
        }
        Ok(Self {
            input,
            line,
            at: 0,
            ahead,
            unreadable: 0,
        })
    }

    /// Records that were left out, since they are not whole.
    #[must_use]
    pub fn unreadable(&self) -> u64 {
        self.unreadable
    }

    /// Reads the next record; false at the end.
    pub fn read(&mut self, record: &mut Record) -> io::Result<bool> {
        loop {
            let Some((skipped, head)) = find_head(&self.line[self.at..]) else {
                if !self.advance()? {
                    return Ok(false);
                }
                continue;
            };
            record.clear();
            (record.at_us, record.db) = (Some(head.at_us), head.db);
            match head.sender {
                b"lua" => record.sender = Sender::Script,
                address => record.set_client(address),
            }
            self.at += skipped + head.length;
            if self.words(record)? {
                return Ok(true);
            }
            self.unreadable += 1;
        }
    }

    /// Goes to the next line, with what is left of this one before it where it goes on there.
    fn advance(&mut self) -> io::Result<bool> {
        let Some(next) = self.ahead.take() else {
            self.at = self.line.len();
            return Ok(false);
        };
        let used = std::mem::replace(&mut self.line, next);
        self.at = 0;
        self.ahead = next_line(&mut self.input, used)?;
        Ok(true)
    }

    /// Reads the words of a record; false when it is not whole.
    fn words(&mut self, record: &mut Record) -> io::Result<bool> {
        loop {
            let rest = &self.line[self.at..];
            let spaces = rest.iter().take_while(|byte| byte.is_ascii_whitespace());
            let spaces = spaces.count();
            self.at += spaces;
            match self.line.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    if !self.string(record)? {
                        return Ok(false);
                    }
                }
                // What stands close behind a string is the next record, or the string has lost its
                // end: this quote is the beginning of another one.
                Some(_) if spaces == 0 && !begins_record(&self.line[self.at..]) => {
                    return Ok(false);
                }
                Some(_) => return Ok(!record.is_empty()),
                None => {
                    let goes_on = |line: &Vec<u8>| line.trim_ascii_start().first() == Some(&b'"');
                    if !self.ahead.as_ref().is_some_and(goes_on) {
                        return Ok(!record.is_empty());
                    }
                    self.advance()?;
                }
            }
        }
    }

    /// Reads a string behind its first quote; false when it has no end.
    fn string(&mut self, record: &mut Record) -> io::Result<bool> {
        loop {
            let rest = &self.line[self.at..];
            let plain = memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
            record.push(&rest[..plain]);
            self.at += plain;
            if record.size() > MOST_BYTES_OF_A_RECORD {
                return Ok(false);
            }
            match self.line.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    record.end_word();
                    return Ok(true);
                }
                Some(_) => match escape(&self.line[self.at..]) {
                    Escape::Byte(byte, length) => {
                        record.push(&[byte]);
                        self.at += length;
                    }
                    Escape::Cut if self.is_wrapped() => {
                        let begun = self.line[self.at..].to_vec();
                        self.advance()?;
                        self.line.splice(0..0, begun);
                    }
                    Escape::Cut | Escape::Bad => return Ok(false),
                },
                None if self.is_wrapped() => {
                    self.advance()?;
                }
                None => return Ok(false),
            }
        }
    }

    /// True when the string that this line ends in goes on in the next one: a terminal has broken
    /// the line. Where a record begins there, this one was cut.
    fn is_wrapped(&self) -> bool {
        let next = self.ahead.as_deref();
        next.is_some_and(|line| !begins_record(line))
    }
}

/// True of a text that begins with the head of a record.
fn begins_record(text: &[u8]) -> bool {
    head(text.strip_prefix(b"+").unwrap_or(text)).is_some()
}

/// The record that a line is; none where anything else stands before or behind it, or where it is
/// not whole.
#[must_use]
pub fn record_of_line(line: &[u8]) -> Option<Record> {
    let line = line.strip_prefix(b"+").unwrap_or(line);
    head(line)?;
    let mut monitor = Monitor::new(line).ok()?;
    let mut record = Record::default();
    let is_read = monitor.read(&mut record).ok()? && monitor.unreadable == 0;
    let rest = monitor.line[monitor.at..].trim_ascii();
    (is_read && rest.is_empty() && monitor.ahead.is_none()).then_some(record)
}

/// The next line, in the room of one that is not needed any more; none at the end.
fn next_line(input: &mut impl BufRead, mut room: Vec<u8>) -> io::Result<Option<Vec<u8>>> {
    room.clear();
    Ok(read_line(input, &mut room)?.then_some(room))
}

/// Reads a line without its end; of a longer one than a record may have, its first part. False at
/// the end.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    let read = input
        .take(MOST_BYTES_OF_A_RECORD as u64)
        .read_until(b'\n', line)?;
    if line.last() == Some(&b'\n') {
        line.pop();
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    Ok(read > 0)
}

/// The first head in a text, and how many bytes stand before it.
fn find_head(text: &[u8]) -> Option<(usize, RecordHead<'_>)> {
    let mut at = 0;
    while at < text.len() {
        at += text[at..].iter().position(u8::is_ascii_digit)?;
        if let Some(head) = head(&text[at..]) {
            return Some((at, head));
        }
        let digits = text[at..].iter().take_while(|b| b.is_ascii_digit());
        at += digits.count();
    }
    None
}

/// The head that a text begins with: `1763794800.123456 [0 127.0.0.1:5] `, with a `"` behind it.
fn head(text: &[u8]) -> Option<RecordHead<'_>> {
    let (seconds, rest) = digits(text)?;
    let rest = rest.strip_prefix(b".")?;
    let (fraction, rest) = digits(rest)?;
    let rest = rest.strip_prefix(b" [")?;
    let (db, rest) = digits(rest)?;
    let rest = rest.strip_prefix(b" ")?;
    let known = &rest[..rest.len().min(LONGEST_ADDRESS + 3)];
    let mut ends = known.iter().enumerate().filter(|(_, byte)| **byte == b']');
    let (end, _) = ends.find(|(at, _)| known[*at..].starts_with(b"] \""))?;
    Some(RecordHead {
        at_us: micros(seconds, fraction)?,
        db: str::from_utf8(db).ok()?.parse().ok()?,
        sender: &rest[..end],
        length: text.len() - rest.len() + end + 2,
    })
}

/// The digits that a text begins with, at least one, and the rest.
fn digits(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (count > 0).then(|| text.split_at(count))
}

/// `1763794800` and `123456` as µs.
fn micros(seconds: &[u8], fraction: &[u8]) -> Option<i64> {
    if seconds.len() > 11 || fraction.len() > 6 {
        return None;
    }
    let number = |digits: &[u8]| {
        let digit = |sum: i64, digit: &u8| sum * 10 + i64::from(digit - b'0');
        digits.iter().fold(0, digit)
    };
    let unit = [1_000_000, 100_000, 10_000, 1_000, 100, 10, 1][fraction.len()];
    Some(number(seconds) * 1_000_000 + number(fraction) * unit)
}

/// The escape that a text begins with, as the server writes it.
fn escape(text: &[u8]) -> Escape {
    let Some(letter) = text.get(1) else {
        return Escape::Cut;
    };
    let byte = match letter {
        b'"' | b'\\' => *letter,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'a' => 7,
        b'b' => 8,
        b'x' => {
            let hex = |at: usize| text.get(at).map(|b| char::from(*b).to_digit(16));
            return match (hex(2), hex(3)) {
                (Some(None), _) | (_, Some(None)) => Escape::Bad,
                (Some(Some(high)), Some(Some(low))) => {
                    u8::try_from(high << 4 | low).map_or(Escape::Bad, |b| Escape::Byte(b, 4))
                }
                _ => Escape::Cut,
            };
        }
        _ => return Escape::Bad,
    };
    Escape::Byte(byte, 2)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use proptest::prelude::*;

    use super::*;

    fn read(log: &[u8]) -> (Vec<Record>, u64) {
        let mut monitor = Monitor::new(log).unwrap();
        let mut record = Record::default();
        let mut all = Vec::new();
        while monitor.read(&mut record).unwrap() {
            all.push(record.clone());
        }
        (all, monitor.unreadable())
    }

    /// The words of each record.
    fn words(log: impl AsRef<[u8]>) -> Vec<Vec<String>> {
        let (all, _) = read(log.as_ref());
        let text = |word: &[u8]| String::from_utf8_lossy(word).into_owned();
        let words = |record: &Record| record.words(0).map(text).collect();
        all.iter().map(words).collect()
    }

    #[test]
    fn a_record_is_its_time_database_sender_and_words() {
        let log = br#"OK
1763794800.123456 [3 127.0.0.1:5] "RPUSH" "a \"q\"" "\x04\x00\\\n\r\t\a\b" ""
1763794800.5 [0 lua] "zadd" "k"
+1763794801.000001 [0 unix:/tmp/a b.sock] "PING"
1763794801.000001 [0 [::1]:6379] "PING"
"#;
        let (all, unreadable) = read(log);
        let first = &all[0];
        assert_eq!(first.at_us, Some(1_763_794_800_123_456));
        assert_eq!(first.db, 3);
        assert_eq!(first.sender, Sender::Client(b"127.0.0.1:5".to_vec()));
        let words = [&b"RPUSH"[..], b"a \"q\"", b"\x04\0\\\n\r\t\x07\x08", b""];
        assert!(first.words(0).eq(words));
        assert_eq!(all[1].sender, Sender::Script);
        assert_eq!(all[1].at_us, Some(1_763_794_800_500_000));
        assert_eq!(
            all[2].sender,
            Sender::Client(b"unix:/tmp/a b.sock".to_vec())
        );
        assert_eq!(all[3].sender, Sender::Client(b"[::1]:6379".to_vec()));
        assert_eq!((all.len(), unreadable), (4, 0));
    }

    #[test]
    fn a_pasted_log_has_the_records_of_the_log() {
        let log = "1.5 [0 a:1] \"SET\" \"k\" \"it's \\x08 1.5 [0 lua] \\\"x\\\"\"\n1.6 [0 lua] \"DEL\" \"k\"\n";
        let whole = words(log);
        assert_eq!(whole[0][2], "it's \u{8} 1.5 [0 lua] \"x\"");
        assert_eq!(words(log.replace('\n', "\r\n")), whole);
        assert_eq!(words(log.replace('\n', " ")), whole);
        assert_eq!(words(log.replace('\n', "")), whole);
        assert_eq!(
            words(format!("cut\" \"off\"\n{log}1.7 [0 a:1] \"SE")),
            whole
        );
        assert_eq!(words(log.replace('\n', "\n# what is that?\n")), whole);
        // Broken anywhere behind the head of a record.
        for at in 13..log.find('\n').unwrap() {
            let (before, behind) = log.split_at(at);
            for end in ["\n", "\r\n"] {
                assert_eq!(words(format!("{before}{end}{behind}")), whole, "{at}");
            }
        }
    }

    #[test]
    fn what_is_not_whole_is_left_out_and_counted() {
        for cut in [
            "1.5 [0 a:1] \"SET\" \"k",
            "1.5 [0 a:1] \"SET\" \"k\\",
            "1.5 [0 a:1] \"SET\" \"k\\x0",
            "1.5 [0 a:1] \"SET\" \"k\\q\"",
            "1.5 [0 a:1] \"SET\" \"k\\xzz\"",
            "1.5 [0 a:1] \"SET \"k\"",
        ] {
            let (all, unreadable) = read(format!("{cut}\n1.6 [0 a:1] \"PING\"\n").as_bytes());
            assert_eq!((all.len(), unreadable), (1, 1), "{cut}");
            assert!(all[0].is("ping"));
        }
        for none in [
            "OK",
            "",
            "1.5 [lua] \"a\"",
            "1.5 [0 lua] a",
            "x [0 l] \"a\"",
        ] {
            assert_eq!(read(none.as_bytes()), (vec![], 0), "{none}");
        }
    }

    /// A string as the server prints it.
    fn printed(bytes: &[u8]) -> String {
        let mut out = String::from("\"");
        for &byte in bytes {
            match byte {
                b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
                b'\n' => out.push_str("\\n"),
                b' '..=b'~' => out.push(char::from(byte)),
                _ => {
                    let _ = write!(out, "\\x{byte:02x}");
                }
            }
        }
        out + "\""
    }

    proptest! {
        #[test]
        fn every_word_comes_back_whatever_its_bytes(
            all: Vec<(Vec<u8>, Vec<u8>)>,
            text in "[\\[\\] \"\\\\0-9.lua]{0,40}",
        ) {
            let mut log = String::new();
            for (a, b) in &all {
                let _ = writeln!(log, "1.5 [0 a:1] \"SET\" {} {} {}", printed(a), printed(b), printed(text.as_bytes()));
            }
            let (read, unreadable) = read(log.as_bytes());
            prop_assert_eq!(unreadable, 0);
            prop_assert_eq!(read.len(), all.len());
            for (record, (a, b)) in read.iter().zip(&all) {
                prop_assert!(record.words(1).eq([&a[..], &b[..], text.as_bytes()]));
            }
        }

        #[test]
        fn no_bytes_panic(log: Vec<u8>, text in "([0-9]\\.[0-9] \\[0 (lua|a)\\] |\"|\\\\|x|\n| ){0,60}") {
            read(&log);
            read(text.as_bytes());
        }
    }
}
