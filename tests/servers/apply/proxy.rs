//! Something between a client and its server that loses what is sent, in either direction.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixListener;
use tokio::net::UnixStream;
use tokio::sync::watch;

/// What is lost.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Lost {
    Nothing = 0,
    /// Scripts do not reach the server.
    Requests = 1,
    /// Scripts reach it; their answers do not come back.
    Answers = 2,
}

/// Listens on a socket of its own.
pub(crate) struct Proxy {
    pub(crate) path: PathBuf,
    state: Arc<State>,
}

struct State {
    lost: AtomicU8,
    scripts: AtomicUsize,
    /// Changes when all connections of now are to break, also those that are busy just then.
    cut: watch::Sender<()>,
}

impl Proxy {
    pub(crate) fn before(server: &Path, dir: &Path) -> Self {
        let path = dir.join("p");
        let listener = UnixListener::bind(&path).unwrap();
        let state = Arc::new(State {
            lost: AtomicU8::new(0),
            scripts: AtomicUsize::new(0),
            cut: watch::Sender::new(()),
        });
        let (server, shared) = (server.to_owned(), Arc::clone(&state));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = UnixStream::connect(&server).await.unwrap();
                let cut = shared.cut.subscribe();
                tokio::spawn(between(client, server, Arc::clone(&shared), cut));
            }
        });
        Self { path, state }
    }

    /// From now on this is lost.
    pub(crate) fn lose(&self, lost: Lost) {
        self.state.lost.store(lost as u8, Ordering::SeqCst);
    }

    /// How many scripts were sent while something was lost.
    pub(crate) fn scripts(&self) -> usize {
        self.state.scripts.load(Ordering::SeqCst)
    }

    /// Breaks all connections, and loses nothing any more.
    pub(crate) fn cut(&self) {
        self.lose(Lost::Nothing);
        self.state.cut.send_replace(());
    }
}

async fn between(
    client: UnixStream,
    server: UnixStream,
    state: Arc<State>,
    mut cut: watch::Receiver<()>,
) {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let mut lossy = false;
    let (mut request, mut answer) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        tokio::select! {
            _ = cut.changed() => return,
            read = from_client.read(&mut request) => {
                let Ok(n @ 1..) = read else { return };
                let sent = &request[..n];
                let lost = state.lost.load(Ordering::SeqCst);
                if lost > 0 && sent.windows(4).any(|word| word == b"EVAL") {
                    state.scripts.fetch_add(1, Ordering::SeqCst);
                    lossy = true;
                }
                if !(lossy && lost == Lost::Requests as u8) {
                    to_server.write_all(sent).await.unwrap();
                }
            }
            read = from_server.read(&mut answer) => {
                let Ok(n @ 1..) = read else { return };
                if !lossy {
                    let _ = to_client.write_all(&answer[..n]).await;
                }
            }
        }
    }
}
