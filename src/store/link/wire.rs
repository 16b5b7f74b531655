//! Connections as they are used: logged in, in the database, with the server's time; and those in
//! subscriber mode.

use std::io;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

use redis::aio::{AsyncPushSender, MultiplexedConnection, PubSub};
use redis::{
    AsyncConnectionConfig, ErrorKind, Pipeline, ProtocolVersion, RedisConnectionInfo, RedisError,
    RedisResult, Value,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::super::error::{StoreError, on_its_way, passes, plain, words};
use super::Retries;
use super::dial::{self, Dialer};
use super::exchange::Exchange;
use super::paced::PacedStream;
use super::sentinel;
use super::socket::LinkStream;
use super::sole::SoleWire;
use super::tunnel::TunnelEnd;
use crate::clock::{ServerClock, instant};
use crate::queue::{Endpoint, text};

/// The time for which a server that is busy with a script is greeted again.
const BUSY: Duration = Duration::from_secs(1);

/// The time for which we listen for what a server says unasked.
const UNASKED: Duration = Duration::from_millis(300);
const WORDS: u64 = 1_000;

/// Only TLS is spoken there.
const TLS_THERE: &str = "this port speaks TLS: use rediss://, or --tls";

/// The attempt that has failed where nothing came through a command. Nobody can answer it: it has no
/// terminal.
const UNLED: &str = "greet us through tunnel_command, which can ask nobody for a passphrase (ssh -o \
                     BatchMode=yes fails then, and says so)";

/// Our name in CLIENT LIST.
const NAME: &str = "delayscope";

/// A connection that several requests share; cheap to clone. It is closed with its last clone, also
/// while the server owes an answer.
#[derive(Clone)]
pub(in crate::store) struct Wire {
    connection: MultiplexedConnection,
    _driver: Arc<Driver>,
}

/// The task that moves the bytes. Left to itself it would wait for what a server owes that hangs.
struct Driver(JoinHandle<()>);

impl Drop for Driver {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Deref for Wire {
    type Target = MultiplexedConnection;

    fn deref(&self) -> &MultiplexedConnection {
        &self.connection
    }
}

impl DerefMut for Wire {
    fn deref_mut(&mut self) -> &mut MultiplexedConnection {
        &mut self.connection
    }
}

impl Exchange for Wire {
    async fn exchange(&mut self, pipeline: &Pipeline) -> RedisResult<Vec<Value>> {
        self.send_packed_commands(pipeline, 0, pipeline.len()).await
    }
}

/// A connection on which the server has greeted us.
pub(in crate::store) struct GreetedWire<W = Wire> {
    /// The connection.
    pub(in crate::store) wire: W,
    /// The server's clock.
    pub(super) clock: ServerClock,
    /// It is a node of a cluster.
    pub(super) in_cluster: bool,
}

/// Connects, logs in, selects the database and asks for the time, the last three in one round
/// trip. RESP2 only and no HELLO or CLIENT SETINFO, so that Redis 5.0 has nothing to refuse.
pub(in crate::store) async fn connect(dialer: &Dialer) -> Result<GreetedWire, StoreError> {
    let stream = dialer.dial().await?;
    let tunnel = stream.tunnel();
    let wire = match bare(stream).await {
        Ok(wire) => wire,
        Err(error) => {
            let why = refusal(dialer, tunnel.as_ref()).await;
            return Err(why.unwrap_or_else(|| dialer.unreachable(plain(&error))));
        }
    };
    greeted(wire, tunnel, dialer).await
}

/// The same connection, for one request at a time.
pub(super) async fn connect_sole(dialer: &Dialer) -> Result<SoleWire<LinkStream>, StoreError> {
    let stream = dialer.dial().await?;
    let tunnel = stream.tunnel();
    let wire = SoleWire::new(stream);
    greeted(wire, tunnel, dialer)
        .await
        .map(|greeted| greeted.wire)
}

async fn greeted<W: Exchange>(
    mut wire: W,
    tunnel: Option<TunnelEnd>,
    dialer: &Dialer,
) -> Result<GreetedWire<W>, StoreError> {
    let mut again = Retries::within(BUSY);
    loop {
        match greet(&mut wire, tunnel.as_ref(), dialer).await {
            Ok((clock, in_cluster)) => {
                return Ok(GreetedWire {
                    wire,
                    clock,
                    in_cluster,
                });
            }
            // The next connection would come no sooner.
            Err(error) if error.code() == Some("BUSY") && again.soon().await => {}
            Err(error) => return Err(error),
        }
    }
}

/// A connection on which nothing was said yet.
pub(super) async fn bare(stream: LinkStream) -> Result<Wire, RedisError> {
    // We log in ourselves: the library does not pass on the words of a refusal.
    let bare = RedisConnectionInfo::default().set_skip_set_lib_name();
    driven(stream, &bare, AsyncConnectionConfig::new()).await
}

/// A connection over which the server tells which of the keys that were read there are written to
/// afterwards (CLIENT TRACKING, since Redis 6.0); none where it does not know how, or will not. An
/// error says nothing of that: it cannot be reached, or is busy.
pub(super) async fn told(
    dialer: &Dialer,
    says: impl AsyncPushSender,
) -> Result<Option<Wire>, RedisError> {
    let stream = dialer.dial().await;
    let stream =
        stream.map_err(|_| RedisError::from(io::Error::from(io::ErrorKind::NotConnected)))?;
    let endpoint = dialer.endpoint();
    let mut login = RedisConnectionInfo::default()
        .set_skip_set_lib_name()
        .set_db(endpoint.db)
        // In the older protocol another connection would have to listen.
        .set_protocol(ProtocolVersion::RESP3);
    if let Some(user) = &endpoint.user {
        login = login.set_username(user);
    }
    // Whoever has a name logs in, also with an empty password.
    if endpoint.user.is_some() || endpoint.password.is_some() {
        login = login.set_password(endpoint.password.as_deref().unwrap_or_default());
    }
    let config = AsyncConnectionConfig::new().set_push_sender(says);
    let is_busy = |error: &RedisError| error.code().is_some_and(passes);
    let mut wire = match driven(stream, &login, config).await {
        Ok(wire) => wire,
        Err(error) if is_busy(&error) => return Err(error),
        Err(_) => return Ok(None),
    };
    let mut asks = Pipeline::new();
    asks.cmd("CLIENT").arg("SETNAME").arg(NAME);
    asks.cmd("CLIENT").arg("TRACKING").arg("ON");
    match wire.exchange(&asks).await?.pop() {
        Some(Value::Okay) => Ok(Some(wire)),
        Some(Value::ServerError(error)) if passes(error.code()) => Err(error.into()),
        _ => Ok(None),
    }
}

/// A connection that the library has set up like this.
async fn driven(
    stream: LinkStream,
    settings: &RedisConnectionInfo,
    config: AsyncConnectionConfig,
) -> Result<Wire, RedisError> {
    // Each request has its own limit; see `Store::query`.
    let config = config.set_response_timeout(None);
    let (connection, driver) =
        MultiplexedConnection::new_with_config(settings, stream, config).await?;
    Ok(Wire {
        connection,
        _driver: Arc::new(Driver(tokio::spawn(driver))),
    })
}

/// A connection in subscriber mode, by a name that CLIENT LIST shows, if one is given. The
/// library's own cannot be named once it is one, so that it takes over after we have logged in.
pub(in crate::store) async fn pubsub(
    dialer: &Dialer,
    name: Option<&str>,
) -> Result<PubSub, StoreError> {
    let stream = dialer.dial().await?;
    subscriber(dialer, stream, name).await
}

/// The same, read in turns while much comes: for watching. What a worker hears it has to hear at once.
pub(in crate::store) async fn paced_pubsub(dialer: &Dialer) -> Result<PubSub, StoreError> {
    let stream = PacedStream::new(dialer.dial().await?);
    subscriber(dialer, Box::new(stream), None).await
}

async fn subscriber(
    dialer: &Dialer,
    stream: LinkStream,
    name: Option<&str>,
) -> Result<PubSub, StoreError> {
    let endpoint = dialer.endpoint();
    let mut hello = Pipeline::new();
    let login = add_login(&mut hello, endpoint);
    if let Some(name) = name {
        // Who may not do that goes unnamed.
        hello.cmd("CLIENT").arg("SETNAME").arg(name);
    }
    introduced(dialer, stream, (&hello, login), endpoint.db).await
}

/// A connection that has said `hello`, its answers read, in subscriber mode.
pub(super) async fn introduced(
    dialer: &Dialer,
    mut stream: LinkStream,
    hello: (&Pipeline, bool),
    db: i64,
) -> Result<PubSub, StoreError> {
    answers(dialer, &mut stream, hello).await?;
    let settings = RedisConnectionInfo::default()
        .set_skip_set_lib_name()
        .set_db(db);
    let opened = PubSub::new(&settings, stream).await;
    opened.map_err(|error| unheard(dialer.endpoint(), &error))
}

/// A connection to which the server copies the commands that it runs, by a name that CLIENT LIST
/// shows.
pub(in crate::store) async fn monitor(
    dialer: &Dialer,
    name: &str,
) -> Result<MonitorWire, StoreError> {
    let endpoint = dialer.endpoint();
    let mut hello = Pipeline::new();
    let login = add_login(&mut hello, endpoint);
    // Who may not do that goes unnamed, or does not know its number.
    hello.cmd("CLIENT").arg("SETNAME").arg(name);
    hello.cmd("CLIENT").arg("ID");
    hello.cmd("MONITOR");
    let mut stream = dialer.dial().await?;
    let mut said = answers(dialer, &mut stream, (&hello, login)).await?;
    let mut lines = said.split_inclusive(|byte| *byte == b'\n');
    let ours: Vec<String> = (&mut lines)
        .take(hello.len())
        .map(|line| String::from_utf8_lossy(line).trim_end().to_owned())
        .collect();
    let length = lines.map(<[u8]>::len).sum::<usize>();
    if let Some(words) = ours.last().and_then(|line| line.strip_prefix('-')) {
        return Err(StoreError::Refused {
            server: endpoint.to_string(),
            attempt: "run MONITOR",
            code: words.split(' ').next().unwrap_or_default().to_owned(),
            words: text::printable(words).into_owned(),
        });
    }
    let id = ours.iter().rev().nth(1).and_then(|line| {
        let number = line.strip_prefix(':')?;
        number.parse().ok()
    });
    let unread = said.split_off(said.len() - length);
    Ok(MonitorWire { stream, id, unread })
}

/// A connection to which the server copies the commands that it runs.
pub(in crate::store) struct MonitorWire {
    /// Its bytes.
    pub(in crate::store) stream: LinkStream,
    /// Its number in CLIENT LIST; none when the server would not tell it.
    pub(in crate::store) id: Option<u64>,
    /// Bytes of it that were read already.
    pub(in crate::store) unread: Vec<u8>,
}

/// The answers to `hello`, a line each, and what was read behind them. A refused login is an error;
/// `login` says whether `hello` begins with one.
async fn answers(
    dialer: &Dialer,
    stream: &mut LinkStream,
    (hello, login): (&Pipeline, bool),
) -> Result<Vec<u8>, StoreError> {
    let mut answers = Vec::new();
    let talk = async {
        if hello.is_empty() {
            return Ok(());
        }
        stream.write_all(&hello.get_packed_pipeline()).await?;
        while answers.split(|byte| *byte == b'\n').count() <= hello.len() {
            if stream.read_buf(&mut answers).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok::<(), io::Error>(())
    };
    let talked = talk.await;
    let said = String::from_utf8_lossy(&answers);
    let refusal = said.lines().next().and_then(|line| line.strip_prefix('-'));
    if let Err(closed) = talked {
        // Before it closes a connection a server may say why.
        let said = refusal.map(|words| dialer.unreachable(words.to_owned()));
        let why = match said.or_else(|| dialer.wants_certificate()) {
            None => dialer.tunnel_ended(stream.tunnel().as_ref()).await,
            why => why,
        };
        return Err(why.unwrap_or_else(|| dialer.unreachable(dial::words(&closed))));
    }
    if let Some(words) = refusal.filter(|words| login && !unwanted(words)) {
        return Err(StoreError::Denied {
            server: dialer.server(),
            words: words.to_owned(),
        });
    }
    Ok(answers)
}

/// Like redis-cli: a password that the server does not want is no reason to stay out.
pub(super) fn unwanted(words: &str) -> bool {
    words.contains("no password is set") || words.contains("without any password")
}

/// The reason why nothing is heard on a connection in subscriber mode.
pub(in crate::store) fn unheard(endpoint: &Endpoint, error: &RedisError) -> StoreError {
    let (server, words) = (endpoint.to_string(), plain(error));
    match error.code() {
        Some("NOAUTH" | "WRONGPASS") => StoreError::Denied { server, words },
        None if error.kind() == ErrorKind::AuthenticationFailed => {
            StoreError::Denied { server, words }
        }
        Some(code) => StoreError::Refused {
            server,
            attempt: "say what is published",
            code: code.to_owned(),
            words,
        },
        None => StoreError::NotConnected { server, why: words },
    }
}

/// Login, database, name and time, in one round trip.
async fn greet(
    wire: &mut impl Exchange,
    tunnel: Option<&TunnelEnd>,
    dialer: &Dialer,
) -> Result<(ServerClock, bool), StoreError> {
    let endpoint = dialer.endpoint();
    let server = || endpoint.to_string();
    let mut hello = Pipeline::new();
    let login = add_login(&mut hello, endpoint);
    if endpoint.db != 0 {
        hello.cmd("SELECT").arg(endpoint.db);
    }
    hello.cmd("CLIENT").arg("SETNAME").arg(NAME);
    // TIME is also answered by a server that still loads its data; this is not.
    hello.cmd("EXISTS").arg("delayscope:probe");
    // Only that server can lead to other nodes.
    let asks = dialer.home_of().is_some();
    if asks {
        hello.cmd("INFO").arg("cluster");
    }
    hello.cmd("TIME");
    let sent = instant();
    let limit = dialer.limit();
    let answer = timeout(limit, wire.exchange(&hello)).await;
    let values = match answer {
        Ok(Ok(values)) => values,
        Ok(Err(error)) => {
            let why = refusal(dialer, tunnel).await;
            return Err(why.unwrap_or_else(|| dialer.unreachable(plain(&error))));
        }
        Err(_) => {
            return Err(StoreError::TimedOut {
                server: server(),
                attempt: match tunnel {
                    Some(tunnel) if !tunnel.has_led() => UNLED,
                    _ => "greet us",
                },
                after: limit,
            });
        }
    };
    let answered = instant();
    if let Some(Value::ServerError(error)) = values.first().filter(|_| login) {
        let words = words(error);
        if !unwanted(&words) {
            return Err(StoreError::Denied {
                server: server(),
                words,
            });
        }
    }
    if let Some(Value::ServerError(error)) = values.get(usize::from(login)) {
        let code = error.code();
        if endpoint.db != 0
            && error
                .details()
                .is_some_and(|why| why.contains("cluster mode"))
        {
            return Err(dialer.disagreed(format!(
                "a cluster has no database but 0: leave {} out",
                endpoint.db
            )));
        }
        if endpoint.db != 0 && code != "NOAUTH" {
            return Err(StoreError::Refused {
                server: server(),
                attempt: "select the database",
                code: code.to_owned(),
                words: words(error),
            });
        }
    }
    if let Some(Value::ServerError(error)) = values.last()
        && error
            .details()
            .is_some_and(|details| details.contains("unknown command"))
        && let Some(names) = sentinel::watched(wire).await
    {
        return Err(dialer.disagreed(sentinel::there(endpoint, &names)));
    }
    let mut before = values.iter().rev().skip(1);
    let cluster = before.next().filter(|_| asks);
    let probe = if asks {
        before.next()
    } else {
        values.iter().rev().nth(1)
    };
    may_read(probe, endpoint)?;
    let time = values.last().unwrap_or(&Value::Nil);
    let us = read_time(time, endpoint)?;
    let clock = ServerClock::observed(us, sent, answered);
    Ok((
        clock,
        cluster.is_some_and(says_cluster) || is_elsewhere(probe),
    ))
}

/// Tells why a server closes a connection: what it says unasked, that it has enough clients, or that
/// it takes none from outside (the library does not pass it on); of one that speaks another
/// protocol, that it does; that it wants a certificate. Where a command leads there, that it does not.
async fn refusal(dialer: &Dialer, tunnel: Option<&TunnelEnd>) -> Option<StoreError> {
    // What TLS has to say of a connection that led somewhere says more.
    let has_tls = dialer.endpoint().tls.is_some() && tunnel.is_none_or(TunnelEnd::has_led);
    if !has_tls && let Some(broke) = dialer.tunnel_broke(tunnel).await {
        return Some(broke);
    }
    match server_refusal(dialer).await {
        None => dialer.tunnel_ended(tunnel).await,
        why => why,
    }
}

async fn server_refusal(dialer: &Dialer) -> Option<StoreError> {
    if dialer.endpoint().tls.is_some() {
        return dialer
            .verdict()
            .await
            .or_else(|| dialer.wants_certificate());
    }
    let said = said(dialer.in_the_open().await?, UNASKED + dialer.login() / 2).await;
    if said.is_empty() && dialer.speaks_tls().await {
        return Some(dialer.disagreed(TLS_THERE.to_owned()));
    }
    let words = String::from_utf8_lossy(said.strip_prefix(b"-").unwrap_or(&said));
    let words = text::printable(words.lines().next()?).into_owned();
    match said.first()? {
        b'-' => Some(dialer.unreachable(words)),
        // The marks of Redis's protocol.
        b'+' | b':' | b'$' | b'*' | b'%' | b'_' | b',' | b'#' | b'(' | b'=' | b'~' | b'>' => None,
        _ if said.starts_with(b"HTTP/") || said.starts_with(b"<") => Some(
            dialer
                .disagreed("this does not speak Redis, but HTTP: a web server is there".to_owned()),
        ),
        b'\x15' => Some(dialer.disagreed(TLS_THERE.to_owned())),
        _ => Some(dialer.disagreed(format!(
            "this does not speak Redis: it says {:?}",
            text::cut(&words, 40)
        ))),
    }
}

/// Reads what comes over a connection unasked; else what answers a line that is harmless to Redis,
/// and that a web server answers too.
async fn said(mut stream: LinkStream, unasked: Duration) -> Vec<u8> {
    let mut line = Vec::new();
    let mut reading = (&mut stream).take(WORDS);
    let _ = timeout(unasked, reading.read_to_end(&mut line)).await;
    if line.is_empty() && stream.write_all(b"PING / HTTP/1.0\r\n\r\n").await.is_ok() {
        let _ = timeout(UNASKED, stream.take(WORDS).read_to_end(&mut line)).await;
    }
    line
}

/// Tells whether INFO says that this is a node of a cluster.
fn says_cluster(info: &Value) -> bool {
    let enabled = b"cluster_enabled:1";
    matches!(info, Value::BulkString(text) if text.windows(enabled.len()).any(|w| w == enabled))
}

/// Tells whether a key is at another node of a cluster, or on its way to one.
fn is_elsewhere(answer: Option<&Value>) -> bool {
    matches!(answer, Some(Value::ServerError(error)) if on_its_way(error.code()))
}

/// Fails when the server lets nobody read for now. (That we may not read this key is no matter.)
fn may_read(answer: Option<&Value>, endpoint: &Endpoint) -> Result<(), StoreError> {
    match answer {
        Some(Value::ServerError(error)) if passes(error.code()) && !on_its_way(error.code()) => {
            Err(StoreError::Refused {
                server: endpoint.to_string(),
                attempt: "let us read",
                code: error.code().to_owned(),
                words: words(error),
            })
        }
        _ => Ok(()),
    }
}

/// Adds AUTH when there is something to log in with; tells whether there was.
fn add_login(hello: &mut Pipeline, endpoint: &Endpoint) -> bool {
    add_auth(
        hello,
        endpoint.user.as_deref(),
        endpoint.password.as_deref(),
    )
}

/// The same with a user and a password.
pub(super) fn add_auth(hello: &mut Pipeline, user: Option<&str>, password: Option<&str>) -> bool {
    match user {
        // The one-argument form also does for the default user, and is all that 5.0 knows.
        None | Some("default") => match password {
            Some(password) => hello.cmd("AUTH").arg(password),
            None => return false,
        },
        Some(user) => hello.cmd("AUTH").arg(user).arg(password.unwrap_or("")),
    };
    true
}

/// Microseconds since the epoch from a reply to TIME.
pub(in crate::store) fn read_time(value: &Value, endpoint: &Endpoint) -> Result<i64, StoreError> {
    let server = endpoint.to_string();
    match value {
        Value::ServerError(error) if matches!(error.code(), "NOAUTH" | "WRONGPASS") => {
            Err(StoreError::Denied {
                server,
                words: words(error),
            })
        }
        Value::ServerError(error) => Err(StoreError::Refused {
            server,
            attempt: "tell the time",
            code: error.code().to_owned(),
            words: words(error),
        }),
        other => time_us(other).ok_or_else(|| StoreError::Unexpected {
            server,
            attempt: "tell the time",
            got: format!("{other:?}"),
        }),
    }
}

/// Microseconds since the epoch, when `value` is what TIME answers.
pub(in crate::store) fn time_us(value: &Value) -> Option<i64> {
    let Value::Array(parts) = value else {
        return None;
    };
    let [Value::BulkString(seconds), Value::BulkString(micros)] = parts.as_slice() else {
        return None;
    };
    let number = |bytes: &[u8]| std::str::from_utf8(bytes).ok()?.parse::<i64>().ok();
    number(seconds)?
        .checked_mul(1_000_000)?
        .checked_add(number(micros)?)
}
