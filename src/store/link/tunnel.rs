//! A connection through a command, such as `ssh -W {host}:{port} bastion`: what goes to the server
//! is its input, what comes from there is its output. A connection has a command of its own, which
//! ends with it.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as PlainUnixStream;
use std::pin::Pin;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
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
use crate::queue::{shell, text};

/// The longest wait for the last words of a command whose connection has ended, and for its end when
/// it was asked to end.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// Bytes of a line of complaint that are read.
const LINE_BYTES: u64 = 4_096;

/// The commands of a link.
#[derive(Default)]
pub(super) struct Tunnels {
    newest: Arc<watch::Sender<NewestTunnel>>,
}

/// The command that was run last.
#[derive(Default)]
struct NewestTunnel {
    /// Counts the commands.
    turn: u64,
    /// How it ended; none: it has not.
    ended: Option<String>,
}

impl Tunnels {
    /// Runs `command` for a connection to that place. That it runs does not say that it leads
    /// anywhere: if it does not, the connection ends.
    pub(super) fn open(&self, command: &str, host: &str, port: u16) -> io::Result<TunnelSocket> {
        let (ours, theirs) = PlainUnixStream::pair()?;
        ours.set_nonblocking(true)?;
        let line = command
            .replace("{host}", &shell::word(host.as_bytes()))
            .replace("{port}", &port.to_string());
        let input = OwnedFd::from(theirs.try_clone()?);
        let output = OwnedFd::from(theirs);
        // With the command go the copies of its ends that are ours, so that we see when it closes
        // them.
        let child = Command::new("sh")
            .args(["-c", &line])
            .stdin(Stdio::from(input))
            .stdout(Stdio::from(output))
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn();
        let child = child.map_err(|why| {
            let why = format!("tunnel_command cannot be run: sh: {}", why.kind());
            io::Error::new(io::ErrorKind::NotConnected, why)
        })?;
        let mut turn = 0;
        self.newest.send_modify(|newest| {
            turn = newest.turn + 1;
            *newest = NewestTunnel { turn, ended: None };
        });
        let (alive, closed) = oneshot::channel();
        let newest = Arc::clone(&self.newest);
        tokio::spawn(async move {
            let words = attended(child, closed).await;
            newest.send_if_modified(|newest| {
                let is_it = newest.turn == turn;
                if is_it {
                    newest.ended = Some(words);
                }
                is_it
            });
        });
        Ok(TunnelSocket {
            socket: Socket::Unix(UnixStream::from_std(ours)?),
            _alive: alive,
        })
    }

    /// How the last command ended, if it has.
    pub(super) async fn last_words(&self) -> Option<String> {
        let mut newest = self.newest.subscribe();
        let told = timeout(LAST_WORDS, newest.wait_for(|newest| newest.ended.is_some())).await;
        told.ok()?.ok()?.ended.clone()
    }
}

/// Waits for the end of a command, and tells how it was. One whose connection is closed has no more
/// to do: it is made to end where it does not by itself.
async fn attended(mut child: Child, closed: oneshot::Receiver<()>) -> String {
    let complaint = child
        .stderr
        .take()
        .map(|said| tokio::spawn(last_line(said)));
    let status = tokio::select! {
        status = child.wait() => status,
        _ = closed => end(&mut child).await,
    };
    let said = match complaint {
        Some(said) => timeout(LAST_WORDS, said)
            .await
            .ok()
            .and_then(Result::ok)
            .flatten(),
        None => None,
    };
    let how = status.map_or_else(|why| why.to_string(), |status| status.to_string());
    match said {
        Some(said) => format!("tunnel_command ended with {how}: {said}"),
        None => format!("tunnel_command ended with {how}"),
    }
}

/// Waits until a command ends; asks it and all that it has started to do so, then makes them.
async fn end(child: &mut Child) -> io::Result<ExitStatus> {
    let group = child.id().and_then(|id| i32::try_from(id).ok());
    for signal in [Signal::SIGTERM, Signal::SIGKILL] {
        if let Ok(status) = timeout(LAST_WORDS, child.wait()).await {
            return status;
        }
        // One that has ended meanwhile needs none.
        let _ = group.map(|group| killpg(Pid::from_raw(group), signal));
    }
    child.wait().await
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
    /// Dropped with the connection, which ends the command.
    _alive: oneshot::Sender<()>,
}

impl Duplex for TunnelSocket {
    fn rest(&mut self) {
        self.socket.rest();
    }
}

impl AsyncRead for TunnelSocket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_read(cx, buf)
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
