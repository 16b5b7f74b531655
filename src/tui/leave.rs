//! The report on a change that was under way when its server or the program was left.

pub mod update;

use crate::queue::{Change, Plan, Queue, Summary, Tally, shell, text};
use crate::tui::journal::sum_up;

/// A change that somebody has left.
#[derive(Clone, Debug, PartialEq)]
pub struct InterruptedChange {
    change: Change,
    queue: Queue,
    planned: u64,
    /// The command by which a shell starts this program there; none for a server that ends with the
    /// program.
    program: Option<String>,
    /// Tally of the outcomes of the entries, as far as it was told.
    pub tally: Tally,
    /// Its id in the journal, once it has one.
    pub journal_id: Option<String>,
    notes: Vec<String>,
    /// It has said its last word.
    over: bool,
}

impl InterruptedChange {
    /// It begins.
    #[must_use]
    pub fn new(plan: &Plan, program: Option<String>) -> Self {
        Self {
            change: plan.change,
            queue: plan.queue.clone(),
            planned: plan.planned,
            program,
            tally: Tally::default(),
            journal_id: None,
            notes: Vec::new(),
            over: false,
        }
    }

    /// It has ended.
    pub fn ended(&mut self, summary: &Summary) {
        self.tally = summary.tally;
        self.journal_id.clone_from(&summary.journal_id);
        self.notes.clone_from(&summary.notes);
        self.over = true;
    }

    /// It could not go on.
    pub fn failed(&mut self, why: &str) {
        self.notes = vec![why.to_owned()];
        self.over = true;
    }

    /// Returns a description of it in a few words: `delete of orders`.
    #[must_use]
    pub fn name(&self) -> String {
        let queue = text::printable_bytes(self.queue.name.as_bytes());
        format!("{} of {queue}", self.change.label())
    }

    /// Returns what became of it, and the commands that go on, a line each. Nothing where the
    /// server has ended with the program.
    #[must_use]
    pub fn farewell(&self) -> Vec<String> {
        let Some(program) = &self.program else {
            return Vec::new();
        };
        let counted = sum_up(self.change, self.planned, &self.tally);
        let name = self.name();
        let mut lines = if self.over {
            vec![format!("The {name} has ended: {counted}.")]
        } else {
            vec![format!(
                "The {name} was left in the middle: {counted} as far as is known."
            )]
        };
        lines.extend(self.notes.iter().cloned());
        if !self.over {
            lines.push("If part of the order list is missing then, this restores it:".to_owned());
            let back = shell::about(program, "repair", &self.queue, &["--restore-order"]);
            lines.push(format!("  {back}"));
        }
        if let Some(id) = &self.journal_id {
            lines.push("This tells what became of each entry:".to_owned());
            lines.push(format!("  delayscope journal {id}"));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::queue::Outcome;
    use crate::tui::journal::tests::plan;

    fn interrupted() -> InterruptedChange {
        let mut interrupted = InterruptedChange::new(&plan(10), Some("delayscope -p 1".to_owned()));
        interrupted.tally.add(Outcome::Done, 4);
        interrupted.journal_id = Some("abc".to_owned());
        interrupted
    }

    #[test]
    fn what_was_left_in_the_middle_is_told_with_the_command_that_repairs() {
        let said = interrupted().farewell();
        assert_eq!(
            said,
            [
                "The delete of orders was left in the middle: 4 of 10 deleted as far as is known.",
                "If part of the order list is missing then, this restores it:",
                "  delayscope -p 1 repair orders --restore-order",
                "This tells what became of each entry:",
                "  delayscope journal abc",
            ]
        );
    }

    #[test]
    fn what_has_stopped_in_order_says_what_is_left() {
        let mut interrupted = interrupted();
        let mut tally = interrupted.tally;
        tally.add(Outcome::Left, 6);
        interrupted.ended(&Summary {
            change: Change::Delete,
            queue: Queue::redisson("orders"),
            tally,
            journal_id: Some("abc".to_owned()),
            elapsed: Duration::ZERO,
            longest_block: Duration::ZERO,
            listening: None,
            helped: None,
            notes: vec!["Nothing has to be mended.".to_owned()],
        });
        let said = interrupted.farewell();
        assert_eq!(
            said[..2],
            [
                "The delete of orders has ended: 4 of 10 deleted, 6 left.",
                "Nothing has to be mended."
            ]
        );
        assert!(!said.iter().any(|line| line.contains("repair")));
    }

    #[test]
    fn of_a_server_that_ends_with_the_program_nothing_is_said() {
        let mut interrupted = interrupted();
        interrupted.program = None;
        assert_eq!(interrupted.farewell(), [""; 0]);
    }
}
