//! The store against a real server: the link, the reads, the announcements.

mod support;

use std::time::Duration;

use delayscope::clock::EpochMillis;
use delayscope::ops::discover::{Found, discover_with};
use delayscope::ops::refresh;
use delayscope::ops::remembered::Memory;
use delayscope::queue::{Due, Known, LinkState, Optional, PageAsk, Pulse, Queue, Zoom};
use delayscope::store::{Access, Store, StoreError, watch};
use futures_util::StreamExt;
use support::{PATIENCE, Server, frame};

async fn live(store: &Store) {
    let mut link = store.link();
    let settled = link.wait_for(|l| matches!(l.state, LinkState::Live));
    let _ = tokio::time::timeout(PATIENCE, settled).await.expect("live");
}

async fn lost(store: &Store) -> String {
    let mut link = store.link();
    let settled = link.wait_for(|l| matches!(l.state, LinkState::Lost { .. }));
    let link = tokio::time::timeout(PATIENCE, settled)
        .await
        .expect("lost")
        .unwrap();
    match &link.state {
        LinkState::Lost { why, .. } => why.clone(),
        _ => unreachable!(),
    }
}

#[tokio::test]
async fn the_first_answer_tells_the_servers_time() {
    let server = Server::start();
    let store = Store::open(server.endpoint(), Access::ReadOnly);
    let clock = store.ready(PATIENCE).await.unwrap();
    assert!(clock.now().since(server.now()).abs() < 100);
}

#[tokio::test]
async fn a_server_that_is_not_there_is_told_at_once() {
    let mut server = Server::start();
    let endpoint = server.endpoint();
    server.kill();
    let store = Store::open(endpoint, Access::ReadOnly);
    let error = store.ready(PATIENCE).await.unwrap_err();
    assert!(matches!(error, StoreError::NotConnected { .. }), "{error}");
    server.restart();
    live(&store).await;
}

#[tokio::test]
async fn a_server_that_comes_back_is_live_within_a_second() {
    let mut server = Server::start_tcp(&[]);
    let store = Store::open(server.tcp_endpoint(), Access::ReadOnly);
    store.ready(PATIENCE).await.unwrap();
    server.kill();
    lost(&store).await;
    server.restart();
    tokio::time::timeout(Duration::from_secs(1), live(&store))
        .await
        .expect("within a second");
}

#[tokio::test]
async fn a_server_that_hangs_is_hung_and_then_live_again() {
    let server = Server::start();
    let store = Store::open(server.endpoint(), Access::ReadOnly);
    store.ready(PATIENCE).await.unwrap();
    server.stop();
    let mut link = store.link();
    let hung = link.wait_for(|l| matches!(l.state, LinkState::Hung { .. }));
    tokio::time::timeout(Duration::from_secs(3), hung)
        .await
        .expect("hung")
        .unwrap();
    server.go_on();
    tokio::time::timeout(Duration::from_secs(2), live(&store))
        .await
        .expect("live again");
}

#[tokio::test]
async fn a_wrong_password_is_told_in_the_servers_words_and_healed_by_itself() {
    let mut server = Server::start_with(&["--requirepass", "sesame"]);
    server.log_in(None, Some("sesame"));
    let mut endpoint = server.endpoint();
    endpoint.password = Some("open".to_owned());
    let store = Store::open(endpoint, Access::ReadOnly);
    let error = store.ready(PATIENCE).await.unwrap_err();
    assert!(matches!(error, StoreError::Denied { .. }), "{error}");
    assert!(lost(&store).await.starts_with("WRONGPASS"));
    server.cmd(&["CONFIG", "SET", "requirepass", "open"]);
    live(&store).await;
}

#[tokio::test]
async fn what_the_server_refuses_is_known_with_its_words() {
    let server = Server::start_with(&[
        "--rename-command",
        "INFO",
        "",
        "--rename-command",
        "CLIENT",
        "",
    ]);
    let store = Store::open(server.endpoint(), Access::ReadOnly);
    store.ready(PATIENCE).await.unwrap();
    let mut link = store.link();
    let known = link.wait_for(|l| !l.refused.0.is_empty());
    let link = tokio::time::timeout(PATIENCE, known)
        .await
        .unwrap()
        .unwrap()
        .clone();
    assert!(link.refused.why(Optional::Info).unwrap().starts_with("ERR"));
    assert!(link.refused.why(Optional::ClientList).is_some());
    assert_eq!(link.refused.why(Optional::NumSub), None);
    assert_eq!(link.facts, None);
}

fn due(pulse: &Pulse) -> (Option<Due>, Option<Due>) {
    (pulse.head, pulse.next)
}

async fn open(server: &Server) -> Store {
    let store = Store::open(server.endpoint(), Access::ReadOnly);
    store.ready(PATIENCE).await.unwrap();
    store
}

fn unknown<T>(figure: &Known<T>) -> &str {
    match figure {
        Known::Unknown(why) => why,
        _ => panic!("a figure that should be unknown"),
    }
}

#[tokio::test]
async fn a_pulse_tells_depths_head_next_and_page() {
    let server = Server::start();
    let store = open(&server).await;
    let queue = Queue::redisson("orders");
    let now = server.now();
    // Due 15.5, 10.5, 5.5 and 0.5 s ago, then in 4.5, 9.5, … s.
    server.fill(&queue, 10, now.plus(-15_500), 5_000);
    server.cmd(&["RPUSH", "orders", "a", "b"]);
    let ask = PageAsk { first: 2, count: 3 };
    let pulse = refresh::pulse(&store, &queue, Some(ask)).await.unwrap();
    assert_eq!((pulse.waiting, pulse.late), (Known::Is(10), Known::Is(4)));
    assert_eq!((pulse.order, pulse.target), (Known::Is(10), Known::Is(2)));
    assert_eq!(pulse.transfer_clients, Known::Is(0));
    assert_eq!(pulse.head, Some(Due::At(now.plus(-15_500))));
    assert_eq!(pulse.next, Some(Due::At(now.plus(4_500))));
    let page = pulse.page.unwrap();
    let members: Vec<_> = page.rows.iter().map(|row| row.0.clone()).collect();
    let wanted: Vec<_> = (3..6_u64)
        .map(|n| frame(n, format!("entry {n}").as_bytes()))
        .collect();
    assert_eq!((page.first, members), (2, wanted));
    assert!(pulse.at.since(now) >= 0 && pulse.at.since(server.now()) <= 0);
}

#[tokio::test]
async fn a_key_of_a_wrong_type_costs_its_own_figures_only() {
    let server = Server::start();
    let store = open(&server).await;
    let queue = Queue::redisson("orders");
    let keys = queue.keys();
    server.put(&queue, &frame(1, b"x"), "5");
    server.cmd_bytes(&[b"SET", &keys.target, b"no list"]);
    let pulse = refresh::pulse(&store, &queue, None).await.unwrap();
    assert!(unknown(&pulse.target).starts_with("WRONGTYPE"));
    assert_eq!((pulse.waiting, pulse.order), (Known::Is(1), Known::Is(1)));
    server.cmd_bytes(&[b"DEL", &keys.target, &keys.timeouts]);
    server.cmd_bytes(&[b"SET", &keys.timeouts, b"no zset"]);
    let ask = PageAsk { first: 0, count: 5 };
    let pulse = refresh::pulse(&store, &queue, Some(ask)).await.unwrap();
    assert!(unknown(&pulse.waiting).starts_with("WRONGTYPE"));
    assert!(unknown(&pulse.late).starts_with("WRONGTYPE"));
    assert_eq!((due(&pulse), pulse.target), ((None, None), Known::Is(0)));
    assert_eq!(pulse.page.unwrap().rows, []);
    let order = keys.order.unwrap();
    server.cmd_bytes(&[b"DEL", &order]);
    server.cmd_bytes(&[b"SADD", &order, b"no list"]);
    let pulse = refresh::pulse(&store, &queue, None).await.unwrap();
    assert!(unknown(&pulse.order).starts_with("WRONGTYPE"));
    let survey = refresh::survey(&store, &queue, Some(Zoom::Minute))
        .await
        .unwrap();
    let kinds: Vec<_> = survey
        .keys
        .iter()
        .map(|k| (k.wanted, k.kind.as_str()))
        .collect();
    assert_eq!(
        kinds,
        [("zset", "string"), ("list", "set"), ("list", "none")]
    );
}

#[tokio::test]
async fn a_user_without_the_optional_commands_sees_the_rest() {
    let mut server = Server::start();
    server.cmd(&[
        "ACL", "SETUSER", "guest", "on", ">pw", "~*", "+@read", "+time", "+multi", "+exec",
        "-scan", "-memory",
    ]);
    server.put(&Queue::redisson("orders"), &frame(1, b"x"), "5");
    server.log_in(Some("guest"), Some("pw"));
    let store = open(&server).await;
    let queue = Queue::redisson("orders");
    let pulses = refresh::pulses(&store, &[queue.clone(), queue])
        .await
        .unwrap();
    assert_eq!(pulses[1].waiting, Known::Is(1));
    assert!(unknown(&pulses[1].transfer_clients).starts_with("NOPERM"));
    let mut link = store.link();
    let known = link.wait_for(|l| l.refused.why(Optional::Info).is_some());
    let refused = tokio::time::timeout(PATIENCE, known)
        .await
        .unwrap()
        .unwrap()
        .refused
        .clone();
    assert!(refused.why(Optional::NumSub).unwrap().starts_with("NOPERM"));
    assert!(refused.why(Optional::Scan).is_some() && refused.why(Optional::ClientList).is_some());
    let again = refresh::pulse(&store, &Queue::redisson("orders"), None)
        .await
        .unwrap();
    assert!(unknown(&again.transfer_clients).starts_with("NOPERM"));
}

#[tokio::test]
async fn scores_that_are_no_time_are_out_of_range_and_not_late() {
    let server = Server::start();
    let store = open(&server).await;
    let queue = Queue::redisson("odd");
    let rows = [
        ("a", "-5"),
        ("b", "1e17"),
        ("c", "inf"),
        ("d", "1700000000000.5"),
    ];
    for (member, score) in rows {
        server.put(&queue, member.as_bytes(), score);
    }
    let ask = PageAsk {
        first: 0,
        count: 10,
    };
    let pulse = refresh::pulse(&store, &queue, Some(ask)).await.unwrap();
    assert_eq!(pulse.late, Known::Is(1));
    assert_eq!(
        due(&pulse),
        (Some(Due::OutOfRange(-5.0)), Some(Due::OutOfRange(1e17)))
    );
    let scores: Vec<f64> = pulse.page.unwrap().rows.iter().map(|row| row.1).collect();
    assert_eq!(scores, [-5.0, 1_700_000_000_000.5, 1e17, f64::INFINITY]);
    server.cmd(&["DEL", "redisson_delay_queue_timeout:{odd}"]);
    server.put(&queue, b"low", "-inf");
    let pulse = refresh::pulse(&store, &queue, None).await.unwrap();
    assert_eq!(pulse.head, Some(Due::OutOfRange(f64::NEG_INFINITY)));
}

#[tokio::test]
async fn names_and_members_are_bytes() {
    let server = Server::start();
    let store = open(&server).await;
    let queue = Queue::redisson(b"\xff\x00 \r\n{".to_vec());
    server.put(&queue, b"\x00\xfe\r\n", "7");
    let ask = PageAsk { first: 0, count: 1 };
    let pulse = refresh::pulse(&store, &queue, Some(ask)).await.unwrap();
    assert_eq!(pulse.page.unwrap().rows, [(b"\x00\xfe\r\n".to_vec(), 7.0)]);
}

#[tokio::test]
async fn a_plain_queue_in_seconds_is_late_by_the_same_clock() {
    let server = Server::start();
    let store = open(&server).await;
    let queue: Queue = "zset-list:delay_queue,ready_queue".parse().unwrap();
    let now = server.now();
    for (member, ms) in [("past", -700), ("soon", 700)] {
        let at = queue.score(now.plus(ms)).to_string();
        server.put(&queue, member.as_bytes(), &at);
    }
    let pulse = refresh::pulse(&store, &queue, None).await.unwrap();
    assert_eq!(pulse.waiting, Known::Is(2));
    assert_eq!(pulse.late, Known::Is(1));
    assert_eq!(
        due(&pulse),
        (Some(Due::At(now.plus(-700))), Some(Due::At(now.plus(700))))
    );
    assert_eq!(
        (pulse.order, pulse.transfer_clients),
        (Known::None, Known::None)
    );
}

#[tokio::test]
async fn a_survey_counts_every_entry_once() {
    let server = Server::start();
    let store = open(&server).await;
    let queue = Queue::redisson("orders");
    let now = server.now();
    // From 2 h ago to 2 days ahead, and one more at 30 days.
    server.fill(&queue, 1_000, now.plus(-7_210_000), 180_000);
    server.put(&queue, b"far", &now.plus(30 * 86_400_000).get().to_string());
    server.cmd(&["PEXPIRE", "redisson_delay_queue:{orders}", "60000"]);
    for zoom in Zoom::ALL {
        let s = refresh::survey(&store, &queue, Some(zoom)).await.unwrap();
        let late: u64 = s.late.iter().sum();
        let bars: u64 = s.bars.iter().map(|bar| bar.count).sum();
        assert_eq!(late, 41, "{zoom:?}");
        assert_eq!(
            (late + bars + s.beyond, s.bars.len()),
            (1_001, zoom.bars()),
            "{zoom:?}"
        );
        assert_eq!(late + s.classes.iter().sum::<u64>(), 1_001);
        assert_eq!((s.late, s.classes[5]), ([21, 16, 3, 1], 360));
        assert!(
            s.keys[1]
                .expires_in_ms
                .is_some_and(|ms| ms > 0 && ms <= 60_000)
        );
        assert_eq!(s.keys[0].expires_in_ms, None);
    }
    let s = refresh::survey(&store, &queue, None).await.unwrap();
    assert_eq!((s.bars.len(), s.beyond, s.late), (0, 0, [21, 16, 3, 1]));
}

#[tokio::test]
async fn a_database_is_chosen_by_its_number() {
    let server = Server::start_tcp(&[]);
    let mut connection = server.connection_to(3);
    redis::cmd("ZADD")
        .arg("redisson_delay_queue_timeout:{orders}")
        .arg(5)
        .arg("x")
        .exec(&mut connection)
        .unwrap();
    let mut endpoint = server.tcp_endpoint();
    endpoint.db = 3;
    let store = Store::open(endpoint.clone(), Access::ReadOnly);
    store.ready(PATIENCE).await.unwrap();
    let pulse = refresh::pulse(&store, &Queue::redisson("orders"), None)
        .await
        .unwrap();
    assert_eq!(pulse.waiting, Known::Is(1));
    endpoint.db = 99;
    let store = Store::open(endpoint, Access::ReadOnly);
    let error = store.ready(PATIENCE).await.unwrap_err();
    assert!(error.to_string().contains("out of range"), "{error}");
}

#[tokio::test]
async fn every_pulse_is_one_round_trip_of_ten_commands() {
    let server = Server::start();
    let store = open(&server).await;
    let queue = Queue::redisson("orders");
    server.fill(&queue, 10, server.now(), 1_000);
    refresh::pulse(&store, &queue, None).await.unwrap();
    let before = store.link().borrow().cost;
    let ask = PageAsk {
        first: 0,
        count: 40,
    };
    let pulse = refresh::pulse(&store, &queue, Some(ask)).await.unwrap();
    let after = store.link().borrow().cost;
    assert!(
        after.commands - before.commands <= 13,
        "ten, MULTI and EXEC, and perhaps a beat"
    );
    assert!(after.server_us - before.server_us >= pulse.server_us);
    assert!(after.bytes - before.bytes > 300);
}

async fn subscribed(server: &Server) {
    support::until("the pattern subscription", || {
        server.int(&["PUBSUB", "NUMPAT"]) == 1
    })
    .await;
}

#[tokio::test]
async fn announcements_are_heard_and_do_not_count_as_a_transfer_client() {
    let server = Server::start();
    let store = open(&server).await;
    let queue = Queue::redisson("orders");
    let mut heard = Box::pin(watch::announcements(&store));
    let channel = "redisson_delay_queue_channel:{orders}";
    let (first, ()) = tokio::join!(heard.next(), async {
        subscribed(&server).await;
        let pulse = refresh::pulse(&store, &queue, None).await.unwrap();
        assert_eq!(pulse.transfer_clients, Known::Is(0));
        server.cmd(&["PUBLISH", channel, "1700000000000"]);
    });
    let first = first.unwrap();
    assert_eq!(first.channel, channel.as_bytes());
    assert_eq!(first.due(), Some(EpochMillis::new(1_700_000_000_000)));
    assert!(first.at.since(server.now()).abs() < 1_000);
    drop(heard);
    support::until("the end of it", || server.int(&["PUBSUB", "NUMPAT"]) == 0).await;
}

#[tokio::test]
async fn announcements_go_on_when_the_server_is_back() {
    let mut server = Server::start();
    let store = open(&server).await;
    let mut heard = Box::pin(watch::announcements(&store));
    let listening = tokio::spawn(async move { heard.next().await });
    subscribed(&server).await;
    server.kill();
    lost(&store).await;
    server.restart();
    let back = tokio::time::timeout(Duration::from_secs(1), subscribed(&server));
    back.await.expect("subscribed within a second");
    server.cmd(&["PUBLISH", "redisson_delay_queue_channel:{orders}", "0"]);
    let message = tokio::time::timeout(PATIENCE, listening)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(message.unwrap().message, b"0");
}

#[tokio::test]
async fn announcements_end_quietly_when_they_are_refused() {
    let server = Server::start_with(&["--rename-command", "PSUBSCRIBE", ""]);
    let store = open(&server).await;
    let mut heard = Box::pin(watch::announcements(&store));
    let next = tokio::time::timeout(PATIENCE, heard.next()).await.unwrap();
    assert_eq!(next, None);
    let why = store.why_refused(Optional::PSubscribe).unwrap();
    assert!(why.contains("unknown command"), "{why}");
}

async fn found(store: &Store, named: Vec<Queue>, memory: &Memory) -> (Vec<String>, u64) {
    let mut search = Box::pin(discover_with(store, named, memory.clone()));
    let (mut names, mut last) = (Vec::new(), 0);
    loop {
        let next = tokio::time::timeout(PATIENCE, search.next()).await.unwrap();
        match next.expect("an end") {
            Found::Queue(queue) => names.push(queue.name.to_string()),
            Found::Progress { looked, keys } => {
                assert!(looked >= last && looked <= keys);
                last = looked;
            }
            Found::Done { looked } => {
                assert_eq!(search.next().await, None);
                return (names, looked);
            }
        }
    }
}

#[tokio::test]
async fn all_queues_are_found_among_foreign_keys() {
    let server = Server::start();
    let mut connection = server.connection();
    let foreign = "for i = 1, 20000 do redis.call('SET', 'user:' .. i, i) end";
    redis::cmd("EVAL")
        .arg(foreign)
        .arg(0)
        .exec(&mut connection)
        .unwrap();
    for n in 1..=30 {
        server.put(&Queue::redisson(format!("q{n}")), &frame(n, b"x"), "5");
    }
    // Order list only, aside only, quarantine only, a tagged name, both names of one key.
    server.cmd(&["RPUSH", "redisson_delay_queue:{order-only}", "x"]);
    server.cmd(&["RPUSH", "delayscope:aside:{aside}", "x"]);
    server.cmd(&["ZADD", "delayscope:quarantine:{poisoned}", "5", "x"]);
    server.put(&Queue::redisson("{tag}ged"), &frame(1, b"x"), "5");
    server.cmd(&["RPUSH", "{braces}", "delivered"]);
    server.put(&Queue::redisson("{braces}"), &frame(1, b"x"), "5");
    server.cmd(&["SET", "redisson_unrelated", "x"]);
    let store = open(&server).await;
    let (mut names, looked) = found(&store, Vec::new(), &Memory::none()).await;
    names.sort();
    let mut wanted: Vec<String> = (1..=30).map(|n| format!("q{n}")).collect();
    wanted.extend(["order-only", "aside", "poisoned", "{tag}ged", "{braces}"].map(String::from));
    wanted.sort();
    assert_eq!(names, wanted);
    assert!(looked >= 20_000);
}

#[tokio::test]
async fn named_queues_come_first_even_while_the_server_is_away() {
    let mut server = Server::start();
    let endpoint = server.endpoint();
    server.kill();
    let store = Store::open(endpoint, Access::ReadOnly);
    let named = vec![Queue::redisson("b"), "zset-list:z,r".parse().unwrap()];
    let mut search = Box::pin(discover_with(&store, named.clone(), Memory::none()));
    assert_eq!(search.next().await, Some(Found::Queue(named[0].clone())));
    assert_eq!(search.next().await, Some(Found::Queue(named[1].clone())));
    server.restart();
    server.put(&named[0], &frame(1, b"x"), "5");
    let rest = tokio::time::timeout(PATIENCE, search.collect::<Vec<_>>())
        .await
        .unwrap();
    assert!(matches!(rest[..], [Found::Done { .. }]), "{rest:?}");
}

#[tokio::test]
async fn an_empty_queue_with_a_transfer_client_is_found_by_its_channel() {
    let server = Server::start();
    let client = redis::Client::open(server.url()).unwrap();
    let mut subscriber = client.get_async_pubsub().await.unwrap();
    subscriber
        .subscribe("redisson_delay_queue_channel:{idle}")
        .await
        .unwrap();
    let store = open(&server).await;
    assert_eq!(found(&store, Vec::new(), &Memory::none()).await.0, ["idle"]);
    let pulse = refresh::pulse(&store, &Queue::redisson("idle"), None)
        .await
        .unwrap();
    assert_eq!(pulse.transfer_clients, Known::Is(1));
}

#[tokio::test]
async fn what_was_seen_last_time_comes_first_when_it_is_still_there() {
    let server = Server::start();
    let dir = tempfile::tempdir().unwrap();
    let memory = Memory::at(&dir.path().join("servers.json"));
    for name in ["gone", "still", "new"] {
        server.put(&Queue::redisson(name), &frame(1, b"x"), "5");
    }
    memory.keep(&server.endpoint(), vec!["still".into(), "gone".into()]);
    server.cmd(&[
        "DEL",
        "redisson_delay_queue:{gone}",
        "redisson_delay_queue_timeout:{gone}",
    ]);
    let store = open(&server).await;
    assert_eq!(found(&store, Vec::new(), &memory).await.0, ["still", "new"]);
    assert_eq!(
        memory.recall(&server.endpoint()),
        ["new".into(), "still".into()]
    );
}

#[tokio::test]
async fn a_server_that_refuses_scan_still_tells_the_live_queues() {
    let server = Server::start_with(&["--rename-command", "SCAN", ""]);
    server.put(&Queue::redisson("hidden"), &frame(1, b"x"), "5");
    let store = open(&server).await;
    let (names, looked) = found(&store, vec![Queue::redisson("named")], &Memory::none()).await;
    assert_eq!((names, looked), (vec!["named".to_owned()], 0));
}
