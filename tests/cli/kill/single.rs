//! Changes of one entry or a few hundred: each batch one script.

use crate::kill::run::kill;
use crate::kill::scenario::{Lie, Scenario, Then, Undo};

const FEW: Lie = Lie::new(40, 4);
const SOME: Lie = Lie::new(1_200, 700).shuffled();
const SINGLE: &str = "000000000000000a";

#[test]
fn an_entry_is_delivered() {
    let typed = &["deliver", "orders", "--id", SINGLE];
    kill(&Scenario::new(FEW, typed, 1, Undo::All));
}

#[test]
fn an_entry_is_deleted() {
    let typed = &["delete", "orders", "--id", SINGLE];
    kill(&Scenario::new(FEW, typed, 1, Undo::All));
}

#[test]
fn an_entry_is_quarantined() {
    let typed = &["repair", "orders", "--quarantine", "--id", SINGLE];
    kill(&Scenario::new(FEW, typed, 1, Undo::All));
}

#[test]
fn an_entry_is_restored() {
    let before = &["repair", "orders", "--quarantine", "--id", SINGLE];
    let typed = &["repair", "orders", "--restore", "--all"];
    kill(&Scenario::new(FEW, typed, 1, Undo::All).after(before));
}

#[test]
fn an_entry_is_requeued() {
    let typed = &["requeue", "orders", "--id", SINGLE, "--by", "1h"];
    kill(&Scenario::new(FEW, typed, 1, Undo::All));
}

#[test]
fn an_entry_is_edited() {
    let typed = &["edit", "orders", "--id", SINGLE, "--file", "-"];
    kill(&Scenario::new(FEW, typed, 2, Undo::All).reading("pick 000999"));
}

#[test]
fn messages_are_offered() {
    let typed = &[
        "offer",
        "orders",
        "-",
        "--at",
        "4000000000000",
        "--form",
        "byte-id",
        "--codec",
        "text",
    ];
    kill(&Scenario::new(FEW, typed, 3, Undo::All).reading("new 000901\nnew 000902\nnew 000903\n"));
}

#[test]
fn entries_are_delivered_in_batches() {
    let typed = &["deliver", "orders", "--grep", "pick"];
    kill(&Scenario::new(SOME, typed, 700, Undo::All).by("in order"));
}

#[test]
fn entries_are_requeued_in_batches() {
    let typed = &["requeue", "orders", "--grep", "pick", "--by", "1h"];
    kill(&Scenario::new(SOME, typed, 700, Undo::All));
}

#[test]
fn what_is_due_is_transferred_in_batches() {
    // More than a script takes: which ones the last moved is told by their number alone.
    let lie = Lie::new(4_500, 3_000).due();
    let typed = &["transfer", "orders"];
    kill(&Scenario::new(lie, typed, 3_000, Undo::AllBut(1_000)).by("in order"));
}

#[test]
fn delivered_elements_are_deleted() {
    let lie = SOME.then(Then::Delivered);
    let typed = &["delete", "orders", "--from", "delivered", "--grep", "pick"];
    kill(&Scenario::new(lie, typed, 700, Undo::All));
}

#[test]
fn delivered_elements_go_back_to_waiting() {
    let lie = SOME.then(Then::Delivered);
    let typed = &[
        "requeue",
        "orders",
        "--from",
        "delivered",
        "--grep",
        "pick",
        "--at",
        "4000000000000",
    ];
    kill(&Scenario::new(lie, typed, 700, Undo::All));
}
