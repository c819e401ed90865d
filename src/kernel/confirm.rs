//! Runs a block of a kernel of the catalogue whose source was changed, to see what the catalogue says
//! of it that still holds.

use super::definition::Kernel;
use super::find;
use super::problem::{CatalogueEntry, Problem};
use super::shared_tile::SharedTile;
use super::tile::MAX_TILE;
use super::variant::Variant;
use crate::launch::Dim3;
use crate::matrix::{Operand, Size};
use crate::sim::{Access, Direction, Effect, Machine, Order, Program, SharedArray};
use ptx::Space;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// The longest k of the run that is watched.
const LONGEST: u32 = 128;

/// Steps after which it is given up: a block of the largest tile takes a tenth of that.
const MOST: usize = 1 << 20;

impl Problem {
    /// The kernel of the catalogue that this one is or, by its name, its launch and its arguments,
    /// is made from.
    pub fn original(&self) -> Option<(&'static Kernel, Variant)> {
        if let Some(CatalogueEntry { kernel, variant, .. }) = self.known {
            return Some((kernel, variant));
        }
        let kernel = find(&self.entry).filter(|kernel| self.words == kernel.arguments)?;
        let is_so = self.layouts == kernel.layouts(self.size);
        let squares = (1..=MAX_TILE).filter(|_| kernel.square).map(Variant::square);
        let mut variants = kernel.variants.iter().copied().chain(squares);
        let is_it = |variant: &Variant| {
            (variant.launch(self.size), variant.dynamic_shared) == (self.launch, self.shared)
        };
        Some((kernel, variants.find(|variant| is_so && is_it(variant))?))
    }

    /// The same kernel with what the catalogue says of its original, if it has one that was changed.
    ///
    /// One block is run; the kernel stays one like any other if that does not work as the catalogue
    /// says: with as many multiply-adds for each tile along k, on its own part of C.
    #[must_use]
    pub fn recognised(self, program: &Arc<Program>) -> Self {
        self.with_original(program).unwrap_or(self)
    }

    fn with_original(&self, program: &Arc<Program>) -> Option<Self> {
        // The blocks of a cluster would be watched together.
        if self.known.is_some() || program.blocks_together() > 1 {
            return None;
        }
        let (kernel, variant) = self.original()?;
        let known = Self {
            seed: self.seed,
            source: Some(self.source.clone()?),
            known: Some(CatalogueEntry { kernel, variant, is_changed: true }),
            ..Self::of(kernel, variant, self.size, self.ptx.clone())
        };
        let short = known.resized(Size { k: self.size.k.min(LONGEST), ..self.size })?;
        let stores = CatalogueCheck::of(&short, kernel, variant)?.run(program)?;
        let tiles = kernel.shared.iter();
        let shared_tiles = tiles.filter_map(|tile| stores.layout(&short, tile, program)).collect();
        Some(Self { shared_tiles, ..known })
    }
}

/// A run of one block that is compared with what the catalogue says.
struct CatalogueCheck<'a> {
    problem: &'a Problem,
    block: Dim3,
    /// The rows and columns of C that the block may store.
    part: (Range<u32>, Range<u32>),
    /// Multiply-adds of each thread for a tile.
    each: u32,
    /// Whether terms beyond the end of k are computed, on zeros.
    pads: bool,
    /// Multiply-adds that each warp has done.
    fma: Vec<u32>,
    stores: Stores,
}

/// What a block stores in shared memory: (word, value).
#[derive(Default)]
struct Stores {
    words: BTreeSet<(u32, u32)>,
    /// The first row and the first column of the block's part of C.
    first: (u32, u32),
}

impl<'a> CatalogueCheck<'a> {
    fn of(problem: &'a Problem, kernel: &Kernel, variant: Variant) -> Option<Self> {
        let grid = problem.launch.grid;
        let block = Dim3::new(grid.x / 2, grid.y / 2, 0);
        let part = problem.part(block)?;
        let stores = Stores { first: (part.0.start, part.1.start), ..Stores::default() };
        let fma = vec![0; problem.launch.warps() as usize];
        let (each, pads) = (variant.fma_per_thread(), kernel.pads);
        Some(Self { problem, block, part, each, pads, fma, stores })
    }

    /// Runs the block; `None` if it does something else than the catalogue says.
    fn run(mut self, program: &Arc<Program>) -> Option<Stores> {
        let memory = self.problem.sparse_memory(program);
        let order = Order::default();
        let mut machine = self.problem.machine(Arc::clone(program), self.block, memory, order);
        for _ in 0..MOST {
            match machine.step() {
                Ok(Some(_)) => self.take(&machine)?,
                Ok(None) => return self.ends_whole().then_some(self.stores),
                // What a block that cannot continue has done up to there is as it should be.
                Err(_) => return Some(self.stores),
            }
        }
        None
    }

    fn take(&mut self, machine: &Machine) -> Option<()> {
        let step = machine.last();
        let warp = usize::from(step.warp);
        self.fma[warp] += u32::from(matches!(
            step.effect,
            Effect::Fma | Effect::Contracted { fused: true, of_halves: false, .. }
        ));
        let stores = step.accesses().iter().filter(|of| of.direction == Direction::Store);
        for access in stores {
            match access.space {
                Space::Shared if self.pads && !self.fma[warp].is_multiple_of(self.each) => {
                    return None;
                }
                Space::Shared => self.stores.words.extend(stored(machine, access)),
                Space::Global if !self.is_own(machine, access) => return None,
                _ => {}
            }
        }
        Some(())
    }

    /// Whether an access stores nothing but the block's part of C.
    fn is_own(&self, machine: &Machine, access: &Access) -> bool {
        let (rows, columns) = &self.part;
        access.touched().all(|(_, addr)| match self.problem.element(machine.memory(), addr) {
            Some((Operand::C, row, column)) => rows.contains(&row) && columns.contains(&column),
            _ => false,
        })
    }

    /// Whether each warp has done whole tiles or, without padding, all of k.
    fn ends_whole(&self) -> bool {
        let k = self.problem.size.k;
        let whole = |fma: &u32| {
            if self.pads { fma.is_multiple_of(self.each) } else { [0, k].contains(fma) }
        };
        self.fma.iter().all(whole)
    }
}

/// The words of shared memory that a store has just written, with their values.
fn stored(machine: &Machine, access: &Access) -> Vec<(u32, u32)> {
    let bytes = u64::from(access.bytes);
    let words = access.touched().flat_map(|(_, addr)| (addr..addr + bytes).step_by(4));
    let value = |addr: u64| machine.shared().get(addr as usize / 4).copied();
    words.filter_map(|addr| Some(((addr / 4) as u32, value(addr)?))).collect()
}

impl Stores {
    /// The layout with which the array of a tile holds elements of its matrix, as stored or turned:
    /// each word that was stored is one of the elements that belong there, or the zero beyond an
    /// edge.
    fn layout(
        &self,
        problem: &Problem,
        known: &SharedTile,
        program: &Program,
    ) -> Option<SharedTile> {
        let tile = problem.tile()?;
        let array = program.shared.iter().find(|array| array.name == known.name)?;
        let &[rows, columns] = &*array.extents else { return None };
        let ways = [known.transposed, !known.transposed].into_iter();
        let mut layouts = ways.filter_map(|transposed| {
            let layout = SharedTile { transposed, pad: 0, ..*known };
            let (down, across) = layout.shape(tile);
            let pad = columns.checked_sub(across).filter(|_| down == rows)?;
            Some(SharedTile { pad, ..layout })
        });
        layouts.find(|layout| self.agree(problem, layout, array))
    }

    fn agree(&self, problem: &Problem, layout: &SharedTile, array: &SharedArray) -> bool {
        let Some(tile) = problem.tile() else { return false };
        let (_, columns) = layout.shape(tile);
        let (first, count) = (array.offset / 4, array.bytes / 4);
        let inside = self.words.iter().filter(|(word, _)| word.wrapping_sub(first) < count);
        let mut any = false;
        let all = inside.into_iter().all(|(word, value)| {
            let at = word - first;
            let Some(within) = layout.within(tile, (at / columns, at % columns)) else {
                return false;
            };
            let is_it = self.values(problem, layout.of, within).any(|known| known == *value);
            any |= is_it;
            is_it || *value == 0
        });
        all && any
    }

    /// The values of the elements that one place of the tile holds, one for each step along k.
    fn values(
        &self,
        problem: &Problem,
        of: Operand,
        (row, column): (u32, u32),
    ) -> impl Iterator<Item = u32> {
        let step = problem.tile().map_or(1, |tile| tile.k.max(1)) as usize;
        let (rows, columns) = problem.size.shape(of);
        let places = (0..problem.size.k).step_by(step).map(move |k| match of {
            Operand::A => (self.first.0 + row, k + column),
            Operand::B | Operand::C => (k + row, self.first.1 + column),
        });
        places.filter(move |(row, column)| *row < rows && *column < columns).map(
            move |(row, column)| {
                let index = u64::from(row) * u64::from(columns) + u64::from(column);
                (problem.before(of, index) as f32).to_bits()
            },
        )
    }
}
