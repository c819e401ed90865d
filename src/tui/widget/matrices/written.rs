//! The values, written into the elements.

use super::plan::MatrixGrid;
use super::values::text;
use super::{Canvas, MatricesPanel};
use crate::matrix::Element;
use crate::tui::layout::text::width;
use crate::tui::widget::canvas::over;
use crate::tui::widget::pen::Pen;

impl MatricesPanel<'_> {
    /// Writes the values into the elements, if they are known and all fit; returns whether.
    pub(super) fn values(&self, pen: &mut Pen<'_>, grid: &MatrixGrid, canvas: &Canvas) -> bool {
        let Some((values, (wide, high))) = self.values.zip(grid.element_cells()) else {
            return false;
        };
        // A blank parts a value from the next.
        let most = values.width_of(grid.operand);
        if most == 0 || most >= wide {
            return false;
        }
        let (_, columns) = self.size.shape(grid.operand);
        for Element { row, column, .. } in grid.elements() {
            let corner = grid.pixels(row, column).next();
            let Some(((x, y), value)) =
                corner.zip(values.get(grid.operand, row * columns + column))
            else {
                continue;
            };
            let (text, tone) = (text(value), canvas.at(x, y));
            let style = over(pen.look, tone);
            let (x, y) = (grid.x + x, grid.y + y / 2 + (high - 1) / 2);
            if pen.look.has_pixels() {
                let left = wide.saturating_sub(width(&text) + 1).div_ceil(2);
                pen.text(x + left, y, &text, style);
            } else {
                // Without pixels the tone's mark stands after the value instead of all around it.
                let room = usize::from(wide) - 1;
                pen.text(x, y, &format!("{text:>room$}"), style);
                pen.text(x + wide - 1, y, pen.look.mark(tone), style);
            }
        }
        true
    }
}
