//! The ways that keep the order list out of the way, repairs, and undo.

use crate::kill::run::killed;
use crate::kill::scenario::{Lie, PastPicture, Scenario, Undo};

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

killed! {
    the_order_list_is_set_aside {
        let lie = Lie::new(8_000, 8_000).due().shuffled();
        let typed = &["transfer", "orders"];
        Scenario::new(lie, typed, 8_000, Undo::AllBut(1_000)).by("order list set aside")
    }

    entries_are_swapped_to_the_head {
        let typed = &["deliver", "orders", "--grep", "pick"];
        Scenario::new(MANY, typed, 300, Undo::All).by("swap to the head first")
    }

    the_order_list_is_swept {
        let lie = Lie::new(2_000, 600).shuffled();
        let typed = &["delete", "orders", "--grep", "pick"];
        Scenario::new(lie, typed, 600, Undo::All).by("sweep of the order list")
    }

    the_order_list_is_swept_into_quarantine {
        let lie = Lie::new(2_000, 600).shuffled();
        let typed = &["repair", "orders", "--quarantine", "--grep", "pick"];
        Scenario::new(lie, typed, 600, Undo::All).by("sweep of the order list")
    }

    the_order_list_is_swept_by_a_repack {
        let lie = Lie::new(2_000, 600).shuffled();
        Scenario::new(lie, REPACK, 1_200, Undo::All).by("sweep of the order list")
    }

    a_repack_is_undone {
        let lie = Lie::new(2_000, 600).shuffled();
        Scenario::new(lie, &["undo"], 1_200, Undo::Nothing).after(REPACK)
    }

    many_are_restored {
        let lie = Lie::new(1_200, 700).shuffled();
        let before = &["repair", "orders", "--quarantine", "--grep", "pick"];
        let typed = &["repair", "orders", "--restore", "--all"];
        Scenario::new(lie, typed, 700, Undo::All).after(before)
    }

    a_quarantine_is_undone {
        let lie = Lie::new(2_000, 600).shuffled();
        let before = &["repair", "orders", "--quarantine", "--grep", "pick"];
        Scenario::new(lie, &["undo"], 600, Undo::Nothing).after(before)
    }

    the_order_list_is_realigned {
        let typed = &["repair", "orders", "--realign"];
        Scenario::new(SOME, typed, 0, Undo::Nothing)
    }

    the_order_list_is_brought_back {
        let lie = SOME.then(PastPicture::SetAside);
        let typed = &["repair", "orders", "--restore-order"];
        Scenario::new(lie, typed, 0, Undo::Nothing)
    }

    drift_is_mended {
        let lie = SOME.then(PastPicture::Drift);
        let typed = &["repair", "orders", "--drift"];
        Scenario::new(lie, typed, 0, Undo::All)
    }

    a_deletion_is_undone {
        let lie = Lie::new(2_000, 600).shuffled();
        let deleted = &["delete", "orders", "--grep", "pick"];
        Scenario::new(lie, &["undo"], 600, Undo::Nothing).after(deleted)
    }

    a_delivery_is_undone {
        let lie = Lie::new(1_200, 700).shuffled();
        let delivered = &["deliver", "orders", "--grep", "pick"];
        Scenario::new(lie, &["undo"], 700, Undo::Nothing).after(delivered)
    }

    a_requeue_is_undone {
        let lie = Lie::new(1_200, 700).shuffled();
        let requeued = &["requeue", "orders", "--grep", "pick", "--by", "1h"];
        Scenario::new(lie, &["undo"], 700, Undo::Nothing).after(requeued)
    }
}
