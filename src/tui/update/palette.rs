//! The commands by name.

use crate::tui::effect::Effect;
use crate::tui::model::Model;

/// Another text: other choices.
pub(super) fn changed(_model: &mut Model) {}

/// Does what a line says, or tells why it cannot.
pub(super) fn run(_model: &mut Model, line: &str) -> Result<Vec<Effect>, String> {
    match line.trim() {
        "" => Ok(Vec::new()),
        "q" | "quit" => Ok(vec![Effect::Quit]),
        name => Err(format!("there is no command {name}")),
    }
}
