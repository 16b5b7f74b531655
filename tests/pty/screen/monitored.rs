//! MONITOR from the lives of messages: its price in the question, what it tells, and that it is
//! gone with what it was for.

use super::*;
use crate::redisson;

/// The number of connections that the server copies its commands to.
fn monitors(server: &Server) -> usize {
    let list: String = redis::from_redis_value(server.cmd(&["CLIENT", "LIST"])).unwrap();
    let is_one = |line: &&str| line.contains("name=delayscope-trace") && line.contains("flags=O");
    list.lines().filter(is_one).count()
}

fn asked(terminal: &mut Terminal) {
    with_data(terminal);
    terminal.send(b"T");
    terminal.wait_text("Lives of messages");
    terminal.send(b"M");
}

/// MONITOR runs after the question.
fn running(server: &Server) -> Terminal {
    let mut terminal = open(server);
    asked(&mut terminal);
    terminal.wait_text("Run MONITOR for 0:30");
    terminal.wait_text("commands/s now");
    assert_eq!(monitors(server), 0);
    terminal.send(b"y");
    terminal.wait_text("MONITOR runs: exact times and clients");
    assert_eq!(monitors(server), 1);
    terminal
}

fn run(server: &Server, args: &[&str]) {
    let mut command = Command::new(PROGRAM);
    command.args(["-u", &server.url()]).args(args);
    assert!(command.output().unwrap().status.success(), "{args:?}");
}

#[test]
fn who_offered_transferred_and_took_a_message_is_told_while_monitor_runs() {
    let server = server(3);
    let mut terminal = running(&server);
    let offer = [
        "offer", "orders", "whereami", "--in", "0s", "--form", "byte-id", "--yes",
    ];
    run(&server, &offer);
    run(&server, &["transfer", "orders", "--yes"]);
    server.cmd(&["LPOP", "orders"]);
    for part in ["offered ", "transferred +", "taken +"] {
        terminal.wait(part, PATIENCE, |shown| {
            let text = shown.text();
            let mut lanes = text.lines().filter(|line| line.contains("offered "));
            lanes.any(|line| {
                line.split(part)
                    .nth(1)
                    .is_some_and(|rest| rest.contains(" by unix"))
            })
        });
    }
    // A key that follows at once on the answer to a question belongs to that.
    terminal.wait("a second to pass", PATIENCE, |shown| {
        let text = shown.text();
        let mut spans = text.lines().filter(|line| line.contains(" to go"));
        spans.any(|line| !line.contains("0:30") && !line.contains("0:29"))
    });
    terminal.send(b"M");
    terminal.wait_text("MONITOR was ended");
    assert_eq!(monitors(&server), 0);
}

#[test]
fn a_clock_that_is_wrong_is_told_when_monitor_has_ended() {
    let server = server(3);
    let mut terminal = running(&server);
    let queue = delayscope::queue::Queue::redisson("orders");
    let mut client = redisson::Client::new(server.connection(), &queue);
    for _ in 0..3 {
        client.transfer(server.now().plus(2_000), 100).unwrap();
    }
    terminal.wait("a second to pass", PATIENCE, |shown| {
        let text = shown.text();
        let mut spans = text.lines().filter(|line| line.contains(" to go"));
        spans.any(|line| !line.contains("0:30") && !line.contains("0:29"))
    });
    terminal.send(b"M");
    terminal.wait_text("MONITOR was ended; clock of unix: ");
    terminal.wait_text(" s ahead");
}

/// Waits until the lane of that message says all this.
fn lane(terminal: &Terminal, message: &str, words: &[&str]) {
    terminal.wait(message, PATIENCE, |shown| {
        let text = shown.text();
        let mut lanes = text.lines().filter(|line| line.contains(message));
        lanes.any(|lane| words.iter().all(|words| lane.contains(words)))
    });
}

#[test]
fn five_messages_of_different_fates_are_told_apart() {
    let server = server(1);
    let terminal = running(&server);
    let queue = Queue::redisson("orders");
    let timeouts = "redisson_delay_queue_timeout:{orders}";
    let mut client = redisson::Client::new(server.connection(), &queue);
    let at = |ms| server.now().plus(ms);
    // Its client was slow.
    client.offer(at(-5_000), 11, b"slow one").unwrap();
    client.transfer(at(0), 100).unwrap();
    server.cmd(&["LPOP", "orders"]);
    lane(&terminal, "slow one", &[" transferred +", " taken +"]);
    // It was polled, behind what was offered before it.
    client.offer(at(60_000), 12, b"polled one").unwrap();
    while client.poll().unwrap().as_deref() != Some(&b"polled one"[..]) {}
    lane(
        &terminal,
        "polled one",
        &["polled away before its transfer by unix"],
    );
    // Transfers fail at what stands behind it.
    client.offer(at(-3_000), 13, b"twice one").unwrap();
    let due = at(-2_000).get().to_string();
    server.put(&queue, b"poison", &due);
    for _ in 0..2 {
        client.transfer(at(0), 100).unwrap_err();
        server.cmd(&["LPOP", "orders"]);
    }
    lane(
        &terminal,
        "twice one",
        &["pushed 2 times, taken 2 times", " late "],
    );
    terminal.wait_text("2 transfers failed half-way");
    // It waits behind a head at which clients sleep.
    server.cmd(&["ZREM", timeouts, "poison"]);
    server.put(&queue, &frame(14, b"head"), "-9223372036854775808");
    client.offer(at(-1_000), 15, b"behind one").unwrap();
    lane(&terminal, "behind one", &["offered ", " late "]);
    terminal.wait_text("wrong with this queue: ");
    // It went with its key.
    client.offer(at(60_000), 16, b"lost one").unwrap();
    server.cmd(&["PEXPIRE", timeouts, "1"]);
    wait_for("the end of the key", || {
        server.int(&["EXISTS", timeouts]) == 0
    });
    server.cmd(&["LPOP", "orders"]);
    lane(&terminal, "lost one", &["lost: its key expired"]);
}

#[test]
fn what_is_removed_or_lost_with_its_key_is_told_as_that() {
    let server = server(3);
    let terminal = running(&server);
    let head = server.list(&["ZRANGE", "redisson_delay_queue_timeout:{orders}", "0", "0"]);
    server.cmd_bytes(&[b"ZREM", b"redisson_delay_queue_timeout:{orders}", &head[0]]);
    terminal.wait_text("removed by ");
    let member = frame(99, b"lost");
    let due = server.now().plus(60_000).get().to_string();
    let timeouts = b"redisson_delay_queue_timeout:{orders}";
    server.cmd_bytes(&[b"ZADD", timeouts, due.as_bytes(), &member]);
    terminal.wait_text("offered ");
    server.cmd(&["DEL", "redisson_delay_queue_timeout:{orders}"]);
    terminal.wait_text("lost: its key was deleted");
}

#[test]
fn monitor_is_gone_with_the_screen_and_while_it_is_suspended() {
    let server = server(3);
    let gone = |how: &str| wait_for(how, || monitors(&server) == 0);
    let mut terminal = running(&server);
    terminal.send(b"\x03");
    gone("MONITOR to end with the screen");
    let terminal = running(&server);
    terminal.signal("-KILL");
    gone("MONITOR to end with the program");
    let mut terminal = running(&server);
    terminal.send(b"\x1a");
    gone("MONITOR to end before the program stops");
    terminal.wait_text("MONITOR was ended");
}

#[test]
fn who_may_not_run_monitor_is_told_what_does_without() {
    let server = server(3);
    let rights = ["ACL", "SETUSER", "default", "-monitor"];
    server.cmd(&rights);
    let mut terminal = open(&server);
    asked(&mut terminal);
    terminal.wait_text("Run MONITOR for 0:30");
    terminal.send(b"\x1b");
    // An M that came with the Esc would be another key.
    terminal.wait("the question to be gone", PATIENCE, |shown| {
        let text = shown.text();
        text.contains("only MONITOR tells it") && !text.contains("Run MONITOR for 0:30")
    });
    terminal.send(b"M");
    terminal.wait_text("Run MONITOR for 0:30");
    terminal.send(b"y");
    terminal.wait_text("NOPERM");
    terminal.wait_text("--probe 5");
}

#[test]
fn a_brake_that_acts_is_told_on_the_screen() {
    let server = server(3);
    let terminal = running(&server);
    let mut connection = server.connection();
    let mut many = redis::pipe();
    for _ in 0..50_000 {
        many.cmd("SET").arg("k").arg("v").ignore();
    }
    wait_for("MONITOR to end", || {
        many.exec(&mut connection).unwrap();
        monitors(&server) == 0
    });
    terminal.wait("why it ended", PATIENCE, |shown| {
        let text = shown.text();
        text.contains("commands/s, more than 20,000") || text.contains("MONITOR was ended: ")
    });
}
