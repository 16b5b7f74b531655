//! Changes are killed: the real program, with SIGKILL, at step boundaries and at random moments,
//! while other clients work on the queue. Whatever the moment, every message is in exactly one
//! place; repairs bring the order list back; the journal tells what happened; undo takes it back.
//!
//! A consumer is killed too, and a worker: what a consumer held is put back, and at most the message
//! that was being printed comes twice.
//!
//! `cargo test --test cli kill::` kills each change a few times, beside a client that sends what
//! Redisson sends. Hundreds of times each, and beside the real Redisson (needs a JDK and Maven):
//!
//! `KILLS=200 cargo test --release --features interop --test cli kill::`
//!
//! With `--nocapture` each tells how many of these kills met it alive. A failure tells `KILL_SEED`,
//! with which the same kills are made again.

use delayscope::queue::Change;

mod beside;
mod bulk;
mod cut;
mod others;
mod program;
mod proxy;
mod repairs;
mod run;
mod scenario;
mod single;
mod taking;
mod together;
mod undone;
mod whole;
mod world;

/// What is killed in tests of its own, or has nothing that could be left half done.
const ELSEWHERE: [(Change, &str); 3] = [
    (Change::Consume, "`taking`"),
    (Change::Worker, "`taking`"),
    (Change::Kick, "writes nothing"),
];

#[test]
fn each_change_is_killed() {
    let all = [single::ALL, bulk::ALL, repairs::ALL].concat();
    let killed: Vec<Change> = all.iter().map(|scenario| scenario().change()).collect();
    for change in Change::ALL {
        let is_elsewhere = ELSEWHERE.iter().any(|(it, _)| *it == change);
        assert!(killed.contains(&change) != is_elsewhere, "{change:?}");
    }
}
