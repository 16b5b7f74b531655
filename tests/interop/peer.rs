//! The Java side, as tests talk to it: one JVM a release, shared by the tests that run at once.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::ops::RangeInclusive;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use delayscope::queue::{Form, Queue};

use crate::build;
use crate::support::{PATIENCE, Server};

/// A release of Redisson, and what is to be known of it.
pub struct Release {
    /// As Maven knows it.
    pub version: &'static str,
    /// The form of its frames.
    pub form: Form,
}

/// The last release of the older era.
pub const LAST_OLDER: Release = Release {
    version: "3.21.0",
    form: Form::DoubleId,
};

/// The releases that the tests run beside.
pub const RELEASES: [Release; 3] = [
    Release {
        version: "3.15.1",
        form: Form::DoubleId,
    },
    Release {
        version: "3.21.1",
        form: Form::ByteId,
    },
    Release {
        version: "4.7.0",
        form: Form::ByteId,
    },
];

/// No JVM lives longer than this, whatever happens to the tests. In seconds.
const LIFETIME: &str = "600";
/// The same for what somebody plays at, who takes their time.
const EVENING: &str = "14400";

static RUNNING: [Mutex<Weak<Side>>; RELEASES.len()] = [const { Mutex::new(Weak::new()) }; 3];

/// A JVM and the private server that it is connected to. Dropped in this order.
pub struct Side {
    peer: Peer,
    /// The server that both sides work on.
    pub server: Arc<Server>,
    /// The way that our program takes to it.
    pub url: String,
    /// Whose Redisson it is.
    pub release: &'static Release,
}

impl Side {
    /// The one of that release: a running one, else a new one. It ends with the last user.
    pub fn of(release: usize) -> Arc<Self> {
        let mut running = held(&RUNNING[release]);
        if let Some(side) = running.upgrade() {
            return side;
        }
        let side = Arc::new(Self::start(&RELEASES[release], "1"));
        *running = Arc::downgrade(&side);
        side
    }

    /// A new one; `tier` is how far the JVM compiles: 1 starts fast, 4 runs fast.
    pub fn start(release: &'static Release, tier: &str) -> Self {
        Self::joining(Arc::new(Server::start_tcp(&[])), release, tier)
    }

    /// A new one on a server that is there.
    pub fn joining(server: Arc<Server>, release: &'static Release, tier: &str) -> Self {
        Self::with_clock(server, release, tier, 0)
    }

    /// A new one on a server that is there, whose clock is so many seconds ahead of the machine's.
    pub fn with_clock(
        server: Arc<Server>,
        release: &'static Release,
        tier: &str,
        ahead_s: i64,
    ) -> Self {
        Self::living(server, release, tier, ahead_s, LIFETIME)
    }

    /// A new one on a server that is there, which stays for an evening.
    pub fn for_an_evening(server: Arc<Server>, release: &'static Release) -> Self {
        Self::living(server, release, "1", 0, EVENING)
    }

    /// A new one whose clients are led to their server by `theirs` (see `Peer.java`), and our program by
    /// `ours`; `server` is where the queues are at the start.
    pub fn led(
        server: Arc<Server>,
        release: &'static Release,
        (theirs, ours): (&str, String),
    ) -> Self {
        let peer = Peer::start(release.version, theirs, "1", 0, LIFETIME);
        Self::with_peer(peer, server, release, ours)
    }

    /// The same, which stays for an evening and runs fast.
    pub fn led_for_an_evening(
        server: Arc<Server>,
        release: &'static Release,
        (theirs, ours): (&str, String),
    ) -> Self {
        let peer = Peer::start(release.version, theirs, "4", 0, EVENING);
        Self::with_peer(peer, server, release, ours)
    }

    fn living(
        server: Arc<Server>,
        release: &'static Release,
        tier: &str,
        ahead_s: i64,
        lifetime: &str,
    ) -> Self {
        let url = format!("redis://127.0.0.1:{}", server.port());
        let peer = Peer::start(release.version, &url, tier, ahead_s, lifetime);
        Self::with_peer(peer, server, release, url)
    }

    const fn with_peer(
        peer: Peer,
        server: Arc<Server>,
        release: &'static Release,
        url: String,
    ) -> Self {
        Self {
            peer,
            server,
            url,
            release,
        }
    }

    /// Kills the JVM, clients and all; the server stays.
    pub fn kill(&mut self) {
        self.peer.process.kill().unwrap();
    }

    /// Asks for something that is answered with the word `answer`, and waits for that.
    pub fn ask(&self, request: &[&str], answer: &str) -> Answers {
        let answers = self.peer.send(request);
        answers.until(answer);
        answers
    }

    /// When the entries of that queue fall due, in epoch ms, the earliest first.
    pub fn due_times(&self, queue: &str) -> Vec<i64> {
        let timeouts = Queue::redisson(queue).keys().timeouts;
        let range: [&[u8]; 5] = [b"ZRANGE", &timeouts, b"0", b"-1", b"WITHSCORES"];
        let all: Vec<(Vec<u8>, i64)> =
            redis::from_redis_value(self.server.cmd_bytes(&range)).unwrap();
        all.into_iter().map(|(_, due)| due).collect()
    }

    /// A client of that name, connected. It leaves when dropped.
    pub fn client(&self, name: &str) -> Client<'_> {
        let name = format!("{name}-{}", self.peer.tag());
        self.ask(&["connect", &name], "connected");
        Client { side: self, name }
    }

    /// The same; the server's list of clients has it by exactly that name.
    pub fn named_client(&self, name: &str) -> Client<'_> {
        let key = format!("{name}-{}", self.peer.tag());
        self.ask(&["connect", &key, name], "connected");
        Client {
            side: self,
            name: key,
        }
    }
}

/// One Redisson client inside the JVM.
pub struct Client<'a> {
    side: &'a Side,
    name: String,
}

impl Client<'_> {
    /// Transfers what falls due in that queue from now on. So does whoever offers.
    pub fn work(&self, queue: &str, codec: &str) {
        self.side
            .ask(&["work", &self.name, queue, codec], "working");
    }

    /// Tells each of its transfers of that queue from now on, as answers `transfer`.
    pub fn watch(&self, queue: &str) -> Answers {
        self.side.ask(&["watch", &self.name, queue], "watching")
    }

    /// Offers each value, due after so many ms.
    pub fn offer<'v>(
        &self,
        queue: &str,
        codec: &str,
        entries: impl IntoIterator<Item = (u64, &'v str)>,
    ) {
        let words: Vec<String> = entries
            .into_iter()
            .map(|(delay, value)| format!("{delay}:{}", hex(value)))
            .collect();
        let mut request = vec!["offer", &self.name, queue, codec];
        request.extend(words.iter().map(String::as_str));
        self.side.ask(&request, "offered");
    }

    /// Takes from that queue's target from now on; each comes as an answer `took`.
    pub fn consume(&self, queue: &str, codec: &str) -> Answers {
        self.side
            .ask(&["consume", &self.name, queue, codec], "consuming")
    }

    /// Takes from that queue's target from now on, as an application that says nothing of it.
    pub fn handle(&self, queue: &str) {
        let request = ["handle", &self.name, queue, "string"];
        self.side.ask(&request, "handling");
    }

    /// Lets those that handle elements not come back from the next one.
    pub fn hang(&self) {
        self.side.ask(&["hang", &self.name], "hung");
    }

    /// Lets those that hang go on.
    pub fn resume(&self) {
        self.side.ask(&["resume", &self.name], "resumed");
    }

    /// Offers an element each so many ms until it leaves, due after a delay of that range, in ms.
    pub fn stream(&self, queue: &str, every: u64, delays: RangeInclusive<u64>) {
        let numbers = [every, *delays.start(), *delays.end()].map(|number| number.to_string());
        let [every, least, most] = numbers.each_ref().map(String::as_str);
        let request = ["stream", &self.name, queue, "string", every, least, most];
        self.side.ask(&request, "streaming");
    }

    /// Takes what is in that queue's target, at most so many at once: the class and the text of
    /// each.
    pub fn take_all(&self, queue: &str, codec: &str, most: usize) -> Vec<(String, String)> {
        let request = ["take", &self.name, queue, codec, &most.to_string()];
        let taken = self.side.peer.send(&request).until("taken");
        let taken = taken.iter().filter(|word| !word.is_empty());
        taken
            .map(|word| {
                let (class, text) = word.split_once(':').expect("CLASS:HEX");
                (class.to_owned(), unhex(text))
            })
            .collect()
    }

    /// Ends it, and waits until it has ended.
    pub fn leave(self) {
        drop(self);
    }
}

impl Drop for Client<'_> {
    fn drop(&mut self) {
        let gone = self.side.peer.send(&["leave", &self.name]);
        let _ = gone.lines.recv_timeout(PATIENCE);
    }
}

/// What comes back for one request.
pub struct Answers {
    request: String,
    lines: Receiver<Vec<String>>,
}

impl Answers {
    /// The words after the next answer `word`; panics when the request failed.
    pub fn until(&self, word: &str) -> Vec<String> {
        let Ok(mut words) = self.lines.recv_timeout(PATIENCE) else {
            panic!(
                "waited too long for {word:?} to {}: see redisson.log",
                self.request
            );
        };
        assert_eq!(words[0], word, "{}: {}", self.request, words.join(" "));
        words.remove(0);
        words
    }

    /// The next element that a consumer took: when, in epoch ms, and its text; none if nothing
    /// comes. Any Java object but a string is a failure.
    pub fn took(&self) -> Option<(i64, String)> {
        let words = self.lines.recv_timeout(PATIENCE).ok()?;
        assert_eq!(words[0], "took", "{}: {}", self.request, words.join(" "));
        assert_eq!(words[2], "java.lang.String", "{}", words.join(" "));
        Some((words[1].parse().unwrap(), unhex(&words[3])))
    }

    /// The text of the next element that a consumer took which takes on when that fails, as
    /// applications do: a master that hands over ends what older releases wait for there.
    pub fn took_at_last(&self) -> Option<String> {
        self.took_within(PATIENCE)
    }

    /// The same, as long as no pause is longer than this.
    pub fn took_within(&self, patience: Duration) -> Option<String> {
        loop {
            let words = self.lines.recv_timeout(patience).ok()?;
            if words[0] == "took" {
                return Some(unhex(&words[3]));
            }
            assert_eq!(words[0], "failed", "{}: {}", self.request, words.join(" "));
        }
    }

    /// The next transfer of a watched client that moved what was due by then.
    pub fn transferred(&self, due: i64) -> Transfer {
        loop {
            let transfer = Transfer::of(&self.until("transfer"));
            if transfer.until >= due {
                return transfer;
            }
        }
    }

    /// The transfers of a watched client that nobody has asked for yet.
    pub fn transfers_so_far(&self) -> Vec<Transfer> {
        let words = self.lines.try_iter().filter(|words| words[0] == "transfer");
        words.map(|words| Transfer::of(&words[1..])).collect()
    }

    /// The texts that a consumer took and nobody has asked for yet.
    pub fn took_so_far(&self) -> Vec<String> {
        let took = self.lines.try_iter().filter(|words| words[0] == "took");
        took.map(|words| unhex(&words[3])).collect()
    }
}

/// A transfer, as the client itself tells it; its times are epoch ms of its own clock.
pub struct Transfer {
    /// What was due by then was asked for.
    pub until: i64,
    /// When it asked.
    pub asked: i64,
    /// When it had the answer.
    pub answered: i64,
    /// The port that it asked from.
    pub port: i64,
}

impl Transfer {
    fn of(words: &[String]) -> Self {
        let number = |at: usize| words[at].parse().unwrap();
        Self {
            until: number(0),
            asked: number(1),
            answered: number(2),
            port: number(3),
        }
    }
}

type Routes = Arc<Mutex<HashMap<String, Sender<Vec<String>>>>>;

/// The JVM.
struct Peer {
    process: Child,
    input: Mutex<Option<ChildStdin>>,
    routes: Routes,
    tags: AtomicU64,
}

impl Peer {
    fn start(version: &str, url: &str, tier: &str, ahead_s: i64, lifetime: &str) -> Self {
        build::need_java();
        let class_path = build::class_path(version);
        let mut command = Command::new("java");
        if ahead_s != 0 {
            command.env("LD_PRELOAD", build::wrong_clock());
            command.env("CLOCK_AHEAD_S", ahead_s.to_string());
        }
        let mut process = command
            .args(["-XX:+UseSerialGC", "-Xmx512m", "-Dfile.encoding=UTF-8"])
            .arg(format!("-XX:TieredStopAtLevel={tier}"))
            .args(["-cp", &class_path, "delayscope.interop.Peer"])
            .args([url, "--seconds", lifetime])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Redisson tells much about broken frames.
            .stderr(build::log_of(version, "redisson"))
            .spawn()
            .unwrap();
        let routes = Routes::default();
        let (ready, first) = channel();
        held(&routes).insert("-".to_owned(), ready);
        let output = BufReader::new(process.stdout.take().unwrap());
        std::thread::spawn({
            let routes = Arc::clone(&routes);
            move || route(output, &routes)
        });
        let peer = Self {
            input: Mutex::new(process.stdin.take()),
            process,
            routes,
            tags: AtomicU64::new(1),
        };
        let ready = first.recv_timeout(PATIENCE).expect("the JVM to start");
        assert_eq!(ready, ["ready", version], "the release that runs");
        peer
    }

    fn tag(&self) -> String {
        self.tags.fetch_add(1, Ordering::Relaxed).to_string()
    }

    fn send(&self, request: &[&str]) -> Answers {
        let tag = self.tag();
        let (sender, lines) = channel();
        held(&self.routes).insert(tag.clone(), sender);
        let line = format!("{tag} {}\n", request.join(" "));
        let mut input = held(&self.input);
        let pipe = input.as_mut().expect("open until dropped");
        pipe.write_all(line.as_bytes()).expect("the JVM to listen");
        let request = request.iter().take(4).copied().collect::<Vec<_>>();
        Answers {
            request: request.join(" "),
            lines,
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // The end of its input is what ends it.
        held(&self.input).take();
        let _ = self.process.wait();
    }
}

/// Hands each line to whoever asked for it.
fn route(output: impl BufRead, routes: &Routes) {
    for line in output.lines().map_while(Result::ok) {
        let mut words = line.split(' ').map(str::to_owned);
        let tag = words.next().unwrap_or_default();
        if let Some(asker) = held(routes).get(&tag) {
            // Nobody listens any more after a test's end.
            let _ = asker.send(words.collect());
        }
    }
    // Whoever still waits learns that nothing comes any more.
    held(routes).clear();
}

/// A failed test must not fail those that share its side.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn hex(text: &str) -> String {
    text.bytes().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

fn unhex(hex: &str) -> String {
    let bytes = (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
        .collect();
    String::from_utf8(bytes).expect("UTF-8")
}
