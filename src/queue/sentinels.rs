//! Sentinels: servers that watch a master and its replicas, and tell which one is the master now.

use std::fmt;

/// The port of a sentinel when none is given.
pub const SENTINEL_PORT: u16 = 26_379;

/// The sentinels that are asked where the master is, and how they are spoken to. Its `Debug` and
/// `Display` never show the password.
#[derive(Clone, Eq, Hash, PartialEq)]
pub struct Sentinels {
    /// Host and port of each that was named, at least one. They tell of others themselves.
    pub places: Vec<(String, u16)>,
    /// The master's name among those that they watch; none is the only one.
    pub name: Option<String>,
    /// Our ACL user at the sentinels themselves; none is the default user.
    pub user: Option<String>,
    /// Our password at the sentinels themselves, which need not be that of the master.
    pub password: Option<String>,
}

impl Sentinels {
    /// The places, as a URL has them: `a:26379,b:26379`.
    #[must_use]
    pub fn places(&self) -> String {
        places(&self.places)
    }

    /// Each of them with the name that it knows the master by: `a:26379/mymaster`.
    #[must_use]
    pub fn each(&self) -> Vec<String> {
        let name = self.name.as_deref().unwrap_or_default();
        let each = self.places.iter();
        each.map(|(host, port)| format!("{}/{name}", place(host, *port)))
            .collect()
    }
}

/// Several of them, as a URL has them: `a:26379,b:26379`.
#[must_use]
pub fn places(places: &[(String, u16)]) -> String {
    let places = places.iter().map(|(host, port)| place(host, *port));
    places.collect::<Vec<_>>().join(",")
}

/// `host:port`, with brackets around an address of IPv6.
#[must_use]
pub fn place(host: &str, port: u16) -> String {
    if host.contains(':') {
        format!("[{host}]:{port}")
    } else {
        format!("{host}:{port}")
    }
}

/// `sentinel a:26379,b:26379/mymaster`.
impl fmt::Display for Sentinels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sentinel {}", self.places())?;
        match &self.name {
            Some(name) => write!(f, "/{name}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Sentinels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Sentinels({self}, user {:?}, password {})",
            self.user,
            self.password.is_some()
        )
    }
}
