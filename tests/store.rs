//! The store against a real server: the link, the reads, the announcements.

mod support;

use std::time::Duration;

use delayscope::queue::{LinkState, Optional};
use delayscope::store::{Access, Store, StoreError};
use support::{PATIENCE, Server};

async fn live(store: &Store) {
    let mut link = store.link();
    let settled = link.wait_for(|l| matches!(l.state, LinkState::Live));
    let _ = tokio::time::timeout(PATIENCE, settled).await.expect("live");
}

async fn lost(store: &Store) -> String {
    let mut link = store.link();
    let settled = link.wait_for(|l| matches!(l.state, LinkState::Lost { .. }));
    let link = tokio::time::timeout(PATIENCE, settled)
        .await
        .expect("lost")
        .unwrap();
    match &link.state {
        LinkState::Lost { why, .. } => why.clone(),
        _ => unreachable!(),
    }
}

#[tokio::test]
async fn the_first_answer_tells_the_servers_time() {
    let server = Server::start();
    let store = Store::open(server.endpoint(), Access::ReadOnly);
    let clock = store.ready(PATIENCE).await.unwrap();
    assert!(clock.now().since(server.now()).abs() < 100);
}

#[tokio::test]
async fn a_server_that_is_not_there_is_told_at_once() {
    let mut server = Server::start();
    let endpoint = server.endpoint();
    server.kill();
    let store = Store::open(endpoint, Access::ReadOnly);
    let error = store.ready(PATIENCE).await.unwrap_err();
    assert!(matches!(error, StoreError::NotConnected { .. }), "{error}");
    server.restart();
    live(&store).await;
}

#[tokio::test]
async fn a_server_that_comes_back_is_live_within_a_second() {
    let mut server = Server::start_tcp(&[]);
    let store = Store::open(server.tcp_endpoint(), Access::ReadOnly);
    store.ready(PATIENCE).await.unwrap();
    server.kill();
    lost(&store).await;
    server.restart();
    tokio::time::timeout(Duration::from_secs(1), live(&store))
        .await
        .expect("within a second");
}

#[tokio::test]
async fn a_server_that_hangs_is_hung_and_then_live_again() {
    let server = Server::start();
    let store = Store::open(server.endpoint(), Access::ReadOnly);
    store.ready(PATIENCE).await.unwrap();
    server.stop();
    let mut link = store.link();
    let hung = link.wait_for(|l| matches!(l.state, LinkState::Hung { .. }));
    tokio::time::timeout(Duration::from_secs(3), hung)
        .await
        .expect("hung")
        .unwrap();
    server.go_on();
    tokio::time::timeout(Duration::from_secs(2), live(&store))
        .await
        .expect("live again");
}

#[tokio::test]
async fn a_wrong_password_is_told_in_the_servers_words_and_healed_by_itself() {
    let mut server = Server::start_with(&["--requirepass", "sesame"]);
    server.log_in(None, Some("sesame"));
    let mut endpoint = server.endpoint();
    endpoint.password = Some("open".to_owned());
    let store = Store::open(endpoint, Access::ReadOnly);
    let error = store.ready(PATIENCE).await.unwrap_err();
    assert!(matches!(error, StoreError::Denied { .. }), "{error}");
    assert!(lost(&store).await.starts_with("WRONGPASS"));
    server.cmd(&["CONFIG", "SET", "requirepass", "open"]);
    live(&store).await;
}

#[tokio::test]
async fn what_the_server_refuses_is_known_with_its_words() {
    let server = Server::start_with(&[
        "--rename-command",
        "INFO",
        "",
        "--rename-command",
        "CLIENT",
        "",
    ]);
    let store = Store::open(server.endpoint(), Access::ReadOnly);
    store.ready(PATIENCE).await.unwrap();
    let mut link = store.link();
    let known = link.wait_for(|l| !l.refused.0.is_empty());
    let link = tokio::time::timeout(PATIENCE, known)
        .await
        .unwrap()
        .unwrap()
        .clone();
    assert!(link.refused.why(Optional::Info).unwrap().starts_with("ERR"));
    assert!(link.refused.why(Optional::ClientList).is_some());
    assert_eq!(link.refused.why(Optional::NumSub), None);
    assert_eq!(link.facts, None);
}
