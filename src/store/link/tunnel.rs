//! A connection through a command, such as `ssh -W {host}:{port} bastion`: what goes to the server
//! is its input, what comes from there is its output. A connection has a command of its own, which
//! ends with it.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as PlainUnixStream;
use std::pin::Pin;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, BufReader, ReadBuf,
};
use tokio::net::UnixStream;
use tokio::process::{Child, ChildStderr, Command};
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;

use super::socket::{Duplex, Socket};
use crate::queue::sentinels::place;
use crate::queue::{shell, text};

/// The longest wait for the last words of a command whose connection has ended, and for its end when
/// it was asked to end.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// Bytes of a line of complaint that are read.
const LINE_BYTES: u64 = 4_096;

/// The end of the command of a connection.
#[derive(Clone)]
pub(in crate::store) struct TunnelEnd {
    ended: watch::Receiver<Option<CommandEnd>>,
    has_led: Arc<AtomicBool>,
}

/// The end of a command.
#[derive(Clone)]
struct CommandEnd {
    /// The words for it.
    words: String,
    /// Its status says that it went well.
    is_well: bool,
    /// The connection was still wanted.
    is_wanted: bool,
    /// It was made to.
    is_forced: bool,
}

impl TunnelEnd {
    /// Tells whether anything has come through it: it does lead somewhere.
    pub(super) fn has_led(&self) -> bool {
        self.has_led.load(Ordering::Relaxed)
    }

    /// Says why the connection broke, in the command's own last words; none where it is not to blame: one
    /// that has ended well has passed on that the other side closed the connection, and what it
    /// says when we have closed it says nothing.
    pub(super) async fn broke(&self) -> Option<String> {
        let end = self.end().await?;
        let is_own = end.is_wanted || !self.has_led() && !end.is_forced;
        (is_own && !end.is_well).then_some(end.words)
    }

    /// The same of one that has ended well, too, where nothing came through it.
    pub(super) async fn ended(&self) -> Option<String> {
        let end = self.end().await?;
        if !self.has_led() && !end.is_forced {
            return Some(end.words);
        }
        (end.is_wanted && !end.is_well).then_some(end.words)
    }

    /// The end, if it comes at once.
    async fn end(&self) -> Option<CommandEnd> {
        let mut ended = self.ended.clone();
        let told = timeout(LAST_WORDS, ended.wait_for(Option::is_some)).await;
        told.ok()?.ok()?.clone()
    }
}

/// Runs `command` for a connection to that place. That it runs does not say that it leads
/// anywhere: if it does not, the connection ends.
pub(super) fn open(command: &str, host: &str, port: u16) -> io::Result<TunnelSocket> {
    let (ours, theirs) = PlainUnixStream::pair()?;
    ours.set_nonblocking(true)?;
    let group = started(&line(command, host, port), &theirs).map_err(|why| {
        let why = format!("tunnel_command cannot be run: sh: {}", why.kind());
        io::Error::new(io::ErrorKind::NotConnected, why)
    })?;
    // Our copies of its ends, so that we see when it closes them.
    drop(theirs);
    let (alive, closed) = oneshot::channel();
    let (tell, ended) = watch::channel(None);
    tokio::spawn(async move {
        let end = attended(group, closed).await;
        // Nobody may want to know any more.
        let _ = tell.send(Some(end));
    });
    Ok(TunnelSocket {
        socket: Socket::Unix(UnixStream::from_std(ours)?),
        end: TunnelEnd {
            ended,
            has_led: Arc::default(),
        },
        _alive: alive,
    })
}

/// The command for that place. An address with colons stands in brackets before the port, as `ssh -W`
/// and others want it, and alone without.
fn line(command: &str, host: &str, port: u16) -> String {
    let both = place(host, port);
    command
        .replace("{host}:{port}", &shell::word(both.as_bytes()))
        .replace("{host}", &shell::word(host.as_bytes()))
        .replace("{port}", &port.to_string())
}

/// Starts a command at the head of a session of its own, without a terminal: one that wants to ask
/// there for a passphrase would be stopped for that, and say nothing. Where there is no `setsid`, it
/// has a group of its own at least.
fn started(line: &str, connection: &PlainUnixStream) -> io::Result<CommandGroup> {
    let spawned = |mut command: Command| {
        command
            .stdin(OwnedFd::from(connection.try_clone()?))
            .stdout(OwnedFd::from(connection.try_clone()?))
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map(CommandGroup)
    };
    let mut in_session = Command::new("setsid");
    in_session.args(["sh", "-c", line]);
    match spawned(in_session) {
        Err(why) if why.kind() == io::ErrorKind::NotFound => {
            let mut in_group = Command::new("sh");
            in_group.args(["-c", line]).process_group(0);
            spawned(in_group)
        }
        started => started,
    }
}

/// A command and all that it has started, which ends with it when it is dropped.
struct CommandGroup(Child);

impl CommandGroup {
    fn signal(&self, signal: Signal) {
        // Of one that has ended there is no number any more.
        let id = self.0.id().and_then(|id| i32::try_from(id).ok());
        // One that has ended meanwhile needs none.
        let _ = id.map(|id| killpg(Pid::from_raw(id), signal));
    }

    /// Waits until it ends; asks it to do so, then makes it. Tells whether that was needed.
    async fn end(&mut self) -> (io::Result<ExitStatus>, bool) {
        let mut is_forced = false;
        for signal in [Signal::SIGTERM, Signal::SIGKILL] {
            if let Ok(status) = timeout(LAST_WORDS, self.0.wait()).await {
                return (status, is_forced);
            }
            self.signal(signal);
            is_forced = true;
        }
        (self.0.wait().await, is_forced)
    }
}

impl Drop for CommandGroup {
    fn drop(&mut self) {
        self.signal(Signal::SIGKILL);
    }
}

/// Waits for the end of a command, and tells how it was. One whose connection is closed has no more
/// to do: it is made to end where it does not by itself.
async fn attended(mut group: CommandGroup, closed: oneshot::Receiver<()>) -> CommandEnd {
    let complaint = { group.0.stderr.take() }.map(|said| tokio::spawn(last_line(said)));
    let (status, is_wanted, is_forced) = tokio::select! {
        biased;
        status = group.0.wait() => (status, true, false),
        _ = closed => {
            let (status, is_forced) = group.end().await;
            (status, false, is_forced)
        }
    };
    let said = match complaint {
        // Another that it has started may keep it open.
        Some(said) => timeout(LAST_WORDS / 2, said)
            .await
            .ok()
            .and_then(Result::ok)
            .flatten(),
        None => None,
    };
    let is_well = status.as_ref().is_ok_and(ExitStatus::success);
    let how = status.map_or_else(|why| why.to_string(), |status| status.to_string());
    let words = match said {
        Some(said) => format!("tunnel_command ended with {how}: {said}"),
        None => format!("tunnel_command ended with {how}"),
    };
    CommandEnd {
        words,
        is_well,
        is_wanted,
        is_forced,
    }
}

/// The last line of a complaint that is not empty, safe to show.
async fn last_line(said: ChildStderr) -> Option<String> {
    let mut said = BufReader::new(said);
    let mut last = None;
    loop {
        let mut line = Vec::new();
        let read = (&mut said)
            .take(LINE_BYTES)
            .read_until(b'\n', &mut line)
            .await;
        match read {
            Ok(1..) => {
                let words = text::printable(String::from_utf8_lossy(&line).trim()).into_owned();
                last = Some(words).filter(|words| !words.is_empty()).or(last);
            }
            Ok(0) | Err(_) => return last,
        }
    }
}

/// The connection through a command.
pub(super) struct TunnelSocket {
    socket: Socket,
    end: TunnelEnd,
    /// Dropped with the connection, which ends the command.
    _alive: oneshot::Sender<()>,
}

impl Duplex for TunnelSocket {
    fn rest(&mut self) {
        self.socket.rest();
    }

    fn tunnel(&self) -> Option<TunnelEnd> {
        Some(self.end.clone())
    }
}

impl AsyncRead for TunnelSocket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let read = Pin::new(&mut self.socket).poll_read(cx, buf);
        if buf.filled().len() > before {
            self.end.has_led.store(true, Ordering::Relaxed);
        }
        read
    }
}

impl AsyncWrite for TunnelSocket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt as _;

    use super::*;

    async fn first_line(socket: &mut TunnelSocket) -> String {
        let mut line = String::new();
        BufReader::new(socket).read_line(&mut line).await.unwrap();
        line
    }

    #[tokio::test]
    async fn each_connection_knows_the_end_of_its_own_command() {
        let one = open("echo one >&2; exit 3", "h", 1).unwrap();
        let mut two = open("cat", "h", 1).unwrap();
        let three = open("echo three >&2; exit 4", "h", 1).unwrap();
        two.write_all(b"hello\n").await.unwrap();
        assert_eq!(first_line(&mut two).await, "hello\n");
        let ends = [one, two, three].map(|socket| (socket.end.clone(), socket));
        let [(one, _one), (two, _two), (three, _three)] = ends;
        let words = one.broke().await.unwrap();
        assert!(words.ends_with("exit status: 3: one"), "{words}");
        assert_eq!(two.broke().await, None);
        let words = three.broke().await.unwrap();
        assert!(words.ends_with("exit status: 4: three"), "{words}");
    }

    #[tokio::test]
    async fn a_command_that_has_led_somewhere_is_to_blame_only_for_an_end_of_its_own() {
        for (command, is_to_blame) in [
            ("echo led; exit 0", false),
            ("echo led; exit 3", true),
            // It ends when we close the connection.
            ("echo led; cat >/dev/null; exit 3", false),
            ("echo led; exec sleep 1000", false),
        ] {
            let mut socket = open(command, "h", 1).unwrap();
            assert_eq!(first_line(&mut socket).await, "led\n");
            let end = socket.end.clone();
            assert_eq!(end.broke().await.is_some(), is_to_blame, "{command}");
            drop(socket);
            assert_eq!(end.broke().await.is_some(), is_to_blame, "{command}");
            assert_eq!(end.ended().await.is_some(), is_to_blame, "{command}");
        }
        let socket = open("exit 0", "h", 1).unwrap();
        assert_eq!(socket.end.broke().await, None);
        assert!(socket.end.ended().await.is_some());
    }

    #[test]
    fn all_that_a_command_has_started_ends_with_the_program() {
        let until = |what: &str, mut is_so: Box<dyn FnMut() -> bool>| {
            let end = crate::clock::instant() + Duration::from_secs(10);
            while !is_so() {
                assert!(crate::clock::instant() < end, "{what}");
                std::thread::yield_now();
            }
        };
        // Amid anything, also before anybody has waited for its end for the first time.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let room = tempfile::tempdir().unwrap();
        let told = room.path().join("told");
        let (to, from) = (told.clone(), told.with_extension("part"));
        let (to, from) = (to.display(), from.display());
        let command = format!("sleep 1000 & echo $! >{from}; mv {from} {to}; wait");
        let socket = runtime.block_on(async { open(&command, "h", 1).unwrap() });
        let there = told.clone();
        until(
            "the command does not begin",
            Box::new(move || there.exists()),
        );
        let child = std::fs::read_to_string(&told).unwrap();
        let child: i32 = child.trim().parse().unwrap();
        assert!(nix::sys::signal::kill(Pid::from_raw(child), None).is_ok());
        drop(runtime);
        // The system may not have taken away yet what is dead.
        let is_gone = move || {
            let stat = std::fs::read_to_string(format!("/proc/{child}/stat"));
            stat.is_err() || stat.is_ok_and(|stat| stat.contains(") Z"))
        };
        until("what it has started goes on", Box::new(is_gone));
        drop(socket);
    }
}
