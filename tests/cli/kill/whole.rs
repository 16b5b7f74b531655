//! A bulk change that nobody interrupts, taken back: everything is as it was, byte by byte.

use delayscope::queue::Queue;

use crate::data::{Data, list, timeouts};
use crate::kill::program::Program;
use crate::kill::scenario::QUEUE;
use crate::support::Server;

/// Entries, of which a tenth is deleted; with `KILLS` more of them, since that takes its time.
fn all() -> usize {
    std::env::var_os("KILLS").map_or(10_000, |_| 100_000)
}

#[test]
fn a_tenth_that_was_deleted_by_a_filter_comes_back_where_it_was() {
    let all = all();
    let server = Server::start();
    let queue = Queue::redisson(QUEUE);
    let order = queue.keys().order.unwrap();
    let name = |n: usize| if n.is_multiple_of(10) { "pick" } else { "rest" };
    let due = |n| 4_000_000_000_000 + i64::try_from(n).unwrap();
    let data = Data::new(all, due, |n| format!("{} {n:06}", name(n))).shuffled();
    data.load(&server, &queue);
    let before = (timeouts(&server, &queue), list(&server, &order));
    let program = Program::new(&server);
    let deleted = program.change(&["delete", QUEUE, "--grep", "pick"]);
    assert_eq!(deleted.count("done"), all as u64 / 10, "{}", deleted.told);
    assert_eq!(timeouts(&server, &queue).len(), all - all / 10);
    let undone = program.change(&["undo"]);
    assert_eq!(undone.count("done"), all as u64 / 10, "{}", undone.told);
    let after = (timeouts(&server, &queue), list(&server, &order));
    assert!(after.0 == before.0, "members and scores");
    assert!(after.1 == before.1, "the order list");
}
