//! The way to a server: a socket, and TLS over it. The one place that makes connections; nothing
//! else in the program says how a server is reached.

use std::io;
use std::sync::OnceLock;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;

use super::super::error::StoreError;
use super::tls;
use crate::queue::{Address, Endpoint, text};

/// The longest wait for the connection itself, its handshake, and then for the first answer.
pub(super) const LIMIT: Duration = Duration::from_secs(2);

/// Bytes to a server and from it.
pub(super) trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Duplex for S {}

/// A connection, in the open or by TLS.
pub(super) type Stream = Box<dyn Duplex>;

/// The way to one server, by which every connection to it is made.
pub(in crate::store) struct Dialer {
    endpoint: Endpoint,
    /// Read from its files by the first connection; later ones go on with its sessions.
    tls: OnceLock<tls::Client>,
}

impl Dialer {
    /// The way to `endpoint`. Nothing is read or connected yet.
    pub(super) fn new(endpoint: Endpoint) -> Self {
        Self {
            endpoint,
            tls: OnceLock::new(),
        }
    }

    /// The server.
    pub(in crate::store) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The server's name in errors.
    pub(super) fn server(&self) -> String {
        self.endpoint.to_string()
    }

    /// Connects, and shakes hands where TLS is spoken. Fails within [`LIMIT`] for each of the two.
    pub(super) async fn dial(&self) -> Result<Stream, StoreError> {
        let opened = timeout(LIMIT, open(&self.endpoint.address)).await;
        let stream = match opened {
            Ok(Ok(stream)) => stream,
            Ok(Err(why)) => return Err(self.unreachable(words(&why))),
            Err(_) => return Err(self.unreachable(words(&io::ErrorKind::TimedOut.into()))),
        };
        let Some(client) = self.tls()? else {
            return Ok(stream);
        };
        match timeout(LIMIT, client.greet(stream)).await {
            Ok(Ok(stream)) => Ok(stream),
            Ok(Err(why)) => Err(self.disagreed(why)),
            Err(_) => Err(self.disagreed(self.silence().await)),
        }
    }

    /// Why a server that has shaken hands closes the connection: it had asked for a certificate
    /// that we do not have.
    pub(super) fn wants_certificate(&self) -> Option<StoreError> {
        let client = self.tls.get()?;
        let wants = client.wants_certificate();
        wants.then(|| self.disagreed(tls::NO_CERTIFICATE.to_owned()))
    }

    /// The same as the server itself tells it, which it does to another connection.
    pub(super) async fn verdict(&self) -> Option<StoreError> {
        let client = self.tls.get()?;
        let told = async {
            let stream = open(&self.endpoint.address).await.ok()?;
            client.verdict(stream).await
        };
        let why = timeout(LIMIT / 4, told).await.ok()??;
        Some(self.disagreed(why))
    }

    /// A connection in the open, to hear why there is none otherwise; none where TLS is spoken.
    pub(super) async fn in_the_open(&self) -> Option<Stream> {
        match self.endpoint.tls {
            Some(_) => None,
            None => open(&self.endpoint.address).await.ok(),
        }
    }

    /// Tells whether the server, which was not spoken to by TLS, speaks just that.
    pub(super) async fn speaks_tls(&self) -> bool {
        let asked = async {
            match self.in_the_open().await {
                Some(stream) => tls::says_hello(stream).await,
                None => false,
            }
        };
        timeout(LIMIT / 4, asked).await.unwrap_or(false)
    }

    /// The error where nobody answers.
    pub(super) fn unreachable(&self, why: String) -> StoreError {
        StoreError::NotConnected {
            server: self.server(),
            why,
        }
    }

    /// The error where it is how we talk that keeps us out.
    pub(super) fn disagreed(&self, why: String) -> StoreError {
        StoreError::Handshake {
            server: self.server(),
            why,
        }
    }

    fn tls(&self) -> Result<Option<&tls::Client>, StoreError> {
        let (Some(tls), Address::Tcp(host, _)) = (&self.endpoint.tls, &self.endpoint.address)
        else {
            return Ok(None);
        };
        if let Some(client) = self.tls.get() {
            return Ok(Some(client));
        }
        let client = tls::Client::read(tls, host).map_err(|why| self.disagreed(why))?;
        Ok(Some(self.tls.get_or_init(|| client)))
    }

    /// Why nothing answers our handshake: most often, since the port speaks in the open.
    async fn silence(&self) -> String {
        let said = async {
            let stream = open(&self.endpoint.address).await.ok()?;
            Some(tls::says_pong(stream).await)
        };
        match timeout(LIMIT / 8, said).await {
            Ok(Some(true)) => "this port speaks Redis without TLS: use redis://, or leave --tls \
                               out"
            .to_owned(),
            _ => "no answer to the TLS handshake".to_owned(),
        }
    }
}

async fn open(address: &Address) -> io::Result<Stream> {
    Ok(match address {
        Address::Tcp(host, port) => {
            let stream = TcpStream::connect((host.as_str(), *port)).await?;
            stream.set_nodelay(true)?;
            Box::new(stream)
        }
        Address::Unix(path) => Box::new(UnixStream::connect(path).await?),
    })
}

/// The system's words, without its number for them.
pub(super) fn words(why: &io::Error) -> String {
    let words = why.to_string();
    let words = words
        .split_once(" (os error")
        .map_or(&*words, |(words, _)| words);
    text::printable(words).into_owned()
}
