//! Memory of the queues that were seen on each server last time, so that they are on the screen at
//! once.
//!
//! A file of the user's own (mode 0600), by address and database, without any credentials. It is
//! only a hint: a missing or broken file is an empty one, and what cannot be written is not.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::state_file::StateFile;
use crate::clock::local_now;
use crate::queue::{Endpoint, QueueName};

/// Servers that are remembered at most; the ones longest not seen go first.
const SERVERS: usize = 50;
/// Queues of a server that are remembered at most.
const QUEUES: usize = 1_000;

/// The place where the queues of servers are remembered.
#[derive(Clone, Debug)]
pub struct Memory {
    file: StateFile,
}

#[derive(Debug, Default, Deserialize, Serialize)]
struct Servers {
    servers: Vec<Server>,
}

#[derive(Debug, Deserialize, Serialize)]
struct Server {
    address: String,
    db: i64,
    seen_ms: i64,
    queues: Vec<Name>,
}

/// A queue's name: as text when it is text, else its bytes as hex.
#[derive(Debug, Deserialize, Serialize)]
#[serde(untagged)]
enum Name {
    Text(String),
    Bytes { hex: String },
}

impl Memory {
    /// The user's own: `delayscope/servers.json` in `$XDG_STATE_HOME`.
    #[must_use]
    pub fn of_user() -> Self {
        Self {
            file: StateFile::of_user("servers.json"),
        }
    }

    /// Makes the memory that is kept in `file`.
    #[must_use]
    pub fn at(file: &Path) -> Self {
        Self {
            file: StateFile::at(file),
        }
    }

    /// Remembers nothing.
    #[must_use]
    pub const fn none() -> Self {
        Self {
            file: StateFile::none(),
        }
    }

    /// The queues seen last time on this server and database.
    #[must_use]
    pub fn recall(&self, endpoint: &Endpoint) -> Vec<QueueName> {
        let address = endpoint.address.to_string();
        let servers = self.read().servers;
        let server = servers
            .into_iter()
            .find(|server| server.address == address && server.db == endpoint.db);
        let names = server.map(|server| server.queues).unwrap_or_default();
        names.into_iter().filter_map(Name::bytes).collect()
    }

    /// The queues seen last time on any server, each once.
    #[must_use]
    pub fn all(&self) -> Vec<QueueName> {
        let servers = self.read().servers;
        let names = servers.into_iter().flat_map(|server| server.queues);
        let mut all: Vec<QueueName> = names.filter_map(Name::bytes).collect();
        all.sort();
        all.dedup();
        all
    }

    /// Remembers `queues` as those of this server, instead of what was remembered before.
    pub fn keep(&self, endpoint: &Endpoint, mut queues: Vec<QueueName>) {
        queues.sort();
        queues.dedup();
        queues.truncate(QUEUES);
        let address = endpoint.address.to_string();
        let mut all = self.read();
        all.servers
            .retain(|server| server.address != address || server.db != endpoint.db);
        if !queues.is_empty() {
            let server = Server {
                address,
                db: endpoint.db,
                seen_ms: local_now().get(),
                queues: queues.iter().map(Name::of).collect(),
            };
            all.servers.insert(0, server);
        }
        all.servers.sort_by_key(|server| -server.seen_ms);
        all.servers.truncate(SERVERS);
        self.file.write(&all);
    }

    fn read(&self) -> Servers {
        self.file.read()
    }
}

impl Name {
    fn of(name: &QueueName) -> Self {
        match std::str::from_utf8(name.as_bytes()) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Bytes {
                hex: hex::encode(name.as_bytes()),
            },
        }
    }

    fn bytes(self) -> Option<QueueName> {
        match self {
            Self::Text(text) => Some(QueueName::new(text)),
            Self::Bytes { hex } => hex::decode(hex).ok().map(QueueName::new),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::queue::Address;
    use crate::queue::via::Via;

    fn endpoint(port: u16, db: i64) -> Endpoint {
        Endpoint {
            address: Address::Tcp("redis.example".to_owned(), port),
            db,
            user: Some("somebody".to_owned()),
            password: Some("sesame".to_owned()),
            tls: None,
            via: Via::default(),
            profile: None,
        }
    }

    #[test]
    fn queues_are_remembered_by_address_and_database_in_a_private_file() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("delayscope/servers.json");
        let memory = Memory::at(&file);
        let names = vec![QueueName::from("orders"), QueueName::new(b"\xff{".to_vec())];
        memory.keep(&endpoint(1, 0), names.clone());
        memory.keep(&endpoint(1, 1), vec![QueueName::from("other")]);
        assert_eq!(memory.recall(&endpoint(1, 0)), names);
        assert_eq!(memory.recall(&endpoint(2, 0)), []);
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let text = fs::read_to_string(&file).unwrap();
        assert!(!text.contains("sesame") && !text.contains("somebody"));
        assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1);
        memory.keep(&endpoint(1, 0), Vec::new());
        assert_eq!(memory.recall(&endpoint(1, 0)), []);
    }

    #[test]
    fn a_broken_file_is_an_empty_one_and_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("servers.json");
        for broken in ["", "{\"servers\": [{\"address\"", "[]", "\u{0}"] {
            fs::write(&file, broken).unwrap();
            let memory = Memory::at(&file);
            assert_eq!(memory.recall(&endpoint(1, 0)), []);
            memory.keep(&endpoint(1, 0), vec![QueueName::from("orders")]);
            assert_eq!(memory.recall(&endpoint(1, 0)).len(), 1);
        }
    }

    #[test]
    fn no_more_servers_are_kept_than_fifty() {
        let dir = tempfile::tempdir().unwrap();
        let memory = Memory::at(&dir.path().join("servers.json"));
        for port in 1..60 {
            memory.keep(&endpoint(port, 0), vec![QueueName::from("orders")]);
        }
        assert_eq!(memory.read().servers.len(), SERVERS);
    }
}
