//! The menu of repairs over all that the screen knows: what suits a queue now, and what is asked for.

use super::fit::{Fit, fit};
use super::{RepairForm, form_of};
use crate::queue::change::ChangeRequest;
use crate::queue::finding::id;
use crate::queue::{Finding, Repair, text};
use crate::tui::field::Field;
use crate::tui::form::Part;
use crate::tui::keys::{Code, Key};
use crate::tui::model::Model;
use crate::tui::queues::QueueRow;

/// Tells whether what repairs it fills more than two rows of a terminal of 80 columns.
fn is_long(finding: &Finding) -> bool {
    text::width(&finding.repair.sentence.to_string()) > 100
}

impl RepairForm {
    /// The menu for a queue, on what its worst finding asks for. Where that is none of these, it is
    /// on the words that say what helps: any of these would be a guess. Where nothing is found
    /// wrong, it is on the first repair that there is something to do for; the words, which lead to
    /// another queue, come last.
    #[must_use]
    pub fn new(model: &Model, row: &QueueRow) -> Self {
        let worst = row.findings.first();
        let first = worst.and_then(|found| Repair::of(&found.repair.step));
        let asked = row.findings.iter();
        let asked = asked.filter_map(|found| Repair::of(&found.repair.step));
        let can = Repair::ALL.iter().copied();
        let fits =
            |repair: &Repair| matches!(fit(model, row, *repair), Fit::Asked(..) | Fit::Can(_));
        let can = can.filter(|repair| Some(*repair) == first || fits(repair));
        let (mut asked, can): (Vec<_>, Vec<_>) = (asked.collect(), can.collect());
        asked.retain(|repair| can.contains(repair));
        let mut menu = Self {
            queue: row.queue.clone(),
            within: Field::proposing("10m"),
            at: first.map_or(Part::Cure, Part::Repair),
            parts: vec![Part::Cure],
            about: None,
            is_long: worst.is_some_and(is_long),
            moved: false,
        };
        menu.add(asked.into_iter().chain(can));
        if menu.folded() > 0 {
            menu.parts.push(Part::More);
        }
        if worst.is_none() {
            menu.parts.rotate_left(1);
            let first = menu.parts.first().copied();
            menu.at = first
                .filter(|part| *part != Part::More)
                .unwrap_or(Part::Cure);
        }
        menu
    }

    /// The same menu, on what this finding of the queue asks for: where it follows from another one,
    /// what mends that one.
    #[must_use]
    pub fn on(model: &Model, row: &QueueRow, finding: &Finding) -> Self {
        // The transfers that keep the server may be another queue's, though this one has slow ones too.
        let own = finding.follows != Some(id::SLOW_TRANSFER);
        let mut causes = row.findings.iter().filter(|_| own);
        let finding = { causes.find(|cause| cause.is_cause_of(finding)) }.unwrap_or(finding);
        let mut menu = Self::new(model, row);
        menu.about = Some(finding.id);
        menu.is_long = is_long(finding);
        menu.at = Repair::of(&finding.repair.step).map_or(Part::Cure, Part::Repair);
        if !menu.parts.contains(&menu.at) {
            // It cannot be done now: its row says why.
            menu.parts.insert(1, menu.at);
        }
        menu
    }

    /// The same menu once a finding asks for a repair, where it was opened before and nothing was
    /// chosen in it yet; none where it stays as it is.
    #[must_use]
    pub fn anew(&self, model: &Model) -> Option<Self> {
        let is_open = self.at == Part::Cure || self.is_well();
        if self.moved || !is_open || self.about.is_some() {
            return None;
        }
        let row = self.row(model)?;
        // Which repair is the first one is not followed: the rows stay as they are.
        let now = (!row.findings.is_empty()).then(|| Self::new(model, row))?;
        (now.at != self.at).then_some(now)
    }

    /// The finding that it is about: that it was asked for on, while it is there, else the worst.
    #[must_use]
    pub fn finding<'a>(&self, row: &'a QueueRow) -> Option<&'a Finding> {
        let mut all = row.findings.iter();
        let asked = all.find(|finding| Some(finding.id) == self.about);
        asked.or_else(|| row.findings.first())
    }

    /// Says that nothing is found wrong here, and where something is.
    #[must_use]
    pub fn well(&self, model: &Model) -> String {
        const QUEUES_NAMED: usize = 3;
        let sick = |row: &&QueueRow| row.queue != self.queue && !row.findings.is_empty();
        let name = |row: &QueueRow| text::printable_bytes(row.queue.name.as_bytes());
        let sick: Vec<String> = model.queues.iter().filter(sick).map(name).collect();
        let more = match sick.len() {
            0 => return "nothing is found wrong here".to_owned(),
            n if n > QUEUES_NAMED => format!(" and {} more", n - QUEUES_NAMED),
            _ => String::new(),
        };
        let names = sick[..sick.len().min(QUEUES_NAMED)].join(", ");
        let key = Key::of(Code::Enter).label(model.look.ascii);
        format!("nothing is found wrong here, but in {names}{more}: {key} goes there")
    }

    /// Returns the change that the part with the keys asks for, none where something has to be
    /// asked first, by the stand-in worker or by a form; or why it cannot be.
    pub fn what(&self, model: &Model) -> Result<Option<ChangeRequest>, String> {
        let row = self.row(model).ok_or("the queue is no longer there")?;
        let Some(chosen) = self.chosen() else {
            return Err(match self.finding(row) {
                Some(found) => format!("{} No repair from here: see →", found.headline),
                None => format!("{}: choose a repair", self.well(model)),
            });
        };
        if let Fit::Not(why) = fit(model, row, chosen) {
            return Err(format!("{}: {why}", chosen.label()));
        }
        let within = match chosen {
            Repair::Realign => self.within_ms()?,
            _ => None,
        };
        Ok(chosen.what(form_of(row), within))
    }

    /// The row of its queue.
    #[must_use]
    pub fn row<'a>(&self, model: &'a Model) -> Option<&'a QueueRow> {
        model.queues.iter().find(|row| row.queue == self.queue)
    }
}
