//! A server's URL, as redis-cli and the clients write it.

use std::path::PathBuf;

use crate::queue::via::Via;
use crate::queue::{Address, Endpoint, SENTINEL_PORT, Sentinels, Tls};

/// The host when none is given.
pub(super) const HOST: &str = "127.0.0.1";
/// The port when none is given.
pub(super) const PORT: u16 = 6379;

/// The server when nobody names one.
pub(super) fn default() -> Endpoint {
    Endpoint {
        address: Address::Tcp(HOST.to_owned(), PORT),
        db: 0,
        user: None,
        password: None,
        tls: None,
        via: Via::default(),
        profile: None,
    }
}

/// The reason why a URL cannot be used. Never repeats what may be a password.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum BadUrl {
    /// Not a scheme that we know.
    #[error(
        "the URL scheme {0:?} is unknown. Use redis://, rediss:// (with TLS), valkey://, valkeys://, unix:// or redis-sentinel://."
    )]
    Scheme(String),
    /// No `://`.
    #[error("the URL lacks its scheme. Write redis://HOST:PORT/DB or unix:///PATH?db=N.")]
    NoScheme,
    /// Not a port.
    #[error("the URL's port is no number from 1 to 65535. User and password stand before an @.")]
    Port,
    /// Not a database number.
    #[error("the URL's database is no number from 0 on.")]
    Db,
    /// An IPv6 address that does not end.
    #[error("the URL's host lacks its closing bracket: write [::1].")]
    Bracket,
    /// A unix socket's URL without the path.
    #[error("the URL lacks the socket's path. Write unix:///PATH?db=N.")]
    NoPath,
    /// A `%` without its two hex digits.
    #[error("the URL's {0} has a % that no two hex digits follow. Write % as %25.")]
    Percent(&'static str),
    /// A `/` or `?` in front of the `@`, which looks like the end of the host.
    #[error("the URL has a / or ? before its @. In a password, write / as %2F and ? as %3F.")]
    Unescaped,
    /// An option that we do not know.
    #[error(
        "one of the URL's options is unknown. There are db, user and password; with redis-sentinel:// also sentinelMasterId, sentinel_username and sentinel_password."
    )]
    Option,
    /// More behind the hosts of sentinels than a name and a database.
    #[error("the URL's path is neither /DB nor /NAME/DB.")]
    Path,
}

/// Reads `redis://[user:password@]host[:port][/db]`, `valkey://…`, `unix:///path?db=N`, and
/// `rediss://…` or `valkeys://…` for TLS; and of sentinels, as Lettuce and as Python write them,
/// `redis-sentinel://[user:password@]host[:port],…[/db]?sentinelMasterId=NAME` and
/// `redis+sentinel://host,…/NAME[/db]`, with `rediss…` for TLS to both. Several hosts of `redis://` are
/// nodes of one cluster.
///
/// A user part without a colon is the password, as in redis-cli.
pub fn parse(text: &str) -> Result<Endpoint, BadUrl> {
    read(text).map_err(|why| match why {
        // What is wrong there is the rest of the password.
        BadUrl::Port | BadUrl::Db | BadUrl::Option | BadUrl::Path if is_cut_short(text) => {
            BadUrl::Unescaped
        }
        other => other,
    })
}

/// Tells whether an `@` follows what looks like the end of the host.
fn is_cut_short(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.find(['/', '?'])
        .is_some_and(|end| rest[end..].contains('@'))
}

fn read(text: &str) -> Result<Endpoint, BadUrl> {
    let (scheme, rest) = text.split_once("://").ok_or(BadUrl::NoScheme)?;
    let (rest, options) = rest.split_once('?').unwrap_or((rest, ""));
    let mut endpoint = match scheme.to_ascii_lowercase().as_str() {
        "redis" | "valkey" => tcp(rest)?,
        "unix" | "redis+unix" | "valkey+unix" | "redis-socket" => unix(rest)?,
        "rediss" | "valkeys" | "redis+tls" | "valkey+tls" => Endpoint {
            tls: Some(Tls::default()),
            ..tcp(rest)?
        },
        "redis-sentinel" | "redis+sentinel" | "valkey-sentinel" | "valkey+sentinel" => {
            sentinels(rest)?
        }
        "rediss-sentinel" | "rediss+sentinel" | "valkeys-sentinel" | "valkeys+sentinel" => {
            Endpoint {
                tls: Some(Tls::default()),
                ..sentinels(rest)?
            }
        }
        _ => {
            // In front of it may stand what belongs behind it.
            let word = scheme.rsplit(|c: char| !c.is_ascii_alphanumeric()).next();
            return Err(BadUrl::Scheme(word.unwrap_or_default().to_owned()));
        }
    };
    for option in options.split('&').filter(|o| !o.is_empty()) {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        match name {
            "db" | "database" => endpoint.db = db(value)?,
            "user" | "username" => endpoint.user = non_empty(decode(value, "user")?),
            "pass" | "password" => endpoint.password = non_empty(decode(value, "password")?),
            _ => match &mut endpoint.address {
                Address::Sentinel(sentinels) => sentinel_option(name, value, sentinels)?,
                _ => return Err(BadUrl::Option),
            },
        }
    }
    Ok(endpoint)
}

fn tcp(rest: &str) -> Result<Endpoint, BadUrl> {
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let (user, password, place) = credentials(authority)?;
    let mut places = Vec::new();
    for place in place.split(',') {
        places.push(host_and_port(place, PORT)?);
    }
    let address = match &places[..] {
        [(host, port)] => Address::Tcp(host.clone(), *port),
        _ => Address::Cluster(places),
    };
    let path = path.trim_end_matches('/');
    Ok(Endpoint {
        address,
        db: if path.is_empty() { 0 } else { db(path)? },
        user,
        password,
        tls: None,
        via: Via::default(),
        profile: None,
    })
}

fn host_and_port(place: &str, usual: u16) -> Result<(String, u16), BadUrl> {
    let (host, port) = if let Some(v6) = place.strip_prefix('[') {
        let (host, after) = v6.split_once(']').ok_or(BadUrl::Bracket)?;
        (host.to_owned(), after.strip_prefix(':').unwrap_or(after))
    } else {
        let (host, port) = place.rsplit_once(':').unwrap_or((place, ""));
        (decode(host, "host")?, port)
    };
    let host = non_empty(host).unwrap_or_else(|| HOST.to_owned());
    let port = match port {
        "" => usual,
        port => self::port(port)?,
    };
    Ok((host, port))
}

/// The hosts of sentinels, and the database or the master's name or both.
fn sentinels(rest: &str) -> Result<Endpoint, BadUrl> {
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let (user, password, places) = credentials(authority)?;
    let places = places.split(',');
    let places: Result<_, _> = places
        .map(|one| host_and_port(one, SENTINEL_PORT))
        .collect();
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let (name, db) = match parts[..] {
        [] => (None, 0),
        [one] => match one.parse() {
            Ok(db @ 0..) => (None, db),
            _ => (Some(decode(one, "path")?), 0),
        },
        [name, number] => (Some(decode(name, "path")?), self::db(number)?),
        _ => return Err(BadUrl::Path),
    };
    Ok(Endpoint {
        address: Address::Sentinel(Sentinels {
            places: places?,
            name,
            user: None,
            password: None,
        }),
        db,
        user,
        password,
        tls: None,
        via: Via::default(),
        profile: None,
    })
}

fn sentinel_option(name: &str, value: &str, sentinels: &mut Sentinels) -> Result<(), BadUrl> {
    let text = decode(value, "option")?;
    match name {
        "sentinelMasterId" | "master_name" | "service_name" => sentinels.name = non_empty(text),
        "sentinel_username" | "sentinel_user" => sentinels.user = non_empty(text),
        "sentinel_password" | "sentinel_pass" => sentinels.password = non_empty(text),
        _ => return Err(BadUrl::Option),
    }
    Ok(())
}

fn unix(rest: &str) -> Result<Endpoint, BadUrl> {
    let at = rest.find('/').ok_or(BadUrl::NoPath)?;
    let (authority, path) = rest.split_at(at);
    let (user, password, _) = credentials(authority)?;
    if path.len() < 2 {
        return Err(BadUrl::NoPath);
    }
    Ok(Endpoint {
        address: Address::Unix(PathBuf::from(decode(path, "path")?)),
        db: 0,
        user,
        password,
        tls: None,
        via: Via::default(),
        profile: None,
    })
}

/// User, password, and what follows them.
type Credentials<'a> = (Option<String>, Option<String>, &'a str);

fn credentials(authority: &str) -> Result<Credentials<'_>, BadUrl> {
    let Some((info, place)) = authority.rsplit_once('@') else {
        return Ok((None, None, authority));
    };
    let (user, password) = info.split_once(':').unwrap_or(("", info));
    Ok((
        non_empty(decode(user, "user")?),
        non_empty(decode(password, "password")?),
        place,
    ))
}

fn port(text: &str) -> Result<u16, BadUrl> {
    match text.parse() {
        Ok(0) | Err(_) => Err(BadUrl::Port),
        Ok(port) => Ok(port),
    }
}

fn db(text: &str) -> Result<i64, BadUrl> {
    match text.parse() {
        Ok(db @ 0..) => Ok(db),
        _ => Err(BadUrl::Db),
    }
}

fn non_empty(text: String) -> Option<String> {
    Some(text).filter(|t| !t.is_empty())
}

fn decode(text: &str, part: &'static str) -> Result<String, BadUrl> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        if *first != b'%' {
            bytes.push(*first);
            rest = tail;
            continue;
        }
        let digits = tail.get(..2).and_then(|d| std::str::from_utf8(d).ok());
        let byte = digits
            .filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))
            .and_then(|d| u8::from_str_radix(d, 16).ok())
            .ok_or(BadUrl::Percent(part))?;
        bytes.push(byte);
        rest = &tail[2..];
    }
    String::from_utf8(bytes).map_err(|_| BadUrl::Percent(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(url: &str) -> (String, Option<String>, Option<String>) {
        let e = parse(url).unwrap();
        (e.to_string(), e.user, e.password)
    }

    #[test]
    fn every_part_of_a_url_has_a_default() {
        let some = |s: &str| Some(s.to_owned());
        let cases = [
            ("redis://", "127.0.0.1:6379/0", None, None),
            ("redis://db", "db:6379/0", None, None),
            ("redis://db:7000/3", "db:7000/3", None, None),
            ("REDIS://db/3/", "db:6379/3", None, None),
            ("valkey://[::1]:7000", "[::1]:7000/0", None, None),
            ("redis://[::1]/1", "[::1]:6379/1", None, None),
            ("redis://:p@db", "db:6379/0", None, some("p")),
            ("redis://p@db", "db:6379/0", None, some("p")),
            ("redis://u:p%40%3A@db", "db:6379/0", some("u"), some("p@:")),
            ("redis://u:a@b@db", "db:6379/0", some("u"), some("a@b")),
            ("redis://db?db=4", "db:6379/4", None, None),
            ("unix:///run/r.sock?db=1", "/run/r.sock db 1", None, None),
            ("unix://u:p@/r%20s", "/r s db 0", some("u"), some("p")),
            (
                "redis+unix:///r?user=u&pass=p",
                "/r db 0",
                some("u"),
                some("p"),
            ),
        ];
        for (url, place, user, password) in cases {
            assert_eq!(parts(url), (place.to_owned(), user, password), "{url}");
        }
    }

    #[test]
    fn a_scheme_of_tls_asks_for_all_checks() {
        for url in ["rediss://db", "VALKEYS://db", "redis+tls://db"] {
            assert_eq!(parse(url).unwrap().tls, Some(Tls::default()), "{url}");
        }
        for url in ["redis://db", "valkey://db", "unix:///r"] {
            assert_eq!(parse(url).unwrap().tls, None, "{url}");
        }
    }

    #[test]
    fn sentinels_are_named_as_the_clients_do() {
        let two = "sentinel a:26379,b:7000";
        let cases = [
            (
                "redis-sentinel://a,b:7000/3?sentinelMasterId=mymaster",
                format!("{two}/mymaster/3"),
            ),
            ("redis+sentinel://a,b:7000/my%20m", format!("{two}/my m/0")),
            (
                "rediss+sentinel://a,b:7000/mymaster/2",
                format!("{two}/mymaster/2"),
            ),
            ("redis-sentinel://a,b:7000/2", format!("{two}/2")),
            (
                "valkey-sentinel://a,b:7000?service_name=m&db=4",
                format!("{two}/m/4"),
            ),
            (
                "redis-sentinel://[::1],c",
                "sentinel [::1]:26379,c:26379/0".to_owned(),
            ),
            ("redis-sentinel://", "sentinel 127.0.0.1:26379/0".to_owned()),
        ];
        for (url, place) in cases {
            assert_eq!(parse(url).unwrap().to_string(), place, "{url}");
        }
        let with = "redis-sentinel://u:p@a?sentinel_username=v&sentinel_password=%71";
        let (_, user, password) = parts(with);
        assert_eq!([user.unwrap(), password.unwrap()], ["u", "p"]);
        let Address::Sentinel(sentinels) = parse(with).unwrap().address else {
            panic!("{with} names sentinels")
        };
        let login = [sentinels.user.clone(), sentinels.password.clone()];
        assert_eq!(login.map(Option::unwrap), ["v", "q"]);
        assert!(!format!("{sentinels:?}").contains('q'));
        assert!(parse("rediss-sentinel://a").unwrap().tls.is_some());
        assert_eq!(parse("redis-sentinel://a").unwrap().tls, None);
    }

    #[test]
    fn a_url_that_cannot_be_used_says_why_and_never_the_password() {
        let cases = [
            ("rediss://u:secret@h:x", BadUrl::Port),
            ("http://u:secret@h", BadUrl::Scheme("http".into())),
            ("secret@h", BadUrl::NoScheme),
            ("redis:secret", BadUrl::NoScheme),
            ("redis://user:secret", BadUrl::Port),
            ("redis://h/secret", BadUrl::Db),
            ("redis://h?secret", BadUrl::Option),
            ("u:secret@http://h", BadUrl::Scheme("http".into())),
            ("redis://:secret@h:0", BadUrl::Port),
            ("redis://:secret@h:x", BadUrl::Port),
            ("redis://:secret@h:1/x", BadUrl::Db),
            ("redis://:secret@h:1/-1", BadUrl::Db),
            ("redis://:secret@[::1", BadUrl::Bracket),
            ("redis://:secret%zz@h", BadUrl::Percent("password")),
            ("redis://:secret@h?tls=1", BadUrl::Option),
            ("redis://:p/secret@h", BadUrl::Unescaped),
            ("redis://:secret/p@h", BadUrl::Unescaped),
            ("redis://:secret?p@h", BadUrl::Unescaped),
            ("redis://:p?secret@h", BadUrl::Unescaped),
            ("redis://:p@p/secret@h", BadUrl::Unescaped),
            ("redis://:secret@a,b:x", BadUrl::Port),
            ("redis-sentinel://:secret@a,b:x", BadUrl::Port),
            ("redis-sentinel://:secret@a/m/x", BadUrl::Db),
            ("redis-sentinel://:secret@a/m/0/x", BadUrl::Path),
            ("redis-sentinel://:secret@a?timeout=secret", BadUrl::Option),
            ("redis-sentinel://:p/secret@a", BadUrl::Unescaped),
            ("unix://secret", BadUrl::NoPath),
            ("unix:///", BadUrl::NoPath),
        ];
        for (url, why) in cases {
            let error = parse(url).unwrap_err();
            assert!(!error.to_string().contains("secret"), "{error}");
            assert_eq!(error, why, "{url}");
        }
    }
}
