//! The questions that a rule cannot decide yet.

/// A question that more watching answers.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct OpenQuestion {
    /// The facts so far, such as "300 wait in target".
    pub seen: String,
    /// The question, such as "whether any is taken".
    pub asks: String,
    /// In so many ms more of watching it is known; none: nobody can tell when.
    pub known_in_ms: Option<i64>,
}

impl OpenQuestion {
    pub(super) fn new(
        seen: impl Into<String>,
        asks: impl Into<String>,
        known_in_ms: Option<i64>,
    ) -> Self {
        Self {
            seen: seen.into(),
            asks: asks.into(),
            known_in_ms,
        }
    }

    /// In words, for whoever watches on.
    #[must_use]
    pub fn words(&self) -> String {
        let Self { seen, asks, .. } = self;
        match self.known_in_ms {
            Some(ms) => format!("{seen}; checking {asks} ({} s)", (ms.max(0) + 999) / 1_000),
            None => format!("{seen}; checking {asks}"),
        }
    }

    /// In words, for whoever has stopped watching.
    #[must_use]
    pub fn undecided(&self) -> String {
        let Self { seen, asks, .. } = self;
        format!("{seen}; to know {asks}, look for longer")
    }
}
