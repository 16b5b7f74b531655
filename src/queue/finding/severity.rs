//! How bad a finding is.

/// How bad it is.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Will hurt, or hurts a little.
    Warning,
    /// Entries are late, or about to be lost.
    Critical,
}

impl Severity {
    /// The word for it in screens and JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Critical => "critical",
        }
    }
}
