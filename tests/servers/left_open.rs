//! A transaction that a busy server leaves open on our connection, as Redis up to 6.0.5 does when it
//! refuses EXEC: no other request comes into it.

use delayscope::ops::refresh;
use delayscope::queue::{Address, Known, Queue};
use delayscope::store::read;
use delayscope::store::{Access, Store, StoreError};

use crate::stall::{Busy, Trouble};
use crate::support::{PATIENCE, Server};

/// A link to a server whose requests pass one by one, and the queue with six entries that is there.
async fn before_busy(server: &Server, busy: &Busy) -> (Store, Queue) {
    let queue = Queue::redisson("orders");
    server.fill(&queue, 6, server.now().plus(900_000), 1_000);
    let endpoint = server.endpoint_at(Address::Unix(busy.socket()), 0);
    let store = Store::open(endpoint, Access::ReadOnly);
    store.ready(PATIENCE).await.unwrap();
    (store, queue)
}

fn refused_for_a_script<T>(answer: &Result<T, StoreError>) -> bool {
    matches!(answer, Err(StoreError::Refused { code, .. }) if code == "BUSY")
}

#[tokio::test]
async fn whichever_command_of_a_read_meets_a_busy_server_the_next_read_is_answered() {
    let server = Server::start_with(&["--lua-time-limit", "2"]);
    let busy = Busy::before(&server.socket(), Trouble::Busy);
    let (store, queue) = before_busy(&server, &busy).await;
    let timeouts = queue.keys().timeouts;
    let mut refused = 0;
    for at in 0.. {
        busy.arm(at);
        let pulse = refresh::pulse(&store, &queue, None).await;
        let passed = busy.passed();
        busy.arm(usize::MAX);
        assert!(
            pulse.is_ok() || refused_for_a_script(&pulse),
            "{at}: {pulse:?}"
        );
        refused += usize::from(pulse.is_err());
        let (all, some) = (f64::NEG_INFINITY, f64::INFINITY);
        let highest = read::highest(&store, &timeouts, (all, some)).await;
        assert!(highest.unwrap().is_some(), "{at}");
        let count = read::count_between(&store, &timeouts, all, some).await;
        assert_eq!(count.unwrap(), 6, "{at}");
        let pulse = refresh::pulse(&store, &queue, None).await.unwrap();
        assert_eq!(pulse.waiting, Known::Is(6), "{at}");
        if passed <= at {
            break;
        }
    }
    assert!(refused > 0);
}

#[tokio::test]
async fn reads_at_the_same_time_are_answered_or_told_that_the_server_was_busy() {
    let server = Server::start_with(&["--lua-time-limit", "2"]);
    let busy = Busy::before(&server.socket(), Trouble::Busy);
    let (store, queue) = before_busy(&server, &busy).await;
    let timeouts = queue.keys().timeouts;
    for at in 0.. {
        busy.arm(at);
        let (all, some) = (f64::NEG_INFINITY, f64::INFINITY);
        let (first, highest, second, count) = tokio::join!(
            refresh::pulse(&store, &queue, None),
            read::highest(&store, &timeouts, (all, some)),
            refresh::pulse(&store, &queue, None),
            read::count_between(&store, &timeouts, all, some),
        );
        let passed = busy.passed();
        busy.arm(usize::MAX);
        for pulse in [first, second] {
            assert!(refused_for_a_script(&pulse) || pulse.unwrap().waiting == Known::Is(6));
        }
        assert!(refused_for_a_script(&highest) || highest.unwrap().is_some());
        assert!(refused_for_a_script(&count) || count.unwrap() == 6);
        if passed <= at {
            break;
        }
    }
}
