//! Something that leads new connections to the master of now and leaves the others where they are, as
//! proxies do.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{UnixListener, UnixStream};

use crate::sentinel::AT_ONCE;
use crate::support::{Server, room};

/// The way to the master of now.
pub(crate) struct Gate {
    pub(crate) path: PathBuf,
    leads_to: Arc<Mutex<PathBuf>>,
    awaited: Arc<Mutex<Option<AwaitedScript>>>,
    _dir: tempfile::TempDir,
}

/// What happens before a script passes.
struct AwaitedScript {
    /// The number of scripts that pass before it.
    before: usize,
    happens: Box<dyn FnOnce() + Send>,
}

impl Gate {
    pub(crate) fn to(server: &Server) -> Self {
        let dir = room();
        let path = dir.path().join("gate");
        let listener = UnixListener::bind(&path).unwrap();
        let leads_to = Arc::new(Mutex::new(server.socket()));
        let to = Arc::clone(&leads_to);
        let awaited = Arc::<Mutex<Option<AwaitedScript>>>::default();
        let passing = Arc::clone(&awaited);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let to = to.lock().unwrap().clone();
                let passing = Arc::clone(&passing);
                tokio::spawn(async move {
                    // A server that is down closes the way to it.
                    if let Ok(server) = UnixStream::connect(to).await {
                        pass(client, server, &passing).await;
                    }
                });
            }
        });
        Self {
            path,
            leads_to,
            awaited,
            _dir: dir,
        }
    }

    /// This happens once so many more scripts have passed, before the next one does.
    pub(crate) fn after_scripts(&self, before: usize, happens: impl FnOnce() + Send + 'static) {
        let happens = Box::new(happens);
        *self.awaited.lock().unwrap() = Some(AwaitedScript { before, happens });
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

/// Passes everything on, both ways, until either side ends.
async fn pass(client: UnixStream, server: UnixStream, awaited: &Mutex<Option<AwaitedScript>>) {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let there = async {
        let mut bytes = vec![0; 1 << 16];
        while let Ok(n @ 1..) = from_client.read(&mut bytes).await {
            if bytes[..n].windows(7).any(|word| word == b"EVALSHA") {
                comes(awaited);
            }
            if to_server.write_all(&bytes[..n]).await.is_err() {
                return;
            }
        }
    };
    let back = tokio::io::copy(&mut from_server, &mut to_client);
    tokio::select! {
        () = there => {}
        _ = back => {}
    }
}

/// A script comes: what was to happen before it happens.
fn comes(awaited: &Mutex<Option<AwaitedScript>>) {
    let mut awaited = awaited.lock().unwrap();
    if let Some(script) = awaited.take_if(|script| script.before == 0) {
        (script.happens)();
    } else if let Some(script) = awaited.as_mut() {
        script.before -= 1;
    }
}
