//! The block picker: the grid of blocks, to choose the one to show.

use super::panel::PanelFrame;
use super::pen::Pen;
use crate::launch::Dim3;
use crate::tui::layout::middle;
use crate::tui::theme::{Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

#[derive(Clone, Copy, Debug)]
pub struct BlockPicker<'a> {
    pub grid: Dim3,
    pub current: Dim3,
    /// The selected block.
    pub chosen: Dim3,
    /// The text typed.
    pub typed: &'a str,
    pub look: Look,
}

/// Columns per block.
const CELL: u16 = 2;

impl Widget for BlockPicker<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let look = self.look;
        let fitting = |blocks: u32, cell: u16, most: u16| {
            (blocks.min(u32::from(most)) as u16).saturating_mul(cell)
        };
        let width = (fitting(self.grid.x, CELL, area.width) + 4).max(44);
        let height = (fitting(self.grid.y, 1, area.height) + 4).max(8);
        let sides = self.grid.place_in(self.grid).replace(',', " x ");
        let note = format!("({}) of {sides}", self.chosen.place_in(self.grid));
        let frame =
            PanelFrame { number: None, title: "Block to watch", note: &note, focused: true, look };
        let inner = frame.popup(middle(area, (width, height)), buf);
        let mut pen = Pen::new(inner, buf, look);
        let rows = pen.height().saturating_sub(1);
        let (first_x, columns) = window(self.chosen.x, self.grid.x, pen.width() / CELL);
        let (first_y, rows) = window(self.chosen.y, self.grid.y, rows);
        for (row, y) in (first_y..first_y + rows).enumerate() {
            for (column, x) in (first_x..first_x + columns).enumerate() {
                let (glyph, style) = self.cell(Dim3::at(x, y));
                pen.text(column as u16 * CELL, row as u16, glyph, style);
            }
        }
        let help = if self.typed.is_empty() {
            "arrows or x,y choose; Enter watches".to_owned()
        } else {
            format!("x,y: {}", self.typed)
        };
        pen.text(0, pen.height().saturating_sub(1), &help, look.dim());
    }
}

impl BlockPicker<'_> {
    fn cell(&self, block: Dim3) -> (&'static str, ratatui::style::Style) {
        let look = self.look;
        if block == self.chosen {
            (look.pick("■►", "@>"), look.key_cap())
        } else if block == self.current {
            (look.pick("■", "#"), look.ink(Role::C))
        } else {
            (look.pick("·", "."), look.dim())
        }
    }
}

/// Returns the first of at most `room` of `count` blocks, with `chosen` among them, and their
/// number.
fn window(chosen: u32, count: u32, room: u16) -> (u32, u32) {
    let shown = count.min(u32::from(room));
    (chosen.saturating_sub(shown / 2).min(count - shown), shown)
}
