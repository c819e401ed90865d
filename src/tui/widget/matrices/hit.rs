//! Finds the element at a position of the screen.

use super::Matrices;
use crate::matrix::Element;
use ratatui::layout::Rect;

/// Returns the element at a position of the screen.
pub fn hit(matrices: &Matrices<'_>, area: Rect, x: u16, y: u16) -> Option<Element> {
    let (x, y) = (x.checked_sub(area.x)?, y.checked_sub(area.y)?);
    matrices.plan(area)?.grids.iter().find_map(|grid| {
        let right = x.checked_sub(grid.x).filter(|right| *right < grid.width())?;
        let down = y.checked_sub(grid.y).filter(|down| *down < grid.height())?;
        let (row, column) = grid.element(right, 2 * down)?;
        Some(Element { operand: grid.operand, row, column })
    })
}
