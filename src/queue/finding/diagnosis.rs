//! The answers of all rules together for one queue.

use super::found::{Finding, Severity};
use super::open::OpenQuestion;

/// The answers of all rules for one queue.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diagnosis {
    /// Findings, worst first.
    pub findings: Vec<Finding>,
    /// The number of rules that found nothing wrong.
    pub fine: usize,
    /// The rules that cannot look, and why.
    pub blind: Vec<(&'static str, String)>,
    /// The rules that need more time.
    pub early: Vec<(&'static str, OpenQuestion)>,
    /// The rules of which what they told before is not over, though they do not find it now.
    pub kept: Vec<&'static str>,
    /// Findings of rules that another finding takes in: they hold, and are not told.
    pub taken_in: Vec<&'static str>,
    /// Findings of a moment ago.
    pub gone: Vec<Finding>,
}

impl Diagnosis {
    /// The severity of the worst finding; none without findings.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|found| found.severity).max()
    }

    /// All that is not decided yet: what rules ask, and what is only suspected.
    pub fn open(&self) -> impl Iterator<Item = &OpenQuestion> {
        let suspected = self
            .findings
            .iter()
            .filter_map(|found| found.open.as_deref());
        self.early.iter().map(|(_, open)| open).chain(suspected)
    }
}
