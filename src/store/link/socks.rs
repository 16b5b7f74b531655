//! A connection through a SOCKS5 proxy (RFC 1928, and 1929 for its login). The proxy looks names up.

use std::io;
use std::net::IpAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::queue::sentinels::place;
use crate::queue::via::Proxy;

/// The longest wait for the first word of a proxy.
const ANSWER: Duration = Duration::from_secs(1);
const VERSION: u8 = 5;
const NO_LOGIN: u8 = 0;
const BY_PASSWORD: u8 = 2;
const CONNECT: u8 = 1;

/// Connects to a server through the proxy. An error says whose fault it is.
pub(super) async fn connect(proxy: &Proxy, host: &str, port: u16) -> io::Result<TcpStream> {
    let name = place(&proxy.host, proxy.port);
    let opened = TcpStream::connect((proxy.host.as_str(), proxy.port)).await;
    let mut stream = opened.map_err(|why| {
        let why = why.kind();
        io::Error::new(
            io::ErrorKind::NotConnected,
            format!("proxy {name} does not answer ({why}): check --proxy"),
        )
    })?;
    stream.set_nodelay(true)?;
    let said = |words: String| io::Error::other(words);
    let no_proxy = || {
        said(format!(
            "what answers at {name} is no SOCKS5 proxy: check --proxy"
        ))
    };
    let methods: &[u8] = if proxy.login.is_some() {
        &[NO_LOGIN, BY_PASSWORD]
    } else {
        &[NO_LOGIN]
    };
    let mut hello = vec![VERSION, u8::try_from(methods.len()).unwrap_or(1)];
    hello.extend(methods);
    stream.write_all(&hello).await?;
    let mut chosen = [0; 2];
    // Another server waits for more of what it takes for a line.
    let heard = timeout(ANSWER, stream.read_exact(&mut chosen)).await;
    if !matches!(heard, Ok(Ok(_))) {
        return Err(no_proxy());
    }
    match (chosen, &proxy.login) {
        ([VERSION, NO_LOGIN], _) => {}
        ([VERSION, BY_PASSWORD], Some((user, password))) => {
            let mut login = vec![1];
            for word in [user, password] {
                login.push(u8::try_from(word.len()).unwrap_or(u8::MAX));
                login.extend(word.as_bytes());
            }
            stream.write_all(&login).await?;
            let mut answer = [0; 2];
            let heard = stream.read_exact(&mut answer).await;
            if heard.is_err() || answer[1] != 0 {
                return Err(said(format!(
                    "proxy {name} refuses the login: check --proxy"
                )));
            }
        }
        ([VERSION, _], _) => {
            return Err(said(format!(
                "proxy {name} wants a login: --proxy socks5://USER:PASSWORD@{name}"
            )));
        }
        _ => return Err(no_proxy()),
    }
    let mut wish = vec![VERSION, CONNECT, 0];
    match host.parse() {
        Ok(IpAddr::V4(ip)) => {
            wish.push(1);
            wish.extend(ip.octets());
        }
        Ok(IpAddr::V6(ip)) => {
            wish.push(4);
            wish.extend(ip.octets());
        }
        Err(_) => {
            let length = u8::try_from(host.len());
            let length = length.map_err(|_| said("that host's name is too long".to_owned()))?;
            wish.extend([3, length]);
            wish.extend(host.as_bytes());
        }
    }
    wish.extend(port.to_be_bytes());
    stream.write_all(&wish).await?;
    let mut answer = [0; 4];
    stream
        .read_exact(&mut answer)
        .await
        .map_err(|_| no_proxy())?;
    let [_, code, _, kind] = answer;
    if code != 0 {
        return Err(said(format!("{} (says proxy {name})", reason(code))));
    }
    // The address from which it went on; nothing comes behind it unasked.
    let length = match kind {
        1 => 4,
        4 => 16,
        3 => usize::from(stream.read_u8().await?),
        _ => return Err(no_proxy()),
    };
    let mut bound = vec![0; length + 2];
    stream.read_exact(&mut bound).await?;
    Ok(stream)
}

fn reason(code: u8) -> &'static str {
    match code {
        2 => "it is not allowed",
        3 => "network unreachable",
        4 => "host unreachable",
        5 => "connection refused",
        6 => "no answer",
        _ => "it cannot be reached",
    }
}
