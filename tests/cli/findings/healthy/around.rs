//! What goes on around a queue: other queues, its server, its replica, ourselves.

use delayscope::queue::{Address, Endpoint, Era, Queue};
use delayscope::store::{Access, Store};

use super::stage::ms;
use crate::findings::life::{Consumer, Each, Running, Subscriber};
use crate::findings::patient::Patient;
use crate::findings::program::{self, Watching};
use crate::support::{PATIENCE, Server, Value, wait_for};

/// One of before 3.21.1 and one of after it, each with its own queue; and a third program whose
/// scripts fail for reasons of its own.
pub(super) async fn two_apps_of_two_eras_and_scripts_that_fail_elsewhere(span: u64) {
    let mut patient = Patient::new(1).await;
    let other = Queue::redisson("invoices");
    let _clients = [
        patient.client(Era::Newer, 0),
        Running::start(&patient.server, &other, (Era::Older, 0), 20),
    ];
    let _consumers = [&patient.queue, &other].map(|q| Consumer::start(&patient.server, q));
    let _offers = patient.offering(50, |_| 300);
    let mut connection = patient.server.connection();
    let _fails = Each::ms(200, move |_| {
        let failed: Result<Value, _> = redis::cmd("EVAL")
            .arg("return struct.unpack('L', 'x')")
            .arg(0)
            .query(&mut connection);
        assert!(failed.is_err());
    });
    let watching = Watching::start(&patient.server, None, None, span);
    for _ in 0..span / 200 {
        let member = patient.member(Era::Older, "invoice");
        let due = patient.server.now().plus(400).get().to_string();
        patient.server.put(&other, &member, &due);
        patient.well_for(200).await;
    }
    watching.was_well().await;
}

/// It saves all the time: snapshots, and an append-only file that is rewritten.
pub(super) async fn a_server_that_saves_to_disk(span: u64) {
    let server = Server::start_with(&["--save", "1", "1", "--appendonly", "yes"]);
    let mut patient = Patient::on(server, 2).await;
    let far = patient.server.now().plus(3_600_000);
    patient.server.fill(&patient.queue, 30_000, far, 10);
    let _client = patient.client(Era::Newer, 0);
    let _consumer = Consumer::start(&patient.server, &patient.queue);
    let _offers = patient.offering(20, |_| 500);
    let mut connection = patient.server.connection();
    let _saves = Each::ms(3_000, move |n| {
        let save = ["BGSAVE", "BGREWRITEAOF"][usize::from(n % 2 == 1)];
        // One that is under way already refuses: that is well.
        let _: Result<Value, _> = redis::cmd(save).query(&mut connection);
    });
    patient.stays_well(span).await;
}

pub(super) async fn many_idle_queues(span: u64) {
    let mut patient = Patient::new(3).await;
    let queues: Vec<Queue> = (0..200)
        .map(|n| Queue::redisson(format!("tenant-{n}")))
        .collect();
    let mut clients = Vec::new();
    for queue in &queues {
        let member = patient.member(Era::Newer, "later");
        let due = patient.server.now().plus(3_600_000).get().to_string();
        patient.server.put(queue, &member, &due);
        clients.push(Subscriber::new(&patient.server, queue));
    }
    let _client = patient.client(Era::Newer, 0);
    let watching = Watching::start(&patient.server, None, None, span);
    patient.well_for(span).await;
    watching.was_well().await;
}

/// Requeues and deletions of half of the queue and of a few, one after the other.
pub(super) async fn our_own_changes_beside(span: u64) {
    let mut patient = Patient::new(4).await;
    let server = &patient.server;
    let hour = server.now().plus(3_600_000);
    // Offered in another order than due.
    let due = |n: u64| hour.plus(ms(n * 7_919 % 100_000));
    server.fill_with(&patient.queue, 40_000, due);
    let _client = patient.client(Era::Newer, 0);
    let _consumer = Consumer::start(&patient.server, &patient.queue);
    let _offers = patient.offering(100, |_| 500);
    let spec = String::from_utf8(patient.queue.spec()).unwrap();
    let changes = [
        vec![
            "requeue", &spec, "--all", "--limit", "15000", "--by", "+1h", "--yes",
        ],
        vec!["delete", &spec, "--grep", "entry 39", "--yes"],
        vec![
            "requeue", &spec, "--all", "--limit", "2000", "--by", "+2h", "--rate", "150/s", "--yes",
        ],
    ];
    let watching = Watching::start(&patient.server, Some(&patient.queue), None, span);
    for words in changes {
        let change = program::Running::start(&patient.server, &words);
        patient.well_for(span / 3).await;
        drop(change);
    }
    watching.was_well().await;
}

/// One who may look at the keys, and at nothing else.
pub(super) async fn a_reader_with_few_rights(span: u64) {
    let mut patient = Patient::new(5).await;
    let rights = [
        "ACL",
        "SETUSER",
        "reader",
        "on",
        ">secret",
        "~*",
        "&*",
        "+@read",
        "+@connection",
        "-@dangerous",
        "+time",
        "+multi",
        "+exec",
        "-client",
    ];
    patient.server.cmd(&rights);
    patient.store = Store::open(
        Endpoint {
            user: Some("reader".to_owned()),
            password: Some("secret".to_owned()),
            tls: None,
            ..patient.server.endpoint()
        },
        Access::ReadOnly,
    );
    patient.store.ready(PATIENCE).await.unwrap();
    let _client = patient.client(Era::Newer, 0);
    let _consumer = Consumer::start(&patient.server, &patient.queue);
    let _offers = patient.offering(40, |_| 400);
    let login = Some(("reader", "secret"));
    let watching = Watching::start(&patient.server, Some(&patient.queue), login, span);
    patient.well_for(span).await;
    watching.was_well().await;
}

/// The clients are at its master; here the entries come and go by themselves. A stray client tries
/// to write here now and then.
pub(super) async fn a_replica(span: u64) {
    let master = Patient::on(Server::start_tcp(&["--repl-diskless-sync-delay", "0"]), 0).await;
    let _client = master.client(Era::Newer, 0);
    let _consumer = Consumer::start(&master.server, &master.queue);
    let _offers = master.offering(40, |_| 400);
    let server = Server::start_tcp(&[]);
    let Address::Tcp(host, port) = master.server.tcp_endpoint().address else {
        panic!("a port")
    };
    server.cmd(&["REPLICAOF", &host, &port.to_string()]);
    wait_for("the replica to follow", || {
        let info: String = redis::from_redis_value(server.cmd(&["INFO", "replication"])).unwrap();
        info.contains("master_link_status:up")
    });
    let mut replica = Patient::on(server, 0).await;
    let mut stray = replica.server.connection();
    let _stray = Each::ms(1_500, move |_| {
        let refused: Result<Value, _> = redis::cmd("SET").arg(&["x", "y"]).query(&mut stray);
        assert!(refused.is_err());
    });
    replica.stays_well(span).await;
}
