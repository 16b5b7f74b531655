//! Metrics: right, readable by a real parser, cheap however many ask, and there also when the server
//! is not.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;

use prometheus_parse::{Scrape, Value};

use crate::doctor::sick;
use crate::program::{Program, Running};

/// The samples in a text, by a parser that is not ours.
fn parsed(text: &str) -> Scrape {
    let lines = text.lines().map(|line| Ok(line.to_owned()));
    let scrape = Scrape::parse(lines).unwrap();
    assert!(!scrape.samples.is_empty(), "{text}");
    scrape
}

/// The value of a sample with these labels; none when it is absent.
fn value(scrape: &Scrape, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
    let fits = |sample: &&prometheus_parse::Sample| {
        let has = |(name, value): &(&str, &str)| sample.labels.get(name) == Some(*value);
        sample.metric == format!("delayscope_{name}") && labels.iter().all(has)
    };
    let sample = scrape.samples.iter().find(fits)?;
    match &sample.value {
        Value::Gauge(value) | Value::Counter(value) | Value::Untyped(value) => Some(*value),
        other => panic!("{name}: {other:?}"),
    }
}

/// A program that serves, and its port.
fn serving(program: &Program, flags: &[&str]) -> (Running, u16) {
    let running = program.begin(&[&["metrics", "--listen", "127.0.0.1:0"], flags].concat());
    served_at(running)
}

/// The same, and the port at which it serves.
pub(crate) fn served_at(mut running: Running) -> (Running, u16) {
    let said = running.error_line("metrics at");
    let port = said.split("127.0.0.1:").nth(1).unwrap();
    let port = port.split('/').next().unwrap().parse().unwrap();
    (running, port)
}

/// The status and the body of what is there.
pub(crate) fn get(port: u16, path: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut reader = BufReader::new(stream);
    let mut status = String::new();
    reader.read_line(&mut status).unwrap();
    let mut rest = String::new();
    reader.read_to_string(&mut rest).unwrap();
    let code = status.split(' ').nth(1).unwrap().parse().unwrap();
    let body = rest.split_once("\r\n\r\n").unwrap().1.to_owned();
    (code, body)
}

#[test]
fn once_they_tell_of_each_queue_what_waits_what_is_late_and_what_is_wrong() {
    let program = Program::start();
    program.offer("orders", "late", "0s");
    program.offer("orders", "soon", "30s");
    program.offer("orders", "later", "2h");
    program.offer("a\"b", "x", "2h");
    let said = program.run(&["metrics"]).done();
    let scrape = parsed(&said.out);
    let of = |name, labels: &[(&str, &str)]| value(&scrape, name, labels);
    assert_eq!(of("up", &[]), Some(1.0));
    assert_eq!(of("queues_found", &[]), Some(2.0));
    assert_eq!(of("queues_omitted", &[]), Some(0.0));
    let orders = ("queue", "orders");
    for (state, count) in [
        ("waiting", 3.0),
        ("late", 1.0),
        ("delivered", 0.0),
        ("order", 3.0),
    ] {
        assert_eq!(
            of("queue_entries", &[orders, ("state", state)]),
            Some(count),
            "{state}"
        );
    }
    let late = of("queue_late_seconds", &[orders]).unwrap();
    assert!((3.0..60.0).contains(&late), "{late}");
    assert_eq!(
        of("queue_due_within_entries", &[orders, ("within", "60s")]),
        Some(1.0)
    );
    assert_eq!(
        of("queue_due_within_entries", &[orders, ("within", "24h")]),
        Some(2.0)
    );
    assert_eq!(of("queue_transfer_clients", &[orders]), Some(0.0));
    assert!(of("commands_total", &[]).unwrap() > 5.0);
    // A name is a label as it is.
    assert!(
        said.out
            .contains("late_seconds{queue=\"a\\\"b\",layout=\"redisson\"} 0"),
        "{said:?}"
    );
}

#[test]
fn who_waits_what_is_refused_and_what_nobody_can_unpack_is_told() {
    let program = Program::start();
    program.offer("orders", "x", "1h");
    let timeouts = "redisson_delay_queue_timeout:{orders}";
    program.server.cmd(&["ZADD", timeouts, "99", "no frame"]);
    let of = |name, labels: &[(&str, &str)]| {
        let said = program.run(&["metrics"]).done();
        value(&parsed(&said.out), name, labels)
    };
    let orders = ("queue", "orders");
    assert_eq!(
        of("queue_payload_undecodable_entries", &[orders]),
        Some(1.0)
    );
    let skew = of("clock_skew_seconds", &[]).unwrap();
    assert!(skew.abs() < 1.0, "{skew}");
    assert_eq!(of("blocked_clients", &[]), Some(0.0));
    let mut waits = program.server.connection();
    let consumer = std::thread::spawn(move || {
        let _: Option<Vec<String>> = redis::cmd("BLPOP")
            .arg("nothing")
            .arg(0)
            .query(&mut waits)
            .unwrap_or_default();
    });
    crate::support::wait_for("the consumer to wait", || {
        of("blocked_clients", &[]) == Some(1.0)
    });
    // Redis counts errors since 6.2.
    if let Some(before) = of("refused_writes", &[("error", "OOM")]) {
        assert!(before < 0.5, "{before}");
        program.server.cmd(&["CONFIG", "SET", "maxmemory", "1"]);
        let refused: redis::RedisResult<()> = redis::cmd("SET")
            .arg("a")
            .arg("b")
            .query(&mut program.server.connection());
        assert!(refused.is_err());
        program.server.cmd(&["CONFIG", "SET", "maxmemory", "0"]);
        assert_eq!(of("refused_writes", &[("error", "OOM")]), Some(1.0));
    }
    program.server.cmd(&["RPUSH", "nothing", "x"]);
    consumer.join().unwrap();
}

#[test]
fn more_queues_than_the_limit_are_counted() {
    let program = Program::start();
    for queue in ["a", "b", "c"] {
        program.offer(queue, "x", "1h");
    }
    let scrape = parsed(&program.run(&["metrics", "--limit", "2"]).done().out);
    assert_eq!(value(&scrape, "queues_found", &[]), Some(3.0));
    assert_eq!(value(&scrape, "queues_omitted", &[]), Some(1.0));
    assert_eq!(
        value(&scrape, "queue_late_seconds", &[("queue", "c")]),
        None
    );
}

#[test]
fn ten_who_ask_at_once_cost_the_server_one_reading() {
    let program = Program::start();
    program.offer("orders", "x", "1h");
    let (_running, port) = serving(&program, &[]);
    let first = parsed(&get(port, "/metrics").1);
    assert_eq!(value(&first, "queues_found", &[]), Some(1.0));
    let each: Vec<_> = (0..10)
        .map(|_| std::thread::spawn(move || get(port, "/metrics").1))
        .collect();
    let texts: Vec<String> = each.into_iter().map(|one| one.join().unwrap()).collect();
    let mut told: Vec<u64> = texts
        .iter()
        .map(|text| {
            value(&parsed(text), "commands_total", &[])
                .unwrap()
                .to_bits()
        })
        .collect();
    told.dedup();
    // Of the second in which they asked, and perhaps of the next.
    assert!(told.len() <= 2, "{told:?}");
    assert_eq!(get(port, "/healthz"), (200, "ok\n".to_owned()));
    assert_eq!(get(port, "/other").0, 404);
}

#[test]
fn a_queue_that_comes_or_goes_is_told_and_one_scraper_that_breaks_off_hinders_nobody() {
    let program = Program::start();
    program.offer("orders", "x", "1h");
    let (_running, port) = serving(&program, &["--discover", "200ms"]);
    let mut broken = TcpStream::connect(("127.0.0.1", port)).unwrap();
    broken.write_all(b"GET /metr").unwrap();
    drop(broken);
    program.offer("invoices", "x", "1h");
    crate::support::wait_for("the new queue to be told", || {
        let scrape = parsed(&get(port, "/metrics").1);
        value(&scrape, "queue_late_seconds", &[("queue", "invoices")]) == Some(0.0)
    });
    program.server.cmd(&["FLUSHALL"]);
    crate::support::wait_for("the queues that have gone to be told no more", || {
        value(&parsed(&get(port, "/metrics").1), "queues_found", &[]) == Some(0.0)
    });
}

#[test]
fn how_late_entries_left_is_a_histogram_between_two_bounds() {
    let program = Program::start();
    program.offer("orders", "x", "0s");
    program.offer("orders", "y", "1h");
    let (_running, port) = serving(&program, &[]);
    let histogram = |bound: &str| {
        let scrape = parsed(&get(port, "/metrics").1);
        let is_it = |sample: &&prometheus_parse::Sample| {
            sample.metric == "delayscope_delivery_lateness_seconds"
                && sample.labels.get("bound") == Some(bound)
                && sample.labels.get("queue") == Some("orders")
        };
        let Value::Histogram(buckets) = &scrape.samples.iter().find(is_it).unwrap().value else {
            panic!("{scrape:?}")
        };
        let counts: Vec<(f64, f64)> = buckets.iter().map(|b| (b.less_than, b.count)).collect();
        assert!(
            counts.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1),
            "{counts:?}"
        );
        let total = |part| {
            value(
                &scrape,
                &format!("delivery_lateness_seconds_{part}"),
                &[("bound", bound)],
            )
        };
        let (all, sum) = (total("count").unwrap(), total("sum").unwrap());
        assert_eq!(counts.last().unwrap(), &(f64::INFINITY, all));
        (counts.len(), all, sum)
    };
    assert_eq!(histogram("most"), (14, 0.0, 0.0));
    let _worker = program.begin(&["worker", "orders", "--yes"]);
    crate::support::wait_for("the departure to be told", || histogram("most").1 > 0.0);
    let ((_, _, least), (_, _, most)) = (histogram("least"), histogram("most"));
    assert!(least <= most && most > 0.0, "{least} {most}");
}

#[test]
fn a_server_that_is_away_or_hangs_is_told_within_about_a_second_and_found_again() {
    let mut program = Program::start();
    program.offer("orders", "x", "1h");
    let (_running, port) = serving(&program, &[]);
    let up = || value(&parsed(&get(port, "/metrics").1), "up", &[]);
    assert_eq!(up(), Some(1.0));
    program.server.stop();
    crate::support::wait_for("the hung server to be told", || up() == Some(0.0));
    program.server.go_on();
    crate::support::wait_for("the server to answer again", || up() == Some(1.0));
    program.server.kill();
    crate::support::wait_for("the dead server to be told", || up() == Some(0.0));
    let once = program.run(&["metrics"]);
    assert_eq!(once.code, 2);
    assert_eq!(value(&parsed(&once.out), "up", &[]), Some(0.0));
}

#[test]
fn an_address_that_is_taken_is_an_error_at_once() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let program = Program::start();
    let said = program.run(&["metrics", "--listen", &address]);
    assert!(
        said.code == 2 && said.err.contains(&format!("could not listen at {address}")),
        "{said:?}"
    );
}

#[test]
fn the_alerts_that_are_shipped_ask_for_metrics_that_there_are() {
    let rules = include_str!("../../assets/prometheus/rules.yaml");
    let program = Program::start();
    program.offer("orders", "x", "1h");
    let said = program.run(&["metrics"]).done();
    let asked = rules.split("delayscope_").skip(1).map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        &rest[..end.unwrap_or(rest.len())]
    });
    for name in asked {
        assert!(
            said.out.contains(&format!("# TYPE delayscope_{name} ")),
            "{name}"
        );
    }
}

#[test]
fn the_dashboard_that_is_shipped_asks_for_metrics_that_there_are() {
    let dashboard = include_str!("../../assets/grafana/dashboard.json");
    let parsed: serde_json::Value = serde_json::from_str(dashboard).unwrap();
    let panels = parsed["panels"].as_array().unwrap();
    let targets = panels
        .iter()
        .flat_map(|panel| panel["targets"].as_array().unwrap());
    let expressions: Vec<&str> = targets
        .map(|target| target["expr"].as_str().unwrap())
        .collect();
    assert!(expressions.len() >= 12, "{expressions:?}");
    let program = Program::start();
    let said = program.run(&["metrics"]).done();
    for expression in expressions {
        let (_, rest) = expression.split_once("delayscope_").unwrap();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let name = &rest[..end.unwrap_or(rest.len())];
        let line = format!("# TYPE delayscope_{name} ");
        assert!(said.out.contains(&line), "{expression}");
    }
}

#[test]
fn entries_on_one_side_only_are_told_by_side() {
    let program = Program::start();
    for text in ["a", "b", "c"] {
        program.offer("orders", text, "1h");
    }
    let keys = delayscope::queue::Queue::redisson("orders").keys();
    program.server.cmd_bytes(&[b"LPOP", &keys.order.unwrap()]);
    let scrape = parsed(&program.run(&["metrics"]).done().out);
    let of = |side| {
        let labels = [("queue", "orders"), ("side", side)];
        value(&scrape, "queue_drift_entries", &labels)
    };
    assert_eq!((of("timeouts"), of("order")), (Some(1.0), Some(0.0)));
}

#[test]
fn of_ten_thousand_queues_two_hundred_are_told_and_the_rest_is_counted() {
    let program = Program::start();
    let fill = "for i = 1, 10000 do redis.call('ZADD', 'redisson_delay_queue_timeout:{q' .. i .. '}', \
                4102444800000, 'x') end";
    program.server.cmd(&["EVAL", fill, "0"]);
    let (_running, port) = serving(&program, &[]);
    let began = delayscope::clock::instant();
    let first = get(port, "/metrics").1;
    let took = began.elapsed();
    assert!(took < std::time::Duration::from_secs(3), "{took:?}");
    assert_eq!(value(&parsed(&first), "up", &[]), Some(1.0));
    crate::support::wait_for("all queues to be counted", || {
        let scrape = parsed(&get(port, "/metrics").1);
        value(&scrape, "queues_found", &[]) == Some(10_000.0)
    });
    let last = get(port, "/metrics").1;
    let scrape = parsed(&last);
    assert_eq!(value(&scrape, "queues_omitted", &[]), Some(9_800.0));
    assert_eq!(last.matches("delayscope_queue_late_seconds{").count(), 200);
    assert!(last.len() < 1 << 20, "{} bytes", last.len());
}

#[test]
fn a_script_tells_redis_exporter_what_waits_without_writing_anything() {
    let script = include_str!("../../assets/prometheus/redis-exporter.lua");
    let program = Program::start();
    program.offer("orders", "late", "0s");
    program.offer("orders", "soon", "1h");
    program.offer("a{b}c", "x", "1h");
    // A key of another type hinders no other figure.
    program.server.cmd(&["SET", "a{b}c", "text"]);
    // The server itself refuses a script that could write.
    let told = program.server.cmd(&["EVAL_RO", script, "0", "0"]);
    let told: Vec<String> = redis::from_redis_value(told).unwrap();
    let of = |key: &str| {
        let pair = told.chunks(2).find(|pair| pair[0] == key);
        pair.map(|pair| pair[1].parse::<f64>().unwrap())
    };
    assert_eq!(of("waiting:orders"), Some(2.0));
    assert_eq!(of("late:orders"), Some(1.0));
    assert!(of("late_seconds:orders").is_some_and(|late| (0.0..60.0).contains(&late)));
    assert_eq!(of("order:orders"), Some(2.0));
    assert_eq!(of("delivered:orders"), Some(0.0));
    assert_eq!(of("clients:orders"), Some(0.0));
    assert_eq!(of("waiting:a{b}c"), Some(1.0));
    assert_eq!(of("late_seconds:a{b}c"), Some(0.0));
    assert_eq!(of("delivered:a{b}c"), None);
    assert_eq!(of("queues_all_found"), Some(1.0));
    assert_eq!(of("queues_omitted"), Some(0.0));
}

#[test]
fn a_queue_that_cannot_be_read_is_left_out_and_counted() {
    let program = sick();
    let server = &program.server;
    server.cmd(&["ACL", "SETUSER", "default", "resetkeys", "~*orders*"]);
    let both = ["--queue", "orders", "--queue", "secret", "metrics"];
    let run = program.run(&both);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("queue=\"orders\""), "{}", run.out);
    assert!(!run.out.contains("queue=\"secret\""), "{}", run.out);
    assert!(
        run.out.contains("\ndelayscope_queues_omitted 1\n"),
        "{}",
        run.out
    );
    assert!(run.err.contains("secret is not told: "), "{}", run.err);
}
