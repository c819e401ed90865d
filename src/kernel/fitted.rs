//! Fits a proposal to what the kernel touches.

use super::Problem;
use super::buffer::Buffer;
use super::probe::Probe;
use super::proposal::Proposal;
use crate::sim::Program;
use std::sync::Arc;

/// Makes a launch of these options.
type Made<'m> = &'m dyn Fn(&Proposal) -> Option<(Problem, Arc<Program>)>;

/// The length of a buffer while it is not known how far the kernel reaches.
const FAR: u64 = 1 << 24;

/// Parts of the guessed numbers that are tried.
const PARTS: [u64; 2] = [1, 64];

/// A number that is small enough.
const LEAST: u64 = 64;

/// The most elements that a proposed buffer has.
const MOST: u64 = 1 << 22;

impl Proposal {
    /// The same with buffers as long as what its blocks touch, where their length
    /// is a guess, and with smaller numbers if these take too long ones; `made` makes a launch of these
    /// options.
    #[must_use]
    pub fn fitted(self, made: Made<'_>) -> Self {
        let fitted = PARTS.into_iter().find_map(|part| self.with_part(part, made));
        fitted.unwrap_or(self)
    }

    /// The same with this part of each number that is a guess.
    fn with_part(&self, part: u64, made: Made<'_>) -> Option<Self> {
        let smaller = Self {
            words: self.with_numbers(|number| if number > LEAST { number / part } else { number }),
            ..self.clone()
        };
        let (problem, _) = made(&smaller)?;
        let grid = Some(problem.launch().grid);
        let far = Self { grid, words: smaller.with_lengths(|_, _| FAR), ..self.clone() };
        let (problem, program) = made(&far)?;
        let probe = Probe::of_many(&problem, &program);
        let reaches = |buffer: &Buffer| probe.end(&buffer.name);
        let is_far = problem.own_buffers().iter().any(|buffer| reaches(buffer) > MOST);
        if probe.leaves || !probe.ended || is_far {
            return None;
        }
        let words = smaller.with_lengths(|name, count| (count / part).max(probe.end(name)).max(1));
        // The usual grid follows from the longest buffer.
        let grid = if words == self.words { self.grid } else { grid };
        Some(Self { grid, words, ..self.clone() })
    }
}
