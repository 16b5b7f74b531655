//! A server that is busy with somebody's script while a connection begins: a change waits for what it
//! says of itself, by which the journal knows it again.

use std::time::Duration;

use delayscope::clock::instant;
use delayscope::ops::journal::ServerId;
use delayscope::queue::{Address, LinkState};
use delayscope::store::{Access, Store};
use tokio::time::timeout;

use crate::stall::{Busy, Trouble};
use crate::support::{PATIENCE, Server};

#[tokio::test]
async fn whichever_question_of_a_new_connection_meets_a_busy_server_its_ids_are_known() {
    let server = Server::start_with(&["--lua-time-limit", "2"]);
    let busy = Busy::before(&server.socket(), Trouble::Busy);
    let endpoint = server.endpoint_at(Address::Unix(busy.socket()), 0);
    for at in 0.. {
        busy.arm(at);
        let store = Store::open(endpoint.clone(), Access::ReadOnly);
        store.patient(PATIENCE).ready(PATIENCE).await.unwrap();
        let told = ServerId::told(&store).await;
        assert_ne!(told.run_id, "", "{at}");
        assert_ne!(told.replication_id, "", "{at}");
        let passed = busy.passed();
        busy.arm(usize::MAX);
        if passed <= at {
            break;
        }
    }
}

/// Requests of a new connection before those that ask the server what it is.
const GREETING: usize = 4;
/// A server hangs after a second; this is far below the time for which it is asked again.
const SOON: Duration = Duration::from_secs(8);

#[tokio::test]
async fn a_server_that_says_only_that_it_is_busy_hangs_though_it_is_asked_again_and_again() {
    let server = Server::start_with(&["--lua-time-limit", "2"]);
    let busy = Busy::before(&server.socket(), Trouble::Stuck);
    let endpoint = server.endpoint_at(Address::Unix(busy.socket()), 0);
    busy.arm(GREETING);
    let store = Store::open(endpoint, Access::ReadOnly);
    let mut link = store.link();
    let began = instant();
    let hung = link.wait_for(|link| matches!(link.state, LinkState::Hung { .. }));
    let _ = timeout(PATIENCE, hung).await.unwrap().unwrap();
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    busy.let_go();
    let told = link.wait_for(|link| link.facts.is_some() && matches!(link.state, LinkState::Live));
    let _ = timeout(PATIENCE, told).await.unwrap().unwrap();
}
