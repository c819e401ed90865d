//! The precision of a product that cuBLAS and the catalogue's kernels compute: float32, or of float16.

use super::{ElementType, Layout};
use serde::{Deserialize, Serialize};

/// The element type of A and B, of which there are two; C is always float32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// IEEE 754 binary32.
    #[default]
    Single,
    /// IEEE 754 binary16.
    Half,
}

impl Precision {
    /// The type of the elements of A and B.
    pub const fn element_type(self) -> ElementType {
        match self {
            Self::Single => ElementType::F32,
            Self::Half => ElementType::F16,
        }
    }

    /// How A, B and C lie in memory.
    pub fn layouts(self) -> [Layout; 3] {
        let ab = Layout { of: self.element_type(), ..Layout::default() };
        [ab, ab, Layout::default()]
    }

    /// Size of an element of A and B in bytes.
    pub const fn bytes(self) -> u8 {
        self.element_type().bytes()
    }

    /// Upper bound on the relative error expected of sums of `k` such products: see
    /// [`ElementType::tolerance`].
    pub fn tolerance(self, k: u32) -> f64 {
        self.element_type().tolerance(k)
    }
}
