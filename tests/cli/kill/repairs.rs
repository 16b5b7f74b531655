//! Repairs of what other programs have done, copies, and what only the order list holds.

use crate::kill::run::killed;
use crate::kill::scenario::{Lie, PastPicture, Scenario, Undo};

/// In one script each.
const FEW: Lie = Lie::new(40, 12);
const SOME: Lie = Lie::new(1_200, 600).shuffled();
/// Not in the order of their offers.
const STRAYS: Lie = Lie::new(1_500, 300).shuffled().then(PastPicture::Strays);
const LATER: &str = "4500000000000";

killed! {
    an_order_list_is_brought_back_without_what_does_not_wait {
        let lie = Lie::new(1_500, 300).shuffled().then(PastPicture::StraysAside);
        let typed = &["repair", "orders", "--restore-order"];
        Scenario::new(lie, typed, 100, Undo::All)
    }

    what_only_the_order_list_holds_is_dropped {
        let typed = &["delete", "orders", "--from", "order-only", "--all"];
        Scenario::new(STRAYS, typed, 100, Undo::All)
    }

    what_only_the_order_list_holds_waits_again {
        let typed = &[
            "requeue", "orders", "--from", "order-only", "--all", "--at", LATER,
        ];
        Scenario::new(STRAYS, typed, 100, Undo::Nothing)
    }

    what_only_the_order_list_holds_is_delivered {
        let typed = &["deliver", "orders", "--from", "order-only", "--all"];
        Scenario::new(STRAYS, typed, 100, Undo::Nothing)
    }

    copies_are_offered {
        let typed = &["duplicate", "orders", "--grep", "pick"];
        Scenario::new(FEW, typed, 12, Undo::All).copying()
    }

    what_a_dead_consumer_holds_is_put_back {
        let typed = &["repair", "orders", "--put-back"];
        Scenario::new(SOME.then(PastPicture::Held), typed, 600, Undo::Nothing)
    }

    frames_are_removed_in_target {
        let typed = &["repair", "orders", "--unwrap"];
        Scenario::new(SOME.then(PastPicture::Framed), typed, 600, Undo::All)
    }

    the_expiry_of_keys_is_removed {
        let typed = &["repair", "orders", "--persist"];
        Scenario::new(FEW.then(PastPicture::Expiring), typed, 2, Undo::All)
    }

    what_has_taken_the_name_of_a_key_is_renamed {
        let typed = &["repair", "orders", "--rename-taken"];
        Scenario::new(FEW.then(PastPicture::Taken), typed, 1, Undo::All).alone()
    }

    seconds_become_milliseconds {
        let typed = &["repair", "orders", "--unit", "s"];
        Scenario::new(SOME.then(PastPicture::InSeconds), typed, 600, Undo::All).alone()
    }

    microseconds_become_milliseconds {
        let typed = &["repair", "orders", "--score"];
        Scenario::new(SOME.then(PastPicture::InMicroseconds), typed, 600, Undo::All).alone()
    }
}
