//! The menu of what repairs a queue.

mod fit;

use super::field::Field;
use super::form::{Filling, Part, Said};
use super::{Model, QueueRow};
use crate::clock::when::Span;
use crate::queue::finding::Step;
use crate::queue::wish::What;
use crate::queue::{Change, Form, Queue, text};
use crate::tui::effect::Marked;
use crate::tui::keys::{Code, Key};

pub use fit::{Fit, fit};

/// A repair of the menu.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Repair {
    /// What is due goes to target.
    Transfer,
    /// Every transfer client looks at once.
    Kick,
    /// A stand-in worker transfers.
    Worker,
    /// The order list is brought into due order.
    Realign,
    /// An order list is brought back.
    RestoreOrder,
    /// What only the order list holds waits again.
    Requeue,
    /// What only the order list holds goes to target.
    DeliverStrays,
    /// What only timeouts holds comes into the order list.
    Drift,
    /// Frames get the form that the clients unpack.
    Repack,
    /// What is no frame is set aside.
    Quarantine,
    /// What was set aside waits again.
    Restore,
    /// What consumers hold that died goes back into target.
    PutBack,
    /// Elements of target lose their frames.
    Unwrap,
    /// The keys lose their expiry.
    Persist,
    /// What has taken their names is renamed.
    RenameTaken,
    /// Seconds become milliseconds.
    Unit,
    /// What has no due time gets one.
    Score,
    /// What only the order list holds leaves it.
    DropStrays,
}

impl Repair {
    /// All of them, in the order in which the menu tries them.
    pub const ALL: [Self; 18] = [
        Self::Transfer,
        Self::Kick,
        Self::Worker,
        Self::Repack,
        Self::Quarantine,
        Self::Restore,
        Self::PutBack,
        Self::Requeue,
        Self::DeliverStrays,
        Self::Drift,
        Self::RestoreOrder,
        Self::Realign,
        Self::Unwrap,
        Self::Persist,
        Self::RenameTaken,
        Self::Unit,
        Self::Score,
        // It loses what may never have been delivered: never before another way.
        Self::DropStrays,
    ];

    /// The repair that is a finding's, when it is one of these. That something is in quarantine
    /// asks for nothing: whether it does no harm any more only people know.
    #[must_use]
    pub const fn of(step: &Step) -> Option<Self> {
        Some(match step {
            Step::Worker => Self::Worker,
            Step::WaitAgain => Self::Requeue,
            Step::Change(What::Transfer) => Self::Transfer,
            Step::Change(What::Kick) => Self::Kick,
            Step::Change(What::Realign(_)) => Self::Realign,
            Step::Change(What::RestoreOrder) => Self::RestoreOrder,
            Step::Change(What::Drift) => Self::Drift,
            Step::Change(What::Repack(_)) => Self::Repack,
            Step::Change(What::Quarantine) | Step::Entry(What::Quarantine, _) => Self::Quarantine,
            Step::Change(What::PutBack) => Self::PutBack,
            Step::Change(What::Unwrap) => Self::Unwrap,
            Step::Change(What::Persist) => Self::Persist,
            Step::Change(What::RenameTaken) => Self::RenameTaken,
            Step::Change(What::Unit) => Self::Unit,
            Step::Change(What::Score) => Self::Score,
            _ => return None,
        })
    }

    /// What it is called, as its plan and the command line call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Transfer => Change::Transfer.word(),
            Self::Kick => Change::Kick.word(),
            Self::Worker => Change::Worker.word(),
            Self::Realign => Change::Realign.word(),
            Self::RestoreOrder => Change::RestoreOrder.word(),
            Self::Requeue => Change::Requeue.word(),
            Self::DeliverStrays => Change::Deliver.word(),
            Self::DropStrays => Change::Delete.word(),
            Self::Drift => Change::Drift.word(),
            Self::Repack => Change::Repack.word(),
            Self::Quarantine => Change::Quarantine.word(),
            Self::Restore => Change::Restore.word(),
            Self::PutBack => Change::PutBack.word(),
            Self::Unwrap => Change::Unwrap.word(),
            Self::Persist => Change::Persist.word(),
            Self::RenameTaken => Change::RenameTaken.word(),
            Self::Unit => What::Unit.name(),
            Self::Score => What::Score.name(),
        }
    }
}

/// The menu of what repairs a queue.
#[derive(Clone, Debug, PartialEq)]
pub struct RepairForm {
    /// Which queue.
    pub queue: Queue,
    /// What falls due within this is realigned, as typed; nothing: all.
    pub within: Field,
    /// What the keys act on.
    pub at: Part,
    /// The rows, from the top: what findings ask for, the worst first, then what can be done. What
    /// does not apply is folded into one row until that is opened. They stay as they were then: no
    /// row moves away under the cursor.
    parts: Vec<Part>,
    /// The healthy queue that it was asked for on.
    pub instead_of: Option<Queue>,
}

impl RepairForm {
    /// The menu for a queue, on what its worst finding asks for. Where that is none of these, it is
    /// on the words that say what helps: any of these would be a guess.
    #[must_use]
    pub fn new(model: &Model, row: &QueueRow) -> Self {
        let worst = row.findings.first();
        let first = worst.and_then(|found| Repair::of(&found.repair.step));
        let asked = row.findings.iter();
        let asked = asked.filter_map(|found| Repair::of(&found.repair.step));
        let can = Repair::ALL.into_iter();
        let fits = |repair: &Repair| !matches!(fit(model, row, *repair), Fit::Not(_));
        let can = can.filter(|repair| Some(*repair) == first || fits(repair));
        let (mut asked, can): (Vec<_>, Vec<_>) = (asked.collect(), can.collect());
        asked.retain(|repair| can.contains(repair));
        let mut menu = Self {
            queue: row.queue.clone(),
            within: Field::proposing("10m"),
            at: first.map_or(Part::Cure, Part::Repair),
            parts: vec![Part::Cure],
            instead_of: None,
        };
        menu.add(asked.into_iter().chain(can));
        if menu.folded() > 0 {
            menu.parts.push(Part::More);
        }
        menu
    }

    fn add(&mut self, repairs: impl Iterator<Item = Repair>) {
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

    /// How many repairs have no row of their own.
    #[must_use]
    pub fn folded(&self) -> usize {
        let hidden = |repair: &&Repair| !self.parts.contains(&Part::Repair(**repair));
        Repair::ALL.iter().filter(hidden).count()
    }

    /// All repairs get their rows; the keys go to the first new one.
    pub fn unfold(&mut self) {
        self.parts.retain(|part| *part != Part::More);
        let first = self.parts.len();
        self.add(Repair::ALL.into_iter());
        self.at = self.parts.get(first).copied().unwrap_or(Part::Cure);
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

    /// That nothing is found wrong here, and where something is.
    #[must_use]
    pub fn well(&self, model: &Model) -> String {
        const FEW: usize = 3;
        let sick = |row: &&QueueRow| row.queue != self.queue && !row.findings.is_empty();
        let name = |row: &QueueRow| text::printable_bytes(row.queue.name.as_bytes());
        let sick: Vec<String> = model.queues.iter().filter(sick).map(name).collect();
        let more = match sick.len() {
            0 => return "nothing is found wrong here".to_owned(),
            n if n > FEW => format!(" and {} more", n - FEW),
            _ => String::new(),
        };
        let names = sick[..sick.len().min(FEW)].join(", ");
        let key = Key::of(Code::Enter).label(model.look.ascii);
        format!("nothing is found wrong here, but in {names}{more}: {key} goes there")
    }

    /// What is asked for by the part that has the keys, none where something has to be asked
    /// first, by the stand-in worker or by a form; or why it cannot be.
    pub fn what(&self, model: &Model) -> Result<Option<What>, String> {
        let row = self.row(model).ok_or("the queue is no longer there")?;
        let Some(chosen) = self.chosen() else {
            return Err(match row.findings.first() {
                Some(found) => format!("{}: no key repairs that; what does stands here", found.id),
                None => format!("{}: choose a repair", self.well(model)),
            });
        };
        if let Fit::Not(why) = fit(model, row, chosen) {
            return Err(format!("{}: {why}", chosen.name()));
        }
        Ok(Some(match chosen {
            Repair::Worker | Repair::Requeue => return Ok(None),
            Repair::Transfer => What::Transfer,
            Repair::Kick => What::Kick,
            Repair::Realign => What::Realign(self.within_ms()?),
            Repair::RestoreOrder => What::RestoreOrder,
            Repair::DeliverStrays => What::Deliver,
            Repair::DropStrays => What::Delete,
            Repair::Drift => What::Drift,
            Repair::Repack => What::Repack(form_of(row)),
            Repair::Quarantine => What::Quarantine,
            Repair::Restore => What::Restore,
            Repair::PutBack => What::PutBack,
            Repair::Unwrap => What::Unwrap,
            Repair::Persist => What::Persist,
            Repair::RenameTaken => What::RenameTaken,
            Repair::Unit => What::Unit,
            Repair::Score => What::Score,
        }))
    }

    /// The entries that it is about.
    #[must_use]
    pub const fn marked(&self) -> Marked {
        match self.chosen() {
            Some(Repair::Requeue | Repair::DeliverStrays | Repair::DropStrays) => Marked::Lost,
            _ => Marked::Due,
        }
    }

    /// The row of its queue.
    #[must_use]
    pub fn row<'a>(&self, model: &'a Model) -> Option<&'a QueueRow> {
        model.queues.iter().find(|row| row.queue == self.queue)
    }

    fn within_ms(&self) -> Result<Option<u64>, String> {
        let typed = self.within.text();
        match typed.trim() {
            "" => Ok(None),
            span => {
                let span: Span = span.parse().map_err(|why| format!("{why}"))?;
                Ok(Some(span.ms()))
            }
        }
    }

    /// What is said of the span.
    #[must_use]
    pub fn what_within(&self) -> Said {
        match self.within_ms() {
            Err(why) => Said::Wrong(why),
            Ok(None) => Said::Note("all that waits".to_owned()),
            Ok(Some(ms)) => Said::Note(format!("what falls due in the next {}", text::span(ms))),
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
            Step::Change(What::Repack(form)) => form,
            _ => None,
        });
    let newest = || row.watch.sample()?.newest.iter().find_map(|one| one.form);
    told.or_else(newest)
}

impl Filling for RepairForm {
    fn parts(&self) -> &[Part] {
        &self.parts
    }

    fn at(&self) -> Part {
        self.at
    }

    fn go(&mut self, to: Part) {
        self.at = to;
    }

    fn label(&self) -> u16 {
        17
    }

    fn line(&mut self) -> Option<&mut Field> {
        (self.at == Part::Within).then_some(&mut self.within)
    }
}
