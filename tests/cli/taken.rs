//! What has taken a name of a queue's keys is renamed by a command.

#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use serde_json::Value;

use crate::changing::{depths, with_orders};
use crate::program::Program;

fn repair(program: &Program, flags: &[&str]) -> Value {
    let args = [&["repair", "orders", "--rename-taken", "--json"], flags].concat();
    program.run(&args).done().json().pop().unwrap()
}

#[test]
fn what_took_targets_name_is_renamed_by_the_command_that_doctor_prints_and_back_by_undo() {
    let program = with_orders();
    program.server.cmd(&["SET", "orders", "last run"]);
    let doctor = ["doctor", "orders", "--for", "1s", "--json"];
    let found = program.run(&doctor).partly().json();
    let found = found.iter().find(|found| found["id"] == "wrong-type");
    let command = found.unwrap()["repair_command"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        command.ends_with("repair orders --rename-taken"),
        "{command}"
    );

    let dry = repair(&program, &["--dry-run"]);
    let said = dry["warnings"][0].as_str().unwrap();
    assert!(
        said.starts_with("orders is a string: it is renamed taken:{orders}; its content stays"),
        "{said}"
    );
    assert_eq!((&dry["planned"], &dry["done"]), (&1.into(), &0.into()));
    assert_eq!(program.server.int(&["EXISTS", "taken:{orders}"]), 0);

    let done = repair(&program, &["--yes"]);
    assert_eq!(
        (&done["change"], &done["done"]),
        (&"rename-taken".into(), &1.into())
    );
    assert_eq!(depths(&program), [3, 3, 0]);
    let again = ["repair", "orders", "--rename-taken", "--yes"];
    let nothing = program.run(&again).partly().err;
    assert!(
        nothing.contains("all keys of \"orders\" have the right types"),
        "{nothing}"
    );

    program.run(&["undo", "--yes"]).done();
    assert_eq!(program.server.int(&["STRLEN", "orders"]), 8);
    assert_eq!(program.server.int(&["EXISTS", "taken:{orders}"]), 0);
}

#[test]
fn it_asks_before_and_is_refused_where_nobody_can_answer() {
    let program = with_orders();
    program.server.cmd(&["SET", "orders", "last run"]);
    program
        .run(&["repair", "orders", "--rename-taken"])
        .failed("--yes");
    assert_eq!(program.server.int(&["EXISTS", "taken:{orders}"]), 0);
}
