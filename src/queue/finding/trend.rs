//! How a figure moves.

/// How the figure of a finding moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trend {
    /// By how much in a second; negative: it shrinks.
    pub per_s: f64,
    /// When it will be zero, in ms from the last look, if it goes on shrinking like this.
    pub done_in_ms: Option<i64>,
}
