//! Every command of the README is one that works.

use std::process::Command;

use delayscope::args::Args;

use crate::cluster::Cluster;
use crate::program::{Program, Said, bare, begun, local, said};
use crate::sentinel::Group;
use crate::support::{Server, room, wait_for};
use crate::tls::{Authority, Stage};

const README: &str = include_str!("../../README.md");

/// Words of commands that name a server. (`ssh`, `kubectl` and `tmux` start no command of ours
/// here: whether what they lead to is reached, the tests of tunnels and sockets show.)
const ELSEWHERE: [&str; 2] = ["://", "--profile"];

/// Commands that change something, and so ask.
const ASK: [&str; 6] = ["transfer", "deliver", "requeue", "delete", "undo", "worker"];

/// The words of each command of ours in a line, as a shell takes them apart.
fn words(line: &str) -> Vec<String> {
    let script = format!("delayscope() {{ printf '%s\\n' \"$@\"; }}; {line}");
    let out = Command::new("bash").args(["-c", &script]).output().unwrap();
    assert!(out.status.success(), "{line}: {out:?}");
    let text = String::from_utf8(out.stdout).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// The commands that stand in the README, in blocks and in backticks.
fn commands() -> Vec<&'static str> {
    let blocks = README.split("```sh\n").skip(1);
    let lines = blocks.flat_map(|block| block.split("```").next().unwrap().lines());
    let outside = README.split("```").step_by(2).collect::<Vec<_>>();
    let quoted = outside
        .into_iter()
        .flat_map(|text| text.split('`').skip(1).step_by(2));
    let ours = |line: &&str| line.starts_with("delayscope ");
    lines.chain(quoted).filter(ours).collect()
}

#[test]
fn every_command_of_the_readme_is_understood() {
    let all = commands();
    assert!(all.len() >= 20, "{all:#?}");
    for line in all {
        let words = words(line);
        let typed = ["delayscope".to_owned()].into_iter().chain(words);
        if let Err(why) = Args::typed(typed) {
            panic!("{line}: {why}");
        }
    }
}

/// Runs a command of the README in a folder that has the files which it names. What goes on until
/// somebody stops it is stopped when it is at work.
fn run(program: &Program, folder: &std::path::Path, line: &str) -> Said {
    let mut words: Vec<String> = words(line);
    // Another server stands in for the one that is named.
    if words.first().is_some_and(|first| first == "-s") {
        words.drain(..2);
    }
    if words.iter().any(|word| word == "--listen") {
        "127.0.0.1:0".clone_into(&mut words[2]);
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut command = if words.first() == Some(&"demo") {
        let mut command = bare(folder);
        command.args(&words);
        command
    } else {
        program.command(&words)
    };
    command.current_dir(folder);
    let by_monitor = words.first() == Some(&"trace") && !words.contains(&"--from");
    let at_work: Box<dyn Fn() -> bool> = match words.first().copied() {
        Some("trace") if by_monitor => Box::new(|| {
            let clients = program.server.cmd(&["CLIENT", "LIST"]);
            format!("{clients:?}").contains("cmd=monitor")
        }),
        Some("doctor") if words.contains(&"--exec") => {
            Box::new(|| folder.join("notified").exists())
        }
        Some("watch" | "traffic" | "demo" | "metrics") => Box::new(|| true),
        _ => return said(&mut command),
    };
    let mut running = begun(command);
    match words[0] {
        "metrics" => running.error_has("metrics at"),
        "traffic" => wait_for("it to listen", || {
            program.server.int(&["PUBSUB", "NUMPAT"]) > 0
        }),
        "watch" | "demo" => assert!(!running.next_line().is_empty(), "{line}"),
        _ => wait_for("it to be at work", at_work),
    }
    running.signal("INT");
    running.ended()
}

/// A server with an order that is late and one that is not, a folder with a log and a script.
fn incident() -> (Program, tempfile::TempDir) {
    let program = Program::start();
    let order = r#"{"orderId":472861,"test":true}"#;
    for after in ["0s", "1h"] {
        program.offer("orders", order, after);
    }
    program.server.cmd(&["RPUSH", "orders", "delivered"]);
    let folder = room();
    let log = r#"1763794800.123 [0 10.0.0.7:5] "LPOP" "orders" "#;
    std::fs::write(folder.path().join("monitor.log"), log).unwrap();
    std::fs::write(folder.path().join("notify.sh"), "cat >> notified\n").unwrap();
    (program, folder)
}

#[test]
fn every_command_of_the_readme_runs() {
    let (program, folder) = incident();
    let mut ran = 0;
    for line in commands() {
        if ELSEWHERE.iter().any(|word| line.contains(word)) || asks(line) {
            continue;
        }
        let said = run(&program, folder.path(), line);
        // What is wrong makes doctor end with 1, and a log that says nothing of it a trace.
        let most = i32::from(line.contains(" doctor ") || line.contains(" trace "));
        assert!((0..=most).contains(&said.code), "{line}: {said:?}");
        ran += 1;
    }
    assert!(ran >= 15, "{ran} commands ran");
}

#[test]
fn every_command_that_names_a_server_leads_to_one_of_that_kind() {
    let server = Server::start_tcp(&[]);
    let rule = local(&["acl", "--for", "read", "--name", "watcher"]);
    let rule = words(&format!("delayscope {}", rule.done().out));
    let mut watcher: Vec<&str> = rule.iter().map(String::as_str).collect();
    watcher.extend(["on", ">secret"]);
    server.cmd(&watcher);
    let authority = Authority::new("Ours");
    let tls = Stage::start(&authority, &authority.signs(&["127.0.0.1"]), "no");
    let group = Group::start();
    let cluster = Cluster::start();
    let folder = room();
    std::fs::copy(tls.ca(), folder.path().join("ca.pem")).unwrap();
    let profile = format!("[profiles.production]\nurl = \"{}\"\n", server.url());
    let config = folder.path().join("config.toml");
    std::fs::write(&config, profile).unwrap();
    let address = |port: u16| format!("127.0.0.1:{port}");
    let nodes = format!(
        "{},{}",
        address(cluster.nodes[0].port()),
        address(cluster.nodes[1].port())
    );
    let stand_ins = [
        ("redis.example:6379", address(server.port())),
        ("redis.example", address(tls.port)),
        ("s1,s2,s3", group.places()),
        ("node1,node2", nodes),
        ("--profile production", "--profile production".to_owned()),
    ];
    let mut used = [0; 5];
    for line in commands() {
        if !ELSEWHERE.iter().any(|word| line.contains(word)) {
            continue;
        }
        let known = stand_ins.iter().position(|(named, _)| line.contains(named));
        let known = known.unwrap_or_else(|| panic!("no server here stands for that of: {line}"));
        let (named, here) = &stand_ins[known];
        used[known] += 1;
        let mut command = bare(folder.path());
        command.env("DELAYSCOPE_CONFIG", &config);
        if line.contains("watcher") {
            command.env("REDISCLI_AUTH", "secret");
        }
        command.current_dir(folder.path());
        let said = said(command.args(words(&line.replace(named, here))));
        // Without a terminal it lists the queues, of which there are none.
        assert_eq!((said.code, said.out.as_str()), (1, ""), "{line}: {said:?}");
        assert!(
            said.err.contains("no delayed queues in"),
            "{line}: {said:?}"
        );
    }
    assert!(used.iter().all(|times| *times > 0), "{used:?}");
}

/// Tells whether a command changes something: those are run as the ten jobs.
fn asks(line: &str) -> bool {
    let word = line.split(' ').nth(1);
    word.is_some_and(|word| ASK.contains(&word))
}

/// The commands of the README's table that only look, each with its words filled in and an end.
const LOOK: [(&str, &str); 12] = [
    ("queues", "queues"),
    ("show Q", "show orders"),
    ("watch [Q]", "watch orders --count 2 --interval 200ms"),
    ("entries Q", "entries orders --late --limit 5"),
    ("search Q FILTER", "search orders 'due>+1m'"),
    ("traffic [Q]", "traffic orders"),
    ("trace [Q]", "trace orders --from monitor.log"),
    ("decode [TEXT\\|-]", "decode 0400000061626364"),
    ("nodes", "nodes"),
    ("doctor [Q]", "doctor orders --for 1s"),
    ("report Q", "report orders --redact --for 1s"),
    ("consume Q", "consume orders --peek"),
];

#[test]
fn every_command_of_the_table_that_looks_runs() {
    let (program, folder) = incident();
    for (named, typed) in LOOK {
        assert!(README.contains(&format!("`{named}`")), "{named}");
        let said = run(&program, folder.path(), &format!("delayscope {typed}"));
        // Nothing is found in the log, and there is something wrong.
        let most = i32::from(typed.starts_with("doctor") || typed.starts_with("trace"));
        assert!((0..=most).contains(&said.code), "{typed}: {said:?}");
    }
}

#[test]
fn the_incident_of_the_readme_goes_as_it_is_told() {
    let (_, section) = README
        .split_once("## An incident in three minutes")
        .unwrap();
    let (section, _) = section.split_once("![").unwrap();
    let rows = section.lines().filter(|row| row.starts_with("| "));
    let cells = rows.filter_map(|row| row.split(" | ").nth(2));
    let typed: Vec<&str> = cells
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .collect();
    assert_eq!(typed.len(), 6, "{typed:?}");
    let home = room();
    let mut demo = bare(home.path());
    demo.args(["demo", "--scenario", "poison"]);
    let mut demo = begun(demo);
    let first = demo.next_line();
    let socket = first.split_whitespace().find(|word| word.starts_with('/'));
    let socket = socket.unwrap().to_owned();
    let run = |line: &str| {
        let mut command = bare(home.path());
        command
            .args(["-s", &socket])
            .args(words(&format!("delayscope {line}")));
        said(&mut command)
    };
    let mut seen = String::new();
    wait_for("an entry to block the queue", || {
        seen = run("doctor invoices --for 2s").out;
        seen.contains("[poison]")
    });
    for (at, line) in typed.iter().enumerate() {
        let more = if line.starts_with("repair") {
            " --yes"
        } else {
            ""
        };
        let last = at + 1 == typed.len();
        if last {
            wait_for("all to be delivered", || run(line).code == 0);
            continue;
        }
        let said = run(&format!("{line}{more}"));
        let most = i32::from(line.starts_with("doctor"));
        assert!((0..=most).contains(&said.code), "{line}: {said:?}");
    }
    demo.signal("INT");
    assert_eq!(demo.ended().code, 0);
}

#[test]
fn the_ten_jobs_of_the_readme_are_done_by_their_commands() {
    let (_, section) = README.split_once("## Ten jobs").unwrap();
    let (section, _) = section.split_once("Each change says").unwrap();
    let program = Program::start();
    let order = r#"{"orderId":472861,"test":true}"#;
    let jobs: Vec<&str> = section
        .lines()
        .filter_map(|row| row.split('`').find(|cell| cell.starts_with("delayscope ")))
        .collect();
    assert_eq!(jobs.len(), 10, "{jobs:#?}");
    for job in jobs {
        for after in ["0s", "1h"] {
            program.offer("orders", order, after);
        }
        let mut words = words(job);
        if ASK.contains(&words[0].as_str()) {
            words.push("--yes".to_owned());
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let said = if words[0] == "worker" {
            // It works until it is stopped.
            program.server.cmd(&["DEL", "orders"]);
            let worker = program.begin(&words);
            wait_for("the worker to have moved what is due", || {
                program.server.cmd(&["LLEN", "orders"]) != redis::Value::Int(0)
            });
            worker.signal("INT");
            worker.ended()
        } else {
            program.run(&words)
        };
        // What is wrong makes doctor end with 1.
        let most = i32::from(words[0] == "doctor");
        assert!((0..=most).contains(&said.code), "{job}: {said:?}");
    }
}
