//! Every command of the README is one that works.

use std::process::Command;

use delayscope::args::Args;

use crate::program::Program;
use crate::support::wait_for;

const README: &str = include_str!("../../README.md");

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
