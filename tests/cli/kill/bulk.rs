//! The ways that keep the order list out of the way, repairs, and undo.

use crate::kill::run::kill;
use crate::kill::scenario::{Lie, Scenario, Then, Undo};

/// Enough for the walks through the order list to be long.
const MANY: Lie = Lie::new(6_000, 300).shuffled();
const SOME: Lie = Lie::new(1_500, 300).shuffled();

const REPACK: &[&str] = &[
    "repair",
    "orders",
    "--repack",
    "--form",
    "double-id",
    "--grep",
    "pick",
];

#[test]
fn the_order_list_is_set_aside() {
    let lie = Lie::new(8_000, 8_000).due().shuffled();
    let typed = &["transfer", "orders"];
    kill(&Scenario::new(lie, typed, 8_000, Undo::AllBut(1_000)).by("order list set aside"));
}

#[test]
fn entries_are_swapped_to_the_head() {
    let typed = &["deliver", "orders", "--grep", "pick"];
    kill(&Scenario::new(MANY, typed, 300, Undo::All).by("swap to the head first"));
}

#[test]
fn the_order_list_is_swept() {
    let lie = Lie::new(2_000, 600).shuffled();
    let typed = &["delete", "orders", "--grep", "pick"];
    kill(&Scenario::new(lie, typed, 600, Undo::All).by("sweep of the order list"));
}

#[test]
fn the_order_list_is_swept_into_quarantine() {
    let lie = Lie::new(2_000, 600).shuffled();
    let typed = &["repair", "orders", "--quarantine", "--grep", "pick"];
    kill(&Scenario::new(lie, typed, 600, Undo::All).by("sweep of the order list"));
}

#[test]
fn the_order_list_is_swept_by_a_repack() {
    let lie = Lie::new(2_000, 600).shuffled();
    kill(&Scenario::new(lie, REPACK, 1_200, Undo::All).by("sweep of the order list"));
}

#[test]
fn a_repack_is_undone() {
    let lie = Lie::new(2_000, 600).shuffled();
    kill(&Scenario::new(lie, &["undo"], 1_200, Undo::Nothing).after(REPACK));
}

#[test]
fn many_are_restored() {
    let lie = Lie::new(1_200, 700).shuffled();
    let before = &["repair", "orders", "--quarantine", "--grep", "pick"];
    let typed = &["repair", "orders", "--restore", "--all"];
    kill(&Scenario::new(lie, typed, 700, Undo::All).after(before));
}

#[test]
fn a_quarantine_is_undone() {
    let lie = Lie::new(2_000, 600).shuffled();
    let before = &["repair", "orders", "--quarantine", "--grep", "pick"];
    kill(&Scenario::new(lie, &["undo"], 600, Undo::Nothing).after(before));
}

#[test]
fn the_order_list_is_realigned() {
    let typed = &["repair", "orders", "--realign"];
    kill(&Scenario::new(SOME, typed, 0, Undo::Nothing));
}

#[test]
fn the_order_list_is_brought_back() {
    let lie = SOME.then(Then::SetAside);
    let typed = &["repair", "orders", "--restore-order"];
    kill(&Scenario::new(lie, typed, 0, Undo::Nothing));
}

#[test]
fn drift_is_mended() {
    let lie = SOME.then(Then::Drift);
    let typed = &["repair", "orders", "--drift"];
    kill(&Scenario::new(lie, typed, 0, Undo::All));
}

#[test]
fn what_only_the_order_list_holds_is_dropped() {
    let lie = SOME.then(Then::Strays);
    let typed = &["delete", "orders", "--from", "order-only", "--all"];
    kill(&Scenario::new(lie, typed, 0, Undo::All));
}

#[test]
fn a_deletion_is_undone() {
    let lie = Lie::new(2_000, 600).shuffled();
    let deleted = &["delete", "orders", "--grep", "pick"];
    kill(&Scenario::new(lie, &["undo"], 600, Undo::Nothing).after(deleted));
}

#[test]
fn a_delivery_is_undone() {
    let lie = Lie::new(1_200, 700).shuffled();
    let delivered = &["deliver", "orders", "--grep", "pick"];
    kill(&Scenario::new(lie, &["undo"], 700, Undo::Nothing).after(delivered));
}

#[test]
fn a_requeue_is_undone() {
    let lie = Lie::new(1_200, 700).shuffled();
    let requeued = &["requeue", "orders", "--grep", "pick", "--by", "1h"];
    kill(&Scenario::new(lie, &["undo"], 700, Undo::Nothing).after(requeued));
}
