//! A figure, or why there is none.

use std::sync::Arc;

/// A figure that may be impossible to get: shown as `?` with the reason.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Known<T> {
    /// It is this.
    Is(T),
    /// It cannot be had, because of this.
    Unknown(Arc<str>),
    /// The layout has no such thing: shown as `—`.
    None,
}

impl<T> Known<T> {
    /// The same without taking it.
    pub const fn get_ref(&self) -> Option<&T> {
        match self {
            Self::Is(v) => Some(v),
            _ => None,
        }
    }
}

impl<T: Copy> Known<T> {
    /// The figure, when there is one.
    #[must_use]
    pub fn get(&self) -> Option<T> {
        match self {
            Self::Is(v) => Some(*v),
            _ => None,
        }
    }
}
