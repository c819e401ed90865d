//! The kernels that can be shown, with their tiles; those shown before stay loaded.

use crate::analysis::vectorise::SmemVectorisation;
use crate::kernel::{Problem, Tile};
use crate::sim::Program;
use ptx::ParseError;
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

/// A kernel of the cache with a tile, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelIndex(usize);

/// Every kernel that can be shown, with every tile that has been chosen.
#[derive(Debug)]
pub struct KernelCache {
    /// The kernels with their first tiles, in teaching order; then those with other tiles.
    problems: Vec<Problem>,
    slots: Vec<CacheSlot>,
    /// The number of kernels.
    kernels: usize,
    /// The tiles that were chosen, the newest last.
    chosen: Vec<Tile>,
}

/// The kernels that can be shown, and which of them are.
#[derive(Debug)]
pub struct Kernels {
    pub cache: KernelCache,
    /// The kernel that the panels show.
    pub shown: KernelIndex,
    /// The kernel that the panels will show as soon as it is loaded.
    pub loading: Option<KernelIndex>,
    /// The kernel with the tile that it had before, after a change of the tile: the one that is
    /// shown is compared with it.
    pub before: Option<KernelIndex>,
    /// The product whose numbers all fit, and the kernel that was shown before it.
    pub numbers: Option<(KernelIndex, KernelIndex)>,
    /// (row, column) of the element of C at which the watched block began before the tile grew.
    pub anchor: Option<(u32, u32)>,
}

impl Kernels {
    /// Shows the kernel at an index in teaching order.
    pub fn new(problems: Vec<Problem>, index: usize) -> Self {
        let cache = KernelCache::new(problems);
        Self {
            shown: cache.place(index),
            cache,
            loading: None,
            before: None,
            numbers: None,
            anchor: None,
        }
    }

    pub fn of(problems: Vec<Problem>, index: usize, loaded: &Loaded) -> Self {
        let mut kernels = Self::new(problems, index);
        kernels.cache.put(kernels.shown, Some(loaded.clone()));
        kernels
    }

    /// The kernel that is shown, or about to be shown.
    pub fn coming(&self) -> KernelIndex {
        self.loading.unwrap_or(self.shown)
    }

    /// Returns the kernel to compare with the one that is shown: the same with the tile before, or
    /// another one.
    pub fn compared(&self) -> Option<KernelIndex> {
        self.before.or_else(|| self.beside())
    }

    /// Returns the other kernel, which best shows what is new in the one that is coming.
    pub fn beside(&self) -> Option<KernelIndex> {
        self.cache.named(self.cache.problem(self.coming()).catalogue()?.beside)
    }

    /// Returns the next kernel in teaching order; after the last, the first.
    pub fn next_rung(&self) -> Option<KernelIndex> {
        self.cache.after(self.coming())
    }

    /// Returns the one before; before the first, the last.
    pub fn previous_rung(&self) -> Option<KernelIndex> {
        self.cache.neighbour(self.coming(), self.cache.kernels.saturating_sub(1))
    }
}

#[derive(Debug)]
enum CacheSlot {
    Problem,
    /// Being loaded.
    Asked,
    Loaded(Box<Loaded>),
}

impl KernelCache {
    /// Creates a cache on which no kernel is loaded, from a problem for each, in teaching order.
    pub fn new(problems: Vec<Problem>) -> Self {
        let slots = problems.iter().map(|_| CacheSlot::Problem).collect();
        Self { kernels: problems.len(), problems, slots, chosen: Vec::new() }
    }

    /// The problem of each kernel, with the tile chosen last of those that it has.
    pub fn problems(&self) -> Vec<Problem> {
        (0..self.kernels).map(|rank| self.problem(self.current(rank)).clone()).collect()
    }

    /// Returns the kernel at an index in teaching order, or the last one, with its first tile.
    pub fn place(&self, index: usize) -> KernelIndex {
        KernelIndex(index.min(self.kernels.saturating_sub(1)))
    }

    /// Returns the kernel of that name, with the tile chosen last of those that it has.
    pub fn named(&self, name: &str) -> Option<KernelIndex> {
        self.rank(name).map(|rank| self.current(rank))
    }

    /// Returns the next kernel, cyclically, or `None` if there is only one.
    pub fn after(&self, place: KernelIndex) -> Option<KernelIndex> {
        self.neighbour(place, 1)
    }

    fn neighbour(&self, place: KernelIndex, ranks: usize) -> Option<KernelIndex> {
        let rank = self.rank(self.problem(place).name())?;
        let next = (rank + ranks) % self.kernels;
        (next != rank).then(|| self.current(next))
    }

    /// Returns the tiles with which a kernel can be shown, from the smallest.
    pub fn tiles(&self, place: KernelIndex) -> Vec<Tile> {
        let rank = self.rank(self.problem(place).name());
        rank.map_or_else(Vec::new, |rank| self.problems[rank].tiles())
    }

    /// Chooses a tile for every kernel that has it; returns this kernel with it.
    pub fn choose(&mut self, place: KernelIndex, tile: Tile) -> Option<KernelIndex> {
        for rank in 0..self.kernels {
            let first = &self.problems[rank];
            let known = self.with(first.name(), tile).is_some();
            if let Some(problem) = first.with_tile(tile).filter(|_| !known) {
                self.problems.push(problem);
                self.slots.push(CacheSlot::Problem);
            }
        }
        self.chosen.retain(|known| *known != tile);
        self.chosen.push(tile);
        self.with(self.problem(place).name(), tile)
    }

    /// The place of a problem in the comparison of two: in teaching order, smaller tiles first.
    pub fn order(&self, problem: &Problem) -> (Option<usize>, Option<(u32, u32)>) {
        (self.rank(problem.name()), problem.tile().map(Tile::order))
    }

    /// Adds a problem that is shown beside the ladder: nothing else leads to it.
    pub fn add(&mut self, problem: Problem) -> KernelIndex {
        self.problems.push(problem);
        self.slots.push(CacheSlot::Problem);
        KernelIndex(self.problems.len() - 1)
    }

    fn rank(&self, name: &str) -> Option<usize> {
        self.problems[..self.kernels].iter().position(|problem| problem.name() == name)
    }

    fn current(&self, rank: usize) -> KernelIndex {
        let name = self.problems[rank].name();
        let chosen = self.chosen.iter().rev().find_map(|tile| self.with(name, *tile));
        chosen.unwrap_or(KernelIndex(rank))
    }

    fn with(&self, name: &str, tile: Tile) -> Option<KernelIndex> {
        let is_it = |problem: &Problem| problem.name() == name && problem.tile() == Some(tile);
        self.problems.iter().position(is_it).map(KernelIndex)
    }

    pub fn problem(&self, place: KernelIndex) -> &Problem {
        &self.problems[place.0]
    }

    /// The problem of a kernel, or `None` if the index is that of other kernels.
    pub fn get(&self, place: KernelIndex) -> Option<&Problem> {
        self.problems.get(place.0)
    }

    /// The loaded kernel, or `None` if it is not ready to run.
    pub fn loaded(&self, place: KernelIndex) -> Option<&Loaded> {
        match &self.slots[place.0] {
            CacheSlot::Loaded(loaded) => Some(loaded.as_ref()),
            CacheSlot::Problem | CacheSlot::Asked => None,
        }
    }

    /// Returns the problem to load, unless it is loaded or being loaded.
    pub fn ask(&mut self, place: KernelIndex) -> Option<Problem> {
        let slot = &mut self.slots[place.0];
        let asks = matches!(slot, CacheSlot::Problem);
        asks.then(|| {
            *slot = CacheSlot::Asked;
            self.problems[place.0].clone()
        })
    }

    /// Stores a loaded kernel; `None` if loading failed, so that a later request tries again.
    pub fn put(&mut self, place: KernelIndex, loaded: Option<Loaded>) {
        self.slots[place.0] =
            loaded.map_or(CacheSlot::Problem, |loaded| CacheSlot::Loaded(Box::new(loaded)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::KERNELS;
    use crate::matrix::Size;

    #[test]
    fn a_chosen_tile_is_that_of_every_kernel_that_has_it() {
        let problems = KERNELS.iter().map(|kernel| kernel.problem_for(Size::square(64)));
        let mut cache = KernelCache::new(problems.collect());
        let label =
            |cache: &KernelCache, name| cache.problem(cache.named(name).expect("a kernel")).label();
        let own = label(&cache, "blocked_2d");
        let tiled = cache.named("tiled").expect("a kernel");
        let large = cache.choose(tiled, Tile::square(32)).expect("it has it");
        assert_eq!(cache.problem(large).label(), "tiled 32x32");
        assert_eq!(label(&cache, "naive"), "naive 32x32");
        assert_eq!(label(&cache, "blocked_2d"), own);
        let next = cache.after(large).expect("a kernel");
        assert_eq!(cache.problem(next).label(), "tiled_transposed 32x32");
        assert_eq!(cache.choose(large, Tile::square(16)), Some(tiled), "it is still there");
        assert_eq!(label(&cache, "naive"), "naive 16x16");
        assert_eq!(cache.problems().len(), KERNELS.len());
    }
}
