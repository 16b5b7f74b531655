//! Changes: asked for, planned, confirmed, under way, over.

use crate::tui::effect::Effect;
use crate::tui::model::Model;
use crate::tui::msg::Msg;

/// A plan, a change under way or the journal told something.
pub(super) fn told(model: &mut Model, msg: Msg) -> Vec<Effect> {
    let _ = (model, msg);
    Vec::new()
}
