//! Finds the elements of C that no thread stores, by running the grid once more.

use super::super::simulation::{Simulated, Simulation};
use crate::analysis::grid::{self, Observer};
use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::matrix::judge::Mismatch;
use crate::matrix::{Element, Layout, Operand};
use crate::sim::{Fault, Machine, Memory};
use ptx::Space;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Instructions that a block may issue at least, whatever the grid took.
const LEAST: u64 = 100_000;

/// The elements of C that were stored, and the blocks that did not complete.
pub(super) struct StoredElements {
    elements: Vec<AtomicBool>,
    layout: Layout,
    shape: (u32, u32),
    /// The number of blocks that were stopped by a fault.
    pub(super) stopped: u64,
    /// A block that stores the element in question.
    pub(super) by: Option<Dim3>,
}

impl StoredElements {
    /// Runs the grid of a simulation again; `first` is the element in question.
    pub(super) fn of(simulation: &Simulation<'_>, simulated: &Simulated, first: Mismatch) -> Self {
        let Simulation { problem, program, ref order, budget, .. } = *simulation;
        let of_grid = simulated.counters.ptx.warp_instructions;
        let memory = problem.dense_memory(program);
        let marks = StoreMarks::new(problem, &memory, Some((first.row, first.column)));
        let machine =
            |block| problem.machine(Arc::clone(program), block, memory.clone(), order.clone());
        let budget = budget.min(of_grid.max(LEAST));
        let watches = grid::observe(problem.launch, budget, machine, || StoreMarker::new(&marks));
        let stopped = watches.iter().map(|watch| watch.stopped).sum();
        let by = watches.iter().find_map(|watch| watch.by);
        let StoreMarks { elements, layout, shape, .. } = marks;
        Self { elements, layout, shape, stopped, by }
    }

    /// Whether the element with this index, row by row, was stored.
    pub(super) fn holds(&self, index: u64) -> bool {
        let place = self.layout.place_of(self.shape, index);
        self.elements.get(place as usize).is_some_and(|mark| mark.load(Relaxed))
    }

    pub(super) fn has(&self, Mismatch { row, column, .. }: Mismatch) -> bool {
        self.holds(u64::from(row) * u64::from(self.shape.1) + u64::from(column))
    }

    /// The number of elements that were not stored.
    pub(super) fn missing(&self) -> u64 {
        let all = u64::from(self.shape.0) * u64::from(self.shape.1);
        (0..all).filter(|index| !self.holds(*index)).count() as u64
    }
}

/// Where the elements of C lie, and which were stored.
pub(super) struct StoreMarks {
    /// By their places in memory.
    elements: Vec<AtomicBool>,
    start: u64,
    bytes: u64,
    layout: Layout,
    shape: (u32, u32),
    /// The place of the element in question.
    asked: Option<u64>,
}

impl StoreMarks {
    pub(super) fn new(problem: &Problem, memory: &Memory, asked: Option<(u32, u32)>) -> Self {
        let first = Element { operand: Operand::C, row: 0, column: 0 };
        let (start, bytes) = problem.place(memory, first).unwrap_or((0, 4));
        let (layout, shape) = (problem.layout(Operand::C), problem.size.shape(Operand::C));
        Self {
            elements: (0..layout.places(shape)).map(|_| AtomicBool::new(false)).collect(),
            start,
            bytes: bytes.into(),
            layout,
            shape,
            asked: asked.map(|(row, column)| layout.place(shape, row, column)),
        }
    }

    /// The rows and columns of the elements that were stored.
    pub(super) fn places(&self) -> Vec<(u32, u32)> {
        let stored = self.elements.iter().enumerate().filter(|(_, mark)| mark.load(Relaxed));
        let place = |(place, _): (usize, _)| self.layout.at(self.shape, place as u64);
        stored.filter_map(place).collect()
    }
}

/// Marks what blocks store.
pub(super) struct StoreMarker<'a> {
    marks: &'a StoreMarks,
    pub(super) stopped: u64,
    by: Option<Dim3>,
}

impl<'a> StoreMarker<'a> {
    pub(super) const fn new(marks: &'a StoreMarks) -> Self {
        Self { marks, stopped: 0, by: None }
    }

    /// Marks the elements that these bytes belong to.
    fn store(&mut self, addr: u64, bytes: u64, block: Dim3) {
        let StoreMarks { elements, start, bytes: each, asked, .. } = self.marks;
        let (first, end) = (addr.wrapping_sub(*start), addr.wrapping_sub(*start) + bytes);
        if first >= *each * elements.len() as u64 {
            return;
        }
        let touched = first / each..end.div_ceil(*each);
        for mark in touched.clone().filter_map(|index| elements.get(index as usize)) {
            mark.store(true, Relaxed);
        }
        if asked.is_some_and(|asked| touched.contains(&asked)) {
            self.by = Some(block);
        }
    }
}

impl Observer for StoreMarker<'_> {
    fn start(&mut self, _: &Machine, _: u64) {}

    fn step(&mut self, machine: &Machine) {
        for access in machine.last().accesses() {
            if access.space == Space::Global && access.direction.writes() {
                let block = machine.blocks().block_of(machine.last().warp);
                for (_, addr) in access.touched() {
                    self.store(addr, access.bytes.into(), block);
                }
            }
        }
    }

    fn end(&mut self, _: &mut Machine, end: Result<(), Fault>) -> ControlFlow<()> {
        self.stopped += u64::from(end.is_err());
        ControlFlow::Continue(())
    }
}
