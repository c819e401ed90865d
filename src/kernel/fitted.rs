//! Fits a proposal to what the kernel touches.

use super::Problem;
use super::probe::Probe;
use super::proposal::{Proposal, rounded};
use crate::launch::Dim3;
use crate::sim::Program;
use std::sync::Arc;

/// Makes a launch of these options.
type Made<'m> = &'m dyn Fn(&Proposal) -> Option<(Problem, Arc<Program>)>;

/// The length of a buffer while it is not known how far the kernel reaches.
const FAR: u64 = 1 << 24;

/// A number that is small enough.
const LEAST: u64 = 64;

/// The most elements that a proposed buffer has.
const MOST: u64 = 1 << 22;

/// What the lengths are rounded up to where the kernel reaches beyond the first guess.
const STEP: u64 = 256;

/// What becomes of the numbers that are a guess.
#[derive(Clone, Copy)]
enum Numbers {
    /// They stay.
    Same,
    /// Each is the side of a square of that many elements.
    Side,
    /// Each is 64 times smaller, and so is each length.
    Part,
}

/// What is tried of the numbers and of the blocks along each side of a grid that is a guess.
const TRIED: [(Numbers, u32); 6] = [
    (Numbers::Same, 1),
    (Numbers::Side, 1),
    (Numbers::Same, 2),
    (Numbers::Side, 2),
    (Numbers::Same, 4),
    (Numbers::Part, 1),
];

/// A proposal that was tried.
struct Fit {
    proposal: Proposal,
    /// Whether the blocks touch the elements that were proposed at first, and none beyond.
    is_exact: bool,
}

impl Proposal {
    /// The same with buffers as long as what its blocks touch, where their length is a guess; of
    /// several grids and numbers, where these are a guess, the first with which the blocks touch just
    /// the elements that follow from them. `made` makes a launch of these options. `None` if no launch
    /// ends in its buffers.
    pub fn fitted(&self, made: Made<'_>) -> Option<Self> {
        let mut first = None;
        for (numbers, fewer) in TRIED {
            let Some(fit) = self.fit(numbers, fewer, made) else { continue };
            if fit.is_exact {
                return Some(fit.proposal);
            }
            first = first.or(Some(fit.proposal));
        }
        first
    }

    /// The same with other numbers and a smaller grid; `None` if it does not run.
    fn fit(&self, numbers: Numbers, fewer: u32, made: Made<'_>) -> Option<Fit> {
        let grid = self.grid.map(|grid| smaller(grid, fewer));
        let words = self.with_numbers(|number| numbers.of(number));
        let begun = Self { grid, words, ..self.clone() };
        let has_changed = (&begun.words, begun.grid) != (&self.words, self.grid);
        if !has_changed && (fewer > 1 || !matches!(numbers, Numbers::Same)) {
            return None;
        }
        let begun = Self { words: begun.with_lengths(|_, count| numbers.length(count)), ..begun };
        let (problem, _) = made(&begun)?;
        let grid = Some(problem.launch.grid);
        let far = Self { grid, words: begun.with_lengths(|_, _| FAR), ..self.clone() };
        let (problem, program) = made(&far)?;
        let probe = Probe::of_many(&problem, &program);
        let ends = || problem.buffers.iter().map(|buffer| probe.end(&buffer.name));
        // What goes wrong in shared memory is no matter of the buffers.
        let is_run = probe.ended || probe.overruns;
        if probe.leaves || !is_run || ends().any(|end| end > MOST) {
            return None;
        }
        let words = begun.with_lengths(|name, count| longer(count, probe.end(name)));
        let longest = begun.lengths().max().unwrap_or(0);
        let is_exact = words == begun.words && ends().any(|end| 2 * end > longest);
        // The usual grid follows from the longest buffer.
        let is_same = words == self.words && !has_changed;
        let grid = if is_same { self.grid } else { grid };
        Some(Fit { proposal: Self { grid, words, ..self.clone() }, is_exact })
    }
}

impl Numbers {
    fn of(self, number: u64) -> u64 {
        match self {
            Self::Side if number > LEAST => rounded(number.isqrt()),
            Self::Part if number > LEAST => rounded(number / LEAST),
            _ => number,
        }
    }

    fn length(self, count: u64) -> u64 {
        match self {
            Self::Part => rounded(count / LEAST),
            Self::Same | Self::Side => count,
        }
    }
}

/// A grid of fewer blocks along each side.
fn smaller(grid: Dim3, fewer: u32) -> Dim3 {
    let side = |blocks: u32| blocks.div_ceil(fewer);
    Dim3 { x: side(grid.x), y: side(grid.y), ..grid }
}

/// The length of a buffer of `count` elements, of which those up to `end` are touched: a whole number
/// of steps, but for one element beyond the last, which arrays of where parts begin have.
fn longer(count: u64, end: u64) -> u64 {
    match end {
        _ if end <= count => count.max(1),
        _ if end == count + 1 => end,
        _ => end.next_multiple_of(if end < STEP { 16 } else { STEP }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_and_sides_are_such_as_tiles_divide() {
        assert_eq!([0, 1, 3, 11, 16, 70].map(rounded), [1, 1, 2, 8, 16, 64]);
        assert_eq!(longer(4096, 4096), 4096);
        assert_eq!(longer(4096, 4097), 4097, "the end of the last part");
        assert_eq!([longer(64, 70), longer(4096, 4099)], [80, 4352]);
        assert_eq!(smaller(Dim3::flat(4, 1), 2), Dim3::flat(2, 1));
    }
}
