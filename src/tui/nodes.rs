//! The servers behind the address: a master and its replicas, sentinels, the nodes of a cluster, as
//! the last look at the server told of them.

pub mod view;

use crate::queue::ServerLook;
use crate::queue::node::{self, Node, NodeState};
use crate::tui::model::Model;

/// The nodes that a look at the server tells of, masters first, each with its replicas behind it.
#[must_use]
pub fn told(model: &Model, look: &ServerLook) -> Vec<Node> {
    let leads_to = model.link.leads_to.as_ref().map(ToString::to_string);
    // The number of the database is no part of an address: `host:6379/0`, `/run/redis.sock db 0`.
    let endpoint = &model.site.endpoint;
    let by_host = endpoint
        .rsplit_once('/')
        .filter(|(_, db)| db.parse::<u64>().is_ok());
    let parts = endpoint.rsplit_once(" db ").or(by_host);
    let address = parts.map_or(&**endpoint, |(address, _)| address);
    node::nodes(look, &model.link, leads_to.as_deref().unwrap_or(address))
}

/// The text behind the name of the tab, and whether it says that something is wrong: how many there
/// are, where there is more than one; `2 of 6` when four of them are not well.
#[must_use]
pub fn badge(model: &Model) -> (String, bool) {
    let all = &model.nodes;
    let well = all
        .iter()
        .filter(|node| node.state == NodeState::Ok)
        .count();
    match all.len() {
        0 | 1 if well == all.len() => (String::new(), false),
        count if count == well => (count.to_string(), false),
        count => (format!("{well} of {count}"), true),
    }
}
