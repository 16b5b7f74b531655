//! The number of the newest request.

use crate::tui::model::Model;

/// The number of the next request: answers to earlier ones can be told from its own.
pub(crate) fn generation(model: &mut Model) -> u64 {
    model.schedule.generation += 1;
    model.schedule.generation
}
