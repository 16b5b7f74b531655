//! Commands as a user types them into a shell for redis-cli. Never with a password: that one is
//! asked for, or stands in `REDISCLI_AUTH`.

use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use super::sentinels::{Sentinels, places};
use super::server::{Address, Endpoint, Tls, Verify};
use super::shell;
use super::via::Via;

/// `redis-cli` with the flags that reach this server, as a shell takes it.
#[must_use]
pub fn program(endpoint: &Endpoint) -> String {
    let mut line = match &endpoint.address {
        Address::Tcp(host, port) => {
            format!("redis-cli -h {} -p {port}", shell::word(host.as_bytes()))
        }
        Address::Unix(path) => format!("redis-cli -s {}", shell::word(path.as_os_str().as_bytes())),
        Address::Sentinel(sentinels) => by_sentinel(sentinels, endpoint.tls.as_ref()),
        Address::Cluster(nodes) => {
            let (host, port) = nodes.first().map_or(("", 0), |(h, p)| (h, *p));
            format!("redis-cli -c -h {} -p {port}", shell::word(host.as_bytes()))
        }
    };
    if endpoint.db != 0 {
        // Writing into a String cannot fail.
        let _ = write!(line, " -n {}", endpoint.db);
    }
    with_login(line, endpoint, None)
}

/// The same in a cluster: it goes from the server that it reaches to the node that owns a key.
#[must_use]
pub fn program_in_cluster(endpoint: &Endpoint) -> String {
    match &endpoint.address {
        Address::Cluster(_) => program(endpoint),
        _ => program(endpoint).replacen("redis-cli", "redis-cli -c", 1),
    }
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
        line.push_str(&tls_flags(tls));
    }
    line
}

/// redis-cli at whatever server is the master when the shell runs it: it asks the first sentinel
/// first, whose answer has the address in its 4th and 6th line.
fn by_sentinel(sentinels: &Sentinels, tls: Option<&Tls>) -> String {
    let (host, port) = sentinels.places.first().map_or(("", 0), |(h, p)| (h, *p));
    let host = shell::word(host.as_bytes());
    let tls = tls.map(tls_flags).unwrap_or_default();
    let of = match &sentinels.name {
        Some(name) => format!("master {}", shell::word(name.as_bytes())),
        None => "masters".to_owned(),
    };
    format!(
        "redis-cli $(redis-cli -h {host} -p {port}{tls} sentinel {of} | sed -n '4s/^/-h /p;6s/^/-p \
         /p')"
    )
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

/// The same for this program: how a shell starts it there.
#[must_use]
pub fn ours(endpoint: &Endpoint) -> String {
    let line = match &endpoint.address {
        Address::Sentinel(sentinels) => {
            let url = sentinel_url(sentinels, endpoint.db);
            let line = format!("delayscope -u {}", shell::word(url.as_bytes()));
            let sentinel_user = sentinels.user.as_deref();
            with_login(line, endpoint, sentinel_user)
        }
        Address::Cluster(nodes) => {
            let url = format!("redis://{}", places(nodes));
            let line = format!("delayscope -u {}", shell::word(url.as_bytes()));
            with_login(line, endpoint, None)
        }
        Address::Tcp(..) | Address::Unix(_) => {
            program(endpoint).replacen("redis-cli", "delayscope", 1)
        }
    };
    let line = line + &via_flags(&endpoint.via);
    match &endpoint.tls {
        // redis-cli checks no names, and has no flag for that.
        Some(tls) if tls.verify == Verify::Ca => format!("{line} --tls-verify ca"),
        _ => line,
    }
}

/// The flags for how connections are made, a space before each; a proxy's login is not among them, nor
/// a command that may have a password in it.
fn via_flags(via: &Via) -> String {
    let mut line = String::new();
    if let Some(proxy) = &via.proxy {
        line.extend([" --proxy ", &*shell::word(proxy.to_string().as_bytes())]);
    }
    if let Some(command) = &via.command {
        let told = if is_ssh_alone(command) {
            command
        } else {
            UNTOLD
        };
        line.extend([" --tunnel-command ", &*shell::word(told.as_bytes())]);
    }
    for mapped in &via.map {
        line.extend([" --map ", &*shell::word(mapped.to_string().as_bytes())]);
    }
    if via.alone {
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

/// The flags for TLS, a space before each.
fn tls_flags(tls: &Tls) -> String {
    let path = |path: Option<&PathBuf>| Some(shell::word(path?.as_os_str().as_bytes()));
    let identity = tls.identity.as_ref();
    let name = tls.name.as_ref().map(|name| shell::word(name.as_bytes()));
    let flags = [
        ("--sni", name),
        ("--cacert", path(tls.ca_file.as_ref())),
        ("--cacertdir", path(tls.ca_dir.as_ref())),
        ("--cert", path(identity.map(|of| &of.cert))),
        ("--key", path(identity.map(|of| &of.key))),
    ];
    let mut line = " --tls".to_owned();
    for (flag, value) in flags {
        if let Some(value) = value {
            line.extend([" ", flag, " ", &*value]);
        }
    }
    if tls.verify == Verify::None {
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
    let Some((host, port)) = node.rsplit_once(':') else {
        return line.to_owned();
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let there = format!("redis-cli -h {} -p {port}", shell::word(host.as_bytes()));
    reaching(line, &there)
}

/// The program with another place to go to: `place` is `-h HOST -p PORT`.
fn program_at(program: &str, place: &str) -> String {
    let flags = [" -h ", " -s "].into_iter();
    let found = flags.filter_map(|flag| Some((program.find(flag)?, flag)));
    let Some((at, flag)) = found.min() else {
        return format!("{program} {place}");
    };
    let (before, told) = (&program[..at], &program[at + flag.len()..]);
    let behind = behind_word(told);
    // A port stands behind a host.
    let behind = behind.strip_prefix(" -p ").map_or(behind, behind_word);
    format!("{before} {place}{behind}")
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

/// A line that was made for a plain `redis-cli`, or for a [node](at_node), so that it reaches the server
/// by `program`.
#[must_use]
pub fn reaching(line: &str, program: &str) -> String {
    if let Some(rest) = line.strip_prefix("redis-cli ") {
        let (program, rest) = placed(program, rest);
        return format!("{program} {rest}");
    }
    match line.rsplit_once("| redis-cli") {
        Some((fed, "")) => format!("{fed}| {program}"),
        Some((fed, place)) => format!("{fed}| {}", placed(program, place.trim_start()).0),
        None => line.to_owned(),
    }
}

/// The program at the node that the rest of a line begins with, where it does, and what follows.
fn placed<'a>(program: &str, rest: &'a str) -> (String, &'a str) {
    let behind = rest.strip_prefix("-h ").map(behind_word);
    let Some(port) = behind.and_then(|behind| behind.strip_prefix(" -p ")) else {
        return (program.to_owned(), rest);
    };
    let behind = behind_word(port);
    let place = &rest[..rest.len() - behind.len()];
    (program_at(program, place), behind.trim_start())
}

/// The words with which a shell starts the programs that a text names, so that they reach the
/// server.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Programs {
    /// This one.
    pub ours: String,
    /// redis-cli: see [`program`].
    pub redis_cli: String,
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
        for (program, there) in [
            ("redis-cli", "redis-cli -h 10.0.0.7 -p 7001"),
            (
                "redis-cli -c -h seed -p 7000 --tls",
                "redis-cli -c -h 10.0.0.7 -p 7001 --tls",
            ),
            (
                "redis-cli -c -s '/our room/s' --user me",
                "redis-cli -c -h 10.0.0.7 -p 7001 --user me",
            ),
        ] {
            assert_eq!(reaching(&plain, program), format!("{there} INFO memory"));
        }
        let seed = "redis-cli -c -h seed -p 7000 --tls";
        let there = "printf '%s\\n' 'GET \"a\"' | redis-cli -c -h fd00::7 -p 7001 --tls";
        assert_eq!(reaching(&fed, seed), there);
        assert_eq!(reaching("redis-cli INFO", seed), format!("{seed} INFO"));
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
            r"redis-cli $(redis-cli -h s1 -p 26379 sentinel master 'it'\''s mine' | sed -n '4s/^/-h /p;6s/^/-p /p') -n 3 --user 'on call'"
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
            assert_eq!(reaching(&plain, there), line(there, &args));
        }
    }

    #[test]
    fn a_command_that_may_have_a_password_in_it_is_not_told() {
        let told = |command: &str| {
            via_flags(&Via {
                command: Some(command.to_owned()),
                ..Via::default()
            })
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
