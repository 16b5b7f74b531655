//! The screen where others lead to the server, before and after another one has taken over; and behind
//! TLS.

use delayscope::queue::Queue;

use crate::cluster::{Cluster, MASTERS, queue_at};
use crate::self_signed::SelfSigned;
use crate::sentinel::{Group, NAME, info};
use crate::support::{Server, frame, wait_for};
use crate::terminal::Terminal;
use crate::{PROGRAM, SIZE};

/// An entry that is due in an hour.
fn put(server: &Server, queue: &Queue, id: u64, payload: &str) {
    let due = server.now().plus(3_600_000).get().to_string();
    server.put(queue, &frame(id, payload.as_bytes()), &due);
}

/// Offers a message by the form.
fn offer(terminal: &mut Terminal, payload: &str) {
    terminal.send(b"o");
    terminal.wait_text("as the queue's entries");
    terminal.send(payload.as_bytes());
    terminal.send(b"\t\t\t\x15");
    terminal.send(b"1h\x13");
    terminal.wait_text("offered 1, due ");
    terminal.wait_text(payload);
}

/// Deletes an entry there, and takes it back; three waited before.
fn change(terminal: &mut Terminal, server: &Server, queue: &Queue) {
    terminal.send(b"x");
    terminal.wait_text("Delete 1 entry of");
    terminal.send(b"y");
    terminal.wait_text("✓ deleted ");
    assert_eq!(waiting(server, queue), 2);
    // A letter right behind an answer is no command; an arrow ends the answer.
    terminal.send(b"\x1b[Au");
    terminal.wait_text("✓ undone ");
    assert_eq!(waiting(server, queue), 3);
}

fn waiting(server: &Server, queue: &Queue) -> i64 {
    let answer = server.cmd_bytes(&[b"ZCARD", &queue.keys().timeouts]);
    redis::from_redis_value(answer).unwrap()
}

#[test]
fn behind_sentinels_it_shows_and_changes_the_master_of_now() {
    let group = Group::start();
    let orders = Queue::redisson("orders");
    put(&group.servers[0], &orders, 1, "of the first master");
    let places = group.places();
    let url = format!("redis-sentinel://{places}/0?sentinelMasterId={NAME}");
    let mut terminal = Terminal::start(&[PROGRAM, &url], SIZE, &[]);
    terminal.wait_text("of the first master");
    offer(&mut terminal, "typed before");
    wait_for("the replicas to have it", || {
        group.servers[1..]
            .iter()
            .all(|server| waiting(server, &orders) == 2)
    });
    group.fail_over();
    wait_for("another master", || {
        group.master() != 0 && group.is_settled()
    });
    let master = &group.servers[group.master()];
    put(master, &orders, 2, "of the next master");
    terminal.wait_text("of the next master");
    change(&mut terminal, master, &orders);
}

#[test]
fn in_a_cluster_it_shows_and_changes_a_queue_at_whichever_node_has_it() {
    let cluster = Cluster::start();
    let (owner, next) = (&cluster.nodes[2], &cluster.nodes[2 + MASTERS]);
    let queue = queue_at(2, 0);
    put(owner, &queue, 1, "of the first owner");
    // Its node is not the one that is asked first.
    let mut terminal = Terminal::start(&[PROGRAM, &cluster.url(0)], SIZE, &[]);
    terminal.wait_text("of the first owner");
    offer(&mut terminal, "typed before");
    wait_for("the replica to have it", || {
        info(next, "keyspace").contains("keys=2")
    });
    cluster.fail_over(2 + MASTERS, false);
    wait_for("the replica to be the master", || {
        info(next, "replication").contains("role:master")
    });
    put(next, &queue, 2, "of the next owner");
    terminal.wait_text("of the next owner");
    change(&mut terminal, next, &queue);
}

#[test]
fn in_a_cluster_monitor_is_asked_about_for_the_node_that_has_the_queue() {
    let cluster = Cluster::start();
    let owner = &cluster.nodes[2];
    put(owner, &queue_at(2, 0), 1, "of the owner");
    let mut terminal = Terminal::start(&[PROGRAM, &cluster.url(0)], SIZE, &[]);
    terminal.wait_text("of the owner");
    terminal.send(b"T");
    terminal.wait_text("Lives of messages");
    terminal.send(b"M");
    terminal.wait_text("Run MONITOR for 0:30");
    terminal.wait_text(&format!("127.0.0.1:{}", owner.port()));
    terminal.send(b"y");
    terminal.wait_text("MONITOR runs: exact times and clients");
    let clients = format!("{:?}", owner.cmd(&["CLIENT", "LIST"]));
    assert!(clients.contains("name=delayscope-trace"), "{clients}");
}

#[test]
fn behind_tls_it_shows_changes_and_says_what_it_lacks() {
    let SelfSigned {
        server, url, cert, ..
    } = &SelfSigned::start();
    let orders = Queue::redisson("orders");
    put(server, &orders, 1, "behind TLS");
    let mut terminal = Terminal::start(&[PROGRAM, url, "--cacert", cert], SIZE, &[]);
    terminal.wait_text("behind TLS");
    offer(&mut terminal, "typed");
    assert_eq!(waiting(server, &orders), 2);
    // Without who has signed it says which flag helps, and goes on trying.
    let stranger = Terminal::start(&[PROGRAM, url], SIZE, &[]);
    stranger.wait_text("--cacert");
}
