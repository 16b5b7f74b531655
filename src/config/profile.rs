//! A profile: a server by name, with what is to hold there.

use super::password::{self, NoPassword};
use super::reader::{BadFile, ConfigItem};
use super::{sentinel, tls, url, via};
use crate::args::{SentinelFlags, TlsFlags, ViaFlags};
use crate::payload::Codec;
use crate::queue::via::BadVia;
use crate::queue::{Address, Endpoint, Queue, Verify};

/// A server by name, with what is to hold there.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Its name for `--profile` and `:profile`: no spaces.
    pub name: String,
    /// The server, without the password that `Profile::unlocked` asks for.
    pub endpoint: Endpoint,
    /// Prints the password when the shell runs it.
    pub password_command: Option<String>,
    /// The same for the password at the sentinels that lead to the server.
    pub sentinel_password_command: Option<String>,
    /// Every change is refused.
    pub read_only: bool,
    /// A change that asks wants the queue's name for an answer, and no demo plays here.
    pub protected: bool,
    /// Words for the header; none: `profile NAME`.
    pub label: Option<String>,
    /// The colour of those words; none: that of text.
    pub label_colour: Option<LabelColour>,
    /// Its queues; none: all that are found.
    pub queues: Vec<Queue>,
    /// The codecs of its queues' payloads, by their names, where these are not to say it
    /// themselves.
    pub codecs: Vec<(String, &'static str)>,
    /// Days for which its changes are kept in the journal; none: as elsewhere.
    pub keep_days: Option<u32>,
}

/// The colour of a label: one of the screen's roles, or one of the terminal's 16.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum LabelColour {
    /// The colour of data.
    Text,
    /// The colour of decoration.
    Dim,
    /// The colour of keys.
    Accent,
    /// The colour of titles.
    Strong,
    /// The colour of what is late or critical.
    Late,
    /// The colour of a warning.
    Warn,
    /// The colour of what is well.
    Ok,
    /// The terminal's own colour with this number, 0 to 15.
    Own(u8),
}

/// Names of colours.
const COLOURS: &[(&str, LabelColour)] = &[
    ("text", LabelColour::Text),
    ("dim", LabelColour::Dim),
    ("accent", LabelColour::Accent),
    ("strong", LabelColour::Strong),
    ("late", LabelColour::Late),
    ("warn", LabelColour::Warn),
    ("ok", LabelColour::Ok),
    ("black", LabelColour::Own(0)),
    ("red", LabelColour::Own(1)),
    ("green", LabelColour::Own(2)),
    ("yellow", LabelColour::Own(3)),
    ("blue", LabelColour::Own(4)),
    ("magenta", LabelColour::Own(5)),
    ("cyan", LabelColour::Own(6)),
    ("white", LabelColour::Own(7)),
    ("bright-black", LabelColour::Own(8)),
    ("bright-red", LabelColour::Own(9)),
    ("bright-green", LabelColour::Own(10)),
    ("bright-yellow", LabelColour::Own(11)),
    ("bright-blue", LabelColour::Own(12)),
    ("bright-magenta", LabelColour::Own(13)),
    ("bright-cyan", LabelColour::Own(14)),
    ("bright-white", LabelColour::Own(15)),
];

/// The checks of a server's certificate.
const CHECKS: &[(&str, Verify)] = &[
    (Verify::Full.word(), Verify::Full),
    (Verify::Ca.word(), Verify::Ca),
    (Verify::None.word(), Verify::None),
];

/// The keys of a profile.
pub(super) const KEYS: &[&str] = &[
    "url",
    "tls",
    "sni",
    "cacert",
    "cacertdir",
    "cert",
    "key",
    "tls_verify",
    "password_command",
    "proxy",
    "tunnel_command",
    "map",
    "node",
    "sentinel_user",
    "sentinel_password_command",
    "read_only",
    "protected",
    "label",
    "label_colour",
    "queues",
    "codecs",
    "journal",
];

impl Profile {
    /// Reads `[profiles.NAME]`.
    pub(super) fn read(of: &ConfigItem) -> Result<Self, BadFile> {
        let name = of.key;
        if name.is_empty() || name.chars().any(|c| c.is_whitespace() || c.is_control()) {
            let why = "a profile's name must not be empty and must not have spaces";
            return Err(of.bad_key(why.to_owned()));
        }
        let mut endpoint = None;
        let mut profile = Self {
            name: name.to_owned(),
            endpoint: url::default(),
            password_command: None,
            sentinel_password_command: None,
            read_only: false,
            protected: false,
            label: None,
            label_colour: None,
            queues: Vec::new(),
            codecs: Vec::new(),
            keep_days: None,
        };
        let mut command_at = None;
        let mut sentinel_at = None;
        let mut tunnel_at = None;
        let mut by_tls = TlsFlags::default();
        let mut by_via = ViaFlags::default();
        let mut by_sentinel = SentinelFlags::default();
        let items = of.table()?;
        for item in &items {
            match item.key {
                "url" => {
                    let text = item.text("redis://HOST:6379/0")?;
                    endpoint = Some(url::parse(text).map_err(|why| item.bad(unended(&why)))?);
                }
                "tls" => by_tls.tls = item.flag()?,
                "sni" => by_tls.sni = Some(words(item, "redis.internal")?),
                "cacert" => by_tls.cacert = Some(words(item, "/etc/redis/ca.pem")?.into()),
                "cacertdir" => by_tls.cacertdir = Some(words(item, "/etc/redis/ca")?.into()),
                "cert" => by_tls.cert = Some(words(item, "/etc/redis/client.pem")?.into()),
                "key" => by_tls.key = Some(words(item, "/etc/redis/client.key")?.into()),
                "tls_verify" => by_tls.verify = Some(item.word(CHECKS)?),
                "password_command" => {
                    profile.password_command = Some(words(item, "pass show redis")?);
                    command_at = Some(item);
                }
                "proxy" => {
                    let text = words(item, "socks5://localhost:1080")?;
                    by_via.proxy = Some(
                        text.parse()
                            .map_err(|why: BadVia| item.bad(why.to_string()))?,
                    );
                }
                "tunnel_command" => {
                    let command = words(item, "ssh -W {host}:{port} bastion")?;
                    by_via.tunnel_command = Some(command);
                    tunnel_at = Some(item);
                }
                "map" => {
                    for (text, at) in item.texts("10.0.0.7:6379=localhost:7001")? {
                        let mapped = text.parse().map_err(|why: BadVia| BadFile {
                            at,
                            why: why.to_string(),
                        })?;
                        by_via.map.push(mapped);
                    }
                }
                "node" => by_via.alone = item.flag()?,
                "sentinel_user" => by_sentinel.user = Some(words(item, "watcher")?),
                "sentinel_password_command" => {
                    let command = words(item, "pass show sentinel")?;
                    profile.sentinel_password_command = Some(command);
                    sentinel_at = Some(item);
                }
                "read_only" => profile.read_only = item.flag()?,
                "protected" => profile.protected = item.flag()?,
                "label" => profile.label = Some(words(item, "PRODUCTION")?),
                "label_colour" => profile.label_colour = Some(item.word(COLOURS)?),
                "queues" => {
                    for (text, at) in item.texts("orders")? {
                        let queue = text.parse().map_err(|why| BadFile {
                            at,
                            why: format!("{why}"),
                        })?;
                        profile.queues.push(queue);
                    }
                }
                "codecs" => profile.codecs = codecs(item)?,
                "journal" => profile.keep_days = journal(item)?,
                _ => return Err(item.unknown(KEYS)),
            }
        }
        let Some(endpoint) = endpoint else {
            let why = format!("profile {name} has no server. Add url = \"redis://HOST:6379/0\"");
            return Err(of.bad_key(why));
        };
        profile.endpoint = endpoint;
        tls::apply(&by_tls, &mut profile.endpoint).map_err(|why| of.bad_key(unended(&why)))?;
        if let (Some(item), true) = (tunnel_at, by_via.proxy.is_some()) {
            let why = format!("profile {name} has a proxy, and this. Give one of them");
            return Err(item.bad_key(why));
        }
        via::apply(&by_via, &mut profile.endpoint).map_err(|why| of.bad_key(unended(&why)))?;
        sentinel::apply(&by_sentinel, None, &mut profile.endpoint).map_err(|_| {
            of.bad_key(format!(
                "profile {name} has a sentinel_user and no sentinels. {SENTINELS}"
            ))
        })?;
        if let (Some(item), false) = (sentinel_at, is_led(&profile.endpoint)) {
            let why = format!("profile {name} has no sentinels. {SENTINELS}");
            return Err(item.bad_key(why));
        }
        match command_at.filter(|_| profile.endpoint.password.is_some()) {
            Some(item) => Err(item.bad_key(format!(
                "profile {name} has two passwords: one in its url, and this. Give one of them; \
                 a user alone is written redis://USER:@HOST"
            ))),
            None => Ok(profile),
        }
    }

    /// The server with its passwords, which the commands are asked for: this waits until they have
    /// ended, up to [`password::PATIENCE`] for each.
    pub(super) fn unlocked(&self) -> Result<Endpoint, NoPassword> {
        let mut endpoint = self.endpoint.clone();
        if let Some(command) = &self.password_command {
            endpoint.password = Some(password::ask(&self.name, command, password::PATIENCE)?);
        }
        if let (Some(command), Address::Sentinel(sentinels)) =
            (&self.sentinel_password_command, &mut endpoint.address)
        {
            sentinels.password = Some(password::ask(&self.name, command, password::PATIENCE)?);
        }
        Ok(endpoint)
    }

    /// The codec that was named for the payloads of that queue.
    #[must_use]
    pub fn codec_of(&self, queue: &str) -> Option<&'static str> {
        let named = self.codecs.iter().find(|(name, _)| name == queue);
        named.map(|(_, codec)| *codec)
    }

    /// Words for the header.
    #[must_use]
    pub fn title(&self) -> String {
        let own = || format!("profile {}", self.name);
        self.label.clone().unwrap_or_else(own)
    }
}

/// The way a profile's `url` names sentinels.
const SENTINELS: &str = "Write url = \"redis-sentinel://HOST,HOST/0?sentinelMasterId=NAME\"";

/// Tells whether sentinels lead to the server.
const fn is_led(endpoint: &Endpoint) -> bool {
    matches!(endpoint.address, Address::Sentinel(_))
}

/// `codecs.QUEUE = "CODEC"`.
fn codecs(of: &ConfigItem) -> Result<Vec<(String, &'static str)>, BadFile> {
    let mut codecs = Vec::new();
    for item in &of.table()? {
        let word = item.text("kryo5")?;
        let Some(codec) = Codec::from_name(word) else {
            let names = Codec::names().join(", ");
            return Err(item.bad(format!("no codec is called {word:?}; they are {names}")));
        };
        codecs.push((item.key.to_owned(), codec.name()));
    }
    Ok(codecs)
}

/// `journal.keep_days`, in days.
pub(super) fn journal(of: &ConfigItem) -> Result<Option<u32>, BadFile> {
    let mut days = None;
    for item in &of.table()? {
        match item.key {
            "keep_days" => days = Some(item.number(1, 36_500)?),
            _ => return Err(item.unknown(&["keep_days"])),
        }
    }
    Ok(days)
}

/// A text that is not empty.
fn words(item: &ConfigItem, example: &str) -> Result<String, BadFile> {
    match item.text(example)?.trim() {
        "" => Err(item.bad(format!(
            "{} is empty. Write a text such as {example:?}, or leave it out",
            item.key
        ))),
        text => Ok(text.to_owned()),
    }
}

/// An error without its full stop: the place that it is told with brings its own.
fn unended(why: &impl ToString) -> String {
    why.to_string().trim_end_matches('.').to_owned()
}
