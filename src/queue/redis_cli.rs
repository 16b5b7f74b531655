//! Commands as a user types them into a shell for redis-cli. Never with a password: that one is
//! asked for, or stands in `REDISCLI_AUTH`.

use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::sentinels::{Sentinels, place, places};
use super::server::{Address, Endpoint, ProfileReference, Tls, Verify};
use super::shell;
use super::via::Via;

/// redis-cli at a server, as a shell starts it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RedisCli {
    /// The words that start it there.
    program: String,
    /// The words among them that say where; empty: none do.
    place: String,
    /// The flags for who we are and for TLS, a space before each: `--cluster` takes these alone.
    flags: String,
    /// The way that we go, of which it knows the mapped addresses by us alone.
    via: Via,
}

impl Default for RedisCli {
    /// The plain program.
    fn default() -> Self {
        Self {
            program: PLAIN.to_owned(),
            place: String::new(),
            flags: String::new(),
            via: Via::default(),
        }
    }
}

/// The program's name.
const PLAIN: &str = "redis-cli";
/// The beginning of a line that looks at a whole cluster, or mends it.
const WHOLE_CLUSTER: &str = "redis-cli --cluster ";

impl RedisCli {
    /// With the flags that reach this server.
    #[must_use]
    pub fn at(endpoint: &Endpoint) -> Self {
        Self {
            program: program(endpoint),
            place: place_of(endpoint),
            flags: with_login(String::new(), endpoint, None),
            via: endpoint.via.clone(),
        }
    }

    /// The words that start it there.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Has it go from the server that it reaches to the node of the cluster that owns a key.
    pub fn follow_slots(&mut self) {
        if !self.goes_on() {
            self.program = self.program.replacen(PLAIN, "redis-cli -c", 1);
        }
    }

    fn goes_on(&self) -> bool {
        self.program.starts_with("redis-cli -c")
    }

    /// Says what keeps it from the server that we reach; none: nothing that we know of.
    #[must_use]
    pub fn caveat(&self) -> Option<&'static str> {
        if self.via.proxy.is_some() {
            Some("redis-cli knows no proxy: run its lines where the server is reached without one")
        } else if self.via.command.is_some() {
            Some(
                "redis-cli knows no tunnel_command: run its lines where the server is reached \
                 without one",
            )
        } else if !self.via.map.is_empty() && self.goes_on() {
            Some(
                "redis-cli knows no --map: where a node sends it on, or with --cluster, it goes to \
                 the addresses that nodes announce",
            )
        } else {
            None
        }
    }

    /// A line that was made for a plain `redis-cli`, or for a [node](at_node), so that it reaches the
    /// server.
    #[must_use]
    pub fn reaching(&self, line: &str) -> String {
        if let Some(rest) = line.strip_prefix(WHOLE_CLUSTER) {
            let (does, node) = rest.split_once(' ').unwrap_or((rest, ""));
            let node = match node_address(node) {
                Some((host, port)) => {
                    let (host, port) = self.via.mapped(host, port);
                    shell::word(place(&host, port).as_bytes())
                }
                None => shell::word(node.as_bytes()),
            };
            return format!("{WHOLE_CLUSTER}{does} {node}{}", self.flags);
        }
        if let Some(rest) = line.strip_prefix("redis-cli ") {
            let (program, rest) = self.placed(rest);
            return format!("{program} {rest}");
        }
        match line.rsplit_once("| redis-cli") {
            Some((fed, "")) => format!("{fed}| {}", self.program),
            Some((fed, place)) => format!("{fed}| {}", self.placed(place.trim_start()).0),
            None => line.to_owned(),
        }
    }

    /// The program at the node that the rest of a line begins with, where it does, and what follows.
    fn placed<'a>(&self, rest: &'a str) -> (String, &'a str) {
        let told = rest.strip_prefix("-h ");
        let behind = told.map(behind_word);
        let port = behind.and_then(|behind| behind.strip_prefix(" -p "));
        let (Some(told), Some(behind), Some(port)) = (told, behind, port) else {
            return (self.program.clone(), rest);
        };
        let host = told[..told.len() - behind.len()].trim_matches('\'');
        let behind = behind_word(port);
        let number = port[..port.len() - behind.len()].parse();
        let (host, port) = self.via.mapped(host, number.unwrap_or(0));
        let there = at(&host, port);
        let program = if self.place.is_empty() {
            format!("{} {there}", self.program)
        } else {
            self.program.replacen(&self.place, &there, 1)
        };
        (program, behind.trim_start())
    }
}

/// `redis-cli` with the flags that reach this server, as a shell takes it.
#[must_use]
pub fn program(endpoint: &Endpoint) -> String {
    let goes_on = match endpoint.address {
        Address::Cluster(_) => " -c",
        _ => "",
    };
    let mut line = format!("{PLAIN}{goes_on} {}", place_of(endpoint));
    if endpoint.db != 0 {
        // Writing into a String cannot fail.
        let _ = write!(line, " -n {}", endpoint.db);
    }
    with_login(line, endpoint, None)
}

/// The words that say where it goes.
fn place_of(endpoint: &Endpoint) -> String {
    let mapped = |host: &str, port: u16| {
        let (host, port) = endpoint.via.mapped(host, port);
        at(&host, port)
    };
    match &endpoint.address {
        Address::Tcp(host, port) => mapped(host, *port),
        Address::Unix(path) => at_socket(path),
        Address::Sentinel(sentinels) => by_sentinel(sentinels, endpoint),
        Address::Cluster(nodes) => {
            let (host, port) = nodes.first().map_or(("", 0), |(h, p)| (h, *p));
            mapped(host, port)
        }
    }
}

/// The flags for a host and a port.
fn at(host: &str, port: u16) -> String {
    format!("-h {} -p {port}", shell::word(host.as_bytes()))
}

/// The flag for a socket.
fn at_socket(path: &Path) -> String {
    format!("-s {}", shell::word(path.as_os_str().as_bytes()))
}

/// A line with the flags for who we are, there and at the sentinels, and for TLS.
fn with_login(mut line: String, endpoint: &Endpoint, sentinel_user: Option<&str>) -> String {
    let users = [
        ("--user", endpoint.user.as_deref()),
        ("--sentinel-user", sentinel_user),
    ];
    for (flag, user) in users {
        if let Some(user) = user {
            line.extend([" ", flag, " ", &*shell::word(user.as_bytes())]);
        }
    }
    if let Some(tls) = &endpoint.tls {
        line.push_str(&tls_flags(tls, None));
    }
    line
}

/// The place of whatever server is the master when the shell runs it: the first sentinel is asked
/// first, whose answer has the address in its 4th and 6th line. The sentinel has a password of its
/// own, or none.
fn by_sentinel(sentinels: &Sentinels, endpoint: &Endpoint) -> String {
    let (host, port) = sentinels.places.first().map_or(("", 0), |(h, p)| (h, *p));
    let (host, port) = endpoint.via.mapped(host, port);
    let there = at(&host, port);
    let user = match &sentinels.user {
        Some(user) => format!(" --user {}", shell::word(user.as_bytes())),
        None => String::new(),
    };
    let tls = endpoint.tls.as_ref().map(|tls| tls_flags(tls, None));
    let tls = tls.unwrap_or_default();
    let of = match &sentinels.name {
        Some(name) => format!("master {}", shell::word(name.as_bytes())),
        None => "masters".to_owned(),
    };
    let password = match (&sentinels.password, &endpoint.password) {
        (Some(_), _) => "REDISCLI_AUTH=\"$DELAYSCOPE_SENTINEL_AUTH\" ",
        (None, Some(_)) => "env -u REDISCLI_AUTH ",
        (None, None) => "",
    };
    let flags = place_of_answer(&endpoint.via);
    format!("$({password}{PLAIN} {there}{user}{tls} sentinel {of} | sed -n {flags})")
}

/// The script of sed that makes flags of a sentinel's answer. What is made of an address begins with
/// a `-`, which no address does, and is not mapped again.
fn place_of_answer(via: &Via) -> String {
    let pattern = |host: &str| {
        let special = |c: char| "./*[]^$\\".contains(c);
        let each = host.chars().map(|c| {
            if special(c) {
                format!("\\{c}")
            } else {
                c.into()
            }
        });
        each.collect::<String>()
    };
    if via.map.is_empty() {
        return "'4s/^/-h /p;6s/^/-p /p'".to_owned();
    }
    let mut script = "4{N;N;s/\\n.*\\n/ /;".to_owned();
    for one in via.by_weight() {
        let ((from, from_port), (to, to_port)) = one.ends();
        let from = pattern(from);
        let to = to.replace('\\', "").replace('/', "\\/").replace('&', "\\&");
        // Writing into a String cannot fail.
        let _ = match (from_port, to_port) {
            (Some(port), _) => {
                let to_port = to_port.unwrap_or(port);
                write!(script, "s/^{from} {port}$/-h {to} -p {to_port}/;")
            }
            (None, Some(to_port)) => write!(script, "s/^{from} .*/-h {to} -p {to_port}/;"),
            (None, None) => write!(script, "s/^{from} /-h {to} -p /;"),
        };
    }
    script.push_str("s/^\\([^-][^ ]*\\) /-h \\1 -p /;p;}");
    shell::word(script.as_bytes())
}

/// The URL of the master that sentinels name, as Lettuce writes it, without login and TLS.
fn sentinel_url(sentinels: &Sentinels, db: i64) -> String {
    let mut url = format!("redis-sentinel://{}", sentinels.places());
    if db != 0 {
        // Writing into a String cannot fail.
        let _ = write!(url, "/{db}");
    }
    if let Some(name) = &sentinels.name {
        url.push_str("?sentinelMasterId=");
        for byte in name.bytes() {
            if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
                url.push(char::from(byte));
            } else {
                let _ = write!(url, "%{byte:02X}");
            }
        }
    }
    url
}

/// The same for this program: how a shell starts it there. Of a profile's server it names the profile,
/// which has the passwords, and what was typed besides.
#[must_use]
pub fn ours(endpoint: &Endpoint) -> String {
    if let Some(profile) = &endpoint.profile {
        return beside_profile(endpoint, profile);
    }
    let by_url = |url: String| format!("{OURS} -u {}", shell::word(url.as_bytes()));
    let line = match &endpoint.address {
        Address::Sentinel(sentinels) => {
            let line = by_url(sentinel_url(sentinels, endpoint.db));
            with_login(line, endpoint, sentinels.user.as_deref())
        }
        Address::Cluster(nodes) => {
            let line = by_url(format!("redis://{}", places(nodes)));
            with_login(line, endpoint, None)
        }
        Address::Tcp(host, port) => at_place(endpoint, &at(host, *port)),
        Address::Unix(path) => at_place(endpoint, &at_socket(path)),
    };
    let line = line + &via_flags(&endpoint.via, &Via::default());
    match &endpoint.tls {
        // redis-cli checks no names, and has no flag for that.
        Some(tls) if tls.verify == Verify::Ca => format!("{line} --tls-verify ca"),
        _ => line,
    }
}

/// This program's name.
const OURS: &str = "delayscope";

/// The program at a single server.
fn at_place(endpoint: &Endpoint, place: &str) -> String {
    let mut line = format!("{OURS} {place}");
    if endpoint.db != 0 {
        // Writing into a String cannot fail.
        let _ = write!(line, " -n {}", endpoint.db);
    }
    with_login(line, endpoint, None)
}

/// The program at a profile's server, with what the profile does not say.
fn beside_profile(endpoint: &Endpoint, profile: &ProfileReference) -> String {
    let known = &profile.endpoint;
    let mut line = format!("{OURS} {}", profile.words);
    if endpoint.db != known.db {
        // Writing into a String cannot fail.
        let _ = write!(line, " -n {}", endpoint.db);
    }
    let users = [
        ("--user", &endpoint.user, &known.user),
        (
            "--sentinel-user",
            &sentinel_user(endpoint),
            &sentinel_user(known),
        ),
    ];
    for (flag, user, known) in users {
        if let Some(user) = user.as_ref().filter(|_| user != known) {
            line.extend([" ", flag, " ", &*shell::word(user.as_bytes())]);
        }
    }
    if profile.other_password {
        line.push_str(" --askpass");
    }
    if let Some(tls) = &endpoint.tls {
        line.push_str(&tls_flags(tls, known.tls.as_ref()));
        let checks = known.tls.as_ref().map(|tls| tls.verify);
        match (tls.verify, checks.unwrap_or_default()) {
            (Verify::None, _) => {}
            (now, before) if now == before => {}
            (now, _) => line.extend([" --tls-verify ", now.word()]),
        }
    }
    line + &via_flags(&endpoint.via, &known.via)
}

fn sentinel_user(endpoint: &Endpoint) -> Option<String> {
    match &endpoint.address {
        Address::Sentinel(sentinels) => sentinels.user.clone(),
        _ => None,
    }
}

/// The flags for how connections are made where that is not `known`, a space before each; a proxy's
/// login is not among them, nor a command that may have a password in it.
fn via_flags(via: &Via, known: &Via) -> String {
    let mut line = String::new();
    if let Some(proxy) = &via.proxy
        && known.proxy != via.proxy
    {
        line.extend([" --proxy ", &*shell::word(proxy.to_string().as_bytes())]);
    }
    if let Some(command) = &via.command
        && known.command != via.command
    {
        let told = if is_ssh_alone(command) {
            command
        } else {
            UNTOLD
        };
        line.extend([" --tunnel-command ", &*shell::word(told.as_bytes())]);
    }
    let map = via.map.strip_prefix(&*known.map).unwrap_or(&via.map);
    for mapped in map {
        line.extend([" --map ", &*shell::word(mapped.to_string().as_bytes())]);
    }
    if via.alone && !known.alone {
        line.push_str(" --node");
    }
    line
}

/// The words for a command that is not told. One who runs them all the same gets nowhere: without the
/// flag they might reach another server of that name.
const UNTOLD: &str = "…";

/// Tells whether a command is ssh and nothing else, which takes no password from its arguments.
fn is_ssh_alone(command: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " {}@%_./:=,+-~".contains(c);
    command.split(' ').next() == Some("ssh") && command.chars().all(is_plain)
}

/// The flags for TLS where that is not `known`, a space before each.
fn tls_flags(tls: &Tls, known: Option<&Tls>) -> String {
    let mut line = String::new();
    if known.is_none() {
        line.push_str(" --tls");
    }
    let plain = Tls::default();
    let known = known.unwrap_or(&plain);
    let path = |path: &Path| shell::word(path.as_os_str().as_bytes());
    let other = |now: &Option<PathBuf>, before: &Option<PathBuf>| {
        now.as_deref().filter(|_| now != before).map(path)
    };
    let name = tls.name.as_ref().filter(|_| tls.name != known.name);
    let identity = tls.identity.as_ref();
    let identity = identity.filter(|_| tls.identity != known.identity);
    let flags = [
        ("--sni", name.map(|name| shell::word(name.as_bytes()))),
        ("--cacert", other(&tls.ca_file, &known.ca_file)),
        ("--cacertdir", other(&tls.ca_dir, &known.ca_dir)),
        ("--cert", identity.map(|of| path(&of.cert))),
        ("--key", identity.map(|of| path(&of.key))),
    ];
    for (flag, value) in flags {
        if let Some(value) = value {
            line.extend([" ", flag, " ", &*value]);
        }
    }
    if tls.verify == Verify::None && known.verify != Verify::None {
        line.push_str(" --insecure");
    }
    line
}

/// A command for the shell: `program` (see [`program`]) with its arguments, or, when one of them
/// holds bytes that no shell can pass on, fed through a pipe, where redis-cli reads escapes.
#[must_use]
pub fn line(program: &str, args: &[&[u8]]) -> String {
    if args.iter().all(|arg| is_plain(arg)) {
        let words = args.iter().map(|arg| shell::word(arg));
        return format!("{program} {}", words.collect::<Vec<_>>().join(" "));
    }
    format!("printf '%s\\n' '{}' | {program}", command(args))
}

/// A line that was made for a plain `redis-cli`, for that node (`host:port`) of a cluster.
#[must_use]
pub fn at_node(line: &str, node: &str) -> String {
    let Some((host, port)) = node_address(node) else {
        return line.to_owned();
    };
    let there = RedisCli {
        program: format!("{PLAIN} {}", at(host, port)),
        place: at(host, port),
        ..RedisCli::default()
    };
    if line.starts_with(WHOLE_CLUSTER) {
        line.to_owned()
    } else {
        there.reaching(line)
    }
}

/// Host and port of a node as clusters write it.
fn node_address(node: &str) -> Option<(&str, u16)> {
    let (host, port) = node.rsplit_once(':')?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    Some((host, port.parse().ok()?))
}

/// The part of a shell's line behind its first word.
fn behind_word(line: &str) -> &str {
    let mut quoted = false;
    let end = line.find(|c| {
        quoted ^= c == '\'';
        c == ' ' && !quoted
    });
    end.map_or("", |end| &line[end..])
}

/// The words with which a shell starts the programs that a text names, so that they reach the
/// server.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Programs {
    /// This one.
    pub ours: String,
    /// redis-cli.
    pub redis_cli: RedisCli,
}

/// The command as redis-cli reads it from a line: arguments in double quotes, with escapes, where
/// they are not plain. Holds no `'`, so that it can stand in one pair of them.
#[must_use]
pub fn command(args: &[&[u8]]) -> String {
    let words = args.iter().map(|arg| quoted(arg));
    words.collect::<Vec<_>>().join(" ")
}

/// Letters, digits and what means nothing to redis-cli.
fn is_bare(arg: &[u8]) -> bool {
    let bare = |b: &u8| b.is_ascii_alphanumeric() || b"_-.:/@%+=,".contains(b);
    !arg.is_empty() && arg.iter().all(bare)
}

/// ASCII that can be read and passed on by a shell.
fn is_plain(arg: &[u8]) -> bool {
    arg.iter().all(|b| b.is_ascii_graphic() || *b == b' ')
}

fn quoted(arg: &[u8]) -> String {
    if is_bare(arg) {
        return String::from_utf8_lossy(arg).into_owned();
    }
    let mut out = String::from("\"");
    for &b in arg {
        match b {
            b'"' | b'\\' => out.extend(['\\', char::from(b)]),
            b'\'' => out.push_str("\\x27"),
            b' '..=b'~' => out.push(char::from(b)),
            _ => {
                let _ = write!(out, "\\x{b:02x}");
            }
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::server::Identity;
    use super::*;

    fn endpoint(address: Address) -> Endpoint {
        Endpoint {
            address,
            db: 3,
            user: Some("on call".into()),
            password: Some("secret".into()),
            tls: None,
            via: Via::default(),
            profile: None,
        }
    }

    fn started(program: &str, place: &str) -> RedisCli {
        RedisCli {
            program: program.to_owned(),
            place: place.to_owned(),
            ..RedisCli::default()
        }
    }

    #[test]
    fn a_line_for_a_node_goes_there_and_keeps_the_flags() {
        let plain = at_node("redis-cli INFO memory", "10.0.0.7:7001");
        assert_eq!(plain, "redis-cli -h 10.0.0.7 -p 7001 INFO memory");
        let fed = at_node("printf '%s\\n' 'GET \"a\"' | redis-cli", "[fd00::7]:7001");
        assert_eq!(
            fed,
            "printf '%s\\n' 'GET \"a\"' | redis-cli -h fd00::7 -p 7001"
        );
        for (program, place, there) in [
            ("redis-cli", "", "redis-cli -h 10.0.0.7 -p 7001"),
            (
                "redis-cli -c -h seed -p 7000 --tls",
                "-h seed -p 7000",
                "redis-cli -c -h 10.0.0.7 -p 7001 --tls",
            ),
            (
                "redis-cli -c -s '/our room/s' --user me",
                "-s '/our room/s'",
                "redis-cli -c -h 10.0.0.7 -p 7001 --user me",
            ),
        ] {
            assert_eq!(
                started(program, place).reaching(&plain),
                format!("{there} INFO memory")
            );
        }
        let program = "redis-cli -c -h seed -p 7000 --tls";
        let seed = started(program, "-h seed -p 7000");
        let there = "printf '%s\\n' 'GET \"a\"' | redis-cli -c -h fd00::7 -p 7001 --tls";
        assert_eq!(seed.reaching(&fed), there);
        let unplaced = seed.reaching("redis-cli INFO");
        assert_eq!(unplaced, format!("{program} INFO"));
    }

    #[test]
    fn both_programs_are_told_how_to_talk_tls() {
        let tls = Tls {
            verify: Verify::Ca,
            name: Some("redis.internal".into()),
            ca_file: Some("/etc/our ca.pem".into()),
            ..Tls::default()
        };
        let there = Endpoint {
            db: 0,
            user: None,
            tls: Some(tls.clone()),
            ..endpoint(Address::Tcp("prod-1".into(), 6380))
        };
        let flags = "-h prod-1 -p 6380 --tls --sni redis.internal --cacert '/etc/our ca.pem'";
        assert_eq!(program(&there), format!("redis-cli {flags}"));
        assert_eq!(ours(&there), format!("delayscope {flags} --tls-verify ca"));
        let anyone = Endpoint {
            tls: Some(Tls {
                verify: Verify::None,
                identity: Some(Identity {
                    cert: "/c.pem".into(),
                    key: "/k.pem".into(),
                }),
                ..Tls::default()
            }),
            ..there
        };
        let flags = "-h prod-1 -p 6380 --tls --cert /c.pem --key /k.pem --insecure";
        assert_eq!(ours(&anyone), format!("delayscope {flags}"));
    }

    #[test]
    fn sentinels_are_asked_by_the_shell_and_by_us() {
        let there = endpoint(Address::Sentinel(Sentinels {
            places: vec![("s1".into(), 26_379), ("s2".into(), 7_000)],
            name: Some("it's mine".into()),
            user: Some("watcher".into()),
            password: Some("secret".into()),
        }));
        assert_eq!(
            program(&there),
            r#"redis-cli $(REDISCLI_AUTH="$DELAYSCOPE_SENTINEL_AUTH" redis-cli -h s1 -p 26379 --user watcher sentinel master 'it'\''s mine' | sed -n '4s/^/-h /p;6s/^/-p /p') -n 3 --user 'on call'"#
        );
        let node = at_node("redis-cli INFO", "10.0.0.7:7001");
        let node = RedisCli::at(&there).reaching(&node);
        assert_eq!(
            node,
            "redis-cli -h 10.0.0.7 -p 7001 -n 3 --user 'on call' INFO"
        );
        assert_eq!(
            ours(&there),
            "delayscope -u 'redis-sentinel://s1:26379,s2:7000/3?sentinelMasterId=it%27s%20mine' --user 'on call' --sentinel-user watcher"
        );
    }

    #[test]
    fn the_program_is_told_where_the_server_is_but_never_the_password() {
        let tcp = endpoint(Address::Tcp("prod-1".into(), 6380));
        let line = program(&tcp);
        assert_eq!(line, "redis-cli -h prod-1 -p 6380 -n 3 --user 'on call'");
        let unix = program(&endpoint(Address::Unix("/run/it's.sock".into())));
        assert_eq!(
            unix,
            r"redis-cli -s '/run/it'\''s.sock' -n 3 --user 'on call'"
        );
    }

    #[test]
    fn arguments_that_a_shell_can_pass_on_are_passed_on() {
        let args: [&[u8]; 2] = [b"ZCARD", b"redisson_delay_queue_timeout:{orders}"];
        assert_eq!(
            line("redis-cli", &args),
            "redis-cli ZCARD 'redisson_delay_queue_timeout:{orders}'"
        );
    }

    #[test]
    fn arguments_that_no_shell_can_pass_on_go_through_a_pipe() {
        let args: [&[u8]; 3] = [b"ZSCORE", b"a key", b"\x00it's \"a\\\"\xff\n"];
        assert_eq!(
            line("redis-cli", &args),
            r#"printf '%s\n' 'ZSCORE "a key" "\x00it\x27s \"a\\\"\xff\x0a"' | redis-cli"#
        );
    }

    #[test]
    fn a_line_is_told_later_where_the_server_is() {
        for args in [[b"TYPE".as_slice(), b"a key"], [b"TYPE", b"\x00\xff"]] {
            let there = "redis-cli -s /run/x.sock -n 3";
            let plain = line("redis-cli", &args);
            assert_ne!(plain, line(there, &args));
            assert_eq!(
                started(there, "-s /run/x.sock").reaching(&plain),
                line(there, &args)
            );
        }
    }

    #[test]
    fn a_mapped_address_is_told_to_redis_cli_as_the_one_that_is_reached() {
        let map = ["10.0.0.7:6379=localhost:7001", "10.0.0.8=gate"];
        let via = Via {
            map: map.map(|text| text.parse().unwrap()).to_vec(),
            ..Via::default()
        };
        let there = Endpoint {
            db: 0,
            user: None,
            via: via.clone(),
            ..endpoint(Address::Tcp("10.0.0.7".into(), 6379))
        };
        let cli = RedisCli::at(&there);
        assert_eq!(cli.program(), "redis-cli -h localhost -p 7001");
        assert_eq!(cli.caveat(), None);
        let own = "delayscope -h 10.0.0.7 -p 6379 --map 10.0.0.7:6379=localhost:7001 --map \
                   10.0.0.8=gate";
        assert_eq!(ours(&there), own);
        let node = at_node("redis-cli INFO", "10.0.0.8:7002");
        assert_eq!(cli.reaching(&node), "redis-cli -h gate -p 7002 INFO");
        let fix = cli.reaching("redis-cli --cluster fix 10.0.0.8:7002");
        assert_eq!(fix, "redis-cli --cluster fix gate:7002");
        let mut cli = cli;
        cli.follow_slots();
        assert!(cli.caveat().unwrap().contains("--map"), "{cli:?}");
        let proxy = Endpoint {
            via: Via {
                proxy: "socks5://me:s3cret@gate".parse().ok(),
                ..Via::default()
            },
            ..there
        };
        assert!(ours(&proxy).ends_with("--proxy socks5://gate:1080"));
        assert!(RedisCli::at(&proxy).caveat().unwrap().contains("proxy"));
    }

    #[test]
    fn a_whole_cluster_is_mended_with_our_login_and_tls() {
        let there = Endpoint {
            tls: Some(Tls {
                verify: Verify::Ca,
                ca_file: Some("/ca.pem".into()),
                ..Tls::default()
            }),
            ..endpoint(Address::Cluster(vec![("a".into(), 1), ("b".into(), 2)]))
        };
        let node = at_node("redis-cli --cluster fix 10.0.0.7:7001", "10.0.0.8:7002");
        assert_eq!(
            RedisCli::at(&there).reaching(&node),
            "redis-cli --cluster fix 10.0.0.7:7001 --user 'on call' --tls --cacert /ca.pem"
        );
    }

    #[test]
    fn a_profile_is_named_with_what_was_typed_besides_and_nothing_else() {
        let known = Endpoint {
            db: 0,
            tls: Some(Tls::default()),
            via: Via {
                proxy: "socks5://me:s3cret@gate".parse().ok(),
                map: vec!["a=b".parse().unwrap()],
                ..Via::default()
            },
            ..endpoint(Address::Tcp("prod-1".into(), 6380))
        };
        let of = |other_password| ProfileReference {
            words: "--profile prod".into(),
            endpoint: known.clone(),
            other_password,
        };
        let there = Endpoint {
            profile: Some(Arc::new(of(false))),
            ..known.clone()
        };
        assert_eq!(ours(&there), "delayscope --profile prod");
        let mut typed = there.clone();
        typed.profile = Some(Arc::new(of(true)));
        typed.db = 4;
        typed.user = Some("me".into());
        typed.via.map.push("c:1=d:2".parse().unwrap());
        typed.tls = Some(Tls {
            verify: Verify::Ca,
            ca_file: Some("/ca.pem".into()),
            ..Tls::default()
        });
        assert_eq!(
            ours(&typed),
            "delayscope --profile prod -n 4 --user me --askpass --cacert /ca.pem --tls-verify ca \
             --map c:1=d:2"
        );
        typed.tls = Some(Tls {
            verify: Verify::None,
            ..Tls::default()
        });
        assert!(ours(&typed).contains(" --insecure "));
    }

    #[test]
    fn a_command_that_may_have_a_password_in_it_is_not_told() {
        let told = |command: &str| {
            let via = Via {
                command: Some(command.to_owned()),
                ..Via::default()
            };
            via_flags(&via, &Via::default())
        };
        let ssh = "ssh -o BatchMode=yes -o ControlPath=~/.ssh/%C -W {host}:{port} me@bastion";
        assert_eq!(told(ssh), format!(" --tunnel-command '{ssh}'"));
        for other in [
            "sshpass -p s3cret ssh -W {host}:{port} bastion",
            "ssh -o ProxyCommand='sshpass -p s3cret ssh jump' -W {host}:{port} bastion",
            "PASSWORD=s3cret ssh -W {host}:{port} bastion",
            "ssh $(s3cret)",
        ] {
            assert_eq!(told(other), " --tunnel-command '…'", "{other}");
        }
    }

    #[test]
    fn an_empty_argument_is_seen() {
        assert_eq!(command(&[b"GET", b""]), "GET \"\"");
    }
}
