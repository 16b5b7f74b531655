//! The way to a server: who tells where it is, a socket, and TLS over it. The one place that makes
//! connections; nothing else in the program says how a server is reached.

use std::collections::BTreeMap;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio::sync::watch;
use tokio::time::timeout;

use super::super::error::StoreError;
use super::sentinel::Guide;
use super::tls;
use crate::queue::{Address, Endpoint, text};

/// The longest wait for the connection itself, its handshake, and then for the first answer.
pub(super) const LIMIT: Duration = Duration::from_secs(2);

/// Bytes to a server and from it.
pub(in crate::store) trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Duplex for S {}

/// A connection, in the open or by TLS.
pub(in crate::store) type Stream = Box<dyn Duplex>;

/// The way to one server, by which every connection to it is made.
pub(in crate::store) struct Dialer {
    endpoint: Endpoint,
    /// TLS to each host, read from its files by the first connection; later ones go on with its
    /// sessions.
    tls: Mutex<BTreeMap<String, Arc<tls::Client>>>,
    /// Whom to ask where the server is, when its address is not the one that we connect to.
    guide: Option<Guide>,
    stays: watch::Sender<Stay>,
}

/// Where we are, until we leave.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
struct Stay {
    /// Counts how often we have left. Connections that were begun before the last time end.
    turn: u64,
    /// The address that the last connection led to, where the endpoint's own is another thing.
    at: Option<Address>,
}

impl Dialer {
    /// The way to `endpoint`. Nothing is read or connected yet.
    pub(super) fn new(endpoint: Endpoint) -> Self {
        let guide = match &endpoint.address {
            Address::Sentinel(sentinels) => Some(Guide::new(sentinels.clone())),
            Address::Tcp(..) | Address::Unix(_) => None,
        };
        Self {
            endpoint,
            tls: Mutex::default(),
            guide,
            stays: watch::Sender::default(),
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

    /// Connects, and shakes hands where TLS is spoken. Fails within [`LIMIT`] for each of the two,
    /// and for whom is to be asked where the server is. The connection ends when we
    /// [leave](Self::leave).
    pub(super) async fn dial(&self) -> Result<Stream, StoreError> {
        // Before it is asked for: who leaves meanwhile has left this one too.
        let left = Some(self.left());
        let Some(guide) = &self.guide else {
            let stream = self.open(&self.endpoint.address).await?;
            return Ok(Box::new(EndingStream { stream, left }));
        };
        let master = guide.master(self).await?;
        self.stays.send_if_modified(|stay| {
            let is_new = stay.at.as_ref() != Some(&master);
            stay.at = Some(master.clone());
            is_new
        });
        let stream = self.open(&master).await.map_err(|error| match error {
            StoreError::NotConnected { why, .. } => self.unreachable(format!(
                "{why} at {master}, the master as the sentinels say"
            )),
            error => error,
        })?;
        Ok(Box::new(EndingStream { stream, left }))
    }

    /// Connects to an address, and shakes hands where TLS is spoken.
    pub(super) async fn open(&self, address: &Address) -> Result<Stream, StoreError> {
        let opened = timeout(LIMIT, open(address)).await;
        let stream = match opened {
            Ok(Ok(stream)) => stream,
            Ok(Err(why)) => return Err(self.unreachable(words(&why))),
            Err(_) => return Err(self.unreachable(words(&io::ErrorKind::TimedOut.into()))),
        };
        let Some(client) = self.tls(address)? else {
            return Ok(stream);
        };
        match timeout(LIMIT, client.greet(stream)).await {
            Ok(Ok(stream)) => Ok(stream),
            Ok(Err(why)) => Err(self.disagreed(why)),
            Err(_) => Err(self.disagreed(silence(address).await)),
        }
    }

    /// Leaves the server: every connection that was made so far ends, and the next ones are led
    /// anew.
    pub(in crate::store) fn leave(&self) {
        self.stays.send_modify(|stay| {
            *stay = Stay {
                turn: stay.turn + 1,
                at: None,
            }
        });
    }

    /// Counts how often we have left. A connection of an earlier turn has ended.
    pub(in crate::store) fn turn(&self) -> u64 {
        self.stays.borrow().turn
    }

    /// Where the endpoint leads to, when that is not its own address: the master of now.
    pub(super) fn leads_to(&self) -> Option<Address> {
        self.stays.borrow().at.clone()
    }

    /// Leaves the server, each time when whoever leads us names another one; for ever.
    pub(super) async fn follow(&self) {
        let Some(guide) = &self.guide else { return };
        guide
            .follow(self, |master| {
                if self.leads_to().is_some_and(|at| at != master) {
                    self.leave();
                }
            })
            .await;
    }

    /// Ends when we leave the server.
    fn left(&self) -> BoxFuture<'static, ()> {
        let mut stays = self.stays.subscribe();
        let turn = stays.borrow_and_update().turn;
        async move {
            // An error means that there is no link any more.
            let _ = stays.wait_for(|stay| stay.turn != turn).await;
        }
        .boxed()
    }

    /// Why a server that has shaken hands closes the connection: it had asked for a certificate
    /// that we do not have.
    pub(super) fn wants_certificate(&self) -> Option<StoreError> {
        let client = self.tls(&self.place()?).ok()??;
        let wants = client.wants_certificate();
        wants.then(|| self.disagreed(tls::NO_CERTIFICATE.to_owned()))
    }

    /// The same as the server itself tells it, which it does to another connection.
    pub(super) async fn verdict(&self) -> Option<StoreError> {
        let place = self.place()?;
        let client = self.tls(&place).ok()??;
        let told = async {
            let stream = open(&place).await.ok()?;
            client.verdict(stream).await
        };
        let why = timeout(LIMIT / 4, told).await.ok()??;
        Some(self.disagreed(why))
    }

    /// A connection in the open, to hear why there is none otherwise; none where TLS is spoken.
    pub(super) async fn in_the_open(&self) -> Option<Stream> {
        match self.endpoint.tls {
            Some(_) => None,
            None => open(&self.place()?).await.ok(),
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

    /// The address of the server itself, once it is known.
    fn place(&self) -> Option<Address> {
        match &self.guide {
            Some(_) => self.leads_to(),
            None => Some(self.endpoint.address.clone()),
        }
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

    /// TLS to an address; none is in the open.
    fn tls(&self, address: &Address) -> Result<Option<Arc<tls::Client>>, StoreError> {
        let (Some(tls), Address::Tcp(host, _)) = (&self.endpoint.tls, address) else {
            return Ok(None);
        };
        // Nothing panics while it holds the lock.
        let mut clients = self.tls.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(host) {
            return Ok(Some(Arc::clone(client)));
        }
        let client = tls::Client::read(tls, host).map_err(|why| self.disagreed(why))?;
        let client = Arc::new(client);
        clients.insert(host.clone(), Arc::clone(&client));
        Ok(Some(client))
    }
}

/// A connection that ends when the server is left, although the server goes on answering: a master
/// that is none any more takes writes for seconds, and they are lost.
struct EndingStream {
    stream: Stream,
    /// Ends when the server is left; none: it was left.
    left: Option<BoxFuture<'static, ()>>,
}

impl EndingStream {
    /// An error once the server was left; wakes who waits when that happens.
    fn check(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        if let Some(left) = &mut self.left
            && left.poll_unpin(cx).is_pending()
        {
            return Ok(());
        }
        self.left = None;
        Err(io::Error::new(io::ErrorKind::ConnectionAborted, LEFT))
    }
}

/// Why a connection ended.
const LEFT: &str = "it was left, to see where the address leads now";

impl AsyncRead for EndingStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        // What has come already is an answer, and counts.
        match Pin::new(&mut self.stream).poll_read(cx, buf) {
            Poll::Pending => match self.check(cx) {
                Ok(()) => Poll::Pending,
                Err(left) => Poll::Ready(Err(left)),
            },
            ready @ Poll::Ready(_) => ready,
        }
    }
}

impl AsyncWrite for EndingStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.check(cx)?;
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// Why nothing answers our handshake: most often, since the port speaks in the open.
async fn silence(address: &Address) -> String {
    let said = async {
        let stream = open(address).await.ok()?;
        Some(tls::says_pong(stream).await)
    };
    match timeout(LIMIT / 8, said).await {
        Ok(Some(true)) => "this port speaks Redis without TLS: use redis://, or leave --tls \
                           out"
        .to_owned(),
        _ => "no answer to the TLS handshake".to_owned(),
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
        Address::Sentinel(_) => return Err(io::ErrorKind::AddrNotAvailable.into()),
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
