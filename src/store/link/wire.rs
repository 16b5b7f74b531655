//! The one place that makes connections. TLS, Sentinel and Cluster will be told apart here, by
//! the endpoint's kind; nothing else in the program says how a server is reached.

use std::io;
use std::time::Duration;

use redis::aio::{MultiplexedConnection, PubSub};
use redis::io::tcp::TcpSettings;
use redis::{
    AsyncConnectionConfig, Client, ConnectionAddr, ConnectionInfo, ErrorKind, IntoConnectionInfo,
    Pipeline, RedisConnectionInfo, RedisError, Value,
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;

use super::super::error::{StoreError, passes, plain, words};
use super::Retries;
use crate::clock::{ServerClock, instant};
use crate::queue::{Address, Endpoint, text};

/// The longest wait for the connection itself, and then for the first answer.
const LIMIT: Duration = Duration::from_secs(2);

/// The time for which a server that is busy with a script is greeted again.
const BUSY: Duration = Duration::from_secs(1);

/// The time for which we listen for what a server says unasked.
const UNASKED: Duration = Duration::from_millis(300);
const WORDS: u64 = 1_000;

/// Our name in CLIENT LIST.
const NAME: &str = "delayscope";

/// Connects, logs in, selects the database and asks for the time, the last three in one round
/// trip. RESP2 only and no HELLO or CLIENT SETINFO, so that Redis 5.0 has nothing to refuse.
pub(in crate::store) async fn connect(
    endpoint: &Endpoint,
) -> Result<(MultiplexedConnection, ServerClock), StoreError> {
    let unreachable = |why: String| StoreError::NotConnected {
        server: endpoint.to_string(),
        why,
    };
    // We log in ourselves: the library does not pass on the words of a refusal.
    let bare = RedisConnectionInfo::default().set_skip_set_lib_name();
    let client = client(endpoint, bare).map_err(|e| unreachable(plain(&e)))?;
    let config = AsyncConnectionConfig::new()
        .set_connection_timeout(Some(LIMIT))
        // Each request has its own limit; see `Store::query`.
        .set_response_timeout(None);
    let opened = client.get_multiplexed_async_connection_with_config(&config);
    let mut wire = match opened.await {
        Ok(wire) => wire,
        Err(error) if error.is_connection_refusal() || error.is_timeout() => {
            return Err(unreachable(plain(&error)));
        }
        Err(error) => {
            let why = unasked(&endpoint.address).await;
            return Err(unreachable(why.unwrap_or_else(|| plain(&error))));
        }
    };
    let mut again = Retries::within(BUSY);
    loop {
        match greet(&mut wire, endpoint).await {
            Ok(clock) => return Ok((wire, clock)),
            // The next connection would come no sooner.
            Err(error) if error.code() == Some("BUSY") && again.soon().await => {}
            Err(error) => return Err(error),
        }
    }
}

/// A connection in subscriber mode.
pub(in crate::store) async fn pubsub(endpoint: &Endpoint) -> Result<PubSub, StoreError> {
    let opened = subscriber(endpoint)?.get_async_pubsub().await;
    match opened {
        // As in `greet`: the password may be one that the server does not want. If it is a wrong
        // one, subscribing is refused.
        Err(error) if error.kind() == ErrorKind::AuthenticationFailed => {
            let bare = Endpoint {
                user: None,
                password: None,
                ..endpoint.clone()
            };
            subscriber(&bare)?.get_async_pubsub().await
        }
        other => other,
    }
    .map_err(|e| unheard(endpoint, &e))
}

/// The same, by a name that CLIENT LIST shows. The library's own cannot be named once it is one, so
/// that it takes over after we have logged in.
pub(in crate::store) async fn named_pubsub(
    endpoint: &Endpoint,
    name: &str,
) -> Result<PubSub, StoreError> {
    let mut hello = Pipeline::new();
    let login = add_login(&mut hello, endpoint);
    // Who may not do that goes unnamed.
    hello.cmd("CLIENT").arg("SETNAME").arg(name);
    let unreachable = |why: io::Error| StoreError::NotConnected {
        server: endpoint.to_string(),
        why: why.to_string(),
    };
    match &endpoint.address {
        Address::Tcp(host, port) => {
            let stream = TcpStream::connect((host.as_str(), *port)).await;
            let stream = stream.map_err(unreachable)?;
            stream.set_nodelay(true).map_err(unreachable)?;
            introduced(endpoint, stream, (&hello, login)).await
        }
        Address::Unix(path) => {
            let stream = UnixStream::connect(path).await.map_err(unreachable)?;
            introduced(endpoint, stream, (&hello, login)).await
        }
    }
}

/// A connection that has said `hello`, its answers read: a line each.
async fn introduced<S>(
    endpoint: &Endpoint,
    mut stream: S,
    (hello, login): (&Pipeline, bool),
) -> Result<PubSub, StoreError>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let server = || endpoint.to_string();
    let mut answers = Vec::new();
    let talk = async {
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
    if let Err(why) = talked {
        // Before it closes a connection a server may say why.
        let why = refusal.map_or_else(|| why.to_string(), str::to_owned);
        return Err(StoreError::NotConnected {
            server: server(),
            why,
        });
    }
    if let Some(words) = refusal.filter(|words| login && !unwanted(words)) {
        return Err(StoreError::Denied {
            server: server(),
            words: words.to_owned(),
        });
    }
    let settings = RedisConnectionInfo::default()
        .set_skip_set_lib_name()
        .set_db(endpoint.db);
    let opened = PubSub::new(&settings, stream).await;
    opened.map_err(|error| unheard(endpoint, &error))
}

/// Like redis-cli: a password that the server does not want is no reason to stay out.
fn unwanted(words: &str) -> bool {
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

/// A client for a connection in subscriber mode, which logs in by the library's means.
fn subscriber(endpoint: &Endpoint) -> Result<Client, StoreError> {
    let mut settings = RedisConnectionInfo::default()
        .set_skip_set_lib_name()
        .set_db(endpoint.db);
    if let Some(user) = endpoint.user.as_deref() {
        settings = settings.set_username(user);
    }
    if let Some(password) = endpoint.password.as_deref() {
        settings = settings.set_password(password);
    } else if endpoint.user.is_some() {
        settings = settings.set_password("");
    }
    client(endpoint, settings).map_err(|e| StoreError::NotConnected {
        server: endpoint.to_string(),
        why: plain(&e),
    })
}

fn client(endpoint: &Endpoint, settings: RedisConnectionInfo) -> redis::RedisResult<Client> {
    let address = match &endpoint.address {
        Address::Tcp(host, port) => ConnectionAddr::Tcp(host.clone(), *port),
        Address::Unix(path) => ConnectionAddr::Unix(path.clone()),
    };
    let info: ConnectionInfo = address
        .into_connection_info()?
        .set_tcp_settings(TcpSettings::default().set_nodelay(true))
        .set_redis_settings(settings);
    Client::open(info)
}

/// Login, database, name and time, in one round trip.
async fn greet(
    wire: &mut MultiplexedConnection,
    endpoint: &Endpoint,
) -> Result<ServerClock, StoreError> {
    let server = || endpoint.to_string();
    let mut hello = Pipeline::new();
    let login = add_login(&mut hello, endpoint);
    if endpoint.db != 0 {
        hello.cmd("SELECT").arg(endpoint.db);
    }
    hello.cmd("CLIENT").arg("SETNAME").arg(NAME);
    // TIME is also answered by a server that still loads its data; this is not.
    hello.cmd("EXISTS").arg("delayscope:probe");
    hello.cmd("TIME");
    let (sent, count) = (instant(), hello.len());
    let answer = timeout(LIMIT, wire.send_packed_commands(&hello, 0, count)).await;
    let values = match answer {
        Ok(Ok(values)) => values,
        Ok(Err(error)) => {
            let why = unasked(&endpoint.address).await;
            return Err(StoreError::NotConnected {
                server: server(),
                why: why.unwrap_or_else(|| plain(&error)),
            });
        }
        Err(_) => {
            return Err(StoreError::TimedOut {
                server: server(),
                attempt: "greet us",
                after: LIMIT,
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
        if endpoint.db != 0 && code != "NOAUTH" {
            return Err(StoreError::Refused {
                server: server(),
                attempt: "select the database",
                code: code.to_owned(),
                words: words(error),
            });
        }
    }
    may_read(values.iter().rev().nth(1), endpoint)?;
    let time = values.last().unwrap_or(&Value::Nil);
    read_time(time, endpoint).map(|us| ServerClock::observed(us, sent, answered))
}

/// Tells what a server says unasked before it closes a connection: that it has enough clients, or
/// that it takes none from outside. The library does not pass it on. Of one that speaks another
/// protocol, that it does.
async fn unasked(address: &Address) -> Option<String> {
    let said = match address {
        Address::Tcp(host, port) => {
            said(TcpStream::connect((host.as_str(), *port)).await.ok()?).await
        }
        Address::Unix(path) => said(UnixStream::connect(path).await.ok()?).await,
    };
    let words = String::from_utf8_lossy(said.strip_prefix(b"-").unwrap_or(&said));
    let words = text::printable(words.lines().next()?).into_owned();
    match said.first()? {
        b'-' => Some(words),
        // The marks of Redis's protocol.
        b'+' | b':' | b'$' | b'*' | b'%' | b'_' | b',' | b'#' | b'(' | b'=' | b'~' | b'>' => None,
        _ if said.starts_with(b"HTTP/") || said.starts_with(b"<") => {
            Some("this does not speak Redis, but HTTP: a web server is there".to_owned())
        }
        b'\x15' => Some("this does not speak Redis as it is, but TLS".to_owned()),
        _ => Some(format!(
            "this does not speak Redis: it says {:?}",
            text::cut(&words, 40)
        )),
    }
}

/// Reads what comes over a connection unasked; else what answers a line that is harmless to Redis,
/// and that a web server answers too.
async fn said<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S) -> Vec<u8> {
    let mut line = Vec::new();
    let mut reading = (&mut stream).take(WORDS);
    let _ = timeout(UNASKED, reading.read_to_end(&mut line)).await;
    if line.is_empty() && stream.write_all(b"PING / HTTP/1.0\r\n\r\n").await.is_ok() {
        let _ = timeout(UNASKED, stream.take(WORDS).read_to_end(&mut line)).await;
    }
    line
}

/// Fails when the server lets nobody read for now. (That we may not read this key is no matter.)
fn may_read(answer: Option<&Value>, endpoint: &Endpoint) -> Result<(), StoreError> {
    match answer {
        Some(Value::ServerError(error)) if passes(error.code()) => Err(StoreError::Refused {
            server: endpoint.to_string(),
            attempt: "let us read",
            code: error.code().to_owned(),
            words: words(error),
        }),
        _ => Ok(()),
    }
}

/// Adds AUTH when there is something to log in with; tells whether there was.
fn add_login(hello: &mut Pipeline, endpoint: &Endpoint) -> bool {
    let password = endpoint.password.as_deref();
    match endpoint.user.as_deref() {
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
