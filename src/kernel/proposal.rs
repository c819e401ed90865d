//! Options that launch a kernel on buffers of its own, as an example that runs.

use super::chosen::Chosen;
use crate::launch::Dim3;
use std::fmt;

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

impl Proposal {
    /// What in its words is a choice.
    pub fn chosen(&self) -> Vec<Chosen> {
        let words = || self.words.split(',');
        let lengths = words().filter_map(|word| self.guessed_length(word));
        let lengths: Vec<_> = lengths.map(|(name, ..)| name.to_owned()).collect();
        let numbers = words().filter(|word| self.guessed_number(word).is_some());
        let numbers: Vec<_> = numbers.map(str::to_owned).collect();
        let lengths = (!lengths.is_empty()).then_some(Chosen::Lengths(lengths));
        let numbers = (!numbers.is_empty()).then_some(Chosen::Numbers(numbers));
        lengths.into_iter().chain(numbers).collect()
    }

    /// The lengths that are a guess.
    pub(super) fn lengths(&self) -> impl Iterator<Item = u64> {
        let words = self.words.split(',');
        words.filter_map(|word| Some(self.guessed_length(word)?.2))
    }

    /// The name and the value of a number that is a guess.
    fn guessed_number<'w>(&self, word: &'w str) -> Option<(&'w str, u64)> {
        let (name, number) = word.split_once('=')?;
        let is_guess = self.guessed.iter().any(|guessed| guessed == name);
        number.parse().ok().filter(|_| is_guess).map(|number| (name, number))
    }

    /// The name of a buffer whose length is a guess, what stands before the length, the length, and
    /// what stands after it.
    fn guessed_length<'w>(&self, word: &'w str) -> Option<(&'w str, &'w str, u64, &'w str)> {
        let (head, rest) = word.split_once('[')?;
        let (length, tail) = rest.split_once(']')?;
        let name = head.trim_start_matches('{').split(':').next()?;
        let is_known = self.known.iter().any(|known| known == name);
        let length = length.parse().ok().filter(|_| !is_known)?;
        Some((name, head, length, tail))
    }

    /// The words with other numbers where these are a guess.
    pub(super) fn with_numbers(&self, other: impl Fn(u64) -> u64) -> String {
        let word = |word: &str| {
            self.guessed_number(word).map_or_else(
                || word.to_owned(),
                |(name, number)| format!("{name}={}", other(number)),
            )
        };
        self.words.split(',').map(word).collect::<Vec<_>>().join(",")
    }

    /// The words with other numbers of elements where these are a guess.
    pub(super) fn with_lengths(&self, count: impl Fn(&str, u64) -> u64) -> String {
        let word = |word: &str| {
            self.guessed_length(word).map_or_else(
                || word.to_owned(),
                |(name, head, length, tail)| format!("{head}[{}]{tail}", count(name, length)),
            )
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

/// A number that tiles and vectors divide: a multiple of 16, or below that a power of two.
pub(super) fn rounded(number: u64) -> u64 {
    match number {
        16.. => number - number % 16,
        _ => 1 << number.max(1).ilog2(),
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
