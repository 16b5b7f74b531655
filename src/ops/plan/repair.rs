//! Repairs that find by themselves what they change, a file each.

mod due;
mod persist;
mod put_back;
mod rename_taken;
mod unwrap;

use super::deed::KeptDeed;
use super::make::{PlanContext, PlannedWork};
use super::{ChangeError, ChangeRequest, LookObserver};

/// Plans the repair; none of what is none of these.
pub(super) async fn make(
    making: &PlanContext<'_>,
    what: &ChangeRequest,
    tell: &impl LookObserver,
) -> Result<Option<PlannedWork>, ChangeError> {
    Ok(Some(match what {
        ChangeRequest::Unwrap => unwrap::make(making, tell).await?,
        ChangeRequest::Persist => persist::make(making).await?,
        ChangeRequest::RenameTaken => rename_taken::make(making).await?,
        ChangeRequest::PutBack => put_back::make(making).await?,
        ChangeRequest::Unit => due::in_unit(making, tell).await?,
        ChangeRequest::Score => due::of_bad_score(making, tell).await?,
        _ => return Ok(None),
    }))
}

/// The undos of those of their deeds that can be taken back, by what is kept of them in the
/// journal; in the order in which an undo does them.
pub(in crate::ops) const KEPT: &[KeptDeed] = &[unwrap::KEPT, persist::KEPT, rename_taken::KEPT];
