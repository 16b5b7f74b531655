//! TLS: a server behind it is reached as any other; each thing that can be wrong with certificates,
//! names, ports and keys is told by its own sentence, with the flag that helps.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, date_time_ymd};

use delayscope::clock::instant;
use delayscope::ops::refresh::pulse;
use delayscope::queue::{Address, Queue, Tls};
use delayscope::store::{Access, Store};

use crate::cluster::{Cluster, MASTERS, queue_at};
use crate::program::{Said, bare, said};
use crate::sentinel::{Group, NAME, info};
use crate::support::{PATIENCE, Server, room, wait_for};

/// Who signs certificates here.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

/// A certificate and its key, both PEM.
pub(crate) struct Pair {
    cert: String,
    key: String,
}

impl Authority {
    pub(crate) fn new(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        let issuer = Issuer::new(params, key);
        Self { issuer, pem }
    }

    /// A certificate that bears these names.
    pub(crate) fn signs(&self, names: &[&str]) -> Pair {
        self.signs_with(names, |_| {})
    }

    fn signs_with(&self, names: &[&str], change: impl FnOnce(&mut CertificateParams)) -> Pair {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        let cert = params.signed_by(&key, &self.issuer).unwrap().pem();
        Pair {
            cert,
            key: key.serialize_pem(),
        }
    }
}

/// A server that speaks TLS, and the files of those who talk to it.
pub(crate) struct Stage {
    server: Server,
    pub(crate) port: u16,
    files: tempfile::TempDir,
    home: tempfile::TempDir,
}

impl Stage {
    /// A server that shows `shown`; it asks for client certificates as `asks` says.
    pub(crate) fn start(authority: &Authority, shown: &Pair, asks: &str) -> Self {
        let files = room();
        let file = |name: &str, text: &str| {
            let path = files.path().join(name);
            std::fs::write(&path, text).unwrap();
            path.display().to_string()
        };
        let (ca, cert) = (file("ca.pem", &authority.pem), file("s.pem", &shown.cert));
        let key = file("s.key", &shown.key);
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let server = Server::start_with(&[
            "--tls-port",
            &port.to_string(),
            "--tls-cert-file",
            &cert,
            "--tls-key-file",
            &key,
            "--tls-ca-cert-file",
            &ca,
            "--tls-auth-clients",
            asks,
        ]);
        Self {
            server,
            port,
            files,
            home: room(),
        }
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.files.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn ca(&self) -> PathBuf {
        self.files.path().join("ca.pem")
    }

    /// What the program says at its port, with those flags before the command.
    fn run(&self, flags: &[&dyn AsRef<std::ffi::OsStr>], command: &[&str]) -> Said {
        let mut program = bare(self.home.path());
        program.args(["-h", "127.0.0.1", "-p", &self.port.to_string()]);
        program.args(flags.iter().map(AsRef::as_ref)).args(command);
        said(&mut program)
    }

    /// The complaint of a run that cannot connect.
    fn refused(&self, flags: &[&dyn AsRef<std::ffi::OsStr>]) -> String {
        let said = self.run(flags, &["queues"]);
        assert_eq!(said.code, 2, "{said:?}");
        said.err
    }
}

fn reaches(said: &Said) {
    // 1: no queues are there.
    assert!(matches!(said.code, 0 | 1), "{said:?}");
    assert!(!said.err.contains("cannot"), "{said:?}");
}

#[test]
fn behind_tls_everything_works() {
    let authority = Authority::new("Ours");
    let stage = Stage::start(&authority, &authority.signs(&["127.0.0.1"]), "no");
    let ca = stage.ca();
    let run = |command: &[&str]| {
        let said = stage.run(&[&"--cacert", &ca], command);
        assert_eq!(said.code, 0, "{said:?}");
        said.out
    };
    // A shared connection, one of its own for scripts, one that blocks, one that listens.
    run(&[
        "offer", "orders", "hello", "--in", "0s", "--form", "byte-id",
    ]);
    run(&[
        "offer", "orders", "later", "--in", "1h", "--form", "byte-id",
    ]);
    run(&["transfer", "orders", "--yes"]);
    assert!(run(&["consume", "orders", "--count", "1", "--yes"]).contains("hello"));
    assert!(run(&["queues"]).contains("orders"));
    // A URL of its own scheme says the same as the flag.
    let mut by_url = bare(stage.home.path());
    by_url.arg(format!("rediss://127.0.0.1:{}", stage.port));
    let out = said(by_url.arg("--cacert").arg(&ca).arg("queues"));
    assert!(out.out.contains("orders"), "{out:?}");
}

/// A room with what is needed by servers behind TLS, and who signs; the arguments that name it.
fn files_of_servers() -> (tempfile::TempDir, PathBuf, [String; 8]) {
    files_of_servers_named("127.0.0.1")
}

/// The same for servers whose certificate bears that name.
fn files_of_servers_named(name: &str) -> (tempfile::TempDir, PathBuf, [String; 8]) {
    let (authority, files) = (Authority::new("Ours"), room());
    let shown = authority.signs(&[name]);
    let file = |name: &str, text: &str| {
        let path = files.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let ca = file("ca.pem", &authority.pem);
    let [cert, key] = [("s.pem", &shown.cert), ("s.key", &shown.key)]
        .map(|(name, text)| file(name, text).display().to_string());
    let args = [
        "--tls-cert-file",
        &cert,
        "--tls-key-file",
        &key,
        "--tls-ca-cert-file",
        &ca.display().to_string(),
        "--tls-auth-clients",
        "no",
    ]
    .map(str::to_owned);
    (files, ca, args)
}

/// Two of three late entries are delivered, one before and one after `between`.
fn transferred_around(url: &str, ca: &Path, queue: &str, between: impl FnOnce()) {
    let home = room();
    let run = |command: &[&str]| {
        let mut program = bare(home.path());
        program.args(["-u", url, "--cacert"]).arg(ca).args(command);
        said(&mut program)
    };
    let transfer = ["transfer", queue, "--limit", "1", "--late", "--yes"];
    run(&transfer).done();
    between();
    run(&transfer).done();
    let told = run(&["show", queue, "--json"]).done().json();
    assert_eq!(
        (&told[0]["waiting"], &told[0]["target"]),
        (&1.into(), &2.into())
    );
    // Without who has signed, each of them says the same.
    let mut program = bare(home.path());
    let why = said(program.args(["-u", url, "queues"]))
        .failed("--cacert")
        .err;
    assert!(
        why.contains("signed by nobody who is trusted here"),
        "{why}"
    );
}

#[test]
fn a_cluster_behind_tls_is_read_and_changed_also_when_another_node_takes_over() {
    let (_files, ca, args) = files_of_servers();
    let cluster = Cluster::start_behind_tls(&args.each_ref().map(String::as_str));
    // Its node is not the one that is asked first.
    let queue = queue_at(2, 0);
    let node = &cluster.nodes[2];
    node.fill(&queue, 3, node.now().plus(-600_000), 1);
    wait_for("the replica to have it", || {
        let acked = node.int(&["WAIT", "1", "100"]);
        acked == 1
    });
    let url = format!("rediss://127.0.0.1:{}", cluster.nodes[0].port());
    transferred_around(&url, &ca, &queue.name.text(), || {
        cluster.fail_over(2 + MASTERS, false);
        wait_for("the replica to be the master", || {
            info(&cluster.nodes[2 + MASTERS], "replication").contains("role:master")
        });
    });
}

#[test]
fn nodes_that_are_announced_by_address_are_known_by_the_name_of_the_seed() {
    let (_files, ca, args) = files_of_servers_named("localhost");
    let cluster = Cluster::start_behind_tls(&args.each_ref().map(String::as_str));
    let queue = queue_at(2, 0);
    let node = &cluster.nodes[2];
    node.fill(&queue, 3, node.now().plus(-600_000), 1);
    let home = room();
    let port = cluster.nodes[0].port();
    let by = |url: &str| {
        let mut program = bare(home.path());
        program.args(["-u", url, "--cacert"]).arg(&ca);
        said(program.args(["queues", "--json"]))
    };
    let told = by(&format!("rediss://localhost:{port}")).done();
    assert_eq!(told.json()[0]["waiting"], 3, "{told:?}");
    let sole = by(&format!("rediss://127.0.0.1:{port}"));
    sole.failed("not 127.0.0.1: give the right one with --sni NAME");
}

/// Something before a node that is slow at the first connection, and takes the others without a word.
fn slow_before(port: u16) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let mut client = listener.accept().unwrap().0;
        let mut node = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let (mut back, mut to_client) = (node.try_clone().unwrap(), client.try_clone().unwrap());
        std::thread::spawn(move || std::io::copy(&mut back, &mut to_client));
        std::thread::spawn(move || {
            // A little less than a handshake may take.
            std::thread::sleep(Duration::from_millis(1_900));
            std::io::copy(&mut client, &mut node)
        });
        let others: Vec<_> = listener.incoming().collect();
        drop(others);
    });
    at
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_handshake_leaves_no_second_wait_for_the_one_under_the_name_of_the_seed() {
    let (_files, ca, args) = files_of_servers_named("localhost");
    let cluster = Cluster::start_behind_tls(&args.each_ref().map(String::as_str));
    let (queue, ports) = (queue_at(2, 0), [0, 2].map(|n| cluster.nodes[n].port()));
    let mut endpoint = cluster.endpoint(0);
    endpoint.address = Address::Tcp("localhost".to_owned(), ports[0]);
    endpoint.tls = Some(Tls {
        ca_file: Some(ca),
        ..Tls::default()
    });
    let slow = slow_before(ports[1]);
    let mapping = format!("127.0.0.1:{}=127.0.0.1:{slow}", ports[1]);
    endpoint.via.map = vec![mapping.parse().unwrap()];
    let store = Store::open(endpoint, Access::ReadOnly);
    store.ready(PATIENCE).await.unwrap();
    let begun = instant();
    pulse(&store, &queue, None).await.unwrap_err();
    let took = instant() - begun;
    // Both have 2 s together; one after the other they took 3.9.
    assert!(took < Duration::from_millis(3_500), "{took:?}");
}

#[test]
fn a_master_behind_tls_is_found_by_sentinels_behind_tls_also_when_they_name_another() {
    let (_files, ca, args) = files_of_servers();
    let group = Group::start_behind_tls(&args.each_ref().map(String::as_str));
    let queue = Queue::redisson("orders");
    let master = &group.servers[0];
    master.fill(&queue, 3, master.now().plus(-600_000), 1);
    wait_for("the replicas to have it", || {
        master.int(&["WAIT", "2", "100"]) == 2
    });
    let url = format!(
        "rediss-sentinel://{}/0?sentinelMasterId={NAME}",
        group.places()
    );
    transferred_around(&url, &ca, "orders", || {
        group.fail_over();
        wait_for("another master", || {
            group.master() != 0 && group.is_settled()
        });
    });
}

#[test]
fn announcements_are_heard_over_tls() {
    let authority = Authority::new("Ours");
    let stage = Stage::start(&authority, &authority.signs(&["127.0.0.1"]), "no");
    let mut program = bare(stage.home.path());
    program.args(["-h", "127.0.0.1", "-p", &stage.port.to_string(), "--cacert"]);
    program
        .arg(stage.ca())
        .args(["--queue", "orders", "traffic", "--count", "1"]);
    let heard = std::thread::spawn(move || said(&mut program));
    let channel = "redisson_delay_queue_channel:{orders}";
    wait_for("the announcement to be heard", || {
        stage.server.cmd(&["PUBLISH", channel, "1700000000000"]);
        heard.is_finished()
    });
    let heard = heard.join();
    assert!(heard.unwrap().out.contains("orders"));
}

#[test]
fn a_wrong_certificate_is_named_with_the_flag_that_helps() {
    let ours = Authority::new("Ours");
    let stranger = Authority::new("Stranger");
    let named = |pair: &Pair| Stage::start(&ours, pair, "no");

    let stage = named(&ours.signs(&["127.0.0.1"]));
    let theirs = stage.file("theirs.pem", &stranger.pem);
    let why = stage.refused(&[&"--cacert", &theirs]);
    assert!(
        why.contains("signed by nobody who is trusted here: give its CA with --cacert"),
        "{why}"
    );
    reaches(&stage.run(&[&"--insecure"], &["queues"]));
    reaches(&stage.run(&[&"--cacertdir", &stage.files.path()], &["queues"]));

    let stage = named(&ours.signs(&["redis.internal"]));
    let ca = stage.ca();
    let why = stage.refused(&[&"--cacert", &ca]);
    assert!(
        why.contains("bears DnsName(\"redis.internal\"), not 127.0.0.1")
            || why.contains("redis.internal"),
        "{why}"
    );
    assert!(
        why.contains("--sni NAME") && why.contains("--tls-verify ca"),
        "{why}"
    );
    reaches(&stage.run(
        &[&"--cacert", &ca, &"--sni", &"redis.internal"],
        &["queues"],
    ));
    reaches(&stage.run(&[&"--cacert", &ca, &"--tls-verify", &"ca"], &["queues"]));
    let why = stage.refused(&[&"--cacert", &theirs, &"--tls-verify", &"ca"]);
    assert!(
        why.contains("theirs.pem") || why.contains("nobody who is trusted"),
        "{why}"
    );

    let stage = named(&ours.signs_with(&[], |of| {
        of.distinguished_name.push(DnType::CommonName, "127.0.0.1");
    }));
    let why = stage.refused(&[&"--cacert", &stage.ca()]);
    assert!(why.contains("bears no name, not 127.0.0.1"), "{why}");

    let stage = named(&ours.signs_with(&["127.0.0.1"], |of| {
        of.not_after = date_time_ymd(2020, 1, 1);
        of.not_before = date_time_ymd(2019, 1, 1);
    }));
    let why = stage.refused(&[&"--cacert", &stage.ca()]);
    assert!(why.contains("has expired"), "{why}");
    // A command that leads there ends when we close the connection, and well.
    let script = "exec 3<>/dev/tcp/$0/$1; cat <&3 2>/dev/null & exec cat >&3";
    let command = format!("exec bash -c '{script}' {{host}} {{port}}");
    let why = stage.refused(&[&"--cacert", &stage.ca(), &"--tunnel-command", &command]);
    assert!(why.contains("has expired"), "{why}");
    reaches(&stage.run(&[&"--insecure"], &["queues"]));

    let stage = named(&ours.signs_with(&["127.0.0.1"], |of| {
        of.not_before = date_time_ymd(2090, 1, 1);
        of.not_after = date_time_ymd(2095, 1, 1);
    }));
    let why = stage.refused(&[&"--cacert", &stage.ca()]);
    assert!(
        why.contains("not valid yet: is the clock of this machine right"),
        "{why}"
    );
}

#[test]
fn a_certificate_that_signed_itself_is_trusted_when_it_is_the_one_that_was_given() {
    let mut params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    let own = Pair {
        cert: params.self_signed(&key).unwrap().pem(),
        key: key.serialize_pem(),
    };
    let ours = Authority::new("Ours");
    let stage = Stage::start(&ours, &own, "no");
    let itself = stage.file("itself.pem", &own.cert);
    reaches(&stage.run(&[&"--cacert", &itself], &["queues"]));
    let why = stage.refused(&[&"--cacert", &stage.ca()]);
    assert!(why.contains("--cacert FILE"), "{why}");
    // For another name it is not.
    let why = stage.refused(&[&"--cacert", &itself, &"--sni", &"redis.internal"]);
    assert!(why.contains("--cacert") || why.contains("--sni"), "{why}");
}

#[test]
fn a_server_that_asks_who_we_are_is_told_or_its_question_is() {
    let ours = Authority::new("Ours");
    let stranger = Authority::new("Stranger");
    let stage = Stage::start(&ours, &ours.signs(&["127.0.0.1"]), "yes");
    let ca = stage.ca();
    let why = stage.refused(&[&"--cacert", &ca]);
    assert!(
        why.contains("wants a client certificate: give one with --cert FILE and --key"),
        "{why}"
    );

    let client = ours.signs(&["client"]);
    let (cert, key) = (
        stage.file("c.pem", &client.cert),
        stage.file("c.key", &client.key),
    );
    reaches(&stage.run(
        &[&"--cacert", &ca, &"--cert", &cert, &"--key", &key],
        &["queues"],
    ));

    let other = stranger.signs(&["client"]);
    let (bad, bad_key) = (
        stage.file("b.pem", &other.cert),
        stage.file("b.key", &other.key),
    );
    let why = stage.refused(&[&"--cacert", &ca, &"--cert", &bad, &"--key", &bad_key]);
    assert!(why.contains("does not accept our certificate"), "{why}");

    let why = stage.refused(&[&"--cacert", &ca, &"--cert", &cert, &"--key", &bad_key]);
    assert!(why.contains("do not go together"), "{why}");
    let why = stage.refused(&[&"--cacert", &ca, &"--cert", &cert]);
    assert!(why.contains("needs its key"), "{why}");
    let locked =
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n-----END ENCRYPTED PRIVATE KEY-----\n";
    let locked = stage.file("locked.key", locked);
    let why = stage.refused(&[&"--cacert", &ca, &"--cert", &cert, &"--key", &locked]);
    assert!(why.contains("is it encrypted? openssl pkey"), "{why}");
}

#[test]
fn files_that_hold_no_certificate_are_named() {
    let ours = Authority::new("Ours");
    let stage = Stage::start(&ours, &ours.signs(&["127.0.0.1"]), "no");
    let why = stage.refused(&[&"--cacert", &Path::new("/nowhere/ca.pem")]);
    assert!(
        why.contains("/nowhere/ca.pem could not be read: No such file"),
        "{why}"
    );
    let empty = stage.file("empty.pem", "nothing\n");
    let why = stage.refused(&[&"--cacert", &empty]);
    assert!(why.contains("empty.pem holds no certificate"), "{why}");
    let bare_dir = room();
    let why = stage.refused(&[&"--cacertdir", &bare_dir.path()]);
    assert!(why.contains("holds a certificate"), "{why}");
    let why = stage.refused(&[&"--cacert", &stage.ca(), &"--sni", &"no name"]);
    assert!(
        why.contains("is no name that a certificate can bear"),
        "{why}"
    );
}

#[test]
fn a_port_that_speaks_otherwise_is_told_apart() {
    let ours = Authority::new("Ours");
    let stage = Stage::start(&ours, &ours.signs(&["127.0.0.1"]), "no");
    let why = stage.refused(&[]);
    assert!(
        why.contains("this port speaks TLS: use rediss://, or --tls"),
        "{why}"
    );

    let plain = Server::start_tcp(&[]);
    let mut program = bare(stage.home.path());
    program.args(["-p", &plain.port().to_string(), "--insecure", "queues"]);
    let why = said(&mut program);
    assert_eq!(why.code, 2);
    assert!(
        why.err
            .contains("this port speaks Redis without TLS: use redis://"),
        "{}",
        why.err
    );

    let socket = stage.server.socket();
    let mut program = bare(stage.home.path());
    program.arg("-s").arg(socket).args(["--tls", "queues"]);
    let why = said(&mut program).err;
    assert!(why.contains("a unix socket speaks no TLS"), "{why}");
}

#[test]
fn a_profile_says_how_to_talk_tls() {
    let ours = Authority::new("Ours");
    let stage = Stage::start(&ours, &ours.signs(&["redis.internal"]), "yes");
    let client = ours.signs(&["client"]);
    let (cert, key) = (
        stage.file("c.pem", &client.cert),
        stage.file("c.key", &client.key),
    );
    let file = stage.file(
        "config.toml",
        &format!(
            "[profiles.prod]\nurl = \"rediss://127.0.0.1:{}\"\nsni = \"redis.internal\"\n\
             cacert = {:?}\ncert = {cert:?}\nkey = {key:?}\n",
            stage.port,
            stage.ca(),
        ),
    );
    let mut program = bare(stage.home.path());
    program
        .args(["--profile", "prod", "--config"])
        .arg(&file)
        .arg("queues");
    reaches(&said(&mut program));
}
