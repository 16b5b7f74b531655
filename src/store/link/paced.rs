//! A connection that is read in turns while much comes: what was sent meanwhile is taken together, so
//! that whoever waits for messages is woken four times a second, not for each of a hundred. In between
//! the socket rests, so that the program is not woken either.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use super::socket::{Duplex, LinkStream};
use super::tunnel::TunnelEnd;
use crate::clock::instant;

/// Reads that are no further apart follow one on another.
const CLOSE: Duration = Duration::from_millis(250);
/// Reads that follow one on another and are made at once: an answer, or an announcement now and then,
/// waits for nothing.
const AT_ONCE: u32 = 8;
/// Each read after those comes so long after the one before: as long as the counts rest between two
/// readings, and less than pictures that no key has asked for are apart.
const PAUSE: Duration = Duration::from_millis(250);

/// A connection that is read in turns.
pub(super) struct PacedStream {
    stream: LinkStream,
    /// The last read, and how many have followed one on another up to it.
    last: Option<Instant>,
    following: u32,
    pause: Option<Pin<Box<Sleep>>>,
}

impl PacedStream {
    pub(super) fn new(stream: LinkStream) -> Self {
        Self {
            stream,
            last: None,
            following: 0,
            pause: None,
        }
    }

    /// Something was read: all that was there, or as much as there was room for.
    fn has_read(&mut self, all: bool) {
        let now = instant();
        let waited = if self.following < AT_ONCE {
            Duration::ZERO
        } else {
            PAUSE
        };
        let is_close = |last| now.saturating_duration_since(last) < waited + CLOSE;
        self.following = match self.last.replace(now) {
            Some(last) if is_close(last) => self.following.saturating_add(1),
            _ => 0,
        };
        // What is large is read on: it would come in pieces else.
        if all && self.following >= AT_ONCE {
            self.pause = Some(Box::pin(sleep(PAUSE)));
            self.stream.rest();
        }
    }
}

impl Duplex for PacedStream {
    fn rest(&mut self) {
        self.stream.rest();
    }

    fn tunnel(&self) -> Option<TunnelEnd> {
        self.stream.tunnel()
    }
}

impl AsyncRead for PacedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(pause) = &mut self.pause {
            ready!(pause.as_mut().poll(cx));
            self.pause = None;
        }
        ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
        self.has_read(buf.remaining() > 0);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for PacedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

    use super::*;

    impl Duplex for DuplexStream {
        fn rest(&mut self) {}
    }

    /// A connection on which so many bytes have come, one by one, and were read.
    async fn after(reads: u32) -> (PacedStream, DuplexStream) {
        let (ours, mut theirs) = duplex(1 << 20);
        let mut paced = PacedStream::new(Box::new(ours));
        let mut room = [0; 64];
        for _ in 0..reads {
            theirs.write_all(b"m").await.unwrap();
            let read = paced.read(&mut room).now_or_never();
            assert_eq!(read.unwrap().unwrap(), 1);
        }
        (paced, theirs)
    }

    #[tokio::test]
    async fn what_comes_now_and_then_is_read_at_once() {
        after(AT_ONCE).await;
    }

    #[tokio::test]
    async fn what_comes_close_together_is_read_together() {
        let (mut paced, mut theirs) = after(AT_ONCE + 1).await;
        let mut room = [0; 64];
        theirs.write_all(b"one").await.unwrap();
        assert!(paced.read(&mut room).now_or_never().is_none());
        theirs.write_all(b"two").await.unwrap();
        let read = paced.read(&mut room).await.unwrap();
        assert_eq!(&room[..read], b"onetwo");
    }

    #[tokio::test]
    async fn what_is_larger_than_the_room_for_it_is_read_on_at_once() {
        let (mut paced, mut theirs) = after(AT_ONCE).await;
        let mut room = [0; 64];
        theirs.write_all(&[b'm'; 640]).await.unwrap();
        for _ in 0..10 {
            let read = paced.read(&mut room).now_or_never();
            assert_eq!(read.unwrap().unwrap(), 64);
        }
    }
}
