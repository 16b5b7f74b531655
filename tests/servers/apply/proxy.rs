//! Something between a client and its server that loses what is sent, in either direction.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixListener;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::watch;

/// What is lost.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Lost {
    Nothing = 0,
    /// Scripts do not reach the server.
    Requests = 1,
    /// Scripts reach it; their answers do not come back.
    Answers = 2,
    /// The connection that watches breaks for the client, and what it sent reaches the server later:
    /// once that has counted what is due, before the client hears of it.
    Late = 3,
}

/// Listens on a socket of its own.
pub(crate) struct Proxy {
    pub(crate) path: PathBuf,
    state: Arc<State>,
}

struct State {
    lost: AtomicU8,
    scripts: AtomicUsize,
    /// What comes late, and where to.
    late: Mutex<Option<(Vec<u8>, OwnedReadHalf, OwnedWriteHalf)>>,
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
            late: Mutex::new(None),
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
        self.state.lose(lost);
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

impl State {
    fn lose(&self, lost: Lost) {
        self.lost.store(lost as u8, Ordering::SeqCst);
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
    let (mut lossy, mut watches, mut counts) = (false, false, false);
    let (mut request, mut answer) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        tokio::select! {
            _ = cut.changed() => return,
            read = from_client.read(&mut request) => {
                let Ok(n @ 1..) = read else { return };
                let sent = &request[..n];
                let lost = state.lost.load(Ordering::SeqCst);
                let is_meant = watches || lost != Lost::Late as u8;
                if lost > 0 && is_meant && sent.windows(4).any(|word| word == b"EVAL") {
                    state.scripts.fetch_add(1, Ordering::SeqCst);
                    lossy = true;
                }
                if lossy && lost == Lost::Late as u8 {
                    let mut late = sent.to_vec();
                    while !late.ends_with(b"MULTI\r\n") {
                        let Ok(n @ 1..) = from_client.read(&mut request).await else { return };
                        late.extend_from_slice(&request[..n]);
                    }
                    state.lose(Lost::Nothing);
                    *state.late.lock().unwrap() = Some((late, from_server, to_server));
                    return;
                }
                watches |= sent.windows(5).any(|word| word == b"WATCH");
                counts = sent.windows(6).any(|word| word == b"ZCOUNT");
                if !(lossy && lost == Lost::Requests as u8) {
                    to_server.write_all(sent).await.unwrap();
                }
            }
            read = from_server.read(&mut answer) => {
                let Ok(n @ 1..) = read else { return };
                let late = state.late.lock().unwrap().take_if(|_| counts);
                if let Some((late, mut from, mut to)) = late {
                    to.write_all(&late).await.unwrap();
                    assert_ne!(from.read(&mut request).await.unwrap(), 0);
                }
                if !lossy {
                    let _ = to_client.write_all(&answer[..n]).await;
                }
            }
        }
    }
}
