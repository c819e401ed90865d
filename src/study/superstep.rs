//! The supersteps of a block: what it executes from one barrier of all its threads to the next, and
//! what each of them stores, reads and leaves in shared memory for those after it.

use crate::kernel::Problem;
use crate::sim::{Access, Machine, Program};
use ptx::Space;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

/// What a block executes between two barriers of all its threads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Superstep {
    /// The numbers of steps done before its first step and after its last.
    pub steps: Range<usize>,
    /// The lines of the CUDA source that it executes.
    pub lines: BTreeSet<u32>,
    /// Different words that it stores, by the name of their array or matrix.
    pub stores: WordCounts,
    /// Different words that it reads.
    pub reads: WordCounts,
    /// Words of shared memory that hold a value at its end which a later one reads.
    pub live: WordCounts,
}

/// Two accesses of a word of shared memory, one of them a store, that meet in a superstep: a barrier
/// between them is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnorderedAccesses {
    /// The number of the superstep, from 0.
    pub superstep: usize,
    /// For each access, the steps done after it, in their order.
    pub steps: [usize; 2],
    /// Their lines in the CUDA source.
    pub lines: [Option<u32>; 2],
}

/// Numbers of words, by the name of their array or matrix.
pub type WordCounts = BTreeMap<String, u64>;

/// Whether two supersteps do the same, at other times.
pub fn are_alike(one: &Superstep, other: &Superstep) -> bool {
    let of = |band: &Superstep| {
        (band.lines.clone(), band.stores.clone(), band.reads.clone(), band.live.clone())
    };
    of(one) == of(other)
}

/// Divides a run into its supersteps, step by step.
#[derive(Debug)]
pub(super) struct SuperstepRecorder {
    all: Vec<Superstep>,
    words: HashMap<(bool, u64), WordUse>,
}

/// What was done with a word, by the numbers of the supersteps.
#[derive(Debug, Default)]
struct WordUse {
    name: String,
    stored: Option<usize>,
    read: Option<usize>,
    /// The superstep up to which the value that was stored last is known to be needed.
    needed: usize,
}

impl Default for SuperstepRecorder {
    fn default() -> Self {
        Self { all: vec![Superstep::default()], words: HashMap::new() }
    }
}

impl SuperstepRecorder {
    /// Looks at the step that a machine has just executed, after `index` steps; `interval` is the number
    /// of barriers that the block had passed before it.
    pub(super) fn add(
        &mut self,
        (problem, program): (&Problem, &Program),
        machine: &Machine,
        (index, interval): (usize, u32),
    ) {
        let number = interval as usize;
        while self.all.len() <= number {
            let steps = index - 1..index;
            self.all.push(Superstep { steps, ..Superstep::default() });
        }
        let step = machine.last();
        self.all[number].steps.end = index;
        let is_own = program.other_file(step.pc).is_none();
        self.all[number].lines.extend(program.inst(step.pc).line.filter(|_| is_own));
        for access in step.accesses().iter().chain(machine.landed()) {
            if access.space == Space::Local {
                continue;
            }
            for word in words(access) {
                self.touch((problem, program), machine, access, (number, word));
            }
        }
    }

    /// The supersteps, once the run is over.
    pub(super) fn found(self) -> Vec<Superstep> {
        self.all
    }

    fn touch(
        &mut self,
        of: (&Problem, &Program),
        machine: &Machine,
        access: &Access,
        (number, word): (usize, u64),
    ) {
        let is_shared = access.space == Space::Shared;
        let used = self.words.entry((is_shared, word)).or_insert_with(|| WordUse {
            name: name(of, machine, (is_shared, word * 4)),
            ..WordUse::default()
        });
        let count = |counts: &mut WordCounts, name: &str| match counts.get_mut(name) {
            Some(words) => *words += 1,
            None => _ = counts.insert(name.to_owned(), 1),
        };
        let reads = access.direction != crate::sim::Direction::Store;
        if reads {
            if used.read.replace(number) != Some(number) {
                count(&mut self.all[number].reads, &used.name);
            }
            // What was stored before is needed until now.
            if let Some(stored) = used.stored.filter(|_| is_shared) {
                for before in used.needed.max(stored)..number {
                    count(&mut self.all[before].live, &used.name);
                }
                used.needed = used.needed.max(number);
            }
        }
        if access.direction.writes() {
            if used.stored.replace(number) != Some(number) {
                count(&mut self.all[number].stores, &used.name);
            }
            used.needed = number;
        }
    }
}

/// The words that an access touches, in all its lanes.
fn words(access: &Access) -> impl Iterator<Item = u64> + '_ {
    let bytes = u64::from(access.bytes);
    access.touched().flat_map(move |(_, addr)| addr / 4..(addr + bytes).div_ceil(4))
}

/// The name of the array or the matrix at an address.
fn name((problem, program): (&Problem, &Program), machine: &Machine, at: (bool, u64)) -> String {
    match at {
        (true, addr) => {
            let array = problem.shared_element(program, addr);
            array.map_or_else(|| "shared".to_owned(), |(name, ..)| name.to_owned())
        }
        (false, addr) => {
            let buffer = machine.memory().locate(addr);
            buffer.map_or_else(|| "global".to_owned(), |(buffer, _)| buffer.name.clone())
        }
    }
}
