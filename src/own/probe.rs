//! What one block of a launch touches, before all of it is run: whether it can be a product.

use crate::kernel::Problem;
use crate::launch::{Dim3, Launch};
use crate::matrix::{Operand, Size};
use crate::sim::{Access, FaultKind, Machine, Memory, Order, Program};
use ptx::Space;
use std::sync::Arc;

/// The most instructions that are run: a block of a usual product at 1024 takes a third.
const MOST: usize = 1 << 20;

/// The elements that a block has touched.
#[derive(Clone, Debug)]
struct Probe {
    matrices: Vec<TouchedMatrix>,
    /// Whether an access left the buffers.
    leaves: bool,
    /// Whether the block came to its end.
    ended: bool,
}

/// Why a kernel does not look like a product of A and B.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoProduct {
    /// It reads the first elements of this matrix alone.
    Vector(Operand, u64),
    /// It reads A and B at the same places.
    Pairs,
}

/// Whether a launch may be one of a product, as far as its last block shows.
pub(super) fn may_be_product(problem: &Problem) -> bool {
    let Ok(program) = problem.program() else { return false };
    let probe = Probe::of_last(problem, &program);
    !probe.leaves && probe.no_product(problem.size).is_none()
}

impl NoProduct {
    /// What a block of a launch shows; `None` if it may be one of a product.
    pub(super) fn of(problem: &Problem) -> Option<Self> {
        let program = problem.program().ok()?;
        Probe::of_last(problem, &program).no_product(problem.size)
    }
}

/// The grid of a launch whose grid nobody states, if the kernel has the rows of C along x: neighbours
/// along x store elements one below the other. `None` if the columns lie there, or if it makes no
/// difference.
pub(super) fn turned_grid(problem: &Problem) -> Option<Dim3> {
    let Launch { grid, block } = problem.launch;
    let usual = Launch::grid_over(problem.size.n, problem.size.m, block);
    let turned = problem.turned_grid().filter(|_| grid == usual && block.x > 1)?;
    has_rows_along_x(problem)?.then_some(turned)
}

/// Whether the second thread of a block stores its element of C below that of the first one; `None` if
/// they are not seen to store.
fn has_rows_along_x(problem: &Problem) -> Option<bool> {
    let program = problem.program().ok()?;
    let memory = problem.sparse_memory(&program);
    let mut machine = problem.machine(program, Dim3::at(0, 0), memory, Order::default());
    for _ in 0..MOST {
        machine.step().ok()??;
        let step = machine.last();
        let stores = step.accesses().iter().filter(|access| {
            access.space == Space::Global && access.direction.writes() && step.warp == 0
        });
        for access in stores {
            let mut touched = access.touched();
            let (first, second) = (touched.next(), touched.next());
            let (Some((0, first)), Some((1, second))) = (first, second) else { continue };
            let at = |addr| problem.element(machine.memory(), addr);
            if let (Some((Operand::C, row, column)), Some((Operand::C, below, same))) =
                (at(first), at(second))
            {
                return Some((below, same) == (row + 1, column));
            }
        }
    }
    None
}

/// The touched elements of a matrix.
#[derive(Clone, Debug)]
struct TouchedMatrix {
    operand: Operand,
    base: u64,
    bytes: u64,
    element: u64,
    loaded: ElementSet,
    stored: ElementSet,
}

/// A set of elements by their indices: a bit for each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ElementSet(Vec<u64>);

impl ElementSet {
    fn put(&mut self, index: u64) {
        let word = (index / 64) as usize;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (index % 64);
    }

    /// The number of elements up to the last one in it.
    fn end(&self) -> u64 {
        let last = self.0.iter().rposition(|word| *word != 0);
        last.map_or(0, |at| 64 * at as u64 + 64 - u64::from(self.0[at].leading_zeros()))
    }

    fn count(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }
}

impl Probe {
    /// Runs the last block of a launch; if that one loads nothing, the one in the middle, and so on
    /// towards the first: where a grid is larger than the work, its last blocks have none.
    fn of_last(problem: &Problem, program: &Arc<Program>) -> Self {
        let last = last(problem);
        let part = |halves: u32| Dim3::new(last.x >> halves, last.y >> halves, last.z >> halves);
        let mut blocks: Vec<_> = (1..u32::BITS).map(part).collect();
        blocks.dedup();
        let mut smaller = blocks.iter().map(|block| Self::of(problem, program, *block));
        let is_telling = |probe: &Self| {
            probe.leaves || probe.matrices.iter().any(|matrix| matrix.loaded.end() > 0)
        };
        let last = Self::of(problem, program, last);
        if is_telling(&last) {
            return last;
        }
        smaller.find(is_telling).unwrap_or(last)
    }

    /// Runs a block to its end, or until it has taken too many instructions.
    fn of(problem: &Problem, program: &Arc<Program>, block: Dim3) -> Self {
        let memory = problem.sparse_memory(program);
        let matrices = untouched(problem, &memory);
        let mut probe = Self { matrices, leaves: false, ended: false };
        probe.run(problem.machine(Arc::clone(program), block, memory, Order::default()));
        probe
    }

    fn run(&mut self, mut machine: Machine) {
        for _ in 0..MOST {
            match machine.step() {
                Ok(Some(_)) => {}
                Ok(None) => {
                    self.ended = true;
                    return;
                }
                Err(fault) => {
                    let in_shared = machine.program().inst(fault.pc).touches() == Some(true);
                    let outside = matches!(
                        fault.kind,
                        FaultKind::OutOfBounds { .. } | FaultKind::NullPointer { .. }
                    );
                    self.leaves |= outside && !in_shared;
                    return;
                }
            }
            for access in machine.last().accesses() {
                self.take(access);
            }
        }
    }

    fn take(&mut self, access: &Access) {
        if access.space != Space::Global {
            return;
        }
        for (_, addr) in access.touched() {
            let inside =
                |buffer: &&mut TouchedMatrix| addr.wrapping_sub(buffer.base) < buffer.bytes;
            let Some(buffer) = self.matrices.iter_mut().find(inside) else { continue };
            let offset = addr - buffer.base;
            let end = (offset + u64::from(access.bytes)).div_ceil(buffer.element);
            let stores = access.direction.writes();
            let elements = if stores { &mut buffer.stored } else { &mut buffer.loaded };
            (offset / buffer.element..end).for_each(|index| elements.put(index));
        }
    }

    /// Why what was touched is no part of a product of matrices of this size; `None` if it may be.
    fn no_product(&self, size: Size) -> Option<NoProduct> {
        let [a, b, c] = Operand::ALL.map(|operand| self.matrix(operand));
        let (a, b, c) = (a?, b?, c?);
        let Size { m, n, k } = size;
        if !self.ended || m.min(n).min(k) < 4 || c.stored.end() == 0 {
            return None;
        }
        // The last block of a product has its place at the end of A, and its columns of B have an
        // element in every row: of both it touches more than a row or a column has elements.
        for (operand, of, side) in [(Operand::A, a, m.max(k)), (Operand::B, b, k.max(n))] {
            if (1..=u64::from(side)).contains(&of.loaded.end()) {
                return Some(NoProduct::Vector(operand, of.loaded.end()));
            }
        }
        let is_whole = c.stored.count() >= u64::from(m) * u64::from(n);
        let pairs = a.loaded.end() > 0 && a.loaded == b.loaded;
        let sums = pairs && c.stored.end() <= u64::from(n);
        let is_each = pairs && c.loaded.end() == 0 && a.loaded == c.stored;
        ((is_each || sums) && !is_whole).then_some(NoProduct::Pairs)
    }

    fn matrix(&self, operand: Operand) -> Option<&TouchedMatrix> {
        self.matrices.iter().find(|matrix| matrix.operand == operand)
    }
}

fn last(problem: &Problem) -> Dim3 {
    let grid = problem.launch.grid;
    Dim3::new(grid.x - 1, grid.y - 1, grid.z - 1)
}

fn untouched(problem: &Problem, memory: &Memory) -> Vec<TouchedMatrix> {
    let known = |operand: &Operand| {
        let buffer = memory.buffers().iter().find(|buffer| buffer.name == operand.name())?;
        Some(TouchedMatrix {
            operand: *operand,
            base: buffer.base,
            bytes: buffer.bytes,
            element: problem.element_type(*operand).bytes() as u64,
            loaded: ElementSet::default(),
            stored: ElementSet::default(),
        })
    };
    problem.operands.iter().filter_map(known).collect()
}
