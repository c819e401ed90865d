//! What a buffer holds before the launch, as a few words for another process.

use crate::matrix::{ElementType, Elements, Operand};
use crate::sim::Fill;
use serde::{Deserialize, Serialize};

/// A buffer, and what the host writes to it before the launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Filled {
    pub bytes: u64,
    /// Its contents, each computed from its place alone.
    pub with: Filling,
}

/// What a buffer is filled with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Filling {
    /// Zeros, also where the host writes nothing.
    Zeros,
    /// Elements of A, B or C, of this type, from a seed.
    Matrix(u64, Operand, ElementType),
    /// Elements of another buffer.
    Elements(Elements),
    /// These words.
    Words(Vec<u32>),
}

impl Filled {
    /// A buffer of this size with what a simulated one holds.
    pub(super) fn of(bytes: u64, fill: &Fill) -> Self {
        let with = match fill {
            Fill::Matrix(seed, operand, of) => Filling::Matrix(*seed, *operand, *of),
            Fill::Elements(elements) => Filling::Elements(*elements),
            Fill::Words(words) => Filling::Words(words.to_vec()),
            Fill::Zero | Fill::Under(_) | Fill::Poison(_) | Fill::Partly(..) => Filling::Zeros,
        };
        Self { bytes, with }
    }

    /// The number of its 4-byte words, the last perhaps half used.
    pub const fn words(&self) -> u64 {
        self.bytes.div_ceil(4)
    }

    /// A 4-byte word before the launch.
    pub fn word(&self, index: u64) -> u32 {
        match &self.with {
            Filling::Zeros => 0,
            Filling::Words(words) => words.get(index as usize).copied().unwrap_or(0),
            Filling::Matrix(seed, operand, of) => of.word(*seed, *operand, index),
            Filling::Elements(elements) => elements.word(index),
        }
    }
}
