//! How a change that is asked to end comes to its end.

#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use delayscope::queue::Queue;

use crate::changing::depths;
use crate::program::{Program, Said};
use crate::support::{frame, wait_for};

/// `orders` with so many late entries, in an order list that knows nothing of due times.
fn shuffled(count: u64) -> Program {
    let program = Program::start();
    let server = &program.server;
    let orders = Queue::redisson("orders");
    server.fill(&orders, count, server.now().plus(-3_600_000), 1);
    let order = orders.keys().order.unwrap();
    server.cmd_bytes(&[b"DEL", &order]);
    let mut numbers: Vec<u64> = (1..=count).collect();
    // A step that shares no divisor with the count visits each once.
    numbers.sort_by_key(|n| n * 7_919 % 10_007);
    for chunk in numbers.chunks(5_000) {
        let members: Vec<Vec<u8>> = chunk
            .iter()
            .map(|n| frame(*n, format!("entry {n}").as_bytes()))
            .collect();
        let words = [&b"RPUSH"[..], &order].into_iter();
        let words: Vec<&[u8]> = words.chain(members.iter().map(Vec::as_slice)).collect();
        server.cmd_bytes(&words);
    }
    program
}

const ASIDE: &str = "delayscope:aside:{orders}";

#[test]
fn a_change_that_is_interrupted_finishes_its_batch_and_counts_what_is_left() {
    for signal in ["INT", "TERM", "HUP"] {
        let program = Program::start();
        let server = &program.server;
        server.fill(
            &Queue::redisson("orders"),
            1_000,
            server.now().plus(3_600_000),
            10,
        );
        let args = [
            "deliver", "orders", "--all", "--yes", "--rate", "300/s", "--each", "--json",
        ];
        let mut change = program.begin(&args);
        assert_eq!(change.next_json()["outcome"], "done");
        change.signal(signal);
        let said = change.ended().partly();
        let lines = said.json();
        let sum = lines.last().unwrap();
        let figure = |name: &str| sum[name].as_i64().unwrap();
        assert!(figure("left") > 0, "{sum}");
        assert_eq!(figure("done") + figure("left"), 1_000, "{sum}");
        assert_eq!(
            depths(&program),
            [figure("left"), figure("left"), figure("done")]
        );
        let each = lines
            .iter()
            .filter(|line| line["outcome"] == "done")
            .count();
        assert_eq!(i64::try_from(each).unwrap() + 1, figure("done"));
        assert!(
            said.err.contains("stopping after this batch"),
            "{}",
            said.err
        );
        assert!(
            said.err.contains("the same command goes on"),
            "{}",
            said.err
        );
    }
}

#[test]
fn an_order_list_that_was_set_aside_is_back_after_an_interruption() {
    let program = shuffled(10_000);
    let args = [
        "transfer", "orders", "--yes", "--rate", "1000/s", "--each", "--json",
    ];
    let mut change = program.begin(&args);
    change.next_json();
    assert_eq!(program.server.int(&["EXISTS", ASIDE]), 1, "it is set aside");
    change.signal("INT");
    let said = change.ended().partly();
    let sum = said.json().pop().unwrap();
    let [waiting, order, target] = depths(&program);
    assert_eq!(sum["done"], target);
    assert_eq!([waiting, order], [10_000 - target; 2]);
    assert_eq!(program.server.int(&["EXISTS", ASIDE]), 0);
}

#[test]
fn a_change_that_is_stopped_for_a_while_brings_the_order_list_back_before() {
    let program = shuffled(10_000);
    let args = [
        "transfer", "orders", "--yes", "--rate", "2000/s", "--each", "--json",
    ];
    let mut change = program.begin_job(&args);
    change.next_json();
    assert_eq!(program.server.int(&["EXISTS", ASIDE]), 1, "it is set aside");
    change.signal("TSTP");
    wait_for("it to be stopped", || change.is_stopped());
    assert_eq!(program.server.int(&["EXISTS", ASIDE]), 0);
    let [waiting, order, target] = depths(&program);
    assert_eq!((waiting, waiting + target), (order, 10_000));
    assert!(waiting > 0, "it had not ended");
    change.signal("CONT");
    let said = change.ended().done();
    assert_eq!(depths(&program), [0, 0, 10_000]);
    assert!(said.err.contains("stopping for a while"), "{}", said.err);
    assert_eq!(program.server.int(&["EXISTS", ASIDE]), 0);
}

#[test]
fn a_change_that_waits_is_stopped_for_a_while_at_any_moment() {
    let program = shuffled(1_000);
    let full = [
        "transfer",
        "orders",
        "--yes",
        "--max-target",
        "1",
        "--each",
        "--json",
    ];
    let mut change = program.begin_job(&full);
    change.next_json();
    // Each comes at another moment of the waiting.
    for _ in 0..12 {
        change.signal("TSTP");
        wait_for("it to be stopped", || change.is_stopped());
        change.signal("CONT");
    }
    change.signal("INT");
    change.ended().partly();
}

#[test]
fn a_worker_that_is_stopped_for_a_while_holds_nothing_aside() {
    let program = shuffled(10_000);
    let worker = program.begin_job(&["worker", "orders", "--yes", "--json", "--until-empty"]);
    wait_for("it to be set aside", || {
        program.server.int(&["EXISTS", ASIDE]) == 1
    });
    worker.signal("TSTP");
    wait_for("it to be stopped", || worker.is_stopped());
    assert_eq!(program.server.int(&["EXISTS", ASIDE]), 0);
    let [waiting, order, target] = depths(&program);
    assert_eq!((waiting, waiting + target), (order, 10_000));
    worker.signal("CONT");
    worker.ended().done();
    assert_eq!(depths(&program), [0, 0, 10_000]);
}

#[test]
fn a_second_time_stops_at_once() {
    let program = shuffled(10_000);
    let args = [
        "transfer", "orders", "--yes", "--rate", "1000/s", "--each", "--json",
    ];
    let mut change = program.begin_job(&args);
    change.next_json();
    program.server.stop();
    change.signal("TSTP");
    change.error_has("stopping for a while");
    change.signal("TSTP");
    wait_for("it to be stopped", || change.is_stopped());
    program.server.go_on();
    change.signal("CONT");
    change.signal("INT");
    change.ended().partly();
    assert_eq!(program.server.int(&["EXISTS", ASIDE]), 0);
}

#[test]
fn a_second_time_leaves_at_once_and_says_what_repairs() {
    let program = shuffled(10_000);
    let args = [
        "transfer", "orders", "--yes", "--rate", "1000/s", "--each", "--json",
    ];
    let mut change = program.begin(&args);
    change.next_json();
    program.server.stop();
    change.signal("INT");
    change.error_has("stopping after this batch");
    change.signal("INT");
    let said = change.ended().partly();
    assert!(said.err.contains("left at once"), "{}", said.err);
    program.server.go_on();
    restores(&program, &said);
    assert_eq!(program.server.int(&["EXISTS", ASIDE]), 0);
    assert!(said.err.contains("delayscope journal "), "{}", said.err);
}

/// What it says repairs the order list, and does so.
fn restores(program: &Program, said: &Said) {
    let mut lines = said.err.lines();
    let line = lines.find(|line| line.contains("--restore-order"));
    let (_, line) = line.unwrap().rsplit_once(": delayscope ").unwrap();
    let words: Vec<&str> = line.split(' ').collect();
    assert_eq!(words[0], "-s", "{line}");
    let repaired = program.run(&[&words[2..], &["--yes"]].concat());
    assert!(repaired.code < 2, "{repaired:?}");
    wait_for("nothing to be half done", || {
        let [waiting, order, target] = depths(program);
        waiting == order && waiting + target == 10_000
    });
}

#[test]
fn a_worker_that_is_cut_off_in_bulk_says_what_repairs() {
    let program = shuffled(10_000);
    let worker = program.begin(&["worker", "orders", "--yes", "--json"]);
    wait_for("it to be set aside", || {
        program.server.int(&["EXISTS", ASIDE]) == 1
    });
    program.server.stop();
    // Two of one kind might be heard as one.
    worker.signal("INT");
    worker.signal("TERM");
    let said = worker.ended().partly();
    program.server.go_on();
    assert_eq!(
        program.server.int(&["EXISTS", ASIDE]),
        1,
        "it is left there"
    );
    restores(&program, &said);
    assert_eq!(program.server.int(&["EXISTS", ASIDE]), 0);
}

#[test]
fn a_reader_that_goes_away_stops_the_change_silently() {
    let program = shuffled(10_000);
    let args = [
        "transfer", "orders", "--yes", "--rate", "1000/s", "--each", "--json",
    ];
    let mut change = program.begin(&args);
    change.next_json();
    let said = change.close_output();
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    let [waiting, order, target] = depths(&program);
    assert_eq!((waiting, waiting + target), (order, 10_000));
    assert!(waiting > 0, "it went on");
    assert_eq!(program.server.int(&["EXISTS", ASIDE]), 0);
}

#[test]
fn a_reader_that_does_not_read_keeps_no_order_list_aside_and_gets_every_line() {
    const COUNT: i64 = 10_000;
    let program = shuffled(COUNT.unsigned_abs());
    let args = ["transfer", "orders", "--yes", "--each", "--json"];
    // Its output is a pipe that holds some hundred lines, and nobody reads it.
    let change = program.begin(&args);
    wait_for("some to be transferred, and nothing to be aside", || {
        let [_, order, target] = depths(&program);
        let is_aside = program.server.int(&["EXISTS", ASIDE]) == 1;
        target > 0 && order + target == COUNT && !is_aside
    });
    let [waiting, order, _] = depths(&program);
    assert_eq!(waiting, order);
    let said = change.ended().done();
    let lines = said.json();
    let done = lines.iter().filter(|line| line["outcome"] == "done");
    assert_eq!(i64::try_from(done.count()), Ok(COUNT));
    assert_eq!(lines.last().unwrap()["done"], COUNT);
    assert_eq!(depths(&program), [0, 0, COUNT]);
}

#[test]
fn progress_is_one_line_that_is_written_over() {
    let program = Program::start();
    let server = &program.server;
    server.fill(
        &Queue::redisson("orders"),
        500,
        server.now().plus(3_600_000),
        10,
    );
    let args = ["deliver", "orders", "--all", "--rate", "400/s"];
    let (shown, code) = crate::terminal::answered(&program, &args, "queue's name:", "orders");
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("of 500"), "{shown:?}");
    assert!(shown.contains("\r\u{1b}[K"), "{shown:?}");
    assert!(shown.contains("delivered 500 entries of orders"), "{shown}");
}

#[test]
fn a_plan_takes_as_long_as_the_rate_that_it_keeps_to() {
    let program = shuffled(10_000);
    let args = [
        "transfer",
        "orders",
        "--rate",
        "500/s",
        "--dry-run",
        "--json",
    ];
    let plan = program.run(&args).done().json().remove(0);
    let takes = plan["cost"]["takes_ms"].as_f64().unwrap();
    assert!((20_000.0..25_000.0).contains(&takes), "{plan}");
    let warnings = plan["warnings"].to_string();
    assert!(warnings.contains("For about 20 s"), "{warnings}");
}
