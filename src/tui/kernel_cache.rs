//! The kernels that can be shown; those shown before stay loaded.

use crate::analysis::vectorise::SmemVectorisation;
use crate::kernel::Problem;
use crate::ptx::ParseError;
use crate::sim::Program;
use std::sync::Arc;

/// A kernel that is ready to run.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The problem that it computes.
    pub problem: Problem,
    /// The lowered program.
    pub program: Arc<Program>,
    /// How ptxas vectorises its shared accesses.
    pub joins: Arc<SmemVectorisation>,
}

impl Loaded {
    /// Parses and analyses a kernel: for a large one, a tenth of a second.
    ///
    /// # Errors
    /// The PTX cannot be run.
    pub fn of(problem: Problem) -> Result<Self, ParseError> {
        let program = problem.program()?;
        let joins = Arc::new(SmemVectorisation::of(&program));
        Ok(Self { problem, program, joins })
    }
}

/// A kernel of the shelf, by its index in teaching order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelIndex(usize);

/// Every kernel that can be shown, in teaching order.
#[derive(Debug)]
pub struct KernelCache {
    problems: Vec<Problem>,
    slots: Vec<Slot>,
}

#[derive(Debug)]
enum Slot {
    Problem,
    /// Being loaded.
    Asked,
    Loaded(Loaded),
}

impl KernelCache {
    /// Creates a shelf on which no kernel is loaded.
    pub fn new(problems: Vec<Problem>) -> Self {
        let slots = problems.iter().map(|_| Slot::Problem).collect();
        Self { problems, slots }
    }

    /// All problems.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Returns the kernel at an index, or the last one.
    pub fn place(&self, index: usize) -> KernelIndex {
        KernelIndex(index.min(self.problems.len().saturating_sub(1)))
    }

    /// Returns the kernel of that name.
    pub fn named(&self, name: &str) -> Option<KernelIndex> {
        self.problems.iter().position(|problem| problem.name() == name).map(KernelIndex)
    }

    /// Returns the next kernel, cyclically, or `None` if there is only one.
    pub fn after(&self, place: KernelIndex) -> Option<KernelIndex> {
        let next = (place.0 + 1) % self.problems.len();
        (next != place.0).then_some(KernelIndex(next))
    }

    /// The problem of a kernel.
    pub fn problem(&self, place: KernelIndex) -> &Problem {
        &self.problems[place.0]
    }

    /// The loaded kernel, or `None` if it is not ready to run.
    pub fn loaded(&self, place: KernelIndex) -> Option<&Loaded> {
        match &self.slots[place.0] {
            Slot::Loaded(loaded) => Some(loaded),
            Slot::Problem | Slot::Asked => None,
        }
    }

    /// Returns the problem to load, unless it is loaded or being loaded.
    pub fn ask(&mut self, place: KernelIndex) -> Option<Problem> {
        let slot = &mut self.slots[place.0];
        let asks = matches!(slot, Slot::Problem);
        asks.then(|| {
            *slot = Slot::Asked;
            self.problems[place.0].clone()
        })
    }

    /// Stores a loaded kernel; `None` if loading failed, so that a later request tries again.
    pub fn put(&mut self, place: KernelIndex, loaded: Option<Loaded>) {
        self.slots[place.0] = loaded.map_or(Slot::Problem, Slot::Loaded);
    }
}
