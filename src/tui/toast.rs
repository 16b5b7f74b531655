//! Short messages.

pub mod update;
pub mod view;

use std::time::Instant;

/// A short message.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Toast {
    /// The words of the message.
    pub text: String,
    /// Good news, a reason why not, or bad news.
    pub tone: Tone,
    /// When it goes.
    pub until: Instant,
}

/// The tone of a toast.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Tone {
    /// Good news.
    Good,
    /// A reason why not.
    Warn,
    /// Something has failed.
    Error,
}
