//! A log of either kind, told apart by how it begins.

use std::io::{self, BufRead};

use super::aof::{self, Aof, Damage};
use super::monitor::Monitor;
use super::record::Record;

/// A log that is read record by record.
pub enum Log<R> {
    /// The output of `MONITOR`.
    Monitor(Monitor<R>),
    /// An append-only file, or a part of one.
    Aof(Aof<R>),
}

impl<R: BufRead> Log<R> {
    /// The log that is read there.
    pub fn new(mut input: R) -> io::Result<Self> {
        Ok(if aof::is_one(input.fill_buf()?) {
            Self::Aof(Aof::new(input))
        } else {
            Self::Monitor(Monitor::new(input)?)
        })
    }

    /// Reads the next record; false at the end.
    pub fn read(&mut self, record: &mut Record) -> io::Result<bool> {
        match self {
            Self::Monitor(monitor) => monitor.read(record),
            Self::Aof(aof) => aof.read(record),
        }
    }

    /// Records that were left out, since they are not whole.
    #[must_use]
    pub fn unreadable(&self) -> u64 {
        match self {
            Self::Monitor(monitor) => monitor.unreadable(),
            Self::Aof(_) => 0,
        }
    }

    /// Records that were left out, since they are longer than one may be.
    #[must_use]
    pub fn too_long(&self) -> u64 {
        match self {
            Self::Monitor(monitor) => monitor.too_long(),
            Self::Aof(aof) => aof.too_long(),
        }
    }

    /// Lines that were joined to the one before them, since a terminal had broken the record there.
    #[must_use]
    pub fn joined(&self) -> u64 {
        match self {
            Self::Monitor(monitor) => monitor.joined(),
            Self::Aof(_) => 0,
        }
    }

    /// True when a snapshot stands before its commands.
    #[must_use]
    pub fn skipped_snapshot(&self) -> bool {
        match self {
            Self::Monitor(_) => false,
            Self::Aof(aof) => aof.skipped_snapshot(),
        }
    }

    /// The place from which on it could not be read; none: it was read to its end.
    #[must_use]
    pub fn damage(&self) -> Option<Damage> {
        match self {
            Self::Monitor(_) => None,
            Self::Aof(aof) => aof.damage(),
        }
    }
}
