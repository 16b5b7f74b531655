//! Beside the real Redisson: our offers through its transfer client and its consumer, its offers
//! through ours, and both at once.
//!
//! `cargo test --features interop --test interop`; needs a JDK (11 or later) and Maven. Each test
//! runs for the last release with frames of the older era, the first with the newer ones, and
//! the newest; and for each of the codecs string, json and kryo5, which all three have. What we
//! write is proven for every codec that a release has.

#![expect(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "all of this is one test, and uses a part of what others use; a failure here is a failed test"
)]

#[path = "../support/mod.rs"]
mod support;

mod beside;
mod build;
mod check;
#[path = "../support/cluster.rs"]
mod cluster;
#[path = "../support/data.rs"]
mod data;
mod led;
mod ours;
mod peer;
#[path = "../support/program.rs"]
mod program;
mod scenes;
#[path = "../support/sentinel.rs"]
mod sentinel;
mod sick;
mod soak;
mod stage;
#[path = "../support/terminal.rs"]
mod terminal;
mod tracing;
mod typed;
mod values;
#[path = "../support/watch.rs"]
mod watch;
#[path = "../cli/kill/world.rs"]
mod world;

/// The tests of one Redisson release.
macro_rules! beside {
    ($name:ident, $release:expr) => {
        mod $name {
            use crate::scenes;

            #[test]
            fn our_offers_are_delivered_by_its_worker_and_read_by_its_consumer() {
                scenes::our_offers_through_redisson($release);
            }

            #[test]
            fn our_values_have_their_classes_in_its_consumer() {
                scenes::our_values_through_redisson($release);
            }

            #[test]
            fn its_offers_are_delivered_by_our_worker_and_read_by_our_consumer() {
                scenes::its_offers_through_us($release);
            }

            #[test]
            fn both_workers_at_once_deliver_each_entry_once() {
                scenes::both_at_once($release);
            }

            #[test]
            fn a_frame_broken_by_one_byte_is_found_out() {
                scenes::broken_frames($release);
            }

            #[test]
            fn an_earlier_head_from_us_wakes_its_timer() {
                scenes::our_earlier_head($release);
            }

            #[test]
            fn an_earlier_head_from_it_wakes_our_timer() {
                scenes::its_earlier_head($release);
            }
        }
    };
}

beside!(redisson_3_15_1, 0);
beside!(redisson_3_21_1, 1);
beside!(redisson_4_7_0, 2);

/// The tests of our doctor at queues that real clients have made sick.
mod sick_queues {
    use crate::peer::{LAST_OLDER, RELEASES};
    use crate::sick;

    #[test]
    fn a_poison_entry_ahead_of_a_newer_worker_is_named_and_repacked() {
        sick::poison(&RELEASES[2]);
    }

    #[test]
    fn a_poison_entry_ahead_of_an_older_worker_is_named_and_repacked() {
        sick::poison(&LAST_OLDER);
    }

    #[test]
    fn a_mixed_fleet_is_named_from_both_sides() {
        sick::mixed_fleet();
    }

    #[test]
    fn what_a_killed_worker_leaves_is_worked_off_from_the_screen() {
        sick::killed_worker();
    }
}

/// The tests of our bulk changes beside the newest release's worker and offers.
macro_rules! bulk {
    ($($name:ident: $scene:ident),*) => {
        mod beside_its_worker_and_offers {
            use crate::beside;

            $(
                #[test]
                fn $name() {
                    beside::$scene();
                }
            )*
        }
    };
}

bulk!(
    everything_due_is_transferred_once: transfer,
    chosen_entries_are_delivered_once: deliver,
    what_is_late_is_delivered_once: deliver_late,
    chosen_entries_are_deleted: delete,
    a_deletion_is_taken_back: undo,
    chosen_entries_are_requeued: requeue,
    a_burst_is_realigned: realign,
    an_order_list_is_brought_back: restore_order
);

/// The tests where sentinels or a cluster lead both sides to the server, and then to another one.
mod led_to_another_server {
    use crate::led;
    use crate::peer::{LAST_OLDER, RELEASES};

    #[test]
    fn by_sentinels_beside_the_last_older_release() {
        led::by_sentinels(&LAST_OLDER);
    }

    #[test]
    fn by_sentinels_beside_the_newest_release() {
        led::by_sentinels(&RELEASES[2]);
    }

    #[test]
    fn in_a_cluster_beside_the_last_older_release() {
        led::in_a_cluster(&LAST_OLDER);
    }

    #[test]
    fn in_a_cluster_beside_the_newest_release() {
        led::in_a_cluster(&RELEASES[2]);
    }
}

/// The tests of what is traced beside the newest release.
mod traced_beside_it {
    use crate::tracing;

    #[test]
    fn no_life_is_lost_at_500_offers_a_second() {
        tracing::no_life_is_lost();
    }

    #[test]
    fn test_messages_tell_the_clients_own_times() {
        tracing::test_messages_tell_the_clients_own_times();
    }

    #[test]
    fn test_messages_that_nobody_takes_leave_target_as_it_was() {
        tracing::test_messages_that_nobody_takes_leave_target_as_it_was();
    }

    #[test]
    fn of_three_clients_each_transfer_is_told_as_its_own() {
        tracing::of_three_clients_each_transfer_is_told_as_its_own();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_wrong_clock_is_told_to_50_ms() {
        tracing::a_wrong_clock_is_told_to_50_ms();
    }
}

#[test]
#[ignore = "stands until told to stop: cargo test --features interop --test interop stage -- --ignored --nocapture"]
fn a_stage_of_sick_queues_stands_until_it_is_told_to_stop() {
    stage::stand();
}

#[test]
#[ignore = "an hour, or SOAK_MINUTES: cargo test --features interop --test interop soak -- --ignored --nocapture"]
fn the_screen_stays_right_and_small_through_an_hours_soak_in_a_cluster() {
    soak::play();
}
