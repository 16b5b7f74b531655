//! Where there is much: more than one queue for `doctor` and `report`, many late ones for a plan.

use delayscope::queue::Queue;

use crate::doctor::sick;
use crate::support::frame;

#[test]
fn of_several_queues_it_says_how_many_and_a_report_asks_which() {
    let program = sick();
    let only = ["report", "--for", "200ms", "--json"];
    let report = program.run(&only).done().out;
    assert!(report.contains("redisson_delay_queue:{orders}"), "{report}");
    program
        .server
        .put(&Queue::redisson("mail box"), &frame(2, b"m"), "1e12");
    program
        .run(&only)
        .failed("name it. There are 'mail box', orders");
    let told = program.run(&["doctor", "--for", "1200ms"]).partly().out;
    assert!(told.starts_with("2 of 2 queues have problems\n"), "{told}");
}

#[test]
fn a_plan_of_all_that_is_due_waits_for_few_answers() {
    let program = sick();
    for i in 2..150 {
        let due = program.server.now().get().to_string();
        let member = frame(i, format!("late {i}").as_bytes());
        program
            .server
            .put(&Queue::redisson("orders"), &member, &due);
    }
    program.server.cmd(&["CONFIG", "RESETSTAT"]);
    program.run(&["transfer", "orders", "--dry-run"]).done();
    let stats = program.server.cmd(&["INFO", "commandstats"]);
    let stats = format!("{stats:?}");
    let calls = |command: &str| -> u64 {
        let from = stats.split(&format!("cmdstat_{command}:calls=")).nth(1);
        let digits = from.and_then(|rest| rest.split(',').next());
        digits.map_or(0, |digits| digits.parse().unwrap())
    };
    // The order list is looked at in 64 places, but not one after the other.
    assert!((1..=20).contains(&calls("exec")), "{stats}");
}
