//! Logarithmic scales, for figures that differ by factors.

/// A logarithmic scale onto a number of cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// The value at the first cell.
    pub(super) low: f64,
    /// The value at the last cell.
    pub(super) high: f64,
    /// The number of cells.
    pub(super) cells: u16,
}

impl Scale {
    /// Creates a scale from the smallest of the values to the largest.
    pub(super) fn over(values: impl Iterator<Item = f64> + Clone, cells: u16) -> Self {
        let low = values.clone().fold(f64::INFINITY, f64::min).max(1e-9);
        let high = values.fold(low, f64::max);
        Self { low, high, cells }
    }

    /// Returns the cell of a value, from 0.
    pub(super) fn cell(self, value: f64) -> u16 {
        let range = (self.high / self.low).ln();
        let part = if range > 0.0 { (value.max(self.low) / self.low).ln() / range } else { 0.0 };
        (part.clamp(0.0, 1.0) * f64::from(self.cells.saturating_sub(1))).round() as u16
    }

    /// Returns the value at the middle of a cell.
    pub(super) fn value(self, cell: u16) -> f64 {
        let part = f64::from(cell) / f64::from(self.cells.saturating_sub(1).max(1));
        self.low * (self.high / self.low).powf(part)
    }

    /// Yields the powers of ten on the scale, ascending.
    pub(super) fn decades(self) -> impl Iterator<Item = f64> {
        let (first, last) = (self.low.log10().ceil() as i32, self.high.log10().floor() as i32);
        (first..=last).map(|power| 10_f64.powi(power))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_falls_on_a_cell_and_the_cell_has_the_value() {
        let scale = Scale { low: 1.0, high: 1000.0, cells: 31 };
        assert_eq!([0.5, 1.0, 10.0, 1000.0, 1e9].map(|v| scale.cell(v)), [0, 0, 10, 30, 30]);
        assert!((scale.value(10) - 10.0).abs() < 1e-9);
        assert_eq!(scale.decades().collect::<Vec<_>>(), [1.0, 10.0, 100.0, 1000.0]);
    }

    #[test]
    fn one_value_alone_falls_on_the_first_cell() {
        assert_eq!(Scale::over([7.0].into_iter(), 5).cell(7.0), 0);
    }
}
