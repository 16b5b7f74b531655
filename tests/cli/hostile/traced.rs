//! What a log tells, of MONITOR or of an append-only file, and what MONITOR itself does.

use std::path::{Path, PathBuf};

use delayscope::queue::Queue;

use super::{NAMES, WORDS, harm, says_no_harm};
use crate::program::{Program, bare};
use crate::redisson::Client;
use crate::support::{Server, room, wait_for};

/// The life of some messages with hostile names, by a client and by ourselves.
fn live(program: &Program, name: &[u8]) {
    let queue = Queue::redisson(name);
    let server = &program.server;
    let mut client = Client::new(server.connection(), &queue);
    let now = server.now();
    for n in 0..4_u64 {
        let payload = format!("{WORDS} {n}");
        let due = now.plus([-5, 3_600_000][usize::from(n == 3)]);
        client.offer(due, n + 1, payload.as_bytes()).unwrap();
    }
    client.transfer(now, 2).unwrap();
    let target = queue.keys().target;
    server.cmd_bytes(&[b"LPOP", &target]);
    client.remove(format!("{WORDS} 3").as_bytes()).unwrap();
    client.poll().unwrap();
    let hex = hex::encode(name);
    let of_queue = ["--queue-hex", &hex];
    for words in [
        &["offer", WORDS, "--in", "1h"][..],
        &["requeue", "--all", "--limit", "1", "--by", "1h", "--yes"],
        &["delete", "--all", "--limit", "1", "--yes"],
    ] {
        program
            .run(&[&words[..1], &of_queue, &words[1..]].concat())
            .done();
    }
    server.cmd_bytes(&[b"RENAME", &target, &[&target[..], b"\x1b[31m"].concat()]);
}

/// Whatever is in the log, nothing of it does harm; and it is told.
fn is_told(log: &Path) {
    let log = log.to_str().unwrap();
    let home = room();
    for words in [&["trace"][..], &["trace", "--by", "message", "--raw"]] {
        let words = [words, &["--from", log]].concat();
        says_no_harm(|| bare(home.path()), &words);
        let said = bare(home.path()).args(&words).output().unwrap();
        let said = String::from_utf8(said.stdout).unwrap();
        assert!(said.contains("EVIL\\x1b]0;X"), "{words:?}: {said}");
    }
}

#[test]
fn what_a_log_of_commands_holds_commands_no_terminal() {
    let program = Program::at(Server::start_with(&["--appendonly", "yes"]));
    let monitor = program.server.monitor();
    for name in NAMES {
        live(&program, name);
    }
    let home = room();
    let log = home.path().join("monitor.log");
    let lines = monitor.lines(&program.server);
    let lines = lines.iter().map(|line| line.trim_start_matches('+'));
    std::fs::write(&log, lines.collect::<Vec<_>>().join("\n")).unwrap();
    is_told(&log);
    is_told(&append_only(&program.server));
}

/// The server's append-only file, or the folder of its files.
fn append_only(server: &Server) -> PathBuf {
    let told = server.list(&["CONFIG", "GET", "dir"]);
    let dir = PathBuf::from(String::from_utf8(told[1].clone()).unwrap());
    let files = ["appendonlydir", "appendonly.aof"].map(|name| dir.join(name));
    files.into_iter().find(|file| file.exists()).unwrap()
}

#[test]
fn what_lives_under_monitor_commands_no_terminal() {
    let program = Program::start();
    for name in NAMES {
        let hex = hex::encode(name);
        let by_message = ["--by", "message", "--for", "1s"];
        for how in [
            &["--limit", "4"][..],
            &["--limit", "4", "--json"],
            &by_message,
        ] {
            let args = ["trace", "--queue-hex", &hex, "--yes"];
            let trace = program.begin(&[&args[..], how].concat());
            wait_for("MONITOR to run", || {
                let clients = program.server.cmd(&["CLIENT", "LIST"]);
                let clients: String = redis::from_redis_value(clients).unwrap();
                let monitors =
                    |line: &str| line.contains("delayscope-trace") && line.contains("flags=O");
                clients.lines().any(monitors)
            });
            live(&program, name);
            let said = trace.ended();
            assert_eq!(harm(said.out.as_bytes()), None);
            assert_eq!(harm(said.err.as_bytes()), None);
            assert!(said.out.contains("EVIL"), "{said:?}");
        }
    }
}
