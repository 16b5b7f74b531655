//! The menu of what repairs a queue.

pub mod fit;
pub mod queries;
pub mod view;

use crate::clock::when::Span;
use crate::queue::change::ChangeRequest;
use crate::queue::finding::Step;
use crate::queue::{Form, Queue, Repair, text};
use crate::tui::change::plan::MarkedEntries;
use crate::tui::field::Field;
use crate::tui::form::{FieldRemark, InputForm, Part};
use crate::tui::queues::QueueRow;

/// The menu of what repairs a queue.
#[derive(Clone, Debug, PartialEq)]
pub struct RepairForm {
    /// The queue to be repaired.
    pub queue: Queue,
    /// The span within which entries that fall due are realigned, as typed; nothing: all.
    pub within: Field,
    /// The part that the keys act on.
    pub at: Part,
    /// The rows, from the top: what findings ask for, the worst first, then what can be done. What
    /// does not apply is folded into one row until that is opened. They stay as they were then: no
    /// row moves away under the cursor.
    pub(crate) parts: Vec<Part>,
    /// The finding that it was asked for on; none: the worst of the queue.
    pub(crate) about: Option<&'static str>,
    /// The sentence on what its finding asks for is long.
    pub(crate) is_long: bool,
    /// A key has moved its cursor.
    pub(crate) moved: bool,
}

impl RepairForm {
    pub(crate) fn add(&mut self, repairs: impl Iterator<Item = Repair>) {
        for repair in repairs {
            let part = Part::Repair(repair);
            if self.parts.contains(&part) {
                continue;
            }
            self.parts.push(part);
            if repair == Repair::Realign {
                self.parts.push(Part::Within);
            }
        }
    }

    /// Counts the repairs that have no row of their own.
    #[must_use]
    pub fn folded(&self) -> usize {
        let hidden = |repair: &&Repair| !self.parts.contains(&Part::Repair(**repair));
        Repair::ALL.iter().filter(hidden).count()
    }

    /// Nothing was found wrong when it was opened: the words on that come last.
    pub(crate) fn is_well(&self) -> bool {
        self.parts.last() == Some(&Part::Cure)
    }

    /// All repairs get their rows; the keys go to the first new one.
    pub fn unfold(&mut self) {
        let is_well = self.is_well();
        let words = |part: &Part| *part == Part::More || is_well && *part == Part::Cure;
        self.parts.retain(|part| !words(part));
        let first = self.parts.len();
        self.add(Repair::ALL.iter().copied());
        self.parts.extend(is_well.then_some(Part::Cure));
        self.go(self.parts.get(first).copied().unwrap_or(Part::Cure));
    }

    /// The repair that has the keys; none while the words above all have them.
    #[must_use]
    pub const fn chosen(&self) -> Option<Repair> {
        match self.at {
            Part::Repair(repair) => Some(repair),
            Part::Within => Some(Repair::Realign),
            _ => None,
        }
    }

    /// The entries that it is about.
    #[must_use]
    pub fn marked(&self) -> MarkedEntries {
        match self.chosen() {
            Some(Repair::KeepOne) => MarkedEntries::Copies,
            Some(repair) if repair.is_of_strays() => MarkedEntries::Lost,
            _ => MarkedEntries::Due,
        }
    }

    pub(crate) fn within_ms(&self) -> Result<Option<u64>, String> {
        let typed = self.within.text();
        match typed.trim() {
            "" => Ok(None),
            span => {
                let span: Span = span.parse().map_err(|why| format!("{why}"))?;
                Ok(Some(span.ms()))
            }
        }
    }

    /// Returns the remark on the span.
    #[must_use]
    pub fn what_within(&self) -> FieldRemark {
        match self.within_ms() {
            Err(why) => FieldRemark::Wrong(why),
            Ok(None) => FieldRemark::Note("all that waits".to_owned()),
            Ok(Some(ms)) => {
                FieldRemark::Note(format!("what falls due in the next {}", text::span(ms)))
            }
        }
    }
}

/// The form that the clients of a queue unpack: as its findings say, else that of what was offered
/// last. None while nothing tells.
#[must_use]
pub fn form_of(row: &QueueRow) -> Option<Form> {
    let told = row
        .findings
        .iter()
        .find_map(|found| match found.repair.step {
            Step::Change(ChangeRequest::Repack(form)) => form,
            _ => None,
        });
    let newest = || row.watch.sample()?.newest.iter().find_map(|one| one.form);
    told.or_else(newest)
}

impl InputForm for RepairForm {
    fn parts(&self) -> &[Part] {
        &self.parts
    }

    fn at(&self) -> Part {
        self.at
    }

    fn go(&mut self, to: Part) {
        (self.at, self.moved) = (to, true);
    }

    fn label(&self) -> u16 {
        17
    }

    fn cure_rows(&self) -> u16 {
        if self.is_long { 3 } else { 2 }
    }

    fn line(&mut self) -> Option<&mut Field> {
        (self.at == Part::Within).then_some(&mut self.within)
    }
}
