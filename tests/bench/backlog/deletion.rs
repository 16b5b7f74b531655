//! Ten thousand of a million deleted by a filter, and put back.

use std::time::Duration;

use delayscope::queue::Queue;

use crate::data::{Data, list, timeouts};
use crate::ms;
use crate::program::Program;
use crate::support::Server;
use crate::watch::Watch;

const QUEUE: &str = "deletion";
const ALL: usize = 1_000_000;
/// One in so many is deleted.
const EACH: usize = 100;
/// For how long the idle server is watched.
const IDLE: Duration = Duration::from_secs(2);

/// Prints how long both took; what missed its claim.
pub fn measure() -> Vec<String> {
    let server = Server::start();
    let queue = Queue::redisson(QUEUE);
    let later = server.now().plus(86_400_000).get();
    let chosen = |n: usize| n % EACH == 17;
    let text = |n: usize| format!("{} {n:017}", if chosen(n) { "refund" } else { "orders" });
    let data = Data::new(ALL, |n| later + i64::try_from(n).unwrap(), text).shuffled();
    data.load(&server, &queue);
    let order = queue.keys().order.unwrap();
    let before = (timeouts(&server, &queue), list(&server, &order));
    let watch = Watch::begin(&server);
    std::thread::sleep(IDLE);
    let idle = watch.end(&server);
    println!(
        "\n{} of {ALL} shuffled entries deleted by a filter, and put back",
        ALL / EACH
    );
    println!(
        "(longest PING of another client on the idle server: {:.1} ms)\n",
        ms(idle.ping)
    );
    println!(
        "{:<20}{:>12}{:>12}{:>9}{:>9}",
        "", "s", "own s", "script", "PING"
    );
    let program = Program::new(&server);
    let run = |name: &str, words: &[&str]| {
        let watch = Watch::begin(&server);
        let run = program.change(words);
        let noticed = watch.end(&server);
        println!(
            "{name:<20}{:>12.2}{:>12.2}{:>9.1}{:>9.1}",
            run.took.as_secs_f64(),
            run.own().as_secs_f64(),
            ms(noticed.script),
            ms(noticed.ping)
        );
    };
    run("delete", &["delete", QUEUE, "--grep", "refund"]);
    let gone = |element: &Vec<u8>| element[17..].starts_with(b"refund");
    let mut rest = before.0.clone();
    rest.retain(|(member, _)| !gone(member));
    assert_eq!(rest.len(), ALL - ALL / EACH);
    assert!(timeouts(&server, &queue) == rest, "others are as they were");
    run("undo", &["undo"]);
    let after = (timeouts(&server, &queue), list(&server, &order));
    let mut missed = Vec::new();
    if after.0 != before.0 {
        missed.push("undo: members and scores are others than before".to_owned());
    }
    if after.1 != before.1 {
        missed.push("undo: the order list is another one than before".to_owned());
    }
    missed
}
