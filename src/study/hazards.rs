//! The words of shared memory that a warp will load although they hold something else than is due.

use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::matrix::ElementType;
use crate::sim::{Access, Machine, Program};
use ptx::Space;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// A value loaded from a tile in shared memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Read {
    /// The value that was there.
    pub is: f32,
    /// The element of A or B that belongs there while the warp works on its tile.
    pub should: f32,
}

impl Read {
    /// Whether it is the right value.
    pub const fn is_right(self) -> bool {
        self.is.to_bits() == self.should.to_bits()
    }
}

/// A block of a problem, with its program.
pub(super) type Of<'a> = (&'a Problem, &'a Program, Dim3);

/// A word that holds a wrong value for a warp that has yet to load it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hazard {
    /// Its number in shared memory.
    pub word: u32,
    /// The numbers of steps done from the store that came too early to the load.
    pub steps: RangeInclusive<usize>,
}

/// Finds the hazards of a run, step by step.
#[derive(Debug, Default)]
pub(super) struct Hazards {
    /// The steps done after each word's last store, by its number, and the multiply-adds of the warp
    /// that stored.
    stored: BTreeMap<u32, (usize, u32)>,
    /// The steps done after the last wrong load of a word, by the word and the steps after which it was
    /// wrong.
    loaded: BTreeMap<(u32, usize), usize>,
}

impl Hazards {
    /// Looks at the step that a machine has just executed, after `index` steps; `fma` is the number of
    /// multiply-adds of its warp so far.
    pub(super) fn add(&mut self, of: Of<'_>, machine: &Machine, index: usize, fma: u32) {
        let step = machine.last();
        for access in step.accesses().iter().chain(machine.landed()) {
            if access.space != Space::Shared || access.route.is_distributed() {
                continue;
            }
            for word in words(access) {
                if access.direction.writes() {
                    self.stored.insert(word, (index, fma));
                    continue;
                }
                if read(of, machine, word, fma).is_some_and(|read| !read.is_right()) {
                    // What is loaded too early is wrong only then.
                    let stored = self.stored.get(&word).filter(|(_, ahead)| *ahead > fma);
                    let from = stored.map_or(index, |(stored, _)| *stored);
                    self.loaded.insert((word, from), index);
                }
            }
        }
    }

    /// All of them.
    pub(super) fn found(self) -> Vec<Hazard> {
        let hazard = |((word, from), loaded)| Hazard { word, steps: from..=loaded };
        self.loaded.into_iter().map(hazard).collect()
    }
}

/// The numbers of the words that an access touches, each once.
fn words(access: &Access) -> Vec<u32> {
    let count = u32::from(access.bytes).div_ceil(4);
    let words = access.touched().map(|(_, addr)| (addr / 4) as u32);
    let mut words: Vec<_> = words.flat_map(|first| first..first + count).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// What a warp that has executed `fma` multiply-adds finds in a word of a tile of A or B.
pub(super) fn read(of: Of<'_>, machine: &Machine, word: u32, fma: u32) -> Option<Read> {
    let (problem, program, block) = of;
    let tile = fma / problem.known?.variant.fma_per_thread();
    let element = problem.staged_element(program, block, 4 * u64::from(word), tile)?;
    if problem.element_type(element.operand) != ElementType::F32 {
        return None;
    }
    let (addr, _) = problem.place(machine.memory(), element)?;
    let (buffer, offset) = machine.memory().locate(addr)?;
    let is = *machine.shared().get(word as usize)?;
    let should = buffer.load(offset / 4);
    Some(Read { is: f32::from_bits(is), should: f32::from_bits(should) })
}
