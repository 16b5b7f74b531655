//! The lines that were typed, to be taken up again.

use std::collections::HashMap;

use super::PromptKind;

/// The lines that were typed, those of earlier sessions first, for each kind of prompt.
#[derive(Clone, Debug, Default)]
pub struct PromptHistory {
    lines: HashMap<PromptKind, Vec<String>>,
}

impl PromptHistory {
    /// Lines kept of a kind.
    pub const KEPT: usize = 200;

    /// A line was entered: it is the newest one now, and stands there once.
    pub fn push(&mut self, kind: PromptKind, line: &str) {
        let lines = self.lines.entry(kind).or_default();
        lines.retain(|old| old != line);
        lines.push(line.to_owned());
        let over = lines.len().saturating_sub(Self::KEPT);
        lines.drain(..over);
    }

    /// The line that was entered `back` lines ago; 1 is the newest.
    #[must_use]
    pub fn back(&self, kind: PromptKind, back: usize) -> Option<&str> {
        let lines = self.lines.get(&kind)?;
        let at = lines.len().checked_sub(back)?;
        lines.get(at).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stands_once_and_the_oldest_go() {
        let mut history = PromptHistory::default();
        for i in 0..PromptHistory::KEPT + 5 {
            history.push(PromptKind::Filter, &i.to_string());
        }
        history.push(PromptKind::Filter, "7");
        assert_eq!(history.back(PromptKind::Filter, 1), Some("7"));
        assert_eq!(history.back(PromptKind::Filter, 2), Some("204"));
        assert_eq!(
            history.back(PromptKind::Filter, PromptHistory::KEPT),
            Some("5")
        );
        assert_eq!(
            history.back(PromptKind::Filter, PromptHistory::KEPT + 1),
            None
        );
        assert_eq!(history.back(PromptKind::Filter, 0), None);
        assert_eq!(history.back(PromptKind::Command, 1), None);
    }
}
