//! Something that leads new connections to the master of now and leaves the others where they are, as
//! proxies do.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use tokio::net::{UnixListener, UnixStream};

use crate::sentinel::AT_ONCE;
use crate::support::{Server, room};

/// The way to the master of now.
pub(crate) struct Gate {
    pub(crate) path: PathBuf,
    leads_to: Arc<Mutex<PathBuf>>,
    _dir: tempfile::TempDir,
}

impl Gate {
    pub(crate) fn to(server: &Server) -> Self {
        let dir = room();
        let path = dir.path().join("gate");
        let listener = UnixListener::bind(&path).unwrap();
        let leads_to = Arc::new(Mutex::new(server.socket()));
        let to = Arc::clone(&leads_to);
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let to = to.lock().unwrap().clone();
                tokio::spawn(async move {
                    // A server that is down closes the way to it.
                    if let Ok(mut server) = UnixStream::connect(to).await {
                        let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
                    }
                });
            }
        });
        Self {
            path,
            leads_to,
            _dir: dir,
        }
    }

    pub(crate) fn lead_to(&self, server: &Server) {
        *self.leads_to.lock().unwrap() = server.socket();
    }
}

/// A replica of that master.
pub(crate) fn replica_of(master: &Server) -> Server {
    let port = master.port().to_string();
    Server::start_tcp(&[&AT_ONCE[..], &["--replicaof", "127.0.0.1", &port]].concat())
}
