//! The data behind the pictures, and the sources of figures.

use super::counts::ChartCounts;
use super::traffic::Traffic;
use crate::matrix::Size;
use crate::report::ladder::{self, Rung};
use crate::timing::pack::Pack;

/// The source of a figure, shown next to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureSource {
    /// A clock, or the hardware's counters.
    Measured,
    /// Counts of the simulator for the same PTX.
    Simulated,
    /// The loaded module, as the driver reports it.
    Module,
    /// Computed from the size alone.
    Model,
}

impl FigureSource {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Simulated => "simulated",
            Self::Module => "module",
            Self::Model => "model",
        }
    }
}

/// The data behind the pictures.
#[derive(Clone, Debug)]
pub struct ChartData<'a> {
    /// The measurements.
    pub pack: &'a Pack,
    pub size: Size,
    /// The rungs at that size.
    pub rungs: Vec<Rung<'a>>,
    /// The number of the chosen rung.
    pub rung: usize,
    /// The rung that it is compared with, or `None` for the first rung without another choice.
    pub beside: Option<usize>,
    /// The simulated counts so far.
    pub counts: &'a ChartCounts,
    /// The traffic that the roofline shows.
    pub traffic: Traffic,
}

impl<'a> ChartData<'a> {
    /// Rung number `rung` of a pack at a size, compared with rung number `beside` or else with the
    /// one before it.
    pub fn new(
        pack: &'a Pack,
        counts: &'a ChartCounts,
        size: Size,
        (rung, beside): (usize, Option<usize>),
        traffic: Traffic,
    ) -> Self {
        let rungs = ladder::rungs(&pack.rows, size);
        let other = beside.filter(|other| *other != rung && *other < rungs.len());
        let beside = other.or_else(|| rung.checked_sub(1));
        Self { pack, size, rungs, rung, beside, counts, traffic }
    }

    /// The bytes of a rung's traffic, and their source, if they are known.
    pub fn bytes(&self, rung: &Rung<'_>) -> Option<(f64, FigureSource)> {
        self.traffic.bytes(rung.row, rung.precision, self.counts)
    }

    /// The chosen rung, if anything was measured.
    pub fn current(&self) -> Option<&Rung<'a>> {
        self.rungs.get(self.rung)
    }

    /// The rung that the chosen one is compared with, then the chosen one.
    pub fn pair(&self) -> Option<[&Rung<'a>; 2]> {
        Some([self.rungs.get(self.beside?)?, self.current()?])
    }
}
