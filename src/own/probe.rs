//! What one block of a launch touches, before all of it is run: whether it can be a product.

use crate::kernel::Problem;
use crate::launch::{Dim3, Launch};
use crate::matrix::{Operand, Size};
use crate::sim::{Access, FaultKind, Machine, Memory, Order, Program};
use ptx::Space;
use std::collections::BTreeSet;
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

/// The grid of a launch whose grid nobody states, if blocks along x have parts of C one below the other.
/// `None` if these lie side by side, or if it makes no difference.
pub(super) fn turned_grid(problem: &Problem) -> Option<Dim3> {
    let Launch { grid, block } = problem.launch;
    let usual = Launch::grid_over(problem.size.n, problem.size.m, block);
    let turned = problem.turned_grid().filter(|_| grid == usual)?;
    let second = if grid.x > 1 { Dim3::at(1, 0) } else { Dim3::at(0, 1) };
    let is_turned = match first_of_c(problem, second)? {
        (0, column) => column > 0 && second.y == 1,
        (_, column) => column == 0 && second.x == 1,
    };
    is_turned.then_some(turned)
}

/// The element of C that the first thread of a block stores first, as row and column; `None` if it is not
/// seen to store one.
fn first_of_c(problem: &Problem, block: Dim3) -> Option<(u32, u32)> {
    let program = problem.program().ok()?;
    let memory = problem.sparse_memory(&program);
    let mut machine = problem.machine(program, block, memory, Order::default());
    for _ in 0..MOST {
        let warp = machine.step().ok()??.warp;
        let step = machine.last();
        let stores = step.accesses().iter().filter(|access| {
            access.space == Space::Global && access.direction.writes() && warp == 0
        });
        let firsts = stores.filter_map(|access| access.touched().find(|(lane, _)| *lane == 0));
        for (_, addr) in firsts {
            if let Some((Operand::C, row, column)) = problem.element(machine.memory(), addr) {
                return Some((row, column));
            }
        }
    }
    None
}

/// The instructions of warps that a launch takes, as far as the block in its middle tells; far more than
/// `most` if that block does not end soon.
pub(super) fn weight(problem: &Problem, most: u64) -> u64 {
    let Ok(program) = problem.program() else { return 0 };
    let grid = problem.launch.grid;
    let block = grid.middle();
    let memory = problem.sparse_memory(&program);
    let mut machine = problem.machine(Arc::clone(&program), block, memory, Order::default());
    let blocks = problem.launch.blocks();
    let limit = (most / blocks.max(1)).clamp(LEAST_WEIGHED, MOST_WEIGHED);
    let steps = (0..limit).take_while(|_| matches!(machine.step(), Ok(Some(_)))).count() as u64;
    let all = steps.saturating_mul(blocks);
    if steps < limit { all } else { all.max(most.saturating_mul(ENDLESS)) }
}

/// How many times too long a launch is taken for whose block does not end soon.
const ENDLESS: u64 = 64;

/// Whether an access of the first, the middle or the last block of a launch leaves the buffers.
pub(super) fn leaves(problem: &Problem) -> bool {
    let Ok(program) = problem.program() else { return false };
    let end = last(problem);
    let middle = end.middle();
    let mut blocks = vec![Dim3::new(0, 0, 0), middle, end];
    blocks.dedup();
    blocks.into_iter().any(|block| Probe::of(problem, &program, block).leaves)
}

/// The words of a buffer that a launch loads, and those that it stores.
#[derive(Clone, Debug, Default)]
pub(super) struct TouchedWords {
    loaded: ElementSet,
    stored: ElementSet,
}

impl TouchedWords {
    /// The words of a range of bytes.
    pub(super) fn of_range(offset: u64, bytes: u64, is_write: bool) -> Self {
        let mut set = ElementSet::default();
        (offset / 4..(offset + bytes).div_ceil(4)).for_each(|word| set.put(word));
        let other = ElementSet::default();
        let (loaded, stored) = if is_write { (other, set) } else { (set, other) };
        Self { loaded, stored }
    }

    /// A word that one of two launches stores and the other one touches; whether both store it.
    pub(super) fn conflict(&self, other: &Self) -> Option<(u64, bool)> {
        let both = self.stored.first_common(&other.stored).map(|word| (word, true));
        let one = || self.stored.first_common(&other.loaded);
        let two = || self.loaded.first_common(&other.stored);
        both.or_else(|| one().or_else(two).map(|word| (word, false)))
    }
}

/// The blocks and instructions of a launch whose accesses are collected.
const MOST_BLOCKS: u64 = 1 << 12;
const MOST_COLLECTED: usize = 1 << 23;

/// What a launch touches of each of its buffers, each block run alone: what its first blocks do, if all take
/// long. `None` if it cannot be run.
pub(super) fn touched(problem: &Problem) -> Option<Vec<TouchedWords>> {
    let program = problem.program().ok()?;
    let mut left = MOST_COLLECTED;
    let mut all = vec![TouchedWords::default(); problem.buffers.len()];
    for index in 0..problem.launch.blocks().min(MOST_BLOCKS) {
        let memory = problem.sparse_memory(&program);
        let bases: Vec<_> = memory.buffers().iter().map(|one| (one.base, one.bytes)).collect();
        let block = problem.launch.grid.place(index);
        let mut machine = problem.machine(Arc::clone(&program), block, memory, Order::default());
        while let Ok(Some(_)) = machine.step() {
            left -= 1;
            if left == 0 {
                return Some(all);
            }
            for access in machine.last().accesses() {
                if access.space != Space::Global {
                    continue;
                }
                for (_, addr) in access.touched() {
                    let inside = |(base, bytes): &(u64, u64)| addr.wrapping_sub(*base) < *bytes;
                    let Some(number) = bases.iter().position(inside) else { continue };
                    let Some(of) = all.get_mut(number) else { continue };
                    let first = (addr - bases[number].0) / 4;
                    let words = first..first + u64::from(access.bytes).div_ceil(4);
                    let set =
                        if access.direction.writes() { &mut of.stored } else { &mut of.loaded };
                    words.for_each(|word| set.put(word));
                }
            }
        }
    }
    Some(all)
}

/// The instructions that are run of the block that is weighed: at least, and where it is the only one.
const LEAST_WEIGHED: u64 = 1 << 17;
const MOST_WEIGHED: u64 = 1 << 21;

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

    fn first_common(&self, other: &Self) -> Option<u64> {
        let at = self.0.iter().zip(&other.0).position(|(one, two)| one & two != 0)?;
        Some(64 * at as u64 + u64::from((self.0[at] & other.0[at]).trailing_zeros()))
    }

    fn indices(&self) -> impl Iterator<Item = u64> {
        let bits = |(at, word): (usize, &u64)| {
            let word = *word;
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| 64 * at as u64 + bit)
        };
        self.0.iter().enumerate().flat_map(bits)
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
        let sums = pairs && (c.stored.end() <= u64::from(n) || !may_share_rows(c, a, size));
        let is_each = pairs && c.loaded.end() == 0 && a.loaded == c.stored;
        ((is_each || sums) && !is_whole).then_some(NoProduct::Pairs)
    }

    fn matrix(&self, operand: Operand) -> Option<&TouchedMatrix> {
        self.matrices.iter().find(|matrix| matrix.operand == operand)
    }
}

/// Whether a row of C is stored of which an element of A is read, whether A lies by rows or by columns.
fn may_share_rows(c: &TouchedMatrix, a: &TouchedMatrix, size: Size) -> bool {
    let [m, n, k] = [size.m, size.n, size.k].map(u64::from);
    let stored: BTreeSet<_> = c.stored.indices().map(|at| at / n).collect();
    a.loaded.indices().any(|at| stored.contains(&(at / k)) || stored.contains(&(at % m)))
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
