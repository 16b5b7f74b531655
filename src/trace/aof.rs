//! An append-only file: the commands that changed something, as RESP arrays, without senders.
//!
//! From Redis 7 on it is a folder with a manifest that names its parts ([`parts`]): a base and
//! what came after it. A base is mostly a snapshot (RDB), which also stands at the beginning of
//! older files: it is skipped, since it holds no commands. Its end is where the checksum of all
//! its bytes stands, so that nothing in it need be understood.
//!
//! Times are there only with `aof-timestamp-enabled`, as lines `#TS:1763794800`.

use std::io::{self, BufRead, Read as _};

use super::record::{LONGEST_RECORD, Precision, Record, Sender};

/// Bytes of one command at most: what Redis itself lets a client send.
const MOST_BYTES_OF_A_COMMAND: usize = 512 << 20;
/// Words of one command at most: as much.
const MOST_WORDS: usize = 1 << 20;
/// The longest line that is no string, in bytes: `*3`, `$11`, `#TS:1763794800`.
const LONGEST_LINE: u64 = 64;
/// The first bytes of a snapshot: of Redis, and of Valkey from 9 on.
const SNAPSHOTS: [&[u8]; 2] = [b"REDIS", b"VALKEY"];
/// The byte before the checksum that ends a snapshot.
const END_OF_SNAPSHOT: u8 = 0xff;

/// The records of an append-only file.
pub struct Aof<R> {
    input: R,
    /// Bytes read so far.
    offset: u64,
    at_us: Option<i64>,
    db: u32,
    skipped_snapshot: bool,
    too_long: u64,
    damage: Option<Damage>,
}

/// The place from which on an append-only file cannot be read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Damage {
    /// The byte at which the first command begins that is not whole.
    pub offset: u64,
    /// True when the file just ends there, as one does that is being written.
    pub is_cut: bool,
    /// True when it is in the snapshot before the commands: none of these was read.
    pub in_snapshot: bool,
}

/// The result of reading the words of a command.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Words {
    /// All of them.
    Whole,
    /// All of them, and more than a record holds.
    TooLong,
    /// The file ends before.
    Cut,
    /// No words stand there.
    Wrong,
}

/// A part that a manifest names.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct AofPart {
    /// The name of its file, in the folder of the manifest.
    pub file: String,
    /// Parts are read in this order, the base first.
    order: (u8, u64),
}

/// The parts that a manifest names, in the order in which they are read; none when it is no
/// manifest. Files of an earlier rewrite are left out, as the server does.
#[must_use]
pub fn parts(manifest: &[u8]) -> Option<Vec<AofPart>> {
    let mut parts = Vec::new();
    for line in str::from_utf8(manifest).ok()?.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.is_empty() || line.starts_with('#') {
            continue;
        }
        let value = |key: &str| {
            let at = words.iter().step_by(2).position(|word| *word == key)?;
            words.get(2 * at + 1).copied()
        };
        let file = value("file")?.trim_matches('"');
        let place = match value("type")? {
            "b" => 0,
            "i" => 1,
            _ => continue,
        };
        // The name of a file beside the manifest, and of nothing else.
        if file.contains(['/', '\\']) {
            return None;
        }
        parts.push(AofPart {
            file: file.to_owned(),
            order: (place, value("seq")?.parse().ok()?),
        });
    }
    parts.sort_by_key(|part| part.order);
    (!parts.is_empty()).then_some(parts)
}

/// True of the beginning of an append-only file.
#[must_use]
pub fn is_one(beginning: &[u8]) -> bool {
    let is_count =
        beginning.first() == Some(&b'*') && beginning.get(1).is_some_and(u8::is_ascii_digit);
    is_count || is_snapshot(beginning) || beginning.starts_with(b"#TS:")
}

fn is_snapshot(beginning: &[u8]) -> bool {
    SNAPSHOTS.iter().any(|one| beginning.starts_with(one))
}

impl<R: BufRead> Aof<R> {
    /// A reader of the append-only file in `input`.
    pub fn new(input: R) -> Self {
        Self {
            input,
            offset: 0,
            at_us: None,
            db: 0,
            skipped_snapshot: false,
            too_long: 0,
            damage: None,
        }
    }

    /// True when it began with a snapshot, whose entries are not told.
    #[must_use]
    pub fn skipped_snapshot(&self) -> bool {
        self.skipped_snapshot
    }

    /// Records that were left out, since they are longer than [`LONGEST_RECORD`].
    #[must_use]
    pub fn too_long(&self) -> u64 {
        self.too_long
    }

    /// The place from which on it could not be read; none: it was read to its end.
    #[must_use]
    pub fn damage(&self) -> Option<Damage> {
        self.damage
    }

    /// Reads the next record; false at the end, and where it is damaged.
    pub fn read(&mut self, record: &mut Record) -> io::Result<bool> {
        if self.offset == 0 && is_snapshot(self.input.fill_buf()?) {
            self.skipped_snapshot = true;
            if !self.skip_snapshot()? {
                return Ok(false);
            }
        }
        while self.damage.is_none() {
            let begun = self.offset;
            let Some(line) = self.line()? else {
                let is_end = self.offset == begun;
                let is_cut = self.is_over()?;
                self.damage = (!is_end).then_some(Damage {
                    offset: begun,
                    is_cut,
                    in_snapshot: false,
                });
                break;
            };
            if let Some(time) = line.strip_prefix("#TS:") {
                self.at_us = time.parse().ok().map(|s: i64| s.saturating_mul(1_000_000));
                continue;
            }
            if line.starts_with('#') {
                continue;
            }
            let read = self.words(&line, record)?;
            if read == Words::TooLong {
                self.too_long += 1;
                continue;
            }
            if read != Words::Whole {
                self.damage = Some(Damage {
                    offset: begun,
                    is_cut: read == Words::Cut,
                    in_snapshot: false,
                });
                break;
            }
            if record.is("select")
                && let Some(db) = record.word(1).and_then(|db| str::from_utf8(db).ok())
            {
                self.db = db.parse().unwrap_or(self.db);
            }
            (record.at_us, record.db, record.sender) = (self.at_us, self.db, Sender::Unknown);
            record.precision = Precision::Second;
            return Ok(true);
        }
        Ok(false)
    }

    /// True at the end of the file.
    fn is_over(&mut self) -> io::Result<bool> {
        Ok(self.input.fill_buf()?.is_empty())
    }

    /// Says why something is not whole: the file ends, or is wrong.
    fn broken(&mut self) -> io::Result<Words> {
        Ok(if self.is_over()? {
            Words::Cut
        } else {
            Words::Wrong
        })
    }

    /// Reads the words behind a line like `*3`.
    fn words(&mut self, line: &str, record: &mut Record) -> io::Result<Words> {
        record.clear();
        let count = line.strip_prefix('*').and_then(|n| n.parse().ok());
        let Some(count) = count.filter(|n| (1..=MOST_WORDS).contains(n)) else {
            return Ok(Words::Wrong);
        };
        let mut bytes = 0;
        for _ in 0..count {
            let Some(line) = self.line()? else {
                return self.broken();
            };
            let length = line.strip_prefix('$').and_then(|n| n.parse().ok());
            let room = MOST_BYTES_OF_A_COMMAND - bytes;
            let Some(length) = length.filter(|length| *length <= room) else {
                return Ok(Words::Wrong);
            };
            bytes += length;
            if !self.bytes(length, record)? {
                return Ok(Words::Cut);
            }
            match self.line()?.as_deref() {
                Some("") => {}
                Some(_) => return Ok(Words::Wrong),
                None => return self.broken(),
            }
        }
        Ok(if bytes > LONGEST_RECORD {
            Words::TooLong
        } else {
            Words::Whole
        })
    }

    /// Reads so many bytes as a word, of which a record that is too long loses the rest; false when
    /// there are fewer.
    fn bytes(&mut self, mut length: usize, record: &mut Record) -> io::Result<bool> {
        while length > 0 {
            let buffered = self.input.fill_buf()?;
            let some = buffered.len().min(length);
            if some == 0 {
                return Ok(false);
            }
            let room = LONGEST_RECORD.saturating_sub(record.size());
            record.push(&buffered[..some.min(room)]);
            self.consume(some);
            length -= some;
        }
        record.end_word();
        Ok(true)
    }

    fn consume(&mut self, bytes: usize) {
        self.input.consume(bytes);
        self.offset += bytes as u64;
    }

    /// Reads a line that is no string, without its end; none when it has none.
    fn line(&mut self) -> io::Result<Option<String>> {
        let mut line = Vec::new();
        let mut input = (&mut self.input).take(LONGEST_LINE);
        self.offset += input.read_until(b'\n', &mut line)? as u64;
        let Some(line) = line.strip_suffix(b"\r\n") else {
            return Ok(None);
        };
        Ok(str::from_utf8(line).ok().map(str::to_owned))
    }

    /// Skips a snapshot; false when its end is not there.
    fn skip_snapshot(&mut self) -> io::Result<bool> {
        let mut checksum = 0;
        // The last nine bytes: the end's own, and the checksum of all before it.
        let mut last = [0_u8; 9];
        let mut before = [0_u64; 9];
        loop {
            let buffered = self.input.fill_buf()?;
            if buffered.is_empty() {
                self.damage = Some(Damage {
                    offset: self.offset,
                    is_cut: true,
                    in_snapshot: true,
                });
                return Ok(false);
            }
            let mut end = None;
            for (at, &byte) in buffered.iter().enumerate() {
                checksum = crc64(checksum, byte);
                last.rotate_left(1);
                before.rotate_left(1);
                (last[8], before[8]) = (byte, checksum);
                if last[0] == END_OF_SNAPSHOT {
                    let told = last[1..].iter().rev();
                    let told = told.fold(0, |sum, byte| sum << 8 | u64::from(*byte));
                    // A server that was told to write none writes 0.
                    if told == before[0] || told == 0 {
                        end = Some(at + 1);
                        break;
                    }
                }
            }
            let some = end.unwrap_or(buffered.len());
            self.consume(some);
            if end.is_some() && self.is_snapshot_over()? {
                return Ok(true);
            }
        }
    }

    /// True when commands or the end of the file may follow.
    fn is_snapshot_over(&mut self) -> io::Result<bool> {
        let rest = self.input.fill_buf()?;
        Ok(matches!(rest.first(), None | Some(b'*' | b'#')))
    }
}

/// One byte more in the checksum of a snapshot (CRC-64/REDIS: reflected, no final inversion).
fn crc64(sum: u64, byte: u8) -> u64 {
    CRC64[usize::from(sum.to_le_bytes()[0] ^ byte)] ^ (sum >> 8)
}

const CRC64: [u64; 256] = {
    // The polynomial of Jones, its bits in reverse.
    const POLYNOMIAL: u64 = 0x95ac_9329_ac4b_c9b5;
    let mut table = [0_u64; 256];
    let mut at = 0;
    while at < 256 {
        let mut sum = at as u64;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum & 1 == 1 {
                sum >> 1 ^ POLYNOMIAL
            } else {
                sum >> 1
            };
            bit += 1;
        }
        table[at] = sum;
        at += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FILE: &[u8] = b"#TS:1763794800\r\n*2\r\n$6\r\nSELECT\r\n$1\r\n3\r\n\
        *3\r\n$3\r\nSET\r\n$1\r\nk\r\n$7\r\na\r\n\0\xff*3\r\n";

    /// The records, whether there was a snapshot, and the damage.
    fn read(file: &[u8]) -> (Vec<Record>, bool, Option<Damage>) {
        let mut aof = Aof::new(file);
        let mut record = Record::default();
        let mut all = Vec::new();
        while aof.read(&mut record).unwrap() {
            all.push(record.clone());
        }
        (all, aof.skipped_snapshot(), aof.damage())
    }

    /// A snapshot with this in it, and its checksum.
    fn snapshot(inside: &[u8]) -> Vec<u8> {
        let mut bytes = b"REDIS0011".to_vec();
        bytes.extend_from_slice(inside);
        bytes.push(END_OF_SNAPSHOT);
        let sum = bytes.iter().fold(0, |sum, byte| crc64(sum, *byte));
        bytes.extend_from_slice(&sum.to_le_bytes());
        bytes
    }

    #[test]
    fn the_checksum_is_that_of_redis() {
        let sum = b"123456789".iter().fold(0, |sum, byte| crc64(sum, *byte));
        assert_eq!(sum, 0xe9c6_d914_c4b8_d9ca);
    }

    #[test]
    fn a_record_has_the_time_and_the_database_that_stand_before_it() {
        let (all, _, damage) = read(FILE);
        let last = all.last().unwrap();
        assert_eq!(last.at_us, Some(1_763_794_800_000_000));
        assert_eq!((last.db, &last.sender), (3, &Sender::Unknown));
        assert!(last.words(0).eq([&b"SET"[..], b"k", b"a\r\n\0\xff*3"]));
        assert_eq!((all.len(), damage), (2, None));
        let (all, ..) = read(&FILE[b"#TS:1763794800\r\n".len()..]);
        assert_eq!(all[1].at_us, None);
    }

    #[test]
    fn a_snapshot_before_the_commands_is_skipped_whatever_it_holds() {
        for inside in [&b""[..], b"\xff\xff12345678*3\r\n", FILE] {
            let (all, skipped, damage) = read(&[&snapshot(inside), FILE].concat());
            assert_eq!((all.len(), skipped, damage), (2, true, None));
            let (all, skipped, damage) = read(&snapshot(inside));
            assert_eq!((all.len(), skipped, damage), (0, true, None));
        }
        let without_sum = [b"REDIS0009\xfa\xff", &[0; 8][..], FILE].concat();
        assert_eq!(read(&without_sum).0.len(), 2);
        let cut = &snapshot(b"abc")[..12];
        let damage = read(cut).2.unwrap();
        assert_eq!((damage.offset, damage.is_cut), (12, true));
    }

    #[test]
    fn a_file_is_read_up_to_where_it_is_cut_or_wrong() {
        let first = FILE.windows(2).rposition(|two| two == b"*3").unwrap();
        let whole = FILE[..first - 9]
            .windows(2)
            .rposition(|two| two == b"*3")
            .unwrap();
        for end in whole + 1..FILE.len() {
            let (all, _, damage) = read(&FILE[..end]);
            let damage = damage.unwrap();
            assert_eq!((all.len(), damage.is_cut), (1, true), "{end}");
            assert_eq!(damage.offset, whole as u64);
        }
        let wrong = [FILE, b"garbage\r\n", FILE].concat();
        let (all, _, damage) = read(&wrong);
        let at = FILE.len() as u64;
        let is_wrong = Damage {
            offset: at,
            is_cut: false,
            in_snapshot: false,
        };
        assert_eq!((all.len(), damage), (2, Some(is_wrong)));
    }

    #[test]
    fn a_command_that_is_too_long_is_left_out_and_counted() {
        let long = vec![b'x'; LONGEST_RECORD + 1];
        let head = format!("*2\r\n$4\r\nECHO\r\n${}\r\n", long.len());
        let file = [FILE, head.as_bytes(), &long, b"\r\n", FILE].concat();
        let (all, _, damage) = read(&file);
        assert_eq!((all.len(), damage), (4, None));
        let mut aof = Aof::new(&file[..]);
        let mut record = Record::default();
        while aof.read(&mut record).unwrap() {}
        assert_eq!(aof.too_long(), 1);
    }

    #[test]
    fn a_manifest_names_its_parts_in_order() {
        let manifest = b"file a.2.incr.aof seq 2 type i startoffset 48\n\
            file a.1.incr.aof seq 1 type i\nfile a.9.base.rdb seq 9 type b\n\
            file a.0.incr.aof seq 0 type h\n";
        let files = |text: &[u8]| -> Option<Vec<String>> {
            Some(parts(text)?.into_iter().map(|part| part.file).collect())
        };
        let expected = ["a.9.base.rdb", "a.1.incr.aof", "a.2.incr.aof"];
        assert_eq!(files(manifest).unwrap(), expected);
        for none in [
            &b""[..],
            b"file a seq 1",
            b"*3\r\n",
            b"file ../a seq 1 type i",
            b"\xff",
        ] {
            assert_eq!(files(none), None);
        }
    }

    proptest! {
        #[test]
        fn no_bytes_panic(file: Vec<u8>, text in "([*$#][0-9]{0,19}|REDIS|\r\n|a){0,40}") {
            read(&file);
            read(text.as_bytes());
            let _ = parts(&file);
        }
    }
}
