//! Queues that are well: not a word of warning, neither from look to look (ten a second) nor from
//! `doctor --watch`.
//!
//! `cargo test` plays some of them for two seconds, and all of them for half a minute when asked.

mod around;
mod clients;
mod consumers;
mod entries;
mod stage;

use std::pin::Pin;
use std::thread;

/// A scene that lasts so many ms.
type Scene = fn(u64) -> Pin<Box<dyn Future<Output = ()>>>;

macro_rules! scenes {
    ($($place:ident: $($name:ident)*;)*) => {
        &[$($((stringify!($name), |ms| Box::pin($place::$name(ms)))),*),*]
    };
}

/// Those that show in two seconds what they have to show.
const SHORT: &[(&str, Scene)] = scenes! {
    entries: a_steady_stream a_burst_in_due_order entries_that_are_cancelled;
    clients: one_of_two_restarts an_upgrade_that_went_well;
    around: two_apps_of_two_eras_and_scripts_that_fail_elsewhere a_replica;
    consumers: a_poller_that_counts_seconds;
};

/// Those that need longer.
const LONG: &[(&str, Scene)] = scenes! {
    entries: an_idle_queue far_future_only due_at_once large_payloads created_and_gone_again_and_again
        delays_of_all_lengths a_stream_behind_a_far_heap a_backlog_that_is_worked_off;
    clients: the_only_one_restarts_within_5_s ticks_of_100_ms a_subscription_that_reconnects
        the_stand_in_worker;
    consumers: one_slower_than_bursts several_that_block a_poller_that_counts_milliseconds
        one_that_takes_in_batches one_that_takes_in_large_batches a_slow_one
        the_only_one_restarts_behind_a_burst a_rolling_restart;
    around: a_server_that_saves_to_disk many_idle_queues our_own_changes_beside
        a_reader_with_few_rights;
};

/// Plays scenes side by side, a thread each; of which something was said.
fn ill(scenes: &[(&'static str, Scene)], ms: u64) -> Vec<&'static str> {
    let playing = scenes.iter().map(|&(name, scene)| {
        let play = move || {
            let runtime = tokio::runtime::Builder::new_current_thread();
            let runtime = { runtime }.enable_all().build().unwrap();
            runtime.block_on(scene(ms));
        };
        let thread = thread::Builder::new().name(name.to_owned());
        (name, thread.spawn(play).unwrap())
    });
    let playing: Vec<_> = playing.collect();
    let ill = playing.into_iter().filter_map(|(name, thread)| {
        let ended = thread.join();
        ended.is_err().then_some(name)
    });
    ill.collect()
}

#[test]
fn healthy_queues_are_left_in_peace() {
    let ill = ill(SHORT, 2_000);
    assert!(ill.is_empty(), "not left in peace: {ill:#?}");
}

#[test]
#[ignore = "takes over a minute: cargo test --test cli findings::healthy -- --ignored"]
fn healthy_queues_are_left_in_peace_for_as_long_as_rules_need() {
    // In two halves, since this machine has few cores and the scenes many clients.
    let all: Vec<_> = SHORT.iter().chain(LONG).copied().collect();
    let halves = all.split_at(all.len() / 2);
    let ill = [halves.0, halves.1].map(|half| ill(half, 32_000)).concat();
    assert!(ill.is_empty(), "not left in peace: {ill:#?}");
}
