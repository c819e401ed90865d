//! A buffer of a user's kernel that is none of the matrices A, B and C.

use super::roles::Roles;
use crate::matrix::{ElementType, Elements, Values};
use crate::sim::Fill;
use std::sync::Arc;

/// A buffer that the host allocates for a launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    /// Its name in `--launch`.
    pub name: String,
    pub of: ElementType,
    /// The number of its elements, at least 1.
    pub count: u64,
    /// What it holds before the launch.
    pub contents: Contents,
}

/// A buffer that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is no buffer: {why}")]
pub struct BufferError {
    pub word: String,
    /// What is wrong with it.
    pub why: String,
}

/// What a buffer holds before the launch.
#[derive(Clone, Debug, PartialEq)]
pub enum Contents {
    /// The host has written it.
    Filled(Values),
    /// What the host's program and the kernels before have left.
    Left(Arc<LeftWords>),
    /// Nobody has written it: a kernel that reads it reads what is there by chance.
    Unfilled,
}

/// The words of a buffer, and which of them somebody has written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftWords {
    pub words: Arc<[u32]>,
    /// A bit for each word; `None` if all are written.
    pub written: Option<Arc<[u64]>>,
}

impl LeftWords {
    /// Whether nobody has written any of it.
    pub fn is_empty(&self) -> bool {
        self.written.as_ref().is_some_and(|bits| bits.iter().all(|bits| *bits == 0))
    }
}

impl Buffer {
    pub const fn bytes(&self) -> u64 {
        self.count * self.of.bytes() as u64
    }

    /// Whether the host writes it before the launch.
    pub fn is_filled(&self) -> bool {
        self.contents != Contents::Unfilled
    }

    /// Its words before the launch; `number` is its place among the buffers.
    pub(super) fn fill(&self, seed: u64, number: usize) -> Fill {
        match &self.contents {
            Contents::Unfilled => Fill::Zero,
            Contents::Filled(values) => {
                let (of, values) = (self.of, *values);
                Fill::Elements(Elements { of, values, seed, number: number as u64 })
            }
            Contents::Left(left) => Fill::Words(Arc::clone(&left.words)),
        }
    }

    /// A bit for each word that is written before the launch, where only some are.
    pub(super) fn written(&self) -> Option<Arc<[u64]>> {
        if let Contents::Left(left) = &self.contents { left.written.clone() } else { None }
    }
}

/// The contents of a buffer of which nobody has said them, from the use of the parameters at
/// `places` that point to it: the host writes what the kernel reads. The use of a member of a
/// structure is not known: it may be read.
pub(super) fn usual_contents(roles: &Roles, places: impl Iterator<Item = usize>) -> Contents {
    let mut places = places.peekable();
    let is_known = places.peek().is_some();
    let only_stored = places.all(|place| roles.is_stored(place) && !roles.is_read(place));
    if is_known && only_stored { Contents::Unfilled } else { Contents::Filled(Values::Random) }
}
