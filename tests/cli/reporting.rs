//! `report`: all that is known of a queue.

use crate::doctor::{put, sick};
use crate::support::{double_frame, frame};

#[test]
fn a_report_holds_figures_findings_late_entries_and_what_the_server_says() {
    let program = sick();
    put(&program.server, &double_frame(5.0, b"secret 2"), -30_000);
    let markdown = program
        .run(&["report", "orders", "--for", "1200ms"])
        .done()
        .out;
    for part in [
        "# Delayed queue orders\n\n**No Redisson client runs for this queue.** 2 late, oldest ",
        "- since: ",
        "- entries: 2 waiting, 2 late (the oldest since ",
        "worker orders\n```\n\n## Findings\n",
        "### critical: no-transfer-client\n",
        "## Figures\n",
        "secret 1",
        "secret 2",
        "maxmemory_policy:noeviction",
        "## Changes made from this account\n\nNone.\n",
    ] {
        assert!(markdown.contains(part), "{part}: {markdown}");
    }
    let args = ["report", "orders", "--for", "300ms", "--json", "--redact"];
    let json = program.run(&args).done();
    assert!(!json.out.contains("secret"), "{}", json.out);
    let bundle = &json.json()[0];
    assert_eq!(bundle["snapshot"]["late"], 2);
    assert_eq!(bundle["late"].as_array().unwrap().len(), 2);
    assert_eq!(bundle["late"][0]["text"], "(8 bytes)");
    assert_eq!(bundle["server_info"]["maxmemory_policy"], "noeviction");
}

#[test]
fn findings_name_entries_by_what_they_say_but_in_a_redacted_report() {
    let program = sick();
    put(
        &program.server,
        &frame(7, b"secret far"),
        60 * 31_557_600_000,
    );
    let order = b"redisson_delay_queue:{orders}";
    let stray = frame(9, b"secret stray");
    program.server.cmd_bytes(&[b"RPUSH", order, &stray]);
    let report = |more: &[&str]| {
        let args = [&["report", "orders", "--for", "2s"], more].concat();
        program.run(&args).done().out
    };
    let open = report(&[]);
    for told in ["secret far (", "1 only in the order list: secret stray ("] {
        assert!(open.contains(told), "{told}: {open}");
    }
    for more in [&["--redact"][..], &["--redact", "--json"]] {
        let redacted = report(more);
        assert!(redacted.contains("drift") && redacted.contains("far-future"));
        assert!(!redacted.contains("secret"), "{redacted}");
    }
    let all = program.run(&["doctor", "orders", "--exact"]).out;
    assert!(
        all.contains("1 only in the order list: secret stray ("),
        "{all}"
    );
}

#[test]
fn a_report_tells_the_changes_that_were_made() {
    let program = sick();
    program.run(&["delete", "orders", "--late", "--yes"]).done();
    put(&program.server, &frame(2, b"later"), 60_000);
    let args = ["report", "orders", "--for", "300ms", "--json"];
    let bundle = program.run(&args).done().json().remove(0);
    assert_eq!(bundle["changes"][0]["change"], "delete");
    assert_eq!(bundle["changes"][0]["done"], 1);
}
