//! The values of the elements, as text in few columns.

use crate::matrix::Operand;
use crate::tui::layout::text::width;

/// The values of all elements of A, B and C, row by row; `None` if an element has none yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatrixValues(pub [Vec<Option<f64>>; 3]);

impl MatrixValues {
    /// The columns of the widest value of a matrix.
    pub(super) fn width_of(&self, operand: Operand) -> u16 {
        let values = self.0[operand as usize].iter().flatten();
        values.map(|value| width(&text(*value))).max().unwrap_or(0)
    }

    /// The width of the widest value that a matrix may ever have, so that the picture does not jump: an
    /// element of C is a sum of `k` products.
    pub(super) fn most_width_of(&self, operand: Operand, k: u32) -> u16 {
        if operand != Operand::C {
            return self.width_of(operand);
        }
        let all = |operand: Operand| self.0[operand as usize].iter().flatten();
        let largest = |operand| all(operand).map(|value| value.abs()).fold(0.0, f64::max);
        let most = largest(Operand::A) * largest(Operand::B) * f64::from(k);
        let signed = all(Operand::A).chain(all(Operand::B)).any(|value| *value < 0.0);
        let most = if signed { -most } else { most };
        width(&text(most)).max(self.width_of(operand))
    }

    /// The value of an element, by its number in its matrix.
    pub(super) fn get(&self, operand: Operand, index: u32) -> Option<f64> {
        self.0[operand as usize].get(index as usize).copied().flatten()
    }
}

/// A value in few columns: `7`, `-0.37`, `1.2e9`.
pub fn text(value: f64) -> String {
    // Of -0, only the 0.
    let value = value + 0.0;
    if value.abs() >= 1e7 {
        format!("{value:.1e}")
    } else if value.fract() == 0.0 {
        format!("{value}")
    } else {
        format!("{value:.2}")
    }
}
