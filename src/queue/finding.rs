//! One diagnosed problem: what is wrong, the evidence, and what repairs it.

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

/// One diagnosed problem of a queue.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Finding {
    /// Which rule found it, such as `wrong-type`.
    pub id: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in one plain sentence.
    pub sentence: String,
    /// Figures and redis-cli commands that show it, a line each.
    pub evidence: Vec<String>,
    /// What repairs it, in one plain sentence.
    pub repair: String,
}
