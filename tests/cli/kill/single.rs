//! Changes of one entry or a few hundred: each batch one script.

use crate::kill::run::killed;
use crate::kill::scenario::{Lie, PastPicture, Scenario, Undo};

const FEW: Lie = Lie::new(40, 4);
const SOME: Lie = Lie::new(1_200, 700).shuffled();
const SINGLE: &str = "000000000000000a";

killed! {
    an_entry_is_delivered {
        let typed = &["deliver", "orders", "--id", SINGLE];
        Scenario::new(FEW, typed, 1, Undo::All)
    }

    an_entry_is_deleted {
        let typed = &["delete", "orders", "--id", SINGLE];
        Scenario::new(FEW, typed, 1, Undo::All)
    }

    an_entry_is_quarantined {
        let typed = &["repair", "orders", "--quarantine", "--id", SINGLE];
        Scenario::new(FEW, typed, 1, Undo::All)
    }

    an_entry_is_restored {
        let before = &["repair", "orders", "--quarantine", "--id", SINGLE];
        let typed = &["repair", "orders", "--restore", "--all"];
        Scenario::new(FEW, typed, 1, Undo::All).after(before)
    }

    an_entry_is_requeued {
        let typed = &["requeue", "orders", "--id", SINGLE, "--by", "1h"];
        Scenario::new(FEW, typed, 1, Undo::All)
    }

    an_entry_is_edited {
        let typed = &["edit", "orders", "--id", SINGLE, "--file", "-"];
        Scenario::new(FEW, typed, 2, Undo::All).reading("pick 000999")
    }

    messages_are_offered {
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
        Scenario::new(FEW, typed, 3, Undo::All).reading("new 000901\nnew 000902\nnew 000903\n")
    }

    entries_are_delivered_in_batches {
        let typed = &["deliver", "orders", "--grep", "pick"];
        Scenario::new(SOME, typed, 700, Undo::All).by("in order")
    }

    entries_are_requeued_in_batches {
        let typed = &["requeue", "orders", "--grep", "pick", "--by", "1h"];
        Scenario::new(SOME, typed, 700, Undo::All)
    }

    what_is_due_is_transferred_in_batches {
        // More than a script takes: which ones the last moved is told by their number alone.
        let lie = Lie::new(4_500, 3_000).due();
        let typed = &["transfer", "orders"];
        Scenario::new(lie, typed, 3_000, Undo::AllBut(1_000)).by("in order")
    }

    delivered_elements_are_deleted {
        let lie = SOME.then(PastPicture::Delivered);
        let typed = &["delete", "orders", "--from", "delivered", "--grep", "pick"];
        Scenario::new(lie, typed, 700, Undo::All)
    }

    delivered_elements_go_back_to_waiting {
        let lie = SOME.then(PastPicture::Delivered);
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
        Scenario::new(lie, typed, 700, Undo::All)
    }
}
