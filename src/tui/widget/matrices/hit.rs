//! Finds the element at a position of the screen, and the position of an element.

use super::MatricesPanel;
use crate::matrix::Element;
use ratatui::layout::Rect;

/// Returns the element at a position of the screen.
pub fn hit(matrices: &MatricesPanel<'_>, area: Rect, x: u16, y: u16) -> Option<Element> {
    let (x, y) = (x.checked_sub(area.x)?, y.checked_sub(area.y)?);
    matrices.plan(area)?.grids.iter().find_map(|grid| {
        let right = x.checked_sub(grid.x).filter(|right| *right < grid.width())?;
        let down = y.checked_sub(grid.y).filter(|down| *down < grid.height())?;
        let (row, column) = grid.element(right, 2 * down)?;
        Some(Element { operand: grid.operand, row, column })
    })
}

/// Returns the columns and half rows of the screen that show these elements, as far as they are in
/// view.
pub fn halves_of(matrices: &MatricesPanel<'_>, area: Rect, elements: &[Element]) -> Vec<Rect> {
    let Some(plan) = matrices.plan(area) else { return Vec::new() };
    let one = |element: &Element| {
        let grid = plan.grids.iter().find(|grid| grid.operand == element.operand)?;
        let pixels = || grid.pixels(element.row, element.column);
        let (left, top) = pixels().next()?;
        let (right, bottom) = pixels().last()?;
        Some(Rect {
            x: area.x + grid.x + left,
            y: 2 * (area.y + grid.y) + top,
            width: right - left + 1,
            height: bottom - top + 1,
        })
    };
    elements.iter().filter_map(one).collect()
}
