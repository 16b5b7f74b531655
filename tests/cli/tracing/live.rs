//! `trace` without a log: what it tells, and that MONITOR is gone however it ends.

use std::fs::File;
use std::io::{BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Stdio;
use std::time::Duration;

use delayscope::clock::instant;
use delayscope::ops::trace::{Brakes, LiveEnd, follow};
use delayscope::queue::{Known, Queue};
use delayscope::store::monitor::cost;
use delayscope::store::{Access, Store};
use redis::Value;

use crate::program::{Program, Running, bare, begun};
use crate::redisson;
use crate::sentinel::info;
use crate::support::{Server, room, wait_for};

/// The longest that MONITOR may stay after its reader is gone.
const AT_ONCE: Duration = Duration::from_secs(1);

/// The number of connections that the server copies its commands to.
fn monitors(server: &Server) -> usize {
    let list: String = redis::from_redis_value(server.cmd(&["CLIENT", "LIST"])).unwrap();
    let is_one = |line: &&str| line.contains("name=delayscope-trace");
    let flags = |line: &str| line.contains("flags=O");
    let ours: Vec<&str> = list.lines().filter(is_one).collect();
    assert!(ours.iter().all(|line| flags(line)), "{list}");
    ours.len()
}

/// A trace that runs MONITOR by now.
fn tracing(program: &Program, args: &[&str]) -> Running {
    let running = program.begin(&[&["trace", "orders"], args].concat());
    wait_for("MONITOR to run", || monitors(&program.server) == 1);
    running
}

fn assert_ends_at_once(program: &Program, end: impl FnOnce(), how: &str) {
    let ended = instant();
    end();
    wait_for("MONITOR to end", || monitors(&program.server) == 0);
    assert!(ended.elapsed() < AT_ONCE, "{how}: {:?}", ended.elapsed());
}

#[test]
fn a_message_is_followed_from_its_offer_to_its_consumer() {
    let program = Program::start();
    let mut trace = tracing(&program, &["--json", "--limit", "4"]);
    program.offer("orders", "hello", "100ms");
    let worker = ["worker", "orders", "--until-empty", "--yes"];
    program.run(&worker).done();
    program.server.cmd(&["LPOP", "orders"]);
    let offered = trace.next_json();
    assert_eq!(offered["event"], "offered");
    assert_eq!(offered["text"], "hello");
    let delay = offered["delay_ms"].as_i64().unwrap();
    assert!((1..=100).contains(&delay), "{offered}");
    assert_eq!(trace.next_json()["event"], "announced");
    let transferred = trace.next_json();
    assert_eq!(transferred["event"], "transferred", "{transferred}");
    assert_eq!(transferred["id"], offered["id"]);
    let consumed = trace.next_json();
    assert_eq!(consumed["event"], "consumed", "{consumed}");
    assert_eq!(consumed["id"], offered["id"]);
    let said = trace.ended().done();
    let summary = &said.json()[0];
    assert_eq!(summary["messages"], 1);
    assert_eq!(summary["monitor"]["ended_by"], "asked");
    assert!(summary["monitor"]["bytes"].as_u64().unwrap() > 100);
    assert!(said.err.contains("MONITOR on "), "{}", said.err);
    assert!(said.err.contains("commands/s now"), "{}", said.err);
    assert_eq!(monitors(&program.server), 0);
}

#[test]
fn a_queue_of_the_same_name_in_another_database_is_another_one() {
    let program = Program::start();
    let mut trace = tracing(&program, &["--json", "--limit", "1"]);
    let elsewhere = [
        "offer",
        "orders",
        "elsewhere",
        "--in",
        "1h",
        "-n",
        "3",
        "--form",
        "byte-id",
        "--yes",
    ];
    program.run(&elsewhere).done();
    program.offer("orders", "here", "1h");
    assert_eq!(trace.next_json()["text"], "here");
    assert_eq!(trace.ended().done().json()[0]["messages"], 1);
}

#[test]
fn an_event_is_told_while_the_server_is_quiet() {
    let program = Program::start();
    let mut trace = tracing(&program, &["--json"]);
    program.offer("orders", "hello", "1h");
    assert_eq!(trace.next_json()["event"], "offered");
    trace.signal("INT");
    let summary = trace.ended().done().json().pop().unwrap();
    assert_eq!(summary["fates"]["waiting"], 1);
}

#[test]
fn a_trace_lasts_as_long_as_it_was_asked_to() {
    let program = Program::start();
    let began = instant();
    let said = program.run(&["trace", "orders", "--for", "300ms"]);
    assert!(began.elapsed() >= Duration::from_millis(300));
    let said = said.partly();
    assert!(said.err.contains("concerns a message of"), "{}", said.err);
    assert!(said.err.contains("MONITOR ran for "), "{}", said.err);
    let said = program.run(&["trace", "orders", "--for", "300ms", "--json"]);
    assert_eq!(said.partly().json()[0]["monitor"]["ended_by"], "time");
    let refused = program.run(&["trace", "orders", "--for", "6m"]);
    refused.failed("Add --long");
}

#[test]
fn monitor_is_gone_at_once_however_the_trace_ends() {
    let program = Program::start();
    for signal in ["INT", "TERM", "HUP", "TSTP"] {
        let trace = tracing(&program, &["--json"]);
        assert_ends_at_once(&program, || trace.signal(signal), signal);
        let said = trace.ended().partly();
        assert!(said.err.contains("none of the"), "{}", said.err);
    }
    let trace = tracing(&program, &["--json"]);
    assert_ends_at_once(&program, || trace.signal("KILL"), "kill -9");
}

#[test]
fn monitor_is_gone_at_once_when_nobody_can_be_told() {
    let program = Program::start();
    let server = &program.server;
    let offer = || server.cmd(&["ZADD", "redisson_delay_queue_timeout:{orders}", "5", "x"]);
    let trace = tracing(&program, &["--json"]);
    let closed = std::thread::spawn(move || trace.close_output());
    wait_for("MONITOR to end", || {
        offer();
        monitors(server) == 0
    });
    closed.join().unwrap().done();
    let full = File::options().write(true).open("/dev/full").unwrap();
    let mut command = program.command(&["trace", "orders", "--json"]);
    command.stdin(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.stdout(full).spawn().unwrap();
    wait_for("MONITOR to run", || monitors(server) == 1);
    let began = instant();
    wait_for("MONITOR to end", || {
        server.cmd(&["ZREM", "redisson_delay_queue_timeout:{orders}", "x"]);
        offer();
        monitors(server) == 0
    });
    assert!(began.elapsed() < AT_ONCE, "{:?}", began.elapsed());
    assert_eq!(child.wait().unwrap().code(), Some(2));
    let mut said = String::new();
    let stderr = BufReader::new(child.stderr.take().unwrap());
    stderr.take(10_000).read_to_string(&mut said).unwrap();
    assert!(said.contains("No space left"), "{said}");
}

#[test]
fn a_trace_ends_by_itself_when_the_server_becomes_busy() {
    let program = Program::start();
    let trace = tracing(&program, &["--json", "--max-rate", "500"]);
    let mut connection = program.server.connection();
    let mut many = redis::pipe();
    // More than it allows, and so few that the server answers it at once.
    for _ in 0..20 {
        many.cmd("SET").arg("k").arg("v").ignore();
    }
    wait_for("MONITOR to end", || {
        many.exec(&mut connection).unwrap();
        monitors(&program.server) == 0
    });
    let said = trace.ended().partly();
    assert_eq!(said.json()[0]["monitor"]["ended_by"], "rate");
    let most = said.json()[0]["monitor"]["most_commands_per_s"].as_u64();
    assert!(most.unwrap() > 500);
    assert!(said.err.contains("of --max-rate"), "{}", said.err);
}

/// Gives a connection a name, and where the server takes it (Redis 7.2 or later) a library: what
/// CLIENT LIST says of that then.
fn named(connection: &mut redis::Connection, name: &str) -> Option<&'static str> {
    let set = |of: &mut redis::Connection, words: &[&str]| redis::cmd("CLIENT").arg(words).exec(of);
    set(connection, &["SETNAME", name]).unwrap();
    let library = set(connection, &["SETINFO", "LIB-NAME", "redisson"]);
    let version = set(connection, &["SETINFO", "LIB-VER", "3.52.0"]);
    library.and(version).ok().map(|()| "redisson 3.52.0")
}

/// A connection through TCP, which has an address of its own.
fn connected(server: &Server) -> redis::Connection {
    let url = format!("redis://127.0.0.1:{}", server.port());
    redis::Client::open(url).unwrap().get_connection().unwrap()
}

#[test]
fn every_client_that_was_named_before_the_trace_began_is_named_whatever_it_does() {
    let program = Program::at(Server::start_tcp(&[]));
    let server = &program.server;
    let queue = Queue::redisson("orders");
    let (mut shop, mut consumer) = (connected(server), connected(server));
    let library = named(&mut shop, "shop-1");
    named(&mut consumer, "mail-1");
    let mut client = redisson::Client::new(shop, &queue);
    let mut trace = tracing(&program, &["--json", "--limit", "4"]);
    let due = server.now();
    client.offer(due, 1, b"message").unwrap();
    client.transfer(due, 100).unwrap();
    redis::cmd("LPOP")
        .arg("orders")
        .exec(&mut consumer)
        .unwrap();
    for (event, name) in [
        ("offered", "shop-1"),
        ("announced", "shop-1"),
        ("transferred", "shop-1"),
        ("consumed", "mail-1"),
    ] {
        let told = trace.next_json();
        let by = told["by"].as_str().unwrap();
        assert_eq!(
            (&told["event"], &told["names"][by]),
            (&event.into(), &name.into())
        );
        assert_eq!(told["libraries"][by].as_str(), library, "{told}");
    }
    let summary = trace.ended().done().json().pop().unwrap();
    let told = &summary["clients"];
    let each = |place: usize, field: &str| told[place][field].clone();
    assert_eq!(each(0, "names"), serde_json::json!(["mail-1"]), "{told}");
    assert_eq!(each(1, "names"), serde_json::json!(["shop-1"]), "{told}");
    assert_eq!(
        (each(0, "consumed"), each(0, "offered")),
        (1.into(), 0.into())
    );
    assert_eq!(
        (each(1, "consumed"), each(1, "offered")),
        (0.into(), 1.into())
    );
    assert_eq!(told[1]["libraries"][0].as_str(), library, "{told}");
}

#[test]
fn a_client_that_came_after_the_trace_began_is_named_in_the_end_although_hello_is_not_shown() {
    let program = Program::at(Server::start_tcp(&[]));
    let server = &program.server;
    let mut trace = tracing(&program, &["--json"]);
    let mut shop = connected(server);
    redis::cmd("HELLO")
        .arg(&["3", "SETNAME", "shop-2"])
        .exec(&mut shop)
        .unwrap();
    let mut client = redisson::Client::new(shop, &Queue::redisson("orders"));
    client
        .offer(server.now().plus(60_000), 1, b"message")
        .unwrap();
    // What MONITOR told before the signal came is read.
    assert_eq!(trace.next_json()["event"], "offered");
    trace.signal("INT");
    let summary = trace.ended().done().json().pop().unwrap();
    let names = &summary["clients"][0]["names"];
    assert_eq!(*names, serde_json::json!(["shop-2"]), "{summary}");
}

/// Offers, each due before all others, until an announcement tells how many listened: that is known from
/// the first count on.
fn listened(program: &Program, trace: &mut Running) -> u64 {
    for minutes in (1..1_000).rev() {
        program.offer("orders", "hello", &format!("{minutes}m"));
        assert_eq!(trace.next_json()["event"], "offered");
        let announced = trace.next_json();
        assert_eq!(announced["event"], "announced");
        if let Some(to) = announced["to"].as_u64() {
            return to;
        }
    }
    panic!("no announcement tells how many listened");
}

#[test]
fn an_announcement_says_how_many_listened_or_that_nobody_did() {
    let program = Program::start();
    let mut trace = tracing(&program, &["--json"]);
    assert_eq!(listened(&program, &mut trace), 0);
    trace.signal("INT");
    trace.ended().done();
    let mut connection = program.server.connection();
    let mut listener = connection.as_pubsub();
    listener
        .subscribe("redisson_delay_queue_channel:{orders}")
        .unwrap();
    program
        .server
        .cmd(&["DEL", "redisson_delay_queue_timeout:{orders}"]);
    let mut trace = tracing(&program, &["--json"]);
    assert_eq!(listened(&program, &mut trace), 1);
    trace.signal("INT");
    trace.ended().done();
}

#[test]
fn that_nobody_listened_is_not_known_where_clients_may_listen_at_a_replica() {
    let server = Server::start_tcp(&[]);
    let (runtime, store) = opened(&server);
    runtime.block_on(store.ready(AT_ONCE)).unwrap();
    let counted = || {
        let channel = b"redisson_delay_queue_channel:{orders}".as_slice();
        let cost = runtime.block_on(cost(&store, None, Some(channel)));
        cost.unwrap().listeners
    };
    assert_eq!(counted(), Known::Is(0));
    let port = server.port().to_string();
    let replica = Server::start_with(&["--replicaof", "127.0.0.1", &port]);
    wait_for("the replica", || {
        info(&replica, "replication").contains("master_link_status:up")
    });
    let unknown = Known::Unknown("clients may listen at a replica".into());
    assert_eq!(counted(), unknown);
    let mut connection = connected(&server);
    let mut listener = connection.as_pubsub();
    listener
        .subscribe("redisson_delay_queue_channel:{orders}")
        .unwrap();
    assert_eq!(counted(), Known::Is(1));
}

/// The bytes that wait on the server for the reader of its commands.
fn waiting_bytes(server: &Server) -> u64 {
    let list: String = redis::from_redis_value(server.cmd(&["CLIENT", "LIST"])).unwrap();
    let mut ours = list.lines().filter(|line| line.contains("flags=O"));
    let omem = |line: &str| line.split_once(" omem=")?.1.split(' ').next()?.parse().ok();
    ours.next().and_then(omem).unwrap_or(0)
}

/// Offers what 8 MB of MONITOR tell of: in commands so few that no other brake minds them.
fn offer_megabytes(server: &Server, n: u32) {
    let timeouts = "redisson_delay_queue_timeout:{orders}";
    let offers = "for n = 1, 4 do
        redis.call('zadd', KEYS[1], 5, string.rep('x', 2097152) .. ARGV[1] .. '.' .. n)
    end";
    server.cmd(&["EVAL", offers, "1", timeouts, &n.to_string()]);
}

#[test]
fn a_trace_ends_by_itself_when_16_mb_wait_on_the_server_for_a_reader_that_stands_still() {
    let program = Program::start();
    let trace = tracing(&program, &["--json", "--raw"]);
    // Nobody reads what it prints. No more than what is to be seen: a server that has more to do
    // leaves a look without an answer on a busy machine.
    let mut offers = 0..;
    wait_for("MONITOR to end", || {
        if waiting_bytes(&program.server) < 17_000_000 {
            offer_megabytes(&program.server, offers.next().unwrap());
        }
        monitors(&program.server) == 0
    });
    let said = trace.ended().partly();
    let monitor = said.json().pop().unwrap()["monitor"].clone();
    assert_eq!(monitor["ended_by"], "buffer", "{monitor}");
    let waited = monitor["most_waiting_bytes"].as_u64().unwrap();
    assert!(waited > 16_000_000, "{monitor}");
    assert!(
        said.err
            .contains("waited on the server to be sent, more than"),
        "{}",
        said.err
    );
}

/// A store of that server, with the runtime that it lives in.
fn opened(server: &Server) -> (tokio::runtime::Runtime, Store) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let store = {
        let _inside = runtime.enter();
        Store::open(server.endpoint(), Access::ReadOnly)
    };
    (runtime, store)
}

#[test]
fn a_trace_ends_by_itself_when_its_reader_is_behind_the_server() {
    let server = Server::start();
    let (runtime, store) = opened(&server);
    // No other brake minds.
    let brakes = Brakes {
        buffer: u64::MAX,
        commands_per_s: u64::MAX,
        ..Brakes::USUAL
    };
    let (end, cost) = runtime.block_on(async {
        let mut live = follow(&store, brakes, None).await.unwrap();
        // Nobody reads, and this is more than waits for a reader here and on its way.
        for n in 0..3 {
            offer_megabytes(&server, n);
        }
        wait_for("MONITOR to end", || monitors(&server) == 0);
        while live.next().await.is_some() {}
        live.end().await
    });
    let LiveEnd::Behind(behind_us) = end else {
        panic!("{end:?}");
    };
    assert!((5_000_000..60_000_000).contains(&behind_us), "{behind_us}");
    assert!(cost.unwrap().span > Duration::from_secs(5));
}

#[test]
fn a_trace_ends_by_itself_when_the_server_answers_no_more() {
    let program = Program::start();
    let trace = tracing(&program, &["--json"]);
    let paused = instant();
    program.server.cmd(&["CLIENT", "PAUSE", "8000"]);
    let said = trace.ended();
    assert!(
        paused.elapsed() < Duration::from_secs(8),
        "it waited for the answer"
    );
    let ended_by = said.json().pop().unwrap()["monitor"]["ended_by"].clone();
    assert_eq!(ended_by, "unanswered");
    said.failed("MONITOR was ended before its time");
    wait_for("MONITOR to end", || monitors(&program.server) == 0);
}

#[test]
fn monitor_is_gone_at_once_after_a_panic() {
    let server = Server::start();
    let (runtime, store) = opened(&server);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        runtime.block_on(async {
            let _live = follow(&store, Brakes::USUAL, None).await.unwrap();
            panic!("{} while MONITOR runs", monitors(&server));
        });
    }));
    let words = panicked.unwrap_err();
    let words = words.downcast_ref::<String>().unwrap();
    assert_eq!(words, "1 while MONITOR runs");
    let panicked = instant();
    wait_for("MONITOR to end", || monitors(&server) == 0);
    assert!(panicked.elapsed() < AT_ONCE, "{:?}", panicked.elapsed());
}

#[test]
fn who_may_not_run_monitor_is_told_what_does_without() {
    let program = Program::start();
    let server = &program.server;
    server.cmd(&[
        "ACL", "SETUSER", "less", "on", ">secret", "~*", "&*", "+@all", "-monitor",
    ]);
    let login = ["--user", "less", "-a", "secret"];
    let said = program.run(&[&["trace", "orders"][..], &login].concat());
    assert!(said.err.contains("--probe 5") && said.err.contains("--from FILE"));
    said.failed("refused to run MONITOR: NOPERM");
    server.cmd(&["ACL", "SETUSER", "less", "+monitor", "-client|list"]);
    let named = ["trace", "orders", "--for", "100ms"];
    let said = program.run(&[&named[..], &login].concat()).partly();
    let without = "told by their addresses alone: ";
    assert!(said.err.contains(without), "{}", said.err);
    server.cmd(&["ACL", "SETUSER", "less", "+client|list", "-info"]);
    // How busy the server is cannot be seen, so it is asked about.
    let said = program.run(&[&["trace", "orders"][..], &login].concat());
    assert!(said.err.contains("give --yes"), "{}", said.err);
    assert_eq!(said.code, 2);
    let yes = ["trace", "orders", "--for", "100ms", "--yes"];
    let said = program.run(&[&yes[..], &login].concat()).partly();
    // Nor how many clients it would have to list.
    let uncounted = "it does not tell how many clients it has";
    assert!(
        said.err.contains(without) && said.err.contains(uncounted),
        "{}",
        said.err
    );
}

/// A proxy before that server, which closes a connection that is to run MONITOR; its port.
fn proxy_without_monitor(server: &Server) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let to = server.port();
    std::thread::spawn(move || {
        for mut client in listener.incoming().flatten() {
            let mut inside = TcpStream::connect(("127.0.0.1", to)).unwrap();
            let (mut back, mut from) = (client.try_clone().unwrap(), inside.try_clone().unwrap());
            std::thread::spawn(move || std::io::copy(&mut from, &mut back));
            std::thread::spawn(move || {
                let mut some = vec![0; 1 << 16];
                while let Ok(length @ 1..) = client.read(&mut some) {
                    let is_monitor = some[..length].windows(7).any(|word| word == b"MONITOR");
                    if is_monitor || inside.write_all(&some[..length]).is_err() {
                        break;
                    }
                }
                let _ = inside.shutdown(Shutdown::Both);
                let _ = client.shutdown(Shutdown::Both);
            });
        }
    });
    port
}

#[test]
fn where_a_proxy_closes_the_connection_at_monitor_it_is_told_what_does_without() {
    let program = Program::at(Server::start_tcp(&[]));
    let url = format!(
        "redis://127.0.0.1:{}",
        proxy_without_monitor(&program.server)
    );
    let home = room();
    let mut command = bare(home.path());
    command.args(["-u", &url, "trace", "orders", "--for", "100ms", "--yes"]);
    let said = begun(command).ended();
    for words in ["a proxy that does not", "--probe 5", "--from FILE"] {
        assert!(said.err.contains(words), "{}", said.err);
    }
    said.failed("Without MONITOR");
}

#[test]
fn a_server_that_is_busy_already_is_asked_about_or_left_alone() {
    let program = Program::start();
    let mut connection = program.server.connection();
    let mut many = redis::pipe();
    for _ in 0..2_000 {
        many.cmd("SET").arg("k").arg("v").ignore();
    }
    let busy = || {
        let stats: String =
            redis::from_redis_value(program.server.cmd(&["INFO", "stats"])).unwrap();
        let line = stats.lines().find_map(|line| {
            let figure = line.strip_prefix("instantaneous_ops_per_sec:")?;
            figure.trim().parse::<u64>().ok()
        });
        line.unwrap() > 6_000
    };
    wait_for("the server to be busy", || {
        many.exec(&mut connection).unwrap();
        busy()
    });
    let said = program.run(&["trace", "orders", "--max-rate", "10"]);
    let said = said.failed("MONITOR is ended above 10");
    assert!(!said.err.contains("MONITOR ran"), "{}", said.err);
    assert!(matches!(
        program.server.cmd(&["PING"]),
        Value::SimpleString(_)
    ));
}

/// A client that sends what Redisson's sends, with its address.
fn client_of(server: &Server, queue: &Queue) -> (String, redisson::Client) {
    let url = format!("redis://127.0.0.1:{}", server.port());
    let mut connection = redis::Client::open(url).unwrap().get_connection().unwrap();
    let id: u64 = redis::cmd("CLIENT")
        .arg("ID")
        .query(&mut connection)
        .unwrap();
    let list: String = redis::from_redis_value(server.cmd(&["CLIENT", "LIST"])).unwrap();
    let its = format!("id={id} addr=");
    let line = list.lines().find_map(|line| line.strip_prefix(&its));
    let address = line.and_then(|line| line.split(' ').next()).unwrap();
    (address.to_owned(), redisson::Client::new(connection, queue))
}

/// Redisson's own scripts, as three clients send them whose timers fire one after the other.
#[test]
fn of_three_clients_that_run_a_transfer_it_is_told_who_was_first_and_who_ran_in_vain() {
    const ROUNDS: usize = 6;
    let program = Program::at(Server::start_tcp(&[]));
    let server = &program.server;
    let queue = Queue::redisson("orders");
    let mut clients = [(); 3].map(|()| client_of(server, &queue));
    let events = ROUNDS * ["offered", "announced", "transferred", "in-vain", "in-vain"].len();
    let mut trace = tracing(&program, &["--json", "--limit", &events.to_string()]);
    for round in 0..ROUNDS {
        let due = server.now();
        clients[0].1.offer(due, round as u64, b"message").unwrap();
        for place in 0..3 {
            let (_, client) = &mut clients[(round + place) % 3];
            client.transfer(due, 100).unwrap();
        }
    }
    let address = |round: usize| clients[round % 3].0.as_str();
    for round in 0..ROUNDS {
        let id = trace.next_json()["id"].clone();
        assert_eq!(trace.next_json()["event"], "announced");
        let won = trace.next_json();
        assert_eq!(won["event"], "transferred", "{won}");
        assert_eq!(
            (&won["id"], won["by"].as_str()),
            (&id, Some(address(round)))
        );
        for place in 1..3 {
            let lost = trace.next_json();
            assert_eq!(lost["event"], "in-vain", "{lost}");
            assert_eq!((&lost["id"], &lost["won_by"]), (&id, &won["by"]));
            assert_eq!(lost["by"], address(round + place), "{lost}");
            assert!((0..5_000).contains(&lost["after_ms"].as_i64().unwrap()));
        }
    }
    let summary = trace.ended().done().json().pop().unwrap();
    // All of one host.
    let told = &summary["clients"][0];
    let races = ["races_won", "races_lost"].map(|name| told[name].as_u64());
    assert_eq!(races, [Some(6), Some(12)], "{told}");
    assert_eq!(told["transfers_in_vain"], 12, "{told}");
}

/// Redisson's own transfer script, as clients send it whose clocks are wrong.
#[test]
fn a_client_whose_clock_is_wrong_is_told_by_how_much() {
    let program = Program::at(Server::start_tcp(&[]));
    let trace = tracing(&program, &["--json"]);
    let server = &program.server;
    let queue = Queue::redisson("orders");
    // One through TCP, one through the socket: two hosts.
    let url = format!("redis://127.0.0.1:{}", server.port());
    let by_tcp = redis::Client::open(url).unwrap().get_connection().unwrap();
    for (connection, skew) in [(by_tcp, 2_000), (server.connection(), -2_000)] {
        let mut client = redisson::Client::new(connection, &queue);
        for _ in 0..50 {
            let now = server.now().plus(skew);
            client.transfer(now, 100).unwrap();
        }
    }
    trace.signal("INT");
    let summary = trace.ended().partly().json().pop().unwrap();
    let clients = summary["clients"].as_array().unwrap().iter();
    let clocks: Vec<_> = clients
        .filter_map(|client| Some((client["host"].as_str()?, client["clock_ms"].as_i64()?)))
        .collect();
    assert_eq!(clocks.len(), 2, "{summary}");
    for (host, clock) in clocks {
        let skew = if host == "127.0.0.1" { 2_000 } else { -2_000 };
        assert!((clock - skew).abs() <= 50, "{host}: {clock} ms for {skew}");
    }
}
