//! Stands between a program and its server, counts the scripts and the transactions under watch
//! that pass, and stops the traffic at an exact point: before a script reaches the server, after it
//! ran but before its answer is heard, or in the middle of a request.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::resp::{is, is_answer, whole};
use crate::support::wait_for;

/// Where the traffic stops.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Point {
    /// Nowhere.
    Never,
    /// The how manieth script, from 0, never reaches the server.
    Before(usize),
    /// It runs, but its answer is never heard.
    After(usize),
    /// After so many bytes of requests.
    Byte(usize),
}

/// What happens there.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum PastPicture {
    /// Nothing passes on that connection any more.
    Hold,
    /// That connection is closed; the next one is whole again.
    Cut,
}

/// The proxy. Ends when dropped.
pub struct Proxy {
    dir: tempfile::TempDir,
    shared: Arc<Shared>,
}

struct Shared {
    server: PathBuf,
    point: Point,
    then: PastPicture,
    /// Scripts and bytes of requests up to now.
    counts: Mutex<[usize; 2]>,
    reached: AtomicBool,
    ended: AtomicBool,
    /// Connections to the server that it has not closed yet.
    open: AtomicUsize,
}

/// One connection: requests that went on, and the answer (from 0) that is withheld.
struct Pair {
    passed: AtomicUsize,
    withheld: AtomicUsize,
    /// Whether the client has said WATCH.
    watches: AtomicBool,
}

impl Proxy {
    /// In front of the server that listens on that socket.
    pub fn start(server: &Path, point: Point, then: PastPicture) -> Self {
        let dir = crate::support::room();
        let shared = Arc::new(Shared {
            server: server.to_owned(),
            point,
            then,
            counts: Mutex::new([0; 2]),
            reached: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            open: AtomicUsize::new(0),
        });
        let listener = UnixListener::bind(dir.path().join("p")).unwrap();
        let serving = Arc::clone(&shared);
        thread::spawn(move || {
            for client in listener.incoming() {
                if serving.ended.load(Ordering::SeqCst) {
                    return;
                }
                serve(&serving, &client.unwrap());
            }
        });
        Self { dir, shared }
    }

    /// Where it listens, as the command line takes it.
    pub fn url(&self) -> String {
        format!("unix://{}", self.socket().display())
    }

    /// Whether the point was reached.
    pub fn reached(&self) -> bool {
        self.shared.reached.load(Ordering::SeqCst)
    }

    /// How many scripts and bytes of requests have passed.
    pub fn passed(&self) -> [usize; 2] {
        *self.shared.counts.lock().unwrap()
    }

    /// Waits, once the program is dead, until the server has done all that it was sent: it closes a
    /// connection behind the last request.
    pub fn drain(&self) {
        // When this one is closed, the listener has taken all that the program had opened.
        let mut last = UnixStream::connect(self.socket()).unwrap();
        last.shutdown(Shutdown::Write).unwrap();
        while read(&mut last).is_some() {}
        wait_for("the server to have done what it was sent", || {
            self.shared.open.load(Ordering::SeqCst) == 0
        });
    }

    fn socket(&self) -> PathBuf {
        self.dir.path().join("p")
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::SeqCst);
        // Wakes the listener.
        let _ = UnixStream::connect(self.socket());
    }
}

fn serve(shared: &Arc<Shared>, client: &UnixStream) {
    let server = UnixStream::connect(&shared.server).unwrap();
    let pair = Arc::new(Pair {
        passed: AtomicUsize::new(0),
        withheld: AtomicUsize::new(usize::MAX),
        watches: AtomicBool::new(false),
    });
    let ends = || (client.try_clone().unwrap(), server.try_clone().unwrap());
    let (requests, answers) = (ends(), ends());
    shared.open.fetch_add(1, Ordering::SeqCst);
    let (sharing, pairing) = (Arc::clone(shared), Arc::clone(&pair));
    thread::spawn(move || {
        let (mut client, server) = requests;
        if sharing
            .pass_requests(&pairing, &mut client, &server)
            .is_some()
        {
            sharing.stop(&client, &server);
            while read(&mut client).is_some() {}
        }
        // The client is gone: what was sent before is done, and then the server closes too.
        let _ = server.shutdown(Shutdown::Write);
    });
    let shared = Arc::clone(shared);
    thread::spawn(move || {
        let (client, mut server) = answers;
        if pass_answers(&pair, &client, &mut server).is_some() {
            shared.stop(&client, &server);
        }
        while read(&mut server).is_some() {}
        close(&client, &server);
        shared.open.fetch_sub(1, Ordering::SeqCst);
    });
}

fn close(client: &UnixStream, server: &UnixStream) {
    let _ = client.shutdown(Shutdown::Both);
    let _ = server.shutdown(Shutdown::Both);
}

/// The point was reached.
struct Reached;

impl Shared {
    fn stop(&self, client: &UnixStream, server: &UnixStream) {
        if self.then == PastPicture::Cut {
            close(client, server);
        }
        self.reached.store(true, Ordering::SeqCst);
    }

    /// Passes requests on until one end closes (none), or the point is reached.
    fn pass_requests(
        &self,
        pair: &Pair,
        client: &mut UnixStream,
        mut server: &UnixStream,
    ) -> Option<Reached> {
        let mut unread = Vec::new();
        while let Some(some) = read(client) {
            unread.extend(some);
            while let Some(length) = whole(&unread) {
                let request: Vec<u8> = unread.drain(..length).collect();
                let most = self.pass(pair, &request);
                server.write_all(&request[..most]).ok()?;
                if most < request.len() {
                    return Some(Reached);
                }
                pair.passed.fetch_add(1, Ordering::SeqCst);
            }
        }
        None
    }

    /// How many bytes of a request go on.
    fn pass(&self, pair: &Pair, request: &[u8]) -> usize {
        let mut counts = self.counts.lock().unwrap();
        let [script, bytes] = *counts;
        pair.watches
            .fetch_or(is(request, b"WATCH"), Ordering::SeqCst);
        // A transaction that reads is none that changes; those that change watch what they read.
        let is_script =
            is(request, b"EVAL") || is(request, b"EXEC") && pair.watches.load(Ordering::SeqCst);
        counts[0] += usize::from(is_script);
        counts[1] += request.len();
        if self.reached.load(Ordering::SeqCst) {
            return request.len();
        }
        match self.point {
            Point::Before(n) if is_script && n == script => 0,
            Point::Byte(n) if (bytes..counts[1]).contains(&n) => n - bytes,
            Point::After(n) if is_script && n == script => {
                let answer = pair.passed.load(Ordering::SeqCst);
                pair.withheld.store(answer, Ordering::SeqCst);
                request.len()
            }
            _ => request.len(),
        }
    }
}

/// Passes answers on until one end closes (none), or the point is reached.
fn pass_answers(pair: &Pair, mut client: &UnixStream, server: &mut UnixStream) -> Option<Reached> {
    let (mut unread, mut answered) = (Vec::new(), 0);
    while let Some(some) = read(server) {
        unread.extend(some);
        while let Some(length) = whole(&unread) {
            let value: Vec<u8> = unread.drain(..length).collect();
            if answered == pair.withheld.load(Ordering::SeqCst) && is_answer(&value) {
                return Some(Reached);
            }
            client.write_all(&value).ok()?;
            answered += usize::from(is_answer(&value));
        }
    }
    None
}

fn read(stream: &mut UnixStream) -> Option<Vec<u8>> {
    let mut some = vec![0; 65_536];
    let n = stream.read(&mut some).ok().filter(|n| *n > 0)?;
    some.truncate(n);
    Some(some)
}
