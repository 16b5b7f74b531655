//! A server that has a trouble at an exact moment: busy with somebody's script, full, forgetful.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::resp::whole;
use crate::support::{room, wait_for};

/// A script that runs until it is killed.
const ENDLESS: &[u8] = b"EVAL \"while true do end\" 0\r\n";

/// The trouble that a server has.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Trouble {
    /// Another client's script keeps it while that request is answered.
    Busy,
    /// The same, and on until it is let go.
    Stuck,
    /// It takes no more memory, from that request on.
    Full,
    /// It forgets all scripts, before that request and before each one after it.
    Forgets,
}

/// Stands before a server, and makes trouble when one request comes.
pub struct Busy {
    dir: tempfile::TempDir,
    shared: Arc<Shared>,
}

struct Shared {
    server: PathBuf,
    trouble: Trouble,
    /// Requests since it was armed.
    passed: Mutex<usize>,
    /// Which of them, from 0, meets the trouble.
    at: AtomicUsize,
    /// The script that keeps it until it is let go.
    stuck: Mutex<Option<Script>>,
}

impl Busy {
    /// Before the server that listens on that socket, which must say early that it is busy.
    pub fn before(server: &Path, trouble: Trouble) -> Self {
        let dir = room();
        let listener = UnixListener::bind(dir.path().join("p")).unwrap();
        let shared = Arc::new(Shared {
            server: server.to_owned(),
            trouble,
            passed: Mutex::new(0),
            at: AtomicUsize::new(usize::MAX),
            stuck: Mutex::default(),
        });
        let serving = Arc::clone(&shared);
        thread::spawn(move || {
            for client in listener.incoming() {
                let serving = Arc::clone(&serving);
                thread::spawn(move || serving.serve(client.unwrap()));
            }
        });
        Self { dir, shared }
    }

    /// Where it listens.
    pub fn socket(&self) -> PathBuf {
        self.dir.path().join("p")
    }

    /// From now on it counts requests, and this one of them meets the trouble.
    pub fn arm(&self, at: usize) {
        *self.shared.passed.lock().unwrap() = 0;
        self.shared.at.store(at, Ordering::SeqCst);
    }

    /// Ends the script that keeps the server.
    pub fn let_go(&self) {
        let script = self.shared.stuck.lock().unwrap().take();
        script.unwrap().end(&self.shared.server);
    }

    /// How many requests have passed since.
    pub fn passed(&self) -> usize {
        *self.shared.passed.lock().unwrap()
    }
}

impl Shared {
    /// Passes one request after the other, each when the one before is answered.
    fn serve(&self, mut client: UnixStream) -> Option<()> {
        let mut server = UnixStream::connect(&self.server).ok()?;
        let (mut asked, mut answered) = (Vec::new(), Vec::new());
        loop {
            let request = next(&mut client, &mut asked)?;
            let mut passed = self.passed.lock().unwrap();
            let at = self.at.load(Ordering::SeqCst);
            let script = match self.trouble {
                Trouble::Busy if *passed == at => Some(Script::begin(&self.server)),
                Trouble::Stuck if *passed == at => {
                    let script = Script::begin(&self.server);
                    *self.stuck.lock().unwrap() = Some(script);
                    None
                }
                Trouble::Full if *passed == at => {
                    ask(&self.server, b"CONFIG SET maxmemory 1\r\n");
                    None
                }
                Trouble::Forgets if *passed >= at => {
                    ask(&self.server, b"SCRIPT FLUSH\r\n");
                    None
                }
                _ => None,
            };
            *passed += 1;
            server.write_all(&request).ok()?;
            let answer = next(&mut server, &mut answered)?;
            if let Some(script) = script {
                script.end(&self.server);
            }
            drop(passed);
            client.write_all(&answer).ok()?;
        }
    }
}

/// Another client's script.
struct Script(UnixStream);

impl Script {
    /// Begins, and keeps the server.
    fn begin(server: &Path) -> Self {
        let mut client = UnixStream::connect(server).unwrap();
        client.write_all(ENDLESS).unwrap();
        wait_for("the server to be busy", || {
            ask(server, b"TIME\r\n").starts_with(b"-BUSY")
        });
        Self(client)
    }

    /// Ends.
    fn end(mut self, server: &Path) {
        ask(server, b"SCRIPT KILL\r\n");
        next(&mut self.0, &mut Vec::new());
    }
}

fn ask(server: &Path, request: &[u8]) -> Vec<u8> {
    let mut client = UnixStream::connect(server).unwrap();
    client.write_all(request).unwrap();
    next(&mut client, &mut Vec::new()).unwrap()
}

/// The next value that comes.
fn next(stream: &mut UnixStream, unread: &mut Vec<u8>) -> Option<Vec<u8>> {
    let mut some = vec![0; 65_536];
    loop {
        if let Some(length) = whole(unread) {
            return Some(unread.drain(..length).collect());
        }
        let n = stream.read(&mut some).ok().filter(|n| *n > 0)?;
        unread.extend(&some[..n]);
    }
}
