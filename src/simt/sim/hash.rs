//! Hashes numbers: faster than the standard hasher, which defends against keys that somebody chose.

use crate::matrix::mixed;
use std::hash::{BuildHasherDefault, Hasher};

/// Builds hashers for maps and sets of numbers.
pub type OfNumbers = BuildHasherDefault<Mixer>;

/// Mixes numbers, one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mixer(u64);

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64((*byte).into());
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = mixed(self.0 ^ number);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
