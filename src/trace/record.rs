//! One command of a log.

/// Bytes of a record at most; a longer one is left out and counted.
pub const LONGEST_RECORD: usize = 8 << 20;

/// A command, and what the log says beside it. One is filled again and again: a log has millions.
#[derive(Debug, Default, Eq, PartialEq)]
pub struct Record {
    /// The time at which the server ran it, in µs since the epoch; none where the log has no times.
    pub at_us: Option<i64>,
    /// The precision of that time.
    pub precision: Precision,
    /// The database that it was sent to.
    pub db: u32,
    /// The sender.
    pub sender: Sender,
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

/// The precision of the times of a log, which are those of its records or earlier.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub enum Precision {
    /// A microsecond: `MONITOR`.
    #[default]
    Micro,
    /// A second: an append-only file.
    Second,
}

impl Precision {
    /// The most that a time may be later than it is told, in µs.
    #[must_use]
    pub const fn error_us(self) -> i64 {
        match self {
            Self::Micro => 0,
            Self::Second => 1_000_000,
        }
    }
}

/// The sender of a command.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub enum Sender {
    /// The log does not say: an append-only file.
    #[default]
    Unknown,
    /// A client at this address: `10.0.3.7:51342`, `unix:/run/redis.sock`.
    Client(Vec<u8>),
    /// The script that the command before it has started.
    Script,
}

impl Clone for Record {
    fn clone(&self) -> Self {
        let mut new = Self::default();
        new.clone_from(self);
        new
    }

    /// Becomes the other one in the room that it has.
    fn clone_from(&mut self, other: &Self) {
        (self.at_us, self.db) = (other.at_us, other.db);
        self.precision = other.precision;
        match &other.sender {
            Sender::Client(address) => self.set_client(address),
            Sender::Unknown => self.sender = Sender::Unknown,
            Sender::Script => self.sender = Sender::Script,
        }
        self.bytes.clone_from(&other.bytes);
        self.ends.clone_from(&other.ends);
    }
}

impl Record {
    /// Makes it one of the client at this address.
    pub fn set_client(&mut self, address: &[u8]) {
        match &mut self.sender {
            Sender::Client(room) => {
                room.clear();
                room.extend_from_slice(address);
            }
            other => *other = Sender::Client(address.to_vec()),
        }
    }

    /// Makes it a record without words.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Appends to the word that is being read.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Ends the word that is being read.
    pub fn end_word(&mut self) {
        self.ends.push(self.bytes.len());
    }

    /// Bytes of all its words.
    #[must_use]
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// The number of its words, its name among them.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True of a record without words, and so without a name.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The word at this place; 0 is the command's name.
    #[must_use]
    pub fn word(&self, at: usize) -> Option<&[u8]> {
        let end = *self.ends.get(at)?;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        Some(&self.bytes[start..end])
    }

    /// The words from this place on.
    pub fn words(&self, from: usize) -> impl Iterator<Item = &[u8]> {
        (from..self.len()).filter_map(|at| self.word(at))
    }

    /// True of a command of this name, in upper or lower case.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        self.word(0)
            .is_some_and(|word| word.eq_ignore_ascii_case(name.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_its_words_and_can_be_filled_again() {
        let mut record = Record::default();
        for words in [["zadd", "k", ""], ["DEL", "", "key"]] {
            record.clear();
            for word in words {
                record.push(word.as_bytes());
                record.end_word();
            }
            assert!(record.words(0).eq(words.iter().map(|word| word.as_bytes())));
        }
        assert!(record.is("del") && !record.is("zadd"));
        assert_eq!((record.len(), record.word(3)), (3, None));
    }
}
