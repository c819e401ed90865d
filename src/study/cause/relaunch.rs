//! Runs a kernel at another size or with another grid, and judges its C.

use super::comparison::Comparison;
use super::stored::{StoreMarker, StoreMarks};
use crate::analysis::grid;
use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::matrix::{Operand, Size};
use crate::sim::{Fault, Machine, Memory, Order, Poison, Program};
use crate::study::errors::errors;
use crate::work::WorkToken;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Instructions that a block may issue.
const MOST: u64 = 4_000_000;

/// Products up to which a whole grid is run: of a larger one, some blocks.
const WHOLE: u64 = 1 << 24;

/// What shared memory holds where nothing was stored: a C that is right by the zeros there says nothing.
const UNWRITTEN: Poison = Poison::Above;

/// Elements of a block that are compared.
const SAMPLE: usize = 256;

/// Whether the kernel is right at this size.
pub(super) fn is_right_at(problem: &Problem, size: Size) -> bool {
    let whole = [size.m, size.n, size.k].iter().map(|side| u64::from(*side)).product::<u64>();
    let checked = size.checked().is_ok();
    checked && problem.at_size(size).iter().any(|other| is_right(other, MOST, whole <= WHOLE))
}

/// The different sides of a size that is not square, if the kernel is right with each of them for M,
/// N and K.
pub(super) fn square_only(problem: &Problem) -> Option<Vec<u32>> {
    let Size { m, n, k } = problem.size;
    let mut sides = vec![m, n, k];
    sides.sort_unstable();
    sides.dedup();
    let is_square = sides.len() == 1;
    let right = |side: &u32| is_right_at(problem, Size::square(*side));
    (!is_square && sides.iter().all(right)).then_some(sides)
}

/// Whether a launch makes the right C: blocks at both ends of the grid and in its middle and, if
/// `whole`, all.
pub(super) fn is_right(problem: &Problem, budget: u64, whole: bool) -> bool {
    let Ok(program) = problem.program() else { return false };
    let launch = problem.launch;
    let mut numbers = vec![0, launch.blocks() / 2, launch.blocks() - 1];
    numbers.dedup();
    let mut blocks = numbers.into_iter().map(|number| launch.grid.place(number));
    let budget = budget.max(MOST);
    blocks.all(|block| has_right_part(problem, &program, block, budget))
        && (!whole || has_right_product(problem, &program, budget))
}

/// Whether what a block stores is right, as far as it stores anything.
fn has_right_part(problem: &Problem, program: &Arc<Program>, block: Dim3, budget: u64) -> bool {
    let memory = problem.sparse_memory(program);
    let marks = StoreMarks::new(problem, &memory, None);
    let mut watch = MemoryKeeper { watch: StoreMarker::new(&marks), memory: None };
    let machine = problem.machine(Arc::clone(program), block, memory, Order::default());
    let machine = machine.with_poison(UNWRITTEN);
    let _ = grid::observe_block(machine, 0, budget, &mut watch);
    let Some(memory) = watch.memory else { return false };
    let Some(c) = memory.named(Operand::C.name()) else { return false };
    let stored = marks.places();
    let stride = stored.len().div_ceil(SAMPLE).max(1);
    let some: Vec<_> = stored.into_iter().step_by(stride).collect();
    let part = (0..problem.size.m, 0..problem.size.n);
    Comparison::new(problem, c, part, 0.0).is_right_where(&some)
}

/// Whether the whole C is right.
fn has_right_product(problem: &Problem, program: &Arc<Program>, budget: u64) -> bool {
    let memory = problem.dense_memory(program);
    let machine = |block| {
        let machine = problem.machine(Arc::clone(program), block, memory.clone(), Order::default());
        machine.with_poison(UNWRITTEN)
    };
    let token = &WorkToken::default();
    let ended = grid::run_within((problem.launch, None), budget, machine, token).is_ok();
    let part = (0..problem.size.m, 0..problem.size.n);
    let c = memory.named(Operand::C.name()).filter(|_| ended);
    c.is_some_and(|c| errors(problem, c, part, 0.0).wrong().elements == 0)
}

/// Keeps the memory of a block that comes to its end.
struct MemoryKeeper<'a> {
    watch: StoreMarker<'a>,
    memory: Option<Memory>,
}

impl grid::Observer for MemoryKeeper<'_> {
    fn start(&mut self, machine: &Machine, number: u64) {
        self.watch.start(machine, number);
    }

    fn step(&mut self, machine: &Machine) {
        self.watch.step(machine);
    }

    fn end(&mut self, machine: &mut Machine, end: Result<(), Fault>) -> ControlFlow<()> {
        self.memory = end.is_ok().then(|| machine.memory().clone());
        self.watch.end(machine, end)
    }
}
