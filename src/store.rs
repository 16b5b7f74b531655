//! Redis. The only room that says `redis::`: one link with reconnection as state, bounded reads,
//! writes that need a `Writer`, subscriptions as streams.

pub mod error;
pub mod link;
pub mod read;
pub mod watch;

pub use error::StoreError;
pub use link::{Access, Store};
