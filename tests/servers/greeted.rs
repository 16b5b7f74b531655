//! A server that is busy with somebody's script while a connection begins: a change waits for what it
//! says of itself, by which the journal knows it again.

use delayscope::ops::journal::ServerId;
use delayscope::queue::Address;
use delayscope::store::{Access, Store};

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
