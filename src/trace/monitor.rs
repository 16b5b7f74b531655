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

use super::record::{LONGEST_RECORD, Precision, Record, Sender};

/// Bytes that are read at once; a longer line comes in parts.
const LONGEST_PART: usize = 1 << 20;
/// Bytes of a sender's address at most.
const LONGEST_ADDRESS: usize = 300;
/// Bytes of the part of a record before its words, at most.
const LONGEST_HEAD: usize = LONGEST_ADDRESS + 50;
/// The digits of the seconds since the epoch, from 2001 to 2286.
const DIGITS_OF_SECONDS: usize = 10;

/// The records of a `MONITOR` log.
pub struct Monitor<R> {
    input: R,
    line: Line,
    /// Bytes of `line` that were read.
    at: usize,
    /// The line behind it, which tells whether a string goes on there.
    ahead: Option<Line>,
    unreadable: u64,
    too_long: u64,
    joined: u64,
}

/// A line, or a part of a long one.
#[derive(Default)]
struct Line {
    bytes: Vec<u8>,
    /// It goes on in the next part.
    goes_on: bool,
}

impl std::ops::Deref for Line {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
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
        let mut line = Line::default();
        let mut ahead = None;
        if read_line(&mut input, &mut line)? {
            ahead = next_line(&mut input, Line::default())?;
        }
        Ok(Self {
            input,
            line,
            at: 0,
            ahead,
            unreadable: 0,
            too_long: 0,
            joined: 0,
        })
    }

    /// Records that were left out, since they are not whole.
    #[must_use]
    pub fn unreadable(&self) -> u64 {
        self.unreadable
    }

    /// Records that were left out, since they are longer than [`LONGEST_RECORD`]; not among the
    /// unreadable ones.
    #[must_use]
    pub fn too_long(&self) -> u64 {
        self.too_long
    }

    /// Lines that were joined to the one before them, since a terminal had broken the record there.
    #[must_use]
    pub fn joined(&self) -> u64 {
        self.joined
    }

    /// Reads the next record; false at the end.
    pub fn read(&mut self, record: &mut Record) -> io::Result<bool> {
        loop {
            let Some((skipped, head)) = find_head(&self.line[self.at..]) else {
                let broken = self.broken_head();
                if !self.advance()? {
                    return Ok(false);
                }
                if let Some(begun) = broken {
                    self.line.bytes.splice(0..0, begun);
                }
                continue;
            };
            record.clear();
            (record.at_us, record.db) = (Some(head.at_us), head.db);
            record.precision = Precision::Micro;
            match head.sender {
                b"lua" => record.sender = Sender::Script,
                address => record.set_client(address),
            }
            self.at += skipped + head.length;
            let joined = self.joined;
            if self.words(record)? {
                return Ok(true);
            }
            self.joined = joined;
            if record.size() > LONGEST_RECORD {
                self.too_long += 1;
            } else {
                self.unreadable += 1;
            }
        }
    }

    /// The beginning of a head that this line ends in and that the next one goes on with.
    fn broken_head(&mut self) -> Option<Vec<u8>> {
        let rest = &self.line[self.at..];
        let next = self.ahead.as_deref()?;
        let end = &rest[rest.len().saturating_sub(LONGEST_HEAD)..];
        let (seconds, _) = digits(next).unwrap_or_default();
        let is_number_broken = end.last().is_some_and(u8::is_ascii_digit);
        if end.is_empty()
            || (begins_record(next) && !(is_number_broken && seconds.len() < DIGITS_OF_SECONDS))
        {
            return None;
        }
        let both = [end, &next[..next.len().min(LONGEST_HEAD)]].concat();
        let (skipped, _) = find_head(&both)?;
        let begun = end
            .get(skipped..)
            .filter(|begun| !begun.is_empty())?
            .to_vec();
        self.joined += u64::from(!self.line.goes_on);
        Some(begun)
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

    /// Goes to the next line, where the record goes on.
    fn join(&mut self) -> io::Result<()> {
        self.joined += u64::from(!self.line.goes_on);
        self.advance()?;
        Ok(())
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
                Some(_) if spaces == 0 && !self.is_at_record() => {
                    return Ok(false);
                }
                Some(_) => return Ok(!record.is_empty()),
                None => {
                    let goes_on = |line: &Line| line.trim_ascii_start().first() == Some(&b'"');
                    if !self.ahead.as_ref().is_some_and(goes_on) {
                        return Ok(!record.is_empty());
                    }
                    self.join()?;
                }
            }
        }
    }

    /// True where the head of a record begins, whatever has broken the line inside it.
    fn is_at_record(&self) -> bool {
        let rest = &self.line[self.at..];
        if begins_record(rest) || rest.len() >= LONGEST_HEAD {
            return begins_record(rest);
        }
        let next = self.ahead.as_deref().unwrap_or_default();
        begins_record(&[rest, &next[..next.len().min(LONGEST_HEAD)]].concat())
    }

    /// Reads a string behind its first quote; false when it has no end.
    fn string(&mut self, record: &mut Record) -> io::Result<bool> {
        loop {
            let rest = &self.line[self.at..];
            let plain = memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
            record.push(&rest[..plain]);
            self.at += plain;
            if record.size() > LONGEST_RECORD {
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
                        self.join()?;
                        self.line.bytes.splice(0..0, begun);
                    }
                    Escape::Cut | Escape::Bad => return Ok(false),
                },
                None if self.is_wrapped() => self.join()?,
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
fn next_line(input: &mut impl BufRead, mut room: Line) -> io::Result<Option<Line>> {
    room.bytes.clear();
    Ok(read_line(input, &mut room)?.then_some(room))
}

/// Reads a line without its end, or a part of a long one; false at the end.
fn read_line(input: &mut impl BufRead, line: &mut Line) -> io::Result<bool> {
    let read = input
        .take(LONGEST_PART as u64)
        .read_until(b'\n', &mut line.bytes)?;
    line.goes_on = read == LONGEST_PART && line.bytes.last() != Some(&b'\n');
    if line.bytes.last() == Some(&b'\r') && input.fill_buf()?.first() == Some(&b'\n') {
        input.consume(1);
        line.goes_on = false;
    }
    if line.bytes.last() == Some(&b'\n') {
        line.bytes.pop();
    }
    if line.bytes.last() == Some(&b'\r') {
        line.bytes.pop();
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
    fn a_record_that_a_terminal_has_broken_over_many_lines_is_joined_and_the_joints_are_counted() {
        let log = "1763794800.123456 [0 10.0.0.17:51342] \"EVALSHA\" \"c04f\" \"it's \\x08 a \\\"b\\\"\"\n\
            1763794800.123466 [0 lua] \"zadd\" \"redisson_delay_queue_timeout:{orders}\" \"1\" \"x\"\n\
            1763794801.100000 [0 10.0.0.17:51342] \"PING\"\n";
        let whole = read(log.as_bytes()).0;
        for width in 25..90 {
            let mut broken = String::new();
            let mut joints = 0;
            for line in log.lines() {
                let parts: Vec<&[u8]> = line.as_bytes().chunks(width).collect();
                joints += parts.len() as u64 - 1;
                for part in parts {
                    broken.push_str(str::from_utf8(part).unwrap());
                    broken.push('\n');
                }
            }
            let mut monitor = Monitor::new(broken.as_bytes()).unwrap();
            let mut record = Record::default();
            let mut all = Vec::new();
            while monitor.read(&mut record).unwrap() {
                all.push(record.clone());
            }
            assert_eq!(all, whole, "{width}: {broken}");
            assert_eq!(monitor.unreadable(), 0);
            assert_eq!(monitor.joined(), joints, "{width}");
        }
    }

    #[test]
    fn lines_that_no_terminal_has_broken_are_not_joined() {
        let log =
            b"1700000000.5 [0 a:1] \"PING\"\nwe saw 12\n1700000000.6 [0 a:1] \"SET\" \"k\n1700000000.7 [0 a:1] \"PING\"\n";
        let mut monitor = Monitor::new(&log[..]).unwrap();
        let mut record = Record::default();
        let mut times = Vec::new();
        while monitor.read(&mut record).unwrap() {
            times.push(record.at_us.unwrap());
        }
        assert_eq!(times, [1_700_000_000_500_000, 1_700_000_000_700_000]);
        assert_eq!((monitor.joined(), monitor.unreadable()), (0, 1));
    }

    #[test]
    fn a_line_of_any_length_is_read_in_bounded_memory_and_a_record_that_is_too_long_is_left_out() {
        let record = "1763794800.5 [0 a:1] \"SET\" \"k\" \"v\"";
        let many = (LONGEST_PART * 2 / record.len() + 10) as u64;
        for between in ["", " ", "\r\n"] {
            let log = [record, between]
                .concat()
                .repeat(usize::try_from(many).unwrap());
            let (all, unreadable) = read(log.as_bytes());
            assert_eq!((all.len() as u64, unreadable), (many, 0), "{between:?}");
            assert!(all.iter().all(|one| one.len() == 3));
        }
        let value = "x".repeat(LONGEST_RECORD + 1);
        let log = format!("1.5 [0 a:1] \"SET\" \"{value}\"\n{record}\n");
        let mut monitor = Monitor::new(log.as_bytes()).unwrap();
        let mut read = Record::default();
        assert!(monitor.read(&mut read).unwrap());
        assert_eq!(read.len(), 3);
        assert!(!monitor.read(&mut read).unwrap());
        assert_eq!(
            (monitor.too_long(), monitor.unreadable(), monitor.joined()),
            (1, 0, 0)
        );
        let rooms = [
            &monitor.line,
            monitor.ahead.as_ref().unwrap_or(&monitor.line),
        ];
        assert!(
            rooms
                .iter()
                .all(|line| line.bytes.capacity() <= 2 * LONGEST_PART)
        );
        let value = "x".repeat(LONGEST_RECORD - 100);
        let log = format!("1.5 [0 a:1] \"SET\" \"{value}\"\n");
        assert!(record_of_line(log.trim_end().as_bytes()).is_some());
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
