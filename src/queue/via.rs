//! The way to servers that cannot be reached where they say they are: through a SOCKS5 proxy or a
//! command, at other addresses, or one node alone.

use std::fmt;
use std::str::FromStr;

use super::sentinels::place;

/// The way every connection is made. Its `Debug` never shows what may hold a password.
#[derive(Clone, Default, Eq, PartialEq)]
pub struct Via {
    /// The proxy that all of them go through.
    pub proxy: Option<Proxy>,
    /// The command that each of them goes through: a line for the shell, in which `{host}` and
    /// `{port}` stand for the address. Its input and output are the connection.
    pub command: Option<String>,
    /// Addresses that are named or announced, each with that in its place.
    pub map: Vec<AddressMapping>,
    /// The server that is named alone, although it is a node of a cluster.
    pub alone: bool,
}

/// A SOCKS5 proxy, such as `ssh -D` makes one.
#[derive(Clone, Eq, PartialEq)]
pub struct Proxy {
    /// Its host.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// User and password, where it wants them.
    pub login: Option<(String, String)>,
}

/// An address in place of another one.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct AddressMapping {
    /// The address as servers tell it; without a port, of any.
    from: (String, Option<u16>),
    /// Where to connect instead; without a port, at the same.
    to: (String, Option<u16>),
}

/// The reason why a proxy or a mapping cannot be read.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum BadVia {
    /// No proxy of the kind that we know.
    #[error("a proxy is written like socks5://localhost:1080 (`help connection` tells of a login)")]
    Proxy,
    /// No pair of addresses.
    #[error(
        "a mapping is written ANNOUNCED=REACHED, each HOST or HOST:PORT: 10.0.0.7:6379=localhost:7001"
    )]
    Map,
}

/// The port of a proxy when none is given.
const PROXY_PORT: u16 = 1_080;

impl Via {
    /// Where to connect when that address is meant.
    #[must_use]
    pub fn mapped(&self, host: &str, port: u16) -> (String, u16) {
        let fits =
            |one: &&AddressMapping| one.from.0 == host && one.from.1.is_none_or(|own| own == port);
        match self.by_weight().find(fits) {
            Some(one) => (one.to.0.clone(), one.to.1.unwrap_or(port)),
            None => (host.to_owned(), port),
        }
    }

    /// The mappings in the order in which they count: one that names the port before one that does
    /// not, and of the same kind a later one before an earlier one.
    pub fn by_weight(&self) -> impl Iterator<Item = &AddressMapping> {
        let with_port = |exact: bool| {
            let all = self.map.iter().rev();
            all.filter(move |one| one.from.1.is_some() == exact)
        };
        with_port(true).chain(with_port(false))
    }
}

/// A host, and a port where it names one.
type MappedEnd<'a> = (&'a str, Option<u16>);

impl AddressMapping {
    /// Both of its ends: what servers tell, and where to connect instead.
    #[must_use]
    pub fn ends(&self) -> (MappedEnd<'_>, MappedEnd<'_>) {
        let [from, to] = [&self.from, &self.to].map(|end| (end.0.as_str(), end.1));
        (from, to)
    }
}

impl FromStr for Proxy {
    type Err = BadVia;

    fn from_str(text: &str) -> Result<Self, BadVia> {
        let rest = text
            .strip_prefix("socks5://")
            .or_else(|| text.strip_prefix("socks5h://"));
        let rest = rest.ok_or(BadVia::Proxy)?;
        let (login, at) = match rest.rsplit_once('@') {
            Some((login, at)) => (Some(login.split_once(':').ok_or(BadVia::Proxy)?), at),
            None => (None, rest),
        };
        let (host, port) = host_and_port(at.trim_end_matches('/')).ok_or(BadVia::Proxy)?;
        // Both have one byte for their length.
        let fits = |word: &str| (1..=255).contains(&word.len());
        if login.is_some_and(|(user, password)| !fits(user) || !fits(password)) {
            return Err(BadVia::Proxy);
        }
        Ok(Self {
            host,
            port: port.unwrap_or(PROXY_PORT),
            login: login.map(|(user, password)| (user.to_owned(), password.to_owned())),
        })
    }
}

impl FromStr for AddressMapping {
    type Err = BadVia;

    fn from_str(text: &str) -> Result<Self, BadVia> {
        let (from, to) = text.split_once('=').ok_or(BadVia::Map)?;
        let read = |text| host_and_port(text).ok_or(BadVia::Map);
        Ok(Self {
            from: read(from)?,
            to: read(to)?,
        })
    }
}

/// Reads `HOST`, `HOST:PORT`, `[::1]`, `[::1]:PORT`.
fn host_and_port(text: &str) -> Option<(String, Option<u16>)> {
    let (host, port) = match text.strip_prefix('[') {
        Some(rest) => {
            let (host, rest) = rest.split_once(']')?;
            match rest {
                "" => (host, None),
                rest => (host, Some(rest.strip_prefix(':')?)),
            }
        }
        None => match text.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (text, None),
        },
    };
    let port = match port {
        Some(port) => Some(port.parse().ok().filter(|port| *port > 0)?),
        None => None,
    };
    (!host.is_empty()).then(|| (host.to_owned(), port))
}

/// `socks5://host:1080`, without the login.
impl fmt::Display for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "socks5://{}", place(&self.host, self.port))
    }
}

impl fmt::Debug for Via {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Via")
            .field("proxy", &self.proxy)
            .field("command", &self.command.is_some())
            .field("map", &self.map)
            .field("alone", &self.alone)
            .finish()
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Proxy({self}, login {})", self.login.is_some())
    }
}

/// `10.0.0.7:6379=localhost:7001`, as it is written.
impl fmt::Display for AddressMapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = |(host, port): &(String, Option<u16>)| match port {
            Some(port) => place(host, *port),
            None if host.contains(':') => format!("[{host}]"),
            None => host.clone(),
        };
        write!(f, "{}={}", one(&self.from), one(&self.to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_announced_address_is_replaced_by_the_one_that_names_its_port_first() {
        let map = ["10.0.0.7=gate", "10.0.0.7:6379=localhost:7001", "[::1]:5=h"];
        let via = Via {
            map: map.map(|text| text.parse().unwrap()).to_vec(),
            ..Via::default()
        };
        let of = |host, port| via.mapped(host, port);
        assert_eq!(of("10.0.0.7", 6379), ("localhost".to_owned(), 7001));
        assert_eq!(of("10.0.0.7", 6380), ("gate".to_owned(), 6380));
        assert_eq!(of("::1", 5), ("h".to_owned(), 5));
        assert_eq!(of("other", 6379), ("other".to_owned(), 6379));
        assert_eq!(
            via.map.iter().map(ToString::to_string).collect::<Vec<_>>(),
            map
        );
        for bad in ["a", "a=", "=b", "a:0=b", "a:x=b", "[::1=b"] {
            assert_eq!(bad.parse::<AddressMapping>(), Err(BadVia::Map), "{bad}");
        }
    }

    #[test]
    fn a_proxy_has_a_login_that_is_never_shown() {
        let proxy: Proxy = "socks5://me:s3:cret@gate:9050".parse().unwrap();
        let login = ("me".to_owned(), "s3:cret".to_owned());
        assert_eq!((proxy.port, &proxy.login), (9_050, &Some(login)));
        assert!(!format!("{proxy} {proxy:?}").contains("cret"));
        let plain: Proxy = "socks5h://[::1]".parse().unwrap();
        assert_eq!(plain.to_string(), "socks5://[::1]:1080");
        for bad in ["gate:1080", "http://gate", "socks5://", "socks5://me@gate"] {
            assert_eq!(bad.parse::<Proxy>(), Err(BadVia::Proxy), "{bad}");
        }
    }
}
