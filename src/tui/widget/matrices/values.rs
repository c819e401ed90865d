//! The values of the elements, written into their cells.

use super::plan::Grid;
use super::{Canvas, Matrices};
use crate::matrix::{Element, Operand};
use crate::tui::theme::{Depth, Look, Role, Tone};
use crate::tui::widget::pen::{Pen, width};
use ratatui::style::{Modifier, Style};

/// The values of all elements of A, B and C, row by row; `None` if an element has none yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values(pub [Vec<Option<f32>>; 3]);

impl Values {
    /// The columns of the widest value.
    pub(super) fn width(&self) -> u16 {
        Operand::ALL.map(|operand| self.width_of(operand)).into_iter().max().unwrap_or(0)
    }

    fn width_of(&self, operand: Operand) -> u16 {
        let values = self.0[operand as usize].iter().flatten();
        values.map(|value| width(&text(*value))).max().unwrap_or(0)
    }

    fn get(&self, operand: Operand, index: u32) -> Option<f32> {
        self.0[operand as usize].get(index as usize).copied().flatten()
    }
}

/// A value in few columns: `7`, `-0.37`.
fn text(value: f32) -> String {
    if value.fract() == 0.0 && value.abs() < 1e4 {
        format!("{value}")
    } else {
        format!("{value:.2}")
    }
}

impl Matrices<'_> {
    /// Writes the values into the elements, if they are known and all fit; returns whether.
    pub(super) fn values(&self, pen: &mut Pen<'_>, grid: &Grid, canvas: &Canvas) -> bool {
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
            let (x, y) = (grid.x + x, grid.y + y / 2 + (high - 1) / 2);
            let style = over(pen.look, tone);
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

/// The style of text on a tone.
fn over(look: Look, tone: Tone) -> Style {
    match (tone, look.depth) {
        (Tone::Full(Role::Here), _) => look.fill(Role::Here).add_modifier(Modifier::BOLD),
        (_, Depth::Mono) => Style::new(),
        (Tone::Full(role), _) => look.fill(role),
        (Tone::Half(role), _) => look.past(role),
        (Tone::None, _) => look.text(),
        (Tone::Faint | Tone::Ahead(_), _) => look.text().bg(look.tone(tone)),
    }
}
