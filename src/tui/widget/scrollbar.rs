//! A scrollbar's thumb, over a border or the last column.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

/// Draws a thumb of `rows` rows at column `x` from row `y` on.
pub fn thumb(buf: &mut Buffer, (x, y): (u16, u16), rows: u16, symbol: &str, style: Style) {
    for y in y..y.saturating_add(rows) {
        if let Some(cell) = buf.cell_mut((x, y)) {
            cell.reset();
            cell.set_symbol(symbol).set_style(style);
        }
    }
}
