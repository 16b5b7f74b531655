//! The way to a server: who tells where it is, a socket, and TLS over it. The one place that makes
//! connections; nothing else in the program says how a server is reached.

use std::collections::BTreeMap;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use redis::Value;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio::sync::watch;
use tokio::time::{timeout, timeout_at};

use super::super::error::StoreError;
use super::replica::ReplicaWatch;
use super::sentinel::Guide;
use super::slots::Topology;
use super::socket::{Duplex, LinkStream, Socket};
use super::tunnel::{self, TunnelEnd};
use super::{socks, tls};
use crate::clock::instant;
use crate::queue::{Address, Endpoint, fleet, text};

/// The longest wait for the connection itself, its handshake, and then for the first answer.
pub(super) const LIMIT: Duration = Duration::from_secs(2);
/// The wait for one of several servers before the next one is tried beside it.
const NEXT: Duration = Duration::from_millis(250);
/// The same as [`LIMIT`] where a command leads to the server: it logs in somewhere else first.
const TUNNEL_LIMIT: Duration = Duration::from_secs(10);

/// The way to one server, by which every connection to it is made.
pub(in crate::store) struct Dialer {
    endpoint: Endpoint,
    /// TLS to each host, read from its files by the first connection; later ones go on with its
    /// sessions.
    tls: Mutex<BTreeMap<String, Arc<tls::TlsClient>>>,
    way: AddressSource,
    stays: watch::Sender<Stay>,
    /// The words of a server that is no master.
    replica: Mutex<ReplicaWatch>,
}

/// The source that tells where the server is.
pub(super) enum AddressSource {
    /// Sentinels.
    Sentinels(Guide),
    /// The address, or, if that turns out to be a node of a cluster, what is known of that.
    Nodes(Arc<Topology>, ClusterPlace),
}

/// A place in a cluster.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum ClusterPlace {
    /// The address that was named; another node, while that is away.
    Home,
    /// The node at the address.
    Node,
    /// The node that owns this slot.
    Slot(u16),
}

impl AddressSource {
    /// The way to what was named by the user.
    pub(super) fn to(address: &Address) -> Self {
        match address {
            Address::Sentinel(sentinels) => Self::Sentinels(Guide::new(sentinels.clone())),
            Address::Tcp(..) | Address::Unix(_) | Address::Cluster(_) => {
                Self::Nodes(Arc::default(), ClusterPlace::Home)
            }
        }
    }
}

/// The reason why one of several places is not taken.
enum SeedFailure {
    Away(StoreError),
    /// It takes connections, and ends them at the first word.
    Closes(Address),
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
    pub(super) fn new(endpoint: Endpoint, way: AddressSource) -> Self {
        Self {
            endpoint,
            tls: Mutex::default(),
            way,
            stays: watch::Sender::default(),
            replica: Mutex::default(),
        }
    }

    /// The server.
    pub(in crate::store) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The longest wait for a handshake, and then for the first answer.
    pub(super) fn limit(&self) -> Duration {
        match self.endpoint.via.command {
            Some(_) => TUNNEL_LIMIT,
            None => LIMIT,
        }
    }

    /// The longest wait for what begins with a connection and takes `direct` at most once there is
    /// one: with a command that leads to the server, its login more, and before that another one where
    /// sentinels are asked.
    pub(in crate::store) fn within(&self, direct: Duration) -> Duration {
        let logins = match self.way {
            AddressSource::Sentinels(_) => 2,
            AddressSource::Nodes(..) => 1,
        };
        direct + self.login() * logins
    }

    /// The longest wait for the login of a command; none without one.
    pub(super) fn login(&self) -> Duration {
        match self.endpoint.via.command {
            Some(_) => TUNNEL_LIMIT,
            None => Duration::ZERO,
        }
    }

    /// The error where the command of a connection broke, and so the connection.
    pub(super) async fn tunnel_broke(&self, tunnel: Option<&TunnelEnd>) -> Option<StoreError> {
        let words = tunnel?.broke().await?;
        Some(self.unreachable(words))
    }

    /// The error where nothing else explains why a connection ended.
    pub(super) async fn tunnel_ended(&self, tunnel: Option<&TunnelEnd>) -> Option<StoreError> {
        let words = tunnel?.ended().await?;
        Some(self.unreachable(words))
    }

    /// The server's name in errors.
    pub(super) fn server(&self) -> String {
        self.endpoint.to_string()
    }

    /// Connects, and shakes hands where TLS is spoken; of several places, to one that answers. Fails
    /// within [`LIMIT`] for each of these, and for whom is to be asked where the server is. The
    /// connection ends when we [leave](Self::leave).
    pub(super) async fn dial(&self) -> Result<LinkStream, StoreError> {
        // Before it is asked for: who leaves meanwhile has left this one too.
        let left = Some(self.left());
        let stream = match &self.way {
            AddressSource::Sentinels(guide) => {
                let master = guide.master(self, None).await?;
                self.open_at(master, "the master as the sentinels say")
                    .await?
            }
            AddressSource::Nodes(topology, site) => {
                let opened = self.open_in(topology, *site).await;
                if opened.is_err() {
                    topology.doubt();
                }
                opened?
            }
        };
        Ok(Box::new(EndingStream { stream, left }))
    }

    /// Connects to a place in what may be a cluster.
    async fn open_in(
        &self,
        topology: &Topology,
        site: ClusterPlace,
    ) -> Result<LinkStream, StoreError> {
        let named = &self.endpoint.address;
        let slot = match site {
            ClusterPlace::Node => return self.open(named).await,
            ClusterPlace::Home => return self.open_any(topology).await,
            ClusterPlace::Slot(slot) => slot,
        };
        match topology.owner(slot) {
            Some(owner) => self.open_at(owner, "the node that owns its slot").await,
            None => Err(self.unreachable(format!("no node of the cluster owns slot {slot}"))),
        }
    }

    /// Connects to the address that was named; if nobody answers there, to another node.
    async fn open_any(&self, topology: &Topology) -> Result<LinkStream, StoreError> {
        let named: Vec<Address> = match &self.endpoint.address {
            Address::Cluster(nodes) => nodes.iter().map(tcp).collect(),
            only => vec![only.clone()],
        };
        let known = topology.addresses().into_iter();
        let others: Vec<Address> = known.filter(|known| !named.contains(known)).collect();
        if let ([only], []) = (named.as_slice(), others.as_slice()) {
            let stream = self.open(only).await?;
            return Ok(self.taken(only, stream, topology));
        }
        let failed = match self.open_first(&named, topology).await {
            Ok(stream) => return Ok(stream),
            Err(failed) => failed,
        };
        if let Ok(stream) = self.open_first(&others, topology).await {
            return Ok(stream);
        }
        match failed {
            SeedFailure::Away(why) => Err(why),
            // Whoever greets it finds out why.
            SeedFailure::Closes(place) => {
                let stream = self.open(&place).await?;
                Ok(self.taken(&place, stream, topology))
            }
        }
    }

    /// Takes a connection to one of these places.
    fn taken(&self, place: &Address, stream: LinkStream, topology: &Topology) -> LinkStream {
        if let Some(name) = host_name(place) {
            topology.seed.get_or_init(|| name.to_owned());
        }
        let is_elsewhere = self.endpoint.address != *place;
        self.is_at(is_elsewhere.then(|| place.clone()));
        stream
    }

    /// Connects to one of these nodes. Each next one is tried when the one before has failed, or has not
    /// answered for a moment; the first that answers is taken. Where none does, the failure is that of
    /// the one that was named first.
    async fn open_first(
        &self,
        places: &[Address],
        topology: &Topology,
    ) -> Result<LinkStream, SeedFailure> {
        let each = places.iter().enumerate();
        let each = each.filter(|(n, place)| !places[..*n].contains(place));
        let mut waiting = each.map(|(_, place)| place);
        let attempt = async |place| (place, self.open_answering(place).await);
        let mut tried: FuturesUnordered<_> = waiting.next().map(attempt).into_iter().collect();
        let mut failed: Vec<(&Address, SeedFailure)> = Vec::new();
        while !tried.is_empty() {
            match timeout(NEXT + self.login(), tried.next()).await {
                Ok(Some((place, Ok(stream)))) => return Ok(self.taken(place, stream, topology)),
                Ok(Some((place, Err(failure)))) => failed.push((place, failure)),
                Ok(None) | Err(_) => {}
            }
            tried.extend(waiting.next().map(attempt));
        }
        let first = places.iter().find_map(|place| {
            let at = failed.iter().position(|(of, _)| *of == place)?;
            Some(failed.swap_remove(at).1)
        });
        let none = || SeedFailure::Away(self.unreachable("no node was named".to_owned()));
        Err(first.unwrap_or_else(none))
    }

    /// Connects to one of several places, and waits for a word from there: what takes connections and
    /// never speaks shall keep nobody from the others.
    async fn open_answering(&self, place: &Address) -> Result<LinkStream, SeedFailure> {
        let mut stream = self.open(place).await.map_err(SeedFailure::Away)?;
        match timeout(self.limit(), answers(&mut stream)).await {
            Ok(Ok(())) => Ok(stream),
            Ok(Err(_)) => Err(SeedFailure::Closes(place.clone())),
            Err(_) => Err(SeedFailure::Away(StoreError::TimedOut {
                server: self.server(),
                attempt: "greet us",
                after: self.limit(),
            })),
        }
    }

    /// Connects to an address that was looked up; `what` it is, for errors.
    async fn open_at(&self, address: Address, what: &str) -> Result<LinkStream, StoreError> {
        self.is_at(Some(address.clone()));
        self.open(&address).await.map_err(|error| match error {
            StoreError::NotConnected { why, .. } => {
                self.unreachable(format!("{why} at {address}, {what}"))
            }
            error => error,
        })
    }

    /// Takes note of the address that connections lead to, where it is not the endpoint's own.
    fn is_at(&self, address: Option<Address>) {
        self.stays.send_if_modified(|stay| {
            let is_new = stay.at != address;
            stay.at = address;
            is_new
        });
    }

    /// Connects to an address, and shakes hands where TLS is spoken.
    pub(super) async fn open(&self, address: &Address) -> Result<LinkStream, StoreError> {
        let opened = timeout(LIMIT, self.socket(address)).await;
        let stream = match opened {
            Ok(Ok(stream)) => stream,
            Ok(Err(why)) => return Err(self.unreachable(words(&why))),
            Err(_) => return Err(self.unreachable(words(&io::ErrorKind::TimedOut.into()))),
        };
        let Some(client) = self.tls(address)? else {
            return Ok(stream);
        };
        let tunnel = stream.tunnel();
        let until = instant() + self.limit();
        match timeout_at(until.into(), client.greet(stream)).await {
            Ok(Ok(stream)) => Ok(stream),
            Ok(Err(why)) if why.is_other_name => match self.greet_as_seed(address, until).await {
                Some(stream) => Ok(stream),
                None => Err(self.disagreed(why.words)),
            },
            Ok(Err(why)) if why.is_closed => Err(match self.tunnel_ended(tunnel.as_ref()).await {
                Some(ended) => ended,
                None => self.disagreed(why.words),
            }),
            Ok(Err(why)) => Err(self.disagreed(why.words)),
            Err(_) => Err(self.disagreed(self.silence(address).await)),
        }
    }

    /// Shakes hands anew with a node of a cluster that is announced by its address, where its
    /// certificate bears the name of the seed, within the time of the first handshake; later connections
    /// begin with that one.
    async fn greet_as_seed(&self, address: &Address, until: Instant) -> Option<LinkStream> {
        let (Some(tls), Address::Tcp(host, _)) = (&self.endpoint.tls, address) else {
            return None;
        };
        // The name that was tried may have been the seed's, of a node that has another one now.
        self.clients().remove(host);
        let seed = self.topology()?.seed.get()?;
        if tls.name.is_some() || host_name(address).is_some() {
            return None;
        }
        let client = Arc::new(tls::TlsClient::read(tls, seed).ok()?);
        let greeted = async {
            let stream = self.socket(address).await.ok()?;
            client.greet(stream).await.ok()
        };
        let stream = timeout_at(until.into(), greeted).await.ok()??;
        self.clients().insert(host.clone(), client);
        Some(stream)
    }

    fn clients(&self) -> MutexGuard<'_, BTreeMap<String, Arc<tls::TlsClient>>> {
        // Nothing panics while it holds the lock.
        self.tls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection in the open to what an address stands for.
    async fn socket(&self, address: &Address) -> io::Result<LinkStream> {
        let via = &self.endpoint.via;
        Ok(match address {
            Address::Tcp(host, port) => {
                let (host, port) = via.mapped(host, *port);
                if let Some(command) = &via.command {
                    return Ok(Box::new(tunnel::open(command, &host, port)?));
                }
                let stream = match &via.proxy {
                    Some(proxy) => socks::connect(proxy, &host, port).await?,
                    None => TcpStream::connect((host.as_str(), port)).await?,
                };
                stream.set_nodelay(true)?;
                Box::new(Socket::Tcp(stream))
            }
            Address::Unix(_) if via.command.is_some() => {
                let why = "a socket of this machine needs no tunnel_command";
                return Err(io::Error::new(io::ErrorKind::NotConnected, why));
            }
            Address::Unix(path) => Box::new(Socket::Unix(UnixStream::connect(path).await?)),
            Address::Sentinel(_) | Address::Cluster(_) => {
                return Err(io::ErrorKind::AddrNotAvailable.into());
            }
        })
    }

    /// Says why nothing answers our handshake: most often, since the port speaks in the open.
    async fn silence(&self, address: &Address) -> String {
        let said = async {
            let stream = self.socket(address).await.ok()?;
            Some(tls::says_pong(stream).await)
        };
        match timeout(LIMIT / 8 + self.login(), said).await {
            Ok(Some(true)) => "this port speaks Redis without TLS: use redis://, or leave --tls \
                               out"
            .to_owned(),
            _ => "no answer to the TLS handshake".to_owned(),
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

    /// The slot that this leads to, once its first owner was left: connections break then because
    /// there is another one.
    pub(super) fn left_slot(&self) -> Option<u16> {
        match self.way {
            AddressSource::Nodes(_, ClusterPlace::Slot(slot)) if self.turn() > 0 => Some(slot),
            _ => None,
        }
    }

    /// Where the endpoint leads to, when that is not its own address: the master of now.
    pub(super) fn leads_to(&self) -> Option<Address> {
        self.stays.borrow().at.clone()
    }

    /// Leaves the server, each time when whoever leads us names another one; for ever.
    pub(super) async fn follow(&self) {
        match &self.way {
            AddressSource::Sentinels(guide) => {
                let leave = |master| {
                    if self.leads_to().is_some_and(|at| at != master) {
                        self.leave();
                    }
                };
                guide.follow(self, leave).await;
            }
            AddressSource::Nodes(topology, ClusterPlace::Slot(slot)) => {
                self.follow_slot(topology, *slot).await;
            }
            AddressSource::Nodes(_, ClusterPlace::Home | ClusterPlace::Node) => {}
        }
    }

    async fn follow_slot(&self, topology: &Topology, slot: u16) {
        let mut stays = self.stays.subscribe();
        loop {
            let at = stays.borrow_and_update().at.clone();
            let Some(at) = at else {
                // It lives as long as `self`.
                let _ = stays.changed().await;
                continue;
            };
            tokio::select! {
                () = topology.changed(slot, &at) => self.leave(),
                _ = stays.changed() => {}
            }
        }
    }

    /// The map of the cluster, when the server may be a node of one.
    pub(super) fn topology(&self) -> Option<&Topology> {
        match &self.way {
            AddressSource::Nodes(topology, _) => Some(topology),
            AddressSource::Sentinels(_) => None,
        }
    }

    /// The sentinels that lead to the server, each with its last answer; none where none do.
    pub(super) fn sentinels(&self) -> Vec<fleet::SentinelAnswer> {
        match &self.way {
            AddressSource::Sentinels(guide) => guide.heard(),
            AddressSource::Nodes(..) => Vec::new(),
        }
    }

    /// The same for the address that was named.
    pub(super) fn home_of(&self) -> Option<&Arc<Topology>> {
        match &self.way {
            AddressSource::Nodes(topology, ClusterPlace::Home) if !self.endpoint.via.alone => {
                Some(topology)
            }
            _ => None,
        }
    }

    /// Tells whether this leads to a node of a cluster beside the one that was named.
    pub(super) fn is_beside(&self) -> bool {
        matches!(
            self.way,
            AddressSource::Nodes(_, ClusterPlace::Node | ClusterPlace::Slot(_))
        )
    }

    /// Learns from raw replies where slots are.
    pub(super) fn hear<'a>(&self, values: impl IntoIterator<Item = &'a Value>) {
        if let (Some(topology), Some(at)) = (self.topology(), self.place()) {
            topology.hear(values, &at);
        }
    }

    /// Learns from the server itself whether it is the master. One that was is left.
    pub(super) fn heard_role(&self, is_master: bool) {
        if self.replica().heard_role(is_master, instant()) {
            self.leave_replica();
        }
    }

    /// Learns that the server has refused a write as a replica does, on a connection of that
    /// [turn](Self::turn).
    pub(in crate::store) fn heard_refusal(&self, turn: u64) {
        // One that was left already says nothing of where we are.
        if turn == self.turn() && self.replica().refused(instant()) {
            self.leave_replica();
        }
    }

    fn replica(&self) -> MutexGuard<'_, ReplicaWatch> {
        // Nothing panics while it holds the lock.
        self.replica.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves a server that is no master, where what is named may lead to another one: sentinels, a
    /// proxy, a name. In a cluster its map tells who is the master of what.
    fn leave_replica(&self) {
        match &self.way {
            AddressSource::Nodes(topology, place)
                if topology.is_known()
                    || *place != ClusterPlace::Home
                    || self.endpoint.via.alone =>
            {
                self.doubt();
            }
            _ => self.leave(),
        }
    }

    /// Has it looked up soon where the server is.
    pub(super) fn doubt(&self) {
        if let Some(topology) = self.topology() {
            topology.doubt();
        }
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

    /// Says why a server that has shaken hands closes the connection: it had asked for a certificate
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
            let stream = self.socket(&place).await.ok()?;
            client.verdict(stream).await
        };
        let why = timeout(LIMIT / 4 + self.login(), told).await.ok()??;
        Some(self.disagreed(why))
    }

    /// A connection in the open, to hear why there is none otherwise; none where TLS is spoken.
    pub(super) async fn in_the_open(&self) -> Option<LinkStream> {
        match self.endpoint.tls {
            Some(_) => None,
            None => self.socket(&self.place()?).await.ok(),
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
        timeout(LIMIT / 4 + self.login(), asked)
            .await
            .unwrap_or(false)
    }

    /// The address of the server itself, once it is known.
    pub(super) fn place(&self) -> Option<Address> {
        let named = match &self.way {
            AddressSource::Nodes(_, ClusterPlace::Home | ClusterPlace::Node) => {
                match &self.endpoint.address {
                    Address::Cluster(_) => None,
                    address => Some(address.clone()),
                }
            }
            AddressSource::Nodes(_, ClusterPlace::Slot(_)) | AddressSource::Sentinels(_) => None,
        };
        self.leads_to().or(named)
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
    fn tls(&self, address: &Address) -> Result<Option<Arc<tls::TlsClient>>, StoreError> {
        let (Some(tls), Address::Tcp(host, _)) = (&self.endpoint.tls, address) else {
            return Ok(None);
        };
        let mut clients = self.clients();
        if let Some(client) = clients.get(host) {
            return Ok(Some(Arc::clone(client)));
        }
        let client = tls::TlsClient::read(tls, host).map_err(|why| self.disagreed(why))?;
        let client = Arc::new(client);
        clients.insert(host.clone(), Arc::clone(&client));
        Ok(Some(client))
    }
}

/// A connection that ends when the server is left, although the server goes on answering: a master
/// that is none any more takes writes for seconds, and they are lost.
struct EndingStream {
    stream: LinkStream,
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

/// The reason why a connection ended.
const LEFT: &str = "it was left, to see where the address leads now";

impl Duplex for EndingStream {
    fn rest(&mut self) {
        self.stream.rest();
    }

    fn tunnel(&self) -> Option<TunnelEnd> {
        self.stream.tunnel()
    }
}

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

/// Waits for any answer, of one line. What comes behind it is not read.
async fn answers(stream: &mut LinkStream) -> io::Result<()> {
    stream.write_all(b"PING\r\n").await?;
    while stream.read_u8().await? != b'\n' {}
    Ok(())
}

/// The host of an address, where that is a name.
fn host_name(address: &Address) -> Option<&str> {
    match address {
        Address::Tcp(host, _) if host.parse::<IpAddr>().is_err() => Some(host),
        _ => None,
    }
}

fn tcp((host, port): &(String, u16)) -> Address {
    Address::Tcp(host.clone(), *port)
}

/// The system's words, without its number for them.
pub(super) fn words(why: &io::Error) -> String {
    let words = why.to_string();
    let words = words
        .split_once(" (os error")
        .map_or(&*words, |(words, _)| words);
    text::printable(words).into_owned()
}
