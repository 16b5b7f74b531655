//! The trend of a figure.

/// The trend of a finding's figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trend {
    /// Its growth in a second; negative: it shrinks.
    pub per_s: f64,
    /// The time until it is zero, in ms from the last look, if it goes on shrinking like this.
    pub done_in_ms: Option<i64>,
}
