//! The questions that each layout answers: all in which one differs from another.

use super::{Push, Unit, UnwrappedMember};
use crate::queue::entry::EntryId;
use crate::queue::frame::FrameError;
use crate::queue::name::{Keys, QueueName};

/// Answers of a layout. The defaults are those of the simplest one: bare payloads, scored in
/// milliseconds, pushed to the tail of target. [`Queue`](super::Queue) says what each means.
pub(super) trait Capabilities {
    fn word(&self) -> &'static str;

    fn keys(&self, name: &QueueName) -> Keys;

    fn spec(&self, name: &QueueName) -> Vec<u8>;

    fn is_found_by_name(&self) -> bool {
        false
    }

    /// True if there are scripts for it; a layout without any is only looked at.
    fn may_change(&self) -> bool {
        false
    }

    fn has_frames(&self) -> bool {
        false
    }

    fn keeps_equal_messages(&self) -> bool {
        false
    }

    fn unit(&self) -> Unit {
        Unit::Millis
    }

    fn push(&self) -> Push {
        Push::Right
    }

    fn unwrap<'a>(&self, member: &'a [u8]) -> Result<UnwrappedMember<'a>, FrameError> {
        Ok(UnwrappedMember {
            id: EntryId::of_bytes(member),
            form: None,
            payload: member,
        })
    }
}
