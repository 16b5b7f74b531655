//! The servers behind the address, each asked itself.

use futures_util::future::join_all;

use super::super::error::StoreError;
use super::super::link::Store;
use super::look::look;
use crate::queue::Address;
use crate::queue::look::LookAsk;
use crate::queue::node::{self, Node, NodeState, Role};

/// Reads them: what those say of all that we have a link to, and what the others say themselves. Who
/// does not answer within two seconds is told so.
pub async fn nodes(store: &Store) -> Result<Vec<Node>, StoreError> {
    let told = look(store, LookAsk::Brief).await?;
    let link = store.link().borrow().clone();
    let place = store.place();
    let home = place.unwrap_or_else(|| store.endpoint().address.clone());
    let known = node::nodes(&told, &link, &home.to_string());
    let each = known.into_iter().map(|node| asked(store, node, &home));
    Ok(join_all(each).await)
}

/// The node with what it says itself, unless that is known.
async fn asked(store: &Store, mut node: Node, home: &Address) -> Node {
    let is_known = node.heard && node.version.is_some();
    if node.role == Role::Sentinel || is_known {
        return node;
    }
    let address = if node.address == home.to_string() {
        Some(home.clone())
    } else {
        address(&node.address)
    };
    let Some(address) = address else { return node };
    match store.meet(address).await {
        Ok(link) => {
            if node.state == NodeState::Silent {
                node.state = NodeState::Ok;
            }
            node.heard_by(&link)
        }
        Err(error) => {
            node.why = Some(reason(&error));
            if node.role == Role::Master && node.state == NodeState::Ok {
                node.state = NodeState::Silent;
            }
            node
        }
    }
}

/// Says why it was not reached, without naming it again.
fn reason(error: &StoreError) -> String {
    match error {
        StoreError::NotConnected { why, .. } | StoreError::Handshake { why, .. } => why.clone(),
        StoreError::Denied { words, .. } | StoreError::Refused { words, .. } => words.clone(),
        StoreError::TimedOut { after, .. } => format!("no answer within {after:?}"),
        other => other.to_string(),
    }
}

fn address(place: &str) -> Option<Address> {
    let (host, port) = place.rsplit_once(':')?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    Some(Address::Tcp(host.to_owned(), port.parse().ok()?))
}
