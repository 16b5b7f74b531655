//! The names that clients give their connections, by their addresses.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::figures::host;
use super::record::Record;
use super::target::is_one_client;

/// Connections whose names are kept at most.
const MOST_NAMES: usize = 10_000;
/// Bytes of a name that is kept at most.
const LONGEST_NAME: usize = 200;

/// The names of connections.
#[derive(Clone, Debug, Default)]
pub struct ClientNames {
    all: HashMap<Box<[u8]>, ConnectionName>,
}

/// The name of a connection.
#[derive(Clone, Debug)]
struct ConnectionName {
    name: Arc<[u8]>,
    /// Connections of other names had this address before.
    is_reused: bool,
}

impl ClientNames {
    /// The connection at this address has this name. An empty one takes its name away.
    pub fn set(&mut self, address: &[u8], name: &[u8]) {
        // All clients of a unix socket have one address.
        if !is_one_client(address) || name.len() > LONGEST_NAME {
            return;
        }
        if name.is_empty() {
            self.all.remove(address);
            return;
        }
        if let Some(known) = self.all.get_mut(address) {
            if *known.name != *name {
                (known.name, known.is_reused) = (name.into(), true);
            }
        } else if self.all.len() < MOST_NAMES {
            let name = ConnectionName {
                name: name.into(),
                is_reused: false,
            };
            self.all.insert(address.into(), name);
        }
    }

    /// Reads a name off a command that gives one: `CLIENT SETNAME`, or a part of `HELLO`.
    pub(super) fn read(&mut self, address: &[u8], record: &Record) {
        let is = |at: usize, word: &str| {
            record
                .word(at)
                .is_some_and(|its| its.eq_ignore_ascii_case(word.as_bytes()))
        };
        if record.is("client") && is(1, "setname") {
            if let Some(name) = record.word(2) {
                self.set(address, name);
            }
        } else if record.is("hello")
            && let Some(at) = (2..record.len()).find(|at| is(*at, "setname"))
            && let Some(name) = record.word(at + 1)
        {
            self.set(address, name);
        }
    }

    /// The name that the connection at this address has now.
    #[must_use]
    pub fn now(&self, address: &[u8]) -> Option<&[u8]> {
        self.all.get(address).map(|known| &*known.name)
    }

    /// The name that every connection at this address has had; none where there were several.
    #[must_use]
    pub fn always(&self, address: &[u8]) -> Option<&[u8]> {
        let known = self.all.get(address).filter(|known| !known.is_reused);
        known.map(|known| &*known.name)
    }

    /// The names of the connections from this host.
    #[must_use]
    pub fn of_host(&self, of: &[u8]) -> BTreeSet<&[u8]> {
        let its = self.all.iter().filter(|(address, _)| host(address) == of);
        its.map(|(_, known)| &*known.name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(names: &mut ClientNames, address: &str, words: &str) {
        let mut record = Record::default();
        for word in words.split(' ') {
            record.push(word.as_bytes());
            record.end_word();
        }
        names.read(address.as_bytes(), &record);
    }

    #[test]
    fn a_connection_has_the_name_that_it_gives_itself() {
        let mut names = ClientNames::default();
        read(&mut names, "10.0.0.1:5", "client setname mail-1");
        read(
            &mut names,
            "10.0.0.1:6",
            "HELLO 3 AUTH me secret SETNAME mail-2",
        );
        read(&mut names, "10.0.0.1:7", "CLIENT SETINFO LIB-NAME setname");
        read(&mut names, "unix:/s", "CLIENT SETNAME mail-3");
        assert_eq!(names.now(b"10.0.0.1:5"), Some(&b"mail-1"[..]));
        assert_eq!(names.always(b"10.0.0.1:6"), Some(&b"mail-2"[..]));
        assert_eq!(
            (names.now(b"10.0.0.1:7"), names.now(b"unix:/s")),
            (None, None)
        );
        assert_eq!(names.of_host(b"10.0.0.1").len(), 2);
        // Another connection comes from the same port.
        read(&mut names, "10.0.0.1:5", "CLIENT SETNAME shop");
        assert_eq!(names.now(b"10.0.0.1:5"), Some(&b"shop"[..]));
        assert_eq!(names.always(b"10.0.0.1:5"), None);
        read(&mut names, "10.0.0.1:6", "CLIENT SETNAME ");
        assert_eq!(names.now(b"10.0.0.1:6"), None);
    }

    #[test]
    fn a_bounded_number_of_names_is_kept() {
        let mut names = ClientNames::default();
        for port in 0..MOST_NAMES + 5 {
            names.set(format!("a:{port}").as_bytes(), b"x");
        }
        names.set(b"b:1", &[b'x'; LONGEST_NAME + 1]);
        assert_eq!(names.all.len(), MOST_NAMES);
    }
}
