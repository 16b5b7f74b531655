//! The change that is planned, asked about or under way: one at a time, and a kick beside it.

pub mod plan;
pub mod progress;
pub mod queries;
pub mod run;
pub mod update;
pub mod view;

use std::time::{Duration, Instant};

use self::plan::PlanRequest;
use crate::queue::change_event::{ChangeEvent, Order};
use crate::queue::plan::Progress;
use crate::queue::{Change, EntryResult, Outcome, Plan, Queue};
use crate::tui::departed::ChangeSubject;
use crate::tui::keys::Key;
use crate::tui::marks::Marks;

/// The steps of a change, as they are told.
#[derive(Clone, Debug, PartialEq)]
pub enum Msg {
    /// A plan is being made, and so far it is; the generation is that of the effect.
    Planning(u64, Progress),
    /// A plan is made, or why it is not; the generation is that of the effect.
    Planned(u64, Result<Box<Plan>, String>),
    /// The question about the plan with this generation was answered with yes.
    Agreed(u64),
    /// It was answered with no.
    Refused(u64),
    /// It is out of date: it shall be planned and asked again.
    LookAgain(u64),
    /// A change under way told something; the generation is that of the effect.
    Applied(u64, ChangeEvent),
}

/// Requests of a change: plan, apply, steer.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Plan a change; what was planned before and not applied is forgotten.
    Plan(Box<PlanRequest>),
    /// Plan to take back a change of the journal.
    PlanUndo {
        /// As in the answer.
        generation: u64,
        /// The one with this id; none: the newest of `queue` that can be.
        id: Option<String>,
        /// The selected queue.
        queue: Queue,
    },
    /// Drop what was planned, or is being planned: it is not wanted any more.
    DropPlan,
    /// Apply the plan with this generation; all that it tells carries it too.
    Apply(u64),
    /// Tell the change that is under way with this generation to pause, go on or stop.
    Order(u64, Order),
}

/// The changes of this session that are not over yet.
#[derive(Clone, Debug, Default)]
pub struct OpenChanges {
    /// The one: while it is not over, no other one begins.
    pub one: Option<UnfinishedChange>,
    /// A kick: it is harmless, and needed most while something else takes long.
    pub kick: Option<UnfinishedChange>,
    /// The subject of the change that was begun last.
    pub acted: Option<ChangeSubject>,
    /// The change that was made last from this screen.
    pub last: Option<LastChange>,
    /// The one under way whose panel the user has left for another pane.
    pub panel_left: Option<u64>,
    /// The panel, as it was in the last picture.
    pub(crate) panel: PanelState,
    /// Until then nobody can have read the question that has come up by itself.
    pub(crate) unread_until: Option<Instant>,
}

/// The state of the panel of the change under way: on the screen, or not.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum PanelState {
    /// It is not.
    #[default]
    Hidden,
    /// It is.
    Shown,
}

/// The change that was made last.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct LastChange {
    /// Its id in the journal.
    pub journal_id: String,
    /// When it was over, by our monotonic clock.
    pub at: Instant,
}

/// Time for which a change counts as fresh: who takes back so soon what was done last knows what
/// that was.
const FRESH: Duration = Duration::from_secs(60);

/// A change that is not over yet.
#[derive(Clone, Debug)]
pub struct UnfinishedChange {
    /// Of the effects that ask for it and of all that it tells.
    pub generation: u64,
    /// The kind of change.
    pub change: Change,
    /// Its name: [`ChangeRequest::name`](crate::queue::change::ChangeRequest::name).
    pub called: &'static str,
    /// The queue that is changed.
    pub queue: Queue,
    /// The marks that it is about, as they were when it was asked for; none when it is about
    /// something else. They are cleared once it was applied.
    pub marks: Option<Box<Marks>>,
    /// The order to plan it, for another look; none of an undo and of a kick.
    pub asked_for: Option<Box<PlanRequest>>,
    /// The key that asked for it: it is no answer to a question about it.
    pub asked_by: Option<Key>,
    /// When it was asked for, by our monotonic clock.
    pub since: Instant,
    /// The stage that it is at.
    pub stage: ChangeStage,
}

/// The stage of a change.
#[derive(Clone, Debug)]
pub enum ChangeStage {
    /// It is being planned: how far that is, once it says so.
    Planning(Option<Progress>),
    /// It is planned, and the user has to be asked, or is being asked.
    Asking(Box<Plan>),
    /// It is being applied.
    Running(Box<ChangeInProgress>),
}

/// A change that is being applied.
#[derive(Clone, Debug)]
pub struct ChangeInProgress {
    /// The plan that was agreed to.
    pub plan: Plan,
    /// Its id in the journal, once it has one.
    pub journal_id: Option<String>,
    /// The progress that it told last.
    pub progress: Option<Progress>,
    /// Results of the entries that were tried and not done: the first [`RESULTS_KEPT`].
    pub results: Vec<EntryResult>,
    /// The trouble that it tries to get over.
    pub trouble: Option<String>,
    /// The order that it was given last.
    pub order: Order,
    /// When it began, by our monotonic clock.
    pub since: Instant,
}

/// The most results that are kept to be looked at.
pub const RESULTS_KEPT: usize = 1000;

/// An entry to be looked at: it was tried, and not done.
#[must_use]
pub const fn is_worth_a_look(outcome: Outcome) -> bool {
    !matches!(outcome, Outcome::Done | Outcome::Left)
}

impl ChangeInProgress {
    /// It takes elements from target just now.
    #[must_use]
    pub fn takes_from_target(&self) -> bool {
        let fewer = self.plan.target.is_some_and(|(now, then)| then < now);
        fewer && self.order != Order::Pause
    }

    /// Nothing is told yet.
    #[must_use]
    pub const fn new(plan: Plan, since: Instant) -> Self {
        Self {
            plan,
            journal_id: None,
            progress: None,
            results: Vec::new(),
            trouble: None,
            order: Order::Go,
            since,
        }
    }
}

impl OpenChanges {
    /// The change with that generation.
    pub fn of_mut(&mut self, generation: u64) -> Option<&mut UnfinishedChange> {
        let all = self.one.iter_mut().chain(&mut self.kick);
        all.into_iter().find(|one| one.generation == generation)
    }

    /// The change with that generation is over, or given up.
    pub fn take(&mut self, generation: u64) -> Option<UnfinishedChange> {
        let of = |one: &mut UnfinishedChange| one.generation == generation;
        self.one.take_if(of).or_else(|| self.kick.take_if(of))
    }

    /// A change of this screen has left something in the journal.
    pub fn note_last(&mut self, journal_id: Option<&String>, at: Instant) {
        if let Some(journal_id) = journal_id.cloned() {
            self.last = Some(LastChange { journal_id, at });
        }
    }

    /// The plan takes back what was done last from this screen, and a moment ago.
    #[must_use]
    pub fn takes_back_the_last(&self, plan: &Plan, now: Instant) -> bool {
        self.last.as_ref().is_some_and(|last| {
            plan.undoes.as_ref() == Some(&last.journal_id)
                && now.saturating_duration_since(last.at) < FRESH
        })
    }

    /// The one that is being applied.
    #[must_use]
    pub fn running(&self) -> Option<(&UnfinishedChange, &ChangeInProgress)> {
        let one = self.one.as_ref()?;
        match &one.stage {
            ChangeStage::Running(running) => Some((one, running)),
            ChangeStage::Planning(_) | ChangeStage::Asking(_) => None,
        }
    }

    /// The same, to be changed.
    pub fn running_mut(&mut self, generation: u64) -> Option<&mut ChangeInProgress> {
        match &mut self.of_mut(generation)?.stage {
            ChangeStage::Running(running) => Some(running),
            ChangeStage::Planning(_) | ChangeStage::Asking(_) => None,
        }
    }
}

/// A plan that takes longer is spoken of.
const NOTICED: Duration = Duration::from_millis(200);

impl UnfinishedChange {
    /// Tells whether keys are held back: what is typed while it is planned is kept away from what
    /// lies behind, since it may be meant for the question to come.
    const fn holds_keys(&self) -> bool {
        matches!(self.stage, ChangeStage::Planning(_))
    }
}
