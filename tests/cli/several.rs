//! `doctor` and `report` where there is more than one queue.

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
    assert!(
        told.contains("\n2 queues looked at: something found in"),
        "{told}"
    );
}
