//! Repairs that find by themselves what they change, a file each.

mod due;
mod persist;
mod put_back;
mod rename_taken;
mod unwrap;

use super::deed::KeptDeed;
use super::make::{PlanContext, PlannedWork};
use super::{ChangeError, LookObserver, What};

/// Plans the repair; none of what is none of these.
pub(super) async fn make(
    making: &PlanContext<'_>,
    what: &What,
    tell: &impl LookObserver,
) -> Result<Option<PlannedWork>, ChangeError> {
    Ok(Some(match what {
        What::Unwrap => unwrap::make(making, tell).await?,
        What::Persist => persist::make(making).await?,
        What::RenameTaken => rename_taken::make(making).await?,
        What::PutBack => put_back::make(making).await?,
        What::Unit => due::in_unit(making, tell).await?,
        What::Score => due::of_bad_score(making, tell).await?,
        _ => return Ok(None),
    }))
}

/// The undos of those of their deeds that can be taken back, by what is kept of them in the
/// journal; in the order in which an undo does them.
pub(in crate::ops) const KEPT: &[KeptDeed] = &[unwrap::KEPT, persist::KEPT, rename_taken::KEPT];
