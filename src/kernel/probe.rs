//! What single blocks of a launch touch, before all of it is run: whether its grid, its arguments and
//! its lengths can be meant so.

use super::Problem;
use crate::launch::Dim3;
use crate::matrix::{Operand, Size};
use crate::sim::{Access, FaultKind, Machine, Memory, Order, Program};
use ptx::Space;
use std::sync::Arc;

/// The most instructions that are run: a block of a usual product at 1024 takes a third.
const MOST: usize = 1 << 20;

/// The most blocks all of which are run.
const MANY: u64 = 256;

/// The elements that blocks have touched.
#[derive(Clone, Debug)]
pub struct Probe {
    buffers: Vec<Touched>,
    /// Whether an access left the buffers.
    pub leaves: bool,
    /// Whether all blocks came to their ends.
    pub ended: bool,
    /// Whether one was stopped by an access to shared memory.
    pub overruns: bool,
}

/// Why a kernel computes no product of A and B.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoProduct {
    /// It reads the first elements of this matrix alone.
    Vector(String, u64),
    /// It reads A and B at the same places.
    Pairs,
}

/// The touched elements of a buffer.
#[derive(Clone, Debug)]
struct Touched {
    name: String,
    base: u64,
    bytes: u64,
    element: u64,
    loaded: Elements,
    stored: Elements,
}

/// A set of elements by their indices: a bit for each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Elements(Vec<u64>);

impl Elements {
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

    fn holds(&self, index: u64) -> bool {
        self.0.get((index / 64) as usize).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }
}

impl Probe {
    /// Runs the last block of a launch; if that one loads nothing, the one in the middle, and so on
    /// towards the first: where a grid is larger than the work, its last blocks have none.
    pub fn of_last(problem: &Problem, program: &Arc<Program>) -> Self {
        let last = last(problem);
        let part = |halves: u32| Dim3::new(last.x >> halves, last.y >> halves, last.z >> halves);
        let mut blocks: Vec<_> = (1..u32::BITS).map(part).collect();
        blocks.dedup();
        let mut smaller = blocks.iter().map(|block| Self::of(problem, program, &[*block]));
        let is_telling = |probe: &Self| {
            probe.leaves || probe.buffers.iter().any(|buffer| buffer.loaded.end() > 0)
        };
        let last = Self::of(problem, program, &[last]);
        if is_telling(&last) {
            return last;
        }
        smaller.find(is_telling).unwrap_or(last)
    }

    /// Runs all blocks of a launch, or if they are many, the first, the last and those in the middles.
    pub fn of_many(problem: &Problem, program: &Arc<Program>) -> Self {
        let (grid, last) = (problem.launch.grid, last(problem));
        let part = |halves: u32| Dim3::new(last.x >> halves, last.y >> halves, last.z >> halves);
        let in_z = |z| (0..grid.y).flat_map(move |y| (0..grid.x).map(move |x| Dim3::new(x, y, z)));
        let blocks: Vec<_> = if grid.volume() <= MANY {
            (0..grid.z).flat_map(in_z).collect()
        } else {
            (0..u32::BITS).map(part).collect()
        };
        Self::of(problem, program, &blocks)
    }

    fn of(problem: &Problem, program: &Arc<Program>, blocks: &[Dim3]) -> Self {
        let memory = problem.sparse_memory(program);
        let buffers = touched(problem, &memory);
        let mut probe = Self { buffers, leaves: false, ended: true, overruns: false };
        let mut left = MOST;
        for block in blocks {
            let (program, order) = (Arc::clone(program), Order::default());
            probe.run(problem.machine(program, *block, memory.clone(), order), &mut left);
        }
        probe
    }

    /// Runs a block to its end, or until no instructions are left.
    fn run(&mut self, mut machine: Machine, left: &mut usize) {
        while *left > 0 {
            *left -= 1;
            match machine.step() {
                Ok(Some(_)) => {}
                Ok(None) => return,
                Err(fault) => {
                    let in_shared = machine.program().inst(fault.pc).touches() == Some(true);
                    let outside = matches!(
                        fault.kind,
                        FaultKind::OutOfBounds { .. } | FaultKind::NullPointer { .. }
                    );
                    self.leaves |= outside && !in_shared;
                    self.overruns |= in_shared;
                    self.ended = false;
                    return;
                }
            }
            for access in machine.last().accesses() {
                self.take(access);
            }
        }
        self.ended = false;
    }

    fn take(&mut self, access: &Access) {
        if access.space != Space::Global {
            return;
        }
        for (_, addr) in access.touched() {
            let inside = |buffer: &&mut Touched| addr.wrapping_sub(buffer.base) < buffer.bytes;
            let Some(buffer) = self.buffers.iter_mut().find(inside) else { continue };
            let offset = addr - buffer.base;
            let end = (offset + u64::from(access.bytes)).div_ceil(buffer.element);
            let stores = access.direction.writes();
            let elements = if stores { &mut buffer.stored } else { &mut buffer.loaded };
            (offset / buffer.element..end).for_each(|index| elements.put(index));
        }
    }

    /// The number of elements of a buffer up to the last one that was touched.
    pub fn end(&self, buffer: &str) -> u64 {
        self.buffers.iter().find(|one| one.name == buffer).map_or(0, Touched::end)
    }

    /// Whether the last element of C was stored: the last block has its place at C's end.
    pub fn stores_the_last(&self, problem: &Problem) -> bool {
        let shape = problem.size.shape(Operand::C);
        let last = u64::from(shape.0) * u64::from(shape.1) - 1;
        let place = problem.layout(Operand::C).place_of(shape, last);
        self.matrix(Operand::C).is_some_and(|c| c.stored.holds(place))
    }

    /// Why what was touched is no part of a product of matrices of this size; `None` if it may be.
    pub fn no_product(&self, size: Size) -> Option<NoProduct> {
        let [a, b, c] = Operand::ALL.map(|operand| self.matrix(operand));
        let (a, b, c) = (a?, b?, c?);
        let Size { m, n, k } = size;
        if !self.ended || m.min(n).min(k) < 4 || c.stored.end() == 0 {
            return None;
        }
        // The last block of a product has its place at the end of A, and its columns of B have an
        // element in every row: of both it touches more than a row or a column has elements.
        let is_vector =
            |(of, side): &(&Touched, u32)| (1..=u64::from(*side)).contains(&of.loaded.end());
        let found = [(a, m.max(k)), (b, k.max(n))].into_iter().find(is_vector);
        if let Some((of, _)) = found {
            return Some(NoProduct::Vector(of.name.clone(), of.loaded.end()));
        }
        let all = u64::from(size.m) * u64::from(size.n);
        let is_whole =
            c.stored.0.iter().map(|word| u64::from(word.count_ones())).sum::<u64>() >= all;
        let pairs = a.loaded.end() > 0 && a.loaded == b.loaded;
        let sums = pairs && c.stored.end() <= u64::from(n);
        let is_each = pairs && c.loaded.end() == 0 && a.loaded == c.stored;
        ((is_each || sums) && !is_whole).then_some(NoProduct::Pairs)
    }

    fn matrix(&self, operand: Operand) -> Option<&Touched> {
        self.buffers.iter().find(|buffer| buffer.name == operand.name())
    }
}

impl Touched {
    fn end(&self) -> u64 {
        self.loaded.end().max(self.stored.end())
    }
}

fn last(problem: &Problem) -> Dim3 {
    let grid = problem.launch.grid;
    Dim3::new(grid.x - 1, grid.y - 1, grid.z - 1)
}

/// The matrices and the other buffers of a problem, untouched.
fn touched(problem: &Problem, memory: &Memory) -> Vec<Touched> {
    let matrices = problem.operands.iter();
    let matrices = matrices.map(|of| (of.name(), problem.element_type(*of)));
    let own = problem.buffers.iter().map(|buffer| (&*buffer.name, buffer.of));
    let all: Vec<_> = matrices.chain(own).collect();
    let known = |buffer: &crate::sim::Buffer| {
        let (name, of) = all.iter().find(|(name, _)| *name == buffer.name)?;
        Some(Touched {
            name: (*name).to_owned(),
            base: buffer.base,
            bytes: buffer.bytes,
            element: of.bytes() as u64,
            loaded: Elements::default(),
            stored: Elements::default(),
        })
    };
    memory.buffers().iter().filter_map(known).collect()
}
