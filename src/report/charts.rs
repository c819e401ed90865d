//! The data of the Measure screen's pictures: what each shows, a sentence about it, and its table.

mod counter;
pub mod counts;
pub mod ladder;
pub mod memory;
pub mod metrics;
pub mod occupancy;
pub mod roofline;
mod shown;
pub mod sizes;
pub mod table;
mod traffic;
pub mod units;
pub mod why;

pub use self::shown::{ChartData, FigureSource};
pub use self::traffic::Traffic;
use super::ladder::Rung;
use crate::timing::pack::{Freshness, freshness};

impl Rung<'_> {
    /// Whether an older version of the kernel was measured.
    pub fn is_stale(&self) -> bool {
        freshness(self.row) == Freshness::Stale
    }
}

/// The letter that marks rung number `index` on charts.
pub fn letter(index: usize) -> char {
    char::from_u32('a' as u32 + index as u32 % 26).unwrap_or('?')
}
