//! Questions about the change that is planned or under way.

use std::time::Instant;

use super::{ChangeStage, NOTICED, UnfinishedChange};
use crate::queue::text;
use crate::tui::dialog::Question;
use crate::tui::keys::Action;
use crate::tui::model::{Model, NO_CONNECTION, Overlay};

impl Model {
    /// Returns the change that is being planned, while that keeps the keys away from everything
    /// else.
    #[must_use]
    pub fn planned_now(&self) -> Option<&UnfinishedChange> {
        let free = self.overlay.is_none() && self.prompt.is_none();
        let all = self.changing.one.iter().chain(&self.changing.kick);
        all.into_iter().find(|one| free && one.holds_keys())
    }

    /// When a plan has taken so long that it is spoken of; none when nothing is planned.
    #[must_use]
    pub fn noticed_at(&self) -> Option<Instant> {
        let one = self.changing.one.as_ref()?;
        matches!(one.stage, ChangeStage::Planning(_)).then(|| one.since + NOTICED)
    }

    /// Says how far the planning is, once it takes so long that somebody may wonder.
    #[must_use]
    pub fn counting(&self) -> Option<String> {
        let one = self.changing.one.as_ref()?;
        let ChangeStage::Planning(progress) = &one.stage else {
            return None;
        };
        if self.instant.saturating_duration_since(one.since) < NOTICED {
            return None;
        }
        let name = text::printable_bytes(one.queue.name.as_bytes());
        let far = progress.as_ref().filter(|progress| progress.planned > 0);
        let far = far.map_or(String::new(), |progress| {
            let (looked, of) = (progress.tally.sum(), progress.planned);
            format!(": {} of {}", text::thousands(looked), text::thousands(of))
        });
        Some(format!(
            "Counting what {} would do in {name}{far}",
            one.called
        ))
    }
}

/// True for an action that is a change that is planned first.
pub(crate) const fn is_planned(action: Action) -> bool {
    matches!(
        action,
        Action::Transfer
            | Action::Deliver
            | Action::Requeue
            | Action::Delete
            | Action::Edit
            | Action::Duplicate
            | Action::Kick
            | Action::Repair
            | Action::Undo
    )
}

/// True for an action that changes something on the server: a read-only session has no use for it.
#[must_use]
pub const fn is_change(action: Action) -> bool {
    is_planned(action) || matches!(action, Action::Offer | Action::Worker)
}

/// The reason why a yes to the question about a change cannot be taken now; none when it can, or
/// when the question is another one.
pub(crate) fn why_no_yes(model: &Model) -> Option<&'static str> {
    if !is_asked(model) {
        return None;
    }
    let unread = |until| model.instant < until;
    if model.changing.unread_until.is_some_and(unread) {
        return Some("the question has only just come: read it first");
    }
    (!model.is_live()).then_some(NO_CONNECTION)
}

/// The plan that the question on the screen is about, where it can be made again.
pub(crate) fn asks_again(model: &Model) -> Option<u64> {
    let Some(Overlay::Dialog(dialog)) = &model.overlay else {
        return None;
    };
    let Question::Change(asked) = dialog.question else {
        return None;
    };
    let one = model.changing.one.as_ref()?;
    (one.generation == asked && one.asked_for.is_some()).then_some(asked)
}

/// True when the question on the screen is about a change.
fn is_asked(model: &Model) -> bool {
    matches!(&model.overlay, Some(Overlay::Dialog(dialog))
        if matches!(dialog.question, Question::Change(_)))
}
