//! Redisson's `RDelayedQueue`: timeouts, an order list beside it, a channel, and frames.

use super::capabilities::Capabilities;
use super::{UnwrappedMember, typed};
use crate::queue::entry::EntryId;
use crate::queue::frame::{self, FrameError};
use crate::queue::name::{self, Keys, QueueName};

/// The prefix of a name that would be read as a queue of another layout.
pub(super) const PREFIX: &[u8] = b"redisson:";

pub(super) struct Redisson;

impl Capabilities for Redisson {
    fn word(&self) -> &'static str {
        "redisson"
    }

    fn keys(&self, name: &QueueName) -> Keys {
        name::redisson_keys(name)
    }

    fn spec(&self, name: &QueueName) -> Vec<u8> {
        let name = name.as_bytes();
        let before: &[u8] = if typed::looks_prefixed(name) {
            PREFIX
        } else {
            b""
        };
        [before, name].concat()
    }

    fn is_found_by_name(&self) -> bool {
        true
    }

    fn may_change(&self) -> bool {
        true
    }

    fn has_frames(&self) -> bool {
        true
    }

    /// Each has an id of its own in its frame.
    fn keeps_equal_messages(&self) -> bool {
        true
    }

    fn unwrap<'a>(&self, member: &'a [u8]) -> Result<UnwrappedMember<'a>, FrameError> {
        let frame = frame::decode(member)?;
        Ok(UnwrappedMember {
            id: EntryId(frame.id),
            form: Some(frame.form),
            payload: frame.payload,
        })
    }
}
