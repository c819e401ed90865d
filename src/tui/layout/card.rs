//! The room of the card after a change of the tile.

use ratatui::layout::Rect;

/// The widest card that is easy to read.
pub const WIDEST: u16 = 84;

/// Whether the card has room for a bar for each tile.
pub const fn has_bars(area: Rect) -> bool {
    area.width >= WIDEST && area.height >= 34
}
