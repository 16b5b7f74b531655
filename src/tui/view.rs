//! Placeholder.
use super::model::Model;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
/// Draws.
pub fn render(_model: &Model, _area: Rect, _buf: &mut Buffer) {}
