//! A connection, and its socket, which can rest: while it does, what comes wakes nobody.

use std::io;
use std::os::unix::net::UnixStream as PlainUnixStream;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio_rustls::client::TlsStream;

use super::tunnel::TunnelEnd;

/// Bytes to a server and from it.
pub(in crate::store) trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {
    /// Lets the socket rest until the next read or write: what comes meanwhile wakes nobody.
    fn rest(&mut self);

    /// Returns how the command ends that the connection leads through; none where it leads through
    /// none.
    fn tunnel(&self) -> Option<TunnelEnd> {
        None
    }
}

/// A connection, in the open or by TLS.
pub(in crate::store) type LinkStream = Box<dyn Duplex>;

impl Duplex for TlsStream<LinkStream> {
    fn rest(&mut self) {
        self.get_mut().0.rest();
    }

    fn tunnel(&self) -> Option<TunnelEnd> {
        self.get_ref().0.tunnel()
    }
}

/// A connected socket, watched by the runtime unless it rests.
pub(super) enum Socket {
    /// By TCP.
    Tcp(TcpStream),
    /// By a file.
    Unix(UnixStream),
    /// By TCP, and nobody watches it.
    RestingTcp(std::net::TcpStream),
    /// By a file, and nobody watches it.
    RestingUnix(PlainUnixStream),
    /// The system would not give it back.
    Lost,
}

impl Duplex for Socket {
    fn rest(&mut self) {
        let rested = match std::mem::replace(self, Self::Lost) {
            Self::Tcp(stream) => stream.into_std().map(Self::RestingTcp),
            Self::Unix(stream) => stream.into_std().map(Self::RestingUnix),
            other => Ok(other),
        };
        *self = rested.unwrap_or(Self::Lost);
    }
}

impl Socket {
    /// Is watched again.
    fn wake(&mut self) -> io::Result<()> {
        *self = match std::mem::replace(self, Self::Lost) {
            Self::RestingTcp(stream) => Self::Tcp(TcpStream::from_std(stream)?),
            Self::RestingUnix(stream) => Self::Unix(UnixStream::from_std(stream)?),
            Self::Lost => return Err(io::ErrorKind::NotConnected.into()),
            other => other,
        };
        Ok(())
    }

    fn awake(&mut self) -> io::Result<Pin<&mut dyn Bytes>> {
        self.wake()?;
        match self {
            Self::Tcp(stream) => Ok(Pin::new(stream)),
            Self::Unix(stream) => Ok(Pin::new(stream)),
            _ => Err(io::ErrorKind::NotConnected.into()),
        }
    }
}

/// Bytes both ways.
trait Bytes: AsyncRead + AsyncWrite + Unpin {}

impl<S: AsyncRead + AsyncWrite + Unpin> Bytes for S {}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.awake()?.poll_read(cx, buf)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.awake()?.poll_write(cx, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        // The system holds nothing back: that is no reason to wake.
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.awake()?.poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;

    async fn read_after_a_rest(mut ours: Socket, mut theirs: impl AsyncWrite + AsyncRead + Unpin) {
        theirs.write_all(b"one").await.unwrap();
        let mut room = [0; 64];
        assert_eq!(ours.read(&mut room).await.unwrap(), 3);
        ours.rest();
        theirs.write_all(b"two").await.unwrap();
        ours.rest();
        assert_eq!(ours.read(&mut room).await.unwrap(), 3);
        assert_eq!(&room[..3], b"two");
        // What is said from a rest is heard, and what comes after it is awaited.
        ours.rest();
        ours.write_all(b"three").await.unwrap();
        assert_eq!(theirs.read(&mut room).await.unwrap(), 5);
        assert!(ours.read(&mut room).now_or_never().is_none());
        ours.rest();
        drop(theirs);
        assert_eq!(ours.read(&mut room).await.unwrap(), 0);
    }

    #[tokio::test]
    async fn what_comes_while_a_socket_rests_is_there_afterwards() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        read_after_a_rest(Socket::Unix(ours), theirs).await;
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let ours = TcpStream::connect(listener.local_addr().unwrap())
            .await
            .unwrap();
        let (theirs, _) = listener.accept().await.unwrap();
        read_after_a_rest(Socket::Tcp(ours), theirs).await;
    }
}
