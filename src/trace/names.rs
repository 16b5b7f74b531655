//! The names that clients give their connections, and the libraries that they say they use, by their
//! addresses.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::figures::host;
use super::record::Record;
use super::target::is_one_client;
use crate::queue::look::Client;

/// Connections whose names are kept at most.
const MOST_NAMES: usize = 10_000;
/// Bytes of a name that is kept at most.
const LONGEST_NAME: usize = 200;

/// The names of connections.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClientNames {
    all: HashMap<Box<[u8]>, ConnectionName>,
}

/// The words of a connection about itself; those that it has not said are empty.
#[derive(Clone, Debug, Default, PartialEq)]
struct ConnectionName {
    name: Arc<[u8]>,
    library: Arc<[u8]>,
    version: Arc<[u8]>,
    /// Connections of other names had this address before.
    is_reused: bool,
}

/// The kinds of words that a connection says of itself.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum OwnWord {
    Name,
    Library,
    Version,
}

impl ClientNames {
    /// The connection at this address has this name. An empty one takes its name away.
    pub fn set(&mut self, address: &[u8], name: &[u8]) {
        self.says(address, OwnWord::Name, name);
    }

    /// A connection of CLIENT LIST, with its name and its library.
    pub fn know(&mut self, client: &Client) {
        let address = client.addr.as_bytes();
        for (word, text) in [
            (OwnWord::Name, &client.name),
            (OwnWord::Library, &client.lib_name),
            (OwnWord::Version, &client.lib_version),
        ] {
            if !text.is_empty() {
                self.says(address, word, text.as_bytes());
            }
        }
    }

    fn says(&mut self, address: &[u8], word: OwnWord, text: &[u8]) {
        // All clients of a unix socket have one address.
        if !is_one_client(address) || text.len() > LONGEST_NAME {
            return;
        }
        if !self.all.contains_key(address) {
            if text.is_empty() || self.all.len() >= MOST_NAMES {
                return;
            }
            self.all.insert(address.into(), ConnectionName::default());
        }
        let Some(known) = self.all.get_mut(address) else {
            return;
        };
        let its = match word {
            OwnWord::Name => &mut known.name,
            OwnWord::Library => &mut known.library,
            OwnWord::Version => &mut known.version,
        };
        if **its != *text {
            known.is_reused |= !its.is_empty() && !text.is_empty();
            *its = text.into();
        }
        if known.is_empty() {
            self.all.remove(address);
        }
    }

    /// Reads what a connection says of itself off a command: `CLIENT SETNAME`, `CLIENT SETINFO`, or a
    /// part of `HELLO`.
    pub(super) fn read(&mut self, address: &[u8], record: &Record) {
        let is = |at: usize, word: &str| {
            record
                .word(at)
                .is_some_and(|its| its.eq_ignore_ascii_case(word.as_bytes()))
        };
        let said = if record.is("client") && is(1, "setname") {
            Some((OwnWord::Name, 2))
        } else if record.is("client") && is(1, "setinfo") && is(2, "lib-name") {
            Some((OwnWord::Library, 3))
        } else if record.is("client") && is(1, "setinfo") && is(2, "lib-ver") {
            Some((OwnWord::Version, 3))
        } else if record.is("hello") {
            let at = (2..record.len()).find(|at| is(*at, "setname"));
            at.map(|at| (OwnWord::Name, at + 1))
        } else {
            None
        };
        if let Some((word, at)) = said
            && let Some(text) = record.word(at)
        {
            self.says(address, word, text);
        }
    }

    /// The part of them that is about these addresses.
    #[must_use]
    pub fn of<'a>(&self, addresses: impl Iterator<Item = &'a [u8]>) -> Self {
        let known = addresses.filter_map(|of| Some((of.into(), self.all.get(of)?.clone())));
        Self {
            all: known.collect(),
        }
    }

    /// Takes over what the other ones tell.
    pub fn extend(&mut self, others: Self) {
        for (address, known) in others.all {
            if self.all.len() < MOST_NAMES || self.all.contains_key(&address) {
                self.all.insert(address, known);
            }
        }
    }

    /// The name that the connection at this address has now.
    #[must_use]
    pub fn now(&self, address: &[u8]) -> Option<&[u8]> {
        let known = self.all.get(address)?;
        (!known.name.is_empty()).then_some(&*known.name)
    }

    /// The name that every connection at this address has had; none where there were several.
    #[must_use]
    pub fn always(&self, address: &[u8]) -> Option<&[u8]> {
        let name = self.now(address)?;
        (!self.all.get(address)?.is_reused).then_some(name)
    }

    /// The library of the connection at this address, with its version: `redisson 3.52.0`.
    #[must_use]
    pub fn library(&self, address: &[u8]) -> Option<Vec<u8>> {
        self.all.get(address)?.library()
    }

    /// The same of every connection that has had this address; none where there were several.
    #[must_use]
    pub fn only_library(&self, address: &[u8]) -> Option<Vec<u8>> {
        let known = self.all.get(address).filter(|known| !known.is_reused);
        known?.library()
    }

    /// True when nothing is known of an address that one connection has alone.
    #[must_use]
    pub fn lacks(&self, address: &[u8]) -> bool {
        is_one_client(address) && !self.all.contains_key(address)
    }

    /// The names of the connections from this host.
    #[must_use]
    pub fn of_host(&self, of: &[u8]) -> BTreeSet<&[u8]> {
        let names = self.at_host(of).map(|known| &*known.name);
        names.filter(|name| !name.is_empty()).collect()
    }

    /// The libraries of the connections from this host.
    #[must_use]
    pub fn libraries_of_host(&self, of: &[u8]) -> BTreeSet<Vec<u8>> {
        self.at_host(of)
            .filter_map(ConnectionName::library)
            .collect()
    }

    fn at_host(&self, of: &[u8]) -> impl Iterator<Item = &ConnectionName> {
        let its = self.all.iter().filter(move |(at, _)| host(at) == of);
        its.map(|(_, known)| known)
    }
}

impl ConnectionName {
    fn is_empty(&self) -> bool {
        self.name.is_empty() && self.library.is_empty() && self.version.is_empty()
    }

    /// `redisson 3.52.0`
    fn library(&self) -> Option<Vec<u8>> {
        if self.library.is_empty() {
            return None;
        }
        let both = [&*self.library, &*self.version].join(&b' ');
        Some(both.trim_ascii_end().to_vec())
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
    fn a_connection_has_the_library_that_it_tells_or_that_client_list_has() {
        let mut names = ClientNames::default();
        read(&mut names, "10.0.0.1:5", "CLIENT SETINFO LIB-NAME redisson");
        assert_eq!(names.library(b"10.0.0.1:5").unwrap(), b"redisson");
        read(&mut names, "10.0.0.1:5", "client setinfo lib-ver 3.52.0");
        assert_eq!(names.library(b"10.0.0.1:5").unwrap(), b"redisson 3.52.0");
        assert_eq!(names.now(b"10.0.0.1:5"), None);
        names.know(&Client {
            addr: "10.0.0.1:6".into(),
            name: "mail-1".into(),
            lib_name: "jedis".into(),
            ..Client::default()
        });
        assert_eq!(names.always(b"10.0.0.1:6"), Some(&b"mail-1"[..]));
        let libraries: Vec<_> = names.libraries_of_host(b"10.0.0.1").into_iter().collect();
        assert_eq!(libraries, [&b"jedis"[..], b"redisson 3.52.0"]);
        // Another connection comes from the same port, and tells another one.
        read(&mut names, "10.0.0.1:6", "CLIENT SETINFO LIB-NAME lettuce");
        assert_eq!(names.only_library(b"10.0.0.1:6"), None);
        assert!(names.lacks(b"10.0.0.1:7") && !names.lacks(b"unix:/s"));
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
