//! Redis. The only room that says `redis::`: one link with reconnection as state, bounded reads,
//! writes that need a [`Writer`](write::Writer), subscriptions as streams.

pub mod bulk;
pub mod change;
mod erase;
pub mod error;
mod lane;
pub mod link;
pub mod listen;
pub mod monitor;
pub mod read;
pub mod sample;
mod script;
pub mod take;
pub mod watch;
pub mod write;

pub use error::StoreError;
pub use link::{Access, KeyWrites, Store};
