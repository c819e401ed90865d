//! Options that launch a kernel on buffers of its own, as an example that runs.

use super::Problem;
use super::buffer::Buffer;
use super::probe::Probe;
use crate::launch::Dim3;
use crate::sim::Program;
use std::fmt;
use std::sync::Arc;

/// Options for a kernel that computes something else than A x B, which its types allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The grid, where there is no usual one.
    pub grid: Option<Dim3>,
    /// The arguments as words.
    pub words: String,
    /// The buffers whose lengths the host's code gives: those of the others are a guess.
    pub known: Vec<String>,
    /// The numbers that the host's code gives not.
    pub guessed: Vec<String>,
}

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

    /// The words with other numbers where these are a guess.
    fn with_numbers(&self, other: impl Fn(u64) -> u64) -> String {
        let word = |word: &str| {
            let changed = || {
                let (name, number) = word.split_once('=')?;
                let number = number.parse().ok()?;
                let is_guess = self.guessed.iter().any(|guessed| guessed == name);
                is_guess.then(|| format!("{name}={}", other(number)))
            };
            changed().unwrap_or_else(|| word.to_owned())
        };
        self.words.split(',').map(word).collect::<Vec<_>>().join(",")
    }

    /// The words with other numbers of elements where these are a guess.
    fn with_lengths(&self, count: impl Fn(&str, u64) -> u64) -> String {
        let word = |word: &str| {
            let changed = || {
                let (head, rest) = word.split_once('[')?;
                let (length, tail) = rest.split_once(']')?;
                let name = head.trim_start_matches('{').split(':').next()?;
                let length = length.parse().ok()?;
                let is_known = self.known.iter().any(|known| known == name);
                (!is_known).then(|| format!("{head}[{}]{tail}", count(name, length)))
            };
            changed().unwrap_or_else(|| word.to_owned())
        };
        self.words.split(',').map(word).collect::<Vec<_>>().join(",")
    }
}

impl fmt::Display for Proposal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(grid) = self.grid {
            write!(f, "--grid {} ", grid.place_in(grid))?;
        }
        write!(f, "--args '{}'", self.words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_guessed_lengths_change() {
        let words = "in:f32[4096],{out:i32[8]=0,n=8},n=4096".to_owned();
        let (grid, known) = (Some(Dim3::flat(4, 4)), vec!["in".to_owned()]);
        let proposal = Proposal { grid, words, known, guessed: vec!["n".to_owned()] };
        let longer = proposal.with_lengths(|_, count| 2 * count);
        assert_eq!(longer, "in:f32[4096],{out:i32[16]=0,n=8},n=4096");
        let smaller = proposal.with_numbers(|number| number / 2);
        assert_eq!(smaller, "in:f32[4096],{out:i32[8]=0,n=8},n=2048");
        assert_eq!(
            proposal.to_string(),
            "--grid 4,4 --args 'in:f32[4096],{out:i32[8]=0,n=8},n=4096'"
        );
    }
}
